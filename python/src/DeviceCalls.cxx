// SPDX-License-Identifier: Apache-2.0
#include "DeviceCalls.h"

#include "Columns.h"

#include <optional>

namespace nb = nanobind;

namespace
{

using View = CudaConnectedComponentImageView;

/** Returns a view of a device array. */
View
ViewOf(const DeviceArray & array)
{
  return { reinterpret_cast<void *>(array.address),
           array.GetType(),
           array.size,
           array.strides,
           View::Memory::Device,
           array.images,
           array.imageStride };
}

CudaConnectedComponentLabeler
DeviceLabelerFor(const Request & request, const DeviceForeground & foreground, std::uintptr_t stream)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(request);
  labeler.options.deviceId = request.device;
  labeler.options.stream = reinterpret_cast<decltype(labeler.options.stream)>(stream);
  if (foreground.limits)
  {
    const auto valueOf = [](const DeviceForeground::Limit & limit) {
      return std::visit([](auto number) { return View::Value(number); }, limit);
    };
    labeler.options.foreground = itk::CudaConnectedComponentForeground::Between(valueOf(foreground.limits->first),
                                                                                valueOf(foreground.limits->second));
  }
  if (foreground.mask)
  {
    labeler.options.mask = ViewOf(*foreground.mask);
  }
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
LabelDevice(const DeviceArray &      image,
            const DeviceForeground & foreground,
            const DeviceArray &      output,
            std::uintptr_t           stream,
            const Request &          request)
{
  VisitInteger(output.GetType(), [](auto) {}); // throws for other types
  std::uint64_t                    count;
  itk::CudaConnectedComponentTable table;
  {
    const nb::gil_scoped_release released;
    count = RunOnDeviceMemory([&] {
      CudaConnectedComponentLabeler labeler = DeviceLabelerFor(request, foreground, stream);
      labeler.options.columns.pixelCounts = false;
      return labeler.Label(ViewOf(image), ViewOf(output), 0, request.isBatch ? &table : nullptr);
    });
  }
  return MakeCounts(count, table, request.isBatch);
}

std::uint64_t
MaskDevice(const DeviceArray &      image,
           const DeviceForeground & foreground,
           const DeviceArray &      output,
           std::uintptr_t           stream,
           const Request &          request)
{
  return RunOnDeviceMemory(
    [&] { return DeviceLabelerFor(request, foreground, stream).Mask(ViewOf(image), ViewOf(output)); });
}

nb::dict
MeasureDevice(const DeviceArray &      image,
              const DeviceForeground & foreground,
              std::uintptr_t           stream,
              bool                     wantsBoxes,
              bool                     wantsMeans,
              bool                     wantsFaces,
              const Request &          request)
{
  std::optional<Columns> columns;
  {
    const nb::gil_scoped_release released;
    columns.emplace(RunOnDeviceMemory([&] {
                      CudaConnectedComponentLabeler labeler = DeviceLabelerFor(request, foreground, stream);
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
