// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_small_SegmentLabelWriteOut_h
#define ccl_algorithms_small_SegmentLabelWriteOut_h

// Writes the labels of a tile's pixels. First it replaces the parents of the tile's roots by labels. Then it looks up
// the labels of 4 columns at a time, and writes them to each row in one memory access. This is the last phase of
// SegmentUnionFind.h.

#include "primitives/LabelValues.h"
#include "primitives/Vec4.h"
#include "algorithms/small/SegmentTile.h"

namespace itk::ccl
{

/** The result of LabelBySegments(). */
struct LabeledSegments
{
  bool          isLabeled; // false if the image has too many segments; no label is written then
  std::uint32_t objectCount;
};

namespace SegmentUnionFind
{

/** Writes the labels of a tile's pixels. Tile 0 also writes `result`. */
template <typename TRowGroup, typename TOutput>
struct WriteTile
{
  Shared<TRowGroup> shared;
  LabelValues       labelValues;
  TOutput *         output;
  LabeledSegments * result;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock) const
  {
    const TileLayout<TRowGroup> & tiles = shared.tiles;
    const Tile<TRowGroup>         tile(shared, threadBlock);

    // Each thread block scans the root counts of all slabs. This avoids another barrier for all tiles.
    const std::uint32_t objectCount = threadBlock.ExclusiveScan(
      tiles.SlabCount(),
      [&](std::uint32_t slab) { return shared.slabs[slab].count; },
      [&](std::uint32_t slab, std::uint32_t prefix) { tile.rootOffsets[slab] = prefix - shared.slabs[slab].offset; });
    if (tile.index == 0)
    {
      threadBlock.Once([&] { *result = { true, objectCount }; });
    }
    tile.ForEachSegment(shared, threadBlock, [&](std::uint32_t segment) {
      std::uint32_t & parent = tile.parents[segment];
      if ((parent & (Ranked | Settled)) != 0)
      {
        parent = Settled | static_cast<std::uint32_t>(labelValues.LabelOf(this->RankOf(tile, segment, parent)));
      }
    });

    if (tiles.RowSize() % 4 == 0 && MisalignmentOf(output) == 0)
    {
      const std::uint32_t vectors = tiles.RowSize() / 4;
      const FastDivision  divideByVectors(vectors);
      threadBlock.ForEach(tile.box.RowGroups() * vectors, [&](std::uint32_t i) {
        const std::uint32_t group = divideByVectors(i);
        this->WriteAligned(tile, group, 4 * (i - group * vectors));
      });
    }
    else
    {
      // Each vec4 starts at an address that one memory access can write. So the first vec4 of a row starts 0 to 3
      // pixels before the row. This gives at most DivideUp(RowSize() + 3, 4) vec4s.
      const std::uint32_t vectors = (tiles.RowSize() + 6) / 4;
      const FastDivision  divideByVectors(vectors);
      threadBlock.ForEach(tile.box.RowGroups() * vectors, [&](std::uint32_t i) {
        const std::uint32_t group = divideByVectors(i);
        const WordPosition  position = tiles.PositionIn(tile.box, group, 0);
        CCL_UNROLL
        for (unsigned int row = 0; row < Tile<TRowGroup>::RowsOfRowGroup; ++row)
        {
          if (tiles.HasRow(position, row % TRowGroup::Rows, row / TRowGroup::Rows))
          {
            this->WriteUnaligned(tile, group, position, row, i - group * vectors);
          }
        }
      });
    }
  }

private:
  /** Returns the rank of a component among all components of the image. `parent` is the value of the tile's root: its
   * rank in the tile, or the component's root in another tile. */
  CCL_HOST_DEVICE
  std::uint32_t
  RankOf(const Tile<TRowGroup> & tile, std::uint32_t tileRoot, std::uint32_t parent) const
  {
    const bool isOwn = (parent & Ranked) != 0;
    if (TRowGroup::Slices == 1 && isOwn)
    {
      return (parent & ~Ranked) + tile.rootOffsets[tile.index];
    }
    const std::uint32_t root = isOwn ? tileRoot : parent & ~Settled;
    const std::uint32_t rank = (isOwn ? parent : shared.parents[root]) & ~Ranked;
    const std::uint32_t slab = shared.tiles.SlabOf(shared.ids.RowGroupOf(root), shared.ids.SliceOf(root));
    return rank + tile.rootOffsets[slab];
  }

