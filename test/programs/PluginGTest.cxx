// SPDX-License-Identifier: Apache-2.0

// Programs that know nothing of this project, with and without the plug-in: two clients of our own, and plastimatch.

#include "CudaTestSupport.h"
#include "ProgramTest.h"

#include "itkImage.h"
#include "itkImageFileWriter.h"

#include <cmath>
#include <regex>

namespace
{

std::string
FromEnvironment(const char * variable, const char * otherwise)
{
  const char * const value = std::getenv(variable);
  return value != nullptr ? value : otherwise;
}

std::vector<std::string>
LinesOf(const std::string & text)
{
  std::istringstream       stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
  {
    lines.push_back(line);
  }
  return lines;
}

// An ITK that is configured for wrapping loads no plug-ins by itself.
#ifdef ITK_WRAPPING
#  define SKIP_WITHOUT_AUTOLOAD() GTEST_SKIP() << "this ITK is configured for wrapping, and ignores ITK_AUTOLOAD_PATH"
#else
#  define SKIP_WITHOUT_AUTOLOAD() static_cast<void>(0)
#endif

class CudaConnectedComponentsPlugin : public ProgramTest
{
protected:
  const std::string m_Plugins = FromEnvironment("CUDA_CONNECTED_COMPONENTS_PLUGIN", PLUGIN_FOLDER);
  const std::string m_Misfits = FromEnvironment("CUDA_CONNECTED_COMPONENTS_MISFIT_PLUGIN", MISFIT_PLUGIN_FOLDER);

  /** Runs the client with a folder of plug-ins. */
  Outcome
  RunClient(const std::string & folder, const std::string & environment = "", const std::string & argument = "") const
  {
    const std::string client = FromEnvironment("CUDA_CONNECTED_COMPONENTS_PLUGIN_CLIENT", PLUGIN_CLIENT);
    return this->Run("ITK_AUTOLOAD_PATH='" + folder + "' " + environment + " '" + client + "' " + argument);
  }

  /** Runs the client that makes label maps, with a folder of plug-ins. */
  Outcome
  RunLabelMapClient(const std::string & folder, const std::string & environment = "") const
  {
    const std::string client = FromEnvironment("CUDA_CONNECTED_COMPONENTS_LABEL_MAP_CLIENT", LABEL_MAP_CLIENT);
    return this->Run("ITK_AUTOLOAD_PATH='" + folder + "' ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1 " + environment +
                     " '" + client + "'");
  }

  static std::string
  WithoutCuda(const std::string & printed)
  {
    return std::regex_replace(printed, std::regex("Cuda(?=Binary|Connected|Isolated|Label|Relabel|Threshold)"), "");
  }

  /** Returns how often a regular expression matches. */
  static std::size_t
  Count(const std::string & printed, const std::string & expression)
  {
    const std::regex regex(expression);
    return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(printed.begin(), printed.end(), regex), std::sregex_iterator()));
  }

  static std::size_t
  CountReplaced(const std::string & printed, const std::string & className = "ConnectedComponentImageFilter")
  {
    return Count(printed, "Cuda" + className);
  }
};

TEST_F(CudaConnectedComponentsPlugin, IsAloneInItsFolder)
{
  std::vector<std::string> files;
  for (const auto & entry : std::filesystem::directory_iterator(m_Plugins))
  {
    files.push_back(entry.path().filename().string());
  }
  EXPECT_EQ(files, std::vector<std::string>{ "libCudaConnectedComponentsPlugin.so" });
}

