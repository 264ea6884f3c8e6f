// SPDX-License-Identifier: Apache-2.0

// Calls whose output is memory that they read leave it unchanged if they get too little memory.

#include "AnalysisTestSupport.h"
#include "CountingAllocator.h"
#include "CudaTestSupport.h"
#include "LabelerTestSupport.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <vector>

namespace
{

/** The number of the next allocation on the host that fails, or 0 for none. Other threads must not allocate then. */
unsigned int refusedOnHost = 0;

/** Returns null if the allocation fails. */
void *
AllocateUnlessRefused(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept
{
  const bool isRefused = refusedOnHost != 0 && --refusedOnHost == 0;
  return isRefused ? nullptr : std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
}

void *
RequireMemory(void * memory)
{
  if (memory == nullptr)
  {
    throw std::bad_alloc();
  }
  return memory;
}

} // namespace

// They replace the operators of the standard library, also in a shared library.
void *
operator new(std::size_t bytes)
{
  return RequireMemory(AllocateUnlessRefused(bytes));
}
void *
operator new(std::size_t bytes, const std::nothrow_t &) noexcept
{
  return AllocateUnlessRefused(bytes);
}
void *
operator new(std::size_t bytes, std::align_val_t alignment)
{
  return RequireMemory(AllocateUnlessRefused(bytes, static_cast<std::size_t>(alignment)));
}
void
operator delete(void * memory) noexcept
{
  std::free(memory);
}
void
operator delete(void * memory, std::size_t) noexcept
{
  std::free(memory);
}
void
operator delete(void * memory, std::align_val_t) noexcept
{
  std::free(memory);
}
void
operator delete(void * memory, std::size_t, std::align_val_t) noexcept
{
  std::free(memory);
}

namespace
{

using Call = itk::CudaConnectedComponentDeviceCall;
using Output = itk::CudaConnectedComponentsEnums::Output;
using Pixels = std::vector<std::uint8_t>;

const CudaConnectedComponentLabeler::SizeType Size{ 35, 9, 3 };
constexpr std::uint8_t                        FillValue = 9;

/** A call whose output is memory that it reads. */
struct Case
{
  Output        kind;
  std::uint64_t images;
  unsigned int  numberOfLargest;
  bool          hasTable;
  bool          hasIntensities;

  static std::vector<Case>
  All()
  {
    std::vector<Case> cases;
    for (const Output kind : { Output::Labels, Output::FilledInside, Output::FilledOutside })
    {
      for (const std::uint64_t images : { 1, 3 })
      {
        for (const unsigned int largest : { 0, 1, 3 })
        {
          cases.push_back({ kind, images, largest, false, false });
          cases.push_back({ kind, images, largest, true, false });
          cases.push_back({ kind, images, largest, true, true });
        }
      }
    }
    return cases;
  }

  std::string
  ToText() const
  {
    return "kind " + std::to_string(static_cast<int>(kind)) + ", images " + std::to_string(images) + ", largest " +
           std::to_string(numberOfLargest) + ", table " + std::to_string(hasTable) + ", intensities " +
           std::to_string(hasIntensities);
  }

  /** Sets the options. `output` is the memory that the call reads and writes. */
  void
  Configure(CudaConnectedComponentLabeler & labeler, const View & output) const
  {
    labeler.options.columns = AllColumns();
    labeler.options.selection.numberOfLargest = numberOfLargest;
    if (kind == Output::Labels)
    {
      labeler.options.mask = output;
    }
    if (hasIntensities)
    {
      labeler.options.intensities = output;
    }
  }

