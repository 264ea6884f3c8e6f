// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_LongRows_h
#define CudaConnectedComponentsDetail_LongRows_h

#include "itkImageRegion.h"

#include <algorithm>
#include <cstdint>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Divides the pixels of a region into long rows. A row is contiguous in the buffers of two images. If the region is
 * the buffered region of both images, the only row contains all pixels. */
template <unsigned int VDimension>
class LongRows
{
public:
  using RegionType = ImageRegion<VDimension>;

  LongRows(const RegionType & region, const RegionType & buffered, const RegionType & otherBuffered)
    : m_Region(region)
    , m_Length(region.GetSize(0))
  {
    const auto isComplete = [&](unsigned int axis) {
      return region.GetSize(axis) == buffered.GetSize(axis) && region.GetSize(axis) == otherBuffered.GetSize(axis);
    };
    while (m_Axis < VDimension && isComplete(m_Axis - 1))
    {
      m_Length *= region.GetSize(m_Axis++);
    }
  }

  /** Returns whether there is only one row. */
  bool
  AreOne() const
  {
    return m_Length == m_Region.GetNumberOfPixels();
  }

  /** Calls function(index, x, count) for the parts of rows that contain the pixels from `begin` to `end` - 1 of the
   * region, in raster order. `index` is the index of the row's first pixel, and `x` is the number of pixels of the row
   * before the part. */
  template <typename TFunction>
  void
  ForEach(std::uint64_t begin, std::uint64_t end, const TFunction & function) const
  {
    while (begin < end)
    {
      auto          index = m_Region.GetIndex();
      std::uint64_t row = begin / m_Length;
      for (unsigned int axis = m_Axis; axis < VDimension; ++axis)
      {
        index[axis] += static_cast<IndexValueType>(row % m_Region.GetSize(axis));
        row /= m_Region.GetSize(axis);
      }
      const std::uint64_t x = begin % m_Length;
      const std::uint64_t count = std::min(m_Length - x, end - begin);
      function(index, x, count);
      begin += count;
    }
  }

private:
  RegionType    m_Region;
  std::uint64_t m_Length;
  unsigned int  m_Axis{ 1 }; // the first axis along which rows differ
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
