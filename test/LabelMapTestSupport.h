// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_LabelMapTestSupport_h
#define ccl_test_LabelMapTestSupport_h

// For the tests of the filters that make label maps.

#include "itkLabelMap.h"
#include "itkLabelObject.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

/** The seed of images without another seed. */
constexpr unsigned int DefaultSeed = 20261123;

template <typename TLabel, unsigned int VDimension>
using PlainMap = itk::LabelMap<itk::LabelObject<TLabel, VDimension>>;

/** Makes an image of random pixels with the values of a list. Its region does not start at 0, and its pixels are not
 * cubes. */
template <typename TImage>
typename TImage::Pointer
MakePixels(const typename TImage::SizeType &               size,
           const std::vector<typename TImage::PixelType> & values,
           unsigned int                                    seed = DefaultSeed)
{
  auto                         image = TImage::New();
  typename TImage::IndexType   index;
  typename TImage::SpacingType spacing;
  typename TImage::PointType   origin;
  for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
  {
    index[axis] = axis % 2 == 0 ? -3 : 40;
    spacing[axis] = 0.7 + axis;
    origin[axis] = 12.5 - 31.0 * axis;
  }
  auto direction = image->GetDirection();
  direction[0][0] = direction[1][1] = std::cos(0.4);
  direction[0][1] = -std::sin(0.4);
  direction[1][0] = std::sin(0.4);
  image->SetRegions(typename TImage::RegionType(index, size));
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  image->Allocate();
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    image->GetBufferPointer()[i] = values[random() % values.size()];
  }
  return image;
}

/** Expects equal settings, geometry, objects and lines. */
template <typename TMap>
void
ExpectSameMaps(const TMap & map, const TMap & expected)
{
  EXPECT_EQ(+map.GetBackgroundValue(), +expected.GetBackgroundValue());
  EXPECT_EQ(map.GetLargestPossibleRegion(), expected.GetLargestPossibleRegion());
  EXPECT_EQ(map.GetRequestedRegion(), expected.GetRequestedRegion());
  EXPECT_EQ(map.GetBufferedRegion(), expected.GetBufferedRegion());
  EXPECT_EQ(map.GetOrigin(), expected.GetOrigin());
  EXPECT_EQ(map.GetSpacing(), expected.GetSpacing());
  EXPECT_EQ(map.GetDirection(), expected.GetDirection());
  ASSERT_EQ(map.GetNumberOfLabelObjects(), expected.GetNumberOfLabelObjects());
  typename TMap::ConstIterator it(&map);
  typename TMap::ConstIterator expectedIt(&expected);
  for (; !expectedIt.IsAtEnd(); ++it, ++expectedIt)
  {
    const auto & object = *it.GetLabelObject();
    const auto & expectedObject = *expectedIt.GetLabelObject();
    ASSERT_EQ(+it.GetLabel(), +expectedIt.GetLabel());
    ASSERT_EQ(+object.GetLabel(), +expectedObject.GetLabel());
    ASSERT_EQ(object.GetNumberOfLines(), expectedObject.GetNumberOfLines()) << "label " << +object.GetLabel();
    for (itk::SizeValueType i = 0; i < object.GetNumberOfLines(); ++i)
    {
      ASSERT_EQ(object.GetLine(i).GetIndex(), expectedObject.GetLine(i).GetIndex()) << "line " << i;
      ASSERT_EQ(object.GetLine(i).GetLength(), expectedObject.GetLine(i).GetLength()) << "line " << i;
    }
  }
}

#endif
