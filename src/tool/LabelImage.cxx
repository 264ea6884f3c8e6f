// SPDX-License-Identifier: Apache-2.0
#include "LabelImage.h"

#include "Failure.h"
#include "FindComponents.h"
#include "FindForeground.h"
#include "Join.h"
#include "MaskOutput.h"
#include "MinimumSize.h"
#include "OutputTypes.h"
#include "Preview.h"
#include "Progress.h"
#include "ReadImage.h"
#include "Report.h"
#include "SaveImage.h"
#include "SaveTable.h"
#include "Stopwatch.h"

#include "CudaConnectedComponentsDetail/LabelRows.h"
#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "CudaConnectedComponentsDetail/VerifyMask.h"

#include <algorithm>
#include <iostream>
#include <memory>

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
void
ReportLargest(const Options &                    options,
              const Geometry &                   geometry,
              const std::vector<std::uint64_t> & sizes,
              Report &                           report)
{
  report.physicalUnit = PhysicalUnit(geometry.dimension);
  for (const std::size_t i : FindLargest(sizes))
  {
    report.largestObjects.push_back(
      { LabelOf(i, options), sizes[i], static_cast<double>(sizes[i]) * geometry.GetPixelSize() });
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

/** Converts labels to the pixel type of the output and writes them. `size` has the numbers of pixels along x, y and z.
 */
void
SaveLabels(const Options &             options,
           const std::uint32_t *       labels,
           const Geometry &            geometry,
           const ImageView::SizeType & size,
           itk::ccl::PixelType         type)
{
  if (type == itk::ccl::PixelType::UInt32 && options.backgroundValue == 0)
  {
    SaveImage(ImageView::Of(labels, size), geometry, options.output);
    return;
  }
  const auto                    background = static_cast<std::uint64_t>(options.backgroundValue);
  const std::unique_ptr<char[]> memory(new char[size[0] * size[1] * size[2] * itk::ccl::SizeOf(type)]);
  const auto                    output = ImageView::Of(memory.get(), type, size);
  const auto                    threader = itk::MultiThreaderBase::New();
  itk::CudaConnectedComponentsDetail::ParallelForOf(threader)(size[1] * size[2], [&](std::uint64_t row) {
    const std::uint32_t * const in = labels + row * size[0];
    itk::ccl::VisitWidth(type, [&](auto zero) {
      using WidthType = decltype(zero);
      std::transform(
        in, in + size[0], reinterpret_cast<WidthType *>(output.Row(row)), [background](std::uint32_t label) {
          return static_cast<WidthType>(
            label == 0 ? background : itk::CudaConnectedComponentsDetail::LabelOfRow(label - 1, background));
        });
    });
  });
  SaveImage(output, geometry, options.output);
}

/** Writes the labels or the mask, and the table. */
void
WriteOutputs(const Options &    options,
             const FileImage &  image,
             const MaskPixels & maskPixels,
             const Components & components,
             Report &           report)
{
  const Progress            progress("writing", !options.quiet);
  const Stopwatch           stopwatch;
  std::unique_ptr<Workshop> table;
  if (!options.table.empty())
  {
    table = PrepareTable(components.table,
                         image.geometry,
                         options.backgroundValue,
                         options.shapes,
                         !options.intensity.empty(),
                         options.table);
  }
  if (options.maskOutput)
  {
    SaveMask(image, maskPixels, components.kept, options.output);
  }
  else if (!options.output.empty())
  {
    SaveLabels(options, components.labels.get(), image.geometry, image.view.size, TypeOfOutput(report.outputType));
  }
  // The table is delivered last: after an error of the output, an existing table is unchanged.
  if (table)
  {
    table->Deliver();
  }
  report.writingMilliseconds = stopwatch.Milliseconds();
}

/** Draws the components over the image. */
void
DrawPreview(const Options & options, const FileImage & image, const Components & components)
{
  std::vector<Number> numbers;
  if (options.previewNumbers)
  {
    for (const std::size_t i : FindLargest(components.table.pixelCounts))
    {
      numbers.push_back({ i + 1, std::to_string(LabelOf(i, options)) });
    }
  }
  WritePreview(image, components.labels.get(), numbers, options.preview);
}

/** Returns a text such as
 * "31 x 29 x 13 pixels of 1 x 1 x 2.5 mm, the first at (0, 0, -20), axes (1, 0, 0), (0, 1, 0), (0, 0, 1)". */
std::string
TextOf(const Geometry & geometry)
{
  const auto list = [&geometry](const auto & numbers, const char * separator) {
    return Join(std::vector<double>(numbers.begin(), numbers.begin() + geometry.dimension), separator);
  };
  std::vector<std::string> axes;
  for (unsigned int axis = 0; axis < geometry.dimension; ++axis)
  {
    axes.push_back("(" + list(geometry.space->GetDirection().GetTranspose().get_row(axis), ", ") + ")");
  }
  return Join(geometry.GetSize(), " x ") + " pixels of " + list(geometry.space->GetSpacing(), " x ") +
         " mm, the first at (" + list(geometry.space->GetOrigin(), ", ") + "), axes " + Join(axes, ", ");
}

/** Reads a second image. `role` is its role, such as "mask". Throws Failure if ITK would reject it as a mask of the
 * input because of its geometry. */
FileImage
ReadSecondImage(const Options & options, const Geometry & geometry, const std::string & file, const std::string & role)
{
  if (ReadDimension(file) != geometry.dimension)
  {
    throw Failure(file + ": cannot be the " + role + " of " + options.input +
                  ": one is a plane, the other is a volume");
  }
  FileImage image = ReadImage(file);
  try
  {
    itk::CudaConnectedComponentsDetail::MaskImageFilter<3>::Verify(*geometry.space, *image.geometry.space);
  }
  catch (const itk::ExceptionObject &)
  {
    throw Failure(file + ": cannot be the " + role + " of " + options.input +
                  ": the spacing, origin and axes must be the same, and the " + role + " must cover the image: " +
                  file + " has " + TextOf(image.geometry) + "; " + options.input + " has " + TextOf(geometry));
  }
  return image;
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
  const Threshold threshold{ options.lower, options.upper, options.otsu };
  Report          report;
  report.input = options.input;
  report.output = options.output;
  report.table = options.table;
  report.intensity = options.intensity;
  report.preview = options.preview;
  report.isMaskOutput = options.maskOutput;
  report.masked = !options.mask.empty();
  report.connectivity = options.fullyConnected ? (dimension == 2 ? 8 : 26) : 2 * dimension;

  FileImage  image;
  FileImage  intensities;
  Foreground foreground;
  MaskPixels maskPixels;
  {
    const Progress  progress("reading", !options.quiet);
    const Stopwatch stopwatch;
    image = ReadImage(options.input);
    foreground = FindForeground(image, threshold, options.input);
    report.foreground =
      1.0 - static_cast<double>(image.view.Count() - foreground.bits.Count()) / static_cast<double>(image.view.Count());
    if (options.maskOutput && image.componentCount > 1)
    {
      throw Failure(options.input +
                    ": has more than one value per pixel; --mask-output needs an image with one value per pixel");
    }
    if (!options.mask.empty())
    {
      const FileImage mask = ReadSecondImage(options, image.geometry, options.mask, "mask");
      foreground.bits.MaskBy(FindForeground(mask, {}, options.mask).bits);
    }
    if (!threshold.IsDefault())
    {
      maskPixels.value = 1;
    }
    else
    {
      maskPixels.type = image.view.type;
      if (options.maskOutput && options.fillHoles)
      {
        maskPixels.value = FindForegroundValue(image.view, foreground.bits, options.input);
      }
    }
    if (options.preview.empty() && (!options.maskOutput || maskPixels.value))
    {
      image.memory.reset();
    }
    if (!options.intensity.empty())
    {
      intensities = ReadSecondImage(options, image.geometry, options.intensity, "intensity image");
      if (intensities.componentCount > 1)
      {
        throw Failure(options.intensity +
                      ": has more than one value per pixel; --intensity needs an image with one value per pixel");
      }
    }
    report.readingMilliseconds = stopwatch.Milliseconds();
  }
  report.size = image.geometry.GetSize();
  report.pixelType = image.pixelType;
  report.otsuThreshold = foreground.otsuThreshold;

  const Components components = FindComponents(options, image.geometry, foreground.bits, intensities.view, report);
  if (options.IsTextPrinted())
  {
    ReportLargest(options, image.geometry, components.table.pixelCounts, report);
  }
  if (options.maskOutput)
  {
    report.outputType = NameOf(maskPixels.type);
  }
  else if (!options.output.empty())
  {
    report.outputType = ChooseOutputType(options, report.objectCount);
  }
  WriteOutputs(options, image, maskPixels, components, report);
  if (!options.preview.empty())
  {
    DrawPreview(options, image, components);
  }
  if (options.json)
  {
    PrintJson(report, std::cout);
  }
  else if (!options.quiet)
  {
    PrintText(report, std::cout);
  }
}
