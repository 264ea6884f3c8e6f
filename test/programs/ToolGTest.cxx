// SPDX-License-Identifier: Apache-2.0

// The command-line tool, as a process: what it writes, prints and returns.

#include "FilterTestSupport.h"
#include "ProgramTest.h"

#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkRGBPixel.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <pty.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace
{

using MaskType = itk::Image<unsigned char, 3>;
using LabelsType = itk::Image<unsigned int, 3>;

std::string
ToolPath()
{
  const char * const elsewhere = std::getenv("CUDA_CONNECTED_COMPONENTS_TOOL");
  return elsewhere != nullptr ? elsewhere : CUDA_CONNECTED_COMPONENTS_TOOL;
}

class Tool : public ProgramTest
{
protected:
  /** Runs the tool in the test's folder. */
  Outcome
  Call(const std::string & arguments) const
  {
    return this->Run("'" + ToolPath() + "' " + arguments);
  }

  /** A run that must fail with a sentence that has a part, and leave no file that was not there before. */
  void
  ExpectFailure(const std::string & arguments, const std::string & part) const
  {
    const auto    before = this->ListFiles();
    const Outcome run = this->Call(arguments);
    EXPECT_GT(run.status, 0) << arguments;
    EXPECT_LT(run.status, 128) << arguments;
    EXPECT_NE(run.errors.find(part), std::string::npos) << arguments << ": " << run.errors;
    EXPECT_EQ(run.errors.find("0x"), std::string::npos) << run.errors;
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
    EXPECT_EQ(run.printed, "");
    EXPECT_EQ(this->ListFiles(), before) << arguments;
  }

  template <typename TImage>
  static void
  Write(const TImage * image, const std::string & file, bool compress = true)
  {
    auto writer = itk::ImageFileWriter<TImage>::New();
    writer->SetInput(image);
    writer->SetFileName(file);
    writer->SetUseCompression(compress);
    writer->Update();
  }

  template <typename TImage>
  static typename TImage::Pointer
  Read(const std::string & file)
  {
    auto reader = itk::ImageFileReader<TImage>::New();
    reader->SetFileName(file);
    reader->Update();
    return reader->GetOutput();
  }

  /** Compares pixels and geometry, the latter as far as formats keep it. */
  template <typename TImage>
  void
  ExpectLabels(const std::string & name, const TImage * expected) const
  {
    const auto image = Read<TImage>(this->File(name));
    ASSERT_EQ(image->GetLargestPossibleRegion(), expected->GetLargestPossibleRegion()) << name;
    const std::size_t count = image->GetLargestPossibleRegion().GetNumberOfPixels();
    EXPECT_TRUE(std::equal(image->GetBufferPointer(), image->GetBufferPointer() + count, expected->GetBufferPointer()))
      << name;
    for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
    {
      EXPECT_NEAR(image->GetSpacing()[axis], expected->GetSpacing()[axis], 1e-4) << name;
    }
  }
};

template <typename TImage>
typename itk::Image<unsigned int, TImage::ImageDimension>::Pointer
LabelsOf(const TImage * image, bool fullyConnected = false, unsigned int background = 0, const TImage * mask = nullptr)
{
  auto filter = MakeOracle<TImage, itk::Image<unsigned int, TImage::ImageDimension>>();
  filter->SetInput(image);
  filter->SetFullyConnected(fullyConnected);
  filter->SetBackgroundValue(background);
  filter->SetMaskImage(mask);
  filter->Update();
  return filter->GetOutput();
}

MaskType::Pointer
MakeVolume()
{
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 31, 29, 13 }, 25, 1, 401), 100);
  image->SetSpacing(itk::Vector<double, 3>(1.5));
  return image;
}

