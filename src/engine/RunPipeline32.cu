// SPDX-License-Identifier: Apache-2.0

#include "engine/RunPipelineSteps.cuh"

namespace itk::ccl
{

ArenaSize
MeasureBitsByRuns(const Request & request, std::uint64_t runCount)
{
  return request.VisitPackedRowGroup([&](auto group) { return MeasureBitsOf<decltype(group)>(request, runCount); });
}

template Components
LabelPixelsByRuns<std::uint32_t>(const DeviceExecutor &,
                                 DeviceResources &,
                                 const ImageView &,
                                 const Request &,
                                 const ImageView &,
                                 const ResultMakers &);
template RunLabels
LabelBitsByRuns<std::uint32_t>(const DeviceExecutor &, DeviceResources &, const PackedRuns &, const Request &, void *);
template void
EnqueueCallBy<std::uint32_t>(const DeviceExecutor &, const Request &, const CudaConnectedComponentDeviceCall &);

} // namespace itk::ccl
