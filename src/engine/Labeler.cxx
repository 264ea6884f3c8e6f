// SPDX-License-Identifier: Apache-2.0

// The calls of CudaConnectedComponentLabeler: Requests.h makes their requests, and Calls.h carries them out.

#include "itkCudaConnectedComponentLabeler.h"

#include "engine/Calls.h"
#include "engine/Checks.h"
#include "engine/HolesOfValues.h"
#include "engine/LabeledImages.h"
#include "engine/Requests.h"
#include "primitives/ImageRows.h"
#include "primitives/Tuning.h"

#include <string>
#include <vector>

namespace itk
{

using namespace ccl;

namespace
{

/** Returns label(packRow), with a function that packs the rows of an image in host memory. Then passes what the values
 * of the pixels are to the caller, if it is wanted. */
template <typename TLabel>
auto
LabelView(const CudaConnectedComponentLabeler::Options & options, const ImageView & image, const TLabel & label)
{
  RequireMemory(image, "input");
  const auto foreground = Foreground::Of(options.foreground, image.type);
  if (!WantsValues(options, foreground, image.type))
  {
    return label([&](std::uint64_t row, std::uint32_t * words) { PackRowOf(image, row, foreground, words); });
  }
  ObservingPacker packer(image);
  auto            result = label([&](std::uint64_t row, std::uint32_t * words) { packer.PackRow(row, words); });
  options.reportValues(packer.GetValues());
  return result;
}

// The calls on packed rows. `image` has the pixels, or is null if they are not known.

std::uint64_t
LabelPacked(const CudaConnectedComponentLabeler &                labeler,
            const ImageView *                                    image,
            const CudaConnectedComponentLabeler::RowPackerType & packRow,
            const ImageView &                                    output,
            std::uint64_t                                        backgroundValue,
            CudaConnectedComponentTable *                        table)
{
  const auto & options = labeler.options;
  RequireHostLabels(output);
  const auto labelValues = LabelValuesOf(output.type, backgroundValue);
  const auto request =
    RequestFor(options, image, output.size, output.images, table != nullptr, OutputKind::Labels, labelValues);
  HostOutput hostOutput;
  hostOutput.labels = output;
  return LabelRows(options, packRow, request, hostOutput, table);
}

CudaConnectedComponentTable
MeasurePacked(const CudaConnectedComponentLabeler &                labeler,
              const ImageView *                                    image,
              const CudaConnectedComponentLabeler::RowPackerType & packRow,
              const ImageView::SizeType &                          size,
              std::uint64_t                                        images)
{
  CudaConnectedComponentTable table;
  const auto                  request = RequestFor(labeler.options, image, size, images, true, OutputKind::None);
  LabelRows(labeler.options, packRow, request, {}, &table);
  return table;
}

std::uint64_t
MaskPacked(const CudaConnectedComponentLabeler &                     labeler,
           const ImageView *                                         image,
           const CudaConnectedComponentLabeler::RowPackerType &      packRow,
           const ImageView::SizeType &                               size,
           std::uint64_t                                             images,
           const CudaConnectedComponentLabeler::MaskRowVisitorType & visitRow,
           CudaConnectedComponentTable *                             table)
{
  HostOutput output;
  output.visitMask = &visitRow;
  const auto request = RequestFor(labeler.options, image, size, images, table != nullptr, OutputKind::MaskBits);
  return LabelRows(labeler.options, packRow, request, output, table);
}

} // namespace

std::uint64_t
ccl::LabelHost(const LabelerOptions &        options,
               const ImageView &             input,
               const Request &               request,
               const HostOutput &            output,
               CudaConnectedComponentTable * table)
{
  return LabelView(options, input, [&](const CudaConnectedComponentLabeler::RowPackerType & packRow) {
    return LabelRows(options, packRow, request, output, table);
  });
}

std::uint64_t
CudaConnectedComponentLabeler::Label(const ViewType &              input,
                                     const ViewType &              output,
                                     std::uint64_t                 backgroundValue,
                                     CudaConnectedComponentTable * table) const
{
  RequireSize(output, input.size, input.images, "output");
  RequireIn(input.memory, output, "output");
  if (input.memory == ViewType::MemoryEnum::Host)
  {
    return LabelView(options, input, [&](const RowPackerType & packRow) {
      return LabelPacked(*this, &input, packRow, output, backgroundValue, table);
    });
  }
  RequireLabelType(output);
  RequireSeparateRows(output, "output");
  const auto labelValues = LabelValuesOf(output.type, backgroundValue);
  const auto request = RequestFor(options, input, table != nullptr, OutputKind::Labels, labelValues);
  return LabelDevice(options, input, request, output, table);
}

std::uint64_t
CudaConnectedComponentLabeler::Label(const ViewType &        input,
                                     ViewType::PixelTypeEnum labelType,
                                     const LabelMakerType &  makeLabels) const
{
  RequireOnDevice(input);
  Require(makeLabels != nullptr, "the function that makes the labels is empty");
  RequireMemory(ViewType::Of(nullptr, labelType, {}), "output"); // checks the type alone
  const auto output = ViewType::Of(nullptr, labelType, input.size, input.memory).Batch(input.images);
  RequireLabelType(output);
  const auto       request = RequestFor(options, input, false, OutputKind::Labels, LabelValuesOf(labelType, 0));
  const LabelMaker makeCheckedLabels = [&] {
    ViewType labels = output;
    labels.pixels = makeLabels();
    RequireMemory(labels, "memory for labels");
    RequireAligned(labels, "memory for labels");
    return labels.pixels;
  };
  return LabelDevice(options, input, request, output, nullptr, { nullptr, &makeCheckedLabels });
}

std::uint64_t
CudaConnectedComponentLabeler::LabelPackedRows(const RowPackerType &         packRow,
                                               const ViewType &              output,
                                               std::uint64_t                 backgroundValue,
                                               CudaConnectedComponentTable * table) const
{
  return LabelPacked(*this, nullptr, packRow, output, backgroundValue, table);
}

CudaConnectedComponentTable
CudaConnectedComponentLabeler::Measure(const ViewType & input) const
{
  if (input.memory == ViewType::MemoryEnum::Host)
  {
    return LabelView(options, input, [&](const RowPackerType & packRow) {
      return MeasurePacked(*this, &input, packRow, input.size, input.images);
    });
  }
  CudaConnectedComponentTable table;
  const auto                  request = RequestFor(options, input, true, OutputKind::None);
  LabelDevice(options, input, request, {}, &table);
  return table;
}

std::uint64_t
CudaConnectedComponentLabeler::Measure(const ViewType & input, const TableMakerType & makeTable) const
{
  RequireOnDevice(input);
  Require(makeTable != nullptr, "the function that makes the table is empty");
  Require(options.intensities.pixels == nullptr, "a table in device memory has no intensities: call Measure(input)");
  auto request = RequestFor(options, input, true, OutputKind::None);
  request.columns.pixelCounts = true; // so that there is a column
  const TableMaker makeCheckedTable = [&](std::uint64_t components) {
    const CudaConnectedComponentDeviceTable table = makeTable(components);
    Require(table.rows >= components, [&] {
      return "the table has " + std::to_string(table.rows) + " rows, and there are " + std::to_string(components) +
             " components";
    });
    const TableColumns wanted = ColumnsOf(table);
    ForEachColumn(
      [&](auto flag, const auto *) {
        Require(request.columns.*flag || !(wanted.*flag), "the table has a column that is not in options.columns");
      },
      table);
    return table;
  };
  return LabelDevice(options, input, request, {}, nullptr, { &makeCheckedTable });
}

CudaConnectedComponentTable
CudaConnectedComponentLabeler::MeasurePackedRows(const RowPackerType & packRow,
                                                 const SizeType &      size,
                                                 std::uint64_t         images) const
{
  return MeasurePacked(*this, nullptr, packRow, size, images);
}

std::uint64_t
CudaConnectedComponentLabeler::WriteFilled(const ViewType &              input,
                                           const ViewType &              output,
                                           const ViewType::Value &       number,
                                           OutputKind                    kind,
                                           CudaConnectedComponentTable * table) const
{
  RequireSize(output, input.size, input.images, "output");
  RequireIn(input.memory, output, "output");
  Require(output.type == input.type, "the output has another pixel type than the input");
  RequireMemory(output, "output");
  const std::uint64_t value = number.BitsAs(output.type);
  if (input.memory == ViewType::MemoryEnum::Device)
  {
    const auto request = RequestFor(options, input, table != nullptr, kind, LabelValues::Ranks(), value);
    return LabelDevice(options, input, request, output, table);
  }
  GridOf(input.size, input.images);
  const bool isInside = kind == OutputKind::FilledInside;
  const bool hasValue = input.pixels != output.pixels && IsCleared(options, output, !isInside && value == 0);
  const auto writeRow = [&](std::uint64_t row, const std::uint32_t * words) {
    if (isInside)
    {
      CopyRowOf(input, output, row);
      SetPixelsOf(output, row, words, value);
    }
    else
    {
      SelectPixelsOf(input, output, row, words, value, hasValue);
    }
  };
  return LabelView(options, input, [&](const RowPackerType & packRow) {
    return MaskPacked(*this, &input, packRow, input.size, input.images, writeRow, table);
  });
}

std::uint64_t
CudaConnectedComponentLabeler::FillHolesOfValues(const ViewType & input,
                                                 const ViewType & output,
                                                 bool             overwritesValues,
                                                 std::uint64_t    maximumSize) const
{
  RequireIn(ViewType::MemoryEnum::Host, input, "input");
  RequireIn(ViewType::MemoryEnum::Host, output, "output");
  RequireSize(output, input.size, input.images, "output");
  Require(output.type == input.type, "the output has another pixel type than the input");
  RequireMemory(output, "output");
  Require(options.mask.pixels == nullptr, "the holes of values have no mask: clear options.mask");
  // All pixels belong to regions of one value.
  Options regionOptions = options;
  regionOptions.byValue = true;
  regionOptions.foreground = CudaConnectedComponentForeground::AnyOf({});
  regionOptions.complement = true;
  regionOptions.selection = {};
  regionOptions.columns = {};
  regionOptions.columns.boundingBoxes = true;
  regionOptions.columns.values = true;
  regionOptions.intensities = {};
  regionOptions.reportValues = nullptr;
  const std::uint64_t           rowCount = input.size[1] * input.size[2] * input.images;
  std::vector<std::vector<Run>> rows(rowCount);
  const RunVisitorType keepRuns = [&rows](std::uint64_t row, std::vector<Run> runs) { rows[row] = std::move(runs); };
  HostOutput           runOutput;
  runOutput.visitRuns = &keepRuns;
  CudaConnectedComponentTable regions;
  const auto request = RequestFor(regionOptions, &input, input.size, input.images, true, OutputKind::Labels);
  LabelHost(regionOptions, input, request, runOutput, &regions);
  if (!request.HasPixels())
  {
    return 0;
  }

  const ParallelFor parallelFor = options.parallelFor ? CheckedFor(options.parallelFor) : ParallelFor(SequentialFor);
  const auto        valueOf = FindHolesOfValues(regions,
                                         FindAdjacentRegions(parallelFor, rows, request.size, request.neighbors),
                                         request.size,
                                         HoleSettings::Of(options, input.type, overwritesValues, maximumSize));
  parallelFor(rowCount, [&](std::uint64_t row) {
    CopyRowOf(input, output, row);
    ImageView part = output;
    part.size = { 0, 1, 1 };
    part.images = 1;
    for (const Run & run : rows[row])
    {
      const std::uint64_t from = valueOf[run.component];
      if (from != run.component)
      {
        part.pixels = output.Row(row) + static_cast<std::int64_t>(run.begin) * output.strides[0];
        part.size[0] = run.end - run.begin;
        FillRowOf(part, 0, regions.values[from]);
      }
    }
  });
  std::uint64_t changed = 0;
  for (std::uint64_t region = 0; region < valueOf.size(); ++region)
  {
    changed += valueOf[region] == region ? 0 : regions.pixelCounts[region];
  }
  return changed;
}

std::uint64_t
CudaConnectedComponentLabeler::MaskPackedRows(const RowPackerType &         packRow,
                                              const SizeType &              size,
                                              const MaskRowVisitorType &    visitRow,
                                              CudaConnectedComponentTable * table,
                                              std::uint64_t                 images) const
{
  return MaskPacked(*this, nullptr, packRow, size, images, visitRow, table);
}

std::uint64_t
CudaConnectedComponentLabeler::VisitRunsOfPackedRows(const RowPackerType &         packRow,
                                                     const SizeType &              size,
                                                     const RunVisitorType &        visitRuns,
                                                     CudaConnectedComponentTable * table) const
{
  HostOutput output;
  output.visitRuns = &visitRuns;
  const auto request = RequestFor(options, nullptr, size, 1, table != nullptr, OutputKind::Labels);
  return LabelRows(options, packRow, request, output, table);
}

std::uint64_t
CudaConnectedComponentLabeler::FindRangeEnd(const std::uint32_t * words, std::uint64_t begin, std::uint64_t count)
{
  const bool isInside = (words[begin / BitsPerWord] >> begin % BitsPerWord & 1U) != 0;
  return NextPixel(words, begin, count, !isInside);
}

void
CudaConnectedComponentLabeler::PackViewedRow(const ViewType & row, std::uint32_t * words)
{
  PackRowOf(row, 0, Foreground::NotZero(row.type), words);
}

bool
CudaConnectedComponentLabeler::IsFasterOnHost(const SizeType & size)
{
  // Integers could overflow.
  return static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]) <=
         static_cast<double>(Tuning::HostPixels);
}

void
CudaConnectedComponentLabeler::RequireDevice() const
{
  const DeviceSession session(options.deviceId);
}

CudaConnectedComponentLabeler::HeldMemory
CudaConnectedComponentLabeler::GetHeldMemory()
{
  const auto held = DeviceSession::GetHeldMemory();
  return { held.deviceBytes, held.pinnedBytes };
}

void
CudaConnectedComponentLabeler::TrimMemory()
{
  DeviceSession::TrimMemory();
}

} // namespace itk
