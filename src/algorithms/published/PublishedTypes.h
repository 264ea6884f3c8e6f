// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_PublishedTypes_h
#define ccl_algorithms_published_PublishedTypes_h

// The types that the rows of the table in PublishedAlgorithms.h share.

namespace itk::ccl
{

/** The options of a published algorithm. */
struct PublishedOptions
{
  bool fullyConnected;    // else face connectivity, which Description may exclude
  bool inlineCompression; // see InlineCompress(); for algorithms that have it
};

/** The element that the label of a component names. */
enum class LabelElement
{
  FirstPixel, // 1 + the raster index of the first pixel of the component
  Block,      // 1 + the raster index of the corner of a block, in the first layer of blocks that the component reaches
  Other       // a number from 1 to the number of pixels; only in the gallery
};

} // namespace itk::ccl

#endif
