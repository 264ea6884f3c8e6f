// SPDX-License-Identifier: Apache-2.0
#include "LabelImage.h"

#include "Failure.h"
#include "OutputTypes.h"
#include "Preview.h"
#include "Progress.h"
#include "ReadMask.h"
#include "Report.h"
#include "SaveImage.h"

#include "itkCudaConnectedComponentImageFilter.h"
#include "itkUnaryGeneratorImageFilter.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
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

/** Labels an image and adds the results to the report. `mask` may be null. Throws Failure. */
template <unsigned int VDimension>
typename LabelsType<VDimension>::Pointer
LabelMask(const Options &                               options,
          const itk::Image<unsigned char, VDimension> * image,
          const itk::Image<unsigned char, VDimension> * mask,
          Report &                                      report)
{
  using FilterType =
    itk::CudaConnectedComponentImageFilter<itk::Image<unsigned char, VDimension>, LabelsType<VDimension>>;
  auto filter = FilterType::New();
  filter->SetInput(image);
  filter->SetMaskImage(mask);
  filter->SetFullyConnected(options.fullyConnected);
  filter->SetAlgorithm(options.algorithm);
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
  report.backend = filter->GetBackendUsed() == BackendEnum::CUDA ? "cuda" : "cpu";
  report.reason = options.backend == Options::Backend::Cpu ? "as asked for" : filter->GetFallbackReason();
  return filter->GetOutput();
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
WriteAs(const Options & options, const LabelsType<VDimension> * labels, Report & report)
{
  const Progress  progress("writing", !options.quiet);
  const Stopwatch stopwatch;
  const auto      background = static_cast<TOutput>(options.backgroundValue);
  if constexpr (std::is_same_v<TOutput, LabelType>)
  {
    if (background == 0)
    {
      SaveImage(labels, options.output);
      report.writingMilliseconds = stopwatch.Milliseconds();
      return;
    }
  }
  auto renumber = itk::UnaryGeneratorImageFilter<LabelsType<VDimension>, itk::Image<TOutput, VDimension>>::New();
  renumber->SetInput(labels);
  renumber->SetFunctor([background](const LabelType & label) {
    // ITK numbers the components 0, 1, 2, ... and skips the background value.
    const auto rank = static_cast<TOutput>(label - 1);
    return label == 0 ? background : static_cast<TOutput>(rank + (background >= 0 && rank >= background ? 1 : 0));
  });
  renumber->Update();
  SaveImage(renumber->GetOutput(), options.output);
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

  const auto labels = LabelMask<VDimension>(options, image.image, mask.image, report);
  report.outputType = ChooseOutputType(options, report.objectCount);
  VisitOutputType(report.outputType,
                  [&](auto zero) { WriteAs<decltype(zero), VDimension>(options, labels.GetPointer(), report); });
  if (!options.preview.empty())
  {
    DrawPreview<VDimension>(options, image.greySlice, labels.GetPointer());
  }
  return report;
}

} // namespace

void
LabelImage(const Options & options)
{
  const unsigned int dimension = ReadDimension(options.input);
  RequireWritable(options.output);
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
