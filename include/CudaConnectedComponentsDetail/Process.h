// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_Process_h
#define CudaConnectedComponentsDetail_Process_h

#include "itkCudaConnectedComponentLabeler.h"

#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Holds the process-wide settings and state of all filters: environment variables, and the start of CUDA. The
 * variables are described with CudaConnectedComponentsFilterBase. All functions are thread-safe. */
class CudaConnectedComponents_EXPORT Process
{
public:
  /** An update of a filter, for the line that Print() prints. */
  struct Update
  {
    std::string                           filter;            // name of the filter's class
    std::vector<std::uint64_t>            size;              // numbers of pixels along all axes
    const std::type_info *                inputPixel;        // type of the input's pixels
    const std::type_info *                outputPixel;       // type of the output's pixels
    bool                                  masked{ false };   // whether the filter has a mask
    unsigned int                          connectivity{ 0 }; // number of neighbors of a pixel; 0 is not printed
    CudaConnectedComponentsEnums::Backend backend{ CudaConnectedComponentsEnums::Backend::CPU };
    std::string                           reason;            // reason of a fallback to the CPU, or empty
    std::uint64_t                         slabs{ 0 };        // in which the GPU labeled
    double                                milliseconds{ 0 }; // duration of the update
  };

  /** Returns true unless the environment has ITK_CUDA_CONNECTED_COMPONENTS=0. */
  static bool IsReplacementEnabled();

  /** Returns true unless the environment variable ITK_CUDA_CONNECTED_COMPONENTS_DISABLE contains the name of a class of
   * ITK, such as "RelabelComponentImageFilter". The names in the variable are separated by commas. */
  static bool IsReplacementEnabled(const std::string & className);

  /** Returns true if the environment has ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1. */
  static bool IsVerbose();

  /** Prints the line of an update on ITK's OutputWindow. */
  static void Print(const Update & update);

  /** Prints a warning on ITK's OutputWindow, unless Object::GlobalWarningDisplayOff() was called. */
  static void Warn(const std::string & text);

  /** Warns of an error if it is the first one in this process. Ignores errors of kind Unavailable and Memory, because
   * they are no faults of this module. */
  static void ReportFault(const CudaConnectedComponentError & error);

  /** Frees the cached memory at the end of a scope if the environment has ITK_CUDA_CONNECTED_COMPONENTS_TRIM=1. */
  class CudaConnectedComponents_EXPORT TrimAtEnd
  {
  public:
    TrimAtEnd() = default;
    ~TrimAtEnd();
    TrimAtEnd(const TrimAtEnd &) = delete;
    TrimAtEnd & operator=(const TrimAtEnd &) = delete;
  };

  /** Returns the reason why a filter should not start CUDA, or an empty string if it should use the GPU.
   *
   * The start of CUDA takes as long as many labelings. So the CPU labels first, until its labelings in this process
   * have taken MillisecondsBeforeGPU. The string is also empty if CUDA has been started, or if the environment has
   * ITK_CUDA_CONNECTED_COMPONENTS=1. */
  static std::string WhyNotStartGPU();

  /** Adds to the time that filters with LazyGPUStartOn() have labeled on the CPU instead of the GPU, in this process.
   */
  static void AddTimeWithoutGPU(double milliseconds);

  /** Time of labelings on the CPU after which the start of CUDA pays off, in milliseconds. */
  static constexpr double MillisecondsBeforeGPU = 500.0;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
