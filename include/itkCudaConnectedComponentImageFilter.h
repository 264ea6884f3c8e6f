// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilter_h
#define itkCudaConnectedComponentImageFilter_h

#include "itkConnectedComponentImageFilter.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsEnums.h"

#include "CudaConnectedComponentsDetail/Compatibility.h"
#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "CudaConnectedComponentsDetail/Process.h"
#include "CudaConnectedComponentsDetail/VerifyMask.h"

#include <string>
#include <utility>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentImageFilter
 * \brief Labels connected components on an NVIDIA GPU, with exactly the labels of ConnectedComponentImageFilter.
 *
 * \code
 * using FilterType = itk::CudaConnectedComponentImageFilter<MaskType, LabelType>;
 * auto filter = FilterType::New();
 * filter->SetInput(mask);
 * filter->FullyConnectedOn();
 * filter->Update();
 * std::cout << filter->GetObjectCount() << " objects, by " << filter->GetBackendUsed() << '\n';
 * \endcode
 *
 * Takes what the superclass takes, and gives the same pixels, object count and exceptions: foreground is what differs
 * from zero (and lies in the mask, if there is one), labels are numbered in raster order of the components' first
 * pixels. Two runs give the same output.
 *
 * Planes and volumes of any size and pixel type are labeled on the GPU. Where that cannot be done (no device, no
 * driver, too little device memory, an error of CUDA) the same steps run on the CPU, on the filter's work units; more
 * than three dimensions are left to the superclass. GetBackendUsed() tells, and GetFallbackReason() why. With
 * CPUFallbackOff() that is an ExceptionObject instead. The CPU labels very small images in any case, as it is faster,
 * unless there is CPUFallbackOff() or an Algorithm that is not Automatic.
 *
 * Other than the superclass:
 * - a region without pixels gives an empty output and no objects;
 * - AbortGenerateDataOn() throws ProcessAborted between the stages of the work;
 * - an exception that pixels throw when they are read (by an ImageAdaptor's accessor, say) reaches the caller,
 * unchanged in type, from whichever thread read them. Above three dimensions, where the superclass reads them, it is
 * lost, and the labels are wrong;
 * - the filter can be updated again after any exception.
 *
 * Environment variables are described with CudaConnectedComponentsProcess.
 *
 * The first time in a process that an error of CUDA other than a missing device or too little memory makes a filter
 * fall back, a line on standard error says so: it may be a fault of this module.
 *
 * Filters may run on several threads at once. The host's part of the work is done by the filter's multi-threader, on
 * its number of work units.
 *
 * Algorithms: Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label Connected Components on GPUs",
 * IEEE Transactions on Parallel and Distributed Systems 31(2), 2020, and union-find on runs.
 *
 * \sa ConnectedComponentImageFilter
 * \sa RelabelComponentImageFilter
 * \sa CudaConnectedComponentLabeler for images that are in device memory
 * \sa CudaConnectedComponentImageFilterFactory for programs that ask for ConnectedComponentImageFilter
 *
 * \ingroup CudaConnectedComponents
 */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
class ITK_TEMPLATE_EXPORT CudaConnectedComponentImageFilter
  : public ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaConnectedComponentImageFilter);

  using Self = CudaConnectedComponentImageFilter;
  using Superclass = ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  using InputImageType = TInputImage;
  using OutputImageType = TOutputImage;
  using MaskImageType = TMaskImage;
  using InputPixelType = typename Superclass::InputPixelType;
  using OutputPixelType = typename Superclass::OutputPixelType;
  using MaskPixelType = typename Superclass::MaskPixelType;
  using RegionType = typename Superclass::RegionType;
  using LabelType = typename Superclass::LabelType;
  using AlgorithmEnum = CudaConnectedComponentsEnums::Algorithm;
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  itkNewMacro(Self);
  itkCudaConnectedComponentsNameOfClassMacro(CudaConnectedComponentImageFilter, ConnectedComponentImageFilter);

  /** Whether to use a GPU at all. Default is on. Off is a choice, and no fallback. */
  itkSetMacro(GPUEnabled, bool);
  itkGetConstMacro(GPUEnabled, bool);
  itkBooleanMacro(GPUEnabled);

  /** Whether the CPU answers where the GPU cannot. Default is on. Off throws an ExceptionObject with the reason. */
  itkSetMacro(CPUFallback, bool);
  itkGetConstMacro(CPUFallback, bool);
  itkBooleanMacro(CPUFallback);

  /** Whether the CPU labels as long as starting CUDA in this process would take longer than it saves. Default is off;
   * filters that CudaConnectedComponentImageFilterFactory makes have it on. Of no effect with CPUFallbackOff(). */
  itkSetMacro(LazyGPUStart, bool);
  itkGetConstMacro(LazyGPUStart, bool);
  itkBooleanMacro(LazyGPUStart);

  /** How the GPU finds components. Default is Automatic, the fastest for the input. The block algorithms need
   * FullyConnectedOn(), and throw an ExceptionObject without it. */
  itkSetEnumMacro(Algorithm, AlgorithmEnum);
  itkGetEnumMacro(Algorithm, AlgorithmEnum);

  /** Whether the block algorithms use inline compression. Default is on. Makes no difference to the labels. */
  itkSetMacro(InlineCompression, bool);
  itkGetConstMacro(InlineCompression, bool);
  itkBooleanMacro(InlineCompression);

  /** Number of the CUDA device. Default is -1, the calling thread's current device. */
  itkSetMacro(DeviceId, int);
  itkGetConstMacro(DeviceId, int);

  /** Who computed the output. Unknown before the first update and after a failed one. */
  itkGetEnumMacro(BackendUsed, BackendEnum);

  /** Why the last update fell back to the CPU: a sentence, or empty where it did not or was told not to use the GPU. */
  itkGetConstReferenceMacro(FallbackReason, std::string);

  /** Number of objects, after an update. */
  decltype(std::declval<const Superclass &>().GetObjectCount())
  GetObjectCount() const override
  {
    return m_ObjectCount;
  }

  /** As the superclass, but an exception here (a mask that is too small) does not end all further updates. */
  void
  PropagateRequestedRegion(DataObject * output) override;

