// SPDX-License-Identifier: Apache-2.0

// Tests with images of more than 2^31, 2^32 and 2^33 pixels. They take minutes, and up to 64 GB of memory on the host
// and on the device. They run only if CUDA_CONNECTED_COMPONENTS_LARGE_TESTS is set.

#include "FilterTestSupport.h"

#include "primitives/Sums.h"

#include <cstdlib>

namespace
{

using View = itk::CudaConnectedComponentImageView;
using itk::CudaConnectedComponentLabeler;
using MaskType = itk::Image<unsigned char, 3>;
using LabelsType = itk::Image<unsigned short, 3>;

class CudaConnectedComponentsLarge : public testing::TestWithParam<MaskType::SizeType>
{
protected:
  void
  SetUp() override
  {
    if (std::getenv("CUDA_CONNECTED_COMPONENTS_LARGE_TESTS") == nullptr)
    {
      GTEST_SKIP() << "set CUDA_CONNECTED_COMPONENTS_LARGE_TESTS to run this test";
    }
    SKIP_WITHOUT_DEVICE();
  }
};

/** Makes a grid of boxes. Rods connect some of the boxes along z. The last pixel of each slice is foreground. */
MaskType::Pointer
MakeBoxes(const MaskType::SizeType & size)
{
  auto image = MaskType::New();
  image->SetRegions(size);
  image->Allocate();
  unsigned char * pixels = image->GetBufferPointer();
  for (std::uint64_t z = 0; z < size[2]; ++z)
  {
    for (std::uint64_t y = 0; y < size[1]; ++y)
    {
      for (std::uint64_t x = 0; x < size[0]; ++x)
      {
        const bool isBox = x % 97 < 60 && y % 89 < 50 && z % 83 < 40;
        const bool isRod = x % 97 == 5 && y % 89 == 7 && (x / 97 * 31 + y / 89 * 17 + z / 83 * 7) % 3 == 0;
        *pixels++ = isBox || isRod || (x + 1 == size[0] && y + 1 == size[1]);
      }
    }
  }
  return image;
}

/** Expects that a table has the measurements of the labels 1, 2, 3 and so on of an image. */
void
ExpectMeasurementsOf(const unsigned short *                   labels,
                     const MaskType::SizeType &               size,
                     const itk::CudaConnectedComponentTable & table)
{
  struct Measurement
  {
    std::uint64_t     count = 0;
    std::uint64_t     firstPixel = 0;
    std::uint64_t     minimum[3] = {};
    std::uint64_t     maximum[3] = {};
    itk::ccl::UInt128 sums[3] = {};
    itk::ccl::UInt128 zz = 0;
  };
  std::vector<Measurement> expected(table.componentCount);
  std::uint64_t            pixel = 0;
  for (std::uint64_t z = 0; z < size[2]; ++z)
  {
    for (std::uint64_t y = 0; y < size[1]; ++y)
    {
      for (std::uint64_t x = 0; x < size[0]; ++x, ++pixel)
      {
        if (labels[pixel] == 0)
        {
          continue;
        }
        ASSERT_LE(labels[pixel], expected.size());
        Measurement &       all = expected[labels[pixel] - 1U];
        const std::uint64_t index[] = { x, y, z };
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          all.minimum[axis] = all.count == 0 ? index[axis] : std::min(all.minimum[axis], index[axis]);
          all.maximum[axis] = std::max(all.maximum[axis], index[axis]);
          all.sums[axis] += index[axis];
        }
        all.zz += z * z;
        all.firstPixel = all.count == 0 ? pixel : all.firstPixel;
        ++all.count;
      }
    }
  }
  const auto isSum = [](const itk::CudaConnectedComponentTable::Sum & sum, itk::ccl::UInt128 value) {
    return sum.low == static_cast<std::uint64_t>(value) && sum.high == static_cast<std::uint64_t>(value >> 64);
  };
  for (std::size_t row = 0; row < expected.size(); ++row)
  {
    const Measurement & all = expected[row];
    ASSERT_EQ(table.pixelCounts[row], all.count) << "row " << row;
    ASSERT_EQ(table.firstPixels[row], all.firstPixel) << "row " << row;
    ASSERT_TRUE(isSum(table.products[5][row], all.zz)) << "row " << row;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      ASSERT_EQ(table.minimums[axis][row], all.minimum[axis]) << "row " << row;
      ASSERT_EQ(table.maximums[axis][row], all.maximum[axis]) << "row " << row;
      ASSERT_TRUE(isSum(table.sums[axis][row], all.sums[axis])) << "row " << row;
    }
  }
}

