// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryKeepNObjectsImageFilter_h
#define itkCudaBinaryKeepNObjectsImageFilter_h

#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsFilterBase.h"
#include "itkImageToImageFilter.h"
#include "itkNumericTraits.h"

namespace itk
{

/** \class CudaBinaryKeepNObjectsImageFilter
 * \brief Keeps the largest objects of a mask on an NVIDIA GPU, with the pixels of BinaryShapeKeepNObjectsImageFilter.
 *
 * \code
 * using FilterType = itk::CudaBinaryKeepNObjectsImageFilter<MaskType>;
 * auto filter = FilterType::New();
 * filter->SetInput(mask);
 * filter->SetForegroundValue(1);
 * filter->SetBackgroundValue(0);
 * filter->SetNumberOfObjects(1);
 * filter->Update();
 * \endcode
 *
 * Pixels that equal ForegroundValue belong to objects. The filter keeps the NumberOfObjects objects with the most
 * pixels, out of the objects that have at least MinimumObjectSize pixels. The pixels of the other objects get
 * BackgroundValue. Pixels that do not equal ForegroundValue keep their values, also if they do not equal
 * BackgroundValue.
 *
 * The settings have the defaults of BinaryShapeKeepNObjectsImageFilter. With its default attribute, the number of
 * pixels, that filter gives the same pixels. If objects have the same number of pixels, that filter may keep any of
 * them. This filter keeps the objects whose first pixels come first in memory. It has no Attribute and no
 * ReverseOrdering, and it adds MinimumObjectSize.
 *
 * The filter needs the whole input, and makes the whole output. It does not tell how many objects it found or kept, or
 * their sizes. CudaConnectedComponentImageFilter tells that.
 *
 * \tparam TImage the type of the input and the output. The GPU and this module's own code need an itk::Image, or an
 * image that is derived from it, with a scalar pixel type of at most 8 bytes and at most 3 dimensions.
 * For other images, such as images of vectors, the filter uses ITK's BinaryImageToLabelMapFilter, and GetBackendUsed()
 * is then ITK.
 *
 * \sa BinaryShapeKeepNObjectsImageFilter
 * \sa CudaBinaryFillholeImageFilter
 * \sa CudaConnectedComponentImageFilter
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup ImageEnhancement MathematicalMorphologyImageFilters
 * \ingroup CudaConnectedComponents
 */
template <typename TImage>
class ITK_TEMPLATE_EXPORT CudaBinaryKeepNObjectsImageFilter
  : public CudaConnectedComponentsFilterBase<ImageToImageFilter<TImage, TImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryKeepNObjectsImageFilter);

  /** This class. */
  using Self = CudaBinaryKeepNObjectsImageFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<ImageToImageFilter<TImage, TImage>>;
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

#ifdef ITK_USE_CONCEPT_CHECKING
  itkConceptMacro(PixelEqualityComparableCheck, (Concept::EqualityComparable<PixelType>));
  itkConceptMacro(IntConvertibleToPixelCheck, (Concept::Convertible<int, PixelType>));
  itkConceptMacro(PixelOStreamWritableCheck, (Concept::OStreamWritable<PixelType>));
#endif

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryKeepNObjectsImageFilter, ImageToImageFilter);

  /** Selects the value of the pixels that belong to objects, in the input and in the output. The default is the maximum
   * of the pixel type. */
  itkSetMacro(ForegroundValue, PixelType);
  itkGetConstMacro(ForegroundValue, PixelType);

  /** Selects the value that the pixels of removed objects get. The default is the lowest value of the pixel type. */
  itkSetMacro(BackgroundValue, PixelType);
  itkGetConstMacro(BackgroundValue, PixelType);

  /** Selects the connectivity: on for full connectivity (8 neighbors in a plane, 26 in a volume), off for face
   * connectivity (4 or 6). The default is off. */
  itkSetMacro(FullyConnected, bool);
  itkGetConstReferenceMacro(FullyConnected, bool);
  itkBooleanMacro(FullyConnected);

  /** Selects how many objects are kept. The default is 0, as in BinaryShapeKeepNObjectsImageFilter: all objects are
   * removed. If there are fewer objects, all are kept. */
  itkSetMacro(NumberOfObjects, SizeValueType);
  itkGetConstMacro(NumberOfObjects, SizeValueType);

  /** Selects objects of at least this number of pixels. Smaller objects are removed. The default is 0. */
  itkSetMacro(MinimumObjectSize, SizeValueType);
  itkGetConstMacro(MinimumObjectSize, SizeValueType);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaBinaryKeepNObjectsImageFilter() = default;

  /** Destroys the filter. */
  ~CudaBinaryKeepNObjectsImageFilter() override = default;

  /** Prints the settings and the backend of the last run.
   * \param os the stream to print on
   * \param indent the indentation of each line */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Requests the whole input. ITK's pipeline calls this function during an update. */
  void
  GenerateInputRequestedRegion() override;

  /** Requests the whole output. ITK's pipeline calls this function during an update.
   * \param output the output */
  void
  EnlargeOutputRequestedRegion(DataObject * output) override;

  /** Keeps the largest objects. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  /** Keeps the largest objects with a label map of ITK. */
  void
  GenerateDataByITK();

  PixelType     m_ForegroundValue{ NumericTraits<PixelType>::max() };
  PixelType     m_BackgroundValue{ NumericTraits<PixelType>::NonpositiveMin() };
  bool          m_FullyConnected{ false };
  SizeValueType m_NumberOfObjects{ 0 };
  SizeValueType m_MinimumObjectSize{ 0 };
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryKeepNObjectsImageFilter.hxx"
#endif

#endif
