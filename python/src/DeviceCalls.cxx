// SPDX-License-Identifier: Apache-2.0
#include "DeviceCalls.h"

#include "Columns.h"

#include <optional>

namespace nb = nanobind;

namespace
{

/** Returns a view of a device array. */
CudaConnectedComponentImageView
ViewOf(const DeviceArray & array)
{
  if (array.GetType() == ElementType::Half)
  {
    throw nb::type_error("half-precision pixels in device memory are not supported");
  }
  return CudaConnectedComponentImageView::Of(reinterpret_cast<const void *>(array.address),
                                             array.GetType(),
                                             array.size,
                                             CudaConnectedComponentImageView::Memory::Device)
    .Batch(array.images);
}

CudaConnectedComponentLabeler
DeviceLabelerFor(const Request & request, std::uintptr_t stream)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(request);
  labeler.options.deviceId = request.device;
  labeler.options.stream = reinterpret_cast<decltype(labeler.options.stream)>(stream);
  return labeler;
}

/** Calls a function that works on a device. The caller must not hold the GIL. */
template <typename TFunction>
auto
RunOnDeviceMemory(const TFunction & function)
{
  auto result = Translate(function);
  lastCall = { "cuda", "" };
  return result;
}

} // namespace

nb::object
LabelDevice(const DeviceArray & image, const DeviceArray & output, std::uintptr_t stream, const Request & request)
{
  VisitInteger(output.GetType(), [](auto) {}); // throws for other types
  std::uint64_t                    count;
  itk::CudaConnectedComponentTable table;
  {
    const nb::gil_scoped_release released;
    count = RunOnDeviceMemory([&] {
      CudaConnectedComponentLabeler labeler = DeviceLabelerFor(request, stream);
      labeler.options.columns.pixelCounts = false;
      return labeler.Label(ViewOf(image), ViewOf(output), 0, request.isBatch ? &table : nullptr);
    });
  }
  return MakeCounts(count, table, request.isBatch);
}

std::uint64_t
MaskDevice(const DeviceArray & image, const DeviceArray & output, std::uintptr_t stream, const Request & request)
{
  return RunOnDeviceMemory([&] {
    const CudaConnectedComponentLabeler labeler = DeviceLabelerFor(request, stream);
    auto                                masked = ViewOf(image);
    masked.pixels = reinterpret_cast<void *>(output.address);
    return labeler.Mask(ViewOf(image), masked);
  });
}

nb::dict
MeasureDevice(const DeviceArray & image,
              std::uintptr_t      stream,
              bool                wantsBoxes,
              bool                wantsMeans,
              bool                wantsFaces,
              const Request &     request)
{
  std::optional<Columns> columns;
  {
    const nb::gil_scoped_release released;
    columns.emplace(RunOnDeviceMemory([&] {
                      CudaConnectedComponentLabeler labeler = DeviceLabelerFor(request, stream);
                      labeler.options.columns.boundingBoxes = wantsBoxes;
                      labeler.options.columns.sums = wantsMeans;
                      labeler.options.columns.faces = wantsFaces;
                      return labeler.Measure(ViewOf(image));
                    }),
                    wantsBoxes,
                    wantsMeans);
  }
  return MakeDictionary(std::move(*columns), wantsFaces, request.isBatch);
}
