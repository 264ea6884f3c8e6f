// SPDX-License-Identifier: Apache-2.0

// Tests of exceptions on the threads of a loop, and of loops that skip or repeat calls. An exception that leaves a
// thread of ThreadPool ends the program.

#include "executors/host/ParallelFor.h"
#include "itkCudaConnectedComponentLabeler.h"

#include "ThreadPool.h"

#include <gtest/gtest.h>

#include <vector>

using itk::CudaConnectedComponentError;
using itk::CudaConnectedComponentLabeler;
using itk::ccl::CheckedFor;
using itk::ccl::ParallelFor;
using itk::ccl::SequentialFor;

namespace
{

using View = itk::CudaConnectedComponentImageView;
using Body = std::function<void(std::uint64_t)>;

struct Thrown
{
  std::uint64_t at;
};

TEST(CudaConnectedComponentsParallelFor, CallsTheBodyOnceForEachIndex)
{
  for (const std::uint64_t count : { 0, 1, 1000 })
  {
    std::vector<std::atomic<int>> calls(count);
    CheckedFor(ThreadPool::For())(count, [&](std::uint64_t i) { ++calls[i]; });
    for (const auto & each : calls)
    {
      EXPECT_EQ(each, 1);
    }
  }
}

TEST(CudaConnectedComponentsParallelFor, RethrowsTheExceptionOfABody)
{
  for (const ParallelFor & loop : { ThreadPool::For(), ParallelFor(SequentialFor) })
  {
    for (int repetition = 0; repetition < 200; ++repetition)
    {
      std::atomic<int> going{ 0 };
      try
      {
        CheckedFor(loop)(100, [&](std::uint64_t i) {
          ++going;
          if (i % 10 == 7)
          {
            --going;
            throw Thrown{ i };
          }
          --going;
        });
        ADD_FAILURE() << "no exception was thrown";
      }
      catch (const Thrown & thrown)
      {
        EXPECT_EQ(thrown.at % 10, 7U);
      }
      EXPECT_EQ(going, 0);
    }
  }
}

TEST(CudaConnectedComponentsParallelFor, ExceptionOfABodyHasPriority)
{
  const ParallelFor callsOnce = [](std::uint64_t, const Body & body) { body(0); };
  EXPECT_THROW(CheckedFor(callsOnce)(9, [](std::uint64_t i) { throw Thrown{ i }; }), Thrown);
}

/** Labels a volume with a loop. Returns the error message, or an empty string if the labels are correct. */
std::string
LabelBy(const ParallelFor & loop)
{
  const CudaConnectedComponentLabeler::SizeType size{ 300, 200, 40 };
  const std::vector<std::uint8_t>               mask(300 * 200 * 40, 1);
  std::vector<std::uint8_t>                     labels(mask.size());
  CudaConnectedComponentLabeler                 labeler;
  labeler.options.onHost = true;
  labeler.options.parallelFor = loop;
  try
  {
    const std::uint64_t objects = labeler.Label(View::Of(mask.data(), size), View::Of(labels.data(), size));
    return objects == 1 && labels == mask ? "" : "wrong labels";
  }
  catch (const CudaConnectedComponentError & error)
  {
    EXPECT_EQ(error.GetKind(), CudaConnectedComponentError::KindEnum::InvalidArgument);
    return error.what();
  }
}

TEST(CudaConnectedComponentsParallelFor, SkippedAndRepeatedCallsAreErrors)
{
  EXPECT_EQ(LabelBy(ThreadPool::For()), "");
  EXPECT_EQ(LabelBy([](std::uint64_t, const Body &) {}).find("parallelFor called its body 0 times instead of "), 0U);
  for (const std::uint64_t skipped : { 0, 1, 3 })
  {
    const std::string message = LabelBy([skipped](std::uint64_t count, const Body & body) {
      for (std::uint64_t i = 0; i < count; ++i)
      {
        if (i != skipped)
        {
          body(i);
        }
      }
    });
    EXPECT_EQ(message.find("parallelFor called its body "), 0U) << message;
  }
  // This loop calls the body twice for index 0.
  EXPECT_NE(LabelBy([](std::uint64_t count, const Body & body) {
              body(0);
              SequentialFor(count, body);
            }),
            "");
}

TEST(CudaConnectedComponentsParallelFor, ExceptionsOfARowPackerReachTheCaller)
{
  CudaConnectedComponentLabeler labeler;
  labeler.options.onHost = true;
  std::vector<std::uint16_t> labels(300 * 200 * 40, 77);
  for (const ParallelFor & loop : { ThreadPool::For(), ParallelFor() })
  {
    labeler.options.parallelFor = loop;
    const auto packRow = [](std::uint64_t row, std::uint32_t * words) {
      if (row == 7000)
      {
        throw Thrown{ row };
      }
      std::fill_n(words, 10, 0U);
    };
    EXPECT_THROW(labeler.LabelPackedRows(packRow, View::Of(labels.data(), { 300, 200, 40 })), Thrown);
  }
  EXPECT_EQ(labels, std::vector<std::uint16_t>(300 * 200 * 40, 77)) << "no label may be written if packing fails";
}

} // namespace
