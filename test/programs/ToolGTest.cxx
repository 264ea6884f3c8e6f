// SPDX-License-Identifier: Apache-2.0

// The command-line tool, as a process: what it writes, prints and returns.

#include "ToolTest.h"

#include "itkCastImageFilter.h"
#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkNiftiImageIO.h"
#include "itkRGBPixel.h"

#include <nifti1_io.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <regex>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace
{

TEST_F(CudaConnectedComponentsTool, VolumesInManyFormats)
{
  const auto image = MakeVolume();
  const auto expected = LabelsOf(image.GetPointer());
  for (const std::string ending : { "nii.gz", "nii", "nrrd", "nhdr", "mha", "mhd", "tif" })
  {
    Write(image.GetPointer(), this->File("in." + ending));
    const Outcome run = this->Call("in." + ending + " out." + ending + " --output-type uint16");
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.printed.find("size: 31 x 29 x 13 pixels of unsigned_char\n"), std::string::npos) << run.printed;
    EXPECT_NE(run.printed.find("connectivity: 6\n"), std::string::npos) << run.printed;
    EXPECT_NE(run.printed.find("milliseconds: reading "), std::string::npos) << run.printed;
    if (ending != "tif")
    {
      this->ExpectLabels("out." + ending, expected.GetPointer());
    }
  }
}

TEST_F(CudaConnectedComponentsTool, HintsOfValues)
{
  const std::string several = " has several values other than 0, and components join neighbors of different values; "
                              "choose the values with --lower and --upper, or label each value with --by-value\n";
  const std::string nan = " has NaN, which counts as foreground; NaN is background with --lower or --upper\n";
  const auto        expect = [this](const std::string & name, auto first, auto second, const std::string & hint) {
    const auto image = MakeEmpty<itk::Image<decltype(first), 3>>({ { 9, 8, 3 } });
    image->SetPixel({ { 1, 1, 1 } }, first);
    image->SetPixel({ { 5, 5, 1 } }, second);
    Write(image.GetPointer(), this->File(name));
    const Outcome run = this->Call(name + " --table table.csv");
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(run.errors, hint.empty() ? "" : "cuda-connected-components: hint: " + name + hint);
  };
  for (const std::string ending : { "nii.gz", "nrrd", "mha", "tif" })
  {
    const unsigned char one = 1;
    const unsigned char two = 2;
    expect("labels." + ending, one, two, several);
    expect("labels." + ending, 1.0F, 2.0F, several);
  }
  expect("in.mha", 2.0F, std::numeric_limits<float>::quiet_NaN(), nan); // ITK reads 0 from NIfTI files with NaN
  expect("in.mha", short{ 7 }, short{ 7 }, "");
  expect("in.mha", 2.0, 2.5, "");
  expect("in.mha", short{ -1 }, short{ 1 }, several);
  for (const std::string option : { "--quiet", "--lower 1", "--upper 9", "--otsu", "--mask in.mha" })
  {
    EXPECT_EQ(this->Call("in.mha --table table.csv " + option).errors, "") << option;
  }
}

TEST_F(CudaConnectedComponentsTool, PlanesInManyFormats)
{
  const auto image = MakeItkImage<PlaneType>(MakeRandom({ 131, 97, 1 }, 40, 3, 402), 200);
  const auto expected = LabelsOf(image.GetPointer(), true);
  for (const std::string ending : { "png", "tif", "nii.gz", "nrrd", "mha" })
  {
    Write(image.GetPointer(), this->File("in." + ending));
    const Outcome run = this->Call("in." + ending + " out." + ending + " --fully-connected --output-type auto");
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.printed.find("connectivity: 8\n"), std::string::npos) << run.printed;
    this->ExpectLabels("out." + ending, expected.GetPointer());
  }
}

TEST_F(CudaConnectedComponentsTool, Thresholds)
{
  using ImageType = itk::Image<short, 3>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 9, 8, 7 } });
  image->Allocate();
  std::mt19937 random(403);
  for (std::size_t i = 0; i < 9 * 8 * 7; ++i)
  {
    image->GetBufferPointer()[i] = static_cast<short>(random() % 3000) - 1000;
  }
  Write(image.GetPointer(), this->File("in.nii.gz"));
  const auto expect = [&](const std::string & arguments, double lower, double upper) {
    const auto mask = MaskType::New();
    mask->SetRegions(image->GetLargestPossibleRegion());
    mask->Allocate();
    for (std::size_t i = 0; i < 9 * 8 * 7; ++i)
    {
      const double value = image->GetBufferPointer()[i];
      mask->GetBufferPointer()[i] = lower <= value && value <= upper;
    }
    const Outcome run = this->Call("in.nii.gz out.nii.gz " + arguments);
    EXPECT_EQ(run.status, 0) << run.errors;
    this->ExpectLabels("out.nii.gz", LabelsOf(mask.GetPointer()).GetPointer());
  };
  const double infinity = std::numeric_limits<double>::infinity();
  expect("--lower 1200", 1200, infinity);
  expect("--lower 1200.5", 1200.5, infinity);
  expect("--upper -500", -infinity, -500);
  expect("--lower -500 --upper 100", -500, 100);
  expect("--lower 1e9", 1e9, infinity);
}

