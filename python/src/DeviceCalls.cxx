// SPDX-License-Identifier: Apache-2.0
#include "DeviceCalls.h"

#include "Columns.h"

#include <optional>
#include <type_traits>

namespace nb = nanobind;

namespace
{

/** Calls visitor(typed pointer) for the pixels of a device array. */
template <typename TVisitor>
auto
VisitPixels(const DeviceArray & image, const TVisitor & visitor)
{
  const auto visit = [&](auto pixel) { return visitor(reinterpret_cast<const decltype(pixel) *>(image.address)); };
  switch (image.GetType())
  {
    case ElementType::Half:
      throw nb::type_error("half-precision pixels in device memory are not supported");
    case ElementType::Float:
      return visit(float{});
    case ElementType::Double:
      return visit(double{});
    case ElementType::Bool:
      return visit(std::uint8_t{});
    default:
      return VisitInteger(image.GetType(), visit);
  }
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

std::uint64_t
LabelDevice(const DeviceArray & image, const DeviceArray & output, std::uintptr_t stream, const Request & request)
{
  return RunOnDeviceMemory([&] {
    const CudaConnectedComponentLabeler labeler = DeviceLabelerFor(request, stream);
    return VisitPixels(image, [&](const auto * pixels) {
      return VisitInteger(output.GetType(), [&](auto label) {
        return labeler.LabelDeviceMemory(pixels, image.size, reinterpret_cast<decltype(label) *>(output.address));
      });
    });
  });
}

std::uint64_t
MaskDevice(const DeviceArray & image, const DeviceArray & output, std::uintptr_t stream, const Request & request)
{
  return RunOnDeviceMemory([&] {
    const CudaConnectedComponentLabeler labeler = DeviceLabelerFor(request, stream);
    return VisitPixels(image, [&](const auto * pixels) {
      using PixelType = std::remove_const_t<std::remove_pointer_t<decltype(pixels)>>;
      return labeler.MaskDeviceMemory(pixels, image.size, reinterpret_cast<PixelType *>(output.address));
    });
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
                      return VisitPixels(
                        image, [&](const auto * pixels) { return labeler.MeasureDeviceMemory(pixels, image.size); });
                    }),
                    wantsBoxes,
                    wantsMeans);
  }
  return MakeDictionary(std::move(*columns), wantsFaces);
}
