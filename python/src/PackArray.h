// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_PackArray_h
#define ccl_python_PackArray_h

#include "Array.h"

#include "primitives/Foreground.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

/** Packs the rows of an image or a batch to bits, for CudaConnectedComponentLabeler::LabelPackedRows().
 *
 * An element is foreground if it is not 0 or, with limits, if it is not less than the first limit and not greater than
 * the second. NaN is not 0, and is not between limits. */
class ArrayPacker
{
public:
  /** `limits` is null, or an array of two elements of the image's type. `mask` is null, or an array of the image's
   * size: elements that are 0 in the mask are background. The arrays must outlive the packer. `checksValues` is for
   * images of integers without limits, see HasSeveralValues(). Throws a Python exception if the arrays do not match. */
  ArrayPacker(const Array & image, const Array * limits, const Array * mask, bool checksValues);

  /** Packs a row, see CudaConnectedComponentLabeler::RowPackerType. */
  void
  operator()(std::uint64_t row, std::uint32_t * words) const;

  /** Returns whether the packed rows of an image have several values other than 0. Returns false without
   * `checksValues`. */
  bool
  HasSeveralValues() const
  {
    return m_HasSeveralValues;
  }

private:
  void
  PackAndCheck(std::uint64_t row, std::uint32_t * words) const;

  CudaConnectedComponentImageView                 m_Image;
  itk::ccl::Foreground                            m_Foreground;
  std::optional<CudaConnectedComponentImageView>  m_Mask;
  bool                                            m_ChecksValues;
  mutable std::vector<std::atomic<std::uint64_t>> m_Values; // the first value other than 0 that was found in each image
  mutable std::atomic<bool>                       m_HasSeveralValues{ false };
};

#endif
