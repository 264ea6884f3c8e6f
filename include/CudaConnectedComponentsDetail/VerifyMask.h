// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_VerifyMask_h
#define CudaConnectedComponentsDetail_VerifyMask_h

#include "itkImage.h"
#include "itkImageToImageFilter.h"

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** \class MaskImageFilter
 * \brief Checks two images as itk::MaskImageFilter does, which masks the input of ConnectedComponentImageFilter: that
 * they occupy the same space, by the global default tolerances, and that the mask covers the input.
 *
 * Exceptions name it as they name ITK's filter. It looks at no pixels, so that it need not be compiled for each of
 * their types. */
template <unsigned int VDimension>
class MaskImageFilter : public ImageToImageFilter<Image<char, VDimension>, Image<char, VDimension>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(MaskImageFilter);

  using Self = MaskImageFilter;
  using Superclass = ImageToImageFilter<Image<char, VDimension>, Image<char, VDimension>>;
  using Pointer = SmartPointer<Self>;

  itkFactorylessNewMacro(Self);

  const char *
  GetNameOfClass() const override
  {
    return "MaskImageFilter";
  }

  /** Throws what ITK's filter would throw. */
  static void
  Verify(const ImageBase<VDimension> & image, const ImageBase<VDimension> & mask)
  {
    const Pointer filter = Self::New();
    // Inputs are not const to ITK's pipeline, which propagates regions through them.
    filter->SetNthInput(0, const_cast<ImageBase<VDimension> *>(&image));
    filter->SetNthInput(1, const_cast<ImageBase<VDimension> *>(&mask));
    filter->UpdateOutputInformation();
    filter->GetOutput()->SetRequestedRegionToLargestPossibleRegion();
    filter->GetOutput()->PropagateRequestedRegion();
  }

protected:
  MaskImageFilter() = default;
  ~MaskImageFilter() override = default;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
