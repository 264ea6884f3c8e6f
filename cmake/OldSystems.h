// SPDX-License-Identifier: Apache-2.0

// Included first in each file of the plug-in for 3D Slicer, which must load with glibc 2.28 and the libstdc++ of GCC 8.
// Debian 11's versions of this function and these constructors are newer.

#include <sstream>

__asm__(".symver pow, pow@GLIBC_2.2.5");
template std::ostringstream::basic_ostringstream();
template std::stringstream::basic_stringstream();
