// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_PackArray_h
#define ccl_python_PackArray_h

#include "Array.h"
#include "Request.h"

#include "primitives/Foreground.h"
#include "primitives/ImageRows.h"

#include <cstdint>
#include <optional>

/** Packs the rows of an image or a batch to bits, for CudaConnectedComponentLabeler::LabelPackedRows().
 *
 * An element is foreground if it is not 0 or, with limits, if it is not less than the first limit and not greater than
 * the second. NaN is not 0, and is not between limits. */
class ArrayPacker
{
public:
  /** `limits` is null, or an array of two elements of the image's type. `mask` is null, or an array of the image's
   * size: elements that are 0 in the mask are background. The arrays must outlive the packer. `wantsValues` is for
   * images without limits, see GetValues(). Throws a Python exception if the arrays do not match. */
  ArrayPacker(const Array & image, const Array * limits, const Array * mask, bool wantsValues);

  /** Packs a row, see CudaConnectedComponentLabeler::RowPackerType. */
  void
  operator()(std::uint64_t row, std::uint32_t * words) const;

  /** Returns what the values of the packed rows are. Without `wantsValues`, nothing is known. */
  PixelValues
  GetValues() const
  {
    return m_Observing ? m_Observing->GetValues() : PixelValues{};
  }

private:
  CudaConnectedComponentImageView                  m_Image;
  itk::ccl::Foreground                             m_Foreground;
  std::optional<CudaConnectedComponentImageView>   m_Mask;
  mutable std::optional<itk::ccl::ObservingPacker> m_Observing; // if the values are wanted
};

#endif
