// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryGrindPeakImageFilter_h
#define itkCudaBinaryGrindPeakImageFilter_h

#include "itkBinaryGrindPeakImageFilter.h"
#include "itkCudaConnectedComponentsFilterBase.h"

namespace itk
{

/** \class CudaBinaryGrindPeakImageFilter
 * \brief Keeps the objects of a mask that touch the border on an NVIDIA GPU, with exactly the pixels of
 * BinaryGrindPeakImageFilter.
 *
 * The filter has the same input and settings as the superclass. Pixels that equal ForegroundValue belong to objects.
 * The filter removes the objects that do not touch the border of the image. Their pixels get BackgroundValue. All other
 * pixels keep their values. The defaults are the superclass's: ForegroundValue is the maximum of the pixel type, and
 * BackgroundValue is 0.
 *
 * If an image has one or two pixels along an axis, all its pixels lie on the border. So the filter removes nothing.
 *
 * \tparam TImage the type of the input and the output. The GPU and this module's own code need an itk::Image, or an
 * image that is derived from it, with a scalar pixel type of at most 8 bytes and at most 3 dimensions. The superclass
 * does the work for all other images.
 *
 * \sa BinaryGrindPeakImageFilter
 * \sa CudaBinaryShapeOpeningImageFilter to remove the objects that touch the border
 * \sa CudaBinaryFillholeImageFilter
 *
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup ImageEnhancement MathematicalMorphologyImageFilters
 * \ingroup CudaConnectedComponents
 */
template <typename TImage>
class ITK_TEMPLATE_EXPORT CudaBinaryGrindPeakImageFilter
  : public CudaConnectedComponentsFilterBase<BinaryGrindPeakImageFilter<TImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryGrindPeakImageFilter);

  /** This class. */
  using Self = CudaBinaryGrindPeakImageFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<BinaryGrindPeakImageFilter<TImage>>;
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
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryGrindPeakImageFilter, BinaryGrindPeakImageFilter);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaBinaryGrindPeakImageFilter() = default;

  /** Destroys the filter. */
  ~CudaBinaryGrindPeakImageFilter() override = default;

  /** Removes the objects. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryGrindPeakImageFilter.hxx"
#endif

#endif
