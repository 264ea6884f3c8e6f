// SPDX-License-Identifier: Apache-2.0

// TIFF, by libtiff. ITK 5.2 leaves the pixels of 32-bit integers uninitialized, reads tiles as colors, and takes all
// pages of a file for slices of one size.

#include "ReadFormats.h"

#include "Failure.h"
#include "Join.h"
#include "PixelValues.h"

#include <nlohmann/json.hpp>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>

namespace
{

std::string firstError; // of libtiff, which has one handler of errors for all files

using TiffFile = std::unique_ptr<TIFF, void (*)(TIFF *)>;

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
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) == 0 && samples >= 3)
    {
      photometric = PHOTOMETRIC_RGB;
    }
    std::uint16_t compression = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG)
    {
      TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      photometric = PHOTOMETRIC_RGB;
    }
  }

  std::string
  GetText() const
  {
    const bool isFloat = format == SAMPLEFORMAT_IEEEFP;
    return Join(std::vector<std::uint64_t>{ width, height, samples }, " x ") + " numbers of " + std::to_string(bits) +
           " bits" +
           (isFloat                      ? " (floating-point)"
            : format == SAMPLEFORMAT_INT ? " (signed)"
                                         : "") +
           ", photometric interpretation " + std::to_string(photometric) + ", planar configuration " +
           std::to_string(planar) + ", orientation " + std::to_string(orientation);
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
  PageArray         pages;
  if (text.compare(0, 7, "ImageJ=") == 0)
  {
    pages.isByImageJ = true;
    const auto value = [&](const char * key) { return Between(text, std::string("\n") + key + '=', "\n"); };
    const auto count = [&](const char * key) { return std::strtoull(("0" + value(key)).c_str(), nullptr, 10); };
    pages.axes = { { 'C', std::max(count("channels"), 1ULL) },
                   { 'Z', std::max(count("slices"), 1ULL) },
                   { 'T', std::max(count("frames"), 1ULL) } };
    if (value("channels").empty() && value("slices").empty() && value("frames").empty())
    {
      pages.axes[1].size = std::max(count("images"), 1ULL);
    }
    float x = 0.0F;
    float y = 0.0F;
    if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) != 0 && TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) != 0)
    {
      const std::string depth = value("spacing");
      pages.spacing = { 1.0 / x, 1.0 / y, depth.empty() ? 1.0 : std::strtod(depth.c_str(), nullptr) };
      pages.unit = MillimetersOf(value("unit"));
    }
  }
  else if (text.find("<OME") != std::string::npos)
  {
    const std::string tag = Between(text, "<Pixels", ">");
    const auto        value = [&](const std::string & key) { return Between(tag, ' ' + key + "=\"", "\""); };
    if (tag.empty() || text.find("<Pixels", text.find("<Pixels") + 1) != std::string::npos)
    {
      throw Failure(file + ": is an OME-TIFF of " + (tag.empty() ? "several files" : "several images") +
                    "; save the image to label as a file of its own");
    }
    for (const char name : value("DimensionOrder").substr(0, 5))
    {
      const std::uint64_t size = std::strtoull(value(std::string("Size") + name).c_str(), nullptr, 10);
      if (name != 'X' && name != 'Y')
      {
        pages.axes.push_back({ name, name == 'C' && page.samples > 1 ? size / page.samples : size });
      }
    }
    pages.unit = 1.0;
    for (std::size_t i = 0; i < (pageCount > 1 ? 3 : 2); ++i)
    {
      const std::string key = std::string("PhysicalSize") + "XYZ"[i];
      const std::string unit = value(key + "Unit");
      pages.spacing[i] = std::strtod(value(key).c_str(), nullptr) * MillimetersOf(unit.empty() ? "um" : unit);
      pages.unit = pages.spacing[i] > 0.0 ? pages.unit : 0.0;
    }
  }
  else if (text.compare(0, 10, "{\"shape\": ") == 0)
  {
    auto              json = nlohmann::json::parse(text, nullptr, false);
    const auto        shape = json.is_object() && json["shape"].is_array() ? json["shape"] : nlohmann::json::array();
    const std::string axes = json.is_object() ? json.value("axes", "") : "";
    const std::size_t inPage = page.samples > 1 ? 3 : 2; // axes of a page
    for (std::size_t i = shape.size(); i-- > 0;)
    {
      const bool isPageAxis =
        axes.size() == shape.size() ? std::strchr("YXS", axes[i]) != nullptr : i + inPage >= shape.size();
      if (!isPageAxis && shape[i].is_number_unsigned())
      {
        pages.axes.push_back({ axes.size() == shape.size() ? axes[i] : 'I', shape[i].get<std::uint64_t>() });
      }
    }
  }
  else
  {
    pages.axes = { { 'Z', pageCount } };
  }
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
    if (pages.back().GetText() != pages.front().GetText())
    {
      throw Failure(file + ": has pages that differ, so they are not the slices of one volume: page 1 has " +
                    pages.front().GetText() + "; page " + std::to_string(count) + " has " + pages.back().GetText() +
                    "; save the page to label as a file of its own");
    }
  } while (firstError.empty() && TIFFReadDirectory(tiff) != 0);
  // The link to the next page can be cut off. libtiff then counts a page less.
  if (!firstError.empty() || count != TIFFNumberOfDirectories(tiff) || pages.empty())
  {
    throw Damage(file, firstError);
  }
  return pages;
}

