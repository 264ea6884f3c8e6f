// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadFormats_h
#define ccl_tool_ReadFormats_h

#include "Failure.h"
#include "ReadImage.h"

#include "itkImageIOBase.h"

#include <array>
#include <string>
#include <vector>

using PixelType = ImageView::PixelTypeEnum;

// ReadImage() calls these functions. Each reads one format, sets geometry and pixels, and returns whether the file has
// this format. They throw Failure for files that they cannot read, with a message that follows the name of the file.
// What is true of all formats, such as the choice of a channel, is in ReadImage().

bool
ReadTiff(const std::string & file, const ReadOptions & options, FileImage & image);

bool
ReadPng(const std::string & file, FileImage & image);

bool
ReadJpeg(const std::string & file, FileImage & image);

bool
ReadNifti(const std::string & file, const ReadOptions & options, FileImage & image);

/** Reads all other formats. */
void
ReadByItk(const std::string & file, FileImage & image);

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

/** Returns whether a number can be part of an axis. ITK's readers abort or hang with others. */
inline bool
IsLength(double number)
{
  return -1e12 < number && number < 1e12;
}

/** Returns the type of numbers of 1, 2, 4 or 8 bytes. */
PixelType
TypeOfNumbers(std::size_t size, bool isFloat, bool isSigned);

/** Sets spacing, axes and size by ITK's rules. */
void
ReadGeometry(const std::string & file, itk::ImageIOBase * io, Geometry & geometry);

/** Allocates the pixels of an image that has a size. Throws Failure if the file is too short for them: each of its
 * bytes becomes at most `expansion` bytes of pixels. */
char *
AllocatePixels(const std::string & file, double expansion, PixelType type, unsigned int count, FileImage & image);

/** Returns the length of a unit in mm, or 0 if the unit is unknown. */
double
MillimetersOf(const std::string & unit);

/** Multiplies lengths by the length of their unit. If it is 0, the edge length of a pixel becomes 1. */
void
ConvertUnit(double millimeters, Geometry & geometry);

using Color = std::array<std::uint16_t, 3>; // red, green and blue

/** Replaces the pixels, which are indices into a palette, by its gray values if its colors are gray. Otherwise they
 * stay indices. Notes which it is. */
void
ApplyPalette(const std::vector<Color> & palette, FileImage & image);

#endif
