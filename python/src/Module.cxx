// SPDX-License-Identifier: Apache-2.0

// The extension module `_core`: the engine for arrays in host memory and in device memory. The Python code of the
// package checks the arguments and makes the messages for users.

#include "DeviceCalls.h"
#include "HostCalls.h"
#include "Threads.h"

#include "engine/DeviceSession.h"
#include "executors/device/DeviceCapabilities.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <new>

namespace nb = nanobind;

namespace
{

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
  nb::dict info;
  info["last_backend"] = lastCall.backend;
  info["last_reason"] = lastCall.reason;
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
  nb::class_<Request>(module, "Request")
    .def(
      "__init__",
      [](Request *     request,
         bool          full,
         std::uint64_t minimum,
         std::uint64_t largest,
         bool          transposed,
         int           device,
         unsigned int  threads,
         bool          wantsValues,
         bool          batch) {
        new (request) Request{ full, minimum, largest, transposed, device, threads, wantsValues, batch, {} };
      },
      nb::arg("fully_connected"),
      nb::arg("min_size"),
      nb::arg("k"),
      nb::arg("transposed"),
      nb::arg("device"),
      nb::arg("threads"),
      nb::arg("wants_values") = false,
      nb::arg("batch") = false)
    .def_ro("fully_connected", &Request::fullyConnected)
    .def_ro("min_size", &Request::minimumSize)
    .def_ro("k", &Request::numberOfLargest)
    .def_ro("transposed", &Request::isTransposed)
    .def_ro("device", &Request::device)
    .def_ro("batch", &Request::isBatch)
    .def_ro("wants_values", &Request::wantsValues)
    .def_rw("values", &Request::values);
  nb::class_<DeviceArray>(module, "DeviceArray")
    .def(nb::init<std::uintptr_t,
                  std::string,
                  std::ptrdiff_t,
                  std::vector<std::uint64_t>,
                  std::vector<std::int64_t>,
                  std::size_t>(),
         nb::arg("address"),
         nb::arg("format"),
         nb::arg("element_bytes"),
         nb::arg("shape"),
         nb::arg("strides"),
         nb::arg("axes"))
    .def_ro("address", &DeviceArray::address)
    .def_ro("format", &DeviceArray::format)
    .def_ro("element_bytes", &DeviceArray::elementBytes)
    .def_ro("size", &DeviceArray::size)
    .def_ro("strides", &DeviceArray::strides)
    .def_ro("images", &DeviceArray::images)
    .def_ro("image_stride", &DeviceArray::imageStride)
    .def_ro("is_readable", &DeviceArray::isReadable);
  nb::class_<DeviceForeground>(module, "DeviceForeground")
    .def(nb::init<std::optional<std::pair<DeviceForeground::Limit, DeviceForeground::Limit>>,
                  std::optional<DeviceArray>>(),
         nb::arg("limits").none() = nb::none(),
         nb::arg("mask").none() = nb::none())
    .def_ro("limits", &DeviceForeground::limits)
    .def_ro("mask", &DeviceForeground::mask);
  nb::class_<Allocator>(module, "Allocator")
    .def(nb::init<nb::object, nb::object>(), nb::arg("allocate"), nb::arg("free"));
  nb::class_<DlpackArray>(module, "DlpackArray")
    .def(nb::init<nb::ndarray<>>(), nb::arg("capsule"))
    .def_prop_ro("address", &DlpackArray::GetAddress)
    .def_prop_ro("dtype", &DlpackArray::GetType)
    .def_prop_ro("shape", &DlpackArray::GetShape)
    .def_prop_ro("strides", &DlpackArray::GetStrides);
  module.attr("__version__") = CCL_PYTHON_VERSION;
  module.attr("CHILD_BACKEND") = ChildBackend;
  module.attr("CHILD_REASON") = ChildReason;
  module.attr("ANY_BACKEND") = AnyBackend;
  module.attr("HOST_BACKEND") = HostBackend;
  module.attr("CURRENT_DEVICE") = CurrentDevice;

  module.def("label_host",
             &LabelHost,
             nb::arg("image"),
             nb::arg("limits").none(),
             nb::arg("mask").none(),
             nb::arg("output"),
             nb::arg("fresh"),
             nb::arg("request"));
  module.def("mask_host",
             &MaskHost,
             nb::arg("image"),
             nb::arg("limits").none(),
             nb::arg("mask").none(),
             nb::arg("values"),
             nb::arg("output"),
             nb::arg("fresh"),
             nb::arg("request"));
  module.def("measure_host",
             &MeasureHost,
             nb::arg("image"),
             nb::arg("limits").none(),
             nb::arg("mask").none(),
             nb::arg("boxes"),
             nb::arg("means"),
             nb::arg("faces"),
             nb::arg("request"));
  module.def("label_device",
             &LabelDevice,
             nb::arg("image"),
             nb::arg("foreground"),
             nb::arg("output"),
             nb::arg("stream"),
             nb::arg("allocator").none(),
             nb::arg("request"));
  module.def("mask_device",
             &MaskDevice,
             nb::arg("image"),
             nb::arg("foreground"),
             nb::arg("output"),
             nb::arg("stream"),
             nb::arg("allocator").none(),
             nb::arg("request"),
             nb::call_guard<nb::gil_scoped_release>());
  module.def("measure_device",
             &MeasureDevice,
             nb::arg("image"),
             nb::arg("foreground"),
             nb::arg("stream"),
             nb::arg("allocator"),
             nb::arg("make_columns"),
             nb::arg("request"),
             nb::arg("boxes"),
             nb::arg("means"),
             nb::arg("faces"));
  module.def("relabel_host",
             &RelabelHost,
             nb::arg("labels"),
             nb::arg("output"),
             nb::arg("by_size"),
             nb::arg("min_size"),
             nb::arg("k"),
             nb::arg("transposed"),
             nb::arg("threads"));
  module.def("describe_backend", &DescribeBackend);
  module.def("why_no_device", &WhyNoDevice, nb::arg("device"), nb::call_guard<nb::gil_scoped_release>());
  module.def("forget_other_calls", &Threads::ForgetOtherCalls);
  module.def("trim_memory", &CudaConnectedComponentLabeler::TrimMemory, nb::call_guard<nb::gil_scoped_release>());
}