/** Returns the type of the numbers of a page in memory. Throws Failure if the tool does not read such pages. */
ImageView::PixelTypeEnum
TypeOf(TIFF * tiff, const Page & page, const std::string & file)
{
  using Type = ImageView::PixelTypeEnum;
  const bool    isFloat = page.format == SAMPLEFORMAT_IEEEFP;
  const bool    isSigned = page.format == SAMPLEFORMAT_INT;
  const bool    isPalette = page.photometric == PHOTOMETRIC_PALETTE;
  const bool    isGray = page.photometric == PHOTOMETRIC_MINISBLACK || page.photometric == PHOTOMETRIC_MINISWHITE;
  void *        ignored = nullptr;
  std::uint32_t depth = 1;
  std::uint16_t ignoredCount = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEDEPTH, &depth);
  std::string what;
  for (const std::uint32_t tag : { 33629U, 34362U, 34412U }) // MetaMorph, FluoView, Zeiss LSM
  {
    if (depth > 1 || TIFFGetField(tiff, tag, &ignoredCount, &ignored) != 0)
    {
      what = "has several slices, times or channels in its pages, as microscopes write them; save it as OME-TIFF";
    }
  }
  if ((!isGray && !isPalette && page.photometric != PHOTOMETRIC_RGB) ||
      (isPalette && (page.samples != 1 || page.bits > 16)))
  {
    what = "has colors that the tool does not read; save it in gray or RGB";
  }
  else if (page.orientation != ORIENTATION_TOPLEFT && page.orientation != ORIENTATION_BOTLEFT)
  {
    what = "is stored with its rows or columns reversed; save it upright (orientation 1)";
  }
  else if (page.bits < 1 || page.bits > 64 || page.format > SAMPLEFORMAT_VOID ||
           (isFloat && page.bits != 16 && page.bits != 24 && page.bits != 32 && page.bits != 64) ||
           (isFloat && page.photometric == PHOTOMETRIC_MINISWHITE))
  {
    what = "has numbers that the tool does not read; save them as integers or floating-point numbers of up to 64 bits";
  }
  if (!what.empty())
  {
    throw Failure(file + ": cannot be read: it " + what + " (it has " + page.GetText() + ')');
  }
  return isFloat          ? (page.bits > 32 ? Type::Double : Type::Float)
         : page.bits > 32 ? (isSigned ? Type::Int64 : Type::UInt64)
         : page.bits > 16 ? (isSigned ? Type::Int32 : Type::UInt32)
         : page.bits > 8  ? (isSigned ? Type::Int16 : Type::UInt16)
                          : (isSigned ? Type::Int8 : Type::UInt8);
}

/** Returns the integer whose bits begin at a bit of a row. The high bits are first, except in integers of whole bytes,
 * which libtiff converts to the byte order of this computer. */
std::uint64_t
IntegerAt(const unsigned char * row, std::uint64_t begin, unsigned int bits)
{
  std::uint64_t value = 0;
  if (bits % 8 == 0 && bits <= 32)
  {
    std::memcpy(&value, row + begin / 8, bits / 8);
    return value;
  }
  for (unsigned int left = bits; left > 0;)
  {
    const unsigned int inByte = 8 - begin % 8;
    const unsigned int count = std::min(inByte, left);
    value = value << count | (row[begin / 8] >> (inByte - count) & ((1U << count) - 1));
    begin += count;
    left -= count;
  }
  return value;
}

