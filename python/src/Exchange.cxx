// SPDX-License-Identifier: Apache-2.0
#include "Exchange.h"

#include "Columns.h"
#include "DeviceCalls.h"
#include "HostCalls.h"

#include "primitives/OrderedKeys.h"
#include "primitives/PixelTypes.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

namespace nb = nanobind;

using nb::dlpack::dltensor;

// The layout of the structs is that of DLPack 1.2 and later:
// https://github.com/dmlc/dlpack/blob/v1.3/include/dlpack/dlpack.h
namespace
{

constexpr std::int32_t CpuDevice = 1;
constexpr std::int32_t CudaDevice = 2;

struct Version
{
  std::uint32_t major, minor;
};

struct ManagedTensor
{
  Version version;
  void *  context;
  void (*deleter)(ManagedTensor *);
  std::uint64_t flags;
  dltensor      tensor;
};

using SetErrorType = void (*)(void *, const char *, const char *);

} // namespace

struct ExchangeTable
{
  Version               version;
  const ExchangeTable * previous;
  int (*allocate)(dltensor * prototype, ManagedTensor ** result, void * errorContext, SetErrorType setError);
  int (*exportTensor)(void * object, ManagedTensor ** result);
  int (*importTensor)(ManagedTensor * tensor, void ** result);
  int (*view)(void * object, dltensor * result); // may be null
  int (*getStream)(std::int32_t deviceType, std::int32_t device, void ** result);
};

namespace
{

using View = CudaConnectedComponentImageView;

/** Returns the type of a bool or an integer, or nothing for other types. */
std::optional<ElementType>
IntegerTypeOf(const nb::dlpack::dtype & type)
{
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  const bool isBool = code == Code::Bool && type.bits == 8;
  if (type.lanes != 1 || !(isBool || code == Code::Int || code == Code::UInt))
  {
    return std::nullopt;
  }
  switch (type.bits)
  {
    case 8:
      return isBool ? ElementType::Bool : code == Code::Int ? ElementType::Int8 : ElementType::UInt8;
    case 16:
      return code == Code::Int ? ElementType::Int16 : ElementType::UInt16;
    case 32:
      return code == Code::Int ? ElementType::Int32 : ElementType::UInt32;
    case 64:
      return code == Code::Int ? ElementType::Int64 : ElementType::UInt64;
    default:
      return std::nullopt;
  }
}

/** Returns an array as an image, or nothing unless it is an image of 1 to 3 dimensions whose elements are bools or
 * integers in aligned memory. The labels of the image fit 32 bits. */
std::optional<View>
ImageOf(const dltensor & tensor)
{
  const auto type = IntegerTypeOf(tensor.dtype);
  const bool isOnDevice = tensor.device.device_type == CudaDevice;
  if (!type || tensor.ndim < 1 || tensor.ndim > 3 || tensor.data == nullptr || tensor.strides == nullptr ||
      !(isOnDevice || tensor.device.device_type == CpuDevice))
  {
    return std::nullopt;
  }
  const std::int64_t bytes = tensor.dtype.bits / 8;
  const auto         address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  View               view{ reinterpret_cast<void *>(address), *type };
  view.memory = isOnDevice ? View::MemoryEnum::Device : View::MemoryEnum::Host;
  view.size = { 1, 1, 1 };
  std::int64_t count = 1;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis)
  {
    const std::int64_t length = tensor.shape[axis];
    if (length < 1 || length > std::numeric_limits<std::int32_t>::max() / count)
    {
      return std::nullopt;
    }
    count *= length;
    const auto dimension = static_cast<std::size_t>(tensor.ndim - 1 - axis);
    view.size[dimension] = static_cast<std::uint64_t>(length);
    view.strides[dimension] = tensor.strides[axis] * bytes;
  }
  return address % static_cast<std::uintptr_t>(bytes) == 0 ? std::optional<View>(view) : std::nullopt;
}

/** Returns whether the general functions would use the device, several threads or another order of the labels for an
 * image in host memory. */
bool
IsForGeneralFunctions(const dltensor & tensor, const View & view)
{
  std::int64_t first = 0;
  std::int64_t last = 0;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis)
  {
    if (tensor.shape[axis] > 1)
    {
      last = std::abs(tensor.strides[axis]);
      first = first == 0 ? last : first;
    }
  }
  return first < last || !CudaConnectedComponentLabeler::IsFasterOnHost({ view.Count(), 1, 1 });
}

/** Returns an array by the table of its library. */
dltensor
TensorOf(const ExchangeTable & table, nb::handle array)
{
  dltensor tensor;
  if (table.view(array.ptr(), &tensor) != 0)
  {
    throw nb::python_error();
  }
  return tensor;
}

/** Returns the settings of a call for an image: the default ones but for the neighbors, on the current stream of its
 * device. */
