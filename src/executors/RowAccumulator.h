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
 * A few rows may get most values: a large component owns most runs of its region, with small components between them,
 * and two large components may share a border. So the accumulator holds the sums of the two rows that got values last.
 */
template <typename TValue>
class RowAccumulator
{
public:
  static constexpr unsigned int Rows = 2;

  /** Takes a value of a row. Sets `row` and `value` to a sum that the caller must add to the table: that of another
   * row. Sets `row` to NoRow if there is nothing to add. */
  CCL_HOST_DEVICE
  void
  Exchange(std::uint64_t & row, TValue & value)
  {
    if (row != m_Rows[0])
    {
      Swap(m_Rows[0], m_Rows[1]);
      Swap(m_Values[0], m_Values[1]);
    }
    if (row == m_Rows[0])
    {
      m_Values[0].Merge(value);
      row = NoRow;
    }
    else
    {
      Swap(m_Rows[0], row);
      Swap(m_Values[0], value);
    }
  }

  /** Removes a sum, and sets `row` and `value` to it. Sets `row` to NoRow if there is none. `Rows` calls remove all. */
  CCL_HOST_DEVICE
  void
  Remove(std::uint64_t & row, TValue & value)
  {
    row = NoRow;
    Swap(m_Rows[0], row);
    value = m_Values[0];
    Swap(m_Rows[0], m_Rows[1]);
    m_Values[0] = m_Values[1];
  }

private:
  template <typename T>
  CCL_HOST_DEVICE
  static void
  Swap(T & a, T & b)
  {
    const T old = a;
    a = b;
    b = old;
  }

  std::uint64_t m_Rows[Rows] = { NoRow, NoRow }; // the first one got a value last
  TValue        m_Values[Rows]{};
};

} // namespace itk::ccl

#endif
