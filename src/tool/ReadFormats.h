// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadFormats_h
#define ccl_tool_ReadFormats_h

#include "Failure.h"
#include "ReadImage.h"

#include <array>
#include <string>
#include <vector>

// ReadImage() calls these functions. Each reads one format, sets geometry and pixels, and returns whether the file has
// this format. They throw Failure for files that they cannot read. What is true of all formats, such as the choice of a
// channel, is in ReadImage().

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

/** Throws Failure if a condition is true. The problem follows the name of the file, such as ": has no pixels". */
inline void
RefuseIf(bool condition, const std::string & file, const std::string & problem)
{
  if (condition)
  {
    throw Failure(file + problem);
  }
}

/** Throws Failure if a condition is true: the file ends early or has wrong bytes. */
inline void
RefuseDamaged(bool condition, const std::string & file, const std::string & reason = "")
{
  RefuseIf(condition,
           file,
           ": cannot be read: the file is incomplete or damaged" + (reason.empty() ? "" : " (" + reason + ')') +
             "; get a new copy of it");
}

/** Returns whether a number can be part of an axis. ITK's readers abort or hang with others. */
inline bool
IsLength(double number)
{
  return -1e12 < number && number < 1e12;
}

/** Sets the size of an image of 2 or 3 dimensions along x, y and z. */
void
SetSize(const itk::Size<3> & size, unsigned int dimension, Geometry & geometry);

/** Allocates the pixels of an image that has a size. Throws Failure if the file is too short for them: each of its
 * bytes becomes at most `expansion` bytes of pixels. */
char *
AllocatePixels(const std::string &      file,
               double                   expansion,
               ImageView::PixelTypeEnum type,
               unsigned int             componentCount,
               FileImage &              image);

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
