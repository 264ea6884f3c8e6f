// SPDX-License-Identifier: Apache-2.0

// Enqueue() gives the results of the functions that wait, in memory of the caller, without waiting, and in graphs.

#include "AnalysisTestSupport.h"
#include "CountingAllocator.h"
#include "CudaTestSupport.h"
#include "LabelerTestSupport.h"
#include "TestImages.h"

#include "itkCudaConnectedComponentDeviceCall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace
{

using Call = itk::CudaConnectedComponentDeviceCall;
using Status = itk::CudaConnectedComponentStatus;
using Sum = CudaConnectedComponentTable::Sum;
using Size = CudaConnectedComponentLabeler::SizeType;
using Output = itk::CudaConnectedComponentsEnums::Output;
using PixelType = View::PixelTypeEnum;

/** An array in device memory. Bytes after it are guarded. */
template <typename T>
class DeviceArray
{
public:
  explicit DeviceArray(std::uint64_t count)
    : m_Count(count)
    , m_Memory(CudaTestSupport::AllocateDevice(count * sizeof(T) + Guard))
  {
    const std::vector<unsigned char> bytes(count * sizeof(T) + Guard, 0xA5);
    CudaTestSupport::CopyToDevice(m_Memory.get(), bytes.data(), bytes.size());
  }
  explicit DeviceArray(const std::vector<T> & values)
    : DeviceArray(values.size())
  {
    this->Write(values);
  }

  ~DeviceArray()
  {
    std::vector<unsigned char> guard(Guard);
    CudaTestSupport::CopyToHost(guard.data(), reinterpret_cast<char *>(m_Memory.get()) + m_Count * sizeof(T), Guard);
    EXPECT_EQ(std::count(guard.begin(), guard.end(), 0xA5), std::ptrdiff_t{ Guard }) << "bytes after an array changed";
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &
  operator=(const DeviceArray &) = delete;

  void
  Write(const std::vector<T> & values)
  {
    CudaTestSupport::CopyToDevice(m_Memory.get(), values.data(), values.size() * sizeof(T));
  }

  std::vector<T>
  Read() const
  {
    std::vector<T> values(m_Count);
    CudaTestSupport::CopyToHost(values.data(), m_Memory.get(), m_Count * sizeof(T));
    return values;
  }

  T *
  Get() const
  {
    return static_cast<T *>(m_Memory.get());
  }

private:
  static constexpr std::uint64_t Guard = 512;

  std::uint64_t         m_Count;
  std::shared_ptr<void> m_Memory;
};

/** All results of a call, in device memory. */
struct Results
{
  std::uint64_t rows;

  DeviceArray<Status>        status{ 1 };
  DeviceArray<std::uint64_t> counts;
  DeviceArray<std::uint64_t> integers{ rows * 14 };
  DeviceArray<Sum>           sums{ rows * 9 };
  DeviceArray<double>        numbers{ rows * 4 };
  DeviceArray<std::uint8_t>  faces{ rows };

  Results(std::uint64_t rowCount, std::uint64_t images)
    : rows(rowCount)
    , counts(images)
  {}

  void
  AddTo(Call & call, bool isByValue) const
  {
    call.status = status.Get();
    call.componentCounts = counts.Get();
    auto & table = call.table;
    table.rows = rows;
    table.images = integers.Get();
    table.pixelCounts = integers.Get() + rows;
    table.firstPixels = integers.Get() + 2 * rows;
    table.labels = integers.Get() + 9 * rows;
    table.values = isByValue ? integers.Get() + 10 * rows : nullptr;
    table.areas = numbers.Get() + 3 * rows;
    table.faces = faces.Get();
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      table.minimums[axis] = integers.Get() + (3 + axis) * rows;
      table.maximums[axis] = integers.Get() + (6 + axis) * rows;
      table.sums[axis] = sums.Get() + axis * rows;
      table.ends[axis] = integers.Get() + (11 + axis) * rows;
      table.means[axis] = numbers.Get() + axis * rows;
    }
    for (unsigned int i = 0; i < 6; ++i)
    {
      table.products[i] = sums.Get() + (3 + i) * rows;
    }
  }

  /** Expects the rows of a table that a call on host memory has made. */
  void
  Expect(const CudaConnectedComponentTable & table, const std::string & what) const
  {
    const Status found = status.Read()[0];
    EXPECT_EQ(found.problems, 0U) << what;
    EXPECT_EQ(found.componentCount, table.componentCount) << what;
    EXPECT_EQ(found.originalComponentCount, table.originalComponentCount) << what;
    EXPECT_EQ(counts.Read(), table.componentCounts) << what;
    const std::uint64_t count = table.componentCount;
    ASSERT_LE(count, rows);
    const auto column = [&](const auto & values, unsigned int index) {
      return std::vector<std::decay_t<decltype(values[0])>>(values.begin() + static_cast<std::ptrdiff_t>(index * rows),
                                                            values.begin() +
                                                              static_cast<std::ptrdiff_t>(index * rows + count));
    };
    const auto                 all = integers.Read();
    const auto                 allSums = sums.Read();
    const auto                 allNumbers = numbers.Read();
    std::vector<std::uint64_t> images;
    std::vector<std::uint64_t> labels;
    for (std::uint64_t image = 0; image < table.componentCounts.size(); ++image)
    {
      images.insert(images.end(), table.componentCounts[image], image);
      for (std::uint64_t label = 1; label <= table.componentCounts[image]; ++label)
      {
        labels.push_back(label);
      }
    }
    EXPECT_EQ(column(all, 0), images) << what;
    EXPECT_EQ(column(all, 9), labels) << what;
    EXPECT_EQ(column(all, 1), table.pixelCounts) << what;
    EXPECT_EQ(column(all, 2), table.firstPixels) << what;
    if (!table.values.empty())
    {
      EXPECT_EQ(column(all, 10), table.values) << what;
    }
    EXPECT_EQ(column(faces.Read(), 0), table.faces) << what;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      EXPECT_EQ(column(all, 3 + axis), table.minimums[axis]) << what;
      EXPECT_EQ(column(all, 6 + axis), table.maximums[axis]) << what;
      EXPECT_TRUE(column(allSums, axis) == table.sums[axis]) << what;
      for (std::uint64_t row = 0; row < count; ++row)
      {
        ASSERT_EQ(all[(11 + axis) * rows + row], table.maximums[axis][row] + 1) << what;
        ASSERT_EQ(allNumbers[3 * rows + row], static_cast<double>(table.pixelCounts[row])) << what;
        ASSERT_EQ(allNumbers[axis * rows + row],
                  table.sums[axis][row].ToDouble() / static_cast<double>(table.pixelCounts[row]))
          << what;
      }
    }
    for (unsigned int i = 0; i < 6; ++i)
    {
      EXPECT_TRUE(column(allSums, 3 + i) == table.products[i]) << what;
    }
  }
};

