// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaIsolatedConnectedImageFilter_h
#define itkCudaIsolatedConnectedImageFilter_h

#include "itkCudaConnectedComponentsFilterBase.h"
#include "itkIsolatedConnectedImageFilter.h"

#include "CudaConnectedComponentsDetail/GrowRegions.h"

namespace itk
{

/** \class CudaIsolatedConnectedImageFilter
 * \brief Separates two regions by a threshold on an NVIDIA GPU, with exactly the results of
 * IsolatedConnectedImageFilter.
 *
 * \code
 * using FilterType = itk::CudaIsolatedConnectedImageFilter<ImageType, MaskType>;
 * auto filter = FilterType::New();
 * filter->SetInput(ct);
 * filter->AddSeed1({ { 250, 260, 80 } });
 * filter->AddSeed2({ { 310, 240, 80 } });
 * filter->Update();
 * if (!filter->GetThresholdingFailed())
 * {
 *   std::cout << "The regions are separate up to " << filter->GetIsolatedValue() << '\n';
 * }
 * \endcode
 *
 * The filter has the same input and settings as the superclass, and gives the same pixels, threshold and flag. Each
 * step of the search grows one region, as CudaConnectedThresholdImageFilter does, without an image of it.
 *
 * \par Differences from the superclass
 * - The superclass reads pixels outside of its memory if a seed lies outside of the image. For this filter, such a seed
 *   belongs to no region: as a first seed it makes the thresholding fail, as a second seed it has no effect.
 * - Some searches of the superclass do not end, because numbers near the threshold differ by more than the tolerance,
 *   or because the tolerance is 0 or less. This filter then throws an ExceptionObject.
 *
 * \tparam TInputImage an image. The GPU and this module's own code need an itk::Image, or an image that is derived from
 * it, with a scalar pixel type of at most 8 bytes and at most 3 dimensions. The superclass does the work for all other
 * images.
 * \tparam TOutputImage an image of the same dimension. The same limits hold.
 *
 * \sa IsolatedConnectedImageFilter
 * \sa CudaConnectedThresholdImageFilter
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup RegionGrowingSegmentation
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT CudaIsolatedConnectedImageFilter
  : public CudaConnectedComponentsFilterBase<IsolatedConnectedImageFilter<TInputImage, TOutputImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaIsolatedConnectedImageFilter);

  /** This class. */
  using Self = CudaIsolatedConnectedImageFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<IsolatedConnectedImageFilter<TInputImage, TOutputImage>>;
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

  /** The dimension of the images. */
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaIsolatedConnectedImageFilter, IsolatedConnectedImageFilter);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaIsolatedConnectedImageFilter() = default;

  /** Destroys the filter. */
  ~CudaIsolatedConnectedImageFilter() override = default;

  /** Finds the threshold and grows the region. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject there are no first or no second seeds; the search does not end; or CPUFallback is off
   * and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  /** Finds the threshold and writes the output with a labeler. */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler);

  /** Does the work by the filter of ITK. */
  void
  GenerateDataByITK();

  /** Finds the threshold as the superclass. Stores it.
   * \param reachesSecondSeed function that tells whether the region between two limits has a second seed */
  template <typename TReaches>
  void
  Search(const TReaches & reachesSecondSeed);
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaIsolatedConnectedImageFilter.hxx"
#endif

#endif
