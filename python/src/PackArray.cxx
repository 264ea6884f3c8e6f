// SPDX-License-Identifier: Apache-2.0
#include "PackArray.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace
{

using itk::CudaConnectedComponentLabeler;

/** A half-precision number. */
struct Half
{
  std::uint16_t bits;

  /** Converts to single precision. The conversion is exact. */
  explicit
  operator float() const
  {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = bits >> 10 & 0x1FU;
    const std::uint32_t fraction = bits & 0x3FFU;
    if (exponent == 0)
    {
      const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
      return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t biased = exponent == 0x1FU ? 0xFFU : exponent + 112;
    const std::uint32_t single = sign | biased << 23 | fraction << 13;
    float               value = 0.0F;
    std::memcpy(&value, &single, sizeof(value));
    return value;
  }
};

/** Returns an element as a number to compare. The element may have any address. */
template <typename T>
auto
Load(const char * element)
{
  T value;
  std::memcpy(&value, element, sizeof(T));
  if constexpr (std::is_same<T, Half>::value)
  {
    return static_cast<float>(value);
  }
  else
  {
    return value;
  }
}

/** Writes 1 for each element that satisfies a condition, and 0 for the others. */
template <typename T, typename TCondition>
void
Binarize(const char *       elements,
         std::ptrdiff_t     stride,
         std::uint64_t      count,
         const TCondition & condition,
         std::uint8_t *     bytes)
{
  const auto write = [&](std::ptrdiff_t distance) {
    for (std::uint64_t i = 0; i < count; ++i)
    {
      bytes[i] = condition(Load<T>(elements + static_cast<std::ptrdiff_t>(i) * distance)) ? 1 : 0;
    }
  };
  // A constant distance, so that compilers vectorize the loop.
  stride == sizeof(T) ? write(sizeof(T)) : write(stride);
}

/** Packs the elements that satisfy a condition. */
template <typename T, typename TCondition>
void
PackIf(const char *       elements,
       std::ptrdiff_t     stride,
       std::uint64_t      count,
       const TCondition & condition,
       std::uint32_t *    words)
{
  constexpr std::uint64_t elementsOfChunk = 2048;
  std::uint8_t            bytes[elementsOfChunk];
  for (std::uint64_t first = 0; first < count; first += elementsOfChunk)
  {
    const std::uint64_t inChunk = std::min(count - first, elementsOfChunk);
    Binarize<T>(elements + static_cast<std::ptrdiff_t>(first) * stride, stride, inChunk, condition, bytes);
    CudaConnectedComponentLabeler::PackRow(bytes, inChunk, words + first / 32);
  }
}

template <typename T>
void
PackElements(const char *    elements,
             std::ptrdiff_t  stride,
             std::uint64_t   count,
             const Array *   limits,
             std::uint32_t * words)
{
  if (limits != nullptr)
  {
    const auto lower = Load<T>(limits->GetRow(0));
    const auto upper = Load<T>(limits->GetRow(0) + limits->GetStride());
    PackIf<T>(elements, stride, count, [=](auto value) { return value >= lower && value <= upper; }, words);
    return;
  }
  if constexpr (!std::is_same<T, Half>::value)
  {
    if (stride == sizeof(T) && reinterpret_cast<std::uintptr_t>(elements) % sizeof(T) == 0)
    {
      CudaConnectedComponentLabeler::PackRow(reinterpret_cast<const T *>(elements), count, words);
      return;
    }
  }
  PackIf<T>(elements, stride, count, [](auto value) { return value != 0; }, words);
}

void
PackRowOf(const Array & array, const Array * limits, std::uint64_t row, std::uint32_t * words)
{
  const auto pack = [&](auto type) {
    PackElements<decltype(type)>(array.GetRow(row), array.GetStride(), array.GetSize()[0], limits, words);
  };
  switch (array.GetType())
  {
    case ElementType::Half:
      return pack(Half{});
    case ElementType::Float:
      return pack(float{});
    case ElementType::Double:
      return pack(double{});
    case ElementType::Bool:
      return pack(std::uint8_t{});
    default:
      return VisitInteger(array.GetType(), pack);
  }
}

} // namespace

ArrayPacker::ArrayPacker(const Array & image, const Array * limits, const Array * mask)
  : m_Image(image)
  , m_Limits(limits)
  , m_Mask(mask)
{
  if (limits != nullptr && (limits->GetCount() != 2 || limits->GetType() != image.GetType()))
  {
    throw nanobind::value_error("the limits must be two numbers of the image's type");
  }
  if (mask != nullptr && mask->GetSize() != image.GetSize())
  {
    throw nanobind::value_error("the mask must have the shape of the image");
  }
}

void
ArrayPacker::operator()(std::uint64_t row, std::uint32_t * words) const
{
  PackRowOf(m_Image, m_Limits, row, words);
  if (m_Mask == nullptr)
  {
    return;
  }
  const std::uint64_t                     wordCount = (m_Image.GetSize()[0] + 31) / 32;
  thread_local std::vector<std::uint32_t> maskWords;
  maskWords.resize(wordCount);
  PackRowOf(*m_Mask, nullptr, row, maskWords.data());
  for (std::uint64_t i = 0; i < wordCount; ++i)
  {
    words[i] &= maskWords[i];
  }
}
