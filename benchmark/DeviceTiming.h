// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_DeviceTiming_h
#define ccl_benchmark_DeviceTiming_h

#include "TestImages.h"
#include "Timing.h"
#include "itkCudaConnectedComponentTable.h"
#include "itkCudaConnectedComponentsEnums.h"

#include <memory>

/** Measures the time of work on an image in device memory. The output is allocated before the measurement, unless a
 * function says otherwise. `runs` is the number of measured runs. */
class DeviceTiming
{
public:
  explicit DeviceTiming(const TestImage & image);
  ~DeviceTiming();

  /** The floor: a kernel that only reads 1 byte and writes 4 bytes for each pixel. */
  Timing
  TimeFloor(unsigned int runs) const;

  /** The launch of an empty kernel, and the wait for its end. No call can take less time. */
  Timing
  TimeLaunch(unsigned int runs) const;

  /** The kernels of a published algorithm, such as block-based union-find (BUF), as in the paper, with full
   * connectivity. The labels are pixel indices and are not consecutive. */
  Timing
  TimePaper(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool inlineCompression, unsigned int runs) const;

  /** The labeler, which returns the number of objects and writes consecutive labels in ITK's order. */
  Timing
  TimeLabeler(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool fullyConnected, unsigned int runs);

  /** The labeler with an output that each run allocates and frees. */
  Timing
  TimeWithAllocation(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool fullyConnected, unsigned int runs);

  /** The labeler, by the host's clock: the whole call. */
  Timing
  TimeCall(bool fullyConnected, unsigned int runs) const;

  /** The call of Enqueue(), by the host's clock. It returns before the work has ended. */
  Timing
  TimeEnqueue(bool fullyConnected, unsigned int runs) const;

  /** The launch of a CUDA graph of Enqueue(), and the wait for its end, by the host's clock. */
  Timing
  TimeGraph(bool fullyConnected, unsigned int runs) const;

  /** Each step: the kernels of one kernel functor, or the allocation of the output. Published algorithms are followed
   * by the kernels that make the labels consecutive. */
  StepTimings
  TimeSteps(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool fullyConnected, unsigned int runs);

  /** A table of components in device memory, with or without the labels. Throws std::runtime_error if the pixel counts
   * of the table do not add up to `foreground`. */
  Timing
  TimeTable(const itk::CudaConnectedComponentTable::Columns & columns,
            bool                                              fullyConnected,
            bool                                              withLabels,
            std::uint64_t                                     foreground,
            unsigned int                                      runs);

  /** The mask of the largest component, of 1 byte per pixel. */
  Timing
  TimeLargest(bool fullyConnected, unsigned int runs);

  /** Each step of TimeLargest(). */
  StepTimings
  TimeLargestSteps(bool fullyConnected, unsigned int runs);

  /** Each step of TimeTable(). */
  StepTimings
  TimeTableSteps(const itk::CudaConnectedComponentTable::Columns & columns,
                 bool                                              fullyConnected,
                 bool                                              withLabels,
                 unsigned int                                      runs);

  /** Copies the labels of the last TimeLabeler() to the host. */
  std::vector<std::uint32_t>
  GetLabels() const;

  /** The number of objects of the last TimeLabeler() or TimeTable(). */
  std::uint64_t
  GetObjectCount() const
  {
    return m_ObjectCount;
  }

  /** Returns whether CUDA has a device. */
  static bool
  HasDevice();

  /** Describes the device, its compute capability and its driver in one line. */
  static std::string
  Describe();

private:
  class EnqueuedLabeling;

  void
  Label(itk::CudaConnectedComponentsEnums::Algorithm algorithm, bool fullyConnected, void * output);

  const TestImage &     m_Image;
  std::shared_ptr<void> m_Input;
  std::shared_ptr<void> m_Output;
  std::uint64_t         m_ObjectCount = 0;
};

#endif
