// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_DeviceTiming_h
#define ccl_benchmark_DeviceTiming_h

#include "TestImages.h"
#include "Timing.h"
#include "itkCudaConnectedComponentsEnums.h"

#include <memory>

/** Times work on an image that is in device memory already. The output is allocated beforehand. */
class DeviceTiming
{
public:
  explicit DeviceTiming(const TestImage & image);
  ~DeviceTiming();

  /** The floor: a kernel that reads 1 byte and writes 4 per pixel, and labels nothing. */
  Timing
  TimeFloor(unsigned int runs) const;

  /** An empty kernel and the wait for it: what no call can be faster than. */
  Timing
  TimeLaunch(unsigned int runs) const;

  /** The kernels of BUF or BKE as their paper has them: labels are block indices, in no order. */
  Timing
  TimePaper(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool inlineCompression, unsigned int runs) const;

  /** The labeler: consecutive labels in ITK's order, and their number. */
  Timing
  TimeLabeler(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool fullyConnected, unsigned int runs);

  /** The same into an output that each run allocates and frees. */
  Timing
  TimeWithAllocation(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool fullyConnected, unsigned int runs);

  /** Each step of it: kernels, sums of them by name, and the allocation of the output. Block algorithms are followed by
   * renumbering. */
  StepTimings
  TimeSteps(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool fullyConnected, unsigned int runs);

  /** What TimeLabeler has left. */
  std::vector<std::uint32_t>
  GetLabels() const;

  std::uint64_t
  GetObjectCount() const
  {
    return m_ObjectCount;
  }

  /** The device, its driver and CUDA, in a line. */
  static std::string
  Describe();

private:
  void
  Label(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool fullyConnected, void * output);

  const TestImage &     m_Image;
  std::shared_ptr<void> m_Input;
  std::shared_ptr<void> m_Output;
  std::uint64_t         m_ObjectCount = 0;
};

#endif
