// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_BackendRun_h
#define CudaConnectedComponentsDetail_BackendRun_h

#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "CudaConnectedComponentsDetail/Process.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkImageRegion.h"
#include "itkProcessObject.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <typeinfo>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Calls a function of the pipeline for a filter. If it throws, resets the pipeline and throws the exception again.
 * Otherwise, ITK takes the filter to be updating still, and the next updates do nothing. */
template <typename TFunction>
void
ResetAfterException(ProcessObject & filter, const TFunction & function)
{
  try
  {
    function();
  }
  catch (...)
  {
    filter.ResetPipeline();
    throw;
  }
}

/** The work of one update of a filter. Runs the work on the GPU, or else on the CPU or by ITK, and tells why.
 *
 * A filter sets the members in its GenerateData(), and then calls Run(). Run() also prints the verbose line, counts the
 * time that LazyGPUStart needs, and trims the memory. The settings are described with
 * CudaConnectedComponentImageFilter.
 */
class BackendRun
{
public:
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  /** Prepares the work of a filter on a region of its output. */
  template <unsigned int VDimension>
  BackendRun(ProcessObject & filter, const ImageRegion<VDimension> & region)
    : m_Filter(filter)
    , m_SizeText(SizeText(region))
    , m_PixelCount(region.GetNumberOfPixels())
    , m_Dimension(VDimension)
  {
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      m_FullConnectivity *= 3;
      if (axis < m_Size.size())
      {
        m_Size[axis] = region.GetSize(axis);
      }
    }
    --m_FullConnectivity;
    if (VDimension > 3)
    {
      whyOnlyByITK = "dimension " + std::to_string(VDimension) + " is not supported on the GPU";
    }
  }

  BackendRun(const BackendRun &) = delete;
  BackendRun &
  operator=(const BackendRun &) = delete;

  /** The settings of the filter. */
  bool gpuEnabled{ true };
  bool cpuFallback{ true };
  bool lazyGPUStart{ false };
  int  deviceId{ -1 };
  bool fullyConnected{ false };

  /** Whether the GPU also gets images that the CPU labels sooner. */
  bool takesSmallImages{ false };

  /** Whether there are components to find. If not, or if there are no pixels, the CPU does the work with all settings.
   */
  bool needsLabels{ true };

  /** Why the labeler cannot do the work, so that ITK must do it. Empty if the labeler can. */
  std::string whyOnlyByITK;

  /** Types of the pixels and the presence of a mask, for the verbose line. */
  const std::type_info * inputPixel{ nullptr };
  const std::type_info * outputPixel{ nullptr };
  bool                   isMasked{ false };

  /** Does the work with a labeler. The labeler has the options that follow from the settings, and reports progress and
   * aborts for the filter. If CUDA fails, the function is called a second time, for the host. */
  std::function<void(CudaConnectedComponentLabeler & labeler)> work;

  /** Does the work without the labeler. */
  std::function<void()> workByITK;

  /** Does the work.
   * \param backend gets the backend that did the work; Unknown if this function throws
   * \param reason gets the reason why the GPU did not do the work, or an empty text
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used, or the labeler reports an error */
  void
  Run(BackendEnum & backend, std::string & reason)
  {
    const Process::TrimAtEnd trimAtEnd;
    const auto               start = std::chrono::steady_clock::now();
    backend = BackendEnum::Unknown;
    reason.clear();
    const BackendEnum used = this->Choose(reason);
    const double      milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    backend = used;
    if (lazyGPUStart && backend != BackendEnum::CUDA && this->HasLabels() && !this->IsForCPU())
    {
      Process::AddTimeWithoutGPU(milliseconds);
    }
    if (Process::IsVerbose())
    {
      Process::Print({ m_Filter.GetNameOfClass(),
                       m_SizeText,
                       inputPixel,
                       outputPixel,
                       isMasked,
                       fullyConnected ? m_FullConnectivity : 2 * m_Dimension,
                       backend,
                       reason,
                       milliseconds });
    }
  }

  /** Returns the numbers of pixels along x, y and z. */
  const CudaConnectedComponentLabeler::SizeType &
  GetSize() const
  {
    return m_Size;
  }

  /** Calls a function that runs code of the caller, such as an accessor of the input. Use it in `work`. Without it, an
   * exception of the caller could be taken for an error of CUDA, and the work would be done again on the CPU. */
  template <typename TFunction>
  static void
  CallCaller(const TFunction & function)
  {
    try
    {
      function();
    }
    catch (...)
    {
      throw CallersFailure{ std::current_exception() };
    }
  }

