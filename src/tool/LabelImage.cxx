// SPDX-License-Identifier: Apache-2.0
#include "LabelImage.h"

#include "Failure.h"
#include "MinimumSize.h"
#include "OutputTypes.h"
#include "Preview.h"
#include "Progress.h"
#include "ReadMask.h"
#include "Report.h"
#include "SaveImage.h"
#include "SaveTable.h"

#include "itkCudaConnectedComponentImageFilter.h"
#include "itkUnaryGeneratorImageFilter.h"

#include "CudaConnectedComponentsDetail/LabelRows.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>

namespace
{

using BackendEnum = itk::CudaConnectedComponentsEnums::Backend;

class Stopwatch
{
public:
  double
  Milliseconds() const
  {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_Start).count();
  }

private:
  std::chrono::steady_clock::time_point m_Start = std::chrono::steady_clock::now();
};

/** The output type of the filter. Its labels are 1, 2, 3, ...; WriteAs() converts them to the labels that ITK gives for
 * the output type and the background value. */
using LabelType = std::uint32_t;
template <unsigned int VDimension>
using LabelsType = itk::Image<LabelType, VDimension>;
template <unsigned int VDimension>
using FilterType =
  itk::CudaConnectedComponentImageFilter<itk::Image<unsigned char, VDimension>, LabelsType<VDimension>>;

/** Adds the five largest objects to the report. `sizes` are the numbers of pixels, in the order of the labels. */
void
ReportLargest(const std::vector<itk::SizeValueType> & sizes,
              double                                  pixelSize,
              std::int64_t                            backgroundValue,
              Report &                                report)
{
  using itk::CudaConnectedComponentsDetail::LabelOfRow;
  std::vector<std::size_t> largest;
  for (std::size_t i = 0; i < sizes.size(); ++i)
  {
    const auto position = std::upper_bound(
      largest.begin(), largest.end(), sizes[i], [&sizes](auto size, std::size_t other) { return size > sizes[other]; });
    largest.insert(position, i);
    if (largest.size() > 5)
    {
      largest.pop_back();
    }
  }
  for (const std::size_t i : largest)
  {
    report.largestObjects.push_back({ LabelOfRow(i, static_cast<std::uint64_t>(backgroundValue)),
                                      sizes[i],
                                      static_cast<double>(sizes[i]) * pixelSize });
  }
}

/** Labels an image and adds the results to the report. `mask` may be null. Returns the filter after its run. Throws
 * Failure. */
template <unsigned int VDimension>
typename FilterType<VDimension>::Pointer
LabelMask(const Options &                               options,
          const itk::Image<unsigned char, VDimension> * image,
          const itk::Image<unsigned char, VDimension> * mask,
          Report &                                      report)
{
  const auto & spacing = image->GetSpacing();
  const double pixelSize = std::accumulate(spacing.Begin(), spacing.End(), 1.0, std::multiplies<>());
  const bool   isTextPrinted = !options.quiet && !options.json;
  auto         filter = FilterType<VDimension>::New();
  filter->SetInput(image);
  filter->SetMaskImage(mask);
  filter->SetFullyConnected(options.fullyConnected);
  filter->SetAlgorithm(options.algorithm);
  // With a minimum of 1 pixel, the filter keeps all objects and counts their pixels.
  filter->SetMinimumObjectSize(
    std::max<std::uint64_t>(PixelCountOf(options.minimumSize, pixelSize), isTextPrinted ? 1 : 0));
  filter->SetNumberOfObjectsToKeep(options.numberToKeep);
  filter->SetSortByObjectSize(options.sortBySize);
  filter->SetComputeStatistics(!options.table.empty());
  filter->SetGPUEnabled(options.backend != Options::Backend::Cpu);
  filter->SetCPUFallback(options.backend != Options::Backend::Cuda);
  Progress progress("labeling", !options.quiet);
  progress.Observe(filter);
  const Stopwatch stopwatch;
  try
  {
    filter->Update();
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(options.input + ": cannot be labeled: " + Sentence(exception));
  }
  report.labelingMilliseconds = stopwatch.Milliseconds();
  report.objectCount = filter->GetObjectCount();
  report.originalObjectCount = filter->GetOriginalNumberOfObjects();
  report.physicalUnit = PhysicalUnit(VDimension);
  if (isTextPrinted)
  {
    ReportLargest(filter->GetSizeOfObjectsInPixels(), pixelSize, options.backgroundValue, report);
  }
  report.backend = filter->GetBackendUsed() == BackendEnum::CUDA ? "cuda" : "cpu";
  report.reason = options.backend == Options::Backend::Cpu ? "as asked for" : filter->GetFallbackReason();
  return filter;
}

