// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaBinaryKeepNObjectsImageFilter_h
#define itkCudaBinaryKeepNObjectsImageFilter_h

#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsEnums.h"
#include "itkImageToImageFilter.h"
#include "itkNumericTraits.h"

#include "CudaConnectedComponentsDetail/BackendSettings.h"
#include "CudaConnectedComponentsDetail/Compatibility.h"

#include <string>

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
 * \par GPU and CPU
 * GPUEnabled, CPUFallback, LazyGPUStart, DeviceId, BackendUsed and FallbackReason have the same meaning as in
 * CudaConnectedComponentImageFilter. The environment variables have the same effect, too. If there is nothing to label,
 * because NumberOfObjects is 0 or the region has no pixels, the CPU does the work, also with CPUFallbackOff().
 *
 * \par Abort and exceptions
 * After AbortGenerateDataOn(), the filter throws ProcessAborted between the stages of the work. The filter can be
 * updated again after any exception.
 *
 * \par Thread safety
 * Different filters may run on several threads at the same time. One filter must not be used by several threads at the
 * same time.
 *
 * \par Memory
 * A filter stores only its settings and its output. See CudaConnectedComponentImageFilter for the memory of the
 * process.
 *
 * \sa BinaryShapeKeepNObjectsImageFilter
 * \sa CudaBinaryFillholeImageFilter
 * \sa CudaConnectedComponentImageFilter
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TImage>
class ITK_TEMPLATE_EXPORT CudaBinaryKeepNObjectsImageFilter
  : public ImageToImageFilter<TImage, TImage>
  , protected CudaConnectedComponentsDetail::BackendSettings
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBinaryKeepNObjectsImageFilter);

  /** This class. */
  using Self = CudaBinaryKeepNObjectsImageFilter;
  /** The base class. */
  using Superclass = ImageToImageFilter<TImage, TImage>;
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

#ifdef ITK_USE_CONCEPT_CHECKING
  itkConceptMacro(PixelEqualityComparableCheck, (Concept::EqualityComparable<PixelType>));
  itkConceptMacro(IntConvertibleToPixelCheck, (Concept::Convertible<int, PixelType>));
  itkConceptMacro(PixelOStreamWritableCheck, (Concept::OStreamWritable<PixelType>));
#endif

  /** Creates a filter with the default settings, through ITK's object factories.
   * \return the filter */
  itkNewMacro(Self);

  /** Returns the name of the class, for messages.
   * \return a text that exists until the process ends */
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

  /** Selects whether the filter uses the GPU. The default is on. If off, the CPU does the work, also with
   * CPUFallbackOff(). GetFallbackReason() is then empty. */
  itkSetMacro(GPUEnabled, bool);
  itkGetConstMacro(GPUEnabled, bool);
  itkBooleanMacro(GPUEnabled);

  /** Selects whether the CPU does the work if the GPU cannot be used. The default is on. If off, the update throws an
   * ExceptionObject with the reason. The GPU then gets small images, too. For images that only ITK can handle, such as
   * images of more than 3 dimensions, the update then throws, except with GPUEnabledOff(). */
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
  /** Keeps the largest objects of an image with at most 3 dimensions, or removes all objects. */
  void
  GenerateDataByLabeler(CudaConnectedComponentLabeler & labeler, const CudaConnectedComponentLabeler::SizeType & size);

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