TEST_F(CudaConnectedComponentsTool, Otsu)
{
  const auto image = MakeVolume();
  for (std::size_t i = 0; i < 31 * 29 * 13; ++i)
  {
    image->GetBufferPointer()[i] += static_cast<unsigned char>(i % 5);
  }
  Write(image.GetPointer(), this->File("in.nrrd"));
  const Outcome run = this->Call("in.nrrd out.nrrd --otsu");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.printed.find("above Otsu's threshold"), std::string::npos) << run.printed;
  const auto mask = MakeItkImage<MaskType>(MakeRandom({ 31, 29, 13 }, 25, 1, 401));
  mask->SetSpacing(image->GetSpacing());
  this->ExpectLabels("out.nrrd", LabelsOf(mask.GetPointer()).GetPointer());
}

// Statistical programs write NaN outside the brain.
TEST_F(CudaConnectedComponentsTool, OtsuOfNumbersThatAreNotFinite)
{
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto      image = MakeEmpty<itk::Image<float, 3>>({ { 9, 8, 3 } });
  const auto      expected = MakeEmpty<MaskType>({ { 9, 8, 3 } });
  image->FillBuffer(nan);
  // The threshold is below 60. If NaN counted in the middle of the histogram, it would be above.
  for (itk::IndexValueType x = 0; x < 8; ++x)
  {
    image->SetPixel({ { x, 2, 1 } }, x < 3 ? 0.0F : nan);
    image->SetPixel({ { x, 4, 1 } }, 100.0F);
    image->SetPixel({ { x, 6, 1 } }, x < 4 ? 60.0F : nan);
    expected->SetPixel({ { x, 4, 1 } }, 1);
    expected->SetPixel({ { x, 6, 1 } }, x < 4);
  }
  Write(image.GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha out.mha --otsu");
  EXPECT_EQ(run.status, 0) << run.errors;
  this->ExpectLabels("out.mha", LabelsOf(expected.GetPointer()).GetPointer());
  for (const float bad : { infinity, -infinity })
  {
    image->SetPixel({ { 4, 4, 1 } }, bad);
    Write(image.GetPointer(), this->File("in.mha"));
    this->ExpectFailure("in.mha other.mha --otsu", "in.mha: has no Otsu's threshold");
  }
  image->FillBuffer(nan);
  Write(image.GetPointer(), this->File("in.mha"));
  this->ExpectFailure("in.mha other.mha --otsu", "in.mha: has no Otsu's threshold");
}

TEST_F(CudaConnectedComponentsTool, HintsOfNaNWithAMask)
{
  const auto image = MakeEmpty<itk::Image<float, 3>>({ { 9, 8, 3 } });
  image->FillBuffer(1.0F);
  Write(image.GetPointer(), this->File("in.mha"));
  image->SetPixel({ { 1, 1, 1 } }, std::numeric_limits<float>::quiet_NaN());
  Write(image.GetPointer(), this->File("nan.mha"));
  const std::string hint = "cuda-connected-components: hint: nan.mha has NaN, which counts as ";
  EXPECT_EQ(this->Call("in.mha out.mha --mask nan.mha").errors, hint + "inside the mask\n");
  EXPECT_EQ(this->Call("nan.mha out.mha --mask in.mha").errors,
            hint + "foreground; NaN is background with --lower or --upper\n");
  EXPECT_EQ(this->Call("in.mha out.mha --mask in.mha").errors, "");
}

TEST_F(CudaConnectedComponentsTool, MaskBackgroundAndType)
{
  const auto image = MakeVolume();
  const auto mask = MakeItkImage<MaskType>(MakeRandom({ 31, 29, 13 }, 70, 4, 404));
  mask->SetSpacing(image->GetSpacing());
  Write(image.GetPointer(), this->File("in.mha"));
  Write(mask.GetPointer(), this->File("mask.mha"));
  Outcome run = this->Call("in.mha out.mha --mask mask.mha --background-value 5 --output-type int32");
  EXPECT_EQ(run.status, 0) << run.errors;
  this->ExpectLabels("out.mha", LabelsOf(image.GetPointer(), false, 5, mask.GetPointer()).GetPointer());
  auto io = itk::ImageIOFactory::CreateImageIO(this->File("out.mha").c_str(), itk::IOFileModeEnum::ReadMode);
  io->SetFileName(this->File("out.mha"));
  io->ReadImageInformation();
  EXPECT_EQ(io->GetComponentType(), itk::IOComponentEnum::INT);

  run = this->Call("in.mha out.mha --background-value -1 --output-type int16");
  EXPECT_EQ(run.status, 0) << run.errors;
  this->ExpectUsageError("in.mha other.mha --background-value -1", "needs a signed --output-type");
  this->ExpectUsageError("in.mha other.mha --background-value 300 --output-type uint8", "does not fit");
}

template <typename TLabel>
void
ExpectLabelsOfType(const std::string & written, const MaskType * image, TLabel background)
{
  using ImageType = itk::Image<TLabel, 3>;
  auto filter = MakeOracle<MaskType, ImageType>();
  filter->SetInput(image);
  filter->SetBackgroundValue(background);
  filter->Update();
  auto reader = itk::ImageFileReader<ImageType>::New();
  reader->SetFileName(written);
  reader->Update();
  EXPECT_EQ(reader->GetImageIO()->GetComponentSize(), sizeof(TLabel));
  const std::size_t count = image->GetLargestPossibleRegion().GetNumberOfPixels();
  EXPECT_TRUE(std::equal(reader->GetOutput()->GetBufferPointer(),
                         reader->GetOutput()->GetBufferPointer() + count,
                         filter->GetOutput()->GetBufferPointer()))
    << written;
}

TEST_F(CudaConnectedComponentsTool, EveryOutputTypeAndBackground)
{
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 23, 21, 5 }, 3, 1, 103));
  Write(image.GetPointer(), this->File("in.mha"));
  const auto expect = [&](const std::string & type, auto background) {
    const std::string output = type + ".nrrd";
    const Outcome     run =
      this->Call("in.mha " + output + " --output-type " + type + " --background-value " + std::to_string(+background));
    EXPECT_EQ(run.status, 0) << run.errors;
    ExpectLabelsOfType(this->File(output), image.GetPointer(), background);
  };
  for (const int background : { 0, 1, 5, 127 })
  {
    expect("uint8", static_cast<unsigned char>(background));
    expect("int8", static_cast<signed char>(background));
    expect("uint16", static_cast<unsigned short>(background));
    expect("int16", static_cast<short>(background));
    expect("uint32", static_cast<unsigned int>(background));
    expect("int32", background);
    expect("uint64", static_cast<unsigned long>(background));
    expect("int64", static_cast<long>(background));
  }
  expect("int8", static_cast<signed char>(-1));
  expect("int16", static_cast<short>(-1000));
  expect("int64", -1L);
}

