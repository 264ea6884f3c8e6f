// SPDX-License-Identifier: Apache-2.0
#include "itkCudaConnectedComponentError.h"

namespace itk
{

CudaConnectedComponentError::CudaConnectedComponentError(KindEnum kind, const std::string & message)
  : std::runtime_error(message)
  , m_Kind(kind)
{}

CudaConnectedComponentError::~CudaConnectedComponentError() = default;

} // namespace itk
