// SPDX-License-Identifier: Apache-2.0
#include "HostTiming.h"

#include "itkCudaConnectedComponentImageFilter.h"

#include <chrono>

namespace
{

using MaskType = itk::Image<unsigned char, 3>;
using LabelsType = itk::Image<unsigned int, 3>;

MaskType::Pointer
ToItk(const TestImage & image)
{
  auto mask = MaskType::New();
  mask->SetRegions(MaskType::SizeType{ { image.size[0], image.size[1], image.size[2] } });
  mask->Allocate();
  std::copy(image.pixels.begin(), image.pixels.end(), mask->GetBufferPointer());
  return mask;
}

/** Runs filters that makeFilter() gives; the last of them is given to keep(). */
template <typename TMakeFilter, typename TKeep>
Timing
TimeFilter(unsigned int runs, const TMakeFilter & makeFilter, const TKeep & keep)
{
  std::vector<double> milliseconds;
  for (unsigned int run = 0; run < runs; ++run)
  {
    const auto filter = makeFilter();
    const auto begin = std::chrono::steady_clock::now();
    filter->Update();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
    milliseconds.push_back(elapsed.count());
    if (run + 1 == runs)
    {
      keep(*filter);
    }
  }
  return Timing(milliseconds);
}

} // namespace

HostTiming::HostTiming(const TestImage & image, bool fullyConnected)
  : m_Image(image)
  , m_FullyConnected(fullyConnected)
{}

Timing
HostTiming::TimeItk(unsigned int runs)
{
  const auto mask = ToItk(m_Image);
  return TimeFilter(
    runs,
    [&] {
      auto filter = itk::ConnectedComponentImageFilter<MaskType, LabelsType>::New();
      filter->SetInput(mask);
      filter->SetFullyConnected(m_FullyConnected);
      return filter;
    },
    [&](auto & filter) {
      const unsigned int * const labels = filter.GetOutput()->GetBufferPointer();
      m_Labels.assign(labels, labels + m_Image.pixels.size());
      m_ObjectCount = filter.GetObjectCount();
    });
}

Timing
HostTiming::TimeOurs(unsigned int runs, bool gpuEnabled) const
{
  const auto mask = ToItk(m_Image);
  return TimeFilter(
    runs,
    [&] {
      auto filter = itk::CudaConnectedComponentImageFilter<MaskType, LabelsType>::New();
      filter->SetInput(mask);
      filter->SetFullyConnected(m_FullyConnected);
      filter->SetGPUEnabled(gpuEnabled);
      filter->CPUFallbackOff();
      return filter;
    },
    [](auto &) {});
}
