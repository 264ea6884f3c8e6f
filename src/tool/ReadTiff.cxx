// SPDX-License-Identifier: Apache-2.0

// TIFF, by libtiff. ITK 5.2 leaves the pixels of 32-bit integers uninitialized, reads tiles as colors, and takes all
// pages of a file for slices of one size.

#include "ReadFormats.h"

#include "Join.h"

#include <nlohmann/json.hpp>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>

namespace
{

std::string firstError; // of libtiff, which has one handler of errors for all files

/** Returns a tag of the current page, or its default. */
template <typename TValue>
TValue
TagOf(TIFF * tiff, std::uint32_t tag, TValue value = {})
{
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

std::string
TextOf(TIFF * tiff, std::uint32_t tag)
{
  const auto * const text = TagOf<const char *>(tiff, tag);
  return text != nullptr ? text : "";
}

/** What the tags of a page say about its pixels. */
struct Page
{
  TIFF *        tiff;
  std::uint64_t offset = TIFFCurrentDirOffset(tiff);
  std::uint32_t width = TagOf<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH);
  std::uint32_t height = TagOf<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH);
  std::uint16_t bits = TagOf<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE);
  std::uint16_t samples = TagOf<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL); // per pixel
  std::uint16_t format = TagOf<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT);
  std::uint16_t photometric = TagOf<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  std::uint16_t planar = TagOf<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG);
  std::uint16_t orientation = TagOf<std::uint16_t>(tiff, TIFFTAG_ORIENTATION);

  explicit Page(TIFF * file)
    : tiff(file)
  {
    if (photometric == PHOTOMETRIC_YCBCR && TagOf<std::uint16_t>(tiff, TIFFTAG_COMPRESSION) == COMPRESSION_JPEG)
    {
      TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      photometric = PHOTOMETRIC_RGB;
    }
  }

  /** Returns what all pages of a volume have in common. */
  auto
  GetLayout() const
  {
    return std::tie(width, height, bits, samples, format, photometric, planar, orientation);
  }

  /** Returns the number of bytes of a number in memory. */
  std::size_t
  GetNumberSize() const
  {
    return bits > 32 ? 8 : bits > 16 || format == SAMPLEFORMAT_IEEEFP ? 4 : bits > 8 ? 2 : 1;
  }
};

/** Returns the text of a file between two texts, or nothing. */
std::string
Between(const std::string & text, const std::string & begin, const std::string & end)
{
  const std::size_t at = text.find(begin);
  return at == std::string::npos
           ? ""
           : text.substr(at + begin.size(), text.find(end, at + begin.size()) - at - begin.size());
}

/** The pages of a file as an array with the axes Y and X and others, and the size of a pixel. */
struct PageArray
{
  std::string            text;            // the other axes, such as "T: 2, C: 3"
  unsigned int           stackCount = 0;  // axes of slices; times count as 2
  double                 pageCount = 1.0; // as the axes say
  double                 channelCount = 1.0;
  std::map<char, double> steps; // pages from one position on an axis to the next
  std::array<double, 3>  spacing{ 1.0, 1.0, 1.0 };
  double                 unit = 0.0; // in mm; 0 without a unit
  bool                   isByImageJ = false;

  /** Adds an axis besides Y and X, the fastest first. T are times, C are channels. */
  void
  Add(char name, double size)
  {
    const double length = std::floor(std::clamp(size, 0.0, 1e9));
    if (length != 1.0)
    {
      text = std::string{ name } + ": " + Join(std::array{ length }, "") + (text.empty() ? "" : ", ") + text;
      stackCount += name == 'C' ? 0 : name == 'T' ? 2 : 1;
    }
    channelCount = name == 'C' ? length : channelCount;
    steps[name] = pageCount;
    pageCount *= length;
  }
};

/** Returns a number that a text begins with, or another number if there is none. */
double
NumberOr(double otherwise, const std::string & text)
{
  return text.empty() ? otherwise : std::strtod(text.c_str(), nullptr);
}

