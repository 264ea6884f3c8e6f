// SPDX-License-Identifier: Apache-2.0

// CudaConnectedComponentLabeler: checks the arguments, and labels on a device by a DeviceSession, or on the host.

#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkCudaConnectedComponentLabeler.h"

#include "engine/DeviceSession.h"
#include "algorithms/analysis/AnalyzeRuns.h"
#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/analysis/UnpackIntensities.h"
#include "algorithms/analysis/UnpackTable.h"
#include "algorithms/runs/HostRows.h"
#include "algorithms/runs/MaskWriteOut.h"
#include "algorithms/runs/RunUnionFind.h"
#include "primitives/PackScalars.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace itk
{

using ccl::Grid;

namespace
{

/** Throws CudaConnectedComponentError (InvalidArgument) unless a condition is true. makeMessage() returns the message;
 * it is called for the exception only. */
template <typename TMessage>
void
Require(bool condition, const TMessage & makeMessage)
{
  if (!condition)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument, makeMessage());
  }
}

std::string
ToString(const Grid & size)
{
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

/** Returns the size as a grid. Throws CudaConnectedComponentError for more than 2^40 pixels. With fewer pixels, no size
 * or index overflows on the host or on the device. */
Grid
GridOf(const CudaConnectedComponentLabeler::SizeType & size)
{
  constexpr std::uint64_t maximum = std::uint64_t{ 1 } << 40;
  const Grid              grid{ size[0], size[1], size[2] };
  std::uint64_t           count = 1;
  for (const std::uint64_t n : size)
  {
    Require(n == 0 || count <= maximum / n, [&] { return "the image has more than 2^40 pixels: " + ToString(grid); });
    count *= n;
  }
  return grid;
}

/** Throws CudaConnectedComponentError if pixels of an intensity image would lie in the memory of others. */
void
RequireStrides(const CudaConnectedComponentIntensities::Image & image, const Grid & size)
{
  const auto require = [](std::uint64_t stride, const char * name, std::uint64_t minimum, const char * part) {
    Require(stride >= minimum, [&] {
      return std::string("the ") + name + " stride of the intensity image, " + std::to_string(stride) +
             " pixels, is less than the size of a " + part + ", " + std::to_string(minimum) +
             " pixels: use CudaConnectedComponentIntensities::Image::Of()";
    });
  };
  if (size.y > 1)
  {
    require(image.rowStride, "row", size.x, "row");
  }
  if (size.z > 1)
  {
    require(image.sliceStride, "slice", (size.y - 1) * image.rowStride + size.x, "slice");
  }
}

/** Returns the request for an image. Throws CudaConnectedComponentError if the algorithm does not support the
 * connectivity of the options, if a seed lies outside the image, or if the strides of the intensities are too small. */
ccl::Request
RequestFor(const CudaConnectedComponentLabeler::Options & options,
           const Grid &                                   size,
           const ccl::LabelValues &                       labelValues,
           bool                                           wantsTable,
           ccl::OutputKind                                output,
           std::uint64_t                                  fillValue)
{
  const auto & algorithm = CudaConnectedComponentAlgorithms::Describe(options.algorithm);
  Require(options.fullyConnected || !algorithm.needsFullConnectivity, [&] {
    return std::string(algorithm.identifier) +
           " labels with full connectivity only: set fullyConnected, or choose Automatic";
  });
  for (const auto & seed : options.selection.seeds)
  {
    Require(size.Count() == 0 || (seed[0] < size.x && seed[1] < size.y && seed[2] < size.z), [&] {
      return "the seed " + std::to_string(seed[0]) + ", " + std::to_string(seed[1]) + ", " + std::to_string(seed[2]) +
             " lies outside the image of " + ToString(size) + " pixels";
    });
  }
  ccl::Request request;
  request.size = size;
  request.algorithm = options.algorithm;
  request.fullyConnected = options.fullyConnected;
  request.inlineCompression = options.inlineCompression;
  request.isComplement = options.complement;
  request.labelValues = labelValues;
  request.selection = options.selection;
  request.columns = { false, false, false, false, false, false };
  request.wantsTable = wantsTable;
  request.output = output;
  request.fillValue = fillValue;
  if (wantsTable)
  {
    request.columns = options.columns;
    request.intensities = options.intensities;
  }
  if (request.WantsIntensities())
  {
    RequireStrides(request.intensities, size);
  }
  return request;
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
    if (components.intensities != nullptr)
    {
      filled.intensities = ccl::Unpack(request.intensities.type,
                                       static_cast<const ccl::IntensityValue *>(components.intensities.get()),
                                       components.keptCount);
    }
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

/** Throws CudaConnectedComponentError if an image has pixels, but no memory. */
void
RequireMemory(const void * pixels, const Grid & size, const char * name)
{
  Require(pixels != nullptr || size.Count() == 0, [&] { return std::string("the ") + name + " is a null pointer"; });
}

/** Throws CudaConnectedComponentError if the output needs memory and has none. */
void
RequireOutput(const void * pixels, const ccl::Request & request)
{
  if (request.output != ccl::OutputKind::None)
  {
    RequireMemory(pixels, request.size, "output");
  }
}

/** Prepares the output of a call in host memory, if the caller has not used it before. Returns whether all of its bytes
 * are 0 if `isZeroUseful`, and false otherwise. */
bool
IsCleared(const CudaConnectedComponentLabeler::Options & options, void * memory, std::uint64_t bytes, bool isZeroUseful)
{
  if (!options.outputIsUntouched)
  {
    return false;
  }
  const bool isCleared = isZeroUseful && ccl::ClearUntouched(memory, bytes);
  ccl::AdviseHugePages(memory, bytes);
  return isCleared;
}

/** Throws CudaConnectedComponentError unless the address of an image is a multiple of its pixel size. On the device, a
 * kernel would fail with an error from which the process cannot recover. On the host, the behavior is undefined. */
void
RequireAligned(const void * memory, ccl::PixelType type, const char * name)
{
  const std::size_t size = ccl::SizeOf(type);
  const auto        address = reinterpret_cast<std::uintptr_t>(memory);
  Require(address % size == 0, [&] {
    return std::string("the address of the ") + name + " is not a multiple of its pixel size of " +
           std::to_string(size) + " bytes";
  });
}

/** Returns the labels of an output. An image that is filled has no labels. */
template <typename TOutput>
ccl::LabelValues
LabelValuesFor(const TOutput & output)
{
  if (output.kind != ccl::OutputKind::Labels)
  {
    return ccl::LabelValues::Ranks();
  }
  return ccl::VisitLabelType(
    output.type, [&](auto label) { return ccl::LabelValues::For(static_cast<decltype(label)>(output.value)); });
}

} // namespace

std::uint64_t
CudaConnectedComponentLabeler::LabelDevice(const Input &                 input,
                                           const SizeType &              size,
                                           const Output &                output,
                                           CudaConnectedComponentTable * table) const
{
  const auto request =
    RequestFor(options, GridOf(size), LabelValuesFor(output), table != nullptr, output.kind, output.value);
  Report(options, 0.0F);
  if (request.size.Count() == 0)
  {
    return FillTable(request, {}, table);
  }
  RequireMemory(input.pixels, request.size, "input");
  RequireOutput(output.pixels, request);
  RequireAligned(input.pixels, input.type, "input");
  RequireAligned(output.pixels, output.type, "output");
  RequireAligned(request.intensities.pixels, request.intensities.type, "intensity image");
  ccl::DeviceSession    session(options.deviceId, options.stream);
  const ccl::Components components = session.LabelPixels(input.pixels, input.type, request, output.pixels, output.type);
  const std::uint64_t   objectCount = FillTable(request, components, table);
  Report(options, 1.0F);
  return objectCount;
}

namespace
{

/** The output of a call in host memory. */
struct HostOutput
{
  void *                                                    pixels = nullptr; // the labels, or null
  ccl::PixelType                                            type = ccl::PixelType::UInt64;
  const CudaConnectedComponentLabeler::RunVisitorType *     visitRuns = nullptr; // instead of labels, or null
  const CudaConnectedComponentLabeler::MaskRowVisitorType * visitMask = nullptr; // for OutputKind::MaskBits
};

/** Returns a function that packs the complement of each row. */
CudaConnectedComponentLabeler::RowPackerType
ComplementOf(const CudaConnectedComponentLabeler::RowPackerType & packRow, std::uint64_t columns)
{
  return [&packRow, columns](std::uint64_t row, std::uint32_t * words) {
    packRow(row, words);
    for (std::uint64_t x = 0; x * ccl::BitsPerWord < columns; ++x)
    {
      words[x] = ccl::ComplementOfWord(words[x], columns, x);
    }
  };
}

/** Passes the runs of each row to a function of the caller. */
template <typename TRowGroup, typename TRun>
void
PassRuns(const ccl::ParallelFor &                              parallelFor,
         const ccl::HostBits<TRowGroup> &                      bits,
         const TRun *                                          labels,
         const ccl::Request &                                  request,
         const CudaConnectedComponentLabeler::RunVisitorType & visitRuns)
{
  ccl::VisitLabeledRows(parallelFor, bits, labels, request.size, [&](std::uint64_t row, const auto & forEachRun) {
    std::vector<CudaConnectedComponentLabeler::Run> runs;
    forEachRun([&](std::uint64_t begin, std::uint64_t end, TRun label) {
      runs.push_back({ begin, end, request.labelValues.RankOf(label) });
    });
    visitRuns(row, runs.data(), runs.size());
  });
}

/** Writes the labels of the pixels, or passes the runs to the caller. */
template <typename TRowGroup, typename TRun>
void
WriteLabels(const CudaConnectedComponentLabeler::Options & options,
            const ccl::ParallelFor &                       parallelFor,
            const ccl::HostBits<TRowGroup> &               bits,
            const TRun *                                   labels,
            const ccl::Request &                           request,
            const HostOutput &                             output)
{
  if (output.visitRuns != nullptr)
  {
    PassRuns(parallelFor, bits, labels, request, *output.visitRuns);
    return;
  }
  ccl::VisitLabelType(output.type, [&](auto label) {
    using LabelType = decltype(label);
    auto * const pixels = static_cast<LabelType *>(output.pixels);
    const auto   background = static_cast<LabelType>(request.labelValues.background);
    const bool   hasBackground = IsCleared(options, pixels, request.size.Count() * sizeof(LabelType), background == 0);
    ccl::WriteLabelRows(parallelFor, bits, labels, request.size, background, hasBackground, pixels);
  });
}

/** Measures the intensities of components in host memory. `labels` has the label of each run. Returns the memory of an
 * IntensityValue for each component, or null if the request wants no intensities. */
template <typename TRowGroup, typename TRun>
ccl::HostArray
MeasureIntensities(const ccl::ParallelFor &         parallelFor,
                   const ccl::HostBits<TRowGroup> & bits,
                   const TRun *                     labels,
                   std::uint64_t                    componentCount,
                   const ccl::Request &             request)
{
  if (!request.WantsIntensities())
  {
    return nullptr;
  }
  auto rows = ccl::AllocateOnHost<ccl::IntensityValue>(componentCount);
  ccl::MeasureIntensitiesOfRows(
    parallelFor, bits.groups, bits.runs, labels, request.labelValues, request.intensities, componentCount, rows.get());
  return rows;
}

/** Labels the runs of an image of bits on the host, and calls write(runs) with the labeled runs. Returns the
 * components. */
template <typename TRowGroup, typename TVisitor>
ccl::Components
LabelBitsOnHost(const ccl::ParallelFor &         parallelFor,
                const ccl::HostBits<TRowGroup> & bits,
                const ccl::Request &             request,
                const TVisitor &                 write)
{
  const ccl::HostExecutor executor(parallelFor);
  const auto              label = [&](auto run) {
    const auto          counted = bits.template CountRuns<decltype(run)>();
    const auto          runs = ccl::LabelRuns(executor, counted, request.LabelValuesOfRuns());
    const std::uint64_t count = runs.CountObjects();
    ccl::Components     components{ count, count, nullptr, nullptr };
    if (request.NeedsAnalysis())
    {
      auto analyzed =
        ccl::AnalyzeRuns(executor, runs.GetIndexed(), runs.labels.get(), counted.GetCount(), count, request);
      components.keptCount = analyzed.GetKeptCount();
      components.table = std::move(analyzed.table);
    }
    request.labelValues.RequireRoomFor(components.keptCount);
    components.intensities = MeasureIntensities(parallelFor, bits, runs.labels.get(), components.keptCount, request);
    write(runs);
    return components;
  };
  return ccl::VisitIndexType(ccl::BitCountOf(request.size), label);
}

/** Labels an image that the caller packs to bits, and writes the output of the request. The host packs the rows and
 * writes the output. The runs are labeled on a device, or on the host if `options.onHost` is set. Fills the table, if
 * there is one. Returns the number of components that are kept. */
template <typename TRowGroup>
std::uint64_t
LabelRowsOnHost(const CudaConnectedComponentLabeler::Options &       options,
                const CudaConnectedComponentLabeler::RowPackerType & packRow,
                const ccl::Request &                                 request,
                const HostOutput &                                   output,
                CudaConnectedComponentTable *                        table)
{
  const ccl::ParallelFor parallelFor =
    options.parallelFor ? ccl::CheckedFor(options.parallelFor) : ccl::ParallelFor(ccl::SequentialFor);
  const std::uint64_t      words = ccl::WordsOf(request.size).Count();
  ccl::HostBits<TRowGroup> bits;

  const auto pack = [&](ccl::Word * memory) {
    bits = request.isComplement
             ? ccl::PackRows<TRowGroup>(parallelFor, ComplementOf(packRow, request.size.x), request.size, memory)
             : ccl::PackRows<TRowGroup>(parallelFor, packRow, request.size, memory);
    Report(options, 0.3F);
  };
  const auto writeLabels = [&](const auto * labels) {
    Report(options, 0.6F);
    WriteLabels(options, parallelFor, bits, labels, request, output);
  };

  if (options.onHost)
  {
    const auto memory = ccl::AllocateOnHost<ccl::Word>(words);
    pack(memory.get());
    const auto write = [&](const auto & runs) {
      if (request.output == ccl::OutputKind::MaskBits)
      {
        Report(options, 0.6F);
        ccl::VisitSelectedRows(parallelFor, runs.GetIndexed(), runs.labels.get(), request.size, *output.visitMask);
      }
      else if (request.output == ccl::OutputKind::Labels)
      {
        writeLabels(runs.labels.get());
      }
    };
    return FillTable(request, LabelBitsOnHost(parallelFor, bits, request, write), table);
  }

  ccl::DeviceSession   session(options.deviceId);
  const ccl::HostArray memory = session.AllocateHost(words * sizeof(ccl::Word));
  pack(static_cast<ccl::Word *>(memory.get()));
  ccl::RunLabels runs = session.LabelBits(bits.groups.rows.bits, request);
  const auto     useLabels = [&](const auto * labels) {
    runs.components.intensities = MeasureIntensities(parallelFor, bits, labels, runs.components.keptCount, request);
    if (request.output == ccl::OutputKind::Labels)
    {
      writeLabels(labels);
    }
  };
  if (runs.wide)
  {
    useLabels(static_cast<const std::uint64_t *>(runs.labels.get()));
  }
  else
  {
    useLabels(static_cast<const std::uint32_t *>(runs.labels.get()));
  }
  if (request.output == ccl::OutputKind::MaskBits)
  {
    Report(options, 0.6F);
    ccl::VisitMaskRows(parallelFor, static_cast<const ccl::Word *>(runs.mask.get()), request.size, *output.visitMask);
  }
  return FillTable(request, runs.components, table);
}

/** Labels an image that the caller packs to bits. Fills the table, if there is one. Returns the number of components
 * that are kept. */
std::uint64_t
LabelRows(const CudaConnectedComponentLabeler::Options &       options,
          const CudaConnectedComponentLabeler::RowPackerType & packRow,
          const ccl::Request &                                 request,
          const HostOutput &                                   output,
          CudaConnectedComponentTable *                        table)
{
  RequireAligned(request.intensities.pixels, request.intensities.type, "intensity image");
  Report(options, 0.0F);
  if (request.size.Count() == 0)
  {
    return FillTable(request, {}, table);
  }
  const std::uint64_t objectCount = ccl::VisitRowGroup(request.size, request.fullyConnected, [&](auto group) {
    return LabelRowsOnHost<decltype(group)>(options, packRow, request, output, table);
  });
  Report(options, 1.0F);
  return objectCount;
}

} // namespace

std::uint64_t
CudaConnectedComponentLabeler::LabelHost(const RowPackerType &         packRow,
                                         const SizeType &              size,
                                         const Output &                output,
                                         CudaConnectedComponentTable * table) const
{
  const auto request = RequestFor(options, GridOf(size), LabelValuesFor(output), table != nullptr, output.kind, 0);
  RequireOutput(output.pixels, request);
  HostOutput hostOutput;
  hostOutput.pixels = output.pixels;
  hostOutput.type = output.type;
  return LabelRows(options, packRow, request, hostOutput, table);
}

std::uint64_t
CudaConnectedComponentLabeler::MaskHost(const Input &                 input,
                                        const SizeType &              size,
                                        const Output &                output,
                                        CudaConnectedComponentTable * table) const
{
  const Grid grid = GridOf(size);
  RequireMemory(input.pixels, grid, "input");
  RequireMemory(output.pixels, grid, "output");
  const std::size_t   pixelSize = ccl::SizeOf(input.type);
  const RowPackerType packRow = [&](std::uint64_t row, std::uint32_t * words) {
    PackScalarRow({ static_cast<const char *>(input.pixels) + row * size[0] * pixelSize, input.type }, size[0], words);
  };
  return ccl::VisitWidth(input.type, [&](auto pixel) {
    using FilledType = decltype(pixel);
    const auto * const pixels = static_cast<const FilledType *>(input.pixels);
    auto * const       filled = static_cast<FilledType *>(output.pixels);
    const auto         value = static_cast<FilledType>(output.value);
    const bool         isInside = output.kind == ccl::OutputKind::FilledInside;
    const bool         isInPlace = filled == pixels;
    const bool         isZeroOutside = !isInside && value == 0 && !isInPlace;
    const bool hasValue = !isInPlace && IsCleared(options, filled, grid.Count() * sizeof(FilledType), isZeroOutside);

    return this->MaskPackedRows(
      packRow,
      size,
      [&](std::uint64_t row, const std::uint32_t * words) {
        const std::uint64_t begin = row * size[0];
        ForEachRange(words, size[0], [&](std::uint64_t first, std::uint64_t end, bool isInRange) {
          if (isInRange != isInside)
          {
            if (!isInPlace)
            {
              std::copy(pixels + begin + first, pixels + begin + end, filled + begin + first);
            }
          }
          else if (!hasValue)
          {
            std::fill(filled + begin + first, filled + begin + end, value);
          }
        });
      },
      table);
  });
}

std::uint64_t
CudaConnectedComponentLabeler::MaskPackedRows(const RowPackerType &         packRow,
                                              const SizeType &              size,
                                              const MaskRowVisitorType &    visitRow,
                                              CudaConnectedComponentTable * table) const
{
  HostOutput output;
  output.visitMask = &visitRow;
  const auto request =
    RequestFor(options, GridOf(size), ccl::LabelValues::Ranks(), table != nullptr, ccl::OutputKind::MaskBits, 0);
  return LabelRows(options, packRow, request, output, table);
}

std::uint64_t
CudaConnectedComponentLabeler::VisitRunsOfPackedRows(const RowPackerType &         packRow,
                                                     const SizeType &              size,
                                                     const RunVisitorType &        visitRuns,
                                                     CudaConnectedComponentTable * table) const
{
  HostOutput output;
  output.visitRuns = &visitRuns;
  const auto request =
    RequestFor(options, GridOf(size), ccl::LabelValues::Ranks(), table != nullptr, ccl::OutputKind::Labels, 0);
  return LabelRows(options, packRow, request, output, table);
}

std::uint64_t
CudaConnectedComponentLabeler::FindRangeEnd(const std::uint32_t * words, std::uint64_t begin, std::uint64_t count)
{
  const bool isInside = (words[begin / ccl::BitsPerWord] >> begin % ccl::BitsPerWord & 1U) != 0;
  return ccl::NextPixel(words, begin, count, !isInside);
}

void
CudaConnectedComponentLabeler::RequireInput(const void * input, const SizeType & size)
{
  RequireMemory(input, GridOf(size), "input");
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
