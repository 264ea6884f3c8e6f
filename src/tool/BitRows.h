// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_BitRows_h
#define ccl_tool_BitRows_h

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/** One bit for each pixel of an image, row by row. Row y + z * (size along y) is parallel to x. Several threads may
 * write different rows at the same time. */
class BitRows
{
public:
  /** Makes no rows. */
  BitRows() = default;

  /** Makes rows of bits that are 0. */
  explicit BitRows(const std::array<std::uint64_t, 3> & size)
    : m_Size(size)
    , m_WordsPerRow((size[0] + 31) / 32)
    , m_Words(static_cast<std::size_t>(m_WordsPerRow * size[1] * size[2]))
  {}

  bool
  IsEmpty() const
  {
    return m_Words.empty();
  }

  std::uint64_t
  GetNumberOfRows() const
  {
    return m_Size[1] * m_Size[2];
  }

  /** Returns the number of bits of a row. */
  std::uint64_t
  GetLength() const
  {
    return m_Size[0];
  }

  /** Returns the words of a row: bit x % 32 of word x / 32 belongs to pixel x. Bits after the end of the row are 0. */
  const std::uint32_t *
  GetRow(std::uint64_t row) const
  {
    return m_Words.data() + row * m_WordsPerRow;
  }

  std::uint32_t *
  GetRow(std::uint64_t row)
  {
    return m_Words.data() + row * m_WordsPerRow;
  }

  /** Copies the words of a row to an array. */
  void
  CopyRow(std::uint64_t row, std::uint32_t * words) const
  {
    std::copy_n(this->GetRow(row), m_WordsPerRow, words);
  }

  void
  SetRow(std::uint64_t row, const std::uint32_t * words)
  {
    std::copy_n(words, m_WordsPerRow, this->GetRow(row));
  }

  bool
  HasBit(const std::array<std::uint64_t, 3> & index) const
  {
    return (this->GetRow(index[1] + m_Size[1] * index[2])[index[0] / 32] >> index[0] % 32 & 1U) != 0;
  }

  /** Returns the number of bits that are 1. */
  std::uint64_t
  Count() const
  {
    std::uint64_t count = 0;
    for (const std::uint32_t word : m_Words)
    {
      count += std::bitset<32>(word).count();
    }
    return count;
  }

  /** Clears the bits that are 0 in a mask. The mask is as large, or larger. */
  void
  MaskBy(const BitRows & mask)
  {
    for (std::uint64_t row = 0; row < this->GetNumberOfRows(); ++row)
    {
      const std::uint32_t * const maskRow = mask.GetRow(row % m_Size[1] + mask.m_Size[1] * (row / m_Size[1]));
      std::uint32_t * const       words = this->GetRow(row);
      std::transform(words, words + m_WordsPerRow, maskRow, words, std::bit_and<>());
    }
  }

private:
  std::array<std::uint64_t, 3> m_Size{};
  std::uint64_t                m_WordsPerRow = 0;
  std::vector<std::uint32_t>   m_Words;
};

#endif
