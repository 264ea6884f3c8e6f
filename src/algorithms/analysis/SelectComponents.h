// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_SelectComponents_h
#define ccl_algorithms_analysis_SelectComponents_h

// Selects components by the rows of their table, and orders them. All work is on rows and runs, not on pixels. The
// images of a stack are independent: each has its largest components and its order.

#include "algorithms/analysis/ComponentTable.h"
#include "algorithms/runs/ImageRanks.h"
#include "executors/Executor.h"

#include "itkCudaConnectedComponentSelection.h"

#include <type_traits>
#include <utility>

namespace itk::ccl
{

using Selection = CudaConnectedComponentSelection;

/** Returns the columns that are measured: the wanted columns, and those that they and a selection follow from. */
inline TableColumns
ColumnsFor(const Selection & selection, const TableColumns & wanted)
{
  const Selection all;
  TableColumns    columns = wanted;
  columns.pixelCounts |= columns.values || selection.minimumSize > 1 || selection.maximumSize != all.maximumSize ||
                         selection.numberOfLargest != 0 || selection.order == Selection::OrderEnum::Size;
  columns.boundingBoxes |= columns.faces || selection.border != Selection::BorderEnum::Any;
  columns.firstPixels |= selection.pixelOrder != Selection::PixelOrderEnum::Raster;
  return columns;
}

namespace SelectComponents
{

/** Returns 1 for a component that satisfies the conditions on size, seeds and border, and 0 for others: the values of
 * a scan. */
template <typename TRun>
struct IsSelected
{
  SelectionColumns<TRun> table;
  const TRun *           seeded; // whether each component contains a seed; null if all are selected
  std::uint64_t          minimumSize;
  std::uint64_t          maximumSize;
  Selection::BorderEnum  border;
  Grid                   size;

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
    if (border == Selection::BorderEnum::Any)
    {
      return 1;
    }
    const bool isTouching = table.FacesAt(rank, size) != 0;
    return isTouching == (border == Selection::BorderEnum::Touching);
  }
};

/** Returns 1 for the first of the largest selected components of each image, and 0 for others: the values of a scan. */
template <typename TRun>
struct IsFirstLargest
{
  RanksOfImages<TRun> imageRanks;
  const TRun *        largest; // the complement of the rank of this component, for each image

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t rank) const
  {
    return static_cast<TRun>(~largest[imageRanks.ImageOf(static_cast<TRun>(rank))]) == rank;
  }
};

/** Returns 1 for a component that has a position, and 0 for others: the values of a scan. */
template <typename TRun>
struct HasPosition
{
  const TRun * positions;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t rank) const
  {
    return positions[rank] != NoLabel<TRun>;
  }
};

/** Kernel functor that finds the size of the largest selected component of each image. A cell is a component. */
template <typename TRun>
struct RaiseLargestSize
{
  IsSelected<TRun>    isSelected;
  RanksOfImages<TRun> imageRanks;
  TRun *              largestSizes; // an element for each image

  CCL_HOST_DEVICE
  void
  operator()(const Cell & component) const
  {
    const TRun   pixels = isSelected.table.pixelCounts[component.x];
    TRun * const largestSize = largestSizes + imageRanks.ImageOf(static_cast<TRun>(component.x));
    // Most components are smaller than a size that is known already. A stale size costs an atomic operation only.
    if (pixels > LoadCurrent(largestSize) && isSelected(component.x) != 0)
    {
      AtomicMaxShared(largestSize, pixels);
    }
  }
};

/** Kernel functor that finds the first selected component of the largest size in each image. A cell is a component. */
template <typename TRun>
struct FindFirstLargest
{
  IsSelected<TRun>    isSelected;
  RanksOfImages<TRun> imageRanks;
  const TRun *        largestSizes;
  TRun *              largest; // the complement of its rank, for each image; 0 at first

  CCL_HOST_DEVICE
  void
  operator()(const Cell & component) const
  {
    const auto          rank = static_cast<TRun>(component.x);
    const std::uint64_t image = imageRanks.ImageOf(rank);
    const bool          isLargest = isSelected.table.pixelCounts[rank] == largestSizes[image];
    const auto          complement = static_cast<TRun>(~rank);
    if (isLargest && complement > LoadCurrent(largest + image) && isSelected(rank) != 0)
    {
      AtomicMaxShared(largest + image, complement);
    }
  }
};

/** Visitor of a scan that writes the positions of the selected components in the order of their ranks, and the list of
 * their ranks. Other components get NoLabel. */
template <typename TRun, typename TIsSelected>
struct NumberInOrderOfRanks
{
  TIsSelected isSelected;
  TRun *      positions;
  TRun *      ranks;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t rank, TRun position) const
  {
    if (isSelected(rank) != 0)
    {
      ranks[position] = static_cast<TRun>(rank);
      positions[rank] = position;
    }
    else
    {
      positions[rank] = NoLabel<TRun>;
    }
  }
};

