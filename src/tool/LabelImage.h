// SPDX-License-Identifier: Apache-2.0
#ifndef LabelImage_h
#define LabelImage_h

#include "Options.h"

/** Reads, labels and writes as the options say, and prints what it did. Throws Failure. */
void
LabelImage(const Options & options);

#endif
