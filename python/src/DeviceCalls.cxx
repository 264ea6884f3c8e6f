// SPDX-License-Identifier: Apache-2.0
#include "DeviceCalls.h"

#include "Columns.h"

#include "engine/HolesOfValues.h"
#include "primitives/Tuning.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace nb = nanobind;

namespace
{

using View = CudaConnectedComponentImageView;

/** Calls that need less memory than this take it from the cache of the engine: functions of a library take longer. */
constexpr std::uint64_t SmallestBytes = itk::ccl::Tuning::CachedBlockBytes;

/** The allocator of one call, and the first exception that it has met. */
struct AllocatorOfCall
{
  const Settings &              settings;
  std::exception_ptr            error;
  std::optional<ExchangeMemory> pool; // of a library with a table of C functions

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
      return function(std::get<Allocator>(*settings.allocator));
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
    if (!settings.allocator)
    {
      return {};
    }
    if (const auto * const exchange = std::get_if<Exchange>(&*settings.allocator))
    {
      pool.emplace(*exchange, settings.device);
      return { [](void * context, std::uint64_t bytes, void *) {
                return static_cast<ExchangeMemory *>(context)->Allocate(bytes);
              },
               [](void * context, void * block, std::uint64_t, void *) {
                 static_cast<ExchangeMemory *>(context)->Free(block);
               },
               &*pool,
               SmallestBytes };
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
    return { allocate, free, this, SmallestBytes };
  }
};

/** Calls work(labeler) for a labeler of images in device memory. Returns what is known of the values. The caller must
 * not hold the GIL. */
template <typename TWork>
PixelValues
RunOnDeviceMemory(const Settings & settings, const View & image, const View * mask, const TWork & work)
{
  PixelValues     values;
  AllocatorOfCall allocator{ settings, nullptr, std::nullopt };
  const auto      rethrow = [&allocator] {
    if (allocator.error != nullptr)
    {
      std::rethrow_exception(allocator.error);
    }
    if (allocator.pool && !allocator.pool->GetError().empty())
    {
      throw std::runtime_error(allocator.pool->GetError());
    }
  };
  try
  {
    Translate([&] {
      CudaConnectedComponentLabeler labeler = LabelerFor(settings);
      labeler.options.allocator = allocator.Get();
      labeler.options.deviceId = settings.device;
      labeler.options.stream = reinterpret_cast<decltype(labeler.options.stream)>(settings.stream);
      if (mask != nullptr)
      {
        labeler.options.mask = *mask;
      }
      if (settings.isObserved)
      {
        labeler.options.reportValues = [&values](const PixelValues & known) { values = known; };
      }
      work(labeler);
    });
    rethrow();
    lastCall = { "cuda", "", 1 };
    return values;
  }
  catch (const std::exception &)
  {
    rethrow(); // the reason
    throw;
  }
}

} // namespace

DlpackArray::DlpackArray(const nb::ndarray<> & array)
  : owner(array)
  , address(reinterpret_cast<std::uintptr_t>(array.data()))
{
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(array.dtype().code);
  const char kind = code == Code::Int     ? 'i'
                    : code == Code::UInt  ? 'u'
                    : code == Code::Float ? 'f'
                    : code == Code::Bool  ? 'b'
                                          : '?';
  if (kind == '?' || array.dtype().lanes != 1)
  {
    throw nb::type_error("the element type of the DLPack object is not supported");
  }
  type = kind + std::to_string(array.dtype().bits / 8);
  for (std::size_t axis = 0; axis < array.ndim(); ++axis)
  {
    shape.push_back(static_cast<std::int64_t>(array.shape(axis)));
    strides.push_back(array.stride(axis));
  }
}

nb::tuple
LabelDevice(const View & image, const View * mask, const View & output, const Settings & settings)
{
  std::uint64_t                    count = 0;
  PixelValues                      values;
  itk::CudaConnectedComponentTable table;
  {
    const nb::gil_scoped_release released;
    values = RunOnDeviceMemory(settings, image, mask, [&](CudaConnectedComponentLabeler & labeler) {
      labeler.options.columns.pixelCounts = false;
      count = labeler.Label(image, output, 0, settings.isBatch ? &table : nullptr);
    });
  }
  return nb::make_tuple(MakeCounts(count, std::move(table), settings.isBatch), values);
}

