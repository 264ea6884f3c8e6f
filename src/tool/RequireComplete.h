// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_RequireComplete_h
#define ccl_tool_RequireComplete_h

#include "itkImageIOBase.h"

#include <string>

/** Throws Failure if an image file is incomplete. Several readers of ITK do not detect this, and set the missing pixels
 * to 0. Checks NIfTI, Analyze, MetaImage, TIFF, JPEG, DICOM, GIPL, MRC, VTK and gzipped files. ITK's readers of PNG,
 * NRRD, BMP, HDF5 and MINC detect incomplete files. */
void
RequireComplete(const std::string & file, const itk::ImageIOBase & io);

#endif
