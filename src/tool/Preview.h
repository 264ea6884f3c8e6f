// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Preview_h
#define ccl_tool_Preview_h

#include "PreviewNumbers.h"
#include "ReadImage.h"
#include "Workshop.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/** Draws the plane, or the axial, the coronal and the sagittal slice of the volume through the middle of the objects,
 * side by side in a picture that is 1200 pixels wide at most: the objects in colour over the image in grey. Slices have
 * the radiological convention: the patient's right or front is on the left, and the front or the head is at the top. In
 * an oblique image, a slice has the axes that are nearest to the patient's. Neighbouring objects have different
 * colours. An object has the same colour in all slices. Each slice gets the numbers of the objects that it shows.
 * `labels` has the object of each pixel: 1, 2, 3, ..., or 0 for the background. Deliver() of the result moves the
 * picture to the file. Throws Failure. */
std::unique_ptr<Workshop>
PreparePreview(const FileImage &           image,
               const std::uint32_t *       labels,
               const std::vector<Number> & numbers,
               const std::string &         file);

#endif
