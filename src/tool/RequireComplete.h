// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_RequireComplete_h
#define ccl_tool_RequireComplete_h

#include "itkImageIOBase.h"

#include <string>

/** Throws Failure if an image file is incomplete. ITK 5.2 reads such files without an error in many formats, and sets
 * the missing pixels to 0: NIfTI, Analyze, MetaImage, JPEG, DICOM, GIPL, MRC, VTK, BMP, and TIFF without its last
 * pages. niftilib, MetaIO, GDCM and libjpeg do not report it to ITK either. The readers of PNG, NRRD, HDF5 and MINC
 * detect incomplete files. */
void
RequireComplete(const std::string & file, const itk::ImageIOBase & io);

#endif
