// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_DeviceCalls_h
#define ccl_python_DeviceCalls_h

// The calls for arrays in device memory.

#include "Array.h"
#include "Settings.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

/** An array in device memory: an image, or the images of a batch. Strides are in bytes. */
struct DeviceArray
{
  std::uintptr_t               address;
  ElementType                  type;
  std::array<std::uint64_t, 3> size; // of an image, along x, y and z
  std::array<std::int64_t, 3>  strides;
  std::uint64_t                images;
  std::int64_t                 imageStride;
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

/** Labels an image on the stream of the settings. Elements are background if they are 0 in `mask`, which may be null.
 * Returns the number of labels or, for a batch, an array of them, and what is known of the values. The caller holds the
 * GIL. */
nanobind::tuple
LabelDevice(const DeviceArray & image, const DeviceArray * mask, const DeviceArray & output, const Settings & settings);

/** Copies the selected components of an image on a stream, and writes 0 for all other elements. The output has the type
 * and the size of the image. It may be the image; otherwise, the two must not overlap. Returns what is known of the
 * values. The caller must not hold the GIL. */
PixelValues
MaskDevice(const DeviceArray & image, const DeviceArray * mask, const DeviceArray & output, const Settings & settings);

/** Measures the components of an image on a stream. `makeColumns` takes the number of components, and returns a
 * dictionary of the addresses of the columns that are wanted. The columns are complete after the work of the stream.
 * Returns what is known of the values. The caller holds the GIL. */
PixelValues
MeasureDevice(const DeviceArray &      image,
              const DeviceArray *      mask,
              const nanobind::object & makeColumns,
              const Settings &         settings);

#endif
