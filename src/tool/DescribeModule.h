// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_DescribeModule_h
#define ccl_tool_DescribeModule_h

#include <string>

/** Returns the description of this program as a command-line module of 3D Slicer, in XML: the options of OptionTable(),
 * and the results of ReturnParametersOf(). */
std::string
DescribeModule();

#endif
