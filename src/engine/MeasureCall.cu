// SPDX-License-Identifier: Apache-2.0

#include "engine/MeasureCall.cuh"

#include "algorithms/DeviceSteps.h"
#include "executors/MeasuringExecutor.h"
#include "executors/device/DeviceSort.cuh"

namespace itk::ccl
{

ArenaSize
MeasureCall(const Request & request, const CudaConnectedComponentDeviceCall & call)
{
  const MeasuringExecutor executor(SortStorageBytes);
  EnqueueCall(executor, request, call);
  return executor.GetSize();
}

} // namespace itk::ccl
