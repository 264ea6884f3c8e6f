// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_Request_h
#define ccl_algorithms_Request_h

#include "primitives/Grid.h"
#include "primitives/LabelValues.h"

#include "itkCudaConnectedComponentsEnums.h"

namespace itk::ccl
{

/** An image to label, and the options. */
struct Request
{
  Grid                                    size;
  CudaConnectedComponentsEnums::Algorithm algorithm;
  bool                                    fullyConnected;
  bool                                    inlineCompression;
  LabelValues                             labelValues;
};

} // namespace itk::ccl

#endif
