// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedThresholdImageFilter_h
#define itkCudaConnectedThresholdImageFilter_h

#include "itkConnectedThresholdImageFilter.h"
#include "itkCudaConnectedComponentsFilterBase.h"

namespace itk
{

/** \class CudaConnectedThresholdImageFilter
 * \brief Grows a region from seeds on an NVIDIA GPU, with exactly the pixels of ConnectedThresholdImageFilter.
 *
 * \code
 * using FilterType = itk::CudaConnectedThresholdImageFilter<ImageType, MaskType>;
 * auto filter = FilterType::New();
 * filter->SetInput(ct);
 * filter->AddSeed({ { 250, 260, 80 } });
 * filter->SetLower(150);
 * filter->SetUpper(600);
 * filter->SetConnectivity(FilterType::ConnectivityEnum::FullConnectivity);
 * filter->Update();
 * \endcode
 *
 * The filter has the same inputs and settings as the superclass, and gives the same pixels. The region has the pixels
 * from Lower to Upper that are connected with a seed. They get ReplaceValue, and all other pixels get 0. A seed that
 * lies outside of the image, or whose pixel does not lie between the limits, adds nothing. If Lower exceeds Upper, or
 * is NaN, the region is empty.
 *
 * \par Small regions
 * The CPU grows a small region, because it reads only the rows that the region has or touches. If the region turns out
 * to be large, the GPU labels the image. So does it at once with CPUFallbackOff(), or with an Algorithm other than
 * Automatic.
 *
 * \tparam TInputImage an image. The GPU and this module's own code need an itk::Image, or an image that is derived from
 * it, with a scalar pixel type of at most 8 bytes and at most 3 dimensions. The superclass does the work for all other
 * images.
 * \tparam TOutputImage an image of the same dimension. The same limits hold.
 *
 * \sa ConnectedThresholdImageFilter
 * \sa CudaIsolatedConnectedImageFilter
 * \sa CudaConnectedComponentImageFilter for all regions between two limits
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup RegionGrowingSegmentation
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT CudaConnectedThresholdImageFilter
  : public CudaConnectedComponentsFilterBase<ConnectedThresholdImageFilter<TInputImage, TOutputImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaConnectedThresholdImageFilter);

  /** This class. */
  using Self = CudaConnectedThresholdImageFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<ConnectedThresholdImageFilter<TInputImage, TOutputImage>>;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The type of the input. */
  using InputImageType = TInputImage;
  /** The type of the output. */
  using OutputImageType = TOutputImage;
  /** The type of the input's pixels. */
  using InputImagePixelType = typename Superclass::InputImagePixelType;
  /** The type of the output's pixels. */
  using OutputImagePixelType = typename Superclass::OutputImagePixelType;
  /** The type of a seed. */
  using IndexType = typename Superclass::IndexType;
  /** The connectivities. */
  using ConnectivityEnum = typename Superclass::ConnectivityEnum;

  /** The dimension of the images. */
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaConnectedThresholdImageFilter, ConnectedThresholdImageFilter);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaConnectedThresholdImageFilter() = default;

  /** Destroys the filter. */
  ~CudaConnectedThresholdImageFilter() override = default;

  /** Grows the region. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  /** Grows the region by the filter of ITK. */
  void
  GenerateDataByITK();
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaConnectedThresholdImageFilter.hxx"
#endif

#endif
