// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/BackendRun.h"

#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "CudaConnectedComponentsDetail/Process.h"
#include "itkCudaConnectedComponentAlgorithms.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

/** Carries an exception of the caller through the labeler. */
struct CallersFailure
{
  std::exception_ptr exception;
};

double
MillisecondsBetween(std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end)
{
  return std::chrono::duration<double, std::milli>(end - start).count();
}

/** Throws the exception of itkExceptionMacro() in a member function of the filter. */
[[noreturn]] void
ThrowAsFilter(const ProcessObject & filter, const std::string & text)
{
#if ITK_VERSION_MAJOR < 6
  itkGenericExceptionMacro(<< filter.GetNameOfClass() << "(" << &filter << "): " << text);
#else
  throw ExceptionObject(__FILE__, __LINE__, text, ITK_LOCATION, &filter);
#endif
}

[[noreturn]] void
ThrowMemoryError(const ProcessObject & filter)
{
  // The exception that ITK's images throw.
  MemoryAllocationError error(__FILE__, __LINE__);
  error.SetDescription(std::string(filter.GetNameOfClass()) + ": the host has too little memory.");
  throw error;
}

void
ThrowIfAborted(const ProcessObject & filter)
{
  if (filter.GetAbortGenerateData())
  {
    ProcessAborted aborted(__FILE__, __LINE__);
    aborted.SetDescription("Object " + std::string(filter.GetNameOfClass()) + ": AbortGenerateDataOn");
    throw aborted;
  }
}

} // namespace

void
BackendSettings::Print(std::ostream & os, Indent indent) const
{
  os << indent << "GPUEnabled: " << (gpuEnabled ? "On" : "Off") << std::endl;
  os << indent << "CPUFallback: " << (cpuFallback ? "On" : "Off") << std::endl;
  os << indent << "LazyGPUStart: " << (lazyGPUStart ? "On" : "Off") << std::endl;
  os << indent << "DeviceId: " << deviceId << std::endl;
  os << indent << "DeviceMemoryLimit: " << deviceMemoryLimit << std::endl;
  os << indent << "Algorithm: " << algorithm << std::endl;
  os << indent << "InlineCompression: " << (inlineCompression ? "On" : "Off") << std::endl;
  os << indent << "BackendUsed: " << backendUsed << std::endl;
  os << indent << "FallbackReason: " << fallbackReason << std::endl;
  os << indent << "NumberOfSlabs: " << numberOfSlabs << std::endl;
}

void
BackendSettings::Reset(ProcessObject & filter)
{
  filter.ResetPipeline();
  if (backendUsed != BackendEnum::Unknown)
  {
    // Another filter has thrown the exception, so these are the values of an earlier run.
    backendUsed = BackendEnum::Unknown;
    fallbackReason.clear();
  }
  numberOfSlabs = 0;
}

void
CallAsITK(const ProcessObject & filter, const std::function<void()> & function)
{
  try
  {
    function();
  }
  catch (const CudaConnectedComponentError & error)
  {
    ThrowAsFilter(filter, error.what());
  }
  catch (const CallersFailure & failure)
  {
    std::rethrow_exception(failure.exception);
  }
  catch (const std::bad_alloc &)
  {
    ThrowMemoryError(filter);
  }
  catch (const std::length_error &)
  {
    // A vector would be larger than any memory.
    ThrowMemoryError(filter);
  }
  catch (const std::system_error & error)
  {
    // The system starts no more threads.
    ThrowAsFilter(filter, error.what());
  }
}

void
ReportProgress(ProcessObject & filter, float progress)
{
  filter.UpdateProgress(progress);
  ThrowIfAborted(filter);
}

