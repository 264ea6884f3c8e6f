// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentExpansion_h
#define SegmentExpansion_h

// From the ranks of a tile's roots to the labels of its pixels.

#include "Numbering.h"
#include "Quads.h"
#include "SegmentTiles.h"

namespace itk::ccl
{

/** What LabelBySegments gives. */
struct LabeledSegments
{
  bool          isLabeled;
  std::uint32_t objectCount;
};

namespace SegmentUnionFind
{

/** Writes the labels of a tile's pixels, and how many objects the image has. */
template <typename TBundle, typename TOutput>
struct WriteTile
{
  Shared<TBundle>   shared;
  Numbering         numbering;
  TOutput *         output;
  LabeledSegments * result;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const BundleTiles<TBundle> & tiles = shared.tiles;
    const Tile<TBundle>          tile(shared, team);

    const std::uint32_t objectCount = team.ForEachSum(
      tiles.PieceCount(),
      [&](std::uint32_t piece) { return shared.pieces[piece].count; },
      [&](std::uint32_t piece, std::uint32_t before) {
        tile.rootsBefore[piece] = before - shared.pieces[piece].before;
      });
    if (tile.index == 0)
    {
      team.Once([&] { *result = { true, objectCount }; });
    }
    tile.ForEachSegment(shared, team, [&](std::uint32_t segment) {
      std::uint32_t & parent = tile.parents[segment];
      if ((parent & (Ranked | Settled)) != 0)
      {
        parent = Settled | static_cast<std::uint32_t>(numbering.LabelOf(this->RankOf(tile, segment, parent)));
      }
    });

    if (tiles.RowSize() % 4 == 0 && MisalignmentOf(output) == 0)
    {
      const std::uint32_t quads = tiles.RowSize() / 4;
      const FastDivision  divideByQuads(quads);
      team.ForEach(tile.box.Bundles() * quads, [&](std::uint32_t i) {
        const std::uint32_t bundle = divideByQuads(i);
        this->WriteAligned(tile, bundle, 4 * (i - bundle * quads));
      });
    }
    else
    {
      // The first quad of each row starts at 0 to 3 pixels before the row, where one access can write it.
      const std::uint32_t quads = (tiles.RowSize() + 6) / 4;
      const FastDivision  divideByQuads(quads);
      team.ForEach(tile.box.Bundles() * quads, [&](std::uint32_t i) {
        const std::uint32_t   bundle = divideByQuads(i);
        const BundleWordPlace place = tiles.PlaceIn(tile.box, bundle, 0);
        CCL_UNROLL
        for (unsigned int row = 0; row < Tile<TBundle>::RowsOfBundle; ++row)
        {
          if (tiles.HasRow(place, row % TBundle::Rows, row / TBundle::Rows))
          {
            this->WriteUnaligned(tile, bundle, place, row, i - bundle * quads);
          }
        }
      });
    }
  }

private:
  /** The rank of a component, from what is kept of a tile's root. */
  CCL_HOST_DEVICE
  std::uint32_t
  RankOf(const Tile<TBundle> & tile, std::uint32_t tileRoot, std::uint32_t parent) const
  {
    const bool isOwn = (parent & Ranked) != 0;
    if (TBundle::Slices == 1 && isOwn)
    {
      return (parent & ~Ranked) + tile.rootsBefore[tile.index];
    }
    const std::uint32_t root = isOwn ? tileRoot : parent & ~Settled;
    const std::uint32_t rank = (isOwn ? parent : shared.parents[root]) & ~Ranked;
    const std::uint32_t piece = shared.tiles.PieceOf(shared.numbers.BundleOf(root), shared.numbers.SliceOf(root));
    return rank + tile.rootsBefore[piece];
  }

  /** The label of the segment that covers a column. */
  CCL_HOST_DEVICE
  TOutput
  LabelOf(const Tile<TBundle> & tile, std::uint32_t word, Word columns, unsigned int bit) const
  {
    const std::uint32_t parent = tile.parents.byPlace[Segments::PlaceAt(word, Segments::StartOf(columns, bit))];
    return static_cast<TOutput>(((parent & Settled) != 0 ? parent : tile.parents[parent]) & ~Settled);
  }

