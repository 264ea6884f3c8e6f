// SPDX-License-Identifier: Apache-2.0
#include "ReadImage.h"

#include "Join.h"
#include "PixelValues.h"
#include "ReadFormats.h"

#include <vnl/algo/vnl_determinant.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <new>
#include <numeric>
#include <set>

namespace fs = std::filesystem;

namespace
{

void
RequireFile(const std::string & file)
{
  std::error_code ignored;
  const auto      status = fs::status(file, ignored);
  RefuseIf(!fs::exists(status), "there is no such file");
  RefuseIf(fs::is_directory(status), "is a folder, not an image");
  RefuseIf(!fs::is_regular_file(status), "is a device or a pipe, not an image");
}

std::string
TypeText(const FileImage & image)
{
  const std::string type = VisitPixelType(image.view.type, [](auto zero) {
    return itk::ImageIOBase::GetComponentTypeAsString(itk::ImageIOBase::MapPixelType<decltype(zero)>::CType);
  });
  return (image.componentCount > 1 ? std::to_string(image.componentCount) + " x " : "") + type;
}

/** Keeps some of the numbers of each pixel. */
void
KeepNumbers(unsigned int first, unsigned int count, FileImage & image)
{
  const std::size_t size = ImageView::SizeOf(image.view.type);
  const std::size_t step = image.componentCount * size;
  for (std::uint64_t i = 0; i < image.view.Count(); ++i)
  {
    std::memmove(image.memory.get() + i * count * size, image.memory.get() + i * step + first * size, count * size);
  }
  for (std::int64_t & stride : image.view.strides)
  {
    stride = stride / image.componentCount * count;
  }
  image.componentCount = count;
}

/** Returns whether a number is the same in all pixels. */
bool
IsConstant(unsigned int number, const FileImage & image)
{
  const std::size_t  size = ImageView::SizeOf(image.view.type);
  const char * const first = image.memory.get() + number * size;
  std::uint64_t      i = 1;
  while (i < image.view.Count() && std::memcmp(first, first + i * image.componentCount * size, size) == 0)
  {
    ++i;
  }
  return i >= image.view.Count();
}

/** Selects a channel, or removes a constant alpha channel. Throws Failure if it is not clear what the pixels are. */
void
SelectChannel(const std::optional<std::uint64_t> & channel, FileImage & image)
{
  const std::string count = std::to_string(image.componentCount);
  const std::string advice = "select one with --channel 1 to --channel " + count;
  if (channel)
  {
    RefuseIf(*channel > image.componentCount, "has " + count + " channels; " + advice);
    KeepNumbers(static_cast<unsigned int>(*channel) - 1, 1, image);
    image.notes.push_back("channel " + std::to_string(*channel) + " of " + count);
    return;
  }
  RefuseIf(image.isList, "is a list of " + count + " images; " + advice);
  // Not all writers say that the last number is the opacity.
  const std::size_t  size = ImageView::SizeOf(image.view.type);
  const char * const last = image.memory.get() + (image.componentCount - 1) * size;
  const bool         isOpaque = (image.componentCount == 2 || image.componentCount == 4) && size <= 2 &&
                        !itk::ccl::IsSigned(image.view.type) && image.view.Count() > 0 &&
                        std::all_of(last, last + size, [](char byte) { return byte == '\xFF'; }) &&
                        IsConstant(image.componentCount - 1, image);
  if (image.hasAlpha || isOpaque)
  {
    RefuseIf(!IsConstant(image.componentCount - 1, image),
             "has an alpha channel (" + count +
               ") that is not the same in all pixels, so it is not clear which pixels are foreground; " + advice);
    KeepNumbers(0, image.componentCount - 1, image);
    image.notes.emplace_back("the alpha channel is the same in all pixels, so it is ignored");
  }
}

/** Keeps the pixels of a segment. Pixels of others become 0. Throws Failure if the file does not describe it. */
void
SelectSegment(const std::string & name, bool hasChannel, FileImage & image)
{
  const auto valueOf = [&image](std::size_t i, const std::string & key) {
    const auto found = image.segments.find("Segment" + std::to_string(i) + key);
    return found == image.segments.end() ? "" : found->second;
  };
  std::vector<std::size_t> found;
  std::string              list;
  for (std::size_t i = 0; !valueOf(i, "_ID").empty() || !valueOf(i, "_Name").empty(); ++i)
  {
    list += (i == 0 ? "its segments are \"" : ", \"") + valueOf(i, "_Name") + '"';
    if (valueOf(i, "_Name") == name || valueOf(i, "_ID") == name)
    {
      found.push_back(i);
    }
  }
  RefuseIf(name.empty() && image.componentCount > 1 && !list.empty() && !hasChannel,
           "has segments that can overlap, in " + std::to_string(image.componentCount) +
             " layers; select one with --segment NAME: " + list);
  if (name.empty() || list.empty())
  {
    return;
  }
  RefuseIf(found.size() != 1,
           std::string("has ") + (found.empty() ? "no segment" : "several segments") + " \"" + name + "\"; " + list);
  // Old files have a layer of ones for each segment, and do not say so.
  const auto numberOf = [&](const std::string & key, double otherwise) {
    const std::string text = valueOf(found[0], key);
    return text.empty() ? otherwise : std::atof(text.c_str());
  };
  const double      layer = numberOf("_Layer", image.componentCount > 1 ? static_cast<double>(found[0]) : 0.0);
  const double      label = numberOf("_LabelValue", 1.0);
  const std::string place = "value " + Join(std::array{ label }, "") + " in layer " + Join(std::array{ layer }, "");
  RefuseIf(!(layer >= 0.0 && layer < image.componentCount) || label == 0.0,
           "says that segment \"" + name + "\" has the " + place + ", which it does not have");
  KeepNumbers(static_cast<unsigned int>(layer), 1, image);
  VisitPixelType(image.view.type, [&](auto zero) {
    auto * const pixels = reinterpret_cast<decltype(zero) *>(image.memory.get());
    std::replace_if(
      pixels, pixels + image.view.Count(), [label](auto pixel) { return static_cast<double>(pixel) != label; }, zero);
  });
  const std::string prefix = "Segment" + std::to_string(found[0]) + '_';
  Segments          kept;
  for (const auto & [key, value] : image.segments)
  {
    if (key.compare(0, prefix.size(), prefix) == 0)
    {
      kept["Segment0_" + key.substr(prefix.size())] = key == prefix + "Layer" ? "0" : value;
    }
  }
  image.segments = kept;
  image.isSegment = true;
  image.notes.push_back("segment \"" + name + "\": " + place);
}

} // namespace

