// SPDX-License-Identifier: Apache-2.0

// Tests of the labeler on a GPU: pixel types, errors, streams, threads and memory.

#include "LabelerTestSupport.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace
{

using View = itk::CudaConnectedComponentImageView;

std::vector<AlgorithmEnum>
AllAlgorithms()
{
  std::vector<AlgorithmEnum> algorithms;
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    algorithms.push_back(row.algorithm);
  }
  return algorithms;
}

/** Copies values to new device memory. */
template <typename T>
std::shared_ptr<void>
Upload(const std::vector<T> & values)
{
  auto memory = CudaTestSupport::AllocateDevice(values.size() * sizeof(T));
  CudaTestSupport::CopyToDevice(memory.get(), values.data(), values.size() * sizeof(T));
  return memory;
}

/** Labels pixels from device memory to device memory. */
template <typename TInput, typename TOutput>
std::vector<TOutput>
LabelOnDevice(const CudaConnectedComponentLabeler &           labeler,
              const std::vector<TInput> &                     pixels,
              const CudaConnectedComponentLabeler::SizeType & size,
              TOutput                                         background,
              std::uint64_t &                                 objectCount)
{
  const auto           input = Upload(pixels);
  std::vector<TOutput> labels(pixels.size(), TOutput{ 99 });
  const auto           output = Upload(labels);
  objectCount = labeler.Label(View::OnDevice(static_cast<const TInput *>(input.get()), size),
                              View::OnDevice(static_cast<TOutput *>(output.get()), size),
                              background);
  CudaTestSupport::CopyToHost(labels.data(), output.get(), labels.size() * sizeof(TOutput));
  return labels;
}

template <typename T>
class CudaConnectedComponentsLabelerInput : public testing::Test
{};
using InputTypes = testing::Types<bool,
                                  char,
                                  signed char,
                                  unsigned char,
                                  short,
                                  unsigned short,
                                  int,
                                  unsigned int,
                                  long,
                                  unsigned long,
                                  long long,
                                  unsigned long long,
                                  float,
                                  double>;
TYPED_TEST_SUITE(CudaConnectedComponentsLabelerInput, InputTypes);

/** Returns an integer with only the highest bit set, or the smallest positive floating-point number. A conversion to a
 * smaller type would make the value 0. */
template <typename T>
T
SmallestForeground()
{
  if constexpr (std::is_floating_point<T>::value)
  {
    return std::numeric_limits<T>::denorm_min();
  }
  else
  {
    return std::is_signed<T>::value ? std::numeric_limits<T>::lowest()
                                    : static_cast<T>((std::numeric_limits<T>::max() >> 1) + 1);
  }
}

TYPED_TEST(CudaConnectedComponentsLabelerInput, EveryAlgorithmReadsTheType)
{
  SKIP_WITHOUT_DEVICE();
  // Rows of 64 pixels are a multiple of 16 bytes for every type; rows of 61 pixels are not.
  for (const std::uint64_t width : { 64, 61 })
  {
    const TestImage image = MakeRandom({ width, 21, 9 }, 30, 1, 31);
    const Labels    expected = LabelByItk(image, true);
    const TypeParam foreground = SmallestForeground<TypeParam>();
    // std::vector<bool> does not store an array of bool.
    std::unique_ptr<TypeParam[]> pixels(new TypeParam[image.pixels.size()]);
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
    {
      pixels[i] = image.pixels[i] != 0 ? foreground : TypeParam(-0.0);
    }
    const auto input = CudaTestSupport::AllocateDevice(image.pixels.size() * sizeof(TypeParam));
    const auto output = CudaTestSupport::AllocateDevice(image.pixels.size() * sizeof(std::uint32_t));
    CudaTestSupport::CopyToDevice(input.get(), pixels.get(), image.pixels.size() * sizeof(TypeParam));
    for (const AlgorithmEnum algorithm : AllAlgorithms())
    {
      CudaConnectedComponentLabeler labeler;
      labeler.options.algorithm = algorithm;
      labeler.options.fullyConnected = true;
      Labels labels{ std::vector<std::uint32_t>(image.pixels.size()), 0 };
      labels.objectCount = labeler.Label(View::OnDevice(static_cast<const TypeParam *>(input.get()), image.size),
                                         View::OnDevice(static_cast<std::uint32_t *>(output.get()), image.size));
      CudaTestSupport::CopyToHost(labels.pixels.data(), output.get(), labels.pixels.size() * sizeof(std::uint32_t));
      std::ostringstream what;
      what << image.name << " by " << algorithm;
      ExpectSame(labels, expected, what.str());
    }
  }
}

