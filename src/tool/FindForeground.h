// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_FindForeground_h
#define ccl_tool_FindForeground_h

#include "BitRows.h"
#include "ComponentSize.h"
#include "ReadImage.h"

#include "itkCudaConnectedComponentValueSummary.h"

#include <optional>
#include <string>

/** Selects the foreground: pixels above Otsu's threshold, or pixels from `lower` to `upper`. Without any of these, the
 * foreground is all pixels that are not 0. */
struct Threshold
{
  std::optional<Limit> lower;
  std::optional<Limit> upper;
  bool                 otsu = false;

  bool
  IsDefault() const
  {
    return !lower && !upper && !otsu;
  }
};

/** The foreground of an image: its bits are 1 in the foreground. */
struct Foreground
{
  BitRows                                 bits;
  std::optional<double>                   otsuThreshold;
  itk::CudaConnectedComponentValueSummary values; // of images with one value per pixel, without a threshold
  std::uint64_t nearlyCount = 0; // background pixels that are less than 0.001 outside a limit, a whole number
};

/** Finds the foreground of an image. `file` is the name of the image. Throws Failure if a threshold cannot be applied
 * to its pixels. */
Foreground
FindForeground(const FileImage & image, const Threshold & threshold, const std::string & file);

#endif