std::pair<std::uint64_t, PixelValues>
LabelDeviceImage(const View &                                          image,
                 const CudaConnectedComponentLabeler::LabelMakerType & makeLabels,
                 const Settings &                                      settings)
{
  const nb::gil_scoped_release released;
  std::uint64_t                count = 0;
  const PixelValues values = RunOnDeviceMemory(settings, image, nullptr, [&](CudaConnectedComponentLabeler & labeler) {
    labeler.options.columns.pixelCounts = false;
    count = labeler.Label(image, ElementType::Int32, makeLabels);
  });
  return { count, values };
}

PixelValues
MaskDevice(const View & image, const View * mask, const View & output, const Settings & settings)
{
  return RunOnDeviceMemory(settings, image, mask, [&](CudaConnectedComponentLabeler & labeler) {
    WriteMask(labeler, image, output, settings);
  });
}

PixelValues
MeasureDevice(const View &                                          image,
              const View *                                          mask,
              const CudaConnectedComponentLabeler::TableMakerType & makeTable,
              const Settings &                                      settings)
{
  return RunOnDeviceMemory(
    settings, image, mask, [&](const CudaConnectedComponentLabeler & labeler) { labeler.Measure(image, makeTable); });
}

itk::CudaConnectedComponentTable
MeasureDeviceToHost(const View & image, const Settings & settings)
{
  itk::CudaConnectedComponentTable table;
  RunOnDeviceMemory(
    settings, image, nullptr, [&](const CudaConnectedComponentLabeler & labeler) { table = labeler.Measure(image); });
  return table;
}

nb::dict
TabulateDevice(const View &     image,
               const View *     mask,
               const View *     intensities,
               const View *     labels,
               const Settings & settings)
{
  std::optional<Columns> columns;
  {
    const nb::gil_scoped_release released;
    RunOnDeviceMemory(settings, image, mask, [&](CudaConnectedComponentLabeler & labeler) {
      if (intensities != nullptr)
      {
        labeler.options.intensities = *intensities;
      }
      itk::CudaConnectedComponentTable table;
      if (labels != nullptr)
      {
        labeler.Label(image, *labels, 0, &table);
      }
      else
      {
        table = labeler.Measure(image);
      }
      columns.emplace(std::move(table), settings);
    });
  }
  return MakeDictionary(std::move(*columns), settings);
}

nb::object
HolesOfValues(const nb::dict & columns, const nb::object & pairs, const View & image, const Settings & settings)
{
  using Numbers = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;
  const auto numbersOf = [&columns](const std::string & name) {
    const auto numbers = nb::cast<Numbers>(columns[name.c_str()]);
    return std::vector<std::uint64_t>(numbers.data(), numbers.data() + numbers.size());
  };
  itk::CudaConnectedComponentTable regions;
  regions.pixelCounts = numbersOf("num_pixels");
  regions.componentCount = regions.pixelCounts.size();
  regions.componentCounts = numbersOf("counts");
  regions.values = numbersOf("value");
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const std::string name(1, "xyz"[axis]);
    regions.minimums[axis] = numbersOf("start_" + name);
    regions.maximums[axis] = numbersOf("end_" + name);
    std::for_each(regions.maximums[axis].begin(), regions.maximums[axis].end(), [](std::uint64_t & end) { --end; });
  }
  const auto                             rows = nb::cast<Numbers>(pairs);
  std::vector<itk::ccl::AdjacentRegions> adjacent(rows.size() / 2);
  for (std::size_t i = 0; i < adjacent.size(); ++i)
  {
    adjacent[i] = { static_cast<std::uint64_t>(rows.data()[i]),
                    static_cast<std::uint64_t>(rows.data()[adjacent.size() + i]) };
  }
  std::vector<std::uint64_t> found;
  {
    const nb::gil_scoped_release released;
    const auto                   holes =
      itk::ccl::HoleSettings::Of(LabelerFor(settings).options, image.type, settings.overwrites, settings.maximumSize);
    found = itk::ccl::FindHolesOfValues(regions, adjacent, { image.size[0], image.size[1], image.size[2] }, holes);
  }
  return MakeArray(std::move(found));
}

PixelValues
MeasureByColumns(const View & image, const View * mask, const nb::object & makeColumns, const Settings & settings)
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
    find("label", table.labels);
    find("num_pixels", table.pixelCounts);
    find("area", table.areas);
    find("faces", table.faces);
    find("value", table.values);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const std::string name(1, "xyz"[axis]);
      find("start_" + name, table.minimums[axis]);
      find("end_" + name, table.ends[axis]);
      find("mean_" + name, table.means[axis]);
    }
    return table;
  };
  const nb::gil_scoped_release released;
  return MeasureDevice(image, mask, makeTable, settings);
}
