// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_published_ComponentFeatures_h
#define ccl_algorithms_published_ComponentFeatures_h

// The features of components that HA (HardwareAcceleratedFeatures.h) and the gallery's FLSL write: Hennequin,
// Lacassagne, Cabaret and Meunier, "A new Direct Connected Component Labeling and Analysis Algorithms for GPUs", DASIP
// 2018, Section IV-D.

#include <cstdint>

namespace itk::ccl
{

/** Features of components, as a structure of arrays. The algorithm says how many elements the arrays have, and which of
 * them belong to components. All others have a pixel count of 0, and their other features are undefined. Sums are right
 * if the number of pixels, times the largest coordinate, is at most 2^64. */
template <unsigned int VDimension, typename TLabel>
struct ComponentFeatures
{
  TLabel *        pixelCounts;
  std::uint64_t * sums[VDimension];     // of the coordinates along each axis
  TLabel *        minimums[VDimension]; // the bounding box contains its minimum and its maximum
  TLabel *        maximums[VDimension];
};

} // namespace itk::ccl

#endif