template <typename T>
class CudaConnectedComponentsLabelerOutput : public testing::Test
{};
using OutputTypes = testing::Types<char,
                                   signed char,
                                   unsigned char,
                                   short,
                                   unsigned short,
                                   int,
                                   unsigned int,
                                   long,
                                   unsigned long,
                                   long long,
                                   unsigned long long>;
TYPED_TEST_SUITE(CudaConnectedComponentsLabelerOutput, OutputTypes);

TYPED_TEST(CudaConnectedComponentsLabelerOutput, EveryAlgorithmWritesTheType)
{
  SKIP_WITHOUT_DEVICE();
  const TestImage image = MakeRandom({ 31, 19, 7 }, 4, 1, 41);
  const Labels    expected = LabelByItk(image, true);
  ASSERT_GT(expected.objectCount, 20U);
  ASSERT_LT(expected.objectCount, 127U);
  const TypeParam backgrounds[] = { 0, 1, 5, std::numeric_limits<TypeParam>::max(), TypeParam(-1) };
  for (const TypeParam background : backgrounds)
  {
    for (const AlgorithmEnum algorithm : AllAlgorithms())
    {
      CudaConnectedComponentLabeler labeler;
      labeler.options.algorithm = algorithm;
      labeler.options.fullyConnected = true;
      std::uint64_t                objectCount = 0;
      const std::vector<TypeParam> labels = LabelOnDevice(labeler, image.pixels, image.size, background, objectCount);
      EXPECT_EQ(objectCount, expected.objectCount);
      std::vector<TypeParam> onHost(image.pixels.size());
      EXPECT_EQ(
        labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(onHost.data(), image.size), background),
        objectCount);
      for (std::size_t i = 0; i < labels.size(); ++i)
      {
        TypeParam label = background;
        if (expected.pixels[i] != 0)
        {
          label = static_cast<TypeParam>(expected.pixels[i] - 1);
          label = static_cast<TypeParam>(label + (background >= 0 && label >= background));
        }
        ASSERT_EQ(+labels[i], +label) << algorithm << ", background " << +background << ", pixel " << i;
        ASSERT_EQ(+onHost[i], +label) << algorithm << ", background " << +background << ", pixel " << i;
      }
    }
  }
}

TEST(CudaConnectedComponentsLabeler, TooManyObjects)
{
  SKIP_WITHOUT_DEVICE();
  // 255 objects fit into a byte, 256 do not.
  for (const std::uint64_t objects : { 255, 256 })
  {
    TestImage image = MakeImage("dots", { 2 * objects, 1, 1 });
    for (std::uint64_t i = 0; i < objects; ++i)
    {
      image.pixels[2 * i] = 1;
    }
    for (const AlgorithmEnum algorithm : AllAlgorithms())
    {
      CudaConnectedComponentLabeler labeler;
      labeler.options.algorithm = algorithm;
      labeler.options.fullyConnected = true;
      std::uint64_t             count = 0;
      std::vector<std::uint8_t> labels(image.pixels.size());
      if (objects == 255)
      {
        LabelOnDevice(labeler, image.pixels, image.size, std::uint8_t{ 0 }, count);
        EXPECT_EQ(count, 255U);
        EXPECT_EQ(labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size)), 255U);
        continue;
      }
      const std::string message = "Number of objects (256) greater than maximum of output pixel type (255).";
      ExpectError(KindEnum::TooManyObjects, message, [&] {
        LabelOnDevice(labeler, image.pixels, image.size, std::uint8_t{ 0 }, count);
      });
      ExpectError(KindEnum::TooManyObjects, message, [&] {
        labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size));
      });
    }
  }
}

TEST(CudaConnectedComponentsLabeler, RefusesHostMemoryForDeviceMemory)
{
  SKIP_WITHOUT_DEVICE();
  const std::vector<std::uint8_t>     pixels(64, 1);
  std::vector<std::uint32_t>          labels(64, 0);
  const CudaConnectedComponentLabeler labeler;
  ExpectError(KindEnum::InvalidArgument, "the input is not in the memory of CUDA device", [&] {
    labeler.Label(View::OnDevice(pixels.data(), { 8, 8, 1 }), View::OnDevice(labels.data(), { 8, 8, 1 }));
  });
  const auto input = Upload(pixels);
  ExpectError(KindEnum::InvalidArgument, "the output is not in the memory of CUDA device", [&] {
    labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), { 8, 8, 1 }),
                  View::OnDevice(labels.data(), { 8, 8, 1 }));
  });
  EXPECT_EQ(labels, std::vector<std::uint32_t>(64, 0));
}

