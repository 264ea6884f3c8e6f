// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_SaveImage_h
#define ccl_tool_SaveImage_h

#include "itkImage.h"

#include <string>

/** Throws Failure if the file cannot be written. Call it before the long work. */
void
RequireWritable(const std::string & file);

/** Throws Failure if an image cannot be written to the file. Call it before the long work. */
void
RequireImageWritable(const std::string & file);

/** Writes an image. If that fails, throws Failure and leaves an existing file as it was. */
template <typename TImage>
void
SaveImage(const TImage * image, const std::string & file);

#include "SaveImage.hxx"

#endif