TEST_F(Tool, VolumesInManyFormats)
{
  const auto image = MakeVolume();
  const auto expected = LabelsOf(image.GetPointer());
  for (const std::string ending : { "nii.gz", "nii", "nrrd", "nhdr", "mha", "mhd", "tif", "vtk" })
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

TEST_F(Tool, PlanesInManyFormats)
{
  using PlaneType = itk::Image<unsigned char, 2>;
  const auto image = MakeItkImage<PlaneType>(MakeRandom({ 131, 97, 1 }, 40, 3, 402), 200);
  const auto expected = LabelsOf(image.GetPointer(), true);
  for (const std::string ending : { "png", "tif", "nii.gz", "nrrd", "mha" })
  {
    Write(image.GetPointer(), this->File("in." + ending));
    const Outcome run = this->Call("in." + ending + " out." + ending + " --fully-connected");
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.printed.find("connectivity: 8\n"), std::string::npos) << run.printed;
    this->ExpectLabels("out." + ending, expected.GetPointer());
  }
}

TEST_F(Tool, Thresholds)
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

TEST_F(Tool, Otsu)
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

TEST_F(Tool, MaskBackgroundAndType)
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
  this->ExpectFailure("in.mha other.mha --background-value -1", "needs a signed --output-type");
  this->ExpectFailure("in.mha other.mha --background-value 300 --output-type uint8", "does not fit");
}

TEST_F(Tool, ColoursAreForegroundByAnyComponent)
{
  using ColourType = itk::Image<itk::RGBPixel<unsigned char>, 2>;
  itk::RGBPixel<unsigned char> blue;
  blue.Set(0, 0, 1);
  const TestImage plane = MakeRandom({ 41, 37, 1 }, 30, 2, 405);
  Write(MakeItkImage<ColourType>(plane, blue).GetPointer(), this->File("in.png"));
  const Outcome run = this->Call("in.png out.png");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.printed.find("objects: " + std::to_string(LabelByItk(plane, false).objectCount) + "\n"),
            std::string::npos)
    << run.printed;
  this->ExpectFailure("in.png other.png --otsu", "more than one value per pixel");
}

TEST_F(Tool, Backends)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  Outcome run = this->Call("in.mha out.mha --backend cpu");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.printed.find("backend: cpu (as asked for)\n"), std::string::npos) << run.printed;
  run = this->Call("in.mha out.mha");
  EXPECT_EQ(run.status, 0) << run.errors;
  if (CudaTestSupport::CountDevices() > 0)
  {
    EXPECT_NE(run.printed.find("backend: cuda\n"), std::string::npos) << run.printed;
    EXPECT_EQ(this->Call("in.mha out.mha --backend cuda").status, 0);
    for (const std::string algorithm : { "automatic", "buf", "bke", "runs" })
    {
      run = this->Call("in.mha out.mha --backend cuda --fully-connected --algorithm " + algorithm);
      EXPECT_EQ(run.status, 0) << run.errors;
      this->ExpectLabels("out.mha", LabelsOf(MakeVolume().GetPointer(), true).GetPointer());
    }
  }
  else
  {
    EXPECT_NE(run.printed.find("backend: cpu (no CUDA device"), std::string::npos) << run.printed;
    this->ExpectFailure("in.mha other.mha --backend cuda", "no CUDA device");
  }
  this->ExpectFailure("in.mha other.mha --algorithm buf", "full connectivity only");
}

TEST_F(Tool, QuietPrintsNothing)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha out.mha --quiet");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.printed, "");
  EXPECT_EQ(run.errors, "");
}