TEST_F(CudaConnectedComponentsTool, ColoursAreForegroundByAnyComponent)
{
  using ColourType = itk::Image<itk::RGBPixel<unsigned char>, 2>;
  itk::RGBPixel<unsigned char> blue;
  blue.Set(0, 0, 1);
  const TestImage plane = MakeRandom({ 41, 37, 1 }, 30, 2, 405);
  Write(MakeItkImage<ColourType>(plane, blue).GetPointer(), this->File("in.png"));
  const Outcome run = this->Call("in.png out.png --output-type auto");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.printed.find("objects: " + std::to_string(LabelByItk(plane, false).objectCount) + "\n"),
            std::string::npos)
    << run.printed;
  this->ExpectFailure("in.png other.png --otsu", "more than one value per pixel");
}

TEST_F(CudaConnectedComponentsTool, Backends)
{
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 41, 39, 23 }, 25, 1, 406));
  Write(image.GetPointer(), this->File("in.mha"));
  Outcome run = this->Call("in.mha out.mha --backend cpu");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.printed.find("backend: cpu (as asked for)\n"), std::string::npos) << run.printed;
  run = this->Call("in.mha out.mha");
  EXPECT_EQ(run.status, 0) << run.errors;
  if (CudaTestSupport::CountDevices() > 0)
  {
    EXPECT_NE(run.printed.find("backend: cuda\n"), std::string::npos) << run.printed;
    EXPECT_EQ(this->Call("in.mha out.mha --backend cuda").status, 0);
    EXPECT_EQ(this->Call("in.mha out.mha --backend cuda --device 0").status, 0);
    for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
    {
      run = this->Call("in.mha out.mha --backend cuda --fully-connected --algorithm " + std::string(row.option));
      EXPECT_EQ(run.status, 0) << run.errors;
      this->ExpectLabels("out.mha", LabelsOf(image.GetPointer(), true).GetPointer());
    }
  }
  else
  {
    EXPECT_NE(run.printed.find("backend: cpu (no CUDA device"), std::string::npos) << run.printed;
    this->ExpectFailure("in.mha other.mha --backend cuda",
                        "in.mha: cannot be labeled: The GPU cannot be used, and --backend cuda does not allow the CPU: "
                        "no CUDA device");
  }
  this->ExpectFailure("in.mha other.mha --backend cuda --device 99",
                      "in.mha: cannot be labeled: The GPU cannot be used");
  this->ExpectUsageError("in.mha other.mha --algorithm buf", "full connectivity only");
}

TEST_F(CudaConnectedComponentsTool, QuietPrintsNothing)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha out.mha --quiet");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.printed, "");
  EXPECT_EQ(run.errors, "");
}

TEST_F(CudaConnectedComponentsTool, ReportsThatCannotBePrinted)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  for (const std::string option : { "", " --json" })
  {
    const Outcome run = this->Call("in.mha out.mha" + option + " >/dev/full");
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.errors.find("the report cannot be printed"), std::string::npos) << run.errors;
  }
  EXPECT_EQ(this->Call("in.mha out.mha --quiet >/dev/full").status, 0);
}

