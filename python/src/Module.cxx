// SPDX-License-Identifier: Apache-2.0

// The extension module `_core`: the engine for arrays in host memory and in device memory. The Python code of the
// package checks the arguments and makes the messages for users.

#include "Blocks.h"
#include "DeviceCalls.h"
#include "Exchange.h"
#include "HostCalls.h"
#include "Threads.h"

#include "engine/DeviceSession.h"
#include "executors/device/DeviceCapabilities.h"
#include "primitives/PixelTypes.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <new>

namespace nb = nanobind;

namespace
{

using View = CudaConnectedComponentImageView;

/** Returns a text such as "12.9", or None for 0. */
nb::object
VersionText(int version)
{
  return version == 0 ? nb::none() : nb::cast(itk::ccl::FormatCudaVersion(version));
}

nb::dict
DescribeBackend()
{
  CudaConnectedComponentLabeler::HeldMemory held;
  {
    const nb::gil_scoped_release released;
    try
    {
      held = CudaConnectedComponentLabeler::GetHeldMemory();
    }
    catch (const CudaConnectedComponentError &)
    {
      // CUDA does not work any more. The caller also asks why.
    }
  }
  const std::uint64_t limit = Translate([] { return CudaConnectedComponentLabeler::GetDeviceMemoryLimit(); });
  nb::dict            info;
  info["device_memory_limit"] = limit == 0 ? nb::none() : nb::cast(limit);
  info["last_backend"] = lastCall.backend;
  info["last_reason"] = lastCall.reason;
  info["last_slabs"] = lastCall.slabs;
  info["held_device_bytes"] = held.deviceBytes;
  info["held_pinned_bytes"] = held.pinnedBytes;
  const itk::ccl::CudaVersions versions = itk::ccl::DeviceSession::GetCudaVersions();
  info["cuda_built"] = versions.runtime != 0;
  info["cuda_runtime"] = VersionText(versions.runtime);
  info["cuda_driver"] = VersionText(versions.driver);
  return info;
}

/** Returns why a device cannot be used, or an empty text. Starts CUDA. */
std::string
WhyNoDevice(int device)
{
  try
  {
    CudaConnectedComponentLabeler labeler;
    labeler.options.deviceId = device;
    labeler.RequireDevice();
    return "";
  }
  catch (const CudaConnectedComponentError & error)
  {
    return error.what();
  }
}

} // namespace

