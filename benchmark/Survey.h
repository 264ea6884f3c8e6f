// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Survey_h
#define ccl_benchmark_Survey_h

// The survey measures many algorithms on one image in turns. An algorithm may need thousands of rounds on some images,
// so each algorithm has a time limit.

#include "TestImages.h"
#include "Timing.h"

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>

/** Ends work that exceeds its time limit. */
class TimeLimitExceeded : public std::exception
{
public:
  const char *
  what() const noexcept override
  {
    return "the time limit of an algorithm is exceeded";
  }
};

/** The time limit of the current work. */
class TimeLimit
{
public:
  void
  Start(double milliseconds)
  {
    const std::chrono::duration<double, std::milli> duration(milliseconds);
    m_End = Clock::now() + std::chrono::duration_cast<Clock::duration>(duration);
  }

  void
  Stop()
  {
    m_End = Clock::time_point::max();
  }

  /** Throws TimeLimitExceeded if the limit is exceeded. */
  void
  Check() const
  {
    if (Clock::now() > m_End)
    {
      throw TimeLimitExceeded();
    }
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point m_End = Clock::time_point::max();
};

/** An executor that checks a time limit each time the host prepares to wait for a result. Algorithms that repeat rounds
 * wait in each round. */
template <typename TExecutor>
class LimitedExecutor : public TExecutor
{
public:
  LimitedExecutor(const TExecutor & executor, const TimeLimit & limit)
    : TExecutor(executor)
    , m_Limit(limit)
  {}

  template <typename T>
  auto
  AllocateResult() const
  {
    m_Limit.Check();
    return TExecutor::template AllocateResult<T>();
  }

private:
  const TimeLimit & m_Limit;
};

/** Work that is measured on one image: an algorithm, with or without renumbering or properties. */
struct SurveyWork
{
  std::string           name;      // in the results
  std::string           algorithm; // works of one algorithm are skipped together
  std::function<void()> run;
  /** Runs the work on spoiled labels, and returns whether all results are right. */
  std::function<bool()> check;
  /** Returns the times of the steps. Empty if they are not measured. */
  std::function<StepTimings(unsigned int runs)> timeSteps;
};

/** The works that are measured on an image, besides the algorithms as in their papers. */
struct SurveyContent
{
  bool renumbered = true; // also with ITK's labels
  bool properties = false;
  bool steps = false;
};

/** An image in the memory of a device or of the host. */
class SurveyImage
{
public:
  virtual ~SurveyImage() = default;

  /** Returns the works for a connectivity. They are valid until the next call. */
  virtual std::vector<SurveyWork>
  GetWorks(bool fullyConnected, const SurveyContent & content) = 0;

  /** Measures the floor: reads 1 byte and writes 4 bytes for each pixel. */
  virtual Timing
  TimeFloor(unsigned int runs) = 0;

  /** Returns the time of work() in milliseconds. */
  virtual double
  Time(const std::function<void()> & work) const = 0;

  /** Tells the memory cache that each work has run once. */
  virtual void
  EndRepetition() const = 0;

  TimeLimit limit;
};

std::unique_ptr<SurveyImage>
MakeSurveyImageOnDevice(const TestImage & image);

/** The host runs all work on one thread. */
std::unique_ptr<SurveyImage>
MakeSurveyImageOnHost(const TestImage & image);

/** The number of runs, and the limits in milliseconds. */
struct SurveyLimits
{
  unsigned int runs = 15;
  double       once = 50.0;   // work that takes longer runs once
  double       skip = 1000.0; // an algorithm that takes longer is skipped for the other images of the test
};

/** The result of a work. */
struct SurveyResult
{
  std::string           name;
  std::optional<Timing> timing; // nothing if the work is skipped or wrong
  StepTimings           steps;
  std::string           note; // why a work is skipped
  bool                  isRight = true;
};

/** The algorithms that are skipped, and why. */
using SkippedAlgorithms = std::map<std::string, std::string>;

/** Checks each work, and then measures the works in turns. The order is random and differs between repetitions. Adds
 * algorithms that exceed the time limit to `skipped`. */
std::vector<SurveyResult>
MeasureInTurns(SurveyImage &                   image,
               const std::vector<SurveyWork> & works,
               const SurveyLimits &            limits,
               SkippedAlgorithms &             skipped);

/** Describes an algorithm of the survey. */
struct SurveyAlgorithm
{
  std::string name;
  std::string authors;
  int         year;
};

/** Returns the published algorithms of the survey. */
std::vector<SurveyAlgorithm>
GetSurveyAlgorithms();

#endif