/** Reads what ImageJ writes into the description of the first page. */
void
DescribeImageJ(TIFF * tiff, const std::string & text, PageArray & pages)
{
  const auto   value = [&text](const std::string & key) { return Between(text, '\n' + key + '=', "\n"); };
  const double channels = NumberOr(1.0, value("channels"));
  const double frames = NumberOr(1.0, value("frames"));
  pages.isByImageJ = true;
  pages.Add('C', channels);
  pages.Add('Z', NumberOr(NumberOr(1.0, value("images")) / (channels * frames), value("slices")));
  pages.Add('T', frames);
  pages.spacing = { 1.0 / TagOf<float>(tiff, TIFFTAG_XRESOLUTION),
                    1.0 / TagOf<float>(tiff, TIFFTAG_YRESOLUTION),
                    NumberOr(1.0, value("spacing")) };
  pages.unit = MillimetersOf(value("unit"));
  for (const std::string axis : { "yunit", "zunit" })
  {
    pages.unit = value(axis).empty() || MillimetersOf(value(axis)) == pages.unit ? pages.unit : 0.0;
  }
  RefuseIf(!value("cf").empty() && (NumberOr(0.0, value("c0")) != 0.0 || NumberOr(1.0, value("c1")) != 1.0),
           "cannot be read: ImageJ's calibration gives its pixels other values; convert it to 32 bits in ImageJ first");
}

/** Reads what OME writes into the description of the first page. */
void
DescribeOme(const Page & page, const std::string & text, PageArray & pages)
{
  const std::string advice = "; save the image to label as a file of its own";
  const std::string tag = Between(text, "<Pixels", ">");
  RefuseIf(tag.empty(), "is an OME-TIFF of several files" + advice);
  RefuseIf(text.find("<Pixels", text.find("<Pixels") + 1) != std::string::npos,
           "is an OME-TIFF of several images" + advice);
  const auto value = [](const std::string & from, const std::string & key) {
    return Between(from, ' ' + key + "=\"", "\"");
  };
  for (const char name : value(tag, "DimensionOrder").substr(0, 5))
  {
    if (name != 'X' && name != 'Y')
    {
      pages.Add(name, NumberOr(0.0, value(tag, std::string("Size") + name)) / (name == 'C' ? page.samples : 1));
    }
  }
  for (std::size_t i = 0; i < 3; ++i)
  {
    const std::string key = std::string("PhysicalSize") + "XYZ"[i];
    const std::string unit = value(tag, key + "Unit");
    pages.spacing[i] = NumberOr(0.0, value(tag, key)) * MillimetersOf(unit.empty() ? "um" : unit);
  }
  pages.unit = 1.0;
  for (auto at = text.find("<TiffData"); at != std::string::npos; at = text.find("<TiffData", at + 1))
  {
    const std::string data = Between(text.substr(at, text.find('>', at) - at), "<TiffData", "/");
    double            index = 0.0;
    for (const auto & [name, step] : pages.steps)
    {
      index += step * NumberOr(0.0, value(data, std::string("First") + name));
    }
    RefuseIf(index != NumberOr(0.0, value(data, "IFD")),
             "is an OME-TIFF whose pages are in another order than its planes, or in several files" + advice);
  }
}

/** Reads what ImageJ, OME and tifffile.py write into the description of the first page. */
PageArray
DescribePages(const Page & page, std::size_t pageCount)
{
  const std::string text = TextOf(page.tiff, TIFFTAG_IMAGEDESCRIPTION);
  PageArray         pages;
  if (text.compare(0, 7, "ImageJ=") == 0)
  {
    DescribeImageJ(page.tiff, text, pages);
  }
  else if (text.find("<OME") != std::string::npos)
  {
    DescribeOme(page, text, pages);
  }
  else if (auto json = nlohmann::json::parse(text, nullptr, false); json.is_object() && json.count("shape") != 0)
  {
    const auto &      shape = json["shape"];
    const std::string names = json["axes"].is_string() ? json["axes"].get<std::string>() : "";
    for (std::size_t i = shape.size(); i > (page.samples > 1 ? 3 : 2); --i) // the last axes are those of a page
    {
      const std::size_t axis = i - (page.samples > 1 ? 4 : 3);
      const auto        size = shape.is_array() && shape[axis].is_number() ? shape[axis].get<double>() : 0.0;
      pages.Add(names.size() == shape.size() ? names[axis] : 'I', size);
    }
  }
  else
  {
    const bool isByOthers = text.compare(0, 7, "SCIFIO=") == 0 || text.find(":OME ") != std::string::npos ||
                            text.find("PerkinElmer-QPI") != std::string::npos ||
                            TextOf(page.tiff, TIFFTAG_SOFTWARE).compare(0, 3, "SI.") == 0; // ScanImage
    RefuseIf(isByOthers && pageCount > 1,
             "has pages that are slices, times or channels, as microscopes write them; save it as OME-TIFF");
    pages.Add('Z', static_cast<double>(pageCount));
  }
  const auto isSize = [](double size) { return 0.0 < size && size < 1e9; };
  // A plane has no size along z.
  if (pages.unit == 0.0 || !std::all_of(pages.spacing.begin(), pages.spacing.begin() + (pageCount > 1 ? 3 : 2), isSize))
  {
    pages.spacing = PageArray().spacing;
    pages.unit = 0.0;
  }
  return pages;
}

