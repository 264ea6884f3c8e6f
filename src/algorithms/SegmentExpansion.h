// SPDX-License-Identifier: Apache-2.0
#ifndef SegmentExpansion_h
#define SegmentExpansion_h

// From the ranks of a tile's roots to the labels of its pixels.

#include "Numbering.h"
#include "Quads.h"
#include "SegmentTiles.h"

namespace itk::ccl
{

namespace SegmentUnionFind
{

/** Writes the labels of a tile's pixels. */
template <typename TOutput>
struct WriteTile
{
  Shared    shared;
  Numbering numbering;
  TOutput * output;

  CCL_NO_EXECUTION_CHECK
  template <typename TTeam>
  CCL_HOST_DEVICE
  void
  operator()(const TTeam & team) const
  {
    const RowTiles & tiles = shared.tiles;
    const Tile       tile(tiles, team);
    const Parts      parts(tile.words);
    team.ForEachSum(
      tiles.Count(),
      [&](std::uint32_t other) { return shared.rootCounts[other]; },
      [&](std::uint32_t other, std::uint32_t before) { tile.rootsBefore[other] = before; });
    team.ForEach(parts.Count(), [&](std::uint32_t part) {
      tile.ForEachSegment(parts, part, [&](std::uint32_t segment) {
        std::uint32_t & parent = tile.parents[segment];
        if ((parent & (Ranked | Settled)) != 0)
        {
          parent = Settled | static_cast<std::uint32_t>(numbering.LabelOf(this->RankOf(tile, parent)));
        }
      });
    });

    const std::uint32_t pixels = tile.rows * tiles.RowSize();
    TOutput * const     begin = output + std::uint64_t{ tile.firstRow } * tiles.RowSize();
    const std::uint32_t before = MisalignmentOf(begin);
    team.ForEach((pixels + before + 3) / 4, [&](std::uint32_t quad) {
      this->WriteQuad(tile, begin, pixels, static_cast<std::int64_t>(4 * quad) - before);
    });
  }

private:
  /** The rank of a component, from what is kept of the tile's root. */
  CCL_HOST_DEVICE
  std::uint32_t
  RankOf(const Tile & tile, std::uint32_t parent) const
  {
    if ((parent & Ranked) != 0)
    {
      return (parent & ~Ranked) + tile.rootsBefore[tile.index];
    }
    const std::uint32_t root = parent & ~Settled;
    return (shared.parents[root] & ~Ranked) + tile.rootsBefore[root / (shared.tiles.WordsOfTile() * Segments::PerWord)];
  }

  CCL_HOST_DEVICE
  TOutput
  LabelOf(const Tile & tile, std::uint32_t segment) const
  {
    const std::uint32_t parent = tile.parents[segment];
    const std::uint32_t label = (parent & Settled) != 0 ? parent : tile.parents[parent];
    return static_cast<TOutput>(label & ~Settled);
  }

  /** Writes those of four pixels that are the tile's. */
  CCL_HOST_DEVICE
  void
  WriteQuad(const Tile & tile, TOutput * begin, std::uint32_t pixels, std::int64_t quadBegin) const
  {
    const std::uint32_t rowSize = shared.tiles.RowSize();
    const std::uint32_t from = quadBegin < 0 ? 0 : static_cast<std::uint32_t>(quadBegin);
    const std::uint32_t end = quadBegin + 4 < pixels ? static_cast<std::uint32_t>(quadBegin + 4) : pixels;
    const std::uint32_t row = from / rowSize;
    std::uint32_t       x = from - row * rowSize;
    std::uint32_t       rowBegin = row * shared.tiles.WordsOfRow();
    Quad<TOutput>       quad;
    CCL_UNROLL
    for (TOutput & pixel : quad.pixels)
    {
      pixel = static_cast<TOutput>(numbering.background);
    }
    // What one word has of the quad, after the other.
    for (std::uint32_t at = from; at < end;)
    {
      const std::uint32_t word = rowBegin + x / BitsPerWord;
      const unsigned int  bit = x % BitsPerWord;
      std::uint32_t       count = end - at < rowSize - x ? end - at : rowSize - x;
      count = count < BitsPerWord - bit ? count : BitsPerWord - bit;
      const Word         bits = tile.bits[word];
      const unsigned int window = bits >> bit & BitsThrough(count - 1);
      if (window != 0)
      {
        const std::uint32_t       segment = Segments::At(word, bits, bit + LowestBit(Word{ window }));
        const unsigned int        secondStart = SecondStart(window);
        const TOutput             first = this->LabelOf(tile, segment);
        const QuadLabels<TOutput> labels{ first,
                                          secondStart != 0 ? this->LabelOf(tile, segment + 1) : first,
                                          secondStart };
        const auto                place = static_cast<unsigned int>(at - quadBegin);
        CCL_UNROLL
        for (unsigned int i = 0; i < 4; ++i)
        {
          if (i >= place && (window >> (i - place) & 1U) != 0)
          {
            quad.pixels[i] = labels.At(i - place);
          }
        }
      }
      at += count;
      x += count;
      if (x == rowSize)
      {
        x = 0;
        rowBegin += shared.tiles.WordsOfRow();
      }
    }
    StoreQuad(begin, pixels, quadBegin, quad);
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
