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

/** The tiles of an image: bundles that follow each other in raster order, from one layer (the bundles of one z) to the
 * next. */
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
    , m_BundlesOfTile(static_cast<std::uint32_t>(DivideUp(std::uint64_t{ m_BundlesOfLayer } * m_Layers, maximumCount)))
  {}

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
    return (this->Bundles() + m_BundlesOfTile - 1) / m_BundlesOfTile;
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

  /** The bundle of a tile's word; both are counted from the tile's first ones on. */
  CCL_HOST_DEVICE
  std::uint32_t
  BundleOfWord(std::uint32_t word) const
  {
    return m_DivideByWordsOfRow(word);
  }

  CCL_HOST_DEVICE
  std::uint32_t
  BundlesOfTile() const
  {
    return m_BundlesOfTile;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  FirstBundle(std::uint32_t tile) const
  {
    return tile * m_BundlesOfTile;
  }

  /** How many bundles a tile has; the last one may lack some. */
  CCL_HOST_DEVICE
  std::uint32_t
  BundlesOf(std::uint32_t tile) const
  {
    const std::uint32_t left = this->Bundles() - this->FirstBundle(tile);
    return left < m_BundlesOfTile ? left : m_BundlesOfTile;
  }

  CCL_HOST_DEVICE
  BundleWordPlace
  PlaceOf(std::uint32_t bundle, std::uint32_t x) const
  {
    const std::uint32_t z = m_Layers == 1 ? 0 : bundle / m_BundlesOfLayer;
    return { bundle, x, bundle - z * m_BundlesOfLayer, z };
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

  /** The bundle at an offset, which must exist. */
  template <typename TOffset>
  CCL_HOST_DEVICE
  std::uint32_t
  NeighborOf(const BundleWordPlace & place) const
  {
    constexpr auto y = static_cast<std::uint32_t>(TOffset::Y);
    constexpr auto z = static_cast<std::uint32_t>(TOffset::Z);
    return place.bundle + y + z * m_BundlesOfLayer;
  }

  /** How many bundles of a tile, from its first and from its last on, may touch those of other tiles. */
  CCL_HOST_DEVICE
  std::uint32_t
  BundlesAtEnd(std::uint32_t tile) const
  {
    const std::uint32_t bundles = m_Layers == 1 ? 1 : m_BundlesOfLayer + 1;
    return bundles < this->BundlesOf(tile) ? bundles : this->BundlesOf(tile);
  }

  // The rows of a layer follow each other slice by slice. What a tile has of one slice of a layer is a piece, where a
  // bundle has more than one slice; else a piece is a tile. Pieces are counted in raster order, as if as many tiles had
  // a share in each layer as can.

  CCL_HOST_DEVICE
  std::uint32_t
  PieceCount() const
  {
    return TBundle::Slices == 1 ? this->Count() : m_Layers * TBundle::Slices * this->TilesOfLayer();
  }

  CCL_HOST_DEVICE
  std::uint32_t
  PieceOf(const BundleWordPlace & place, unsigned int slice) const
  {
    const std::uint32_t tile = place.bundle / m_BundlesOfTile;
    return TBundle::Slices == 1
             ? tile
             : (place.z * TBundle::Slices + slice) * this->TilesOfLayer() + tile - this->FirstTileOfLayer(place.z);
  }

  CCL_HOST_DEVICE
  bool
  HasPiece(std::uint32_t piece) const
  {
    if constexpr (TBundle::Slices == 1)
    {
      return true;
    }
    const std::uint32_t slice = piece / this->TilesOfLayer();
    const std::uint32_t layer = slice / TBundle::Slices;
    const std::uint32_t tile = this->FirstTileOfLayer(layer) + piece - slice * this->TilesOfLayer();
    return tile * m_BundlesOfTile < (layer + 1) * m_BundlesOfLayer;
  }

  /** Calls visit(place, bundles, slice) for each piece of a tile: where its first bundle begins, how many bundles it
   * has, and which slice of them it is. */
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  ForEachPiece(std::uint32_t tile, const TVisitor & visit) const
  {
    const std::uint32_t end = this->FirstBundle(tile) + this->BundlesOf(tile);
    for (std::uint32_t bundle = this->FirstBundle(tile); bundle < end;)
    {
      const BundleWordPlace place = this->PlaceOf(bundle, 0);
      const std::uint32_t   next = TBundle::Slices == 1 ? end : bundle + m_BundlesOfLayer - place.y;
      const std::uint32_t   bundles = (next < end ? next : end) - bundle;
      for (unsigned int slice = 0; slice < TBundle::Slices; ++slice)
      {
        visit(place, bundles, slice);
      }
      bundle += bundles;
    }
  }

  /** How many rows of a tile, those of its pieces one after the other, come before a row of a bundle. */
  CCL_HOST_DEVICE
  std::uint32_t
  RowsBefore(std::uint32_t tile, const BundleWordPlace & place, unsigned int row, unsigned int slice) const
  {
    const std::uint32_t first = this->FirstBundle(tile);
    if constexpr (TBundle::Slices == 1)
    {
      return (place.bundle - first) * TBundle::Rows + row;
    }
    const std::uint32_t end = first + this->BundlesOf(tile);
    const std::uint32_t layerBegin = place.bundle - place.y;
    const std::uint32_t layerEnd = layerBegin + m_BundlesOfLayer;
    const std::uint32_t begin = layerBegin > first ? layerBegin : first;
    const std::uint32_t bundles = (layerEnd < end ? layerEnd : end) - begin;
    return ((begin - first) * TBundle::Slices + slice * bundles + place.bundle - begin) * TBundle::Rows + row;
  }

private:
  /** How many tiles can have a share in a layer. */
  CCL_HOST_DEVICE
  std::uint32_t
  TilesOfLayer() const
  {
    return (m_BundlesOfLayer - 1) / m_BundlesOfTile + 2;
  }

  CCL_HOST_DEVICE
  std::uint32_t
  FirstTileOfLayer(std::uint32_t layer) const
  {
    return layer * m_BundlesOfLayer / m_BundlesOfTile;
  }

  bool          m_FullyConnected;
  std::uint32_t m_RowSize;
  std::uint32_t m_WordsOfRow;
  FastDivision  m_DivideByWordsOfRow;
  std::uint32_t m_RowsOfSlice;
  std::uint32_t m_Slices;
  std::uint32_t m_BundlesOfLayer;
  std::uint32_t m_Layers;
  std::uint32_t m_BundlesOfTile;
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
