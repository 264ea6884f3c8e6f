// SPDX-License-Identifier: Apache-2.0

#include "engine/RunPipeline.cuh"

namespace itk::ccl
{

template GroupedBits<SingleRow, DeviceExecutor>
PackImages<SingleRow>(const DeviceExecutor &, const ImageView &, const Request &, Word *, const SharedValues &);
template GroupedBits<PlaneRowGroup, DeviceExecutor>
PackImages<PlaneRowGroup>(const DeviceExecutor &, const ImageView &, const Request &, Word *, const SharedValues &);
template GroupedBits<VolumeRowGroup, DeviceExecutor>
PackImages<VolumeRowGroup>(const DeviceExecutor &, const ImageView &, const Request &, Word *, const SharedValues &);
template GroupedBits<ValueRow, DeviceExecutor>
PackImages<ValueRow>(const DeviceExecutor &, const ImageView &, const Request &, Word *, const SharedValues &);

} // namespace itk::ccl
