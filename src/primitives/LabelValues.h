// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_LabelValues_h
#define ccl_primitives_LabelValues_h

#include "primitives/HostDevice.h"

#include "itkCudaConnectedComponentError.h"

#include <cstdint>
#include <limits>
#include <string>

namespace itk::ccl
{

/** Stands for the label of a run or a component that becomes background. It is higher than all labels, because an image
 * has fewer runs than T has values. All bytes are NoLabelByte. */
template <typename T>
inline constexpr T             NoLabel = std::numeric_limits<T>::max();
inline constexpr unsigned char NoLabelByte = 0xFF;

/** Maps the rank of a component to the label that itk::ConnectedComponentImageFilter gives to it. Labels are 0, 1, 2,
 * ... without the background value. So labels start at 1 if the background value is 0. */
struct LabelValues
{
  static constexpr std::uint64_t NothingSkipped = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t background = 0;   // bit pattern of the background value in the output's pixel type
  std::uint64_t skipped = 0;      // the background value, or NothingSkipped if it is negative
  std::uint64_t maximumCount = 0; // number of objects that the output's pixel type has labels for

  template <typename TOutput>
  static LabelValues
  For(TOutput backgroundValue)
  {
    LabelValues values;
    values.background = static_cast<std::uint64_t>(backgroundValue);
    values.skipped =
      std::numeric_limits<TOutput>::is_signed && backgroundValue < TOutput{ 0 } ? NothingSkipped : values.background;
    values.maximumCount = static_cast<std::uint64_t>(std::numeric_limits<TOutput>::max());
    return values;
  }

  /** Returns values whose labels are the ranks. */
  static LabelValues
  Ranks()
  {
    return { 0, NothingSkipped, NothingSkipped };
  }

  /** Returns the label of the component with this rank. */
  CCL_HOST_DEVICE
  std::uint64_t
  LabelOf(std::uint64_t rank) const
  {
    return rank + (rank >= skipped);
  }

  /** Returns the rank of the component with this label. */
  CCL_HOST_DEVICE
  std::uint64_t
  RankOf(std::uint64_t label) const
  {
    return label - (label > skipped);
  }

  /** Throws if the output's pixel type has too few labels. The sentence is ITK's. */
  void
  RequireRoomFor(std::uint64_t objectCount) const
  {
    if (objectCount > maximumCount)
    {
      throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::TooManyObjects,
                                        "Number of objects (" + std::to_string(objectCount) +
                                          ") greater than maximum of output pixel type (" +
                                          std::to_string(maximumCount) + ").");
    }
  }
};

/** Maps the rank of the component of a pixel to the pixel's value in the output. */
template <typename TRank, typename TOutput>
struct LabelOfRank
{
  TRank   skipped; // as LabelValues::skipped; NoLabel if nothing is skipped
  TOutput background;

  explicit LabelOfRank(const LabelValues & values)
    : skipped(values.skipped < NoLabel<TRank> ? static_cast<TRank>(values.skipped) : NoLabel<TRank>)
    , background(static_cast<TOutput>(values.background))
  {}

  /** `firstRank` is the rank of the first component of the image. A rank of NoLabel gives the background. */
  CCL_HOST_DEVICE
  TOutput
  operator()(TRank rank, TRank firstRank) const
  {
    const TRank rankOfImage = rank - firstRank;
    return rank == NoLabel<TRank> ? background : static_cast<TOutput>(rankOfImage + (rankOfImage >= skipped));
  }
};

} // namespace itk::ccl

#endif
