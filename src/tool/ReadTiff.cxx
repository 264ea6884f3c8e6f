// SPDX-License-Identifier: Apache-2.0

// TIFF, by libtiff. ITK 5.2 leaves the pixels of 32-bit integers uninitialized, reads tiles as colors, and takes all
// pages of a file for slices of one size.

#include "ReadFormats.h"

#include "Join.h"

#include <tiffio.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <tuple>

namespace
{

std::string firstError; // of libtiff, which has one handler of errors for all files

constexpr auto pagesOfMicroscope =
  "cannot be read: it has pages that are slices, times or channels, as microscopes write them; save it as OME-TIFF";

/** Returns a tag of the current page, or its default. */
template <typename TValue>
TValue
TagOf(TIFF * tiff, std::uint32_t tag, TValue value = {})
{
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

/** Returns what all pages of a volume have in common: width, height, bits of a number, numbers of a pixel, and their
 * format and meaning. */
auto
LayoutOf(TIFF * tiff)
{
  return std::tuple(TagOf<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH),
                    TagOf<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH),
                    TagOf<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE),
                    TagOf<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL),
                    TagOf<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT),
                    TagOf<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK));
}

/** Throws Failure if the tool does not read pages such as the current one. */
void
RequireReadable(TIFF * tiff)
{
  const auto [width, height, bits, samples, format, photometric] = LayoutOf(tiff);
  RefuseIf(TagOf<std::uint32_t>(tiff, TIFFTAG_IMAGEDEPTH, 1) > 1, pagesOfMicroscope);
  RefuseIf(photometric > PHOTOMETRIC_RGB && (photometric != PHOTOMETRIC_PALETTE || samples != 1 || bits > 16),
           "cannot be read: its colors are not gray, RGB or indices into a palette; save it as one of these");
  RefuseIf(TagOf<std::uint16_t>(tiff, TIFFTAG_ORIENTATION) != ORIENTATION_TOPLEFT,
           "cannot be read: its rows or columns are in another order; save it upright (orientation 1)");
  RefuseIf(samples != 1 && TagOf<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG) != PLANARCONFIG_CONTIG,
           "cannot be read: its colors are in planes; save them pixel by pixel");
  // libtiff knows this tag in compressions that use it only.
  const TIFFField * const predictor = TIFFFindField(tiff, TIFFTAG_PREDICTOR, TIFF_ANY);
  RefuseIf(predictor != nullptr && std::strcmp(TIFFFieldName(predictor), "Predictor") != 0,
           "cannot be read: its numbers are differences (predictor), which its compression does not know; save it "
           "without them");
  const bool isWhole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  const bool isWhite = photometric == PHOTOMETRIC_MINISWHITE;
  const bool isOdd = format != SAMPLEFORMAT_INT && bits % 8 != 0 && bits < (isWhite ? 8 : 32);
  RefuseIf(format == SAMPLEFORMAT_IEEEFP ? !isWhole || bits == 8 || isWhite
                                         : format > SAMPLEFORMAT_VOID || (!isWhole && !isOdd),
           "cannot be read: its numbers have " + std::to_string(bits) + " bits and sample format " +
             std::to_string(format) +
             "; save them as integers of 8 to 64 bits or floating-point numbers of 16 to 64 bits");
}

