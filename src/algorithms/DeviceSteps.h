// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_DeviceSteps_h
#define ccl_algorithms_DeviceSteps_h

// The steps of a call on images in device memory, for calls that wait and for calls that do not. They are templates of
// the executor, so that MeasuringExecutor can measure the memory of a call that does not wait.

#include "algorithms/Request.h"
#include "algorithms/analysis/ExportRows.h"
#include "algorithms/runs/MaskWriteOut.h"
#include "algorithms/runs/PackForeground.h"
#include "algorithms/runs/RunLabelWriteOut.h"
#include "algorithms/runs/RunUnionFind.h"
#include "algorithms/runs/ValueRuns.h"
#include "primitives/PixelTypes.h"

#include "itkCudaConnectedComponentDeviceCall.h"

#include <type_traits>

namespace itk::ccl
{

/** Packs the pixels of the images of a request that are foreground. `bits` has an element for each word of the stack.
 * If the request wants values, the bytes of `values.memory` are 0 before the call. */
template <typename TRowGroup, typename TExecutor>
GroupedBits<TRowGroup, TExecutor>
PackImages(const TExecutor &    executor,
           const ImageView &    input,
           const Request &      request,
           Word *               bits,
           const SharedValues & values)
{
  const ImageStack                  stack = StackOf<TRowGroup>(request.size, request.images);
  GroupedBits<TRowGroup, TExecutor> grouped(executor, stack, bits);
  const Foreground foreground = request.isComplement ? request.foreground.Inverted() : request.foreground;
  const auto packIn = [&](const auto & groupedBits, const ImageView & image, const Foreground & of, bool isMasked) {
    VisitWidth(image.type, [&](auto width) {
      using BitsType = decltype(width);
      const StackPixels<const BitsType> pixels = PixelsOf(static_cast<const BitsType *>(image.pixels), image);
      PackRowGroups(executor,
                    pixels,
                    stack,
                    image.type,
                    of,
                    bits,
                    groupedBits,
                    isMasked,
                    request.wantsValues ? values : SharedValues{});
    });
  };
  const auto packMask = [&](const auto & groupedBits) {
    if (request.WantsMask())
    {
      packIn(groupedBits, request.mask, Foreground::NotZero(request.mask.type), false);
    }
  };
  if constexpr (TRowGroup::HasValues)
  {
    packMask(GroupedBits<SingleRow, TExecutor>(executor, stack, bits));
    PackValues(executor, input, stack, foreground, request.WantsMask(), bits, grouped.secondBits.get());
  }
  else
  {
    packMask(grouped);
    packIn(grouped, input, foreground, request.WantsMask());
  }
  return grouped;
}

/** The packed images of a call, and what the values of their pixels are. */
template <typename TRowGroup, typename TExecutor>
struct PackedImages
{
  template <typename T>
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<T>(0));

  BufferType<Word>                  bits;
  unsigned int                      copies;      // of the values of an image
  BufferType<ObservedValues>        valueMemory; // if the request wants values, and has no memory for them
  SharedValues                      values;
  GroupedBits<TRowGroup, TExecutor> grouped;

  /** \param zeros memory for the values of one image, all 0; or null if they take memory of the executor */
  PackedImages(const TExecutor & executor,
               const ImageView & input,
               const Request &   request,
               ObservedValues *  zeros = nullptr)
    : bits(
        executor.template Allocate<Word>(WordsOf(StackOf<TRowGroup>(request.size, request.images).GetGrid()).Count()))
    , copies(SharedValues::CopiesFor(WordsOf(request.size).Count()))
    , valueMemory(executor.template AllocateCleared<ObservedValues>(
        request.wantsValues && zeros == nullptr ? request.images * copies : 0))
    , values{ zeros != nullptr ? zeros : valueMemory.get(), copies }
    , grouped(PackImages<TRowGroup>(executor, input, request, bits.get(), values))
  {}
};

