// SPDX-License-Identifier: Apache-2.0
#include "primitives/ImageRows.h"

// The loops have a version with a constant distance between pixels, so that compilers vectorize them.

#include "primitives/BitRows.h"
#include "primitives/EqualValues.h"
#include "primitives/PackRow.h"
#include "primitives/Grid.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>

namespace itk::ccl
{

namespace
{

constexpr std::uint64_t PixelsOfChunk = 2048; // their copy stays in the fastest cache

bool
IsAdjacent(const ImageView & image)
{
  return image.strides[0] == static_cast<std::int64_t>(SizeOf(image.type)) || image.size[0] <= 1;
}

template <typename TBits>
TBits
LoadPixel(const char * pixel)
{
  TBits bits;
  std::memcpy(&bits, pixel, sizeof(bits));
  return bits;
}

/** Copies pixels with a distance to adjacent pixels. */
template <typename TBits>
void
Gather(const char * pixels, std::int64_t stride, std::uint64_t count, TBits * copies)
{
  for (std::uint64_t i = 0; i < count; ++i)
  {
    copies[i] = LoadPixel<TBits>(pixels + static_cast<std::int64_t>(i) * stride);
  }
}

/** Calls pack(pixels, count, words) for adjacent pixels of a row: for the row itself, or for copies of its parts. */
template <typename TPack>
void
ForAdjacentPixels(const ImageView & image, std::uint64_t row, Word * words, const TPack & pack)
{
  const char * const  pixels = image.Row(row);
  const std::uint64_t count = image.size[0];
  if (IsAdjacent(image))
  {
    pack(pixels, count, words);
    return;
  }
  VisitSize(SizeOf(image.type), [&](auto bits) {
    decltype(bits) copies[PixelsOfChunk];
    for (std::uint64_t first = 0; first < count; first += PixelsOfChunk)
    {
      const std::uint64_t inChunk = std::min(count - first, PixelsOfChunk);
      Gather(pixels + static_cast<std::int64_t>(first) * image.strides[0], image.strides[0], inChunk, copies);
      pack(copies, inChunk, words + first / BitsPerWord);
    }
  });
}

/** The bits of each byte, as eight bytes that are 0 or 1. */
struct BitsOfBytes
{
  constexpr BitsOfBytes()
  {
    for (unsigned int byte = 0; byte < 256; ++byte)
    {
      for (unsigned int bit = 0; bit < 8; ++bit)
      {
        bits[byte][bit] = byte >> bit & 1U;
      }
    }
  }

