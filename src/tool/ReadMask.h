// SPDX-License-Identifier: Apache-2.0
#ifndef ReadMask_h
#define ReadMask_h

#include "itkImage.h"

#include <functional>
#include <optional>
#include <string>

/** Which pixels of an image are foreground. */
struct Threshold
{
  std::optional<double> lower;
  std::optional<double> upper;
  bool                  otsu = false;
};

/** Number of dimensions of the image in a file, 2 or 3; an image with one pixel along further ones counts as 3. Throws
 * Failure where the file is no such image. */
unsigned int
ReadDimension(const std::string & file);

/** A slice of an image as grey values; see Slice() in Preview.h. */
using GreySlice =
  std::function<itk::Image<float, 2>::Pointer(unsigned int across, unsigned int down, itk::IndexValueType index)>;

/** The foreground of an image in a file: 1 where it is, 0 elsewhere. */
template <unsigned int VDimension>
struct Mask
{
  typename itk::Image<unsigned char, VDimension>::Pointer image;

  std::string           pixelType; // of the file
  std::optional<double> otsuThreshold;
  GreySlice             greySlice; // where asked for; it keeps the image in memory
};

/** Throws Failure where the file cannot be read. */
template <unsigned int VDimension>
Mask<VDimension>
ReadMask(const std::string & file, const Threshold & threshold, bool withSlices);

extern template Mask<2>
ReadMask<2>(const std::string & file, const Threshold & threshold, bool withSlices);
extern template Mask<3>
ReadMask<3>(const std::string & file, const Threshold & threshold, bool withSlices);

#endif
