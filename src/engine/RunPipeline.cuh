// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_RunPipeline_cuh
#define ccl_engine_RunPipeline_cuh

// Labels images on a device by their runs. RunPipeline32.cu and RunPipeline64.cu have the code for indices of 32 and 64
// bits, so that they compile side by side.

#include "engine/DeviceSession.h"
#include "algorithms/DeviceSteps.h"
#include "executors/device/DeviceExecutor.cuh"

namespace itk::ccl
{

/** Labels or fills images in device memory by their runs. Returns their components. With makers, the results are
 * complete after the work of the stream.
 * \tparam TRun std::uint32_t or std::uint64_t */
template <typename TRun>
Components
LabelPixelsByRuns(const DeviceExecutor & executor,
                  DeviceResources &      resources,
                  const ImageView &      input,
                  const Request &        request,
                  const ImageView &      output,
                  const ResultMakers &   makers);

/** Labels the runs of images of bits in host memory. `block` has the memory of
 * MeasureBitsByRuns(), or is null. */
template <typename TRun>
RunLabels
LabelBitsByRuns(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const PackedRuns &     packed,
                const Request &        request,
                void *                 block);

/** Returns the memory of LabelBitsByRuns() for a request that selects and measures nothing, whose indices have 32 bits.
 */
ArenaSize
MeasureBitsByRuns(const Request & request, std::uint64_t runCount);

/** Returns the device memory of a call. Starts the current device if the call sorts. */
ArenaSize
MeasureCall(const Request & request, const CudaConnectedComponentDeviceCall & call);

// Packing does not depend on the type of indices, so DevicePacking.cu compiles its kernels once.
extern template GroupedBits<SingleRow, DeviceExecutor>
PackImages<SingleRow>(const DeviceExecutor &, const ImageView &, const Request &, Word *, const SharedValues &);
extern template GroupedBits<PlaneRowGroup, DeviceExecutor>
PackImages<PlaneRowGroup>(const DeviceExecutor &, const ImageView &, const Request &, Word *, const SharedValues &);
extern template GroupedBits<VolumeRowGroup, DeviceExecutor>
PackImages<VolumeRowGroup>(const DeviceExecutor &, const ImageView &, const Request &, Word *, const SharedValues &);
extern template GroupedBits<ValueRow, DeviceExecutor>
PackImages<ValueRow>(const DeviceExecutor &, const ImageView &, const Request &, Word *, const SharedValues &);
extern template void
EnqueueCallBy<std::uint32_t>(const DeviceExecutor &, const Request &, const CudaConnectedComponentDeviceCall &);
extern template void
EnqueueCallBy<std::uint64_t>(const DeviceExecutor &, const Request &, const CudaConnectedComponentDeviceCall &);

} // namespace itk::ccl

#endif
