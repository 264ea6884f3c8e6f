// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_host_RowCache_h
#define ccl_executors_host_RowCache_h

#include "executors/RowAccumulator.h"

#include <algorithm>
#include <cstdint>

namespace itk::ccl
{

/** Merges the values that one thread adds to rows of a table, because atomic operations of several threads on one row
 * take long. It is a direct-mapped cache of rows. If another row needs an entry, or at the end, the entry is added to
 * its row. */
template <typename TTable>
class RowCache
{
public:
  using ValueType = typename TTable::ValueType;

  explicit RowCache(const TTable & table)
    : m_Table(table)
  {
    std::fill_n(m_Rows, Size, NoRow);
  }

  ~RowCache()
  {
    for (unsigned int entry = 0; entry < Size; ++entry)
    {
      this->Flush(entry);
    }
  }

  RowCache(const RowCache &) = delete;
  RowCache &
  operator=(const RowCache &) = delete;

  void
  Add(std::uint64_t row, const ValueType & value)
  {
    const auto entry = static_cast<unsigned int>(row % Size);
    if (m_Rows[entry] == row)
    {
      m_Values[entry].Merge(value);
      return;
    }
    this->Flush(entry);
    m_Rows[entry] = row;
    m_Values[entry] = value;
  }

private:
  static constexpr unsigned int Size = 64;

  void
  Flush(unsigned int entry)
  {
    if (m_Rows[entry] != NoRow)
    {
      m_Table.Add(m_Rows[entry], m_Values[entry]);
    }
  }

  TTable        m_Table;
  std::uint64_t m_Rows[Size];
  ValueType     m_Values[Size];
};

} // namespace itk::ccl

#endif
