// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_LabelImage_h
#define ccl_tool_LabelImage_h

#include "Options.h"

/** Reads the input, labels it, writes the labels and the table, and prints a report. Throws Failure or
 * itk::ExceptionObject. */
void
LabelImage(const Options & options);

#endif
