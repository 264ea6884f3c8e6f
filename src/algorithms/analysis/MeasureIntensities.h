// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_MeasureIntensities_h
#define ccl_algorithms_analysis_MeasureIntensities_h

// Adds the intensities of the pixels of each run to the row of its component. The runs have their final labels.
//
// The rows are sums of integers: see IntensityValue.h. Integers need one pass over the pixels. Floating-point numbers
// need two: pass 1 finds the range of each component, and with it the unit of the fixed-point numbers; pass 2 adds.

#include "algorithms/analysis/IntensityValue.h"
#include "algorithms/analysis/RunLists.h"
#include "executors/RowAccumulator.h"
#include "primitives/LabelValues.h"

#include <algorithm>
#include <type_traits>

namespace itk::ccl
{

namespace MeasureIntensities
{

/** Adds up to 32 integers of a row. If they are of type bool, each byte but 0 is 1. */
template <typename T>
CCL_HOST_DEVICE
inline void
AddIntegers(const T * pixels, unsigned int count, bool isBool, IntensityValue & value)
{
  const auto pixelAt = [pixels, isBool](unsigned int i) {
    return sizeof(T) == 1 && isBool ? static_cast<T>(pixels[i] != 0) : pixels[i];
  };
  // 32 integers of up to 32 bits have a sum of 37 bits. Their squares have a sum of 37 or 69 bits.
  using SumType = std::conditional_t<sizeof(T) == 8, Int128, std::int64_t>;
  using SquaresType = std::conditional_t<(sizeof(T) >= 4), UInt128, std::uint64_t>;
  T             minimum = pixelAt(0);
  T             maximum = minimum;
  SumType       sum = 0;
  SquaresType   squares = 0;
  std::uint64_t overflows = 0; // of the squares of 64-bit integers
  for (unsigned int i = 0; i < count; ++i)
  {
    const T pixel = pixelAt(i);
    minimum = pixel < minimum ? pixel : minimum;
    maximum = pixel > maximum ? pixel : maximum;
    sum += pixel;
    // The product of two's complements is the square modulo 2^64. The square of a 32-bit integer is below 2^64.
    auto magnitude = static_cast<std::uint64_t>(pixel);
    if constexpr (sizeof(T) == 8)
    {
      const bool isNegative = std::is_signed<T>::value && (magnitude & SignBit) != 0;
      magnitude = isNegative ? 0 - magnitude : magnitude;
      const UInt128 square = UInt128{ magnitude } * magnitude;
      squares += square;
      overflows += squares < square ? 1 : 0;
    }
    else
    {
      squares += magnitude * magnitude;
    }
  }
  value.pixelCount += count;
  value.ExtendRange(KeyOf(minimum), KeyOf(maximum));
  value.sum.Add(WideInteger<2>::Of(static_cast<UInt128>(Int128{ sum })));
  auto wideSquares = WideInteger<3>::Of(squares);
  wideSquares.digits[2] = overflows;
  value.squares.Add(wideSquares);
}

/** Adds the range of up to 32 floating-point numbers of a row. */
template <typename T>
CCL_HOST_DEVICE
inline void
AddRange(const T * pixels, unsigned int count, IntensityValue & value)
{
  for (unsigned int i = 0; i < count; ++i)
  {
    const T pixel = pixels[i];
    if (pixel == pixel)
    {
      const std::uint64_t key = KeyOf(pixel);
      value.ExtendRange(key, key);
    }
    else
    {
      ++value.nanCount;
    }
  }
  value.pixelCount += count;
}

/** Adds the sums of up to 32 floating-point numbers of a row, for the `exponent` of the component. */
template <typename T>
CCL_HOST_DEVICE
inline void
AddFixedPoint(const T * pixels, unsigned int count, unsigned int exponent, IntensityValue & value)
{
  UInt128 sum = 0;
  UInt128 squares = 0;
  for (unsigned int i = 0; i < count; ++i)
  {
    const std::uint64_t bits = BitsOf(pixels[i]);
    const UInt128       mantissa = FixedPoint::MantissaOf(bits);
    const unsigned int  below = exponent - FixedPoint::ExponentOf(bits);
    // The summand is rounded toward 0. If the shift has more bits than the summand, the summand is 0.
    if (below < 53 + FixedPoint::SumShift)
    {
      const UInt128 summand = mantissa << FixedPoint::SumShift >> below;
      const UInt128 allIfNegative = 0 - static_cast<UInt128>(bits >> 63);
      sum += (summand ^ allIfNegative) - allIfNegative; // two's complement without a branch
    }
    if (below < 53)
    {
      squares += mantissa * mantissa >> (FixedPoint::SquareShift + 2 * below);
    }
  }
  value.sum.Add(WideInteger<2>::Of(sum));
  value.squares.Add(WideInteger<3>::Of(squares));
}

/** The passes over the pixels of an image. Integers need one, and floating-point numbers need two. */
enum class Pass
{
  Integers,
  Range,     // counts floating-point numbers, and finds the range of each component
  FixedPoint // adds them, with the range of each component
};

/** Adds the pixels of an image to the values of components. */
template <Pass VPass>
struct PixelAdder
{
  IntensityImage         image;
  const IntensityValue * rows; // the ranges of components, for Pass::FixedPoint

