// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_PropertySums_h
#define ccl_gallery_PropertySums_h

// The sums from which the properties of components follow: the number of pixels, and the sums of x, y, x^2, y^2 and xy.
// Asad, Marroquim and Souza, "On GPU Connected Components and Properties: A Systematic Evaluation of Connected
// Component Labeling Algorithms and their Extension for Property Extraction", Section III.
// Properties.h explains when the sums are added up.
//
// Departure: if sums move, only the size of the old representative becomes 0. The paper clears all sums. A size of 0
// says that the other sums of the element are meaningless, so 40 bytes of writes per pixel are saved.

#include "executors/Executor.h"
#include "primitives/Atomics.h"
#include "primitives/Grid.h"
#include "primitives/Sums.h"

#include <array>
#include <utility>

namespace itk::ccl::gallery
{

/** The sums of a component, or of some of its pixels. */
template <typename TSize>
struct PropertySums
{
  TSize         size; // number of pixels
  std::uint64_t x;
  std::uint64_t y;
  std::uint64_t xx;
  std::uint64_t yy;
  std::uint64_t xy;
};

/** Returns the sums of one pixel (Equation 3). */
template <typename TSize>
CCL_HOST_DEVICE
constexpr PropertySums<TSize>
SumsOfPixel(const Cell & pixel)
{
  return { 1, pixel.x, pixel.y, pixel.x * pixel.x, pixel.y * pixel.y, pixel.x * pixel.y };
}

/** Returns whether the sums of every component of a plane fit in 64 bits. They do up to 65,536 x 65,536 pixels. The
 * properties of the gallery assume it. */
constexpr bool
SumsFit(const Grid & size)
{
  // The largest component is the whole plane. Its sum of xy is not larger than the larger one of xx and yy.
  constexpr auto sumOfSquares = [](UInt128 n) { return (n - 1) * n / 2 * (2 * n - 1) / 3; };
  constexpr auto limit = static_cast<UInt128>(~std::uint64_t{ 0 });
  // A longer side would overflow 128 bits.
  constexpr std::uint64_t longest = std::uint64_t{ 1 } << 32;
  return size.x <= longest && size.y <= longest && size.y * sumOfSquares(size.x) <= limit &&
         size.x * sumOfSquares(size.y) <= limit;
}

/** The sums of many components, as a structure of arrays. */
template <typename TSize>
struct PropertyArrays
{
  TSize *         size;
  std::uint64_t * x;
  std::uint64_t * y;
  std::uint64_t * xx;
  std::uint64_t * yy;
  std::uint64_t * xy;

  CCL_HOST_DEVICE
  PropertySums<TSize>
  Get(std::uint64_t index) const
  {
    return { size[index], x[index], y[index], xx[index], yy[index], xy[index] };
  }

  CCL_HOST_DEVICE
  void
  Set(std::uint64_t index, const PropertySums<TSize> & sums) const
  {
    size[index] = sums.size;
    x[index] = sums.x;
    y[index] = sums.y;
    xx[index] = sums.xx;
    yy[index] = sums.yy;
    xy[index] = sums.xy;
  }

  /** Adds sums to an element by atomic operations. */
  CCL_HOST_DEVICE
  void
  Add(std::uint64_t index, const PropertySums<TSize> & sums) const
  {
    AtomicAdd(size + index, sums.size);
    AtomicAdd(x + index, sums.x);
    AtomicAdd(y + index, sums.y);
    AtomicAdd(xx + index, sums.xx);
    AtomicAdd(yy + index, sums.yy);
    AtomicAdd(xy + index, sums.xy);
  }

  // The members below are for Early. NoProperties has them, too. An element belongs to the pixel with its index.

  /** Sets the sums of a pixel to its own coordinates, or to nothing if it is background. */
  CCL_HOST_DEVICE
  void
  SetPixel(std::uint64_t index, const Cell & pixel, bool isForeground) const
  {
    if (isForeground)
    {
      this->Set(index, SumsOfPixel<TSize>(pixel));
    }
    else
    {
      size[index] = 0;
    }
  }

  /** Adds a pixel to the sums of another pixel, or of itself. */
  CCL_HOST_DEVICE
  void
  AddPixel(std::uint64_t index, const Cell & pixel) const
  {
    this->Add(index, SumsOfPixel<TSize>(pixel));
  }

  /** Moves the sums of a pixel that is not a root to its root (Equation 1). Does nothing if they have moved before. */
  CCL_HOST_DEVICE
  void
  Transfer(std::uint64_t from, std::uint64_t root) const
  {
    if (size[from] != 0)
    {
      const PropertySums<TSize> sums = this->Get(from);
      size[from] = 0;
      this->Add(root, sums);
    }
  }
};

/** Takes the place of PropertyArrays in the variants Ordinary and Late of an algorithm, and does nothing. */
struct NoProperties
{
  CCL_HOST_DEVICE
  void
  SetPixel(std::uint64_t, const Cell &, bool) const
  {}
  CCL_HOST_DEVICE
  void
  AddPixel(std::uint64_t, const Cell &) const
  {}
  CCL_HOST_DEVICE
  void
  Transfer(std::uint64_t, std::uint64_t) const
  {}
};

/** The owner of PropertyArrays, whose elements are not initialized. Each array has memory of its own, as in the paper.
 * In one buffer, the sums of a plane of few components would share a cache line, and the atomic operations on one line
 * run one after the other. */
template <typename TSize, typename TExecutor>
class PropertyMemory
{
public:
  PropertyMemory(const TExecutor & executor, std::uint64_t count)
    : m_Count(count)
    , m_Sizes(executor.template Allocate<TSize>(count))
    , m_Sums{ executor.template Allocate<std::uint64_t>(count),
              executor.template Allocate<std::uint64_t>(count),
              executor.template Allocate<std::uint64_t>(count),
              executor.template Allocate<std::uint64_t>(count),
              executor.template Allocate<std::uint64_t>(count) }
  {}

  /** The number of elements. */
  std::uint64_t
  GetCount() const
  {
    return m_Count;
  }

  PropertyArrays<TSize>
  GetArrays() const
  {
    return { m_Sizes.get(), m_Sums[0].get(), m_Sums[1].get(), m_Sums[2].get(), m_Sums[3].get(), m_Sums[4].get() };
  }

  /** Sets all sums to 0. */
  void
  Clear(const TExecutor & executor) const
  {
    executor.Fill(m_Sizes.get(), m_Count, 0);
    for (const auto & sums : m_Sums)
    {
      executor.Fill(sums.get(), m_Count, 0);
    }
  }

private:
  template <typename T>
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<T>(0));

  std::uint64_t                            m_Count;
  BufferType<TSize>                        m_Sizes;
  std::array<BufferType<std::uint64_t>, 5> m_Sums; // of x, y, x^2, y^2 and xy
};

} // namespace itk::ccl::gallery

#endif
