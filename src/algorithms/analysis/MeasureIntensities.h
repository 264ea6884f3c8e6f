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
#include "executors/host/HostExecutor.h"
#include "primitives/LabelValues.h"

#include <algorithm>
#include <type_traits>

namespace itk::ccl
{

namespace MeasureIntensities
{

/** Adds up to 32 integers of a row. */
template <typename T>
CCL_HOST_DEVICE
inline void
AddIntegers(const T * pixels, unsigned int count, IntensityValue & value)
{
  // 32 integers of up to 32 bits have a sum of 37 bits. Their squares have a sum of 37 or 69 bits.
  using SumType = std::conditional_t<sizeof(T) == 8, Int128, std::int64_t>;
  using SquaresType = std::conditional_t<(sizeof(T) >= 4), UInt128, std::uint64_t>;
  T             minimum = pixels[0];
  T             maximum = pixels[0];
  SumType       sum = 0;
  SquaresType   squares = 0;
  std::uint64_t overflows = 0; // of the squares of 64-bit integers
  for (unsigned int i = 0; i < count; ++i)
  {
    const T pixel = pixels[i];
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

/** A pass that needs all pixels, and has no parameters for a component. */
struct PassOverAll
{
  IntensityImage image;

  struct Parameters
  {};

  /** Gets the parameters for a component. Returns false if its pixels need not be read. */
  CCL_HOST_DEVICE
  bool
  Begin(std::uint64_t, Parameters &) const
  {
    return true;
  }
};

/** Pass over integers of any type. */
struct IntegerPass : PassOverAll
{
  /** Adds the pixels from index `at` on. `count` is 1 to 32. */
  CCL_HOST_DEVICE
  void
  Add(std::int64_t at, unsigned int count, const Parameters &, IntensityValue & value) const
  {
    AddTyped(image, at, count, value);
  }

private:
  // Not inlined on the device, because all kernels share this code.
  CCL_NOINLINE
  CCL_HOST_DEVICE
  static void
  AddTyped(const IntensityImage & image, std::int64_t at, unsigned int count, IntensityValue & value)
  {
    VisitPixels(image.pixels, image.type, [&](const auto * pixels) {
      using UnsignedType = std::decay_t<decltype(*pixels)>;
      if constexpr (std::is_integral_v<UnsignedType>)
      {
        if (IsSigned(image.type))
        {
          AddIntegers(reinterpret_cast<const std::make_signed_t<UnsignedType> *>(pixels) + at, count, value);
        }
        else
        {
          AddIntegers(pixels + at, count, value);
        }
      }
    });
  }
};

/** Pass 1 over floating-point numbers: counts them, and finds the range of each component. */
struct RangePass : PassOverAll
{
  CCL_HOST_DEVICE
  void
  Add(std::int64_t at, unsigned int count, const Parameters &, IntensityValue & value) const
  {
    VisitPixels(image.pixels, image.type, [&](const auto * pixels) {
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(*pixels)>>)
      {
        AddRange(pixels + at, count, value);
      }
    });
  }
};

/** Pass 2 over floating-point numbers: adds them, with the range of each component. */
struct SumPass
{
  IntensityImage         image;
  const IntensityValue * rows; // of pass 1

  struct Parameters
  {
    unsigned int exponent;
  };

  CCL_HOST_DEVICE
  bool
  Begin(std::uint64_t row, Parameters & parameters) const
  {
    const IntensityRange range = IntensityRange::Of(rows[row]);
    parameters.exponent = range.Exponent();
    return range.isFinite;
  }

  CCL_HOST_DEVICE
  void
  Add(std::int64_t at, unsigned int count, const Parameters & parameters, IntensityValue & value) const
  {
    VisitPixels(image.pixels, image.type, [&](const auto * pixels) {
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(*pixels)>>)
      {
        AddFixedPoint(pixels + at, count, parameters.exponent, value);
      }
    });
  }
};

/** Measures the runs of each word of columns, for AddToRows(). */
template <typename TRowGroup, typename TRun, typename TPass>
struct MeasureWord : RunLists<TRowGroup, TRun>
{
  using typename RunLists<TRowGroup, TRun>::ListType;

