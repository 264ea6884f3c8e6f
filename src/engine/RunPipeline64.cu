// SPDX-License-Identifier: Apache-2.0

#include "engine/RunPipelineSteps.cuh"

namespace itk::ccl
{

template Components
LabelPixelsByRuns<std::uint64_t>(const DeviceExecutor &,
                                 DeviceResources &,
                                 const ImageView &,
                                 const Request &,
                                 const ImageView &,
                                 const ResultMakers &);
template RunLabels
LabelBitsByRuns<std::uint64_t>(const DeviceExecutor &, DeviceResources &, const PackedRuns &, const Request &, void *);
template void
EnqueueCallBy<std::uint64_t>(const DeviceExecutor &, const Request &, const CudaConnectedComponentDeviceCall &);

} // namespace itk::ccl