/** Returns the pages of a file in their order, without reduced images and masks. Throws Failure if they differ. */
std::vector<Page>
FindPages(TIFF * tiff)
{
  std::vector<Page> pages;
  std::uint64_t     count = 0;
  do
  {
    ++count;
    const bool isPart =
      (TagOf<std::uint32_t>(tiff, TIFFTAG_SUBFILETYPE) & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
    if (isPart || TagOf<std::uint16_t>(tiff, TIFFTAG_OSUBFILETYPE) == OFILETYPE_REDUCEDIMAGE)
    {
      continue;
    }
    pages.emplace_back(tiff);
    RefuseIf(pages.back().GetLayout() != pages.front().GetLayout(),
             "has pages of different sizes or types, such as page 1 and page " + std::to_string(count) +
               ", so they are not the slices of one volume; save the page to label as a file of its own");
  } while (firstError.empty() && TIFFReadDirectory(tiff) != 0);
  // The link to the next page can be cut off. libtiff then counts a page less.
  RefuseDamaged(!firstError.empty() || count != TIFFNumberOfDirectories(tiff) || pages.empty(), firstError);
  return pages;
}

/** Throws Failure if the tool does not read such pages. */
void
RequireReadable(TIFF * tiff, const Page & page)
{
  const bool isWhite = page.photometric == PHOTOMETRIC_MINISWHITE;
  const bool isPalette = page.photometric == PHOTOMETRIC_PALETTE && page.samples == 1 && page.bits <= 16;
  const auto require = [](bool condition, const std::string & problem) {
    RefuseIf(!condition, "cannot be read: " + problem);
  };
  void *        values = nullptr;
  std::uint32_t count = 0;
  for (const std::uint32_t tag : { 33629U, 34362U, 34412U }) // MetaMorph, FluoView, Zeiss LSM
  {
    require(TagOf<std::uint32_t>(tiff, TIFFTAG_IMAGEDEPTH, 1) <= 1 && TIFFGetField(tiff, tag, &count, &values) == 0,
            "its pages have several slices, times or channels, as microscopes write them; save it as OME-TIFF");
  }
  require(isWhite || isPalette || page.photometric == PHOTOMETRIC_MINISBLACK || page.photometric == PHOTOMETRIC_RGB,
          "its colors are not gray, RGB or indices into a palette; save it as one of these");
  require(page.orientation == ORIENTATION_TOPLEFT || page.orientation == ORIENTATION_BOTLEFT,
          "its rows or columns are in another order; save it upright (orientation 1)");
  require(page.format == SAMPLEFORMAT_IEEEFP ? !isWhite && (page.bits == 16 || page.bits == 32 || page.bits == 64)
                                             : page.format <= SAMPLEFORMAT_VOID && 1 <= page.bits && page.bits <= 64,
          "its numbers have " + std::to_string(page.bits) + " bits and sample format " + std::to_string(page.format) +
            "; save them as integers or floating-point numbers of up to 64 bits");
}

/** Returns the bits of a half as those of type float. */
std::uint32_t
WidenHalf(std::uint32_t bits)
{
  std::uint32_t wide = (bits & 0x7FFF) << 13;
  float         number = 0.0F;
  std::memcpy(&number, &wide, sizeof(number));
  number *= 0x1p112F; // the exponents of halves begin at -14 instead of -126
  std::memcpy(&wide, &number, sizeof(number));
  return wide | (number >= 0x1p16F ? 0x7F800000U : 0U) | (bits & 0x8000) << 16; // infinity and NaN
}

/** Returns the bits of a number of a row, as they are in memory. `inverted` has the bits that change, because 0 is
 * white. The high bits are first, except in numbers of whole bytes, which libtiff converts to the byte order of this
 * computer: the low byte is first. */
std::uint64_t
NumberAt(const unsigned char * row, std::uint64_t index, const Page & page, std::uint64_t inverted)
{
  std::uint64_t bits = 0;
  if (page.bits % 8 == 0 && (page.bits <= 32 || page.bits == 64))
  {
    std::memcpy(&bits, row + index * page.bits / 8, page.bits / 8);
  }
  else
  {
    for (std::uint64_t at = index * page.bits; at < (index + 1) * page.bits; ++at)
    {
      bits = bits << 1 | (row[at / 8] >> (7 - at % 8) & 1U);
    }
  }
  const std::uint64_t sign = page.format == SAMPLEFORMAT_INT ? std::uint64_t{ 1 } << (page.bits - 1) : 0;
  return page.format == SAMPLEFORMAT_IEEEFP && page.bits == 16 ? WidenHalf(static_cast<std::uint32_t>(bits))
                                                               : (bits ^ inverted ^ sign) - sign;
}

/** Reads the strips or tiles of a page. */
void
ReadPage(TIFF * tiff, const Page & page, std::uint64_t inverted, char * out)
{
  const bool          isTiled = TIFFIsTiled(tiff) != 0;
  const std::size_t   planes = page.planar == PLANARCONFIG_SEPARATE ? page.samples : 1;
  const std::size_t   numberSize = page.GetNumberSize();
  const std::uint64_t rowSize = isTiled ? TIFFTileRowSize64(tiff) : TIFFScanlineSize64(tiff);
  const std::uint64_t blockSize = isTiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  const auto          readBlock = isTiled ? TIFFReadEncodedTile : TIFFReadEncodedStrip;
  const auto          blockWidth = TagOf(tiff, TIFFTAG_TILEWIDTH, page.width);
  const auto          blockHeight = isTiled ? TagOf(tiff, TIFFTAG_TILELENGTH, page.height)
                                            : std::min(TagOf(tiff, TIFFTAG_ROWSPERSTRIP, page.height), page.height);
  const std::uint64_t numbers = std::uint64_t{ blockWidth } * (page.samples / planes); // in a row of a block
  RefuseDamaged(blockSize == 0 || rowSize != (numbers * page.bits + 7) / 8 || blockSize != rowSize * blockHeight,
                firstError);
  const std::unique_ptr<unsigned char[]> bytes(new unsigned char[blockSize]());
  for (std::uint32_t block = 0; block < (isTiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff)); ++block)
  {
    // The blocks of a plane are in the order of their rows. All tiles are whole.
    const std::uint64_t across = (page.width + std::uint64_t{ blockWidth } - 1) / blockWidth;
    const std::uint64_t down = (page.height + std::uint64_t{ blockHeight } - 1) / blockHeight;
    const std::uint64_t x = block % across * blockWidth;
    const std::uint64_t y = block / across % down * blockHeight;
    const std::uint64_t plane = block / across / down;
    const std::uint64_t rows = std::min<std::uint64_t>(blockHeight, page.height - y);
    const auto          read = readBlock(tiff, block, bytes.get(), static_cast<tmsize_t>(blockSize));
    RefuseDamaged(plane >= planes || read < static_cast<tmsize_t>(rowSize * (isTiled ? blockHeight : rows)) ||
                    !firstError.empty(),
                  firstError);
    for (std::uint64_t row = 0; row < rows; ++row)
    {
      const std::uint64_t to = page.orientation == ORIENTATION_BOTLEFT ? page.height - 1 - y - row : y + row;
      char * const        first = out + ((to * page.width + x) * page.samples + plane) * numberSize;
      const std::uint64_t count = std::min<std::uint64_t>(blockWidth, page.width - x) * (page.samples / planes);
      const auto * const  stored = bytes.get() + row * rowSize;
      if (page.bits == 8 * numberSize && inverted == 0 && planes == 1)
      {
        std::memcpy(first, stored, count * numberSize);
        continue;
      }
      for (std::uint64_t i = 0; i < count; ++i)
      {
        const std::uint64_t number = NumberAt(stored, i, page, inverted);
        std::memcpy(first + i * planes * numberSize, &number, numberSize); // the low bytes
      }
    }
  }
}

