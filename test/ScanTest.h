// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_ScanTest_h
#define ccl_test_ScanTest_h

// Tests Scan() of an executor.

#include "executors/Executor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace ScanTest
{

/** The values of the scan: small numbers without a pattern. */
struct ValueAt
{
  std::uint64_t largest;

  CCL_HOST_DEVICE
  std::uint64_t
  operator()(std::uint64_t index) const
  {
    return (index * 0x9E3779B97F4A7C15U >> 40) % (largest + 1);
  }
};

/** Kernel functor that writes the number of values. */
template <typename TSum>
struct StoreCount
{
  TSum   count;
  TSum * address;

  CCL_HOST_DEVICE
  void
  operator()(const itk::ccl::Cell &) const
  {
    *address = count;
  }
};

/** Scans `count` values if there is room for `limit`, and expects their prefixes and their sum. If `count` is less than
 * the limit, the executor reads it from its own memory. `read(memory, n)` returns a vector of elements in the
 * executor's memory. */
template <typename TSum, typename TExecutor, typename TReader>
void
ExpectPrefixes(const TExecutor &   executor,
               const TReader &     read,
               std::uint64_t       count,
               std::uint64_t       limit,
               const std::uint64_t largestValue)
{
  using namespace itk::ccl;
  constexpr TSum     untouched = std::numeric_limits<TSum>::max();
  const ValueAt      valueAt{ largestValue };
  const auto         prefixes = executor.template Allocate<TSum>(limit + 1);
  const auto         number = executor.template Allocate<TSum>(2);
  const auto         total = executor.template AllocateResult<TSum>();
  TSum * const       totalInMemory = number.get() + 1;
  BoundedCount<TSum> bounded{ limit };
  executor.Fill(prefixes.get(), limit + 1, 0xFF);
  if (count != limit)
  {
    executor.ForEach(Grid{ 1 }, StoreCount<TSum>{ static_cast<TSum>(count), number.get() });
    bounded = { limit, number.get() };
  }
  executor.template Scan<TSum>(bounded, valueAt, StorePrefix<TSum>{ prefixes.get() }, total.GetAddress());
  executor.template Scan<TSum>(bounded, valueAt, StorePrefix<TSum>{ nullptr }, totalInMemory);

  const std::uint64_t visited = count <= limit ? count : 0;
  std::vector<TSum>   expected(limit + 1, untouched);
  TSum                sum = 0;
  for (std::uint64_t i = 0; i < visited; ++i)
  {
    expected[i] = sum;
    sum += static_cast<TSum>(valueAt(i));
  }
  EXPECT_EQ(total.Get(), sum) << count << " of " << limit;
  EXPECT_EQ(read(totalInMemory, 1)[0], sum) << count << " of " << limit;
  EXPECT_EQ(read(prefixes.get(), limit + 1) == expected, true) << count << " of " << limit;
}

/** Scans as many values as fill no, some or all chunks or tiles. */
template <typename TExecutor, typename TReader>
void
ExpectPrefixesOfAllSizes(const TExecutor & executor, const TReader & read)
{
  for (const std::uint64_t count : { 0, 1, 31, 32, 255, 2047, 2048, 2049, 4096, 8192, 8193, 65535, 65537, 1000000 })
  {
    ExpectPrefixes<std::uint32_t>(executor, read, count, count, 3);
    ExpectPrefixes<std::uint64_t>(executor, read, count, count, 0xFFFFFF);
    ExpectPrefixes<std::uint32_t>(executor, read, count, count + 100000, 1);
    ExpectPrefixes<std::uint64_t>(executor, read, count, count + 5, 0xFFFFFF);
    ExpectPrefixes<std::uint32_t>(executor, read, count + 1, count, 1);
  }
}

} // namespace ScanTest

#endif
