// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_PluginPath_h
#define ccl_tool_PluginPath_h

#include <string>

/** Returns the folder of the plug-in, which is the value for ITK_AUTOLOAD_PATH. Throws Failure if this program was
 * built or installed without the plug-in. */
std::string
FindPluginPath();

#endif
