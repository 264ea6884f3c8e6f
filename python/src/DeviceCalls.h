// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_DeviceCalls_h
#define ccl_python_DeviceCalls_h

// The calls for arrays in device memory.

#include "Array.h"
#include "Request.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/** An array in device memory: an image, or the images of a batch. Strides are in bytes. */
struct DeviceArray
{
  std::uintptr_t               address;
  std::string                  format; // a character of Python's struct module, or "bfloat16"
  std::ptrdiff_t               elementBytes;
  std::array<std::uint64_t, 3> size{ 1, 1, 1 }; // of an image, along x, y and z
  std::array<std::int64_t, 3>  strides{};       // along x, y and z
  std::uint64_t                images = 1;
  std::int64_t                 imageStride = 0;
  bool                         isReadable = true; // by the engine

  /** Takes the lengths and the strides of all axes. The last `axes` axes are those of an image. */
  DeviceArray(std::uintptr_t                     memory,
              std::string                        formatOfElements,
              std::ptrdiff_t                     bytes,
              const std::vector<std::uint64_t> & shape,
              const std::vector<std::int64_t> &  stridesOfAxes,
              std::size_t                        axes);

  ElementType
  GetType() const
  {
    return format == "bfloat16" ? ElementType::BFloat16 : ElementTypeOf(format.c_str(), elementBytes);
  }
};

/** The foreground of an array in device memory: the limits of its values, and an array whose elements that are 0 are
 * background. Without limits, the elements that are not 0 are foreground. */
struct DeviceForeground
{
  using Limit = std::variant<std::int64_t, std::uint64_t, double>;

  std::optional<std::pair<Limit, Limit>> limits;
  std::optional<DeviceArray>             mask;
};

/** The device memory behind a DLPack capsule. */
class DlpackArray
{
public:
  explicit DlpackArray(nanobind::ndarray<> array)
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
    const nanobind::dlpack::dtype type = m_Array.dtype();
    const auto                    code = static_cast<nanobind::dlpack::dtype_code>(type.code);
    const char                    kind = code == nanobind::dlpack::dtype_code::Int     ? 'i'
                                         : code == nanobind::dlpack::dtype_code::UInt  ? 'u'
                                         : code == nanobind::dlpack::dtype_code::Float ? 'f'
                                         : code == nanobind::dlpack::dtype_code::Bool  ? 'b'
                                                                                       : '?';
    if (kind == '?' || type.lanes != 1)
    {
      throw nanobind::type_error("the element type of the DLPack object is not supported");
    }
    return kind + std::to_string(type.bits / 8);
  }

  nanobind::tuple
  GetShape() const
  {
    return this->MakeTuple([this](std::size_t axis) { return static_cast<std::int64_t>(m_Array.shape(axis)); });
  }

  /** Returns the distances between elements along each axis, in elements. */
  nanobind::tuple
  GetStrides() const
  {
    return this->MakeTuple([this](std::size_t axis) { return m_Array.stride(axis); });
  }

private:
  template <typename TFunction>
  nanobind::tuple
  MakeTuple(const TFunction & valueAt) const
  {
    nanobind::list values;
    for (std::size_t axis = 0; axis < m_Array.ndim(); ++axis)
    {
      values.append(valueAt(axis));
    }
    return nanobind::tuple(values);
  }

  nanobind::ndarray<> m_Array;
};

/** Functions of Python that allocate and free device memory. `allocate` takes the number of bytes and returns an
 * address. `free` takes the address. */
struct Allocator
{
  nanobind::object allocate;
  nanobind::object free;
};

/** Labels an image on a stream. The work takes memory of `allocator`, unless it is null. Returns the number of labels
 * or, for a batch, an array of them. The caller holds the GIL. */
nanobind::object
LabelDevice(const DeviceArray &      image,
            const DeviceForeground & foreground,
            const DeviceArray &      output,
            std::uintptr_t           stream,
            Allocator *              allocator,
            Request &                request);

/** Copies the selected components of an image on a stream, and writes 0 for all other elements. The output has the type
 * and the size of the image. It may be the image; otherwise, the two must not overlap. Returns the number of selected
 * components. The caller must not hold the GIL. */
std::uint64_t
MaskDevice(const DeviceArray &      image,
           const DeviceForeground & foreground,
           const DeviceArray &      output,
           std::uintptr_t           stream,
           Allocator *              allocator,
           Request &                request);

/** Measures the components of an image on a stream. `makeColumns` takes the number of components, and returns a
 * dictionary of the addresses of the columns that are wanted. The columns are complete after the work of the stream.
 * The caller holds the GIL. */
void
MeasureDevice(const DeviceArray &      image,
              const DeviceForeground & foreground,
              std::uintptr_t           stream,
              Allocator *              allocator,
              const nanobind::object & makeColumns,
              Request &                request,
              bool                     wantsBoxes,
              bool                     wantsMeans,
              bool                     wantsFaces);

#endif