TEST(CudaConnectedComponentsLabeler, AcceptsEveryAlignedAddress)
{
  SKIP_WITHOUT_DEVICE();
  const TestImage image = MakeRandom({ 67, 33, 9 }, 30, 1, 52);
  const Labels    expected = LabelByItk(image, true);
  for (const std::size_t offset : { 1, 2, 3, 5 })
  {
    std::vector<std::uint8_t> pixels(offset, 1);
    pixels.insert(pixels.end(), image.pixels.begin(), image.pixels.end());
    const auto                 input = Upload(pixels);
    std::vector<std::uint16_t> labels(image.pixels.size() + offset, 99);
    const auto                 output = Upload(labels);
    for (const AlgorithmEnum algorithm : AllAlgorithms())
    {
      CudaConnectedComponentLabeler labeler;
      labeler.options.algorithm = algorithm;
      labeler.options.fullyConnected = true;
      EXPECT_EQ(labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()) + offset, image.size),
                              View::OnDevice(static_cast<std::uint16_t *>(output.get()) + offset, image.size)),
                expected.objectCount);
      CudaTestSupport::CopyToHost(labels.data(), output.get(), labels.size() * sizeof(std::uint16_t));
      EXPECT_TRUE(std::equal(expected.pixels.begin(), expected.pixels.end(), labels.begin() + offset)) << algorithm;
    }
  }
}

/** Labels a cube from host to host. If a side has at most 128 pixels, also labels it from device to device. */
void
LabelCube(std::uint64_t side)
{
  std::vector<std::uint8_t> mask(side * side * side, 0);
  for (std::size_t i = 0; i < mask.size(); i += 7)
  {
    mask[i] = 1;
  }
  std::vector<std::uint32_t>    labels(mask.size());
  CudaConnectedComponentLabeler labeler;
  labeler.options.fullyConnected = true;
  labeler.Label(View::Of(mask.data(), { side, side, side }), View::Of(labels.data(), { side, side, side }));
  if (side <= 128)
  {
    const auto input = Upload(mask);
    const auto output = Upload(labels);
    labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), { side, side, side }),
                  View::OnDevice(static_cast<std::uint32_t *>(output.get()), { side, side, side }));
  }
}

TEST(CudaConnectedComponentsLabeler, ForgetsTheMemoryOfALargeImage)
{
  SKIP_WITHOUT_DEVICE();
  const std::uint64_t large = std::getenv("CUDA_CONNECTED_COMPONENTS_LARGE_TESTS") != nullptr ? 1024 : 300;
  LabelCube(128);
  CudaConnectedComponentLabeler::TrimMemory();
  const std::uint64_t freeBefore = CudaTestSupport::CountFreeMemory();
  LabelCube(128);
  const auto small = CudaConnectedComponentLabeler::GetHeldMemory();
  EXPECT_GT(small.pinnedBytes, 0U);
  LabelCube(large);
  const auto larger = CudaConnectedComponentLabeler::GetHeldMemory();
  EXPECT_GT(larger.pinnedBytes, small.pinnedBytes);
  for (int call = 0; call < 32; ++call)
  {
    LabelCube(128);
  }
  const auto held = CudaConnectedComponentLabeler::GetHeldMemory();
  EXPECT_LE(held.deviceBytes, 2 * small.deviceBytes);
  EXPECT_LE(held.pinnedBytes, 2 * small.pinnedBytes);
  // CUDA holds no other memory. It may round up by some MiB.
  const std::uint64_t freeAfter = CudaTestSupport::CountFreeMemory();
  EXPECT_LE(freeBefore, freeAfter + 2 * small.deviceBytes + (4 << 20));
  std::cout << "128^3: " << (small.deviceBytes >> 10) << " KiB of device, " << (small.pinnedBytes >> 10)
            << " KiB pinned; " << large << "^3: " << (larger.deviceBytes >> 10) << ", " << (larger.pinnedBytes >> 10)
            << "; 32 times 128^3 after that: " << (held.deviceBytes >> 10) << ", " << (held.pinnedBytes >> 10) << '\n';
  CudaConnectedComponentLabeler::TrimMemory();
  EXPECT_EQ(CudaConnectedComponentLabeler::GetHeldMemory().pinnedBytes, 0U);
}

