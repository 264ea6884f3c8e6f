// SPDX-License-Identifier: Apache-2.0
#include "DeviceTiming.h"

#include "Labelings.h"
#include "TimedExecutor.cuh"

#include "algorithms/published/PublishedRanking.h"
#include "algorithms/runs/MaskWriteOut.h"
#include "itkCudaConnectedComponentLabeler.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <chrono>
#include <numeric>
#include <stdexcept>

using namespace itk::ccl;
using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;

namespace
{

using View = itk::CudaConnectedComponentImageView;

/** Returns the times of work() on the default stream in milliseconds. Before that, it calls work() at least twice and
 * for at least 10 ms, until the clocks and caches of device and host are steady. These calls do not count. */
template <typename TWork>
Timing
TimeWork(unsigned int runs, const TWork & work)
{
  constexpr std::chrono::milliseconds warmUp{ 10 };
  const DeviceClock                   clock;
  const auto                          timeRun = [&] { return clock.Time(work); };
  const auto                          warmUpEnd = std::chrono::steady_clock::now() + warmUp;
  timeRun();
  do
  {
    timeRun();
  } while (std::chrono::steady_clock::now() < warmUpEnd);
  std::vector<double> milliseconds;
  for (unsigned int run = 0; run < runs; ++run)
  {
    milliseconds.push_back(timeRun());
  }
  return Timing(milliseconds);
}

Grid
SizeOf(const TestImage & image)
{
  return { image.size[0], image.size[1], image.size[2] };
}

__global__ void
DoNothing()
{}

/** Each thread handles 4 pixels. No other width moves this memory faster. */
__global__ void
ReadOneByteWriteFour(const uchar4 * input, uint4 * output, std::uint64_t count)
{
  const std::uint64_t i = std::uint64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (i < count)
  {
    const uchar4 pixels = input[i];
    output[i] = make_uint4(pixels.x, pixels.y, pixels.z, pixels.w);
  }
}

} // namespace

DeviceTiming::DeviceTiming(const TestImage & image)
  : m_Image(image)
  , m_Input(AllocateDevice(image.pixels.size() + 4))
  , m_Output(AllocateDevice((image.pixels.size() + 4) * sizeof(std::uint32_t)))
{
  CCL_CHECK(cudaMemcpy(m_Input.get(), image.pixels.data(), image.pixels.size(), cudaMemcpyHostToDevice));
}

DeviceTiming::~DeviceTiming() = default;

Timing
DeviceTiming::TimeFloor(unsigned int runs) const
{
  const std::uint64_t count = DivideUp(m_Image.pixels.size(), 4);
  return TimeWork(runs, [&] {
    ReadOneByteWriteFour<<<static_cast<unsigned int>(DivideUp(count, 256)), 256>>>(
      static_cast<const uchar4 *>(m_Input.get()), static_cast<uint4 *>(m_Output.get()), count);
    CCL_CHECK(cudaGetLastError());
  });
}

Timing
DeviceTiming::TimeLaunch(unsigned int runs) const
{
  return TimeWork(runs, [&] {
    DoNothing<<<1, 32>>>();
    CCL_CHECK(cudaGetLastError());
    CCL_CHECK(cudaStreamSynchronize(nullptr));
  });
}

Timing
DeviceTiming::TimePaper(AlgorithmEnum algorithm, bool inlineCompression, unsigned int runs) const
{
  const PublishedOptions     options{ true, inlineCompression };
  const CurrentDevice        device(-1);
  const DeviceExecutor       executor(DeviceResources::Of(device.Get()), nullptr);
  const Grid                 size = SizeOf(m_Image);
  const std::uint8_t * const input = static_cast<const std::uint8_t *>(m_Input.get());
  std::uint32_t * const      labels = static_cast<std::uint32_t *>(m_Output.get());
  return TimeWork(runs, [&] {
    size.z == 1 ? LabelByPublishedAlgorithm<2>(executor, algorithm, input, size, options, labels)
                : LabelByPublishedAlgorithm<3>(executor, algorithm, input, size, options, labels);
  });
}

