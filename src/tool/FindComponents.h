// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_FindComponents_h
#define ccl_tool_FindComponents_h

#include "BitRows.h"
#include "Options.h"
#include "Report.h"

#include "itkCudaConnectedComponentTable.h"
#include "itkImage.h"

#include <cstdint>

/** The labels are 1, 2, 3, ... and 0 in the background. */
template <unsigned int VDimension>
using LabelsType = itk::Image<std::uint32_t, VDimension>;

/** The components that the options select. */
template <unsigned int VDimension>
struct Components
{
  typename LabelsType<VDimension>::Pointer labels; // null if nothing needs the labels
  BitRows                                  kept;   // 1 for the pixels of components; empty without --mask-output
  itk::CudaConnectedComponentTable         table;  // without rows if nothing needs the table
};

/** Fills holes, labels an image, measures and selects its components, and adds the results to the report. `image` is 1
 * in the foreground and 0 in the background. `mask` and the pixels of `intensities` may be null. Throws Failure. */
template <unsigned int VDimension>
Components<VDimension>
FindComponents(const Options &                                       options,
               const itk::Image<unsigned char, VDimension> &         image,
               const itk::Image<unsigned char, VDimension> *         mask,
               const itk::CudaConnectedComponentIntensities::Image & intensities,
               Report &                                              report);

extern template Components<2>
FindComponents<2>(const Options &                                       options,
                  const itk::Image<unsigned char, 2> &                  image,
                  const itk::Image<unsigned char, 2> *                  mask,
                  const itk::CudaConnectedComponentIntensities::Image & intensities,
                  Report &                                              report);
extern template Components<3>
FindComponents<3>(const Options &                                       options,
                  const itk::Image<unsigned char, 3> &                  image,
                  const itk::Image<unsigned char, 3> *                  mask,
                  const itk::CudaConnectedComponentIntensities::Image & intensities,
                  Report &                                              report);

#endif