/** Kernel functor that makes the keys for a sort by a value of the listed components, or by its complement. A cell is
 * an element of the list's memory. After the components, the keys are 0, which is lower than all keys of components,
 * and the ranks are 0, because the sort reads them. */
template <typename TRun>
struct CopyKeys
{
  TRun *              ranks; // of the listed components
  BoundedCount<TRun>  count;
  const TRun *        values; // of each component; null for its image
  RanksOfImages<TRun> imageRanks;
  bool                isAscending;
  TRun *              keys;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & position) const
  {
    TRun key = 0;
    if (position.x < count.GetOrZero())
    {
      const TRun rank = ranks[position.x];
      const TRun value = values != nullptr ? values[rank] : static_cast<TRun>(imageRanks.ImageOf(rank));
      key = isAscending ? static_cast<TRun>(~value) : value;
    }
    else
    {
      ranks[position.x] = 0;
    }
    keys[position.x] = key;
  }
};

/** Kernel functor that finds where the components of each image start in a list that is sorted by images. A cell is an
 * image. */
template <typename TRun>
struct FindStartOfImage
{
  RanksOfImages<TRun> imageRanks;
  const TRun *        ranks;
  BoundedCount<TRun>  count; // of listed components
  TRun *              starts;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & image) const
  {
    std::uint64_t begin = 0;
    std::uint64_t end = count.GetOrZero();
    while (begin < end)
    {
      const std::uint64_t middle = begin + (end - begin) / 2;
      if (imageRanks.ImageOf(ranks[middle]) < image.x)
      {
        begin = middle + 1;
      }
      else
      {
        end = middle;
      }
    }
    starts[image.x] = static_cast<TRun>(begin);
  }
};

/** Returns 1 for a position among the first `limit` of its image, and 0 for others: the values of a scan. */
template <typename TRun>
struct IsWithinLimit
{
  RanksOfImages<TRun> imageRanks;
  const TRun *        ranks;
  const TRun *        starts; // of each image in the list; null for one image
  std::uint64_t       limit;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t position) const
  {
    return position - (starts == nullptr ? 0 : starts[imageRanks.ImageOf(ranks[position])]) < limit;
  }
};

/** Visitor of a scan that copies the listed components within the limit to another list. */
template <typename TRun>
struct KeepWithinLimit
{
  IsWithinLimit<TRun> isWithinLimit;
  TRun *              kept;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t position, TRun keptPosition) const
  {
    if (isWithinLimit(position) != 0)
    {
      kept[keptPosition] = isWithinLimit.ranks[position];
    }
  }
};

/** Kernel functor that writes the position of each listed component. A cell is a position. */
template <typename TRun>
struct NumberInOrderOfList
{
  const TRun * ranks;
  TRun *       positions;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & position) const
  {
    positions[ranks[position.x]] = static_cast<TRun>(position.x);
  }
};

/** Kernel functor that replaces the rank of the component of each run by the component's position or by NoLabel. */
template <typename TRun>
struct RenumberRun
{
  const TRun * positions;
  TRun *       ranks;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & run) const
  {
    ranks[run.x] = positions[ranks[run.x]];
  }
};

} // namespace SelectComponents

/** The components that a selection keeps. */
template <typename TRun, typename TExecutor>
struct SelectedComponents
{
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<TRun>(0));

  BufferType         countMemory;
  BoundedCount<TRun> count;     // their number
  BufferType         ranks;     // in the order of their labels: the first `count` elements
  BufferType         positions; // of each component in this order, or NoLabel
};

/** Returns whether Select() sorts components. It then waits for their number, if the executor may wait. */
inline bool
IsSorting(const Selection & selection)
{
  return selection.numberOfLargest > 1 || selection.order == Selection::OrderEnum::Size ||
         selection.pixelOrder == Selection::PixelOrderEnum::TransposedRaster;
}

/** Selects components, and numbers the selected ones through all images. The table has a row for each component, and
 * the columns of ColumnsFor(). `seeded` is the result of MarkSeededComponents(), or null without seeds. `size` is the
 * size of one image. If the selection does not sort, `keptMemory` gets the number of the selected components, instead
 * of memory of the executor, unless it is null. */
