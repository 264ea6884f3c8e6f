// SPDX-License-Identifier: Apache-2.0

// The extension module `_core`: the engine for arrays in host memory and in device memory. The Python code of the
// package checks the arguments and makes the messages for users.

#include "Array.h"
#include "PackArray.h"
#include "Relabel.h"
#include "Threads.h"

#include "itkCudaConnectedComponentLabeler.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace
{

using itk::CudaConnectedComponentError;
using itk::CudaConnectedComponentLabeler;
using itk::CudaConnectedComponentTable;
using Kind = CudaConnectedComponentError::Kind;
using Selection = itk::CudaConnectedComponentSelection;

/** The settings of a call that labels or measures. */
struct Request
{
  bool          fullyConnected = true;
  std::uint64_t minimumSize = 0;
  std::uint64_t numberOfLargest = 0;
  bool          isBySize = false;
  bool          isTransposed = false; // whether the arrays are in Fortran order
  int           device = 0;           // index of a device, or one of the constants below
  unsigned int  threads = 0;          // 0: the number of processors that the process may use
};

constexpr int AnyBackend = -3;    // a device, or else the CPU
constexpr int HostBackend = -2;   // the CPU
constexpr int CurrentDevice = -1; // the device that is current on the calling thread

/** Labels do not fit the type of the output. */
struct LabelOverflow : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

/** The backend of the last call on this thread, and the reason if it was not the wanted one. */
struct LastCall
{
  const char * backend = "none";
  std::string  reason;
};
thread_local LastCall lastCall;

unsigned int
CountProcessors()
{
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
  {
    return static_cast<unsigned int>(CPU_COUNT(&set));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

CudaConnectedComponentLabeler
LabelerFor(const Request & request)
{
  CudaConnectedComponentLabeler labeler;
  labeler.options.fullyConnected = request.fullyConnected;
  labeler.options.selection.minimumSize = request.minimumSize;
  labeler.options.selection.numberOfLargest = request.numberOfLargest;
  labeler.options.selection.order = request.isBySize ? Selection::Order::Size : Selection::Order::FirstPixel;
  labeler.options.selection.pixelOrder =
    request.isTransposed ? Selection::PixelOrder::TransposedRaster : Selection::PixelOrder::Raster;
  return labeler;
}

/** Replaces errors of the engine by errors for Python. The caller must hold no lock. */
template <typename TFunction>
auto
Translate(const TFunction & function)
{
  try
  {
    return function();
  }
  catch (const CudaConnectedComponentError & error)
  {
    switch (error.GetKind())
    {
      case Kind::TooManyObjects:
        throw LabelOverflow(std::string(error.what()) + " Choose a wider type.");
      case Kind::InvalidArgument:
        throw std::invalid_argument(error.what());
      default:
        throw;
    }
  }
}

/** Calls run(labeler) for an image in host memory: on a device, on the CPU, or on the CPU after a device has failed.
 * The caller must not hold the GIL. */
template <typename TFunction>
auto
RunOnHostMemory(const Request & request, const CudaConnectedComponentLabeler::SizeType & size, const TFunction & run)
{
  return Translate([&] {
    CudaConnectedComponentLabeler labeler = LabelerFor(request);
    // Starting threads takes longer than labeling a small image.
    const bool isSmall = CudaConnectedComponentLabeler::IsFasterOnHost(size);
    Threads    threads(isSmall ? 1 : request.threads == 0 ? CountProcessors() : request.threads);
    labeler.options.parallelFor = threads.GetLoop();
    lastCall.reason.clear();
    if (request.device != HostBackend && !(request.device == AnyBackend && isSmall))
    {
      try
      {
        labeler.options.deviceId = request.device == AnyBackend ? CurrentDevice : request.device;
        labeler.RequireDevice();
        auto result = run(labeler);
        lastCall.backend = "cuda";
        return result;
      }
      catch (const CudaConnectedComponentError & error)
      {
        if (request.device != AnyBackend || error.GetKind() == Kind::TooManyObjects ||
            error.GetKind() == Kind::InvalidArgument)
        {
          throw;
        }
        lastCall.reason = error.what();
      }
    }
    else
    {
      lastCall.reason = isSmall && request.device == AnyBackend ? "the CPU is faster for small images" : "as asked for";
    }
    labeler.options.onHost = true;
    auto result = run(labeler);
    lastCall.backend = "cpu";
    return result;
  });
}

/** The arrays of an image that is to be labeled or measured. */
class Image
{
public:
  Image(nb::handle image, nb::handle limits, nb::handle mask, bool isTransposed)
    : m_Image(image, false, isTransposed)
    , m_Limits(OptionalArray(limits, false))
    , m_Mask(OptionalArray(mask, isTransposed))
    , m_Packer(m_Image, m_Limits.get(), m_Mask.get())
  {}

  const Array &
  GetArray() const
  {
    return m_Image;
  }

  CudaConnectedComponentLabeler::RowPackerType
  GetPacker() const
  {
    return [this](std::uint64_t row, std::uint32_t * words) { m_Packer(row, words); };
  }

private:
  static std::unique_ptr<Array>
  OptionalArray(nb::handle object, bool isTransposed)
  {
    return object.is_none() ? nullptr : std::make_unique<Array>(object, false, isTransposed);
  }

  Array                  m_Image;
  std::unique_ptr<Array> m_Limits;
  std::unique_ptr<Array> m_Mask;
  ArrayPacker            m_Packer;
};

/** Labels an image in host memory. Returns the number of labels. */
std::uint64_t
LabelHost(nb::handle      image,
          nb::handle      limits,
          nb::handle      mask,
          nb::handle      output,
          bool            isFresh,
          const Request & request)
{
  const Image  input(image, limits, mask, request.isTransposed);
  const Array  labels(output, true, request.isTransposed);
  void * const memory = labels.GetContiguous("the output");
  if (labels.GetSize() != input.GetArray().GetSize())
  {
    throw nb::value_error("the output must have the shape of the image");
  }
  const nb::gil_scoped_release released;
  return RunOnHostMemory(request, labels.GetSize(), [&](CudaConnectedComponentLabeler & labeler) {
    labeler.options.outputIsUntouched = isFresh;
    return VisitInteger(labels.GetType(), [&](auto label) {
      return labeler.LabelPackedRows(input.GetPacker(), labels.GetSize(), static_cast<decltype(label) *>(memory));
    });
  });
}

/** The columns of the components, for Python. Axes are x, y and z. */
struct Columns
{
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> integers;
  std::vector<std::pair<std::string, std::vector<double>>>       means;
  std::vector<std::uint8_t>                                      faces;

  /** Converts a table. Needs no GIL: tables may be large. */
  Columns(CudaConnectedComponentTable && table, bool hasBoxes, bool hasMeans)
    : faces(std::move(table.faces))
  {
    const auto add = [this](const std::string & name, const std::vector<std::uint64_t> & column) {
      integers.emplace_back(name, std::vector<std::int64_t>(column.begin(), column.end()));
    };
    add("num_pixels", table.pixelCounts);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const std::string name(1, "xyz"[axis]);
      if (hasBoxes)
      {
        add("minimum_" + name, table.minimums[axis]);
        add("maximum_" + name, table.maximums[axis]);
      }
      if (hasMeans)
      {
        std::vector<double> column(table.componentCount);
        for (std::size_t row = 0; row < column.size(); ++row)
        {
          column[row] = table.sums[axis][row].ToDouble() / static_cast<double>(table.pixelCounts[row]);
        }
        means.emplace_back("mean_" + name, std::move(column));
      }
    }
  }
};

/** Makes a NumPy array that owns a column. */
template <typename T>
nb::object
MakeArray(std::vector<T> && values)
{
  auto              owned = std::make_unique<std::vector<T>>(std::move(values));
  const nb::capsule owner(owned.get(), [](void * vector) noexcept { delete static_cast<std::vector<T> *>(vector); });
  std::vector<T> &  column = *owned.release();
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(column.data(), { column.size() }, owner));
}

/** Makes a dictionary of the columns. */
nb::dict
MakeDictionary(Columns && columns, bool hasFaces)
{
  nb::dict   dictionary;
  const auto add = [&dictionary](auto & named) {
    for (auto & [name, column] : named)
    {
      dictionary[name.c_str()] = MakeArray(std::move(column));
    }
  };
  add(columns.integers);
  add(columns.means);
  if (hasFaces)
  {
    dictionary["faces"] = MakeArray(std::move(columns.faces));
  }
  return dictionary;
}

/** Measures the components of an image in host memory. */
nb::dict
MeasureHost(nb::handle      image,
            nb::handle      limits,
            nb::handle      mask,
            bool            wantsBoxes,
            bool            wantsMeans,
            bool            wantsFaces,
            const Request & request)
{
  const Image            input(image, limits, mask, request.isTransposed);
  std::optional<Columns> columns;
  {
    const nb::gil_scoped_release released;
    columns.emplace(RunOnHostMemory(request,
                                    input.GetArray().GetSize(),
                                    [&](CudaConnectedComponentLabeler & labeler) {
                                      labeler.options.columns.boundingBoxes = wantsBoxes;
                                      labeler.options.columns.sums = wantsMeans;
                                      labeler.options.columns.faces = wantsFaces;
                                      return labeler.MeasurePackedRows(input.GetPacker(), input.GetArray().GetSize());
                                    }),
                    wantsBoxes,
                    wantsMeans);
  }
  return MakeDictionary(std::move(*columns), wantsFaces);
}

/** A contiguous array in device memory. */
struct DeviceArray
{
  std::uintptr_t               address;
  std::string                  format; // a character of Python's struct module
  std::ptrdiff_t               elementBytes;
  std::array<std::uint64_t, 3> size; // along x, y and z

  ElementType
  GetType() const
  {
    return ElementTypeOf(format.c_str(), elementBytes);
  }
};

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

/** The device memory behind a DLPack capsule. */
class DlpackArray
{
public:
  explicit DlpackArray(nb::ndarray<> array)
    : m_Array(std::move(array))
  {}

  std::uintptr_t
  GetAddress() const
  {
    return reinterpret_cast<std::uintptr_t>(m_Array.data());
  }

  /** Returns the type in the notation of NumPy, for example "u2". */
  std::string
  GetType() const
  {
    const nb::dlpack::dtype type = m_Array.dtype();
    const auto              code = static_cast<nb::dlpack::dtype_code>(type.code);
    const char              kind = code == nb::dlpack::dtype_code::Int     ? 'i'
                                   : code == nb::dlpack::dtype_code::UInt  ? 'u'
                                   : code == nb::dlpack::dtype_code::Float ? 'f'
                                   : code == nb::dlpack::dtype_code::Bool  ? 'b'
                                                                           : '?';
    if (kind == '?' || type.lanes != 1)
    {
      throw nb::type_error("the element type of the DLPack object is not supported");
    }
    return kind + std::to_string(type.bits / 8);
  }

  nb::tuple
  GetShape() const
  {
    return this->MakeTuple([this](std::size_t axis) { return static_cast<std::int64_t>(m_Array.shape(axis)); });
  }

  /** Returns the distances between elements along each axis, in elements. */
  nb::tuple
  GetStrides() const
  {
    return this->MakeTuple([this](std::size_t axis) { return m_Array.stride(axis); });
  }

private:
  template <typename TFunction>
  nb::tuple
  MakeTuple(const TFunction & valueAt) const
  {
    nb::list values;
    for (std::size_t axis = 0; axis < m_Array.ndim(); ++axis)
    {
      values.append(valueAt(axis));
    }
    return nb::tuple(values);
  }

  nb::ndarray<> m_Array;
};

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

/** Labels an image in device memory. Returns the number of labels. */
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

/** Measures the components of an image in device memory. */
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

unsigned int
ThreadCount(unsigned int threads, std::uint64_t elements)
{
  constexpr std::uint64_t small = std::uint64_t{ 1 } << 16;
  return elements <= small ? 1 : threads == 0 ? CountProcessors() : threads;
}

/** Relabels an image in host memory. Returns the numbers of new and of old labels. */
nb::tuple
RelabelHost(nb::handle    labels,
            nb::handle    output,
            bool          isBySize,
            std::uint64_t minimumSize,
            std::uint64_t numberOfLargest,
            bool          isTransposed,
            unsigned int  threads)
{
  const Array from(labels, false, isTransposed);
  const Array to(output, true, isTransposed);
  if (to.GetSize() != from.GetSize())
  {
    throw nb::value_error("the output must have the shape of the image");
  }
  std::pair<std::uint64_t, std::uint64_t> counts;
  {
    const nb::gil_scoped_release released;
    Threads                      pool(ThreadCount(threads, from.GetCount()));
    try
    {
      counts = Relabel(from, to, isBySize, minimumSize, numberOfLargest, pool);
    }
    catch (const std::overflow_error & error)
    {
      throw LabelOverflow(std::string(error.what()) + " Choose a wider type.");
    }
  }
  return nb::make_tuple(counts.first, counts.second);
}

void
KeepHost(nb::handle image, nb::handle labels, nb::handle output, bool isTransposed, unsigned int threads)
{
  const Array from(image, false, isTransposed);
  const Array kept(labels, false, isTransposed);
  const Array to(output, true, isTransposed);
  if (to.GetSize() != from.GetSize() || kept.GetSize() != from.GetSize() ||
      to.GetElementBytes() != from.GetElementBytes())
  {
    throw nb::value_error("the output must have the shape and the type of the image");
  }
  const nb::gil_scoped_release released;
  Threads                      pool(ThreadCount(threads, from.GetCount()));
  CopyLabeled(from, kept, to, pool);
}

bool
IsSingleValue(nb::handle image, unsigned int threads)
{
  const Array                  array(image, false, false);
  const nb::gil_scoped_release released;
  Threads                      pool(ThreadCount(threads, array.GetCount()));
  return HasSingleValue(array, pool);
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
  info["cuda_built"] = CCL_PYTHON_HAS_CUDA != 0;
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
  nb::exception<CudaConnectedComponentError>(module, "CudaError", PyExc_RuntimeError);
  nb::exception<LabelOverflow>(module, "LabelOverflowError", PyExc_OverflowError);

  nb::class_<Request>(module, "Request")
    .def(
      "__init__",
      [](Request *     request,
         bool          full,
         std::uint64_t minimum,
         std::uint64_t largest,
         bool          bySize,
         bool          transposed,
         int           device,
         unsigned int  threads) {
        new (request) Request{ full, minimum, largest, bySize, transposed, device, threads };
      },
      nb::arg("fully_connected"),
      nb::arg("min_size"),
      nb::arg("k"),
      nb::arg("by_size"),
      nb::arg("transposed"),
      nb::arg("device"),
      nb::arg("threads"))
    .def_ro("fully_connected", &Request::fullyConnected)
    .def_ro("min_size", &Request::minimumSize)
    .def_ro("k", &Request::numberOfLargest)
    .def_ro("by_size", &Request::isBySize)
    .def_ro("transposed", &Request::isTransposed)
    .def_ro("device", &Request::device);
  nb::class_<DeviceArray>(module, "DeviceArray")
    .def(nb::init<std::uintptr_t, std::string, std::ptrdiff_t, std::array<std::uint64_t, 3>>(),
         nb::arg("address"),
         nb::arg("format"),
         nb::arg("element_bytes"),
         nb::arg("size"))
    .def_ro("address", &DeviceArray::address)
    .def_ro("format", &DeviceArray::format)
    .def_ro("element_bytes", &DeviceArray::elementBytes)
    .def_ro("size", &DeviceArray::size);
  nb::class_<DlpackArray>(module, "DlpackArray")
    .def(nb::init<nb::ndarray<>>(), nb::arg("capsule"))
    .def_prop_ro("address", &DlpackArray::GetAddress)
    .def_prop_ro("dtype", &DlpackArray::GetType)
    .def_prop_ro("shape", &DlpackArray::GetShape)
    .def_prop_ro("strides", &DlpackArray::GetStrides);
  module.attr("__version__") = CCL_PYTHON_VERSION;
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
             nb::arg("output"),
             nb::arg("stream"),
             nb::arg("request"),
             nb::call_guard<nb::gil_scoped_release>());
  module.def("measure_device",
             &MeasureDevice,
             nb::arg("image"),
             nb::arg("stream"),
             nb::arg("boxes"),
             nb::arg("means"),
             nb::arg("faces"),
             nb::arg("request"));
  module.def("relabel_host",
             &RelabelHost,
             nb::arg("labels"),
             nb::arg("output"),
             nb::arg("by_size"),
             nb::arg("min_size"),
             nb::arg("k"),
             nb::arg("transposed"),
             nb::arg("threads"));
  module.def("keep_host",
             &KeepHost,
             nb::arg("image"),
             nb::arg("labels"),
             nb::arg("output"),
             nb::arg("transposed"),
             nb::arg("threads"));
  module.def("single_value", &IsSingleValue, nb::arg("image"), nb::arg("threads"));
  module.def("count_processors", &CountProcessors);
  module.def("describe_backend", &DescribeBackend);
  module.def("why_no_device", &WhyNoDevice, nb::arg("device"), nb::call_guard<nb::gil_scoped_release>());
  module.def("trim_memory", &CudaConnectedComponentLabeler::TrimMemory, nb::call_guard<nb::gil_scoped_release>());
}
