// SPDX-License-Identifier: Apache-2.0

// What the command-line tool shows besides its labels: JSON, previews, progress and the plug-in's folder.

#include "ToolTest.h"

#include "itkImageRegionIteratorWithIndex.h"
#include "itkRGBPixel.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

#include <pty.h>
#include <unistd.h>

namespace
{

TEST_F(CudaConnectedComponentsTool, PrintsJson)
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
  EXPECT_EQ(json.at("outputType"), "uint32");
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
TEST_F(CudaConnectedComponentsTool, DrawsThreePanesOfAVolume)
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

/** The size of the phantom along the patient's axes: to the left, to the back and to the head. */
constexpr std::array<int, 3>    PhantomSize{ 40, 11, 9 };
constexpr std::array<double, 3> PhantomSpacing{ 1.5, 2.0, 2.5 };
constexpr std::array<int, 3>    PhantomMiddle{ 20, 5, 4 };
constexpr std::array<int, 3>    PhantomArms{ 7, 3, 2 };

/** Returns a cube with an arm to the left, an arm to the back and an arm to the head, in other grey values. Axis i of
 * the image is axis axes[i] of the patient, or its opposite. */
MaskType::Pointer
MakePhantom(const std::array<unsigned int, 3> & axes, const std::array<bool, 3> & areReversed)
{
  MaskType::SizeType      size;
  MaskType::SpacingType   spacing;
  MaskType::DirectionType direction;
  direction.Fill(0.0);
  for (unsigned int i = 0; i < 3; ++i)
  {
    size[i] = static_cast<itk::SizeValueType>(PhantomSize[axes[i]]);
    spacing[i] = PhantomSpacing[axes[i]];
    direction[axes[i]][i] = areReversed[i] ? -1.0 : 1.0;
  }
  const auto image = MakeEmpty<MaskType>(size);
  image->SetSpacing(spacing);
  image->SetDirection(direction);
  for (itk::ImageRegionIteratorWithIndex<MaskType> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    std::array<int, 3> at{}; // from the middle, along the patient's axes
    for (unsigned int i = 0; i < 3; ++i)
    {
      const auto index = static_cast<int>(it.GetIndex()[i]);
      at[axes[i]] = (areReversed[i] ? PhantomSize[axes[i]] - 1 - index : index) - PhantomMiddle[axes[i]];
    }
    const auto isIn = [&at](unsigned int axis, int first, int last) { return first <= at[axis] && at[axis] <= last; };
    bool       isForeground = isIn(0, -2, 2) && isIn(1, -2, 2) && isIn(2, -2, 2);
    for (unsigned int i = 0; i < 3; ++i)
    {
      isForeground = isForeground || (isIn(i, 0, 2 + PhantomArms[i]) && at[(i + 1) % 3] == 0 && at[(i + 2) % 3] == 0);
    }
    it.Set(static_cast<unsigned char>(isForeground ? 200 : 50 + at[0] + 2 * at[1] - at[2]));
  }
  return image;
}

/** Expects that the colored pixels of a pane reach from `first` to `last`, as shares of its width and its height. */
void
ExpectColored(const PictureType *           picture,
              int                           left,
              const std::array<int, 2> &    size,
              const std::array<double, 2> & first,
              const std::array<double, 2> & last)
{
  std::array<int, 2> low = size;
  std::array<int, 2> high{ 0, 0 };
  for (int y = 0; y < size[1]; ++y)
  {
    for (int x = 0; x < size[0]; ++x)
    {
      if (IsColoured(picture->GetPixel({ { left + x, y } })))
      {
        low = { std::min(low[0], x), std::min(low[1], y) };
        high = { std::max(high[0], x + 1), std::max(high[1], y + 1) };
      }
    }
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    EXPECT_NEAR(static_cast<double>(low[i]) / size[i], first[i], 0.01);
    EXPECT_NEAR(static_cast<double>(high[i]) / size[i], last[i], 0.01);
  }
}

// Axial, coronal and sagittal slices by radiological convention, for all orders and directions of the image's axes.
TEST_F(CudaConnectedComponentsTool, DrawsTheSameSlicesForAllOrientations)
{
  const auto draw = [this](const MaskType * image) {
    Write(image, this->File("in.mha"), false);
    const Outcome run = this->Call("in.mha out.mha --lower 150 --preview preview.png --quiet");
    EXPECT_EQ(run.status, 0) << run.errors;
    return ReadText(this->File("preview.png"));
  };
  const std::string expected = draw(MakePhantom({ 0, 1, 2 }, {}));
  const auto        picture = Read<PictureType>(this->File("preview.png"));
  const auto        share = [](unsigned int axis, int pixels) {
    return static_cast<double>(PhantomMiddle[axis] + pixels) / PhantomSize[axis];
  };
  // The panes have 60, 60 and 22 mm of 1188 pixels for 142 mm, and 6 pixels lie between them.
  const std::array<int, 3>    widths{ 501, 501, 184 };
  const std::array<int, 3>    heights{ 184, 188, 188 };
  const std::array<double, 2> head{ 1.0 - share(2, 3 + PhantomArms[2]), 1.0 - share(2, -2) };
  const std::array<double, 2> leftSide{ share(0, -2), share(0, 3 + PhantomArms[0]) };
  const std::array<double, 2> back{ share(1, -2), share(1, 3 + PhantomArms[1]) };
  ExpectColored(picture, 0, { widths[0], heights[0] }, { leftSide[0], back[0] }, { leftSide[1], back[1] });
  ExpectColored(picture, 507, { widths[1], heights[1] }, { leftSide[0], head[0] }, { leftSide[1], head[1] });
  ExpectColored(picture, 1014, { widths[2], heights[2] }, { back[0], head[0] }, { back[1], head[1] });

  const auto turn = [](double degrees, unsigned int axis) {
    const double            angle = degrees * std::acos(-1.0) / 180.0;
    MaskType::DirectionType rotation;
    rotation.SetIdentity();
    const unsigned int a = (axis + 1) % 3;
    const unsigned int b = (axis + 2) % 3;
    rotation[a][a] = rotation[b][b] = std::cos(angle);
    rotation[b][a] = std::sin(angle);
    rotation[a][b] = -std::sin(angle);
    return rotation;
  };
  std::array<unsigned int, 3> axes{ 0, 1, 2 };
  do
  {
    for (unsigned int flips = 0; flips < 8; ++flips)
    {
      const auto image = MakePhantom(axes, { (flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0 });
      EXPECT_EQ(draw(image), expected) << axes[0] << axes[1] << axes[2] << ' ' << flips;
      if (flips == 5 && axes[0] != 0)
      {
        image->SetDirection(turn(20.0, 0) * turn(-25.0, 1) * turn(30.0, 2) * image->GetDirection());
        EXPECT_EQ(draw(image), expected) << "oblique " << axes[0] << axes[1] << axes[2];
      }
    }
  } while (std::next_permutation(axes.begin(), axes.end()));

  // To turn by 50 degrees is nearer to a quarter turn.
  const auto image = MakePhantom({ 0, 1, 2 }, {});
  image->SetDirection(turn(90.0, 2));
  const std::string quarter = draw(image);
  EXPECT_NE(quarter, expected);
  image->SetDirection(turn(50.0, 2));
  EXPECT_EQ(draw(image), quarter);
}

TEST_F(CudaConnectedComponentsTool, DrawsAPlane)
{
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
  this->ExpectUsageError("in.png out.png --preview preview.jpg", "--preview \"preview.jpg\" must end in .png");
  this->ExpectFailure("in.png out.png --preview nowhere/preview.png", "there is no folder");
}

/** Returns whether a picture shows a digit whose upper left pixel is at `left` and `top`. The digit is white in the
 * squares of `rows` that are #, and not white in the others. `scale` is the edge of a square in pixels. */
bool
ShowsDigits(const PictureType * picture, int left, int top, int scale, const std::vector<std::string> & rows)
{
  const auto size = picture->GetLargestPossibleRegion().GetSize();
  const int  width = scale * static_cast<int>(rows[0].size());
  const int  height = scale * static_cast<int>(rows.size());
  if (left + width > static_cast<int>(size[0]) || top + height > static_cast<int>(size[1]))
  {
    return false;
  }
  for (int y = 0; y < height; ++y)
  {
    for (int x = 0; x < width; ++x)
    {
      const auto pixel = picture->GetPixel({ { left + x, top + y } });
      const bool isWhite = pixel[0] == 255 && pixel[1] == 255 && pixel[2] == 255;
      if (isWhite != (rows[static_cast<std::size_t>(y / scale)][static_cast<std::size_t>(x / scale)] == '#'))
      {
        return false;
      }
    }
  }
  return true;
}

/** Returns the places in a picture that show a digit. */
std::vector<PictureType::IndexType>
FindDigits(const PictureType * picture, int scale, const std::vector<std::string> & rows)
{
  std::vector<PictureType::IndexType> places;
  const auto                          size = picture->GetLargestPossibleRegion().GetSize();
  for (int y = 0; y < static_cast<int>(size[1]); ++y)
  {
    for (int x = 0; x < static_cast<int>(size[0]); ++x)
    {
      if (ShowsDigits(picture, x, y, scale, rows))
      {
        places.push_back({ { x, y } });
      }
    }
  }
  return places;
}

const std::vector<std::string> Two{ " ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####" };
const std::vector<std::string> Three{ "#### ", "    #", "    #", " ### ", "    #", "    #", "#### " };
const std::vector<std::string> Four{ "   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # " };
const std::vector<std::string> Five{ "#####", "#    ", "#### ", "    #", "    #", "#   #", " ### " };

TEST_F(CudaConnectedComponentsTool, NumbersTheLargestComponents)
{
  // Components of 1, 2, 3, 4, 1, 2 and 3 pixels. Labels 4, 3, 7, 2 and 6 are the five largest.
  const auto image = MakeEmpty<PlaneType>({ { 30, 20 } });
  for (const itk::IndexValueType row : { 0, 1, 2, 3, 4, 5, 6 })
  {
    AddBox(image.GetPointer(), { { 3 * row, 2 * row } }, { { static_cast<itk::SizeValueType>(row % 4 + 1), 1 } });
  }
  Write(image.GetPointer(), this->File("in.mha"));
  Outcome run = this->Call("in.mha out.mha --quiet --preview plain.png");
  ASSERT_EQ(run.status, 0) << run.errors;
  run = this->Call("in.mha out.mha --quiet --preview numbers.png --preview-numbers");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto plain = Read<PictureType>(this->File("plain.png"));
  const auto picture = Read<PictureType>(this->File("numbers.png"));
  ASSERT_EQ(picture->GetLargestPossibleRegion().GetSize(0), 1200U);
  // A pixel of the image is a square of 40 pixels. The numbers lie on their components.
  const auto expect = [&](const std::vector<std::string> & digits, itk::IndexValueType row) {
    const auto places = FindDigits(picture, 2, digits);
    ASSERT_EQ(places.size(), 1U) << row;
    EXPECT_GE(places[0][0], 3 * row * 40);
    EXPECT_LE(places[0][0] + 10, (3 * row + row % 4 + 1) * 40);
    EXPECT_GE(places[0][1], 2 * row * 40);
    EXPECT_LE(places[0][1] + 14, (2 * row + 1) * 40);
  };
  expect(Two, 1);
  expect(Three, 2);
  expect(Four, 3);
  EXPECT_TRUE(FindDigits(picture, 2, Five).empty()) << "it is one of the smallest";
  EXPECT_TRUE(FindDigits(plain, 2, Four).empty());
  // Five numbers in white with a black outline, and nothing else is changed.
  int changed = 0;
  for (std::size_t i = 0; i < picture->GetLargestPossibleRegion().GetNumberOfPixels(); ++i)
  {
    const auto pixel = picture->GetBufferPointer()[i];
    if (pixel != plain->GetBufferPointer()[i])
    {
      ++changed;
      ASSERT_TRUE(pixel[0] == pixel[1] && pixel[1] == pixel[2] && (pixel[0] == 0 || pixel[0] == 255)) << i;
    }
  }
  EXPECT_GT(changed, 5 * 4 * 5 * 7 / 2);
  EXPECT_LE(changed, 5 * 14 * 18);

  // The numbers are the labels that the output has.
  run = this->Call("in.mha out.mha --quiet --preview numbers.png --preview-numbers --background-value 4");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto others = Read<PictureType>(this->File("numbers.png"));
  EXPECT_TRUE(FindDigits(others, 2, Four).empty()) << "4 is the background";
  EXPECT_EQ(FindDigits(others, 2, Three).size(), 1U);
  this->ExpectUsageError("in.mha out.mha --preview-numbers", "--preview-numbers requires --preview");
}

// Components that are smaller than their numbers have the numbers beside them, in the picture.
TEST_F(CudaConnectedComponentsTool, NumbersSmallComponents)
{
  const auto image = MakeEmpty<MaskType>({ { 60, 60, 60 } });
  AddBox(image.GetPointer(), { { 2, 3, 30 } }, { { 1, 1, 1 } });
  AddBox(image.GetPointer(), { { 57, 3, 30 } }, { { 1, 2, 1 } });
  AddBox(image.GetPointer(), { { 2, 58, 30 } }, { { 3, 1, 1 } });
  Write(image.GetPointer(), this->File("in.mha"));
  const Outcome run = this->Call("in.mha out.mha --quiet --preview numbers.png --preview-numbers");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto picture = Read<PictureType>(this->File("numbers.png"));
  // The first of three panes is 396 pixels wide; a pixel of the image is a square of 6.6 pixels.
  const auto expect = [&](const std::vector<std::string> & digits, int left, int right, double y) {
    std::vector<PictureType::IndexType> places = FindDigits(picture, 2, digits);
    places.erase(std::remove_if(places.begin(), places.end(), [](const auto & place) { return place[0] >= 396; }),
                 places.end());
    ASSERT_EQ(places.size(), 1U);
    EXPECT_GE(places[0][0], left);
    EXPECT_LE(places[0][0] + 10, right);
    EXPECT_NEAR(static_cast<double>(places[0][1]) + 7.0, y * 6.6, 14.0);
  };
  expect(Two, 350, 376, 4);  // left of the component, because the pane ends
  expect(Three, 13, 60, 58); // right of the component
}

TEST_F(CudaConnectedComponentsTool, DrawsWhatHasNoObjects)
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

TEST_F(CudaConnectedComponentsTool, ShowsProgressOnATerminal)
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

TEST_F(CudaConnectedComponentsTool, NamesTheFolderOfThePlugin)
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