/** Returns the places of the pages in their order, without reduced images and masks. Throws Failure if they differ. */
std::vector<std::uint64_t>
FindPages(TIFF * tiff)
{
  std::vector<std::uint64_t> pages;
  auto                       layout = LayoutOf(tiff);
  std::uint64_t              count = 0;
  do
  {
    ++count;
    if ((TagOf<std::uint32_t>(tiff, TIFFTAG_SUBFILETYPE) & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0 &&
        TagOf<std::uint16_t>(tiff, TIFFTAG_OSUBFILETYPE) != OFILETYPE_REDUCEDIMAGE)
    {
      layout = pages.empty() ? LayoutOf(tiff) : layout;
      RefuseIf(LayoutOf(tiff) != layout,
               "has pages of different sizes or types, such as page 1 and page " + std::to_string(count) +
                 ", so they are not the slices of one volume; save the page to label as a file of its own");
      RequireReadable(tiff);
      pages.push_back(TIFFCurrentDirOffset(tiff));
    }
  } while (firstError.empty() && TIFFReadDirectory(tiff) != 0);
  // The link to the next page can be cut off. libtiff then counts a page less.
  RefuseDamaged(!firstError.empty() || count != TIFFNumberOfDirectories(tiff) || pages.empty(), firstError);
  return pages;
}

/** Reads the description of the first page by ImageJ, OME or tifffile.py. Returns the size of a pixel in mm, or 0.
 * Throws Failure if the pages are not the slices of one volume. */
std::array<double, 3>
ReadDescription(TIFF * tiff, const std::string & text, double samples, double pageCount)
{
  const auto         has = [tiff](std::uint32_t tag) { return TIFFFindField(tiff, tag, TIFF_ANY) != nullptr; };
  const auto         starts = [](const std::string & any, const char * start) { return any.rfind(start, 0) == 0; };
  const char * const software = TagOf<const char *>(tiff, TIFFTAG_SOFTWARE);
  const bool         isSeries = starts(text, "SCIFIO=") || text.find(":OME ") != std::string::npos ||
                        text.find("PerkinElmer-QPI") != std::string::npos ||
                        starts(software != nullptr ? software : "", "SI."); // ScanImage
  // MetaMorph, FluoView, Zeiss LSM: libtiff knows their tags only if the file has them.
  RefuseIf(has(33629) || has(34362) || has(34412) || (isSeries && pageCount > 1.0), pagesOfMicroscope);
  const bool isImageJ = starts(text, "ImageJ=");
  const bool isOme = text.find("<OME") != std::string::npos;
  const auto value = [&](const std::string & keyOfImageJ, const std::string & keyOfOme) {
    return isImageJ ? Between(text, '\n' + keyOfImageJ + '=', "\n") : Between(text, ' ' + keyOfOme + "=\"", "\"");
  };
  const auto number = [](const std::string & digits, double otherwise) {
    return digits.empty() ? otherwise : std::strtod(digits.c_str(), nullptr);
  };
  std::string names; // of axes besides Y and X that are longer than 1
  std::string list;
  double      planeCount = 1.0;
  const auto  addAxis = [&](char name, double size) {
    planeCount *= size;
    if (size != 1.0)
    {
      names += name;
      list += (list.empty() ? "" : ", ") + std::string{ name } + ": " + Join(std::array{ size }, "");
    }
  };
  std::array<double, 3> spacing{};
  std::istringstream    shape(isImageJ || isOme ? "" : Between(text, "\"shape\": [", "]")); // of tifffile.py
  if (isImageJ || isOme)
  {
    const double channels = number(value("channels", "SizeC"), 1.0) / (isOme ? samples : 1.0);
    const double times = number(value("frames", "SizeT"), 1.0);
    addAxis('T', times);
    addAxis('Z', number(value("images", "SizeZ"), 1.0) / (isOme ? 1.0 : channels * times));
    addAxis('C', channels);
    const bool hasOneUnit = isOme || (value("yunit", "") + value("zunit", "")).empty();
    for (std::size_t i = 0; i < 3 && hasOneUnit; ++i)
    {
      const std::string key = std::string("PhysicalSize") + "XYZ"[i];
      const std::string unit = value("unit", key + "Unit");
      const double      perUnit = TagOf<float>(tiff, i == 0 ? TIFFTAG_XRESOLUTION : TIFFTAG_YRESOLUTION);
      const double      length = number(value("spacing", key), isOme ? 0.0 : 1.0);
      spacing[i] = (isImageJ && i < 2 ? 1.0 / perUnit : length) * MillimetersOf(isOme && unit.empty() ? "um" : unit);
    }
    spacing[2] = pageCount == 1.0 ? 1.0 : spacing[2]; // a plane has no size along z
  }
  const std::string   axes = Between(text, "\"axes\": \"", "\"");
  std::vector<double> sizes;
  for (double size = 0.0; shape >> size; shape.ignore())
  {
    sizes.push_back(size);
  }
  for (std::size_t i = 0; i + (samples > 1.0 ? 3 : 2) < sizes.size(); ++i) // without those of a page
  {
    addAxis(i < axes.size() ? axes[i] : 'I', sizes[i]);
  }
  const std::string advice = "; save the image to label as a file of its own, such as an OME-TIFF";
  RefuseIf(names.size() > 1 || names == "T" || names == "C",
           "has the axes " + list + " besides Y and X (T: times, C: channels, Z: slices); " + splitAdvice);
  RefuseIf((isImageJ || isOme || !sizes.empty()) && planeCount != pageCount,
           "has another number of pages than its description says" + advice);
  RefuseIf(isOme && (text.find("<Pixels") == std::string::npos || text.find("<Pixels") != text.rfind("<Pixels")),
           "is an OME-TIFF of several images or files" + advice);
  for (auto at = text.find("<TiffData"); at != std::string::npos; at = text.find("<TiffData", at + 1))
  {
    const std::string data = text.substr(at, text.find('>', at) - at);
    RefuseIf(number(Between(data, " FirstZ=\"", "\""), 0.0) != number(Between(data, " IFD=\"", "\""), 0.0),
             "is an OME-TIFF whose pages are in another order than its planes, or in several files" + advice);
  }
  RefuseIf(isImageJ && !value("cf", "").empty() &&
             (number(value("c0", ""), 0.0) != 0.0 || number(value("c1", ""), 1.0) != 1.0),
           "cannot be read: ImageJ's calibration gives its pixels other values; convert it to 32 bits in ImageJ first");
  return spacing;
}

/** Returns the number of type float that equals a half. */
float
WidenHalf(std::uint16_t half)
{
  const int   exponent = half >> 10 & 31;
  const int   fraction = half & 1023;
  const float special = fraction == 0 ? HUGE_VALF : NAN;
  const float normal = std::ldexp(fraction + (exponent == 0 ? 0.0F : 1024.0F), std::max(exponent, 1) - 25);
  return std::copysign(exponent == 31 ? special : normal, half >> 15 == 0 ? 1.0F : -1.0F);
}

/** Reads the strips or tiles of the current page. A number has `size` bytes in memory. */
void
ReadPage(TIFF * tiff, std::size_t size, char * out)
{
  const auto [width, height, bits, samples, format, photometric] = LayoutOf(tiff);
  const bool          isTiled = TIFFIsTiled(tiff) != 0; // all tiles are whole
  const std::uint64_t blockWidth = TagOf(tiff, TIFFTAG_TILEWIDTH, width);
  const std::uint64_t blockHeight =
    isTiled ? TagOf(tiff, TIFFTAG_TILELENGTH, height) : std::min(TagOf(tiff, TIFFTAG_ROWSPERSTRIP, height), height);
  const std::uint64_t rowSize = (blockWidth * samples * bits + 7) / 8;
  const auto          blockSize = isTiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
  RefuseDamaged(blockSize <= 0 || static_cast<std::uint64_t>(blockSize) != rowSize * blockHeight, firstError);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(blockSize));
  for (std::uint64_t y = 0, x = 0, block = 0; y < height; ++block)
  {
    const std::uint64_t rows = std::min(blockHeight, height - y);
    const std::uint64_t count = std::min(blockWidth, width - x) * samples;
    const auto          length = (isTiled ? TIFFReadEncodedTile : TIFFReadEncodedStrip)(
      tiff, static_cast<std::uint32_t>(block), bytes.data(), blockSize);
    RefuseDamaged(length < (isTiled ? blockSize : static_cast<tmsize_t>(rows * rowSize)) || !firstError.empty(),
                  firstError);
    for (std::uint64_t row = 0; row < rows; ++row)
    {
      const unsigned char * const from = bytes.data() + row * rowSize;
      char * const                to = out + ((y + row) * width + x) * samples * size;
      if (bits == 8 * size) // in the byte order of this computer
      {
        std::memcpy(to, from, count * size);
      }
      for (std::uint64_t i = 0; i < count && bits < 8 * size; ++i)
      {
        std::uint64_t number = 0;
        for (std::uint64_t at = i * bits; at < (i + 1) * bits; ++at) // the high bits are first
        {
          number = number << 1 | (from[at / 8] >> (7 - at % 8) & 1U);
        }
        if (format == SAMPLEFORMAT_IEEEFP) // the low byte is first
        {
          const float wide = WidenHalf(static_cast<std::uint16_t>(number << 8 | number >> 8));
          std::memcpy(&number, &wide, sizeof(wide));
        }
        std::memcpy(to + i * size, &number, size); // the low bytes
      }
    }
    x = x + blockWidth < width ? x + blockWidth : 0;
    y += x == 0 ? blockHeight : 0;
  }
}

} // namespace