TEST_F(CudaConnectedComponentsTool, SaysWhatIsWrong)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  std::ofstream(this->File("text.nii")) << "no image\n";
  std::ofstream(this->File("empty.png"));
  this->ExpectFailure("nothing.nii.gz out.mha", "there is no such file");
  this->ExpectFailure(". out.mha", "is a folder");
  this->ExpectFailure("text.nii out.mha", "is not an image");
  this->ExpectFailure("empty.png out.mha", "is not an image");
  this->ExpectFailure("in.mha out.xyz", "ITK has no image format for this file name");
  this->ExpectFailure("in.mha nowhere/out.mha", "there is no folder nowhere");
  this->ExpectFailure("in.mha out.png --output-type auto", "the file does not give the same pixels back");
  this->ExpectFailure("in.mha out.mha --mask nothing.mha", "nothing.mha: there is no such file");

  Write(MakeItkImage<MaskType>(MakeCheckerboard({ 30, 30, 3 })).GetPointer(), this->File("many.mha"));
  this->ExpectFailure("many.mha out.mha --output-type uint8",
                      "Number of objects (1350) greater than maximum of output pixel type (255)");
  this->ExpectFailure(
    "in.mha out.mha --mask many.mha",
    "many.mha: cannot be the mask of in.mha: the spacing, origin and axes must be the same, and the mask must cover "
    "the image: many.mha has 30 x 30 x 3 pixels of 1 x 1 x 1 mm, the first at (0, 0, 0), axes (1, 0, 0), (0, 1, 0), "
    "(0, 0, 1); in.mha has 31 x 29 x 13 pixels of 1.5 x 1.5 x 1.5 mm, the first at (0, 0, 0), axes (1, 0, 0), "
    "(0, 1, 0), (0, 0, 1)");
  const auto elsewhere = MakeVolume();
  elsewhere->SetOrigin(itk::Point<double, 3>(7.5));
  Write(elsewhere.GetPointer(), this->File("elsewhere.mha"));
  this->ExpectFailure("in.mha out.mha --mask elsewhere.mha", "the first at (7.5, 7.5, 7.5)");
  const double nearby[] = { -123.45678, 0.0, 0.00001 };
  elsewhere->SetOrigin(nearby);
  Write(elsewhere.GetPointer(), this->File("nearby.mha"));
  this->ExpectFailure("in.mha out.mha --mask nearby.mha", "the first at (-123.45678, 0, 1e-05)");

  Write(MakeItkImage<PlaneType>(MakeCheckerboard({ 31, 29, 1 })).GetPointer(), this->File("plane.mha"));
  this->ExpectFailure("in.mha out.mha --mask plane.mha", "one is a plane, the other is a volume");
  std::ofstream(this->File("nothing.mha")) << "ObjectType = Image\nNDims = 3\nBinaryData = False\nDimSize = 4 0 2\n"
                                              "ElementSpacing = 1 1 1\nElementType = MET_SHORT\n"
                                              "ElementDataFile = LOCAL\n";
  this->ExpectFailure("nothing.mha out.mha", "nothing.mha: has no pixels: its size along axis 1 is 0");
  this->ExpectFailure("plane.mha out.png --output-type int32", "out.png: cannot be written: ");
  this->ExpectFailure(
    "plane.mha out.png",
    "out.png: cannot be written: PNG supports unsigned char and unsigned short (the pixels are uint32; "
    "--output-type selects the type of labels)");

  using SpaceTimeType = itk::Image<unsigned char, 4>;
  auto spaceTime = SpaceTimeType::New();
  spaceTime->SetRegions(SpaceTimeType::SizeType{ { 3, 3, 3, 2 } });
  spaceTime->Allocate(true);
  Write(spaceTime.GetPointer(), this->File("movie.nii.gz"));
  this->ExpectFailure("movie.nii.gz out.mha", "has 4 dimensions");

  this->ExpectUsageError("", "INPUT is required");
  this->ExpectUsageError("in.mha", "OUTPUT is required");
  this->ExpectUsageError("in.mha out.mha --mask ''", "--mask \"\" is not the name of a file");
  this->ExpectUsageError("in.mha out.mha --mask=", "--mask");
  this->ExpectUsageError("in.mha out.mha --table table.csv --intensity ''",
                         "--intensity \"\" is not the name of a file");
  this->ExpectUsageError("in.mha '' --table table.csv", "OUTPUT \"\" is not the name of a file");
  this->ExpectUsageError("in.mha out.mha --algorithm magic", "magic");
  this->ExpectUsageError("in.mha out.mha --lower abc", "abc");
  this->ExpectUsageError("in.mha out.mha --lower nan", "nan");
  this->ExpectUsageError("in.mha out.mha --lower 5 --upper 4.5", "--lower 5 is above --upper 4.5");
  this->ExpectUsageError("in.mha out.mha --lower 1000000.5 --upper 1000000.25",
                         "--lower 1000000.5 is above --upper 1000000.25");
  this->ExpectUsageError("in.mha out.mha --otsu --lower 5", "--otsu");
  for (const std::string value : { "99999999999999999999", "-9223372036854775809", "1.5", "5x" })
  {
    this->ExpectUsageError("in.mha out.mha --output-type int64 --background-value " + value,
                           "--background-value \"" + value + "\" is not a whole number");
  }
  this->ExpectUsageError("in.mha out.mha --output-type float", "\"float\" must be auto or uint8 or ");
  this->ExpectUsageError("in.mha out.mha --max-size 0", "--max-size is 0: no component would be left");
  this->ExpectUsageError("in.mha out.mha --max-size '0 mm3'", "--max-size is 0");
  this->ExpectUsageError("in.mha out.mha --min-size 5 --max-size 4",
                         "--min-size is above --max-size: no component would be left");
  this->ExpectUsageError("in.mha out.mha --min-size 5mm3 --max-size 4.5mm3", "--min-size is above --max-size");
  this->ExpectFailure("in.mha out.mha --min-size 3 --max-size 9mm3",
                      "in.mha: cannot be labeled: --min-size is 3 pixels, and --max-size is 2 pixels");
  this->ExpectFailure("in.mha out.mha --max-size 9mm2", "in.mha: is a volume, but --max-size is in mm2; use mm3");
  this->ExpectUsageError("in.mha out.mha --threads 0", "--threads \"0\" is not a whole number of at least 1");
  this->ExpectUsageError("in.mha out.mha --threads 1000000", "\"1000000\" is too large; the maximum is ");
  this->ExpectUsageError("in.mha out.mha --device -5", "--device \"-5\" is not a whole number of at least 0");
  this->ExpectUsageError("in.mha out.mha --device 0 --backend cpu", "--backend cpu does not use it");
  this->ExpectUsageError("in.mha out.mha --algorithm runs --backend cpu", "--backend cpu does not use it");
  const Outcome help = this->Call("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.printed.find("Exit status: 0 "), std::string::npos) << help.printed;
}

TEST_F(CudaConnectedComponentsTool, TellsItsVersions)
{
  const Outcome run = this->Call("--version");
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(std::regex_match(run.printed,
                               std::regex("cuda-connected-components [0-9]+\\.[0-9]+\\.[0-9]+\n"
                                          "ITK [0-9]+\\.[0-9]+\\.[0-9]+\n"
                                          "(CUDA [0-9.]+, architectures [-0-9a-z ]+|built without CUDA)\n")))
    << run.printed;
}

