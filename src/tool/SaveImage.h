// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_SaveImage_h
#define ccl_tool_SaveImage_h

#include "ReadImage.h"

#include <cstdint>
#include <string>

/** Throws Failure if the file cannot be written. Call it before the long work. */
void
RequireWritable(const std::string & file);

/** Throws Failure if an image cannot be written to the file. Call it before the long work. */
void
RequireImageWritable(const std::string & file);

/** Writes an image without gaps and reads it back. If that fails, throws Failure and leaves an existing file as it was.
 * `size` of the view is the size of the geometry. With 3 components, a pixel is a color: red, green and blue, one after
 * the other. */
void
SaveImage(const ImageView &   pixels,
          const Geometry &    geometry,
          const std::string & file,
          unsigned int        componentCount = 1);

#endif
