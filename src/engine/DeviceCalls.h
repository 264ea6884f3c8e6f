// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_DeviceCalls_h
#define ccl_engine_DeviceCalls_h

// Labels, fills and measures images in device memory.

#include "engine/DeviceSession.h"
#include "algorithms/Request.h"

#include "itkCudaConnectedComponentLabeler.h"

namespace itk::ccl
{

/** Labels, fills or measures an image in device memory. Fills the table, if there is one, or the table of `makeTable`.
 * Returns the number of components that are kept. */
std::uint64_t
LabelDevice(const CudaConnectedComponentLabeler::Options & options,
            const ImageView &                              input,
            const Request &                                request,
            const ImageView &                              output,
            CudaConnectedComponentTable *                  table,
            const TableMaker *                             makeTable = nullptr);

} // namespace itk::ccl

#endif
