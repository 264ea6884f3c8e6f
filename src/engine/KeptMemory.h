// SPDX-License-Identifier: Apache-2.0
#ifndef KeptMemory_h
#define KeptMemory_h

#include <cstddef>
#include <map>
#include <vector>

namespace itk::ccl
{

/** Blocks of memory that no call uses, for the calls to come. Their sizes are powers of two: so calls that each need a
 * little more than the one before leave few blocks behind, and small and large ones that take turns each find theirs.
 * Not safe for several threads at once. */
class KeptMemory
{
public:
  struct Block
  {
    void *      memory;
    std::size_t bytes;
  };

  /** The size of a new block for so many bytes. */
  static std::size_t
  SizeFor(std::size_t bytes)
  {
    std::size_t size = 65536; // less is not worth a block of its own
    while (size < bytes)
    {
      size *= 2;
    }
    return size;
  }

  /** Gives a block of at least so many bytes, and not of more than four times the size of a new one. Where none is
   * kept, gives nullptr, and the size of a new one. */
  Block
  Take(std::size_t bytes)
  {
    const auto kept = m_Blocks.lower_bound(bytes);
    if (kept == m_Blocks.end() || kept->first / 4 > SizeFor(bytes))
    {
      return { nullptr, SizeFor(bytes) };
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