BackendRun::BackendRun(ProcessObject & filter, BackendSettings & settings, std::vector<std::uint64_t> size)
  : requireDevice([](const CudaConnectedComponentLabeler & labeler) { labeler.RequireDevice(); })
  , m_Filter(filter)
  , m_Settings(settings)
  , m_AllSizes(std::move(size))
{
  std::copy_n(m_AllSizes.begin(), std::min(m_AllSizes.size(), m_Size.size()), m_Size.begin());
  m_PixelCount = std::accumulate(m_AllSizes.begin(), m_AllSizes.end(), std::uint64_t{ 1 }, std::multiplies<>());
  if (m_AllSizes.size() > m_Size.size())
  {
    whyOnlyByITK = "dimension " + std::to_string(m_AllSizes.size()) + " is not supported on the GPU";
  }
}

void
BackendRun::LeaveTypeToITK(const std::function<void()> & allocate)
{
  needsComponents = true;
  if (whyOnlyByITK.empty())
  {
    whyOnlyByITK = "the type of the image is not supported on the GPU";
  }
  work = [allocate](CudaConnectedComponentLabeler &) { allocate(); };
}

void
BackendRun::Run()
{
  const Process::TrimAtEnd trimAtEnd;
  const auto               start = Clock::now();
  m_Settings.backendUsed = BackendEnum::Unknown;
  m_Settings.fallbackReason.clear();
  m_Settings.numberOfSlabs = 0;
  CallAsITK(m_Filter, [this] {
    const auto & algorithm = CudaConnectedComponentAlgorithms::Describe(m_Settings.algorithm);
    const bool   isFull = connectivity == 0 ? fullyConnected : connectivity == 8 || connectivity == 26;
    const auto   refuse = [this](const char * problem) {
      std::ostringstream text;
      text << m_Settings.algorithm << problem;
      this->Throw(text.str());
    };
    if (algorithm.isPublished && connectivity == 18)
    {
      refuse(" does not label with 18 neighbors. Choose Automatic or RunUnionFind.");
    }
    if (algorithm.needsFullConnectivity && hasConnectivity && !isFull)
    {
      refuse(" labels with full connectivity only. Choose Automatic or RunUnionFind, or set full connectivity if the "
             "filter has it.");
    }
    m_Settings.backendUsed = this->DoWork();
  });
  if (Process::IsVerbose())
  {
    const auto dimension = static_cast<double>(m_AllSizes.size());
    const auto neighbors = connectivity != 0
                             ? connectivity
                             : static_cast<unsigned int>(fullyConnected ? std::pow(3.0, dimension) - 1 : 2 * dimension);
    Process::Print({ m_Filter.GetNameOfClass(),
                     m_AllSizes,
                     inputPixel,
                     outputPixel,
                     isMasked,
                     hasConnectivity ? neighbors : 0,
                     m_Settings.backendUsed,
                     m_Settings.fallbackReason,
                     m_Settings.numberOfSlabs,
                     MillisecondsBetween(start, Clock::now()) });
  }
}

void
BackendRun::EndLabeling()
{
  m_EndOfLabeling = Clock::now();
}

void
BackendRun::CallCaller(const std::function<void()> & function)
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

/** Returns whether small work is for the CPU. */
bool
BackendRun::IsSmallForCPU() const
{
  return m_Settings.cpuFallback && m_Settings.algorithm == CudaConnectedComponentsEnums::Algorithm::Automatic &&
         whyOnlyByITK.empty();
}

/** Returns whether the CPU does the work because the image is small. */
bool
BackendRun::IsForCPU() const
{
  return this->IsSmallForCPU() && CudaConnectedComponentLabeler::IsFasterOnHost(m_Size);
}

