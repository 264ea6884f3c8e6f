// SPDX-License-Identifier: Apache-2.0

// How the command-line tool fills holes, keeps the components at seeds, and writes masks.

#include "ToolTest.h"

#include "itkBinaryFillholeImageFilter.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkRGBPixel.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace
{

/** Returns an image with filled holes, by ITK. The background has the other connectivity. */
template <typename TImage>
typename TImage::Pointer
FillByItk(const TImage * image, bool isForegroundFullyConnected, typename TImage::PixelType foreground)
{
  auto filter = itk::BinaryFillholeImageFilter<TImage>::New();
  filter->SetInput(image);
  filter->SetForegroundValue(foreground);
  filter->SetFullyConnected(!isForegroundFullyConnected);
  filter->Update();
  return filter->GetOutput();
}

/** A selection of components. */
struct Conditions
{
  bool                             fullyConnected = false;
  bool                             fillsHoles = false;
  std::size_t                      minimumSize = 0;
  std::size_t                      numberOfLargest = 0; // 0: all
  std::vector<MaskType::IndexType> seeds;
  bool                             sorts = false;
  std::size_t                      maximumSize = 0; // 0: none
  bool                             clearsBorder = false;
};

/** The labels and the number of pixels of the selected components. */
struct Expected
{
  LabelsType::Pointer      labels;
  std::vector<std::size_t> sizes;
};

/** Selects components of ITK's labels with plain loops. `image` has the foreground value 100. */
Expected
SelectByLoop(const MaskType * image, const Conditions & conditions)
{
  const auto filled = conditions.fillsHoles ? FillByItk(image, conditions.fullyConnected, 100) : nullptr;
  Expected   expected{ LabelsOf(filled ? filled.GetPointer() : image, conditions.fullyConnected), {} };
  if (filled)
  {
    const auto pixelCount = image->GetLargestPossibleRegion().GetNumberOfPixels();
    EXPECT_FALSE(
      std::equal(image->GetBufferPointer(), image->GetBufferPointer() + pixelCount, filled->GetBufferPointer()))
      << "no holes to fill";
  }
  auto *                   labels = expected.labels->GetBufferPointer();
  const auto               count = image->GetLargestPossibleRegion().GetNumberOfPixels();
  const auto               objects = *std::max_element(labels, labels + count);
  std::vector<std::size_t> sizes(objects + 1, 0);
  std::vector<bool>        touchesBorder(objects + 1, false);
  const auto               region = image->GetLargestPossibleRegion();
  for (itk::ImageRegionIteratorWithIndex<LabelsType> it(expected.labels, region); !it.IsAtEnd(); ++it)
  {
    ++sizes[it.Get()];
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const bool isAtBorder = it.GetIndex()[axis] == 0 || it.GetIndex()[axis] == region.GetUpperIndex()[axis];
      touchesBorder[it.Get()] = touchesBorder[it.Get()] || isAtBorder;
    }
  }
  std::vector<unsigned int> kept;
  for (unsigned int label = 1; label <= objects; ++label)
  {
    const bool hasSeed = std::any_of(conditions.seeds.begin(), conditions.seeds.end(), [&](const auto & seed) {
      return expected.labels->GetPixel(seed) == label;
    });
    const bool fits =
      sizes[label] >= conditions.minimumSize && (conditions.maximumSize == 0 || sizes[label] <= conditions.maximumSize);
    if (fits && (conditions.seeds.empty() || hasSeed) && !(conditions.clearsBorder && touchesBorder[label]))
    {
      kept.push_back(label);
    }
  }
  const auto isLarger = [&sizes](unsigned int a, unsigned int b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  };
  std::sort(kept.begin(), kept.end(), isLarger);
  if (conditions.numberOfLargest > 0 && kept.size() > conditions.numberOfLargest)
  {
    kept.resize(conditions.numberOfLargest);
  }
  if (!conditions.sorts)
  {
    std::sort(kept.begin(), kept.end());
  }
  std::vector<unsigned int> newLabels(sizes.size(), 0);
  for (const unsigned int label : kept)
  {
    expected.sizes.push_back(sizes[label]);
    newLabels[label] = static_cast<unsigned int>(expected.sizes.size());
  }
  std::transform(labels, labels + count, labels, [&newLabels](unsigned int label) { return newLabels[label]; });
  return expected;
}