/** Chooses the pages of the slices. Throws Failure if the pages are not the slices of one volume. */
std::vector<Page>
ChooseSlices(const std::vector<Page> & pages, const PageArray & array, std::uint64_t channel, FileImage & image)
{
  const std::string axes = "the axes " + array.text + " besides Y and X";
  RefuseIf(array.pageCount != static_cast<double>(pages.size()),
           "says that it has " + axes + ", but has " + std::to_string(pages.size()) +
             (pages.size() == 1 ? " page" : " pages") + "; save it as OME-TIFF in one file");
  RefuseIf(array.stackCount > 1, "has " + axes + " (T: times, C: channels, Z: slices); " + splitAdvice);
  const auto count = static_cast<std::uint64_t>(array.channelCount);
  if (count == 1)
  {
    return pages;
  }
  const std::string text = std::to_string(count);
  RefuseIf(channel < 1 || channel > count,
           "has " + text + " channels; select one with --channel 1 to --channel " + text);
  image.notes.push_back("channel " + std::to_string(channel) + " of " + text);
  std::vector<Page> slices;
  for (std::uint64_t i = 0; i < pages.size(); ++i)
  {
    if (i / static_cast<std::uint64_t>(array.steps.at('C')) % count == channel - 1)
    {
      slices.push_back(pages[i]);
    }
  }
  return slices;
}

} // namespace

