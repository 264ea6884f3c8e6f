// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryImageToLabelMapFilter_h
#define itkCudaBinaryImageToLabelMapFilter_h

#include "itkBinaryImageToLabelMapFilter.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsEnums.h"

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "CudaConnectedComponentsDetail/BackendSettings.h"
#include "CudaConnectedComponentsDetail/Compatibility.h"
#include "CudaConnectedComponentsDetail/StoredRuns.h"

#include <cstdint>
#include <string>
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
 * \par GPU and CPU
 * The GPU labels planes and volumes of up to 2^40 pixels. The CPU labels the image if the GPU cannot be used: there is
 * no device, no driver or too little device memory, or CUDA reports an error. The CPU uses this module's own code, on
 * the filter's multi-threader and its number of work units. The CPU always makes the objects. GetBackendUsed() tells
 * where the labels come from, and GetFallbackReason() tells why. With CPUFallbackOff(), the filter throws an
 * ExceptionObject with the reason instead.
 *
 * \par
 * The CPU always labels images of at most 16,384 pixels, because it is faster. CPUFallbackOff() switches this off. The
 * superclass labels images of more than 3 dimensions.
 *
 * \par Differences from the superclass
 * - If the region has no pixels, there are no objects.
 * - After AbortGenerateDataOn(), the filter throws ProcessAborted between the stages of the work.
 * - The filter can be updated again after any exception, such as the exception for too many objects.
 * - Several threads create the objects of one map at the same time. This matters only for an object factory that
 *   overrides the class of the objects.
 * - The accessor of an ImageAdaptor may throw while the filter reads pixels. The exception reaches the caller with its
 *   type, whichever thread read the pixels.
 *
 * \par Environment variables
 * The variables that CudaConnectedComponentImageFilter describes have the same effects on this filter.
 *
 * \par Errors of CUDA
 * A missing device and too little memory are expected errors. The first time that another error of CUDA in a process
 * makes a filter use the CPU, the filter prints the error on standard error. It may be a fault of this module.
 *
 * \par Thread safety
 * Different filters may run on several threads at the same time. One filter must not be used by several threads at the
 * same time.
 *
 * \par Memory
 * A filter stores only its settings and its output. A run needs 16 bytes for each row of the image and 24 bytes for
 * each line of the objects, besides the memory for labeling.
 *
 * \sa BinaryImageToLabelMapFilter
 * \sa CudaConnectedComponentImageFilter
 * \sa CudaConnectedComponentImageFilterFactory for programs that use BinaryImageToLabelMapFilter, or one of the filters
 * of ITK that create it
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage,
          typename TOutputImage = LabelMap<LabelObject<SizeValueType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT CudaBinaryImageToLabelMapFilter
  : public BinaryImageToLabelMapFilter<TInputImage, TOutputImage>
  , protected CudaConnectedComponentsDetail::BackendSettings
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryImageToLabelMapFilter);

  /** This class. */
  using Self = CudaBinaryImageToLabelMapFilter;
  /** The filter that this class replaces. */
  using Superclass = BinaryImageToLabelMapFilter<TInputImage, TOutputImage>;
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
  /** The backends. */
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  /** The dimension of the input and the map. */
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  /** Creates a filter with the default settings, through ITK's object factories.
   * \return the filter */
  itkNewMacro(Self);

  /** Returns the name of the class, for messages.
   * \return a text that exists until the process ends */
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryImageToLabelMapFilter, BinaryImageToLabelMapFilter);

  /** Selects whether the filter uses the GPU. The default is on. If off, the CPU labels the image, also with
   * CPUFallbackOff(). GetFallbackReason() is then empty. */
  itkSetMacro(GPUEnabled, bool);
  itkGetConstMacro(GPUEnabled, bool);
  itkBooleanMacro(GPUEnabled);

  /** Selects whether the CPU labels the image if the GPU cannot be used. The default is on. If off, the update throws
   * an ExceptionObject with the reason. The GPU then labels small images, too. For images of more than 3 dimensions,
   * the update then throws, except with GPUEnabledOff(). */
  itkSetMacro(CPUFallback, bool);
  itkGetConstMacro(CPUFallback, bool);
  itkBooleanMacro(CPUFallback);

  /** Selects whether the filter delays the start of CUDA, which takes about 0.2 s. The default is off. The filters that
   * CudaConnectedComponentImageFilterFactory creates have it on. CudaConnectedComponentImageFilter describes the
   * setting. */
  itkSetMacro(LazyGPUStart, bool);
  itkGetConstMacro(LazyGPUStart, bool);
  itkBooleanMacro(LazyGPUStart);

  /** Selects the CUDA device by its number, from 0 to the number of devices - 1. The default is -1: the current device
   * of the thread that calls Update(). If there is no such device, the filter falls back to the CPU, or throws an
   * ExceptionObject with CPUFallbackOff(). */
  itkSetMacro(DeviceId, int);
  itkGetConstMacro(DeviceId, int);

  /** Returns the backend that labeled the image in the last run: CUDA, CPU, or ITK for more than 3 dimensions and for
   * labels that are no integers.
   * \return the backend; Unknown before the first update, and after an update that threw an exception */
  itkGetEnumMacro(BackendUsed, BackendEnum);

  /** Returns why the last run did not use the GPU.
   * \return a text such as "no CUDA device: no NVIDIA driver is installed". Empty if the GPU labeled the image, with
   * GPUEnabledOff(), or if the region has no pixels. */
  itkGetConstReferenceMacro(FallbackReason, std::string);

  /** Updates the information about the output, such as its size, as the superclass does. If an exception is thrown,
   * this function resets the pipeline. So the filter can be updated again.
   * \exception ExceptionObject the exception of the superclass, or of another filter */
  void
  UpdateOutputInformation() override;

  /** Propagates the requested region to the input, as the superclass does. If an exception is thrown, this function
   * resets the pipeline. So the filter can be updated again.
   * \param output the output of this filter whose requested region is propagated
   * \exception ExceptionObject the exception of the superclass, or of another filter */
  void
  PropagateRequestedRegion(DataObject * output) override;

  /** Updates the input and then the output, as the superclass does. If an exception is thrown, this function resets the
   * pipeline. So the filter can be updated again.
   * \param output the output of this filter that is updated
   * \exception ExceptionObject the exception of GenerateData(), of the superclass, or of another filter */
  void
  UpdateOutputData(DataObject * output) override;

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
  /** Finds the components by a labeler, and makes the objects. */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler, CudaConnectedComponentsDetail::BackendRun & run);

  /** Makes the label map by the superclass. */
  void
  GenerateDataByITK();

  /** Stores the number of objects in the superclass. Throws if there are too many objects for the label type. */
  void
  SetNumberOfObjects(SizeValueType number);

  /** Adds one object for each component to the label map. */
  void
  MakeObjects(const CudaConnectedComponentsDetail::StoredRuns & runs, const std::vector<std::uint64_t> & pixelCounts);
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryImageToLabelMapFilter.hxx"
#endif

#endif