/** Returns 100 for the pixels that have a label, else 0. */
MaskType::Pointer
MaskOf(const LabelsType * labels)
{
  auto mask = MaskType::New();
  mask->CopyInformation(labels);
  mask->SetRegions(labels->GetLargestPossibleRegion());
  mask->Allocate();
  const auto count = labels->GetLargestPossibleRegion().GetNumberOfPixels();
  std::transform(labels->GetBufferPointer(),
                 labels->GetBufferPointer() + count,
                 mask->GetBufferPointer(),
                 [](unsigned int label) { return static_cast<unsigned char>(label != 0 ? 100 : 0); });
  return mask;
}

/** Returns a volume that is dense on the left, so that there are holes, and has many components on the right. */
MaskType::Pointer
MakeSponge(const MaskType::SizeType & size)
{
  const TestImage dense = MakeRandom({ size[0], size[1], size[2] }, 90, 1, 411);
  TestImage       sponge = MakeRandom({ size[0], size[1], size[2] }, 30, 1, 412);
  for (std::size_t i = 0; i < sponge.pixels.size(); ++i)
  {
    sponge.pixels[i] = i % size[0] < size[0] / 2 ? dense.pixels[i] : sponge.pixels[i];
  }
  const auto image = MakeItkImage<MaskType>(sponge, 100);
  image->SetSpacing(itk::Vector<double, 3>(0.5));
  return image;
}

// All options together, as labels, as a mask, and as a mask with a table and a picture.
TEST_F(CudaConnectedComponentsTool, CombinesItsSelections)
{
  const auto image = MakeSponge({ { 31, 29, 13 } });
  Write(image.GetPointer(), this->File("in.mha"));
  const std::vector<MaskType::IndexType> seeds{ { { 3, 4, 5 } }, { { 15, 14, 6 } }, { { 30, 28, 12 } } };
  std::string                            seedOptions;
  for (const auto & seed : seeds)
  {
    seedOptions += " --seed " + std::to_string(seed[0]) + ',' + std::to_string(seed[1]) + ',' + std::to_string(seed[2]);
  }
  for (const Conditions & conditions : std::vector<Conditions>{ { false, false, 0, 0, {}, false },
                                                                { false, true, 0, 0, {}, false },
                                                                { true, true, 0, 0, {}, false },
                                                                { false, false, 0, 0, seeds, false },
                                                                { false, true, 3, 0, {}, true },
                                                                { false, false, 2, 4, {}, false },
                                                                { false, true, 2, 4, {}, true },
                                                                { false, true, 2, 1, seeds, false },
                                                                { true, false, 0, 2, seeds, true },
                                                                { false, false, 100000, 0, {}, false },
                                                                { false, false, 0, 0, {}, false, 3, false },
                                                                { false, true, 2, 4, {}, true, 9, true },
                                                                { true, false, 0, 0, {}, false, 0, true } })
  {
    std::string options = " --quiet";
    options += conditions.fullyConnected ? " --fully-connected" : "";
    options += conditions.fillsHoles ? " --fill-holes" : "";
    // A pixel has 0.125 mm3.
    options += conditions.minimumSize > 0
                 ? " --min-size " + std::to_string(0.125 * static_cast<double>(conditions.minimumSize)) + "mm3"
                 : "";
    options += conditions.maximumSize > 0
                 ? " --max-size " + std::to_string(0.125 * static_cast<double>(conditions.maximumSize)) + "mm3"
                 : "";
    options += conditions.clearsBorder ? " --clear-border" : "";
    options += conditions.numberOfLargest > 0 ? " --keep-largest " + std::to_string(conditions.numberOfLargest) : "";
    options += conditions.seeds.empty() ? "" : seedOptions;
    options += conditions.sorts ? " --sort-by-size" : "";
    SCOPED_TRACE(options);

    const Expected expected = SelectByLoop(image, conditions);
    const auto     mask = MaskOf(expected.labels);
    Outcome        run = this->Call("in.mha labels.mha --table labels.csv --preview labels.png" + options);
    ASSERT_EQ(run.status, 0) << run.errors;
    this->ExpectLabels("labels.mha", expected.labels.GetPointer());

    run = this->Call("in.mha mask.mha --mask-output" + options);
    ASSERT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(run.errors, "");
    this->ExpectLabels("mask.mha", mask.GetPointer());

    run = this->Call("in.mha other.mha --mask-output --table mask.csv --preview mask.png" + options);
    ASSERT_EQ(run.status, 0) << run.errors;
    this->ExpectLabels("other.mha", mask.GetPointer());
    EXPECT_EQ(ReadText(this->File("mask.png")), ReadText(this->File("labels.png")));

    const std::string table = ReadText(this->File("labels.csv"));
    EXPECT_EQ(ReadText(this->File("mask.csv")), table);
    std::istringstream lines(table);
    std::string        line;
    std::getline(lines, line);
    for (std::size_t i = 0; i < expected.sizes.size(); ++i)
    {
      ASSERT_TRUE(std::getline(lines, line)) << i;
      const std::string start = std::to_string(i + 1) + ',' + std::to_string(expected.sizes[i]) + ',';
      EXPECT_EQ(line.compare(0, start.size(), start), 0) << line << " instead of " << start;
    }
    EXPECT_FALSE(std::getline(lines, line)) << line;
  }
}

