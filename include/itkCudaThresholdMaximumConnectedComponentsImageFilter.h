// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaThresholdMaximumConnectedComponentsImageFilter_h
#define itkCudaThresholdMaximumConnectedComponentsImageFilter_h

#include "itkCudaConnectedComponentsFilterBase.h"
#include "itkThresholdMaximumConnectedComponentsImageFilter.h"

namespace itk
{

/** \class CudaThresholdMaximumConnectedComponentsImageFilter
 * \brief Finds the threshold with the most objects on an NVIDIA GPU, with exactly the results of
 * ThresholdMaximumConnectedComponentsImageFilter.
 *
 * \code
 * using FilterType = itk::CudaThresholdMaximumConnectedComponentsImageFilter<ImageType, MaskType>;
 * auto filter = FilterType::New();
 * filter->SetInput(image);
 * filter->SetMinimumObjectSizeInPixels(40);
 * filter->Update();
 * std::cout << filter->GetNumberOfObjects() << " objects from the threshold " << filter->GetThresholdValue() << '\n';
 * \endcode
 *
 * The filter has the same input and settings as the superclass, and gives the same pixels, threshold and number of
 * objects. It counts the objects of each threshold of the search without an image of the pixels or of the labels.
 *
 * \par Differences from the superclass
 * - Some searches of the superclass in floating-point images do not end, because neighboring numbers differ by more
 *   than 2. This filter then throws an ExceptionObject.
 * - If the number of objects exceeds the maximum of `unsigned int`, the superclass throws an exception. This filter
 *   counts on.
 *
 * \tparam TInputImage an image. The GPU and this module's own code need an itk::Image, or an image that is derived from
 * it, with a scalar pixel type of at most 8 bytes and at most 3 dimensions. The superclass does the work for all other
 * images.
 * \tparam TOutputImage an image of the same dimension. The same limits hold.
 *
 * \sa ThresholdMaximumConnectedComponentsImageFilter
 * \sa CudaConnectedComponentImageFilter for the labels of the objects from a threshold on
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage, typename TOutputImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaThresholdMaximumConnectedComponentsImageFilter
  : public CudaConnectedComponentsFilterBase<ThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaThresholdMaximumConnectedComponentsImageFilter);

  /** This class. */
  using Self = CudaThresholdMaximumConnectedComponentsImageFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass =
    CudaConnectedComponentsFilterBase<ThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>>;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The type of the input. */
  using InputImageType = TInputImage;
  /** The type of the output. */
  using OutputImageType = TOutputImage;
  /** The type of the input's regions. */
  using InputImageRegionType = typename Superclass::InputImageRegionType;
  /** The type of the input's pixels. */
  using PixelType = typename Superclass::PixelType;
  /** The type of the output's pixels. */
  using OutputPixelType = typename Superclass::OutputPixelType;

  /** The dimension of the images. */
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaThresholdMaximumConnectedComponentsImageFilter,
                                             ThresholdMaximumConnectedComponentsImageFilter);

  /** Returns the number of objects of the last threshold that the search has chosen.
   * \return the number; of an earlier run if the values of the pixels differ by 2 or less, so that there was no search,
   * as in the superclass; 0 before the first run */
  SizeValueType
  GetNumberOfObjects() const override
  {
    return m_NumberOfObjects;
  }

  /** Returns the threshold of the last run: the lowest pixel value that gets InsideValue.
   * \return the threshold; the middle of the pixel type before the first run, as in the superclass. After an exception
   * it is undefined. */
  PixelType
  GetThresholdValue() const override
  {
    return m_ThresholdValue;
  }

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaThresholdMaximumConnectedComponentsImageFilter() = default;

  /** Destroys the filter. */
  ~CudaThresholdMaximumConnectedComponentsImageFilter() override = default;

  /** Prints the settings and the results of the last run.
   * \param os the stream to print on
   * \param indent the indentation of each line */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Finds the threshold. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used; a threshold of the search exceeds
   * UpperBoundary; or the search does not end
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  /** Finds the threshold and writes the output with a labeler.
   * \param requested the region of the input that was requested first */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler, const InputImageRegionType & requested);

  /** Does the same by the filter of ITK. */
  void
  GenerateDataByITK(const InputImageRegionType & requested);

  /** Finds the threshold as the superclass. Stores the results.
   * \param count function that returns the number of objects from m_ThresholdValue on */
  template <typename TCount>
  void
  Search(PixelType lowerBound, PixelType upperBound, const TCount & count);

  PixelType     m_ThresholdValue{ Superclass::GetThresholdValue() };
  SizeValueType m_NumberOfObjects{ 0 };
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaThresholdMaximumConnectedComponentsImageFilter.hxx"
#endif

#endif
