// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadComplete_h
#define ccl_tool_ReadComplete_h

#include "itkImageIOBase.h"

#include <functional>
#include <string>

/** The pixels that ITK has read from a file. */
struct ReadPixels
{
  itk::ImageIOBase::Pointer io;
  const char *              pixels;
};

/** Calls a function that opens and reads an image file by ITK. Throws Failure if the file is incomplete or damaged and
 * ITK does not report it. ITK 5.2 reads the first part of an incomplete file without an error in these formats: NIfTI,
 * Analyze, MetaImage, TIFF with several pages, DICOM, JPEG, BMP, GIPL, MRC and VTK. */
void
ReadComplete(const std::string & file, const std::function<ReadPixels()> & read);

#endif
