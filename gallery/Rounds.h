// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_Rounds_h
#define ccl_gallery_Rounds_h

// Rounds of kernels that the host repeats until nothing changes.
//
// Race, allowed: in a round, a thread may read a label before or after another thread lowers it. Both labels belong to
// the same component. The last round changes nothing, so all its reads are current.
//
// Many threads may set the flag of a round. They all store the same 1. The review counts 1 byte for this flag. Here, it
// has 4 bytes, and 4 more on the host.

#include "executors/Executor.h"
#include "primitives/Atomics.h"

namespace itk::ccl::gallery
{

/** Tells the host whether any thread of a round has changed a label. */
struct ChangeFlag
{
  std::uint32_t * address;

  /** Sets the flag. */
  CCL_HOST_DEVICE
  void
  Set() const
  {
    Store(address, std::uint32_t{ 1 });
  }
};

/** Kernel functor that copies the flag of a round to the host. */
struct CopyFlag
{
  ChangeFlag      flag;
  std::uint32_t * copy;

  CCL_HOST_DEVICE
  void
  operator()(const Cell &) const
  {
    StoreForHost(copy, *flag.address);
  }
};

/** Calls round(flag) until a round has not set the flag. After each round, the host waits for the flag. After each
 * round that has set the flag, calls finish(). */
template <typename TExecutor, typename TRound, typename TFinish>
void
RepeatUntilStable(const TExecutor & executor, const TRound & round, const TFinish & finish)
{
  const auto       memory = executor.template Allocate<std::uint32_t>(1);
  const ChangeFlag changes{ memory.get() };
  for (;;)
  {
    executor.Fill(changes.address, 1, 0);
    round(changes);
    const auto hasChanged = executor.template AllocateResult<std::uint32_t>();
    executor.ForEach(Grid{ 1 }, CopyFlag{ changes, hasChanged.GetAddress() });
    if (hasChanged.Get() == 0)
    {
      return;
    }
    finish();
  }
}

/** Does the same for rounds that need no finish(). */
template <typename TExecutor, typename TRound>
void
RepeatUntilStable(const TExecutor & executor, const TRound & round)
{
  RepeatUntilStable(executor, round, [] {});
}

} // namespace itk::ccl::gallery

#endif
