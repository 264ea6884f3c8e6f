// SPDX-License-Identifier: Apache-2.0
#include "ReadImage.h"

#include "Join.h"
#include "PixelValues.h"
#include "ReadFormats.h"

#include "itkImageIOBase.h"

#include <vnl/algo/vnl_determinant.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

namespace
{

/** Keeps some of the numbers of each pixel. */
void
KeepNumbers(std::uint64_t first, unsigned int count, FileImage & image)
{
  const std::size_t size = ImageView::SizeOf(image.view.type);
  const std::size_t step = image.componentCount * size;
  for (std::uint64_t i = 0; i < image.view.Count(); ++i)
  {
    std::memmove(image.memory.get() + i * count * size, image.memory.get() + i * step + first * size, count * size);
  }
  SetView(image.view.type, count, image);
}

/** Replaces indices into a palette by its gray values if its colors are gray. Otherwise, the pixels stay indices. */
void
ApplyPalette(FileImage & image)
{
  const auto & palette = image.palette;
  const bool   isByte = ImageView::SizeOf(image.view.type) == 1;
  const bool   isGray = std::all_of(palette.begin(), palette.end(), [isByte](const Color & color) {
    // Others would become the byte of another color. Programs write 257 or 256 times a byte.
    return color[0] == color[1] && color[1] == color[2] && (!isByte || color[0] % 257 == 0 || color[0] % 256 == 0);
  });
  if (!isGray || std::set(palette.begin(), palette.end()).size() == 1)
  {
    image.notes.push_back("the pixels are indices into a palette of " + std::to_string(palette.size()) + " colors");
    return;
  }
  itk::ccl::VisitWidth(image.view.type, [&](auto zero) {
    auto * const pixels = reinterpret_cast<decltype(zero) *>(image.memory.get());
    std::transform(pixels, pixels + image.view.Count(), pixels, [&](std::size_t index) {
      return static_cast<decltype(zero)>(index < palette.size() ? palette[index][0] >> (isByte ? 8 : 0) : 0);
    });
  });
  image.notes.emplace_back("the pixels are the gray values of a palette");
}

/** Selects a channel, or removes a constant alpha channel. Three numbers are a color or a vector. Throws Failure if it
 * is not clear what the pixels are. */
void
SelectChannel(const ReadOptions & options, FileImage & image)
{
  const unsigned int count = image.componentCount;
  const std::size_t  size = ImageView::SizeOf(image.view.type);
  const bool         hasAlpha =
    !image.isList && (count == 2 || count == 4) && size <= 2 && !itk::ccl::IsSigned(image.view.type);
  if (count > 1 && (options.channel || (!hasAlpha && (count != 3 || image.isList))))
  {
    KeepNumbers(ChooseChannel(options, count, image), 1, image);
    if (!image.segments.empty())
    {
      image.segments.clear(); // another layer may use the same values
      image.notes.emplace_back(
        "the names of segments are dropped, because --channel selects one layer; --segment keeps the name");
    }
  }
  else if (hasAlpha)
  {
    const char * const alpha = image.memory.get() + (count - 1) * size;
    std::uint64_t      i = 1;
    while (i < image.view.Count() && std::memcmp(alpha, alpha + i * count * size, size) == 0)
    {
      ++i;
    }
    RefuseIf(i < image.view.Count(),
             "has an alpha channel (" + std::to_string(count) +
               ") that is not the same in all pixels, so it is not clear which pixels are foreground; select a "
               "channel with --channel");
    KeepNumbers(0, count - 1, image);
    image.notes.emplace_back("the alpha channel is the same in all pixels, so it is ignored");
  }
}

/** Keeps the pixels of a segment. Pixels of others become 0. Throws Failure if it is not clear which segment is meant.
 */
void
SelectSegment(const ReadOptions & options, FileImage & image)
{
  const std::string &      name = options.segment;
  Segments                 fields = image.segments;
  std::vector<std::string> prefixes; // of the fields of segments with the name
  std::vector<std::string> names;
  for (std::string prefix = "Segment0_"; !(fields[prefix + "ID"] + fields[prefix + "Name"]).empty();)
  {
    names.push_back('"' + fields[prefix + "Name"] + '"');
    if (fields[prefix + "Name"] == name || fields[prefix + "ID"] == name)
    {
      prefixes.push_back(prefix);
    }
    prefix = "Segment" + std::to_string(names.size()) + '_';
  }
  const std::string list = "its segments are " + Join(names, ", ");
  RefuseIf(name.empty() && image.componentCount > 1 && !names.empty() && !options.channel,
           "has segments that can overlap, in " + std::to_string(image.componentCount) +
             " layers; select one with --segment NAME: " + list);
  if (name.empty() || names.empty())
  {
    return;
  }
  RefuseIf(prefixes.size() != 1,
           std::string("has ") + (prefixes.empty() ? "no segment" : "several segments") + " \"" + name + "\"; " + list);
  const std::string prefix = prefixes[0];
  const auto        layer = std::strtoull(fields[prefix + "Layer"].c_str(), nullptr, 10);
  const double      label = std::atof(fields[prefix + "LabelValue"].c_str());
  const std::string place = "value " + Join(std::array{ label }, "") + " in layer " + std::to_string(layer);
  RefuseIf(layer >= image.componentCount || label == 0.0,
           "does not say where segment \"" + name + "\" is (" + place + "); save it again in 3D Slicer");
  if (options.channel && image.componentCount > 1)
  {
    image.notes.emplace_back("--segment selects the layer, so --channel is ignored");
  }
  KeepNumbers(layer, 1, image);
  VisitPixelType(image.view.type, [&](auto zero) {
    auto * const pixels = reinterpret_cast<decltype(zero) *>(image.memory.get());
    std::replace_if(
      pixels, pixels + image.view.Count(), [label](auto pixel) { return static_cast<double>(pixel) != label; }, zero);
  });
  Segments kept{ { "Segment0_Layer", "0" } }; // without the other segments
  for (const auto & [key, value] : image.segments)
  {
    const bool isOfSegment = key.compare(0, prefix.size(), prefix) == 0;
    if (isOfSegment || key.compare(0, 13, "Segmentation_") == 0)
    {
      kept.emplace(isOfSegment ? "Segment0_" + key.substr(prefix.size()) : key, value);
    }
  }
  image.segments = kept;
  image.isSegment = true;
  image.notes.push_back("segment \"" + name + "\": " + place);
}

} // namespace

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

