// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryShapeOpeningImageFilter_h
#define itkCudaBinaryShapeOpeningImageFilter_h

#include "itkBinaryShapeOpeningImageFilter.h"
#include "itkCudaConnectedComponentsFilterBase.h"

namespace itk
{

/** \class CudaBinaryShapeOpeningImageFilter
 * \brief Removes the small or the large objects of a mask on an NVIDIA GPU, with exactly the pixels of
 * BinaryShapeOpeningImageFilter.
 *
 * \code
 * using FilterType = itk::CudaBinaryShapeOpeningImageFilter<MaskType>;
 * auto filter = FilterType::New();
 * filter->SetInput(mask);
 * filter->SetForegroundValue(1);
 * filter->SetBackgroundValue(0);
 * filter->SetLambda(100); // removes the objects of fewer than 100 pixels
 * filter->Update();
 * \endcode
 *
 * The filter has the same input and settings as the superclass. Pixels that equal ForegroundValue belong to objects.
 * The filter removes the objects whose attribute is less than Lambda, or greater with ReverseOrderingOn(). Their pixels
 * get BackgroundValue. All other pixels keep their values. A Lambda that is not a number removes nothing.
 *
 * The GPU and this module's own code do the work in these cases:
 * - Attribute is the number of pixels, which is the default.
 * - Attribute is NUMBER_OF_PIXELS_ON_BORDER, and Lambda only asks whether an object touches the border of the image:
 *   Lambda is at most 1, or less than 1 with ReverseOrderingOn(). With Lambda 1, the filter removes the objects that do
 *   not touch the border. With Lambda 0 and ReverseOrderingOn(), it removes the objects that touch the border.
 *
 * The superclass does the work for other attributes. If an image has one or two pixels along an axis, all its pixels
 * lie on the border.
 *
 * \tparam TImage the type of the input and the output. The GPU and this module's own code need an itk::Image, or an
 * image that is derived from it, with a scalar pixel type of at most 8 bytes and at most 3 dimensions. The superclass
 * does the work for all other images.
 *
 * \sa BinaryShapeOpeningImageFilter
 * \sa CudaBinaryGrindPeakImageFilter
 * \sa CudaBinaryKeepNObjectsImageFilter
 *
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup ImageEnhancement MathematicalMorphologyImageFilters
 * \ingroup CudaConnectedComponents
 */
template <typename TImage>
class ITK_TEMPLATE_EXPORT CudaBinaryShapeOpeningImageFilter
  : public CudaConnectedComponentsFilterBase<BinaryShapeOpeningImageFilter<TImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryShapeOpeningImageFilter);

  /** This class. */
  using Self = CudaBinaryShapeOpeningImageFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<BinaryShapeOpeningImageFilter<TImage>>;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The type of the input and the output. */
  using ImageType = TImage;
  /** The type of the pixels. */
  using PixelType = typename TImage::PixelType;

  /** The dimension of the images. */
  static constexpr unsigned int ImageDimension = TImage::ImageDimension;

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryShapeOpeningImageFilter, BinaryShapeOpeningImageFilter);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaBinaryShapeOpeningImageFilter() = default;

  /** Destroys the filter. */
  ~CudaBinaryShapeOpeningImageFilter() override = default;

  /** Removes the objects. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryShapeOpeningImageFilter.hxx"
#endif

#endif
