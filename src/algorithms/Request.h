// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_Request_h
#define ccl_algorithms_Request_h

// The part of a labeling call that all algorithms share.

#include "primitives/Grid.h"
#include "primitives/LabelValues.h"

#include "itkCudaConnectedComponentsEnums.h"

namespace itk::ccl
{

/** The size of the image to label, and the options of the call. */
struct Request
{
  Grid                                    size; // in pixels
  CudaConnectedComponentsEnums::Algorithm algorithm;
  bool                                    fullyConnected;    // else face connectivity
  bool                                    inlineCompression; // for published algorithms: see InlineCompress()
  LabelValues                             labelValues;
};

} // namespace itk::ccl

#endif