  unsigned char bits[256][8]{};
};

/** Sets the pixels of a word whose bits are 1 to a value, without branches. */
template <typename TBits>
void
SetPixelsOfWord(Word word, TBits value, TBits * __restrict pixels)
{
  static constexpr BitsOfBytes table;
  unsigned char                areSet[BitsPerWord];
  for (unsigned int byte = 0; byte < 4; ++byte)
  {
    std::memcpy(areSet + 8 * byte, table.bits[word >> 8 * byte & 0xFFU], 8);
  }
  for (unsigned int i = 0; i < BitsPerWord; ++i)
  {
    pixels[i] = areSet[i] != 0 ? value : pixels[i];
  }
}

/** Sets adjacent pixels whose bits are 1 to a value. */
template <typename TBits>
void
SetAdjacentPixels(const Word * words, std::uint64_t count, TBits value, TBits * pixels)
{
  for (std::uint64_t first = 0; first < count; first += BitsPerWord)
  {
    const Word word = words[first / BitsPerWord];
    if (word == 0)
    {
      continue;
    }
    if (word == ~Word{ 0 })
    {
      std::fill_n(pixels + first, BitsPerWord, value);
    }
    else if (first + BitsPerWord <= count)
    {
      SetPixelsOfWord(word, value, pixels + first);
    }
    else
    {
      for (std::uint64_t i = first; i < count; ++i)
      {
        pixels[i] = (word >> i % BitsPerWord & 1U) != 0 ? value : pixels[i];
      }
    }
  }
}

/** Returns whether the pixels of a row have addresses and distances as in an array. */
template <typename TBits>
bool
IsArray(const ImageView & image, const char * pixels)
{
  return IsAdjacent(image) && reinterpret_cast<std::uintptr_t>(pixels) % sizeof(TBits) == 0;
}

/** Calls visit(begin, end) for each range of pixels whose bits are `isSet`. */
template <typename TVisitor>
void
ForEachRangeOf(const Word * words, std::uint64_t count, bool isSet, const TVisitor & visit)
{
  for (std::uint64_t begin = NextPixel(words, 0, count, isSet); begin < count;)
  {
    const std::uint64_t end = NextPixel(words, begin, count, !isSet);
    visit(begin, end);
    begin = NextPixel(words, end, count, isSet);
  }
}

/** Writes a value to pixels of a row. */
template <typename TBits>
void
FillPixels(const ImageView & image, char * pixels, std::uint64_t begin, std::uint64_t end, TBits value)
{
  const auto fill = [&](std::int64_t stride) {
    for (std::uint64_t i = begin; i < end; ++i)
    {
      std::memcpy(pixels + static_cast<std::int64_t>(i) * stride, &value, sizeof(value));
    }
  };
  IsAdjacent(image) ? fill(sizeof(TBits)) : fill(image.strides[0]);
}

/** Copies pixels of a row. */
template <typename TBits>
void
CopyPixels(const ImageView & from,
           const char *      pixels,
           const ImageView & to,
           char *            output,
           std::uint64_t     begin,
           std::uint64_t     end)
{
  if (IsAdjacent(from) && IsAdjacent(to))
  {
    std::memcpy(output + begin * sizeof(TBits), pixels + begin * sizeof(TBits), (end - begin) * sizeof(TBits));
    return;
  }
  for (std::uint64_t i = begin; i < end; ++i)
  {
    const auto bits = LoadPixel<TBits>(pixels + static_cast<std::int64_t>(i) * from.strides[0]);
    std::memcpy(output + static_cast<std::int64_t>(i) * to.strides[0], &bits, sizeof(bits));
  }
}

bool
IsSameRow(const ImageView & from, const char * pixels, const ImageView & to, const char * output)
{
  return pixels == output && from.strides[0] == to.strides[0];
}

} // namespace

void
PackRowOf(const ImageView & image, std::uint64_t row, const Foreground & foreground, Word * words)
{
  ForAdjacentPixels(image, row, words, [&](const void * pixels, std::uint64_t count, Word * packed) {
    PackRow(pixels, SizeOf(image.type), count, foreground, packed);
  });
}

ObservingPacker::ObservingPacker(const ImageView & image)
  : m_Image(image)
  , m_NotZero(Foreground::NotZero(image.type))
  , m_Zero(m_NotZero.Inverted())
  , m_Values(image.images)
{}

void
ObservingPacker::PackRow(std::uint64_t row, Word * words)
{
  ObservedValues & values = m_Values[m_Image.images == 1 ? 0 : row / (m_Image.size[1] * m_Image.size[2])];
  ForAdjacentPixels(m_Image, row, words, [&](const void * pixels, std::uint64_t count, Word * packed) {
    // Parts of the row, so that pixels that are read again are in the fastest cache.
    for (std::uint64_t first = 0; first < count; first += PixelsOfChunk)
    {
      const std::uint64_t inChunk = std::min(count - first, PixelsOfChunk);
      const std::size_t   size = SizeOf(m_Image.type);
      this->PackPixels(static_cast<const char *>(pixels) + first * size, inChunk, packed + first / BitsPerWord, values);
    }
  });
}

void
ObservingPacker::PackPixels(const void * pixels, std::uint64_t count, Word * words, ObservedValues & values) const
{
  const std::size_t size = SizeOf(m_Image.type);
  if (values.IsSettled(m_Image.type))
  {
    ccl::PackRow(pixels, size, count, m_NotZero, words);
    return;
  }
  // In a mask, all pixels are 0 or the one value.
  const bool areKnown = PackBinaryRow(pixels, size, count, m_Zero, values.GetSingleValue(m_Image.type), words);
  for (std::uint64_t word = 0; word * BitsPerWord < count; ++word)
  {
    words[word] = ComplementOfWord(words[word], count, word);
  }
  if (!areKnown)
  {
    ObservedValues others;
    others.Add(pixels, m_Image.type, count, words);
    values.MergeAtomically(others);
  }
}

bool
PackBinaryRowOf(const ImageView &  image,
                std::uint64_t      row,
                const Foreground & foreground,
                std::uint64_t      other,
                Word *             words)
{
  bool areBinary = true;
  ForAdjacentPixels(image, row, words, [&](const void * pixels, std::uint64_t count, Word * packed) {
    areBinary = PackBinaryRow(pixels, SizeOf(image.type), count, foreground, other, packed) && areBinary;
  });
  return areBinary;
}

void
MaskRowOf(const ImageView & image, std::uint64_t row, const Foreground & foreground, Word * words)
{
  // Masks parts of the row, because their bits fit on the stack.
  const std::size_t size = SizeOf(image.type);
  ForAdjacentPixels(image, row, words, [&](const void * pixels, std::uint64_t count, Word * masked) {
    Word maskWords[PixelsOfChunk / BitsPerWord];
    for (std::uint64_t first = 0; first < count; first += PixelsOfChunk)
    {
      const std::uint64_t inChunk = std::min(count - first, PixelsOfChunk);
      PackRow(static_cast<const char *>(pixels) + first * size, size, inChunk, foreground, maskWords);
      Word * const chunk = masked + first / BitsPerWord;
      std::transform(maskWords, maskWords + DivideUp(inChunk, BitsPerWord), chunk, chunk, std::bit_and<>());
    }
  });
}

void
StoreStartsOf(const ImageView & image, std::uint64_t row, const Word * words, Word * starts)
{
  const char * const  pixels = image.Row(row);
  const std::uint64_t count = image.size[0];
  VisitWidth(image.type, [&](auto bits) {
    using BitsType = decltype(bits);
    const auto       keys = ValueKeys<BitsType>::Of(image.type);
    const bool       arePlain = IsAdjacent(image) && !keys.isBool && !keys.IsOfFloats();
    const Foreground isDifferent = Foreground::NotZero(PixelType::UInt8);
    BitsType         copies[PixelsOfChunk + 1]; // the pixel before the chunk, and the chunk
    std::uint8_t     differences[PixelsOfChunk];
    Word             changes[PixelsOfChunk / BitsPerWord];
    copies[0] = 0;
    for (std::uint64_t first = 0; first < count; first += PixelsOfChunk)
    {
      const std::uint64_t inChunk = std::min(count - first, PixelsOfChunk);
      const std::uint64_t begin = first / BitsPerWord;
      const std::uint64_t end = begin + DivideUp(inChunk, BitsPerWord);
      if (std::all_of(words + begin, words + end, [](Word word) { return word == 0; }))
      {
        std::fill(starts + begin, starts + end, 0);
        continue;
      }
      const std::uint64_t before = first == 0 ? 0 : 1;
      const char * const  chunk = pixels + static_cast<std::int64_t>(first - before) * image.strides[0];
      if (arePlain)
      {
        std::memcpy(copies + 1 - before, chunk, (inChunk + before) * sizeof(BitsType));
        for (std::uint64_t i = 0; i < inChunk; ++i)
        {
          differences[i] = copies[i + 1] != copies[i];
        }
      }
      else
      {
        Gather(chunk, image.strides[0], inChunk + before, copies + 1 - before);
        std::transform(copies + 1 - before, copies + inChunk + 1, copies + 1 - before, keys);
        for (std::uint64_t i = 0; i < inChunk; ++i)
        {
          differences[i] = keys.AreDifferent(copies[i + 1], copies[i]);
        }
      }
      PackRow(differences, sizeof(std::uint8_t), inChunk, isDifferent, changes);
      for (std::uint64_t x = begin; x < end; ++x)
      {
        const Word continuing = words[x] & (words[x] << 1 | (x == 0 ? 0 : words[x - 1] >> (BitsPerWord - 1)));
        starts[x] = words[x] & ~(continuing & ~changes[x - begin]);
      }
    }
  });
}

void
StoreKeysOf(const ImageView & image, std::uint64_t row, const Word * starts, void * keys)
{
  const char * const pixels = image.Row(row);
  VisitWidth(image.type, [&](auto bits) {
    using BitsType = decltype(bits);
    using KeyType = std::conditional_t<sizeof(BitsType) == 8, std::uint64_t, std::uint32_t>;
    const auto keyOf = ValueKeys<BitsType>::Of(image.type);
    auto *     next = static_cast<KeyType *>(keys);
    for (std::uint64_t x = 0; x < image.size[0]; x += BitsPerWord)
    {
      for (Word left = starts[x / BitsPerWord]; left != 0; left &= left - 1)
      {
        const auto at = static_cast<std::int64_t>(x + LowestBit(left));
        *next++ = keyOf(LoadPixel<BitsType>(pixels + at * image.strides[0]));
      }
    }
  });
}

void
FillRowOf(const ImageView & image, std::uint64_t row, std::uint64_t value)
{
  VisitWidth(image.type, [&](auto bits) {
    FillPixels(image, image.Row(row), 0, image.size[0], static_cast<decltype(bits)>(value));
  });
}

void
SetPixelsOf(const ImageView & image, std::uint64_t row, const Word * words, std::uint64_t value)
{
  char * const        pixels = image.Row(row);
  const std::uint64_t count = image.size[0];
  VisitWidth(image.type, [&](auto bits) {
    using BitsType = decltype(bits);
    const auto typed = static_cast<BitsType>(value);
    if (IsArray<BitsType>(image, pixels))
    {
      SetAdjacentPixels(words, count, typed, reinterpret_cast<BitsType *>(pixels));
      return;
    }
    ForEachRangeOf(words, count, true, [&](std::uint64_t begin, std::uint64_t end) {
      FillPixels(image, pixels, begin, end, typed);
    });
  });
}

void
CopyRowOf(const ImageView & from, const ImageView & to, std::uint64_t row)
{
  const char * const pixels = from.Row(row);
  char * const       output = to.Row(row);
  if (!IsSameRow(from, pixels, to, output))
  {
    VisitWidth(from.type, [&](auto bits) { CopyPixels<decltype(bits)>(from, pixels, to, output, 0, from.size[0]); });
  }
}

void
SelectPixelsOf(const ImageView & from,
               const ImageView & to,
               std::uint64_t     row,
               const Word *      words,
               std::uint64_t     value,
               bool              hasValue)
{
  const char * const  pixels = from.Row(row);
  char * const        output = to.Row(row);
  const std::uint64_t count = from.size[0];
  VisitWidth(from.type, [&](auto bits) {
    using BitsType = decltype(bits);
    if (!IsSameRow(from, pixels, to, output))
    {
      ForEachRangeOf(words, count, true, [&](std::uint64_t begin, std::uint64_t end) {
        CopyPixels<BitsType>(from, pixels, to, output, begin, end);
      });
    }
    if (!hasValue)
    {
      ForEachRangeOf(words, count, false, [&](std::uint64_t begin, std::uint64_t end) {
        FillPixels(to, output, begin, end, static_cast<BitsType>(value));
      });
    }
  });
}

std::uint64_t
PixelOf(const ImageView & image, std::uint64_t row, std::uint64_t x)
{
  const char * const pixel = image.Row(row) + static_cast<std::int64_t>(x) * image.strides[0];
  return VisitWidth(image.type, [&](auto bits) { return std::uint64_t{ LoadPixel<decltype(bits)>(pixel) }; });
}

} // namespace itk::ccl
