// SPDX-License-Identifier: Apache-2.0
#include "HostCalls.h"

#include "Array.h"
#include "Threads.h"

#include "primitives/EqualPixels.h"
#include "primitives/LabelTable.h"
#include "primitives/PixelTypes.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace nb = nanobind;

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
    throw LabelOverflow("Number of objects (" + std::to_string(objects.size()) +
                        ") greater than maximum of output pixel type (" + std::to_string(maximumLabel) +
                        "). Choose a wider type.");
  }
  for (std::size_t i = 0; i < objects.size(); ++i)
  {
    table.SetNewLabel(objects[i].label, i + 1);
  }
  return objects.size();
}

} // namespace

std::uint64_t
RelabelHost(nb::handle    labels,
            nb::handle    output,
            bool          isBySize,
            std::uint64_t minimumSize,
            std::uint64_t numberOfLargest,
            bool          isTransposed,
            unsigned int  threads)
{
  const Array         from(labels, false, isTransposed);
  const Array         to(output, true, isTransposed);
  const std::uint64_t count = from.GetView().Count();
  if (to.GetView().size != from.GetView().size)
  {
    throw nb::value_error("the output must have the shape of the image");
  }
  constexpr std::uint64_t      small = std::uint64_t{ 1 } << 16; // takes less time than to start threads
  const nb::gil_scoped_release released;
  Threads                      pool(count <= small ? 1 : threads);
  return itk::ccl::VisitLabelType(from.GetView().type, [&](auto oldLabel) {
    using OldType = decltype(oldLabel);
    const auto * const  old = static_cast<const OldType *>(from.GetContiguous("the label image"));
    LabelTable<OldType> table(count);
    ForEachChunk(pool, count, [&](std::uint64_t begin, std::uint64_t end) {
      typename LabelTable<OldType>::Counter counter(table);
      ForEachRun(old, begin, end, [&](std::uint64_t, OldType label, std::uint64_t length) {
        if (label != 0)
        {
          counter.Add(label, length);
        }
      });
      counter.Finish();
    });
    auto objects = table.GetObjects();
    return itk::ccl::VisitLabelType(to.GetView().type, [&](auto newLabel) {
      using NewType = decltype(newLabel);
      auto * const        written = static_cast<NewType *>(to.GetContiguous("the output"));
      const std::uint64_t kept = AssignNewLabels(table,
                                                 objects,
                                                 isBySize,
                                                 minimumSize,
                                                 numberOfLargest,
                                                 static_cast<std::uint64_t>(std::numeric_limits<NewType>::max()));
      ForEachChunk(pool, count, [&](std::uint64_t begin, std::uint64_t end) {
        ForEachRun(old, begin, end, [&](std::uint64_t first, OldType label, std::uint64_t length) {
          std::fill_n(
            written + first, length, label == 0 ? NewType{ 0 } : static_cast<NewType>(table.GetNewLabel(label)));
        });
      });
      return kept;
    });
  });
}
