// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageFilterFactory_h
#define itkCudaConnectedComponentImageFilterFactory_h

#include "itkCudaConnectedComponentsFactory.h"

namespace itk
{

/** The old name of CudaConnectedComponentsFactory. */
using CudaConnectedComponentImageFilterFactory [[deprecated("use CudaConnectedComponentsFactory")]] =
  CudaConnectedComponentsFactory;

} // namespace itk

#endif
