// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Entry_h
#define ccl_gallery_Entry_h

#include "algorithms/published/PublishedTypes.h"

namespace itk::ccl::gallery
{

/** Sets of connectivities. The number is the number of neighbors of a pixel. */
enum Connectivities : unsigned int
{
  Planes4 = 1,
  Planes8 = 2,
  Volumes6 = 4,
  Volumes26 = 8
};

/** Describes a published algorithm of the gallery. */
struct Entry
{
  const char * name;           // the acronym in the papers
  const char * authors;        // last names
  int          year;           // of publication
  unsigned int connectivities; // that Label() supports
  // Which element the labels name, so that they can be renumbered.
  LabelElement element = LabelElement::FirstPixel;
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