/** Expects that the component of the last pixel is filled in place, and that its intensities are those of the pixels
 * before.
 * \param onDevice a copy of the image in device memory, which this function changes
 * \param labels the labels of the image */
void
ExpectFilledInPlace(const MaskType & image, void * onDevice, const unsigned short * labels, bool fullyConnected)
{
  const MaskType::SizeType      size = image.GetBufferedRegion().GetSize();
  const std::uint64_t           pixelCount = image.GetBufferedRegion().GetNumberOfPixels();
  const unsigned char * const   before = image.GetBufferPointer();
  auto * const                  pixels = static_cast<unsigned char *>(onDevice);
  CudaConnectedComponentLabeler labeler;
  labeler.options.fullyConnected = fullyConnected;
  labeler.options.selection.seeds = { { size[0] - 1, size[1] - 1, size[2] - 1 } };
  using ImageView = itk::CudaConnectedComponentImageView;
  labeler.options.intensities = ImageView::Of(pixels, { size[0], size[1], size[2] }, ImageView::MemoryEnum::Device);
  itk::CudaConnectedComponentTable table;
  EXPECT_EQ(labeler.Fill(View::OnDevice(pixels, { size[0], size[1], size[2] }),
                         View::OnDevice(pixels, { size[0], size[1], size[2] }),
                         7,
                         &table),
            1U);

  const unsigned short       filledLabel = labels[pixelCount - 1];
  std::uint64_t              filledCount = 0;
  std::uint64_t              differences = 0;
  constexpr std::uint64_t    chunkSize = 1 << 26;
  std::vector<unsigned char> chunk(chunkSize);
  for (std::uint64_t begin = 0; begin < pixelCount; begin += chunkSize)
  {
    const std::uint64_t count = std::min(chunkSize, pixelCount - begin);
    CudaTestSupport::CopyToHost(chunk.data(), pixels + begin, count);
    for (std::uint64_t i = 0; i < count; ++i)
    {
      const bool isFilled = labels[begin + i] == filledLabel;
      filledCount += isFilled;
      differences += chunk[i] != (isFilled ? 7 : before[begin + i]);
    }
  }
  EXPECT_EQ(differences, 0U);
  ASSERT_EQ(table.pixelCounts.size(), 1U);
  ASSERT_EQ(table.intensities.exactSums.size(), 1U);
  EXPECT_EQ(table.pixelCounts[0], filledCount);
  // All foreground pixels were 1.
  EXPECT_EQ(table.intensities.exactSums[0].digits[0], filledCount);
  EXPECT_EQ(table.intensities.variances[0], 0.0);
}

/** Expects the right intensities in host memory, with runs that a device labels. The image is its own intensity image,
 * and all of its foreground pixels are 1. */
void
ExpectIntensitiesOnHost(const MaskType & image, bool fullyConnected, std::uint64_t objectCount)
{
  const MaskType::SizeType                      itkSize = image.GetBufferedRegion().GetSize();
  const CudaConnectedComponentLabeler::SizeType size{ itkSize[0], itkSize[1], itkSize[2] };
  CudaConnectedComponentLabeler                 labeler;
  labeler.options.fullyConnected = fullyConnected;
  labeler.options.intensities = itk::CudaConnectedComponentImageView::Of(image.GetBufferPointer(), size);
  const auto table = labeler.Measure(View::Of(image.GetBufferPointer(), size));
  ASSERT_EQ(table.intensities.exactSums.size(), objectCount);
  for (std::uint64_t row = 0; row < objectCount; ++row)
  {
    ASSERT_EQ(table.intensities.pixelCounts[row], table.pixelCounts[row]) << "row " << row;
    ASSERT_EQ(table.intensities.exactSums[row].digits[0], table.pixelCounts[row]) << "row " << row;
    ASSERT_EQ(table.intensities.minimums[row], 1.0) << "row " << row;
  }
}

