// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_SaveImage_h
#define ccl_tool_SaveImage_h

#include "ReadImage.h"
#include "Workshop.h"

#include <memory>
#include <string>
#include <vector>

/** Throws Failure if the output image, or one of the other outputs, cannot be written, if two of them are one file, or
 * if one of them is an input. The output image may be the input image. An empty name is no file. Call it before the
 * long work. */
void
RequireWritable(const std::string &              outputImage,
                const std::vector<std::string> & otherOutputs,
                const std::string &              inputImage,
                const std::vector<std::string> & otherInputs);

/** Writes an image without gaps to a temporary folder next to the file, and reads it back. Deliver() of the result
 * moves it to the file. Throws Failure. `size` of the view is the size of the geometry. With 3 components, a pixel is a
 * color: red, green and blue, one after the other. NRRD files describe the segments, which have the values of the
 * pixels. */
std::unique_ptr<Workshop>
PrepareImage(const ImageView &   pixels,
             const Geometry &    geometry,
             const std::string & file,
             unsigned int        componentCount = 1,
             const Segments &    segments = {});

#endif
