// SPDX-License-Identifier: Apache-2.0

// TIFF, by libtiff. ITK 5.2 leaves the pixels of 32-bit integers uninitialized, reads tiles as colors, and takes all
// pages of a file for slices of one size.

#include "ReadFormats.h"

#include <nlohmann/json.hpp>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace
{

std::string firstError; // of libtiff, which has one handler of errors for all files

/** What the tags of a page say about its pixels. */
struct Page
{
  std::uint64_t offset = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint16_t bits = 1;
  std::uint16_t samples = 1; // per pixel
  std::uint16_t format = SAMPLEFORMAT_UINT;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t planar = PLANARCONFIG_CONTIG;
  std::uint16_t orientation = ORIENTATION_TOPLEFT;

  explicit Page(TIFF * tiff)
    : offset(TIFFCurrentDirOffset(tiff))
  {
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
    std::uint16_t compression = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG)
    {
      TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      photometric = PHOTOMETRIC_RGB;
    }
  }

  bool
  IsLike(const Page & other) const
  {
    return width == other.width && height == other.height && bits == other.bits && samples == other.samples &&
           format == other.format && photometric == other.photometric && planar == other.planar &&
           orientation == other.orientation;
  }

  /** Returns the number of bytes of a number in memory. */
  std::size_t
  GetNumberSize() const
  {
    const std::size_t least = format == SAMPLEFORMAT_IEEEFP ? 4 : 1;
    return bits > 32 ? 8 : std::max<std::size_t>(least, bits > 16 ? 4 : bits > 8 ? 2 : 1);
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

/** The pages of a file as an array: the axes besides Y and X, the fastest first, and the size of a pixel. */
struct PageArray
{
  struct Axis
  {
    char          name; // T: times, C: channels
    std::uint64_t size;
  };
  std::vector<Axis>     axes;
  std::array<double, 3> spacing{ 1.0, 1.0, 1.0 };
  double                unit = 0.0; // in mm; 0 without a unit
  bool                  isByImageJ = false;
};

/** Reads what ImageJ, OME and tifffile.py write into the description of the first page. */
PageArray
DescribePages(TIFF * tiff, const Page & page, std::uint64_t pageCount, const std::string & file)
{
  const char * description = nullptr;
  TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &description);
  const std::string text = description != nullptr ? description : "";
  const std::string tag = Between(text, "<Pixels", ">"); // of OME
  PageArray         pages;
  pages.isByImageJ = text.compare(0, 7, "ImageJ=") == 0;
  const auto value = [&](const std::string & key) {
    return pages.isByImageJ ? Between(text, '\n' + key + '=', "\n") : Between(tag, ' ' + key + "=\"", "\"");
  };
  const auto number = [&](const std::string & key, double otherwise) {
    const std::string digits = value(key);
    return digits.empty() ? otherwise : std::strtod(digits.c_str(), nullptr);
  };
  const auto add = [&](char name, double size) {
    pages.axes.push_back({ name, static_cast<std::uint64_t>(std::clamp(size, 0.0, 1e9)) });
  };
  if (pages.isByImageJ)
  {
    const bool isHyperstack = !(value("channels") + value("slices") + value("frames")).empty();
    add('C', number("channels", 1.0));
    add('Z', number("slices", isHyperstack ? 1.0 : number("images", 1.0)));
    add('T', number("frames", 1.0));
    std::array<float, 2> resolution{};
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution[0]);
    TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &resolution[1]);
    pages.spacing = { 1.0 / resolution[0], 1.0 / resolution[1], number("spacing", 1.0) };
    pages.unit = MillimetersOf(value("unit"));
  }
  else if (text.find("<OME") != std::string::npos)
  {
    RefuseIf(tag.empty() || text.find("<Pixels", text.find("<Pixels") + 1) != std::string::npos,
             file,
             std::string(": is an OME-TIFF of ") + (tag.empty() ? "several files" : "several images") +
               "; save the image to label as a file of its own");
    for (const char name : Between(tag, " DimensionOrder=\"XY", "\""))
    {
      add(name, number(std::string("Size") + name, 0.0) / (name == 'C' ? page.samples : 1));
    }
    for (std::size_t i = 0; i < (pageCount > 1 ? 3 : 2); ++i)
    {
      const std::string key = std::string("PhysicalSize") + "XYZ"[i];
      pages.spacing[i] = number(key, 0.0) * MillimetersOf(value(key + "Unit").empty() ? "um" : value(key + "Unit"));
    }
    pages.unit = 1.0;
  }
  else if (const auto json = nlohmann::json::parse(text, nullptr, false); json.is_object() && json.count("shape") != 0)
  {
    const auto        shape = json.value("shape", nlohmann::json());
    const auto        names = json.value("axes", nlohmann::json());
    const std::size_t inPage = std::min<std::size_t>(shape.size(), page.samples > 1 ? 3 : 2); // axes of a page
    std::string       axes = std::string(shape.size() - inPage, 'I') + std::string(inPage, 'X');
    axes = names.is_string() && names.get<std::string>().size() == shape.size() ? names.get<std::string>() : axes;
    for (std::size_t i = shape.size(); shape.is_array() && i-- > 0;)
    {
      if (std::strchr("YXS", axes[i]) == nullptr)
      {
        add(axes[i], shape[i].is_number() ? shape[i].get<double>() : 0.0);
      }
    }
  }
  else
  {
    add('Z', static_cast<double>(pageCount));
  }
  if (!std::all_of(pages.spacing.begin(), pages.spacing.end(), [](double size) { return 0.0 < size && size < 1e9; }))
  {
    pages.unit = 0.0;
  }
  pages.spacing = pages.unit > 0.0 ? pages.spacing : PageArray().spacing;
  return pages;
}

