// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_BackendSettings_h
#define CudaConnectedComponentsDetail_BackendSettings_h

#include "itkCudaConnectedComponentsEnums.h"
#include "itkIndent.h"
#include "itkProcessObject.h"

#include <ostream>
#include <string>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** The settings of a filter that uses the GPU, and the backend of its last run. CudaConnectedComponentImageFilter
 * describes the settings.
 *
 * The filters derive from this class, as ITK's filters derive from ScanlineFilterCommon. They declare the functions
 * that set and get the members, because ITK's generator of Python wrapping does not find functions of such a base
 * class. */
class BackendSettings
{
public:
  using BackendEnum = CudaConnectedComponentsEnums::Backend;

  bool        m_GPUEnabled{ true };
  bool        m_CPUFallback{ true };
  bool        m_LazyGPUStart{ false };
  int         m_DeviceId{ -1 };
  BackendEnum m_BackendUsed{ BackendEnum::Unknown };
  std::string m_FallbackReason;

  /** Prints the settings, the backend and the reason of a fallback. */
  void
  PrintBackend(std::ostream & os, Indent indent) const
  {
    os << indent << "GPUEnabled: " << (m_GPUEnabled ? "On" : "Off") << std::endl;
    os << indent << "CPUFallback: " << (m_CPUFallback ? "On" : "Off") << std::endl;
    os << indent << "LazyGPUStart: " << (m_LazyGPUStart ? "On" : "Off") << std::endl;
    os << indent << "DeviceId: " << m_DeviceId << std::endl;
    os << indent << "BackendUsed: " << m_BackendUsed << std::endl;
    os << indent << "FallbackReason: " << m_FallbackReason << std::endl;
  }

  /** Calls a function of the pipeline for the filter. If it throws, resets the pipeline and the backend, and throws the
   * exception again. Without the reset, ITK takes the filter to be updating still, and the next updates do nothing. */
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
      if (m_BackendUsed != BackendEnum::Unknown)
      {
        // Another filter has thrown the exception, so these are the values of an earlier run.
        m_BackendUsed = BackendEnum::Unknown;
        m_FallbackReason.clear();
      }
      throw;
    }
  }
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
