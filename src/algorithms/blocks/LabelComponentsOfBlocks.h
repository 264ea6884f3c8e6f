// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_blocks_LabelComponentsOfBlocks_h
#define ccl_algorithms_blocks_LabelComponentsOfBlocks_h

// Labels the components of several blocks together. Only components at the border of a block enter the union-find. The
// labels are made in one walk over all components, in the order of the labels: the first component of a set that is
// visited gives the set its label. So nothing is sorted.

#include "algorithms/blocks/BlockGrid.h"
#include "primitives/UnionFind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace itk::ccl
{

/** A connection of two components: the positions of their blocks, and their positions at the borders of these. */
struct BlocksOfSeam
{
  std::array<std::size_t, 2>                        blocks; // in raster order
  const std::vector<std::array<std::uint32_t, 2>> * pairs;
};

/** The components of several blocks, and their labels. An element is a component at the border of a block: the elements
 * are numbered block by block. TElement holds their number. */
template <typename TElement>
class ComponentsOfBlocks
{
public:
  using BlockLabels = Block::Labels;

  /** \param order the positions of the blocks in `blocks` and `labels`, in raster order
   * \param labels an element for each block; gets the labels */
  ComponentsOfBlocks(const std::vector<Block> &       blocks,
                     const std::vector<std::size_t> & order,
                     std::vector<BlockLabels> &       labels)
    : m_Blocks(blocks)
    , m_Order(order)
    , m_Labels(labels)
  {
    m_FirstElements.push_back(0);
    for (const std::size_t i : order)
    {
      m_FirstElements.push_back(m_FirstElements.back() + blocks[i].borderComponents.size());
      labels[i].border.assign(blocks[i].borderComponents.size(), 0);
    }
    m_Parents.resize(m_FirstElements.back());
    std::iota(m_Parents.begin(), m_Parents.end(), TElement{ 0 });
    for (std::size_t position = 0; position < order.size(); ++position)
    {
      const std::uint64_t end = m_FirstElements[position + 1];
      while (m_BlocksOfElements.size() << ElementShift < end)
      {
        m_BlocksOfElements.push_back(position);
      }
    }
  }

  void
  Unite(const BlocksOfSeam & seam)
  {
    const std::uint64_t first = m_FirstElements[seam.blocks[0]];
    const std::uint64_t second = m_FirstElements[seam.blocks[1]];
    for (const auto & pair : *seam.pairs)
    {
      UnionSplicingAlone(
        m_Parents.data(), static_cast<TElement>(first + pair[0]), static_cast<TElement>(second + pair[1]));
    }
  }

  /** Links each element to its root, the lowest element of its set. Returns the number of sets. */
  std::uint64_t
  Flatten()
  {
    std::uint64_t sets = 0;
    for (std::uint64_t element = 0; element < m_Parents.size(); ++element)
    {
      // A parent precedes its children, so it has its root already.
      sets += m_Parents[element] == element ? 1 : 0;
      m_Parents[element] = m_Parents[m_Parents[element]];
    }
    return sets;
  }

  /** Labels the components block by block. Returns the number of labels.
   * \param firstPixels gets the first pixels of the labels, unless it is null */
  std::uint64_t
  LabelInOrderOfBlocks(std::vector<std::uint64_t> * firstPixels)
  {
    std::uint64_t last = 0; // label
    for (std::size_t position = 0; position < m_Order.size(); ++position)
    {
      const Block & block = m_Blocks[m_Order[position]];
      BlockLabels & labels = m_Labels[m_Order[position]];
      labels.begin = last + 1;
      std::uint64_t next = 0; // component
      const auto    skipUntil = [&](std::uint64_t component) {
        if (firstPixels != nullptr)
        {
          const auto begin = block.firstPixels.begin();
          firstPixels->insert(firstPixels->end(),
                              begin + static_cast<std::ptrdiff_t>(next),
                              begin + static_cast<std::ptrdiff_t>(component));
        }
        last += component - next;
        next = component;
      };
      for (std::size_t i = 0; i < block.borderComponents.size(); ++i)
      {
        const std::uint64_t component = block.borderComponents[i];
        skipUntil(component);
        next = component + 1;
        this->LabelElement(position, i, last, firstPixels);
      }
      skipUntil(block.componentCount);
    }
    return last;
  }

  /** Labels the components in the raster order of their first pixels in the whole image. Blocks along z follow each
   * other in this order. The sorted lists of the blocks of a layer are merged by a heap of their next components.
   * Returns the number of labels.
   * \param blocksOfLayer the number of blocks along x and y
   * \param firstPixels as above */
  std::uint64_t
  LabelInOrderOfFirstPixels(std::size_t blocksOfLayer, std::vector<std::uint64_t> * firstPixels)
  {
    struct Head
    {
      std::uint64_t firstPixel;
      std::size_t   position; // of the block
    };
    const auto isLater = [](const Head & a, const Head & b) { return a.firstPixel > b.firstPixel; };
    struct Cursor
    {
      std::uint64_t component = 0;
      std::size_t   border = 0;
    };
    std::uint64_t       last = 0; // label
    std::vector<Head>   heads;
    std::vector<Cursor> cursors(blocksOfLayer);
    for (std::size_t layer = 0; layer < m_Order.size(); layer += blocksOfLayer)
    {
      for (std::size_t position = layer; position < layer + blocksOfLayer; ++position)
      {
        const Block & block = m_Blocks[m_Order[position]];
        m_Labels[m_Order[position]].interior.reserve(block.componentCount - block.borderComponents.size());
        if (block.componentCount != 0)
        {
          heads.push_back({ block.firstPixels.front(), position });
        }
      }
      std::fill(cursors.begin(), cursors.end(), Cursor{});
      std::make_heap(heads.begin(), heads.end(), isLater);
      while (!heads.empty())
      {
        std::pop_heap(heads.begin(), heads.end(), isLater);
        const std::size_t position = heads.back().position;
        heads.pop_back();
        const std::uint64_t limit = heads.empty() ? ~std::uint64_t{ 0 } : heads.front().firstPixel;
        const Block &       block = m_Blocks[m_Order[position]];
        BlockLabels &       labels = m_Labels[m_Order[position]];
        Cursor &            cursor = cursors[position - layer];
        do
        {
          const auto & border = block.borderComponents;
          if (cursor.border < border.size() && border[cursor.border] == cursor.component)
          {
            this->LabelElement(position, cursor.border, last, firstPixels);
            ++cursor.border;
          }
          else
          {
            labels.interior.push_back(++last);
            if (firstPixels != nullptr)
            {
              firstPixels->push_back(block.firstPixels[cursor.component]);
            }
          }
          ++cursor.component;
        } while (cursor.component < block.componentCount && block.firstPixels[cursor.component] < limit);
        if (cursor.component < block.componentCount)
        {
          heads.push_back({ block.firstPixels[cursor.component], position });
          std::push_heap(heads.begin(), heads.end(), isLater);
        }
      }
    }
    return last;
  }

private:
  static constexpr unsigned int ElementShift = 10;

  /** Returns the place of the label of an element. */
  std::uint64_t &
  LabelOf(std::uint64_t element)
  {
    std::size_t position = m_BlocksOfElements[element >> ElementShift];
    while (m_FirstElements[position + 1] <= element)
    {
      ++position;
    }
    return m_Labels[m_Order[position]].border[element - m_FirstElements[position]];
  }

  /** Gives a component at the border of a block the label of its set. If this is the first one of the set, it is the
   * label after `last`, which then becomes the last one. */
  void
  LabelElement(std::size_t position, std::size_t border, std::uint64_t & last, std::vector<std::uint64_t> * firstPixels)
  {
    std::uint64_t & label = this->LabelOf(m_Parents[m_FirstElements[position] + border]);
    const Block &   block = m_Blocks[m_Order[position]];
    if (label == 0)
    {
      label = ++last;
      if (firstPixels != nullptr)
      {
        firstPixels->push_back(block.firstPixels[block.borderComponents[border]]);
      }
    }
    m_Labels[m_Order[position]].border[border] = label;
  }

  const std::vector<Block> &       m_Blocks;
  const std::vector<std::size_t> & m_Order;
  std::vector<BlockLabels> &       m_Labels;
  std::vector<std::uint64_t>       m_FirstElements;    // of each block in raster order, and their number
  std::vector<std::size_t>         m_BlocksOfElements; // the block of each 2^ElementShift-th element
  std::vector<TElement>            m_Parents;
};

} // namespace itk::ccl

#endif