// Files end early when a disk is full or a connection breaks. What was there before stays.
TEST_F(CudaConnectedComponentsTool, FilesThatAreCutOff)
{
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 64, 48, 40 }, 50, 1, 406), 100);
  for (const std::string ending : { "nii.gz", "nii", "nrrd", "mha", "tif", "hdr", "mhd" })
  {
    for (const bool compress : { false, true })
    {
      const std::string name = (compress ? "compressed." : "plain.") + ending;
      Write(image.GetPointer(), this->File(name), compress);
      EXPECT_EQ(this->Call(name + " labels.mha").status, 0) << name << " is whole";
      std::string data = name;
      if (ending == "hdr")
      {
        data = (compress ? "compressed.img" : "plain.img");
      }
      if (ending == "mhd")
      {
        data = (compress ? "compressed.zraw" : "plain.raw");
      }
      const std::uint64_t size = fs::file_size(this->File(data));
      for (const std::uint64_t left : { size - 1, size * 9 / 10, size / 2 })
      {
        // A format may end with bytes that nothing depends on.
        if (left == size - 1 && (ending == "tif" || ending == "nrrd"))
        {
          continue;
        }
        fs::resize_file(this->File(data), left);
        const auto    before = this->ListFiles();
        const Outcome run = this->Call(name + " labels.mha");
        EXPECT_GT(run.status, 0) << name << " with " << left << " of " << size << " bytes";
        EXPECT_NE(run.errors.find("cannot be read"), std::string::npos) << name << ": " << run.errors;
        EXPECT_EQ(this->ListFiles(), before);
      }
    }
  }
  const auto plane = MakeItkImage<PlaneType>(MakeRandom({ 164, 148, 1 }, 50, 1, 407), 100);
  Write(image.GetPointer(), this->File("image.mrc"), false);
  Write(plane.GetPointer(), this->File("image.dcm"), false);
  for (const std::string ending : { "mrc", "dcm" })
  {
    EXPECT_EQ(this->Call("image." + ending + " labels.mha").status, 0) << ending;
    const auto size = fs::file_size(this->File("image." + ending));
    for (const std::uint64_t left : { size - 1, size / 2 })
    {
      fs::resize_file(this->File("image." + ending), left);
      this->ExpectFailure("image." + ending + " other.mha", "the file is incomplete or damaged");
    }
  }
  // GDCM aborts.
  Write(image.GetPointer(), this->File("header.dcm"), false);
  fs::resize_file(this->File("header.dcm"), 400);
  const Outcome aborted = this->Call("header.dcm other.mha");
  EXPECT_EQ(aborted.status, 1);
  EXPECT_NE(aborted.errors.find("a library failed; an input is probably damaged"), std::string::npos) << aborted.errors;
  Write(plane.GetPointer(), this->File("image.png"));
  fs::resize_file(this->File("image.png"), fs::file_size(this->File("image.png")) / 2);
  this->ExpectFailure("image.png other.mha", "image.png: cannot be read: ");
}

TEST_F(CudaConnectedComponentsTool, MetaImagesOfSeveralFiles)
{
  for (int slice = 1; slice <= 3; ++slice)
  {
    std::ofstream(this->File("slice" + std::to_string(slice) + ".raw")) << std::string(12, '\1');
  }
  const std::string header =
    "ObjectType = Image\nNDims = 3\nDimSize = 4 3 3\nElementType = MET_UCHAR\nElementDataFile = ";
  std::ofstream(this->File("list.mhd")) << header << "LIST\nslice1.raw\nslice2.raw\nslice3.raw\n";
  std::ofstream(this->File("pattern.mhd")) << header << "slice%d.raw 1 3 1\n";
  for (const std::string name : { "list.mhd", "pattern.mhd" })
  {
    this->ExpectFailure(name + " out.mha", name + ": cannot be read: its pixels are in several files");
  }
}

// The link to the next page, 4 bytes at the end of a page's directory, is cut. libtiff then counts a page less.
TEST_F(CudaConnectedComponentsTool, TiffWithoutItsLastPage)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  EXPECT_EQ(this->Call("in.mha pages.tif --output-type uint16").status, 0);
  const std::string tiff = ReadText(this->File("pages.tif"));
  const auto        at = [&tiff](std::size_t offset, int size) {
    std::size_t value = 0;
    while (size-- > 0)
    {
      value = value << 8 | static_cast<unsigned char>(tiff.at(offset + static_cast<std::size_t>(size)));
    }
    return value;
  };
  ASSERT_EQ(tiff.substr(0, 2), "II");
  std::size_t link = 4;
  while (const std::size_t directory = at(link, 4))
  {
    link = directory + 2 + 12 * at(directory, 2);
  }
  fs::resize_file(this->File("pages.tif"), link + 2);
  const Outcome run = this->Call("pages.tif other.mha");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find("pages.tif: cannot be read: the file is incomplete or damaged"), std::string::npos)
    << run.errors;
  EXPECT_FALSE(fs::exists(this->File("other.mha")));
}

