// SPDX-License-Identifier: Apache-2.0

// CudaConnectedComponentLabeler: checks the arguments, and labels on a device by a DeviceSession, or on the host.

#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkCudaConnectedComponentLabeler.h"

#include "engine/DeviceSession.h"
#include "algorithms/analysis/AnalyzeRuns.h"
#include "algorithms/analysis/UnpackTable.h"
#include "algorithms/runs/HostRows.h"
#include "primitives/PackScalars.h"
#include "algorithms/runs/RunUnionFind.h"

#include <algorithm>
#include <limits>

namespace itk
{

using ccl::Grid;

namespace
{

/** Throws CudaConnectedComponentError (InvalidArgument) with a message unless a condition is true. */
void
Require(bool condition, const std::string & message)
{
  if (!condition)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument, message);
  }
}

/** Returns the size as a grid. Throws CudaConnectedComponentError for more than 2^40 pixels. With fewer pixels, no size
 * or index overflows on the host or on the device. */
Grid
GridOf(const CudaConnectedComponentLabeler::SizeType & size)
{
  constexpr std::uint64_t maximum = std::uint64_t{ 1 } << 40;
  std::uint64_t           count = 1;
  for (const std::uint64_t n : size)
  {
    Require(n == 0 || count <= maximum / n,
            "the image has more than 2^40 pixels: " + std::to_string(size[0]) + " x " + std::to_string(size[1]) +
              " x " + std::to_string(size[2]));
    count *= n;
  }
  return { size[0], size[1], size[2] };
}

/** Returns the request for an image. Throws CudaConnectedComponentError if the algorithm does not support the
 * connectivity of the options. */
ccl::Request
RequestFor(const CudaConnectedComponentLabeler::Options & options,
           const Grid &                                   size,
           const ccl::LabelValues &                       labelValues,
           bool                                           wantsTable,
           bool                                           wantsLabels)
{
  const auto & algorithm = CudaConnectedComponentAlgorithms::Describe(options.algorithm);
  Require(options.fullyConnected || !algorithm.needsFullConnectivity,
          std::string(algorithm.identifier) +
            " labels with full connectivity only: set fullyConnected, or choose Automatic or RunUnionFind");
  const ccl::TableColumns none{ false, false, false, false, false, false };
  return { size,
           options.algorithm,
           options.fullyConnected,
           options.inlineCompression,
           labelValues,
           options.selection,
           wantsTable ? options.columns : none,
           wantsTable,
           wantsLabels };
}

/** Fills the caller's table, if there is one. Returns the number of components that are kept. If this function throws,
 * the table is unchanged. */
std::uint64_t
FillTable(const ccl::Request & request, const ccl::Components & components, CudaConnectedComponentTable * table)
{
  if (table != nullptr)
  {
    CudaConnectedComponentTable filled;
    filled.componentCount = components.keptCount;
    filled.originalComponentCount = components.foundCount;
    ccl::Unpack(request, components.table.get(), components.keptCount, filled);
    *table = std::move(filled);
  }
  return components.keptCount;
}

/** Reports the progress, a value from 0 to 1, to the caller. Throws the exceptions of the caller's function. */
void
Report(const CudaConnectedComponentLabeler::Options & options, float progress)
{
  if (options.progress)
  {
    options.progress(progress);
  }
}

/** Throws CudaConnectedComponentError if labels are wanted and there is no memory for them. */
void
RequireOutput(const void * labels, const ccl::Request & request)
{
  Require(labels != nullptr || !request.wantsLabels,
          "the output is a null pointer: call a Measure function for a table");
}

/** Throws CudaConnectedComponentError unless the address of an image in device memory is a multiple of its pixel size.
 * A kernel would fail with an error from which the process cannot recover. */
void
RequireAligned(const void * memory, ccl::PixelType type, const char * name)
{
  const std::size_t size = ccl::SizeOf(type);
  const auto        address = reinterpret_cast<std::uintptr_t>(memory);
  Require(address % size == 0,
          std::string("the address of the ") + name + " is not a multiple of its pixel size of " +
            std::to_string(size) + " bytes");
}

} // namespace

std::uint64_t
CudaConnectedComponentLabeler::LabelDevice(const Input &                 input,
                                           const SizeType &              size,
                                           const Output &                output,
                                           CudaConnectedComponentTable * table) const
{
  return ccl::VisitLabelType(output.type, [&](auto label) -> std::uint64_t {
    const auto labelValues = ccl::LabelValues::For(static_cast<decltype(label)>(output.background));
    const auto request = RequestFor(options, GridOf(size), labelValues, table != nullptr, output.isWanted);
    Report(options, 0.0F);
    if (request.size.Count() == 0)
    {
      return FillTable(request, {}, table);
    }
    RequireOutput(output.labels, request);
    RequireAligned(input.pixels, input.type, "input");
    RequireAligned(output.labels, output.type, "output");
    ccl::DeviceSession    session(options.deviceId, options.stream);
    const ccl::Components components =
      session.LabelPixels(input.pixels, input.type, request, output.labels, output.type);
    const std::uint64_t objectCount = FillTable(request, components, table);
    Report(options, 1.0F);
    return objectCount;
  });
}

