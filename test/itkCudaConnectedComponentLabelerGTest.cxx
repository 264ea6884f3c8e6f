// SPDX-License-Identifier: Apache-2.0

// Tests of the labeler that need no GPU: options, errors and packing.

#include "LabelerTestSupport.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

namespace
{

using View = itk::CudaConnectedComponentImageView;

TEST(CudaConnectedComponentsLabeler, PackRowSetsTheBitsOfForegroundPixels)
{
  const float        nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> pixels(70, 0.0F);
  pixels[0] = 1.0F;
  pixels[1] = -0.0F;
  pixels[31] = nan;
  pixels[32] = std::numeric_limits<float>::denorm_min();
  pixels[69] = -1.0F;
  std::uint32_t words[4] = { 7, 7, 7, 7 };
  CudaConnectedComponentLabeler::PackRow(pixels.data(), pixels.size(), words);
  EXPECT_EQ(words[0], 0x80000001U);
  EXPECT_EQ(words[1], 1U);
  EXPECT_EQ(words[2], 1U << 5);
  EXPECT_EQ(words[3], 7U);
}

TEST(CudaConnectedComponentsLabeler, BlockAlgorithmsRefuseFaceConnectivity)
{
  const std::uint8_t mask[] = { 1 };
  std::uint8_t       labels[] = { 0 };
  for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
  {
    if (!row.needsFullConnectivity)
    {
      continue;
    }
    CudaConnectedComponentLabeler labeler;
    labeler.options.algorithm = row.algorithm;
    ExpectError(KindEnum::InvalidArgument, "full connectivity", [&] {
      labeler.Label(View::Of(mask, { 1, 1, 1 }), View::Of(labels, { 1, 1, 1 }));
    });
    ExpectError(KindEnum::InvalidArgument, "full connectivity", [&] {
      labeler.Label(View::OnDevice(mask, { 1, 1, 1 }), View::OnDevice(labels, { 1, 1, 1 }));
    });
  }
}

TEST(CudaConnectedComponentsLabeler, RefusesSizesThatOverflow)
{
  const std::uint8_t                  mask[] = { 1 };
  std::uint8_t                        labels[] = { 0 };
  const CudaConnectedComponentLabeler labeler;
  ExpectError(KindEnum::InvalidArgument, "more than 2^40 pixels", [&] {
    labeler.Label(View::Of(mask, { 1ULL << 32, 1ULL << 32, 1 }), View::Of(labels, { 1ULL << 32, 1ULL << 32, 1 }));
  });
}

TEST(CudaConnectedComponentsLabeler, ImageWithoutPixelsHasNoObjects)
{
  const CudaConnectedComponentLabeler labeler;
  std::uint8_t                        labels[] = { 5 };
  for (const CudaConnectedComponentLabeler::SizeType & size :
       { CudaConnectedComponentLabeler::SizeType{ 0, 4, 1 }, { 4, 0, 1 }, { 4, 4, 0 } })
  {
    EXPECT_EQ(labeler.Label(View::Of(labels, size), View::Of(labels, size)), 0U);
  }
  EXPECT_EQ(labels[0], 5);
}

TEST(CudaConnectedComponentsLabeler, RefusesADeviceThatDoesNotExist)
{
  CudaConnectedComponentLabeler labeler;
  labeler.options.deviceId = 1000;
  ExpectError(KindEnum::Unavailable, "no CUDA device", [&] { labeler.RequireDevice(); });
}

TEST(CudaConnectedComponentsLabeler, TrimMemoryIsAllowedWithoutMemory)
{
  EXPECT_NO_THROW(CudaConnectedComponentLabeler::TrimMemory());
}

TEST(CudaConnectedComponentsLabeler, RefusesAddressesThatAreNotAligned)
{
  const CudaConnectedComponentLabeler labeler;
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<std::uint32_t *>(address); };
  // The addresses are checked before a device is needed.
  ExpectError(KindEnum::InvalidArgument,
              "the address of the input is not a multiple of its pixel size of 4 bytes",
              [&] { labeler.Label(View::OnDevice(at(4098), { 8, 8, 1 }), View::OnDevice(at(8192), { 8, 8, 1 })); });
  ExpectError(KindEnum::InvalidArgument,
              "the address of the output is not a multiple of its pixel size of 4 bytes",
              [&] { labeler.Label(View::OnDevice(at(4096), { 8, 8, 1 }), View::OnDevice(at(8193), { 8, 8, 1 })); });
}

