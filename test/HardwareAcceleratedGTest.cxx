// SPDX-License-Identifier: Apache-2.0

// Tests the parts of HA4 and HA8 (hardware accelerated) that the filter does not reach: both widths of a chunk, and the
// features of components. LabelingGTest compares the labels of the filter's width with ITK's in many more images.

#include "Oracle.h"
#include "ThreadPool.h"

#include "algorithms/published/ComponentFeatures.h"
#include "algorithms/published/HardwareAcceleratedFeatures.h"
#include "executors/host/HostExecutor.h"

#include <algorithm>
#include <random>

using namespace itk::ccl;

namespace
{

template <typename TMask>
class CudaConnectedComponentsHardwareAcceleratedChunks : public testing::Test
{};
using MaskTypes = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(CudaConnectedComponentsHardwareAcceleratedChunks, MaskTypes, );

/** Returns the index of the first pixel of each object. */
std::vector<std::uint64_t>
FirstPixelsOf(const Labels & labels)
{
  std::vector<std::uint64_t> firstPixels;
  for (std::uint64_t i = 0; i < labels.pixels.size(); ++i)
  {
    if (labels.pixels[i] > firstPixels.size())
    {
      firstPixels.push_back(i);
    }
  }
  return firstPixels;
}

/** Expects that each label is 1 + the index of the first pixel of the object. */
template <unsigned int VDimension, typename TMask, typename TLabel>
void
ExpectFirstPixels(const HostExecutor & executor, const TestImage & image, bool fullyConnected, const Labels & expected)
{
  const Grid          size{ image.size[0], image.size[1], image.size[2] };
  std::vector<TLabel> labels(image.pixels.size(), TLabel{ 0xABCDEF });
  HardwareAccelerated::Label<VDimension, TMask>(executor, image.pixels.data(), size, fullyConnected, labels.data());
  const auto  firstPixels = FirstPixelsOf(expected);
  std::size_t differences = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const std::uint32_t object = expected.pixels[i];
    differences += labels[i] != (object == 0 ? 0 : firstPixels[object - 1] + 1);
  }
  EXPECT_EQ(differences, 0U) << image.name << ", fully connected: " << fullyConnected;
}

/** Expects the features that a loop over ITK's labels computes. */
template <unsigned int VDimension, typename TMask, typename TLabel>
void
ExpectFeatures(const HostExecutor & executor, const TestImage & image, bool fullyConnected, const Labels & expected)
{
  const Grid                            size{ image.size[0], image.size[1], image.size[2] };
  const std::size_t                     count = image.pixels.size();
  std::vector<TLabel>                   memory(count, TLabel{ 0xABCDEF });
  std::vector<TLabel>                   pixelCounts(count, TLabel{ 0xABCDEF });
  std::vector<std::uint64_t>            sums[VDimension];
  std::vector<TLabel>                   minimums[VDimension];
  std::vector<TLabel>                   maximums[VDimension];
  ComponentFeatures<VDimension, TLabel> features{};
  features.pixelCounts = pixelCounts.data();
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    sums[axis].assign(count, 7);
    minimums[axis].assign(count, 7);
    maximums[axis].assign(count, 7);
    features.sums[axis] = sums[axis].data();
    features.minimums[axis] = minimums[axis].data();
    features.maximums[axis] = maximums[axis].data();
  }
  HardwareAccelerated::Measure<VDimension, TMask>(
    executor, image.pixels.data(), size, fullyConnected, memory.data(), features);

  struct Expected
  {
    std::uint64_t pixelCount = 0;
    std::uint64_t sums[3] = {};
    std::uint64_t minimums[3] = { ~std::uint64_t{ 0 }, ~std::uint64_t{ 0 }, ~std::uint64_t{ 0 } };
    std::uint64_t maximums[3] = {};
  };
  const auto            firstPixels = FirstPixelsOf(expected);
  std::vector<Expected> objects(firstPixels.size());
  for (std::size_t i = 0; i < count; ++i)
  {
    if (expected.pixels[i] != 0)
    {
      Expected &          object = objects[expected.pixels[i] - 1];
      const Cell          cell = CellAt(size, i);
      const std::uint64_t position[] = { cell.x, cell.y, cell.z };
      ++object.pixelCount;
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        object.sums[axis] += position[axis];
        object.minimums[axis] = std::min(object.minimums[axis], position[axis]);
        object.maximums[axis] = std::max(object.maximums[axis], position[axis]);
      }
    }
  }
  const std::string what = image.name + (fullyConnected ? ", full connectivity" : ", face connectivity");
  const auto        zeros = static_cast<std::size_t>(std::count(pixelCounts.begin(), pixelCounts.end(), TLabel{ 0 }));
  EXPECT_EQ(zeros, count - objects.size()) << what;
  for (std::size_t i = 0; i < objects.size(); ++i)
  {
    const std::uint64_t root = firstPixels[i];
    EXPECT_EQ(pixelCounts[root], objects[i].pixelCount) << what;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      EXPECT_EQ(sums[axis][root], objects[i].sums[axis]) << what << ", axis " << axis;
      EXPECT_EQ(minimums[axis][root], objects[i].minimums[axis]) << what << ", axis " << axis;
      EXPECT_EQ(maximums[axis][root], objects[i].maximums[axis]) << what << ", axis " << axis;
    }
  }
}

