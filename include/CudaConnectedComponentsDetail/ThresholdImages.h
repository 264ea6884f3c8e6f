// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_ThresholdImages_h
#define CudaConnectedComponentsDetail_ThresholdImages_h

// The work of the filters on the pixels between two limits, for all pixel types. Pixel values have the bytes of the
// pixel, as an unsigned integer.

#include "CudaConnectedComponentsDetail/ImageAccess.h"

#include <cstdint>
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
struct TwoValueOutput
{
  ImageView     output;
  bool          isUntouched; // whether nobody has written to the memory of the output
  std::uint64_t inside;
  std::uint64_t outside;
};

/** The pixels of a row from `begin` to `end` - 1. */
struct RunOfRow
{
  std::uint64_t row;
  std::uint64_t begin;
  std::uint64_t end;
};

/** Writes the pixels of some runs. */
CudaConnectedComponents_EXPORT void
WriteRuns(const CudaConnectedComponentLabeler & labeler,
          const std::vector<RunOfRow> &         runs,
          const TwoValueOutput &                output);

/** Returns a function that writes the pixels whose bits are set in a row.
 * \param output an object that lives as long as the function */
CudaConnectedComponents_EXPORT CudaConnectedComponentLabeler::MaskRowVisitorType
WriterOf(const TwoValueOutput & output);

/** Writes the pixels between the limits. */
CudaConnectedComponents_EXPORT void
WriteLimited(const CudaConnectedComponentLabeler & labeler, const LimitedImage & image, const TwoValueOutput & output);

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

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
