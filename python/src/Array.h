// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Array_h
#define ccl_python_Array_h

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>

/** The types of array elements. Half is IEEE 754 binary16. */
enum class ElementType
{
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Half,
  Float,
  Double
};

/** Returns the element type of a format character of Python's struct module and an element size in bytes. Throws
 * nanobind::type_error for other types. */
ElementType
ElementTypeOf(const char * format, std::ptrdiff_t bytes);

/** Calls visitor(T{}) with the C++ type of an integer element type. Throws nanobind::type_error for other types. */
template <typename TVisitor>
auto
VisitInteger(ElementType type, const TVisitor & visitor)
{
  switch (type)
  {
    case ElementType::Int8:
      return visitor(std::int8_t{});
    case ElementType::UInt8:
      return visitor(std::uint8_t{});
    case ElementType::Int16:
      return visitor(std::int16_t{});
    case ElementType::UInt16:
      return visitor(std::uint16_t{});
    case ElementType::Int32:
      return visitor(std::int32_t{});
    case ElementType::UInt32:
      return visitor(std::uint32_t{});
    case ElementType::Int64:
      return visitor(std::int64_t{});
    case ElementType::UInt64:
      return visitor(std::uint64_t{});
    default:
      throw nanobind::type_error("labels must have an integer type");
  }
}

/** The memory of a Python object in host memory, by the buffer protocol. The object keeps the memory until the array is
 * destroyed. Creation and destruction need the GIL. */
class Array
{
public:
  /** Throws a Python exception if the object has no memory, or no writable memory if `isWritable` is set, or more than
   * 3 dimensions. If `isTransposed` is set, the axes are reversed. */
  Array(nanobind::handle object, bool isWritable, bool isTransposed);
  ~Array();
  Array(const Array &) = delete;
  Array &
  operator=(const Array &) = delete;

  ElementType
  GetType() const
  {
    return m_Type;
  }

  /** Returns the size of an element in bytes. */
  std::ptrdiff_t
  GetElementBytes() const
  {
    return m_View.itemsize;
  }

  /** Returns the numbers of elements along x, y and z. x is the last axis. */
  const std::array<std::uint64_t, 3> &
  GetSize() const
  {
    return m_Size;
  }

  /** Returns the number of elements. */
  std::uint64_t
  GetCount() const
  {
    return m_Size[0] * m_Size[1] * m_Size[2];
  }

  /** Returns the distance in bytes between elements along x. */
  std::ptrdiff_t
  GetStride() const
  {
    return m_Strides[0];
  }

  /** Returns the address of the first element of row y + z * (size along y). */
  const char *
  GetRow(std::uint64_t row) const
  {
    return static_cast<const char *>(m_View.buf) + static_cast<std::ptrdiff_t>(row % m_Size[1]) * m_Strides[1] +
           static_cast<std::ptrdiff_t>(row / m_Size[1]) * m_Strides[2];
  }

  /** Returns the memory of a contiguous array. Throws nanobind::value_error for other arrays. `name` is for the
   * message. */
  void *
  GetContiguous(const char * name) const;

private:
  Py_buffer                     m_View;
  ElementType                   m_Type;
  std::array<std::uint64_t, 3>  m_Size{ 1, 1, 1 };
  std::array<std::ptrdiff_t, 3> m_Strides{ 0, 0, 0 };
};

#endif