std::string
TextOf(const Geometry & geometry)
{
  const auto list = [&geometry](const auto & numbers, const char * separator) {
    std::vector<double> values(numbers.begin(), numbers.begin() + geometry.dimension);
    std::replace(values.begin(), values.end(), 0.0, 0.0); // 0 for -0, which equals 0
    return Join(values, separator);
  };
  std::string axes;
  for (unsigned int axis = 0; axis < geometry.dimension; ++axis)
  {
    axes += ", (" + list(geometry.space->GetDirection().GetTranspose().get_row(axis), ", ") + ")";
  }
  return Join(geometry.GetSize(), " x ") + " pixels of " + list(geometry.space->GetSpacing(), " x ") +
         (geometry.hasUnit ? " mm" : " pixels") + ", the first at (" + list(geometry.space->GetOrigin(), ", ") +
         "), axes" + axes.substr(1);
}

FileImage
ReadImage(const std::string & file, const ReadOptions & options)
{
  FileImage image;
  try
  {
    std::error_code ignored;
    const auto      status = std::filesystem::status(file, ignored);
    RefuseIf(!exists(status), "there is no such file");
    RefuseIf(is_directory(status), "is a folder, not an image");
    RefuseIf(!is_regular_file(status), "is a device or a pipe, not an image");
    if (!ReadTiff(file, image))
    {
      ReadByItk(file, options, image);
    }
    image.pixelType = image.componentCount > 1 ? std::to_string(image.componentCount) + " x " : "";
    image.pixelType += VisitPixelType(image.view.type, [](auto zero) {
      return itk::ImageIOBase::GetComponentTypeAsString(itk::ImageIOBase::MapPixelType<decltype(zero)>::CType);
    });
    if (!image.palette.empty())
    {
      ApplyPalette(image);
    }
    SelectSegment(options, image);
    SelectChannel(options, image);
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be read: " + Sentence(exception));
  }
  catch (const Failure & failure)
  {
    throw Failure(file + ": " + failure.what());
  }
  itk::ImageBase<3> & space = *image.geometry.space;
  const auto &        spacing = space.GetSpacing();
  const double        determinant = std::abs(vnl_determinant(space.GetDirection().GetVnlMatrix()));
  // Directions of type float are at right angles up to rounding.
  image.geometry.pixelSize =
    image.geometry.pixelSize > 0.0
      ? image.geometry.pixelSize
      : spacing[0] * spacing[1] * spacing[2] * (std::abs(determinant - 1.0) > 1e-4 ? determinant : 1.0);
  if (options.ignoreAxes)
  {
    image.geometry.space = itk::ImageBase<3>::New();
    image.geometry.space->SetRegions(itk::Size<3>{ { image.view.size[0], image.view.size[1], image.view.size[2] } });
    image.notes.emplace_back("the axes of the file are ignored: coordinates are numbers of pixels");
  }
  return image;
}
