// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_SelectComponents_h
#define ccl_algorithms_analysis_SelectComponents_h

// Selects components by the rows of their table, and orders them. All work is on rows and runs, not on pixels.

#include "algorithms/analysis/ComponentTable.h"
#include "executors/Executor.h"
#include "primitives/LabelValues.h"

#include "itkCudaConnectedComponentSelection.h"

#include <algorithm>
#include <utility>

namespace itk::ccl
{

using Selection = CudaConnectedComponentSelection;

/** Returns the wanted columns, and the columns that a selection reads. */
inline TableColumns
ColumnsFor(const Selection & selection, const TableColumns & wanted)
{
  const Selection all;
  TableColumns    columns = wanted;
  columns.pixelCounts |= selection.minimumSize > 1 || selection.maximumSize != all.maximumSize ||
                         selection.numberOfLargest != 0 || selection.order == Selection::Order::Size;
  columns.faces |= selection.border != Selection::Border::Any;
  columns.firstPixels |= selection.pixelOrder != Selection::PixelOrder::Raster;
  return columns;
}

namespace SelectComponents
{

/** Returns 1 for a component that satisfies the conditions on size, seeds and border, and 0 for others: the values of
 * a scan. */
template <typename TRun, typename TSum>
struct IsSelected
{
  ComponentTable<TRun, TSum> table;
  const TRun *               seeded; // whether each component contains a seed; null if all are selected
  std::uint64_t              minimumSize;
  std::uint64_t              maximumSize;
  Selection::Border          border;
  Grid                       size;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t rank) const
  {
    if (seeded != nullptr && seeded[rank] == 0)
    {
      return 0;
    }
    if (table.pixelCounts != nullptr)
    {
      const std::uint64_t pixels = table.pixelCounts[rank];
      if (pixels < minimumSize || pixels > maximumSize)
      {
        return 0;
      }
    }
    if (border == Selection::Border::Any)
    {
      return 1;
    }
    const bool isTouching = table.FacesAt(rank, size) != 0;
    return isTouching == (border == Selection::Border::Touching);
  }
};

/** Returns 1 for a selected component of the largest size, and 0 for others: the values of a scan. */
template <typename TRun, typename TSum>
struct IsLargest
{
  IsSelected<TRun, TSum> isSelected;
  const TRun *           largestSize;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t rank) const
  {
    return isSelected.table.pixelCounts[rank] == *largestSize ? isSelected(rank) : 0;
  }
};

/** Returns 1 for a component that has a label, and 0 for others: the values of a scan. */
template <typename TRun>
struct HasLabel
{
  const TRun * labels;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t rank) const
  {
    return labels[rank] != NoLabel<TRun>;
  }
};

/** Kernel functor that finds the size of the largest selected component. A cell is a component. */
template <typename TRun, typename TSum>
struct RaiseLargestSize
{
  IsSelected<TRun, TSum> isSelected;
  TRun *                 largestSize;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & component) const
  {
    const TRun pixels = isSelected.table.pixelCounts[component.x];
    // Most components are smaller than a size that is known already. A stale size costs an atomic operation only.
    if (pixels > LoadCurrent(largestSize) && isSelected(component.x) != 0)
    {
      AtomicMax(largestSize, pixels);
    }
  }
};

/** Visitor of a scan that writes the labels of the first `limit` selected components in the order of their ranks, and
 * the list of their ranks. Other components get NoLabel. */
template <typename TRun, typename TIsSelected>
struct LabelInOrderOfRanks
{
  TIsSelected   isSelected;
  std::uint64_t limit;
  LabelValues   labelValues;
  TRun *        labels;
  TRun *        ranks;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t rank, TRun position) const
  {
    if (position < limit && isSelected(rank) != 0)
    {
      ranks[position] = static_cast<TRun>(rank);
      labels[rank] = static_cast<TRun>(labelValues.LabelOf(position));
    }
    else
    {
      labels[rank] = NoLabel<TRun>;
    }
  }
};

/** Kernel functor that copies the value of each listed component, or its complement, as the key of a sort. A cell is a
 * position in the list. */
template <typename TRun>
struct CopyKeys
{
  const TRun * values;
  const TRun * ranks;
  TRun *       keys;
  bool         isComplement;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & position) const
  {
    const TRun value = values[ranks[position.x]];
    keys[position.x] = isComplement ? static_cast<TRun>(~value) : value;
  }
};

/** Kernel functor that writes the labels of the listed components in the order of the list. Components from position
 * `end` on get NoLabel. A cell is a position. */
template <typename TRun>
struct LabelInOrderOfList
{
  const TRun *  ranks;
  std::uint64_t end;
  LabelValues   labelValues;
  TRun *        labels;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & position) const
  {
    labels[ranks[position.x]] = position.x < end ? static_cast<TRun>(labelValues.LabelOf(position.x)) : NoLabel<TRun>;
  }
};

/** Kernel functor that replaces the rank of the component of each run by the label of the component. */
template <typename TRun>
struct RelabelRun
{
  const TRun * labels;
  TRun *       labelsOfRuns;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    labelsOfRuns[run.x] = labels[labelsOfRuns[run.x]];
  }
};

/** Kernel functor that copies the rows of the listed components to another table. A cell is a position in the list. */
template <typename TRun, typename TSum>
struct CopyRow
{
  ComponentTable<TRun, TSum> from;
  ComponentTable<TRun, TSum> to;
  const TRun *               ranks;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & position) const
  {
    to.Copy(position.x, from, ranks[position.x]);
  }
};

} // namespace SelectComponents

/** The number of components that a selection keeps. */
template <typename TRun, typename TExecutor>
struct SelectedCount
{
  ResultOf<TRun, TExecutor> matches; // number of components that match the conditions
  std::uint64_t             limit;   // of the components to keep

