// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryShapeKeepNObjectsImageFilter_h
#define itkCudaBinaryShapeKeepNObjectsImageFilter_h

#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsEnums.h"

#include "CudaConnectedComponentsDetail/BackendSettings.h"
#include "CudaConnectedComponentsDetail/Compatibility.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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
 * \par GPU and CPU
 * GPUEnabled, CPUFallback, LazyGPUStart, DeviceId, BackendUsed and FallbackReason have the same meaning as in
 * CudaConnectedComponentImageFilter. The environment variables have the same effect, too. If there is nothing to label,
 * because NumberOfObjects is 0 or the region has no pixels, the CPU does the work, also with CPUFallbackOff().
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
 * A filter stores only its settings and its output. During an update, it has 16 bytes for each object in host memory.
 *
 * \sa BinaryShapeKeepNObjectsImageFilter
 * \sa CudaBinaryKeepNObjectsImageFilter
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TImage>
class ITK_TEMPLATE_EXPORT CudaBinaryShapeKeepNObjectsImageFilter
  : public BinaryShapeKeepNObjectsImageFilter<TImage>
  , protected CudaConnectedComponentsDetail::BackendSettings
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryShapeKeepNObjectsImageFilter);

  /** This class. */
  using Self = CudaBinaryShapeKeepNObjectsImageFilter;
  /** The filter that this class replaces. */
  using Superclass = BinaryShapeKeepNObjectsImageFilter<TImage>;
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
  itkCudaConnectedComponentsNameOfClassMacro(CudaBinaryShapeKeepNObjectsImageFilter,
                                             BinaryShapeKeepNObjectsImageFilter);

  /** Selects whether the filter uses the GPU. The default is on. If off, the CPU does the work, also with
   * CPUFallbackOff(). GetFallbackReason() is then empty. */
  itkSetMacro(GPUEnabled, bool);
  itkGetConstMacro(GPUEnabled, bool);
  itkBooleanMacro(GPUEnabled);

  /** Selects whether the CPU does the work if the GPU cannot be used. The default is on. If off, the update throws an
   * ExceptionObject with the reason. The GPU then gets small images, too. For work that only the superclass can
   * do, such as for other attributes, the update then throws, except with GPUEnabledOff(). */
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
  CudaBinaryShapeKeepNObjectsImageFilter() = default;

  /** Destroys the filter. */
  ~CudaBinaryShapeKeepNObjectsImageFilter() override = default;

  /** Prints the settings and the backend of the last run.
   * \param os the stream to print on
   * \param indent the indentation of each line */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Keeps the objects. ITK's pipeline calls this function during an update.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used
   * \exception ProcessAborted AbortGenerateData is on */
  void
  GenerateData() override;

private:
  /** Keeps the objects with the most or the fewest pixels of an image with at most 3 dimensions. */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler, const CudaConnectedComponentLabeler::SizeType & size);

  /** Returns the first pixel of each object that the superclass would keep. The table has all objects. */
  std::vector<std::array<std::uint64_t, 3>>
  FindKeptObjects(const CudaConnectedComponentTable &             table,
                  const CudaConnectedComponentLabeler::SizeType & size) const;
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBinaryShapeKeepNObjectsImageFilter.hxx"
#endif

#endif
