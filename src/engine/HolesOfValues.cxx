// SPDX-License-Identifier: Apache-2.0
#include "engine/HolesOfValues.h"

#include "primitives/EqualValues.h"
#include "primitives/Grid.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace itk::ccl
{

namespace
{

using Run = CudaConnectedComponentLabeler::Run;
using Rows = std::vector<std::vector<Run>>;

/** Collects pairs of regions. Most pairs come again soon, so few are stored. */
class PairCollector
{
public:
  void
  Add(std::uint64_t a, std::uint64_t b)
  {
    const AdjacentRegions pair(std::min(a, b), std::max(a, b));
    AdjacentRegions &     last = m_Last[(pair.first * 31 + pair.second) % std::size(m_Last)];
    if (a != b && pair != last)
    {
      last = pair;
      m_Pairs.push_back(pair);
      if (m_Pairs.size() >= m_LimitOfPairs)
      {
        this->RemoveCopies();
        m_LimitOfPairs = std::max(m_LimitOfPairs, 2 * m_Pairs.size());
      }
    }
  }

  /** Returns the pairs in ascending order. */
  std::vector<AdjacentRegions>
  Take()
  {
    this->RemoveCopies();
    return std::move(m_Pairs);
  }

private:
  void
  RemoveCopies()
  {
    std::sort(m_Pairs.begin(), m_Pairs.end());
    m_Pairs.erase(std::unique(m_Pairs.begin(), m_Pairs.end()), m_Pairs.end());
  }

  AdjacentRegions              m_Last[256]; // no region is adjacent to itself: { 0, 0 } is no pair
  std::vector<AdjacentRegions> m_Pairs;
  std::size_t                  m_LimitOfPairs = std::size_t{ 1 } << 16;
};

/** Adds the regions of two rows whose columns differ by at most `reach`. */
void
AddPairs(const std::vector<Run> & row, const std::vector<Run> & other, std::uint64_t reach, PairCollector & pairs)
{
  auto first = other.begin();
  for (const Run & run : row)
  {
    while (first != other.end() && first->end + reach <= run.begin)
    {
      ++first;
    }
    for (auto adjacent = first; adjacent != other.end() && adjacent->begin < run.end + reach; ++adjacent)
    {
      pairs.Add(run.component, adjacent->component);
    }
  }
}

/** The neighbors of each region. */
class RegionGraph
{
public:
  RegionGraph(std::uint64_t regions, const std::vector<AdjacentRegions> & adjacent)
    : m_Begins(regions + 1)
    , m_Neighbors(2 * adjacent.size())
  {
    for (const AdjacentRegions & pair : adjacent)
    {
      ++m_Begins[pair.first];
      ++m_Begins[pair.second];
    }
    std::partial_sum(m_Begins.begin(), m_Begins.end(), m_Begins.begin());
    for (const AdjacentRegions & pair : adjacent)
    {
      m_Neighbors[--m_Begins[pair.first]] = pair.second;
      m_Neighbors[--m_Begins[pair.second]] = pair.first;
    }
  }

  /** Calls visit(neighbor) for each neighbor of a region. */
  template <typename TVisitor>
  void
  ForEachNeighbor(std::uint64_t region, const TVisitor & visit) const
  {
    std::for_each(m_Neighbors.begin() + static_cast<std::ptrdiff_t>(m_Begins[region]),
                  m_Neighbors.begin() + static_cast<std::ptrdiff_t>(m_Begins[region + 1]),
                  visit);
  }

private:
  std::vector<std::uint64_t> m_Begins; // in m_Neighbors
  std::vector<std::uint64_t> m_Neighbors;
};

/** The box of the pixels of a value in an image. */
struct BoxOfValue
{
  std::uint64_t minimums[3];
  std::uint64_t maximums[3];

  void
  Extend(const CudaConnectedComponentTable & regions, std::uint64_t region)
  {
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      minimums[axis] = std::min(minimums[axis], regions.minimums[axis][region]);
      maximums[axis] = std::max(maximums[axis], regions.maximums[axis][region]);
    }
  }

  /** Returns whether a region has pixels of the box around it. Otherwise it lies in no hole of the value: the pixels
   * beside the ends of a hole have the value. Axes of one pixel have no ends. */
  bool
  Surrounds(const CudaConnectedComponentTable & regions, std::uint64_t region, const Grid & size) const
  {
    const std::uint64_t sizes[3] = { size.x, size.y, size.z };
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      if (sizes[axis] > 1 &&
          (regions.minimums[axis][region] <= minimums[axis] || regions.maximums[axis][region] >= maximums[axis]))
      {
        return false;
      }
    }
    return true;
  }
};

} // namespace

