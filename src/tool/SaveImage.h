// SPDX-License-Identifier: Apache-2.0
#ifndef SaveImage_h
#define SaveImage_h

#include "itkImage.h"

#include <string>

/** Throws Failure where an image could not be written to the file, before there is one to write.
 */
void
RequireWritable(const std::string & file);

/** Writes an image. There is either all of it in the end or, with a Failure, what was there before. */
template <typename TImage>
void
SaveImage(const TImage * image, const std::string & file);

#include "SaveImage.hxx"

#endif
