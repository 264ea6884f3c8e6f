// SPDX-License-Identifier: Apache-2.0

// Images that go through a device in slabs, because it has too little memory for all of them.

#include "AnalysisTestSupport.h"
#include "TestImages.h"

#include "engine/Slabs.h"
#include "primitives/MemorySize.h"

#include <gtest/gtest.h>

#include <numeric>

namespace
{

using namespace itk::ccl;
using SizeType = CudaConnectedComponentLabeler::SizeType;

/** Images of a few values, and the options that label them. */
struct Case
{
  SizeType                   size;
  std::uint64_t              images;
  std::vector<std::uint16_t> pixels;
  unsigned int               connectivity;
  bool                       byValue;

  View
  GetView() const
  {
    return View::Of(pixels.data(), size).Batch(images);
  }
};

/** Returns images of any shape, with edges of up to `longest` pixels. Many are thin, unless all edges are the longest.
 */
Case
RandomCase(std::mt19937 & random, unsigned int longest, bool isLongest = false)
{
  Case       each;
  const auto length = [&] {
    return isLongest ? std::uint64_t{ longest } : std::uint64_t{ 1 } + random() % (random() % 3 == 0 ? longest : 9);
  };
  const bool             isPlane = !isLongest && random() % 3 == 0;
  constexpr unsigned int ofVolumes[] = { 6, 18, 26 };
  each.size = { length(), length(), isPlane ? 1 : length() };
  each.images = random() % 2 == 0 ? 1 : 1 + random() % 4;
  const bool isFlat = each.size[2] == 1;
  each.connectivity = isFlat ? 4 * (1 + random() % 2) : ofVolumes[random() % 3];
  each.byValue = random() % 3 == 0;
  each.pixels.resize(each.GetView().Count());
  const unsigned int background = random() % 100;
  const unsigned int values = each.byValue ? 1 + random() % 3 : 1;
  for (std::uint16_t & pixel : each.pixels)
  {
    pixel = random() % 100 < background ? 0 : static_cast<std::uint16_t>(1 + random() % values);
  }
  return each;
}

/** Labels the runs of images in slabs, by the functors of the kernels on the host, and expects the ranks of the whole
 * images. Adds the number of slabs. */
template <typename TRun, typename TRowGroup>
void
ExpectSameRanks(const Case & each, const Request & request, std::uint64_t mostWords, std::uint64_t & slabCount)
{
  const ParallelFor parallelFor = ThreadPool::For();
  const ImageStack  stack = StackOf<TRowGroup>(request.size, request.images);
  const auto        memory = AllocateOnHost<Word>(WordsOf(stack.GetGrid()).Count());
  const View        view = each.GetView();
  const Foreground  notZero = Foreground::NotZero(view.type);
  const auto        packRow = [&](std::uint64_t row, Word * words) { PackRowOf(view, row, notZero, words); };
  const auto        bits =
    PackRows<TRowGroup>(parallelFor, packRow, stack, memory.get(), Tuning::HostPixelsPerChunk, &request.values);
  const auto expected = LabelRuns<TRun>(
    HostExecutor(), bits.groups, request.neighbors, RunCapacity::Exactly(bits.runs.total), { &request.values });

  SlabLabeler<TRowGroup> slabs(parallelFor, bits, request);
  const auto             wordsOf = [](const auto & part) { return part.groups.rows.words.Count(); };
  const std::uint64_t    most = slabs.Cut(mostWords, wordsOf);
  slabCount += slabs.GetCount();
  std::uint64_t runs = 0;
  const auto    found = slabs.template Label<TRun>([&](const auto & part) {
    EXPECT_LE(wordsOf(part), most);
    runs += part.runs.runCount;
    return PrepareForHost(parallelFor, part);
  });
  EXPECT_EQ(runs, bits.runs.total);
  ASSERT_EQ(found.componentCount.GetOrZero(), expected.componentCount.GetOrZero());
  for (std::uint64_t run = 0; run < bits.runs.total; ++run)
  {
    ASSERT_EQ(found.ranks[run], expected.ranks[run]) << "run " << run;
  }
}

} // namespace

