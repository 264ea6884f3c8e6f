// SPDX-License-Identifier: Apache-2.0

// The memory of calls that do not wait, without a device: what is measured is what the call takes.

#include "Oracle.h"

#include "algorithms/DeviceSteps.h"
#include "executors/MeasuringExecutor.h"
#include "executors/host/HostExecutor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <vector>

namespace
{

using namespace itk::ccl;
using View = itk::CudaConnectedComponentImageView;
using Call = itk::CudaConnectedComponentDeviceCall;
using Sum = itk::CudaConnectedComponentTable::Sum;

/** Stands for the memory that CUB needs. */
std::uint64_t
SortStorageOf(std::uint64_t count, std::size_t bytesOfKey)
{
  return 1000 + count * bytesOfKey / 7;
}

/** A DeviceExecutor that does not wait, without a device: takes arrays from an arena, and records the functors instead
 * of running them. Without an arena, it is a DeviceExecutor for loading. */
class FakeDeviceExecutor
{
public:
  explicit FakeDeviceExecutor(Arena * arena)
    : m_Arena(arena)
  {}

  template <typename T>
  struct Buffer
  {
    T * address;

    T *
    get() const
    {
      return address;
    }
  };

  template <typename T>
  Buffer<T>
  Allocate(std::uint64_t count) const
  {
    return { m_Arena == nullptr ? AddressWithoutMemory<T>(count) : RequireRoom(m_Arena->Take<T>(count), count) };
  }

  template <typename T>
  Buffer<T>
  AllocateCleared(std::uint64_t count) const
  {
    return { m_Arena == nullptr ? AddressWithoutMemory<T>(count) : RequireRoom(m_Arena->TakeCleared<T>(count), count) };
  }

  MemoryToClear
  TakeMemoryToClear() const
  {
    return m_Arena == nullptr ? MemoryToClear{} : m_Arena->TakeMemoryToClear();
  }

  unsigned int
  GetPartBits(unsigned int deviceBits) const
  {
    return deviceBits;
  }

  /** Nobody can wait for it. */
  template <typename T>
  struct Result
  {
    T *
    GetAddress() const
    {
      throw std::logic_error("a call that does not wait asks for a result");
    }

    T
    Get() const
    {
      return 0;
    }
  };

  template <typename T>
  Result<T>
  AllocateResult() const
  {
    return {};
  }

  template <typename T>
  void
  Fill(T *, std::uint64_t, unsigned char) const
  {}

  template <typename TFunctor>
  void
  ForEach(const Grid & grid, const TFunctor &) const
  {
    this->Record<TFunctor>(grid);
  }

  template <typename T, typename TFunctor>
  void
  ForEach(const BoundedCount<T> & count, const TFunctor &) const
  {
    this->Record<TFunctor>(Grid{ count.limit });
  }

  template <typename TWork>
  void
  Dispatch(const Grid & grid, const TWork &) const
  {
    this->Record<TWork>(grid);
  }

  template <typename TFunctor, typename TTable>
  void
  AddToRows(const Grid & grid, const TFunctor &, const TTable &) const
  {
    this->Record<TFunctor>(grid);
  }

  template <typename TSum, typename TFunction, typename TVisitor>
  void
  Scan(const BoundedCount<TSum> & count, const TFunction &, const TVisitor &, TSum *) const
  {
    this->AllocateCleared<std::uint64_t>(ScanStates(count));
    m_Functors.emplace_back(typeid(TFunction));
    m_Functors.emplace_back(typeid(TVisitor));
  }

  template <typename T>
  struct SortMemory
  {};

  template <typename T>
  SortMemory<T>
  AllocateForSort(std::uint64_t count) const
  {
    this->Allocate<T>(count);
    this->Allocate<T>(count);
    this->Allocate<unsigned char>(SortStorageOf(count, sizeof(T)));
    return {};
  }

  template <typename T>
  void
  SortDescending(std::uint64_t, T *, T *, const SortMemory<T> &) const
  {
    m_Functors.emplace_back(typeid(SortMemory<T>));
  }

  bool
  MayWait() const
  {
    return false;
  }

  /** Returns the types of the functors, in the order of the calls. */
  const std::vector<std::type_index> &
  GetFunctors() const
  {
    return m_Functors;
  }

private:
  template <typename T>
  static T *
  RequireRoom(T * taken, std::uint64_t count)
  {
    if (taken == nullptr && count != 0)
    {
      throw std::logic_error("the arena has no room for an array of " + std::to_string(count) + " elements");
    }
    return taken;
  }

  template <typename TFunctor>
  void
  Record(const Grid & grid) const
  {
    if (grid.Count() != 0)
    {
      m_Functors.emplace_back(typeid(TFunctor));
    }
  }

