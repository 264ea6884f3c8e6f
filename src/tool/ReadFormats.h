// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadFormats_h
#define ccl_tool_ReadFormats_h

#include "Failure.h"
#include "ReadImage.h"

#include "itkImageIOBase.h"

#include <filesystem>

using PixelType = ImageView::PixelTypeEnum;

// ReadImage() calls these functions. They describe the image of a file, and read its numbers. ReadImage() decides what
// the numbers mean. They throw Failure for files that they cannot read, with a message that follows the name of the
// file.

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
  std::error_code ignored;
  const bool      isFile = std::filesystem::is_regular_file(file, ignored);
  return isFile ? static_cast<double>(std::filesystem::file_size(file)) * (isCompressed ? 262144.0 : 1.0) : 0.0;
}

/** Allocates the pixels of an image that has a size, and a byte more. Throws Failure if they have more bytes in the
 * file than `capacity`. A number has `bits` there. */
char *
AllocatePixels(PixelType type, unsigned int count, std::size_t bits, double capacity, FileImage & image);

/** Returns the number of the channel to read, from 0 on, and notes it. Throws Failure if the user must select one. */
std::uint64_t
ChooseChannel(const ReadOptions & options, std::uint64_t count, FileImage & image);

/** Returns the length of a unit in mm, or 0 if the unit is unknown. */
double
MillimetersOf(const std::string & unit);

/** Multiplies lengths by the length of their unit. If it is 0, the edge length of a pixel becomes 1. */
void
ConvertUnit(double millimeters, Geometry & geometry);

#endif