  const TRun * ranks; // NoLabel for a run without a row
  ImageStack   stack;
  TPass        pass;

  /** Moves to the next run. Measures its pixels in the word, and returns the row of its component. Returns NoRow for a
   * run that needs no measurement. */
  CCL_HOST_DEVICE
  std::uint64_t
  Next(ListType & list, IntensityValue & value) const
  {
    Word                       mask = 0;
    typename TPass::Parameters parameters{};
    const std::uint64_t        row = this->RowOf(list.runs.Next(mask), parameters);
    value = IntensityValue::Empty();
    if (row != NoRow)
    {
      this->AddPixels(list.word, mask, parameters, value);
    }
    return row;
  }

  /** Returns the row of a run's component, or NoRow for a run that needs no measurement. Sets the parameters for the
   * component. */
  CCL_HOST_DEVICE
  std::uint64_t
  RowOf(TRun run, typename TPass::Parameters & parameters) const
  {
    const TRun row = ranks[run];
    return row != NoLabel<TRun> && pass.Begin(row, parameters) ? std::uint64_t{ row } : NoRow;
  }

  /** Adds the pixels of a word of a row group in the columns `mask`. */
  CCL_HOST_DEVICE
  void
  AddPixels(const Cell & word, Word mask, const typename TPass::Parameters & parameters, IntensityValue & value) const
  {
    const auto & groups = this->runs.groups;
    groups.ForEachRow(word.y, word.z, [&](unsigned int rowOfGroup, unsigned int slice) {
      const std::uint64_t y = word.y * TRowGroup::Rows + rowOfGroup;
      const std::uint64_t z = word.z * TRowGroup::Slices + slice;
      const std::uint64_t image = stack.ImageOf(z);
      const std::int64_t  begin = static_cast<std::int64_t>(word.x * BitsPerWord) +
                                 static_cast<std::int64_t>(y) * pass.image.rowStride +
                                 static_cast<std::int64_t>(z - image * stack.slices) * pass.image.sliceStride +
                                 static_cast<std::int64_t>(image) * pass.image.imageStride;
      Word left = groups.PixelsIn(word, rowOfGroup, slice, mask);
      while (left != 0)
      {
        const unsigned int first = LowestBit(left);
        const Word         sequence = left & BitsBelowGap(left, first);
        pass.Add(begin + first, HighestBit(sequence) - first + 1, parameters, value);
        left &= ~sequence;
      }
    });
  }
};

/** Calls addToRows(pass) for each pass that the pixels of an image need. `rows` has been cleared. */
template <typename TFunction>
void
ForEachPass(const IntensityImage & image, IntensityValue * rows, const TFunction & addToRows)
{
  if (IsFloat(image.type))
  {
    addToRows(RangePass{ { image } });
    addToRows(SumPass{ image, rows });
  }
  else
  {
    addToRows(IntegerPass{ { image } });
  }
}

/** A direct-mapped cache of rows. Atomic operations of several threads on one row take long. So each thread adds to the
 * entries of its own cache. If another row needs an entry, the cache adds the entry to its row first. */
class RowCache
{
public:
  explicit RowCache(const IntensityRows & table)
    : m_Table(table)
  {
    std::fill_n(m_Rows, Size, NoRow);
  }

  ~RowCache()
  {
    for (unsigned int entry = 0; entry < Size; ++entry)
    {
      this->Flush(entry);
    }
  }

  RowCache(const RowCache &) = delete;
  RowCache &
  operator=(const RowCache &) = delete;

  /** Returns the value to which a thread adds pixels of a row. It is valid until the next call. */
  IntensityValue &
  ValueOf(std::uint64_t row)
  {
    const auto entry = static_cast<unsigned int>(row % Size);
    if (m_Rows[entry] != row)
    {
      this->Flush(entry);
      m_Rows[entry] = row;
      m_Values[entry] = IntensityValue::Empty();
    }
    return m_Values[entry];
  }

private:
  static constexpr unsigned int Size = 64;