/** Returns the pages of a file in their order, without reduced images and masks. Throws Failure if they differ. */
std::vector<Page>
FindPages(TIFF * tiff, const std::string & file)
{
  std::vector<Page> pages;
  std::uint64_t     count = 0;
  do
  {
    ++count;
    std::uint32_t kind = 0;
    std::uint16_t oldKind = 0;
    TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind);
    TIFFGetField(tiff, TIFFTAG_OSUBFILETYPE, &oldKind);
    if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0 || oldKind == OFILETYPE_REDUCEDIMAGE)
    {
      continue;
    }
    pages.emplace_back(tiff);
    RefuseIf(!pages.back().IsLike(pages.front()),
             file,
             ": has pages of different sizes or types, such as page 1 and page " + std::to_string(count) +
               ", so they are not the slices of one volume; save the page to label as a file of its own");
  } while (firstError.empty() && TIFFReadDirectory(tiff) != 0);
  // The link to the next page can be cut off. libtiff then counts a page less.
  RefuseDamaged(!firstError.empty() || count != TIFFNumberOfDirectories(tiff) || pages.empty(), file, firstError);
  return pages;
}

/** Throws Failure if the tool does not read such pages. */
void
RequireReadable(TIFF * tiff, const Page & page, const std::string & file)
{
  const bool    isFloat = page.format == SAMPLEFORMAT_IEEEFP;
  const bool    isWhite = page.photometric == PHOTOMETRIC_MINISWHITE;
  const bool    isPalette = page.photometric == PHOTOMETRIC_PALETTE && page.samples == 1 && page.bits <= 16;
  void *        values = nullptr;
  std::uint32_t count = 0;
  std::uint32_t depth = 1;
  const auto    require = [&](bool condition, const std::string & problem) {
    RefuseIf(!condition, file, ": cannot be read: " + problem);
  };
  TIFFGetField(tiff, TIFFTAG_IMAGEDEPTH, &depth);
  for (const std::uint32_t tag : { 33629U, 34362U, 34412U }) // MetaMorph, FluoView, Zeiss LSM
  {
    require(depth <= 1 && TIFFGetField(tiff, tag, &count, &values) == 0,
            "its pages have several slices, times or channels, as microscopes write them; save it as OME-TIFF");
  }
  require(isWhite || isPalette || page.photometric == PHOTOMETRIC_MINISBLACK || page.photometric == PHOTOMETRIC_RGB,
          "its colors are not gray, RGB or indices into a palette; save it as one of these");
  require(page.orientation == ORIENTATION_TOPLEFT || page.orientation == ORIENTATION_BOTLEFT,
          "its rows or columns are in another order; save it upright (orientation 1)");
  require(isFloat ? !isWhite && (page.bits == 16 || page.bits == 24 || page.bits == 32 || page.bits == 64)
                  : page.format <= SAMPLEFORMAT_VOID && 1 <= page.bits && page.bits <= 64,
          "its numbers have " + std::to_string(page.bits) + " bits and sample format " + std::to_string(page.format) +
            "; save them as integers or floating-point numbers of up to 64 bits");
}

/** Returns the bits of a number of a row as an integer. The high bits are first, except in numbers of whole bytes,
 * which libtiff converts to the byte order of this computer: the low byte is first. */
