// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_HostCalls_h
#define ccl_python_HostCalls_h

// The calls for arrays in host memory.

#include "Settings.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

/** Labels an image. An element is foreground by the limits of the settings, and if it is not 0 in `mask`, which may be
 * None. `isFresh` says that nobody has written to the output since its allocation. Returns the number of labels or, for
 * a batch, an array of them, and what is known of the values. */
nanobind::tuple
LabelHost(nanobind::handle image,
          nanobind::handle mask,
          nanobind::handle output,
          bool             isFresh,
          const Settings & settings);

/** Labels an image that the host labels faster than a device, on the calling thread. Returns the number of labels, and
 * what is known of the values. The caller holds the GIL. */
std::pair<std::uint64_t, PixelValues>
LabelSmallHostImage(const itk::CudaConnectedComponentImageView & image,
                    const itk::CudaConnectedComponentImageView & output,
                    const Settings &                             settings);

/** Writes what the settings say: see Settings::Write. The output has the type of the image, and may be the image or
 * overlap the mask. `isFresh` says that nobody has written to the output since its
 * allocation. Returns what is known of the values. */
PixelValues
MaskHost(nanobind::handle image,
         nanobind::handle mask,
         nanobind::handle output,
         bool             isFresh,
         const Settings & settings);

/** Measures the components of an image, and their intensities in a second image, which may be None. Returns a
 * dictionary, see MakeDictionary(), and what is known of the values. */
nanobind::tuple
MeasureHost(nanobind::handle image, nanobind::handle mask, nanobind::handle intensities, const Settings & settings);

/** Writes the new labels of a label image: 1, 2, 3 and so on. 0 stays 0. The order is by size, the largest first, or by
 * the old labels. Of labels with the same size, the lower one comes first. Labels with less than `minimumSize` elements
 * become 0. Only the `numberOfLargest` largest stay, or all if it is 0.
 *
 * Both arrays are contiguous, in the same order, and may be the same memory. Returns the number of new labels. If the
 * output's type does not hold them, the output is unchanged. */
std::uint64_t
RelabelHost(nanobind::handle labels,
            nanobind::handle output,
            bool             isBySize,
            std::uint64_t    minimumSize,
            std::uint64_t    numberOfLargest,
            bool             isTransposed,
            unsigned int     threads);

#endif
