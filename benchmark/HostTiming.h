// SPDX-License-Identifier: Apache-2.0
#ifndef HostTiming_h
#define HostTiming_h

#include "TestImages.h"
#include "Timing.h"

/** Times filters in an ITK pipeline: image in pageable memory, output allocated anew by each run. */
class HostTiming
{
public:
  HostTiming(const TestImage & image, bool fullyConnected);

  /** ITK's own filter, with all threads. Keeps its labels. */
  Timing
  TimeItk(unsigned int runs);

  /** CudaConnectedComponentImageFilter, on the GPU or on the CPU. Throws itk::ExceptionObject where that cannot be. */
  Timing
  TimeOurs(unsigned int runs, bool gpuEnabled) const;

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
