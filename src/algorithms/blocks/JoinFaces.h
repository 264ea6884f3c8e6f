// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_blocks_JoinFaces_h
#define ccl_algorithms_blocks_JoinFaces_h

// The seam between two blocks of an image: finds the components of one block that have neighbors in the other.

#include "primitives/EqualPixels.h"
#include "primitives/RowGroups.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** The labels of the pixels of a block in the plane beside another block. Any numbers can be labels that tell what has
 * to be joined, such as components or runs. In labeling by value, they belong to pixels of one value each. */
template <typename TLabel>
struct Face
{
  const TLabel *               labels; // row by row; 0 is background
  std::array<std::int64_t, 2>  origin; // the position of the first pixel in its plane, along the rows and across them
  std::array<std::uint64_t, 2> size;   // the number of pixels in a row, and the number of rows
};

namespace JoinFacesDetail
{

/** Neighboring pixels of a row with the same label. */
template <typename TLabel>
struct RunOfFace
{
  std::int64_t begin; // position of the first pixel
  std::int64_t end;   // of the last one + 1
  TLabel       label;
};

/** Finds the runs of a row of a face, from one position along the row to another. */
template <typename TLabel>
void
FindRuns(const Face<TLabel> &             face,
         std::int64_t                     row,
         std::int64_t                     begin,
         std::int64_t                     end,
         std::vector<RunOfFace<TLabel>> & runs)
{
  runs.clear();
  const TLabel * const labels = face.labels + static_cast<std::uint64_t>(row - face.origin[1]) * face.size[0];
  ForEachRun(labels + (begin - face.origin[0]),
             static_cast<std::uint64_t>(end - begin),
             [&runs, &begin](TLabel label, std::uint64_t length) {
               const std::int64_t next = begin + static_cast<std::int64_t>(length);
               if (label != TLabel{ 0 })
               {
                 runs.push_back({ begin, next, label });
               }
               begin = next;
             });
}

/** Calls visit(label, otherLabel) for each run and other run of two rows whose pixels have positions that differ by at
 * most `reach`. */
template <typename TLabel, typename TVisitor>
void
VisitAdjacent(const std::vector<RunOfFace<TLabel>> & runs,
              const std::vector<RunOfFace<TLabel>> & otherRuns,
              std::int64_t                           reach,
              const TVisitor &                       visit)
{
  auto first = otherRuns.begin();
  for (const auto & run : runs)
  {
    while (first != otherRuns.end() && first->end + reach <= run.begin)
    {
      ++first;
    }
    for (auto other = first; other != otherRuns.end() && other->begin < run.end + reach; ++other)
    {
      visit(run.label, other->label);
    }
  }
}

} // namespace JoinFacesDetail

/** Calls join(labelOfA, labelOfB) for pixels of two faces that are neighbors. The faces are planes of pixels side by
 * side: those of two blocks with a common face, edge or corner. Only the pixels within reach of the other face are
 * read. In an image of one slice, a face is a line, with one row.
 *
 * It calls join() at least once for each two labels that have neighboring pixels, and may do so several times; for long
 * components that lie side by side, it does so once. In labeling by value, join() compares the values that belong to
 * the labels. NaN equals nothing, so the pixels that are NaN may have the label 0.
 *
 * \param beginRow, endRow the rows of `a` to visit. Threads may visit different rows at the same time. */
template <typename TLabel, typename TJoin>
void
JoinFaces(const Face<TLabel> & a,
          const Face<TLabel> & b,
          Neighbors            neighbors,
          const TJoin &        join,
          std::uint64_t        beginRow = 0,
          std::uint64_t        endRow = std::numeric_limits<std::uint64_t>::max())
{
  using namespace JoinFacesDetail;
  const std::int64_t reach = neighbors == Neighbors::Face ? 0 : 1;
  const auto         endOf = [](const Face<TLabel> & face, unsigned int axis) {
    return face.origin[axis] + static_cast<std::int64_t>(face.size[axis]);
  };
  // The positions in `one` that are within reach of `other`.
  const auto positionsOf = [reach, &endOf](const Face<TLabel> & one, const Face<TLabel> & other, unsigned int axis) {
    return std::make_pair(std::max(one.origin[axis], other.origin[axis] - reach),
                          std::min(endOf(one, axis), endOf(other, axis) + reach));
  };
  const auto columnsOfA = positionsOf(a, b, 0);
  const auto columnsOfB = positionsOf(b, a, 0);
  const auto rowsOfA = positionsOf(a, b, 1);
  const auto rowsOfB = positionsOf(b, a, 1);
  const auto rowAt = [&a](std::uint64_t row) {
    return a.origin[1] + static_cast<std::int64_t>(std::min(row, a.size[1]));
  };
  const std::int64_t begin = std::max(rowsOfA.first, rowAt(beginRow));
  const std::int64_t end = std::min(rowsOfA.second, rowAt(endRow));
  if (columnsOfA.first >= columnsOfA.second || columnsOfB.first >= columnsOfB.second)
  {
    return;
  }

  std::pair<TLabel, TLabel> last{ 0, 0 };
  const auto                joinOthers = [&last, &join](TLabel label, TLabel other) {
    if (label != last.first || other != last.second)
    {
      last = { label, other };
      join(label, other);
    }
  };
  std::vector<RunOfFace<TLabel>> runs;
  std::vector<RunOfFace<TLabel>> otherRuns[3]; // of the rows of `b` before a row of `a`, beside it and after it
  std::int64_t                   next = rowsOfB.first;
  for (std::int64_t row = begin; row < end; ++row)
  {
    const std::int64_t firstOther = std::max(rowsOfB.first, row - reach);
    const std::int64_t endOther = std::min(rowsOfB.second, row + reach + 1);
    FindRuns(a, row, columnsOfA.first, columnsOfA.second, runs);
    if (runs.empty())
    {
      continue;
    }
    for (next = std::max(next, firstOther); next < endOther; ++next)
    {
      FindRuns(b, next, columnsOfB.first, columnsOfB.second, otherRuns[(next - rowsOfB.first) % 3]);
    }
    for (std::int64_t other = firstOther; other < endOther; ++other)
    {
      const bool isDiagonal = neighbors == Neighbors::Edge && other != row;
      VisitAdjacent(runs, otherRuns[(other - rowsOfB.first) % 3], isDiagonal ? 0 : reach, joinOthers);
    }
  }
}

} // namespace itk::ccl

#endif
