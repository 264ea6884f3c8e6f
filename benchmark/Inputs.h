// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Inputs_h
#define ccl_benchmark_Inputs_h

#include "TestImages.h"

/** Reads an image. Pixels above Otsu's threshold become foreground. Throws itk::ExceptionObject. */
TestImage
ReadInput(const std::string & file);

/** Resamples an image to `side` pixels along each axis (a plane: along x and y). Each pixel takes the value of one
 * input pixel. */
TestImage
Upsample(const TestImage & image, std::uint64_t side);

/** Returns the share of the foreground in percent. */
double
ForegroundOf(const TestImage & image);

#endif
