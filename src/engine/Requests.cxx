// SPDX-License-Identifier: Apache-2.0

#include "engine/Requests.h"

#include "engine/Checks.h"
#include "engine/LabeledImages.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace itk::ccl
{

Neighbors
NeighborsOf(const CudaConnectedComponentLabeler::Options & options, const Grid & size)
{
  const bool isPlane = size.z <= 1; // an image may have no pixels
  if (options.wholeValues)
  {
    Require(options.byValue, "options.wholeValues needs options.byValue: the components of a mask have no values");
    return Neighbors::All;
  }
  switch (options.connectivity)
  {
    case 0:
      return ccl::NeighborsOf(options.fullyConnected);
    case 6:
      return Neighbors::Face;
    case 18:
      return isPlane ? Neighbors::Full : Neighbors::Edge;
    case 26:
      return Neighbors::Full;
    default:
      Require(isPlane && (options.connectivity == 4 || options.connectivity == 8), [&] {
        return "the connectivity is " + std::to_string(options.connectivity) + " instead of " +
               (isPlane ? "4 or 8" : "6, 18 or 26");
      });
      return options.connectivity == 8 ? Neighbors::Full : Neighbors::Face;
  }
}

Request
RequestFor(const CudaConnectedComponentLabeler::Options & options,
           const ImageView *                              image,
           const ImageView::SizeType &                    imageSize,
           std::uint64_t                                  images,
           bool                                           wantsTable,
           OutputKind                                     output,
           const LabelValues &                            labelValues,
           ImageView::MemoryEnum                          memory)
{
  const Grid      size = GridOf(imageSize, images);
  const Neighbors neighbors = NeighborsOf(options, size);
  const auto &    algorithm = CudaConnectedComponentAlgorithms::Describe(options.algorithm);
  Require(neighbors == Neighbors::Full || !algorithm.needsFullConnectivity, [&] {
    return std::string(algorithm.identifier) +
           " labels with full connectivity only: set fullyConnected and leave connectivity at 0, or choose Automatic";
  });
  Require(!algorithm.isPublished || (neighbors != Neighbors::Edge && !options.byValue), [&] {
    return std::string(algorithm.identifier) + " labels " +
           (options.byValue ? "masks only, not by value" : "with face or full connectivity only") +
           ": choose Automatic";
  });
  Require(!options.byValue || image != nullptr,
          "labeling by value needs the pixels of an image: packed rows have none");
  Require(options.byValue || !wantsTable || !options.columns.values,
          "options.columns.values needs options.byValue: the components of a mask have no values");
  const auto & selection = options.selection;
  Require(options.byValue || (!selection.perValue && selection.sizesOfValues.empty()),
          "a selection by values needs options.byValue: the components of a mask have no values");
  Require(selection.numberOfLargest == 0 || selection.perValue || selection.sizesOfValues.empty(),
          "the largest components of some values need selection.perValue");
  Require(!selection.keepsTies || (selection.numberOfLargest == 1 && !selection.perValue),
          "selection.keepsTies is for the largest component of an image: set numberOfLargest to 1");
  for (const auto & seed : selection.seeds)
  {
    Require(size.Count() == 0 || (seed[0] < size.x && seed[1] < size.y && seed[2] < size.z), [&] {
      return "the seed " + std::to_string(seed[0]) + ", " + std::to_string(seed[1]) + ", " + std::to_string(seed[2]) +
             " lies outside the image of " + ImageView::TextOf(imageSize) + " pixels";
    });
  }
  Request request;
  request.size = size;
  request.images = images;
  request.algorithm = options.algorithm;
  request.neighbors = neighbors;
  request.isByValue = options.byValue;
  request.inlineCompression = options.inlineCompression;
  request.isComplement = options.complement;
  request.mask = options.mask;
  request.labelValues = labelValues;
  request.selection = options.selection;
  request.columns = TableColumns{ false };
  request.wantsTable = wantsTable;
  request.output = output;
  if (wantsTable)
  {
    request.columns = options.columns;
    request.intensities = options.intensities;
  }
  if (options.byValue)
  {
    request.values = *image;
  }
  if (request.WantsMask())
  {
    RequireSize(request.mask, imageSize, images, "mask");
    RequireMemory(request.mask, "mask");
    RequireIn(memory, request.mask, "mask");
  }
  if (request.WantsIntensities())
  {
    RequireSize(request.intensities, imageSize, images, "intensity image");
    RequireReadable(request.intensities.type);
    RequireAdjacent(request.intensities, "intensity image");
    RequireSeparateRows(request.intensities, "intensity image");
    RequireIn(memory, request.intensities, "intensity image");
  }
  return request;
}

bool
WantsValues(const CudaConnectedComponentLabeler::Options & options, const Foreground & foreground, PixelType type)
{
  const bool hasMask = options.mask.pixels != nullptr || options.mask.Count() > 0;
  return options.reportValues && !options.byValue && foreground.IsNotZero() && !hasMask && type != PixelType::Bool;
}

Request
RequestFor(const CudaConnectedComponentLabeler::Options & options,
           const ImageView &                              input,
           bool                                           wantsTable,
           OutputKind                                     output,
           const LabelValues &                            labelValues,
           std::uint64_t                                  fillValue)
{
  RequireMemory(input, "input");
  Request request =
    RequestFor(options, &input, input.size, input.images, wantsTable, output, labelValues, input.memory);
  request.foreground = Foreground::Of(options.foreground, input.type);
  request.wantsValues = WantsValues(options, request.foreground, input.type);
  request.fillValue = fillValue;
  return request;
}

TableColumns
ColumnsOf(const CudaConnectedComponentDeviceTable & table)
{
  const auto   isWanted = [](const void * column) { return column != nullptr; };
  TableColumns columns{ false };
  ForEachColumn([&](auto flag, const auto * column) { columns.*flag |= isWanted(column); }, table);
  columns.pixelCounts |= isWanted(table.areas);
  columns.boundingBoxes |= std::any_of(std::begin(table.ends), std::end(table.ends), isWanted);
  columns.sums |= std::any_of(std::begin(table.means), std::end(table.means), isWanted);
  return columns;
}

Request
RequestFor(const CudaConnectedComponentLabeler::Options & options, const CudaConnectedComponentDeviceCall & call)
{
  const ImageView & input = call.input;
  const ImageView & output = call.output;
  Require(options.intensities.pixels == nullptr, "Enqueue() does not measure intensities: call Measure()");
  Require(options.algorithm == CudaConnectedComponentLabeler::AlgorithmEnum::Automatic,
          "Enqueue() labels by the algorithm Automatic only");
  Require(call.kind != OutputKind::MaskBits, "Enqueue() does not write bits of a mask");
  LabelValues   labelValues = LabelValues::Ranks();
  std::uint64_t fillValue = 0;
  if (call.kind != OutputKind::None)
  {
    RequireSize(output, input.size, input.images, "output");
    RequireIn(ImageView::MemoryEnum::Device, output, "output");
    RequireMemory(output, "output");
    RequireAdjacent(output, "output");
    RequireSeparateRows(output, "output");
  }
  if (call.kind == OutputKind::Labels)
  {
    RequireLabelType(output);
    labelValues = LabelValuesOf(output.type, call.value.BitsAs(output.type));
  }
  else if (call.kind != OutputKind::None)
  {
    Require(output.type == input.type, "the output has another pixel type than the input");
    RequireContiguous(input, "input");
    RequireContiguous(output, "output");
    fillValue = call.value.BitsAs(output.type);
  }
  RequireOnDevice(input);
  RequireMemory(input, "input");
  RequireAligned(input, "input");

  const auto & table = call.table;
  auto         tableOptions = options;
  tableOptions.columns = ColumnsOf(table);
  tableOptions.columns.pixelCounts = table.rows != 0; // all tables, so that there is a column
  auto request = RequestFor(tableOptions, input, table.rows != 0, call.kind, labelValues, fillValue);
  if (request.WantsMask())
  {
    RequireAligned(request.mask, "mask");
  }
  request.wantsValues = false;
  return request;
}

} // namespace itk::ccl