TEST_F(CudaConnectedComponentsPlugin, ReplacesTheFilters)
{
  SKIP_WITHOUT_AUTOLOAD();
  const Outcome before = this->RunClient("");
  ASSERT_EQ(before.status, 0) << before.errors;
  EXPECT_EQ(CountReplaced(before.printed), 0U);
  EXPECT_EQ(CountReplaced(before.printed, "RelabelComponentImageFilter"), 0U);
  const Outcome with = this->RunClient(m_Plugins);
  ASSERT_EQ(with.status, 0) << with.errors;
  EXPECT_EQ(CountReplaced(with.printed), 4U) << with.printed;
  EXPECT_EQ(CountReplaced(with.printed, "RelabelComponentImageFilter"), 4U) << with.printed;
  EXPECT_EQ(WithoutCuda(with.printed), before.printed);
  EXPECT_EQ(with.errors, "");
}

TEST_F(CudaConnectedComponentsPlugin, SaysWhatItDid)
{
  SKIP_WITHOUT_AUTOLOAD();
  const Outcome run = this->RunClient(m_Plugins, "ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1");
  EXPECT_EQ(run.status, 0);
  const auto lines = LinesOf(run.errors);
  ASSERT_EQ(lines.size(), 8U) << run.errors;
  const std::string begin = ", connectivity (4|6), cpu \\(";
  const std::string end = ", [0-9]+\\.[0-9] ms";
  const std::string larger = begin + "(starting CUDA pays after .* there were [0-9]+|no CUDA device.*).*\\)" + end;
  const std::string small = begin + "the CPU labels 2627 pixels sooner\\)" + end;
  const std::string expected[] = { "71 x 37 x 37 pixels, unsigned char to short" + larger,
                                   "71 x 37 x 37 pixels, short to short, cpu" + end,
                                   "71 x 37 pixels, unsigned char to unsigned char" + small,
                                   "71 x 37 pixels, unsigned char to unsigned char, cpu" + end,
                                   "71 x 37 pixels, float to unsigned long" + small,
                                   "71 x 37 pixels, unsigned long to unsigned long, cpu" + end,
                                   "71 x 37 x 37 pixels, long to long" + larger,
                                   "71 x 37 x 37 pixels, long to long, cpu" + end };
  for (std::size_t i = 0; i < 8; ++i)
  {
    const std::string filter = i % 2 == 0 ? "CudaConnectedComponentImageFilter" : "CudaRelabelComponentImageFilter";
    EXPECT_TRUE(std::regex_match(lines[i], std::regex("CudaConnectedComponents: " + filter + ", " + expected[i])))
      << lines[i];
  }
}

TEST_F(CudaConnectedComponentsPlugin, IsTurnedOffByName)
{
  SKIP_WITHOUT_AUTOLOAD();
  const std::string before = this->RunClient("").printed;
  const std::string connected = "ConnectedComponentImageFilter";
  const std::string relabel = "RelabelComponentImageFilter";
  for (const std::string & off : { connected, relabel, connected + ", " + relabel })
  {
    SCOPED_TRACE(off);
    const Outcome run = this->RunClient(m_Plugins, "ITK_CUDA_CONNECTED_COMPONENTS_DISABLE='" + off + "'");
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(CountReplaced(run.printed, connected), off == relabel ? 4U : 0U);
    EXPECT_EQ(CountReplaced(run.printed, relabel), off == connected ? 4U : 0U);
    EXPECT_EQ(WithoutCuda(run.printed), before);
  }
}

