// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_TileLayout_h
#define ccl_algorithms_small_TileLayout_h

// Divides a small image into tiles, one for each thread block, and the words of a tile into parts, one for each thread.
// Tiles consist of whole row groups.

#include "primitives/Tuning.h"
#include "primitives/FastDivision.h"
#include "primitives/Runs.h"

namespace itk::ccl
{

/** The position of a word in the image. `group` is the index of the word's row group: y + row groups of a layer * z.
 * `x` is the index of the word in the row group. */
struct WordPosition
{
  std::uint32_t group;
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t z;
};

/** The row groups of a tile: `depth` layers of `height` row groups. The first row group is at (y, z). The index of a
 * row group in the tile is its y in the tile + height * its z in the tile. */
struct TileBox
{
  std::uint32_t y;
  std::uint32_t z;
  std::uint32_t height;
  std::uint32_t depth;

  CCL_HOST_DEVICE
  std::uint32_t
  RowGroups() const
  {
    return height * depth;
  }
};

/** The border of a tile: the row groups that may be adjacent to row groups of other tiles. The tile has `depth` layers
 * of `height` row groups. */
struct TileBorder
{
  std::uint32_t height;
  std::uint32_t depth;
  std::uint32_t wholeLayers; // layers that belong to the border as a whole: 1 is the first, 2 the first and the last
  std::uint32_t atBegin;     // border row groups at the begin of each other layer
  std::uint32_t atEnd;       // border row groups at the end of each other layer

  CCL_HOST_DEVICE
  std::uint32_t
  Count() const
  {
    return wholeLayers * height + (depth - wholeLayers) * (atBegin + atEnd);
  }

  CCL_HOST_DEVICE
  bool
  Has(std::uint32_t layer, std::uint32_t groupOfLayer) const
  {
    return (wholeLayers > 0 && layer == 0) || (wholeLayers > 1 && layer + 1 == depth) || groupOfLayer < atBegin ||
           groupOfLayer >= height - atEnd;
  }

  /** Returns the index in the tile of the i-th row group of the border. */
  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint32_t i) const
  {
    const std::uint32_t inWholeLayers = wholeLayers * height;
    if (i < inWholeLayers)
    {
      return i < height ? i : i + (depth - 2) * height;
    }
    const std::uint32_t perLayer = atBegin + atEnd;
    const std::uint32_t layer = depth == 1 ? 0 : (i - inWholeLayers) / perLayer;
    const std::uint32_t inLayer = i - inWholeLayers - layer * perLayer;
    return (layer + (wholeLayers > 0)) * height + (inLayer < atBegin ? inLayer : height - perLayer + inLayer);
  }
};

/** The tiles of an image.
 *
 * If row groups have 2 slices, tiles are boxes: boxes have small borders. Otherwise a tile is a sequence of row groups
 * in raster order, so that segment ids rise from tile to tile. A sequence counts as one layer, also if it covers
 * several slices. */
template <typename TRowGroup>
class TileLayout
{
public:
  /** Divides an image of `size` pixels into at most `maximumCount` tiles. The image must have 1 to 2^31 pixels. */
  CCL_HOST_DEVICE
  TileLayout(const Grid & size, bool fullyConnected, std::uint32_t maximumCount)
    : m_FullyConnected(fullyConnected)
    , m_RowSize(static_cast<std::uint32_t>(size.x))
    , m_WordsOfRow(static_cast<std::uint32_t>(DivideUp(size.x, BitsPerWord)))
    , m_DivideByWordsOfRow(m_WordsOfRow)
    , m_RowsOfSlice(static_cast<std::uint32_t>(size.y))
    , m_Slices(static_cast<std::uint32_t>(size.z))
    , m_RowGroupsOfLayer(static_cast<std::uint32_t>(TRowGroup::GridOf(size).y))
    , m_Layers(static_cast<std::uint32_t>(TRowGroup::GridOf(size).z))
    , m_Height(AreBoxes ? 1 : static_cast<std::uint32_t>(DivideUp(this->RowGroups(), maximumCount)))
    , m_Depth(1)
    , m_DivideByHeight(m_Height)
    , m_TilesAlongY(static_cast<std::uint32_t>(DivideUp(this->RowGroups(), m_Height)))
  {
    if constexpr (AreBoxes)
    {
      this->ChooseBoxes(maximumCount);
    }
  }