  /** Gets the exponent of a component. Returns false if its pixels need not be read. */
  CCL_HOST_DEVICE
  bool
  Begin([[maybe_unused]] std::uint64_t row, [[maybe_unused]] unsigned int & exponent) const
  {
    if constexpr (VPass == Pass::FixedPoint)
    {
      const IntensityRange range = IntensityRange::Of(rows[row]);
      exponent = range.Exponent();
      return range.isFinite;
    }
    return true;
  }

  /** Adds the pixels from index `at` on. `count` is 1 to 32. */
  CCL_HOST_DEVICE
  void
  Add(std::int64_t at, unsigned int count, [[maybe_unused]] unsigned int exponent, IntensityValue & value) const
  {
    VisitPixels(image.pixels, image.type, [&](const auto * pixels) {
      using ValueType = std::decay_t<decltype(*pixels)>; // integers are unsigned
      if constexpr (VPass == Pass::Integers && std::is_integral_v<ValueType>)
      {
        if (IsSigned(image.type))
        {
          AddIntegers(reinterpret_cast<const std::make_signed_t<ValueType> *>(pixels) + at, count, false, value);
        }
        else
        {
          AddIntegers(pixels + at, count, image.type == PixelType::Bool, value);
        }
      }
      else if constexpr (VPass == Pass::Range && std::is_floating_point_v<ValueType>)
      {
        AddRange(pixels + at, count, value);
      }
      else if constexpr (VPass == Pass::FixedPoint && std::is_floating_point_v<ValueType>)
      {
        AddFixedPoint(pixels + at, count, exponent, value);
      }
    });
  }
};

/** The runs of the columns of row groups, and their rows. The number of rows of a row group is no type here: the work
 * on a pixel is much more than the work on a row, and the code of all pixel types is long. */
template <typename TRun>
struct RunsWithRows : RunLists<ValueRow, TRun>
{
  BitRows       rows;
  std::uint64_t rowsOfGroup;
  std::uint64_t slicesOfGroup;
  const TRun *  ranks; // NoLabel for a run without a row
  ImageStack    stack;
};

/** Measures the runs of each word of columns, for AddToRows(). */
template <typename TRun, typename TAdder>
struct MeasureWord : RunsWithRows<TRun>
{
  using typename RunLists<ValueRow, TRun>::ListType;

  TAdder adder;