  void
  Flush(unsigned int entry)
  {
    if (m_Rows[entry] != NoRow)
    {
      m_Table.Add(m_Rows[entry], m_Values[entry]);
    }
  }

  IntensityRows  m_Table;
  std::uint64_t  m_Rows[Size];
  IntensityValue m_Values[Size];
};

/** Adds the runs of all words to rows. Counts the runs on the way, so that the runs need no offsets. `scan` is a scan
 * of the runs that start in each word. */
template <typename TRowGroup, typename TRun, typename TPass>
void
AddRowsOnHost(const ParallelFor &                         parallelFor,
              const ChunkSums<std::uint64_t> &            scan,
              const MeasureWord<TRowGroup, TRun, TPass> & measure,
              const IntensityRows &                       table)
{
  const BitRows & columns = measure.runs.groups.columns;
  const auto      addChunk = [&](std::uint64_t chunk) {
    const std::uint64_t end = std::min(scan.count, (chunk + 1) * scan.valuesPerChunk);
    std::uint64_t       i = chunk * scan.valuesPerChunk;
    std::uint64_t       runsBefore = scan.prefixes[chunk];
    Cell                word = CellAt(columns.words, i);
    RowCache            cache(table);
    for (; i < end; ++i)
    {
      if (const Word here = columns.bits[i]; here != 0)
      {
        const Word starts = columns.Starts(i - word.x, word.x);
        const auto firstRun = static_cast<TRun>(runsBefore - 1 + (starts >> LowestBit(here) & 1U));
        for (RunsOfWord<TRun> list{ here, here, firstRun }; !list.IsAtEnd();)
        {
          Word                       mask = 0;
          typename TPass::Parameters parameters{};
          const std::uint64_t        row = measure.RowOf(list.Next(mask), parameters);
          if (row != NoRow)
          {
            measure.AddPixels(word, mask, parameters, cache.ValueOf(row));
          }
        }
        runsBefore += CountBits(starts);
      }
      if (++word.x == columns.words.x)
      {
        word = CellAt(columns.words, i + 1);
      }
    }
  };
  const std::uint64_t chunks = scan.prefixes.size();
  if (chunks <= Tuning::HostPackedChunksOfOneThread)
  {
    SequentialFor(chunks, addChunk);
  }
  else
  {
    parallelFor(chunks, addChunk);
  }
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
  using namespace MeasureIntensities;
  executor.ForEach(Grid{ rowCount }, ClearRows<IntensityRows>{ { rows } });
  ForEachPass(image, rows, [&](const auto & pass) {
    using PassType = std::decay_t<decltype(pass)>;
    executor.AddToRows(runs.groups.columns.words,
                       MeasureWord<TRowGroup, TRun, PassType>{ { runs }, ranks, stack, pass },
                       IntensityRows{ rows });
  });
}

/** Does the same on the host, without offsets of runs: the labels of the runs may come from a device.
 * \param groups the bits of the image, in host memory
 * \param scan the scan of the runs that start in each word of columns */
template <typename TRowGroup, typename TRun>
void
MeasureIntensitiesOfRows(const ParallelFor &              parallelFor,
                         const RowGroupBits<TRowGroup> &  groups,
                         const ChunkSums<std::uint64_t> & scan,
                         const TRun *                     ranks,
                         const ImageStack &               stack,
                         const IntensityImage &           image,
                         std::uint64_t                    rowCount,
                         IntensityValue *                 rows)
{
  using namespace MeasureIntensities;
  HostExecutor(parallelFor).ForEach(Grid{ rowCount }, ClearRows<IntensityRows>{ { rows } });
  ForEachPass(image, rows, [&](const auto & pass) {
    using PassType = std::decay_t<decltype(pass)>;
    const MeasureWord<TRowGroup, TRun, PassType> measure{ { { groups, nullptr } }, ranks, stack, pass };
    AddRowsOnHost(parallelFor, scan, measure, IntensityRows{ rows });
  });
}

} // namespace itk::ccl

#endif
