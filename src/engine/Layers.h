// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_Layers_h
#define ccl_engine_Layers_h

// The layers of images of bits. A layer is the row groups at one z of a volume, or one row group of a plane.

#include "algorithms/Request.h"
#include "algorithms/runs/HostRows.h"
#include "executors/host/ParallelFor.h"
#include "primitives/ImageStack.h"
#include "primitives/Runs.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace itk::ccl
{

/** The layers of images, and their runs. */
template <typename TRowGroup>
class Layers
{
public:
  Layers(const ParallelFor & parallelFor, const RowGroupBits<TRowGroup> & groups, const Request & request)
    : m_Groups(groups)
    , m_Size(request.size)
    , m_Images(request.images)
    , m_IsPlane(request.size.z == 1)
    , m_LayersOfImage(m_IsPlane ? groups.columns.words.y : groups.groupsAlongZ)
    , m_FirstRuns(m_LayersOfImage * request.images + 1)
  {
    const std::uint64_t rowGroups = this->GetWordsOfLayer() / groups.columns.words.x;
    parallelFor(this->Count(), [&](std::uint64_t layer) {
      std::uint64_t runs = 0;
      for (std::uint64_t i = 0; i < rowGroups; ++i)
      {
        runs += groups.columns.CountStarts((layer * rowGroups + i) * groups.columns.words.x);
      }
      m_FirstRuns[layer + 1] = runs;
    });
    std::partial_sum(m_FirstRuns.begin(), m_FirstRuns.end(), m_FirstRuns.begin());
  }

  /** Returns the number of layers of all images. */
  std::uint64_t
  Count() const
  {
    return m_LayersOfImage * m_Images;
  }

  /** Returns the number of layers of each image. */
  std::uint64_t
  CountInImage() const
  {
    return m_LayersOfImage;
  }

  /** Returns the number of runs before a layer. */
  std::uint64_t
  GetFirstRun(std::uint64_t layer) const
  {
    return m_FirstRuns[layer];
  }

  /** Returns the number of words of the columns of a layer. */
  std::uint64_t
  GetWordsOfLayer() const
  {
    return m_Groups.columns.words.x * (m_IsPlane ? 1 : m_Groups.columns.words.y);
  }

  /** Returns the images that layers of one image are, or layers of whole images. */
  ImageStack
  StackOf(std::uint64_t begin, std::uint64_t end) const
  {
    const std::uint64_t first = begin % m_LayersOfImage;
    if (first == 0 && (end - begin) % m_LayersOfImage == 0)
    {
      return ccl::StackOf<TRowGroup>(m_Size, (end - begin) / m_LayersOfImage);
    }
    const std::uint64_t step = m_IsPlane ? TRowGroup::Rows : TRowGroup::Slices;
    Grid                size = m_Size;
    std::uint64_t &     length = m_IsPlane ? size.y : size.z;
    length = std::min(length, (first + end - begin) * step) - first * step;
    return size;
  }

  /** Returns the bits of layers. */
  RowGroupBits<TRowGroup>
  BitsOf(std::uint64_t begin, std::uint64_t end) const
  {
    const std::uint64_t rowsOfImage = m_Size.y * ccl::StackOf<TRowGroup>(m_Size, m_Images).slices;
    const std::uint64_t rowsOfLayer = m_IsPlane ? TRowGroup::Rows : TRowGroup::Slices * m_Size.y;
    const std::uint64_t row = begin / m_LayersOfImage * rowsOfImage + begin % m_LayersOfImage * rowsOfLayer;
    const Word *        secondBits = nullptr;
    if constexpr (TRowGroup::HasValues)
    {
      secondBits = m_Groups.columns.starts + begin * this->GetWordsOfLayer();
    }
    else if constexpr (TRowGroup::HasSecondBits)
    {
      secondBits = m_Groups.columns.bits + begin * this->GetWordsOfLayer();
    }
    return { this->StackOf(begin, end), m_Groups.rows.bits + row * m_Groups.rows.words.x, secondBits };
  }

private:
  RowGroupBits<TRowGroup>    m_Groups;
  Grid                       m_Size;
  std::uint64_t              m_Images;
  bool                       m_IsPlane;
  std::uint64_t              m_LayersOfImage;
  std::vector<std::uint64_t> m_FirstRuns; // of each layer, and the number of all runs
};

} // namespace itk::ccl

#endif
