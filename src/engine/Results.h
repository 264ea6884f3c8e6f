// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_Results_h
#define ccl_engine_Results_h

// What a labeler gives to its caller: the table and the progress.

#include "engine/DeviceSession.h"
#include "algorithms/Request.h"

#include "itkCudaConnectedComponentLabeler.h"

#include <functional>

namespace itk::ccl
{

/** Calls writeOutput(), and fills the caller's table, if there is one. Returns the number of components that are kept.
 * All memory is allocated before the output is written. If this function throws, the table is unchanged. */
std::uint64_t
FillTable(
  const Request &               request,
  const Components &            components,
  CudaConnectedComponentTable * table,
  const std::function<void()> & writeOutput = [] {});

/** Reports the progress, a value from 0 to 1, to the caller. Throws the exceptions of the caller's function. */
void
Report(const CudaConnectedComponentLabeler::Options & options, float progress);

} // namespace itk::ccl

#endif
