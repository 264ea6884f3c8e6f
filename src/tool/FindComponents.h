// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_FindComponents_h
#define ccl_tool_FindComponents_h

#include "BitRows.h"
#include "Options.h"
#include "ReadImage.h"
#include "Report.h"

#include "itkCudaConnectedComponentTable.h"

#include <cstdint>
#include <memory>
#include <vector>

/** The components that the options select. */
struct Components
{
  std::unique_ptr<std::uint32_t[]> labels;     // 1, 2, 3, ... and 0 in the background; null if nothing needs the labels
  BitRows                          kept;       // 1 for the pixels of components; empty without --mask-output
  itk::CudaConnectedComponentTable table;      // without rows if nothing needs the table
  itk::CudaConnectedComponentTable labelTable; // of the values of the image; without rows without --label-table
  std::vector<char>                filled;     // the pixels of the image with filled holes of values, or none
};

/** Fills holes, labels an image, measures and selects its components, and adds the results to the report. The pixels of
 * `intensities` may be null, and those of `values`, the image, if it is not labeled by value. Throws Failure. */
Components
FindComponents(const Options &   options,
               const Geometry &  geometry,
               const BitRows &   foreground,
               const ImageView & values,
               const ImageView & intensities,
               Report &          report);

#endif