std::uint64_t
BitsAt(const unsigned char * row, std::uint64_t begin, unsigned int length)
{
  std::uint64_t bits = 0;
  if (length % 8 == 0 && (length <= 32 || length == 64))
  {
    std::memcpy(&bits, row + begin / 8, length / 8);
    return bits;
  }
  for (std::uint64_t at = begin; at < begin + length; ++at)
  {
    bits = bits << 1 | (row[at / 8] >> (7 - at % 8) & 1U);
  }
  return bits;
}

/** Returns the bits of a floating-point number of 16 or 24 bits as those of type float. */
std::uint64_t
WidenFloat(std::uint64_t bits, unsigned int length)
{
  const int           mantissaBits = length == 16 ? 10 : 16;
  const std::uint64_t exponents = (1U << (length - 1 - mantissaBits)) - 1; // number of exponents - 1
  const std::uint64_t exponent = bits >> mantissaBits & exponents;
  const std::uint64_t mantissa = bits & ((1U << mantissaBits) - 1);
  const std::uint64_t sign = bits >> (length - 1) << 31;
  if (exponent == 0) // 0 and numbers below the normal ones
  {
    const float   value = std::ldexp(static_cast<float>(mantissa), 1 - static_cast<int>(exponents / 2) - mantissaBits);
    std::uint32_t wide = 0;
    std::memcpy(&wide, &value, sizeof(wide));
    return sign | wide;
  }
  return sign | (exponent == exponents ? 255 : exponent + 127 - exponents / 2) << 23 | mantissa << (23 - mantissaBits);
}

/** Converts the numbers of a row. `inverted` has the bits that change, because 0 is white. In the result, the distance
 * of two numbers is `step` bytes. */
void
Unpack(const unsigned char * row,
       const Page &          page,
       std::uint64_t         count,
       std::uint64_t         inverted,
       char *                out,
       std::size_t           step)
{
  const std::size_t size = page.GetNumberSize();
  if (page.bits == 8 * size && inverted == 0 && step == size)
  {
    std::memcpy(out, row, count * size);
    return;
  }
  const std::uint64_t sign = page.format == SAMPLEFORMAT_INT ? std::uint64_t{ 1 } << (page.bits - 1) : 0;
  const bool          isWidened = page.format == SAMPLEFORMAT_IEEEFP && page.bits < 32;
  for (std::uint64_t i = 0; i < count; ++i, out += step)
  {
    const std::uint64_t bits = BitsAt(row, i * page.bits, page.bits) ^ inverted;
    const std::uint64_t number = isWidened ? WidenFloat(bits, page.bits) : (bits ^ sign) - sign;
    std::memcpy(out, &number, size); // the low bytes
  }
}

/** Reads the strips or tiles of a page. */
void
ReadPage(TIFF * tiff, const Page & page, std::uint64_t inverted, char * out, const std::string & file)
{
  const bool          isTiled = TIFFIsTiled(tiff) != 0;
  const std::size_t   planes = page.planar == PLANARCONFIG_SEPARATE ? page.samples : 1;
  const std::size_t   numberSize = page.GetNumberSize();
  const std::uint64_t rowSize = isTiled ? TIFFTileRowSize64(tiff) : TIFFScanlineSize64(tiff);
  const std::uint64_t blockSize = isTiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  std::uint32_t       blockWidth = page.width;
  std::uint32_t       blockHeight = page.height;
  TIFFGetFieldDefaulted(tiff, isTiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &blockHeight);
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &blockWidth);
  blockHeight = isTiled ? blockHeight : std::min(blockHeight, page.height);
  const std::uint64_t numbers = std::uint64_t{ blockWidth } * (page.samples / planes); // in a row of a block
  RefuseDamaged(
    blockSize == 0 || rowSize != (numbers * page.bits + 7) / 8 || blockSize != rowSize * blockHeight, file, firstError);
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
    const auto          read = isTiled ? TIFFReadEncodedTile(tiff, block, bytes.get(), static_cast<tmsize_t>(blockSize))
                                       : TIFFReadEncodedStrip(tiff, block, bytes.get(), static_cast<tmsize_t>(blockSize));
    RefuseDamaged(plane >= planes || read < static_cast<tmsize_t>(rowSize * (isTiled ? blockHeight : rows)) ||
                    !firstError.empty(),
                  file,
                  firstError);
    for (std::uint64_t row = 0; row < rows; ++row)
    {
      const std::uint64_t to = page.orientation == ORIENTATION_BOTLEFT ? page.height - 1 - y - row : y + row;
      char * const        first = out + ((to * page.width + x) * page.samples + plane) * numberSize;
      const std::uint64_t count = std::min<std::uint64_t>(blockWidth, page.width - x) * (page.samples / planes);
      Unpack(bytes.get() + row * rowSize, page, count, inverted, first, planes * numberSize);
    }
  }
}

