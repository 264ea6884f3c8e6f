// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_TileLayout_h
#define ccl_algorithms_small_TileLayout_h

// How the work on a small image is shared out: row groups among tiles, words among threads.

#include "primitives/FastDivision.h"
#include "primitives/Runs.h"

namespace itk::ccl
{

/** Where a word of a row group lies. Row groups are counted from the first of the image on. */
struct WordPosition
{
  std::uint32_t group;
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t z;
};

/** Which row groups a tile has: `depth` layers of `height` row groups, from (y, z) on, counted layer by layer. */
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

/** Those row groups of a tile that may touch other tiles'. */
struct TileBorder
{
  std::uint32_t height;
  std::uint32_t depth;
  std::uint32_t wholeLayers; // the first, or that and the last
  std::uint32_t atBegin;     // so many row groups of each other layer,
  std::uint32_t atEnd;       // and so many

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

  /** The row group of the tile that is the one at i of the border. */
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

/** The tiles of an image. Where row groups have more than one slice, they are boxes, which have little to do with each
 * other. Else they are row groups that follow each other in raster order, as do the numbers of their segments then: all
 * layers count as one. */
template <typename TRowGroup>
class TileLayout
{
public:
  /** `maximumCount` tiles, or fewer. The image must have 2^31 pixels at most, and one at least. */
  CCL_HOST_DEVICE
  TileLayout(const Grid & size, bool fullyConnected, std::uint32_t maximumCount)
    : m_FullyConnected(fullyConnected)
    , m_RowSize(static_cast<std::uint32_t>(size.x))
    , m_WordsOfRow(static_cast<std::uint32_t>(DivideUp(size.x, BitsPerWord)))
    , m_DivideByWordsOfRow(m_WordsOfRow)
    , m_RowsOfSlice(static_cast<std::uint32_t>(size.y))
    , m_Slices(static_cast<std::uint32_t>(size.z))
    , m_RowGroupsOfLayer(static_cast<std::uint32_t>(TRowGroup::Of(size).y))
    , m_Layers(static_cast<std::uint32_t>(TRowGroup::Of(size).z))
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

  /** The row that has a word, where words of rows follow each other. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowOfWord(std::uint32_t word) const
  {
    return m_DivideByWordsOfRow(word);
  }

  /** As many as a tile can have. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowGroupsOfTile() const
  {
    return m_Height * m_Depth;
  }

  /** The row groups of a tile. Those of a box may lie past the end of the image along y. */
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

  CCL_HOST_DEVICE
  WordPosition
  PositionOf(std::uint32_t group, std::uint32_t x) const
  {
    const std::uint32_t z = m_Layers == 1 ? 0 : group / m_RowGroupsOfLayer;
    return { group, x, group - z * m_RowGroupsOfLayer, z };
  }

  /** The place of word x of a tile's row group. */
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

  /** Row groups of a layer, as words and segments of a tile are counted. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowGroupsOfLayerInTile() const
  {
    return AreBoxes ? m_Height : m_RowGroupsOfLayer;
  }

  /** The pixels before a row of a row group in the image. */
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

  /** Whether the image has a row of a row group: the last ones may lack some. */
  CCL_HOST_DEVICE
  bool
  HasRow(const WordPosition & position, unsigned int row, unsigned int slice) const
  {
    return (TRowGroup::Rows == 1 || position.y * TRowGroup::Rows + row < m_RowsOfSlice) &&
           (TRowGroup::Slices == 1 || position.z * TRowGroup::Slices + slice < m_Slices);
  }

  /** Whether the image has the row group at an offset. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  bool
  HasNeighbor(const WordPosition & position) const
  {
    return (TOffset::Z == 0 || position.z > 0) && (TOffset::Y >= 0 || position.y > 0) &&
           (TOffset::Y <= 0 || position.y + 1 < m_RowGroupsOfLayer);
  }

  /** Whether a tile has the row group at an offset from one of its own, which the image must have. */
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

