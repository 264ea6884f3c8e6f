// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsFilter_h
#define itkCudaConnectedComponentsFilter_h

#include "itkCudaConnectedComponentsFilterBase.h"

namespace itk
{

/** The old name of CudaConnectedComponentsFilterBase. */
template <typename TParentFilter>
using CudaConnectedComponentsFilter [[deprecated("use CudaConnectedComponentsFilterBase")]] =
  CudaConnectedComponentsFilterBase<TParentFilter>;

} // namespace itk

#endif
