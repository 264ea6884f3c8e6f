// SPDX-License-Identifier: Apache-2.0
#ifndef KeptMemory_h
#define KeptMemory_h

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** Blocks of memory that no call uses, for the calls to come. Not safe for several threads at once. */
class KeptMemory
{
public:
  struct Block
  {
    void *      memory;
    std::size_t bytes;
  };

  /** Gives a block of `bytes` or more, up to four times as much. Where there is none, gives the largest of less, or
   * nullptr and 0: the caller frees it for a block of his own, and there are never more blocks than calls have used at
   * once, whatever they ask for. */
  Block
  Take(std::size_t bytes)
  {
    auto kept = m_Blocks.lower_bound(bytes);
    if (kept == m_Blocks.end() || kept->first / 4 > bytes)
    {
      if (kept == m_Blocks.begin())
      {
        return { nullptr, 0 };
      }
      --kept;
    }
    const Block block{ kept->second, kept->first };
    m_Blocks.erase(kept);
    return block;
  }

  void
  Keep(const Block & block)
  {
    m_Blocks.emplace(block.bytes, block.memory);
  }

  /** Gives all blocks. */
  std::vector<Block>
  TakeAll()
  {
    std::vector<Block> blocks;
    for (const auto & kept : m_Blocks)
    {
      blocks.push_back({ kept.second, kept.first });
    }
    m_Blocks.clear();
    return blocks;
  }

private:
  std::multimap<std::size_t, void *> m_Blocks; // by size
};

} // namespace itk::ccl

#endif
