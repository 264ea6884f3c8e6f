// SPDX-License-Identifier: Apache-2.0
#include "HostTiming.h"

#include "primitives/Grid.h"
#include "executors/host/HostMemory.h"
#include "itkCudaConnectedComponentImageFilter.h"

#include <atomic>
#include <chrono>
#include <cstring>

namespace
{

using Clock = std::chrono::steady_clock;

double
MillisecondsSince(const Clock::time_point & begin)
{
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

template <typename TPixel>
typename itk::Image<TPixel, 3>::Pointer
ToItk(const TestImage & image)
{
  auto result = itk::Image<TPixel, 3>::New();
  result->SetRegions(itk::Size<3>{ { image.size[0], image.size[1], image.size[2] } });
  result->Allocate();
  std::copy(image.pixels.begin(), image.pixels.end(), result->GetBufferPointer());
  return result;
}

/** Returns the times that work() returns, in milliseconds. The first call is a warm-up and does not count. */
template <typename TWork>
Timing
TimeWork(unsigned int runs, const TWork & work)
{
  std::vector<double> milliseconds;
  for (unsigned int run = 0; run < runs + 1; ++run)
  {
    const double elapsed = work();
    if (run > 0)
    {
      milliseconds.push_back(elapsed);
    }
  }
  return Timing(milliseconds);
}

/** Calls work(begin, bytes) for each chunk of a memory block, on all threads. */
template <typename TWork>
void
ForEachChunk(std::uint64_t bytes, const TWork & work)
{
  constexpr std::uint64_t chunkSize = std::uint64_t{ 1 } << 18;
  itk::MultiThreaderBase::New()->ParallelizeArray(
    0,
    itk::ccl::DivideUp(bytes, chunkSize),
    [&](itk::SizeValueType i) { work(i * chunkSize, std::min(chunkSize, bytes - i * chunkSize)); },
    nullptr);
}

template <typename TInput, typename TOutput>
FilterTiming
TimeFilter(const TestImage &                  image,
           bool                               fullyConnected,
           bool                               gpuEnabled,
           unsigned int                       runs,
           const std::vector<std::uint32_t> & expected)
{
  const auto   input = ToItk<TInput>(image);
  FilterTiming result;
  StepSums     sums;
  result.whole = TimeWork(runs, [&] {
    auto filter = itk::CudaConnectedComponentImageFilter<itk::Image<TInput, 3>, itk::Image<TOutput, 3>>::New();
    filter->SetInput(input);
    filter->SetFullyConnected(fullyConnected);
    filter->SetGPUEnabled(gpuEnabled);
    filter->CPUFallbackOff();
    sums.BeginRun();
    const auto begin = Clock::now();
    double     reported = 0.0;
    float      progress = 0.0F;
    filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
      if (filter->GetProgress() > progress)
      {
        const char * const stage = progress < 0.2F ? "pack" : progress < 0.5F ? "label" : "write labels";
        const double       elapsed = MillisecondsSince(begin);
        sums.Add(stage, elapsed - reported);
        reported = elapsed;
        progress = filter->GetProgress();
      }
    });
    filter->Update();
    const double          elapsed = MillisecondsSince(begin);
    const TOutput * const labels = filter->GetOutput()->GetBufferPointer();
    result.isRight = result.isRight && std::equal(expected.begin(), expected.end(), labels);
    return elapsed;
  });
  result.stages = sums.GetMedians();
  return result;
}

} // namespace

std::string
NameOf(HostTypes types)
{
  switch (types)
  {
    case HostTypes::UInt8ToUInt32:
      return "uint8 to uint32";
    case HostTypes::UInt8ToUInt16:
      return "uint8 to uint16";
    case HostTypes::Int16ToUInt32:
      return "int16 to uint32";
    default:
      return "float to uint32";
  }
}

HostTiming::HostTiming(const TestImage & image, bool fullyConnected)
  : m_Image(image)
  , m_FullyConnected(fullyConnected)
{}

Timing
HostTiming::TimeItk(unsigned int runs)
{
  const auto          mask = ToItk<unsigned char>(m_Image);
  std::vector<double> milliseconds;
  for (unsigned int run = 0; run < runs; ++run)
  {
    auto filter = itk::ConnectedComponentImageFilter<itk::Image<unsigned char, 3>, itk::Image<unsigned int, 3>>::New();
    filter->SetInput(mask);
    filter->SetFullyConnected(m_FullyConnected);
    const auto begin = Clock::now();
    filter->Update();
    milliseconds.push_back(MillisecondsSince(begin));
    const unsigned int * const labels = filter->GetOutput()->GetBufferPointer();
    m_Labels.assign(labels, labels + m_Image.pixels.size());
    m_ObjectCount = filter->GetObjectCount();
  }
  return Timing(milliseconds);
}

FilterTiming
HostTiming::TimeOurs(unsigned int runs, bool gpuEnabled, HostTypes types) const
{
  switch (types)
  {
    case HostTypes::UInt8ToUInt32:
      return TimeFilter<unsigned char, unsigned int>(m_Image, m_FullyConnected, gpuEnabled, runs, m_Labels);
    case HostTypes::UInt8ToUInt16:
      return TimeFilter<unsigned char, unsigned short>(m_Image, m_FullyConnected, gpuEnabled, runs, m_Labels);
    case HostTypes::Int16ToUInt32:
      return TimeFilter<short, unsigned int>(m_Image, m_FullyConnected, gpuEnabled, runs, m_Labels);
    default:
      return TimeFilter<float, unsigned int>(m_Image, m_FullyConnected, gpuEnabled, runs, m_Labels);
  }
}

Timing
HostTiming::TimeWriting(unsigned int runs, unsigned int bytesPerLabel) const
{
  const std::uint64_t bytes = m_Image.pixels.size() * bytesPerLabel;
  return TimeWork(runs, [&] {
    const auto                    begin = Clock::now();
    const std::unique_ptr<char[]> output(new char[bytes]);
    itk::ccl::AdviseHugePages(output.get(), bytes);
    ForEachChunk(bytes, [&](std::uint64_t at, std::uint64_t count) { std::memset(output.get() + at, 1, count); });
    return MillisecondsSince(begin);
  });
}

Timing
HostTiming::TimeReading(unsigned int runs, unsigned int bytesPerPixel) const
{
  const std::uint64_t        words = m_Image.pixels.size() * bytesPerPixel / sizeof(std::uint64_t);
  std::vector<std::uint64_t> input(words, 1);
  std::atomic<std::uint64_t> sum{ 0 };
  return TimeWork(runs, [&] {
    const auto begin = Clock::now();
    ForEachChunk(words * sizeof(std::uint64_t), [&](std::uint64_t at, std::uint64_t count) {
      std::uint64_t part = 0;
      for (std::uint64_t i = at / sizeof(std::uint64_t); i < (at + count) / sizeof(std::uint64_t); ++i)
      {
        part += input[i];
      }
      sum += part;
    });
    return MillisecondsSince(begin);
  });
}
