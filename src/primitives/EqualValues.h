// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_EqualValues_h
#define ccl_primitives_EqualValues_h

// Which pixels have equal values, for labeling by value.

#include "primitives/PackWord.h"
#include "primitives/PixelTypes.h"

#include <cstdint>

namespace itk::ccl
{

/** Returns the number of words of the key of a value. */
constexpr std::uint64_t
WordsOfKey(PixelType type)
{
  return SizeOf(type) == 8 ? 2 : 1;
}

/** Returns bits of a key, for its place in a hash table. */
CCL_HOST_DEVICE
inline std::uint64_t
HashOf(std::uint64_t key)
{
  const std::uint64_t product = key * 0xD6E8FEB86659FD93U;
  return product ^ product >> 32;
}

/** Makes keys of the bits of pixels. Equal values have equal keys: 0.0 and -0.0, and the bytes of bool that are not 0.
 * In floating-point types, all NaN have the key NaN, which no number has. It equals nothing, not even itself. */
template <typename TBits>
struct ValueKeys
{
  static constexpr TBits NaN = static_cast<TBits>(~TBits{ 0 });

  TBits magnitude; // the mask of all bits but the sign of a floating-point number
  TBits infinity;  // the highest magnitude of a number; all bits are 1 for integers, so that none is above it
  bool  isBool;

  static ValueKeys
  Of(PixelType type)
  {
    ValueKeys keys{ NaN, NaN, type == PixelType::Bool };
    if (IsFloat(type))
    {
      const std::uint64_t infinity = type == PixelType::Half       ? 0x7C00U
                                     : type == PixelType::BFloat16 ? 0x7F80U
                                     : type == PixelType::Float    ? 0x7F800000U
                                                                   : 0x7FF0000000000000U;
      keys.magnitude = NaN >> 1;
      keys.infinity = static_cast<TBits>(infinity);
    }
    return keys;
  }

  CCL_HOST_DEVICE
  TBits
  operator()(TBits bits) const
  {
    const auto  absolute = static_cast<TBits>(bits & magnitude);
    const TBits number = absolute == 0 ? TBits{ 0 } : isBool ? TBits{ 1 } : bits;
    return absolute > infinity ? NaN : number;
  }

  CCL_HOST_DEVICE
  bool
  IsOfFloats() const
  {
    return infinity != NaN;
  }

  /** Returns whether the key of each pixel is its bits. */
  CCL_HOST_DEVICE
  bool
  AreBits() const
  {
    return !isBool && !this->IsOfFloats();
  }

  /** Returns whether two pixels with these keys have different values. */
  CCL_HOST_DEVICE
  bool
  AreDifferent(TBits a, TBits b) const
  {
    return a != b || (this->IsOfFloats() && a == NaN);
  }
};

/** Returns the bits of the pixels of a chunk whose value differs from that of the pixel before. `before` has the key of
 * the pixel before the chunk, and gets the key of the last pixel. */
template <typename TBits>
CCL_HOST_DEVICE
inline Word
PackChanges(const PixelChunk<TBits> & chunk, const ValueKeys<TBits> & keys, TBits & before)
{
  if (keys.AreBits())
  {
    const Word changes = chunk.Changes(before);
    before = chunk.Get(PixelChunk<TBits>::Pixels - 1);
    return changes;
  }
  Word changes = 0;
  CCL_UNROLL
  for (unsigned int i = 0; i < PixelChunk<TBits>::Pixels; ++i)
  {
    const TBits key = keys(chunk.Get(i));
    changes |= static_cast<Word>(keys.AreDifferent(key, before)) << i;
    before = key;
  }
  return changes;
}

/** The values of runs, as keys. */
struct RunValues
{
  const void *  keys = nullptr; // an element of 32 or 64 bits for each run
  bool          isWide = false;
  bool          hasNaN = false;
  std::uint64_t nan = 0; // the key of NaN

  static RunValues
  Of(PixelType type, const void * keys)
  {
    return { keys, WordsOfKey(type) == 2, IsFloat(type), ~std::uint64_t{ 0 } >> (64 - 8 * SizeOf(type)) };
  }

  /** Returns the key of a run: the bits of its pixels as an unsigned integer, or what replaces them in ValueKeys. */
  CCL_HOST_DEVICE
  std::uint64_t
  KeyOf(std::uint64_t run) const
  {
    return isWide ? static_cast<const std::uint64_t *>(keys)[run] : static_cast<const std::uint32_t *>(keys)[run];
  }

  CCL_HOST_DEVICE
  bool
  IsNaN(std::uint64_t key) const
  {
    return hasNaN && key == nan;
  }

  CCL_HOST_DEVICE
  bool
  AreEqual(std::uint64_t run, std::uint64_t other) const
  {
    const std::uint64_t key = this->KeyOf(run);
    return key == this->KeyOf(other) && !this->IsNaN(key);
  }

  /** Calls visit(keysOfRuns) with the type of the keys, so that a loop does not choose it each time. */
  template <typename TVisitor>
  void
  VisitKeys(const TVisitor & visit) const
  {
    isWide ? visit(static_cast<const std::uint64_t *>(keys)) : visit(static_cast<const std::uint32_t *>(keys));
  }
};

} // namespace itk::ccl

#endif