TEST_F(CudaConnectedComponentsTool, FillsHolesOfPlanes)
{
  // A frame whose corner is missing, with a pixel inside; and a closed frame of two pixels of background.
  const auto image = MakeEmpty<PlaneType>({ { 14, 8 } });
  AddBox(image.GetPointer(), { { 1, 1 } }, { { 5, 5 } });
  AddBox(image.GetPointer(), { { 2, 2 } }, { { 3, 3 } }, 0);
  AddBox(image.GetPointer(), { { 3, 3 } }, { { 1, 1 } });
  AddBox(image.GetPointer(), { { 5, 5 } }, { { 1, 1 } }, 0);
  AddBox(image.GetPointer(), { { 8, 2 } }, { { 4, 3 } });
  AddBox(image.GetPointer(), { { 9, 3 } }, { { 2, 1 } }, 0);
  Write(image.GetPointer(), this->File("in.png"));
  // Under face connectivity, the missing corner opens the first frame.
  Outcome run = this->Call("in.png out.png --output-type auto --fill-holes");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.printed.find("holes: 1 filled, 2 pixels\n"), std::string::npos) << run.printed;
  EXPECT_NE(run.printed.find("objects: 3\n"), std::string::npos) << run.printed;
  this->ExpectLabels("out.png", LabelsOf(FillByItk(image.GetPointer(), false, 1).GetPointer()).GetPointer());

  run = this->Call("in.png out.png --output-type auto --fill-holes --fully-connected --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto json = nlohmann::json::parse(run.printed);
  EXPECT_EQ(json.at("holesFilled"), 2);
  EXPECT_EQ(json.at("pixelsFilled"), 10);
  EXPECT_EQ(json.at("objects"), 2);
  this->ExpectLabels("out.png", LabelsOf(FillByItk(image.GetPointer(), true, 1).GetPointer(), true).GetPointer());

  run = this->Call("in.png out.png --output-type auto --json");
  EXPECT_TRUE(nlohmann::json::parse(run.printed).at("holesFilled").is_null());
  run = this->Call("in.png out.png --output-type auto");
  EXPECT_EQ(run.printed.find("holes: "), std::string::npos) << run.printed;
}

// The slices of DICOM series are volumes of one slice.
TEST_F(CudaConnectedComponentsTool, FillsHolesOfOneSlice)
{
  const auto slice = MakeEmpty<MaskType>({ { 9, 8, 1 } });
  AddBox(slice.GetPointer(), { { 1, 1, 0 } }, { { 5, 5, 1 } });
  AddBox(slice.GetPointer(), { { 2, 2, 0 } }, { { 3, 3, 1 } }, 0);
  Write(slice.GetPointer(), this->File("slice.mha"));
  Outcome run = this->Call("slice.mha out.mha --fill-holes");
  EXPECT_NE(run.printed.find("holes: 1 filled, 9 pixels\n"), std::string::npos) << run.printed << run.errors;

  const auto line = MakeEmpty<PlaneType>({ { 9, 1 } });
  AddBox(line.GetPointer(), { { 1, 0 } }, { { 1, 1 } });
  AddBox(line.GetPointer(), { { 5, 0 } }, { { 1, 1 } });
  Write(line.GetPointer(), this->File("line.mha"));
  run = this->Call("line.mha out.mha --fill-holes");
  EXPECT_NE(run.printed.find("holes: 0 filled, 0 pixels\n"), std::string::npos) << run.printed << run.errors;
}

