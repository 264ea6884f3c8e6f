// SPDX-License-Identifier: Apache-2.0
#ifndef EmptyFilters_h
#define EmptyFilters_h

// Subclasses of ITK's filters without code of their own, for the smallest library that replaces the same filters.
// scripts/build-cost.sh compiles the library with this header instead of the filters.

#include "itkBinaryFillholeImageFilter.h"
#include "itkBinaryGrindPeakImageFilter.h"
#include "itkBinaryImageToLabelMapFilter.h"
#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkBinaryShapeOpeningImageFilter.h"
#include "itkConnectedComponentImageFilter.h"
#include "itkConnectedThresholdImageFilter.h"
#include "itkIsolatedConnectedImageFilter.h"
#include "itkLabelImageToLabelMapFilter.h"
#include "itkRelabelComponentImageFilter.h"
#include "itkThresholdMaximumConnectedComponentsImageFilter.h"

#include "CudaConnectedComponentsDetail/FilterMacros.h"
#include "CudaConnectedComponentsDetail/Process.h"

// The members that all subclasses have. The factory calls LazyGPUStartOn().
#define EmptyFilterMembers(name, ...)                           \
public:                                                         \
  ITK_DISALLOW_COPY_AND_MOVE(name);                             \
  using Self = name;                                            \
  using Superclass = __VA_ARGS__;                               \
  using Pointer = SmartPointer<Self>;                           \
  itkNewMacro(Self);                                            \
  itkCudaConnectedComponentsNameOfClassMacro(name, superclass); \
  void LazyGPUStartOn() {}                                      \
                                                                \
protected:                                                      \
  name() = default;                                             \
  ~name() override = default

namespace itk
{

template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
class CudaConnectedComponentImageFilter : public ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>
{
  EmptyFilterMembers(CudaConnectedComponentImageFilter,
                     ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>);
};

template <typename TInputImage, typename TOutputImage>
class CudaRelabelComponentImageFilter : public RelabelComponentImageFilter<TInputImage, TOutputImage>
{
  EmptyFilterMembers(CudaRelabelComponentImageFilter, RelabelComponentImageFilter<TInputImage, TOutputImage>);
};

template <typename TInputImage, typename TOutputImage>
class CudaBinaryImageToLabelMapFilter : public BinaryImageToLabelMapFilter<TInputImage, TOutputImage>
{
  EmptyFilterMembers(CudaBinaryImageToLabelMapFilter, BinaryImageToLabelMapFilter<TInputImage, TOutputImage>);
};

template <typename TInputImage, typename TOutputImage>
class CudaLabelImageToLabelMapFilter : public LabelImageToLabelMapFilter<TInputImage, TOutputImage>
{
  EmptyFilterMembers(CudaLabelImageToLabelMapFilter, LabelImageToLabelMapFilter<TInputImage, TOutputImage>);
};

template <typename TImage>
class CudaBinaryFillholeImageFilter : public BinaryFillholeImageFilter<TImage>
{
  EmptyFilterMembers(CudaBinaryFillholeImageFilter, BinaryFillholeImageFilter<TImage>);
};

template <typename TImage>
class CudaBinaryShapeKeepNObjectsImageFilter : public BinaryShapeKeepNObjectsImageFilter<TImage>
{
  EmptyFilterMembers(CudaBinaryShapeKeepNObjectsImageFilter, BinaryShapeKeepNObjectsImageFilter<TImage>);
};

template <typename TImage>
class CudaBinaryShapeOpeningImageFilter : public BinaryShapeOpeningImageFilter<TImage>
{
  EmptyFilterMembers(CudaBinaryShapeOpeningImageFilter, BinaryShapeOpeningImageFilter<TImage>);
};

template <typename TImage>
class CudaBinaryGrindPeakImageFilter : public BinaryGrindPeakImageFilter<TImage>
{
  EmptyFilterMembers(CudaBinaryGrindPeakImageFilter, BinaryGrindPeakImageFilter<TImage>);
};

template <typename TInputImage, typename TOutputImage>
class CudaConnectedThresholdImageFilter : public ConnectedThresholdImageFilter<TInputImage, TOutputImage>
{
  EmptyFilterMembers(CudaConnectedThresholdImageFilter, ConnectedThresholdImageFilter<TInputImage, TOutputImage>);
};

template <typename TInputImage, typename TOutputImage>
class CudaIsolatedConnectedImageFilter : public IsolatedConnectedImageFilter<TInputImage, TOutputImage>
{
  EmptyFilterMembers(CudaIsolatedConnectedImageFilter, IsolatedConnectedImageFilter<TInputImage, TOutputImage>);
};

template <typename TInputImage, typename TOutputImage>
class CudaThresholdMaximumConnectedComponentsImageFilter
  : public ThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>
{
  EmptyFilterMembers(CudaThresholdMaximumConnectedComponentsImageFilter,
                     ThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>);
};

} // namespace itk

#endif
