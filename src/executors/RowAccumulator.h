// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_RowAccumulator_h
#define ccl_executors_RowAccumulator_h

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Merges the values that one thread adds to rows of a table, so that most of them need no atomic operation.
 *
 * A few rows may get most values: a large component owns most runs of its region, with small components between them.
 * So the accumulator keeps one row and merges its values. It changes to another row if two values in succession belong
 * to other rows. All values that it does not merge go to commit(row, value). Executors use it for AddToRows(). */
template <typename TValue>
class RowAccumulator
{
public:
  template <typename TCommit>
  CCL_HOST_DEVICE
  void
  Add(std::uint64_t row, TValue value, const TCommit & commit)
  {
    if (row == m_Row)
    {
      m_Value.Merge(value);
      m_Misses = 0;
      return;
    }
    if (m_Row == NoRow || ++m_Misses == 2)
    {
      const std::uint64_t oldRow = m_Row;
      const TValue        oldValue = m_Value;
      m_Row = row;
      m_Value = value;
      m_Misses = 0;
      row = oldRow;
      value = oldValue;
    }
    if (row != NoRow)
    {
      commit(row, value);
    }
  }

  /** Commits the merged values. */
  template <typename TCommit>
  CCL_HOST_DEVICE
  void
  Flush(const TCommit & commit)
  {
    if (m_Row != NoRow)
    {
      commit(m_Row, m_Value);
    }
  }

private:
  static constexpr std::uint64_t NoRow = ~std::uint64_t{ 0 };

  std::uint64_t m_Row = NoRow;
  TValue        m_Value{};
  unsigned int  m_Misses = 0;
};

} // namespace itk::ccl

#endif
