// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_HostCalls_h
#define ccl_python_HostCalls_h

// The calls for arrays in host memory.

#include "Request.h"

#include <nanobind/nanobind.h>

#include <cstdint>

/** Labels an image. `limits` and `mask` may be None, see ArrayPacker. `isFresh` says that nobody has written to the
 * output since its allocation. Returns the number of labels or, for a batch, an array of them. */
nanobind::object
LabelHost(nanobind::handle image,
          nanobind::handle limits,
          nanobind::handle mask,
          nanobind::handle output,
          bool             isFresh,
          Request &        request);

/** Copies the selected components of an image: writes the elements of `values` that belong to them, and 0 for all
 * others. `values` has the elements of the image as unsigned integers, and may be the output. `limits` and `mask` may
 * be None, see ArrayPacker; they and the image may overlap the output. `isFresh` says that nobody has written to the
 * output since its allocation; it is then contiguous. Returns the number of selected components. */
std::uint64_t
MaskHost(nanobind::handle image,
         nanobind::handle limits,
         nanobind::handle mask,
         nanobind::handle values,
         nanobind::handle output,
         bool             isFresh,
         Request &        request);

/** Measures the components of an image. Returns a dictionary, see MakeDictionary(). */
nanobind::dict
MeasureHost(nanobind::handle image,
            nanobind::handle limits,
            nanobind::handle mask,
            bool             wantsBoxes,
            bool             wantsMeans,
            bool             wantsFaces,
            Request &        request);

/** Relabels an image, see Relabel(). Returns the numbers of new and of old labels. */
nanobind::tuple
RelabelHost(nanobind::handle labels,
            nanobind::handle output,
            bool             isBySize,
            std::uint64_t    minimumSize,
            std::uint64_t    numberOfLargest,
            bool             isTransposed,
            unsigned int     threads);

#endif
