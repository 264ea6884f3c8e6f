// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadIntensities_h
#define ccl_tool_ReadIntensities_h

#include "itkCudaConnectedComponentIntensities.h"
#include "itkImageBase.h"

#include <string>

/** The image of --intensity. */
template <unsigned int VDimension>
struct Intensities
{
  typename itk::ImageBase<VDimension>::ConstPointer image; // keeps the pixels in memory; null without the option
  itk::CudaConnectedComponentIntensities::Image     pixels;
};

/** Reads an image with one value per pixel. Throws Failure. */
template <unsigned int VDimension>
Intensities<VDimension>
ReadIntensities(const std::string & file);

extern template Intensities<2>
ReadIntensities<2>(const std::string & file);
extern template Intensities<3>
ReadIntensities<3>(const std::string & file);

#endif
