// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_BackendRun_h
#define CudaConnectedComponentsDetail_BackendRun_h

#include "itkCudaConnectedComponentLabeler.h"
#include "itkCudaConnectedComponentsEnums.h"
#include "itkImageRegion.h"
#include "itkProcessObject.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <typeinfo>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** The settings of a filter, and the backend of its last run. CudaConnectedComponentsFilterBase describes the settings.
 */
struct CudaConnectedComponents_EXPORT BackendSettings
{
  using AlgorithmEnum = CudaConnectedComponentsEnums::Algorithm;
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  bool          gpuEnabled{ true };
  bool          cpuFallback{ true };
  bool          lazyGPUStart{ false };
  bool          inlineCompression{ true };
  AlgorithmEnum algorithm{ AlgorithmEnum::Automatic };
  int           deviceId{ -1 };
  std::uint64_t deviceMemoryLimit{ 0 };
  BackendEnum   backendUsed{ BackendEnum::Unknown };
  std::string   fallbackReason;
  std::uint64_t numberOfSlabs{ 0 };

  /** Prints the settings, the backend and the reason of a fallback. */
  void Print(std::ostream & os, Indent indent) const;

  /** Resets the pipeline of a filter and the backend after an exception. Without the reset, ITK takes the filter to be
   * updating still, and the next updates do nothing. */
  void Reset(ProcessObject & filter);
};

/** Calls a function that does the work of a filter. Replaces the exceptions of this module and of `new` by exceptions
 * of ITK. Other exceptions reach the caller, also those of BackendRun::CallCaller(). */
CudaConnectedComponents_EXPORT void
CallAsITK(const ProcessObject & filter, const std::function<void()> & function);

/** Reports the progress of a filter, a value from 0 to 1. Throws ProcessAborted if AbortGenerateData is on. */
CudaConnectedComponents_EXPORT void
ReportProgress(ProcessObject & filter, float progress);

/** The work of one update of a filter. Runs the work on the GPU, or else on the CPU or by ITK, and tells why.
 *
 * A filter sets the members in its GenerateData(), and then calls Run(). Run() also prints the verbose line, counts the
 * time that LazyGPUStart needs, and trims the memory. */
class CudaConnectedComponents_EXPORT BackendRun
{
public:
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  /** Prepares the work of a filter on a region of its output.
   * \param settings the settings of the filter; Run() stores the backend and the reason there */
  template <unsigned int VDimension>
  BackendRun(ProcessObject & filter, BackendSettings & settings, const ImageRegion<VDimension> & region)
    : BackendRun(filter, settings, { region.GetSize().begin(), region.GetSize().end() })
  {}

  /** Does the same for the numbers of pixels along each axis. */
  BackendRun(ProcessObject & filter, BackendSettings & settings, std::vector<std::uint64_t> size);

  BackendRun(const BackendRun &) = delete;
  BackendRun & operator=(const BackendRun &) = delete;

  /** The connectivity, as in CudaConnectedComponentLabeler::Options, and whether the work depends on it. */
  bool         fullyConnected{ false };
  unsigned int connectivity{ 0 };
  bool         hasConnectivity{ true };

  /** Whether there are components to find. If not, or if there are no pixels, the CPU does the work with all settings.
   */
  bool needsComponents{ true };

  /** Why the labeler cannot do the work, so that ITK must do it. Empty if the labeler can. */
  std::string whyOnlyByITK;

  /** Types of the pixels and the presence of a mask, for the verbose line. */
  const std::type_info * inputPixel{ nullptr };
  const std::type_info * outputPixel{ nullptr };
  bool                   isMasked{ false };

  /** Does the work with a labeler. The labeler has the options that follow from the settings, and reports progress and
   * aborts for the filter. If CUDA fails, the function is called a second time, for the host. */
  std::function<void(CudaConnectedComponentLabeler & labeler)> work;

  /** Does the work on the CPU if it is little work, which `work` could not know sooner. Returns whether it did. It is
   * called first, with a labeler for the host, unless small images are for the GPU, too. Empty if there is no such
   * work.
   */
  std::function<bool(CudaConnectedComponentLabeler & labeler)> smallWork;

  /** Does the work without the labeler. */
  std::function<void()> workByITK;

  /** Throws a CudaConnectedComponentError if the GPU cannot be used. Tests replace this function. */
  std::function<void(const CudaConnectedComponentLabeler & labeler)> requireDevice;

  /** Says that only ITK can do the work, because of the type of an image, and sets the work for an image without
   * pixels. Set `workByITK`, too.
   * \param allocate function that allocates the output */
  void LeaveTypeToITK(const std::function<void()> & allocate);

  /** Does the work. Stores the backend and the reason of a fallback in the settings.
   * \exception ExceptionObject CPUFallback is off and the GPU cannot be used, the algorithm needs full connectivity, or
   * the labeler reports an error
   * \exception MemoryAllocationError the host has too little memory */
  void Run();

  /** Says that the labeling has ended. `work` may call it before other work, which a GPU does not speed up: only the
   * time of the labeling counts for LazyGPUStart. Without this call, the labeling ends with `work`. */
  void EndLabeling();

  /** Returns whether there are components to find. */
  bool HasComponents() const { return needsComponents && m_PixelCount > 0; }

  /** Returns the numbers of pixels along x, y and z. */
  const CudaConnectedComponentLabeler::SizeType & GetSize() const { return m_Size; }

  /** Calls a function that runs code of the caller, such as an accessor of the input. Use it in `work`. Without it, an
   * exception of the caller could be taken for an error of CUDA, and the work would be done again on the CPU. */
  static void CallCaller(const std::function<void()> & function);

private:
  using Clock = std::chrono::steady_clock;

  bool              IsSmallForCPU() const;
  bool              IsForCPU() const;
  BackendEnum       DoWork();
  bool              DoSmallWork();
  std::string       TryGPU();
  void              Work(bool onHost);
  void              SetOptions(CudaConnectedComponentLabeler & labeler, bool onHost);
  [[noreturn]] void Throw(const std::string & text) const;

  ProcessObject & m_Filter;
  BackendSettings & m_Settings;
  std::vector<std::uint64_t>              m_AllSizes; // along all axes
  CudaConnectedComponentLabeler::SizeType m_Size{ 1, 1, 1 };
  std::uint64_t                           m_PixelCount{ 1 };
  Clock::time_point                       m_EndOfLabeling;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
