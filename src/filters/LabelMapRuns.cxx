// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/LabelMapRuns.h"

#include "primitives/EqualPixels.h"
#include "primitives/PixelTypes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

/** Gives labels indices in the order of their first use. The small cache finds the labels of most runs. */
template <typename TLabel>
class LabelIndices
{
public:
  std::uint64_t
  GetIndex(TLabel label)
  {
    Entry & entry = m_Cache[static_cast<std::uint64_t>(label) % m_Cache.size()];
    if (entry.label != label || entry.index == None)
    {
      const auto [position, isNew] = m_Indices.try_emplace(label, m_Labels.size());
      if (isNew)
      {
        m_Labels.push_back(static_cast<std::uint64_t>(label));
      }
      entry = { label, position->second };
    }
    return entry.index;
  }

  /** Returns the label of each index. Call it once, after the last label. */
  std::vector<std::uint64_t>
  TakeLabels()
  {
    return std::move(m_Labels);
  }

private:
  static constexpr std::uint64_t None = std::numeric_limits<std::uint64_t>::max();

  struct Entry
  {
    TLabel        label{ 0 };
    std::uint64_t index{ None };
  };

  std::array<Entry, 256>                    m_Cache;
  std::unordered_map<TLabel, std::uint64_t> m_Indices;
  std::vector<std::uint64_t>                m_Labels;
};

} // namespace

std::vector<std::uint64_t>
VisitRunsOfLabels(const std::vector<ImageView> &                               views,
                  std::uint64_t                                                background,
                  const std::function<void(const std::vector<RunOfLabel> &)> & visit)
{
  constexpr std::size_t maximumRuns = 512; // they stay in the cache of the processor
  return ccl::VisitLabelType(views.front().type, [&](auto zero) {
    using LabelType = decltype(zero);
    LabelIndices<LabelType> indices;
    std::vector<RunOfLabel> runs;
    std::uint64_t           row = 0;
    for (const ImageView & view : views)
    {
      const std::uint64_t length = view.size[0];
      for (std::uint64_t rowOfView = 0; rowOfView < view.size[1] * view.size[2]; ++rowOfView, ++row)
      {
        const auto * const pixels = reinterpret_cast<const LabelType *>(view.Row(rowOfView));
        std::uint64_t      x = 0;
        ccl::ForEachRun(pixels, length, [&](LabelType label, std::uint64_t count) {
          if (label != static_cast<LabelType>(background))
          {
            runs.push_back({ row, x, count, indices.GetIndex(label) });
            if (runs.size() == maximumRuns)
            {
              visit(runs);
              runs.clear();
            }
          }
          x += count;
        });
      }
    }
    visit(runs);
    return indices.TakeLabels();
  });
}

std::vector<PartOfObject>
SortParts(const std::vector<std::vector<std::uint64_t>> & labels)
{
  std::vector<PartOfObject> parts;
  for (std::size_t chunk = 0; chunk < labels.size(); ++chunk)
  {
    for (std::size_t index = 0; index < labels[chunk].size(); ++index)
    {
      parts.push_back({ labels[chunk][index], chunk, index });
    }
  }
  std::sort(parts.begin(), parts.end(), [](const PartOfObject & a, const PartOfObject & b) {
    return std::tie(a.label, a.chunk) < std::tie(b.label, b.chunk);
  });
  return parts;
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
