// SPDX-License-Identifier: Apache-2.0

// Compares every algorithm, on the host and on the device, with ITK's filter, pixel by pixel.

#include "Ways.h"
#include "algorithms/runs/RowUnionFind.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

class CudaConnectedComponentsLabeling : public testing::TestWithParam<Way>
{
protected:
  void
  SetUp() override
  {
    if (const std::string reason = ReasonToSkip(GetParam()); !reason.empty())
    {
      GTEST_SKIP() << reason;
    }
    if (MethodsOf(GetParam()).empty())
    {
      GTEST_SKIP() << "CUDA_CONNECTED_COMPONENTS_TEST_ALGORITHM is no algorithm of this test";
    }
  }

  static void
  ExpectLabelsOfItk(const TestImage & image)
  {
    const Labels expected[] = { LabelByItk(image, false), LabelByItk(image, true) };
    for (const Method & method : MethodsOf(GetParam()))
    {
      ExpectSame(
        LabelBy(GetParam(), method, image), expected[method.fullyConnected], image.name + " by " + NameOf(method));
    }
  }
};

const unsigned int Densities[] = { 0, 3, 10, 20, 30, 40, 50, 60, 75, 90, 97, 100 };

TEST_P(CudaConnectedComponentsLabeling, EveryPlaneUpTo17)
{
  unsigned int seed = 1;
  for (std::uint64_t y = 1; y <= 17; ++y)
  {
    for (std::uint64_t x = 1; x <= 17; ++x)
    {
      for (int repetition = 0; repetition < 2; ++repetition, ++seed)
      {
        ExpectLabelsOfItk(MakeRandom({ x, y, 1 }, 20 + 10 * (seed % 6), 1 + seed % 2, seed));
      }
    }
  }
}

TEST_P(CudaConnectedComponentsLabeling, EveryVolumeUpTo6)
{
  unsigned int seed = 1001;
  for (std::uint64_t z = 1; z <= 6; ++z)
  {
    for (std::uint64_t y = 1; y <= 6; ++y)
    {
      for (std::uint64_t x = 1; x <= 6; ++x)
      {
        for (int repetition = 0; repetition < 2; ++repetition, ++seed)
        {
          ExpectLabelsOfItk(MakeRandom({ x, y, z }, 5 + 9 * (seed % 7), 1 + seed % 2, seed));
        }
      }
    }
  }
}

TEST_P(CudaConnectedComponentsLabeling, SampleOfPlanesUpTo70)
{
  std::mt19937 random(2001);
  for (unsigned int seed = 2001; seed < 2061; ++seed)
  {
    ExpectLabelsOfItk(
      MakeRandom({ 1 + random() % 70, 1 + random() % 70, 1 }, Densities[random() % 12], 1 + random() % 16, seed));
  }
}

TEST_P(CudaConnectedComponentsLabeling, SampleOfVolumesUpTo40)
{
  std::mt19937 random(3001);
  for (unsigned int seed = 3001; seed < 3041; ++seed)
  {
    ExpectLabelsOfItk(MakeRandom(
      { 1 + random() % 40, 1 + random() % 40, 1 + random() % 40 }, Densities[random() % 12], 1 + random() % 16, seed));
  }
}

TEST_P(CudaConnectedComponentsLabeling, EveryDensity)
{
  for (unsigned int density = 0; density <= 100; density += 4)
  {
    ExpectLabelsOfItk(MakeRandom({ 65, 33, 1 }, density, 1, 4001 + density));
    ExpectLabelsOfItk(MakeRandom({ 35, 13, 11 }, density, 1, 5001 + density));
  }
}

TEST_P(CudaConnectedComponentsLabeling, EveryGranularity)
{
  for (unsigned int granularity = 1; granularity <= 16; ++granularity)
  {
    ExpectLabelsOfItk(MakeRandom({ 69, 67, 1 }, 50, granularity, 6001 + granularity));
    ExpectLabelsOfItk(MakeRandom({ 37, 35, 33 }, 25, granularity, 7001 + granularity));
  }
}

TEST_P(CudaConnectedComponentsLabeling, Shapes)
{
  for (const TestImage & image : MakeShapes())
  {
    ExpectLabelsOfItk(image);
  }
}

TEST_P(CudaConnectedComponentsLabeling, SeveralThreadBlocksAndChunks)
{
  ExpectLabelsOfItk(MakeRandom({ 1031, 257, 1 }, 50, 1, 8001));
  ExpectLabelsOfItk(MakeRandom({ 131, 67, 43 }, 30, 1, 8002));
  ExpectLabelsOfItk(MakeRandom({ 129, 130, 65 }, 40, 5, 8003));
  ExpectLabelsOfItk(MakeRandom({ 3, 5, 7001 }, 40, 1, 8004));
  ExpectLabelsOfItk(MakeRandom({ 100003, 1, 1 }, 50, 1, 8005));
  ExpectLabelsOfItk(MakeRandom({ 1, 100003, 1 }, 50, 1, 8006));
  ExpectLabelsOfItk(MakeSpiral(401));
  ExpectLabelsOfItk(MakeHilbert(3, 5));
}

// The labels must not depend on the order in which threads run.
TEST_P(CudaConnectedComponentsLabeling, TwiceTheSame)
{
  const TestImage image = MakeRandom({ 101, 99, 31 }, 35, 1, 9001);
  for (const Method & method : MethodsOf(GetParam()))
  {
    const Labels first = LabelBy(GetParam(), method, image);
    const Labels second = LabelBy(GetParam(), method, image);
    EXPECT_EQ(first.pixels, second.pixels) << NameOf(method);
  }
}

// The threads share the rows of planes and of thin volumes, not the planes and slices.
TEST(CudaConnectedComponentsRowUnionFind, FewSlicesHaveManyParts)
{
  using namespace itk::ccl;
  for (const ImageStack & images :
       { StackOf<SingleRow>(Grid{ 512, 512, 1 }, 15), StackOf<SingleRow>(Grid{ 512, 512, 15 }, 1) })
  {
    std::vector<Word> bits(WordsOf(images.GetGrid()).Count());
    const auto        packRow = [](std::uint64_t, Word * words) { std::fill(words, words + 16, 0x55555555U); };
    const auto        packed = PackRows<SingleRow>(SequentialFor, packRow, images, bits.data());
    EXPECT_FALSE(packed.hasThreads);
    EXPECT_GT(RowUnionFind::PartsOf(packed, PartSize{}).size(), images.images == 1 ? 15U : 30U);
    EXPECT_EQ(RowUnionFind::PartsOf(packed, PartSize::Whole()).size(), 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         CudaConnectedComponentsLabeling,
                         testing::Values(Way::HostSequential,
                                         Way::HostThreads,
                                         Way::HostVolume,
                                         Way::Host64Bit,
                                         Way::DeviceToDevice,
                                         Way::HostToHost),
                         [](const testing::TestParamInfo<Way> & instance) { return NameOf(instance.param); });

} // namespace