std::vector<AdjacentRegions>
FindAdjacentRegions(const ParallelFor & parallelFor, const Rows & rows, const Grid & size, Neighbors neighbors)
{
  constexpr std::uint64_t                   rowsOfPart = 256;
  std::vector<std::vector<AdjacentRegions>> parts(DivideUp(rows.size(), rowsOfPart));
  parallelFor(parts.size(), [&](std::uint64_t part) {
    PairCollector pairs;
    for (std::uint64_t row = part * rowsOfPart; row < std::min((part + 1) * rowsOfPart, rows.size()); ++row)
    {
      for (std::size_t run = 1; run < rows[row].size(); ++run)
      {
        pairs.Add(rows[row][run - 1].component, rows[row][run].component);
      }
      const auto y = static_cast<std::int64_t>(row % size.y);
      const auto z = static_cast<std::int64_t>(row / size.y % size.z);
      for (std::int64_t otherZ = z - 1; otherZ <= z; ++otherZ)
      {
        for (std::int64_t otherY = y - 1; otherY <= (otherZ == z ? y - 1 : y + 1); ++otherY)
        {
          const auto distance = std::abs(otherY - y) + z - otherZ;
          const bool isInside = otherZ >= 0 && otherY >= 0 && otherY < static_cast<std::int64_t>(size.y);
          if (isInside && (distance == 1 || neighbors != Neighbors::Face))
          {
            const bool isReaching = neighbors == Neighbors::Full || (neighbors == Neighbors::Edge && distance == 1);
            const auto other =
              row - static_cast<std::uint64_t>((z - otherZ) * static_cast<std::int64_t>(size.y) + y - otherY);
            AddPairs(rows[row], rows[other], isReaching ? 1 : 0, pairs);
          }
        }
      }
    }
    parts[part] = pairs.Take();
  });
  PairCollector all;
  for (std::vector<AdjacentRegions> & part : parts)
  {
    std::for_each(part.begin(), part.end(), [&all](const AdjacentRegions & pair) { all.Add(pair.first, pair.second); });
    part = {};
  }
  return all.Take();
}

std::vector<std::uint64_t>
FindHolesOfValues(const CudaConnectedComponentTable &  regions,
                  const std::vector<AdjacentRegions> & adjacent,
                  const Grid &                         size,
                  const HoleSettings &                 settings)
{
  const std::uint64_t count = regions.componentCount;
  const RegionGraph   graph(count, adjacent);
  const RunValues     keys = RunValues::Of(settings.type, nullptr);
  const auto          isBackground = [&](std::uint64_t region) {
    return !settings.values.Contains(settings.type, regions.values[region]);
  };

  // The regions of each value of each image, in the order in which values come.
  std::vector<std::uint64_t> images(count);
  for (std::uint64_t image = 0, region = 0; image < regions.componentCounts.size(); ++image)
  {
    for (const std::uint64_t end = region + regions.componentCounts[image]; region < end; ++region)
    {
      images[region] = image;
    }
  }
  std::vector<std::uint64_t> sorted;
  sorted.reserve(count);
  for (std::uint64_t region = 0; region < count; ++region)
  {
    if (!isBackground(region) && !keys.IsNaN(regions.values[region]))
    {
      sorted.push_back(region);
    }
  }
  const auto isSame = [&](std::uint64_t a, std::uint64_t b) {
    return images[a] == images[b] && regions.values[a] == regions.values[b];
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint64_t a, std::uint64_t b) {
    return std::pair(images[a], regions.values[a]) < std::pair(images[b], regions.values[b]);
  });

  struct Hole
  {
    std::uint64_t size = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t region = 0; // the first region of its value
  };
  std::vector<Hole>          holes(count);    // the smallest around each region
  std::vector<std::uint64_t> searches(count); // the last one that has reached each region
  std::vector<std::uint64_t> found;
  std::uint64_t              search = 0;
  for (auto begin = sorted.begin(); begin != sorted.end();)
  {
    const std::uint64_t first = *begin;
    const auto end = std::find_if(begin, sorted.end(), [&](std::uint64_t region) { return !isSame(first, region); });
    BoxOfValue box{ { regions.minimums[0][first], regions.minimums[1][first], regions.minimums[2][first] },
                    { regions.maximums[0][first], regions.maximums[1][first], regions.maximums[2][first] } };
    std::for_each(begin, end, [&](std::uint64_t region) { box.Extend(regions, region); });
    const std::uint64_t firstSearch = search + 1; // of this value
    for (; begin != end; ++begin)
    {
      graph.ForEachNeighbor(*begin, [&](std::uint64_t start) {
        if (searches[start] >= firstSearch || isSame(start, first))
        {
          return;
        }
        // What an earlier search has reached and left is outside: a hole has no way out of it.
        ++search;
        searches[start] = search;
        found.assign(1, start);
        bool          isHole = true;
        std::uint64_t pixels = 0;
        for (std::size_t next = 0; isHole && next < found.size(); ++next)
        {
          isHole = box.Surrounds(regions, found[next], size);
          pixels += regions.pixelCounts[found[next]];
          graph.ForEachNeighbor(found[next], [&](std::uint64_t neighbor) {
            if (searches[neighbor] < firstSearch && !isSame(neighbor, first))
            {
              searches[neighbor] = search;
              found.push_back(neighbor);
            }
            isHole = isHole && (searches[neighbor] == search || searches[neighbor] < firstSearch);
          });
        }
        const Hole hole{ pixels, first };
        for (const std::uint64_t region : found)
        {
          const bool isSmaller =
            pixels < holes[region].size || (pixels == holes[region].size && first < holes[region].region);
          if (isHole && pixels <= settings.maximumSize && isSmaller)
          {
            holes[region] = hole;
          }
        }
      });
    }
  }

  std::vector<std::uint64_t> result(count);
  std::iota(result.begin(), result.end(), std::uint64_t{ 0 });
  for (std::uint64_t region = 0; region < count; ++region)
  {
    const bool mayChange = settings.overwritesValues || isBackground(region);
    if (mayChange && holes[region].size != Hole().size)
    {
      result[region] = holes[region].region;
    }
  }
  return result;
}

} // namespace itk::ccl
