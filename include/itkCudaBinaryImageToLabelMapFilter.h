// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryImageToLabelMapFilter_h
#define itkCudaBinaryImageToLabelMapFilter_h

#include "itkBinaryImageToLabelMapFilter.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsFilterBase.h"

#include "CudaConnectedComponentsDetail/DivideComponents.h"

#include <cstdint>
#include <vector>

namespace itk
{

/** \class CudaBinaryImageToLabelMapFilter
 * \brief Makes a map of the connected components of a binary image on an NVIDIA GPU, with exactly the objects of
 * BinaryImageToLabelMapFilter.
 *
 * \code
 * using FilterType = itk::CudaBinaryImageToLabelMapFilter<MaskType>;
 * auto filter = FilterType::New();
 * filter->SetInput(mask);
 * filter->SetInputForegroundValue(1);
 * filter->Update();
 * std::cout << filter->GetNumberOfObjects() << " objects, by " << filter->GetBackendUsed() << '\n';
 * \endcode
 *
 * The filter has the same settings as the superclass, and gives the same label map: the same objects with the same
 * labels, the same lines in the same order in each object, and the same background value. It also throws the same
 * exception if there are too many objects. Pixels that equal InputForegroundValue are foreground. The order of the
 * labels is the raster order of the first pixels of the components. The labels are 0, 1, 2 and so on, without
 * OutputBackgroundValue. Two runs give the same output.
 *
 * The defaults are the superclass's: InputForegroundValue is the maximum of the pixel type, OutputBackgroundValue is
 * the lowest value of the label type (0 if the type is unsigned), and FullyConnected is off.
 *
 * \tparam TInputImage an image or an ImageAdaptor of any pixel type that can be compared by `==`
 * \tparam TOutputImage a LabelMap of the same dimension. The labels of its objects are integers; the superclass makes
 * maps with other labels.
 *
 * \par
 * The superclass labels images of more than 3 dimensions.
 *
 * \par Memory
 * A filter stores only its settings and its output. A run needs 16 bytes for each row of the image and 24 bytes for
 * each line of the objects, besides the memory for labeling.
 *
 * \sa BinaryImageToLabelMapFilter
 * \sa CudaConnectedComponentImageFilter
 * \sa CudaConnectedComponentsFactory for programs that use BinaryImageToLabelMapFilter, or one of the filters
 * of ITK that create it
 * \sa CudaConnectedComponentsFilterBase for the settings, the errors and the memory
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage,
          typename TOutputImage = LabelMap<LabelObject<SizeValueType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT CudaBinaryImageToLabelMapFilter
  : public CudaConnectedComponentsFilterBase<BinaryImageToLabelMapFilter<TInputImage, TOutputImage>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryImageToLabelMapFilter);

  /** This class. */
  using Self = CudaBinaryImageToLabelMapFilter;
  /** The settings of all filters of this module, on top of a filter of ITK. */
  using Superclass = CudaConnectedComponentsFilterBase<BinaryImageToLabelMapFilter<TInputImage, TOutputImage>>;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The type of the input. */
  using InputImageType = TInputImage;
  /** The type of the label map. */
  using OutputImageType = TOutputImage;
  /** The type of the objects in the map. */
  using LabelObjectType = typename TOutputImage::LabelObjectType;
  /** The type of the input's pixels. */
  using InputPixelType = typename Superclass::InputPixelType;
  /** The type of the labels in the map. */
  using OutputPixelType = typename Superclass::OutputPixelType;
  /** The type of a region: index and size in pixels. */
  using RegionType = typename Superclass::RegionType;

  /** The dimension of the input and the map. */
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  // A filter with the default settings, through ITK's object factories; the name of the class, for messages.
  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryImageToLabelMapFilter, BinaryImageToLabelMapFilter);

protected:
  /** Creates a filter with the default settings. Programs call New() instead. */
  CudaBinaryImageToLabelMapFilter() = default;

  /** Destroys the filter. */
  ~CudaBinaryImageToLabelMapFilter() override = default;

  /** Prints the settings and the results of the last run.
   * \param os the stream to print on
   * \param indent the indentation of each line */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Makes the label map. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used, or there are more objects than the
   * maximum of the label type
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  using RunsOfRow = std::vector<CudaConnectedComponentLabeler::Run>;

  /** Finds the components by a labeler, and makes the objects. */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler, CudaConnectedComponentsDetail::BackendRun & run);

  /** Makes the label map by the filter of ITK. */
  void
  GenerateDataByITK();

  /** Stores the number of objects in the superclass. */
  void
  StoreNumberOfObjects(SizeValueType number);

  /** Stores the number of objects in the superclass. Throws if there are too many objects for the label type. */
  void
  SetNumberOfObjects(SizeValueType number);

  /** Adds one object for each component to the label map. Frees the runs. */
  void
  MakeObjects(std::vector<RunsOfRow> & runs, const std::vector<std::uint64_t> & pixelCounts);
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryImageToLabelMapFilter.hxx"
#endif

#endif
