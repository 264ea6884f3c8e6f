// SPDX-License-Identifier: Apache-2.0
#include "AnalysisTiming.h"

#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "itkBinaryFillholeImageFilter.h"
#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkCudaBinaryFillholeImageFilter.h"
#include "itkCudaBinaryKeepNObjectsImageFilter.h"
#include "itkCudaConnectedComponentImageFilter.h"
#include "itkCudaRelabelComponentImageFilter.h"
#include "itkLabelStatisticsImageFilter.h"

#include <chrono>
#include <utility>

namespace
{

using View = itk::CudaConnectedComponentImageView;
using MaskType = itk::Image<unsigned char, 3>;
using LabelImageType = itk::Image<unsigned int, 3>;
using ItkFilterType = itk::ConnectedComponentImageFilter<MaskType, LabelImageType>;
using FilterType = itk::CudaConnectedComponentImageFilter<MaskType, LabelImageType>;
using ItkRelabelType = itk::RelabelComponentImageFilter<LabelImageType, LabelImageType>;
using RelabelType = itk::CudaRelabelComponentImageFilter<LabelImageType, LabelImageType>;

constexpr unsigned int MinimumSize = 10;

MaskType::Pointer
ToItk(const TestImage & image)
{
  auto result = MaskType::New();
  result->SetRegions(itk::Size<3>{ { image.size[0], image.size[1], image.size[2] } });
  result->Allocate();
  std::copy(image.pixels.begin(), image.pixels.end(), result->GetBufferPointer());
  return result;
}

/** Returns a mask whose foreground pixels are 1, as filters of masks have one foreground value. */
MaskType::Pointer
ToItkMask(const TestImage & image)
{
  auto result = ToItk(image);
  std::transform(image.pixels.begin(), image.pixels.end(), result->GetBufferPointer(), [](std::uint8_t pixel) {
    return static_cast<unsigned char>(pixel != 0);
  });
  return result;
}

/** Returns the times of work() in milliseconds, and the result of the last call. The results of other calls are
 * destroyed outside the measurement. The first call is a warm-up and does not count. */
template <typename TWork>
auto
TimeWork(unsigned int runs, const TWork & work)
{
  decltype(work())    result{};
  std::vector<double> milliseconds;
  for (unsigned int run = 0; run < runs + 1; ++run)
  {
    result = {};
    const auto begin = std::chrono::steady_clock::now();
    result = work();
    const double elapsed = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (run > 0)
    {
      milliseconds.push_back(elapsed);
    }
  }
  return std::make_pair(Timing(milliseconds), result);
}

template <typename TImage>
bool
AreEqual(const TImage & a, const TImage & b)
{
  const std::uint64_t count = a.GetLargestPossibleRegion().GetNumberOfPixels();
  return std::equal(a.GetBufferPointer(), a.GetBufferPointer() + count, b.GetBufferPointer());
}

} // namespace

AnalysisTiming::AnalysisTiming(const TestImage & image, bool fullyConnected)
  : m_Image(image)
  , m_FullyConnected(fullyConnected)
{}

Timing
AnalysisTiming::TimeLabels(unsigned int runs, bool gpuEnabled) const
{
  const auto mask = ToItk(m_Image);
  const auto work = [&] {
    auto filter = FilterType::New();
    filter->SetInput(mask);
    filter->SetFullyConnected(m_FullyConnected);
    filter->SetGPUEnabled(gpuEnabled);
    filter->CPUFallbackOff();
    filter->Update();
    return filter;
  };
  return TimeWork(runs, work).first;
}

ComparedTiming
AnalysisTiming::TimeSorted(unsigned int runs, bool gpuEnabled) const
{
  const auto mask = ToItk(m_Image);
  const auto [ours, oursFilter] = TimeWork(runs, [&] {
    auto filter = FilterType::New();
    filter->SetInput(mask);
    filter->SetFullyConnected(m_FullyConnected);
    filter->SetGPUEnabled(gpuEnabled);
    filter->CPUFallbackOff();
    filter->SetMinimumObjectSize(MinimumSize);
    filter->SortByObjectSizeOn();
    filter->Update();
    return filter;
  });
  const auto [itk, itkFilter] = TimeWork(1, [&] {
    auto filter = ItkFilterType::New();
    filter->SetInput(mask);
    filter->SetFullyConnected(m_FullyConnected);
    auto relabel = ItkRelabelType::New();
    relabel->SetInput(filter->GetOutput());
    relabel->SetMinimumObjectSize(MinimumSize);
    relabel->Update();
    return relabel;
  });
  return { ours, itk, AreEqual(*oursFilter->GetOutput(), *itkFilter->GetOutput()) };
}

ComparedTiming
AnalysisTiming::TimeRelabel(unsigned int runs) const
{
  auto filter = FilterType::New();
  filter->SetInput(ToItk(m_Image));
  filter->SetFullyConnected(m_FullyConnected);
  filter->Update();
  const LabelImageType::Pointer labels = filter->GetOutput();
  const auto                    relabel = [&labels](auto relabeler) {
    relabeler->SetInput(labels);
    relabeler->SetMinimumObjectSize(MinimumSize);
    relabeler->Update();
    return relabeler;
  };
  const auto [ours, oursFilter] = TimeWork(runs, [&] { return relabel(RelabelType::New()); });
  const auto [itk, itkFilter] = TimeWork(3, [&] { return relabel(ItkRelabelType::New()); });
  return { ours, itk, AreEqual(*oursFilter->GetOutput(), *itkFilter->GetOutput()) };
}