namespace
{

/** Labels the runs of an image of bits on the host, and calls visit(labels) with the array of their labels. Returns the
 * components. */
template <typename TRowGroup, typename TVisitor>
ccl::Components
LabelBitsOnHost(const ccl::ParallelFor &         parallelFor,
                const ccl::HostBits<TRowGroup> & bits,
                const ccl::Request &             request,
                const TVisitor &                 visit)
{
  const auto label = [&](auto run) {
    const ccl::HostExecutor executor(parallelFor);
    const auto              counted = bits.template CountRuns<decltype(run)>();
    const auto              runs = ccl::LabelRuns(executor, counted, request.LabelValuesOfRuns());
    const std::uint64_t     count = runs.CountObjects();
    ccl::Components         components{ count, count, nullptr };
    if (request.NeedsAnalysis())
    {
      auto analyzed =
        ccl::AnalyzeRuns(executor, runs.GetIndexed(), runs.labels.get(), counted.GetCount(), count, request);
      components.keptCount = analyzed.keptCount;
      components.table = std::move(analyzed.table);
    }
    request.labelValues.RequireRoomFor(components.keptCount);
    visit(runs.labels.get());
    return components;
  };
  return ccl::VisitIndexType(ccl::BitCountOf(request.size), label);
}

/** Labels an image that the caller packs to bits, and writes the labels to host memory if the request wants them. The
 * host packs the rows and writes the labels of the pixels. The runs are labeled on a device, or on the host if
 * `options.onHost` is set. Fills the table, if there is one. Returns the number of components that are kept. */
template <typename TRowGroup, typename TLabel>
std::uint64_t
LabelRowsOnHost(const CudaConnectedComponentLabeler::Options &       options,
                const CudaConnectedComponentLabeler::RowPackerType & packRow,
                const ccl::Request &                                 request,
                TLabel *                                             pixels,
                CudaConnectedComponentTable *                        table)
{
  const ccl::ParallelFor parallelFor =
    options.parallelFor ? ccl::CheckedFor(options.parallelFor) : ccl::ParallelFor(ccl::SequentialFor);
  const std::uint64_t      words = ccl::WordsOf(request.size).Count();
  ccl::HostBits<TRowGroup> bits;

  const auto pack = [&](ccl::Word * memory) {
    bits = ccl::PackRows<TRowGroup>(parallelFor, packRow, request.size, memory);
    Report(options, 0.3F);
  };
  const auto writeLabels = [&](const auto * labels) {
    Report(options, 0.6F);
    if (!request.wantsLabels)
    {
      return;
    }
    const auto          background = static_cast<TLabel>(request.labelValues.background);
    const std::uint64_t bytes = request.size.Count() * sizeof(TLabel);
    const bool hasBackground = options.outputIsUntouched && background == 0 && ccl::ClearUntouched(pixels, bytes);
    if (options.outputIsUntouched)
    {
      ccl::AdviseHugePages(pixels, bytes);
    }
    ccl::WriteLabelRows(parallelFor, bits, labels, request.size, background, hasBackground, pixels);
  };

  if (options.onHost)
  {
    const auto memory = ccl::AllocateOnHost<ccl::Word>(words);
    pack(memory.get());
    return FillTable(request, LabelBitsOnHost(parallelFor, bits, request, writeLabels), table);
  }

  ccl::DeviceSession   session(options.deviceId);
  const ccl::HostArray memory = session.AllocateHost(words * sizeof(ccl::Word));
  pack(static_cast<ccl::Word *>(memory.get()));
  const ccl::RunLabels runs = session.LabelBits(bits.groups.rows.bits, request);
  if (runs.wide)
  {
    writeLabels(static_cast<const std::uint64_t *>(runs.labels.get()));
  }
  else
  {
    writeLabels(static_cast<const std::uint32_t *>(runs.labels.get()));
  }
  return FillTable(request, runs.components, table);
}

} // namespace

std::uint64_t
CudaConnectedComponentLabeler::LabelHost(const RowPackerType &         packRow,
                                         const SizeType &              size,
                                         const Output &                output,
                                         CudaConnectedComponentTable * table) const
{
  return ccl::VisitLabelType(output.type, [&](auto label) -> std::uint64_t {
    using LabelType = decltype(label);
    const auto labelValues = ccl::LabelValues::For(static_cast<LabelType>(output.background));
    const auto request = RequestFor(options, GridOf(size), labelValues, table != nullptr, output.isWanted);
    Report(options, 0.0F);
    if (request.size.Count() == 0)
    {
      return FillTable(request, {}, table);
    }
    RequireOutput(output.labels, request);
    const std::uint64_t objectCount = ccl::VisitRowGroup(request.size, request.fullyConnected, [&](auto group) {
      return LabelRowsOnHost<decltype(group)>(
        options, packRow, request, static_cast<LabelType *>(output.labels), table);
    });
    Report(options, 1.0F);
    return objectCount;
  });
}

void
CudaConnectedComponentLabeler::PackScalarRow(const Input & input, std::uint64_t count, std::uint32_t * words)
{
  ccl::VisitPixels(input.pixels, input.type, [&](const auto * pixels) { ccl::PackScalars(pixels, count, words); });
}

bool
CudaConnectedComponentLabeler::IsFasterOnHost(const SizeType & size)
{
  if (std::find(size.begin(), size.end(), 0) != size.end())
  {
    return true;
  }
  std::uint64_t pixels = 1;
  for (const std::uint64_t n : size)
  {
    if (pixels > ccl::Tuning::HostPixels / n)
    {
      return false;
    }
    pixels *= n;
  }
  return true;
}

void
CudaConnectedComponentLabeler::RequireDevice() const
{
  const ccl::DeviceSession session(options.deviceId);
}

CudaConnectedComponentLabeler::HeldMemory
CudaConnectedComponentLabeler::GetHeldMemory()
{
  const ccl::HeldMemory held = ccl::DeviceSession::GetHeldMemory();
  return { held.deviceBytes, held.pinnedBytes };
}

void
CudaConnectedComponentLabeler::TrimMemory()
{
  ccl::DeviceSession::TrimMemory();
}

} // namespace itk
