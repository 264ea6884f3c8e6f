// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_HostPipeline_h
#define ccl_engine_HostPipeline_h

// Labels images in host memory: the host packs the rows and writes the output. A device or the host labels the runs.

#include "algorithms/Request.h"

#include "itkCudaConnectedComponentLabeler.h"

namespace itk::ccl
{

/** Prepares the output of a call in host memory, if the caller has not used it before. Returns whether all of its bytes
 * are 0 if `isZeroUseful`, and false otherwise. The gaps of an output that has gaps belong to somebody else. */
bool
IsCleared(const CudaConnectedComponentLabeler::Options & options, const ImageView & output, bool isZeroUseful);

/** The output of a call in host memory. */
struct HostOutput
{
  ImageView                                                 labels;              // without pixels: no labels
  const CudaConnectedComponentLabeler::RunVisitorType *     visitRuns = nullptr; // instead of labels, or null
  const CudaConnectedComponentLabeler::MaskRowVisitorType * visitMask = nullptr; // for OutputKind::MaskBits
};

/** Labels an image that the caller packs to bits. Fills the table, if there is one. Returns the number of components
 * that are kept. */
std::uint64_t
LabelRows(const CudaConnectedComponentLabeler::Options &       options,
          const CudaConnectedComponentLabeler::RowPackerType & packRow,
          const Request &                                      request,
          const HostOutput &                                   output,
          CudaConnectedComponentTable *                        table);

} // namespace itk::ccl

#endif