/** Returns a floating-point number of 16 or 24 bits. */
float
SmallFloat(std::uint64_t bits, unsigned int length)
{
  const int   mantissaBits = length == 16 ? 10 : 16;
  const int   exponentBits = length == 16 ? 5 : 7;
  const auto  mantissa = static_cast<float>(bits & ((1U << mantissaBits) - 1));
  const int   exponent = static_cast<int>(bits >> mantissaBits & ((1U << exponentBits) - 1));
  const int   bias = (1 << (exponentBits - 1)) - 1;
  const float whole = std::ldexp(1.0F, mantissaBits);
  const float value = exponent == (1 << exponentBits) - 1 ? (mantissa == 0.0F ? HUGE_VALF : std::nanf(""))
                      : exponent == 0                     ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                                      : std::ldexp(whole + mantissa, exponent - bias - mantissaBits);
  return (bits >> (length - 1)) != 0 ? -value : value;
}

/** Converts the numbers of a row. `inverted` has the bits of a number that change, because 0 is white. */
template <typename T>
void
Unpack(const unsigned char * row,
       const Page &          page,
       std::uint64_t         count,
       std::uint64_t         inverted,
       T *                   out,
       std::size_t           step)
{
  for (std::uint64_t i = 0; i < count; ++i, out += step)
  {
    if (page.bits == 8 * sizeof(T))
    {
      std::memcpy(out, row + i * sizeof(T), sizeof(T));
      if constexpr (std::is_integral_v<T>)
      {
        *out = static_cast<T>(*out ^ static_cast<T>(inverted));
      }
    }
    else
    {
      const std::uint64_t bits = IntegerAt(row, i * page.bits, page.bits) ^ inverted;
      const std::uint64_t sign = std::is_signed_v<T> ? std::uint64_t{ 1 } << (page.bits - 1) : 0;
      if constexpr (std::is_integral_v<T>)
      {
        *out = static_cast<T>((bits ^ sign) - sign);
      }
      else
      {
        *out = SmallFloat(bits, page.bits);
      }
    }
  }
}

/** Reads the strips or tiles of a page. */
void
ReadPage(TIFF *                   tiff,
         const Page &             page,
         std::uint64_t            inverted,
         ImageView::PixelTypeEnum type,
         char *                   out,
         const std::string &      file)
{
  const bool          isTiled = TIFFIsTiled(tiff) != 0;
  const std::size_t   planes = page.planar == PLANARCONFIG_SEPARATE ? page.samples : 1;
  const std::size_t   inPlane = page.samples / planes;
  std::uint32_t       blockWidth = page.width;
  std::uint32_t       blockHeight = page.height;
  const std::uint64_t rowSize = isTiled ? TIFFTileRowSize64(tiff) : TIFFScanlineSize64(tiff);
  const std::uint64_t blockSize = isTiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  if (isTiled)
  {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &blockWidth);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &blockHeight);
  }
  else
  {
    std::uint32_t rows = page.height;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    blockHeight = std::min(rows, page.height);
  }
  if (blockSize == 0 || rowSize != (std::uint64_t{ blockWidth } * inPlane * page.bits + 7) / 8 ||
      blockSize != rowSize * blockHeight)
  {
    throw Damage(file, firstError);
  }
  const std::unique_ptr<unsigned char[]> block(new unsigned char[blockSize]);
  for (std::size_t plane = 0; plane < planes; ++plane)
  {
    for (std::uint64_t y = 0; y < page.height; y += blockHeight)
    {
      const std::uint64_t rows = std::min<std::uint64_t>(blockHeight, page.height - y);
      for (std::uint64_t x = 0; x < page.width; x += blockWidth)
      {
        const auto     sample = static_cast<std::uint16_t>(plane);
        const auto     row = static_cast<std::uint32_t>(y);
        const tmsize_t read =
          isTiled ? TIFFReadEncodedTile(tiff,
                                        TIFFComputeTile(tiff, static_cast<std::uint32_t>(x), row, 0, sample),
                                        block.get(),
                                        static_cast<tmsize_t>(blockSize))
                  : TIFFReadEncodedStrip(
                      tiff, TIFFComputeStrip(tiff, row, sample), block.get(), static_cast<tmsize_t>(blockSize));
        if (read < static_cast<tmsize_t>(rowSize * (isTiled ? blockHeight : rows)) || !firstError.empty())
        {
          throw Damage(file, firstError);
        }
        const std::uint64_t count = std::min<std::uint64_t>(blockWidth, page.width - x) * inPlane;
        for (std::uint64_t i = 0; i < rows; ++i)
        {
          const std::uint64_t to = page.orientation == ORIENTATION_BOTLEFT ? page.height - 1 - y - i : y + i;
          VisitPixelType(type, [&](auto zero) {
            auto * const pixels = reinterpret_cast<decltype(zero) *>(out);
            Unpack(block.get() + i * rowSize,
                   page,
                   count,
                   inverted,
                   pixels + (to * page.width + x) * page.samples + plane,
                   planes == 1 ? 1 : planes);
          });
        }
      }
    }
  }
}

