// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_AnalysisTiming_h
#define ccl_benchmark_AnalysisTiming_h

#include "TestImages.h"
#include "Timing.h"

#include "itkCudaConnectedComponentTable.h"

/** Two times of the same work in one run, and whether the results were equal. */
struct ComparedTiming
{
  Timing ours;
  Timing itk;
  bool   isRight = true;
};

/** Measures the steps that follow labeling, in an ITK pipeline. Each run allocates its output. Masks have 1 byte per
 * pixel, labels have 4. */
class AnalysisTiming
{
public:
  AnalysisTiming(const TestImage & image, bool fullyConnected);

  /** CudaConnectedComponentImageFilter that only labels. */
  Timing
  TimeLabels(unsigned int runs, bool gpuEnabled) const;

  /** Labels sorted by size, without components of fewer than 10 pixels: our one filter, and ITK's two filters. */
  ComparedTiming
  TimeSorted(unsigned int runs, bool gpuEnabled) const;

  /** CudaRelabelComponentImageFilter and RelabelComponentImageFilter on the same labels. */
  ComparedTiming
  TimeRelabel(unsigned int runs) const;

  /** The mask of the largest component: CudaBinaryKeepNObjectsImageFilter and BinaryShapeKeepNObjectsImageFilter. */
  ComparedTiming
  TimeLargest(unsigned int runs, bool gpuEnabled) const;

  /** The mask with filled holes: CudaBinaryFillholeImageFilter and BinaryFillholeImageFilter. */
  ComparedTiming
  TimeHoles(unsigned int runs, bool gpuEnabled) const;

  /** The number, the mean, the minimum, the maximum and the variance of the intensities of each component, for an image
   * of `short`: our labeler without labels, and ConnectedComponentImageFilter with LabelStatisticsImageFilter. */
  ComparedTiming
  TimeIntensities(unsigned int runs, bool gpuEnabled) const;

  /** From a mask in host memory to a table, without labels. */
  Timing
  TimeTable(unsigned int runs, const itk::CudaConnectedComponentTable::Columns & columns, bool gpuEnabled) const;

private:
  const TestImage & m_Image;
  bool              m_FullyConnected;
};

#endif
