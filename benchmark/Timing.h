// SPDX-License-Identifier: Apache-2.0
#ifndef Timing_h
#define Timing_h

#include <algorithm>
#include <vector>

/** Milliseconds of several runs of the same thing. */
struct Timing
{
  double       median = 0.0;
  double       lowerQuartile = 0.0;
  double       upperQuartile = 0.0;
  unsigned int runs = 0;

  explicit Timing(std::vector<double> milliseconds = { 0.0 })
    : runs(static_cast<unsigned int>(milliseconds.size()))
  {
    std::sort(milliseconds.begin(), milliseconds.end());
    const auto at = [&milliseconds](std::size_t quarters) {
      return milliseconds[(milliseconds.size() - 1) * quarters / 4];
    };
    lowerQuartile = at(1);
    median = at(2);
    upperQuartile = at(3);
  }
};

#endif
