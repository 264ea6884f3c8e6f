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

/** The element whose raster index is the label of a component, minus 1. */
enum class LabelElement
{
  Block, // the corner of a block in the first layer of blocks that the component reaches
  Pixel  // the first pixel of the component
};

} // namespace itk::ccl

#endif
