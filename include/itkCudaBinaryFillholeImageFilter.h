// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryFillholeImageFilter_h
#define itkCudaBinaryFillholeImageFilter_h

#include "itkBinaryFillholeImageFilter.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsEnums.h"

#include "CudaConnectedComponentsDetail/BackendSettings.h"
#include "CudaConnectedComponentsDetail/Compatibility.h"

#include <string>

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
 * \par GPU and CPU
 * GPUEnabled, CPUFallback, LazyGPUStart, DeviceId, BackendUsed and FallbackReason have the same meaning as in
 * CudaConnectedComponentImageFilter. The environment variables have the same effect, too. If there is nothing to label,
 * the CPU copies the image, also with CPUFallbackOff().
 *
 * \par Differences from the superclass
 * - If the region has no pixels, the output is empty.
 * - After AbortGenerateDataOn(), the filter throws ProcessAborted between the stages of the work.
 * - The filter can be updated again after any exception.
 *
 * \par Thread safety
 * Different filters may run on several threads at the same time. One filter must not be used by several threads at the
 * same time.
 *
 * \par Memory
 * A filter stores only its settings and its output. See CudaConnectedComponentImageFilter for the memory of the
 * process.
 *
 * \sa BinaryFillholeImageFilter
 * \sa CudaBinaryKeepNObjectsImageFilter
 * \sa CudaConnectedComponentImageFilter
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TImage>
class ITK_TEMPLATE_EXPORT CudaBinaryFillholeImageFilter
  : public BinaryFillholeImageFilter<TImage>
  , protected CudaConnectedComponentsDetail::BackendSettings
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryFillholeImageFilter);

  /** This class. */
  using Self = CudaBinaryFillholeImageFilter;
  /** The filter that this class replaces. */
  using Superclass = BinaryFillholeImageFilter<TImage>;
  /** Shared owner of a filter. */
  using Pointer = SmartPointer<Self>;
  /** Shared owner of a constant filter. */
  using ConstPointer = SmartPointer<const Self>;

  /** The type of the input and the output. */
  using ImageType = TImage;
  /** The type of the pixels. */
  using PixelType = typename TImage::PixelType;
  /** The backends. */
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  /** The dimension of the images. */
  static constexpr unsigned int ImageDimension = TImage::ImageDimension;

  /** Creates a filter with the default settings, through ITK's object factories.
   * \return the filter */
  itkNewMacro(Self);

  /** Returns the name of the class, for messages.
   * \return a text that exists until the process ends */
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryFillholeImageFilter, BinaryFillholeImageFilter);

  /** Selects whether the filter uses the GPU. The default is on. If off, the CPU fills the holes, also with
   * CPUFallbackOff(). GetFallbackReason() is then empty. */
  itkSetMacro(GPUEnabled, bool);
  itkGetConstMacro(GPUEnabled, bool);
  itkBooleanMacro(GPUEnabled);

  /** Selects whether the CPU fills the holes if the GPU cannot be used. The default is on. If off, the update throws an
   * ExceptionObject with the reason. The GPU then gets small images, too. For images that only the superclass can
   * handle, such as images of more than 3 dimensions, the update then throws, except with GPUEnabledOff(). */
  itkSetMacro(CPUFallback, bool);
  itkGetConstMacro(CPUFallback, bool);
  itkBooleanMacro(CPUFallback);

  /** Selects whether the filter delays the start of CUDA, as CudaConnectedComponentImageFilter does. The default is
   * off. */
  itkSetMacro(LazyGPUStart, bool);
  itkGetConstMacro(LazyGPUStart, bool);
  itkBooleanMacro(LazyGPUStart);

  /** Selects the CUDA device by its number, from 0 to the number of devices - 1. The default is -1: the current device
   * of the thread that calls Update(). */
  itkSetMacro(DeviceId, int);
  itkGetConstMacro(DeviceId, int);

  /** Returns the backend that did the work of the last run: CUDA, CPU or ITK.
   * \return the backend; Unknown before the first update, and after an update that threw an exception */
  itkGetEnumMacro(BackendUsed, BackendEnum);

  /** Returns why the last run did not use the GPU.
   * \return a text such as "no CUDA device: no NVIDIA driver is installed". Empty if the GPU did the work, with
   * GPUEnabledOff(), or if there was nothing to label. */
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
  CudaBinaryFillholeImageFilter() = default;

  /** Destroys the filter. */
  ~CudaBinaryFillholeImageFilter() override = default;

  /** Prints the settings and the backend of the last run.
   * \param os the stream to print on
   * \param indent the indentation of each line */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Fills the holes. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  /** Fills the holes of an image with at most 3 dimensions, or copies an image without holes. */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler, const CudaConnectedComponentLabeler::SizeType & size);

  /** Returns whether the background can have components that do not touch the border. */
  bool
  CanHaveHoles() const;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryFillholeImageFilter.hxx"
#endif

#endif
