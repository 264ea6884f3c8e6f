// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_MaskVerifier_h
#define CudaConnectedComponentsDetail_MaskVerifier_h

#include "itkImage.h"
#include "itkImageToImageFilter.h"

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** \class MaskVerifier
 * \brief Checks that an image and its mask occupy the same physical space, and that the mask covers the image.
 *
 * ConnectedComponentImageFilter makes these checks by itk::MaskImageFilter, with the global default tolerances. This
 * class makes the same checks, and has the same name in messages, so that its exceptions have the same text. It reads
 * no pixels, so that it is compiled only once for each dimension. */
template <unsigned int VDimension>
class MaskVerifier : public ImageToImageFilter<Image<char, VDimension>, Image<char, VDimension>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(MaskVerifier);

  using Self = MaskVerifier;
  using Superclass = ImageToImageFilter<Image<char, VDimension>, Image<char, VDimension>>;
  using Pointer = SmartPointer<Self>;

  itkFactorylessNewMacro(Self);

  const char *
  GetNameOfClass() const override
  {
    return "MaskImageFilter";
  }

  /** Throws the exception that itk::MaskImageFilter would throw, if a check fails. */
  static void
  Verify(const ImageBase<VDimension> & image, const ImageBase<VDimension> & mask)
  {
    const Pointer filter = Self::New();
    // ITK's pipeline takes inputs that are not const, because it sets their requested regions.
    filter->SetNthInput(0, const_cast<ImageBase<VDimension> *>(&image));
    filter->SetNthInput(1, const_cast<ImageBase<VDimension> *>(&mask));
    filter->UpdateOutputInformation();
    filter->GetOutput()->SetRequestedRegionToLargestPossibleRegion();
    filter->GetOutput()->PropagateRequestedRegion();
  }

protected:
  MaskVerifier() = default;
  ~MaskVerifier() override = default;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