/** Enqueues a call on the stream of the labeler, with a workspace of the needed size. Waits for it. */
void
RunEnqueued(const CudaConnectedComponentLabeler & labeler, const Call & call)
{
  const std::uint64_t             bytes = labeler.GetWorkspaceSize(call);
  const DeviceArray<std::uint8_t> workspace(bytes);
  labeler.Enqueue(call, workspace.Get(), bytes);
  CudaTestSupport::Wait(labeler.options.stream);
}

std::vector<std::uint8_t>
RandomPixels(std::uint64_t count, unsigned int density, std::mt19937 & random)
{
  std::vector<std::uint8_t> pixels(count);
  std::generate(pixels.begin(), pixels.end(), [&] { return random() % 100 < density ? 1 + random() % 3 : 0; });
  return pixels;
}

/** Expects the same labels, masks, tables and numbers of random images as those of the functions that wait, on the
 * host. `selection` is 0 for all components, and 1 to 7 for the selections below. */
void
ExpectSameAsWaiting(const Size &        size,
                    std::uint64_t       images,
                    const std::string & way,
                    unsigned int        selection,
                    unsigned int        density,
                    std::uint64_t       rows,
                    void *              stream,
                    std::mt19937 &      random)
{
  const std::uint64_t             pixels = size[0] * size[1] * size[2] * images;
  const auto                      input = RandomPixels(pixels, density, random);
  const DeviceArray<std::uint8_t> deviceInput(input);
  const View                      host = View::Of(input.data(), size).Batch(images);
  CudaConnectedComponentLabeler   labeler;
  labeler.options.connectivity = size[2] > 1 && way == "edges" ? 18 : 0;
  labeler.options.fullyConnected = way.find("full") != std::string::npos;
  labeler.options.byValue = way.find("by value") != std::string::npos;
  labeler.options.stream = stream;
  labeler.options.columns = AllColumns();
  labeler.options.columns.values = labeler.options.byValue;
  labeler.options.complement = selection == 3;
  labeler.options.selection.minimumSize = selection == 1 ? 3 : 0;
  labeler.options.selection.numberOfLargest = selection == 2   ? 1
                                              : selection == 7 ? 1000000 // more than there may be
                                              : selection >= 4 ? selection - 2
                                                               : 0;
  labeler.options.selection.perValue = labeler.options.byValue && images != 2 && (selection == 2 || selection == 4);
  labeler.options.selection.border = selection == 3 ? BorderEnum::NotTouching : BorderEnum::Any;
  labeler.options.selection.order = selection == 5 ? OrderEnum::Size : OrderEnum::FirstPixel;
  labeler.options.selection.pixelOrder = selection == 6 ? PixelOrderEnum::TransposedRaster : PixelOrderEnum::Raster;
  auto waiting = labeler;
  waiting.options.onHost = true;
  for (const Output kind : { Output::Labels, Output::FilledInside, Output::FilledOutside, Output::None })
  {
    const std::string what = View::TextOf(size) + ", images " + std::to_string(images) + ", " + way + ", selection " +
                             std::to_string(selection) + ", kind " + std::to_string(static_cast<int>(kind)) +
                             ", density " + std::to_string(density);
    const std::uint64_t         value = kind == Output::Labels ? 2 : 7;
    CudaConnectedComponentTable table;
    Results                     results(rows, images);
    Call                        call;
    call.input = View::OnDevice(deviceInput.Get(), size).Batch(images);
    call.kind = kind;
    call.value = value;
    results.AddTo(call, labeler.options.byValue);
    const auto run = [&](auto zero, const auto & wait) {
      using Pixel = decltype(zero);
      const DeviceArray<Pixel> output(pixels);
      std::vector<Pixel>       expected(pixels);
      call.output = View::OnDevice(output.Get(), size).Batch(images);
      wait(View::Of(expected.data(), size).Batch(images));
      RunEnqueued(labeler, call);
      EXPECT_TRUE(output.Read() == expected) << what;
    };
    switch (kind)
    {
      case Output::Labels:
        run(std::uint32_t{}, [&](const View & out) { waiting.Label(host, out, value, &table); });
        break;
      case Output::FilledInside:
        run(std::uint8_t{}, [&](const View & out) { waiting.Fill(host, out, value, &table); });
        break;
      case Output::FilledOutside:
        run(std::uint8_t{}, [&](const View & out) { waiting.Mask(host, out, value, &table); });
        break;
      default:
        table = waiting.Measure(host);
        RunEnqueued(labeler, call);
    }
    results.Expect(table, what);
  }
}

} // namespace

TEST(CudaConnectedComponentsEnqueue, SameAsTheFunctionsThatWait)
{
  SKIP_WITHOUT_DEVICE();
  const auto   stream = CudaTestSupport::MakeStream();
  unsigned int seed = 1;
  for (const Size & size :
       { Size{ 33, 7, 1 }, Size{ 40, 9, 3 }, Size{ 65, 8, 6 }, Size{ 5, 1, 1 }, Size{ 90, 40, 11 } })
  {
    for (const std::uint64_t images : { 1, 2, 9 })
    {
      for (const char * const way : { "faces", "edges", "full", "faces by value", "full by value" })
      {
        std::mt19937        random(++seed);
        const std::uint64_t rows = size[0] * size[1] * size[2] * images + 2;
        const unsigned int  density = 5 + random() % 90;
        SCOPED_TRACE("seed " + std::to_string(seed));
        for (unsigned int selection = 0; selection < 8; ++selection)
        {
          ExpectSameAsWaiting(size, images, way, selection, density, rows, stream.get(), random);
        }
      }
    }
  }
}

