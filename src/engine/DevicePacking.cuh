// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_DevicePacking_cuh
#define ccl_engine_DevicePacking_cuh

// Packing does not depend on the type of indices, so DevicePacking.cu compiles its kernels once for the device.

#include "algorithms/DeviceSteps.h"
#include "executors/device/DeviceExecutor.cuh"

namespace itk::ccl
{

extern template GroupedBits<SingleRow, DeviceExecutor>
PackImages<SingleRow>(const DeviceExecutor &, const ImageView &, const Request &, Word *, ObservedValues *);
extern template GroupedBits<PlaneRowGroup, DeviceExecutor>
PackImages<PlaneRowGroup>(const DeviceExecutor &, const ImageView &, const Request &, Word *, ObservedValues *);
extern template GroupedBits<VolumeRowGroup, DeviceExecutor>
PackImages<VolumeRowGroup>(const DeviceExecutor &, const ImageView &, const Request &, Word *, ObservedValues *);

} // namespace itk::ccl

#endif
