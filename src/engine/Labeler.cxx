// SPDX-License-Identifier: Apache-2.0

// CudaConnectedComponentLabeler: checks the arguments, and labels on a device by a DeviceSession, or on the host.

#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkCudaConnectedComponentLabeler.h"

#include "engine/DeviceSession.h"
#include "engine/LabeledImages.h"
#include "algorithms/analysis/AnalyzeRuns.h"
#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/analysis/UnpackIntensities.h"
#include "algorithms/analysis/UnpackTable.h"
#include "algorithms/runs/HostRows.h"
#include "algorithms/runs/MaskWriteOut.h"
#include "algorithms/runs/RunUnionFind.h"
#include "primitives/ImageRows.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace itk
{

using ccl::Grid;

namespace
{

using View = CudaConnectedComponentImageView;

/** Throws CudaConnectedComponentError (InvalidArgument) unless a condition is true. makeMessage() returns the message;
 * it is called for the exception only. */
template <typename TMessage>
void
Require(bool condition, const TMessage & makeMessage)
{
  if (!condition)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument, makeMessage());
  }
}

/** Returns the size as a grid. Throws CudaConnectedComponentError for more than 2^40 pixels. With fewer pixels, no size
 * or index overflows on the host or on the device. */
Grid
GridOf(const CudaConnectedComponentLabeler::SizeType & size, std::uint64_t images)
{
  constexpr std::uint64_t maximum = std::uint64_t{ 1 } << 40;
  const Grid              grid{ size[0], size[1], size[2] };
  std::uint64_t           count = 1;
  for (const std::uint64_t n : { size[0], size[1], size[2], images })
  {
    Require(n == 0 || count <= maximum / n, [&] {
      return images == 1
               ? "the image has more than 2^40 pixels: " + View::TextOf(size)
               : "the batch has more than 2^40 pixels: " + std::to_string(images) + " images of " + View::TextOf(size);
    });
    count *= n;
  }
  return grid;
}

/** Throws CudaConnectedComponentError unless an image has the size of the input, and a batch as many images. */
void
RequireSize(const View & image, const View::SizeType & size, std::uint64_t images, const char * name)
{
  Require(image.size == size, [&] {
    return std::string("the ") + name + " has " + View::TextOf(image.size) + " pixels instead of " + View::TextOf(size);
  });
  Require(image.images == images, [&] {
    return std::string("the ") + name + " has " + std::to_string(image.images) + " images instead of " +
           std::to_string(images);
  });
}

/** Throws CudaConnectedComponentError unless the address and the strides of an image are multiples of its pixel size.
 * On the device, a kernel would fail with an error from which the process cannot recover. */
void
RequireAligned(const View & image, const char * name)
{
  const auto size = static_cast<std::int64_t>(ccl::SizeOf(image.type));
  const auto address = reinterpret_cast<std::uintptr_t>(image.pixels);
  Require(address % static_cast<std::uintptr_t>(size) == 0, [&] {
    return std::string("the address of the ") + name + " is not a multiple of its pixel size of " +
           std::to_string(size) + " bytes";
  });
  const bool areMultiples = (image.size[0] <= 1 || image.strides[0] % size == 0) && image.strides[1] % size == 0 &&
                            image.strides[2] % size == 0 && (image.images <= 1 || image.imageStride % size == 0);
  Require(areMultiples, [&] {
    return std::string("the strides of the ") + name + ", " + std::to_string(image.strides[0]) + ", " +
           std::to_string(image.strides[1]) + " and " + std::to_string(image.strides[2]) +
           " bytes, are not multiples of its pixel size of " + std::to_string(size) + " bytes: copy the image";
  });
}

/** Throws CudaConnectedComponentError unless an image is aligned and the pixels of a row are adjacent. */
void
RequireAdjacent(const View & image, const char * name)
{
  RequireAligned(image, name);
  const auto size = static_cast<std::int64_t>(ccl::SizeOf(image.type));
  Require(image.strides[0] == size || image.size[0] <= 1, [&] {
    return std::string("the stride of the ") + name + " along x, " + std::to_string(image.strides[0]) +
           " bytes, is not its pixel size of " + std::to_string(size) +
           " bytes: the pixels of a row must be adjacent; copy the image";
  });
}

