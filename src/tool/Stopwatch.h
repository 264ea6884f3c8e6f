// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_Stopwatch_h
#define ccl_tool_Stopwatch_h

#include <chrono>

/** Measures the time since its construction. */
class Stopwatch
{
public:
  double
  Milliseconds() const
  {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_Start).count();
  }

private:
  std::chrono::steady_clock::time_point m_Start = std::chrono::steady_clock::now();
};

#endif
