// SPDX-License-Identifier: Apache-2.0
#include "Array.h"

#include <cctype>
#include <cstring>
#include <string>

ElementType
ElementTypeOf(const char * format, std::ptrdiff_t bytes)
{
  const auto integer = [bytes](bool isSigned) {
    switch (bytes)
    {
      case 1:
        return isSigned ? ElementType::Int8 : ElementType::UInt8;
      case 2:
        return isSigned ? ElementType::Int16 : ElementType::UInt16;
      case 4:
        return isSigned ? ElementType::Int32 : ElementType::UInt32;
      default:
        return isSigned ? ElementType::Int64 : ElementType::UInt64;
    }
  };
  const char * const text = format == nullptr ? "B" : format;
  const char * const code = std::strchr("@=<", text[0]) != nullptr && text[0] != '\0' ? text + 1 : text;
  if (std::strcmp(code, "T{H:bfloat16:}") == 0)
  {
    return ElementType::BFloat16;
  }
  if (std::strlen(code) == 1)
  {
    if (std::strchr("bhilqBHILQ", code[0]) != nullptr)
    {
      return integer(std::islower(code[0]) != 0);
    }
    switch (code[0])
    {
      case '?':
        return ElementType::Bool;
      case 'e':
        return ElementType::Half;
      case 'f':
        return ElementType::Float;
      case 'd':
        return ElementType::Double;
      default:
        break;
    }
  }
  throw nanobind::type_error(("elements of the buffer format '" + std::string(text) + "' are not supported").c_str());
}

Array::Array(nanobind::handle object, bool isWritable, bool isTransposed, bool isBatch)
{
  const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (isWritable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &m_View, flags) != 0)
  {
    throw nanobind::python_error();
  }
  const int first = isBatch ? 1 : 0;
  const int dimensions = m_View.ndim - first;
  try
  {
    m_Elements.type = ElementTypeOf(m_View.format, m_View.itemsize);
    if (dimensions < 1 || dimensions > 3)
    {
      throw nanobind::value_error("images must have 1, 2 or 3 dimensions");
    }
  }
  catch (...)
  {
    PyBuffer_Release(&m_View);
    throw;
  }
  m_Elements.pixels = m_View.buf;
  m_Elements.size = { 1, 1, 1 };
  for (int axis = 0; axis < dimensions; ++axis)
  {
    const int dimension = isTransposed ? first + axis : m_View.ndim - 1 - axis;
    m_Elements.size[static_cast<std::size_t>(axis)] = static_cast<std::uint64_t>(m_View.shape[dimension]);
    m_Elements.strides[static_cast<std::size_t>(axis)] = m_View.strides[dimension];
  }
  if (isBatch)
  {
    m_Elements.images = static_cast<std::uint64_t>(m_View.shape[0]);
    m_Elements.imageStride = m_View.strides[0];
  }
}

Array::~Array() { PyBuffer_Release(&m_View); }

void *
Array::GetContiguous(const char * name) const
{
  if (!m_Elements.IsContiguous())
  {
    throw nanobind::value_error((std::string(name) + " must be contiguous").c_str());
  }
  return m_View.buf;
}