NB_MODULE(_core, module)
{
  // Threads that still run when the interpreter exits hold objects.
  nb::set_leak_warnings(false);
  const nb::object cudaError = nb::exception<CudaConnectedComponentError>(module, "CudaError", PyExc_RuntimeError);
  nb::exception<DeviceMemoryError>(module, "CudaMemoryError", cudaError);
  nb::exception<LabelOverflow>(module, "LabelOverflowError", PyExc_OverflowError);

  nb::class_<PixelValues>(module, "PixelValues")
    .def(nb::init<bool, bool, bool>(), nb::arg("has_several"), nb::arg("has_several_whole"), nb::arg("has_nan"))
    .def_ro("has_several", &PixelValues::hasSeveral)
    .def_ro("has_several_whole", &PixelValues::hasSeveralWhole)
    .def_ro("has_nan", &PixelValues::hasNaN);
  nb::class_<Allocator>(module, "Allocator")
    .def(nb::init<nb::object, nb::object>(), nb::arg("allocate"), nb::arg("free"));
  nb::class_<Exchange>(module, "Exchange")
    .def(nb::init<nb::handle>(), nb::arg("capsule"))
    .def("label",
         &Exchange::Label,
         nb::arg("image"),
         nb::arg("make_labels"),
         nb::arg("neighbors"),
         nb::arg("by_value"),
         nb::arg("has_background"))
    .def("keep",
         &Exchange::Keep,
         nb::arg("image"),
         nb::arg("make_output"),
         nb::arg("neighbors"),
         nb::arg("min_size"),
         nb::arg("k"))
    .def("measure", &Exchange::Measure, nb::arg("image"), nb::arg("make_columns"), nb::arg("neighbors"))
    .def("measure_labels", &Exchange::MeasureLabels, nb::arg("image"));
  nb::enum_<Settings::Write>(module, "Write")
    .value("SELECTED", Settings::Write::Selected)
    .value("VALUE", Settings::Write::Value)
    .value("HOLES", Settings::Write::Holes)
    .value("HOLES_OF_VALUES", Settings::Write::HolesOfValues);
  nb::class_<Settings>(module, "Settings")
    .def(nb::init<>())
    .def_rw("connectivity", &Settings::connectivity)
    .def_rw("by_value", &Settings::isByValue)
    .def_rw("limits", &Settings::limits)
    .def_rw("background", &Settings::background)
    .def_rw("foreground", &Settings::foreground)
    .def_rw("whole_values", &Settings::areWhole)
    .def_rw("min_size", &Settings::minimumSize)
    .def_rw("max_size", &Settings::maximumSize)
    .def_rw("sizes_of_values", &Settings::sizesOfValues)
    .def_rw("k", &Settings::numberOfLargest)
    .def_rw("seeds", &Settings::seeds)
    .def_rw("per_value", &Settings::isPerValue)
    .def_rw("keeps_ties", &Settings::keepsTies)
    .def_rw("invert", &Settings::invert)
    .def_rw("write", &Settings::write)
    .def_rw("value", &Settings::value)
    .def_rw("overwrite", &Settings::overwrites)
    .def_rw("boxes", &Settings::wantsBoxes)
    .def_rw("means", &Settings::wantsMeans)
    .def_rw("faces", &Settings::wantsFaces)
    .def_rw("values", &Settings::wantsValues)
    .def_rw("firsts", &Settings::wantsFirsts)
    .def_rw("intensities", &Settings::wantsIntensities)
    .def_rw("covariances", &Settings::wantsCovariances)
    .def_rw("observed", &Settings::isObserved)
    .def_rw("batch", &Settings::isBatch)
    .def_rw("device", &Settings::device)
    .def_rw("transposed", &Settings::isTransposed)
    .def_rw("threads", &Settings::threads)
    .def_rw("stream", &Settings::stream)
    .def_rw("allocator", &Settings::allocator);
  nb::class_<View>(module, "DeviceArray") // strides are in bytes; x is the last axis of an image
    .def("__init__",
         [](View *                               view,
            std::uintptr_t                       address,
            const char *                         format,
            std::ptrdiff_t                       elementBytes,
            const std::array<std::uint64_t, 3> & size,
            const std::array<std::int64_t, 3> &  strides,
            std::uint64_t                        images,
            std::int64_t                         imageStride) {
           const ElementType type = ElementTypeOf(format, elementBytes);
           void * const      pixels = reinterpret_cast<void *>(address);
           new (view) View{ pixels, type, size, strides, View::MemoryEnum::Device, images, imageStride };
         })
    .def_prop_ro("address", [](const View & view) { return reinterpret_cast<std::uintptr_t>(view.pixels); })
    .def_prop_ro("type", [](const View & view) { return itk::ccl::NameOf(view.type); })
    .def_ro("size", &View::size)
    .def_ro("strides", &View::strides)
    .def_ro("images", &View::images)
    .def_ro("image_stride", &View::imageStride);
  nb::class_<DlpackArray>(module, "DlpackArray")
    .def(nb::init<nb::ndarray<>>(), nb::arg("capsule"))
    .def_ro("address", &DlpackArray::address)
    .def_ro("dtype", &DlpackArray::type)
    .def_ro("shape", &DlpackArray::shape)
    .def_ro("strides", &DlpackArray::strides);
  module.attr("__version__") = CCL_PYTHON_VERSION;
  module.attr("CHILD_BACKEND") = ChildBackend;
  module.attr("CHILD_REASON") = ChildReason;
  module.attr("ANY_BACKEND") = AnyBackend;
  module.attr("HOST_BACKEND") = HostBackend;
  module.attr("CURRENT_DEVICE") = CurrentDevice;

  const auto image = nb::arg("image");
  const auto mask = nb::arg("mask").none();
  const auto output = nb::arg("output");
  const auto settings = nb::arg("settings");
  module.def("label_host", &LabelHost, image, mask, output, nb::arg("fresh"), settings);
  module.def("mask_host", &MaskHost, image, mask, output, nb::arg("fresh"), settings);
  const auto intensities = nb::arg("intensities").none();
  module.def("measure_host", &MeasureHost, image, mask, intensities, settings);
  module.def("relabel_host", &RelabelHost);
  module.def("label_device", &LabelDevice, image, mask, output, settings);
  module.def("mask_device", &MaskDevice, image, mask, output, settings, nb::call_guard<nb::gil_scoped_release>());
  module.def("measure_device", &MeasureByColumns, image, mask, nb::arg("make_columns"), settings);
  module.def("tabulate_device", &TabulateDevice, image, mask, intensities, nb::arg("labels").none(), settings);
  DefineBlocks(module);
  module.def("holes_of_values", &HolesOfValues);
  module.def("describe_backend", &DescribeBackend);
  module.def("why_no_device", &WhyNoDevice, nb::arg("device"), nb::call_guard<nb::gil_scoped_release>());
  module.def("forget_other_calls", &Threads::ForgetOtherCalls);
  module.def(
    "set_device_memory_limit",
    [](std::optional<std::uint64_t> bytes) {
      Translate([bytes] { CudaConnectedComponentLabeler::SetDeviceMemoryLimit(bytes); });
    },
    nb::arg("bytes").none(),
    nb::call_guard<nb::gil_scoped_release>());
  module.def("trim_memory", &CudaConnectedComponentLabeler::TrimMemory, nb::call_guard<nb::gil_scoped_release>());
}
