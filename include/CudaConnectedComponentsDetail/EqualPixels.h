// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_EqualPixels_h
#define CudaConnectedComponentsDetail_EqualPixels_h

#include "CudaConnectedComponentsExport.h"

#include <cstddef>
#include <cstdint>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Finds the pixels of a row that equal a value. The function is thread-safe. */
class CudaConnectedComponents_EXPORT EqualPixels
{
public:
  /** Packs integers to bits: 1 for pixels that equal `value`.
   * \param pixels the pixels, aligned to their size
   * \param pixelSize size of a pixel: 1, 2, 4 or 8 bytes
   * \param value a pixel, as an unsigned integer of the same size
   * \param other a second value, in the same way
   * \param words as for CudaConnectedComponentLabeler::PackRow()
   * \return whether all other pixels equal `other` */
  static bool Pack(const void *    pixels,
                   std::size_t     pixelSize,
                   std::uint64_t   count,
                   std::uint64_t   value,
                   std::uint64_t   other,
                   std::uint32_t * words);
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
