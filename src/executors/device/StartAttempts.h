// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_executors_device_StartAttempts_h
#define ccl_executors_device_StartAttempts_h

#include "itkCudaConnectedComponentError.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace itk::ccl
{

/** Decides when to try again to start a device after a failure. A failed attempt takes longer than most labelings, so
 * calls in between fail at once. The wait is 1 s after the first failure, and doubles after each further failure, up to
 * 64 s. Not thread-safe. */
class StartAttempts
{
public:
  using ClockType = std::chrono::steady_clock;

  /** Throws the last failure if the next attempt is not due. The message ends with the time until the next attempt, in
   * seconds. */
  void
  RequireDue(ClockType::time_point now) const
  {
    if (m_LastFailure && now < m_Next)
    {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(m_Next - now).count() + 1;
      throw CudaConnectedComponentError(m_LastFailure->GetKind(),
                                        std::string(m_LastFailure->what()) +
                                          "; the next attempt to start the device is in " + std::to_string(seconds) +
                                          " s");
    }
  }

  /** Records a failed attempt. */
  void
  Fail(ClockType::time_point now, const CudaConnectedComponentError & failure)
  {
    m_LastFailure = failure;
    m_Next = now + m_Wait;
    m_Wait = std::min(2 * m_Wait, LongestWait);
  }

private:
  static constexpr std::chrono::seconds LongestWait{ 64 };

  std::optional<CudaConnectedComponentError> m_LastFailure;
  ClockType::time_point                      m_Next;
  std::chrono::seconds                       m_Wait{ 1 };
};

} // namespace itk::ccl

#endif
