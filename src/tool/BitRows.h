// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_BitRows_h
#define ccl_tool_BitRows_h

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/** One bit for each pixel of an image, row by row. Several threads may write different rows at the same time. */
class BitRows
{
public:
  /** Makes no rows. */
  BitRows() = default;

  /** Makes rows of `length` bits that are 0. */
  BitRows(std::uint64_t rowCount, std::uint64_t length)
    : m_WordsPerRow((length + 31) / 32)
    , m_Words(static_cast<std::size_t>(rowCount * m_WordsPerRow))
  {}

  bool
  IsEmpty() const
  {
    return m_Words.empty();
  }

  /** Returns the words of a row: bit x % 32 of word x / 32 belongs to pixel x. */
  const std::uint32_t *
  GetRow(std::uint64_t row) const
  {
    return m_Words.data() + row * m_WordsPerRow;
  }

  void
  SetRow(std::uint64_t row, const std::uint32_t * words)
  {
    std::copy_n(words, m_WordsPerRow, m_Words.data() + row * m_WordsPerRow);
  }

private:
  std::uint64_t              m_WordsPerRow = 0;
  std::vector<std::uint32_t> m_Words;
};

#endif
