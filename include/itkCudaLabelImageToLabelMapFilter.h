// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaLabelImageToLabelMapFilter_h
#define itkCudaLabelImageToLabelMapFilter_h

#include "itkCudaConnectedComponentsFilterBase.h"
#include "itkLabelImageToLabelMapFilter.h"

namespace itk
{

/** \class CudaLabelImageToLabelMapFilter
 * \brief Makes a label map of a label image, with exactly the objects of LabelImageToLabelMapFilter.
 *
 * \code
 * using FilterType = itk::CudaLabelImageToLabelMapFilter<LabelsType>;
 * auto filter = FilterType::New();
 * filter->SetInput(labels);
 * filter->Update();
 * std::cout << filter->GetOutput()->GetNumberOfLabelObjects() << " objects\n";
 * \endcode
 *
 * The filter has the same settings as the superclass, and gives the same label map: the same objects, the same lines in
 * the same order in each object, and the same background value. The default of BackgroundValue is the superclass's: the
 * lowest value of the label type. It is 0 if the type is unsigned.
 *
 * The filter runs on the CPU, on the filter's multi-threader and its number of work units. The GPU would not be faster,
 * because the labels are in host memory. For the types of the fast code, the settings of the GPU have no effect,
 * GetBackendUsed() is CPU, and GetFallbackReason() is empty.
 *
 * \tparam TInputImage an image of labels. The fast code needs an itk::Image, or an image that is derived from it, with
 * an integer pixel type other than bool. The number of dimensions does not matter.
 * \tparam TOutputImage a LabelMap of the same dimension. The fast code needs labels of an integer type other than bool
 * that is at least as large as the pixel type of the input.
 *
 * \par
 * The superclass does the work for all other types, and GetBackendUsed() is then ITK. With CPUFallbackOff() and
 * GPUEnabledOn(), the update throws an ExceptionObject instead.
 *
 * \par Images with one row
 * The superclass divides such an image between its work units, and each of them makes lines of its own. So the lines
 * depend on the number of work units. This filter gives the same lines for the same number.
 *
 * \par Differences from the superclass
 * Progress is reported at the start, after the lines have been found, and at the end. After AbortGenerateDataOn(), the
 * filter throws ProcessAborted at one of these times.
 *
 * \par Memory
 * A filter stores only its settings and its output. Until an update ends, each thread has an object of its own for each
 * label in its part of the image.
 *
 * \sa LabelImageToLabelMapFilter
 * \sa CudaBinaryImageToLabelMapFilter for masks
 * \sa CudaConnectedComponentsFactory for programs that use LabelImageToLabelMapFilter, or one of the filters
 * of ITK that create it
 * \sa CudaConnectedComponentsFilterBase for the errors
 *
 * \ingroup ImageEnhancement MathematicalMorphologyImageFilters
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage,
          typename TOutputImage = LabelMap<LabelObject<typename TInputImage::PixelType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT CudaLabelImageToLabelMapFilter
  : public CudaConnectedComponentsFilterBase<LabelImageToLabelMapFilter<TInputImage, TOutputImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaLabelImageToLabelMapFilter);

  /** This class. */
  using Self = CudaLabelImageToLabelMapFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<LabelImageToLabelMapFilter<TInputImage, TOutputImage>>;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The type of the input. */
  using InputImageType = TInputImage;
  /** The type of the label map. */
  using OutputImageType = TOutputImage;
  /** The type of the input's pixels. */
  using InputPixelType = typename TInputImage::PixelType;
  /** The type of the labels in the map. */
  using OutputPixelType = typename TOutputImage::PixelType;

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaLabelImageToLabelMapFilter, LabelImageToLabelMapFilter);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaLabelImageToLabelMapFilter() = default;

  /** Destroys the filter. */
  ~CudaLabelImageToLabelMapFilter() override = default;

  /** Makes the label map. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off, and only the superclass can do the work
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  /** Adds the objects to the label map. The region must have pixels.
   * \param reportHalf function that is called after half of the work */
  template <typename TReport>
  void
  AddObjects(const TReport & reportHalf);
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaLabelImageToLabelMapFilter.hxx"
#endif

#endif