  CCL_HOST_DEVICE
  bool
  IsFullyConnected() const
  {
    return m_FullyConnected;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  Count() const
  {
    return m_TilesAlongY * DivideUp(AreBoxes ? m_Layers : 1, m_Depth);
  }

  CCL_HOST_DEVICE
  std::uint32_t
  RowGroups() const
  {
    return m_RowGroupsOfLayer * m_Layers;
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

  /** Returns the index of the row (or row group) of a word, if words are counted row by row. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowOfWord(std::uint32_t word) const
  {
    return m_DivideByWordsOfRow(word);
  }

  /** Returns the number of row groups of the largest tile. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowGroupsOfTile() const
  {
    return m_Height * m_Depth;
  }

  /** Returns the row groups of a tile. A box may extend past the end of the image along y. */
  CCL_HOST_DEVICE
  TileBox
  BoxOf(std::uint32_t tile) const
  {
    if constexpr (AreBoxes)
    {
      const std::uint32_t alongZ = tile / m_TilesAlongY;
      const std::uint32_t z = alongZ * m_Depth;
      return {
        (tile - alongZ * m_TilesAlongY) * m_Height, z, m_Height, m_Layers - z < m_Depth ? m_Layers - z : m_Depth
      };
    }
    const std::uint32_t first = tile * m_Height;
    return { first, 0, this->RowGroups() - first < m_Height ? this->RowGroups() - first : m_Height, 1 };
  }

  /** Returns the position of word x of a row group. `group` is the row group's index in the image. */
  CCL_HOST_DEVICE
  WordPosition
  PositionOf(std::uint32_t group, std::uint32_t x) const
  {
    const std::uint32_t z = m_Layers == 1 ? 0 : group / m_RowGroupsOfLayer;
    return { group, x, group - z * m_RowGroupsOfLayer, z };
  }

  /** Returns the position of word x of a row group. `group` is the row group's index in the tile. */
  CCL_HOST_DEVICE
  WordPosition
  PositionIn(const TileBox & box, std::uint32_t group, std::uint32_t x) const
  {
    if constexpr (AreBoxes)
    {
      const std::uint32_t layer = m_DivideByHeight(group);
      const std::uint32_t y = box.y + group - layer * m_Height;
      const std::uint32_t z = box.z + layer;
      return { z * m_RowGroupsOfLayer + y, x, y, z };
    }
    return this->PositionOf(box.y + group, x);
  }

  /** Returns by how much the index of a row group rises from one layer to the next, in the order of words and slots of
   * a tile. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowGroupsOfLayerInTile() const
  {
    return AreBoxes ? m_Height : m_RowGroupsOfLayer;
  }

  /** Returns the index in the image of the first pixel of a row. `row` and `slice` select the row in its row group. */
  CCL_HOST_DEVICE
  std::uint32_t
  PixelsBefore(const WordPosition & position, unsigned int row, unsigned int slice) const
  {
    if constexpr (TRowGroup::IsOneRow)
    {
      return position.group * m_RowSize;
    }
    return ((position.z * TRowGroup::Slices + slice) * m_RowsOfSlice + position.y * TRowGroup::Rows + row) * m_RowSize;
  }

  /** Returns whether the image has a row of a row group. The last row groups can have fewer rows and slices. */
  CCL_HOST_DEVICE
  bool
  HasRow(const WordPosition & position, unsigned int row, unsigned int slice) const
  {
    return (TRowGroup::Rows == 1 || position.y * TRowGroup::Rows + row < m_RowsOfSlice) &&
           (TRowGroup::Slices == 1 || position.z * TRowGroup::Slices + slice < m_Slices);
  }

  /** Returns whether the image has the row group at an offset from a position. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  bool
  HasNeighbor(const WordPosition & position) const
  {
    return (TOffset::Z == 0 || position.z > 0) && (TOffset::Y >= 0 || position.y > 0) &&
           (TOffset::Y <= 0 || position.y + 1 < m_RowGroupsOfLayer);
  }

  /** Returns whether a tile has the row group at an offset from one of its own row groups. The image must have it. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  bool
  HasNeighborIn(const TileBox & box, const WordPosition & position) const
  {
    if constexpr (AreBoxes)
    {
      return (TOffset::Z == 0 || position.z > box.z) && (TOffset::Y >= 0 || position.y > box.y) &&
             (TOffset::Y <= 0 || position.y + 1 < box.y + box.height);
    }
    return this->NeighborOf<TOffset>(position.group, m_RowGroupsOfLayer) >= box.y;
  }

  /** Returns the index of the row group at an offset. It must exist. A layer has `groupsOfLayer` row groups. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  static std::uint32_t
  NeighborOf(std::uint32_t group, std::uint32_t groupsOfLayer)
  {
    constexpr auto y = static_cast<std::uint32_t>(TOffset::Y);
    constexpr auto z = static_cast<std::uint32_t>(TOffset::Z);
    return group + y + z * groupsOfLayer;
  }

  /** Returns the index in the image of the word at an offset from a position. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborWord(const WordPosition & position) const
  {
    return NeighborOf<TOffset>(position.group, m_RowGroupsOfLayer) * m_WordsOfRow + position.x;
  }

  /** Returns the index in the tile of the word at an offset from a word of the tile. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborWordIn(std::uint32_t word) const
  {
    return word + NeighborOf<TOffset>(0, this->RowGroupsOfLayerInTile()) * m_WordsOfRow;
  }

  /** Returns the row groups of a tile that may be adjacent to row groups of other tiles. If VBoth is false, only
   * earlier row groups of the image count as neighbors. */
  template <bool VBoth>
  CCL_HOST_DEVICE
  TileBorder
  BorderOf(const TileBox & box) const
  {
    if constexpr (AreBoxes)
    {
      const bool          isHigh = box.height > 1;
      const bool          isAlongY = m_TilesAlongY > 1;
      const std::uint32_t wholeLayers = m_Depth == m_Layers ? 0 : VBoth && box.depth > 1 ? 2 : 1;
      return { box.height, box.depth, wholeLayers, isAlongY, isAlongY && isHigh };
    }
    const std::uint32_t reach = m_Layers == 1 ? 1 : m_RowGroupsOfLayer + 1;
    const std::uint32_t atBegin = reach < box.height ? reach : box.height;
    const std::uint32_t remaining = box.height - atBegin;
    return { box.height, 1, 0, atBegin, !VBoth ? 0 : reach < remaining ? reach : remaining };
  }

  /** Returns whether a border has a row group. `group` is the row group's index in the tile. */
  CCL_HOST_DEVICE
  bool
  IsInBorder(const TileBorder & border, std::uint32_t group) const
  {
    const std::uint32_t layer = AreBoxes ? m_DivideByHeight(group) : 0;
    return border.Has(layer, group - layer * border.height);
  }

  // Roots are counted slab by slab. If tiles are boxes, a slab is the rows of a tile that lie in one slice. Otherwise a
  // slab is a tile. Slabs are numbered in raster order: each pixel of a slab is earlier than all pixels of the next
  // slab.

  /** Returns the number of slabs of the image. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlabCount() const
  {
    return AreBoxes ? m_Layers * TRowGroup::Slices * m_TilesAlongY : this->Count();
  }

  /** Returns the index in the image of the slab of a row. `slice` is the row's slice in its row group. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlabOf(const WordPosition & position, unsigned int slice) const
  {
    return AreBoxes ? (position.z * TRowGroup::Slices + slice) * m_TilesAlongY + m_DivideByHeight(position.y)
                    : position.group / m_Height;
  }

  /** Returns the number of slabs of a tile. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlabsOf(const TileBox & box) const
  {
    return box.depth * TRowGroup::Slices;
  }

  /** Returns the index in the image of the i-th slab of a tile. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlabIn(const TileBox & box, std::uint32_t i) const
  {
    return AreBoxes ? (box.z * TRowGroup::Slices + i) * m_TilesAlongY + m_DivideByHeight(box.y) : box.y / m_Height;
  }

  // The rows of a tile are numbered slab by slab, in raster order in each slab.

  /** Returns the index in the tile of a row. `row` and `slice` select the row in its row group. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowsBefore(const TileBox & box, const WordPosition & position, unsigned int row, unsigned int slice) const
  {
    if constexpr (AreBoxes)
    {
      return (((position.z - box.z) * TRowGroup::Slices + slice) * m_Height + position.y - box.y) * TRowGroup::Rows +
             row;
    }
    return (position.group - box.y) * TRowGroup::Rows + row;
  }

  /** Returns the index in the tile of the slab of a row. `row` is the row's index in the tile. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlabOfRow(std::uint32_t row) const
  {
    return AreBoxes ? m_DivideByHeight(row / TRowGroup::Rows) : 0;
  }

  /** Returns whether a row is the first row of a slab. `row` is the row's index in the tile. */
  CCL_HOST_DEVICE
  bool
  BeginsSlab(std::uint32_t row) const
  {
    return row == this->SlabOfRow(row) * m_Height * TRowGroup::Rows;
  }

  /** A row: the position of its row group's first word, and the row and the slice in the row group. */
  struct RowInGroup
  {
    WordPosition position;
    unsigned int row;
    unsigned int slice;
  };

  /** Returns the row with an index in the tile. It is the inverse of RowsBefore(). */
  CCL_HOST_DEVICE
  RowInGroup
  RowIn(const TileBox & box, std::uint32_t row) const
  {
    const std::uint32_t slab = this->SlabOfRow(row);
    const std::uint32_t layer = slab / TRowGroup::Slices;
    const std::uint32_t group = row / TRowGroup::Rows - (slab - layer) * box.height;
    return { this->PositionIn(box, group, 0), row % TRowGroup::Rows, slab % TRowGroup::Slices };
  }

private:
  static constexpr bool AreBoxes = TRowGroup::Slices > 1;

  /** Chooses the height and the depth of boxes. All thread blocks wait for the one with the most work. So the largest
   * box should be small: the number of its row groups plus the number of its border row groups is minimal. */
  CCL_HOST_DEVICE
  void
  ChooseBoxes(std::uint32_t maximumCount)
  {
    std::uint64_t leastWork = ~std::uint64_t{ 0 };
    for (std::uint32_t alongZ = 1; alongZ <= maximumCount && alongZ <= m_Layers; ++alongZ)
    {
      const std::uint32_t depth = DivideUp(m_Layers, alongZ);
      const std::uint32_t alongY = maximumCount / DivideUp(m_Layers, depth);
      const std::uint32_t height = DivideUp(m_RowGroupsOfLayer, alongY);
      const std::uint64_t border = (depth < m_Layers ? height : 0) + (height < m_RowGroupsOfLayer ? 2 * depth : 0);
      if (std::uint64_t{ height } * depth + border < leastWork)
      {
        leastWork = std::uint64_t{ height } * depth + border;
        m_Height = height;
        m_Depth = depth;
      }
    }
    m_DivideByHeight = FastDivision(m_Height);
    m_TilesAlongY = DivideUp(m_RowGroupsOfLayer, m_Height);
  }

  bool          m_FullyConnected;
  std::uint32_t m_RowSize;
  std::uint32_t m_WordsOfRow;
  FastDivision  m_DivideByWordsOfRow;
  std::uint32_t m_RowsOfSlice;
  std::uint32_t m_Slices;
  std::uint32_t m_RowGroupsOfLayer;
  std::uint32_t m_Layers;
  std::uint32_t m_Height; // row groups of a tile along y; of a whole tile if it is a sequence
  std::uint32_t m_Depth;  // layers of a tile; 1 if it is a sequence
  FastDivision  m_DivideByHeight;
  std::uint32_t m_TilesAlongY;
};

/** Divides words into parts of equal size, so that more threads have work if there are few words. A part is 4 to 32
 * bits of a word. There is one part per thread at most, unless there are more words than threads. */
struct WordParts
{
  std::uint32_t words;
  unsigned int  bitsOfWord; // a word has 2^bitsOfWord parts

  CCL_HOST_DEVICE
  explicit WordParts(std::uint32_t wordCount)
    : words(wordCount)
    , bitsOfWord(3)
  {
    while (bitsOfWord > 0 && words << bitsOfWord > Tuning::SmallImageThreads)
    {
      --bitsOfWord;
    }
  }

  CCL_HOST_DEVICE
  std::uint32_t
  Count() const
  {
    return words << bitsOfWord;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  WordOf(std::uint32_t part) const
  {
    return part >> bitsOfWord;
  }

  /** Returns the bits of a part in its word. */
  CCL_HOST_DEVICE
  Word
  MaskOf(std::uint32_t part) const
  {
    const unsigned int bits = BitsPerWord >> bitsOfWord;
    return BitsThrough(bits - 1) << (part - (this->WordOf(part) << bitsOfWord)) * bits;
  }
};

} // namespace itk::ccl

#endif
