// SPDX-License-Identifier: Apache-2.0

// Tests of the executor of a device, which the library does not export.

#include "CudaTestSupport.h"
#include "DenseImages.h"
#include "ScanTest.h"

#include "algorithms/runs/PackForeground.h"
#include "algorithms/runs/RunUnionFind.h"
#include "executors/device/CudaContext.cuh"
#include "executors/device/DeviceExecutor.cuh"
#include "executors/host/HostExecutor.h"
#include "primitives/Atomics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace
{

using namespace itk::ccl;

/** Copies elements from device memory to the host. */
struct Reader
{
  cudaStream_t stream;

  template <typename T>
  std::vector<T>
  operator()(const T * memory, std::uint64_t count) const
  {
    std::vector<T> elements(count);
    CCL_CHECK(cudaMemcpyAsync(elements.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
    CCL_CHECK(cudaStreamSynchronize(stream));
    return elements;
  }
};

TEST(CudaConnectedComponentsDeviceExecutor, ScansValues)
{
  SKIP_WITHOUT_DEVICE();
  const CurrentDevice device(-1);
  DeviceResources &   resources = DeviceResources::Of(device.Get());
  const cudaStream_t  stream = resources.TakeStream();
  ScanTest::ExpectPrefixesOfAllSizes(DeviceExecutor(resources, stream), Reader{ stream });
  resources.ReturnStream(stream);
}

/** The sum of 2^30 values exceeds 32 bits. More tiles than thread blocks wait for each other. */
TEST(CudaConnectedComponentsDeviceExecutor, ScansVeryManyValues)
{
  SKIP_WITHOUT_DEVICE();
  const CurrentDevice         device(-1);
  DeviceResources &           resources = DeviceResources::Of(device.Get());
  const cudaStream_t          stream = resources.TakeStream();
  constexpr std::uint64_t     count = (std::uint64_t{ 1 } << 30) + 1;
  constexpr ScanTest::ValueAt valueAt{ 255 };
  std::uint64_t               expected = 0;
  for (std::uint64_t i = 0; i < count; ++i)
  {
    expected += valueAt(i);
  }
  ASSERT_GT(expected, std::uint64_t{ 1 } << 32);
  for (int repetition = 0; repetition < 10; ++repetition)
  {
    EXPECT_EQ(SumOf<std::uint64_t>(DeviceExecutor(resources, stream), count, valueAt), expected);
  }
  resources.ReturnStream(stream);
}

/** Kernel functor that adds 1 to the count of its cell. */
struct CountCell
{
  Grid           grid;
  unsigned int * counts;

  CCL_HOST_DEVICE
  void
  operator()(const Cell & cell) const
  {
    AtomicAdd(counts + IndexOf(grid, cell), 1U);
  }
};

/** CUDA starts at most 65,535 thread blocks along y and z. */
TEST(CudaConnectedComponentsDeviceExecutor, VisitsEachCellOnce)
{
  SKIP_WITHOUT_DEVICE();
  const CurrentDevice device(-1);
  DeviceResources &   resources = DeviceResources::Of(device.Get());
  const cudaStream_t  stream = resources.TakeStream();
  for (const Grid & grid : { Grid{ 1, 9000001, 1 }, Grid{ 2, 1, 4300001 }, Grid{ 1, 3, 0 }, Grid{ 0, 3, 2 } })
  {
    const DeviceExecutor executor(resources, stream);
    const auto           counts = executor.AllocateCleared<unsigned int>(grid.Count());
    executor.ForEach(grid, CountCell{ grid, counts.get() });
    const std::vector<unsigned int> found = Reader{ stream }(counts.get(), grid.Count());
    EXPECT_EQ(std::count(found.begin(), found.end(), 1U), static_cast<std::ptrdiff_t>(grid.Count()))
      << grid.x << " x " << grid.y << " x " << grid.z;
  }
  resources.ReturnStream(stream);
}

/** Expects that labeling takes exactly the memory that was measured, and that the labels are those of the host. */
template <typename TRowGroup, typename TRun>
void
ExpectLabelsInArena(const Grid & size, Neighbors neighbors, const RunCapacity * capacity, bool onlyRoots)
{
  const CurrentDevice       device(-1);
  DeviceResources &         resources = DeviceResources::Of(device.Get());
  const cudaStream_t        stream = resources.TakeStream();
  std::mt19937              random(7);
  std::vector<std::uint8_t> pixels(size.Count());
  for (std::uint8_t & pixel : pixels)
  {
    pixel = random() % 3 == 0;
  }
  const HostExecutor  host;
  std::vector<Word>   bits(WordsOf(size).Count());
  const auto          expectedGroups = PackRowGroups<TRowGroup>(host, pixels.data(), size, bits.data());
  const std::uint64_t runCount = CountRuns<TRun>(host, expectedGroups.groups);
  const auto expected = LabelRuns<TRun>(host, expectedGroups.groups, neighbors, RunCapacity::Exactly(runCount));
  {
    const DeviceExecutor executor(resources, stream);
    const auto           devicePixels = executor.Allocate<std::uint8_t>(size.Count());
    const auto           deviceBits = executor.Allocate<Word>(bits.size());
    CCL_CHECK(cudaMemcpyAsync(devicePixels.get(), pixels.data(), pixels.size(), cudaMemcpyHostToDevice, stream));
    const auto              grouped = PackRowGroups<TRowGroup>(executor, devicePixels.get(), size, deviceBits.get());
    const MeasuringExecutor measuring(SortStorageBytes);
    const RunCapacity       used = capacity != nullptr ? *capacity : RunCapacity::Exactly(runCount);
    const RankTarget<TRun>  target{ onlyRoots };
    LabelRuns<TRun>(measuring, grouped.groups, neighbors, used, {}, target);
    DeviceArena arena(resources, measuring.GetSize(), stream);
    const auto  runs = LabelRuns<TRun>(executor.In(arena), grouped.groups, neighbors, used, {}, target);
    EXPECT_EQ(arena.GetLeft().cleared, 0U);
    EXPECT_EQ(arena.GetLeft().uncleared, 0U);
    if (used.runs < runCount)
    {
      EXPECT_EQ(Await(executor, runs.componentCount), 0U);
    }
    else
    {
      EXPECT_EQ(Await(executor, runs.componentCount), expected.componentCount.GetOrZero());
      const std::vector<TRun> ranks = Reader{ stream }(runs.ranks.get(), runCount);
      const std::vector<TRun> roots = onlyRoots ? Reader{ stream }(runs.roots.get(), runCount) : std::vector<TRun>();
      const RanksOfRuns<TRun> found(ranks.data(), onlyRoots ? roots.data() : nullptr);
      for (std::uint64_t run = 0; run < runCount; ++run)
      {
        ASSERT_EQ(found[run], expected.ranks.get()[run]) << run;
      }
    }
  }
  CCL_CHECK(cudaStreamSynchronize(stream));
  resources.ReturnStream(stream);
}

TEST(CudaConnectedComponentsDeviceExecutor, LabelingTakesTheMeasuredMemory)
{
  SKIP_WITHOUT_DEVICE();
  const RunCapacity ample = RunCapacity::AtMost(10000000);
  const RunCapacity tight = RunCapacity::AtMost(10);
  for (const bool onlyRoots : { false, true })
  {
    for (const RunCapacity * const capacity : { static_cast<const RunCapacity *>(nullptr), &ample, &tight })
    {
      ExpectLabelsInArena<SingleRow, std::uint32_t>({ 100, 90, 80 }, Neighbors::Face, capacity, onlyRoots);
      ExpectLabelsInArena<SingleRow, std::uint32_t>({ 100, 90, 80 }, Neighbors::Full, capacity, onlyRoots);
      ExpectLabelsInArena<SingleRow, std::uint64_t>({ 100, 90, 80 }, Neighbors::Full, capacity, onlyRoots);
      ExpectLabelsInArena<SingleRow, std::uint32_t>({ 300, 200, 1 }, Neighbors::Face, capacity, onlyRoots);
      ExpectLabelsInArena<SingleRow, std::uint32_t>({ 300, 200, 1 }, Neighbors::Full, capacity, onlyRoots);
      ExpectLabelsInArena<PlaneRowGroup, std::uint32_t>({ 300, 200, 1 }, Neighbors::Full, capacity, onlyRoots);
      ExpectLabelsInArena<VolumeRowGroup, std::uint32_t>({ 100, 90, 80 }, Neighbors::Full, capacity, onlyRoots);
      ExpectLabelsInArena<VolumeRowGroup, std::uint64_t>({ 100, 90, 80 }, Neighbors::Full, capacity, onlyRoots);
    }
  }
}

} // namespace
