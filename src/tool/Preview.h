// SPDX-License-Identifier: Apache-2.0
#ifndef Preview_h
#define Preview_h

#include "itkImage.h"

#include <cstdint>
#include <string>
#include <vector>

/** A plane of an image, as it is looked at: row by row from the top. Both images have the same geometry. */
struct Pane
{
  itk::Image<float, 2>::Pointer         grey;
  itk::Image<std::uint64_t, 2>::Pointer objects; // from 1 on, 0 where there is none
};

/** Throws Failure where a preview could not be written to the file. */
void
RequirePreviewWritable(const std::string & file);

/** Draws panes side by side, 1200 pixels wide: the objects in colour over the image in grey. Objects that are near each
 * other in a pane have colours that differ, and an object has one colour in all panes. */
void
WritePreview(const std::vector<Pane> & panes, const std::string & file);

/** The pixels of an image along two axes, at an index along the third, from the viewer's top left: patients lie on
 * their backs and face the viewer. `pixel` makes a TPixel of an image's pixel. */
template <typename TPixel, typename TImage, typename TFunction>
typename itk::Image<TPixel, 2>::Pointer
Slice(const TImage * image, unsigned int across, unsigned int down, itk::IndexValueType index, const TFunction & pixel);

/** For each axis, the index that half of the objects' pixels lie before. */
template <typename TImage>
typename TImage::IndexType
MiddleOf(const TImage * labels, typename TImage::PixelType background);

#include "Preview.hxx"

#endif
