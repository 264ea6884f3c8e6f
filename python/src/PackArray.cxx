// SPDX-License-Identifier: Apache-2.0
#include "PackArray.h"

#include "primitives/Grid.h"
#include "primitives/ImageRows.h"

#include <algorithm>

using itk::ccl::Foreground;

ArrayPacker::ArrayPacker(const Array & image, const Array * limits, const Array * mask, bool checksValues)
  : m_Image(image.GetView())
  , m_Foreground(Foreground::NotZero(m_Image.type))
  , m_ChecksValues(checksValues)
  , m_Values(checksValues ? m_Image.images : 0)
{
  if (limits != nullptr)
  {
    const CudaConnectedComponentImageView & two = limits->GetView();
    if (two.Count() != 2 || two.type != m_Image.type)
    {
      throw nanobind::value_error("the limits must be two numbers of the image's type");
    }
    m_Foreground = Foreground::Between(two.type, itk::ccl::PixelOf(two, 0, 0), itk::ccl::PixelOf(two, 0, 1));
  }
  if (mask != nullptr)
  {
    m_Mask = mask->GetView();
    if (m_Mask->size != m_Image.size || m_Mask->images != m_Image.images)
    {
      throw nanobind::value_error("the mask must have the shape of the image");
    }
  }
}

void
ArrayPacker::operator()(std::uint64_t row, std::uint32_t * words) const
{
  if (m_ChecksValues && !m_HasSeveralValues.load(std::memory_order_relaxed))
  {
    this->PackAndCheck(row, words);
  }
  else
  {
    itk::ccl::PackRowOf(m_Image, row, m_Foreground, words);
  }
  if (m_Mask)
  {
    itk::ccl::MaskRowOf(*m_Mask, row, Foreground::NotZero(m_Mask->type), words);
  }
}

void
ArrayPacker::PackAndCheck(std::uint64_t row, std::uint32_t * words) const
{
  const std::uint64_t count = m_Image.size[0];
  auto &              value = m_Values[m_Image.images == 1 ? 0 : row / (m_Image.size[1] * m_Image.size[2])];
  std::uint64_t       known = value.load(std::memory_order_relaxed);
  if (known == 0)
  {
    itk::ccl::PackRowOf(m_Image, row, m_Foreground, words);
    const std::uint64_t x = itk::ccl::NextPixel(words, 0, count, true);
    if (x == count)
    {
      return;
    }
    const std::uint64_t first = itk::ccl::PixelOf(m_Image, row, x);
    known = value.compare_exchange_strong(known, first) ? first : known;
  }
  // PackBinaryRowOf() compares the background with a value. So 0 is the foreground here, and the bits are inverted.
  if (!itk::ccl::PackBinaryRowOf(m_Image, row, m_Foreground.Inverted(), known, words))
  {
    m_HasSeveralValues = true;
  }
  std::uint32_t * const end = words + itk::ccl::DivideUp(count, itk::ccl::BitsPerWord);
  std::transform(words, end, words, [](std::uint32_t word) { return ~word; });
  if (count % itk::ccl::BitsPerWord != 0)
  {
    end[-1] &= (std::uint32_t{ 1 } << count % itk::ccl::BitsPerWord) - 1;
  }
}