TEST_F(CudaConnectedComponentsPlugin, SpeedsUpTheFiltersOfMasksAndThresholds)
{
  SKIP_WITHOUT_AUTOLOAD();
  const std::string map = "BinaryImageToLabelMapFilter";
  const std::string fill = "BinaryFillholeImageFilter";
  const std::string keep = "BinaryShapeKeepNObjectsImageFilter";
  const std::string open = "BinaryShapeOpeningImageFilter";
  const std::string grind = "BinaryGrindPeakImageFilter";
  const std::string labels = "LabelImageToLabelMapFilter";
  const Outcome     before = this->RunLabelMapClient("");
  ASSERT_EQ(before.status, 0) << before.errors;
  EXPECT_EQ(before.errors, "");
  EXPECT_EQ(CountReplaced(before.printed, "Binary"), 0U);

  // No output is trivial: for two types, nine filters of images and six label maps.
  EXPECT_EQ(Count(before.printed, ": [1-9][0-9]* pixels changed, [1-9][0-9]* pixels of foreground, checksum "), 18U)
    << before.printed;
  EXPECT_EQ(Count(before.printed, ": [1-9][0-9]+ objects, checksum "), 12U) << before.printed;

  // For two types, two direct uses of the filter for label maps, four filters that use it, and one direct use of each
  // filter from mask to mask. Without our filters, these filters of ITK use label maps, too. For label images, a direct
  // use and a filter that uses it.
  struct Case
  {
    const char * off;
    std::size_t  maps;
    std::size_t  fills;
    std::size_t  keeps;
    std::size_t  opens;
    std::size_t  grinds;
    std::size_t  labels;
    std::size_t  thresholds; // of the three filters together
  };
  for (const Case & each :
       { Case{ "", 12, 2, 2, 2, 2, 4, 6 },
         Case{ "BinaryFillholeImageFilter", 14, 0, 2, 2, 2, 4, 6 },
         Case{ "BinaryShapeKeepNObjectsImageFilter", 14, 2, 0, 2, 2, 4, 6 },
         Case{ "BinaryShapeOpeningImageFilter", 14, 2, 2, 0, 2, 4, 6 },
         Case{ "BinaryGrindPeakImageFilter", 14, 2, 2, 2, 0, 4, 6 },
         Case{ "BinaryImageToLabelMapFilter", 0, 2, 2, 2, 2, 4, 6 },
         Case{ "LabelImageToLabelMapFilter", 12, 2, 2, 2, 2, 0, 6 },
         Case{
           "ConnectedThresholdImageFilter,IsolatedConnectedImageFilter,ThresholdMaximumConnectedComponentsImageFilter",
           12,
           2,
           2,
           2,
           2,
           4,
           0 },
         Case{ "BinaryImageToLabelMapFilter,BinaryFillholeImageFilter,BinaryShapeKeepNObjectsImageFilter,"
               "BinaryShapeOpeningImageFilter,BinaryGrindPeakImageFilter,LabelImageToLabelMapFilter",
               0,
               0,
               0,
               0,
               0,
               0,
               6 } })
  {
    SCOPED_TRACE(each.off);
    const Outcome run =
      this->RunLabelMapClient(m_Plugins, "ITK_CUDA_CONNECTED_COMPONENTS_DISABLE='" + std::string(each.off) + "'");
    ASSERT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(WithoutCuda(run.printed), before.printed);
    EXPECT_EQ(CountReplaced(run.printed, map), each.maps > 0 ? 4U : 0U);
    EXPECT_EQ(CountReplaced(run.printed, fill), each.fills);
    EXPECT_EQ(CountReplaced(run.errors, map), each.maps) << run.errors;
    EXPECT_EQ(CountReplaced(run.errors, fill), each.fills) << run.errors;
    EXPECT_EQ(CountReplaced(run.errors, keep), each.keeps) << run.errors;
    EXPECT_EQ(CountReplaced(run.errors, open), each.opens) << run.errors;
    EXPECT_EQ(CountReplaced(run.errors, grind), each.grinds) << run.errors;
    EXPECT_EQ(CountReplaced(run.errors, labels), each.labels) << run.errors;
    EXPECT_EQ(
      CountReplaced(run.errors, "(ConnectedThreshold|IsolatedConnected|ThresholdMaximumConnectedComponents)Image"),
      each.thresholds)
      << run.errors;
  }
}

