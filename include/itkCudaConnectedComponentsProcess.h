// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsProcess_h
#define itkCudaConnectedComponentsProcess_h

#include "itkCudaConnectedComponentsEnums.h"

#include <cstdint>
#include <string>
#include <typeinfo>

namespace itk
{

/** \class CudaConnectedComponentsProcess
 * \brief What all filters of a process share: the switches in its environment, and the start-up of CUDA.
 *
 * - `ITK_CUDA_CONNECTED_COMPONENTS=0` keeps CudaConnectedComponentImageFilterFactory and the plug-in from replacing
 *   ITK's filter.
 * - `ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1` prints one line per run of a filter on standard error.
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

  /** Why an image of so many pixels is not worth starting CUDA for, or empty where it is, or where CUDA has been
   * started. Images add up: CUDA is started when the process has labeled so many pixels without it that starting it at
   * once would have paid. */
  static std::string WhyNotStartGPU(std::uint64_t pixelCount);

  /** How many pixels are worth starting CUDA for. */
  static constexpr std::uint64_t PixelsWorthStarting = std::uint64_t{ 64 } << 20;
};

} // namespace itk

#endif