PixelType
TypeOfNumbers(std::size_t size, bool isFloat, bool isSigned)
{
  constexpr std::array unsignedTypes{ PixelType::UInt8, PixelType::UInt16, PixelType::UInt32, PixelType::UInt64 };
  constexpr std::array signedTypes{ PixelType::Int8, PixelType::Int16, PixelType::Int32, PixelType::Int64 };
  const std::size_t    i = size == 8 ? 3 : size / 2;
  return isFloat ? (size == 8 ? PixelType::Double : PixelType::Float) : isSigned ? signedTypes[i] : unsignedTypes[i];
}

char *
AllocatePixels(const std::string & file, double expansion, PixelType type, unsigned int count, FileImage & image)
{
  const auto & size = image.geometry.space->GetLargestPossibleRegion().GetSize();
  const double pixelBytes = static_cast<double>(count * ImageView::SizeOf(type));
  const double bytes = std::accumulate(size.begin(), size.end(), pixelBytes, std::multiplies<double>());
  RefuseDamaged(bytes > expansion * static_cast<double>(fs::file_size(file)));
  if (bytes > 1e18)
  {
    throw std::bad_alloc();
  }
  image.memory.reset(new char[static_cast<std::size_t>(bytes)]);
  image.view = ImageView::Of(image.memory.get(), type, { size[0], size[1], size[2] });
  image.componentCount = count;
  for (std::int64_t & stride : image.view.strides)
  {
    stride *= count;
  }
  return image.memory.get();
}

double
MillimetersOf(const std::string & unit)
{
  static const std::map<std::string, double> units{
    { "nm", 1e-6 },         { "nanometer", 1e-6 }, { "um", 1e-3 },        { "\xC2\xB5m", 1e-3 }, { "\xCE\xBCm", 1e-3 },
    { "\xB5m", 1e-3 },      { "\\u00B5m", 1e-3 },  { "&#181;m", 1e-3 },   { "micron", 1e-3 },    { "microns", 1e-3 },
    { "micrometer", 1e-3 }, { "mm", 1.0 },         { "millimeter", 1.0 }, { "cm", 10.0 },        { "centimeter", 10.0 },
    { "m", 1000.0 },        { "meter", 1000.0 }
  };
  const auto found = units.find(unit);
  return found == units.end() ? 0.0 : found->second;
}

