// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_ObservedValues_h
#define ccl_primitives_ObservedValues_h

// What the values of the pixels of an image are: whether there are several besides 0, whether all are whole, and
// whether there is NaN. The pixels may be added in any order and on several threads.

#include "primitives/Atomics.h"
#include "primitives/Bits.h"
#include "primitives/PackWord.h"
#include "primitives/PixelTypes.h"
#include "primitives/Tuning.h"

#include "itkCudaConnectedComponentValueSummary.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace itk::ccl
{

/** Returns the number with the bits of a float. */
CCL_HOST_DEVICE
inline float
FloatOf(std::uint32_t bits)
{
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
#endif
}

/** Returns the number with the bits of a double. */
CCL_HOST_DEVICE
inline double
FloatOf(std::uint64_t bits)
{
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
#endif
}

/** Returns whether a number that is not negative and not NaN is whole. */
template <typename TFloat>
CCL_HOST_DEVICE
constexpr bool
IsWhole(TFloat number)
{
  // From this number on, all numbers are whole. The sum with a smaller number is rounded to a whole number.
  constexpr TFloat wholeFrom = sizeof(TFloat) == 4 ? 8388608.0 : 4503599627370496.0;
  return (number >= wholeFrom) | ((number + wholeFrom) - wholeFrom == number); // without a branch, for vectors
}

/** The format of integers.
 * \tparam TBits the unsigned integer of the pixel's size */
template <typename TBits>
struct IntegerFormat
{
  using Bits = TBits;
  static constexpr bool  isFloat = false;
  static constexpr TBits magnitude = static_cast<TBits>(~TBits{ 0 }); // all bits but the sign of a float
  static constexpr TBits infinity = magnitude;                        // the magnitude of NaN is higher
};

/** The format of floating-point numbers. */
template <typename TBits, TBits VInfinity>
struct FloatBits
{
  using Bits = TBits;
  static constexpr bool  isFloat = true;
  static constexpr TBits magnitude = static_cast<TBits>(~TBits{ 0 }) >> 1;
  static constexpr TBits infinity = VInfinity;

  /** Returns whether the number with a magnitude is whole. */
  CCL_HOST_DEVICE
  static bool
  IsWholeNumber(TBits bits)
  {
    if constexpr (sizeof(TBits) > 2)
    {
      return IsWhole(FloatOf(bits));
    }
    else if constexpr (VInfinity == 0x7C00)
    {
      return IsWhole(FloatOf(std::uint32_t{ bits } << 13) * 5.192296858534828e33F); // 2^112: float has another bias
    }
    else
    {
      return IsWhole(FloatOf(std::uint32_t{ bits } << 16));
    }
  }
};

/** Calls visitor(TFormat{}) with the format of pixels of a type whose size is that of TBits. */
CCL_NO_EXECUTION_CHECK
template <typename TBits, typename TVisitor>
CCL_HOST_DEVICE
inline void
VisitFormat(PixelType type, const TVisitor & visitor)
{
  if constexpr (sizeof(TBits) == 2)
  {
    if (type == PixelType::Half)
    {
      return visitor(FloatBits<std::uint16_t, 0x7C00>{});
    }
    if (type == PixelType::BFloat16)
    {
      return visitor(FloatBits<std::uint16_t, 0x7F80>{});
    }
  }
  if constexpr (sizeof(TBits) == 4)
  {
    if (type == PixelType::Float)
    {
      return visitor(FloatBits<std::uint32_t, 0x7F800000>{});
    }
  }
  if constexpr (sizeof(TBits) == 8)
  {
    if (type == PixelType::Double)
    {
      return visitor(FloatBits<std::uint64_t, 0x7FF0000000000000>{});
    }
  }
  visitor(IntegerFormat<TBits>{});
}

/** The values of pixels of one format. */
template <typename TFormat>
struct ValueBits
{
  using Bits = typename TFormat::Bits;

  Bits ones = 0;     // the bits that are 1 in a pixel
  Bits zeros = 0;    // the bits that are 0 in a pixel
  Bits nan = 0;      // not 0 if a pixel is NaN
  Bits fraction = 0; // not 0 if a pixel is not whole, as infinity

  /** Adds adjacent pixels, by vector instructions of the host. */
  void
  Add(const Bits * pixels, unsigned int count)
  {
    ValueBits sum = *this;
    for (unsigned int i = 0; i < count; ++i)
    {
      sum.Add(pixels[i]);
    }
    *this = sum;
  }

  CCL_HOST_DEVICE
  void
  Add(Bits pixel)
  {
    constexpr Bits all = static_cast<Bits>(~Bits{ 0 });
    const Bits     magnitude = pixel & TFormat::magnitude;
    const Bits     isNaN = magnitude > TFormat::infinity ? all : 0;
    const Bits     used = (magnitude != 0 ? all : 0) & ~isNaN;
    ones |= pixel & used;
    zeros |= ~pixel & used;
    if constexpr (TFormat::isFloat)
    {
      nan |= isNaN;
      fraction |= (((magnitude != TFormat::infinity) & TFormat::IsWholeNumber(magnitude)) ? 0 : all) & used;
    }
  }
};

/** The values of the pixels of an image that are not 0. Without pixels, all members are 0. */
struct alignas(16) ObservedValues
{
  std::uint64_t ones = 0;  // as ValueBits
  std::uint64_t zeros = 0; // as ValueBits; after `ones`, see LoadCurrentPair()
  std::uint32_t facts = 0; // the sum of the constants below

  static constexpr std::uint32_t NaN = 1;
  static constexpr std::uint32_t Fraction = 2;

  /** Adds the values of other pixels. */
  template <typename TFormat>
  CCL_HOST_DEVICE
  void
  Add(const ValueBits<TFormat> & values)
  {
    ones |= values.ones;
    zeros |= values.zeros;
    facts |= (values.nan != 0 ? NaN : 0) | (values.fraction != 0 ? Fraction : 0);
  }

  /** Adds adjacent pixels in host memory. `words` has the bits of those that are not 0. */
  void
  Add(const void * pixels, PixelType type, std::uint64_t count, const Word * words)
  {
    VisitWidth(type, [&](auto width) {
      using BitsType = decltype(width);
      VisitFormat<BitsType>(type, [&](auto format) {
        ValueBits<decltype(format)> values;
        for (std::uint64_t first = 0; first < count; first += BitsPerWord)
        {
          const std::uint64_t left = count - first;
          if (words[first / BitsPerWord] != 0)
          {
            BitsType copies[BitsPerWord]{};
            std::memcpy(copies,
                        static_cast<const char *>(pixels) + first * sizeof(BitsType),
                        (left < BitsPerWord ? left : BitsPerWord) * sizeof(BitsType));
            values.Add(copies, BitsPerWord);
          }
        }
        this->Add(values);
      });
    });
  }

  /** Adds the values of other pixels, while other threads add some. */
  CCL_HOST_DEVICE
  void
  MergeAtomically(const ObservedValues & other)
  {
    AtomicOrOfWarp(&facts, other.facts);
    AtomicOrOfWarp(&zeros, other.zeros);
    AtomicOrOfWarp(&ones, other.ones);
  }

  /** Returns whether others have all bits of these values. */
  CCL_HOST_DEVICE
  bool
  IsIn(const ObservedValues & others) const
  {
    return ((ones & ~others.ones) | (zeros & ~others.zeros) | (facts & ~others.facts)) == 0;
  }

  bool
  HasSeveral() const
  {
    return (Load(&ones) & Load(&zeros)) != 0;
  }

  /** Returns the value of all pixels, or 0 if there are no pixels or several values. While other threads add values,
   * the result may be another number, whose pixels add nothing, either: who has added `ones` also adds `zeros`. */
  std::uint64_t
  GetSingleValue(PixelType type) const
  {
    const std::uint64_t value = Load(&ones);
    bool                isNumber = (value & Load(&zeros)) == 0;
    VisitWidth(type, [&](auto width) {
      VisitFormat<decltype(width)>(type, [&](auto format) {
        using Format = decltype(format);
        isNumber &= (static_cast<typename Format::Bits>(value) & Format::magnitude) <= Format::infinity;
      });
    });
    return isNumber ? value : 0;
  }

  /** Returns whether other pixels cannot change what is known. */
  bool
  IsSettled(PixelType type) const
  {
    return this->HasSeveral() && (!IsFloat(type) || Load(&facts) == (NaN | Fraction));
  }

  /** Returns the OR of the copies of an image. */
  CCL_HOST_DEVICE
  static ObservedValues
  OrOfCopies(const ObservedValues * values, unsigned int copies)
  {
    ObservedValues all;
    for (unsigned int i = 0; i < copies; ++i)
    {
      all.ones |= values[i].ones;
      all.zeros |= values[i].zeros;
      all.facts |= values[i].facts;
    }
    return all;
  }

  /** Returns what is known of any image of a batch. */
  static CudaConnectedComponentValueSummary
  Summarize(const ObservedValues * values, std::uint64_t images)
  {
    CudaConnectedComponentValueSummary summary;
    for (std::uint64_t i = 0; i < images; ++i)
    {
      summary.hasSeveral |= values[i].HasSeveral();
      summary.hasSeveralWhole |= values[i].HasSeveral() && (values[i].facts & Fraction) == 0;
      summary.hasNaN |= (values[i].facts & NaN) != 0;
    }
    return summary;
  }
};

static_assert(offsetof(ObservedValues, zeros) == offsetof(ObservedValues, ones) + sizeof(std::uint64_t) &&
                alignof(ObservedValues) == 16,
              "LoadCurrentPair() loads both");

/** What threads of a device know of the values of each image. Requests for one address take turns, from all
 * multiprocessors. So a large image has several copies, and a multiprocessor adds to one of them. What is known of the
 * image is the OR of its copies. */
struct SharedValues
{
  ObservedValues * memory = nullptr; // `copies` elements for each image; null if the values are not wanted
  unsigned int     copies = 1;

  /** Returns the number of copies for an image of so many words. */
  static unsigned int
  CopiesFor(std::uint64_t words)
  {
    return words < Tuning::WordsForValueCopies ? 1 : Tuning::ValueCopies;
  }

  /** Returns the copy to which the multiprocessor of the calling thread adds. */
  CCL_HOST_DEVICE
  ObservedValues &
  CopyOf(std::uint64_t image) const
  {
    unsigned int multiprocessor = 0;
#ifdef __CUDA_ARCH__
    asm("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
#endif
    return memory[image * copies + multiprocessor % copies];
  }
};

/** Returns the sum of the pixels in a word, which have 1 or 2 bytes. */
template <typename TBits>
CCL_HOST_DEVICE
inline std::uint32_t
SumOfPixels(std::uint32_t word)
{
  static_assert(sizeof(TBits) <= 2);
#ifdef __CUDA_ARCH__
  return sizeof(TBits) == 1 ? __dp4a(word, 0x01010101U, 0U) : __dp2a_lo(word, 0x0101U, 0U);
#else
  if constexpr (sizeof(TBits) == 1)
  {
    word = (word & 0x00FF00FF) + (word >> 8 & 0x00FF00FF);
  }
  return (word & 0xFFFF) + (word >> 16);
#endif
}

/** For kernels that pack pixels: adds the values of chunks of pixels to those of their image. */
struct ValueObserver
{
  SharedValues images;
  PixelType    type;

  /** \param background the bits of the pixels of the chunk that are 0 */
  template <typename TBits>
  CCL_HOST_DEVICE
  void
  Add(const PixelChunk<TBits> & chunk, Word background, ObservedValues & values) const
  {
    VisitFormat<TBits>(type, [&](auto format) {
      if constexpr (sizeof(TBits) <= 2 && !decltype(format)::isFloat)
      {
        AddSmallIntegers(chunk, CountBits(~background), values);
      }
      // Pixels that are 0 tell nothing.
      else if (CountBits(background) != PixelChunk<TBits>::Pixels)
      {
        ValueBits<decltype(format)> bits;
        CCL_UNROLL
        for (unsigned int i = 0; i < PixelChunk<TBits>::Pixels; ++i)
        {
          bits.Add(chunk.Get(i));
        }
        values.Add(bits);
      }
    });
  }

  /** Adds values to those of an image. Few threads know something new, and reads of one address take turns. So a thread
   * whose pixels are all 0 does not read what is known, and others read it once, or twice if they have facts. */
  CCL_HOST_DEVICE
  void
  Finish(const ObservedValues & values, std::uint64_t image) const
  {
    if (values.IsIn({}))
    {
      return;
    }
    ObservedValues & all = images.CopyOf(image);
    ObservedValues   known;
    LoadCurrentPair(&all.ones, known.ones, known.zeros);
    known.facts = values.facts == 0 ? 0 : LoadCurrent(&all.facts);
    if (!values.IsIn(known))
    {
      all.MergeAtomically(values);
    }
  }

private:
  /** Adds integers of 1 or 2 bytes by few instructions. `count` of them are not 0. If they are equal, their sum is
   * `count * any`, where `any` is the OR of all. If one of them lacks a bit of `any`, the sum is smaller. */
  template <typename TBits>
  CCL_HOST_DEVICE
  static void
  AddSmallIntegers(const PixelChunk<TBits> & chunk, unsigned int count, ObservedValues & values)
  {
    static_assert(PixelChunk<TBits>::Pixels == BitsPerWord, "`count` is the number of 1 bits of a word");
    constexpr std::uint32_t allBits = static_cast<TBits>(~TBits{ 0 });
    std::uint32_t           any = 0;
    std::uint32_t           sum = 0;
    CCL_UNROLL
    for (const std::uint32_t word : chunk.words)
    {
      any |= word;
      sum += SumOfPixels<TBits>(word);
    }
    any |= any >> 16;
    any = (sizeof(TBits) == 1 ? any | any >> 8 : any) & allBits;
    const std::uint32_t others = sum == count * any ? ~any & allBits : allBits;
    values.ones |= any;
    values.zeros |= any == 0 ? 0 : others;
  }
};

/** For kernels that only pack pixels. */
struct NoObserver
{
  template <typename TBits>
  CCL_HOST_DEVICE
  void
  Add(const PixelChunk<TBits> &, Word, ObservedValues &) const
  {}

  CCL_HOST_DEVICE
  void
  Finish(const ObservedValues &, std::uint64_t) const
  {}
};

} // namespace itk::ccl

#endif