Timing
DeviceTiming::TimeLabeler(AlgorithmEnum algorithm, bool fullyConnected, unsigned int runs)
{
  return TimeWork(runs, [&] { this->Label(algorithm, fullyConnected, m_Output.get()); });
}

Timing
DeviceTiming::TimeWithAllocation(AlgorithmEnum algorithm, bool fullyConnected, unsigned int runs)
{
  return TimeWork(runs, [&] {
    const auto output = AllocateDevice(m_Image.pixels.size() * sizeof(std::uint32_t));
    this->Label(algorithm, fullyConnected, output.get());
  });
}

/** Labels by Enqueue(), on a stream of its own. */
class DeviceTiming::EnqueuedLabeling
{
public:
  EnqueuedLabeling(const DeviceTiming & timing, bool fullyConnected)
  {
    CCL_CHECK(cudaStreamCreateWithFlags(&m_Stream, cudaStreamNonBlocking));
    m_Labeler.options.fullyConnected = fullyConnected;
    m_Labeler.options.stream = m_Stream;
    m_Call.input = View::OnDevice(static_cast<const std::uint8_t *>(timing.m_Input.get()), timing.m_Image.size);
    m_Call.output = View::OnDevice(static_cast<std::uint32_t *>(timing.m_Output.get()), timing.m_Image.size);
    m_Bytes = m_Labeler.GetWorkspaceSize(m_Call);
    m_Workspace = AllocateDevice(m_Bytes);
    m_Labeler.Prepare(m_Call);
  }
  ~EnqueuedLabeling() { cudaStreamDestroy(m_Stream); }
  EnqueuedLabeling(const EnqueuedLabeling &) = delete;
  EnqueuedLabeling &
  operator=(const EnqueuedLabeling &) = delete;

  void
  LabelAndWait()
  {
    m_Labeler.Label(m_Call.input, m_Call.output);
  }

  void
  Enqueue()
  {
    m_Labeler.Enqueue(m_Call, m_Workspace.get(), m_Bytes);
  }

  void
  Wait() const
  {
    CCL_CHECK(cudaStreamSynchronize(m_Stream));
  }

  cudaStream_t
  GetStream() const
  {
    return m_Stream;
  }

  /** Returns the times of work() by the host's clock. The stream is idle before each. */
  template <typename TWork>
  Timing
  TimeOnHost(unsigned int runs, const TWork & work) const
  {
    constexpr unsigned int warmUps = 20;
    std::vector<double>    milliseconds;
    for (unsigned int run = 0; run < warmUps + runs; ++run)
    {
      const auto begin = std::chrono::steady_clock::now();
      work();
      const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
      this->Wait();
      if (run >= warmUps)
      {
        milliseconds.push_back(elapsed.count());
      }
    }
    return Timing(milliseconds);
  }

private:
  itk::CudaConnectedComponentLabeler    m_Labeler;
  itk::CudaConnectedComponentDeviceCall m_Call;
  std::uint64_t                         m_Bytes = 0;
  std::shared_ptr<void>                 m_Workspace;
  cudaStream_t                          m_Stream{};
};

Timing
DeviceTiming::TimeCall(bool fullyConnected, unsigned int runs) const
{
  EnqueuedLabeling labeling(*this, fullyConnected);
  return labeling.TimeOnHost(runs, [&] { labeling.LabelAndWait(); });
}

Timing
DeviceTiming::TimeEnqueue(bool fullyConnected, unsigned int runs) const
{
  EnqueuedLabeling labeling(*this, fullyConnected);
  return labeling.TimeOnHost(runs, [&] { labeling.Enqueue(); });
}