namespace
{

/** Measures two filters on a mask, and compares their outputs. setUp(filter) sets the options of both. */
template <typename TFilter, typename TItkFilter, typename TSetUp>
ComparedTiming
TimeMaskFilters(const TestImage & image, bool fullyConnected, unsigned int runs, bool gpuEnabled, const TSetUp & setUp)
{
  const auto mask = ToItkMask(image);
  const auto prepare = [&](auto & filter) {
    filter.SetInput(mask);
    filter.SetForegroundValue(1);
    filter.SetFullyConnected(fullyConnected);
    setUp(filter);
  };
  const auto [ours, oursFilter] = TimeWork(runs, [&] {
    auto filter = TFilter::New();
    prepare(*filter);
    filter->SetGPUEnabled(gpuEnabled);
    filter->CPUFallbackOff();
    filter->Update();
    return filter;
  });
  const auto [itk, itkFilter] = TimeWork(1, [&] {
    auto filter = TItkFilter::New();
    prepare(*filter);
    filter->Update();
    return filter;
  });
  return { ours, itk, AreEqual(*oursFilter->GetOutput(), *itkFilter->GetOutput()) };
}

} // namespace

ComparedTiming
AnalysisTiming::TimeLargest(unsigned int runs, bool gpuEnabled) const
{
  using OursType = itk::CudaBinaryKeepNObjectsImageFilter<MaskType>;
  using ItkType = itk::BinaryShapeKeepNObjectsImageFilter<MaskType>;
  return TimeMaskFilters<OursType, ItkType>(m_Image, m_FullyConnected, runs, gpuEnabled, [](auto & filter) {
    filter.SetBackgroundValue(0);
    filter.SetNumberOfObjects(1);
  });
}

ComparedTiming
AnalysisTiming::TimeHoles(unsigned int runs, bool gpuEnabled) const
{
  using OursType = itk::CudaBinaryFillholeImageFilter<MaskType>;
  using ItkType = itk::BinaryFillholeImageFilter<MaskType>;
  return TimeMaskFilters<OursType, ItkType>(m_Image, m_FullyConnected, runs, gpuEnabled, [](auto &) {});
}

ComparedTiming
AnalysisTiming::TimeIntensities(unsigned int runs, bool gpuEnabled) const
{
  using IntensityImageType = itk::Image<short, 3>;
  const auto mask = ToItk(m_Image);
  auto       intensities = IntensityImageType::New();
  intensities->SetRegions(mask->GetLargestPossibleRegion());
  intensities->Allocate();
  std::uint32_t random = 1;
  std::generate_n(intensities->GetBufferPointer(), m_Image.pixels.size(), [&random] {
    random = random * 1664525U + 1013904223U;
    return static_cast<short>(random >> 20) - 1024; // the range of CT
  });

  const auto                         threader = itk::MultiThreaderBase::New();
  itk::CudaConnectedComponentLabeler labeler;
  labeler.options.fullyConnected = m_FullyConnected;
  labeler.options.columns.pixelCounts = true;
  labeler.options.onHost = !gpuEnabled;
  labeler.options.parallelFor = itk::CudaConnectedComponentsDetail::ParallelForOf(threader);
  labeler.options.intensities =
    itk::CudaConnectedComponentIntensities::Image::Of(intensities->GetBufferPointer(), m_Image.size);
  const auto [ours, table] =
    TimeWork(runs, [&] { return labeler.Measure(View::Of(m_Image.pixels.data(), m_Image.size)); });

  const auto [itk, statistics] = TimeWork(1, [&] {
    auto filter = ItkFilterType::New();
    filter->SetInput(mask);
    filter->SetFullyConnected(m_FullyConnected);
    auto measure = itk::LabelStatisticsImageFilter<IntensityImageType, LabelImageType>::New();
    measure->SetInput(intensities);
    measure->SetLabelInput(filter->GetOutput());
    measure->Update();
    return measure;
  });
  bool isRight = statistics->GetNumberOfLabels() == table.componentCount + 1; // ITK measures the background, too
  for (std::uint64_t i = 0; isRight && i < table.componentCount; ++i)
  {
    const auto label = static_cast<unsigned int>(i + 1);
    isRight = statistics->GetCount(label) == table.pixelCounts[i] &&
              statistics->GetMinimum(label) == table.intensities.minimums[i] &&
              statistics->GetMaximum(label) == table.intensities.maximums[i] &&
              statistics->GetMean(label) == table.intensities.GetMean(i);
  }
  return { ours, itk, isRight };
}

Timing
AnalysisTiming::TimeTable(unsigned int                                      runs,
                          const itk::CudaConnectedComponentTable::Columns & columns,
                          bool                                              gpuEnabled) const
{
  const auto                         threader = itk::MultiThreaderBase::New();
  itk::CudaConnectedComponentLabeler labeler;
  labeler.options.fullyConnected = m_FullyConnected;
  labeler.options.columns = columns;
  labeler.options.onHost = !gpuEnabled;
  labeler.options.parallelFor = itk::CudaConnectedComponentsDetail::ParallelForOf(threader);
  return TimeWork(runs, [&] { return labeler.Measure(View::Of(m_Image.pixels.data(), m_Image.size)); }).first;
}
