// SPDX-License-Identifier: Apache-2.0
#include "Survey.h"

#include "itkCudaConnectedComponentError.h"

#include <cstdio>
#include <random>

namespace
{

/** Work that all repetitions measure. */
struct RepeatedWork
{
  const SurveyWork *  work;
  SurveyResult *      result;
  std::vector<double> milliseconds;
};

std::string
ReasonToSkip(const SurveyLimits & limits)
{
  char text[64];
  std::snprintf(text, sizeof(text), "takes more than %.0f ms", limits.skip);
  return text;
}

/** Checks a work and runs it once more. Returns the time of this run in milliseconds, or nothing if the work is wrong
 * or skipped. */
std::optional<double>
TryWork(SurveyImage &        image,
        const SurveyWork &   work,
        const SurveyLimits & limits,
        SkippedAlgorithms &  skipped,
        SurveyResult &       result)
{
  if (const auto found = skipped.find(work.algorithm); found != skipped.end())
  {
    result.note = found->second;
    return std::nullopt;
  }
  std::optional<double> milliseconds;
  try
  {
    image.limit.Start(limits.skip);
    result.isRight = work.check();
    if (result.isRight)
    {
      image.limit.Start(limits.skip);
      milliseconds = image.Time(work.run);
    }
  }
  catch (const TimeLimitExceeded &)
  {
    result.note = ReasonToSkip(limits);
  }
  catch (const itk::CudaConnectedComponentError & error)
  {
    // A larger machine may have the memory that the algorithm needs. Other errors end the survey.
    if (error.GetKind() != itk::CudaConnectedComponentError::KindEnum::Memory)
    {
      throw;
    }
    result.note = "needs more memory than there is";
  }
  image.limit.Stop();
  if (milliseconds.value_or(0.0) > limits.skip)
  {
    skipped[work.algorithm] = ReasonToSkip(limits);
  }
  else if (!result.note.empty())
  {
    skipped[work.algorithm] = result.note;
  }
  return milliseconds;
}

} // namespace

std::vector<SurveyResult>
MeasureInTurns(SurveyImage &                   image,
               const std::vector<SurveyWork> & works,
               const SurveyLimits &            limits,
               SkippedAlgorithms &             skipped)
{
  std::vector<SurveyResult> results(works.size());
  std::vector<RepeatedWork> repeated;
  for (std::size_t i = 0; i < works.size(); ++i)
  {
    results[i].name = works[i].name;
    const auto milliseconds = TryWork(image, works[i], limits, skipped, results[i]);
    if (milliseconds && *milliseconds > limits.once)
    {
      results[i].timing = Timing({ *milliseconds });
    }
    else if (milliseconds)
    {
      repeated.push_back({ &works[i], &results[i], {} });
    }
  }

  std::mt19937 random(1);
  const auto   repeat = [&](bool counts) {
    std::shuffle(repeated.begin(), repeated.end(), random);
    for (RepeatedWork & each : repeated)
    {
      const double milliseconds = image.Time(each.work->run);
      if (counts)
      {
        each.milliseconds.push_back(milliseconds);
      }
    }
    image.EndRepetition();
  };
  // The clocks and caches of device and host are steady after some milliseconds. After the first repetition, the memory
  // pool has memory for all works.
  const auto warmUpEnd = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
  repeat(false);
  do
  {
    repeat(false);
  } while (std::chrono::steady_clock::now() < warmUpEnd);
  for (unsigned int run = 0; run < limits.runs; ++run)
  {
    repeat(true);
  }
  for (const RepeatedWork & each : repeated)
  {
    each.result->timing = Timing(each.milliseconds);
    if (each.work->timeSteps)
    {
      each.result->steps = each.work->timeSteps(limits.runs);
    }
  }
  return results;
}