Timing
DeviceTiming::TimeGraph(bool fullyConnected, unsigned int runs) const
{
  EnqueuedLabeling labeling(*this, fullyConnected);
  cudaGraph_t      graph{};
  cudaGraphExec_t  launchable{};
  CCL_CHECK(cudaStreamBeginCapture(labeling.GetStream(), cudaStreamCaptureModeThreadLocal));
  labeling.Enqueue();
  CCL_CHECK(cudaStreamEndCapture(labeling.GetStream(), &graph));
  CCL_CHECK(cudaGraphInstantiate(&launchable, graph, 0));
  const Timing timing = labeling.TimeOnHost(runs, [&] {
    CCL_CHECK(cudaGraphLaunch(launchable, labeling.GetStream()));
    labeling.Wait();
  });
  CCL_CHECK(cudaGraphExecDestroy(launchable));
  CCL_CHECK(cudaGraphDestroy(graph));
  return timing;
}

void
DeviceTiming::Label(AlgorithmEnum algorithm, bool fullyConnected, void * output)
{
  itk::CudaConnectedComponentLabeler labeler;
  labeler.options.algorithm = algorithm;
  labeler.options.fullyConnected = fullyConnected;
  m_ObjectCount = labeler.Label(View::OnDevice(static_cast<const std::uint8_t *>(m_Input.get()), m_Image.size),
                                View::OnDevice(static_cast<std::uint32_t *>(output), m_Image.size));
}

namespace
{

template <unsigned int VDimension, typename TExecutor>
void
LabelAsPublished(const TExecutor &    executor,
                 AlgorithmEnum        algorithm,
                 const std::uint8_t * input,
                 const Grid &         size,
                 bool                 fullyConnected,
                 std::uint32_t *      labels)
{
  LabelByPublishedAlgorithm<VDimension>(executor, algorithm, input, size, { fullyConnected, true }, labels);
  const PublishedRanking<VDimension, std::uint32_t, TExecutor> ranking(
    executor, algorithm, labels, size, LabelValues::For(std::uint32_t{ 0 }));
  ranking.Relabel(executor, labels);
}

} // namespace

StepTimings
DeviceTiming::TimeSteps(AlgorithmEnum algorithm, bool fullyConnected, unsigned int runs)
{
  const Grid                 size = SizeOf(m_Image);
  const std::uint8_t * const input = static_cast<const std::uint8_t *>(m_Input.get());
  return TimeStepsOf(runs, [&](const TimedExecutor & timed) {
    const auto   output = timed.TimeStep("allocation of the output",
                                       [&] { return AllocateDevice(m_Image.pixels.size() * sizeof(std::uint32_t)); });
    auto * const labels = static_cast<std::uint32_t *>(output.get());
    if (itk::CudaConnectedComponentAlgorithms::Describe(algorithm).isPublished)
    {
      size.z == 1 ? LabelAsPublished<2>(timed, algorithm, input, size, fullyConnected, labels)
                  : LabelAsPublished<3>(timed, algorithm, input, size, fullyConnected, labels);
    }
    else
    {
      VisitRowGroup(size, NeighborsOf(fullyConnected), [&](auto group) {
        LabelByRuns<decltype(group)>(timed, input, size, NeighborsOf(fullyConnected), labels);
      });
    }
  });
}

Timing
DeviceTiming::TimeTable(const itk::CudaConnectedComponentTable::Columns & columns,
                        bool                                              fullyConnected,
                        bool                                              withLabels,
                        std::uint64_t                                     foreground,
                        unsigned int                                      runs)
{
  const CurrentDevice  device(-1);
  const DeviceExecutor executor(DeviceResources::Of(device.Get()), nullptr);
  const Request        request = TableRequestFor(SizeOf(m_Image), columns, fullyConnected);
  auto * const         input = static_cast<const std::uint8_t *>(m_Input.get());
  const auto           write =
    LabelWriter(executor, request, withLabels ? static_cast<std::uint32_t *>(m_Output.get()) : nullptr);

  std::vector<std::uint64_t> pixelCounts;
  MeasureByRuns(executor, input, request, write, [&](const CallersTable & table, std::uint64_t rows) {
    pixelCounts.resize(rows);
    CCL_CHECK(cudaMemcpy(pixelCounts.data(), table.pixelCounts, rows * sizeof(std::uint64_t), cudaMemcpyDeviceToHost));
  });
  m_ObjectCount = pixelCounts.size();
  if (std::accumulate(pixelCounts.begin(), pixelCounts.end(), std::uint64_t{ 0 }) != foreground)
  {
    throw std::runtime_error("the pixel counts of the table do not add up to the foreground");
  }
  return TimeWork(runs,
                  [&] { MeasureByRuns(executor, input, request, write, [](const CallersTable &, std::uint64_t) {}); });
}