TEST_F(Tool, SaysWhatIsWrong)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  std::ofstream(this->File("text.nii")) << "no image\n";
  std::ofstream(this->File("empty.png"));
  this->ExpectFailure("nothing.nii.gz out.mha", "there is no such file");
  this->ExpectFailure(". out.mha", "is a folder");
  this->ExpectFailure("text.nii out.mha", "is no image");
  this->ExpectFailure("empty.png out.mha", "is no image");
  this->ExpectFailure("in.mha out.xyz", "no image format goes by this name's ending");
  this->ExpectFailure("in.mha nowhere/out.mha", "there is no folder nowhere");
  this->ExpectFailure("in.mha out.png", "this format has no volumes");
  this->ExpectFailure("in.mha out.mha --mask nothing.mha", "nothing.mha: there is no such file");

  Write(MakeItkImage<MaskType>(MakeCheckerboard({ 30, 30, 3 })).GetPointer(), this->File("many.mha"));
  this->ExpectFailure("many.mha out.mha --output-type uint8",
                      "Number of objects (1350) greater than maximum of output pixel type (255)");
  this->ExpectFailure("in.mha out.mha --mask many.mha", "cannot be labeled");

  using PlaneType = itk::Image<unsigned char, 2>;
  Write(MakeItkImage<PlaneType>(MakeCheckerboard({ 31, 29, 1 })).GetPointer(), this->File("plane.mha"));
  this->ExpectFailure("in.mha out.mha --mask plane.mha", "has not as many dimensions");
  this->ExpectFailure("plane.mha out.png --output-type int32", "out.png: cannot be written: ");

  using SpaceTimeType = itk::Image<unsigned char, 4>;
  auto spaceTime = SpaceTimeType::New();
  spaceTime->SetRegions(SpaceTimeType::SizeType{ { 3, 3, 3, 2 } });
  spaceTime->Allocate(true);
  Write(spaceTime.GetPointer(), this->File("movie.nii.gz"));
  this->ExpectFailure("movie.nii.gz out.mha", "has 4 dimensions");

  for (const std::string arguments : { "",
                                       "in.mha",
                                       "in.mha out.mha --algorithm magic",
                                       "in.mha out.mha --lower abc",
                                       "in.mha out.mha --otsu --lower 5",
                                       "in.mha out.mha --output-type float" })
  {
    const Outcome run = this->Call(arguments);
    EXPECT_GT(run.status, 0) << arguments;
    EXPECT_NE(run.errors, "") << arguments;
    EXPECT_FALSE(fs::exists(this->File("out.mha"))) << arguments;
  }
  EXPECT_EQ(this->Call("--help").status, 0);
}

// Files end early when a disk is full or a connection breaks. What was there before stays.
TEST_F(Tool, FilesThatAreCutOff)
{
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 64, 48, 40 }, 50, 1, 406), 100);
  for (const std::string ending : { "nii.gz", "nii", "nrrd", "mha", "tif", "vtk", "hdr", "mhd" })
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
  using PlaneType = itk::Image<unsigned char, 2>;
  for (const std::string ending : { "png", "jpg" })
  {
    Write(MakeItkImage<PlaneType>(MakeRandom({ 164, 148, 1 }, 50, 1, 407), 100).GetPointer(),
          this->File("plane." + ending));
    fs::resize_file(this->File("plane." + ending), fs::file_size(this->File("plane." + ending)) / 2);
    EXPECT_GT(this->Call("plane." + ending + " labels.mha").status, 0) << ending;
  }
}

TEST_F(Tool, KeepsTheOldFileWhenItFails)
{
  Write(MakeVolume().GetPointer(), this->File("in.mha"));
  Write(MakeItkImage<MaskType>(MakeCheckerboard({ 30, 30, 3 })).GetPointer(), this->File("many.mha"));
  EXPECT_EQ(this->Call("in.mha out.mhd").status, 0);
  const std::string before = ReadText(this->File("out.mhd"));
  this->ExpectFailure("many.mha out.mhd --output-type int8", "Number of objects");
  EXPECT_EQ(ReadText(this->File("out.mhd")), before);
  EXPECT_EQ(this->Call("in.mha in.mha").status, 0) << "the output may take the place of the input";
}

