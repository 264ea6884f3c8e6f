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

/** A seam: the positions of its blocks, and the pairs of components at their borders. */
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
        if (this->LabelElement(m_FirstElements[position] + i, labels.border[i], last) && firstPixels != nullptr)
        {
          firstPixels->push_back(block.firstPixels[component]);
        }
      }
      skipUntil(block.componentCount);
    }
    return last;
  }

  /** Labels the components in the raster order of their first pixels in the whole image. Layers of blocks along z
   * follow each other in this order, and so do the slices of a layer, and in a slice the rows of blocks along x. The
   * sorted lists of the blocks of such a row are merged by a heap of their next components. Returns the number of
   * labels.
   * \param blocksAlongX the number of blocks in a row
   * \param blocksOfLayer the number of blocks along x and y
   * \param firstPixels as above */
  std::uint64_t
  LabelInOrderOfFirstPixels(std::size_t                  blocksAlongX,
                            std::size_t                  blocksOfLayer,
                            std::vector<std::uint64_t> * firstPixels)
  {
    const auto &          imageSize = m_Blocks[m_Order.front()].imageSize;
    const std::uint64_t   pixelsOfSlice = imageSize[0] * imageSize[1];
    const auto            isLater = [](const Cursor * a, const Cursor * b) { return a->firstPixel > b->firstPixel; };
    std::uint64_t         last = 0; // label
    std::vector<Cursor>   cursors(blocksOfLayer);
    std::vector<Cursor *> heap; // the cursors of a row of blocks
    for (std::size_t layer = 0; layer < m_Order.size(); layer += blocksOfLayer)
    {
      for (std::size_t i = 0; i < blocksOfLayer; ++i)
      {
        const Block & block = m_Blocks[m_Order[layer + i]];
        BlockLabels & labels = m_Labels[m_Order[layer + i]];
        labels.interior.resize(block.componentCount - block.borderComponents.size());
        cursors[i] = { NoPixel,
                       block.firstPixels.data(),
                       block.firstPixels.data() + block.componentCount,
                       0,
                       block.borderComponents.data(),
                       block.borderComponents.data() + block.borderComponents.size(),
                       m_FirstElements[layer + i],
                       labels.border.data(),
                       labels.interior.data() };
        cursors[i].Read();
      }
      for (;;)
      {
        std::uint64_t next = NoPixel;
        for (const Cursor & cursor : cursors)
        {
          next = std::min(next, cursor.firstPixel);
        }
        if (next == NoPixel)
        {
          break;
        }
        const std::uint64_t endOfSlice = (next / pixelsOfSlice + 1) * pixelsOfSlice;
        for (auto row = cursors.begin(); row != cursors.end(); row += static_cast<std::ptrdiff_t>(blocksAlongX))
        {
          heap.clear();
          for (std::size_t i = 0; i < blocksAlongX; ++i)
          {
            Cursor & cursor = row[static_cast<std::ptrdiff_t>(i)];
            if (cursor.firstPixel < endOfSlice)
            {
              heap.push_back(&cursor);
            }
          }
          std::make_heap(heap.begin(), heap.end(), isLater);
          while (!heap.empty())
          {
            std::pop_heap(heap.begin(), heap.end(), isLater);
            Cursor &            cursor = *heap.back();
            const std::uint64_t limit = heap.size() == 1 ? endOfSlice : heap.front()->firstPixel;
            do
            {
              this->LabelNext(cursor, last, firstPixels);
            } while (cursor.firstPixel < limit);
            if (cursor.firstPixel < endOfSlice)
            {
              std::push_heap(heap.begin(), heap.end(), isLater);
            }
            else
            {
              heap.pop_back();
            }
          }
        }
      }
    }
    return last;
  }

private:
  static constexpr unsigned int  ElementShift = 10;
  static constexpr std::uint64_t NoPixel = ~std::uint64_t{ 0 };

  /** The next component of a block. */
  struct Cursor
  {
    std::uint64_t         firstPixel; // of the component; NoPixel after the last one
    const std::uint64_t * next;       // its element of Block::firstPixels
    const std::uint64_t * end;
    std::uint64_t         component;
    const std::uint64_t * border; // the next element of Block::borderComponents
    const std::uint64_t * borderEnd;
    std::uint64_t         element;
    std::uint64_t *       borderLabel;
    std::uint64_t *       interiorLabel;

    void
    Read()
    {
      firstPixel = next == end ? NoPixel : *next;
    }
  };

  /** Labels the next component of a block, and moves to the component after it. */
  void
  LabelNext(Cursor & cursor, std::uint64_t & last, std::vector<std::uint64_t> * firstPixels)
  {
    const bool isBorder = cursor.border != cursor.borderEnd && *cursor.border == cursor.component;
    if (!isBorder || this->LabelElement(cursor.element, *cursor.borderLabel, last))
    {
      if (!isBorder)
      {
        *cursor.interiorLabel++ = ++last;
      }
      if (firstPixels != nullptr)
      {
        firstPixels->push_back(cursor.firstPixel);
      }
    }
    if (isBorder)
    {
      ++cursor.border;
      ++cursor.element;
      ++cursor.borderLabel;
    }
    ++cursor.component;
    ++cursor.next;
    cursor.Read();
  }

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

  /** Writes the label of the set of an element to `label`. If the set has none, it gets the label after `last`, which
   * then becomes the last one. Returns whether it is new. */
  bool
  LabelElement(std::uint64_t element, std::uint64_t & label, std::uint64_t & last)
  {
    std::uint64_t & labelOfSet = this->LabelOf(m_Parents[element]);
    const bool      isNew = labelOfSet == 0;
    if (isNew)
    {
      labelOfSet = ++last;
    }
    label = labelOfSet;
    return isNew;
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