  /** `input` is another image, for labels. */
  void
  Run(const CudaConnectedComponentLabeler & labeler,
      const View &                          input,
      const View &                          output,
      CudaConnectedComponentTable &         table) const
  {
    CudaConnectedComponentTable * const wanted = hasTable ? &table : nullptr;
    switch (kind)
    {
      case Output::Labels:
        labeler.Label(input, output, 0, wanted);
        break;
      case Output::FilledInside:
        labeler.Fill(output, output, FillValue, wanted);
        break;
      default:
        labeler.Mask(output, output, FillValue, wanted);
    }
  }
};


Pixels
RandomPixels(std::uint64_t images, unsigned int percent, unsigned int seed)
{
  std::mt19937 random(seed);
  Pixels       pixels(Size[0] * Size[1] * Size[2] * images);
  for (std::uint8_t & pixel : pixels)
  {
    pixel = random() % 100 < percent ? 1 + random() % 3 : 0;
  }
  return pixels;
}

void
ExpectSameTables(const CudaConnectedComponentTable & table,
                 const CudaConnectedComponentTable & expected,
                 const std::string &                 what)
{
  EXPECT_EQ(table.componentCounts, expected.componentCounts) << what;
  EXPECT_EQ(table.pixelCounts, expected.pixelCounts) << what;
  EXPECT_TRUE(table.products == expected.products) << what;
  EXPECT_EQ(table.intensities.sums, expected.intensities.sums) << what;
}

} // namespace

TEST(CudaConnectedComponentsMemoryFaults, HostLeavesWhatItReads)
{
  unsigned int refusals = 0;
  for (const Case & each : Case::All())
  {
    for (const bool fullyConnected : { false, true })
    {
      const Pixels                  input = RandomPixels(each.images, 45, 1);
      const Pixels                  before = RandomPixels(each.images, 45, 2);
      Pixels                        output = before;
      const View                    inputView = View::Of(input.data(), Size).Batch(each.images);
      const View                    outputView = View::Of(output.data(), Size).Batch(each.images);
      CudaConnectedComponentLabeler labeler;
      labeler.options.onHost = true;
      labeler.options.fullyConnected = fullyConnected;
      each.Configure(labeler, outputView);
      CudaConnectedComponentTable expectedTable;
      each.Run(labeler, inputView, outputView, expectedTable);
      const Pixels expected = output;
      ASSERT_NE(expected, before);

      for (unsigned int refused = 1;; ++refused)
      {
        const std::string what = each.ToText() + ", full " + std::to_string(fullyConnected) + ", refused allocation " +
                                 std::to_string(refused);
        output = before;
        CudaConnectedComponentTable table;
        bool                        hasFailed = false;
        refusedOnHost = refused;
        try
        {
          each.Run(labeler, inputView, outputView, table);
        }
        catch (const std::bad_alloc &)
        {
          hasFailed = true;
        }
        const bool wasRefused = refusedOnHost == 0;
        refusedOnHost = 0;
        refusals += wasRefused ? 1 : 0;
        if (hasFailed)
        {
          EXPECT_EQ(output, before) << what;
          EXPECT_EQ(table.componentCount, 0U) << what;
        }
        else
        {
          EXPECT_EQ(output, expected) << what;
          ExpectSameTables(table, expectedTable, what);
        }
        if (!wasRefused)
        {
          break;
        }
      }
    }
  }
  EXPECT_GT(refusals, 500U);
}

TEST(CudaConnectedComponentsMemoryFaults, DeviceLeavesWhatItReads)
{
  SKIP_WITHOUT_DEVICE();
  unsigned int failures = 0;
  for (const Case & each : Case::All())
  {
    const Pixels input = RandomPixels(each.images, 45, 1);
    const Pixels before = RandomPixels(each.images, 45, 2);
    Pixels       onHost = before;
    const auto   deviceInput = CudaTestSupport::AllocateDevice(input.size());
    const auto   deviceOutput = CudaTestSupport::AllocateDevice(before.size());
    const auto   viewOf = [&](const std::shared_ptr<void> & memory) {
      return View::OnDevice(static_cast<const std::uint8_t *>(memory.get()), Size).Batch(each.images);
    };
    const View outputView = viewOf(deviceOutput);
    CudaTestSupport::CopyToDevice(deviceInput.get(), input.data(), input.size());
    for (const AlgorithmEnum algorithm : { AlgorithmEnum::Automatic, AlgorithmEnum::BlockUnionFind })
    {
      CudaConnectedComponentLabeler labeler;
      labeler.options.algorithm = algorithm;
      labeler.options.fullyConnected = algorithm == AlgorithmEnum::BlockUnionFind;
      auto waiting = labeler;
      waiting.options.onHost = true;
      onHost = before;
      const View hostView = View::Of(onHost.data(), Size).Batch(each.images);
      each.Configure(waiting, hostView);
      CudaConnectedComponentTable expectedTable;
      each.Run(waiting, View::Of(input.data(), Size).Batch(each.images), hostView, expectedTable);

      // The second allocation that fails is one of those that follow if there is no room for one block of memory.
      CountingAllocator allocator;
      each.Configure(labeler, outputView);
      labeler.options.allocator = allocator.Get();
      const auto expectUnchanged = [&](unsigned int first, unsigned int second, const auto & run) {
        const std::string what = each.ToText() + ", algorithm " + std::to_string(static_cast<int>(algorithm)) +
                                 ", refused allocations " + std::to_string(first) + " and " + std::to_string(second);
        CudaTestSupport::CopyToDevice(deviceOutput.get(), before.data(), before.size());
        allocator.allocations = 0;
        allocator.refused = { first, second };
        CudaConnectedComponentTable table;
        bool                        hasFailed = false;
        try
        {
          run(table);
        }
        catch (const CudaConnectedComponentError & error)
        {
          hasFailed = true;
          EXPECT_EQ(static_cast<int>(error.GetKind()), static_cast<int>(KindEnum::Memory)) << error.what();
        }
        CudaTestSupport::Wait(nullptr);
        Pixels after(before.size());
        CudaTestSupport::CopyToHost(after.data(), deviceOutput.get(), after.size());
        EXPECT_EQ(after, hasFailed ? before : onHost) << what;
        if (!hasFailed)
        {
          ExpectSameTables(table, expectedTable, what);
        }
        EXPECT_TRUE(allocator.arrays.empty()) << what;
        failures += hasFailed ? 1 : 0;
        return allocator.allocations >= second; // whether the second one was asked for
      };
      const auto run = [&](CudaConnectedComponentTable & table) {
        each.Run(labeler, viewOf(deviceInput), outputView, table);
      };
      for (const unsigned int first : { 0, 1, 2 })
      {
        for (unsigned int second = first + 1; expectUnchanged(first, second, run); ++second)
        {
        }
      }
      if (!each.hasTable && algorithm == AlgorithmEnum::Automatic)
      {
        Call call;
        call.input = each.kind == Output::Labels ? viewOf(deviceInput) : outputView;
        call.output = outputView;
        call.kind = each.kind;
        call.value = each.kind == Output::Labels ? 0 : FillValue;
        const auto enqueue = [&](CudaConnectedComponentTable &) { labeler.Enqueue(call); };
        EXPECT_TRUE(expectUnchanged(0, 1, enqueue));
        EXPECT_FALSE(expectUnchanged(0, 2, enqueue));
      }
    }
  }
  EXPECT_GT(failures, 100U);
}
