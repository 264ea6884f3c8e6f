// SPDX-License-Identifier: Apache-2.0
#ifndef BundleTiles_h
#define BundleTiles_h

// How the work on a small image is shared out: bundles among tiles, words among threads.

#include "FastDivision.h"
#include "Runs.h"

namespace itk::ccl
{

/** Where a word of a bundle lies. Bundles are counted from the first of the image on. */
struct BundleWordPlace
{
  std::uint32_t bundle;
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t z;
};

/** Which bundles a tile has: `depth` layers of `height` bundles, from (y, z) on, counted layer by layer. */
struct TileBox
{
  std::uint32_t y;
  std::uint32_t z;
  std::uint32_t height;
  std::uint32_t depth;

  CCL_HOST_DEVICE
  std::uint32_t
  Bundles() const
  {
    return height * depth;
  }
};

/** Those bundles of a tile that may touch other tiles'. */
struct TileBorder
{
  std::uint32_t height;
  std::uint32_t depth;
  std::uint32_t wholeLayers; // the first, or that and the last
  std::uint32_t atBegin;     // so many bundles of each other layer,
  std::uint32_t atEnd;       // and so many

  CCL_HOST_DEVICE
  std::uint32_t
  Count() const
  {
    return wholeLayers * height + (depth - wholeLayers) * (atBegin + atEnd);
  }

  CCL_HOST_DEVICE
  bool
  Has(std::uint32_t layer, std::uint32_t bundleOfLayer) const
  {
    return (wholeLayers > 0 && layer == 0) || (wholeLayers > 1 && layer + 1 == depth) || bundleOfLayer < atBegin ||
           bundleOfLayer >= height - atEnd;
  }

  /** The bundle of the tile that is the one at i of the border. */
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

/** The tiles of an image. Where bundles have more than one slice, they are boxes, which have little to do with each
 * other. Else they are bundles that follow each other in raster order, as do the numbers of their segments then: all
 * layers count as one. */
template <typename TBundle>
class BundleTiles
{
public:
  /** `maximumCount` tiles, or fewer. The image must have 2^31 pixels at most, and one at least. */
  CCL_HOST_DEVICE
  BundleTiles(const Grid & size, bool fullyConnected, std::uint32_t maximumCount)
    : m_FullyConnected(fullyConnected)
    , m_RowSize(static_cast<std::uint32_t>(size.x))
    , m_WordsOfRow(static_cast<std::uint32_t>(DivideUp(size.x, BitsPerWord)))
    , m_DivideByWordsOfRow(m_WordsOfRow)
    , m_RowsOfSlice(static_cast<std::uint32_t>(size.y))
    , m_Slices(static_cast<std::uint32_t>(size.z))
    , m_BundlesOfLayer(static_cast<std::uint32_t>(TBundle::Of(size).y))
    , m_Layers(static_cast<std::uint32_t>(TBundle::Of(size).z))
    , m_Height(AreBoxes ? 1 : static_cast<std::uint32_t>(DivideUp(this->Bundles(), maximumCount)))
    , m_Depth(1)
    , m_DivideByHeight(m_Height)
    , m_TilesAlongY(static_cast<std::uint32_t>(DivideUp(this->Bundles(), m_Height)))
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
  Bundles() const
  {
    return m_BundlesOfLayer * m_Layers;
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
  BundlesOfTile() const
  {
    return m_Height * m_Depth;
  }

  /** The bundles of a tile. Those of a box may lie past the end of the image along y. */
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
    return { first, 0, this->Bundles() - first < m_Height ? this->Bundles() - first : m_Height, 1 };
  }

  CCL_HOST_DEVICE
  BundleWordPlace
  PlaceOf(std::uint32_t bundle, std::uint32_t x) const
  {
    const std::uint32_t z = m_Layers == 1 ? 0 : bundle / m_BundlesOfLayer;
    return { bundle, x, bundle - z * m_BundlesOfLayer, z };
  }

