// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_blocks_BlockIntensities_h
#define ccl_algorithms_blocks_BlockIntensities_h

// Floating-point intensities of the components of blocks. Each pixel is rounded to the unit of its component, which
// follows from the range of the component in all blocks: see IntensityValue.h. So the blocks first yield the ranges,
// and then, when the ranges of the image are known, the sums.

#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/blocks/BlockTable.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace itk::ccl
{

/** Returns the columns of the ranges. */
inline Intensities
RangesOf(Intensities && intensities)
{
  Intensities ranges;
  ranges.pixelCounts = std::move(intensities.pixelCounts);
  ranges.minimums = std::move(intensities.minimums);
  ranges.maximums = std::move(intensities.maximums);
  return ranges;
}

/** Returns a row of the ranges, without sums. */
inline IntensityValue
RangeOf(const Intensities & ranges, std::size_t row)
{
  IntensityValue range = IntensityValue::Empty();
  range.pixelCount = ranges.pixelCounts[row];
  if (std::isnan(ranges.minimums[row]) || std::isnan(ranges.maximums[row]))
  {
    range.nanCount = range.pixelCount;
  }
  else
  {
    range.ExtendRange(KeyOf(ranges.minimums[row]), KeyOf(ranges.maximums[row]));
  }
  return range;
}

/** Measures the pixels of each row of an image of labels, for AddToRows(). A cell's x and y are the y and z of a row.
 */
template <typename TLabel, typename TAdder>
struct MeasureRowOfLabels
{
  ImageView labels;
  TAdder    adder;

  /** The pixels of a row that are still to measure. */
  struct ListType
  {
    const TLabel * labels;
    std::int64_t   begin; // of the intensities
    std::uint64_t  x;
    std::uint64_t  end;

    bool
    IsAtEnd() const
    {
      return x == end;
    }
  };

  bool
  HasValues(std::uint64_t) const
  {
    return true;
  }

  ListType
  Begin(const Cell & row) const
  {
    const auto * const pixels = reinterpret_cast<const TLabel *>(labels.Row(row.x + labels.size[1] * row.y));
    const auto         begin = static_cast<std::int64_t>(row.x) * adder.image.rowStride +
                       static_cast<std::int64_t>(row.y) * adder.image.sliceStride;
    return { pixels, begin, 0, labels.size[0] };
  }

  /** Moves over up to 32 pixels of equal labels. */
  std::uint64_t
  Next(ListType & list, IntensityValue & value) const
  {
    const TLabel        label = list.labels[list.x];
    const std::uint64_t first = list.x;
    const std::uint64_t end = std::min<std::uint64_t>(list.end, first + BitsPerWord);
    while (++list.x < end && list.labels[list.x] == label)
    {
    }
    unsigned int exponent = 0;
    if (label == 0 || !adder.Begin(label - 1, exponent))
    {
      return NoRow;
    }
    value = IntensityValue::Empty();
    adder.Add(
      list.begin + static_cast<std::int64_t>(first), static_cast<unsigned int>(list.x - first), exponent, value);
    return label - 1;
  }
};

} // namespace itk::ccl

#endif