/** Returns the name of the output's pixel type. Throws Failure if there are more objects than the type has labels. */
std::string
ChooseOutputType(const Options & options, std::uint64_t objectCount)
{
  if (options.outputType != "auto")
  {
    const std::uint64_t maximum = MaximumOf(options.outputType);
    if (objectCount > maximum)
    {
      throw Failure(options.input + ": cannot be labeled: Number of objects (" + std::to_string(objectCount) +
                    ") greater than maximum of output pixel type (" + std::to_string(maximum) +
                    "); choose a wider --output-type, or auto");
    }
    return options.outputType;
  }
  const auto largest = std::max(objectCount, static_cast<std::uint64_t>(options.backgroundValue));
  for (const std::string name : { "uint8", "uint16", "uint32" })
  {
    if (largest <= MaximumOf(name))
    {
      return name;
    }
  }
  return "uint64";
}

/** Converts labels to the pixel type TOutput and writes them. */
template <typename TOutput, unsigned int VDimension>
void
WriteAs(const Options & options, const LabelsType<VDimension> * labels)
{
  const auto background = static_cast<TOutput>(options.backgroundValue);
  if constexpr (std::is_same_v<TOutput, LabelType>)
  {
    if (background == 0)
    {
      SaveImage(labels, options.output);
      return;
    }
  }
  auto renumber = itk::UnaryGeneratorImageFilter<LabelsType<VDimension>, itk::Image<TOutput, VDimension>>::New();
  renumber->SetInput(labels);
  renumber->SetFunctor([background](const LabelType & label) {
    return label == 0 ? background
                      : static_cast<TOutput>(itk::CudaConnectedComponentsDetail::LabelOfRow(
                          label - 1, static_cast<std::uint64_t>(background)));
  });
  renumber->Update();
  SaveImage(renumber->GetOutput(), options.output);
}

/** Writes the labels and the table that the options ask for. */
template <unsigned int VDimension>
void
WriteOutputs(const Options & options, const FilterType<VDimension> & filter, Report & report)
{
  const Progress            progress("writing", !options.quiet);
  const Stopwatch           stopwatch;
  std::unique_ptr<Workshop> table;
  if (!options.table.empty())
  {
    table =
      PrepareTable<VDimension>(filter.GetStatistics(), *filter.GetOutput(), options.backgroundValue, options.table);
  }
  if (!options.output.empty())
  {
    VisitOutputType(report.outputType,
                    [&](auto zero) { WriteAs<decltype(zero), VDimension>(options, filter.GetOutput()); });
  }
  // The table is delivered last: after an error of the labels, an existing table is unchanged.
  if (table)
  {
    table->Deliver();
  }
  report.writingMilliseconds = stopwatch.Milliseconds();
}

/** Draws the plane, or three slices of the volume through the middle of the foreground. */
template <unsigned int VDimension>
void
DrawPreview(const Options & options, const GreySlice & greySlice, const LabelsType<VDimension> * labels)
{
  const auto        objectOf = [](LabelType label) { return std::uint64_t{ label }; };
  std::vector<Pane> panes;
  const auto        add = [&](unsigned int across, unsigned int down, itk::IndexValueType index) {
    panes.push_back({ greySlice(across, down, index), Slice<std::uint64_t>(labels, across, down, index, objectOf) });
  };
  if constexpr (VDimension == 2)
  {
    add(0, 1, 0);
  }
  else
  {
    const auto middle = MiddleOf(labels, 0);
    add(0, 1, middle[2]);
    add(0, 2, middle[1]);
    add(1, 2, middle[0]);
  }
  WritePreview(panes, options.preview);
}

/** Returns a text such as
 * "31 x 29 x 13 pixels of 1 x 1 x 2.5 mm, the first at (0, 0, -20), axes (1, 0, 0), (0, 1, 0), (0, 0, 1)". */