  Arena *                              m_Arena;
  mutable std::vector<std::type_index> m_Functors;
};

/** An executor on the host with memory that the first functor must clear. */
class ClearingExecutor : public HostExecutor
{
public:
  explicit ClearingExecutor(std::uint64_t count)
    : m_Words(count, 77)
  {}

  MemoryToClear
  TakeMemoryToClear() const
  {
    return { m_Words.data(), m_Words.size() };
  }

  bool
  IsCleared() const
  {
    return std::count(m_Words.begin(), m_Words.end(), 0) == static_cast<std::ptrdiff_t>(m_Words.size());
  }

private:
  mutable std::vector<std::uint64_t> m_Words;
};

/** An address in the memory of a device that does not exist. */
template <typename T>
T *
Somewhere()
{
  return reinterpret_cast<T *>(std::uintptr_t{ 1 } << 40);
}

View
RandomView(const Grid & size, std::uint64_t images, std::mt19937_64 & random)
{
  const View::SizeType xyz{ size.x, size.y, size.z };
  switch (random() % 4)
  {
    case 0:
      return View::OnDevice(Somewhere<std::uint8_t>(), xyz).Batch(images);
    case 1:
      return View::OnDevice(Somewhere<std::int16_t>(), xyz).Batch(images);
    case 2:
      return View::OnDevice(Somewhere<std::uint32_t>(), xyz).Batch(images);
    default:
      return View::OnDevice(Somewhere<std::uint64_t>(), xyz).Batch(images);
  }
}

/** Returns the most runs that the images of a request can have. */
std::uint64_t
MostRunsOf(const Request & request)
{
  return request.VisitPackedRowGroup([&](auto group) {
    using GroupType = decltype(group);
    const Grid words = WordsOf(StackOf<GroupType>(request.size, request.images).GetGrid());
    return GroupType::GridOf(words).Count() * GroupType::MostStartsInWord;
  });
}

/** Sets the columns of a table, and of its request, at random. */
void
ChooseColumns(Request & request, Call & call, std::uint64_t limit, std::mt19937_64 & random)
{
  const auto chance = [&random] { return random() % 2 == 0; };
  auto &     table = call.table;
  auto &     columns = request.columns;
  columns = TableColumns{ false };
  table.rows = random() % 3 == 0 ? 0 : 1 + random() % (2 * limit);
  request.wantsTable = table.rows != 0;
  columns.pixelCounts = request.wantsTable;
  table.images = chance() ? Somewhere<std::uint64_t>() : nullptr;
  table.labels = chance() ? Somewhere<std::uint64_t>() : nullptr;
  const auto choose = [&](bool & column, auto *& address) {
    column = chance();
    address = column ? Somewhere<std::decay_t<decltype(*address)>>() : nullptr;
  };
  choose(columns.firstPixels, table.firstPixels);
  choose(columns.faces, table.faces);
  choose(columns.boundingBoxes, table.minimums[random() % 3]);
  choose(columns.sums, table.sums[random() % 3]);
  choose(columns.products, table.products[random() % 6]);
  if (request.isByValue)
  {
    choose(columns.values, table.values);
  }
}

/** A request for images in device memory and its call, as the labeler makes them. */
void
MakeRandom(Request & request, Call & call, std::mt19937_64 & random)
{
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  const auto chance = [&random](unsigned int percent) { return random() % 100 < percent; };
  // Few requests have sides of 2^16 pixels, so that indices have 64 bits.
  const auto side = [&] { return chance(2) ? below(70000) : chance(1) ? 0 : 1 + below(below(2) == 0 ? 9 : 140); };
  request.size = { side(), side(), chance(40) ? 1 : side() };
  request.images = chance(50) ? 1 : chance(2) ? 0 : 1 + below(40);
  request.neighbors = NeighborsOf(chance(60));
  request.isByValue = chance(30);
  request.isComplement = chance(20);
  call.input = RandomView(request.size, request.images, random);
  if (request.isByValue)
  {
    request.values = call.input;
    request.neighbors = chance(30) ? Neighbors::All : request.neighbors;
  }
  request.foreground = chance(70) ? Foreground::NotZero(call.input.type) : Foreground::Between(call.input.type, 1, 3);
  if (chance(20))
  {
    request.mask = RandomView(request.size, request.images, random);
  }
  const OutputKind kinds[] = {
    OutputKind::None, OutputKind::Labels, OutputKind::FilledInside, OutputKind::FilledOutside
  };
  request.output = call.kind = kinds[below(4)];
  call.output = call.kind == OutputKind::Labels ? RandomView(request.size, request.images, random) : call.input;
  request.labelValues = LabelValues::For(std::uint32_t{ 0 });

  const std::uint64_t mostRuns = std::max<std::uint64_t>(1, MostRunsOf(request)); // 0 without pixels
  call.runCapacity = chance(40) ? 0 : 1 + below(chance(50) ? 100 : mostRuns + 10);
  const std::uint64_t limit = call.runCapacity == 0 ? mostRuns : std::min(call.runCapacity, mostRuns);
  ChooseColumns(request, call, limit, random);
  call.status = chance(50) ? Somewhere<itk::CudaConnectedComponentStatus>() : nullptr;
  call.componentCounts = chance(50) ? Somewhere<std::uint64_t>() : nullptr;

  Selection & selection = request.selection;
  if (chance(15))
  {
    return;
  }
  const std::uint64_t largest[] = { 0, 1, 2, 1 + below(1000), limit - 1, limit, limit + 1, ~std::uint64_t{ 0 } };
  selection.numberOfLargest = largest[below(8)];
  selection.minimumSize = chance(20) ? below(5) : 0;
  selection.maximumSize = chance(20) ? below(1000) : selection.maximumSize;
  selection.border = chance(20) ? static_cast<Selection::BorderEnum>(below(3)) : Selection::BorderEnum::Any;
  selection.order = chance(25) ? Selection::OrderEnum::Size : Selection::OrderEnum::FirstPixel;
  selection.pixelOrder = chance(25) ? Selection::PixelOrderEnum::TransposedRaster : Selection::PixelOrderEnum::Raster;
  selection.seeds.resize(chance(20) ? below(200) : 0);
  selection.invert = chance(20);
  selection.perValue = request.isByValue && chance(50);
  selection.keepsTies = selection.numberOfLargest == 1 && !selection.perValue && chance(50);
  if (request.isByValue && (selection.numberOfLargest == 0 || selection.perValue) && chance(50))
  {
    selection.sizesOfValues.assign(1 + below(150), { 3 });
  }
}

TEST(CudaConnectedComponentsDeviceSteps, TakeTheMeasuredMemory)
{
  constexpr unsigned int seed = 47;
  std::mt19937_64        random(seed);
  unsigned int           sorts = 0;
  for (unsigned int number = 0; number < 20000 && !testing::Test::HasFailure(); ++number)
  {
    Request request;
    Call    call;
    MakeRandom(request, call, random);
    const std::string       what = "seed " + std::to_string(seed) + ", request " + std::to_string(number);
    const MeasuringExecutor measuring(SortStorageOf);
    EnqueueCall(measuring, request, call);
    Arena                    arena(Somewhere<void>(), measuring.GetSize());
    const FakeDeviceExecutor device(&arena);
    EXPECT_NO_THROW(EnqueueCall(device, request, call)) << what;
    EXPECT_EQ(arena.GetLeft().cleared, 0U) << what;
    EXPECT_EQ(arena.GetLeft().uncleared, 0U) << what;
    const FakeDeviceExecutor loading(nullptr);
    EnqueueCall(loading, request, call);
    EXPECT_TRUE(loading.GetFunctors() == device.GetFunctors()) << what;
    sorts += IsSorting(request.selection) ? 1 : 0;
  }
  EXPECT_GT(sorts, 10000U);
}

/** The steps, without a device: the labels and counts of the images of a batch, and of each image alone. */
TEST(CudaConnectedComponentsDeviceSteps, LabelBatchesOnTheHost)
{
  constexpr unsigned int seed = 49;
  std::mt19937_64        random(seed);
  for (unsigned int number = 0; number < 300 && !testing::Test::HasFailure(); ++number)
  {
    const auto                 side = [&random] { return 1 + random() % 40; };
    const Grid                 size{ side(), side(), random() % 2 == 0 ? 1 : 1 + random() % 6 };
    const std::uint64_t        images = 1 + random() % 5;
    const bool                 fullyConnected = random() % 2 == 0;
    std::vector<std::uint8_t>  pixels;
    std::vector<std::uint32_t> expected;
    std::vector<std::uint64_t> expectedCounts;
    for (std::uint64_t image = 0; image < images; ++image)
    {
      const TestImage one =
        ::MakeRandom({ size.x, size.y, size.z }, 20 + random() % 60, 1, static_cast<unsigned int>(random()));
      const Labels labels = LabelByItk(one, fullyConnected);
      pixels.insert(pixels.end(), one.pixels.begin(), one.pixels.end());
      expected.insert(expected.end(), labels.pixels.begin(), labels.pixels.end());
      expectedCounts.push_back(labels.objectCount);
    }
    std::vector<std::uint32_t> labels(pixels.size(), 77);
    std::vector<std::uint64_t> counts(images, 77);
    Call                       call;
    call.input = View::Of(pixels.data(), { size.x, size.y, size.z }).Batch(images);
    call.output = View::Of(labels.data(), { size.x, size.y, size.z }).Batch(images);
    call.componentCounts = counts.data();
    Request request;
    request.size = size;
    request.images = images;
    request.neighbors = NeighborsOf(fullyConnected);
    request.foreground = Foreground::NotZero(call.input.type);
    request.labelValues = LabelValues::For(std::uint32_t{ 0 });
    request.output = call.kind = OutputKind::Labels;
    const std::string      what = "seed " + std::to_string(seed) + ", batch " + std::to_string(number);
    const ClearingExecutor executor(random() % 1000);
    const auto             expectLabels = [&](auto group) {
      EnqueueSteps<decltype(group), std::uint32_t>(executor, request, call);
      EXPECT_TRUE(labels == expected) << what << ", rows of a group " << group.Rows;
      EXPECT_EQ(counts, expectedCounts) << what << ", rows of a group " << group.Rows;
      EXPECT_TRUE(executor.IsCleared()) << what;
      std::fill(labels.begin(), labels.end(), 77);
      std::fill(counts.begin(), counts.end(), 77);
    };
    expectLabels(SingleRow{});
    VisitRowGroup(size, request.neighbors, expectLabels);
    call.input.type = View::PixelTypeEnum::Bool; // pixels that are not 0 are equal
    expectLabels(ValueRow{});
  }
}

/** The bits of indices follow from the bits of the images and of the empty slices between them. */
TEST(CudaConnectedComponentsDeviceSteps, IndicesHave64BitsFrom2To32BitsOn)
{
  struct Row
  {
    Grid          size;
    std::uint64_t images;
    bool          fullyConnected;
    std::size_t   expected; // bytes of an index
  };
  const Row rows[] = {
    { { 512, 512, 1 }, 8192, true, 4 }, // planes have no empty slices
    { { 512, 512, 1 }, 16383, true, 4 },  { { 512, 512, 1 }, 16384, true, 8 },  { { 512, 512, 1 }, 16383, false, 4 },
    { { 512, 512, 1 }, 16384, false, 8 }, { { 512, 512, 3 }, 4095, true, 4 }, // 3 slices and an empty one
    { { 512, 512, 3 }, 4096, true, 8 },   { { 512, 512, 3 }, 5461, false, 4 },  { { 512, 512, 3 }, 5462, false, 8 },
    { { 512, 512, 4 }, 4095, true, 4 },   { { 512, 512, 4 }, 4096, true, 8 },   { { 65536, 65535, 1 }, 1, true, 4 },
    { { 65536, 65536, 1 }, 1, true, 8 },  { { 1024, 1024, 4095 }, 1, true, 4 }, // a single image has no empty slice
    { { 1024, 1024, 4096 }, 1, true, 8 }, { { 1, 1 << 26, 1 }, 1, true, 4 },    // rows take whole words
    { { 1, 1 << 27, 1 }, 1, true, 8 },
  };
  for (const Row & row : rows)
  {
    Request request;
    request.size = row.size;
    request.images = row.images;
    request.neighbors = NeighborsOf(row.fullyConnected);
    EXPECT_EQ(VisitIndexType(request.GetIndexLimit(), [](auto index) { return sizeof(index); }), row.expected)
      << row.size.x << " x " << row.size.y << " x " << row.size.z << ", images " << row.images << ", full "
      << row.fullyConnected;
  }
}

/** In very long images, sums of products need 128 bits. */
TEST(CudaConnectedComponentsDeviceSteps, IndicesHave64BitsIfSumsNeed128Bits)
{
  const auto bytesFor = [](const Grid & size, bool hasProducts) {
    Request request;
    request.size = size;
    request.columns.sums = true;
    request.columns.products = hasProducts;
    return VisitIndexType(request.GetIndexLimit(), [](auto index) { return sizeof(index); });
  };
  EXPECT_EQ(bytesFor({ 200000, 200, 100 }, false), 4U);
  EXPECT_EQ(bytesFor({ 200000, 200, 100 }, true), 8U);
  EXPECT_EQ(bytesFor({ 100, 200, 200000 }, true), 8U);
  EXPECT_EQ(bytesFor({ 1024, 1024, 4095 }, true), 4U);
  EXPECT_EQ(bytesFor({ 1, 2642245, 1 }, true), 4U); // the longest row whose sums of squares fit in any case
  EXPECT_EQ(bytesFor({ 2642246, 1, 1 }, true), 8U);
}

} // namespace
