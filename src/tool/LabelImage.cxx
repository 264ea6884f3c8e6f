// SPDX-License-Identifier: Apache-2.0
#include "LabelImage.h"

#include "Failure.h"
#include "Preview.h"
#include "Progress.h"
#include "ReadMask.h"
#include "Report.h"
#include "SaveImage.h"

#include "itkCastImageFilter.h"
#include "itkCudaConnectedComponentImageFilter.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <map>

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

/** Calls visitor(T{}) for the pixel type that has a name. */
template <typename TVisitor>
void
VisitLabelType(const std::string & name, const TVisitor & visitor)
{
  const std::map<std::string, std::function<void()>> visits{
    { "uint8", [&] { visitor(std::uint8_t{}); } },   { "int8", [&] { visitor(std::int8_t{}); } },
    { "uint16", [&] { visitor(std::uint16_t{}); } }, { "int16", [&] { visitor(std::int16_t{}); } },
    { "uint32", [&] { visitor(std::uint32_t{}); } }, { "int32", [&] { visitor(std::int32_t{}); } },
    { "uint64", [&] { visitor(std::uint64_t{}); } }, { "int64", [&] { visitor(std::int64_t{}); } }
  };
  visits.at(name)();
}

template <typename TLabel>
bool
Holds(std::int64_t value)
{
  if (value < 0)
  {
    return std::numeric_limits<TLabel>::is_signed &&
           value >= static_cast<std::int64_t>(std::numeric_limits<TLabel>::min());
  }
  return static_cast<std::uint64_t>(value) <= static_cast<std::uint64_t>(std::numeric_limits<TLabel>::max());
}

template <typename TLabel, unsigned int VDimension>
typename itk::Image<TLabel, VDimension>::Pointer
LabelMask(const Options &                               options,
          const itk::Image<unsigned char, VDimension> * image,
          const itk::Image<unsigned char, VDimension> * mask,
          Report &                                      report)
{
  if (!Holds<TLabel>(options.backgroundValue))
  {
    throw Failure("--background-value " + std::to_string(options.backgroundValue) +
                  " does not fit into --output-type " + options.outputType);
  }
  using FilterType =
    itk::CudaConnectedComponentImageFilter<itk::Image<unsigned char, VDimension>, itk::Image<TLabel, VDimension>>;
  auto filter = FilterType::New();
  filter->SetInput(image);
  filter->SetMaskImage(mask);
  filter->SetFullyConnected(options.fullyConnected);
  filter->SetBackgroundValue(static_cast<TLabel>(options.backgroundValue));
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

/** Writes labels as the pixel type TLabel. */
template <typename TLabel, typename TImage>
void
WriteAs(const Options & options, const TImage * labels, Report & report)
{
  const Progress  progress("writing", !options.quiet);
  const Stopwatch stopwatch;
  if constexpr (std::is_same<TLabel, typename TImage::PixelType>::value)
  {
    SaveImage(labels, options.output);
  }
  else
  {
    auto cast = itk::CastImageFilter<TImage, itk::Image<TLabel, TImage::ImageDimension>>::New();
    cast->SetInput(labels);
    cast->Update();
    SaveImage(cast->GetOutput(), options.output);
  }
  report.writingMilliseconds = stopwatch.Milliseconds();
}

/** Draws a plane, or three planes that meet in the middle of the foreground. */
template <typename TImage>
void
DrawPreview(const Options & options, const GreySlice & greySlice, const TImage * labels)
{
  using LabelType = typename TImage::PixelType;
  const auto background = static_cast<LabelType>(options.backgroundValue);
  const auto objectOf = [background](LabelType label) {
    return label == background ? 0 : static_cast<std::uint64_t>(label) + 1;
  };
  std::vector<Pane> panes;
  const auto        add = [&](unsigned int across, unsigned int down, itk::IndexValueType index) {
    panes.push_back({ greySlice(across, down, index), Slice<std::uint64_t>(labels, across, down, index, objectOf) });
  };
  if constexpr (TImage::ImageDimension == 2)
  {
    add(0, 1, 0);
  }
  else
  {
    const auto middle = MiddleOf(labels, background);
    add(0, 1, middle[2]);
    add(0, 2, middle[1]);
    add(1, 2, middle[0]);
  }
  WritePreview(panes, options.preview);
}

template <unsigned int VDimension>
void
LabelAndWrite(const Options &                               options,
              const Mask<VDimension> &                      image,
              const itk::Image<unsigned char, VDimension> * mask,
              Report &                                      report)
{
  const auto finish = [&](const auto * labels) {
    VisitLabelType(report.outputType, [&](auto label) { WriteAs<decltype(label)>(options, labels, report); });
    if (!options.preview.empty())
    {
      DrawPreview(options, image.greySlice, labels);
    }
  };
  if (options.outputType == "auto")
  {
    if (options.backgroundValue < 0)
    {
      throw Failure("--background-value " + std::to_string(options.backgroundValue) +
                    " needs a signed --output-type, such as int32");
    }
    const auto labels = LabelMask<std::uint32_t, VDimension>(options, image.image, mask, report);
    const auto largest = std::max(report.objectCount, static_cast<std::uint64_t>(options.backgroundValue));
    report.outputType = largest <= std::numeric_limits<std::uint8_t>::max()    ? "uint8"
                        : largest <= std::numeric_limits<std::uint16_t>::max() ? "uint16"
                                                                               : "uint32";
    finish(labels.GetPointer());
  }
  else
  {
    report.outputType = options.outputType;
    VisitLabelType(options.outputType, [&](auto label) {
      finish(LabelMask<decltype(label), VDimension>(options, image.image, mask, report).GetPointer());
    });
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
        throw Failure(options.mask + ": has not as many dimensions as " + options.input);
      }
      mask = ReadMask<VDimension>(options.mask, {}, false);
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
  if (pixelCount > 0)
  {
    const auto * const pixels = image.image->GetBufferPointer();
    report.foreground =
      1.0 - static_cast<double>(std::count(pixels, pixels + pixelCount, 0)) / static_cast<double>(pixelCount);
  }

  LabelAndWrite<VDimension>(options, image, mask.image, report);
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
