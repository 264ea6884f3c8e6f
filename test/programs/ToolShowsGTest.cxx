// SPDX-License-Identifier: Apache-2.0

// What the command-line tool shows besides its labels: JSON, previews, progress and the plug-in's folder.

#include "ToolTest.h"

#include "itkRGBPixel.h"

#include <nlohmann/json.hpp>

#include <pty.h>
#include <unistd.h>

namespace
{

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

/** Whether a pixel is no grey. */
bool
IsColoured(const PictureType::PixelType & pixel)
{
  return pixel[0] != pixel[1] || pixel[1] != pixel[2];
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

  const auto colorAt = [&](int pane, double u, double v) {
    return picture->GetPixel(
      { { pane * 402 + static_cast<itk::IndexValueType>(u * 396), static_cast<itk::IndexValueType>(v * 396) } });
  };
  EXPECT_TRUE(IsColoured(colorAt(0, 0.4, 0.5)));
  EXPECT_NE(colorAt(0, 0.4, 0.5), colorAt(0, 0.6, 0.5));
  EXPECT_FALSE(IsColoured(colorAt(0, 0.1, 0.5)));
  EXPECT_FALSE(IsColoured(colorAt(0, 0.4, 0.1)));
  // The ball lies nearer to the feet, and the head is on top.
  EXPECT_TRUE(IsColoured(colorAt(1, 0.4, 0.75)));
  EXPECT_FALSE(IsColoured(colorAt(1, 0.4, 0.25)));
  EXPECT_TRUE(IsColoured(colorAt(2, 0.5, 0.75)));
  EXPECT_FALSE(IsColoured(colorAt(2, 0.5, 0.25)));
  EXPECT_EQ(colorAt(0, 0.4, 0.5), colorAt(1, 0.4, 0.5)) << "an object has one color";
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
  // Foreground is in color. Objects that a pixel of background keeps apart differ; the middle of a pixel is no
  // outline.
  const auto colorAt = [&](itk::IndexValueType x, itk::IndexValueType y) {
    return picture->GetPixel({ { static_cast<itk::IndexValueType>((x + 0.5) * 1200 / 131),
                                 static_cast<itk::IndexValueType>((y + 0.5) * 888 / 97) } });
  };
  for (itk::IndexValueType y = 0; y < 97; ++y)
  {
    for (itk::IndexValueType x = 0; x + 2 < 131; ++x)
    {
      const auto label = labels->GetPixel({ { x, y } });
      const auto color = colorAt(x, y);
      ASSERT_EQ(label != 0, IsColoured(color)) << x << ' ' << y;
      const auto other = labels->GetPixel({ { x + 2, y } });
      if (label != 0 && other != 0 && label != other && labels->GetPixel({ { x + 1, y } }) == 0)
      {
        ASSERT_NE(color, colorAt(x + 2, y)) << x << ' ' << y;
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
  const auto                           picture = Read<PictureType>(this->File("preview.png"));
  const PictureType::PixelType * const pixels = picture->GetBufferPointer();
  EXPECT_TRUE(std::none_of(pixels, pixels + picture->GetLargestPossibleRegion().GetNumberOfPixels(), IsColoured));
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
  Write(MakeItkImage<MaskType>(MakeRandom({ 300, 300, 250 }, 15, 1, 409)).GetPointer(), this->File("in.mha"), false);
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