Settings
SettingsFor(const Exchange & exchange, const dltensor & tensor, const View & image, unsigned int neighbors = 0)
{
  Settings settings;
  settings.connectivity = neighbors;
  settings.isObserved = image.type != ElementType::Bool;
  settings.device = HostBackend;
  if (image.memory == View::MemoryEnum::Device)
  {
    void * stream = nullptr;
    if (exchange.table->getStream(tensor.device.device_type, tensor.device.device_id, &stream) != 0)
    {
      throw nb::python_error();
    }
    settings.device = tensor.device.device_id;
    settings.stream = reinterpret_cast<std::uintptr_t>(stream);
    settings.allocator = exchange;
  }
  return settings;
}

/** Returns the columns of Exchange::MeasureLabels(). `type` is the type of the labels. */
std::vector<std::uint64_t>
ColumnsOfLabels(const Columns & columns, ElementType type, std::size_t axes)
{
  const auto &      table = columns.table;
  const std::size_t rows = table.componentCount;
  const std::size_t size = itk::ccl::SizeOf(type);
  // The order of the numbers is that of their bits at the upper end of a word, but for the sign.
  const auto keyOf = [&](std::size_t row) {
    const std::uint64_t sign = itk::ccl::IsSigned(type) ? itk::ccl::SignBit : 0;
    return table.values[row] << (64 - 8 * size) ^ sign;
  };
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{ 0 });
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keyOf(a) < keyOf(b); });

  std::vector<std::uint64_t> block((2 + 3 * axes) * rows);
  auto * const               labels = reinterpret_cast<char *>(block.data());
  for (std::size_t row = 0; row < rows; ++row)
  {
    std::memcpy(labels + size * row, &table.values[order[row]], size);
  }
  auto       column = block.begin() + static_cast<std::ptrdiff_t>(rows);
  const auto append = [&](const auto & source) { column = std::transform(order.begin(), order.end(), column, source); };
  const auto appendNumbers = [&](const auto & numbers) {
    append([&](std::size_t row) { return itk::ccl::BitsOf(static_cast<double>(numbers[row])); });
  };
  for (const auto * ends : { &table.minimums, &table.maximums })
  {
    for (std::size_t axis = axes; axis-- > 0;)
    {
      append([&](std::size_t row) { return (*ends)[axis][row]; });
    }
  }
  appendNumbers(table.pixelCounts);
  for (std::size_t axis = axes; axis-- > 0;)
  {
    appendNumbers(columns.means[axis]);
  }
  return block;
}

/** Returns call(tensor, image) for the image of an array, or None if there is no such image, or if the call fails. */
template <typename TCall>
nb::object
CallOrNone(const ExchangeTable & table, nb::handle array, const TCall & call)
{
  try
  {
    const dltensor tensor = TensorOf(table, array);
    const auto     image = ImageOf(tensor);
    return image ? call(tensor, *image) : nb::none();
  }
  catch (const nb::python_error & error)
  {
    if (!error.matches(PyExc_Exception)) // such as KeyboardInterrupt
    {
      throw;
    }
  }
  catch (const std::exception &)
  {
    // The general functions try again with more memory, or raise the exception.
  }
  return nb::none();
}

} // namespace

