// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Relabel_h
#define ccl_python_Relabel_h

// Work on label images in host memory, on several threads.

#include "Array.h"
#include "Threads.h"

#include <cstdint>
#include <utility>

/** Writes the new labels of a label image: 1, 2, 3 and so on. 0 stays 0. The order is by size, the largest first, or by
 * the old labels. Of labels with the same size, the lower one comes first. Labels with less than `minimumSize` elements
 * become 0. Only the `numberOfLargest` largest stay, or all if it is 0.
 *
 * Both arrays are contiguous, in the same order, and may be the same memory. Returns the numbers of new and of old
 * labels. Throws std::overflow_error if there are more new labels than the output's type holds; the output is then
 * unchanged. The caller must not hold the GIL. */
std::pair<std::uint64_t, std::uint64_t>
Relabel(const Array & labels,
        const Array & output,
        bool          isBySize,
        std::uint64_t minimumSize,
        std::uint64_t numberOfLargest,
        Threads &     threads);

#endif
