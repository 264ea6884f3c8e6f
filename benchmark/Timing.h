// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Timing_h
#define ccl_benchmark_Timing_h

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/** The median and quartiles of the times of several runs, in milliseconds. */
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

/** The name of each step and its median time in milliseconds, in the order of the steps. */
using StepTimings = std::vector<std::pair<std::string, double>>;

/** Collects the time of each step in each run, in milliseconds. If a step occurs several times in a run, its times are
 * added. */
class StepSums
{
public:
  void
  BeginRun()
  {
    ++m_Runs;
  }

  void
  Add(const std::string & step, double milliseconds)
  {
    auto found = std::find_if(m_Steps.begin(), m_Steps.end(), [&](const auto & named) { return named.first == step; });
    if (found == m_Steps.end())
    {
      found = m_Steps.insert(m_Steps.end(), { step, {} });
    }
    found->second.resize(m_Runs, 0.0);
    found->second.back() += milliseconds;
  }

  StepTimings
  GetMedians() const
  {
    StepTimings medians;
    for (const auto & [step, milliseconds] : m_Steps)
    {
      medians.emplace_back(step, Timing(milliseconds).median);
    }
    return medians;
  }

private:
  std::size_t                                              m_Runs = 0;
  std::vector<std::pair<std::string, std::vector<double>>> m_Steps;
};

#endif
