// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Preview_hxx
#define ccl_tool_Preview_hxx

#include "itkImageRegionConstIteratorWithIndex.h"

template <typename TPixel, typename TImage, typename TFunction>
typename itk::Image<TPixel, 2>::Pointer
Slice(const TImage * image, unsigned int across, unsigned int down, itk::IndexValueType index, const TFunction & pixel)
{
  using SliceType = itk::Image<TPixel, 2>;
  constexpr unsigned int Dimension = TImage::ImageDimension;

  const auto region = image->GetLargestPossibleRegion();
  const auto size = region.GetSize();
  auto       slice = SliceType::New();
  slice->SetRegions(typename SliceType::SizeType{ { size[across], size[down] } });
  const double spacing[2] = { image->GetSpacing()[across], image->GetSpacing()[down] };
  slice->SetSpacing(spacing);
  slice->Allocate();

  // In ITK, coordinates increase towards the patient's left, back and head.
  const auto & direction = image->GetDirection();
  const bool   mirrorAcross = direction[across][across] < 0.0;
  const bool   mirrorDown = down == 2 ? direction[2 % Dimension][2 % Dimension] > 0.0 : direction[down][down] < 0.0;
  auto         position = region.GetIndex();
  if constexpr (Dimension == 3)
  {
    position[3 - across - down] = index;
  }
  TPixel * out = slice->GetBufferPointer();
  for (itk::SizeValueType y = 0; y < size[down]; ++y)
  {
    position[down] = region.GetIndex(down) + static_cast<itk::IndexValueType>(mirrorDown ? size[down] - 1 - y : y);
    for (itk::SizeValueType x = 0; x < size[across]; ++x)
    {
      position[across] =
        region.GetIndex(across) + static_cast<itk::IndexValueType>(mirrorAcross ? size[across] - 1 - x : x);
      *out++ = pixel(image->GetPixel(position));
    }
  }
  return slice;
}

template <typename TImage>
typename TImage::IndexType
MiddleOf(const TImage * labels, typename TImage::PixelType background)
{
  const auto                 region = labels->GetLargestPossibleRegion();
  std::vector<std::uint64_t> counts[TImage::ImageDimension];
  for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
  {
    counts[axis].resize(region.GetSize(axis));
  }
  std::uint64_t count = 0;
  for (itk::ImageRegionConstIteratorWithIndex<TImage> it(labels, region); !it.IsAtEnd(); ++it)
  {
    if (it.Value() != background)
    {
      ++count;
      for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
      {
        ++counts[axis][static_cast<std::size_t>(it.GetIndex()[axis] - region.GetIndex(axis))];
      }
    }
  }
  auto middle = region.GetIndex();
  for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
  {
    const std::uint64_t half = count / 2;
    std::uint64_t       before = 0;
    std::size_t         i = 0;
    while (count > 0 && before + counts[axis][i] <= half && i + 1 < counts[axis].size())
    {
      before += counts[axis][i++];
    }
    middle[axis] += static_cast<itk::IndexValueType>(count > 0 ? i : region.GetSize(axis) / 2);
  }
  return middle;
}

#endif