/** Writes the labels of the selected runs, or the filled images, to device memory. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
WriteOutput(const TExecutor &                                executor,
            const SelectedRuns<TRowGroup, TRun, TExecutor> & selected,
            const ImageView &                                input,
            const Request &                                  request,
            const ImageView &                                output)
{
  if (request.output == OutputKind::None)
  {
    return;
  }
  const ImageStack stack = StackOf<TRowGroup>(request.size, request.images);
  const auto       runs = selected.labeled.GetIndexed();
  if (request.output == OutputKind::Labels)
  {
    VisitWidth(output.type, [&](auto label) {
      using OutputType = decltype(label);
      WriteRunLabels<TRowGroup, TRun, OutputType>(executor,
                                                  runs,
                                                  selected.labeled.GetRanks(),
                                                  selected.imageRanks,
                                                  stack,
                                                  request.labelValues,
                                                  PixelsOf(static_cast<OutputType *>(output.pixels), output));
    });
    return;
  }
  const Grid words = runs.groups.rows.words;
  const auto mask = executor.template Allocate<Word>(words.Count());
  StoreMask(executor, runs.AsValueRows(), selected.labeled.GetRanks(), mask.get());
  VisitWidth(output.type, [&](auto pixel) {
    using OutputType = decltype(pixel);
    FillPixelsOfMask<TRun>(executor,
                           { words, mask.get() },
                           static_cast<const OutputType *>(input.pixels),
                           stack,
                           request.output == OutputKind::FilledInside,
                           static_cast<OutputType>(request.fillValue),
                           static_cast<OutputType *>(output.pixels));
  });
}

namespace DeviceSteps
{

/** Kernel functor that makes all images empty if there are more runs than there is memory for, so that later steps find
 * nothing. A cell's x is a word of rows, and maybe of the second bits. */
template <typename TRun>
struct EraseIfExceeded
{
  BoundedCount<TRun> runCount;
  std::uint64_t      words;
  std::uint64_t      secondBitWords;
  Word *             rows;
  Word *             secondBits;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & word) const
  {
    rows[word.x] = 0;
    if (word.x < secondBitWords)
    {
      secondBits[word.x] = 0;
    }
  }

  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  void
  Dispatch(const TVisitor & visit) const
  {
    if (runCount.IsExceeded())
    {
      visit(words, *this);
    }
  }
};

/** Kernel functor that writes the numbers of a call to memory of the caller, or to pinned host memory. A copy by CUDA
 * would take longer. A cell is an image. */
template <typename TRun>
struct StoreNumbers
{
  BoundedCount<TRun>             runCount;
  BoundedCount<TRun>             found;
  BoundedCount<TRun>             kept;
  RanksOfImages<TRun>            imageRanks;
  std::uint64_t                  mostLabels; // that an image may have
  std::uint64_t                  rows;       // that the table may have
  SharedValues                   values;
  ObservedValues *               copiedValues; // an element for each image
  std::uint64_t *                componentCounts;
  CudaConnectedComponentStatus * status; // `problems` is cleared before

  CCL_HOST_DEVICE
  void
  operator()(const Cell & image) const
  {
    const std::uint64_t all = kept.GetTrueCount();
    std::uint64_t       count = all;
    if (imageRanks.first != nullptr)
    {
      const std::uint64_t begin = Lower(imageRanks.first[image.x], all);
      const std::uint64_t end = image.x + 1 < imageRanks.images ? Lower(imageRanks.first[image.x + 1], all) : all;
      count = end - begin;
    }
    if (componentCounts != nullptr)
    {
      componentCounts[image.x] = count;
    }
    if (values.memory != nullptr)
    {
      copiedValues[image.x] = ObservedValues::OrOfCopies(values.memory + image.x * values.copies, values.copies);
    }
    if (status == nullptr)
    {
      return;
    }
    std::uint64_t problems = BitIf(count > mostLabels, CudaConnectedComponentStatus::TooManyLabels);
    if (image.x == 0)
    {
      status->runCount = runCount.GetTrueCount();
      status->originalComponentCount = found.GetTrueCount();
      status->componentCount = all;
      problems |= BitIf(runCount.IsExceeded(), CudaConnectedComponentStatus::TooManyRuns);
      problems |= BitIf(all > rows, CudaConnectedComponentStatus::TooManyRows);
    }
    if (problems != 0)
    {
      AtomicOr(reinterpret_cast<Word *>(&status->problems), static_cast<Word>(problems)); // the lower half
    }
  }

private:
  CCL_HOST_DEVICE
  static std::uint64_t
  BitIf(bool condition, CudaConnectedComponentStatus::Problem problem)
  {
    return condition ? std::uint64_t{ problem } : 0;
  }
  CCL_HOST_DEVICE
  static std::uint64_t
  Lower(std::uint64_t a, std::uint64_t b)
  {
    return a < b ? a : b;
  }
};

} // namespace DeviceSteps