TEST(CudaConnectedComponentsLabeler, WorksOnTheCallersStream)
{
  SKIP_WITHOUT_DEVICE();
  const TestImage               image = MakeRandom({ 65, 43, 21 }, 25, 2, 51);
  const auto                    stream = CudaTestSupport::MakeStream();
  CudaConnectedComponentLabeler labeler;
  labeler.options.stream = stream.get();
  Labels labels;
  labels.pixels = LabelOnDevice(labeler, image.pixels, image.size, std::uint32_t{ 0 }, labels.objectCount);
  ExpectSame(labels, LabelByItk(image, false), image.name);
}

/** A stream that captures a graph, and the memory that the graph clears. */
struct Capture
{
  std::shared_ptr<void> stream = CudaTestSupport::MakeBlockingStream();
  std::shared_ptr<void> memory = Upload(std::vector<std::uint32_t>{ 1 });

  /** Expects that the graph can be captured to its end, and runs. */
  void
  ExpectValid() const
  {
    EXPECT_EQ(CudaTestSupport::EndCapture(stream.get()), "");
    std::uint32_t value = 1;
    CudaTestSupport::CopyToHost(&value, memory.get(), sizeof(value));
    EXPECT_EQ(value, 0U);
  }
};

TEST(CudaConnectedComponentsLabeler, LeavesCapturesOfOtherStreamsValid)
{
  SKIP_WITHOUT_DEVICE();
  const TestImage image = MakeRandom({ 65, 43, 21 }, 25, 2, 54);
  const Labels    expected = LabelByItk(image, false);
  const auto      stream = CudaTestSupport::MakeStream();
  const auto      input = Upload(image.pixels);
  const auto      output = Upload(expected.pixels);
  for (const AlgorithmEnum algorithm : { AlgorithmEnum::Automatic, AlgorithmEnum::RunUnionFind })
  {
    // Labels in host memory and in device memory. All calls allocate and free memory, because the caches are empty.
    const auto label = [&] {
      CudaConnectedComponentLabeler labeler;
      labeler.options.algorithm = algorithm;
      labeler.options.stream = stream.get();
      CudaConnectedComponentLabeler::TrimMemory();
      Labels labels{ std::vector<std::uint32_t>(image.pixels.size()), 0 };
      labels.objectCount =
        labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.pixels.data(), image.size));
      ExpectSame(labels, expected, image.name);
      EXPECT_EQ(labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), image.size),
                              View::OnDevice(static_cast<std::uint32_t *>(output.get()), image.size)),
                expected.objectCount);
      EXPECT_GT(CudaConnectedComponentLabeler::GetHeldMemory().pinnedBytes, 0U);
      CudaConnectedComponentLabeler::TrimMemory();
    };
    const Capture capture;
    CudaTestSupport::BeginCapture(capture.stream.get(), capture.memory.get());
    std::thread(label).join();
    label();
    capture.ExpectValid();
    Labels labels{ std::vector<std::uint32_t>(image.pixels.size()), expected.objectCount };
    CudaTestSupport::CopyToHost(labels.pixels.data(), output.get(), labels.pixels.size() * sizeof(std::uint32_t));
    ExpectSame(labels, expected, image.name);
  }
}

TEST(CudaConnectedComponentsLabeler, RefusesAStreamThatCaptures)
{
  SKIP_WITHOUT_DEVICE();
  const std::vector<std::uint8_t> pixels(64, 1);
  const auto                      input = Upload(pixels);
  const auto                      output = CudaTestSupport::AllocateDevice(pixels.size());
  const Capture                   capture;
  CudaConnectedComponentLabeler   labeler;
  const auto                      label = [&] {
    labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), { 8, 8, 1 }),
                  View::OnDevice(static_cast<std::uint8_t *>(output.get()), { 8, 8, 1 }));
  };
  CudaTestSupport::BeginCapture(capture.stream.get(), capture.memory.get());
  labeler.options.stream = capture.stream.get();
  ExpectError(
    KindEnum::InvalidArgument, "the stream captures a CUDA graph, and this function waits for results", label);
  labeler.options.stream = nullptr;
  ExpectError(KindEnum::InvalidArgument, "another stream captures a CUDA graph", label);
  capture.ExpectValid();
  label();
}