  /** The place of word x of a tile's bundle. */
  CCL_HOST_DEVICE
  BundleWordPlace
  PlaceIn(const TileBox & box, std::uint32_t bundle, std::uint32_t x) const
  {
    if constexpr (AreBoxes)
    {
      const std::uint32_t layer = m_DivideByHeight(bundle);
      const std::uint32_t y = box.y + bundle - layer * m_Height;
      const std::uint32_t z = box.z + layer;
      return { z * m_BundlesOfLayer + y, x, y, z };
    }
    return this->PlaceOf(box.y + bundle, x);
  }

  /** Bundles of a layer, as words and segments of a tile are counted. */
  CCL_HOST_DEVICE
  std::uint32_t
  BundlesOfLayerInTile() const
  {
    return AreBoxes ? m_Height : m_BundlesOfLayer;
  }

  /** The pixels before a row of a bundle in the image. */
  CCL_HOST_DEVICE
  std::uint32_t
  PixelsBefore(const BundleWordPlace & place, unsigned int row, unsigned int slice) const
  {
    if constexpr (TBundle::IsOneRow)
    {
      return place.bundle * m_RowSize;
    }
    return ((place.z * TBundle::Slices + slice) * m_RowsOfSlice + place.y * TBundle::Rows + row) * m_RowSize;
  }

  /** Whether the image has a row of a bundle: the last ones may lack some. */
  CCL_HOST_DEVICE
  bool
  HasRow(const BundleWordPlace & place, unsigned int row, unsigned int slice) const
  {
    return (TBundle::Rows == 1 || place.y * TBundle::Rows + row < m_RowsOfSlice) &&
           (TBundle::Slices == 1 || place.z * TBundle::Slices + slice < m_Slices);
  }

  /** Whether the image has the bundle at an offset. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  bool
  HasNeighbor(const BundleWordPlace & place) const
  {
    return (TOffset::Z == 0 || place.z > 0) && (TOffset::Y >= 0 || place.y > 0) &&
           (TOffset::Y <= 0 || place.y + 1 < m_BundlesOfLayer);
  }

  /** Whether a tile has the bundle at an offset from one of its own, which the image must have. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  bool
  HasNeighborIn(const TileBox & box, const BundleWordPlace & place) const
  {
    if constexpr (AreBoxes)
    {
      return (TOffset::Z == 0 || place.z > box.z) && (TOffset::Y >= 0 || place.y > box.y) &&
             (TOffset::Y <= 0 || place.y + 1 < box.y + box.height);
    }
    return this->NeighborOf<TOffset>(place.bundle, m_BundlesOfLayer) >= box.y;
  }

  /** The bundle at an offset, which must exist, where a layer has so many bundles. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  static std::uint32_t
  NeighborOf(std::uint32_t bundle, std::uint32_t bundlesOfLayer)
  {
    constexpr auto y = static_cast<std::uint32_t>(TOffset::Y);
    constexpr auto z = static_cast<std::uint32_t>(TOffset::Z);
    return bundle + y + z * bundlesOfLayer;
  }

  /** The word at an offset in the image. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborWord(const BundleWordPlace & place) const
  {
    return NeighborOf<TOffset>(place.bundle, m_BundlesOfLayer) * m_WordsOfRow + place.x;
  }

  /** The word at an offset from a tile's word, in the tile. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborWordIn(std::uint32_t word) const
  {
    return word + NeighborOf<TOffset>(0, this->BundlesOfLayerInTile()) * m_WordsOfRow;
  }

  /** The bundles of a tile that may touch those of tiles before it, or, where VBoth, of any. */
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
    const std::uint32_t reach = m_Layers == 1 ? 1 : m_BundlesOfLayer + 1;
    const std::uint32_t atBegin = reach < box.height ? reach : box.height;
    const std::uint32_t left = box.height - atBegin;
    return { box.height, 1, 0, atBegin, !VBoth ? 0 : reach < left ? reach : left };
  }

  /** Whether a border has a bundle of its tile. */
  CCL_HOST_DEVICE
  bool
  IsInBorder(const TileBorder & border, std::uint32_t bundle) const
  {
    const std::uint32_t layer = AreBoxes ? m_DivideByHeight(bundle) : 0;
    return border.Has(layer, bundle - layer * border.height);
  }

  // The rows of a layer follow each other slice by slice. What a tile has of one slice of a layer is a piece, where
  // tiles are boxes; else a piece is a tile. Pieces are counted in raster order.