private:
  /** Carries an exception of the caller through the labeler. */
  struct CallersFailure
  {
    std::exception_ptr exception;
  };

  bool
  HasLabels() const
  {
    return needsLabels && m_PixelCount > 0;
  }

  /** Returns whether the CPU does the work because the image is small. */
  bool
  IsForCPU() const
  {
    return cpuFallback && !takesSmallImages && whyOnlyByITK.empty() &&
           CudaConnectedComponentLabeler::IsFasterOnHost(m_Size);
  }

  /** Does the work, and returns the backend. */
  BackendEnum
  Choose(std::string & reason) const
  {
    this->ThrowIfAborted();
    if (!this->HasLabels())
    {
      this->WorkOnHost();
      return BackendEnum::CPU;
    }
    if (gpuEnabled)
    {
      reason = this->TryGPU();
      if (reason.empty())
      {
        return BackendEnum::CUDA;
      }
      if (!cpuFallback)
      {
        this->Throw("The GPU cannot be used, and CPUFallback is off: " + reason);
      }
    }
    if (!whyOnlyByITK.empty())
    {
      workByITK();
      this->ThrowIfAborted();
      return BackendEnum::ITK;
    }
    this->WorkOnHost();
    return BackendEnum::CPU;
  }

  /** Does the work on the GPU. Returns an empty text, or the reason why the GPU did not do the work. */
  std::string
  TryGPU() const
  {
    if (!whyOnlyByITK.empty())
    {
      return whyOnlyByITK;
    }
    if (this->IsForCPU())
    {
      return "the CPU labels " + std::to_string(m_PixelCount) + " pixels sooner";
    }
    if (lazyGPUStart && cpuFallback)
    {
      std::string reason = Process::WhyNotStartGPU();
      if (!reason.empty())
      {
        return reason;
      }
    }
    try
    {
      this->Work(false);
      return "";
    }
    catch (const CudaConnectedComponentError & error)
    {
      if (error.GetKind() == CudaConnectedComponentError::Kind::TooManyObjects)
      {
        this->Throw(error.what());
      }
      if (cpuFallback)
      {
        Process::ReportFault(error);
      }
      return error.what();
    }
    catch (const CallersFailure & failure)
    {
      std::rethrow_exception(failure.exception);
    }
  }

  void
  WorkOnHost() const
  {
    try
    {
      this->Work(true);
    }
    catch (const CudaConnectedComponentError & error)
    {
      this->Throw(error.what());
    }
    catch (const CallersFailure & failure)
    {
      std::rethrow_exception(failure.exception);
    }
  }

  void
  Work(bool onHost) const
  {
    CudaConnectedComponentLabeler labeler;
    labeler.options.fullyConnected = fullyConnected;
    labeler.options.deviceId = deviceId;
    labeler.options.onHost = onHost;
    if (!onHost)
    {
      // Throws before the work allocates the output.
      labeler.RequireDevice();
    }
    MultiThreaderBase * const threader = m_Filter.GetMultiThreader();
    threader->SetNumberOfWorkUnits(m_Filter.GetNumberOfWorkUnits());
    labeler.options.parallelFor = ParallelForOf(threader);
    labeler.options.progress = [this](float progress) {
      CallCaller([this, progress] {
        m_Filter.UpdateProgress(progress);
        this->ThrowIfAborted();
      });
    };
    work(labeler);
  }

  void
  ThrowIfAborted() const
  {
    if (m_Filter.GetAbortGenerateData())
    {
      ProcessAborted aborted(__FILE__, __LINE__);
      aborted.SetDescription("Labeling was aborted by AbortGenerateDataOn().");
      throw aborted;
    }
  }

  [[noreturn]] void
  Throw(const std::string & text) const
  {
    itkGenericExceptionMacro(<< m_Filter.GetNameOfClass() << "(" << &m_Filter << "): " << text);
  }

  ProcessObject &                         m_Filter;
  std::string                             m_SizeText;
  SizeValueType                           m_PixelCount;
  unsigned int                            m_Dimension;
  unsigned int                            m_FullConnectivity{ 1 }; // number of neighbors of a pixel
  CudaConnectedComponentLabeler::SizeType m_Size{ 1, 1, 1 };
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
