// SPDX-License-Identifier: Apache-2.0
#include "DeviceCalls.h"

#include "Columns.h"

#include <exception>
#include <string>
#include <type_traits>

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

/** The allocator of one call, and the first exception of Python that it has met. */
struct AllocatorOfCall
{
  const Allocator *  allocator;
  std::exception_ptr error;

  /** Returns whether an exception says that there is too little memory. The caller holds the GIL. */
  static bool
  IsMemoryShort(nb::python_error & error)
  {
    return error.matches(PyExc_MemoryError) || std::string(error.what()).find("out of memory") != std::string::npos;
  }

  /** Calls function(allocator) with the GIL. Returns null if Python raises an exception: the engine then sees that
   * there is too little memory. Other exceptions, such as KeyboardInterrupt, are kept. */
  template <typename TFunction>
  void *
  Call(const TFunction & function)
  {
    const nb::gil_scoped_acquire acquired;
    try
    {
      return function(*allocator);
    }
    catch (nb::python_error & raised)
    {
      if (error == nullptr && !IsMemoryShort(raised))
      {
        error = std::current_exception();
      }
      return nullptr;
    }
  }

  itk::CudaConnectedComponentAllocator
  Get()
  {
    if (allocator == nullptr)
    {
      return {};
    }
    const auto allocate = [](void * context, std::uint64_t bytes, void *) {
      return static_cast<AllocatorOfCall *>(context)->Call([bytes](const Allocator & python) {
        return reinterpret_cast<void *>(nb::cast<std::uintptr_t>(python.allocate(bytes)));
      });
    };
    const auto free = [](void * context, void * memory, std::uint64_t, void *) {
      static_cast<AllocatorOfCall *>(context)->Call([memory](const Allocator & python) -> void * {
        python.free(reinterpret_cast<std::uintptr_t>(memory));
        return nullptr;
      });
    };
    return { allocate, free, this };
  }
};

CudaConnectedComponentLabeler
DeviceLabelerFor(Request &                request,
                 const DeviceForeground & foreground,
                 std::uintptr_t           stream,
                 AllocatorOfCall &        allocator)
{
  CudaConnectedComponentLabeler labeler = LabelerFor(request);
  labeler.options.allocator = allocator.Get();
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
  if (request.wantsValues)
  {
    labeler.options.reportValues = [&request](const PixelValues & values) { request.values = values; };
  }
  return labeler;
}

/** Returns work(labeler) for a labeler of images in device memory. The caller must not hold the GIL. */
template <typename TWork>
auto
RunOnDeviceMemory(Request &                request,
                  const DeviceForeground & foreground,
                  std::uintptr_t           stream,
                  const Allocator *        allocator,
                  const TWork &            work)
{
  AllocatorOfCall ofCall{ allocator, nullptr };
  const auto      rethrow = [&ofCall] {
    if (ofCall.error != nullptr)
    {
      std::rethrow_exception(ofCall.error);
    }
  };
  try
  {
    auto result = Translate([&] {
      CudaConnectedComponentLabeler labeler = DeviceLabelerFor(request, foreground, stream, ofCall);
      return work(labeler);
    });
    rethrow();
    lastCall = { "cuda", "" };
    return result;
  }
  catch (const std::exception &)
  {
    rethrow(); // the reason
    throw;
  }
}

} // namespace

DeviceArray::DeviceArray(std::uintptr_t                     memory,
                         std::string                        formatOfElements,
                         std::ptrdiff_t                     bytes,
                         const std::vector<std::uint64_t> & shape,
                         const std::vector<std::int64_t> &  stridesOfAxes,
                         std::size_t                        axes)
  : address(memory)
  , format(std::move(formatOfElements))
  , elementBytes(bytes)
{
  const std::size_t leading = shape.size() - axes;
  bool              isEmpty = false;
  for (std::size_t axis = shape.size(); axis-- > 0;)
  {
    const std::uint64_t length = shape[axis];
    const std::int64_t  stride = stridesOfAxes[axis];
    isEmpty = isEmpty || length == 0;
    isReadable = isReadable && stride % bytes == 0;
    if (axis >= leading)
    {
      size[shape.size() - 1 - axis] = length;
      strides[shape.size() - 1 - axis] = stride;
    }
    else if (length != 1)
    {
      // A constant distance leads from each image to the next one.
      isReadable = isReadable && (images <= 1 || stride == imageStride * static_cast<std::int64_t>(images));
      imageStride = images == 1 ? stride : imageStride;
      images *= length;
    }
  }
  const bool isAligned = address % static_cast<std::uintptr_t>(bytes) == 0;
  isReadable = isEmpty || (isReadable && isAligned);
}

nb::object
LabelDevice(const DeviceArray &      image,
            const DeviceForeground & foreground,
            const DeviceArray &      output,
            std::uintptr_t           stream,
            Allocator *              allocator,
            Request &                request)
{
  VisitInteger(output.GetType(), [](auto) {}); // throws for other types
  std::uint64_t                    count;
  itk::CudaConnectedComponentTable table;
  {
    const nb::gil_scoped_release released;
    count = RunOnDeviceMemory(request, foreground, stream, allocator, [&](CudaConnectedComponentLabeler & labeler) {
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
           Allocator *              allocator,
           Request &                request)
{
  return RunOnDeviceMemory(request, foreground, stream, allocator, [&](CudaConnectedComponentLabeler & labeler) {
    return labeler.Mask(ViewOf(image), ViewOf(output));
  });
}

void
MeasureDevice(const DeviceArray &      image,
              const DeviceForeground & foreground,
              std::uintptr_t           stream,
              Allocator *              allocator,
              const nb::object &       makeColumns,
              Request &                request,
              bool                     wantsBoxes,
              bool                     wantsMeans,
              bool                     wantsFaces)
{
  const auto makeTable = [&makeColumns](std::uint64_t components) {
    const nb::gil_scoped_acquire           acquired;
    const auto                             addresses = nb::cast<nb::dict>(makeColumns(components));
    itk::CudaConnectedComponentDeviceTable table;
    table.rows = components;
    const auto find = [&addresses](const std::string & name, auto *& column) {
      if (addresses.contains(name.c_str()))
      {
        const auto address = nb::cast<std::uintptr_t>(addresses[name.c_str()]);
        column = reinterpret_cast<std::decay_t<decltype(column)>>(address);
      }
    };
    find("image", table.images);
    find("num_pixels", table.pixelCounts);
    find("faces", table.faces);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const std::string name(1, "xyz"[axis]);
      find("minimum_" + name, table.minimums[axis]);
      find("maximum_" + name, table.maximums[axis]);
      find("mean_" + name, table.means[axis]);
    }
    return table;
  };
  const nb::gil_scoped_release released;
  RunOnDeviceMemory(request, foreground, stream, allocator, [&](CudaConnectedComponentLabeler & labeler) {
    labeler.options.columns.boundingBoxes = wantsBoxes;
    labeler.options.columns.sums = wantsMeans;
    labeler.options.columns.faces = wantsFaces;
    return labeler.Measure(ViewOf(image), makeTable);
  });
}