TEST(CudaConnectedComponentsEnqueue, LargeImagesSameAsTheFunctionsThatWait)
{
  SKIP_WITHOUT_DEVICE();
  const auto stream = CudaTestSupport::MakeStream();
  // With full connectivity, these images have row groups of several rows.
  constexpr std::uint64_t rows = 300000; // more than there are components
  std::mt19937            random(1);
  for (const unsigned int selection : { 0, 1, 3, 4, 6 })
  {
    const unsigned int density = 10 + 12 * selection;
    ExpectSameAsWaiting({ 1100, 1000, 1 }, 1, "full", selection, density, rows, stream.get(), random);
    ExpectSameAsWaiting({ 700, 501, 1 }, 3, "full", selection, density, rows, stream.get(), random);
  }
  for (const unsigned int selection : { 0, 4 })
  {
    ExpectSameAsWaiting({ 240, 230, 230 }, 1, "full", selection, 2, rows, stream.get(), random);
  }
}

TEST(CudaConnectedComponentsEnqueue, GraphWorksOnTheDataOfItsLaunch)
{
  SKIP_WITHOUT_DEVICE();
  const auto          stream = CudaTestSupport::MakeStream();
  const Size          size{ 70, 40, 9 };
  const std::uint64_t images = 3;
  const std::uint64_t pixels = size[0] * size[1] * size[2] * images;
  struct Way
  {
    unsigned int largest;
    bool         isByValue;
  };
  for (const auto & [largest, isByValue] :
       { Way{ 0, false }, Way{ 1, false }, Way{ 3, false }, Way{ 0, true }, Way{ 1, true } })
  {
    const bool                      isMask = largest == 1;
    DeviceArray<std::uint8_t>       input(pixels);
    const DeviceArray<std::uint8_t> output(pixels * 4);
    Results                         results(pixels, images);
    CudaConnectedComponentLabeler   labeler;
    labeler.options.fullyConnected = true;
    labeler.options.byValue = isByValue;
    labeler.options.stream = stream.get();
    labeler.options.columns = AllColumns();
    labeler.options.columns.values = isByValue;
    labeler.options.selection.numberOfLargest = largest;
    Call call;
    call.input = View::OnDevice(input.Get(), size).Batch(images);
    call.kind = isMask ? Output::FilledOutside : Output::Labels;
    call.output = isMask ? View::OnDevice(output.Get(), size).Batch(images)
                         : View::OnDevice(reinterpret_cast<std::uint32_t *>(output.Get()), size).Batch(images);
    results.AddTo(call, isByValue);
    const std::uint64_t              bytes = labeler.GetWorkspaceSize(call);
    const DeviceArray<std::uint8_t>  workspace(bytes);
    const DeviceArray<std::uint32_t> other(1);
    labeler.Prepare(call);
    CudaTestSupport::BeginCapture(stream.get(), other.Get());
    labeler.Enqueue(call, workspace.Get(), bytes);
    const auto graph = CudaTestSupport::EndCaptureOfGraph(stream.get());

    auto waiting = labeler;
    waiting.options.onHost = true;
    std::mt19937 random(77);
    for (unsigned int replay = 0; replay < 100; ++replay)
    {
      const unsigned int density = replay == 3 ? 0 : replay == 5 ? 100 : 1 + random() % 99;
      const auto         host = RandomPixels(pixels, density, random);
      input.Write(host);
      graph->Launch(stream.get());
      CudaTestSupport::Wait(stream.get());
      CudaConnectedComponentTable table;
      const std::string           what = "replay " + std::to_string(replay);
      const View                  view = View::Of(host.data(), size).Batch(images);
      auto                        written = output.Read();
      if (isMask)
      {
        std::vector<std::uint8_t> expected(pixels);
        waiting.Mask(view, View::Of(expected.data(), size).Batch(images), 0, &table);
        written.resize(pixels);
        EXPECT_TRUE(written == expected) << what;
      }
      else
      {
        std::vector<std::uint32_t> expected(pixels);
        waiting.Label(view, View::Of(expected.data(), size).Batch(images), 0, &table);
        EXPECT_EQ(std::memcmp(written.data(), expected.data(), pixels * 4), 0) << what;
      }
      results.Expect(table, what);
    }
  }
}

TEST(CudaConnectedComponentsEnqueue, ReturnsBeforeTheWorkOfTheStreamAndAllocatesNothing)
{
  SKIP_WITHOUT_DEVICE();
  const auto                       stream = CudaTestSupport::MakeStream();
  const Size                       size{ 128, 128, 64 };
  const std::uint64_t              pixels = size[0] * size[1] * size[2];
  std::mt19937                     random(5);
  const DeviceArray<std::uint8_t>  input(RandomPixels(pixels, 30, random));
  const DeviceArray<std::uint32_t> output(pixels);
  CudaConnectedComponentLabeler    labeler;
  labeler.options.stream = stream.get();
  Call call;
  call.input = View::OnDevice(input.Get(), size);
  call.output = View::OnDevice(output.Get(), size);
  const std::uint64_t             bytes = labeler.GetWorkspaceSize(call);
  const DeviceArray<std::uint8_t> workspace(bytes);
  labeler.Prepare(call);
  CudaConnectedComponentLabeler::TrimMemory();
  const std::uint64_t held = CudaConnectedComponentLabeler::GetHeldMemory().deviceBytes;
  const std::uint64_t freeBefore = CudaTestSupport::CountFreeMemory();
  CudaTestSupport::DelayStream(stream.get(), 100);
  labeler.Enqueue(call, workspace.Get(), bytes);
  EXPECT_FALSE(CudaTestSupport::IsIdle(stream.get()));
  EXPECT_EQ(CudaTestSupport::CountFreeMemory(), freeBefore);
  EXPECT_EQ(CudaConnectedComponentLabeler::GetHeldMemory().deviceBytes, held);
  CudaTestSupport::Wait(stream.get());
}

