// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_FilterOfITK_h
#define CudaConnectedComponentsDetail_FilterOfITK_h

#include "itkImage.h"
#include "itkProgressAccumulator.h"
#include "itkSmartPointer.h"

#include <type_traits>

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

/** An image that keeps its pixels when a filter releases them, and its regions when a filter asks for information.
 * Without a source, the largest possible region of an image of ITK becomes its buffered region. */
template <typename TImage>
class ITK_TEMPLATE_EXPORT KeptImage : public TImage
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(KeptImage);

  using Self = KeptImage;
  using Pointer = SmartPointer<Self>;

  itkFactorylessNewMacro(Self);

  void
  Initialize() override
  {}

  void
  UpdateOutputInformation() override
  {}

protected:
  KeptImage() = default;
  ~KeptImage() override = default;
};

/** Returns an input for a filter inside another filter: an image with the same pixels. With
 * DataObject::SetGlobalReleaseDataFlag(), the filters inside release their inputs, although another filter reads them
 * later. Returns an adaptor itself, because its copy would lack the accessor. */
template <typename TImage>
typename TImage::ConstPointer
InputInside(const TImage * image)
{
  if constexpr (std::is_base_of<Image<typename TImage::PixelType, TImage::ImageDimension>, TImage>::value)
  {
    if (image != nullptr)
    {
      const auto kept = KeptImage<TImage>::New();
      // Through the base class, because a class of the user may override this function, and so hide the others.
      static_cast<DataObject &>(*kept).Graft(image);
      return kept.GetPointer();
    }
  }
  return image;
}

/** Gives the threads of a filter to a filter inside it. */
template <typename TFilter>
void
ShareThreads(ProcessObject & outer, TFilter & filter)
{
  filter.SetMultiThreader(outer.GetMultiThreader());
  filter.SetNumberOfWorkUnits(outer.GetNumberOfWorkUnits());
}

/** Runs a filter of ITK inside another filter with the same types of input and output. */
template <typename TOuterFilter, typename TFilter>
void
UpdateInside(TOuterFilter & outer, TFilter & filter, const typename TFilter::InputImageType * input)
{
  const auto progress = ProgressAccumulator::New();
  progress->SetMiniPipelineFilter(&outer);
  progress->RegisterInternalFilter(&filter, 1.0F);
  filter.SetInput(InputInside(input));
  ShareThreads(outer, filter);
  filter.GraftOutput(outer.GetOutput());
  filter.Update();
  outer.GraftOutput(filter.GetOutput());
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