TEST_P(CudaConnectedComponentsLarge, SameAsItk)
{
  const auto          image = MakeBoxes(GetParam());
  const std::uint64_t pixelCount = image->GetBufferedRegion().GetNumberOfPixels();
  ASSERT_GT(pixelCount, std::uint64_t{ 1 } << 31);
  for (const bool fullyConnected : { false, true })
  {
    auto oracle = MakeOracle<MaskType, LabelsType>();
    oracle->SetInput(image);
    oracle->SetFullyConnected(fullyConnected);
    oracle->Update();
    const unsigned short * const expected = oracle->GetOutput()->GetBufferPointer();

    {
      auto filter = itk::CudaConnectedComponentImageFilter<MaskType, LabelsType>::New();
      filter->SetInput(image);
      filter->SetFullyConnected(fullyConnected);
      filter->CPUFallbackOff();
      filter->Update();
      EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
      EXPECT_TRUE(std::equal(expected, expected + pixelCount, filter->GetOutput()->GetBufferPointer()));
    }

    itk::CudaConnectedComponentLabeler::TrimMemory();
    const auto input = CudaTestSupport::AllocateDevice(pixelCount);
    auto       output = CudaTestSupport::AllocateDevice(pixelCount * sizeof(std::uint32_t));
    CudaTestSupport::CopyToDevice(input.get(), image->GetBufferPointer(), pixelCount);
    {
      itk::CudaConnectedComponentLabeler labeler;
      labeler.options.fullyConnected = fullyConnected;
      labeler.options.columns = { true, true, true, true, true, true };
      const auto table = labeler.Measure(View::OnDevice(static_cast<const unsigned char *>(input.get()),
                                                        { GetParam()[0], GetParam()[1], GetParam()[2] }));
      ASSERT_EQ(table.componentCount, oracle->GetObjectCount());
      ExpectMeasurementsOf(expected, GetParam(), table);
    }
    for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
    {
      const AlgorithmEnum algorithm = row.algorithm;
      // Published algorithms need memory for an image of 64-bit labels.
      const bool hasMemory = !row.isPublished || pixelCount < std::uint64_t{ 1 } << 33;
      if (!hasMemory || (row.needsFullConnectivity && !fullyConnected))
      {
        continue;
      }
      itk::CudaConnectedComponentLabeler labeler;
      labeler.options.algorithm = algorithm;
      labeler.options.fullyConnected = fullyConnected;
      EXPECT_EQ(labeler.Label(View::OnDevice(static_cast<const unsigned char *>(input.get()),
                                             { GetParam()[0], GetParam()[1], GetParam()[2] }),
                              View::OnDevice(static_cast<std::uint32_t *>(output.get()),
                                             { GetParam()[0], GetParam()[1], GetParam()[2] })),
                oracle->GetObjectCount());
      // The comparison copies one chunk at a time, to save host memory.
      constexpr std::uint64_t    chunkSize = 1 << 26;
      std::vector<std::uint32_t> chunk(chunkSize);
      std::uint64_t              differences = 0;
      for (std::uint64_t begin = 0; begin < pixelCount; begin += chunkSize)
      {
        const std::uint64_t count = std::min(chunkSize, pixelCount - begin);
        CudaTestSupport::CopyToHost(
          chunk.data(), static_cast<std::uint32_t *>(output.get()) + begin, count * sizeof(std::uint32_t));
        for (std::uint64_t i = 0; i < count; ++i)
        {
          differences += chunk[i] != expected[begin + i];
        }
      }
      EXPECT_EQ(differences, 0U) << algorithm;
    }
    output.reset(); // to save device memory
    ExpectFilledInPlace(*image, input.get(), expected, fullyConnected);
    if (pixelCount < std::uint64_t{ 1 } << 33) // to save time
    {
      ExpectIntensitiesOnHost(*image, fullyConnected, oracle->GetObjectCount());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes,
                         CudaConnectedComponentsLarge,
                         testing::Values(MaskType::SizeType{ { 2049, 1025, 1025 } },   // more than 2^31 pixels
                                         MaskType::SizeType{ { 2049, 2047, 1025 } },   // more than 2^32 pixels
                                         MaskType::SizeType{ { 2049, 2047, 2049 } })); // more than 2^33 pixels

} // namespace
