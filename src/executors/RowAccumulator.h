// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_RowAccumulator_h
#define ccl_executors_RowAccumulator_h

#include "primitives/HostDevice.h"

#include <cstdint>

namespace itk::ccl
{

/** Stands for no row of a table. */
inline constexpr std::uint64_t NoRow = ~std::uint64_t{ 0 };

/** Merges values that one thread adds to rows of a table, so that most of them need no atomic operation.
 *
 * A few rows may get most values: a large component owns most runs of its region, with small components between them.
 * So the accumulator holds the sum of one row. It changes to another row if two values in succession belong to other
 * rows. */
template <typename TValue>
class RowAccumulator
{
public:
  /** Takes a value of a row. Sets `row` and `value` to a sum that the caller must add to the table: the same value, or
   * the sum of another row. Sets `row` to NoRow if there is nothing to add. */
  CCL_HOST_DEVICE
  void
  Exchange(std::uint64_t & row, TValue & value)
  {
    if (row == m_Row)
    {
      m_Value.Merge(value);
      m_Misses = 0;
      row = NoRow;
    }
    else if (m_Row == NoRow || ++m_Misses == 2)
    {
      const std::uint64_t oldRow = m_Row;
      const TValue        oldValue = m_Value;
      m_Row = row;
      m_Value = value;
      m_Misses = 0;
      row = oldRow;
      value = oldValue;
    }
  }

  /** The row of the sum, or NoRow. */
  CCL_HOST_DEVICE
  std::uint64_t
  GetRow() const
  {
    return m_Row;
  }
  /** The sum. */
  CCL_HOST_DEVICE
  const TValue &
  GetValue() const
  {
    return m_Value;
  }

private:
  std::uint64_t m_Row = NoRow;
  TValue        m_Value{};
  unsigned int  m_Misses = 0;
};

} // namespace itk::ccl

#endif
