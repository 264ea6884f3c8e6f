// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Entry_h
#define ccl_gallery_Entry_h

namespace itk::ccl::gallery
{

/** The element that the label of a component names. The label is 1 + the raster index of the element. */
enum class NamedByLabel
{
  FirstPixel, // the first pixel of the component
  Block,      // the corner of a block in the first layer of blocks that the component reaches
  Other       // the label is a number from 1 to the number of pixels
};

/** Describes a published algorithm of the gallery. */
struct Entry
{
  const char * name;    // the acronym in the papers
  const char * authors; // last names
  int          year;    // of publication
  // The connectivities that Label() supports. The number is the number of neighbors of a pixel.
  bool planes4;
  bool planes8;
  bool volumes6;
  bool volumes26;
  // Which element the labels name, so that they can be renumbered.
  NamedByLabel named = NamedByLabel::FirstPixel;
};

} // namespace itk::ccl::gallery

#endif