  CCL_HOST_DEVICE
  std::uint32_t
  PieceCount() const
  {
    return AreBoxes ? m_Layers * TBundle::Slices * m_TilesAlongY : this->Count();
  }

  CCL_HOST_DEVICE
  std::uint32_t
  PieceOf(const BundleWordPlace & place, unsigned int slice) const
  {
    return AreBoxes ? (place.z * TBundle::Slices + slice) * m_TilesAlongY + m_DivideByHeight(place.y)
                    : place.bundle / m_Height;
  }

  /** How many a tile has. */
  CCL_HOST_DEVICE
  std::uint32_t
  PiecesOf(const TileBox & box) const
  {
    return box.depth * TBundle::Slices;
  }

  /** The piece of a tile that is its i-th. */
  CCL_HOST_DEVICE
  std::uint32_t
  PieceIn(const TileBox & box, std::uint32_t i) const
  {
    return AreBoxes ? (box.z * TBundle::Slices + i) * m_TilesAlongY + m_DivideByHeight(box.y) : box.y / m_Height;
  }

  // The rows of a tile are counted piece by piece.

  CCL_HOST_DEVICE
  std::uint32_t
  RowsBefore(const TileBox & box, const BundleWordPlace & place, unsigned int row, unsigned int slice) const
  {
    if constexpr (AreBoxes)
    {
      return (((place.z - box.z) * TBundle::Slices + slice) * m_Height + place.y - box.y) * TBundle::Rows + row;
    }
    return (place.bundle - box.y) * TBundle::Rows + row;
  }

  /** Which of the tile's pieces has a row. */
  CCL_HOST_DEVICE
  std::uint32_t
  PieceOfRow(std::uint32_t row) const
  {
    return AreBoxes ? m_DivideByHeight(row / TBundle::Rows) : 0;
  }

  CCL_HOST_DEVICE
  bool
  BeginsPiece(std::uint32_t row) const
  {
    return row == this->PieceOfRow(row) * m_Height * TBundle::Rows;
  }

  struct BundleRow
  {
    BundleWordPlace place;
    unsigned int    row;
    unsigned int    slice;
  };

  CCL_HOST_DEVICE
  BundleRow
  RowIn(const TileBox & box, std::uint32_t row) const
  {
    const std::uint32_t piece = this->PieceOfRow(row);
    const std::uint32_t layer = piece / TBundle::Slices;
    const std::uint32_t bundle = row / TBundle::Rows - (piece - layer) * box.height;
    return { this->PlaceIn(box, bundle, 0), row % TBundle::Rows, piece % TBundle::Slices };
  }

private:
  static constexpr bool AreBoxes = TBundle::Slices > 1;

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
      const std::uint32_t height = DivideUp(m_BundlesOfLayer, alongY);
      const std::uint64_t border = (depth < m_Layers ? height : 0) + (height < m_BundlesOfLayer ? 2 * depth : 0);
      if (std::uint64_t{ height } * depth + border < least)
      {
        least = std::uint64_t{ height } * depth + border;
        m_Height = height;
        m_Depth = depth;
      }
    }
    m_DivideByHeight = FastDivision(m_Height);
    m_TilesAlongY = DivideUp(m_BundlesOfLayer, m_Height);
  }

  bool          m_FullyConnected;
  std::uint32_t m_RowSize;
  std::uint32_t m_WordsOfRow;
  FastDivision  m_DivideByWordsOfRow;
  std::uint32_t m_RowsOfSlice;
  std::uint32_t m_Slices;
  std::uint32_t m_BundlesOfLayer;
  std::uint32_t m_Layers;
  std::uint32_t m_Height;
  std::uint32_t m_Depth;
  FastDivision  m_DivideByHeight;
  std::uint32_t m_TilesAlongY;
};

/** Words, shared out in parts where they are few, for there to be work for many threads. */
struct Parts
{
  std::uint32_t words;
  unsigned int  bitsOfWord; // a word has 2^bitsOfWord parts

  CCL_HOST_DEVICE
  explicit Parts(std::uint32_t wordCount)
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