// The pixels of a gzipped file are compared with the checksum of the file, or the file is read to its end.
TEST_F(CudaConnectedComponentsTool, GzippedNifti)
{
  const auto image = MakeItkImage<itk::Image<short, 3>>(MakeRandom({ 64, 48, 40 }, 50, 1, 406), 300);
  Write(image.GetPointer(), this->File("whole.nii.gz"));
  const std::string bytes = ReadText(this->File("whole.nii.gz"));
  EXPECT_EQ(this->Call("whole.nii.gz expected.mha").status, 0);
  const auto expected = Read<LabelsType>(this->File("expected.mha"));
  EXPECT_EQ(this
              ->Run("gzip -dc whole.nii.gz >raw && (head -c 5000 raw | gzip -c; tail -c +5001 raw | gzip -c) "
                    ">two.nii.gz && (cat raw raw | gzip -c) >longer.nii.gz")
              .status,
            0);
  for (const std::string name : { "two", "longer" })
  {
    const Outcome run = this->Call(name + ".nii.gz " + name + ".mha");
    EXPECT_EQ(run.status, 0) << run.errors;
    this->ExpectLabels(name + ".mha", expected.GetPointer());
  }
  for (const std::size_t at : { bytes.size() / 2, bytes.size() - 100, bytes.size() - 6 })
  {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    std::ofstream(this->File("damaged.nii.gz"), std::ios::binary) << damaged;
    this->ExpectFailure("damaged.nii.gz other.mha", "the file is incomplete or damaged");
  }
  // niftilib takes the pixels of whole.nii.
  std::ofstream(this->File("whole.nii"), std::ios::binary) << ReadText(this->File("raw")).substr(0, 5000);
  EXPECT_EQ(this->Call("whole.nii.gz out.mha").status, 0);
  this->ExpectLabels("out.mha", expected.GetPointer());
}

// ITK's reader is the oracle. It does not read to the end of a gzipped file.
TEST_F(CudaConnectedComponentsTool, NiftiWithASlope)
{
  const auto image = MakeItkImage<itk::Image<short, 3>>(MakeRandom({ 64, 48, 40 }, 50, 1, 408), 200);
  Write(image.GetPointer(), this->File("plain.nii"));
  const auto writeScaled = [this, &image](const std::string & name, auto zero, double slope, double intercept) {
    using StoredType = itk::Image<decltype(zero), 3>;
    const auto cast = itk::CastImageFilter<itk::Image<short, 3>, StoredType>::New();
    cast->SetInput(image);
    const auto io = itk::NiftiImageIO::New();
    io->SetRescaleSlope(slope);
    io->SetRescaleIntercept(intercept);
    const auto writer = itk::ImageFileWriter<StoredType>::New();
    writer->SetInput(cast->GetOutput());
    writer->SetImageIO(io);
    writer->SetFileName(this->File(name + ".nii"));
    writer->Update();
  };
  writeScaled("byte", static_cast<unsigned char>(0), -1.0, 200.0);
  writeScaled("short", short{ 0 }, 0.7, 0.0);
  writeScaled("word", static_cast<unsigned short>(0), 2.5e-3, -0.5);
  std::string    swapped = ReadText(this->File("short.nii"));
  nifti_1_header header{};
  std::memcpy(&header, swapped.data(), sizeof(header));
  swap_nifti_header(&header, 1);
  std::memcpy(swapped.data(), &header, sizeof(header));
  nifti_swap_2bytes((swapped.size() - 352) / 2, &swapped[352]);
  std::ofstream(this->File("swapped.nii"), std::ios::binary) << swapped;
  for (const std::string name : { "plain", "byte", "short", "word", "swapped" })
  {
    Write(Read<itk::Image<float, 3>>(this->File(name + ".nii")).GetPointer(), this->File("itk.nrrd"));
    EXPECT_EQ(this->Call("itk.nrrd expected.mha --lower 0.1 --mask-output").errors, "");
    EXPECT_EQ(this->Run("gzip --keep " + name + ".nii").status, 0);
    for (const std::string ending : { ".nii", ".nii.gz" })
    {
      EXPECT_EQ(this->Call(name + ending + " out.mha --lower 0.1 --mask-output").errors, "") << name;
      this->ExpectLabels("out.mha", Read<LabelsType>(this->File("expected.mha")).GetPointer());
    }
    EXPECT_EQ(this->Run("head -c 900 " + name + ".nii.gz >part && cat part >>" + name + ".nii.gz").status, 0);
    this->ExpectFailure(name + ".nii.gz other.mha", "the file is incomplete or damaged");
  }
}

TEST_F(CudaConnectedComponentsTool, WritesThroughSymbolicLinks)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  EXPECT_EQ(this->Call("in.mha expected.mha --table expected.csv").status, 0);
  fs::create_directory(this->File("store"));
  std::ofstream(this->File("store/labels.mha")) << "old";
  fs::create_symlink("store/labels.mha", this->File("link.mha"));
  fs::create_symlink("link.mha", this->File("link of link.mha"));
  fs::create_symlink(this->File("store/new.csv"), this->File("table.csv"));
  const Outcome run = this->Call("in.mha 'link of link.mha' --table table.csv");
  EXPECT_EQ(run.status, 0) << run.errors;
  for (const char * const link : { "link.mha", "link of link.mha", "table.csv" })
  {
    EXPECT_TRUE(fs::is_symlink(this->File(link))) << link;
  }
  EXPECT_EQ(ReadText(this->File("store/labels.mha")), ReadText(this->File("expected.mha")));
  EXPECT_EQ(ReadText(this->File("store/new.csv")), ReadText(this->File("expected.csv")));

  fs::create_symlink("nowhere/labels.mha", this->File("lost.mha"));
  this->ExpectFailure("in.mha lost.mha", "lost.mha: cannot be written: there is no folder nowhere");
  fs::create_symlink("circle.mha", this->File("circle.mha"));
  EXPECT_EQ(this->Call("in.mha circle.mha").errors,
            "cuda-connected-components: circle.mha: cannot be written: its symbolic links form a circle\n");
}

