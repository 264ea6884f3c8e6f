// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_OtsuThreshold_h
#define ccl_tool_OtsuThreshold_h

#include "ReadImage.h"

#include <string>

/** Returns the threshold of itk::OtsuThresholdImageFilter, before it is converted to the type of the pixels. Pixels
 * above the threshold are foreground. The image has one number per pixel. NaN does not count. Throws Failure if the
 * numbers have no threshold. */
double
FindOtsuThreshold(const ImageView & image, const std::string & file);

#endif
