// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Array_h
#define ccl_python_Array_h

#include "itkCudaConnectedComponentImageView.h"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

using itk::CudaConnectedComponentImageView;

/** The types of array elements. */
using ElementType = CudaConnectedComponentImageView::PixelTypeEnum;

/** Returns the element type of a format character of Python's struct module and an element size in bytes. A structure
 * of NumPy with the field "bfloat16" stands for this type. Throws nanobind::type_error for other types. */
ElementType
ElementTypeOf(const char * format, std::ptrdiff_t bytes);

/** The memory of a Python object in host memory, by the buffer protocol. The object keeps the memory until the array is
 * destroyed. Creation and destruction need the GIL. */
class Array
{
public:
  /** Throws a Python exception if the object has no memory, or no writable memory if `isWritable` is set, or more than
   * 3 dimensions. If `isTransposed` is set, the axes are reversed. If `isBatch` is set, there is one more axis, the
   * first: the images. */
  Array(nanobind::handle object, bool isWritable, bool isTransposed, bool isBatch = false);
  ~Array();
  Array(const Array &) = delete;
  Array &
  operator=(const Array &) = delete;

  /** Returns the elements as an image or a batch. x is the last axis. */
  const CudaConnectedComponentImageView &
  GetView() const
  {
    return m_Elements;
  }

  /** Returns the memory of a contiguous array. Throws nanobind::value_error for other arrays. `name` is for the
   * message. */
  void *
  GetContiguous(const char * name) const;

private:
  Py_buffer                       m_View;
  CudaConnectedComponentImageView m_Elements;
};

#endif
