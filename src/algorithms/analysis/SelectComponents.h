// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_analysis_SelectComponents_h
#define ccl_algorithms_analysis_SelectComponents_h

// Selects components by the rows of their table, and orders them. All work is on rows and runs, not on pixels. The
// images of a stack are independent: each has its largest components and its order. In labeling by value, so are the
// values of an image, if the selection is per value: components of one image and one value are a group.

#include "algorithms/analysis/ComponentTable.h"
#include "algorithms/runs/ImageRanks.h"
#include "executors/Executor.h"
#include "primitives/EqualValues.h"

#include "itkCudaConnectedComponentSelection.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

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
                         selection.numberOfLargest != 0 || selection.order == Selection::OrderEnum::Size ||
                         !selection.sizesOfValues.empty();
  columns.boundingBoxes |= columns.faces || selection.border != Selection::BorderEnum::Any;
  columns.firstPixels |= selection.pixelOrder != Selection::PixelOrderEnum::Raster;
  columns.values |= (selection.perValue && selection.numberOfLargest != 0) || !selection.sizesOfValues.empty();
  return columns;
}

namespace SelectComponents
{

/** The images and the values of components. */
template <typename TRun>
struct ComponentGroups
{
  RanksOfImages<TRun> imageRanks;
  RunValues           values;               // of runs
  const TRun *        runOfRanks = nullptr; // a run of each component, if values are wanted

  CCL_HOST_DEVICE
  std::uint64_t
  KeyOf(std::uint64_t rank) const
  {
    return values.KeyOf(runOfRanks[rank]);
  }

  /** Returns whether two components are in one image and, if `perValue`, have one value. NaN equals nothing. */
  CCL_HOST_DEVICE
  bool
  AreTogether(TRun a, TRun b, bool perValue) const
  {
    return imageRanks.ImageOf(a) == imageRanks.ImageOf(b) &&
           (!perValue || values.AreEqual(runOfRanks[a], runOfRanks[b]));
  }
};

/** The numbers of the groups of components: those of the images, or those of the values of one byte of each image. */
template <typename TRun>
struct GroupNumbers
{
  static constexpr std::uint64_t Values = 256;

  ComponentGroups<TRun> groups;
  bool                  perValue;

  std::uint64_t
  Count() const
  {
    return groups.imageRanks.images * (perValue ? Values : 1);
  }

  CCL_HOST_DEVICE
  std::uint64_t
  operator()(TRun rank) const
  {
    const std::uint64_t image = groups.imageRanks.ImageOf(rank);
    return perValue ? image * Values + groups.KeyOf(rank) : image;
  }
};

/** What the conditions for the sizes of values say of a component. */
enum ValueState : std::uint8_t
{
  OtherValue, // none is for its value: it is selected
  Possible,   // it satisfies them
  Refused
};

/** Limits of the sizes of the components with a value. The key is that of RunValues. */
struct SizesOfKey
{
  std::uint64_t key;
  std::uint64_t minimumSize;
  std::uint64_t maximumSize;
};

/** Kernel functor that finds the ValueState of components with some values. A cell is a component. */
template <typename TRun>
struct MarkValues
{
  /** Number of values that a kernel gets as its arguments. */
  static constexpr unsigned int Capacity = 64;

  ComponentGroups<TRun> groups;
  const TRun *          pixelCounts;
  std::uint8_t *        states;
  unsigned int          count;
  SizesOfKey            sizes[Capacity]; // in ascending order of the keys

