// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_HostTiming_h
#define ccl_benchmark_HostTiming_h

#include "TestImages.h"
#include "Timing.h"

/** The pixel types of an input and an output. */
enum class HostTypes
{
  UInt8ToUInt32,
  UInt8ToUInt16,
  Int16ToUInt32,
  FloatToUInt32
};

std::string
NameOf(HostTypes types);

/** The time of an update of a filter, the time of its stages, and whether its labels are equal to ITK's. */
struct FilterTiming
{
  Timing      whole;
  StepTimings stages;
  bool        isRight = true;
};

/** Measures the time of filters in an ITK pipeline. The image is in pageable memory. Each run allocates its output. */
class HostTiming
{
public:
  HostTiming(const TestImage & image, bool fullyConnected);

  /** ITK's own filter, on all threads. Stores its labels. */
  Timing
  TimeItk(unsigned int runs);

  /** CudaConnectedComponentImageFilter, on the GPU or on the CPU. Compares its labels with the labels that TimeItk()
   * stored. Throws itk::ExceptionObject if the filter cannot label there. */
  FilterTiming
  TimeOurs(unsigned int runs, bool gpuEnabled, HostTypes types) const;

  /** The floor of writing: each run allocates an output, on huge pages if the system has them, and all threads write
   * it. */
  Timing
  TimeWriting(unsigned int runs, unsigned int bytesPerLabel) const;

  /** The floor of reading: all threads read the input. */
  Timing
  TimeReading(unsigned int runs, unsigned int bytesPerPixel) const;

  /** The labels that TimeItk() stored. */
  const std::vector<std::uint32_t> &
  GetLabels() const
  {
    return m_Labels;
  }

  /** The number of objects that TimeItk() found. */
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
