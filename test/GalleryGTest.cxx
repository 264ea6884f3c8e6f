// SPDX-License-Identifier: Apache-2.0

// Compares every algorithm of the gallery with ITK's filter, pixel by pixel. The labels of the gallery are not
// consecutive, so they are renumbered in the order of their first pixels.

#include "CudaTestSupport.h"
#include "Oracle.h"
#include "RealImages.h"
#include "ThreadPool.h"

// Tests with CUDA set GALLERY_ON_DEVICE.
#ifdef GALLERY_ON_DEVICE
#  include "GalleryOnDevice.h"
#endif

#include "executors/device/ThreadBlockShape.h"
#include "executors/host/HostExecutor.h"
#include "gallery/Gallery.h"
#include "primitives/Tuning.h"

#include "itkImageRegionConstIterator.h"

#include <string>
#include <vector>

using namespace itk::ccl;
using namespace itk::ccl::gallery;

namespace
{

/** The ways to run an algorithm of the gallery. */
enum class GalleryWay
{
  HostSequential, // HostExecutor on one thread
  HostThreads,    // HostExecutor on several threads
  Host64Bit,      // HostExecutor on one thread, with 64-bit labels
  Device          // DeviceExecutor
};

std::string
NameOf(GalleryWay way)
{
  switch (way)
  {
    case GalleryWay::HostSequential:
      return "HostSequential";
    case GalleryWay::HostThreads:
      return "HostThreads";
    case GalleryWay::Host64Bit:
      return "Host64Bit";
    case GalleryWay::Device:
      return "Device";
  }
  return "";
}

template <typename TAlgorithm, unsigned int VDimension, typename TLabel>
std::vector<std::uint64_t>
RawLabelsOnHost(const HostExecutor & executor, const TestImage & image, bool fullyConnected)
{
  const Grid          size{ image.size[0], image.size[1], image.size[2] };
  std::vector<TLabel> labels(image.pixels.size(), TLabel{ 0xABCDEF });
  TAlgorithm::template Label<VDimension>(executor, image.pixels.data(), size, fullyConnected, labels.data());
  return { labels.begin(), labels.end() };
}

/** Returns the labels that an algorithm writes. */
template <typename TAlgorithm, unsigned int VDimension>
std::vector<std::uint64_t>
RawLabels(GalleryWay way, const TestImage & image, bool fullyConnected)
{
#ifdef GALLERY_ON_DEVICE
  if (way == GalleryWay::Device)
  {
    const auto labels = LabelByGalleryOnDevice(TAlgorithm::Description.name, VDimension, image, fullyConnected);
    return { labels.begin(), labels.end() };
  }
#endif
  if (way == GalleryWay::Host64Bit)
  {
    return RawLabelsOnHost<TAlgorithm, VDimension, std::uint64_t>(HostExecutor(), image, fullyConnected);
  }
  const HostExecutor executor(way == GalleryWay::HostThreads ? ThreadPool::For() : ParallelFor(SequentialFor));
  return RawLabelsOnHost<TAlgorithm, VDimension, std::uint32_t>(executor, image, fullyConnected);
}

/** Replaces each label by its rank, in the order of first pixels. The test fails if a label is not 0 and not 1 + the
 * index of a pixel. If `areFirstPixels`, this must be the first pixel of the component. */
Labels
Renumber(const std::vector<std::uint64_t> & rawLabels, bool areFirstPixels, const std::string & what)
{
  Labels                     labels{ std::vector<std::uint32_t>(rawLabels.size()), 0 };
  std::vector<std::uint32_t> ranks(rawLabels.size() + 1);
  for (std::size_t i = 0; i < rawLabels.size(); ++i)
  {
    const std::uint64_t label = rawLabels[i];
    if (label > rawLabels.size())
    {
      ADD_FAILURE() << what << ": pixel " << i << " has the label " << label;
      break;
    }
    if (label != 0 && ranks[label] == 0)
    {
      if (areFirstPixels && label != i + 1)
      {
        ADD_FAILURE() << what << ": the first pixel " << i << " has the label " << label;
        break;
      }
      ranks[label] = static_cast<std::uint32_t>(++labels.objectCount);
    }
    labels.pixels[i] = ranks[label];
  }
  return labels;
}

/** Compares an algorithm with ITK's labels for face connectivity and for full connectivity. */
template <typename TAlgorithm, unsigned int VDimension>
void
ExpectPartitionOfItk(GalleryWay way, const TestImage & image, const Labels (&expected)[2])
{
  for (const bool fullyConnected : { false, true })
  {
    if (Supports(TAlgorithm::Description, VDimension, fullyConnected))
    {
      const std::string what = image.name + " by " + TAlgorithm::Description.name + " in " +
                               std::to_string(VDimension) + (fullyConnected ? "D, full" : "D, face") + " connectivity";
      const auto rawLabels = RawLabels<TAlgorithm, VDimension>(way, image, fullyConnected);
      const bool areFirstPixels = TAlgorithm::Description.element == LabelElement::FirstPixel;
      ExpectSame(Renumber(rawLabels, areFirstPixels, what), expected[fullyConnected], what);
    }
  }
}

class CudaConnectedComponentsGalleryLabeling : public testing::TestWithParam<GalleryWay>
{
protected:
  void
  SetUp() override
  {
    if (GetParam() == GalleryWay::Device)
    {
      SKIP_WITHOUT_DEVICE();
    }
    bool isAnyTested = false;
    VisitGallery([&](auto row) { isAnyTested = isAnyTested || IsTested(decltype(row)::Description.name); });
    if (!isAnyTested)
    {
      GTEST_SKIP() << "CUDA_CONNECTED_COMPONENTS_TEST_ALGORITHM is no algorithm of this test";
    }
  }