template <unsigned int VDimension>
std::string
GeometryOf(const itk::ImageBase<VDimension> & image)
{
  const auto list = [](const auto & valueAt, const char * separator) {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::digits10);
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      text << (axis > 0 ? separator : "") << valueAt(axis);
    }
    return text.str();
  };
  const auto size = image.GetLargestPossibleRegion().GetSize();
  const auto axes = [&](unsigned int axis) {
    return "(" + list([&](unsigned int row) { return image.GetDirection()[row][axis]; }, ", ") + ")";
  };
  return list([&](unsigned int axis) { return size[axis]; }, " x ") + " pixels of " +
         list([&](unsigned int axis) { return image.GetSpacing()[axis]; }, " x ") + " mm, the first at (" +
         list([&](unsigned int axis) { return image.GetOrigin()[axis]; }, ", ") + "), axes " + list(axes, ", ");
}

/** Throws Failure if ITK would reject the mask because of its geometry. */
template <unsigned int VDimension>
void
RequireMaskOf(const Options &                    options,
              const itk::ImageBase<VDimension> & image,
              const itk::ImageBase<VDimension> & mask)
{
  try
  {
    itk::CudaConnectedComponentsDetail::MaskImageFilter<VDimension>::Verify(image, mask);
  }
  catch (const itk::ExceptionObject &)
  {
    throw Failure(options.mask + ": cannot be the mask of " + options.input +
                  ": the spacing, origin and axes must be the same, and the mask must cover the image: " +
                  options.mask + " has " + GeometryOf(mask) + "; " + options.input + " has " + GeometryOf(image));
  }
}

template <unsigned int VDimension>
Report
LabelDimension(const Options & options)
{
  Report report;
  report.input = options.input;
  report.output = options.output;
  report.table = options.table;
  report.preview = options.preview;
  report.connectivity = options.fullyConnected ? (VDimension == 2 ? 8 : 26) : 2 * VDimension;

  Mask<VDimension> image;
  Mask<VDimension> mask;
  {
    const Progress  progress("reading", !options.quiet);
    const Stopwatch stopwatch;
    image =
      ReadMask<VDimension>(options.input, { options.lower, options.upper, options.otsu }, !options.preview.empty());
    if (!options.mask.empty())
    {
      if (ReadDimension(options.mask) != VDimension)
      {
        throw Failure(options.mask + ": cannot be the mask of " + options.input +
                      ": one is a plane, the other is a volume");
      }
      mask = ReadMask<VDimension>(options.mask, {}, false);
      RequireMaskOf<VDimension>(options, *image.image, *mask.image);
    }
    report.readingMilliseconds = stopwatch.Milliseconds();
  }
  const auto region = image.image->GetLargestPossibleRegion();
  const auto pixelCount = static_cast<std::uint64_t>(region.GetNumberOfPixels());
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    report.size.push_back(region.GetSize(axis));
  }
  report.pixelType = image.pixelType;
  report.otsuThreshold = image.otsuThreshold;
  report.masked = mask.image.IsNotNull();
  const auto * const pixels = image.image->GetBufferPointer();
  report.foreground =
    1.0 - static_cast<double>(std::count(pixels, pixels + pixelCount, 0)) / static_cast<double>(pixelCount);

  const auto filter = LabelMask<VDimension>(options, image.image, mask.image, report);
  if (!options.output.empty())
  {
    report.outputType = ChooseOutputType(options, report.objectCount);
  }
  WriteOutputs<VDimension>(options, *filter, report);
  if (!options.preview.empty())
  {
    DrawPreview<VDimension>(options, image.greySlice, filter->GetOutput());
  }
  return report;
}

} // namespace

void
LabelImage(const Options & options)
{
  const unsigned int dimension = ReadDimension(options.input);
  RequireUnit(options.minimumSize, dimension, options.input);
  if (!options.output.empty())
  {
    RequireImageWritable(options.output);
  }
  if (!options.table.empty())
  {
    RequireWritable(options.table);
  }
  if (!options.preview.empty())
  {
    RequirePreviewWritable(options.preview);
  }
  const Report report = dimension == 2 ? LabelDimension<2>(options) : LabelDimension<3>(options);
  if (options.json)
  {
    PrintJson(report, std::cout);
  }
  else if (!options.quiet)
  {
    PrintText(report, std::cout);
  }
}
