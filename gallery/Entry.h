// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Entry_h
#define ccl_gallery_Entry_h

#include "algorithms/published/PublishedTypes.h"

namespace itk::ccl::gallery
{

/** The bits of Entry::connectivities. The numbers are the numbers of neighbors of a pixel. */
enum ConnectivityBit : unsigned int
{
  Planes4 = 1,
  Planes8 = 2,
  Volumes6 = 4,
  Volumes26 = 8
};

/** Describes a published algorithm of the gallery. */
struct Entry
{
  const char * name;                               // the acronym in the papers
  const char * authors;                            // last names
  int          year;                               // of publication
  unsigned int connectivities;                     // that Label() supports
  LabelElement element = LabelElement::FirstPixel; // that a label names
};

/** Returns whether an algorithm supports a connectivity. `dimension` is 2 or 3. */
constexpr bool
Supports(const Entry & entry, unsigned int dimension, bool fullyConnected)
{
  const unsigned int connectivity =
    dimension == 2 ? (fullyConnected ? Planes8 : Planes4) : (fullyConnected ? Volumes26 : Volumes6);
  return (entry.connectivities & connectivity) != 0;
}

} // namespace itk::ccl::gallery

#endif