// --mask comes first. A hole that the mask cuts is a hole, and is filled also outside the mask.
TEST_F(CudaConnectedComponentsTool, FillsHolesAfterMasking)
{
  const auto image = MakeEmpty<PlaneType>({ { 12, 9 } });
  AddBox(image.GetPointer(), { { 1, 1 } }, { { 7, 7 } }, 9);
  const auto mask = MakeEmpty<PlaneType>({ { 12, 9 } });
  mask->FillBuffer(1);
  AddBox(mask.GetPointer(), { { 3, 3 } }, { { 2, 2 } }, 0);
  AddBox(mask.GetPointer(), { { 7, 0 } }, { { 5, 9 } }, 0);
  Write(image.GetPointer(), this->File("in.mha"));
  Write(mask.GetPointer(), this->File("mask.mha"));
  const Outcome run = this->Call("in.mha out.mha --mask mask.mha --fill-holes --mask-output");
  EXPECT_NE(run.printed.find("holes: 1 filled, 4 pixels\n"), std::string::npos) << run.printed << run.errors;
  const auto expected = MakeEmpty<PlaneType>({ { 12, 9 } });
  AddBox(expected.GetPointer(), { { 1, 1 } }, { { 6, 7 } }, 9);
  this->ExpectLabels("out.mha", expected.GetPointer());
}

// Pixels that --mask removes may have any values, also in the holes.
TEST_F(CudaConnectedComponentsTool, FillsHolesWithTheValueInTheMask)
{
  const auto organs = MakeEmpty<PlaneType>({ { 16, 9 } });
  AddBox(organs.GetPointer(), { { 1, 1 } }, { { 7, 7 } }, 4);
  AddBox(organs.GetPointer(), { { 3, 3 } }, { { 2, 2 } }, 7);
  AddBox(organs.GetPointer(), { { 5, 5 } }, { { 1, 1 } }, 0);
  AddBox(organs.GetPointer(), { { 10, 2 } }, { { 4, 4 } }, 7);
  Write(organs.GetPointer(), this->File("organs.mha"));
  this->ExpectFailure("organs.mha out.mha --fill-holes --mask-output",
                      "organs.mha: has foreground pixels of different values, such as 4 and 7");
  const auto mask = MakeEmpty<PlaneType>({ { 16, 9 } });
  AddBox(mask.GetPointer(), { { 0, 0 } }, { { 9, 9 } });
  AddBox(mask.GetPointer(), { { 3, 3 } }, { { 2, 2 } }, 0);
  Write(mask.GetPointer(), this->File("mask.mha"));
  Outcome run = this->Call("organs.mha out.mha --mask mask.mha --fill-holes --mask-output");
  ASSERT_EQ(run.status, 0) << run.errors;
  // The two holes touch by a corner. So they are one hole of the background, which has 8 neighbors.
  EXPECT_NE(run.printed.find("holes: 1 filled, 5 pixels\n"), std::string::npos) << run.printed;
  const auto expected = MakeEmpty<PlaneType>({ { 16, 9 } });
  AddBox(expected.GetPointer(), { { 1, 1 } }, { { 7, 7 } }, 4);
  this->ExpectLabels("out.mha", expected.GetPointer());

  // Without foreground, there are no holes.
  mask->FillBuffer(0);
  mask->SetPixel({ { 0, 0 } }, 1);
  Write(mask.GetPointer(), this->File("mask.mha"));
  run = this->Call("organs.mha out.mha --mask mask.mha --fill-holes --mask-output");
  ASSERT_EQ(run.status, 0) << run.errors;
  this->ExpectLabels("out.mha", MakeEmpty<PlaneType>({ { 16, 9 } }).GetPointer());
}

