// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryShapeKeepNObjectsImageFilter_h
#define itkCudaBinaryShapeKeepNObjectsImageFilter_h

#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsFilterBase.h"

namespace itk
{

/** \class CudaBinaryShapeKeepNObjectsImageFilter
 * \brief Keeps some objects of a mask on an NVIDIA GPU, with exactly the pixels of BinaryShapeKeepNObjectsImageFilter.
 *
 * The filter has the same input and settings as the superclass. It is faster if Attribute is the number of pixels,
 * which is the default, with either order. For other attributes, the superclass does the work.
 *
 * If objects at the limit have the same number of pixels, the filter keeps the objects that the superclass keeps. The
 * superclass makes no promise which objects these are. CudaBinaryKeepNObjectsImageFilter makes one, takes a third of
 * the time, and has a minimum size. So prefer it in new programs. This filter is for programs that create the
 * superclass and get this filter from the factory or the plug-in.
 *
 * The filter labels the image twice: it measures all objects, and then selects some.
 *
 * \tparam TImage the type of the input and the output. The GPU and this module's own code need an itk::Image, or an
 * image that is derived from it, with a scalar pixel type of at most 8 bytes and at most 3 dimensions. The superclass
 * does the work for all other images.
 *
 * \par Memory
 * A filter stores only its settings and its output. During an update, it has 16 bytes for each object in host memory.
 *
 * \sa BinaryShapeKeepNObjectsImageFilter
 * \sa CudaBinaryKeepNObjectsImageFilter
 *
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup ImageEnhancement MathematicalMorphologyImageFilters
 * \ingroup CudaConnectedComponents
 */
template <typename TImage>
class ITK_TEMPLATE_EXPORT CudaBinaryShapeKeepNObjectsImageFilter
  : public CudaConnectedComponentsFilterBase<BinaryShapeKeepNObjectsImageFilter<TImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryShapeKeepNObjectsImageFilter);

  /** This class. */
  using Self = CudaBinaryShapeKeepNObjectsImageFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<BinaryShapeKeepNObjectsImageFilter<TImage>>;
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
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryShapeKeepNObjectsImageFilter,
                                             BinaryShapeKeepNObjectsImageFilter);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaBinaryShapeKeepNObjectsImageFilter() = default;

  /** Destroys the filter. */
  ~CudaBinaryShapeKeepNObjectsImageFilter() override = default;

  /** Keeps the objects. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryShapeKeepNObjectsImageFilter.hxx"
#endif

#endif
