// SPDX-License-Identifier: Apache-2.0
#include "LabelImage.h"

#include "ComponentSize.h"
#include "Failure.h"
#include "FindComponents.h"
#include "FindForeground.h"
#include "MaskOutput.h"
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
#include "CudaConnectedComponentsDetail/MaskVerifier.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>

namespace
{

using itk::CudaConnectedComponentsDetail::LabelOfRow;

/** Returns the five largest components, the largest first. */
std::vector<Report::Object>
FindLargest(const std::vector<std::uint64_t> & pixelCounts, std::uint64_t background, double pixelSize)
{
  std::vector<std::size_t> rows(pixelCounts.size());
  std::iota(rows.begin(), rows.end(), std::size_t{ 0 });
  std::vector<Report::Object> objects(std::min<std::size_t>(rows.size(), 5));
  std::partial_sort(rows.begin(), rows.begin() + objects.size(), rows.end(), [&](std::size_t a, std::size_t b) {
    return pixelCounts[a] != pixelCounts[b] ? pixelCounts[a] > pixelCounts[b] : a < b;
  });
  std::transform(rows.begin(), rows.begin() + objects.size(), objects.begin(), [&](std::size_t row) {
    const double size = static_cast<double>(pixelCounts[row]) * pixelSize;
    return Report::Object{ row + 1, LabelOfRow(row, background), pixelCounts[row], size };
  });
  return objects;
}

/** Returns the name of the output's pixel type. Throws Failure if there are more objects than the type has labels. */
std::string
ChooseOutputType(const Options & options, std::uint64_t objectCount)
{
  const auto  largest = std::max(objectCount, static_cast<std::uint64_t>(options.backgroundValue));
  std::string type = options.outputType;
  for (const std::string name : { "uint8", "uint16", "uint32", "uint64" })
  {
    type = type == "auto" && largest <= MaximumOf(name) ? name : type;
  }
  RefuseIf(objectCount > MaximumOf(type),
           options.input + ": cannot be labeled: Number of objects (" + std::to_string(objectCount) +
             ") greater than maximum of output pixel type (" + std::to_string(MaximumOf(type)) +
             "); choose a wider --output-type, or auto");
  return type;
}

/** Converts labels to the pixel type of the output and writes them. */
std::unique_ptr<Workshop>
PrepareLabels(const Options & options, const std::uint32_t * labels, const FileImage & image, const std::string & name)
{
  const itk::ccl::PixelType type = TypeOfOutput(name);
  const auto                background = static_cast<std::uint64_t>(options.backgroundValue);
  const auto &              size = image.view.size;
  std::unique_ptr<char[]>   memory;
  auto                      output = ImageView::Of(labels, size);
  if (type != itk::ccl::PixelType::UInt32 || background != 0)
  {
    memory.reset(new char[image.view.Count() * itk::ccl::SizeOf(type)]);
    output = ImageView::Of(memory.get(), type, size);
    const auto threader = itk::MultiThreaderBase::New();
    itk::CudaConnectedComponentsDetail::ForEachInParallel(threader, size[1] * size[2], [&](std::uint64_t row) {
      const std::uint32_t * const in = labels + row * size[0];
      itk::ccl::VisitWidth(type, [&](auto zero) {
        auto * const out = reinterpret_cast<decltype(zero) *>(output.Row(row));
        std::transform(in, in + size[0], out, [background](std::uint32_t label) {
          return static_cast<decltype(zero)>(label == 0 ? background : LabelOfRow(label - 1, background));
        });
      });
    });
  }
  return PrepareImage(output, image.geometry, options.output);
}

/** Returns the number of neighbors. Throws Failure if the image has not the dimension for it. */
std::size_t
ConnectivityOf(const Options & options, std::size_t dimension)
{
  if (options.connectivity == "auto")
  {
    return options.fullyConnected ? (dimension == 2 ? 8 : 26) : 2 * dimension;
  }
  const std::size_t connectivity = std::stoul(options.connectivity);
  RefuseIf((connectivity == 4 || connectivity == 8) != (dimension == 2),
           options.input + ": is a " + (dimension == 2 ? "plane, which has 4 or 8" : "volume, which has 6, 18 or 26") +
             " neighbors, not " + options.connectivity + ": change --connectivity");
  return connectivity;
}

void
PrintHint(const std::string & text)
{
  std::cerr << "cuda-connected-components: hint: " << text << '\n';
}

/** Writes all outputs. If one cannot be prepared, none replaces an existing file. */
void
WriteOutputs(const Options &    options,
             const FileImage &  image,
             const MaskPixels & maskPixels,
             const Components & components,
             Report &           report)
{
  const Progress                         progress(Stage::Writing, options);
  const Stopwatch                        stopwatch;
  std::vector<std::unique_ptr<Workshop>> outputs;
  TableParts parts{ options.shapes, !options.intensity.empty(), options.byValue, image.view.type, false };
  if (!options.table.empty())
  {
    outputs.push_back(PrepareTable(components.table, image.geometry, options.backgroundValue, parts, options.table));
  }
  if (!options.labelTable.empty())
  {
    parts.hasValues = parts.areLabels = true;
    outputs.push_back(PrepareTable(components.labelTable, image.geometry, 0, parts, options.labelTable));
  }
  if (!options.output.empty())
  {
    outputs.push_back(options.maskOutput ? PrepareMask(image, maskPixels, components.kept, options.output)
                                         : PrepareLabels(options, components.labels.get(), image, report.outputType));
  }
  if (!options.preview.empty())
  {
    std::vector<Number> numbers;
    for (const Report::Object & object : report.largestObjects)
    {
      numbers.push_back({ object.number, std::to_string(object.label) });
    }
    outputs.push_back(PreparePreview(
      image, components.labels.get(), options.previewNumbers ? numbers : std::vector<Number>(), options.preview));
  }
  if (!options.returnParameterFile.empty())
  {
    outputs.push_back(PrepareText(options.returnParameterFile, [&report](std::ostream & stream) {
      for (const ReturnParameter & parameter : ReturnParametersOf(report))
      {
        stream << parameter.name << " = " << parameter.value << '\n';
      }
    }));
  }
  Workshop::Deliver(outputs);
  for (const auto & output : outputs)
  {
    std::for_each(output->hints.begin(), options.quiet ? output->hints.begin() : output->hints.end(), PrintHint);
  }
  report.writingMilliseconds = stopwatch.Milliseconds();
}

/** Reads an image, and adds notes on it to the report. */
FileImage
Read(const Options & options, const std::string & file, Report & report)
{
  FileImage image = ReadImage(file, { options.channel, options.segment, options.ignoreAxes });
  for (const std::string & note : image.notes)
  {
    report.notes.push_back(file == options.input ? note : file + ": " + note);
  }
  return image;
}

/** Reads a second image. `role` is its role, such as "mask". Throws Failure if ITK would reject it as a mask of the
 * input because of its geometry. */
FileImage
ReadSecondImage(const Options & options, const Geometry & geometry, const std::string & role, Report & report)
{
  const std::string & file = role == "mask" ? options.mask : options.intensity;
  FileImage           image = Read(options, file, report);
  const std::string   problem = file + ": cannot be the " + role + " of " + options.input + ": ";
  RefuseIf(image.geometry.dimension != geometry.dimension, problem + "one is a plane, the other is a volume");
  try
  {
    itk::CudaConnectedComponentsDetail::MaskVerifier<3>::Verify(*geometry.space, *image.geometry.space);
  }
  catch (const itk::ExceptionObject &)
  {
    throw Failure(problem + "the spacing, origin and axes must be the same, and the " + role +
                  " must cover the image: " + file + " has " + TextOf(image.geometry) + "; " + options.input + " has " +
                  TextOf(geometry));
  }
  return image;
}

} // namespace

