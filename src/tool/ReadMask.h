// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadMask_h
#define ccl_tool_ReadMask_h

#include "MaskOutput.h"

#include "itkImage.h"

#include <functional>
#include <memory>
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
  // Without them, the image does not stay in memory.
  GreySlice                   greySlice;
  std::shared_ptr<MaskOutput> output;
};

/** The optional parts of a Mask. */
struct MaskParts
{
  bool greySlice = false;
  bool output = false;
};

/** Reads an image, finds its foreground, and makes the parts. Throws Failure if the file cannot be read, or if its
 * pixels cannot be an output. */
template <unsigned int VDimension>
Mask<VDimension>
ReadMask(const std::string & file, const Threshold & threshold, const MaskParts & parts);

extern template Mask<2>
ReadMask<2>(const std::string & file, const Threshold & threshold, const MaskParts & parts);
extern template Mask<3>
ReadMask<3>(const std::string & file, const Threshold & threshold, const MaskParts & parts);

#endif
