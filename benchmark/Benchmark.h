// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_Benchmark_h
#define ccl_benchmark_Benchmark_h

#include "AnalysisTiming.h"
#include "DeviceTiming.h"
#include "HostTiming.h"
#include "Inputs.h"
#include "Survey.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>

struct Options
{
  std::vector<std::string>   files;
  std::vector<std::uint64_t> upsample;
  std::vector<std::uint64_t> sizes{ 10, 22, 46, 100, 215, 464, 1000 };
  std::vector<unsigned int>  densities{ 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 };
  std::vector<unsigned int>  granularities{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
  std::vector<std::uint64_t> pixelCounts{ 1000, 10000, 100000, 1000000, 10000000, 100000000 };
  std::vector<std::string>   tests{ "average", "density", "granularity", "size", "ridges" };
  unsigned int               exponent = 11;
  unsigned int               ridgeExponent = 13;
  std::uint64_t              planeSide = 2048;
  std::uint64_t              volumeSide = 256;
  SurveyLimits               limits;
  bool                       onHost = false;
  bool                       generated = false;
  bool                       steps = false;
  bool                       fullOnly = false;
  unsigned int               runs = 15;
  unsigned int               hostRuns = 0;
  std::string                json;
  std::string                note;
};

/** Runs all measurements on one image after another, and collects the results. */
class Benchmark
{
public:
  Benchmark(const Options & options, const std::string & protocol)
    : m_Options(options)
  {
    const std::string device = options.onHost ? "host, one thread, no GPU" : DeviceTiming::Describe();
    m_Results["protocol"] = protocol;
    m_Results["device"] = device;
    m_Results["note"] = options.note;
    m_Results["date"] = DateOfToday();
    m_Results["cases"] = nlohmann::json::array();
    if (protocol == "survey")
    {
      for (const SurveyAlgorithm & algorithm : GetSurveyAlgorithms())
      {
        m_Results["algorithms"].push_back(
          { { "name", algorithm.name }, { "authors", algorithm.authors }, { "year", algorithm.year } });
      }
    }
    std::printf("%s\n%s\n", device.c_str(), options.note.c_str());
  }

  /** Measures one image. `parameters` are the values that plot.py draws along the axes of its figures. */
  void
  Run(const TestImage & image, const nlohmann::json & parameters = nlohmann::json::object())
  {
    this->BeginCase(image, parameters);
    DeviceTiming device(image);
    const Timing floor = device.TimeFloor(m_Options.runs);
    m_Floor = floor.median;
    this->Add("floor", floor);
    this->Add("empty launch", device.TimeLaunch(m_Options.runs));
    for (const auto & algorithm : itk::CudaConnectedComponentAlgorithms::GetAll())
    {
      if (algorithm.isPublished)
      {
        this->AddPublished(device, algorithm);
      }
    }
    if (m_Options.hostRuns > 0)
    {
      this->AddHostFloors(HostTiming(image, true));
    }
    for (const bool fullyConnected : { true, false })
    {
      if (fullyConnected || !m_Options.fullOnly)
      {
        this->Run(image, device, fullyConnected);
      }
    }
    m_Results["cases"].push_back(m_Case);
  }

  /** Measures the table of components and the selection of components on one image. `columns` are the columns of the
   * table. With `hostRuns`, also measures from host to host. */
  void
  RunAnalysis(const TestImage &                                 image,
              const itk::CudaConnectedComponentTable::Columns & columns,
              const std::vector<bool> &                         connectivities,
              unsigned int                                      hostRuns,
              const nlohmann::json &                            parameters = nlohmann::json::object())
  {
    this->BeginCase(image, parameters);
    const auto foreground = static_cast<std::uint64_t>(
      std::count_if(image.pixels.begin(), image.pixels.end(), [](auto pixel) { return pixel != 0; }));
    DeviceTiming device(image);
    m_Floor = device.TimeFloor(m_Options.runs).median;
    for (const bool fullyConnected : connectivities)
    {
      const std::string neighbors = NeighborsOf(image, fullyConnected);
      const Timing      labels = device.TimeLabeler(AlgorithmEnum::RunUnionFind, fullyConnected, m_Options.runs);
      this->Add("labels" + neighbors, labels, ", " + std::to_string(device.GetObjectCount()) + " objects");
      this->Add("labels and table" + neighbors,
                device.TimeTable(columns, fullyConnected, true, foreground, m_Options.runs));
      this->Add("table without labels" + neighbors,
                device.TimeTable(columns, fullyConnected, false, foreground, m_Options.runs));
      if (m_Options.steps)
      {
        this->AddSteps("labels and table" + neighbors,
                       device.TimeTableSteps(columns, fullyConnected, true, m_Options.runs));
      }
      if (hostRuns > 0)
      {
        this->RunAnalysisOnHost(AnalysisTiming(image, fullyConnected), columns, hostRuns, neighbors);
      }
    }
    m_Results["cases"].push_back(m_Case);
  }

