// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_Process_h
#define CudaConnectedComponentsDetail_Process_h

#include "itkCudaConnectedComponentLabeler.h"

#include <cstdint>
#include <string>
#include <typeinfo>

namespace itk
{

/** \class CudaConnectedComponentsProcess
 * \brief What all filters of a process share: the switches in its environment, and the start-up of CUDA.
 *
 * - `ITK_CUDA_CONNECTED_COMPONENTS=0` keeps CudaConnectedComponentImageFilterFactory and the plug-in from replacing
 *   ITK's filter; `=1` lets filters with LazyGPUStartOn() use the GPU from the first image on that is large enough.
 * - `ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1` prints one line per run of a filter on standard error.
 * - `ITK_CUDA_CONNECTED_COMPONENTS_TRIM=1` gives the memory that is cached for later runs back to CUDA and the system
 *   after each run, as CudaConnectedComponentLabeler::TrimMemory() does: runs get slower, and other users of the GPU
 * have more of it.
 *
 * All functions may be called by several threads at once.
 *
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentsProcess
{
public:
  /** A run of a filter, for the verbose line. */
  struct Run
  {
    std::string                           size; // "512 x 512 x 300"
    const std::type_info *                inputPixel;
    const std::type_info *                outputPixel;
    bool                                  masked;
    unsigned int                          connectivity;
    CudaConnectedComponentsEnums::Backend backend;
    std::string                           reason;
    double                                milliseconds;
  };

  /** Whether ITK's filter may be replaced. */
  static bool IsReplacementEnabled();

  /** Whether runs are to be printed. */
  static bool IsVerbose();

  /** Prints a run's line on standard error. */
  static void Print(const Run & run);

  /** Prints an error of CUDA on standard error, the first time in the process, unless it is one that can be expected:
   * no device, or too little memory. */
  static void ReportFault(const CudaConnectedComponentError & error);

  /** Trims memory when it goes, where the environment asks for it. */
  class CudaConnectedComponents_EXPORT TrimAtEnd
  {
  public:
    TrimAtEnd() = default;
    ~TrimAtEnd();
    TrimAtEnd(const TrimAtEnd &) = delete;
    TrimAtEnd & operator=(const TrimAtEnd &) = delete;
  };

  /** Why starting CUDA does not pay yet, or empty where it does, where CUDA has been started, or where the environment
   * asks for it. Starting it takes as long as many labelings. So the CPU labels, until that has taken the process so
   * long that the GPU would have saved the time of its start. */
  static std::string WhyNotStartGPU();

  /** Adds to the time that the process has labeled without the GPU. */
  static void AddTimeWithoutGPU(double milliseconds);

  /** How long the CPU labels before starting CUDA pays. */
  static constexpr double MillisecondsBeforeGPU = 500.0;
};

} // namespace itk

#endif