protected:
  CudaConnectedComponentImageFilter() = default;
  ~CudaConnectedComponentImageFilter() override = default;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  void
  GenerateData() override;

private:
  /** All of GenerateData() but the verbose line. */
  void
  GenerateLabels();

  /** Throws what the superclass would throw for the mask, before any work is done. */
  void
  VerifyMask() const;

  /** Whether the output is so small that all is left to the CPU. */
  bool
  IsForCPU() const;

  /** The output's pixels along x, y and z. */
  CudaConnectedComponentLabeler::SizeType
  GetLabelerSize() const;

  /** Labels on the GPU. Gives an empty reason, or why the GPU did not. */
  std::string
  TryGPU();

  /** Labels planes and volumes, on the GPU or on the host. */
  void
  GenerateDataByLabeler(bool onHost);

  void
  GenerateDataByITK();

  /** Between stages. */
  void
  ThrowIfAborted() const;

  /** Frees what an exception in the superclass's GenerateData() has left, which its next run would trip over. */
  void
  ClearSuperclassState();

  bool          m_GPUEnabled{ true };
  bool          m_CPUFallback{ true };
  bool          m_LazyGPUStart{ false };
  bool          m_InlineCompression{ true };
  int           m_DeviceId{ -1 };
  AlgorithmEnum m_Algorithm{ AlgorithmEnum::Automatic };
  BackendEnum   m_BackendUsed{ BackendEnum::Unknown };
  std::string   m_FallbackReason;
  LabelType     m_ObjectCount{ 0 };
};

} // end namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaConnectedComponentImageFilter.hxx"
#endif

#endif
