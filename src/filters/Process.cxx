// SPDX-License-Identifier: Apache-2.0

// The process-wide part of the filters: environment variables, messages, and the start of CUDA.

#include "CudaConnectedComponentsDetail/Process.h"

#include "CudaConnectedComponentsDetail/ImageAccess.h"

#include "engine/DeviceSession.h"

#include "itkCudaConnectedComponentLabeler.h"
#include "itkObject.h"
#include "itkOutputWindow.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <typeindex>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

bool
IsEnvironmentSetTo(const char * variable, const char * value)
{
  const char * const found = std::getenv(variable);
  return found != nullptr && std::strcmp(found, value) == 0;
}

/** Returns the C++ name of a pixel type. std::type_info::name() would return a mangled name. */
const char *
PixelName(const std::type_info & pixel)
{
  static const std::map<std::type_index, const char *> names{ { typeid(bool), "bool" },
                                                              { typeid(char), "char" },
                                                              { typeid(signed char), "signed char" },
                                                              { typeid(unsigned char), "unsigned char" },
                                                              { typeid(short), "short" },
                                                              { typeid(unsigned short), "unsigned short" },
                                                              { typeid(int), "int" },
                                                              { typeid(unsigned int), "unsigned int" },
                                                              { typeid(long), "long" },
                                                              { typeid(unsigned long), "unsigned long" },
                                                              { typeid(long long), "long long" },
                                                              { typeid(unsigned long long), "unsigned long long" },
                                                              { typeid(float), "float" },
                                                              { typeid(double), "double" } };
  const auto                                           found = names.find(pixel);
  return found != names.end() ? found->second : pixel.name();
}

/** An integer, because C++17 has no atomic addition of floating-point numbers. */
std::atomic<std::uint64_t> MicrosecondsWithoutGPU{ 0 };

} // namespace

bool
Process::IsReplacementEnabled()
{
  return !IsEnvironmentSetTo("ITK_CUDA_CONNECTED_COMPONENTS", "0");
}

bool
Process::IsReplacementEnabled(const std::string & className)
{
  const char * const variable = std::getenv("ITK_CUDA_CONNECTED_COMPONENTS_DISABLE");
  std::istringstream names(variable != nullptr ? variable : "");
  for (std::string name; std::getline(names, name, ',');)
  {
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    if (name == className)
    {
      return false;
    }
  }
  return true;
}

bool
Process::IsVerbose()
{
  return IsEnvironmentSetTo("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE", "1");
}

void
Process::Print(const Update & update)
{
  std::ostringstream line;
  line << "CudaConnectedComponents: " << update.filter << ", " << SizeText(update.size) << " pixels, "
       << PixelName(*update.inputPixel) << " to " << PixelName(*update.outputPixel)
       << (update.masked ? ", masked" : "");
  if (update.connectivity > 0)
  {
    line << ", connectivity " << update.connectivity;
  }
  using BackendEnum = CudaConnectedComponentsEnums::Backend;
  line << (update.backend == BackendEnum::CUDA ? ", cuda" : update.backend == BackendEnum::ITK ? ", itk" : ", cpu");
  if (!update.reason.empty())
  {
    line << " (" << update.reason << ')';
  }
  if (update.slabs > 1)
  {
    line << " in " << update.slabs << " slabs";
  }
  line << std::fixed << std::setprecision(1) << ", " << update.milliseconds << " ms\n";
  // One call prints the whole line, so that lines of other threads do not mix with it.
  OutputWindowDisplayText(line.str().c_str());
}

void
Process::Warn(const std::string & text)
{
  if (Object::GetGlobalWarningDisplay())
  {
    OutputWindowDisplayWarningText(("WARNING: CudaConnectedComponents: " + text + '\n').c_str());
  }
}

void
Process::ReportFault(const CudaConnectedComponentError & error)
{
  using KindEnum = CudaConnectedComponentError::KindEnum;
  static std::atomic<bool> areReported[2]{};
  // The arguments of a filter have been checked: this one is of the process, such as an environment variable.
  const bool isArgument = error.GetKind() == KindEnum::InvalidArgument;
  if (error.GetKind() != KindEnum::Unavailable && error.GetKind() != KindEnum::Memory &&
      Object::GetGlobalWarningDisplay() && !areReported[isArgument ? 1 : 0].exchange(true))
  {
    Warn(std::string(isArgument ? "" : "an unexpected error, please report it; ") +
         "the CPU labels instead: " + error.what());
  }
}

Process::TrimAtEnd::~TrimAtEnd()
{
  if (IsEnvironmentSetTo("ITK_CUDA_CONNECTED_COMPONENTS_TRIM", "1"))
  {
    try
    {
      CudaConnectedComponentLabeler::TrimMemory();
    }
    catch (...)
    {
      // A destructor must not throw. The next update reports the error.
    }
  }
}

std::string
Process::WhyNotStartGPU()
{
  const double milliseconds = static_cast<double>(MicrosecondsWithoutGPU) / 1000.0;
  if (ccl::DeviceSession::IsStartupDone() || milliseconds >= MillisecondsBeforeGPU ||
      IsEnvironmentSetTo("ITK_CUDA_CONNECTED_COMPONENTS", "1"))
  {
    return "";
  }
  std::ostringstream reason;
  reason << std::fixed << std::setprecision(0) << "starting CUDA pays after " << MillisecondsBeforeGPU
         << " ms of labeling in a process, and there were " << milliseconds;
  return reason.str();
}

void
Process::AddTimeWithoutGPU(double milliseconds)
{
  MicrosecondsWithoutGPU += static_cast<std::uint64_t>(milliseconds * 1000.0);
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