/** Throws CudaConnectedComponentError if rows of images overlap. The axes may have any order in memory. */
void
RequireSeparateRows(const View & image, const char * name)
{
  struct Axis
  {
    const char *  name;
    std::uint64_t stride;
    std::uint64_t count;
  };
  const auto absolute = [](std::int64_t stride) { return static_cast<std::uint64_t>(std::abs(stride)); };
  Axis       axes[] = { { "row", absolute(image.strides[1]), image.size[1] },
                        { "slice", absolute(image.strides[2]), image.size[2] },
                        { "image", absolute(image.imageStride), image.images } };
  std::stable_sort(
    std::begin(axes), std::end(axes), [](const Axis & a, const Axis & b) { return a.stride < b.stride; });
  std::uint64_t bytes = image.size[0] * ccl::SizeOf(image.type);
  for (const Axis & axis : axes)
  {
    if (axis.count > 1 && image.Count() > 0)
    {
      Require(axis.stride >= bytes, [&] {
        return std::string("the ") + axis.name + " stride of the " + name + ", " + std::to_string(axis.stride) +
               " bytes, is too short: rows overlap; it must be at least " + std::to_string(bytes) + " bytes";
      });
      bytes += axis.stride * (axis.count - 1);
    }
  }
}

/** Throws CudaConnectedComponentError if an intensity image cannot be measured. */
void
RequireIntensities(const View & image, const View::SizeType & size, std::uint64_t images)
{
  RequireSize(image, size, images, "intensity image");
  ccl::RequireReadable(image.type);
  RequireAdjacent(image, "intensity image");
  RequireSeparateRows(image, "intensity image");
}

/** Throws CudaConnectedComponentError if an image has pixels, but no memory, or if its type is no value of the
 * enumeration. */
void
RequireMemory(const View & image, const char * name)
{
  if (ccl::SizeOf(image.type) == 0)
  {
    ccl::ThrowUnsupported(image.type, "use pixels");
  }
  Require(image.pixels != nullptr || image.Count() == 0,
          [&] { return std::string("the ") + name + " is a null pointer"; });
}

/** Throws CudaConnectedComponentError unless an image is in a memory. */
void
RequireIn(View::MemoryEnum memory, const View & image, const char * name)
{
  Require(image.memory == memory, [&] {
    const auto text = [](View::MemoryEnum each) {
      return each == View::MemoryEnum::Host ? "host memory" : "device memory";
    };
    return std::string("the ") + name + " is in " + text(image.memory) + ", but the input is in " + text(memory);
  });
}

/** Returns the request for an image. Throws CudaConnectedComponentError if the algorithm does not support the
 * connectivity of the options, if a seed lies outside the image, if the mask does not fit the image, or if the
 * intensities cannot be measured. */
ccl::Request
RequestFor(const CudaConnectedComponentLabeler::Options & options,
           const View::SizeType &                         imageSize,
           std::uint64_t                                  images,
           const ccl::LabelValues &                       labelValues,
           bool                                           wantsTable,
           ccl::OutputKind                                output,
           std::uint64_t                                  fillValue)
{
  const Grid   size = GridOf(imageSize, images);
  const auto & algorithm = CudaConnectedComponentAlgorithms::Describe(options.algorithm);
  Require(options.fullyConnected || !algorithm.needsFullConnectivity, [&] {
    return std::string(algorithm.identifier) +
           " labels with full connectivity only: set fullyConnected, or choose Automatic";
  });
  for (const auto & seed : options.selection.seeds)
  {
    Require(size.Count() == 0 || (seed[0] < size.x && seed[1] < size.y && seed[2] < size.z), [&] {
      return "the seed " + std::to_string(seed[0]) + ", " + std::to_string(seed[1]) + ", " + std::to_string(seed[2]) +
             " lies outside the image of " + View::TextOf(imageSize) + " pixels";
    });
  }
  ccl::Request request;
  request.size = size;
  request.images = images;
  request.algorithm = options.algorithm;
  request.fullyConnected = options.fullyConnected;
  request.inlineCompression = options.inlineCompression;
  request.isComplement = options.complement;
  request.mask = options.mask;
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
  if (request.WantsMask())
  {
    RequireSize(request.mask, imageSize, images, "mask");
    RequireMemory(request.mask, "mask");
  }
  if (request.WantsIntensities())
  {
    RequireIntensities(request.intensities, imageSize, images);
  }
  return request;
}

/** Returns whether the caller wants to know what the values of the pixels are. All true pixels of a bool are one value.
 */
