// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_BackendRun_h
#define CudaConnectedComponentsDetail_BackendRun_h

#include "CudaConnectedComponentsDetail/BackendSettings.h"
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

/** The work of one update of a filter. Runs the work on the GPU, or else on the CPU or by ITK, and tells why.
 *
 * A filter sets the members in its GenerateData(), and then calls Run(). Run() also prints the verbose line, counts the
 * time that LazyGPUStart needs, and trims the memory.
 */
class BackendRun
{
public:
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  /** Prepares the work of a filter on a region of its output.
   * \param settings the settings of the filter; Run() stores the backend and the reason there */
  template <unsigned int VDimension>
  BackendRun(ProcessObject & filter, BackendSettings & settings, const ImageRegion<VDimension> & region)
    : m_Filter(filter)
    , m_Settings(settings)
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

  /** The connectivity, as in CudaConnectedComponentLabeler::Options. */
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

  /** Throws a CudaConnectedComponentError if the GPU cannot be used. Tests replace this function. */
  std::function<void(const CudaConnectedComponentLabeler & labeler)> requireDevice{
    [](const CudaConnectedComponentLabeler & labeler) { labeler.RequireDevice(); }
  };

  /** Does the work. Stores the backend and the reason of a fallback in the settings.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used, or the labeler reports an error */
  void
  Run()
  {
    const Process::TrimAtEnd trimAtEnd;
    const auto               start = Clock::now();
    m_Settings.m_BackendUsed = BackendEnum::Unknown;
    m_Settings.m_FallbackReason.clear();
    m_Settings.m_BackendUsed = this->Choose();
    if (Process::IsVerbose())
    {
      Process::Print({ m_Filter.GetNameOfClass(),
                       m_SizeText,
                       inputPixel,
                       outputPixel,
                       isMasked,
                       fullyConnected ? m_FullConnectivity : 2 * m_Dimension,
                       m_Settings.m_BackendUsed,
                       m_Settings.m_FallbackReason,
                       MillisecondsBetween(start, Clock::now()) });
    }
  }

  /** Says that the labeling has ended. `work` may call it before other work, which a GPU does not speed up: only the
   * time of the labeling counts for LazyGPUStart. Without this call, the labeling ends with `work`. */
  void
  EndLabeling()
  {
    m_EndOfLabeling = Clock::now();
  }

  /** Returns whether there are components to find. */
  bool
  HasLabels() const
  {
    return needsLabels && m_PixelCount > 0;
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

  using Clock = std::chrono::steady_clock;

  static double
  MillisecondsBetween(Clock::time_point start, Clock::time_point end)
  {
    return std::chrono::duration<double, std::milli>(end - start).count();
  }

  /** Returns whether the CPU does the work because the image is small. */
  bool
  IsForCPU() const
  {
    return m_Settings.m_CPUFallback && !takesSmallImages && whyOnlyByITK.empty() &&
           CudaConnectedComponentLabeler::IsFasterOnHost(m_Size);
  }

  /** Does the work, and returns the backend. */
  BackendEnum
  Choose()
  {
    this->ThrowIfAborted();
    if (!this->HasLabels())
    {
      // The labeler reports no progress, because it does nothing.
      this->Report(0.0F);
      this->WorkOnHost();
      this->Report(1.0F);
      return BackendEnum::CPU;
    }
    if (m_Settings.m_GPUEnabled)
    {
      m_Settings.m_FallbackReason = this->TryGPU();
      if (m_Settings.m_FallbackReason.empty())
      {
        return BackendEnum::CUDA;
      }
      if (!m_Settings.m_CPUFallback)
      {
        this->Throw("The GPU cannot be used, and CPUFallback is off: " + m_Settings.m_FallbackReason);
      }
    }
    if (!whyOnlyByITK.empty())
    {
      workByITK();
      this->ThrowIfAborted();
      return BackendEnum::ITK;
    }
    const auto start = Clock::now();
    this->WorkOnHost();
    if (m_Settings.m_LazyGPUStart && !this->IsForCPU())
    {
      Process::AddTimeWithoutGPU(MillisecondsBetween(start, m_EndOfLabeling));
    }
    return BackendEnum::CPU;
  }

  /** Does the work on the GPU. Returns an empty text, or the reason why the GPU did not do the work. */
  std::string
  TryGPU()
  {
    if (!whyOnlyByITK.empty())
    {
      return whyOnlyByITK;
    }
    if (this->IsForCPU())
    {
      return "the CPU labels " + std::to_string(m_PixelCount) + " pixels sooner";
    }
    if (m_Settings.m_LazyGPUStart && m_Settings.m_CPUFallback)
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
      if (m_Settings.m_CPUFallback)
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
  WorkOnHost()
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
  Work(bool onHost)
  {
    CudaConnectedComponentLabeler labeler;
    labeler.options.fullyConnected = fullyConnected;
    labeler.options.deviceId = m_Settings.m_DeviceId;
    labeler.options.onHost = onHost;
    if (!onHost)
    {
      // Throws before the work allocates the output.
      requireDevice(labeler);
    }
    MultiThreaderBase * const threader = m_Filter.GetMultiThreader();
    threader->SetNumberOfWorkUnits(m_Filter.GetNumberOfWorkUnits());
    labeler.options.parallelFor = ParallelForOf(threader);
    labeler.options.progress = [this](float progress) { CallCaller([this, progress] { this->Report(progress); }); };
    m_EndOfLabeling = {};
    work(labeler);
    if (m_EndOfLabeling == Clock::time_point())
    {
      this->EndLabeling();
    }
  }

  /** Reports the progress, a value from 0 to 1, to the observers of the filter. */
  void
  Report(float progress) const
  {
    m_Filter.UpdateProgress(progress);
    this->ThrowIfAborted();
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
  BackendSettings &                       m_Settings;
  std::string                             m_SizeText;
  SizeValueType                           m_PixelCount;
  unsigned int                            m_Dimension;
  unsigned int                            m_FullConnectivity{ 1 }; // number of neighbors of a pixel
  CudaConnectedComponentLabeler::SizeType m_Size{ 1, 1, 1 };
  Clock::time_point                       m_EndOfLabeling;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
