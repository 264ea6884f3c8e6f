// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadMask_h
#define ccl_tool_ReadMask_h

#include "itkImage.h"

#include <functional>
#include <optional>
#include <string>

/** Selects the foreground: pixels above Otsu's threshold, or pixels from `lower` to `upper`. Without any of these, the
 * foreground is all pixels that are not 0. */
struct Threshold
{
  std::optional<double> lower;
  std::optional<double> upper;
  bool                  otsu = false;
};

/** Returns the number of dimensions of the image in a file as 2 or 3. 1 dimension counts as 2. More than 3 dimensions
 * count as 3 if the size along the further dimensions is 1. Throws Failure for other images, and if the file cannot be
 * read. */
unsigned int
ReadDimension(const std::string & file);

/** Returns a slice of an image as grey values. The parameters are those of Slice() in Preview.h. */
using GreySlice =
  std::function<itk::Image<float, 2>::Pointer(unsigned int across, unsigned int down, itk::IndexValueType index)>;

/** The foreground of an image in a file: 1 in the foreground, 0 in the background. */
template <unsigned int VDimension>
struct Mask
{
  typename itk::Image<unsigned char, VDimension>::Pointer image;

  std::string           pixelType; // of the file
  std::optional<double> otsuThreshold;
  GreySlice             greySlice; // empty without slices; else it keeps the image in memory
};

/** Reads an image and finds its foreground, and makes greySlice if `withSlices`. Throws Failure if the file cannot be
 * read. */
template <unsigned int VDimension>
Mask<VDimension>
ReadMask(const std::string & file, const Threshold & threshold, bool withSlices);

extern template Mask<2>
ReadMask<2>(const std::string & file, const Threshold & threshold, bool withSlices);
extern template Mask<3>
ReadMask<3>(const std::string & file, const Threshold & threshold, bool withSlices);

#endif
