// SPDX-License-Identifier: Apache-2.0
#include "LabelImage.h"

#include "Failure.h"
#include "ReadMask.h"
#include "WriteLabels.h"

#include "itkCastImageFilter.h"
#include "itkCudaConnectedComponentImageFilter.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
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

/** What labeling gave, besides the labels. */
struct Report
{
  std::uint64_t objectCount = 0;
  std::string   backend;
  double        labelingMilliseconds = 0.0;
  double        writingMilliseconds = 0.0;
};

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
  if (options.backend == Options::Backend::Cpu)
  {
    report.backend += " (as asked for)";
  }
  else if (!filter->GetFallbackReason().empty())
  {
    report.backend += " (" + filter->GetFallbackReason() + ")";
  }
  return filter->GetOutput();
}

/** Writes labels as the pixel type TLabel. */
template <typename TLabel, typename TImage>
void
WriteAs(const Options & options, const TImage * labels, Report & report)
{
  const Stopwatch stopwatch;
  if constexpr (std::is_same<TLabel, typename TImage::PixelType>::value)
  {
    WriteLabels(labels, options.output);
  }
  else
  {
    auto cast = itk::CastImageFilter<TImage, itk::Image<TLabel, TImage::ImageDimension>>::New();
    cast->SetInput(labels);
    cast->Update();
    WriteLabels(cast->GetOutput(), options.output);
  }
  report.writingMilliseconds = stopwatch.Milliseconds();
}

template <unsigned int VDimension>
Report
LabelAndWrite(const Options &                               options,
              const itk::Image<unsigned char, VDimension> * image,
              const itk::Image<unsigned char, VDimension> * mask)
{
  Report     report;
  const auto labelAs = [&](auto label) {
    using LabelType = decltype(label);
    const auto labels = LabelMask<LabelType, VDimension>(options, image, mask, report);
    WriteAs<LabelType>(options, labels.GetPointer(), report);
  };
  if (options.outputType == "auto")
  {
    if (options.backgroundValue < 0)
    {
      throw Failure("--background-value " + std::to_string(options.backgroundValue) +
                    " needs a signed --output-type, such as int32");
    }
    const auto labels = LabelMask<std::uint32_t, VDimension>(options, image, mask, report);
    const auto largest = std::max(report.objectCount, static_cast<std::uint64_t>(options.backgroundValue));
    if (largest <= std::numeric_limits<std::uint8_t>::max())
    {
      WriteAs<std::uint8_t>(options, labels.GetPointer(), report);
    }
    else if (largest <= std::numeric_limits<std::uint16_t>::max())
    {
      WriteAs<std::uint16_t>(options, labels.GetPointer(), report);
    }
    else
    {
      WriteAs<std::uint32_t>(options, labels.GetPointer(), report);
    }
  }
  else if (options.outputType == "uint8")
  {
    labelAs(std::uint8_t{});
  }
  else if (options.outputType == "int8")
  {
    labelAs(std::int8_t{});
  }
  else if (options.outputType == "uint16")
  {
    labelAs(std::uint16_t{});
  }
  else if (options.outputType == "int16")
  {
    labelAs(std::int16_t{});
  }
  else if (options.outputType == "uint32")
  {
    labelAs(std::uint32_t{});
  }
  else if (options.outputType == "int32")
  {
    labelAs(std::int32_t{});
  }
  else if (options.outputType == "uint64")
  {
    labelAs(std::uint64_t{});
  }
  else
  {
    labelAs(std::int64_t{});
  }
  return report;
}

template <unsigned int VDimension>
void
LabelDimension(const Options & options)
{
  const Stopwatch        stopwatch;
  const Mask<VDimension> image = ReadMask<VDimension>(options.input, { options.lower, options.upper, options.otsu });
  Mask<VDimension>       mask;
  if (!options.mask.empty())
  {
    if (ReadDimension(options.mask) != VDimension)
    {
      throw Failure(options.mask + ": has not as many dimensions as " + options.input);
    }
    mask = ReadMask<VDimension>(options.mask, {});
  }
  const double readingMilliseconds = stopwatch.Milliseconds();

  const Report report = LabelAndWrite<VDimension>(options, image.image, mask.image);
  if (options.quiet)
  {
    return;
  }

  const auto          size = image.image->GetLargestPossibleRegion().GetSize();
  const std::uint64_t pixelCount = image.image->GetLargestPossibleRegion().GetNumberOfPixels();
  const auto * const  pixels = image.image->GetBufferPointer();
  const auto          foreground = pixelCount - std::count(pixels, pixels + pixelCount, 0);
  std::ostringstream  text;
  text << std::fixed << "size: ";
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    text << (axis > 0 ? " x " : "") << size[axis];
  }
  text << " pixels of " << image.pixelType << '\n';
  text << std::setprecision(2) << "foreground: "
       << (pixelCount > 0 ? 100.0 * static_cast<double>(foreground) / static_cast<double>(pixelCount) : 0.0) << " %";
  if (image.otsuThreshold)
  {
    text << " (above Otsu's threshold, " << std::defaultfloat << std::setprecision(6) << *image.otsuThreshold << ')'
         << std::fixed;
  }
  text << (mask.image ? ", before masking\n" : "\n");
  text << "connectivity: " << (options.fullyConnected ? (VDimension == 2 ? 8 : 26) : 2 * VDimension) << '\n';
  text << "backend: " << report.backend << '\n';
  text << "objects: " << report.objectCount << '\n';
  text << std::setprecision(1) << "milliseconds: reading " << readingMilliseconds << ", labeling "
       << report.labelingMilliseconds << ", writing " << report.writingMilliseconds << '\n';
  std::cout << text.str();
}

} // namespace

void
LabelImage(const Options & options)
{
  const unsigned int dimension = ReadDimension(options.input);
  RequireWritable(options.output);
  if (dimension == 2)
  {
    LabelDimension<2>(options);
  }
  else
  {
    LabelDimension<3>(options);
  }
}