TEST_F(CudaConnectedComponentsTool, RefusesLinksToOtherFormats)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  EXPECT_EQ(this->Call("in.mha real.nii.gz").status, 0);
  fs::create_symlink("real.nii.gz", this->File("link.nii"));
  this->ExpectFailure("in.mha link.nii", "link.nii: cannot be written: it is a link to ");
  // Programs that store files by their content name them without an ending.
  fs::create_symlink("0123abcd", this->File("link.nii.gz"));
  EXPECT_EQ(this->Call("in.mha link.nii.gz").status, 0);
  EXPECT_EQ(ReadText(this->File("0123abcd")), ReadText(this->File("real.nii.gz")));
}

TEST_F(CudaConnectedComponentsTool, KeepsPermissions)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  EXPECT_EQ(this->Call("in.mha out.mha --table table.csv").status, 0);
  for (const char * const name : { "out.mha", "table.csv" })
  {
    fs::permissions(this->File(name), fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  }
  EXPECT_EQ(this->Call("in.mha out.mha --table table.csv").status, 0);
  for (const char * const name : { "out.mha", "table.csv" })
  {
    EXPECT_EQ(fs::status(this->File(name)).permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read)
      << name;
  }
}

TEST_F(CudaConnectedComponentsTool, RefusesWriteProtectedFiles)
{
  if (geteuid() == 0)
  {
    GTEST_SKIP() << "root may write to all files";
  }
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  std::ofstream(this->File("out.mha")) << "old";
  fs::permissions(this->File("out.mha"), fs::perms::owner_read);
  this->ExpectFailure("in.mha out.mha", "out.mha: cannot be written: it is write-protected");
}

TEST_F(CudaConnectedComponentsTool, RefusesInputsAsOutputs)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  Write(MakeVolume().GetPointer(), this->File("other.mha"));
  Write(MakeItkImage<PlaneType>(MakeCheckerboard({ 31, 29, 1 })).GetPointer(), this->File("in.png"));
  fs::create_symlink("other.mha", this->File("link.mha"));
  const std::string part = ": cannot be written: it is an input";
  this->ExpectFailure("in.mha other.mha --mask other.mha", "other.mha" + part);
  this->ExpectFailure("in.mha link.mha --mask other.mha", "link.mha" + part);
  this->ExpectFailure("in.mha other.mha --table table.csv --intensity ./other.mha", "other.mha" + part);
  this->ExpectFailure("in.png --table table.csv --preview in.png", "in.png" + part);
  const auto expected = LabelsOf(Read<MaskType>(this->File("in.mha")).GetPointer());
  EXPECT_EQ(this->Call("in.mha in.mha").status, 0);
  this->ExpectLabels("in.mha", expected.GetPointer());
}

TEST_F(CudaConnectedComponentsTool, HintsOfALostGeometry)
{
  const auto image = MakeItkImage<PlaneType>(MakeCheckerboard({ 31, 29, 1 }));
  const auto expect = [&](const std::string & lost) {
    Write(image.GetPointer(), this->File("in.mha"));
    for (const std::string name : { "out.png", "out.tif" })
    {
      const std::string hint = "cuda-connected-components: hint: " + name +
                               " loses parts of the geometry of the input (" + lost +
                               "), because its format cannot hold them; .nrrd and .mha files can\n";
      EXPECT_EQ(this->Call("in.mha " + name + " --output-type uint16").errors, lost.empty() ? "" : hint);
    }
    EXPECT_EQ(this->Call("in.mha out.nrrd").errors, "");
  };
  expect("");
  const double origin[] = { 30.0, -4.0 };
  image->SetOrigin(origin);
  expect("origin");
  PlaneType::DirectionType direction;
  direction.SetIdentity();
  direction[0][0] = -1.0;
  image->SetDirection(direction);
  expect("origin, axes");
  image->SetOrigin(PlaneType::PointType(0.0));
  expect("axes");
}

TEST_F(CudaConnectedComponentsTool, RefusesDevicesAndPipes)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  ASSERT_EQ(mkfifo(this->File("pipe.csv").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(this->File("out.mha").c_str(), 0600), 0);
  fs::create_symlink("pipe.csv", this->File("link.csv"));
  this->ExpectFailure("in.mha out.mha", "out.mha: cannot be written: it is a device or a pipe");
  this->ExpectFailure("in.mha --table pipe.csv", "pipe.csv: cannot be written: it is a device or a pipe");
  this->ExpectFailure("in.mha --table link.csv", "link.csv: cannot be written: it is a device or a pipe");
  EXPECT_TRUE(fs::is_fifo(this->File("pipe.csv")));

  for (const std::string arguments :
       { "out.mha new.mha", "in.mha new.mha --mask out.mha", "in.mha --table t.csv --intensity out.mha" })
  {
    const Outcome run = this->Run("timeout 20 '" + ToolPath() + "' " + arguments);
    EXPECT_EQ(run.status, 1) << arguments;
    EXPECT_NE(run.errors.find("out.mha: is a device or a pipe, not an image"), std::string::npos) << run.errors;
  }
}

TEST_F(CudaConnectedComponentsTool, RefusesOneFileForTwoOutputs)
{
  Write(MakeItkImage<PlaneType>(MakeCheckerboard({ 31, 29, 1 })).GetPointer(), this->File("in.mha"));
  fs::create_directory(this->File("folder"));
  fs::create_symlink("folder/../out.png", this->File("link.png"));
  for (const std::string name : { "out.png", "./out.png", "folder/../out.png", "link.png" })
  {
    this->ExpectFailure("in.mha out.png --output-type uint16 --preview " + name,
                        name + ": cannot be written: it is two outputs at once");
  }
  fs::create_symlink("link.png", this->File("table.csv"));
  this->ExpectFailure("in.mha out.png --output-type uint16 --table table.csv",
                      "table.csv: cannot be written: it is two");
}

