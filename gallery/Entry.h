// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Entry_h
#define ccl_gallery_Entry_h

namespace itk::ccl::gallery
{

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
};

} // namespace itk::ccl::gallery

#endif
