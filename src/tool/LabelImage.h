// SPDX-License-Identifier: Apache-2.0
#ifndef LabelImage_h
#define LabelImage_h

#include "Options.h"

/** Reads the input, labels it, writes the output and prints a report. Throws Failure or itk::ExceptionObject. */
void
LabelImage(const Options & options);

#endif