  /** Compares all algorithms with ITK. A small plane is also labeled as a volume of one plane. Skips images that are so
   * small that HostExecutor would label them on one of its threads. */
  static void
  ExpectPartitionsOfItk(const TestImage & image)
  {
    if (GetParam() == GalleryWay::HostThreads && image.pixels.size() <= Tuning::HostCellsOfOneThread)
    {
      return;
    }
    const Labels expected[] = { LabelByItk(image, false), LabelByItk(image, true) };
    VisitGallery([&](auto row) {
      using AlgorithmType = decltype(row);
      if (!IsTested(AlgorithmType::Description.name))
      {
        return;
      }
      if (image.size[2] == 1)
      {
        ExpectPartitionOfItk<AlgorithmType, 2>(GetParam(), image, expected);
      }
      if (image.size[2] > 1 || image.pixels.size() <= 2048)
      {
        ExpectPartitionOfItk<AlgorithmType, 3>(GetParam(), image, expected);
      }
    });
  }
};

TEST_P(CudaConnectedComponentsGalleryLabeling, EveryPlaneUpTo12)
{
  unsigned int seed = 1;
  for (std::uint64_t y = 1; y <= 12; ++y)
  {
    for (std::uint64_t x = 1; x <= 12; ++x)
    {
      for (int repetition = 0; repetition < 2; ++repetition, ++seed)
      {
        ExpectPartitionsOfItk(MakeRandom({ x, y, 1 }, 20 + 10 * (seed % 6), 1 + seed % 2, seed));
      }
    }
  }
}

TEST_P(CudaConnectedComponentsGalleryLabeling, EveryVolumeUpTo5)
{
  unsigned int seed = 1001;
  for (std::uint64_t z = 1; z <= 5; ++z)
  {
    for (std::uint64_t y = 1; y <= 5; ++y)
    {
      for (std::uint64_t x = 1; x <= 5; ++x, ++seed)
      {
        ExpectPartitionsOfItk(MakeRandom({ x, y, z }, 5 + 9 * (seed % 7), 1 + seed % 2, seed));
      }
    }
  }
}

TEST_P(CudaConnectedComponentsGalleryLabeling, EveryTenthDensity)
{
  for (unsigned int density = 0; density <= 100; density += 10)
  {
    ExpectPartitionsOfItk(MakeRandom({ 65, 33, 1 }, density, 1, 4001 + density));
    ExpectPartitionsOfItk(MakeRandom({ 35, 13, 11 }, density, 1, 5001 + density));
  }
}

TEST_P(CudaConnectedComponentsGalleryLabeling, EveryGranularity)
{
  for (unsigned int granularity = 1; granularity <= 16; ++granularity)
  {
    ExpectPartitionsOfItk(MakeRandom({ 69, 67, 1 }, 50, granularity, 6001 + granularity));
    ExpectPartitionsOfItk(MakeRandom({ 19, 18, 17 }, 25, granularity, 7001 + granularity));
  }
}

TEST_P(CudaConnectedComponentsGalleryLabeling, Shapes)
{
  for (const TestImage & image : MakeShapes())
  {
    // Along this curve of 8191 pixels, neighbor propagation takes thousands of rounds, which last 3 seconds.
    if (image.name != "Hilbert 31x31x31")
    {
      ExpectPartitionsOfItk(image);
    }
  }
}

// Also has enough blocks of 2 x 2 and 2 x 2 x 2 pixels for several threads of HostExecutor.
TEST_P(CudaConnectedComponentsGalleryLabeling, SeveralThreadBlocksAndChunks)
{
  for (const unsigned int density : { 30, 45, 60, 75, 90 })
  {
    ExpectPartitionsOfItk(MakeRandom({ 193, 191, 1 }, density, 1 + density % 4, 8001 + density));
  }
  ExpectPartitionsOfItk(MakeRandom({ 61, 45, 31 }, 30, 1, 8101));
  ExpectPartitionsOfItk(MakeRandom({ 3, 5, 2001 }, 40, 1, 8102));
}

/** Returns a part of a mask. `begin` and `size` are the first pixel of the part and its size. */
TestImage
CropOf(const RealMaskType * mask, const std::string & name, const itk::Index<3> & begin, const itk::Size<3> & size)
{
  TestImage image;
  image.name = name;
  image.size = { size[0], size[1], size[2] };
  for (itk::ImageRegionConstIterator<RealMaskType> it(mask, { begin, size }); !it.IsAtEnd(); ++it)
  {
    image.pixels.push_back(it.Get());
  }
  return image;
}

// Takes the middle slice of each image, and pixels in the middle of it as a volume. Whole volumes would take neighbor
// propagation minutes.
TEST_P(CudaConnectedComponentsGalleryLabeling, RealImages)
{
  SKIP_WITHOUT_REAL_IMAGES();
  VisitRealMasks([](const RealMaskType * mask, const std::string & name) {
    const itk::ImageRegion<3> region = mask->GetLargestPossibleRegion();
    itk::Index<3>             begin = region.GetIndex();
    itk::Size<3>              size = region.GetSize();
    begin[2] += static_cast<itk::IndexValueType>(size[2] / 2);
    size[2] = 1;
    ExpectPartitionsOfItk(CropOf(mask, name, begin, size));
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const itk::SizeValueType whole = region.GetSize(axis);
      size[axis] = std::min<itk::SizeValueType>(whole, 40);
      begin[axis] = region.GetIndex(axis) + static_cast<itk::IndexValueType>((whole - size[axis]) / 2);
    }
    ExpectPartitionsOfItk(CropOf(mask, name, begin, size));
  });
}

