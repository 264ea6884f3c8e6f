// SPDX-License-Identifier: Apache-2.0
#include "GalleryOnDevice.h"

#include "executors/device/CudaContext.cuh"
#include "executors/device/DeviceExecutor.cuh"
#include "gallery/Gallery.h"

using namespace itk::ccl;

std::vector<std::uint32_t>
LabelByGalleryOnDevice(const std::string & name, unsigned int dimension, const TestImage & image, bool fullyConnected)
{
  const CurrentDevice        device(-1);
  const DeviceExecutor       executor(DeviceResources::Of(device.Get()), nullptr);
  const Grid                 size{ image.size[0], image.size[1], image.size[2] };
  const auto                 input = executor.Allocate<std::uint8_t>(size.Count());
  const auto                 labels = executor.Allocate<std::uint32_t>(size.Count());
  std::vector<std::uint32_t> result(size.Count());
  const std::size_t          labelBytes = result.size() * sizeof(std::uint32_t);
  if (result.empty())
  {
    return result;
  }
  CCL_CHECK(cudaMemcpy(input.get(), image.pixels.data(), image.pixels.size(), cudaMemcpyHostToDevice));
  CCL_CHECK(cudaMemset(labels.get(), 0xAB, labelBytes));
  gallery::VisitGallery([&](auto row) {
    using AlgorithmType = decltype(row);
    if (AlgorithmType::Description.name == name)
    {
      if (dimension == 2)
      {
        AlgorithmType::template Label<2>(executor, input.get(), size, fullyConnected, labels.get());
      }
      else
      {
        AlgorithmType::template Label<3>(executor, input.get(), size, fullyConnected, labels.get());
      }
    }
  });
  CCL_CHECK(cudaMemcpy(result.data(), labels.get(), labelBytes, cudaMemcpyDeviceToHost));
  return result;
}