Exchange::Exchange(nb::handle capsule)
  : table(static_cast<const ExchangeTable *>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api")))
{
  if (table == nullptr)
  {
    throw nb::python_error();
  }
  while (table != nullptr && table->version.major != 1)
  {
    table = table->previous;
  }
  if (table == nullptr || table->view == nullptr)
  {
    throw nb::type_error("the version of the table of DLPack is not supported");
  }
}

nb::object
Exchange::Label(nb::handle image, nb::handle makeLabels, unsigned int neighbors, bool isByValue, bool hasBackground)
  const
{
  return CallOrNone(*table, image, [&](const dltensor & tensor, const View & input) -> nb::object {
    const bool isOnDevice = input.memory == View::MemoryEnum::Device;
    if (!isOnDevice && (isByValue || IsForGeneralFunctions(tensor, input)))
    {
      return nb::none();
    }
    Settings settings = SettingsFor(*this, tensor, input, neighbors);
    settings.isByValue = isByValue;
    settings.isObserved &= !isByValue;
    if (!hasBackground)
    {
      settings.background.emplace();
    }
    nb::object labels;
    const auto make = [&] {
      labels = makeLabels(image);
      return ImageOf(TensorOf(*table, labels));
    };
    if (isOnDevice)
    {
      const auto makeMemory = [&] {
        const nb::gil_scoped_acquire acquired;
        const auto                   output = make();
        return output ? output->pixels : nullptr; // null makes Label() throw, and the general functions label
      };
      const auto [count, values] = LabelDeviceImage(input, makeMemory, settings);
      return nb::make_tuple(labels, count, values);
    }
    const auto output = make();
    if (!output)
    {
      return nb::none();
    }
    const auto [count, values] = LabelSmallHostImage(input, *output, settings);
    return nb::make_tuple(labels, count, values);
  });
}

nb::object
Exchange::Keep(nb::handle    image,
               nb::handle    makeOutput,
               unsigned int  neighbors,
               std::uint64_t minimumSize,
               std::uint64_t numberOfLargest) const
{
  return CallOrNone(*table, image, [&](const dltensor & tensor, const View & input) -> nb::object {
    if (input.memory != View::MemoryEnum::Device || !input.IsContiguous())
    {
      return nb::none();
    }
    Settings settings = SettingsFor(*this, tensor, input, neighbors);
    settings.minimumSize = minimumSize;
    settings.numberOfLargest = numberOfLargest;
    const nb::object kept = makeOutput(image);
    const auto       output = ImageOf(TensorOf(*table, kept));
    if (!output)
    {
      return nb::none();
    }
    const auto values = [&] {
      const nb::gil_scoped_release released;
      return MaskDevice(input, nullptr, *output, settings);
    }();
    return nb::make_tuple(kept, values);
  });
}

nb::object
Exchange::Measure(nb::handle image, nb::handle makeColumns, unsigned int neighbors) const
{
  return CallOrNone(*table, image, [&](const dltensor & tensor, const View & input) -> nb::object {
    if (input.memory != View::MemoryEnum::Device)
    {
      return nb::none();
    }
    Settings settings = SettingsFor(*this, tensor, input, neighbors);
    settings.wantsBoxes = settings.wantsMeans = true;
    nb::object columns;
    const auto makeTable = [&](std::uint64_t components) {
      const nb::gil_scoped_acquire acquired;
      columns = makeColumns(2 + 3 * tensor.ndim, components);
      auto *                                 column = static_cast<std::uint64_t *>(TensorOf(*table, columns).data);
      itk::CudaConnectedComponentDeviceTable made;
      made.rows = components;
      const auto take = [&column, components](auto *& address) {
        address = reinterpret_cast<std::decay_t<decltype(address)>>(column);
        column += components;
      };
      const auto takeForEachAxis = [&](auto & addresses) {
        for (std::int32_t axis = tensor.ndim; axis-- > 0;)
        {
          take(addresses[axis]);
        }
      };
      take(made.labels);
      takeForEachAxis(made.minimums);
      takeForEachAxis(made.ends);
      take(made.areas);
      takeForEachAxis(made.means);
      return made;
    };
    const auto values = [&] {
      const nb::gil_scoped_release released;
      return MeasureDevice(input, nullptr, makeTable, settings);
    }();
    return nb::make_tuple(columns, values);
  });
}

nb::object
Exchange::MeasureLabels(nb::handle image) const
{
  return CallOrNone(*table, image, [&](const dltensor & tensor, const View & input) -> nb::object {
    if (input.memory != View::MemoryEnum::Device || input.type == ElementType::Bool)
    {
      return nb::none();
    }
    Settings settings = SettingsFor(*this, tensor, input);
    settings.isObserved = false;
    settings.isByValue = settings.areWhole = true;
    settings.wantsValues = settings.wantsBoxes = settings.wantsMeans = true;
    auto columns = [&] {
      const nb::gil_scoped_release released;
      return ColumnsOfLabels(
        Columns(MeasureDeviceToHost(input, settings), settings), input.type, static_cast<std::size_t>(tensor.ndim));
    }();
    return MakeArray(std::move(columns));
  });
}

ExchangeMemory::~ExchangeMemory()
{
  while (!m_Blocks.empty())
  {
    this->Free(static_cast<ManagedTensor *>(m_Blocks.back())->tensor.data);
  }
}

void *
ExchangeMemory::Allocate(std::uint64_t bytes)
{
  auto            length = static_cast<std::int64_t>(bytes);
  dltensor        prototype;
  ManagedTensor * block = nullptr;
  prototype.device = { CudaDevice, m_Device };
  prototype.ndim = 1;
  prototype.dtype = nb::dtype<std::uint8_t>();
  prototype.shape = &length;
  const auto keepError = [](void * context, const char *, const char * message) {
    std::string & error = *static_cast<std::string *>(context);
    if (error.empty() && std::strstr(message, "out of memory") == nullptr)
    {
      error = message;
    }
  };
  if (m_Table->allocate(&prototype, &block, &m_Error, keepError) != 0 || block == nullptr)
  {
    return nullptr;
  }
  m_Blocks.push_back(block);
  return block->tensor.data;
}

void
ExchangeMemory::Free(const void * memory)
{
  const auto   found = std::find_if(m_Blocks.begin(), m_Blocks.end(), [memory](const void * block) {
    return static_cast<const ManagedTensor *>(block)->tensor.data == memory;
  });
  auto * const block = static_cast<ManagedTensor *>(*found);
  m_Blocks.erase(found);
  block->deleter(block);
}
