// SPDX-License-Identifier: Apache-2.0

#include "engine/HostComponents.h"

#include "algorithms/DeviceSteps.h"
#include "algorithms/analysis/ExportRows.h"
#include "algorithms/analysis/MeasureIntensities.h"
#include "algorithms/analysis/UnpackIntensities.h"

#include <utility>

namespace itk::ccl
{

template <typename TRowGroup, typename TRun>
HostComponents<TRowGroup, TRun>::HostComponents(const HostExecutor &                          executor,
                                                const Request &                               request,
                                                LabeledRuns<TRowGroup, TRun, HostExecutor> && labeled)
  : selected([&] {
    labeled.componentCount = { labeled.componentCount.GetOrZero() };
    return SelectComponentsOf(executor, std::move(labeled), request);
  }())
{
  const std::uint64_t kept = selected.kept.GetOrZero();
  table.originalComponentCount = selected.labeled.componentCount.limit;
  table.componentCount = kept;
  table.componentCounts.resize(request.images);
  CudaConnectedComponentDeviceCall call;
  call.componentCounts = table.componentCounts.data();
  StoreNumbersOf(executor, selected, request, call);
  this->RequireLabels(request.labelValues);
  if (request.wantsTable && selected.analyzed)
  {
    const CallersTable columns = MakeColumns(table, request.columns, kept);
    ExportRows(executor, selected, { kept }, request, columns);
  }
  table.intensities =
    MeasureIntensities(executor, selected.labeled.GetIndexed(), selected.labeled.ranks.get(), kept, request);
}

template <typename TRowGroup, typename TRun>
CudaConnectedComponentIntensities
HostComponents<TRowGroup, TRun>::MeasureIntensities(const HostExecutor &                 executor,
                                                    const IndexedRuns<TRowGroup, TRun> & runs,
                                                    const TRun *                         ranks,
                                                    std::uint64_t                        componentCount,
                                                    const Request &                      request)
{
  if (!request.WantsIntensities())
  {
    return {};
  }
  const auto rows = executor.Allocate<IntensityValue>(componentCount);
  MeasureIntensitiesOfRuns(executor,
                           runs,
                           ranks,
                           StackOf<TRowGroup>(request.size, request.images),
                           IntensityImage::Of(request.intensities),
                           componentCount,
                           rows.get());
  return Unpack(request.intensities.type, rows.get(), componentCount);
}

template struct HostComponents<SingleRow, std::uint32_t>;
template struct HostComponents<SingleRow, std::uint64_t>;
template struct HostComponents<PlaneRowGroup, std::uint32_t>;
template struct HostComponents<PlaneRowGroup, std::uint64_t>;
template struct HostComponents<VolumeRowGroup, std::uint32_t>;
template struct HostComponents<VolumeRowGroup, std::uint64_t>;
template struct HostComponents<ValueRow, std::uint32_t>;
template struct HostComponents<ValueRow, std::uint64_t>;

} // namespace itk::ccl