TEST_F(CudaConnectedComponentsPlugin, MakesLabelMapsOnTheGPU)
{
  SKIP_WITHOUT_AUTOLOAD();
  const Outcome before = this->RunLabelMapClient("");
  const Outcome run = this->RunLabelMapClient(m_Plugins, "ITK_CUDA_CONNECTED_COMPONENTS=1");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(WithoutCuda(run.printed), before.printed);
  const bool hasDevice = CudaTestSupport::CountDevices() > 0;
  const auto lines = LinesOf(run.errors);
  EXPECT_EQ(lines.size(), 30U) << run.errors;
  for (const std::string & line : lines)
  {
    const bool isOfLabels = line.find("LabelImageToLabelMapFilter") != std::string::npos; // always on the CPU
    const bool isSmall = line.find("Isolated") != std::string::npos || line.find("Threshold") != std::string::npos;
    EXPECT_NE(line.find(isOfLabels  ? ", cpu, "
                        : isSmall   ? ", cpu (the CPU "
                        : hasDevice ? ", cuda, "
                                    : ", cpu (no CUDA device"),
              std::string::npos)
      << line;
  }
}

TEST_F(CudaConnectedComponentsPlugin, IsTurnedOff)
{
  SKIP_WITHOUT_AUTOLOAD();
  const Outcome run =
    this->RunClient(m_Plugins, "ITK_CUDA_CONNECTED_COMPONENTS=0 ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.printed, this->RunClient("").printed);
  EXPECT_EQ(run.errors, "");
}

TEST_F(CudaConnectedComponentsPlugin, LeavesAnotherVersionAlone)
{
  SKIP_WITHOUT_AUTOLOAD();
  for (const std::string argument : { "", "strict" })
  {
    const Outcome run = this->RunClient(m_Misfits, "ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1", argument);
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.printed, this->RunClient("").printed);
    EXPECT_TRUE(std::regex_match(
      run.errors,
      std::regex("WARNING: CudaConnectedComponents: the plug-in does not fit this program: it was built for itk "
                 "version 5\\.1\\.99, but the program uses itk version [0-9.]+; build .*\n")))
      << run.errors;
  }
}

TEST_F(CudaConnectedComponentsPlugin, CanBeLoadedAnew)
{
  SKIP_WITHOUT_AUTOLOAD();
  const Outcome run = this->RunClient(m_Plugins, "", "rehash");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(run.printed, this->RunClient(m_Plugins).printed);
}

TEST_F(CudaConnectedComponentsPlugin, HasFunctionsOfC)
{
  const std::string functions = FromEnvironment("CUDA_CONNECTED_COMPONENTS_PLUGIN_FUNCTIONS", PLUGIN_FUNCTIONS);
  const std::string head = "Version: [0-9.]+\nITKVersion: itk version [0-9.]+\nITKFile: /.*libITKCommon.*\n"
                           "Unregister: 1 \nIsRegistered: 0 \n";
  const std::string otherVersion =
    "the plug-in does not fit this program: it was built for itk version 5\\.1\\.99, but the program uses .*\n";
  const std::string off = "the environment variable ITK_CUDA_CONNECTED_COMPONENTS is 0\n";
  struct Case
  {
    std::string environment;
    std::string plugin;
    std::string registered;
    std::string error;
  };
  const std::string plugin = m_Plugins + "/libCudaConnectedComponentsPlugin.so";
  for (const Case & each : { Case{ "", plugin, "1", " \n" },
                             Case{ "ITK_AUTOLOAD_PATH='" + m_Misfits + "'", plugin, "1", " \n" },
                             Case{ "ITK_CUDA_CONNECTED_COMPONENTS=0", plugin, "0", " " + off },
                             Case{ "", m_Misfits + "/libMisfitPlugin.so", "0", " " + otherVersion } })
  {
    SCOPED_TRACE(each.environment + ' ' + each.plugin);
    const Outcome run = this->Run(each.environment + " '" + functions + "' '" + each.plugin + "'");
    EXPECT_EQ(run.status, 0) << run.errors;
    const std::string enroll = "Register: " + each.registered + each.error;
    EXPECT_TRUE(std::regex_match(run.printed,
                                 std::regex(head + enroll + enroll + "IsRegistered: " + each.registered +
                                            " \nUnregister: 1 \nIsRegistered: 0 \n" + enroll)))
      << run.printed;
  }
}

