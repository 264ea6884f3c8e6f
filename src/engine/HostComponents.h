// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_HostComponents_h
#define ccl_engine_HostComponents_h

#include "engine/DeviceSession.h"
#include "algorithms/analysis/AnalyzeRuns.h"
#include "executors/host/HostExecutor.h"

namespace itk::ccl
{

/** The components of images in host memory. HostComponents.cxx has the code for each kind of row group and each type of
 * indices, so that it compiles beside HostPipeline.cxx. */
template <typename TRowGroup, typename TRun>
struct HostComponents : Components
{
  SelectedRuns<TRowGroup, TRun, HostExecutor> selected;

  /** Selects and measures the components of labeled runs, as the request wants them. Throws
   * CudaConnectedComponentError if the label type has too few labels. */
  HostComponents(const HostExecutor &                          executor,
                 const Request &                               request,
                 LabeledRuns<TRowGroup, TRun, HostExecutor> && labeled);

  /** Measures the intensities of components, if the request wants them. `ranks` has the rank of each run. */
  static CudaConnectedComponentIntensities
  MeasureIntensities(const HostExecutor &                 executor,
                     const IndexedRuns<TRowGroup, TRun> & runs,
                     const TRun *                         ranks,
                     std::uint64_t                        componentCount,
                     const Request &                      request);
};

} // namespace itk::ccl

#endif
