// SPDX-License-Identifier: Apache-2.0
#include "PackArray.h"

#include "primitives/ImageRows.h"

using itk::ccl::Foreground;

ArrayPacker::ArrayPacker(const Array & image, const Array * limits, const Array * mask, bool wantsValues)
  : m_Image(image.GetView())
  , m_Foreground(Foreground::NotZero(m_Image.type))
{
  if (wantsValues)
  {
    m_Observing.emplace(m_Image);
  }
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
  if (m_Observing)
  {
    m_Observing->PackRow(row, words);
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
