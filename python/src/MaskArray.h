// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_MaskArray_h
#define ccl_python_MaskArray_h

#include "Array.h"

#include <cstdint>

/** Writes the rows of an array from the bits of a mask, for CudaConnectedComponentLabeler::MaskPackedRows().
 *
 * Elements with a bit get the value of another array, and all others get 0. Values are copied as bits, whatever their
 * type. */
class ArrayMasker
{
public:
  /** Both arrays have the same shape and the same element size, and must outlive the masker. They may be the same
   * elements; otherwise, they must not overlap. `isZero` says that all bytes of the output are 0. Throws a Python
   * exception if the arrays do not match. */
  ArrayMasker(const Array & values, const Array & output, bool isZero);

  /** Writes a row, see CudaConnectedComponentLabeler::MaskRowVisitorType. */
  void
  operator()(std::uint64_t row, const std::uint32_t * words) const;

private:
  const Array & m_Values;
  const Array & m_Output;
  bool          m_IsZero;
};

#endif
