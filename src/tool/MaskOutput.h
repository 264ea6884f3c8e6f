// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_MaskOutput_h
#define ccl_tool_MaskOutput_h

#include "BitRows.h"
#include "ReadImage.h"
#include "Workshop.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/** The pixels of a mask that --mask-output writes. */
struct MaskPixels
{
  ImageView::PixelTypeEnum     type = ImageView::PixelTypeEnum::UInt8;
  std::optional<std::uint64_t> value; // bytes of the foreground's value; without it, pixels keep their values
};

/** Returns the value of all foreground pixels: its bytes, as an unsigned integer. Returns nothing without foreground.
 * Throws Failure if the foreground has several values. `file` is the name of the image. */
std::optional<std::uint64_t>
FindForegroundValue(const ImageView & image, const BitRows & foreground, const std::string & file);

/** Writes a mask of an image. Pixels whose bits in `kept` are 0 have the value 0. Deliver() of the result moves it to
 * the file. Throws Failure. */
std::unique_ptr<Workshop>
PrepareMask(const FileImage & image, const MaskPixels & pixels, const BitRows & kept, const std::string & file);

#endif
