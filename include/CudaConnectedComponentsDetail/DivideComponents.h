// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_DivideComponents_h
#define CudaConnectedComponentsDetail_DivideComponents_h

#include "CudaConnectedComponentsExport.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Divides the components into at most `maximum` parts of neighboring components, so that their objects take about the
 * same time to make. Returns the first component of each part, and then the number of components. */
CudaConnectedComponents_EXPORT std::vector<std::size_t>
DivideComponents(const std::vector<std::uint64_t> & pixelCounts, std::uint64_t maximum);

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
