// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_Calls_h
#define ccl_engine_Calls_h

// Carries out the requests of a labeler: for images in device memory in DeviceCalls.cxx, for images in host memory in
// HostPipeline.cxx.

#include "engine/DeviceSession.h"
#include "algorithms/Request.h"

#include "itkCudaConnectedComponentBlock.h"
#include "itkCudaConnectedComponentLabeler.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace itk::ccl
{

using LabelerOptions = CudaConnectedComponentLabeler::Options;

/** Labels, fills or measures an image in device memory. Fills the table, if there is one, or the results of the makers.
 * Returns the number of components that are kept. */
std::uint64_t
LabelDevice(const LabelerOptions &        options,
            const ImageView &             input,
            const Request &               request,
            const ImageView &             output,
            CudaConnectedComponentTable * table,
            const ResultMakers &          makers = {});

/** Prepares the output of a call in host memory, if the caller has not used it before. Returns whether all of its bytes
 * are 0 if `isZeroUseful`, and false otherwise. The gaps of an output that has gaps belong to somebody else. */
bool
IsCleared(const LabelerOptions & options, const ImageView & output, bool isZeroUseful);

/** The output of a call in host memory. */
struct HostOutput
{
  ImageView                                                 labels;              // without memory: no labels
  const std::vector<std::uint64_t> *                        newLabels = nullptr; // of the components of one image
  CudaConnectedComponentBlock *                             block = nullptr;     // gets its faces and first pixels
  const CudaConnectedComponentLabeler::RunVisitorType *     visitRuns = nullptr; // instead of labels, or null
  const CudaConnectedComponentLabeler::MaskRowVisitorType * visitMask = nullptr; // for OutputKind::MaskBits
};

/** Labels an image that the caller packs to bits: the host packs the rows and writes the output, and a device or the
 * host labels the runs. Fills the table, if there is one. Returns the number of components that are kept. */
std::uint64_t
LabelRows(const LabelerOptions &                               options,
          const CudaConnectedComponentLabeler::RowPackerType & packRow,
          const Request &                                      request,
          const HostOutput &                                   output,
          CudaConnectedComponentTable *                        table);

/** Labels or measures an image in host memory by LabelRows(). */
std::uint64_t
LabelHost(const LabelerOptions &        options,
          const ImageView &             input,
          const Request &               request,
          const HostOutput &            output,
          CudaConnectedComponentTable * table);

/** Reports the progress, a value from 0 to 1, to the caller. Throws the exceptions of the caller's function. */
inline void
Report(const LabelerOptions & options, float progress)
{
  if (options.progress)
  {
    options.progress(progress);
  }
}

/** Moves the result of a call to the caller's table, if there is one. Returns the number of components. */
inline std::uint64_t
Deliver(CudaConnectedComponentTable && result, CudaConnectedComponentTable * table)
{
  const std::uint64_t count = result.componentCount;
  if (table != nullptr)
  {
    *table = std::move(result);
  }
  return count;
}

} // namespace itk::ccl

#endif
