// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Blocks_h
#define ccl_python_Blocks_h

// Images in blocks: the functions of itk::CudaConnectedComponentBlocks. Blocks, seams, labels and tables are
// dictionaries of NumPy arrays and numbers, so any process can read them. Indices and sizes are along x, y and z, and x
// is the last axis of an array.

#include <nanobind/nanobind.h>

/** Adds the functions to the module. */
void
DefineBlocks(nanobind::module_ & module);

#endif