/** Checks labels and features of an image for both connectivities. */
template <typename TMask, typename TLabel>
void
ExpectLabelsAndFeatures(const HostExecutor & executor, const TestImage & image)
{
  for (const bool fullyConnected : { false, true })
  {
    const Labels expected = LabelByItk(image, fullyConnected);
    if (image.size[2] == 1)
    {
      ExpectFirstPixels<2, TMask, TLabel>(executor, image, fullyConnected, expected);
      ExpectFeatures<2, TMask, TLabel>(executor, image, fullyConnected, expected);
    }
    ExpectFirstPixels<3, TMask, TLabel>(executor, image, fullyConnected, expected);
    ExpectFeatures<3, TMask, TLabel>(executor, image, fullyConnected, expected);
  }
}

TYPED_TEST(CudaConnectedComponentsHardwareAcceleratedChunks, DistancesEqualALoop)
{
  constexpr unsigned int columns = HardwareAccelerated::ColumnCount<TypeParam>;
  std::mt19937_64        random(1);
  std::vector<TypeParam> masks{ 0, 1, static_cast<TypeParam>(~TypeParam{ 0 }), TypeParam{ 1 } << (columns - 1) };
  for (unsigned int i = 0; i < 200; ++i)
  {
    masks.push_back(static_cast<TypeParam>(i % 2 == 0 ? random() & random() : random() | random() | random()));
  }
  for (const TypeParam mask : masks)
  {
    const auto isSet = [mask](unsigned int column) { return (mask >> column & 1U) != 0; };
    for (unsigned int column = 0; column < columns; ++column)
    {
      unsigned int start = column;
      while (start > 0 && isSet(start - 1))
      {
        --start;
      }
      EXPECT_EQ(HardwareAccelerated::StartDistance(mask, column), column - start) << mask;
      if (isSet(column))
      {
        unsigned int end = column;
        while (end < columns && isSet(end))
        {
          ++end;
        }
        EXPECT_EQ(HardwareAccelerated::EndDistance(mask, column), end - column) << mask;
      }
    }
  }
}

// The widths lie around multiples of the 32 or 64 columns of a chunk, and of the 1024 pixels of a line.
TYPED_TEST(CudaConnectedComponentsHardwareAcceleratedChunks, EveryKindOfWidth)
{
  unsigned int seed = 41001;
  for (const std::uint64_t x : { 1, 2, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 993, 1025, 2049 })
  {
    for (const unsigned int density : { 20, 50, 65, 90, 100 })
    {
      const std::uint64_t y = 1 + seed % 11;
      ExpectLabelsAndFeatures<TypeParam, std::uint32_t>(HostExecutor(), MakeRandom({ x, y, 1 }, density, 1, seed++));
      ExpectLabelsAndFeatures<TypeParam, std::uint64_t>(HostExecutor(), MakeRandom({ x, y, 3 }, density, 2, seed++));
    }
  }
}

TYPED_TEST(CudaConnectedComponentsHardwareAcceleratedChunks, Shapes)
{
  for (const TestImage & image : MakeShapes())
  {
    ExpectLabelsAndFeatures<TypeParam, std::uint32_t>(HostExecutor(), image);
  }
}

TYPED_TEST(CudaConnectedComponentsHardwareAcceleratedChunks, SeveralThreads)
{
  const HostExecutor executor(ThreadPool::For());
  for (const unsigned int density : { 35, 45, 60, 80 })
  {
    ExpectLabelsAndFeatures<TypeParam, std::uint32_t>(executor,
                                                      MakeRandom({ 130, 700, 1 }, density, 1, 42001 + density));
    ExpectLabelsAndFeatures<TypeParam, std::uint64_t>(executor,
                                                      MakeRandom({ 70, 30, 25 }, density / 2, 1, 43001 + density));
  }
}

// 2500 x 2500 pixels: the sums exceed 32 bits.
TYPED_TEST(CudaConnectedComponentsHardwareAcceleratedChunks, LargeSums)
{
  const TestImage image = MakeImage("one component", { 2500, 2500, 1 }, 1);
  ExpectFeatures<2, TypeParam, std::uint32_t>(
    HostExecutor(), image, false, { std::vector<std::uint32_t>(image.pixels.size(), 1), 1 });
}

} // namespace