/** Does the work, and returns the backend. */
auto
BackendRun::DoWork() -> BackendEnum
{
  ThrowIfAborted(m_Filter);
  m_Filter.GetMultiThreader()->SetNumberOfWorkUnits(m_Filter.GetNumberOfWorkUnits());
  if (!this->HasComponents())
  {
    // The labeler reports no progress, because it does nothing.
    CallCaller([this] { ReportProgress(m_Filter, 0.0F); });
    this->Work(true);
    CallCaller([this] { ReportProgress(m_Filter, 1.0F); });
    return BackendEnum::CPU;
  }
  if (smallWork && this->IsSmallForCPU() && this->DoSmallWork())
  {
    m_Settings.fallbackReason = m_Settings.gpuEnabled ? "the CPU does so little work sooner" : "";
    return BackendEnum::CPU;
  }
  if (m_Settings.gpuEnabled)
  {
    m_Settings.fallbackReason = this->TryGPU();
    if (m_Settings.fallbackReason.empty())
    {
      m_Settings.numberOfSlabs = std::max<std::uint64_t>(1, m_Settings.numberOfSlabs);
      return BackendEnum::CUDA;
    }
    m_Settings.numberOfSlabs = 0;
    if (!m_Settings.cpuFallback)
    {
      this->Throw("The GPU cannot be used, and CPUFallback is off: " + m_Settings.fallbackReason);
    }
  }
  if (!whyOnlyByITK.empty())
  {
    workByITK();
    ThrowIfAborted(m_Filter);
    return BackendEnum::ITK;
  }
  const auto start = Clock::now();
  this->Work(true);
  if (m_Settings.lazyGPUStart && !this->IsForCPU())
  {
    Process::AddTimeWithoutGPU(MillisecondsBetween(start, m_EndOfLabeling));
  }
  return BackendEnum::CPU;
}

/** Does the work on the CPU if it is little work. Returns whether it did. */
bool
BackendRun::DoSmallWork()
{
  CudaConnectedComponentLabeler labeler;
  this->SetOptions(labeler, true);
  // The labeler reports no progress, because it labels nothing.
  CallCaller([this] { ReportProgress(m_Filter, 0.0F); });
  if (!smallWork(labeler))
  {
    return false;
  }
  CallCaller([this] { ReportProgress(m_Filter, 1.0F); });
  return true;
}

/** Does the work on the GPU. Returns an empty text, or the reason why the GPU did not do the work. */
std::string
BackendRun::TryGPU()
{
  if (!whyOnlyByITK.empty())
  {
    return whyOnlyByITK;
  }
  if (this->IsForCPU())
  {
    return "the CPU labels " + std::to_string(m_PixelCount) + " pixels sooner";
  }
  if (m_Settings.lazyGPUStart && m_Settings.cpuFallback)
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
    if (error.GetKind() == CudaConnectedComponentError::KindEnum::TooManyObjects)
    {
      throw;
    }
    if (m_Settings.cpuFallback)
    {
      Process::ReportFault(error);
    }
    return error.what();
  }
}

void
BackendRun::Work(bool onHost)
{
  CudaConnectedComponentLabeler labeler;
  this->SetOptions(labeler, onHost);
  if (!onHost)
  {
    // Throws before the work allocates the output.
    requireDevice(labeler);
  }
  m_EndOfLabeling = {};
  work(labeler);
  if (m_EndOfLabeling == Clock::time_point())
  {
    this->EndLabeling();
  }
}

void
BackendRun::SetOptions(CudaConnectedComponentLabeler & labeler, bool onHost)
{
  labeler.options.fullyConnected = fullyConnected;
  labeler.options.connectivity = connectivity;
  labeler.options.algorithm = m_Settings.algorithm;
  labeler.options.inlineCompression = m_Settings.inlineCompression;
  labeler.options.deviceId = m_Settings.deviceId;
  labeler.options.deviceMemoryLimit = m_Settings.deviceMemoryLimit;
  labeler.options.reportSlabs = [this](std::uint64_t slabs) { m_Settings.numberOfSlabs = slabs; };
  labeler.options.onHost = onHost;
  labeler.options.parallelFor = ParallelForOf(m_Filter.GetMultiThreader());
  labeler.options.progress = [this](float progress) {
    CallCaller([this, progress] { ReportProgress(m_Filter, progress); });
  };
}

void
BackendRun::Throw(const std::string & text) const
{
  ThrowAsFilter(m_Filter, text);
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
