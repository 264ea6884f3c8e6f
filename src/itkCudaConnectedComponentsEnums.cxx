// SPDX-License-Identifier: Apache-2.0
#include "itkCudaConnectedComponentsEnums.h"

#include <ostream>

namespace itk
{

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Backend value)
{
  return out << [value] {
    switch (value)
    {
      case CudaConnectedComponentsEnums::Backend::Unknown:
        return "itk::CudaConnectedComponentsEnums::Backend::Unknown";
      case CudaConnectedComponentsEnums::Backend::CUDA:
        return "itk::CudaConnectedComponentsEnums::Backend::CUDA";
      case CudaConnectedComponentsEnums::Backend::CPU:
        return "itk::CudaConnectedComponentsEnums::Backend::CPU";
      case CudaConnectedComponentsEnums::Backend::ITK:
        return "itk::CudaConnectedComponentsEnums::Backend::ITK";
      default:
        return "INVALID VALUE FOR itk::CudaConnectedComponentsEnums::Backend";
    }
  }();
}

} // namespace itk