  /** Measures work on masks of one image: the largest component from device to device, and from host to host also
   * filled holes and intensities. */
  void
  RunMasks(const TestImage & image)
  {
    this->BeginCase(image, nlohmann::json::object());
    DeviceTiming device(image);
    m_Floor = device.TimeFloor(m_Options.runs).median;
    for (const bool fullyConnected : { true, false })
    {
      const std::string neighbors = NeighborsOf(image, fullyConnected);
      this->Add("labels" + neighbors, device.TimeLabeler(AlgorithmEnum::RunUnionFind, fullyConnected, m_Options.runs));
      this->Add("largest component's mask" + neighbors, device.TimeLargest(fullyConnected, m_Options.runs));
      if (m_Options.steps)
      {
        this->AddSteps("labels" + neighbors,
                       device.TimeSteps(AlgorithmEnum::RunUnionFind, fullyConnected, m_Options.runs));
        this->AddSteps("largest component's mask" + neighbors, device.TimeLargestSteps(fullyConnected, m_Options.runs));
      }
      const AnalysisTiming timing(image, fullyConnected);
      for (const bool gpuEnabled : { true, false })
      {
        if (m_Options.hostRuns > 0)
        {
          const std::string where = std::string(gpuEnabled ? "CUDA" : "CPU") + neighbors;
          this->AddCompared("largest component", where, timing.TimeLargest(m_Options.hostRuns, gpuEnabled));
          this->AddCompared("filled holes", where, timing.TimeHoles(m_Options.hostRuns, gpuEnabled));
          this->AddCompared("intensities", where, timing.TimeIntensities(m_Options.hostRuns, gpuEnabled));
        }
      }
    }
    m_Results["cases"].push_back(m_Case);
  }

  /** Begins a test of the survey: no algorithm is skipped yet. */
  void
  BeginSurveyTest()
  {
    m_Skipped.clear();
  }

  /** Measures all algorithms of the survey on one image, and writes the results so far. */
  void
  RunSurvey(const TestImage & image, const SurveyContent & content, const nlohmann::json & parameters)
  {
    this->BeginCase(image, parameters);
    SurveyLimits limits = m_Options.limits;
    limits.runs = m_Options.runs;
    const auto   survey = m_Options.onHost ? MakeSurveyImageOnHost(image) : MakeSurveyImageOnDevice(image);
    const Timing floor = survey->TimeFloor(m_Options.runs);
    m_Floor = floor.median;
    this->Add("floor", floor);
    for (const bool fullyConnected : { true, false })
    {
      if (fullyConnected || !m_Options.fullOnly)
      {
        const auto works = survey->GetWorks(fullyConnected, content);
        for (const SurveyResult & result : MeasureInTurns(*survey, works, limits, m_Skipped))
        {
          this->AddSurveyResult(result);
        }
      }
    }
    m_Results["cases"].push_back(m_Case);
    this->Finish();
  }

  /** Writes the results to a file, if one is set. Returns whether all labels were correct. */
  bool
  Finish() const
  {
    if (!m_Options.json.empty())
    {
      std::ofstream(m_Options.json) << m_Results.dump(1) << '\n';
    }
    return m_AllRight;
  }

private:
  using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;
  using AlgorithmDescription = itk::CudaConnectedComponentsEnums::AlgorithmDescription;

  /** The name in the results of a published algorithm whose labels are made consecutive. plot.py reads it. `neighbors`
   * is a part of the name if the algorithm has both connectivities. */
  static std::string
  RenumberedName(const AlgorithmDescription & algorithm, const std::string & neighbors)
  {
    return std::string(algorithm.title) + (algorithm.hasInlineCompression ? "_IC" : "") + " renumbered" +
           (algorithm.needsFullConnectivity ? "" : neighbors);
  }

  /** Measures a published algorithm as in the paper: the labels are not made consecutive. */
  void
  AddPublished(DeviceTiming & device, const AlgorithmDescription & algorithm)
  {
    for (const bool inlineCompression : { false, true })
    {
      if (!inlineCompression || algorithm.hasInlineCompression)
      {
        this->Add(std::string(algorithm.title) + (inlineCompression ? "_IC" : "") + " as in the paper",
                  device.TimePaper(algorithm.algorithm, inlineCompression, m_Options.runs));
      }
    }
  }

