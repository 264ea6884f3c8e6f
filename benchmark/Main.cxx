// SPDX-License-Identifier: Apache-2.0

// Times BUF, BKE and the labeler on a GPU, as ratios to the floor of reading the input and writing the output.

#include "DeviceTiming.h"
#include "HostTiming.h"
#include "Inputs.h"

#include "itkMacro.h"

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
  bool                       random = false;
  unsigned int               runs = 15;
  unsigned int               hostRuns = 0;
  std::string                json;
  std::string                note;
};

class Benchmark
{
public:
  explicit Benchmark(const Options & options)
    : m_Options(options)
  {
    m_Results["device"] = DeviceTiming::Describe();
    m_Results["note"] = options.note;
    m_Results["runs"] = options.runs;
    m_Results["cases"] = nlohmann::json::array();
    std::printf("%s\n%s\n", DeviceTiming::Describe().c_str(), options.note.c_str());
  }

  void
  Run(const TestImage & image)
  {
    nlohmann::json result;
    result["name"] = image.name;
    result["size"] = image.size;
    result["foreground"] = ForegroundOf(image);
    std::printf("\n%s, %llu x %llu x %llu, %.1f %% foreground\n",
                image.name.c_str(),
                static_cast<unsigned long long>(image.size[0]),
                static_cast<unsigned long long>(image.size[1]),
                static_cast<unsigned long long>(image.size[2]),
                ForegroundOf(image));
    DeviceTiming device(image);
    const Timing floor = device.TimeFloor(m_Options.runs);
    m_Floor = floor.median;
    this->Add(result, "floor", floor);
    for (const bool inlineCompression : { false, true })
    {
      const std::string suffix = inlineCompression ? "_IC" : "";
      this->Add(result,
                "BUF" + suffix + " as in the paper",
                device.TimePaper(AlgorithmEnum::BlockUnionFind, inlineCompression, m_Options.runs));
      this->Add(result,
                "BKE" + suffix + " as in the paper",
                device.TimePaper(AlgorithmEnum::BlockKomuraEquivalence, inlineCompression, m_Options.runs));
    }
    const bool isPlane = image.size[2] == 1;
    for (const bool fullyConnected : { true, false })
    {
      HostTiming        host(image, fullyConnected);
      const std::string neighbors =
        std::string(", ") + (fullyConnected ? (isPlane ? "8" : "26") : (isPlane ? "4" : "6"));
      const Timing itk = host.TimeItk(std::max(m_Options.hostRuns, 1U));
      if (fullyConnected)
      {
        this->AddChecked(result, "BUF_IC renumbered", device, host, AlgorithmEnum::BlockUnionFind, true);
        this->AddChecked(result, "BKE_IC renumbered", device, host, AlgorithmEnum::BlockKomuraEquivalence, true);
      }
      this->AddChecked(result, "runs" + neighbors, device, host, AlgorithmEnum::RunUnionFind, fullyConnected);
      this->AddChecked(result, "Automatic" + neighbors, device, host, AlgorithmEnum::Automatic, fullyConnected);
      if (m_Options.hostRuns > 0)
      {
        this->Add(result, "host to host, ITK" + neighbors, itk);
        this->Add(result, "host to host, CUDA" + neighbors, host.TimeOurs(m_Options.hostRuns, true));
        this->Add(result, "host to host, CPU" + neighbors, host.TimeOurs(m_Options.hostRuns, false));
      }
    }
    m_Results["cases"].push_back(result);
  }

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
  void
  Add(nlohmann::json & result, const std::string & name, const Timing & timing, const std::string & remark = "") const
  {
    result["times"][name] = { { "median", timing.median },
                              { "lower quartile", timing.lowerQuartile },
                              { "upper quartile", timing.upperQuartile },
                              { "runs", timing.runs },
                              { "ratio to floor", timing.median / m_Floor } };
    std::printf("  %-28s %9.4f ms  (%.4f .. %.4f)  %7.2f x floor%s\n",
                name.c_str(),
                timing.median,
                timing.lowerQuartile,
                timing.upperQuartile,
                timing.median / m_Floor,
                remark.c_str());
  }

  /** Times the labeler, and compares its labels with ITK's. */
  void
  AddChecked(nlohmann::json &    result,
             const std::string & name,
             DeviceTiming &      device,
             const HostTiming &  oracle,
             AlgorithmEnum       algorithm,
             bool                fullyConnected)
  {
    const Timing timing = device.TimeLabeler(algorithm, fullyConnected, true, m_Options.runs);
    const bool isRight = device.GetObjectCount() == oracle.GetObjectCount() && device.GetLabels() == oracle.GetLabels();
    m_AllRight = m_AllRight && isRight;
    result["objects"][name] = device.GetObjectCount();
    this->Add(result,
              name,
              timing,
              isRight ? ", " + std::to_string(device.GetObjectCount()) + " objects, as ITK" : ", WRONG LABELS");
  }

  const Options & m_Options;
  nlohmann::json  m_Results;
  double          m_Floor = 1.0;
  bool            m_AllRight = true;
};

} // namespace

int
main(int argc, char ** argv)
{
  Options  options;
  CLI::App app("Times connected-component labeling on a GPU.");
  app.add_option("FILES", options.files, "images; what is above Otsu's threshold is labeled");
  app.add_option("--upsample", options.upsample, "sides to which the images are upsampled besides, such as 512");
  app.add_flag("--random", options.random, "random images: 2048^2 and 256^3 of several densities and granularities");
  app.add_option("--runs", options.runs, "runs on the device of which the median counts")->capture_default_str();
  app.add_option("--host-runs", options.hostRuns, "runs from host to host; 0 for none")->capture_default_str();
  app.add_option("--json", options.json, "file to write all results to");
  app.add_option("--note", options.note, "what to say of the machine, such as its driver, and the commit");
  CLI11_PARSE(app, argc, argv);

  try
  {
    Benchmark benchmark(options);
    for (const std::string & file : options.files)
    {
      const TestImage image = ReadInput(file);
      benchmark.Run(image);
      for (const std::uint64_t side : options.upsample)
      {
        benchmark.Run(Upsample(image, side));
      }
    }
    if (options.random)
    {
      for (const std::array<std::uint64_t, 3> & size :
           { std::array<std::uint64_t, 3>{ 2048, 2048, 1 }, std::array<std::uint64_t, 3>{ 256, 256, 256 } })
      {
        for (const unsigned int granularity : { 1, 4, 16 })
        {
          for (const unsigned int density : { 10, 30, 50, 70, 90 })
          {
            benchmark.Run(MakeRandom(size, density, granularity, 1));
          }
        }
      }
      benchmark.Run(MakeRandom({ 512, 512, 512 }, 30, 1, 1));
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