TEST(CudaConnectedComponentsLabeler, KeepsTheCurrentDevice)
{
  SKIP_WITHOUT_DEVICE();
  const int       devices = CudaTestSupport::CountDevices();
  const TestImage image = MakeRandom({ 33, 32, 31 }, 25, 1, 61);
  for (int current = 0; current < devices; ++current)
  {
    CudaTestSupport::SetCurrentDevice(current);
    for (int device = -1; device < devices; ++device)
    {
      CudaConnectedComponentLabeler labeler;
      labeler.options.deviceId = device;
      Labels labels{ std::vector<std::uint32_t>(image.pixels.size()), 0 };
      labels.objectCount =
        labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.pixels.data(), image.size));
      EXPECT_EQ(CudaTestSupport::GetCurrentDevice(), current);
      ExpectSame(labels, LabelByItk(image, false), image.name);
    }
  }
  CudaTestSupport::SetCurrentDevice(0);
}

TEST(CudaConnectedComponentsLabeler, SaysHowMuchMemoryIsMissing)
{
  SKIP_WITHOUT_DEVICE();
  CudaConnectedComponentLabeler::TrimMemory();
  const TestImage               image = MakeRandom({ 256, 256, 256 }, 50, 1, 71);
  std::vector<std::uint32_t>    labels(image.pixels.size());
  CudaConnectedComponentLabeler labeler;
  labeler.options.algorithm = AlgorithmEnum::BlockUnionFind;
  labeler.options.fullyConnected = true;
  {
    const auto taken = CudaTestSupport::ExhaustDeviceMemory(48 << 20);
    ExpectError(KindEnum::Memory, "device memory: ", [&] {
      labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size));
    });
  }
  EXPECT_EQ(labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size)),
            LabelByItk(image, true).objectCount);
}

/** Labels an image in device memory while only `spared` bytes of it are free. Returns whether this has failed. */
bool
DoesLabelingFail(const CudaConnectedComponentLabeler & labeler,
                 const void *                          input,
                 const TestImage &                     image,
                 void *                                output,
                 std::uint64_t                         spared)
{
  const auto taken = CudaTestSupport::ExhaustDeviceMemory(spared);
  try
  {
    labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input), image.size),
                  View::OnDevice(static_cast<std::uint32_t *>(output), image.size));
    return false;
  }
  catch (const CudaConnectedComponentError & error)
  {
    EXPECT_EQ(error.GetKind(), KindEnum::Memory) << error.what();
    return true;
  }
}

TEST(CudaConnectedComponentsLabeler, LabelsAfterAnAllocationFailed)
{
  SKIP_WITHOUT_DEVICE();
  const TestImage                     image = MakeRandom({ 256, 256, 256 }, 25, 1, 91);
  const Labels                        expected = LabelByItk(image, false);
  const CudaConnectedComponentLabeler labeler;
  const auto                          input = Upload(image.pixels);
  const auto                          output = Upload(expected.pixels);
  CudaConnectedComponentLabeler::TrimMemory();
  const auto   poisoned = CudaTestSupport::PoisonFreeMemory();
  unsigned int failures = 0;
  for (const std::uint64_t megabytes : { 0, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32 })
  {
    CudaConnectedComponentLabeler::TrimMemory();
    failures += DoesLabelingFail(labeler, input.get(), image, output.get(), megabytes << 20) ? 1 : 0;
    Labels labels{ std::vector<std::uint32_t>(image.pixels.size(), 7), 0 };
    CudaTestSupport::CopyToDevice(output.get(), labels.pixels.data(), labels.pixels.size() * sizeof(std::uint32_t));
    labels.objectCount = labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), image.size),
                                       View::OnDevice(static_cast<std::uint32_t *>(output.get()), image.size));
    CudaTestSupport::CopyToHost(labels.pixels.data(), output.get(), labels.pixels.size() * sizeof(std::uint32_t));
    ExpectSame(labels, expected, "after " + std::to_string(megabytes) + " MB were free");
  }
  EXPECT_GT(failures, 0U);
}