  /** The row group at an offset, which must exist, where a layer has so many row groups. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  static std::uint32_t
  NeighborOf(std::uint32_t group, std::uint32_t groupsOfLayer)
  {
    constexpr auto y = static_cast<std::uint32_t>(TOffset::Y);
    constexpr auto z = static_cast<std::uint32_t>(TOffset::Z);
    return group + y + z * groupsOfLayer;
  }

  /** The word at an offset in the image. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborWord(const WordPosition & position) const
  {
    return NeighborOf<TOffset>(position.group, m_RowGroupsOfLayer) * m_WordsOfRow + position.x;
  }

  /** The word at an offset from a tile's word, in the tile. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborWordIn(std::uint32_t word) const
  {
    return word + NeighborOf<TOffset>(0, this->RowGroupsOfLayerInTile()) * m_WordsOfRow;
  }

  /** The row groups of a tile that may touch those of tiles before it, or, where VBoth, of any. */
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
    const std::uint32_t left = box.height - atBegin;
    return { box.height, 1, 0, atBegin, !VBoth ? 0 : reach < left ? reach : left };
  }

  /** Whether a border has a row group of its tile. */
  CCL_HOST_DEVICE
  bool
  IsInBorder(const TileBorder & border, std::uint32_t group) const
  {
    const std::uint32_t layer = AreBoxes ? m_DivideByHeight(group) : 0;
    return border.Has(layer, group - layer * border.height);
  }

  // The rows of a layer follow each other slice by slice. What a tile has of one slice of a layer is a piece, where
  // tiles are boxes; else a piece is a tile. Pieces are counted in raster order.

  CCL_HOST_DEVICE
  std::uint32_t
  SlabCount() const
  {
    return AreBoxes ? m_Layers * TRowGroup::Slices * m_TilesAlongY : this->Count();
  }

  CCL_HOST_DEVICE
  std::uint32_t
  SlabOf(const WordPosition & position, unsigned int slice) const
  {
    return AreBoxes ? (position.z * TRowGroup::Slices + slice) * m_TilesAlongY + m_DivideByHeight(position.y)
                    : position.group / m_Height;
  }

  /** How many a tile has. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlabsOf(const TileBox & box) const
  {
    return box.depth * TRowGroup::Slices;
  }

  /** The piece of a tile that is its i-th. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlabIn(const TileBox & box, std::uint32_t i) const
  {
    return AreBoxes ? (box.z * TRowGroup::Slices + i) * m_TilesAlongY + m_DivideByHeight(box.y) : box.y / m_Height;
  }

  // The rows of a tile are counted piece by piece.

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

  /** Which of the tile's pieces has a row. */
  CCL_HOST_DEVICE
  std::uint32_t
  SlabOfRow(std::uint32_t row) const
  {
    return AreBoxes ? m_DivideByHeight(row / TRowGroup::Rows) : 0;
  }

  CCL_HOST_DEVICE
  bool
  BeginsSlab(std::uint32_t row) const
  {
    return row == this->SlabOfRow(row) * m_Height * TRowGroup::Rows;
  }

  struct RowInGroup
  {
    WordPosition position;
    unsigned int row;
    unsigned int slice;
  };

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

  /** As equal as can be, and then with little border: a tile that has more to do than others lets them wait. */
  CCL_HOST_DEVICE
  void
  ChooseBoxes(std::uint32_t maximumCount)
  {
    std::uint64_t least = ~std::uint64_t{ 0 };
    for (std::uint32_t alongZ = 1; alongZ <= maximumCount && alongZ <= m_Layers; ++alongZ)
    {
      const std::uint32_t depth = DivideUp(m_Layers, alongZ);
      const std::uint32_t alongY = maximumCount / DivideUp(m_Layers, depth);
      const std::uint32_t height = DivideUp(m_RowGroupsOfLayer, alongY);
      const std::uint64_t border = (depth < m_Layers ? height : 0) + (height < m_RowGroupsOfLayer ? 2 * depth : 0);
      if (std::uint64_t{ height } * depth + border < least)
      {
        least = std::uint64_t{ height } * depth + border;
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
  std::uint32_t m_Height;
  std::uint32_t m_Depth;
  FastDivision  m_DivideByHeight;
  std::uint32_t m_TilesAlongY;
};

/** Words, shared out in parts where they are few, for there to be work for many threads. */
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

  /** Those of a word's bits that are a part's. */
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