// A user, a system or a terminal that closes ends the tool while it writes.
TEST_F(CudaConnectedComponentsTool, LeavesNoFolderAfterASignal)
{
  Write(MakeItkImage<MaskType>(MakeRandom({ 160, 160, 160 }, 15, 1, 416)).GetPointer(), this->File("in.mha"), false);
  const auto before = this->ListFiles();
  for (const int signal : { SIGHUP, SIGINT, SIGTERM })
  {
    const pid_t tool = fork();
    if (tool == 0)
    {
      if (chdir(m_Folder.c_str()) == 0)
      {
        execl(ToolPath().c_str(), "tool", "in.mha", "out.nii.gz", "--quiet", nullptr);
      }
      _exit(127);
    }
    const auto isWriting = [this] {
      return std::any_of(fs::directory_iterator(m_Folder), fs::directory_iterator(), [](const auto & entry) {
        return fs::exists(entry.path() / "out.nii.gz");
      });
    };
    for (int i = 0; i < 6000 && !isWriting(); ++i)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(tool, signal);
    int status = 0;
    waitpid(tool, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
    EXPECT_EQ(this->ListFiles(), before) << signal;
  }
}

TEST_F(CudaConnectedComponentsTool, DefaultOutputType)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  const auto typeOf = [this](const std::string & options) {
    const Outcome run = this->Call("in.mha out.mha --json " + options);
    EXPECT_EQ(run.status, 0) << run.errors;
    return nlohmann::json::parse(run.printed).at("outputType").get<std::string>();
  };
  EXPECT_EQ(typeOf(""), "uint32");
  EXPECT_EQ(typeOf("--keep-largest 1"), "uint32");
  EXPECT_EQ(typeOf("--keep-largest 1 --output-type auto"), "uint8");
}

TEST_F(CudaConnectedComponentsTool, Threads)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  for (const int threads : { 1, 3 })
  {
    const Outcome run = this->Call("in.mha out.mha --json --threads " + std::to_string(threads));
    ASSERT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(nlohmann::json::parse(run.printed).at("threads"), threads);
    this->ExpectLabels("out.mha", LabelsOf(MakeVolume().GetPointer()).GetPointer());
  }
}

TEST_F(CudaConnectedComponentsTool, KeepsTheOldFileWhenItFails)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  Write(MakeItkImage<MaskType>(MakeCheckerboard({ 30, 30, 3 })).GetPointer(), this->File("many.mha"));
  EXPECT_EQ(this->Call("in.mha out.mhd").status, 0);
  const std::string before = ReadText(this->File("out.mhd"));
  this->ExpectFailure("many.mha out.mhd --output-type int8", "Number of objects");
  EXPECT_EQ(ReadText(this->File("out.mhd")), before);
  EXPECT_EQ(this->Call("in.mha in.mha").status, 0) << "the output may take the place of the input";
}

// A limit on the size of files has the effect of a full disk.
TEST_F(CudaConnectedComponentsTool, KeepsTheOldFileWhenTheDiskIsFull)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  Write(MakeItkImage<PlaneType>(MakeRandom({ 331, 329, 1 }, 25, 1, 420), 100).GetPointer(), this->File("plane.mha"));
  const auto expect = [this](const std::string & input, const std::string & output) {
    std::ofstream(this->File(output)) << "old\n";
    const auto    before = this->ListFiles();
    const Outcome run =
      this->Run("ulimit -f 8; '" + ToolPath() + "' " + input + ' ' + output + " --output-type uint16");
    EXPECT_EQ(run.status, 1) << output;
    EXPECT_NE(run.errors.find("cuda-connected-components: "), std::string::npos) << run.errors;
    EXPECT_EQ(run.printed, "");
    EXPECT_EQ(this->ListFiles(), before) << output;
    EXPECT_EQ(ReadText(this->File(output)), "old\n");
  };
  for (const std::string ending : { "nii", "nii.gz", "nrrd", "mha", "mhd", "hdr" })
  {
    expect("in.mha", "out." + ending);
  }
  expect("plane.mha", "out.png");
  expect("plane.mha", "out.tif");
  // The labels are small, the picture is not.
  std::mt19937 random(422);
  std::string  noise(200 * 200, '\0');
  std::generate(noise.begin(), noise.end(), [&random] { return static_cast<char>(random()); });
  std::ofstream(this->File("noise.raw"), std::ios::binary) << noise;
  std::ofstream(this->File("noise.mhd"))
    << "ObjectType = Image\nNDims = 2\nDimSize = 200 200\nElementType = MET_UCHAR\n"
       "ElementDataFile = noise.raw\n";
  expect("noise.mhd --lower 300 --preview picture.png", "out.mha");
}

TEST_F(CudaConnectedComponentsTool, RefusesFormatsThatLosePixels)
{
  const auto plane = MakeItkImage<PlaneType>(MakeRandom({ 64, 48, 1 }, 25, 1, 421), 100);
  Write(plane.GetPointer(), this->File("in.mha"));
  this->ExpectFailure("in.mha out.nia --min-size 6 --output-type uint8", "the file does not give the same pixels back");
  this->ExpectFailure("in.mha out.jpg", "the tool has no image format for this file name");
  this->ExpectFailure("in.mha out.bmp", "the tool has no image format for this file name");
}

} // namespace