bool
ReadTiff(const std::string & file, const ReadOptions & options, FileImage & image)
{
  using namespace std::string_literals;
  std::string start(4, '\0');
  std::ifstream(file, std::ios::binary).read(start.data(), 4);
  if (start != "II*\0"s && start != "MM\0*"s && start != "II+\0"s && start != "MM\0+"s)
  {
    return false;
  }
  firstError.clear();
  // Lines of a fax that are damaged are only a warning.
  TIFFSetWarningHandler([](const char * module, const char *, va_list) {
    firstError = module != nullptr && std::strncmp(module, "Fax", 3) == 0 ? "a line of a fax" : firstError;
  });
  TIFFSetErrorHandler([](const char *, const char * format, va_list arguments) {
    std::array<char, 400> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    firstError = firstError.empty() ? text.data() : firstError;
  });
  const std::unique_ptr<TIFF, void (*)(TIFF *)> tiff(TIFFOpen(file.c_str(), "rM"), TIFFClose);
  RefuseDamaged(!tiff, firstError);
  const std::vector<Page> pages = FindPages(tiff.get());
  TIFFSetSubDirectory(tiff.get(), pages[0].offset);
  const Page page(tiff.get());
  RequireReadable(tiff.get(), page);
  const PageArray array = DescribePages(page, pages.size());
  const auto      slices = ChooseSlices(pages, array, options.channel.value_or(0), image);

  image.geometry.dimension = slices.size() > 1 ? 3 : 2;
  image.geometry.space->SetRegions(itk::Size<3>{ { page.width, page.height, slices.size() } });
  image.geometry.space->SetSpacing(array.spacing.data());
  ConvertUnit(array.unit, image.geometry);
  // An ImageJ image with an inverted lookup table has the values that are stored.
  const bool          isInverted = page.photometric == PHOTOMETRIC_MINISWHITE && !array.isByImageJ;
  const std::uint64_t inverted = isInverted ? ~std::uint64_t{ 0 } >> (64 - page.bits) : 0;
  if (isInverted)
  {
    image.notes.emplace_back("the file says that 0 is white, so the gray values are the inverted pixels");
  }
  std::uint16_t   extraCount = 0;
  std::uint16_t * extras = nullptr;
  TIFFGetField(tiff.get(), TIFFTAG_EXTRASAMPLES, &extraCount, &extras);
  image.hasAlpha = (extraCount > 0 && extras[extraCount - 1] != EXTRASAMPLE_UNSPECIFIED) ||
                   (page.photometric == PHOTOMETRIC_RGB && page.samples == 4);

  const auto type =
    TypeOfNumbers(page.GetNumberSize(), page.format == SAMPLEFORMAT_IEEEFP, page.format == SAMPLEFORMAT_INT);
  char * out = AllocatePixels(file, 65536.0, type, page.samples, image);
  for (const Page & slice : slices)
  {
    RefuseDamaged(TIFFSetSubDirectory(tiff.get(), slice.offset) == 0, firstError);
    ReadPage(tiff.get(), Page(tiff.get()), inverted, out);
    out += image.view.strides[2];
  }
  std::array<const std::uint16_t *, 3> colors{};
  if (page.photometric == PHOTOMETRIC_PALETTE &&
      TIFFGetField(tiff.get(), TIFFTAG_COLORMAP, &colors[0], &colors[1], &colors[2]) != 0)
  {
    std::vector<Color> palette;
    for (std::size_t i = 0; i < std::size_t{ 1 } << page.bits; ++i)
    {
      palette.push_back({ colors[0][i], colors[1][i], colors[2][i] });
    }
    ApplyPalette(palette, image);
  }
  return true;
}
