// SPDX-License-Identifier: Apache-2.0

// Measures the filters that grow regions and find thresholds, on images of `short` in host memory, and compares their
// outputs with those of ITK's filters. ITK's filters run once. Each run makes a filter and allocates its output; the
// output is freed outside of the measurement.

#include "Timing.h"

#include "itkBinaryThresholdImageFilter.h"
#include "itkConnectedThresholdImageFilter.h"
#include "itkCudaConnectedComponentImageFilter.h"
#include "itkCudaConnectedThresholdImageFilter.h"
#include "itkCudaIsolatedConnectedImageFilter.h"
#include "itkCudaThresholdMaximumConnectedComponentsImageFilter.h"
#include "itkImageFileReader.h"
#include "itkOtsuThresholdImageFilter.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace
{

using ImageType = itk::Image<short, 3>;
using MaskType = itk::Image<unsigned char, 3>;
using LabelsType = itk::Image<unsigned int, 3>;

unsigned int runs = 7;
bool         usesGPU = false;

ImageType::Pointer
Upsample(const ImageType & image, itk::SizeValueType side)
{
  const auto from = image.GetLargestPossibleRegion().GetSize();
  auto       result = ImageType::New();
  result->SetRegions(ImageType::SizeType{ { side, side, side } });
  result->Allocate();
  short * pixel = result->GetBufferPointer();
  for (itk::SizeValueType z = 0; z < side; ++z)
  {
    for (itk::SizeValueType y = 0; y < side; ++y)
    {
      const itk::SizeValueType row = z * from[2] / side * from[1] + y * from[1] / side;
      for (itk::SizeValueType x = 0; x < side; ++x)
      {
        *pixel++ = image.GetBufferPointer()[row * from[0] + x * from[0] / side];
      }
    }
  }
  return result;
}

/** Returns the times of a filter that make() makes, in milliseconds, and the filter of the last run. */
template <typename TMake>
auto
TimeUpdates(unsigned int count, const TMake & make)
{
  decltype(make())    filter;
  std::vector<double> milliseconds;
  for (unsigned int run = 0; run < count; ++run)
  {
    filter = nullptr;
    filter = make();
    const auto begin = std::chrono::steady_clock::now();
    filter->Update();
    milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return std::make_pair(Timing(milliseconds), filter);
}

template <typename TFilter>
bool
HaveEqualOutputs(const TFilter & a, const TFilter & b)
{
  const auto * const pixels = a.GetOutput()->GetBufferPointer();
  const auto         count = a.GetOutput()->GetBufferedRegion().GetNumberOfPixels();
  return std::equal(pixels, pixels + count, b.GetOutput()->GetBufferPointer());
}

void
Print(const std::string & name, const Timing & ours, const Timing & other, bool isRight)
{
  std::printf("%-24s %9.2f ms (%.2f to %.2f) %10.2f ms %8.2f x  %s\n",
              name.c_str(),
              ours.median,
              ours.lowerQuartile,
              ours.upperQuartile,
              other.median,
              other.median / ours.median,
              isRight ? "equal" : "DIFFERENT");
  std::fflush(stdout);
}

/** Compares one of our filters with the filter of ITK. setUp(filter) sets the values of both.
 * \param areEqual function that compares their results, but for the outputs */
template <typename TOurs, typename TItks, typename TSetUp, typename TAreEqual>
void
Compare(const std::string & name, const TSetUp & setUp, const TAreEqual & areEqual)
{
  const auto [ours, oursFilter] = TimeUpdates(runs, [&] {
    auto filter = TOurs::New();
    filter->SetGPUEnabled(usesGPU);
    setUp(*filter);
    return filter;
  });
  const auto [itks, itksFilter] = TimeUpdates(1, [&] {
    auto filter = TItks::New();
    setUp(*filter);
    return filter;
  });
  const TItks & base = *oursFilter;
  Print(name + (oursFilter->GetBackendUsed() == itk::CudaConnectedComponentsEnums::Backend::CUDA ? ", GPU" : ", CPU"),
        ours,
        itks,
        HaveEqualOutputs(base, *itksFilter) && areEqual(base, *itksFilter));
}

const auto Always = [](const auto &, const auto &) { return true; };

void
Run(const std::string & file, itk::SizeValueType side)
{
  const auto image = Upsample(*itk::ReadImage<ImageType>(file), side);
  const auto otsu = itk::OtsuThresholdImageFilter<ImageType, MaskType>::New();
  otsu->SetInput(image);
  otsu->Update();
  const auto lower = static_cast<short>(otsu->GetThreshold() + 1);

  // A seed of the largest region, of the second largest, and of the region with the number of pixels nearest to 1000.
  using FilterType = itk::CudaConnectedComponentImageFilter<ImageType, LabelsType>;
  const auto labels = FilterType::New();
  labels->SetInput(image);
  labels->SetLowerThreshold(lower);
  labels->SortByObjectSizeOn();
  labels->GPUEnabledOff();
  labels->Update();
  const auto & sizes = labels->GetSizeOfObjectsInPixels();
  const auto   nearest = std::min_element(sizes.begin(), sizes.end(), [](auto a, auto b) {
    return std::abs(static_cast<double>(a) - 1000) < std::abs(static_cast<double>(b) - 1000);
  });
  const auto   seedOf = [&labels](std::ptrdiff_t object) {
    const auto * const begin = labels->GetOutput()->GetBufferPointer();
    const auto         count = labels->GetOutput()->GetBufferedRegion().GetNumberOfPixels();
    return labels->GetOutput()->ComputeIndex(std::find(begin, begin + count, static_cast<unsigned int>(object + 1)) -
                                             begin);
  };
  const auto large = seedOf(0);
  const auto second = seedOf(sizes.size() > 1 ? 1 : 0);
  const auto small = seedOf(nearest - sizes.begin());
  std::cout << file << ", " << side << " x " << side << " x " << side << ", from " << lower << ": " << sizes.size()
            << " regions, the largest has " << sizes.front() << " pixels, the small one " << *nearest << '\n';

  using OursType = itk::CudaConnectedThresholdImageFilter<ImageType, MaskType>;
  using ItksType = itk::ConnectedThresholdImageFilter<ImageType, MaskType>;
  const auto grow = [&image, lower](const auto & seed) {
    return [&image, lower, seed](auto & filter) {
      filter.SetInput(image);
      filter.SetLower(lower);
      filter.SetSeed(seed);
    };
  };
  Compare<OursType, ItksType>("large region", grow(large), Always);
  Compare<OursType, ItksType>("small region", grow(small), Always);

  const auto makeLabels = [&](auto * input) {
    using InputType = std::remove_pointer_t<decltype(input)>;
    const auto filter = itk::CudaConnectedComponentImageFilter<InputType, LabelsType>::New();
    filter->SetInput(input);
    filter->SetGPUEnabled(usesGPU);
    return filter;
  };
  const auto [one, oneFilter] = TimeUpdates(runs, [&] {
    const auto filter = makeLabels(image.GetPointer());
    filter->SetLowerThreshold(lower);
    return filter;
  });
  itk::BinaryThresholdImageFilter<ImageType, MaskType>::Pointer threshold; // lives as long as the other filter
  const auto [two, twoFilter] = TimeUpdates(runs, [&] {
    threshold = itk::BinaryThresholdImageFilter<ImageType, MaskType>::New();
    threshold->SetInput(image);
    threshold->SetLowerThreshold(lower);
    return makeLabels(threshold->GetOutput()); // which updates both
  });
  Print("one filter, two filters",
        one,
        two,
        std::equal(oneFilter->GetOutput()->GetBufferPointer(),
                   oneFilter->GetOutput()->GetBufferPointer() + image->GetBufferedRegion().GetNumberOfPixels(),
                   twoFilter->GetOutput()->GetBufferPointer()));

  using IsolatedType = itk::CudaIsolatedConnectedImageFilter<ImageType, MaskType>;
  Compare<IsolatedType, itk::IsolatedConnectedImageFilter<ImageType, MaskType>>(
    "isolated",
    [&](auto & filter) {
      filter.SetInput(image);
      filter.FindUpperThresholdOff();
      filter.SetLower(0);
      filter.SetSeed1(large);
      filter.SetSeed2(second);
    },
    [](const auto & a, const auto & b) {
      return a.GetIsolatedValue() == b.GetIsolatedValue() && a.GetThresholdingFailed() == b.GetThresholdingFailed();
    });

  using MaximumType = itk::CudaThresholdMaximumConnectedComponentsImageFilter<ImageType, MaskType>;
  Compare<MaximumType, itk::ThresholdMaximumConnectedComponentsImageFilter<ImageType, MaskType>>(
    "threshold maximum",
    [&image](auto & filter) { filter.SetInput(image); },
    [](const auto & a, const auto & b) {
      return a.GetThresholdValue() == b.GetThresholdValue() && a.GetNumberOfObjects() == b.GetNumberOfObjects();
    });
}

} // namespace

int
main(int argc, char * argv[])
{
  CLI::App                 app{ "Measures the filters that grow regions and find thresholds" };
  std::vector<std::string> files;
  itk::SizeValueType       side = 512;
  unsigned int             threads = 0;
  app.add_option("IMAGES", files, "files of volumes")->required();
  app.add_option("--side", side, "pixels along each axis, after resampling")->capture_default_str();
  app.add_option("--runs", runs, "runs of our filters")->capture_default_str();
  app.add_option("--threads", threads, "threads of all filters; 0: all of the machine")->capture_default_str();
  app.add_flag("--gpu", usesGPU, "use the GPU");
  CLI11_PARSE(app, argc, argv);
  try
  {
    if (threads > 0)
    {
      itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(threads);
      itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(threads);
    }
    for (const std::string & file : files)
    {
      Run(file, side);
    }
    return EXIT_SUCCESS;
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
    return EXIT_FAILURE;
  }
}
