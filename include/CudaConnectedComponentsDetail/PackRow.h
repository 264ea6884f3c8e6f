// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_PackRow_h
#define CudaConnectedComponentsDetail_PackRow_h

#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "itkCudaConnectedComponentLabeler.h"
#include "itkImageScanlineConstIterator.h"
#include "itkNumericTraits.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Packs `count` pixels of a row to bits, from the index `begin` on. The pixels must lie in the buffered region.
 * `words` is as for CudaConnectedComponentLabeler::PackRow(). */
template <typename TImage>
void
PackRow(const TImage & image, const typename TImage::IndexType & begin, SizeValueType count, std::uint32_t * words)
{
  if constexpr (HasScalarBuffer<TImage>)
  {
    const auto * const pixels = image.GetBufferPointer() + image.ComputeOffset(begin);
    CudaConnectedComponentLabeler::PackRow(pixels, count, words);
  }
  else
  {
    typename TImage::SizeType size;
    size.Fill(1);
    size[0] = count;
    ImageScanlineConstIterator<TImage> it(&image, { begin, size });
    CudaConnectedComponentLabeler::PackBits(count, words, [&it](std::uint64_t) {
      const typename TImage::PixelType pixel = it.Get();
      ++it;
      return pixel != NumericTraits<typename TImage::PixelType>::ZeroValue(pixel);
    });
  }
}

/** Clears the bits of the pixels of a row that are zero in a mask. `begin` is the index of the first pixel. */
template <typename TMask>
void
MaskRow(const TMask & mask, typename TMask::IndexType begin, SizeValueType count, std::uint32_t * words)
{
  // Masks 2,048 pixels at a time, because their bits fit on the stack.
  constexpr SizeValueType wordsOfChunk = 64;
  constexpr SizeValueType pixelsOfChunk = 32 * wordsOfChunk;
  for (SizeValueType first = 0; first < count; first += pixelsOfChunk)
  {
    const SizeValueType pixels = std::min(count - first, pixelsOfChunk);
    std::uint32_t       maskWords[wordsOfChunk];
    PackRow(mask, begin, pixels, maskWords);
    std::uint32_t * const chunk = words + first / 32;
    std::transform(maskWords, maskWords + (pixels + 31) / 32, chunk, chunk, std::bit_and<>());
    begin[0] += pixelsOfChunk;
  }
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