TEST(CudaConnectedComponentsEnqueue, StatusSaysWhatDoesNotFit)
{
  SKIP_WITHOUT_DEVICE();
  const auto stream = CudaTestSupport::MakeStream();
  struct Way
  {
    const char * name;
    Size         size;
    bool         isFull;
    bool         isByValue;
  };
  // Row groups of several rows need a large image.
  for (const Way & way : { Way{ "faces", { 64, 32, 1 }, false, false },
                           Way{ "by value", { 64, 32, 1 }, false, true },
                           Way{ "row groups", { 1100, 1000, 1 }, true, false } })
  {
    SCOPED_TRACE(way.name);
    // Each foreground pixel is a run and a component.
    TestImage image = MakeCheckerboard(way.size);
    for (std::uint64_t i = 0; way.isFull && i < image.pixels.size(); ++i)
    {
      image.pixels[i] = i % way.size[0] % 2 == 0 && i / way.size[0] % 2 == 0;
    }
    const auto runs = static_cast<std::uint64_t>(std::count(image.pixels.begin(), image.pixels.end(), 1));
    const DeviceArray<std::uint8_t> input(image.pixels);
    CudaConnectedComponentLabeler   labeler;
    labeler.options.stream = stream.get();
    labeler.options.fullyConnected = way.isFull;
    labeler.options.byValue = way.isByValue;
    const auto run = [&](std::uint64_t runCapacity, std::uint64_t rows) {
      const DeviceArray<std::uint32_t> output(image.pixels.size());
      Results                          results(rows, 1);
      Call                             call;
      call.input = View::OnDevice(input.Get(), way.size);
      call.output = View::OnDevice(output.Get(), way.size);
      call.runCapacity = runCapacity;
      results.AddTo(call, way.isByValue);
      RunEnqueued(labeler, call);
      const auto   labels = output.Read();
      const Status status = results.status.Read()[0];
      EXPECT_EQ(labels.size() - static_cast<std::size_t>(std::count(labels.begin(), labels.end(), 0U)),
                status.problems & Status::TooManyRuns ? 0 : runs);
      if (status.problems & (Status::TooManyRows | Status::TooManyRuns))
      {
        const auto columns = results.integers.Read();
        EXPECT_TRUE(std::all_of(
          columns.begin(), columns.end(), [](std::uint64_t value) { return value == 0xA5A5A5A5A5A5A5A5U; }));
      }
      return status;
    };
    Status status = run(0, runs);
    EXPECT_EQ(status.problems, 0U);
    EXPECT_EQ(status.runCount, runs);
    EXPECT_EQ(status.componentCount, runs);
    EXPECT_EQ(run(runs, runs).problems, 0U);
    status = run(runs - 1, runs);
    EXPECT_EQ(status.problems, std::uint64_t{ Status::TooManyRuns });
    EXPECT_EQ(status.runCount, runs);
    EXPECT_EQ(status.componentCount, 0U);
    status = run(runs, runs - 1);
    EXPECT_EQ(status.problems, std::uint64_t{ Status::TooManyRows });
    EXPECT_EQ(status.componentCount, runs);
  }
}

TEST(CudaConnectedComponentsEnqueue, StatusSaysThatLabelsDoNotFit)
{
  SKIP_WITHOUT_DEVICE();
  const auto                      stream = CudaTestSupport::MakeStream();
  const Size                      size{ 64, 32, 1 };
  const TestImage                 image = MakeCheckerboard(size);
  const DeviceArray<std::uint8_t> input(image.pixels);
  const DeviceArray<std::uint8_t> output(image.pixels.size());
  const DeviceArray<Status>       status(1);
  CudaConnectedComponentLabeler   labeler;
  labeler.options.stream = stream.get();
  Call call;
  call.input = View::OnDevice(input.Get(), size);
  call.output = View::OnDevice(output.Get(), size);
  call.status = status.Get();
  RunEnqueued(labeler, call);
  EXPECT_EQ(status.Read()[0].problems, std::uint64_t{ Status::TooManyLabels });
}

TEST(CudaConnectedComponentsEnqueue, NoImagesAndNoPixels)
{
  SKIP_WITHOUT_DEVICE();
  const auto                      stream = CudaTestSupport::MakeStream();
  const DeviceArray<std::uint8_t> memory(16);
  const DeviceArray<Status>       status(1);
  CudaConnectedComponentLabeler   labeler;
  labeler.options.stream = stream.get();
  for (const std::uint64_t images : { 0, 5 })
  {
    const DeviceArray<std::uint64_t> counts(images);
    Call                             call;
    call.input = View::OnDevice(memory.Get(), { 4, images == 0 ? 4U : 0U, 1 }).Batch(images);
    call.output = View::OnDevice(reinterpret_cast<std::uint32_t *>(memory.Get()), call.input.size).Batch(images);
    call.status = status.Get();
    call.componentCounts = counts.Get();
    EXPECT_EQ(labeler.GetWorkspaceSize(call), 0U);
    labeler.Enqueue(call, nullptr, 0);
    CudaTestSupport::Wait(stream.get());
    EXPECT_EQ(counts.Read(), std::vector<std::uint64_t>(images, 0));
    EXPECT_EQ(status.Read()[0].componentCount, 0U);
  }
}