TEST_F(CudaConnectedComponentsTool, FillsHolesWithNaN)
{
  using ImageType = itk::Image<float, 2>;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto      image = MakeEmpty<ImageType>({ { 9, 8 } });
  for (int y = 1; y <= 5; ++y)
  {
    for (int x = 1; x <= 5; ++x)
    {
      image->SetPixel({ { x, y } }, nan);
    }
  }
  image->SetPixel({ { 3, 3 } }, 0.0F);
  Write(image.GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha out.mha --fill-holes --mask-output");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.printed.find("holes: 1 filled, 1 pixel\n"), std::string::npos) << run.printed;
  const auto output = Read<ImageType>(this->File("out.mha"));
  for (int y = 0; y < 8; ++y)
  {
    for (int x = 0; x < 9; ++x)
    {
      const float pixel = output->GetPixel({ { x, y } });
      EXPECT_TRUE(x >= 1 && x <= 5 && y >= 1 && y <= 5 ? std::isnan(pixel) : pixel == 0.0F) << x << ", " << y;
    }
  }
  image->SetPixel({ { 7, 3 } }, 2.0F);
  Write(image.GetPointer(), this->File("in.mha"));
  this->ExpectFailure("in.mha other.mha --fill-holes --mask-output", "different values, such as nan and 2");
}

/** Expects that a mask has the pixel type and the values of its input. */
template <typename TPixel>
void
ExpectMaskOfType(const std::string & written, const itk::Image<TPixel, 3> * expected, itk::IOComponentEnum type)
{
  auto reader = itk::ImageFileReader<itk::Image<TPixel, 3>>::New();
  reader->SetFileName(written);
  reader->Update();
  EXPECT_EQ(reader->GetImageIO()->GetComponentType(), type) << written;
  const auto count = expected->GetLargestPossibleRegion().GetNumberOfPixels();
  // NaN has the same bytes, too.
  EXPECT_EQ(std::memcmp(expected->GetBufferPointer(), reader->GetOutput()->GetBufferPointer(), count * sizeof(TPixel)),
            0)
    << written;
}

TEST_F(CudaConnectedComponentsTool, MasksHaveTheTypeAndValuesOfTheInput)
{
  const TestImage             pixels = MakeRandom({ 31, 29, 13 }, 25, 1, 412);
  const auto                  labels = LabelsOf(MakeItkImage<MaskType>(pixels).GetPointer());
  std::map<unsigned int, int> sizes;
  for (std::size_t i = 0; i < pixels.pixels.size(); ++i)
  {
    ++sizes[labels->GetBufferPointer()[i]];
  }
  const auto expect = [&](auto zero, itk::IOComponentEnum type, const std::string & name) {
    using PixelType = decltype(zero);
    using ImageType = itk::Image<PixelType, 3>;
    const auto image = MakeItkImage<ImageType>(pixels);
    const auto expected = MakeItkImage<ImageType>(pixels);
    for (std::size_t i = 0; i < pixels.pixels.size(); ++i)
    {
      // Values that differ. The last one needs all digits of the pixel type.
      PixelType & pixel = image->GetBufferPointer()[i];
      pixel = pixel == 0 ? pixel : i % 7 == 0 ? std::numeric_limits<PixelType>::max() : static_cast<PixelType>(i % 7);
      if (pixel == 2 && std::numeric_limits<PixelType>::has_quiet_NaN)
      {
        pixel = std::numeric_limits<PixelType>::quiet_NaN();
      }
      expected->GetBufferPointer()[i] = sizes[labels->GetBufferPointer()[i]] >= 5 ? pixel : PixelType{ 0 };
    }
    Write(image.GetPointer(), this->File("in.nrrd"));
    const Outcome run = this->Call("in.nrrd out.nrrd --mask-output --min-size 5 --json");
    ASSERT_EQ(run.status, 0) << run.errors;
    ExpectMaskOfType<PixelType>(this->File("out.nrrd"), expected, type);
    const auto json = nlohmann::json::parse(run.printed);
    EXPECT_EQ(json.at("outputIsMask"), true);
    EXPECT_EQ(json.at("outputType"), name);
  };
  expect(static_cast<unsigned char>(0), itk::IOComponentEnum::UCHAR, "uint8");
  expect(static_cast<signed char>(0), itk::IOComponentEnum::CHAR, "int8");
  expect(static_cast<unsigned short>(0), itk::IOComponentEnum::USHORT, "uint16");
  expect(static_cast<short>(0), itk::IOComponentEnum::SHORT, "int16");
  expect(0U, itk::IOComponentEnum::UINT, "uint32");
  expect(0, itk::IOComponentEnum::INT, "int32");
  expect(0ULL, itk::IOComponentEnum::ULONGLONG, "uint64");
  expect(0LL, itk::IOComponentEnum::LONGLONG, "int64");
  expect(0.0F, itk::IOComponentEnum::FLOAT, "float");
  expect(0.0, itk::IOComponentEnum::DOUBLE, "double");
}

TEST_F(CudaConnectedComponentsTool, MasksAfterAThresholdAreOne)
{
  using ImageType = itk::Image<short, 3>;
  const auto ct = MakeEmpty<ImageType>({ { 12, 11, 10 } });
  ct->FillBuffer(-1000);
  AddBox(ct.GetPointer(), { { 1, 1, 1 } }, { { 5, 5, 5 } }, 60);
  AddBox(ct.GetPointer(), { { 2, 2, 2 } }, { { 2, 3, 3 } }, 70);
  ct->SetPixel({ { 3, 3, 3 } }, -500);
  AddBox(ct.GetPointer(), { { 8, 1, 1 } }, { { 2, 2, 2 } }, 80);
  Write(ct.GetPointer(), this->File("ct.nii.gz"));
  const auto mask = MakeEmpty<MaskType>({ { 12, 11, 10 } });
  AddBox(mask.GetPointer(), { { 1, 1, 1 } }, { { 5, 5, 5 } });
  for (const std::string threshold : { "--lower 40", "--otsu", "--upper 100 --lower 0" })
  {
    Outcome run = this->Call("ct.nii.gz out.nrrd --keep-largest 1 --fill-holes --mask-output " + threshold);
    ASSERT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.printed.find("holes: 1 filled, 1 pixel\n"), std::string::npos) << run.printed;
    EXPECT_NE(run.printed.find("objects: 1 (of 2 found)\n"), std::string::npos) << run.printed;
    ExpectMaskOfType<unsigned char>(this->File("out.nrrd"), mask, itk::IOComponentEnum::UCHAR);
  }
}

