// SPDX-License-Identifier: Apache-2.0
#include "GalleryOnDevice.h"

#include "GalleryMeasurements.h"

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

namespace
{

struct DeviceBackend
{
  DeviceExecutor executor;

  template <typename T>
  std::vector<std::uint64_t>
  Read(const T * memory, std::uint64_t count) const
  {
    std::vector<T> elements(count);
    if (count != 0)
    {
      CCL_CHECK(cudaMemcpy(elements.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    }
    return { elements.begin(), elements.end() };
  }
};

} // namespace

GalleryMeasurement
MeasureByGalleryOnDevice(const std::string & name, bool has64Bits, const TestImage & image, bool fullyConnected)
{
  const CurrentDevice device(-1);
  const DeviceBackend backend{ DeviceExecutor(DeviceResources::Of(device.Get()), nullptr) };
  const Grid          size{ image.size[0], image.size[1], image.size[2] };
  const auto          input = backend.executor.Allocate<std::uint8_t>(size.Count());
  CCL_CHECK(cudaMemcpy(input.get(), image.pixels.data(), image.pixels.size(), cudaMemcpyHostToDevice));
  GalleryMeasurement measurement{};
  VisitGalleryMeasurements([&](const char * nameOfWay, auto way) {
    using WayType = decltype(way);
    if (nameOfWay == name)
    {
      measurement = has64Bits ? WayType::template Measure<std::uint64_t>(backend, input.get(), size, fullyConnected)
                              : WayType::template Measure<std::uint32_t>(backend, input.get(), size, fullyConnected);
    }
  });
  return measurement;
}
