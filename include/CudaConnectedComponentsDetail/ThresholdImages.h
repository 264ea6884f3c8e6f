// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_ThresholdImages_h
#define CudaConnectedComponentsDetail_ThresholdImages_h

// The work of the filters that find thresholds and grow regions, for all pixel types. Pixel values have the bytes of
// the pixel, as an unsigned integer.

#include "CudaConnectedComponentsDetail/ImageAccess.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** A plane or a volume, and the limits of the pixels of interest. */
struct LimitedImage
{
  ImageView     input;
  std::uint64_t lower;
  std::uint64_t upper;
};

/** An output of two values. */
struct BinaryImage
{
  ImageView     output;
  bool          isUntouched; // whether nobody has written to the memory of the output
  std::uint64_t inside;
  std::uint64_t outside;
};

/** The index of a pixel, from the start of a region. */
using Seed = std::array<std::uint64_t, 3>;

/** The pixels of a row from `begin` to `end` - 1. */
struct RowPart
{
  std::uint64_t row;
  std::uint64_t begin;
  std::uint64_t end;
};

/** Grows a region from seeds on the calling thread, if it is small: the pixels between the limits that are connected
 * with a seed. Reads only the rows that the region has or touches.
 * \param parts gets the pixels of the region, in any order
 * \return false if the region is too large; `parts` is then undefined */
CudaConnectedComponents_EXPORT bool
GrowSmallRegion(const LimitedImage &      image,
                const std::vector<Seed> & seeds,
                bool                      fullyConnected,
                std::vector<RowPart> &    parts);

/** Grows a region from seeds with a labeler, and writes it. */
CudaConnectedComponents_EXPORT void
GrowRegion(CudaConnectedComponentLabeler & labeler,
           const LimitedImage &            image,
           const std::vector<Seed> &       seeds,
           const BinaryImage &             output);

/** Grows a region from seeds, on the calling thread or with a labeler, and writes it. */
CudaConnectedComponents_EXPORT void
GrowAnyRegion(CudaConnectedComponentLabeler & labeler,
              const LimitedImage &            image,
              const std::vector<Seed> &       seeds,
              const BinaryImage &             output);

/** Grows a region from seeds, and returns whether it has one of several pixels. */
CudaConnectedComponents_EXPORT bool
ReachesPixels(CudaConnectedComponentLabeler & labeler,
              const LimitedImage &            image,
              const std::vector<Seed> &       seeds,
              const std::vector<Seed> &       pixels);

/** Writes the parts of a region. */
CudaConnectedComponents_EXPORT void
WriteRegion(const CudaConnectedComponentLabeler & labeler,
            const std::vector<RowPart> &          parts,
            const BinaryImage &                   output);

/** Writes the pixels between the limits. */
CudaConnectedComponents_EXPORT void
WriteLimited(const CudaConnectedComponentLabeler & labeler, const LimitedImage & image, const BinaryImage & output);

/** Counts the components of the pixels that are not 0 in the output of WriteLimited(), without writing it.
 * \param minimumSize the number of pixels from which on a component counts */
CudaConnectedComponents_EXPORT std::uint64_t
CountComponents(CudaConnectedComponentLabeler & labeler,
                const LimitedImage &            image,
                bool                            isInsideForeground,
                bool                            isOutsideForeground,
                std::uint64_t                   minimumSize);

/** Finds the lowest and the highest pixel as MinimumMaximumImageCalculator of ITK, which ignores NaN.
 * \param lowest, highest get the pixels. Without pixels, they stay unchanged. */
CudaConnectedComponents_EXPORT void
FindExtremes(const CudaConnectedComponentLabeler & labeler,
             const ImageView &                     image,
             std::uint64_t &                       lowest,
             std::uint64_t &                       highest);

/** Returns the seeds that lie in a region, from the start of the region. */
template <typename TSeeds, unsigned int VDimension>
std::vector<Seed>
SeedsInside(const TSeeds & seeds, const ImageRegion<VDimension> & region)
{
  static_assert(VDimension <= 3, "a plane or a volume");
  std::vector<Seed> inside;
  for (const auto & index : seeds)
  {
    if (region.IsInside(index))
    {
      Seed seed{ { 0, 0, 0 } };
      for (unsigned int axis = 0; axis < VDimension; ++axis)
      {
        seed[axis] = static_cast<std::uint64_t>(index[axis] - region.GetIndex(axis));
      }
      inside.push_back(seed);
    }
  }
  return inside;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