TEST_F(CudaConnectedComponentsTool, SaysWhyThereIsNoMask)
{
  const auto image = MakeEmpty<MaskType>({ { 9, 8, 7 } });
  AddBox(image.GetPointer(), { { 1, 1, 1 } }, { { 3, 3, 3 } }, 4);
  AddBox(image.GetPointer(), { { 6, 1, 1 } }, { { 2, 2, 2 } }, 7);
  Write(image.GetPointer(), this->File("in.mha"));
  this->ExpectFailure("in.mha out.mha --mask-output --fill-holes",
                      "in.mha: has foreground pixels of different values, such as 4 and 7, so --fill-holes with "
                      "--mask-output cannot choose a value for the holes; select the foreground with --lower");
  EXPECT_EQ(this->Call("in.mha out.mha --mask-output").status, 0);
  EXPECT_EQ(this->Call("in.mha out.mha --fill-holes").status, 0);
  std::filesystem::remove(this->File("out.mha"));

  using ColourType = itk::Image<itk::RGBPixel<unsigned char>, 2>;
  itk::RGBPixel<unsigned char> blue;
  blue.Set(0, 0, 1);
  Write(MakeItkImage<ColourType>(MakeRandom({ 41, 37, 1 }, 30, 2, 413), blue).GetPointer(), this->File("blue.png"));
  this->ExpectFailure("blue.png out.png --mask-output",
                      "blue.png: has more than one value per pixel; --mask-output needs an image with one value");

  this->ExpectUsageError("in.mha --table table.csv --mask-output", "--mask-output requires OUTPUT");
  this->ExpectUsageError("in.mha out.mha --mask-output --output-type uint8", "--mask-output excludes --output-type");
  this->ExpectUsageError("in.mha out.mha --mask-output --background-value 1",
                         "--mask-output excludes --background-value");
}