void
ConvertUnit(double millimeters, Geometry & geometry)
{
  auto spacing = geometry.space->GetSpacing();
  auto origin = geometry.space->GetOrigin();
  geometry.hasUnit = millimeters > 0.0;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const bool isPixelAxis = axis >= geometry.dimension; // a plane has 1 pixel of 1 mm along z
    spacing[axis] = geometry.hasUnit && !isPixelAxis ? spacing[axis] * millimeters : 1.0;
    origin[axis] *= geometry.hasUnit ? millimeters : 1.0;
  }
  geometry.space->SetSpacing(spacing);
  geometry.space->SetOrigin(origin);
}

void
ApplyPalette(const std::vector<Color> & palette, FileImage & image)
{
  const auto isGray = [](const Color & color) { return color[0] == color[1] && color[1] == color[2]; };
  // The colors of TIFF have 16 bits.
  const auto      brightest = std::max_element(palette.begin(), palette.end());
  const int       shift = (*brightest)[0] > 255 && ImageView::SizeOf(image.view.type) == 1 ? 8 : 0;
  std::set<Color> colors(palette.begin(), palette.end());
  std::set<int>   grays;
  std::transform(colors.begin(), colors.end(), std::inserter(grays, grays.end()), [shift](const Color & color) {
    return color[0] >> shift;
  });
  // Colors that would become one gray value are colors of classes.
  if (colors.size() == 1 || grays.size() < colors.size() || !std::all_of(palette.begin(), palette.end(), isGray))
  {
    image.notes.push_back("the pixels are indices into a palette of " + std::to_string(palette.size()) + " colors");
    return;
  }
  itk::ccl::VisitWidth(image.view.type, [&](auto zero) {
    using WidthType = decltype(zero);
    auto * const pixels = reinterpret_cast<WidthType *>(image.memory.get());
    std::transform(pixels, pixels + image.view.Count(), pixels, [&](WidthType index) {
      return static_cast<WidthType>(index < palette.size() ? palette[index][0] >> shift : 0);
    });
  });
  image.notes.emplace_back("the pixels are the gray values of a palette");
}

std::string
TextOf(const Geometry & geometry)
{
  const auto list = [&geometry](const auto & numbers, const char * separator) {
    std::vector<double> values(numbers.begin(), numbers.begin() + geometry.dimension);
    std::replace(values.begin(), values.end(), 0.0, 0.0); // 0 for -0, which equals 0
    return Join(values, separator);
  };
  std::vector<std::string> axes;
  for (unsigned int axis = 0; axis < geometry.dimension; ++axis)
  {
    axes.push_back("(" + list(geometry.space->GetDirection().GetTranspose().get_row(axis), ", ") + ")");
  }
  return Join(geometry.GetSize(), " x ") + " pixels of " + list(geometry.space->GetSpacing(), " x ") +
         (geometry.hasUnit ? " mm" : " pixels") + ", the first at (" + list(geometry.space->GetOrigin(), ", ") +
         "), axes " + Join(axes, ", ");
}

FileImage
ReadImage(const std::string & file, const ReadOptions & options)
{
  FileImage image;
  try
  {
    RequireFile(file);
    if (!ReadTiff(file, options, image) && !ReadPng(file, image) && !ReadJpeg(file, image) &&
        !ReadNifti(file, options, image))
    {
      ReadByItk(file, image);
    }
    image.pixelType = TypeText(image);
    SelectSegment(options.segment, options.channel.has_value(), image);
    if (image.componentCount > 1)
    {
      SelectChannel(options.channel, image);
    }
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be read: " + Sentence(exception));
  }
  catch (const Failure & failure)
  {
    throw Failure(file + ": " + failure.what());
  }
  Geometry &   geometry = image.geometry;
  const double determinant = std::abs(vnl_determinant(geometry.space->GetDirection().GetVnlMatrix()));
  // Directions of type float are at right angles up to rounding.
  if (!geometry.pixelSize && (options.ignoreAxes || std::abs(determinant - 1.0) > 1e-4))
  {
    geometry.pixelSize = determinant * geometry.GetPixelSize();
  }
  if (options.ignoreAxes)
  {
    const auto size = geometry.space->GetLargestPossibleRegion();
    geometry.space = itk::ImageBase<3>::New();
    geometry.space->SetRegions(size);
    image.notes.emplace_back("the axes of the file are ignored: coordinates are numbers of pixels");
  }
  return image;
}