TEST(CudaConnectedComponentsEnqueue, BadArgumentsAreErrors)
{
  SKIP_WITHOUT_DEVICE();
  const auto                       stream = CudaTestSupport::MakeStream();
  const Size                       size{ 8, 4, 2 };
  const DeviceArray<std::uint8_t>  input(std::vector<std::uint8_t>(64, 1));
  const DeviceArray<std::uint32_t> output(64);
  CudaConnectedComponentLabeler    labeler;
  labeler.options.stream = stream.get();
  Call call;
  call.input = View::OnDevice(input.Get(), size);
  call.output = View::OnDevice(output.Get(), size);
  const std::uint64_t             bytes = labeler.GetWorkspaceSize(call);
  const DeviceArray<std::uint8_t> workspace(bytes + 256);
  const auto expectError = [&](const std::string & part, const Call & bad, void * memory, std::uint64_t size_) {
    ExpectError(KindEnum::InvalidArgument, part, [&] { labeler.Enqueue(bad, memory, size_); });
  };
  expectError("the workspace has " + std::to_string(bytes - 1) + " bytes, but the call needs " + std::to_string(bytes),
              call,
              workspace.Get(),
              bytes - 1);
  expectError("not a multiple of 256", call, workspace.Get() + 8, bytes);
  expectError("workspace is null", call, nullptr, bytes);
  std::vector<std::uint8_t> host(bytes + 512);
  auto * const              aligned =
    reinterpret_cast<std::uint8_t *>((reinterpret_cast<std::uintptr_t>(host.data()) + 255) / 256 * 256);
  expectError("the workspace is not in the memory of CUDA device", call, aligned, bytes);
  auto bad = call;
  bad.kind = Output::MaskBits;
  expectError("bits of a mask", bad, workspace.Get(), bytes);
  bad = call;
  bad.output.type = View::PixelTypeEnum::Float;
  expectError("labels are integers", bad, workspace.Get(), bytes);
  bad = call;
  bad.input = View::Of(host.data(), size);
  expectError("host memory", bad, workspace.Get(), bytes);
  bad = call;
  std::uint64_t onHost = 0;
  bad.table.rows = 1;
  bad.table.minimums[1] = &onHost; // only one axis
  const DeviceArray<std::uint8_t> larger(labeler.GetWorkspaceSize(bad));
  expectError("the column of the table is not in the memory", bad, larger.Get(), labeler.GetWorkspaceSize(bad));
  ExpectError(KindEnum::InvalidArgument, "there is no workspace", [&] { labeler.Enqueue(call); });
  labeler.Enqueue(call, workspace.Get(), bytes);
  CudaTestSupport::Wait(stream.get());
}