/** Writes the numbers of a call, and the values of its pixels if `copiedValues` is not null. All other memory may be
 * null, too. The memory of the status is cleared before. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
StoreNumbersOf(const TExecutor &                                executor,
               const SelectedRuns<TRowGroup, TRun, TExecutor> & selected,
               const Request &                                  request,
               const CudaConnectedComponentDeviceCall &         call,
               const SharedValues &                             values = {},
               ObservedValues *                                 copiedValues = nullptr)
{
  executor.ForEach(
    Grid{ request.images },
    DeviceSteps::StoreNumbers<TRun>{ selected.labeled.runCount,
                                     selected.labeled.componentCount,
                                     selected.kept,
                                     selected.imageRanks,
                                     request.labelValues.maximumCount,
                                     request.wantsTable && call.table.rows != 0 ? call.table.rows : ~std::uint64_t{ 0 },
                                     values,
                                     copiedValues,
                                     call.componentCounts,
                                     call.status });
}

/** Enqueues all steps of a call, and waits for nothing. The memory of all arrays comes from the executor. */
template <typename TRowGroup, typename TRun, typename TExecutor>
void
EnqueueSteps(const TExecutor & executor, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  using namespace DeviceSteps;
  const PackedImages<TRowGroup, TExecutor> images(executor, call.input, request);
  const auto &                             groups = images.grouped.groups;
  const std::uint64_t                      mostRuns = MostRunsOf(groups);
  const bool                               mayExceed = call.runCapacity != 0 && call.runCapacity < mostRuns;
  const RunCapacity                        capacity = RunCapacity::AtMost(mayExceed ? call.runCapacity : mostRuns);
  auto labeled = LabelRuns<TRun>(executor, groups, request.neighbors, capacity, { &call.input }, { true });
  if (mayExceed)
  {
    const auto &        grouped = images.grouped;
    const std::uint64_t words = groups.rows.words.Count();
    executor.Dispatch(Grid{ words },
                      EraseIfExceeded<TRun>{
                        labeled.runCount, words, grouped.secondBitWords, images.bits.get(), grouped.secondBits.get() });
  }
  const auto selected = SelectComponentsOf(executor, std::move(labeled), request);
  WriteOutput(executor, selected, call.input, request, call.output);
  if (request.wantsTable && selected.analyzed)
  {
    ExportRows(executor, selected, { call.table.rows, selected.kept.address }, request, call.table);
  }
  if (call.status != nullptr)
  {
    executor.Fill(call.status, 1, 0);
  }
  if (call.status != nullptr || call.componentCounts != nullptr)
  {
    StoreNumbersOf(executor, selected, request, call);
  }
}

/** Does the same with the kind of row group for the request, also for images without pixels.
 * \tparam TRun the type of VisitIndexType(request.GetIndexLimit()) */
template <typename TRun, typename TExecutor>
void
EnqueueCallBy(const TExecutor & executor, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  if (!request.HasPixels())
  {
    if (call.status != nullptr)
    {
      executor.Fill(call.status, 1, 0);
    }
    if (call.componentCounts != nullptr)
    {
      executor.Fill(call.componentCounts, request.images, 0);
    }
    return;
  }
  request.VisitDeviceRowGroup([&](auto group) { EnqueueSteps<decltype(group), TRun>(executor, request, call); });
}

/** Does the same with the type of indices for the request. */
template <typename TExecutor>
void
EnqueueCall(const TExecutor & executor, const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  VisitIndexType(request.GetIndexLimit(), [&](auto run) { EnqueueCallBy<decltype(run)>(executor, request, call); });
}

} // namespace itk::ccl

#endif
