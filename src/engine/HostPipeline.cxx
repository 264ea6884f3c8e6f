// SPDX-License-Identifier: Apache-2.0

// Labels images in host memory.

#include "engine/Calls.h"
#include "engine/Checks.h"
#include "engine/HostComponents.h"
#include "engine/MemoryLimit.h"
#include "engine/Slabs.h"
#include "algorithms/analysis/ExportRows.h"
#include "algorithms/blocks/BlockPixels.h"
#include "algorithms/runs/HostRows.h"
#include "algorithms/runs/MaskWriteOut.h"
#include "algorithms/runs/RowUnionFind.h"
#include "algorithms/runs/RunUnionFind.h"
#include "primitives/ImageRows.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace itk::ccl
{

bool
IsCleared(const LabelerOptions & options, const ImageView & output, bool isZeroUseful)
{
  return options.outputIsUntouched && output.IsContiguous() &&
         PrepareUntouched(output.pixels, output.Count() * SizeOf(output.type), isZeroUseful);
}

namespace
{

/** Returns whether the host runs the functors of the device's kernels instead of those that are made for it. Tests use
 * this. */
bool
RunsKernels()
{
  // Read once: another thread may change the environment.
  static const bool isWanted = std::getenv("CUDA_CONNECTED_COMPONENTS_TEST_KERNELS") != nullptr;
  return isWanted;
}

/** Returns a function that packs the rows of the complement, or the pixels of each row that the mask has. */
CudaConnectedComponentLabeler::RowPackerType
MaskedPackerOf(const CudaConnectedComponentLabeler::RowPackerType & packRow, const Request & request)
{
  return
    [&packRow, &request, isInMask = Foreground::NotZero(request.mask.type)](std::uint64_t row, std::uint32_t * words) {
      packRow(row, words);
      const std::uint64_t columns = request.isComplement ? request.size.x : 0;
      for (std::uint64_t x = 0; x * BitsPerWord < columns; ++x)
      {
        words[x] = ComplementOfWord(words[x], columns, x);
      }
      if (request.WantsMask())
      {
        MaskRowOf(request.mask, row, isInMask, words);
      }
    };
}

/** Passes the runs of each row to a function of the caller. */
template <typename TRun>
void
PassRuns(const ParallelFor &                                   parallelFor,
         const HostRows &                                      bits,
         const HostRanks<TRun> &                               ranks,
         const ImageStack &                                    stack,
         const CudaConnectedComponentLabeler::RunVisitorType & visitRuns)
{
  const auto visitRow = [&](std::uint64_t row, std::uint64_t, const auto & forEachRun) {
    // One allocation of the right size.
    std::uint64_t count = 0;
    forEachRun([&count](std::uint64_t, std::uint64_t, TRun) { ++count; });
    std::vector<CudaConnectedComponentLabeler::Run> runs;
    runs.reserve(count);
    forEachRun([&](std::uint64_t begin, std::uint64_t end, TRun rank) { runs.push_back({ begin, end, rank }); });
    visitRuns(row, std::move(runs));
  };
  VisitLabeledRows(parallelFor, bits, ranks, stack, [&](std::uint64_t) { return visitRow; });
}

/** Writes the labels of the pixels and what a block keeps of them, or passes the runs to the caller. */
template <typename TRun>
void
WriteLabels(const LabelerOptions &      options,
            const ParallelFor &         parallelFor,
            const HostRows &            bits,
            const HostRanks<TRun> &     ranks,
            const RanksOfImages<TRun> & imageRanks,
            std::uint64_t               componentCount,
            const Request &             request,
            const HostOutput &          output)
{
  if (output.visitRuns != nullptr)
  {
    const ImageStack stack(request.size, request.images, bits.slicesOfGroup);
    PassRuns(parallelFor, bits, ranks, stack, *output.visitRuns);
    return;
  }
  if (output.block != nullptr)
  {
    StoreBlockPixels(parallelFor, bits, ranks, componentCount, *output.block);
  }
  if (output.labels.pixels == nullptr)
  {
    return;
  }
  Require(output.newLabels == nullptr || output.newLabels->size() == componentCount, [&] {
    return "there are " + std::to_string(output.newLabels->size()) + " new labels, and the number of components is " +
           std::to_string(componentCount);
  });
  VisitWidth(output.labels.type, [&](auto label) {
    using LabelType = decltype(label);
    const bool isZeroUseful = static_cast<LabelType>(request.labelValues.background) == 0;
    const bool hasBackground = IsCleared(options, output.labels, isZeroUseful);
    WriteLabelRows<LabelType>(parallelFor,
                              bits,
                              ranks,
                              imageRanks,
                              request.labelValues,
                              hasBackground,
                              output.labels,
                              output.newLabels == nullptr ? nullptr : output.newLabels->data());
  });
}

/** Labels the runs of images of bits on the host. */
template <typename TRun, typename TRowGroup>
LabeledRuns<TRowGroup, TRun, HostExecutor>
LabelRunsOnHost(const ParallelFor &         parallelFor,
                const HostBits<TRowGroup> & bits,
                const Request &             request,
                const LabelerOptions &      options)
{
  if (RunsKernels())
  {
    const std::uint64_t limit = MemoryLimitOf(options);
    if (limit != NoMemoryLimit && request.neighbors != Neighbors::All)
    {
      SlabLabeler<TRowGroup> slabs(parallelFor, bits, request);
      slabs.Cut(limit, [](const auto & part) {
        return part.groups.rows.words.Count() * sizeof(Word) + part.runs.runCount * 2 * sizeof(TRun);
      });
      return slabs.template Label<TRun>([&](const auto & part) { return PrepareForHost(parallelFor, part); });
    }
  }
  else if (request.neighbors != Neighbors::All)
  {
    if constexpr (TRowGroup::IsOneRow)
    {
      const bool wantsRunOffsets = !request.NeedsOnlyLabels() || request.images > 1;
      return LabelRunsByRow<TRun>(parallelFor,
                                  bits,
                                  request.neighbors,
                                  request.values,
                                  wantsRunOffsets,
                                  bits.hasThreads ? PartSize{} : PartSize::Whole());
    }
  }
  const auto capacity = RunCapacity::Exactly(bits.runs.total);
  return LabelRuns<TRun>(HostExecutor(parallelFor), bits.groups, request.neighbors, capacity, { &request.values });
}

/** A limit below this has no room for the memory that CUDA's pool takes at once. */
constexpr std::uint64_t SmallestLimitWithoutSlabs = std::uint64_t{ 64 } << 20;

/** Returns the most bytes of device memory for what a request returns besides labels. DeviceSession::MeasureBits() does
 * not contain them. */
std::uint64_t
OutputBytesOf(const Request & request, std::uint64_t words, std::uint64_t runCount)
{
  const std::uint64_t table = request.wantsTable ? WordsOfTable<CallersTable>(request.columns, runCount) : 0;
  const std::uint64_t mask = request.output == OutputKind::MaskBits ? words : 0;
  return table * sizeof(std::uint64_t) + mask * sizeof(Word);
}

/** Labels an image that the caller packs to bits, and writes the output of the request. The host packs the rows and
 * writes the output. The runs are labeled on a device, or on the host if `options.onHost` is set. */
template <typename TRowGroup>
CudaConnectedComponentTable
LabelRowsOnHost(const LabelerOptions &                               options,
                const CudaConnectedComponentLabeler::RowPackerType & packRow,
                const Request &                                      request,
                const HostOutput &                                   output)
{
  const ImageStack    stack = StackOf<TRowGroup>(request.size, request.images);
  const bool          hasThreads = options.parallelFor && stack.GetGrid().Count() > Tuning::HostPixelsOfOneThread;
  const ParallelFor   parallelFor = hasThreads ? CheckedFor(options.parallelFor) : ParallelFor(SequentialFor);
  const std::uint64_t words = WordsOf(stack.GetGrid()).Count();
  const auto          pack = [&](Word * memory) {
    const auto packBy = [&](const auto & packer) {
      return PackRows<TRowGroup>(parallelFor, packer, stack, memory, Tuning::HostPixelsPerChunk, &request.values);
    };
    auto bits =
      request.isComplement || request.WantsMask() ? packBy(MaskedPackerOf(packRow, request)) : packBy(packRow);
    Report(options, 0.3F);
    return bits;
  };

  const auto write = [&](const HostRows & bits,
                         const auto &     ranks,
                         const auto &     imageRanks,
                         std::uint64_t    componentCount,
                         const auto &     visitMask) {
    if (request.output == OutputKind::None)
    {
      return;
    }
    Report(options, 0.6F);
    if (request.output == OutputKind::MaskBits)
    {
      visitMask();
    }
    else
    {
      WriteLabels(options, parallelFor, bits, ranks, imageRanks, componentCount, request, output);
    }
  };

  // All memory but that of a block is allocated before the output is written.
  const auto finish = [&](const HostBits<TRowGroup> & bits, Word * memory, auto labeled) {
    HostComponents     components(HostExecutor(parallelFor), request, std::move(labeled));
    const auto &       runs = components.selected.labeled;
    const auto * const ranks = runs.ranks.get();
    const auto &       imageRanks = components.selected.imageRanks;
    write(bits, HostRanks(ranks, runs.columnsOfRuns), imageRanks, components.table.componentCount, [&] {
      VisitSelectedRows(parallelFor, bits, runs.GetIndexed().OfColumns(), ranks, stack, memory, *output.visitMask);
    });
    return std::move(components.table);
  };
  if (options.onHost)
  {
    const auto                memory = AllocateOnHost<Word>(words);
    const HostBits<TRowGroup> bits = pack(memory.get());
    return VisitIndexType(request.GetIndexLimit(), [&](auto run) {
      return finish(bits, memory.get(), LabelRunsOnHost<decltype(run)>(parallelFor, bits, request, options));
    });
  }

  DeviceSession       session(options.deviceId);
  const std::uint64_t limit = MemoryLimitOf(options);
  if (limit != NoMemoryLimit)
  {
    session.HoldAtMost(limit); // of earlier calls, while the host packs
  }
  // Labeling needs more than the bits. The limit is one of pinned memory, too.
  const bool                isLarge = limit < SmallestLimitWithoutSlabs || words * sizeof(Word) > limit / 2;
  const auto                pageable = AllocateOnHost<Word>(isLarge ? words : 0);
  const HostArray           forCopies = isLarge ? HostArray() : AllocateForCopies(session, words);
  Word * const              memory = isLarge ? pageable.get() : static_cast<Word *>(forCopies.get());
  const HostBits<TRowGroup> bits = pack(memory);
  const auto                labelInSlabs = [&](std::uint64_t mostBytes) {
    if (request.neighbors == Neighbors::All)
    {
      throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::Memory,
                                        "device memory: whole values are not labeled in slabs, which join neighbors "
                                                       "only: set a higher limit, or label on the host");
    }
    SlabLabeler<TRowGroup> slabs(parallelFor, bits, request);
    CutForDevice(slabs, session, mostBytes);
    if (options.reportSlabs)
    {
      options.reportSlabs(slabs.GetCount());
    }
    float      prepared = 0;
    const auto prepare = [&](const auto & part) {
      Report(options, 0.3F + 0.3F * prepared++ / static_cast<float>(slabs.GetCount()));
      return PrepareForDevice(session, parallelFor, part.groups.rows.words.Count(), part.runs, part.request);
    };
    return VisitIndexType(request.GetIndexLimit(),
                          [&](auto run) { return finish(bits, memory, slabs.template Label<decltype(run)>(prepare)); });
  };
  const std::uint64_t bytes =
    isLarge ? limit
            : DeviceSession::MeasureBits(request, bits.runs.total) + OutputBytesOf(request, words, bits.runs.total);
  const bool isPublished = CudaConnectedComponentAlgorithms::Describe(request.algorithm).isPublished;
  // The pool keeps some memory.
  if (bytes > limit / 2 || (isPublished && limit != NoMemoryLimit))
  {
    return labelInSlabs(limit);
  }
  if (limit != NoMemoryLimit)
  {
    session.HoldAtMost(limit - bytes);
  }
  HostArray keys;
  if constexpr (TRowGroup::HasValues)
  {
    keys = AllocateForCopies(session, bits.runs.total * WordsOfKey(request.values.type));
    StoreKeysOfRows(parallelFor, bits, request.values, static_cast<Word *>(keys.get()));
  }
  RunLabels runs;
  try
  {
    runs = session.LabelBits({ bits.groups.rows.bits, bits.secondBits.get(), keys.get(), bits.runs.total }, request);
  }
  catch (const CudaConnectedComponentError & error)
  {
    if (error.GetKind() != CudaConnectedComponentError::KindEnum::Memory || isPublished)
    {
      throw;
    }
    return labelInSlabs(bytes / 2);
  }
  const auto useRanks = [&](auto zero) {
    using RunType = decltype(zero);
    const auto * const           ranks = static_cast<const RunType *>(runs.ranks.get());
    const RanksOfImages<RunType> imageRanks{ static_cast<const RunType *>(runs.imageRanks.get()), request.images };
    auto &                       table = runs.components.table;
    if (request.WantsIntensities())
    {
      const HostExecutor executor(parallelFor);
      const auto         offsets = executor.Allocate<RunType>(bits.groups.columns.words.Count());
      StoreRunOffsets(executor, bits.groups, offsets.get());
      table.intensities = HostComponents<TRowGroup, RunType>::MeasureIntensities(
        executor, { bits.groups, offsets.get() }, ranks, table.componentCount, request);
    }
    write(bits, HostRanks(ranks), imageRanks, table.componentCount, [&] {
      VisitMaskRows(parallelFor, static_cast<const Word *>(runs.mask.get()), stack, *output.visitMask);
    });
  };
  runs.wide ? useRanks(std::uint64_t{}) : useRanks(std::uint32_t{});
  return std::move(runs.components.table);
}

} // namespace

std::uint64_t
LabelRows(const LabelerOptions &                               options,
          const CudaConnectedComponentLabeler::RowPackerType & packRow,
          const Request &                                      request,
          const HostOutput &                                   output,
          CudaConnectedComponentTable *                        table)
{
  Report(options, 0.0F);
  CudaConnectedComponentTable result;
  result.componentCounts.resize(request.images); // images without pixels have no components
  if (request.HasPixels())
  {
    const auto label = [&](auto group) { return LabelRowsOnHost<decltype(group)>(options, packRow, request, output); };
    result = options.onHost && !RunsKernels() ? request.VisitHostRowGroup(label) : request.VisitPackedRowGroup(label);
  }
  const std::uint64_t objectCount = Deliver(std::move(result), table);
  if (request.HasPixels())
  {
    Report(options, 1.0F);
  }
  return objectCount;
}

} // namespace itk::ccl