  /** Writes four columns of a bundle, from x on. */
  CCL_HOST_DEVICE
  void
  WriteAligned(const Tile<TBundle> & tile, std::uint32_t bundle, std::uint32_t x) const
  {
    const BundleTiles<TBundle> & tiles = shared.tiles;
    const std::uint32_t          word = bundle * tiles.WordsOfRow() + x / BitsPerWord;
    const unsigned int           bit = x % BitsPerWord;
    const BundledWord<TBundle>   here = tile.bits[word];
    const Word                   columns = here.Columns();
    const unsigned int           window = columns >> bit & 15U;
    QuadLabels<TOutput>          labels{};
    if (window != 0)
    {
      labels.first = this->LabelOf(tile, word, columns, bit + LowestBit(Word{ window }));
      labels.secondStart = SecondStart(window);
      if (labels.secondStart != 0)
      {
        labels.second = this->LabelOf(tile, word, columns, bit + LowestBit(Word{ labels.secondStart }));
      }
    }
    const BundleWordPlace place = tiles.PlaceIn(tile.box, bundle, 0);
    const auto            background = static_cast<TOutput>(numbering.background);
    CCL_UNROLL
    for (unsigned int slice = 0; slice < TBundle::Slices; ++slice)
    {
      CCL_UNROLL
      for (unsigned int row = 0; row < TBundle::Rows; ++row)
      {
        if (tiles.HasRow(place, row, slice))
        {
          TOutput * const pixels = output + tiles.PixelsBefore(place, row, slice);
          *reinterpret_cast<Quad<TOutput> *>(pixels + x) =
            QuadOf(here.rows[slice * TBundle::Rows + row] >> bit, labels, background);
        }
      }
    }
  }

  /** Writes those of four pixels that are a row's. */
  CCL_HOST_DEVICE
  void
  WriteUnaligned(const Tile<TBundle> &   tile,
                 std::uint32_t           bundle,
                 const BundleWordPlace & place,
                 unsigned int            row,
                 std::uint32_t           quad) const
  {
    const BundleTiles<TBundle> & tiles = shared.tiles;
    TOutput * const              pixels = output + tiles.PixelsBefore(place, row % TBundle::Rows, row / TBundle::Rows);
    // The first quad may start before the row: x wraps around then.
    const std::uint32_t                  x = 4 * quad - MisalignmentOf(pixels);
    const BitWindow<std::uint32_t, 4, 3> window(x, tiles.RowSize());
    if (x >= tiles.RowSize() && window.skipped == 0)
    {
      return;
    }
    const std::uint32_t word = bundle * tiles.WordsOfRow() + window.word;
    const Word          columns = tile.bits[word].Columns();
    const Word          nextColumns = window.hasNext ? tile.bits[word + 1].Columns() : 0;
    const unsigned int  four = window.Of(columns, nextColumns);
    const auto          labelAt = [&](unsigned int starts) {
      const unsigned int at = window.bit + LowestBit(Word{ starts }) - window.skipped;
      return at < BitsPerWord ? this->LabelOf(tile, word, columns, at)
                                       : this->LabelOf(tile, word + 1, nextColumns, at - BitsPerWord);
    };
    QuadLabels<TOutput> labels{};
    if (four != 0)
    {
      labels.first = labelAt(four);
      labels.secondStart = SecondStart(four);
      if (labels.secondStart != 0)
      {
        labels.second = labelAt(labels.secondStart);
      }
    }
    const Word nextBits = window.hasNext ? tile.bits[word + 1].rows[row] : 0;
    StoreQuad(
      pixels,
      tiles.RowSize(),
      x,
      QuadOf(window.Of(tile.bits[word].rows[row], nextBits), labels, static_cast<TOutput>(numbering.background)));
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