TEST_F(Tool, PrintsJson)
{
  const auto image = MakeVolume();
  Write(image.GetPointer(), this->File("in \"1\".mha"));
  const Outcome run = this->Call("'in \"1\".mha' out.mha --otsu --fully-connected --backend cpu --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto json = nlohmann::json::parse(run.printed);
  EXPECT_EQ(json.at("input"), "in \"1\".mha");
  EXPECT_EQ(json.at("output"), "out.mha");
  EXPECT_TRUE(json.at("preview").is_null());
  EXPECT_EQ(json.at("size"), (std::vector<int>{ 31, 29, 13 }));
  EXPECT_EQ(json.at("pixelType"), "unsigned_char");
  EXPECT_EQ(json.at("outputType"), "uint8");
  const auto * const pixels = image->GetBufferPointer();
  const auto         count = 31 * 29 * 13;
  EXPECT_NEAR(json.at("foreground"), static_cast<double>(count - std::count(pixels, pixels + count, 0)) / count, 1e-9);
  EXPECT_TRUE(json.at("otsuThreshold").is_number());
  EXPECT_EQ(json.at("masked"), false);
  EXPECT_EQ(json.at("connectivity"), 26);
  EXPECT_EQ(json.at("backend"), "cpu");
  EXPECT_EQ(json.at("reason"), "as asked for");
  const auto labels = LabelsOf(image.GetPointer(), true);
  EXPECT_EQ(json.at("objects"), *std::max_element(labels->GetBufferPointer(), labels->GetBufferPointer() + count));
  for (const char * const stage : { "reading", "labeling", "writing" })
  {
    EXPECT_GT(json.at("milliseconds").at(stage), 0.0);
  }
  EXPECT_GT(this->Call("in.mha out.mha --json --quiet").status, 0);
}

using PictureType = itk::Image<itk::RGBPixel<unsigned char>, 2>;

/** The colours of a picture that are no greys. */
std::set<std::array<unsigned char, 3>>
ColoursOf(const PictureType & picture)
{
  std::set<std::array<unsigned char, 3>> colours;
  const std::size_t                      count = picture.GetLargestPossibleRegion().GetNumberOfPixels();
  for (std::size_t i = 0; i < count; ++i)
  {
    const auto & pixel = picture.GetBufferPointer()[i];
    if (pixel[0] != pixel[1] || pixel[1] != pixel[2])
    {
      colours.insert({ pixel[0], pixel[1], pixel[2] });
    }
  }
  return colours;
}

// Two halves of a ball, one pixel apart: each pane shows what lies in its plane, in proportion, right side up.
TEST_F(Tool, DrawsThreePanesOfAVolume)
{
  auto image = MaskType::New();
  image->SetRegions(MaskType::SizeType{ { 60, 40, 20 } });
  const double spacing[3] = { 1.0, 1.5, 3.0 };
  image->SetSpacing(spacing);
  image->Allocate(true);
  for (int z = 4; z < 14; ++z)
  {
    for (int y = 10; y < 30; ++y)
    {
      for (int x = 20; x < 40; ++x)
      {
        if (x != 30)
        {
          image->SetPixel({ { x, y, z } }, 200);
        }
      }
    }
  }
  Write(image.GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha out.mha --preview preview.png --quiet");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto picture = Read<PictureType>(this->File("preview.png"));
  const auto size = picture->GetLargestPossibleRegion().GetSize();
  // 60 mm across, 60 mm and 60 mm across: each pane is a square of 396 pixels, and 6 pixels lie between.
  EXPECT_EQ(size[0], 1200U);
  EXPECT_EQ(size[1], 396U);

  const auto isColoured = [&](int pane, double u, double v) {
    const auto pixel = picture->GetPixel(
      { { pane * 402 + static_cast<itk::IndexValueType>(u * 396), static_cast<itk::IndexValueType>(v * 396) } });
    return pixel[0] != pixel[1] || pixel[1] != pixel[2];
  };
  const auto colourAt = [&](int pane, double u, double v) {
    return picture->GetPixel(
      { { pane * 402 + static_cast<itk::IndexValueType>(u * 396), static_cast<itk::IndexValueType>(v * 396) } });
  };
  EXPECT_TRUE(isColoured(0, 0.4, 0.5));
  EXPECT_NE(colourAt(0, 0.4, 0.5), colourAt(0, 0.6, 0.5));
  EXPECT_FALSE(isColoured(0, 0.1, 0.5));
  EXPECT_FALSE(isColoured(0, 0.4, 0.1));
  // The ball lies nearer to the feet, and the head is on top.
  EXPECT_TRUE(isColoured(1, 0.4, 0.75));
  EXPECT_FALSE(isColoured(1, 0.4, 0.25));
  EXPECT_TRUE(isColoured(2, 0.5, 0.75));
  EXPECT_FALSE(isColoured(2, 0.5, 0.25));
  EXPECT_EQ(colourAt(0, 0.4, 0.5), colourAt(1, 0.4, 0.5)) << "an object has one colour";
}

TEST_F(Tool, DrawsAPlane)
{
  using PlaneType = itk::Image<unsigned char, 2>;
  const auto image = MakeItkImage<PlaneType>(MakeRandom({ 131, 97, 1 }, 30, 5, 408), 200);
  Write(image.GetPointer(), this->File("in.png"));
  const Outcome run = this->Call("in.png out.png --preview preview.png --background-value 3 --output-type uint16");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto picture = Read<PictureType>(this->File("preview.png"));
  const auto labels = LabelsOf(image.GetPointer());
  const auto size = picture->GetLargestPossibleRegion().GetSize();
  ASSERT_EQ(size[0], 1200U);
  ASSERT_EQ(size[1], 888U);
  // Foreground is in colour. Objects that a pixel of background keeps apart differ; the middle of a pixel is no
  // outline.
  const auto colourAt = [&](itk::IndexValueType x, itk::IndexValueType y) {
    return picture->GetPixel({ { static_cast<itk::IndexValueType>((x + 0.5) * 1200 / 131),
                                 static_cast<itk::IndexValueType>((y + 0.5) * 888 / 97) } });
  };
  for (itk::IndexValueType y = 0; y < 97; ++y)
  {
    for (itk::IndexValueType x = 0; x + 2 < 131; ++x)
    {
      const auto label = labels->GetPixel({ { x, y } });
      const auto colour = colourAt(x, y);
      ASSERT_EQ(label == 0, colour[0] == colour[1] && colour[1] == colour[2]) << x << ' ' << y;
      const auto other = labels->GetPixel({ { x + 2, y } });
      if (label != 0 && other != 0 && label != other && labels->GetPixel({ { x + 1, y } }) == 0)
      {
        ASSERT_NE(colour, colourAt(x + 2, y)) << x << ' ' << y;
      }
    }
  }
  this->ExpectFailure("in.png out.png --preview preview.jpg", ".png");
  this->ExpectFailure("in.png out.png --preview nowhere/preview.png", "there is no folder");
}

TEST_F(Tool, DrawsWhatHasNoObjects)
{
  Write(MakeItkImage<MaskType>(MakeImage("empty", { 12, 11, 10 })).GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha out.mha --preview preview.png");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_TRUE(ColoursOf(*Read<PictureType>(this->File("preview.png"))).empty());
}

/** What the tool shows on a terminal. */
std::string
ReadTerminal(const std::string & command)
{
  int         terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0)
  {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::string shown;
  char        buffer[4096];
  for (ssize_t count = 0; (count = read(terminal, buffer, sizeof(buffer))) > 0;)
  {
    shown.append(buffer, static_cast<std::size_t>(count));
  }
  close(terminal);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << shown;
  return shown;
}

TEST_F(Tool, ShowsProgressOnATerminal)
{
  // To compress noise takes longer than a second.
  Write(MakeItkImage<MaskType>(MakeRandom({ 400, 400, 300 }, 15, 1, 409)).GetPointer(), this->File("in.mha"), false);
  const std::string call = "cd '" + m_Folder.string() + "' && '" + ToolPath() + "' in.mha out.nii.gz";
  const std::string shown = ReadTerminal(call);
  EXPECT_NE(shown.find("\r\033[Kwriting: 1 s"), std::string::npos) << shown;
  EXPECT_NE(shown.find("objects: "), std::string::npos) << shown;
  EXPECT_EQ(ReadTerminal(call + " --quiet"), "");
  EXPECT_EQ(ReadTerminal(call + " | cat").find('\033'), std::string::npos);
}

TEST_F(Tool, NamesTheFolderOfThePlugin)
{
  const Outcome run = this->Call("--plugin-path");
  if (std::string(PLUGIN_FOLDER).empty() || std::getenv("CUDA_CONNECTED_COMPONENTS_TOOL") != nullptr)
  {
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.errors.find("there is no plug-in beside"), std::string::npos) << run.errors;
    return;
  }
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(run.printed, std::string(PLUGIN_FOLDER) + "\n");
}

} // namespace