TEST(CudaConnectedComponentsSlabs, HaveTheRanksOfTheWholeImages)
{
  std::random_device device;
  const unsigned int seed = device();
  std::mt19937       random(seed);
  std::uint64_t      slabCount = 0;
  for (unsigned int i = 0; i < 500; ++i)
  {
    const Case          each = RandomCase(random, 70);
    const std::uint64_t mostWords = std::uint64_t{ 1 } << random() % 12;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", image " + std::to_string(i) + ": " + View::TextOf(each.size) +
                 ", images " + std::to_string(each.images) + ", connectivity " + std::to_string(each.connectivity) +
                 (each.byValue ? ", by value" : "") + ", slabs of at most " + std::to_string(mostWords) + " words");
    Request request;
    request.size = { each.size[0], each.size[1], each.size[2] };
    request.images = each.images;
    request.neighbors = each.connectivity == 18                             ? Neighbors::Edge
                        : each.connectivity == 8 || each.connectivity == 26 ? Neighbors::Full
                                                                            : Neighbors::Face;
    request.isByValue = each.byValue;
    request.values = each.GetView();
    request.output = OutputKind::Labels;
    request.VisitPackedRowGroup([&](auto group) {
      using RowGroupType = decltype(group);
      random() % 2 == 0 ? ExpectSameRanks<std::uint32_t, RowGroupType>(each, request, mostWords, slabCount)
                        : ExpectSameRanks<std::uint64_t, RowGroupType>(each, request, mostWords, slabCount);
    });
    if (HasFatalFailure())
    {
      return;
    }
  }
  EXPECT_GT(slabCount, 1000U);
}

namespace
{

/** Labels, measures and masks images through a device in slabs, and expects the results of the host. Returns the number
 * of slabs. */
std::uint64_t
ExpectSameResults(const Case & each, std::uint64_t deviceMemoryLimit, std::mt19937 & random)
{
  const View                    view = each.GetView();
  std::uint64_t                 slabs = 1;
  CudaConnectedComponentLabeler labeler;
  auto &                        options = labeler.options;
  options.parallelFor = ThreadPool::For();
  options.connectivity = each.connectivity;
  options.byValue = each.byValue;
  options.columns = AllColumns();
  options.columns.values = each.byValue;
  options.selection.minimumSize = random() % 3;
  options.selection.numberOfLargest = random() % 4;
  options.selection.order = static_cast<OrderEnum>(random() % 2);
  options.intensities = random() % 2 == 0 ? view : View();
  const auto work = [&](std::uint64_t limit) {
    std::vector<std::uint32_t>  labels(view.Count());
    std::vector<std::uint16_t>  masked(view.Count());
    CudaConnectedComponentTable table;
    options.onHost = limit == 0;
    options.deviceMemoryLimit = limit;
    options.reportSlabs = [&slabs](std::uint64_t count) { slabs = count; };
    labeler.Label(view, View::Of(labels.data(), each.size).Batch(each.images), 0, &table);
    auto maskOnly = labeler;
    maskOnly.options.intensities = {};
    maskOnly.Mask(view, View::Of(masked.data(), each.size).Batch(each.images));
    return std::tuple(labels,
                      masked,
                      table.pixelCounts,
                      table.minimums,
                      table.maximums,
                      table.sums,
                      table.products,
                      table.firstPixels,
                      table.faces,
                      table.values,
                      table.componentCounts,
                      table.intensities.sums);
  };
  EXPECT_TRUE(work(0) == work(deviceMemoryLimit)) << View::TextOf(each.size);
  return slabs;
}

} // namespace

TEST(CudaConnectedComponentsSlabs, OfADeviceChangeNoResult)
{
  if (!CudaTestSupport::WhyNoDevice().empty())
  {
    GTEST_SKIP() << CudaTestSupport::WhyNoDevice();
  }
  std::random_device device;
  const unsigned int seed = device();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937            random(seed);
  constexpr std::uint64_t limit = std::uint64_t{ 1 } << 20;
  // The bits of this one take more than the limit.
  EXPECT_GT(ExpectSameResults(RandomCase(random, 205, true), limit, random), 1U);
  for (unsigned int i = 0; i < 300 && !HasFailure(); ++i)
  {
    ExpectSameResults(RandomCase(random, 200), limit << random() % 2, random);
  }
}

