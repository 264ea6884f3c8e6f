// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_LabelRows_h
#define CudaConnectedComponentsDetail_LabelRows_h

#include <cstdint>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

// The labels are 0, 1, 2 and so on, without the background value. So object i has label i or i + 1. The background
// value is converted to 64 bits by static_cast. Negative background values then are larger than all labels.

/** Returns the label of object i. */
inline std::uint64_t
LabelOfRow(std::uint64_t i, std::uint64_t background)
{
  return i + (i >= background ? 1 : 0);
}

/** Returns the index of the object with this label. The label must not be the background value. */
inline std::uint64_t
RowOfLabel(std::uint64_t label, std::uint64_t background)
{
  return label - (label > background ? 1 : 0);
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
