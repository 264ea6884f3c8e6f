// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadFormats_h
#define ccl_tool_ReadFormats_h

// What the readers of formats share. ReadImage() calls ReadTiff() and ReadByItk(). They describe the image of a file,
// and read its numbers. ReadImage() decides what the numbers mean. They throw Failure for files that they cannot read,
// with a message that follows the name of the file.

#include "Failure.h"
#include "ReadImage.h"

#include <array>
#include <filesystem>
#include <string>

using PixelType = ImageView::PixelTypeEnum;

/** Returns whether the file is TIFF. */
bool
ReadTiff(const std::string & file, FileImage & image);

/** Reads all other formats. */
void
ReadByItk(const std::string & file, const ReadOptions & options, FileImage & image);

/** Throws Failure if a condition is true: the file ends early or has wrong bytes. */
inline void
RefuseDamaged(bool condition, const std::string & reason = "")
{
  RefuseIf(condition,
           "cannot be read: the file is incomplete or damaged" + (reason.empty() ? "" : " (" + reason + ')') +
             "; get a new copy of it");
}

/** What follows the reason why an image cannot be labeled. */
constexpr auto splitAdvice = "only images of 2 or 3 dimensions can be labeled, so split it first";

/** Returns the text between two texts in a text, or nothing. */
inline std::string
Between(const std::string & text, const std::string & begin, const std::string & end)
{
  const std::size_t at = text.find(begin);
  return at == std::string::npos
           ? ""
           : text.substr(at + begin.size(), text.find(end, at + begin.size()) - at - begin.size());
}

/** Returns the type of numbers of 1, 2, 4 or 8 bytes. */
inline PixelType
TypeOfNumbers(std::size_t size, bool isFloat, bool isSigned)
{
  constexpr std::array unsignedTypes{ PixelType::UInt8, PixelType::UInt16, PixelType::UInt32, PixelType::UInt64 };
  constexpr std::array signedTypes{ PixelType::Int8, PixelType::Int16, PixelType::Int32, PixelType::Int64 };
  const std::size_t    i = size == 8 ? 3 : size / 2;
  return isFloat ? (size == 8 ? PixelType::Double : PixelType::Float) : isSigned ? signedTypes[i] : unsignedTypes[i];
}

/** Returns how many bytes of pixels a file can have at most. Of all compressions, fax is the smallest: a blank row of
 * 32,768 pixels is a bit. */
inline double
CapacityOf(const std::filesystem::path & file, bool isCompressed)
{
  std::error_code error;
  const auto      size = static_cast<double>(std::filesystem::file_size(file, error));
  return error ? 0.0 : size * (isCompressed ? 262144.0 : 1.0);
}

/** Sets the number of numbers of a pixel. They are adjacent. */
inline void
SetView(PixelType type, unsigned int count, FileImage & image)
{
  const auto & size = image.geometry.space->GetLargestPossibleRegion().GetSize();
  image.view = ImageView::Of(image.memory.get(), type, { size[0], size[1], size[2] });
  image.componentCount = count;
  std::for_each(image.view.strides.begin(), image.view.strides.end(), [count](auto & stride) { stride *= count; });
}

/** Allocates the pixels of an image that has a size, and a byte more. Throws Failure if they have more bytes in the
 * file than `capacity`. A number has `bits` there. */
inline char *
AllocatePixels(PixelType type, unsigned int count, std::size_t bits, double capacity, FileImage & image)
{
  const auto & size = image.geometry.space->GetLargestPossibleRegion().GetSize();
  const double numbers = 1.0 * count * size[0] * size[1] * size[2];
  RefuseDamaged(numbers * bits / 8.0 > capacity);
  image.memory.reset(new char[static_cast<std::size_t>(numbers) * ImageView::SizeOf(type) + 1]);
  SetView(type, count, image);
  return image.memory.get();
}

/** Returns the number of the channel to read, from 0 on, and notes it. Throws Failure if the user must select one. */
inline std::uint64_t
ChooseChannel(const ReadOptions & options, std::uint64_t count, FileImage & image)
{
  const std::string   number = std::to_string(count);
  const std::uint64_t channel = options.channel.value_or(0);
  RefuseIf(channel < 1 || channel > count,
           (image.isList ? "is a list of " + number + " images" : "has " + number + " channels") +
             "; select one with --channel 1 to --channel " + number);
  image.notes.push_back("channel " + std::to_string(channel) + " of " + number);
  return channel - 1;
}

/** Multiplies lengths by the length of their unit in mm. If it is 0, the edge length of a pixel becomes 1. */
inline void
ConvertUnit(double millimeters, Geometry & geometry)
{
  auto spacing = geometry.space->GetSpacing();
  auto origin = geometry.space->GetOrigin();
  geometry.hasUnit = millimeters > 0.0;
  for (unsigned int axis = 0; axis < geometry.dimension; ++axis)
  {
    spacing[axis] = geometry.hasUnit ? spacing[axis] * millimeters : 1.0;
    origin[axis] *= geometry.hasUnit ? millimeters : 1.0;
  }
  geometry.space->SetSpacing(spacing);
  geometry.space->SetOrigin(origin);
}

/** Returns the length of a unit in mm, or 0 if the unit is unknown. */
double
MillimetersOf(const std::string & unit);

#endif
