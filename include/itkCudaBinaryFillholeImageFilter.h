// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryFillholeImageFilter_h
#define itkCudaBinaryFillholeImageFilter_h

#include "itkBinaryFillholeImageFilter.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsFilterBase.h"

namespace itk
{

/** \class CudaBinaryFillholeImageFilter
 * \brief Fills the holes of a mask on an NVIDIA GPU, with exactly the pixels of BinaryFillholeImageFilter.
 *
 * \code
 * using FilterType = itk::CudaBinaryFillholeImageFilter<MaskType>;
 * auto filter = FilterType::New();
 * filter->SetInput(mask);
 * filter->SetForegroundValue(1);
 * filter->FullyConnectedOn(); // the background: 26 neighbors, because the objects have 6
 * filter->Update();
 * \endcode
 *
 * The filter has the same input and settings as the superclass. Pixels that equal ForegroundValue are foreground, and
 * all other pixels are background. A hole is a component of the background that does not touch the border of the image.
 * The pixels of holes get ForegroundValue. All other pixels keep their values. The default of ForegroundValue is the
 * maximum of the pixel type, as in the superclass.
 *
 * FullyConnected is the connectivity of the background: on for 8 neighbors in a plane and 26 in a volume, off for 4 and
 * 6. The default is off, as in the superclass. Choose the opposite of the connectivity of the objects: on for objects
 * with 4 or 6 neighbors. With FullyConnectedOff(), a region of the background that is connected with the outside only
 * through edges or corners of pixels is a hole. With FullyConnectedOn(), it is no hole.
 *
 * If an image has one pixel along an axis, all its pixels lie on the border. So a volume of one slice has no holes.
 *
 * \tparam TImage the type of the input and the output. The GPU and this module's own code need an itk::Image, or an
 * image that is derived from it, with a scalar pixel type of at most 8 bytes and at most 3 dimensions. The superclass
 * does the work for all other images, and for a ForegroundValue that is NaN.
 *
 * \sa BinaryFillholeImageFilter
 * \sa CudaBinaryKeepNObjectsImageFilter
 * \sa CudaConnectedComponentImageFilter
 *
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup ImageEnhancement MathematicalMorphologyImageFilters
 * \ingroup CudaConnectedComponents
 */
template <typename TImage>
class ITK_TEMPLATE_EXPORT CudaBinaryFillholeImageFilter
  : public CudaConnectedComponentsFilterBase<BinaryFillholeImageFilter<TImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryFillholeImageFilter);

  /** This class. */
  using Self = CudaBinaryFillholeImageFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<BinaryFillholeImageFilter<TImage>>;
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
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryFillholeImageFilter, BinaryFillholeImageFilter);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaBinaryFillholeImageFilter() = default;

  /** Destroys the filter. */
  ~CudaBinaryFillholeImageFilter() override = default;

  /** Fills the holes. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryFillholeImageFilter.hxx"
#endif

#endif