/** Chooses the pages of the slices. Throws Failure if the pages are not the slices of one volume. */
std::vector<Page>
ChooseSlices(const std::vector<Page> & pages,
             const PageArray &         array,
             const ReadOptions &       options,
             const std::string &       file,
             FileImage &               image)
{
  std::vector<std::string> names;
  std::uint64_t            pageCount = 1;
  std::uint64_t            channels = 1;
  std::uint64_t            channelStep = 1;
  std::size_t              others = 0;
  bool                     hasTimes = false;
  for (const PageArray::Axis & axis : array.axes)
  {
    if (axis.size != 1)
    {
      names.insert(names.begin(), std::string{ axis.name } + ": " + std::to_string(axis.size));
    }
    if (axis.name == 'C' && axis.size > 1)
    {
      channels = axis.size;
      channelStep = pageCount;
    }
    others += axis.name != 'C' && axis.size > 1 ? 1 : 0;
    hasTimes = hasTimes || (axis.name == 'T' && axis.size > 1);
    pageCount *= axis.size;
  }
  const std::string axes = Join(names, ", ");
  if (pageCount != pages.size())
  {
    throw Failure(file + ": says that it has the axes " + axes + " besides Y and X, but has " +
                  std::to_string(pages.size()) + (pages.size() == 1 ? " page" : " pages") +
                  "; save it as OME-TIFF in one file");
  }
  if (hasTimes || others > 1)
  {
    throw Failure(file + ": has the axes " + axes +
                  " besides Y and X (T: times, C: channels, Z: slices); only images of 2 or 3 "
                  "dimensions can be labeled, so split it first");
  }
  if (channels == 1)
  {
    return pages;
  }
  const std::uint64_t channel = options.channel.value_or(0);
  if (channel < 1 || channel > channels)
  {
    throw Failure(file + ": has " + std::to_string(channels) + " channels; select one with --channel 1 to --channel " +
                  std::to_string(channels));
  }
  image.notes.push_back("channel " + std::to_string(channel) + " of " + std::to_string(channels));
  std::vector<Page> slices;
  for (std::uint64_t i = 0; i < pages.size(); ++i)
  {
    if (i / channelStep % channels == channel - 1)
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
  std::array<char, 4> magic{};
  std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
  const std::string start(magic.begin(), magic.end());
  using namespace std::string_literals;
  if (start != "II*\0"s && start != "MM\0*"s && start != "II+\0"s && start != "MM\0+"s)
  {
    return false;
  }
  firstError.clear();
  TIFFSetWarningHandler(nullptr);
  TIFFSetErrorHandler([](const char *, const char * format, va_list arguments) {
    std::array<char, 400> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    firstError = firstError.empty() ? text.data() : firstError;
  });
  const TiffFile tiff(TIFFOpen(file.c_str(), "rM"), TIFFClose);
  if (!tiff)
  {
    throw Damage(file, firstError);
  }
  const std::vector<Page> pages = FindPages(tiff.get(), file);
  TIFFSetSubDirectory(tiff.get(), pages[0].offset);
  const Page      page(tiff.get());
  const auto      type = TypeOf(tiff.get(), page, file);
  const PageArray array = DescribePages(tiff.get(), page, pages.size(), file);
  const auto      slices = ChooseSlices(pages, array, options, file, image);

  SetSize({ page.width, page.height, slices.size() }, slices.size() > 1 ? 3 : 2, image.geometry);
  image.geometry.space->SetSpacing((array.unit > 0.0 ? array.spacing : PageArray().spacing).data());
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

  constexpr double compression = 65536.0;
  char *           out = AllocatePixels(file, compression, type, page.samples, image);
  for (const Page & slice : slices)
  {
    if (TIFFSetSubDirectory(tiff.get(), slice.offset) == 0)
    {
      throw Damage(file, firstError);
    }
    ReadPage(tiff.get(), Page(tiff.get()), inverted, type, out, file);
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