  /** Returns the label of the segment that covers a column. `columns` are the columns of the word. */
  CCL_HOST_DEVICE
  TOutput
  LabelOf(const Tile<TRowGroup> & tile, std::uint32_t word, Word columns, unsigned int bit) const
  {
    const std::uint32_t parent = tile.parents.bySlot[Segments::SlotAt(word, Segments::StartOf(columns, bit))];
    return static_cast<TOutput>(((parent & Settled) != 0 ? parent : tile.parents[parent]) & ~Settled);
  }

  /** Writes the labels of 4 columns of a row group, in all of its rows. `group` is the row group's index in the tile.
   * `x` is a multiple of 4, and every row of the output must begin at an address for a vec4. */
  CCL_HOST_DEVICE
  void
  WriteAligned(const Tile<TRowGroup> & tile, std::uint32_t group, std::uint32_t x) const
  {
    const TileLayout<TRowGroup> & tiles = shared.tiles;
    const std::uint32_t           word = group * tiles.WordsOfRow() + x / BitsPerWord;
    const unsigned int            bit = x % BitsPerWord;
    const RowGroupWord<TRowGroup> here = tile.bits[word];
    const Word                    columns = here.Columns();
    const unsigned int            window = columns >> bit & 15U;
    Vec4Labels<TOutput>           labels{};
    if (window != 0)
    {
      labels.first = this->LabelOf(tile, word, columns, bit + LowestBit(Word{ window }));
      labels.secondStart = SecondStart(window);
      if (labels.secondStart != 0)
      {
        labels.second = this->LabelOf(tile, word, columns, bit + LowestBit(Word{ labels.secondStart }));
      }
    }
    const WordPosition position = tiles.PositionIn(tile.box, group, 0);
    const auto         background = static_cast<TOutput>(labelValues.background);
    CCL_UNROLL
    for (unsigned int slice = 0; slice < TRowGroup::Slices; ++slice)
    {
      CCL_UNROLL
      for (unsigned int row = 0; row < TRowGroup::Rows; ++row)
      {
        if (tiles.HasRow(position, row, slice))
        {
          TOutput * const pixels = output + tiles.PixelsBefore(position, row, slice);
          *reinterpret_cast<Vec4<TOutput> *>(pixels + x) =
            MakeVec4(here.rows[slice * TRowGroup::Rows + row] >> bit, labels, background);
        }
      }
    }
  }

  /** Writes the pixels of one vec4 that lie in a row. `group` is the row group's index in the tile, `position` its
   * position, `row` the row's index in RowGroupWord, and `vector` the index of the vec4 in the row. */
  CCL_HOST_DEVICE
  void
  WriteUnaligned(const Tile<TRowGroup> & tile,
                 std::uint32_t           group,
                 const WordPosition &    position,
                 unsigned int            row,
                 std::uint32_t           vector) const
  {
    const TileLayout<TRowGroup> & tiles = shared.tiles;
    TOutput * const pixels = output + tiles.PixelsBefore(position, row % TRowGroup::Rows, row / TRowGroup::Rows);
    // If the first vec4 starts before the row, x wraps around.
    const std::uint32_t                  x = 4 * vector - MisalignmentOf(pixels);
    const BitWindow<std::uint32_t, 4, 3> window(x, tiles.RowSize());
    if (x >= tiles.RowSize() && window.skipped == 0)
    {
      return;
    }
    const std::uint32_t word = group * tiles.WordsOfRow() + window.word;
    const Word          columns = tile.bits[word].Columns();
    const Word          nextColumns = window.hasNext ? tile.bits[word + 1].Columns() : 0;
    const unsigned int  foreground = window.Extract(columns, nextColumns);
    const auto          labelAt = [&](unsigned int starts) {
      const unsigned int at = window.bit + LowestBit(Word{ starts }) - window.skipped;
      return at < BitsPerWord ? this->LabelOf(tile, word, columns, at)
                                       : this->LabelOf(tile, word + 1, nextColumns, at - BitsPerWord);
    };
    Vec4Labels<TOutput> labels{};
    if (foreground != 0)
    {
      labels.first = labelAt(foreground);
      labels.secondStart = SecondStart(foreground);
      if (labels.secondStart != 0)
      {
        labels.second = labelAt(labels.secondStart);
      }
    }
    const Word nextBits = window.hasNext ? tile.bits[word + 1].rows[row] : 0;
    StoreVec4(pixels,
              tiles.RowSize(),
              x,
              MakeVec4(window.Extract(tile.bits[word].rows[row], nextBits),
                       labels,
                       static_cast<TOutput>(labelValues.background)));
  }
};

} // namespace SegmentUnionFind

} // namespace itk::ccl

#endif