bool
WantsValues(const CudaConnectedComponentLabeler::Options & options,
            const ccl::Foreground &                        foreground,
            ccl::PixelType                                 type)
{
  const bool hasMask = options.mask.pixels != nullptr || options.mask.Count() > 0;
  return options.reportValues && foreground.IsNotZero() && !hasMask && type != ccl::PixelType::Bool;
}

/** Returns the request for images in device memory. */
ccl::Request
RequestFor(const CudaConnectedComponentLabeler::Options & options,
           const View &                                   input,
           const ccl::LabelValues &                       labelValues,
           bool                                           wantsTable,
           ccl::OutputKind                                output,
           std::uint64_t                                  fillValue)
{
  RequireMemory(input, "input");
  ccl::Request request = RequestFor(options, input.size, input.images, labelValues, wantsTable, output, fillValue);
  request.foreground = ccl::Foreground::Of(options.foreground, input.type);
  request.wantsValues = WantsValues(options, request.foreground, input.type);
  return request;
}

/** Calls writeOutput(), and fills the caller's table, if there is one. Returns the number of components that are kept.
 * All memory is allocated before the output is written. If this function throws, the table is unchanged. */
template <typename TFunction>
std::uint64_t
FillTable(const ccl::Request &          request,
          const ccl::Components &       components,
          CudaConnectedComponentTable * table,
          const TFunction &             writeOutput)
{
  CudaConnectedComponentTable filled;
  if (table != nullptr)
  {
    filled.componentCount = components.keptCount;
    filled.componentCounts = components.keptCounts;
    filled.componentCounts.resize(request.images); // images without pixels have no components
    filled.originalComponentCount = components.foundCount;
    if (components.table != nullptr)
    {
      ccl::Unpack(request, components.table.get(), components.keptCount, filled);
    }
    if (components.intensities != nullptr)
    {
      filled.intensities = ccl::Unpack(request.intensities.type,
                                       static_cast<const ccl::IntensityValue *>(components.intensities.get()),
                                       components.keptCount);
    }
  }
  writeOutput();
  if (table != nullptr)
  {
    *table = std::move(filled);
  }
  return components.keptCount;
}

