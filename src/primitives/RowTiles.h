// SPDX-License-Identifier: Apache-2.0
#ifndef RowTiles_h
#define RowTiles_h

// How the work on a small image is shared out: rows among tiles, words among threads.

#include "Bits.h"
#include "Grid.h"

namespace itk::ccl
{

/** The tiles of an image: rows that follow each other in raster order, from one slice to the next. */
class RowTiles
{
public:
  static constexpr std::uint32_t NoRow = ~std::uint32_t{ 0 };

  /** `maximumCount` tiles, or fewer. The image must have fewer than 2^31 pixels, and one at least. */
  CCL_HOST_DEVICE
  RowTiles(const Grid & size, bool fullyConnected, std::uint32_t maximumCount)
    : m_RowSize(static_cast<std::uint32_t>(size.x))
    , m_WordsOfRow(static_cast<std::uint32_t>(DivideUp(size.x, BitsPerWord)))
    , m_RowsOfSlice(static_cast<std::uint32_t>(size.y))
    , m_Rows(static_cast<std::uint32_t>(size.y * size.z))
    , m_RowsOfTile(static_cast<std::uint32_t>(DivideUp(m_Rows, maximumCount)))
    , m_NeighborCount(NeighborsOfRow(size, fullyConnected))
  {}

  CCL_HOST_DEVICE
  std::uint32_t
  Count() const
  {
    return (m_Rows + m_RowsOfTile - 1) / m_RowsOfTile;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  RowSize() const
  {
    return m_RowSize;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  WordsOfRow() const
  {
    return m_WordsOfRow;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  WordsOfTile() const
  {
    return m_RowsOfTile * m_WordsOfRow;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  FirstRow(std::uint32_t tile) const
  {
    return tile * m_RowsOfTile;
  }

  /** How many rows a tile has; the last one may lack some. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowsOf(std::uint32_t tile) const
  {
    const std::uint32_t left = m_Rows - this->FirstRow(tile);
    return left < m_RowsOfTile ? left : m_RowsOfTile;
  }

  /** How many rows before its own a segment can touch. */
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborCount() const
  {
    return m_NeighborCount;
  }

  /** How many of these a tile can have itself. */
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborCountInTile() const
  {
    return m_RowsOfTile >= m_RowsOfSlice ? m_NeighborCount : 1;
  }

  /** How many rows of a tile, from its first on, have neighbours in other tiles. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowsWithNeighborsElsewhere(std::uint32_t tile) const
  {
    const std::uint32_t rows = m_NeighborCount == 1 ? 1 : m_RowsOfSlice + 1;
    return rows < this->RowsOf(tile) ? rows : this->RowsOf(tile);
  }

  /** One of the rows before its own that a row's segments can touch. */
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborOf(std::uint32_t row, std::uint32_t neighbor) const
  {
    const std::uint32_t y = row % m_RowsOfSlice;
    if (neighbor == 0)
    {
      return y > 0 ? row - 1 : NoRow;
    }
    const bool exists = row >= m_RowsOfSlice && (neighbor != 2 || y > 0) && (neighbor != 3 || y + 1 < m_RowsOfSlice);
    return exists ? row - m_RowsOfSlice - (neighbor == 2) + (neighbor == 3) : NoRow;
  }

private:
  CCL_HOST_DEVICE
  static std::uint32_t
  NeighborsOfRow(const Grid & size, bool fullyConnected)
  {
    if (size.z == 1)
    {
      return 1;
    }
    return fullyConnected ? 4 : 2;
  }

  std::uint32_t m_RowSize;
  std::uint32_t m_WordsOfRow;
  std::uint32_t m_RowsOfSlice;
  std::uint32_t m_Rows;
  std::uint32_t m_RowsOfTile;
  std::uint32_t m_NeighborCount;
};

/** Words, shared out in parts where they are few, for there to be work for many threads. */
struct Parts
{
  std::uint32_t words;
  std::uint32_t perWord;

  CCL_HOST_DEVICE
  explicit Parts(std::uint32_t wordCount)
    : words(wordCount)
    , perWord(8)
  {
    while (perWord > 1 && words * perWord > Tuning::SmallImageThreads)
    {
      perWord /= 2;
    }
  }

  CCL_HOST_DEVICE
  std::uint32_t
  Count() const
  {
    return words * perWord;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  WordOf(std::uint32_t part) const
  {
    return part / perWord;
  }

  /** Those of a word's bits that are a part's. */
  CCL_HOST_DEVICE
  Word
  MaskOf(std::uint32_t part) const
  {
    const unsigned int bits = BitsPerWord / perWord;
    return BitsThrough(bits - 1) << part % perWord * bits;
  }
};

} // namespace itk::ccl

#endif
