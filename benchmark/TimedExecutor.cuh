// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_TimedExecutor_cuh
#define ccl_benchmark_TimedExecutor_cuh

#include "DeviceClock.cuh"
#include "Timing.h"
#include "executors/device/CudaContext.cuh"
#include "executors/device/DeviceExecutor.cuh"

#include <cxxabi.h>
#include <typeinfo>

namespace itk::ccl
{

/** Measures the time on a stream between its constructor and its destructor, and adds it to a step. */
class StepTimer
{
public:
  StepTimer(StepSums & sums, std::string step, cudaStream_t stream)
    : m_Sums(sums)
    , m_Step(std::move(step))
    , m_Stream(stream)
    , m_Begin(MakeEvent())
    , m_End(MakeEvent())
  {
    CCL_CHECK(cudaEventRecord(m_Begin.get(), m_Stream));
  }

  ~StepTimer()
  {
    float elapsed = 0.0F;
    cudaEventRecord(m_End.get(), m_Stream);
    cudaEventSynchronize(m_End.get());
    cudaEventElapsedTime(&elapsed, m_Begin.get(), m_End.get());
    m_Sums.Add(m_Step, elapsed);
  }

  StepTimer(const StepTimer &) = delete;
  StepTimer &
  operator=(const StepTimer &) = delete;

private:
  StepSums &                  m_Sums;
  std::string                 m_Step;
  cudaStream_t                m_Stream;
  std::shared_ptr<CUevent_st> m_Begin;
  std::shared_ptr<CUevent_st> m_End;
};

/** A DeviceExecutor that measures the time of each call. A step is named after its kernel functor. The concept
 * is in executors/Executor.h. */
class TimedExecutor
{
public:
  TimedExecutor(const DeviceExecutor & executor, StepSums & sums)
    : m_Executor(executor)
    , m_Sums(sums)
  {}

  template <typename T>
  auto
  Allocate(std::uint64_t count) const
  {
    return m_Executor.Allocate<T>(count);
  }

  template <typename T>
  auto
  AllocateCleared(std::uint64_t count) const
  {
    const StepTimer timer(m_Sums, "Fill", m_Executor.GetStream());
    return m_Executor.AllocateCleared<T>(count);
  }

  unsigned int
  GetPartBits(std::uint64_t words) const
  {
    return m_Executor.GetPartBits(words);
  }

  MemoryToClear
  TakeMemoryToClear() const
  {
    return m_Executor.TakeMemoryToClear();
  }

  template <typename T>
  using Result = DeviceExecutor::Result<T>;

  template <typename T>
  Result<T>
  AllocateResult() const
  {
    return m_Executor.AllocateResult<T>();
  }

  template <typename T>
  void
  Fill(T * memory, std::uint64_t count, unsigned char byte) const
  {
    const StepTimer timer(m_Sums, "Fill", m_Executor.GetStream());
    m_Executor.Fill(memory, count, byte);
  }

  template <typename TFunctor>
  void
  ForEach(const Grid & grid, const TFunctor & functor) const
  {
    this->Time<TFunctor>([&] { m_Executor.ForEach(grid, functor); });
  }

  template <typename T, typename TFunctor>
  void
  ForEach(const BoundedCount<T> & count, const TFunctor & functor) const
  {
    this->Time<TFunctor>([&] { m_Executor.ForEach(count, functor); });
  }

  template <typename TWork>
  void
  Dispatch(const Grid & grid, const TWork & work) const
  {
    this->Time<TWork>([&] { m_Executor.Dispatch(grid, work); });
  }

  template <typename TFunctor>
  void
  ForEachCompact(const Grid & grid, const TFunctor & functor) const
  {
    this->Time<TFunctor>([&] { m_Executor.ForEachCompact(grid, functor); });
  }

  template <typename TFunctor>
  void
  ForEachThreadBlock(std::uint64_t count, const TFunctor & functor) const
  {
    this->Time<TFunctor>([&] { m_Executor.ForEachThreadBlock(count, functor); });
  }

  template <typename TSum, typename TFunction, typename TVisitor>
  void
  Scan(const BoundedCount<TSum> & count, const TFunction & valueAt, const TVisitor & visit, TSum * total) const
  {
    this->Time<TVisitor>([&] { m_Executor.Scan(count, valueAt, visit, total); });
  }

  template <typename TFunctor, typename TTable>
  void
  AddToRows(const Grid & grid, const TFunctor & functor, const TTable & table) const
  {
    this->Time<TFunctor>([&] { m_Executor.AddToRows(grid, functor, table); });
  }

  bool
  MayWait() const
  {
    return m_Executor.MayWait();
  }

  template <typename T>
  auto
  AllocateForSort(std::uint64_t count) const
  {
    return m_Executor.AllocateForSort<T>(count);
  }

  template <typename T, typename TMemory>
  void
  SortDescending(std::uint64_t count, T * keys, T * values, const TMemory & memory) const
  {
    const StepTimer timer(m_Sums, "SortDescending", m_Executor.GetStream());
    m_Executor.SortDescending(count, keys, values, memory);
  }

  /** Calls work(), and measures its time as a step. Returns its result. */
  template <typename TWork>
  auto
  TimeStep(const std::string & step, const TWork & work) const
  {
    const StepTimer timer(m_Sums, step, m_Executor.GetStream());
    return work();
  }

private:
  /** Returns the name of a type without the project's namespaces and without template arguments. */
  template <typename T>
  static std::string
  NameOf()
  {
    int               status = 0;
    char * const      demangled = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, &status);
    const std::string whole = status == 0 ? demangled : typeid(T).name();
    std::free(demangled);
    const std::string name = whole.substr(0, whole.find('<'));
    const std::string prefix = "itk::ccl::";
    return name.compare(0, prefix.size(), prefix) == 0 ? name.substr(prefix.size()) : name;
  }

  template <typename T, typename TWork>
  auto
  Time(const TWork & work) const
  {
    return this->TimeStep(NameOf<T>(), work);
  }

  const DeviceExecutor & m_Executor;
  StepSums &             m_Sums;
};

/** Returns the times of the steps of work(executor), which gets a TimedExecutor on the default stream. */
template <typename TWork>
StepTimings
TimeStepsOf(unsigned int runs, const TWork & work)
{
  const CurrentDevice    device(-1);
  const DeviceExecutor   executor(DeviceResources::Of(device.Get()), nullptr);
  constexpr unsigned int warmUpRuns = 2;
  StepSums               sums;
  StepSums               warmUp;
  for (unsigned int run = 0; run < runs + warmUpRuns; ++run)
  {
    StepSums & sumsOfRun = run < warmUpRuns ? warmUp : sums;
    sumsOfRun.BeginRun();
    work(TimedExecutor(executor, sumsOfRun));
  }
  return sums.GetMedians();
}

} // namespace itk::ccl

#endif