/** Does the same without an output, or after it has been written. */
std::uint64_t
FillTable(const ccl::Request & request, const ccl::Components & components, CudaConnectedComponentTable * table)
{
  return FillTable(request, components, table, [] {});
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

/** Throws CudaConnectedComponentError unless an image in device memory has no gaps. */
void
RequireContiguous(const View & image, const char * name)
{
  Require(image.IsContiguous(), [&] {
    return std::string("the ") + name + " in device memory has gaps or another order of the axes: copy it first";
  });
}

/** Throws CudaConnectedComponentError unless pixels can be labels. */
void
RequireLabelType(const View & output)
{
  Require(!ccl::IsFloat(output.type) && output.type != ccl::PixelType::Bool, [] {
    return std::string("labels are integers of 8 to 64 bits; the pixel type of the output is bool or a floating-point "
                       "number");
  });
}

/** Prepares the output of a call in host memory, if the caller has not used it before. Returns whether all of its bytes
 * are 0 if `isZeroUseful`, and false otherwise. The gaps of an output that has gaps belong to somebody else. */
bool
IsCleared(const CudaConnectedComponentLabeler::Options & options, const View & output, bool isZeroUseful)
{
  return options.outputIsUntouched && output.IsContiguous() &&
         ccl::PrepareUntouched(output.pixels, output.Count() * ccl::SizeOf(output.type), isZeroUseful);
}

/** Throws CudaConnectedComponentError if the input of a call for device memory is in host memory. */
void
RequireOnDevice(const View & input)
{
  Require(input.memory == View::MemoryEnum::Device,
          [] { return std::string("the input is in host memory: this function reads device memory only"); });
}

/** Throws CudaConnectedComponentError if an allocator has one function only. */
void
RequireBothFunctions(const CudaConnectedComponentAllocator & allocator)
{
  Require((allocator.allocate == nullptr) == (allocator.free == nullptr),
          [] { return std::string("the allocator has one function only: set `allocate` and `free`"); });
}

/** Labels, fills or measures an image in device memory. Fills the table, if there is one, or the table of `makeTable`.
 * Returns the number of components that are kept. */
std::uint64_t
LabelDevice(const CudaConnectedComponentLabeler::Options & options,
            const View &                                   input,
            const ccl::Request &                           request,
            const View &                                   output,
            CudaConnectedComponentTable *                  table,
            const ccl::TableMaker *                        makeTable = nullptr)
{
  RequireBothFunctions(options.allocator);
  if (request.output != ccl::OutputKind::Labels && request.output != ccl::OutputKind::None)
  {
    RequireContiguous(input, "input");
    RequireContiguous(output, "output");
  }
  if (request.WantsMask())
  {
    RequireIn(View::MemoryEnum::Device, request.mask, "mask");
  }
  if (request.WantsIntensities())
  {
    RequireIn(View::MemoryEnum::Device, request.intensities, "intensity image");
  }
  Report(options, 0.0F);
  const auto finish = [&](const ccl::Components & components) {
    const std::uint64_t objectCount = FillTable(request, components, table);
    if (request.wantsValues)
    {
      options.reportValues(components.values);
    }
    return objectCount;
  };
  if (request.size.Count() == 0 || request.images == 0)
  {
    if (makeTable != nullptr)
    {
      (*makeTable)(0);
    }
    return finish({});
  }
  RequireMemory(input, "input");
  RequireMemory(output, "output");
  RequireAligned(input, "input");
  RequireAdjacent(output, "output");
  if (request.WantsMask())
  {
    RequireAligned(request.mask, "mask");
  }
  ccl::DeviceSession  session(options.deviceId, options.stream, options.allocator);
  const std::uint64_t objectCount = finish(session.LabelPixels(input, request, output, makeTable));
  Report(options, 1.0F);
  return objectCount;
}

/** The output of a call in host memory. */
struct HostOutput
{
  View                                                      labels;              // without pixels: no labels
  const CudaConnectedComponentLabeler::RunVisitorType *     visitRuns = nullptr; // instead of labels, or null
  const CudaConnectedComponentLabeler::MaskRowVisitorType * visitMask = nullptr; // for OutputKind::MaskBits
};

/** Returns label(packRow), with a function that packs the rows of an image in host memory. Then passes what the values
 * of the pixels are to the caller, if it is wanted. */
template <typename TLabel>
auto
LabelView(const CudaConnectedComponentLabeler::Options & options, const View & image, const TLabel & label)
{
  RequireMemory(image, "input");
  const auto foreground = ccl::Foreground::Of(options.foreground, image.type);
  if (!WantsValues(options, foreground, image.type))
  {
    return label([&](std::uint64_t row, std::uint32_t * words) { ccl::PackRowOf(image, row, foreground, words); });
  }
  ccl::ObservingPacker packer(image);
  auto                 result = label([&](std::uint64_t row, std::uint32_t * words) { packer.PackRow(row, words); });
  options.reportValues(packer.GetValues());
  return result;
}

/** Returns a function that packs the rows of the complement, or the pixels of each row that the mask has. */
CudaConnectedComponentLabeler::RowPackerType
MaskedPackerOf(const CudaConnectedComponentLabeler::RowPackerType & packRow, const ccl::Request & request)
{
  return [&packRow, &request, isInMask = ccl::Foreground::NotZero(request.mask.type)](std::uint64_t   row,
                                                                                      std::uint32_t * words) {
    packRow(row, words);
    const std::uint64_t columns = request.isComplement ? request.size.x : 0;
    for (std::uint64_t x = 0; x * ccl::BitsPerWord < columns; ++x)
    {
      words[x] = ccl::ComplementOfWord(words[x], columns, x);
    }
    if (request.WantsMask())
    {
      ccl::MaskRowOf(request.mask, row, isInMask, words);
    }
  };
}

/** Passes the runs of each row to a function of the caller. */
template <typename TRowGroup, typename TRun>
void
PassRuns(const ccl::ParallelFor &                              parallelFor,
         const ccl::HostBits<TRowGroup> &                      bits,
         const TRun *                                          ranks,
         const ccl::Request &                                  request,
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
  ccl::VisitLabeledRows(parallelFor, bits, ranks, request.size, visitRow);
}

/** Writes the labels of the pixels, or passes the runs to the caller. */
template <typename TRowGroup, typename TRun>
void
WriteLabels(const CudaConnectedComponentLabeler::Options & options,
            const ccl::ParallelFor &                       parallelFor,
            const ccl::HostBits<TRowGroup> &               bits,
            const TRun *                                   ranks,
            const ccl::RanksOfImages<TRun> &               imageRanks,
            const ccl::Request &                           request,
            const HostOutput &                             output)
{
  if (output.visitRuns != nullptr)
  {
    PassRuns(parallelFor, bits, ranks, request, *output.visitRuns);
    return;
  }
  ccl::VisitLabelType(output.labels.type, [&](auto label) {
    using LabelType = decltype(label);
    const bool isZeroUseful = static_cast<LabelType>(request.labelValues.background) == 0;
    const bool hasBackground = IsCleared(options, output.labels, isZeroUseful);
    ccl::WriteLabelRows<LabelType>(
      parallelFor, bits, ranks, imageRanks, request.labelValues, hasBackground, output.labels);
  });
}

/** Measures the intensities of components in host memory. `ranks` has the rank of each run. Returns the memory of an
 * IntensityValue for each component, or null if the request wants no intensities. */
template <typename TRowGroup, typename TRun>
ccl::HostArray
MeasureIntensities(const ccl::ParallelFor &         parallelFor,
                   const ccl::HostBits<TRowGroup> & bits,
                   const TRun *                     ranks,
                   std::uint64_t                    componentCount,
                   const ccl::Request &             request)
{
  if (!request.WantsIntensities())
  {
    return nullptr;
  }
  auto rows = ccl::AllocateOnHost<ccl::IntensityValue>(componentCount);
  ccl::MeasureIntensitiesOfRows(parallelFor,
                                bits.groups,
                                bits.runs,
                                ranks,
                                ccl::StackOf<TRowGroup>(request.size, request.images),
                                ccl::IntensityImage::Of(request.intensities),
                                componentCount,
                                rows.get());
  return rows;
}

/** Labels the runs of images of bits on the host. Returns the result of finish(components, runs, imageRanks), which
 * gets the components and the labeled runs. */
template <typename TRowGroup, typename TVisitor>
std::uint64_t
LabelBitsOnHost(const ccl::ParallelFor &         parallelFor,
                const ccl::HostBits<TRowGroup> & bits,
                const ccl::Request &             request,
                const TVisitor &                 finish)
{
  const ccl::HostExecutor executor(parallelFor);
  const auto              label = [&](auto run) {
    using RunType = decltype(run);
    const auto runs = ccl::LabelRuns<RunType>(executor, bits.groups, ccl::RunCapacity::Exactly(bits.runs.total));
    const std::uint64_t                       count = runs.componentCount.Get();
    const ccl::RankedRuns<TRowGroup, RunType> ranked{ runs.GetIndexed(), runs.ranks.get(), runs.runCount, { count } };
    const auto                                selected = ccl::SelectComponentsOf(executor, ranked, request);
    const std::uint64_t                       kept = selected.kept.Get();
    ccl::Components components{ count, kept, std::vector<std::uint64_t>(request.images), nullptr, nullptr, {} };
    ccl::CountComponentsOfImages(selected.imageRanks.first, kept, components.keptCounts);
    request.labelValues.RequireRoomFor(components.GetLargestKeptCount());
    if (request.wantsTable && selected.analyzed)
    {
      components.table = ccl::CopyKeptRows(executor, *selected.analyzed, kept, request);
    }
    components.intensities = MeasureIntensities(parallelFor, bits, runs.ranks.get(), kept, request);
    return finish(components, runs, selected.imageRanks);
  };
  return ccl::VisitIndexType(request.GetIndexLimit(), label);
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
  const ccl::ImageStack stack = ccl::StackOf<TRowGroup>(request.size, request.images);
  const std::uint64_t   words = ccl::WordsOf(stack.GetGrid()).Count();
  const auto            pack = [&](ccl::Word * memory) {
    auto bits = request.isComplement || request.WantsMask()
                             ? ccl::PackRows<TRowGroup>(parallelFor, MaskedPackerOf(packRow, request), stack, memory)
                             : ccl::PackRows<TRowGroup>(parallelFor, packRow, stack, memory);
    Report(options, 0.3F);
    return bits;
  };

  const auto finish = [&](const ccl::Components &          components,
                          const ccl::HostBits<TRowGroup> & bits,
                          const auto *                     ranks,
                          const auto &                     imageRanks,
                          const auto &                     visitMask) {
    return FillTable(request, components, table, [&] {
      if (request.output == ccl::OutputKind::None)
      {
        return;
      }
      Report(options, 0.6F);
      if (request.output == ccl::OutputKind::MaskBits)
      {
        visitMask();
      }
      else
      {
        WriteLabels(options, parallelFor, bits, ranks, imageRanks, request, output);
      }
    });
  };

  if (options.onHost)
  {
    const auto                     memory = ccl::AllocateOnHost<ccl::Word>(words);
    const ccl::HostBits<TRowGroup> bits = pack(memory.get());
    return LabelBitsOnHost(
      parallelFor, bits, request, [&](const auto & components, const auto & runs, const auto & imageRanks) {
        const auto * const ranks = runs.ranks.get();
        return finish(components, bits, ranks, imageRanks, [&] {
          ccl::VisitSelectedRows(parallelFor, runs.GetIndexed(), ranks, stack, memory.get(), *output.visitMask);
        });
      });
  }

  ccl::DeviceSession             session(options.deviceId);
  const ccl::HostArray           memory = session.AllocateHost(words * sizeof(ccl::Word));
  const ccl::HostBits<TRowGroup> bits = pack(static_cast<ccl::Word *>(memory.get()));
  ccl::RunLabels                 runs = session.LabelBits(bits.groups.rows.bits, bits.runs.total, request);
  const auto                     useRanks = [&](auto zero) {
    using RunType = decltype(zero);
    const auto * const                ranks = static_cast<const RunType *>(runs.ranks.get());
    const ccl::RanksOfImages<RunType> imageRanks{ static_cast<const RunType *>(runs.imageRanks.get()), request.images };
    runs.components.intensities = MeasureIntensities(parallelFor, bits, ranks, runs.components.keptCount, request);
    return finish(runs.components, bits, ranks, imageRanks, [&] {
      ccl::VisitMaskRows(parallelFor, static_cast<const ccl::Word *>(runs.mask.get()), stack, *output.visitMask);
    });
  };
  return runs.wide ? useRanks(std::uint64_t{}) : useRanks(std::uint32_t{});
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
  if (request.WantsMask())
  {
    RequireIn(View::MemoryEnum::Host, request.mask, "mask");
  }
  if (request.WantsIntensities())
  {
    RequireIn(View::MemoryEnum::Host, request.intensities, "intensity image");
  }
  Report(options, 0.0F);
  if (request.size.Count() == 0 || request.images == 0)
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
CudaConnectedComponentLabeler::Label(const View &                  input,
                                     const View &                  output,
                                     std::uint64_t                 backgroundValue,
                                     CudaConnectedComponentTable * table) const
{
  RequireSize(output, input.size, input.images, "output");
  RequireIn(input.memory, output, "output");
  if (input.memory == View::MemoryEnum::Host)
  {
    return LabelView(options, input, [&](const RowPackerType & packRow) {
      return this->LabelPackedRows(packRow, output, backgroundValue, table);
    });
  }
  RequireLabelType(output);
  RequireSeparateRows(output, "output");
  const auto labelValues = ccl::LabelValuesOf(output.type, backgroundValue);
  const auto request = RequestFor(options, input, labelValues, table != nullptr, ccl::OutputKind::Labels, 0);
  return LabelDevice(options, input, request, output, table);
}

namespace
{

/** Returns the columns that a table in device memory wants. */
ccl::TableColumns
ColumnsOf(const CudaConnectedComponentDeviceTable & table)
{
  const auto isAnyWanted = [](const auto & columns) {
    return std::any_of(std::begin(columns), std::end(columns), [](const void * column) { return column != nullptr; });
  };
  ccl::TableColumns columns;
  columns.pixelCounts = table.pixelCounts != nullptr;
  columns.boundingBoxes = isAnyWanted(table.minimums) || isAnyWanted(table.maximums);
  columns.sums = isAnyWanted(table.sums) || isAnyWanted(table.means);
  columns.products = isAnyWanted(table.products);
  columns.firstPixels = table.firstPixels != nullptr;
  columns.faces = table.faces != nullptr;
  return columns;
}

/** Returns the request of a call that does not wait. Throws CudaConnectedComponentError if the call is not possible. */
ccl::Request
RequestFor(const CudaConnectedComponentLabeler::Options & options, const CudaConnectedComponentDeviceCall & call)
{
  const View & input = call.input;
  const View & output = call.output;
  Require(options.intensities.pixels == nullptr,
          [] { return std::string("Enqueue() does not measure intensities: call Measure()"); });
  Require(options.algorithm == CudaConnectedComponentLabeler::AlgorithmEnum::Automatic,
          [] { return std::string("Enqueue() labels by the algorithm Automatic only"); });
  Require(call.kind != ccl::OutputKind::MaskBits,
          [] { return std::string("Enqueue() does not write bits of a mask"); });
  ccl::LabelValues labelValues = ccl::LabelValues::Ranks();
  std::uint64_t    fillValue = 0;
  if (call.kind != ccl::OutputKind::None)
  {
    RequireSize(output, input.size, input.images, "output");
    RequireIn(View::MemoryEnum::Device, output, "output");
    RequireMemory(output, "output");
    RequireAdjacent(output, "output");
    RequireSeparateRows(output, "output");
  }
  if (call.kind == ccl::OutputKind::Labels)
  {
    RequireLabelType(output);
    labelValues = ccl::LabelValuesOf(output.type, call.value.BitsAs(output.type));
  }
  else if (call.kind != ccl::OutputKind::None)
  {
    Require(output.type == input.type, [] { return std::string("the output has another pixel type than the input"); });
    RequireContiguous(input, "input");
    RequireContiguous(output, "output");
    fillValue = call.value.BitsAs(output.type);
  }
  RequireOnDevice(input);
  RequireMemory(input, "input");
  RequireAligned(input, "input");

  const auto & table = call.table;
  auto         request = RequestFor(options, input, labelValues, table.rows != 0, call.kind, fillValue);
  if (request.WantsMask())
  {
    RequireIn(View::MemoryEnum::Device, request.mask, "mask");
    RequireAligned(request.mask, "mask");
  }
  request.wantsValues = false;
  request.columns = ColumnsOf(table);
  request.columns.pixelCounts = table.rows != 0; // all tables, so that there is a column
  return request;
}

} // namespace

std::uint64_t
CudaConnectedComponentLabeler::GetWorkspaceSize(const CudaConnectedComponentDeviceCall & call) const
{
  return ccl::DeviceSession::GetWorkspaceBytes(options.deviceId, RequestFor(options, call), call);
}

void
CudaConnectedComponentLabeler::Prepare(const CudaConnectedComponentDeviceCall & call) const
{
  ccl::DeviceSession::Prepare(options.deviceId, RequestFor(options, call), call);
}

void
CudaConnectedComponentLabeler::Enqueue(const CudaConnectedComponentDeviceCall & call,
                                       void *                                   workspace,
                                       std::uint64_t                            workspaceSize) const
{
  ccl::DeviceSession::Enqueue(
    options.deviceId, options.stream, RequestFor(options, call), call, workspace, workspaceSize);
}

void
CudaConnectedComponentLabeler::Enqueue(const CudaConnectedComponentDeviceCall & call) const
{
  RequireBothFunctions(options.allocator);
  Require(options.allocator.allocate != nullptr,
          [] { return std::string("there is no workspace: give one, or set options.allocator"); });
  ccl::DeviceSession::Enqueue(options.deviceId, options.stream, RequestFor(options, call), call, options.allocator);
}

std::uint64_t
CudaConnectedComponentLabeler::LabelPackedRows(const RowPackerType &         packRow,
                                               const View &                  output,
                                               std::uint64_t                 backgroundValue,
                                               CudaConnectedComponentTable * table) const
{
  RequireMemory(output, "output");
  RequireIn(View::MemoryEnum::Host, output, "output");
  RequireLabelType(output);
  RequireAdjacent(output, "output");
  RequireSeparateRows(output, "output");
  const auto request = RequestFor(options,
                                  output.size,
                                  output.images,
                                  ccl::LabelValuesOf(output.type, backgroundValue),
                                  table != nullptr,
                                  ccl::OutputKind::Labels,
                                  0);
  HostOutput hostOutput;
  hostOutput.labels = output;
  return LabelRows(options, packRow, request, hostOutput, table);
}

CudaConnectedComponentTable
CudaConnectedComponentLabeler::Measure(const View & input) const
{
  if (input.memory == View::MemoryEnum::Host)
  {
    return LabelView(options, input, [&](const RowPackerType & packRow) {
      return this->MeasurePackedRows(packRow, input.size, input.images);
    });
  }
  CudaConnectedComponentTable table;
  const auto request = RequestFor(options, input, ccl::LabelValues::Ranks(), true, ccl::OutputKind::None, 0);
  LabelDevice(options, input, request, {}, &table);
  return table;
}

std::uint64_t
CudaConnectedComponentLabeler::Measure(const View & input, const TableMakerType & makeTable) const
{
  RequireOnDevice(input);
  Require(makeTable != nullptr, [] { return std::string("the function that makes the table is empty"); });
  Require(options.intensities.pixels == nullptr,
          [] { return std::string("a table in device memory has no intensities: call Measure(input)"); });
  auto request = RequestFor(options, input, ccl::LabelValues::Ranks(), true, ccl::OutputKind::None, 0);
  request.columns.pixelCounts = true; // so that there is a column
  const ccl::TableMaker makeCheckedTable = [&](std::uint64_t components) {
    const CudaConnectedComponentDeviceTable table = makeTable(components);
    Require(table.rows >= components, [&] {
      return "the table has " + std::to_string(table.rows) + " rows, and there are " + std::to_string(components) +
             " components";
    });
    const ccl::TableColumns   wanted = ColumnsOf(table);
    const ccl::TableColumns & measured = request.columns;
    Require((measured.boundingBoxes || !wanted.boundingBoxes) && (measured.sums || !wanted.sums) &&
              (measured.products || !wanted.products) && (measured.firstPixels || !wanted.firstPixels) &&
              (measured.faces || !wanted.faces),
            [] { return std::string("the table has a column that is not in options.columns"); });
    return table;
  };
  return LabelDevice(options, input, request, {}, nullptr, &makeCheckedTable);
}

CudaConnectedComponentTable
CudaConnectedComponentLabeler::MeasurePackedRows(const RowPackerType & packRow,
                                                 const SizeType &      size,
                                                 std::uint64_t         images) const
{
  CudaConnectedComponentTable table;
  const auto request = RequestFor(options, size, images, ccl::LabelValues::Ranks(), true, ccl::OutputKind::None, 0);
  LabelRows(options, packRow, request, {}, &table);
  return table;
}

std::uint64_t
CudaConnectedComponentLabeler::WriteFilled(const View &                  input,
                                           const View &                  output,
                                           const View::Value &           number,
                                           OutputKind                    kind,
                                           CudaConnectedComponentTable * table) const
{
  RequireSize(output, input.size, input.images, "output");
  RequireIn(input.memory, output, "output");
  Require(output.type == input.type, [] { return std::string("the output has another pixel type than the input"); });
  RequireMemory(output, "output");
  const std::uint64_t value = number.BitsAs(output.type);
  if (input.memory == View::MemoryEnum::Device)
  {
    const auto request = RequestFor(options, input, ccl::LabelValues::Ranks(), table != nullptr, kind, value);
    return LabelDevice(options, input, request, output, table);
  }
  GridOf(input.size, input.images);
  const bool isInside = kind == OutputKind::FilledInside;
  const bool hasValue = input.pixels != output.pixels && IsCleared(options, output, !isInside && value == 0);
  const auto writeRow = [&](std::uint64_t row, const std::uint32_t * words) {
    if (isInside)
    {
      ccl::CopyRowOf(input, output, row);
      ccl::SetPixelsOf(output, row, words, value);
    }
    else
    {
      ccl::SelectPixelsOf(input, output, row, words, value, hasValue);
    }
  };
  return LabelView(options, input, [&](const RowPackerType & packRow) {
    return this->MaskPackedRows(packRow, input.size, writeRow, table, input.images);
  });
}

std::uint64_t
CudaConnectedComponentLabeler::MaskPackedRows(const RowPackerType &         packRow,
                                              const SizeType &              size,
                                              const MaskRowVisitorType &    visitRow,
                                              CudaConnectedComponentTable * table,
                                              std::uint64_t                 images) const
{
  HostOutput output;
  output.visitMask = &visitRow;
  const auto request =
    RequestFor(options, size, images, ccl::LabelValues::Ranks(), table != nullptr, ccl::OutputKind::MaskBits, 0);
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
    RequestFor(options, size, 1, ccl::LabelValues::Ranks(), table != nullptr, ccl::OutputKind::Labels, 0);
  return LabelRows(options, packRow, request, output, table);
}

std::uint64_t
CudaConnectedComponentLabeler::FindRangeEnd(const std::uint32_t * words, std::uint64_t begin, std::uint64_t count)
{
  const bool isInside = (words[begin / ccl::BitsPerWord] >> begin % ccl::BitsPerWord & 1U) != 0;
  return ccl::NextPixel(words, begin, count, !isInside);
}

void
CudaConnectedComponentLabeler::PackViewedRow(const View & row, std::uint32_t * words)
{
  ccl::PackRowOf(row, 0, ccl::Foreground::NotZero(row.type), words);
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