// A kernel has at most 65,535 thread blocks along y and z. These images would need one more.
TEST_P(CudaConnectedComponentsGalleryLabeling, MoreThreadBlocksThanCudaStarts)
{
  if (GetParam() != GalleryWay::Device)
  {
    GTEST_SKIP() << "only the device has thread blocks";
  }
  constexpr std::uint64_t maximum = 65535;
  constexpr std::uint64_t many = std::uint64_t{ 1 } << 20;
  constexpr std::uint64_t planeRows = maximum * CompactThreadBlock({ 17, many, 1 }).y + 9;
  constexpr std::uint64_t slices = maximum * CompactThreadBlock({ 17, 5, many }).z + 1;
  const TestImage         plane = MakeRandom({ 17, planeRows, 1 }, 40, 1, 9001);
  const Labels            expectedOfPlane[] = { LabelByItk(plane, false), LabelByItk(plane, true) };
  ExpectPartitionOfItk<KomuraEquivalenceAlgorithm, 2>(GetParam(), plane, expectedOfPlane);
  const TestImage volume = MakeRandom({ 17, 5, slices }, 30, 1, 9002);
  const Labels    expectedOfVolume[] = { LabelByItk(volume, false), LabelByItk(volume, true) };
  ExpectPartitionOfItk<PixelUnionFindAlgorithm, 3>(GetParam(), volume, expectedOfVolume);
}

INSTANTIATE_TEST_SUITE_P(
  Ways,
  CudaConnectedComponentsGalleryLabeling,
  testing::Values(GalleryWay::HostSequential, GalleryWay::HostThreads, GalleryWay::Host64Bit, GalleryWay::Device),
  [](const testing::TestParamInfo<GalleryWay> & instance) { return NameOf(instance.param); });

} // namespace