TEST(CudaConnectedComponentsSlabs, NeedRoomForALayer)
{
  if (!CudaTestSupport::WhyNoDevice().empty())
  {
    GTEST_SKIP() << CudaTestSupport::WhyNoDevice();
  }
  const std::vector<std::uint8_t> pixels(64 * 64 * 64, 1);
  std::vector<std::uint32_t>      labels(pixels.size(), 7);
  CudaConnectedComponentLabeler   labeler;
  labeler.options.deviceMemoryLimit = 1000;
  ExpectError(CudaConnectedComponentError::KindEnum::Memory, "one slice of the image", [&] {
    labeler.Label(View::Of(pixels.data(), { 64, 64, 64 }), View::Of(labels.data(), { 64, 64, 64 }));
  });
  EXPECT_EQ(labels, std::vector<std::uint32_t>(pixels.size(), 7)) << "an output is not half written";
}

TEST(CudaConnectedComponentsSlabs, HoldNoMoreDeviceMemoryThanTheLimit)
{
  if (!CudaTestSupport::WhyNoDevice().empty())
  {
    GTEST_SKIP() << CudaTestSupport::WhyNoDevice();
  }
  constexpr std::uint64_t       limit = std::uint64_t{ 8 } << 20;
  const SizeType                size{ 256, 256, 256 };
  std::vector<std::uint8_t>     pixels(std::uint64_t{ 256 } * 256 * 256);
  std::vector<std::uint32_t>    labels(pixels.size());
  std::mt19937                  random(1);
  CudaConnectedComponentLabeler labeler;
  std::generate(pixels.begin(), pixels.end(), [&random] { return static_cast<std::uint8_t>(random() % 2); });
  labeler.Label(View::Of(pixels.data(), size), View::Of(labels.data(), size)); // the pool keeps memory of this call
  const auto                  whole = labels;
  CudaConnectedComponentTable table;
  std::uint64_t               held = 0;
  const auto                  look = [&held](float progress) {
    // At 0, earlier calls may still hold memory.
    held = progress == 0 ? 0 : std::max(held, CudaConnectedComponentLabeler::GetHeldMemory().deviceBytes);
  };
  labeler.options.columns = AllColumns();
  labeler.options.columns.values = false;
  // With the higher limit, the image fits, but the table does not.
  for (const std::uint64_t each : { 16 * limit, limit })
  {
    labeler.options.deviceMemoryLimit = each;
    labeler.options.progress = look;
    labeler.Label(View::Of(pixels.data(), size), View::Of(labels.data(), size), 0, &table);
    look(1);
    EXPECT_LE(held, each);
    EXPECT_EQ(labels, whole);
  }
}

TEST(CudaConnectedComponentsSlabs, TheProcessHasALimitToo)
{
  const std::uint64_t ofVariable = CudaConnectedComponentLabeler::GetDeviceMemoryLimit();
  CudaConnectedComponentLabeler::SetDeviceMemoryLimit(12345);
  EXPECT_EQ(CudaConnectedComponentLabeler::GetDeviceMemoryLimit(), 12345U);
  CudaConnectedComponentLabeler::SetDeviceMemoryLimit(0);
  EXPECT_EQ(CudaConnectedComponentLabeler::GetDeviceMemoryLimit(), 0U);
  CudaConnectedComponentLabeler::SetDeviceMemoryLimit(std::nullopt);
  EXPECT_EQ(CudaConnectedComponentLabeler::GetDeviceMemoryLimit(), ofVariable);
}

TEST(CudaConnectedComponentsSlabs, SizesOfMemoryAreRead)
{
  constexpr std::uint64_t one = 1;
  EXPECT_EQ(BytesOf("0"), 0U);
  EXPECT_EQ(BytesOf("1073741824"), one << 30);
  EXPECT_EQ(BytesOf("7 b"), 7U);
  for (const char * const text : { "3GiB", "3 gib", "3Gi" })
  {
    EXPECT_EQ(BytesOf(text), 3 * one << 30) << text;
  }
  for (const char * const text : { "500MB", "500M", "500 mb" })
  {
    EXPECT_EQ(BytesOf(text), 500 * 1000 * 1000U) << text;
  }
  EXPECT_EQ(BytesOf("15EiB"), 15 * one << 60);
  EXPECT_EQ(BytesOf("18446744073709551615"), ~std::uint64_t{ 0 });
  for (const char * const text : { "",
                                   "GiB",
                                   "-1",
                                   "+1",
                                   "1.5GiB",
                                   "1GiBB",
                                   "1iB",
                                   "1 G B",
                                   "1x",
                                   "0x10",
                                   " 1",
                                   "16EiB",
                                   "18446744073709551616" })
  {
    EXPECT_FALSE(BytesOf(text)) << text;
  }
}