  /** Returns the number. On the device, it waits for this number, but not for later work. */
  std::uint64_t
  Get() const
  {
    return std::min<std::uint64_t>(matches.Get(), limit);
  }
};

/** The components that a selection keeps. */
template <typename TRun, typename TExecutor>
struct SelectedComponents
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<TRun>(0));

  SelectedCount<TRun, TExecutor> count;
  BufferType                     ranks;  // in the order of their labels: the first `count` elements
  BufferType                     labels; // the label or NoLabel of each component, by its rank
};

/** Selects components. The table has a row for each component, and the columns of ColumnsFor(). `seeded` is the result
 * of MarkSeededComponents(), or null without seeds. */
template <typename TRun, typename TSum, typename TExecutor>
SelectedComponents<TRun, TExecutor>
Select(const TExecutor &                  executor,
       const ComponentTable<TRun, TSum> & table,
       const TRun *                       seeded,
       std::uint64_t                      componentCount,
       const Grid &                       size,
       const Selection &                  selection,
       const LabelValues &                labelValues)
{
  using namespace SelectComponents;
  const std::uint64_t limit = selection.numberOfLargest != 0 ? selection.numberOfLargest : componentCount;
  auto                rankBuffer = executor.template Allocate<TRun>(componentCount);
  auto                labelBuffer = executor.template Allocate<TRun>(componentCount);
  TRun * const        ranks = rankBuffer.get();
  TRun * const        labels = labelBuffer.get();
  const auto          labelInOrderOfRanks = [&](const auto & isLabeled, std::uint64_t labelLimit) {
    using IsLabeledType = std::decay_t<decltype(isLabeled)>;
    auto count = executor.template AllocateResult<TRun>();
    executor.template Scan<TRun>(
      { componentCount },
      isLabeled,
      LabelInOrderOfRanks<TRun, IsLabeledType>{ isLabeled, labelLimit, labelValues, labels, ranks },
      count.GetAddress());
    return count;
  };
  const auto select = [&](ResultOf<TRun, TExecutor> && matches) {
    return SelectedComponents<TRun, TExecutor>{ { std::move(matches), limit },
                                                std::move(rankBuffer),
                                                std::move(labelBuffer) };
  };

  const IsSelected<TRun, TSum> isSelected{
    table, seeded, selection.minimumSize, selection.maximumSize, selection.border, size
  };
  const bool isTransposed = selection.pixelOrder == Selection::PixelOrder::TransposedRaster;
  if (selection.numberOfLargest == 1 && !isTransposed)
  {
    // The most frequent selection needs no sort.
    const auto largestSize = executor.template Allocate<TRun>(1);
    executor.Fill(largestSize.get(), 1, 0);
    executor.ForEach(Grid{ componentCount }, RaiseLargestSize<TRun, TSum>{ isSelected, largestSize.get() });
    return select(labelInOrderOfRanks(IsLargest<TRun, TSum>{ isSelected, largestSize.get() }, limit));
  }
  auto       matches = labelInOrderOfRanks(isSelected, componentCount);
  const bool isBySize = selection.order == Selection::Order::Size;
  if (selection.numberOfLargest == 0 && !isBySize && !isTransposed)
  {
    return select(std::move(matches));
  }

  // Ranks are in raster order, and the sort is stable.
  const std::uint64_t matchCount = matches.Get();
  const std::uint64_t keptCount = std::min(matchCount, limit);
  const bool          isLimited = keptCount < matchCount;
  if (!isLimited && !isBySize && !isTransposed)
  {
    return select(std::move(matches));
  }
  const auto keys = executor.template Allocate<TRun>(matchCount);
  const auto sortList = [&](const TRun * values, std::uint64_t count, bool isAscending) {
    executor.ForEach(Grid{ count }, CopyKeys<TRun>{ values, ranks, keys.get(), isAscending });
    executor.SortDescending(count, keys.get(), ranks);
  };
  if (isTransposed)
  {
    sortList(table.firstPixels, matchCount, true);
  }
  if (isLimited || isBySize)
  {
    sortList(table.pixelCounts, matchCount, false);
    if (isTransposed && !isBySize)
    {
      sortList(table.firstPixels, keptCount, true);
    }
  }
  executor.ForEach(Grid{ matchCount }, LabelInOrderOfList<TRun>{ ranks, keptCount, labelValues, labels });
  if (!isBySize && !isTransposed)
  {
    // The result of this scan is the number of kept components, too. The host waits for it when it needs the number.
    return select(labelInOrderOfRanks(HasLabel<TRun>{ labels }, componentCount));
  }
  return select(std::move(matches));
}

/** Replaces the rank of the component of each run by the component's label, or by NoLabel. */
template <typename TRun, typename TExecutor>
void
RelabelRuns(const TExecutor & executor, const TRun * labels, const BoundedCount<TRun> & runCount, TRun * labelsOfRuns)
{
  executor.ForEach(runCount, SelectComponents::RelabelRun<TRun>{ labels, labelsOfRuns });
}

/** Copies the rows of the selected components, in the order of their labels. */
template <typename TRun, typename TSum, typename TExecutor>
void
CopySelectedRows(const TExecutor &                           executor,
                 const ComponentTable<TRun, TSum> &          from,
                 const SelectedComponents<TRun, TExecutor> & selected,
                 const ComponentTable<TRun, TSum> &          to)
{
  executor.ForEach(Grid{ selected.count.Get() },
                   SelectComponents::CopyRow<TRun, TSum>{ from, to, selected.ranks.get() });
}

} // namespace itk::ccl

#endif