TEST(CudaConnectedComponentsLabeler, RefusesIntensitiesOfATypeThatNoCodeReads)
{
  using PixelType = itk::CudaConnectedComponentsEnums::PixelType;
  const std::vector<std::uint16_t> pixels(64, 1);
  CudaConnectedComponentLabeler    labeler;
  labeler.options.onHost = true;
  for (const auto & [type, name] : { std::pair(PixelType::Half, "Half"), std::pair(PixelType::BFloat16, "BFloat16") })
  {
    labeler.options.intensities = itk::CudaConnectedComponentImageView::Of(pixels.data(), type, { 8, 8, 1 });
    ExpectError(KindEnum::InvalidArgument, std::string("cannot read pixels of the type ") + name, [&] {
      labeler.Measure(View::Of(pixels.data(), { 8, 8, 1 }));
    });
  }
}

TEST(CudaConnectedComponentsLabeler, HoldsNoMemoryWithoutADevice)
{
  if (CudaTestSupport::WhyNoDevice().empty())
  {
    GTEST_SKIP() << "there is a CUDA device";
  }
  const auto held = CudaConnectedComponentLabeler::GetHeldMemory();
  EXPECT_EQ(held.deviceBytes + held.pinnedBytes, 0U);
}

TEST(CudaConnectedComponentsLabeler, SmallImagesAreFasterOnHost)
{
  using Labeler = CudaConnectedComponentLabeler;
  for (const Labeler::SizeType & size : std::vector<Labeler::SizeType>{
         { 128, 128, 1 }, { 16384, 1, 1 }, { 1, 1, 16384 }, { 0, 1000000, 1 }, { 1000000, 1000000, 0 } })
  {
    EXPECT_TRUE(Labeler::IsFasterOnHost(size)) << size[0] << " x " << size[1] << " x " << size[2];
  }
  const std::uint64_t huge = std::uint64_t{ 1 } << 62; // the product of the sizes exceeds 64 bits
  for (const Labeler::SizeType & size :
       std::vector<Labeler::SizeType>{ { 129, 128, 1 }, { 16385, 1, 1 }, { 26, 26, 26 }, { huge, huge, huge } })
  {
    EXPECT_FALSE(Labeler::IsFasterOnHost(size)) << size[0] << " x " << size[1] << " x " << size[2];
  }
}

TEST(CudaConnectedComponentsLabeler, LeavesTheGapsOfAnOutputAlone)
{
  // New memory, in which the pages between the rows have been written.
  constexpr std::uint64_t   columns = 16384;
  constexpr std::uint64_t   rows = 4095; // odd, so that the last page of as many bytes as labels is new
  std::vector<std::uint8_t> mask(columns * rows, 0);
  mask[columns * 500 + 77] = mask[columns * 4094 + 16383] = 1;
  const std::unique_ptr<std::uint8_t, void (*)(void *)> memory(
    static_cast<std::uint8_t *>(std::calloc(columns * rows * 2, 1)), std::free);
  std::uint8_t * const labels = memory.get();
  for (std::uint64_t row = 0; row < rows; ++row)
  {
    std::fill_n(labels + (2 * row + 1) * columns, columns, 77);
  }
  auto output = View::Of(labels, { columns, rows, 1 });
  output.strides[1] *= 2;
  CudaConnectedComponentLabeler labeler;
  labeler.options.onHost = true;
  labeler.options.outputIsUntouched = true;
  EXPECT_EQ(labeler.Label(View::Of(mask.data(), { columns, rows, 1 }), output), 2U);
  for (std::uint64_t row = 0; row < rows; ++row)
  {
    std::vector<std::uint8_t> expected(columns, 0);
    expected[77] = row == 500 ? 1 : 0;
    expected[16383] = row == 4094 ? 2 : 0;
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), labels + 2 * row * columns)) << row;
    expected.assign(columns, 77);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), labels + (2 * row + 1) * columns)) << row;
  }
}

} // namespace
