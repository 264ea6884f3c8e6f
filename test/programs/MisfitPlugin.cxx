// SPDX-License-Identifier: Apache-2.0

// The plug-in as it would be built for another version of ITK.

#include "itkVersion.h"

#undef ITK_SOURCE_VERSION
#define ITK_SOURCE_VERSION "itk version 5.1.99"

#include "../../src/plugin/Plugin.cxx"
