// SPDX-License-Identifier: Apache-2.0
#ifndef RequireComplete_h
#define RequireComplete_h

#include "itkImageIOBase.h"

#include <string>

/** Throws Failure where an image's file ends before its pixels do. Several of ITK's readers do not notice, and give
 * zeros for what is missing. Covers NIfTI, Analyze, MetaImage, TIFF, JPEG, DICOM, GIPL, MRC, VTK, and all that is
 * gzipped; the readers of PNG, NRRD, BMP, HDF5 and MINC notice by themselves. */
void
RequireComplete(const std::string & file, const itk::ImageIOBase & io);

#endif