void
LabelImage(const Options & options)
{
  if (options.threads)
  {
    itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(static_cast<itk::ThreadIdType>(*options.threads));
    itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(*options.threads));
  }
  RequireWritable(options.output,
                  { options.table, options.labelTable, options.preview, options.returnParameterFile },
                  options.input,
                  { options.mask, options.intensity });
  const Threshold threshold{ options.lower, options.upper, options.otsu };
  Report          report;

  FileImage  image;
  FileImage  intensities;
  Foreground foreground;
  MaskPixels maskPixels;
  bool       maskHasNaN = false;
  {
    const Progress  progress(Stage::Reading, options);
    const Stopwatch stopwatch;
    image = Read(options, options.input, report);
    report.hasUnit = image.geometry.hasUnit;
    RequireUnit(options.minimumSize, image.geometry.dimension, report.hasUnit, "--min-size", options.input);
    RequireUnit(options.maximumSize, image.geometry.dimension, report.hasUnit, "--max-size", options.input);
    foreground = FindForeground(image, threshold, options.input);
    if (foreground.nearlyCount > 0)
    {
      report.notes.push_back(
        std::to_string(foreground.nearlyCount) +
        " background pixels are less than 0.001 outside --lower or --upper, as whole numbers that were stored with a "
        "slope; limits between whole numbers, such as --lower 1.5 --upper 2.5, include them");
    }
    report.foreground =
      1.0 - static_cast<double>(image.view.Count() - foreground.bits.Count()) / static_cast<double>(image.view.Count());
    const bool        needsValues = options.byValue || !options.labelTable.empty();
    const std::string option = options.maskOutput ? "--mask-output" : options.byValue ? "--by-value" : "--label-table";
    RefuseIf((options.maskOutput || needsValues) && image.componentCount > 1,
             options.input + ": has more than one value per pixel; " + option +
               " needs an image with one value per pixel");
    bool wasSegment = image.isSegment;
    if (!options.mask.empty())
    {
      const FileImage mask = ReadSecondImage(options, image.geometry, "mask", report);
      wasSegment = wasSegment || mask.isSegment;
      const Foreground inside = FindForeground(mask, {}, options.mask);
      maskHasNaN = inside.values.hasNaN;
      foreground.bits.MaskBy(inside.bits);
    }
    if (!threshold.IsDefault())
    {
      maskPixels.value = 1;
      image.segments.clear(); // the values of the mask are not the values of the segments
    }
    else if (maskPixels.type = image.view.type; options.maskOutput && options.fillHoles && !options.byValue)
    {
      maskPixels.value = FindForegroundValue(image.view, foreground.bits, options.input);
    }
    if (options.preview.empty() && (!options.maskOutput || maskPixels.value) && !needsValues)
    {
      image.memory.reset();
    }
    RefuseIf(!options.segment.empty() && !wasSegment, options.input + ": has no segments, so --segment has no meaning");
    if (!options.intensity.empty())
    {
      intensities = ReadSecondImage(options, image.geometry, "intensity image", report);
      RefuseIf(intensities.componentCount > 1,
               options.intensity +
                 ": has more than one value per pixel; --intensity needs an image with one value per pixel");
    }
    report.readingMilliseconds = stopwatch.Milliseconds();
  }
  report.size = image.geometry.GetSize();
  report.connectivity = ConnectivityOf(options, report.size.size());
  report.pixelType = image.pixelType;
  report.otsuThreshold = foreground.otsuThreshold;

  const Components components =
    FindComponents(options, image.geometry, foreground.bits, image.view, intensities.view, report);
  if (!components.filled.empty())
  {
    image.view = ImageView::Of(components.filled.data(), image.view.type, image.view.size);
  }
  const bool showsComponents = !options.output.empty() || !options.table.empty() || !options.preview.empty();
  if (!options.quiet && showsComponents)
  {
    if (foreground.values.hasSeveralWhole && options.mask.empty() && !options.byValue)
    {
      PrintHint(options.input + " has several values other than 0, and components join neighbors of different values; "
                                "choose the values with --lower and --upper, or label each value with --by-value");
    }
    if (foreground.values.hasNaN)
    {
      PrintHint(options.input + " has NaN, which counts as foreground" +
                (options.byValue ? ", and each NaN is a component" : "") +
                "; NaN is background with --lower or --upper");
    }
    if (maskHasNaN)
    {
      PrintHint(options.mask + " has NaN, which counts as inside the mask");
    }
  }
  report.physicalUnit = image.geometry.hasUnit ? PhysicalUnit(image.geometry.dimension) : "";
  report.largestObjects = FindLargest(
    components.table.pixelCounts, static_cast<std::uint64_t>(options.backgroundValue), image.geometry.pixelSize);
  report.outputType = options.maskOutput       ? NameOf(maskPixels.type)
                      : options.output.empty() ? ""
                                               : ChooseOutputType(options, report.objectCount);
  WriteOutputs(options, image, maskPixels, components, report);
  if (options.json)
  {
    PrintJson(options, report, std::cout);
  }
  else if (!options.quiet)
  {
    PrintText(options, report, std::cout);
  }
  RefuseIf(!std::cout.flush(),
           "the outputs are written, but the report cannot be printed: standard output is full or closed");
}