  void
  BeginCase(const TestImage & image, const nlohmann::json & parameters)
  {
    m_Case = nlohmann::json{ { "name", image.name }, { "size", image.size }, { "parameters", parameters } };
    m_Case["foreground"] = ForegroundOf(image);
    std::printf("\n%s, %llu x %llu x %llu, %.1f %% foreground\n",
                image.name.c_str(),
                static_cast<unsigned long long>(image.size[0]),
                static_cast<unsigned long long>(image.size[1]),
                static_cast<unsigned long long>(image.size[2]),
                ForegroundOf(image));
  }

  static std::string
  NeighborsOf(const TestImage & image, bool fullyConnected)
  {
    const bool isPlane = image.size[2] == 1;
    return std::string(", ") + (fullyConnected ? (isPlane ? "8" : "26") : (isPlane ? "4" : "6"));
  }

  /** Returns the date as year-month-day, in UTC. */
  static std::string
  DateOfToday()
  {
    const std::time_t now = std::time(nullptr);
    char              text[16];
    std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
    return text;
  }

  void
  AddSurveyResult(const SurveyResult & result)
  {
    if (!result.isRight)
    {
      m_AllRight = false;
      m_Case["wrong"].push_back(result.name);
      std::printf("  %-38s WRONG LABELS\n", result.name.c_str());
      std::fprintf(stderr, "%s: WRONG LABELS of %s\n", m_Case["name"].get<std::string>().c_str(), result.name.c_str());
    }
    else if (!result.timing)
    {
      m_Case["skipped"][result.name] = result.note;
      std::printf("  %-38s skipped: %s\n", result.name.c_str(), result.note.c_str());
    }
    else
    {
      this->Add(result.name, *result.timing, result.timing->runs == 1 ? ", one run" : "");
      if (!result.steps.empty())
      {
        this->AddSteps(result.name, result.steps);
      }
    }
  }

  void
  AddCompared(const std::string & work, const std::string & where, const ComparedTiming & timing)
  {
    m_AllRight = m_AllRight && timing.isRight;
    this->Add("host to host, " + where + ", " + work,
              timing.ours,
              (timing.isRight ? ", as ITK, " : ", WRONG, ") + std::to_string(timing.itk.median / timing.ours.median) +
                " times as fast");
    this->Add("host to host, ITK beside " + where + ", " + work, timing.itk);
  }

  void
  RunAnalysisOnHost(const AnalysisTiming &                            timing,
                    const itk::CudaConnectedComponentTable::Columns & columns,
                    unsigned int                                      hostRuns,
                    const std::string &                               neighbors)
  {
    for (const bool gpuEnabled : { true, false })
    {
      const std::string    where = std::string("host to host, ") + (gpuEnabled ? "CUDA" : "CPU") + neighbors + ", ";
      const ComparedTiming sorted = timing.TimeSorted(hostRuns, gpuEnabled);
      m_AllRight = m_AllRight && sorted.isRight;
      this->Add(where + "labels", timing.TimeLabels(hostRuns, gpuEnabled));
      this->Add(where + "sorted labels", sorted.ours, sorted.isRight ? ", as ITK" : ", WRONG LABELS");
      this->Add(where + "table", timing.TimeTable(hostRuns, columns, gpuEnabled));
      if (gpuEnabled)
      {
        this->Add("host to host, ITK" + neighbors + ", sorted labels", sorted.itk);
      }
    }
    const ComparedTiming relabel = timing.TimeRelabel(hostRuns);
    m_AllRight = m_AllRight && relabel.isRight;
    this->Add("host to host, CPU" + neighbors + ", relabel", relabel.ours, relabel.isRight ? ", as ITK" : ", WRONG");
    this->Add("host to host, ITK" + neighbors + ", relabel", relabel.itk);
  }