template <typename TRun, typename TExecutor>
SelectedComponents<TRun, TExecutor>
Select(const TExecutor &              executor,
       const SelectionColumns<TRun> & table,
       const TRun *                   seeded,
       const BoundedCount<TRun> &     componentCount,
       const Grid &                   size,
       const RanksOfImages<TRun> &    imageRanks,
       const Selection &              selection,
       TRun *                         keptMemory = nullptr)
{
  using namespace SelectComponents;
  const std::uint64_t limit = componentCount.limit;
  const std::uint64_t images = imageRanks.images;
  auto                countMemory = executor.template Allocate<TRun>(2); // of the matches, and of the largest ones
  auto                rankBuffer = executor.template Allocate<TRun>(limit);
  auto                positionBuffer = executor.template Allocate<TRun>(limit);
  TRun *              count = keptMemory != nullptr ? keptMemory : countMemory.get();
  const auto          numberInOrderOfRanks = [&](const auto & isNumbered) {
    using IsNumberedType = std::decay_t<decltype(isNumbered)>;
    executor.template Scan<TRun>(
      componentCount,
      isNumbered,
      NumberInOrderOfRanks<TRun, IsNumberedType>{ isNumbered, positionBuffer.get(), rankBuffer.get() },
      count);
  };
  const auto finish = [&] {
    return SelectedComponents<TRun, TExecutor>{
      std::move(countMemory), { limit, count }, std::move(rankBuffer), std::move(positionBuffer)
    };
  };

  const IsSelected<TRun> isSelected{
    table, seeded, selection.minimumSize, selection.maximumSize, selection.border, size
  };
  if (selection.numberOfLargest == 1 && !IsSorting(selection))
  {
    // The most frequent selection needs no sort.
    const auto largestSizes = executor.template AllocateCleared<TRun>(images);
    const auto largest = executor.template AllocateCleared<TRun>(images);
    executor.ForEach(componentCount, RaiseLargestSize<TRun>{ isSelected, imageRanks, largestSizes.get() });
    executor.ForEach(componentCount,
                     FindFirstLargest<TRun>{ isSelected, imageRanks, largestSizes.get(), largest.get() });
    numberInOrderOfRanks(IsFirstLargest<TRun>{ imageRanks, largest.get() });
    return finish();
  }
  numberInOrderOfRanks(isSelected);
  if (!IsSorting(selection))
  {
    return finish();
  }
  const bool isTransposed = selection.pixelOrder == Selection::PixelOrderEnum::TransposedRaster;
  const bool isBySize = selection.order == Selection::OrderEnum::Size;
  const auto matches = AwaitIfPossible(executor, BoundedCount<TRun>(limit, count));
  const bool isLimited = selection.numberOfLargest != 0 && selection.numberOfLargest < matches.limit;
  if (!isLimited && !isBySize && !isTransposed)
  {
    return finish();
  }

  // Ranks are in raster order, and the sort is stable.
  const auto keys = executor.template Allocate<TRun>(matches.limit);
  const auto sortMemory = executor.template AllocateForSort<TRun>(matches.limit);
  const auto sortOnceBy = [&](const BoundedCount<TRun> & listed, const TRun * values, bool isAscending) {
    executor.ForEach(Grid{ listed.limit },
                     CopyKeys<TRun>{ rankBuffer.get(), listed, values, imageRanks, isAscending, keys.get() });
    executor.SortDescending(listed.limit, keys.get(), rankBuffer.get(), sortMemory);
  };
  const auto sortBy = [&](const BoundedCount<TRun> & listed, const TRun * values, bool isAscending) {
    sortOnceBy(listed, values, isAscending);
    if (images > 1)
    {
      sortOnceBy(listed, nullptr, true); // by images
    }
  };
  BoundedCount<TRun> kept = matches;
  if (isTransposed)
  {
    sortBy(matches, table.firstPixels, true);
  }
  if (isLimited || isBySize)
  {
    sortBy(matches, table.pixelCounts, false);
  }
  if (isLimited)
  {
    const auto starts = executor.template Allocate<TRun>(images == 1 ? 0 : images);
    if (images > 1)
    {
      executor.ForEach(Grid{ images }, FindStartOfImage<TRun>{ imageRanks, rankBuffer.get(), matches, starts.get() });
    }
    const IsWithinLimit<TRun> isWithinLimit{
      imageRanks, rankBuffer.get(), images == 1 ? nullptr : starts.get(), selection.numberOfLargest
    };
    auto list = executor.template Allocate<TRun>(limit);
    count = countMemory.get() + 1;
    executor.template Scan<TRun>(matches, isWithinLimit, KeepWithinLimit<TRun>{ isWithinLimit, list.get() }, count);
    rankBuffer = std::move(list);
    kept = { matches.limit, count };
  }
  if (isTransposed && isLimited && !isBySize)
  {
    sortBy(kept, table.firstPixels, true);
  }
  executor.Fill(positionBuffer.get(), limit, NoLabelByte);
  executor.ForEach(kept, NumberInOrderOfList<TRun>{ rankBuffer.get(), positionBuffer.get() });
  if (!isBySize && !isTransposed)
  {
    numberInOrderOfRanks(HasPosition<TRun>{ positionBuffer.get() });
  }
  return finish();
}

} // namespace itk::ccl

#endif