TEST(CudaConnectedComponentsLabeler, LeavesNoWorkOnTheCallersStreamAfterAnException)
{
  SKIP_WITHOUT_DEVICE();
  // The published algorithms count the components while the stream still has work.
  const TestImage image = MakeRandom({ 8192, 4096, 1 }, 25, 1, 92);
  const auto      input = Upload(image.pixels);
  const auto      output = CudaTestSupport::AllocateDevice(image.pixels.size());
  const auto      stream = CudaTestSupport::MakeStream();
  for (const AlgorithmEnum algorithm : AllAlgorithms())
  {
    CudaConnectedComponentLabeler labeler;
    labeler.options.algorithm = algorithm;
    labeler.options.fullyConnected = true;
    labeler.options.stream = stream.get();
    unsigned int busy = 0;
    for (int repetition = 0; repetition < 20; ++repetition)
    {
      try
      {
        labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(input.get()), image.size),
                      View::OnDevice(static_cast<std::uint8_t *>(output.get()), image.size));
        ADD_FAILURE() << algorithm << ": 8 bits cannot have so many labels";
      }
      catch (const CudaConnectedComponentError & error)
      {
        busy += CudaTestSupport::IsIdle(stream.get()) ? 0 : 1;
        EXPECT_EQ(error.GetKind(), KindEnum::TooManyObjects) << error.what();
      }
    }
    EXPECT_EQ(busy, 0U) << algorithm;
  }
}

TEST(CudaConnectedComponentsLabeler, RestoresTheCaptureModeOfTheThread)
{
  SKIP_WITHOUT_DEVICE();
  const TestImage               image = MakeRandom({ 65, 43, 21 }, 25, 2, 93);
  std::vector<std::uint8_t>     labels(image.pixels.size());
  CudaConnectedComponentLabeler labeler;
  labeler.options.algorithm = AlgorithmEnum::RunUnionFind;
  const auto label = [&] {
    labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size));
  };
  for (const int mode : { 1, 0 })
  {
    CudaTestSupport::ExchangeCaptureMode(mode);
    const auto expectMode = [mode](const char * after) {
      EXPECT_EQ(CudaTestSupport::ExchangeCaptureMode(mode), mode) << "after " << after;
    };
    ExpectError(KindEnum::TooManyObjects, "", label);
    expectMode("an exception");
    labeler.options.selection.numberOfLargest = 1;
    label();
    expectMode("labeling");
    labeler.options.selection.numberOfLargest = 0;
    CudaConnectedComponentLabeler::GetHeldMemory();
    CudaConnectedComponentLabeler::TrimMemory();
    expectMode("trimming");
  }
}

TEST(CudaConnectedComponentsLabeler, ProgressCanAbort)
{
  SKIP_WITHOUT_DEVICE();
  const TestImage            image = MakeRandom({ 64, 64, 64 }, 30, 1, 81);
  std::vector<std::uint32_t> labels(image.pixels.size());
  std::vector<float>         reports;

  CudaConnectedComponentLabeler labeler;
  labeler.options.progress = [&](float progress) { reports.push_back(progress); };
  labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size));
  ASSERT_GE(reports.size(), 3U);
  EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
  EXPECT_EQ(reports.front(), 0.0F);
  EXPECT_EQ(reports.back(), 1.0F);

  struct Stop
  {};
  for (const float at : reports)
  {
    labeler.options.progress = [at](float progress) {
      if (progress >= at)
      {
        throw Stop{};
      }
    };
    EXPECT_THROW(labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.data(), image.size)), Stop);
  }
}

TEST(CudaConnectedComponentsLabeler, ManyThreadsAtOnce)
{
  SKIP_WITHOUT_DEVICE();
  std::vector<std::thread> threads;
  for (unsigned int thread = 0; thread < 16; ++thread)
  {
    threads.emplace_back([thread] {
      const TestImage image = MakeRandom({ 50 + thread, 41, 30 }, 30, 1 + thread % 3, 91 + thread);
      const Labels    expected[] = { LabelByItk(image, false), LabelByItk(image, true) };
      for (unsigned int repetition = 0; repetition < 4; ++repetition)
      {
        for (const AlgorithmEnum algorithm : AllAlgorithms())
        {
          CudaConnectedComponentLabeler labeler;
          labeler.options.algorithm = algorithm;
          labeler.options.fullyConnected = algorithm != AlgorithmEnum::RunUnionFind;
          Labels labels{ std::vector<std::uint32_t>(image.pixels.size()), 0 };
          labels.objectCount =
            labeler.Label(View::Of(image.pixels.data(), image.size), View::Of(labels.pixels.data(), image.size));
          ExpectSame(labels, expected[labeler.options.fullyConnected], image.name);
          if (repetition == thread % 4)
          {
            CudaConnectedComponentLabeler::TrimMemory();
          }
        }
      }
    });
  }
  for (auto & thread : threads)
  {
    thread.join();
  }
}

} // namespace