/** A CT of a body: air around it, two lungs in it, a couch below it, and noise. */
void
WriteBody(const std::string & file, unsigned int size)
{
  using ImageType = itk::Image<short, 3>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { size, size, size - 5 } });
  image->Allocate();
  const double  scale = 2.0 / size;
  std::uint32_t random = 20261120;
  short *       pixel = image->GetBufferPointer();
  for (unsigned int z = 0; z < size - 5; ++z)
  {
    for (unsigned int y = 0; y < size; ++y)
    {
      for (unsigned int x = 0; x < size; ++x)
      {
        const double u = x * scale - 1.0;
        const double v = y * scale - 1.0;
        random = random * 1664525 + 1013904223;
        const bool isBody = u * u / 0.5 + v * v / 0.25 < 1.0;
        const bool isLung = std::pow(std::abs(u) - 0.3, 2) + v * v < 0.04;
        const bool isCouch = v > 0.6 && v < 0.65;
        const int  value = isLung ? -800 : isBody ? 40 : isCouch ? 100 : -1000;
        *pixel++ = static_cast<short>(value + static_cast<int>(random >> 20) % (random % 100 == 0 ? 1500 : 100));
      }
    }
  }
  auto writer = itk::ImageFileWriter<ImageType>::New();
  writer->SetInput(image);
  writer->SetFileName(file);
  writer->Update();
}

TEST_F(CudaConnectedComponentsPlugin, SpeedsUpPlastimatch)
{
  const std::string plastimatch = FromEnvironment("CUDA_CONNECTED_COMPONENTS_PLASTIMATCH", "plastimatch");
  if (this->Run(plastimatch + " --version").status != 0)
  {
    GTEST_SKIP() << "there is no plastimatch; install Debian's package, or set CUDA_CONNECTED_COMPONENTS_PLASTIMATCH";
  }
  const std::string library =
    "libITKCommon-" + std::to_string(ITK_VERSION_MAJOR) + "." + std::to_string(ITK_VERSION_MINOR);
  if (this->Run("ldd \"$(command -v " + plastimatch + ")\"").printed.find(library) == std::string::npos)
  {
    GTEST_SKIP() << plastimatch << " does not use " << library;
  }
  WriteBody(this->File("body.mha"), 97);
  const auto segment = [&](const std::string & environment, const std::string & output) {
    return this->Run(environment + " " + plastimatch + " segment --input body.mha --output-img " + output);
  };
  const Outcome before = segment("", "before.mha");
  const Outcome with = segment("ITK_AUTOLOAD_PATH='" + m_Plugins +
                                 "' ITK_CUDA_CONNECTED_COMPONENTS=1 ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE=1",
                               "with.mha");
  ASSERT_EQ(before.status, 0) << before.errors;
  ASSERT_EQ(with.status, 0) << with.errors;
  const std::string labels = ReadText(this->File("before.mha"));
  EXPECT_GT(labels.size(), 1000U);
  EXPECT_TRUE(ReadText(this->File("with.mha")) == labels);

  const bool hasDevice = CudaTestSupport::CountDevices() > 0;
  const auto lines = LinesOf(with.errors);
  ASSERT_EQ(lines.size(), 4U) << with.errors;
  for (std::size_t i = 0; i < 4; ++i)
  {
    const std::string & line = lines[i];
    std::cout << line << '\n';
    if (i % 2 == 0)
    {
      EXPECT_NE(line.find("unsigned char to short, connectivity 6, "), std::string::npos) << line;
      EXPECT_NE(line.find(hasDevice ? ", cuda, " : ", cpu ("), std::string::npos) << line;
    }
    else
    {
      EXPECT_NE(line.find("CudaRelabelComponentImageFilter"), std::string::npos) << line;
      EXPECT_NE(line.find("short to short, cpu, "), std::string::npos) << line;
    }
  }
}

} // namespace