Timing
DeviceTiming::TimeLargest(bool fullyConnected, unsigned int runs)
{
  itk::CudaConnectedComponentLabeler labeler;
  labeler.options.fullyConnected = fullyConnected;
  labeler.options.selection.numberOfLargest = 1;
  auto * const input = static_cast<const std::uint8_t *>(m_Input.get());
  auto * const mask = static_cast<std::uint8_t *>(m_Output.get());
  return TimeWork(runs, [&] { labeler.Mask(View::OnDevice(input, m_Image.size), View::OnDevice(mask, m_Image.size)); });
}

StepTimings
DeviceTiming::TimeLargestSteps(bool fullyConnected, unsigned int runs)
{
  Request request = RequestFor(SizeOf(m_Image), fullyConnected);
  request.selection.numberOfLargest = 1;
  request.output = OutputKind::FilledOutside;
  auto * const input = static_cast<const std::uint8_t *>(m_Input.get());
  auto * const output = static_cast<std::uint8_t *>(m_Output.get());
  return TimeStepsOf(runs, [&](const TimedExecutor & timed) {
    const auto write = [&](const auto & indexed, const std::uint32_t * labelsOfRuns) {
      const Grid words = WordsOf(request.size);
      const auto mask = timed.Allocate<Word>(words.Count());
      StoreMask(timed, indexed, RanksOfRuns(labelsOfRuns), mask.get());
      FillPixelsOfMask<std::uint32_t>(
        timed, { words, mask.get() }, input, request.size, false, std::uint8_t{ 0 }, output);
    };
    MeasureByRuns(timed, input, request, write, [](const CallersTable &, std::uint64_t) {});
  });
}

StepTimings
DeviceTiming::TimeTableSteps(const itk::CudaConnectedComponentTable::Columns & columns,
                             bool                                              fullyConnected,
                             bool                                              withLabels,
                             unsigned int                                      runs)
{
  const Request request = TableRequestFor(SizeOf(m_Image), columns, fullyConnected);
  auto * const  input = static_cast<const std::uint8_t *>(m_Input.get());
  auto * const  labels = withLabels ? static_cast<std::uint32_t *>(m_Output.get()) : nullptr;
  return TimeStepsOf(runs, [&](const TimedExecutor & timed) {
    MeasureByRuns(
      timed, input, request, LabelWriter(timed, request, labels), [](const CallersTable &, std::uint64_t) {});
  });
}

std::vector<std::uint32_t>
DeviceTiming::GetLabels() const
{
  std::vector<std::uint32_t> labels(m_Image.pixels.size());
  CCL_CHECK(cudaMemcpy(labels.data(), m_Output.get(), labels.size() * sizeof(std::uint32_t), cudaMemcpyDeviceToHost));
  return labels;
}

bool
DeviceTiming::HasDevice()
{
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

std::string
DeviceTiming::Describe()
{
  cudaDeviceProp properties{};
  int            driver = 0;
  CCL_CHECK(cudaGetDeviceProperties(&properties, 0));
  CCL_CHECK(cudaDriverGetVersion(&driver));
  return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + "." +
         std::to_string(properties.minor) + ", driver for CUDA " + std::to_string(driver / 1000) + "." +
         std::to_string(driver % 1000 / 10);
}