  /** Moves to the next run. Measures its pixels in the word, and returns the row of its component. Returns NoRow for a
   * run that needs no measurement. */
  CCL_HOST_DEVICE
  std::uint64_t
  Next(ListType & list, IntensityValue & value) const
  {
    Word         mask = 0;
    unsigned int exponent = 0;
    const TRun   row = this->ranks[list.runs.Next(mask)];
    if (row == NoLabel<TRun> || !adder.Begin(row, exponent))
    {
      return NoRow;
    }
    value = IntensityValue::Empty();
    const Cell &        word = list.word;
    const Grid &        size = this->rows.words;
    const std::uint64_t y = word.y * this->rowsOfGroup;
    const std::uint64_t z = word.z * this->slicesOfGroup;
    for (std::uint64_t slice = z; slice < z + this->slicesOfGroup && slice < size.z; ++slice)
    {
      for (std::uint64_t rowOfSlice = y; rowOfSlice < y + this->rowsOfGroup && rowOfSlice < size.y; ++rowOfSlice)
      {
        this->AddRow(word.x, rowOfSlice, slice, mask, exponent, value);
      }
    }
    return row;
  }

private:
  /** Adds the pixels of word x of a row in the columns `mask`. */
  CCL_HOST_DEVICE
  void
  AddRow(std::uint64_t x, std::uint64_t y, std::uint64_t z, Word mask, unsigned int exponent, IntensityValue & value)
    const
  {
    const auto         imageOfStack = this->stack.ImageOf(z);
    const std::int64_t begin =
      static_cast<std::int64_t>(x * BitsPerWord) + static_cast<std::int64_t>(y) * adder.image.rowStride +
      static_cast<std::int64_t>(z - imageOfStack * this->stack.slices) * adder.image.sliceStride +
      static_cast<std::int64_t>(imageOfStack) * adder.image.imageStride;
    for (Word left = mask & this->rows.bits[this->rows.RowBegin(y, z) + x]; left != 0;)
    {
      const unsigned int first = LowestBit(left);
      const Word         sequence = left & BitsBelowGap(left, first);
      adder.Add(begin + first, HighestBit(sequence) - first + 1, exponent, value);
      left &= ~sequence;
    }
  }
};

/** Calls add(adder) for each pass that the pixels of an image need. `rows` has been cleared. */
template <typename TFunction>
void
ForEachPass(const IntensityImage & image, const IntensityValue * rows, const TFunction & add)
{
  if (IsFloat(image.type))
  {
    add(PixelAdder<Pass::Range>{ image, rows });
    add(PixelAdder<Pass::FixedPoint>{ image, rows });
  }
  else
  {
    add(PixelAdder<Pass::Integers>{ image, rows });
  }
}

/** Adds the intensities of all pixels to the rows of components. Writes all rows. */
template <typename TRun, typename TExecutor>
void
MeasureRows(const TExecutor &          executor,
            const RunsWithRows<TRun> & runs,
            const IntensityImage &     image,
            std::uint64_t              rowCount,
            IntensityValue *           rows)
{
  executor.ForEach(Grid{ rowCount }, ClearRows<IntensityRows>{ { rows } });
  ForEachPass(image, rows, [&](auto adder) {
    const Grid & words = runs.runs.groups.columns.words;
    executor.AddToRows(words, MeasureWord<TRun, decltype(adder)>{ runs, adder }, IntensityRows{ rows });
  });
}

} // namespace MeasureIntensities

/** Measures the intensities of all components. Writes all rows.
 * \param ranks the rank of the component of each run, which is its row, or NoLabel
 * \param image the intensities, where the executor's functors can read them
 * \param rowCount number of components that have labels
 * \param rows an element for each of these components, in the order of the labels */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
MeasureIntensitiesOfRuns(const TExecutor &                    executor,
                         const IndexedRuns<TRowGroup, TRun> & runs,
                         const TRun *                         ranks,
                         const ImageStack &                   stack,
                         const IntensityImage &               image,
                         std::uint64_t                        rowCount,
                         IntensityValue *                     rows)
{
  const MeasureIntensities::RunsWithRows<TRun> withRows{
    { runs.OfColumns() }, runs.groups.rows, TRowGroup::Rows, TRowGroup::Slices, ranks, stack
  };
  MeasureIntensities::MeasureRows(executor, withRows, image, rowCount, rows);
}

} // namespace itk::ccl

#endif
