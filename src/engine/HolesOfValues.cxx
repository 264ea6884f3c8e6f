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

/** The search for the smallest hole around each region. */
class HoleSearch
{
public:
  HoleSearch(const CudaConnectedComponentTable &  regions,
             const std::vector<AdjacentRegions> & adjacent,
             const Grid &                         size,
             const HoleSettings &                 settings)
    : m_Regions(regions)
    , m_Size(size)
    , m_Settings(settings)
    , m_Graph(regions.componentCount, adjacent)
    , m_Holes(regions.componentCount)
    , m_Searches(regions.componentCount)
  {
    m_Images.reserve(regions.componentCount);
    for (const std::uint64_t count : regions.componentCounts)
    {
      m_Images.insert(m_Images.end(), count, m_Images.empty() ? 0 : m_Images.back() + 1);
    }
  }

  /** Returns the result of FindHolesOfValues(). */
  std::vector<std::uint64_t>
  FindSmallest()
  {
    const std::vector<std::uint64_t> sorted = this->SortByValue();
    for (auto begin = sorted.begin(); begin != sorted.end();)
    {
      const std::uint64_t first = *begin;
      const auto end = std::find_if(begin, sorted.end(), [&](std::uint64_t region) { return !IsSame(first, region); });
      BoxOfValue box{ { m_Regions.minimums[0][first], m_Regions.minimums[1][first], m_Regions.minimums[2][first] },
                      { m_Regions.maximums[0][first], m_Regions.maximums[1][first], m_Regions.maximums[2][first] } };
      std::for_each(begin, end, [&](std::uint64_t region) { box.Extend(m_Regions, region); });
      m_FirstSearch = m_Search + 1;
      for (; begin != end; ++begin)
      {
        m_Graph.ForEachNeighbor(*begin, [&](std::uint64_t start) {
          if (m_Searches[start] < m_FirstSearch && !IsSame(start, first))
          {
            this->SearchHole(start, first, box);
          }
        });
      }
    }

    std::vector<std::uint64_t> result(m_Regions.componentCount);
    std::iota(result.begin(), result.end(), std::uint64_t{ 0 });
    for (std::uint64_t region = 0; region < result.size(); ++region)
    {
      const bool mayChange = m_Settings.overwritesValues || IsBackground(region);
      if (mayChange && m_Holes[region].size != Hole().size)
      {
        result[region] = m_Holes[region].region;
      }
    }
    return result;
  }

private:
  struct Hole
  {
    std::uint64_t size = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t region = 0; // the first region of its value
  };

  bool
  IsBackground(std::uint64_t region) const
  {
    return !m_Settings.values.Contains(m_Settings.type, m_Regions.values[region]);
  }

  /** Returns whether two regions have one value, in one image. */
  bool
  IsSame(std::uint64_t a, std::uint64_t b) const
  {
    return m_Images[a] == m_Images[b] && m_Regions.values[a] == m_Regions.values[b];
  }

  /** Returns the regions of values that have holes, those of each value of each image together. */
  std::vector<std::uint64_t>
  SortByValue() const
  {
    const RunValues            keys = RunValues::Of(m_Settings.type, nullptr);
    std::vector<std::uint64_t> sorted;
    sorted.reserve(m_Regions.componentCount);
    for (std::uint64_t region = 0; region < m_Regions.componentCount; ++region)
    {
      if (!IsBackground(region) && !keys.IsNaN(m_Regions.values[region]))
      {
        sorted.push_back(region);
      }
    }
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint64_t a, std::uint64_t b) {
      return std::pair(m_Images[a], m_Regions.values[a]) < std::pair(m_Images[b], m_Regions.values[b]);
    });
    return sorted;
  }

  /** Searches the hole of a value with the region `start`. `first` is the first region of the value, and `box` its box.
   * What an earlier search for this value has reached and left is outside: a hole has no way out of it. */
  void
  SearchHole(std::uint64_t start, std::uint64_t first, const BoxOfValue & box)
  {
    ++m_Search;
    m_Searches[start] = m_Search;
    m_Found.assign(1, start);
    bool isHole = true;
    Hole hole{ 0, first };
    for (std::size_t next = 0; isHole && next < m_Found.size(); ++next)
    {
      isHole = box.Surrounds(m_Regions, m_Found[next], m_Size);
      hole.size += m_Regions.pixelCounts[m_Found[next]];
      m_Graph.ForEachNeighbor(m_Found[next], [&](std::uint64_t neighbor) {
        if (m_Searches[neighbor] < m_FirstSearch && !IsSame(neighbor, first))
        {
          m_Searches[neighbor] = m_Search;
          m_Found.push_back(neighbor);
        }
        isHole = isHole && (m_Searches[neighbor] == m_Search || m_Searches[neighbor] < m_FirstSearch);
      });
    }
    if (isHole && hole.size <= m_Settings.maximumSize)
    {
      for (const std::uint64_t region : m_Found)
      {
        Hole & smallest = m_Holes[region];
        smallest = std::pair(hole.size, first) < std::pair(smallest.size, smallest.region) ? hole : smallest;
      }
    }
  }

  const CudaConnectedComponentTable & m_Regions;
  const Grid &                        m_Size;
  const HoleSettings &                m_Settings;
  RegionGraph                         m_Graph;
  std::vector<std::uint64_t>          m_Images;          // of the regions
  std::vector<Hole>                   m_Holes;           // the smallest around each region
  std::vector<std::uint64_t>          m_Searches;        // the last one that has reached each region
  std::vector<std::uint64_t>          m_Found;           // by the present search
  std::uint64_t                       m_Search = 0;      // the number of the present one
  std::uint64_t                       m_FirstSearch = 0; // of the present value
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
  return HoleSearch(regions, adjacent, size, settings).FindSmallest();
}

} // namespace itk::ccl
