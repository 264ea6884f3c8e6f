// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Preview_h
#define ccl_tool_Preview_h

#include "PreviewNumbers.h"

#include "itkImage.h"

#include <cstdint>
#include <string>
#include <vector>

/** A slice of an image as it is displayed, from the top row to the bottom row. Both images have the same size and
 * spacing. */
struct Pane
{
  itk::Image<float, 2>::Pointer         grey;
  itk::Image<std::uint64_t, 2>::Pointer objects; // 1, 2, 3, ...; 0 is background
};

/** Throws Failure if a preview cannot be written to the file. */
void
RequirePreviewWritable(const std::string & file);

/** Draws panes side by side in a picture that is 1200 pixels wide at most: the objects in colour over the image in
 * grey. Neighbouring objects have different colours. An object has the same colour in all panes. Each pane gets the
 * numbers of the objects that it shows. Throws Failure. */
void
WritePreview(const std::vector<Pane> & panes, const std::vector<Number> & numbers, const std::string & file);

/** Returns the slice along two axes of an image, at an index along the third axis. The slice is mirrored if needed: in
 * the rows, the patient's right or front is on the left; in the columns, the front or the head is at the top. `pixel`
 * converts a pixel of the image to TPixel. */
template <typename TPixel, typename TImage, typename TFunction>
typename itk::Image<TPixel, 2>::Pointer
Slice(const TImage * image, unsigned int across, unsigned int down, itk::IndexValueType index, const TFunction & pixel);

/** Returns, for each axis, the median index of the pixels that are not background, or the middle of the image if there
 * are none. */
template <typename TImage>
typename TImage::IndexType
MiddleOf(const TImage * labels, typename TImage::PixelType background);

#include "Preview.hxx"

#endif
