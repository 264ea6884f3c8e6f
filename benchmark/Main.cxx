// SPDX-License-Identifier: Apache-2.0

// Measures the time of connected-component labeling, and compares it with floors and with ITK's filter. YACCLAB and
// the survey of Bolelli, Allegretti, Lumetti and Grana use the same protocols: average, average with steps, density and
// granularity, size.

#include "DeviceTiming.h"
#include "HostTiming.h"
#include "Inputs.h"
#include "Patterns.h"

#include "itkMacro.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>

namespace
{

using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;

struct Options
{
  std::vector<std::string>   files;
  std::vector<std::uint64_t> upsample;
  std::vector<std::uint64_t> sizes{ 10, 22, 46, 100, 215, 464, 1000 };
  std::vector<unsigned int>  densities{ 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 };
  std::vector<unsigned int>  granularities{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
  unsigned int               exponent = 11;
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
    m_Results["protocol"] = protocol;
    m_Results["device"] = DeviceTiming::Describe();
    m_Results["note"] = options.note;
    m_Results["cases"] = nlohmann::json::array();
    std::printf("%s\n%s\n", DeviceTiming::Describe().c_str(), options.note.c_str());
  }

  /** Measures one image. `parameters` are the values that plot.py draws along the axes of its figures. */
  void
  Run(const TestImage & image, const nlohmann::json & parameters = nlohmann::json::object())
  {
    m_Case = nlohmann::json{ { "name", image.name }, { "size", image.size }, { "parameters", parameters } };
    m_Case["foreground"] = ForegroundOf(image);
    std::printf("\n%s, %llu x %llu x %llu, %.1f %% foreground\n",
                image.name.c_str(),
                static_cast<unsigned long long>(image.size[0]),
                static_cast<unsigned long long>(image.size[1]),
                static_cast<unsigned long long>(image.size[2]),
                ForegroundOf(image));
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
  using AlgorithmDescription = itk::CudaConnectedComponentsEnums::AlgorithmDescription;

  /** The name in the results of a published algorithm whose labels are made consecutive. plot.py reads it. */
  static std::string
  RenumberedName(const AlgorithmDescription & algorithm)
  {
    return std::string(algorithm.title) + (algorithm.hasInlineCompression ? "_IC" : "") + " renumbered";
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
  Run(const TestImage & image, DeviceTiming & device, bool fullyConnected)
  {
    const bool        isPlane = image.size[2] == 1;
    const std::string neighbors = std::string(", ") + (fullyConnected ? (isPlane ? "8" : "26") : (isPlane ? "4" : "6"));
    HostTiming        host(image, fullyConnected);
    const Timing      itk = host.TimeItk(std::max(m_Options.hostRuns, 1U));
    for (const auto & algorithm : itk::CudaConnectedComponentAlgorithms::GetAll())
    {
      if (algorithm.isPublished && (fullyConnected || !algorithm.needsFullConnectivity))
      {
        this->AddChecked(RenumberedName(algorithm), device, host, algorithm.algorithm, fullyConnected);
      }
    }
    this->AddChecked("runs" + neighbors, device, host, AlgorithmEnum::RunUnionFind, fullyConnected);
    this->AddChecked("Automatic" + neighbors, device, host, AlgorithmEnum::Automatic, fullyConnected);
    this->Add("Automatic with allocation" + neighbors,
              device.TimeWithAllocation(AlgorithmEnum::Automatic, fullyConnected, m_Options.runs));
    if (m_Options.steps)
    {
      for (const auto & algorithm : itk::CudaConnectedComponentAlgorithms::GetAll())
      {
        if (algorithm.isPublished && (fullyConnected || !algorithm.needsFullConnectivity))
        {
          this->AddSteps(RenumberedName(algorithm),
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

  const Options & m_Options;
  nlohmann::json  m_Results;
  nlohmann::json  m_Case;
  double          m_Floor = 1.0;
  bool            m_AllRight = true;
};

/** Measures a set of images: files in their own size and upsampled, and generated images. */
void
RunAverage(Benchmark & benchmark, const Options & options)
{
  for (const std::string & file : options.files)
  {
    const TestImage image = ReadInput(file);
    benchmark.Run(image);
    for (const std::uint64_t side : options.upsample)
    {
      benchmark.Run(Upsample(image, side));
    }
  }
  if (options.generated)
  {
    benchmark.Run(MakeBlobs({ 512, 512, 512 }, 40, 1));
    benchmark.Run(MakeVessels({ 512, 512, 512 }, 6, 1));
    benchmark.Run(MakeBlobs({ 2048, 2048, 1 }, 60, 1));
    benchmark.Run(MakeVessels({ 2048, 2048, 1 }, 1, 1));
    benchmark.Run(MakeSpiral(2047));
  }
}

/** Measures random images of each density and granularity. */
void
RunRandom(Benchmark & benchmark, const Options & options)
{
  for (const std::array<std::uint64_t, 3> & size :
       { std::array<std::uint64_t, 3>{ 2048, 2048, 1 }, std::array<std::uint64_t, 3>{ 256, 256, 256 } })
  {
    for (const unsigned int granularity : options.granularities)
    {
      for (const unsigned int density : options.densities)
      {
        benchmark.Run(MakeRandom(size, density, granularity, 1),
                      { { "density", density }, { "granularity", granularity } });
      }
    }
  }
}

/** Measures each file, resampled to each size. */
void
RunSize(Benchmark & benchmark, const Options & options)
{
  for (const std::string & file : options.files)
  {
    const TestImage image = ReadInput(file);
    for (const std::uint64_t side : options.sizes)
    {
      benchmark.Run(Upsample(image, side), { { "image", image.name }, { "side", side } });
    }
  }
}

/** Measures Hilbert curves of orders 1 to 6 (the largest has 127 x 127 x 127 pixels), and the families of ridge
 * patterns. Their level is 3, as in the paper on ridge patterns. */
void
RunPatterns(Benchmark & benchmark, const Options & options)
{
  for (unsigned int order = 1; order <= 6; ++order)
  {
    benchmark.Run(MakeHilbert(3, order), { { "family", "Hilbert" }, { "member", order } });
  }
  const unsigned int     n = options.exponent;
  constexpr unsigned int level = 3;
  const auto             run = [&](const char * family, unsigned int member, const TestImage & image) {
    benchmark.Run(image, { { "family", family }, { "member", member } });
  };
  for (unsigned int member = 1; member < n; ++member)
  {
    run("Leveling", member, RidgePatterns::Leveling(n, member));
  }
  for (unsigned int member = 0; member + level < n; ++member)
  {
    run("Subdivision", member, RidgePatterns::Subdivision(n, level, member));
  }
  for (unsigned int percent = 0; percent <= 100; percent += 20)
  {
    run("Scaling", percent, RidgePatterns::Scaling(n, level, percent));
    run("RandomInstancing", percent, RidgePatterns::RandomInstancing(n, level, 5, percent, 1));
    run("RandomMerging", percent, RidgePatterns::RandomMerging(n, level, 5, percent, 1));
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  Options  options;
  CLI::App app("Measures the time of connected-component labeling on a GPU, and from host to host.");
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--runs", options.runs, "number of runs on the device; the result is their median")
    ->capture_default_str();
  app.add_option("--host-runs", options.hostRuns, "number of runs from host to host; 0: do not measure")
    ->capture_default_str();
  app.add_flag("--full-only", options.fullOnly, "do not measure face connectivity");
  app.add_option("--json", options.json, "file for all results; plot.py reads it");
  app.add_option("--note", options.note, "text for the results, such as the driver of the machine and the commit");

  CLI::App * const average = app.add_subcommand("average", "measure a set of images");
  average->add_option("FILES", options.files, "image files; pixels above Otsu's threshold are foreground");
  average->add_option("--upsample",
                      options.upsample,
                      "also measure the images upsampled to these numbers of pixels along each side, such as 512");
  average->add_flag("--generated", options.generated, "also measure generated images: blobs, vessels and a spiral");
  average->add_flag("--steps", options.steps, "also measure each step of the algorithms");

  CLI::App * const random = app.add_subcommand(
    "random", "measure random images of 2048 x 2048 and 256 x 256 x 256 pixels, of each density and granularity");
  random->add_option("--densities", options.densities, "foreground in percent")->capture_default_str();
  random->add_option("--granularities", options.granularities, "sides of the random squares and cubes in pixels")
    ->capture_default_str();

  CLI::App * const size = app.add_subcommand("size", "measure images that are resampled to each size");
  size->add_option("FILES", options.files, "image files; pixels above Otsu's threshold are foreground")->required();
  size->add_option("--sides", options.sizes, "sizes: pixels along each side")->capture_default_str();

  CLI::App * const patterns =
    app.add_subcommand("patterns", "measure Hilbert curves, and ridge patterns of 2^n x 2^n pixels");
  patterns->add_option("--exponent", options.exponent, "n")->capture_default_str()->check(CLI::Range(9, 14));
  CLI11_PARSE(app, argc, argv);

  try
  {
    const std::string protocol = app.get_subcommands().front()->get_name();
    Benchmark         benchmark(options, protocol);
    if (*average)
    {
      RunAverage(benchmark, options);
    }
    else if (*random)
    {
      RunRandom(benchmark, options);
    }
    else if (*size)
    {
      RunSize(benchmark, options);
    }
    else
    {
      RunPatterns(benchmark, options);
    }
    return benchmark.Finish() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  catch (const itk::ExceptionObject & exception)
  {
    std::cerr << exception.GetDescription() << '\n';
  }
  catch (const std::exception & exception)
  {
    std::cerr << exception.what() << '\n';
  }
  return EXIT_FAILURE;
}
