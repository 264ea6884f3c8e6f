// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_HostTiming_h
#define ccl_benchmark_HostTiming_h

#include "TestImages.h"
#include "Timing.h"

/** Pixel types of input and output. */
enum class HostTypes
{
  UInt8ToUInt32,
  UInt8ToUInt16,
  Int16ToUInt32,
  FloatToUInt32
};

std::string
NameOf(HostTypes types);

/** What a filter took, from update to update, what its stages took, and whether its labels are ITK's. */
struct FilterTiming
{
  Timing      whole;
  StepTimings stages;
  bool        isRight = true;
};

/** Times filters in an ITK pipeline: image in pageable memory, output allocated anew by each run. */
class HostTiming
{
public:
  HostTiming(const TestImage & image, bool fullyConnected);

  /** ITK's own filter, with all threads. Keeps its labels. */
  Timing
  TimeItk(unsigned int runs);

  /** CudaConnectedComponentImageFilter, on the GPU or on the CPU. Throws itk::ExceptionObject where that cannot be. Its
   * labels are compared with those that TimeItk has kept. */
  FilterTiming
  TimeOurs(unsigned int runs, bool gpuEnabled, HostTypes types) const;

  /** The floor: all threads write an output that was allocated for it, on huge pages where there are any. */
  Timing
  TimeWriting(unsigned int runs, unsigned int bytesPerLabel) const;

  /** All threads read the input. */
  Timing
  TimeReading(unsigned int runs, unsigned int bytesPerPixel) const;

  /** The labels that TimeItk has kept. */
  const std::vector<std::uint32_t> &
  GetLabels() const
  {
    return m_Labels;
  }

  std::uint64_t
  GetObjectCount() const
  {
    return m_ObjectCount;
  }

private:
  const TestImage &          m_Image;
  bool                       m_FullyConnected;
  std::vector<std::uint32_t> m_Labels;
  std::uint64_t              m_ObjectCount = 0;
};

#endif