TEST_F(CudaConnectedComponentsTool, KeepsTheComponentsAtSeeds)
{
  const auto image = MakeEmpty<MaskType>({ { 20, 15, 10 } });
  AddBox(image.GetPointer(), { { 1, 1, 1 } }, { { 2, 2, 2 } });
  AddBox(image.GetPointer(), { { 5, 1, 1 } }, { { 4, 4, 4 } });
  AddBox(image.GetPointer(), { { 6, 2, 2 } }, { { 2, 2, 2 } }, 0);
  AddBox(image.GetPointer(), { { 18, 13, 8 } }, { { 2, 2, 2 } });
  Write(image.GetPointer(), this->File("in.mha"));
  const auto expect = [&](const std::string & options, const std::string & part, const std::string & hint) {
    const Outcome run = this->Call("in.mha out.mha " + options);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.printed.find(part), std::string::npos) << options << ": " << run.printed;
    EXPECT_EQ(run.errors, hint) << options;
  };
  const auto hint = [](const std::string & seed) {
    return "cuda-connected-components: hint: --seed " + seed + " lies in the background, so it selects no component\n";
  };
  expect("--seed 1,2,1", "objects: 1 (of 3 found)\nlargest objects:\n  label 1: 8 pixels", "");
  expect("--seed 5,4,1", "objects: 1 (of 3 found)\nlargest objects:\n  label 1: 56 pixels", "");
  expect("--seed 5,4,1 --seed 8,4,4", "objects: 1 (of 3 found)\n", "");
  expect("--seed 5,4,1 --seed ' 19, 14,9 '", "objects: 2 (of 3 found)\n", "");
  expect("--seed=5,4,1 --seed=1,1,1 --keep-largest 1", "  label 1: 56 pixels", "");
  expect("--seed 1,1,1 --keep-largest 1", "  label 1: 8 pixels", "");
  expect("--seed 1,1,1 --min-size 9", "objects: 0 (of 3 found)\n", "");
  // The background, a hole, and a hole that is filled.
  expect("--seed 0,0,0", "objects: 0 (of 3 found)\n", hint("0,0,0"));
  expect("--seed 7,3,3 --seed 1,1,1 --seed 3,0,9", "objects: 1 (of 3 found)\n", hint("7,3,3") + hint("3,0,9"));
  expect("--seed 7,3,3 --fill-holes", "objects: 1 (of 3 found)\nlargest objects:\n  label 1: 64 pixels", "");
  EXPECT_EQ(this->Call("in.mha out.mha --seed 0,0,0 --quiet").errors, "");
  // An option after a seed is no seed.
  EXPECT_EQ(this->Call("--seed 1,1,1 in.mha out.mha").status, 0);

  Write(MakeEmpty<PlaneType>({ { 9, 7 } }).GetPointer(), this->File("plane.mha"));
  const Outcome run = this->Call("plane.mha out.mha --seed 8,6");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(run.errors, hint("8,6"));
}

TEST_F(CudaConnectedComponentsTool, RefusesBadSeeds)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  Write(MakeEmpty<PlaneType>({ { 9, 7 } }).GetPointer(), this->File("plane.mha"));
  for (const std::string seed : { "1",
                                  "1,2,3,4",
                                  "1,2,",
                                  ",1,2",
                                  "1,,2",
                                  "''",
                                  "a,b,c",
                                  "1.5,2,3",
                                  "-1,2,3",
                                  "'1 2 3'",
                                  "'1;2;3'",
                                  "18446744073709551616,1,1" })
  {
    this->ExpectUsageError("in.mha out.mha --seed " + seed,
                           "\" is not the index of a pixel; give whole numbers from 0 on: X,Y,Z in a volume, such as "
                           "120,85,40, or X,Y in a plane");
  }
  this->ExpectUsageError("in.mha out.mha --seed 1.5,2,3", "--seed \"1.5,2,3\" is not");
  this->ExpectUsageError("in.mha out.mha --seed 1,2,3 --seed 1,x,3", "--seed \"1,x,3\" is not");
  this->ExpectUsageError("in.mha out.mha --seed", "--seed");
  for (const std::string seed : { "31,0,0", "0,29,0", "0,0,13", "18446744073709551615,0,0" })
  {
    this->ExpectFailure("in.mha out.mha --seed 1,2,3 --seed " + seed,
                        "in.mha: --seed " + seed +
                          " lies outside the image of 31 x 29 x 13 pixels; the last pixel is 30,28,12");
  }
  this->ExpectFailure("in.mha out.mha --seed 1,2",
                      "in.mha: is a volume of 31 x 29 x 13 pixels, but --seed 1,2 has 2 numbers; give X,Y,Z");
  this->ExpectFailure("plane.mha out.mha --seed 1,2,0",
                      "plane.mha: is a plane of 9 x 7 pixels, but --seed 1,2,0 has 3 numbers; give X,Y");
}