/** Chooses the pages of the slices. Throws Failure if the pages are not the slices of one volume. */
std::vector<Page>
ChooseSlices(const std::vector<Page> &            pages,
             const PageArray &                    array,
             const std::optional<std::uint64_t> & channel,
             const std::string &                  file,
             FileImage &                          image)
{
  std::string   text;
  std::uint64_t pageCount = 1;
  std::uint64_t channels = 1;
  std::uint64_t channelStep = 1;
  std::uint64_t others = 0; // axes
  for (const PageArray::Axis & axis : array.axes)
  {
    text = axis.size == 1
             ? text
             : std::string{ axis.name } + ": " + std::to_string(axis.size) + (text.empty() ? "" : ", ") + text;
    channelStep = axis.name == 'C' ? pageCount : channelStep;
    channels = axis.name == 'C' ? axis.size : channels;
    others += axis.size == 1 || axis.name == 'C' ? 0 : axis.name == 'T' ? 2 : 1;
    pageCount *= axis.size;
  }
  RefuseIf(pageCount != pages.size(),
           file,
           ": says that it has the axes " + text + " besides Y and X, but has " + std::to_string(pages.size()) +
             (pages.size() == 1 ? " page" : " pages") + "; save it as OME-TIFF in one file");
  RefuseIf(others > 1,
           file,
           ": has the axes " + text +
             " besides Y and X (T: times, C: channels, Z: slices); only images of 2 or 3 dimensions can be "
             "labeled, so split it first");
  const std::uint64_t chosen = channel.value_or(channels == 1 ? 1 : 0);
  RefuseIf(channels > 1 && (chosen < 1 || chosen > channels),
           file,
           ": has " + std::to_string(channels) + " channels; select one with --channel 1 to --channel " +
             std::to_string(channels));
  std::vector<Page> slices;
  for (std::uint64_t i = 0; i < pages.size(); ++i)
  {
    if (channels == 1 || i / channelStep % channels == chosen - 1)
    {
      slices.push_back(pages[i]);
    }
  }
  if (channels > 1)
  {
    image.notes.push_back("channel " + std::to_string(chosen) + " of " + std::to_string(channels));
  }
  return slices;
}

} // namespace

bool
ReadTiff(const std::string & file, const ReadOptions & options, FileImage & image)
{
  std::array<char, 4> magic{};
  std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
  const std::string start(magic.begin(), magic.end());
  using namespace std::string_literals;
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
  RefuseDamaged(!tiff, file, firstError);
  const std::vector<Page> pages = FindPages(tiff.get(), file);
  TIFFSetSubDirectory(tiff.get(), pages[0].offset);
  const Page page(tiff.get());
  RequireReadable(tiff.get(), page, file);
  const PageArray array = DescribePages(tiff.get(), page, pages.size(), file);
  const auto      slices = ChooseSlices(pages, array, options.channel, file, image);

  SetSize({ { page.width, page.height, slices.size() } }, slices.size() > 1 ? 3 : 2, image.geometry);
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

  using Type = ImageView::PixelTypeEnum;
  const bool       isSigned = page.format == SAMPLEFORMAT_INT;
  const bool       isFloat = page.format == SAMPLEFORMAT_IEEEFP;
  const auto       size = page.GetNumberSize();
  const Type       type = size == 8   ? (isFloat    ? Type::Double
                                         : isSigned ? Type::Int64
                                                    : Type::UInt64)
                          : size == 4 ? (isFloat    ? Type::Float
                                         : isSigned ? Type::Int32
                                                    : Type::UInt32)
                          : size == 2 ? (isSigned ? Type::Int16 : Type::UInt16)
                                      : (isSigned ? Type::Int8 : Type::UInt8);
  constexpr double expansion = 65536.0; // of compressed pixels
  char *           out = AllocatePixels(file, expansion, type, page.samples, image);
  for (const Page & slice : slices)
  {
    RefuseDamaged(TIFFSetSubDirectory(tiff.get(), slice.offset) == 0, file, firstError);
    ReadPage(tiff.get(), Page(tiff.get()), inverted, out, file);
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
