// SPDX-License-Identifier: Apache-2.0
#include "Relabel.h"

#include "engine/EqualPixels.h"
#include "engine/LabelTable.h"
#include "primitives/PixelTypes.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

using itk::ccl::LabelTable;

/** Calls body(begin, end) for chunks of the indices 0 to count - 1, on several threads. */
template <typename TBody>
void
ForEachChunk(Threads & threads, std::uint64_t count, const TBody & body)
{
  constexpr std::uint64_t chunk = std::uint64_t{ 1 } << 18;
  threads.Run((count + chunk - 1) / chunk, [&](std::uint64_t i) { body(i * chunk, std::min(count, (i + 1) * chunk)); });
}

/** Calls visit(begin, label, length) for each run of equal labels in a part of an array. */
template <typename TLabel, typename TVisitor>
void
ForEachRun(const TLabel * labels, std::uint64_t begin, std::uint64_t end, const TVisitor & visit)
{
  itk::ccl::ForEachRun(labels + begin, end - begin, [&](TLabel label, std::uint64_t length) {
    visit(begin, label, length);
    begin += length;
  });
}

/** Chooses the labels that stay, and sets their new labels. Returns their number. */
template <typename TLabel>
std::uint64_t
AssignNewLabels(LabelTable<TLabel> &                               table,
                std::vector<typename LabelTable<TLabel>::Object> & objects,
                bool                                               isBySize,
                std::uint64_t                                      minimumSize,
                std::uint64_t                                      numberOfLargest,
                std::uint64_t                                      maximumLabel)
{
  using Object = typename LabelTable<TLabel>::Object;
  for (const Object & object : objects)
  {
    table.SetNewLabel(object.label, 0);
  }
  objects.erase(
    std::remove_if(objects.begin(), objects.end(), [=](const Object & object) { return object.size < minimumSize; }),
    objects.end());
  const bool isLimited = numberOfLargest != 0 && numberOfLargest < objects.size();
  if (isLimited || isBySize)
  {
    std::stable_sort(
      objects.begin(), objects.end(), [](const Object & a, const Object & b) { return a.size > b.size; });
    objects.resize(isLimited ? numberOfLargest : objects.size());
    if (!isBySize)
    {
      std::sort(objects.begin(), objects.end(), [](const Object & a, const Object & b) { return a.label < b.label; });
    }
  }
  if (objects.size() > maximumLabel)
  {
    throw std::overflow_error("Number of objects (" + std::to_string(objects.size()) +
                              ") greater than maximum of output pixel type (" + std::to_string(maximumLabel) + ").");
  }
  for (std::size_t i = 0; i < objects.size(); ++i)
  {
    table.SetNewLabel(objects[i].label, i + 1);
  }
  return objects.size();
}

} // namespace

std::pair<std::uint64_t, std::uint64_t>
Relabel(const Array & labels,
        const Array & output,
        bool          isBySize,
        std::uint64_t minimumSize,
        std::uint64_t numberOfLargest,
        Threads &     threads)
{
  const std::uint64_t count = labels.GetView().Count();
  return VisitInteger(labels.GetView().type, [&](auto oldLabel) {
    using OldType = decltype(oldLabel);
    const auto * const  old = static_cast<const OldType *>(labels.GetContiguous("the label image"));
    LabelTable<OldType> table(count);
    ForEachChunk(threads, count, [&](std::uint64_t begin, std::uint64_t end) {
      typename LabelTable<OldType>::Counter counter(table);
      ForEachRun(old, begin, end, [&](std::uint64_t, OldType label, std::uint64_t length) {
        if (label != 0)
        {
          counter.Add(label, length);
        }
      });
      counter.Finish();
    });
    auto                objects = table.GetObjects();
    const std::uint64_t found = objects.size();
    return VisitInteger(output.GetView().type, [&](auto newLabel) {
      using NewType = decltype(newLabel);
      auto * const        written = static_cast<NewType *>(output.GetContiguous("the output"));
      const std::uint64_t kept = AssignNewLabels(table,
                                                 objects,
                                                 isBySize,
                                                 minimumSize,
                                                 numberOfLargest,
                                                 static_cast<std::uint64_t>(std::numeric_limits<NewType>::max()));
      ForEachChunk(threads, count, [&](std::uint64_t begin, std::uint64_t end) {
        ForEachRun(old, begin, end, [&](std::uint64_t first, OldType label, std::uint64_t length) {
          std::fill_n(
            written + first, length, label == 0 ? NewType{ 0 } : static_cast<NewType>(table.GetNewLabel(label)));
        });
      });
      return std::make_pair(kept, found);
    });
  });
}