// ITK gives the physical points of the pixels.
TEST_F(CudaConnectedComponentsTool, SeedsArePointsToo)
{
  const auto              image = MakeSponge({ { 31, 29, 13 } });
  const double            origin[] = { -123.4, 50.1, 1e3 / 3.0 };
  MaskType::DirectionType direction;
  direction.SetIdentity();
  direction[0][0] = direction[1][1] = 0.8;
  direction[0][1] = 0.6;
  direction[1][0] = -0.6;
  image->SetOrigin(origin);
  image->SetDirection(direction);
  Write(image.GetPointer(), this->File("in.nrrd"));
  for (const MaskType::IndexType & seed : { MaskType::IndexType{ { 0, 0, 0 } }, { { 3, 4, 5 } }, { { 30, 28, 12 } } })
  {
    std::ostringstream point;
    point.precision(17);
    itk::ContinuousIndex<double, 3> near;
    itk::Point<double, 3>           center;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      near[axis] = static_cast<double>(seed[axis]) + 0.4;
    }
    image->TransformContinuousIndexToPhysicalPoint(near, center);
    point << center[0] << ',' << center[1] << ',' << center[2];
    const Conditions conditions{ true, false, 0, 0, { seed }, false };
    const Outcome    run = this->Call("in.nrrd out.nrrd --fully-connected --quiet --seed-point " + point.str());
    EXPECT_EQ(run.status, 0) << run.errors;
    this->ExpectLabels("out.nrrd", SelectByLoop(image, conditions).labels.GetPointer());
  }
  // Seeds and points select together.
  itk::Point<double, 3> point;
  image->TransformIndexToPhysicalPoint({ { 15, 14, 6 } }, point);
  const std::string text = std::to_string(point[0]) + ',' + std::to_string(point[1]) + ',' + std::to_string(point[2]);
  const Conditions  conditions{ false, true, 0, 0, { { { 3, 4, 5 } }, { { 15, 14, 6 } } }, false };
  Outcome           run = this->Call("in.nrrd out.nrrd --fill-holes --seed 3,4,5 --seed-point=" + text);
  EXPECT_EQ(run.status, 0) << run.errors;
  this->ExpectLabels("out.nrrd", SelectByLoop(image, conditions).labels.GetPointer());
  run = this->Call("in.nrrd out.nrrd --fill-holes --seed ' 3, 4,5 ' '--seed-point= " + text + " '");
  EXPECT_EQ(run.status, 0) << run.errors;
  this->ExpectLabels("out.nrrd", SelectByLoop(image, conditions).labels.GetPointer());

  this->ExpectFailure(
    "in.nrrd other.nrrd --seed-point 1,2,3",
    "in.nrrd: --seed-point 1,2,3 lies outside the image of 31 x 29 x 13 pixels of 0.5 x 0.5 x 0.5 mm, "
    "the first at (-123.4, 50.1, 333.333333333333), axes (0.8, -0.6, 0), (0.6, 0.8, 0), (0, 0, 1)");
  this->ExpectFailure("in.nrrd other.nrrd --seed-point 1e300,2,3", "lies outside the image");
  this->ExpectFailure("in.nrrd other.nrrd --seed-point 1,2", "but --seed-point 1,2 has 2 numbers; give X,Y,Z");
  for (const std::string bad : { "1", "a,b,c", "1,2,nan", "1,2,3,4", "'1 2 3'", "1,,3", "1,2,1e999" })
  {
    this->ExpectUsageError("in.nrrd other.nrrd --seed-point " + bad, "\" is not the point; give numbers in mm: X,Y,Z");
  }
  const auto plane = MakeEmpty<PlaneType>({ { 9, 7 } });
  plane->SetSpacing(itk::Vector<double, 2>(2.0));
  Write(plane.GetPointer(), this->File("plane.mha"));
  run = this->Call("plane.mha out.mha --seed-point 16.9,-0.9");
  EXPECT_EQ(run.errors,
            "cuda-connected-components: hint: --seed-point 16.9,-0.9 lies in the background, so it selects no "
            "component\n");
}

// The GPU labels with the same options. Images of this size are not too small for it.
TEST_F(CudaConnectedComponentsTool, MasksAndSeedsOnEveryBackend)
{
  const auto image = MakeSponge({ { 64, 48, 40 } });
  Write(image.GetPointer(), this->File("in.mha"));
  const std::string options = " --quiet --fill-holes --seed 20,20,20 --seed 40,30,11 --keep-largest 1 --backend ";
  const Conditions  conditions{ false, true, 0, 1, { { { 20, 20, 20 } }, { { 40, 30, 11 } } }, false };
  const Expected    expected = SelectByLoop(image, conditions);
  for (const std::string backend : { "auto", "cpu" })
  {
    EXPECT_EQ(this->Call("in.mha labels.mha" + options + backend).status, 0);
    this->ExpectLabels("labels.mha", expected.labels.GetPointer());
    EXPECT_EQ(this->Call("in.mha mask.mha --mask-output" + options + backend).status, 0);
    this->ExpectLabels("mask.mha", MaskOf(expected.labels).GetPointer());
  }
  if (CudaTestSupport::CountDevices() == 0)
  {
    this->ExpectFailure("in.mha other.mha --mask-output --fill-holes --backend cuda", "no CUDA device");
  }
}

} // namespace
