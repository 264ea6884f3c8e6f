// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Inputs_h
#define ccl_benchmark_Inputs_h

#include "TestImages.h"

/** Reads an image and keeps what is above Otsu's threshold. Throws itk::ExceptionObject. */
TestImage
ReadInput(const std::string & file);

/** Nearest neighbour: the volume with `side` pixels along each axis, the plane with `side` along x and y. */
TestImage
Upsample(const TestImage & image, std::uint64_t side);

/** Share of the foreground, in percent. */
double
ForegroundOf(const TestImage & image);

#endif