  CCL_HOST_DEVICE
  void
  operator()(const Cell & component) const
  {
    const std::uint64_t key = groups.KeyOf(component.x);
    unsigned int        begin = 0;
    for (unsigned int end = count; end - begin > 1;)
    {
      const unsigned int middle = begin + (end - begin) / 2;
      (sizes[middle].key <= key ? begin : end) = middle;
    }
    if (sizes[begin].key == key)
    {
      const std::uint64_t pixels = pixelCounts[component.x];
      const bool          isPossible = pixels >= sizes[begin].minimumSize && pixels <= sizes[begin].maximumSize;
      states[component.x] = isPossible ? Possible : Refused;
    }
  }
};

/** Returns 1 for a component that satisfies the conditions on size, value, seeds and border, and 0 for others: the
 * values of a scan. */
template <typename TRun>
struct IsSelected
{
  SelectionColumns<TRun> table;
  const TRun *           seeded; // whether each component contains a seed; null if all are selected
  const std::uint8_t *   states; // the ValueState of each component; null without conditions
  std::uint64_t          minimumSize;
  std::uint64_t          maximumSize;
  Selection::BorderEnum  border;
  Grid                   size;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t rank) const
  {
    if (states != nullptr && states[rank] != Possible)
    {
      return states[rank] == OtherValue;
    }
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

/** Returns 1 for the first of the largest selected components of each group, or for all of them, and 0 for others: the
 * values of a scan. Components without a condition for their value are selected. */
template <typename TRun>
struct IsLargest
{
  IsSelected<TRun>   isSelected;
  GroupNumbers<TRun> groupOf;
  const TRun *       largestSizes;
  const TRun *       largest; // the complement of the rank of the first one, for each group; null for all

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t rank) const
  {
    if (isSelected.states != nullptr && isSelected.states[rank] == OtherValue)
    {
      return 1;
    }
    const std::uint64_t group = groupOf(static_cast<TRun>(rank));
    return largest != nullptr ? static_cast<TRun>(~largest[group]) == rank
                              : isSelected.table.pixelCounts[rank] == largestSizes[group] && isSelected(rank) != 0;
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

/** Returns whether a component is selected, by a condition or, inverted, by its opposite: 1 or 0. */
template <typename TRun, typename TCondition>
struct IsKept
{
  TCondition condition;
  bool       invert;

  CCL_HOST_DEVICE
  TRun
  operator()(std::uint64_t rank) const
  {
    return (condition(rank) != 0) != invert;
  }
};

/** Kernel functor that finds the size of the largest selected component of each group. A cell is a component. */
template <typename TRun>
struct RaiseLargestSize
{
  IsSelected<TRun>   isSelected;
  GroupNumbers<TRun> groupOf;
  TRun *             largestSizes; // an element for each group

  CCL_HOST_DEVICE
  void
  operator()(const Cell & component) const
  {
    const TRun   pixels = isSelected.table.pixelCounts[component.x];
    TRun * const largestSize = largestSizes + groupOf(static_cast<TRun>(component.x));
    // Most components are smaller than a size that is known already. A stale size costs an atomic operation only.
    if (pixels > LoadCurrent(largestSize) && isSelected(component.x) != 0)
    {
      AtomicMaxShared(largestSize, pixels);
    }
  }
};

/** Kernel functor that finds the first selected component of the largest size in each group. A cell is a component. */
template <typename TRun>
struct FindFirstLargest
{
  IsSelected<TRun>   isSelected;
  GroupNumbers<TRun> groupOf;
  const TRun *       largestSizes;
  TRun *             largest; // the complement of its rank, for each group; 0 at first

  CCL_HOST_DEVICE
  void
  operator()(const Cell & component) const
  {
    const auto          rank = static_cast<TRun>(component.x);
    const std::uint64_t group = groupOf(rank);
    const bool          isLargest = isSelected.table.pixelCounts[rank] == largestSizes[group];
    const auto          complement = static_cast<TRun>(~rank);
    if (isLargest && complement > LoadCurrent(largest + group) && isSelected(rank) != 0)
    {
      AtomicMaxShared(largest + group, complement);
    }
  }
};

/** Visitor of a scan that writes the positions of the selected components in the order of their ranks, and the list of
 * their ranks. Other components get NoLabel. */
template <typename TRun>
struct NumberInOrderOfRanks
{
  TRun * positions;
  TRun * ranks;

  CCL_HOST_DEVICE
  void
  operator()(std::uint64_t rank, TRun position, TRun isSelected) const
  {
    if (isSelected != 0)
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

/** What a list of components is sorted by. */
enum class SortKey
{
  PixelCount,  // the largest first
  FirstPixel,  // the lowest first
  LowerValue,  // the lower 32 bits of the value
  HigherValue, // the higher 32 bits
  Image        // the first image first
};

/** Kernel functor that makes the keys for a sort of the listed components. A cell is an element of the list's memory.
 * After the components, the keys are 0, which is not higher than keys of components, and the ranks are 0, because the
 * sort reads them. */
template <typename TRun>
struct StoreSortKeys
{
  TRun *                 ranks; // of the listed components
  BoundedCount<TRun>     count;
  SelectionColumns<TRun> table;
  ComponentGroups<TRun>  groups;
  SortKey                sortKey;
  TRun *                 keys;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & position) const
  {
    if (position.x < count.GetOrZero())
    {
      keys[position.x] = this->KeyOf(ranks[position.x]);
    }
    else
    {
      ranks[position.x] = 0;
      keys[position.x] = 0;
    }
  }

private:
  /** Returns the key of a component: a higher one comes first. */
  CCL_HOST_DEVICE
  TRun
  KeyOf(TRun rank) const
  {
    switch (sortKey)
    {
      case SortKey::PixelCount:
        return table.pixelCounts[rank];
      case SortKey::FirstPixel:
        return static_cast<TRun>(~table.firstPixels[rank]);
      case SortKey::LowerValue:
        return static_cast<std::uint32_t>(groups.KeyOf(rank));
      case SortKey::HigherValue:
        return static_cast<std::uint32_t>(groups.KeyOf(rank) >> 32);
      case SortKey::Image:
        break;
    }
    return static_cast<TRun>(~static_cast<TRun>(groups.imageRanks.ImageOf(rank)));
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

/** Kernel functor that writes the position of each listed component that is among the first of its group. The list is
 * sorted by groups. A cell is a position. */
template <typename TRun>
struct NumberFirstOfGroups
{
  ComponentGroups<TRun> groups;
  bool                  perValue;
  const std::uint8_t *  states; // as in IsSelected: components of other values are not counted
  std::uint64_t         limit;
  const TRun *          ranks;
  TRun *                positions;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & position) const
  {
    const TRun rank = ranks[position.x];
    if (position.x < limit || (states != nullptr && states[rank] == OtherValue) ||
        !groups.AreTogether(rank, ranks[position.x - limit], perValue))
    {
      positions[rank] = static_cast<TRun>(position.x);
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

/** Returns whether Select() may sort components. It then waits for their number, if the executor may wait. */
inline bool
IsSorting(const Selection & selection)
{
  return selection.numberOfLargest > (selection.perValue ? 0 : 1) || selection.order == Selection::OrderEnum::Size ||
         selection.pixelOrder == Selection::PixelOrderEnum::TransposedRaster;
}

/** Finds the ValueState of each component. Returns empty memory if the selection has no conditions for values. */
template <typename TRun, typename TExecutor>
auto
MarkValuesOf(const TExecutor &                               executor,
             const SelectionColumns<TRun> &                  table,
             const SelectComponents::ComponentGroups<TRun> & groups,
             const BoundedCount<TRun> &                      componentCount,
             const Selection &                               selection,
             PixelType                                       type)
{
  using FunctorType = SelectComponents::MarkValues<TRun>;
  std::vector<SelectComponents::SizesOfKey> sizes;
  for (const auto & condition : selection.sizesOfValues)
  {
    if (const auto bits = condition.value.FindBits(type, ImageView::Value::RoleEnum::Pixel))
    {
      const std::uint64_t key = VisitWidth(type, [&](auto width) -> std::uint64_t {
        return ValueKeys<decltype(width)>::Of(type)(static_cast<decltype(width)>(*bits));
      });
      sizes.push_back({ key, condition.minimumSize, condition.maximumSize });
    }
  }
  std::sort(sizes.begin(), sizes.end(), [](const auto & a, const auto & b) { return a.key < b.key; });
  auto states =
    executor.template AllocateCleared<std::uint8_t>(selection.sizesOfValues.empty() ? 0 : componentCount.limit);
  for (std::size_t begin = 0; begin < sizes.size(); begin += FunctorType::Capacity)
  {
    const auto  count = std::min<std::size_t>(FunctorType::Capacity, sizes.size() - begin);
    FunctorType functor{ groups, table.pixelCounts, states.get(), static_cast<unsigned int>(count), {} };
    std::copy_n(sizes.begin() + static_cast<std::ptrdiff_t>(begin), count, functor.sizes);
    executor.ForEach(componentCount, functor);
  }
  return states;
}

/** Selects components, and numbers the selected ones through all images. The table has a row for each component, and
 * the columns of ColumnsFor(). `seeded` is the result of MarkSeededComponents(), or null without seeds. `size` is the
 * size of one image, and `type` its pixel type. If the selection does not sort, `keptMemory` gets the number of the
 * selected components, instead of memory of the executor, unless it is null. */
template <typename TRun, typename TExecutor>
SelectedComponents<TRun, TExecutor>
Select(const TExecutor &                               executor,
       const SelectionColumns<TRun> &                  table,
       const TRun *                                    seeded,
       const BoundedCount<TRun> &                      componentCount,
       const Grid &                                    size,
       const SelectComponents::ComponentGroups<TRun> & groups,
       const Selection &                               selection,
       PixelType                                       type = PixelType::UInt8,
       TRun *                                          keptMemory = nullptr)
{
  using namespace SelectComponents;
  const std::uint64_t limit = componentCount.limit;
  const std::uint64_t images = groups.imageRanks.images;
  auto                countMemory = executor.template Allocate<TRun>(1);
  auto                rankBuffer = executor.template Allocate<TRun>(limit);
  auto                positionBuffer = executor.template Allocate<TRun>(limit);
  TRun * const        ranks = rankBuffer.get();
  TRun * const        positions = positionBuffer.get();
  TRun * const        count = keptMemory != nullptr ? keptMemory : countMemory.get();
  const auto          list = [&](const auto & condition, bool invert) {
    executor.template Scan<TRun>(componentCount,
                                 IsKept<TRun, std::decay_t<decltype(condition)>>{ condition, invert },
                                 NumberInOrderOfRanks<TRun>{ positions, ranks },
                                 count);
  };

  const bool             isTransposed = selection.pixelOrder == Selection::PixelOrderEnum::TransposedRaster;
  const bool             isBySize = selection.order == Selection::OrderEnum::Size;
  const auto             states = MarkValuesOf(executor, table, groups, componentCount, selection, type);
  const bool             hasStates = !selection.sizesOfValues.empty();
  const IsSelected<TRun> isSelected{
    table, seeded, hasStates ? states.get() : nullptr, selection.minimumSize, selection.maximumSize, selection.border,
    size
  };
  // Ranks are in raster order, and sorts are stable.
  const auto sort = [&](const BoundedCount<TRun> & listed, bool bySize, bool byValue) {
    const auto keys = executor.template Allocate<TRun>(listed.limit);
    const auto sortMemory = executor.template AllocateForSort<TRun>(listed.limit);
    const auto sortBy = [&](SortKey sortKey) {
      executor.ForEach(Grid{ listed.limit }, StoreSortKeys<TRun>{ ranks, listed, table, groups, sortKey, keys.get() });
      executor.SortDescending(listed.limit, keys.get(), ranks, sortMemory);
    };
    if (isTransposed)
    {
      sortBy(SortKey::FirstPixel);
    }
    if (bySize)
    {
      sortBy(SortKey::PixelCount);
    }
    if (byValue)
    {
      sortBy(SortKey::LowerValue);
      if (SizeOf(type) == 8)
      {
        sortBy(SortKey::HigherValue);
      }
    }
    if (images > 1)
    {
      sortBy(SortKey::Image);
    }
  };

  const std::uint64_t limitOfGroup = selection.numberOfLargest;
  if (limitOfGroup == 0)
  {
    list(isSelected, selection.invert);
  }
  else if (limitOfGroup == 1 && (!selection.perValue || SizeOf(type) == 1) && (selection.keepsTies || !isTransposed))
  {
    // The most frequent selections need no sort.
    const GroupNumbers<TRun> groupOf{ groups, selection.perValue };
    const auto               largestSizes = executor.template AllocateCleared<TRun>(groupOf.Count());
    const auto               largest = executor.template AllocateCleared<TRun>(groupOf.Count());
    executor.ForEach(componentCount, RaiseLargestSize<TRun>{ isSelected, groupOf, largestSizes.get() });
    if (!selection.keepsTies)
    {
      executor.ForEach(componentCount,
                       FindFirstLargest<TRun>{ isSelected, groupOf, largestSizes.get(), largest.get() });
    }
    list(IsLargest<TRun>{ isSelected, groupOf, largestSizes.get(), selection.keepsTies ? nullptr : largest.get() },
         selection.invert);
  }
  else
  {
    list(isSelected, false);
    const auto matches = AwaitIfPossible(executor, BoundedCount<TRun>(limit, count));
    sort(matches, true, selection.perValue);
    executor.Fill(positions, limit, NoLabelByte);
    executor.ForEach(
      matches,
      NumberFirstOfGroups<TRun>{ groups, selection.perValue, isSelected.states, limitOfGroup, ranks, positions });
    list(HasPosition<TRun>{ positions }, selection.invert);
  }
  if (isTransposed || isBySize)
  {
    const auto kept = AwaitIfPossible(executor, BoundedCount<TRun>(limit, count));
    sort(kept, isBySize, false);
    executor.Fill(positions, limit, NoLabelByte);
    executor.ForEach(kept, NumberInOrderOfList<TRun>{ ranks, positions });
  }
  return { std::move(countMemory), { limit, count }, std::move(rankBuffer), std::move(positionBuffer) };
}

} // namespace itk::ccl

#endif