TEST(CudaConnectedComponentsEnqueue, TwoStreamsAtOnce)
{
  SKIP_WITHOUT_DEVICE();
  const Size          size{ 100, 50, 20 };
  const std::uint64_t pixels = size[0] * size[1] * size[2];
  const auto          runInThread = [&](unsigned int seed) {
    const auto                       stream = CudaTestSupport::MakeStream();
    std::mt19937                     random(seed);
    DeviceArray<std::uint8_t>        input(pixels);
    const DeviceArray<std::uint32_t> output(pixels);
    CudaConnectedComponentLabeler    labeler;
    labeler.options.stream = stream.get();
    labeler.options.fullyConnected = seed % 2 == 0;
    auto waiting = labeler;
    waiting.options.onHost = true;
    Call call;
    call.input = View::OnDevice(input.Get(), size);
    call.output = View::OnDevice(output.Get(), size);
    const std::uint64_t             bytes = labeler.GetWorkspaceSize(call);
    const DeviceArray<std::uint8_t> workspace(bytes);
    for (unsigned int repetition = 0; repetition < 50; ++repetition)
    {
      const auto                 host = RandomPixels(pixels, 1 + random() % 99, random);
      std::vector<std::uint32_t> expected(pixels);
      waiting.Label(View::Of(host.data(), size), View::Of(expected.data(), size));
      input.Write(host);
      labeler.Enqueue(call, workspace.Get(), bytes);
      CudaTestSupport::Wait(stream.get());
      EXPECT_TRUE(output.Read() == expected) << "seed " << seed << ", repetition " << repetition;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned int seed = 1; seed <= 4; ++seed)
  {
    threads.emplace_back(runInThread, seed);
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
}

TEST(CudaConnectedComponentsEnqueue, AllMemoryComesFromTheCallersAllocator)
{
  SKIP_WITHOUT_DEVICE();
  const auto                       stream = CudaTestSupport::MakeStream();
  const Size                       size{ 200, 100, 30 };
  const std::uint64_t              pixels = size[0] * size[1] * size[2];
  std::mt19937                     random(9);
  const auto                       host = RandomPixels(pixels, 40, random);
  const DeviceArray<std::uint8_t>  input(host);
  const DeviceArray<std::uint8_t>  mask(pixels);
  const DeviceArray<std::uint32_t> labels(pixels);
  const View                       view = View::OnDevice(input.Get(), size);
  const View                       labelView = View::OnDevice(labels.Get(), size);
  const View                       maskView = View::OnDevice(mask.Get(), size);
  Results                          results(pixels / 2, 1);
  Call                             call;
  call.input = view;
  call.output = labelView;
  results.AddTo(call, false);
  const auto table = call.table;

  CudaConnectedComponentLabeler onHost;
  onHost.options.onHost = true;
  onHost.options.columns = AllColumns();
  std::vector<std::uint32_t>  expected(pixels);
  CudaConnectedComponentTable expectedTable;
  onHost.Label(View::Of(host.data(), size), View::Of(expected.data(), size), 0, &expectedTable);

  CountingAllocator             allocator;
  CudaConnectedComponentLabeler labeler;
  labeler.options.columns = AllColumns();
  labeler.options.stream = allocator.expectedStream = stream.get();
  labeler.options.allocator = allocator.Get();
  // A call on one image then needs memory for the values, too.
  labeler.options.reportValues = [](const itk::CudaConnectedComponentValueSummary &) {};
  const auto useAll = [&](unsigned int largest, bool published) {
    labeler.options.selection.numberOfLargest = largest;
    labeler.options.fullyConnected = published;
    labeler.options.algorithm = published ? AlgorithmEnum::BlockUnionFind : AlgorithmEnum::Automatic;
    labeler.Label(view, labelView);
    labeler.Mask(view, maskView);
    labeler.Measure(view);
    labeler.Measure(view, [&](std::uint64_t) { return table; });
    labeler.options.algorithm = AlgorithmEnum::Automatic;
    labeler.Enqueue(call);
    CudaTestSupport::Wait(stream.get());
  };
  labeler.Label(view, labelView); // starts the device
  CudaConnectedComponentLabeler::TrimMemory();
  ASSERT_EQ(CudaConnectedComponentLabeler::GetHeldMemory().deviceBytes, 0U);
  for (const unsigned int largest : { 3, 1, 0 })
  {
    useAll(largest, true);
    useAll(largest, false);
    EXPECT_EQ(CudaConnectedComponentLabeler::GetHeldMemory().deviceBytes, 0U) << largest;
    EXPECT_TRUE(allocator.arrays.empty()) << largest;
  }
  EXPECT_GT(allocator.allocations, 30U);
  EXPECT_EQ(allocator.frees, allocator.allocations);
  EXPECT_TRUE(labels.Read() == expected);
  results.Expect(expectedTable, "all components");

  // The same calls without the allocator use the pool.
  labeler.options.allocator = {};
  labeler.Label(view, labelView);
  const char * const profile = std::getenv("CUDA_CONNECTED_COMPONENTS_TEST_GPU");
  if (profile == nullptr || std::string(profile) != "minimal") // which has no pools
  {
    EXPECT_GT(CudaConnectedComponentLabeler::GetHeldMemory().deviceBytes, 0U);
  }

  labeler.options.allocator = allocator.Get();
  allocator.offset = 8;
  ExpectError(KindEnum::InvalidArgument, "not a multiple of 256", [&] { labeler.Label(view, labelView); });
  EXPECT_TRUE(allocator.arrays.empty());
  allocator.offset = 0;
  allocator.refused = { allocator.allocations + 1 };
  ExpectError(KindEnum::Memory, "the caller's allocator has returned null", [&] { labeler.Enqueue(call); });
  labeler.options.allocator.free = nullptr;
  ExpectError(KindEnum::InvalidArgument, "one function only", [&] { labeler.Label(view, labelView); });
}

TEST(CudaConnectedComponentsEnqueue, LeavesCapturesOfOtherStreamsValid)
{
  SKIP_WITHOUT_DEVICE();
  const Size                       size{ 40, 9, 3 };
  const std::uint64_t              pixels = size[0] * size[1] * size[2];
  std::mt19937                     random(11);
  const auto                       host = RandomPixels(pixels, 40, random);
  const DeviceArray<std::uint8_t>  input(host);
  const DeviceArray<std::uint32_t> output(pixels);
  const DeviceArray<std::uint32_t> other(1);
  const auto                       stream = CudaTestSupport::MakeStream();
  const auto                       capturing = CudaTestSupport::MakeBlockingStream();
  CountingAllocator                allocator;
  CudaConnectedComponentLabeler    labeler;
  labeler.options.selection.order = OrderEnum::Size; // sorts
  labeler.options.allocator = allocator.Get();
  Call call;
  call.input = View::OnDevice(input.Get(), size);
  call.output = View::OnDevice(output.Get(), size);
  labeler.Prepare(call);
  const std::uint64_t             bytes = labeler.GetWorkspaceSize(call);
  const DeviceArray<std::uint8_t> workspace(bytes);

  // The default stream waits for the stream that captures.
  CudaTestSupport::BeginCapture(capturing.get(), other.Get());
  const auto enqueueAll = [&] {
    ExpectError(KindEnum::InvalidArgument, "another stream captures a CUDA graph", [&] {
      labeler.Enqueue(call, workspace.Get(), bytes);
    });
    ExpectError(KindEnum::InvalidArgument, "another stream captures a CUDA graph", [&] { labeler.Enqueue(call); });
  };
  enqueueAll();
  std::thread(enqueueAll).join();
  EXPECT_EQ(allocator.allocations, 0U);
  EXPECT_EQ(labeler.GetWorkspaceSize(call), bytes);
  EXPECT_EQ(CudaTestSupport::EndCapture(capturing.get()), "");

  // Another stream does not.
  labeler.options.stream = stream.get();
  CudaTestSupport::BeginCapture(capturing.get(), other.Get());
  labeler.Enqueue(call, workspace.Get(), bytes);
  std::thread([&] { labeler.Enqueue(call, workspace.Get(), bytes); }).join();
  EXPECT_EQ(labeler.GetWorkspaceSize(call), bytes);
  labeler.RequireDevice();
  CudaConnectedComponentLabeler::TrimMemory();
  CudaConnectedComponentLabeler::GetHeldMemory();
  EXPECT_EQ(CudaTestSupport::EndCapture(capturing.get()), "");
  CudaTestSupport::Wait(stream.get());

  auto waiting = labeler;
  waiting.options.onHost = true;
  std::vector<std::uint32_t> expected(pixels);
  waiting.Label(View::Of(host.data(), size), View::Of(expected.data(), size));
  EXPECT_TRUE(output.Read() == expected);

  // After the capture, the default stream can be used.
  labeler.options.stream = nullptr;
  labeler.Enqueue(call, workspace.Get(), bytes);
  CudaTestSupport::Wait(nullptr);
  EXPECT_TRUE(output.Read() == expected);
}

TEST(CudaConnectedComponentsEnqueue, TableMakerGetsTheNumberOfComponents)
{
  SKIP_WITHOUT_DEVICE();
  const auto                      stream = CudaTestSupport::MakeStream();
  std::mt19937                    random(3);
  const Size                      size{ 60, 50, 7 };
  const std::uint64_t             images = 4;
  const std::uint64_t             pixels = size[0] * size[1] * size[2] * images;
  const auto                      host = RandomPixels(pixels, 30, random);
  const DeviceArray<std::uint8_t> input(host);
  const View                      view = View::OnDevice(input.Get(), size).Batch(images);
  CudaConnectedComponentLabeler   labeler;
  labeler.options.columns = AllColumns();
  labeler.options.stream = stream.get();
  auto waiting = labeler;
  waiting.options.onHost = true;
  for (const unsigned int largest : { 0, 1, 2 })
  {
    labeler.options.selection.numberOfLargest = waiting.options.selection.numberOfLargest = largest;
    const CudaConnectedComponentTable expected = waiting.Measure(View::Of(host.data(), size).Batch(images));
    Results                           results(expected.componentCount, images);
    Call                              call;
    results.AddTo(call, false);
    const std::uint64_t count = labeler.Measure(view, [&](std::uint64_t components) {
      EXPECT_EQ(components, expected.componentCount);
      return call.table;
    });
    CudaTestSupport::Wait(stream.get());
    EXPECT_EQ(count, expected.componentCount);
    Status status;
    status.componentCount = count;
    status.originalComponentCount = expected.originalComponentCount;
    results.status.Write({ status });
    results.counts.Write(expected.componentCounts);
    results.Expect(expected, "largest " + std::to_string(largest));

    auto table = call.table;
    --table.rows;
    ExpectError(KindEnum::InvalidArgument, "the table has " + std::to_string(table.rows) + " rows", [&] {
      labeler.Measure(view, [&](std::uint64_t) { return table; });
    });
    std::uint64_t onHost = 0;
    table = call.table;
    table.pixelCounts = &onHost;
    ExpectError(KindEnum::InvalidArgument, "the column of the table is not in the memory", [&] {
      labeler.Measure(view, [&](std::uint64_t) { return table; });
    });
    table.pixelCounts = call.table.pixelCounts;
    table.sums[1] = reinterpret_cast<Sum *>(results.faces.Get() + 1);
    ExpectError(KindEnum::InvalidArgument, "the address of the column of the table is not a multiple of 8 bytes", [&] {
      labeler.Measure(view, [&](std::uint64_t) { return table; });
    });
    auto fewColumns = labeler;
    fewColumns.options.columns.sums = false;
    ExpectError(KindEnum::InvalidArgument, "a column that is not in options.columns", [&] {
      fewColumns.Measure(view, [&](std::uint64_t) { return call.table; });
    });
    fewColumns.options.columns.boundingBoxes = false;
    ExpectError(KindEnum::InvalidArgument, "a column that is not in options.columns", [&] {
      fewColumns.Measure(view, [&](std::uint64_t rows) {
        itk::CudaConnectedComponentDeviceTable ends;
        ends.rows = rows;
        ends.ends[0] = call.table.ends[0];
        return ends;
      });
    });
  }
  ExpectError(KindEnum::InvalidArgument, "the function that makes the table is empty", [&] {
    labeler.Measure(view, CudaConnectedComponentLabeler::TableMakerType());
  });
  ExpectError(KindEnum::InvalidArgument, "the input is in host memory: this function reads device memory only", [&] {
    labeler.Measure(View::Of(host.data(), size),
                    [](std::uint64_t) { return itk::CudaConnectedComponentDeviceTable(); });
  });
  unsigned int calls = 0;
  EXPECT_EQ(labeler.Measure(View::OnDevice(input.Get(), { 0, 3, 1 }),
                            [&](std::uint64_t components) {
                              calls += components == 0;
                              return itk::CudaConnectedComponentDeviceTable();
                            }),
            0U);
  EXPECT_EQ(calls, 1U);
  EXPECT_THROW(
    labeler.Measure(
      view, [](std::uint64_t) -> itk::CudaConnectedComponentDeviceTable { throw std::runtime_error("no table"); }),
    std::runtime_error);
}

TEST(CudaConnectedComponentsEnqueue, LabelMakerGetsTheLabels)
{
  SKIP_WITHOUT_DEVICE();
  const auto                    stream = CudaTestSupport::MakeStream();
  std::mt19937                  random(5);
  CudaConnectedComponentLabeler labeler;
  labeler.options.stream = stream.get();
  auto waiting = labeler;
  waiting.options.onHost = true;
  for (const Size & size : { Size{ 300, 200, 1 }, Size{ 1030, 1100, 1 }, Size{ 60, 50, 70 }, Size{ 230, 240, 250 } })
  {
    for (const unsigned int images : { 1, 2 })
    {
      for (const unsigned int largest : { 0, 3 })
      {
        const std::string                what = View::TextOf(size) + " x " + std::to_string(images);
        const std::uint64_t              pixels = size[0] * size[1] * size[2] * images;
        const auto                       host = RandomPixels(pixels, 30, random);
        const DeviceArray<std::uint8_t>  input(host);
        const DeviceArray<std::uint32_t> labels(pixels);
        labeler.options.fullyConnected = waiting.options.fullyConnected = largest == 0;
        labeler.options.selection.numberOfLargest = waiting.options.selection.numberOfLargest = largest;
        std::vector<std::uint32_t> expected(pixels);
        const std::uint64_t        expectedCount =
          waiting.Label(View::Of(host.data(), size).Batch(images), View::Of(expected.data(), size).Batch(images));
        unsigned int        calls = 0;
        const std::uint64_t count =
          labeler.Label(View::OnDevice(input.Get(), size).Batch(images), PixelType::UInt32, [&] {
            ++calls;
            return labels.Get();
          });
        CudaTestSupport::Wait(stream.get());
        EXPECT_EQ(count, expectedCount) << what;
        EXPECT_EQ(calls, 1U) << what;
        EXPECT_TRUE(labels.Read() == expected) << what;
      }
    }
  }
}

TEST(CudaConnectedComponentsEnqueue, LabelMakerMayReportErrors)
{
  SKIP_WITHOUT_DEVICE();
  const Size                       size{ 64, 64, 1 };
  std::vector<std::uint8_t>        host(64 * 64);
  const DeviceArray<std::uint8_t>  input(host);
  const DeviceArray<std::uint32_t> labels(64 * 64);
  const View                       view = View::OnDevice(input.Get(), size);
  CudaConnectedComponentLabeler    labeler;
  const auto                       expectError = [&](const char * message, PixelType type, void * memory) {
    ExpectError(KindEnum::InvalidArgument, message, [&] { labeler.Label(view, type, [memory] { return memory; }); });
  };
  expectError("the memory for labels is a null pointer", PixelType::UInt32, nullptr);
  expectError("the memory for labels is not in the memory", PixelType::UInt32, host.data());
  expectError("the address of the memory for labels is not a multiple",
              PixelType::UInt32,
              reinterpret_cast<char *>(labels.Get()) + 1);
  expectError("labels are integers of 8 to 64 bits", PixelType::Float, labels.Get());
  expectError("pixels of the type 99", static_cast<PixelType>(99), labels.Get());
  ExpectError(KindEnum::InvalidArgument, "the function that makes the labels is empty", [&] {
    labeler.Label(view, PixelType::UInt32, CudaConnectedComponentLabeler::LabelMakerType());
  });
  ExpectError(KindEnum::InvalidArgument, "the input is in host memory: this function reads device memory only", [&] {
    labeler.Label(View::Of(host.data(), size), PixelType::UInt32, [&] { return labels.Get(); });
  });
  EXPECT_THROW(labeler.Label(view, PixelType::UInt32, []() -> void * { throw std::runtime_error("no labels"); }),
               std::runtime_error);
  unsigned int calls = 0;
  EXPECT_EQ(labeler.Label(View::OnDevice(input.Get(), { 0, 3, 1 }),
                          PixelType::UInt32,
                          [&]() -> void * {
                            ++calls;
                            return nullptr;
                          }),
            0U);
  EXPECT_EQ(calls, 1U);
  for (std::uint64_t i = 0; i < host.size(); ++i)
  {
    host[i] = i % 2 == 0 && i / 64 % 2 == 0; // 1024 components
  }
  const DeviceArray<std::uint8_t> many(host);
  ExpectError(KindEnum::TooManyObjects, "255", [&] {
    labeler.Label(View::OnDevice(many.Get(), size), PixelType::UInt8, [&] { return labels.Get(); });
  });
  CudaTestSupport::Wait(nullptr);
}

TEST(CudaConnectedComponentsEnqueue, MemoryOfACallStaysUntilItsLabelsAreWritten)
{
  SKIP_WITHOUT_DEVICE();
  const Size                    size{ 100, 90, 8 };
  const std::uint64_t           pixels = size[0] * size[1] * size[2];
  std::mt19937                  random(6);
  CudaConnectedComponentLabeler labelers[2];
  std::shared_ptr<void>         streams[2];
  CudaConnectedComponentLabeler waiting;
  waiting.options.onHost = true;
  CudaConnectedComponentLabeler::TrimMemory();
  for (unsigned int i = 0; i < 2; ++i)
  {
    streams[i] = CudaTestSupport::MakeStream();
    labelers[i].options.stream = streams[i].get();
  }
  bool wasEarly = false;
  for (unsigned int repeat = 0; repeat < 5; ++repeat)
  {
    const std::vector<std::uint8_t>  hosts[2] = { RandomPixels(pixels, 30, random), RandomPixels(pixels, 10, random) };
    const DeviceArray<std::uint8_t>  inputs[2] = { DeviceArray<std::uint8_t>(hosts[0]),
                                                   DeviceArray<std::uint8_t>(hosts[1]) };
    const DeviceArray<std::uint32_t> labels[2] = { DeviceArray<std::uint32_t>(pixels),
                                                   DeviceArray<std::uint32_t>(pixels) };
    for (unsigned int i = 0; i < 2; ++i)
    {
      labelers[i].Label(View::OnDevice(inputs[i].Get(), size), PixelType::UInt32, [&] {
        CudaTestSupport::DelayStream(streams[i].get(), i == 0 ? 50 : 0); // before the labels are written
        return labels[i].Get();
      });
      wasEarly |= i == 0 && !CudaTestSupport::IsIdle(streams[0].get());
    }
    for (unsigned int i = 0; i < 2; ++i)
    {
      CudaTestSupport::Wait(streams[i].get());
      std::vector<std::uint32_t> expected(pixels);
      waiting.Label(View::Of(hosts[i].data(), size), View::Of(expected.data(), size));
      EXPECT_TRUE(labels[i].Read() == expected) << repeat << ", " << i;
    }
  }
  EXPECT_TRUE(wasEarly) << "the calls waited for the labels";
  CudaConnectedComponentLabeler::TrimMemory();
  EXPECT_EQ(CudaConnectedComponentLabeler::GetHeldMemory().deviceBytes, 0U);
}

TEST(CudaConnectedComponentsEnqueue, WaitingCallsTakeLessMemoryIfThereIsLittle)
{
  SKIP_WITHOUT_DEVICE();
  const Size                size{ 320, 320, 320 };
  const std::uint64_t       pixels = size[0] * size[1] * size[2];
  std::vector<std::uint8_t> host(pixels);
  host[5] = host[pixels / 2] = 1;
  const DeviceArray<std::uint8_t>  input(host);
  const DeviceArray<std::uint32_t> output(pixels);
  CudaConnectedComponentLabeler    labeler;
  labeler.Label(View::OnDevice(input.Get(), { 3, 3, 3 }), View::OnDevice(output.Get(), { 3, 3, 3 }));
  CudaConnectedComponentLabeler::TrimMemory();
  // The most possible runs need 131 MB.
  const auto exhausted = CudaTestSupport::ExhaustDeviceMemory(std::uint64_t{ 100 } << 20);
  EXPECT_EQ(labeler.Label(View::OnDevice(input.Get(), size), View::OnDevice(output.Get(), size)), 2U);
  const auto labels = output.Read();
  EXPECT_EQ(labels[5], 1U);
  EXPECT_EQ(labels[pixels / 2], 2U);
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 0U), static_cast<std::ptrdiff_t>(pixels - 2));
}
