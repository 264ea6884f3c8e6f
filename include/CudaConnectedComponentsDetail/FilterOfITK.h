// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_FilterOfITK_h
#define CudaConnectedComponentsDetail_FilterOfITK_h

#include "itkProgressAccumulator.h"
#include "itkSmartPointer.h"

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** A filter of ITK that the object factories do not replace. A filter of this module runs it for images that only ITK
 * can label. It is a filter of its own, because a filter of ITK keeps its input and the parts of its work after an
 * exception. */
template <typename TFilter>
class ITK_TEMPLATE_EXPORT FilterOfITK : public TFilter
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(FilterOfITK);

  using Self = FilterOfITK;
  using Pointer = SmartPointer<Self>;

  itkFactorylessNewMacro(Self);

protected:
  FilterOfITK() = default;
  ~FilterOfITK() override = default;
};

/** Runs a filter of ITK inside another filter with the same types of input and output. */
template <typename TOuterFilter, typename TFilter>
void
UpdateInside(TOuterFilter & outer, TFilter & filter)
{
  const auto progress = ProgressAccumulator::New();
  progress->SetMiniPipelineFilter(&outer);
  progress->RegisterInternalFilter(&filter, 1.0F);
  filter.SetInput(outer.GetInput());
  filter.SetNumberOfWorkUnits(outer.GetNumberOfWorkUnits());
  filter.GraftOutput(outer.GetOutput());
  filter.Update();
  outer.GraftOutput(filter.GetOutput());
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
