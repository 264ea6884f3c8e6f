// SPDX-License-Identifier: Apache-2.0
#ifndef PluginPath_h
#define PluginPath_h

#include <string>

/** The folder of the plug-in, for ITK_AUTOLOAD_PATH. Throws Failure where there is none beside this program. */
std::string
FindPluginPath();

#endif