  void
  Run(const TestImage & image, DeviceTiming & device, bool fullyConnected)
  {
    const std::string neighbors = NeighborsOf(image, fullyConnected);
    HostTiming        host(image, fullyConnected);
    const Timing      itk = host.TimeItk(std::max(m_Options.hostRuns, 1U));
    for (const auto & algorithm : itk::CudaConnectedComponentAlgorithms::GetAll())
    {
      if (algorithm.isPublished && (fullyConnected || !algorithm.needsFullConnectivity))
      {
        this->AddChecked(RenumberedName(algorithm, neighbors), device, host, algorithm.algorithm, fullyConnected);
      }
    }
    this->AddChecked("runs" + neighbors, device, host, AlgorithmEnum::RunUnionFind, fullyConnected);
    this->AddChecked("Automatic" + neighbors, device, host, AlgorithmEnum::Automatic, fullyConnected);
    this->Add("Automatic with allocation" + neighbors,
              device.TimeWithAllocation(AlgorithmEnum::Automatic, fullyConnected, m_Options.runs));
    this->Add("call" + neighbors, device.TimeCall(fullyConnected, m_Options.runs));
    this->Add("Enqueue()" + neighbors, device.TimeEnqueue(fullyConnected, m_Options.runs));
    this->Add("graph" + neighbors, device.TimeGraph(fullyConnected, m_Options.runs));
    if (m_Options.steps)
    {
      for (const auto & algorithm : itk::CudaConnectedComponentAlgorithms::GetAll())
      {
        if (algorithm.isPublished && (fullyConnected || !algorithm.needsFullConnectivity))
        {
          this->AddSteps(RenumberedName(algorithm, neighbors),
                         device.TimeSteps(algorithm.algorithm, fullyConnected, m_Options.runs));
        }
      }
      this->AddSteps("runs" + neighbors, device.TimeSteps(AlgorithmEnum::RunUnionFind, fullyConnected, m_Options.runs));
    }
    if (m_Options.hostRuns > 0)
    {
      this->RunHost(host, neighbors, itk);
    }
  }

  void
  AddHostFloors(const HostTiming & host)
  {
    for (const unsigned int bytes : { 1, 2, 4 })
    {
      this->Add("reading " + std::to_string(bytes) + " bytes per pixel", host.TimeReading(m_Options.hostRuns, bytes));
    }
    for (const unsigned int bytes : { 2, 4 })
    {
      this->Add("writing " + std::to_string(bytes) + " bytes per pixel", host.TimeWriting(m_Options.hostRuns, bytes));
    }
  }

  void
  RunHost(const HostTiming & host, const std::string & neighbors, const Timing & itk)
  {
    this->Add("host to host, ITK" + neighbors, itk);
    for (const HostTypes types :
         { HostTypes::UInt8ToUInt32, HostTypes::UInt8ToUInt16, HostTypes::Int16ToUInt32, HostTypes::FloatToUInt32 })
    {
      if (types == HostTypes::UInt8ToUInt16 && host.GetObjectCount() > 65535)
      {
        continue;
      }
      for (const bool gpuEnabled : { true, false })
      {
        const std::string name =
          std::string("host to host, ") + (gpuEnabled ? "CUDA" : "CPU") + neighbors + ", " + NameOf(types);
        const FilterTiming timing = host.TimeOurs(m_Options.hostRuns, gpuEnabled, types);
        m_AllRight = m_AllRight && timing.isRight;
        this->Add(name, timing.whole, timing.isRight ? "" : ", WRONG LABELS");
        this->AddSteps(name, timing.stages);
      }
    }
  }

  void
  Add(const std::string & name, const Timing & timing, const std::string & remark = "")
  {
    m_Case["times"][name] = { { "median", timing.median },
                              { "lower quartile", timing.lowerQuartile },
                              { "upper quartile", timing.upperQuartile },
                              { "runs", timing.runs },
                              { "ratio to floor", timing.median / m_Floor } };
    std::printf("  %-38s %9.4f ms  (%.4f .. %.4f)  %7.2f x floor%s\n",
                name.c_str(),
                timing.median,
                timing.lowerQuartile,
                timing.upperQuartile,
                timing.median / m_Floor,
                remark.c_str());
  }

  void
  AddSteps(const std::string & name, const StepTimings & steps)
  {
    std::printf("  steps of %s:", name.c_str());
    for (const auto & [step, milliseconds] : steps)
    {
      m_Case["steps"][name].push_back({ { "step", step }, { "median", milliseconds } });
      std::printf(" %s %.4f", step.c_str(), milliseconds);
    }
    std::printf("\n");
  }

  /** Measures the labeler, and compares its labels with ITK's. */
  void
  AddChecked(const std::string & name,
             DeviceTiming &      device,
             const HostTiming &  oracle,
             AlgorithmEnum       algorithm,
             bool                fullyConnected)
  {
    const Timing timing = device.TimeLabeler(algorithm, fullyConnected, m_Options.runs);
    const bool isRight = device.GetObjectCount() == oracle.GetObjectCount() && device.GetLabels() == oracle.GetLabels();
    m_AllRight = m_AllRight && isRight;
    m_Case["objects"][name] = device.GetObjectCount();
    this->Add(
      name, timing, isRight ? ", " + std::to_string(device.GetObjectCount()) + " objects, as ITK" : ", WRONG LABELS");
  }

  const Options &   m_Options;
  nlohmann::json    m_Results;
  nlohmann::json    m_Case;
  SkippedAlgorithms m_Skipped;
  double            m_Floor = 1.0;
  bool              m_AllRight = true;
};

#endif
