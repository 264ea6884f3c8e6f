// SPDX-License-Identifier: Apache-2.0
#include "LabelImage.h"

#include "Failure.h"
#include "FindComponents.h"
#include "MinimumSize.h"
#include "OutputTypes.h"
#include "Preview.h"
#include "Progress.h"
#include "ReadIntensities.h"
#include "ReadMask.h"
#include "Report.h"
#include "SaveImage.h"
#include "SaveTable.h"
#include "Stopwatch.h"

#include "itkUnaryGeneratorImageFilter.h"

#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/LabelRows.h"
#include "CudaConnectedComponentsDetail/PackRow.h"
#include "CudaConnectedComponentsDetail/VerifyMask.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>

namespace
{

/** Returns the rows of the five largest components in the table, the largest first. `sizes` are the numbers of pixels,
 * in the order of the labels. */
std::vector<std::size_t>
FindLargest(const std::vector<std::uint64_t> & sizes)
{
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
  return largest;
}

/** Returns the label that a row of the table has in the output. */
std::uint64_t
LabelOf(std::size_t row, const Options & options)
{
  return itk::CudaConnectedComponentsDetail::LabelOfRow(row, static_cast<std::uint64_t>(options.backgroundValue));
}

/** Adds the five largest components to the report. */
template <unsigned int VDimension>
void
ReportLargest(const Options &                    options,
              const itk::ImageBase<VDimension> & image,
              const std::vector<std::uint64_t> & sizes,
              Report &                           report)
{
  const auto & spacing = image.GetSpacing();
  const double pixelSize = std::accumulate(spacing.Begin(), spacing.End(), 1.0, std::multiplies<>());
  report.physicalUnit = PhysicalUnit(VDimension);
  for (const std::size_t i : FindLargest(sizes))
  {
    report.largestObjects.push_back({ LabelOf(i, options), sizes[i], static_cast<double>(sizes[i]) * pixelSize });
  }
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
  if constexpr (std::is_same_v<TOutput, std::uint32_t>)
  {
    if (background == 0)
    {
      SaveImage(labels, options.output);
      return;
    }
  }
  auto renumber = itk::UnaryGeneratorImageFilter<LabelsType<VDimension>, itk::Image<TOutput, VDimension>>::New();
  renumber->SetInput(labels);
  renumber->SetFunctor([background](const std::uint32_t & label) {
    return label == 0 ? background
                      : static_cast<TOutput>(itk::CudaConnectedComponentsDetail::LabelOfRow(
                          label - 1, static_cast<std::uint64_t>(background)));
  });
  renumber->Update();
  SaveImage(renumber->GetOutput(), options.output);
}

/** Writes the labels or the mask, and the table. */
template <unsigned int VDimension>
void
WriteOutputs(const Options &                options,
             const Mask<VDimension> &       image,
             const Components<VDimension> & components,
             Report &                       report)
{
  const Progress            progress("writing", !options.quiet);
  const Stopwatch           stopwatch;
  std::unique_ptr<Workshop> table;
  if (!options.table.empty())
  {
    const itk::CudaConnectedComponentStatistics<VDimension> statistics(components.table, *image.image);
    table =
      PrepareTable<VDimension>(statistics,
                               *image.image,
                               options.backgroundValue,
                               { options.shapes, options.intensity.empty() ? nullptr : &components.table.intensities },
                               options.table);
  }
  if (options.maskOutput)
  {
    image.output->Save(components.kept, options.output);
  }
  else if (!options.output.empty())
  {
    VisitOutputType(report.outputType,
                    [&](auto zero) { WriteAs<decltype(zero), VDimension>(options, components.labels); });
  }
  // The table is delivered last: after an error of the output, an existing table is unchanged.
  if (table)
  {
    table->Deliver();
  }
  report.writingMilliseconds = stopwatch.Milliseconds();
}

/** Draws the plane, or three slices of the volume through the middle of the foreground. */
template <unsigned int VDimension>
void
DrawPreview(const Options & options, const GreySlice & greySlice, const Components<VDimension> & components)
{
  const auto * const labels = components.labels.GetPointer();
  const auto         objectOf = [](std::uint32_t label) { return std::uint64_t{ label }; };
  std::vector<Pane>  panes;
  const auto         add = [&](unsigned int across, unsigned int down, itk::IndexValueType index) {
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
  std::vector<Number> numbers;
  if (options.previewNumbers)
  {
    for (const std::size_t i : FindLargest(components.table.pixelCounts))
    {
      numbers.push_back({ i + 1, std::to_string(LabelOf(i, options)) });
    }
  }
  WritePreview(panes, numbers, options.preview);
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

/** Throws Failure if a second image has other dimensions than the input. `role` is its role, such as "mask". */
void
RequireDimension(const Options & options, const std::string & file, const std::string & role, unsigned int dimension)
{
  if (ReadDimension(file) != dimension)
  {
    throw Failure(file + ": cannot be the " + role + " of " + options.input +
                  ": one is a plane, the other is a volume");
  }
}

/** Throws Failure if ITK would reject a second image as a mask because of its geometry. */
template <unsigned int VDimension>
void
RequireGeometry(const Options &                    options,
                const itk::ImageBase<VDimension> & image,
                const std::string &                file,
                const std::string &                role,
                const itk::ImageBase<VDimension> & second)
{
  try
  {
    itk::CudaConnectedComponentsDetail::MaskImageFilter<VDimension>::Verify(image, second);
  }
  catch (const itk::ExceptionObject &)
  {
    throw Failure(file + ": cannot be the " + role + " of " + options.input +
                  ": the spacing, origin and axes must be the same, and the " + role + " must cover the image: " +
                  file + " has " + GeometryOf(second) + "; " + options.input + " has " + GeometryOf(image));
  }
}

/** Prepares the output of --mask-output for filled holes. `mask` may be without an image. */
template <unsigned int VDimension>
void
FindValueOfHoles(const Options & options, const Mask<VDimension> & image, const Mask<VDimension> & mask)
{
  using namespace itk::CudaConnectedComponentsDetail;
  const auto region = image.image->GetLargestPossibleRegion();
  image.output->FindValueOfHoles(
    [&](std::uint64_t row, std::uint32_t * words) {
      const auto begin = IndexOfRow(region, row);
      PackRow(*image.image, begin, region.GetSize(0), words);
      if (mask.image.IsNotNull())
      {
        MaskRow(*mask.image, begin, region.GetSize(0), words);
      }
    },
    options.input);
}

template <unsigned int VDimension>
Report
LabelDimension(const Options & options)
{
  Report report;
  report.input = options.input;
  report.output = options.output;
  report.table = options.table;
  report.intensity = options.intensity;
  report.preview = options.preview;
  report.isMaskOutput = options.maskOutput;
  report.connectivity = options.fullyConnected ? (VDimension == 2 ? 8 : 26) : 2 * VDimension;

  Mask<VDimension>        image;
  Mask<VDimension>        mask;
  Intensities<VDimension> intensities;
  {
    const Progress  progress("reading", !options.quiet);
    const Stopwatch stopwatch;
    image = ReadMask<VDimension>(
      options.input, { options.lower, options.upper, options.otsu }, { !options.preview.empty(), options.maskOutput });
    if (!options.mask.empty())
    {
      RequireDimension(options, options.mask, "mask", VDimension);
      mask = ReadMask<VDimension>(options.mask, {}, {});
      RequireGeometry<VDimension>(options, *image.image, options.mask, "mask", *mask.image);
    }
    if (options.maskOutput && options.fillHoles)
    {
      FindValueOfHoles(options, image, mask);
    }
    if (!options.intensity.empty())
    {
      RequireDimension(options, options.intensity, "intensity image", VDimension);
      intensities = ReadIntensities<VDimension>(options.intensity);
      RequireGeometry<VDimension>(options, *image.image, options.intensity, "intensity image", *intensities.image);
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

  const Components<VDimension> components =
    FindComponents<VDimension>(options, *image.image, mask.image, intensities.pixels, report);
  if (options.IsTextPrinted())
  {
    ReportLargest<VDimension>(options, *image.image, components.table.pixelCounts, report);
  }
  if (options.maskOutput)
  {
    report.outputType = image.output->GetPixelType();
  }
  else if (!options.output.empty())
  {
    report.outputType = ChooseOutputType(options, report.objectCount);
  }
  WriteOutputs<VDimension>(options, image, components, report);
  if (!options.preview.empty())
  {
    DrawPreview<VDimension>(options, image.greySlice, components);
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