bool
ReadTiff(const std::string & file, FileImage & image)
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
  const auto pages = FindPages(tiff.get());
  TIFFSetSubDirectory(tiff.get(), pages[0]);
  const auto layout = LayoutOf(tiff.get());
  const auto [width, height, bits, samples, format, photometric] = layout;
  const char * const tag = TagOf<const char *>(tiff.get(), TIFFTAG_IMAGEDESCRIPTION);
  const std::string  text = tag != nullptr ? tag : "";
  const auto         spacing = ReadDescription(tiff.get(), text, samples, static_cast<double>(pages.size()));

  image.geometry.dimension = pages.size() > 1 ? 3 : 2;
  image.geometry.space->SetRegions(itk::Size<3>{ { width, height, pages.size() } });
  const bool hasUnit = std::all_of(spacing.begin(), spacing.end(), [](double mm) { return 0.0 < mm && mm < 1e9; });
  image.geometry.space->SetSpacing(hasUnit ? spacing.data() : image.geometry.space->GetSpacing().GetDataPointer());
  ConvertUnit(hasUnit ? 1.0 : 0.0, image.geometry);

  const bool        isFloat = format == SAMPLEFORMAT_IEEEFP;
  const std::size_t size = bits > 32 ? 8 : bits > 16 || isFloat ? 4 : bits > 8 ? 2 : 1;
  const auto        type = TypeOfNumbers(size, isFloat, format == SAMPLEFORMAT_INT);
  const bool        isCompressed = TagOf<std::uint16_t>(tiff.get(), TIFFTAG_COMPRESSION) != COMPRESSION_NONE;
  char *            out = AllocatePixels(type, samples, bits, CapacityOf(file, isCompressed), image);
  for (const std::uint64_t page : pages)
  {
    RefuseDamaged(TIFFSetSubDirectory(tiff.get(), page) == 0 || LayoutOf(tiff.get()) != layout, firstError);
    ReadPage(tiff.get(), size, out);
    out += image.view.strides[2];
  }
  // An ImageJ image with an inverted lookup table has the values that are stored.
  if (photometric == PHOTOMETRIC_MINISWHITE && text.compare(0, 7, "ImageJ=") != 0)
  {
    const int ones = bits < 8 ? (1 << bits) - 1 : 0xFF;
    std::transform(
      image.memory.get(), out, image.memory.get(), [ones](char byte) { return static_cast<char>(byte ^ ones); });
    image.notes.emplace_back("the file says that 0 is white, so the gray values are the inverted pixels");
  }
  std::array<const std::uint16_t *, 3> colors{};
  if (photometric == PHOTOMETRIC_PALETTE &&
      TIFFGetField(tiff.get(), TIFFTAG_COLORMAP, &colors[0], &colors[1], &colors[2]) != 0)
  {
    for (std::size_t i = 0; i < std::size_t{ 1 } << bits; ++i)
    {
      image.palette.push_back({ colors[0][i], colors[1][i], colors[2][i] });
    }
  }
  return true;
}
