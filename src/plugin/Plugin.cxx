// SPDX-License-Identifier: Apache-2.0

// ITK (itk::ObjectFactoryBase) calls itkLoad() to get the factory. The program needs no change and no new build.
// Programs that load the plug-in themselves call the functions of itkCudaConnectedComponentsPlugin.h.

#include "itkConnectedThresholdImageFilter.h"
#include "itkCudaConnectedComponentsFactory.h"
#include "itkVersion.h"

#pragma GCC visibility push(default)
#include "itkCudaConnectedComponentsPlugin.h"
#pragma GCC visibility pop

#include <cstdio>
#include <exception>
#include <ostream>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

namespace itk
{

// The only function of ITK's library ITKRegionGrowing that the filters call, to print themselves. With its own copy,
// the plug-in also loads in programs whose ITK lacks this library.
std::ostream &
operator<<(std::ostream & out, const ConnectedThresholdImageFilterEnums::Connectivity value)
{
  switch (value)
  {
    case ConnectedThresholdImageFilterEnums::Connectivity::FaceConnectivity:
      return out << "itk::ConnectedThresholdImageFilterEnums::Connectivity::FaceConnectivity";
    case ConnectedThresholdImageFilterEnums::Connectivity::FullConnectivity:
      return out << "itk::ConnectedThresholdImageFilterEnums::Connectivity::FullConnectivity";
    default:
      return out << "INVALID VALUE FOR itk::ConnectedThresholdImageFilterEnums::Connectivity";
  }
}

} // namespace itk

namespace
{

/** Replaces no filter. Returns the ITK version of the program, so that ITK prints no warning about another version. */
class EmptyFactory : public itk::ObjectFactoryBase
{
public:
  using Self = EmptyFactory;
  using Pointer = itk::SmartPointer<Self>;

  itkFactorylessNewMacro(Self);

  const char *
  GetITKSourceVersion() const override
  {
    return itk::Version::GetITKSourceVersion();
  }

  const char *
  GetDescription() const override
  {
    return "Labels connected components on NVIDIA GPUs: not in use";
  }
};

/** Returns the path of the program or library that contains an address, or an empty string if it is unknown. */
const char *
FileOf(const void * address)
{
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/** Returns an address in the ITK that the plug-in uses. */
const void *
AddressInITK()
{
  return reinterpret_cast<const void *>(&itk::Version::GetITKSourceVersion);
}

/** Returns why the plug-in cannot work with the version of the ITK that it uses, or an empty string if it can. */
std::string
WhyOtherVersion()
{
  const std::string built = ITK_SOURCE_VERSION;
  const std::string found = itk::Version::GetITKSourceVersion();
  return built == found ? ""
                        : "it was built for " + built + ", but the program uses " + found +
                            "; build the plug-in with ITK_DIR set to the program's ITK";
}

/** Returns why the plug-in cannot work in this program, or an empty string if it can. `caller` is an address in the
 * code of ITK that loads the plug-in. */
std::string
WhyUnfit(const void * caller)
{
  const std::string ours = FileOf(AddressInITK());
  const std::string theirs = FileOf(caller);
  const std::string whyOtherVersion = WhyOtherVersion();
  return whyOtherVersion.empty() && ours != theirs
           ? "it needs ITK in the shared library " + ours + ", but the program uses ITK in " + theirs
           : whyOtherVersion;
}

/** The text of the last error in this thread. An array, because a copy of a text could throw. */
thread_local char LastError[1024];

/** Calls a function that returns a bool. Stores the text of an exception and returns false after it. */
template <typename TFunction>
int
CallWithoutExceptions(const TFunction & function)
{
  LastError[0] = '\0';
  try
  {
    return function() ? 1 : 0;
  }
  catch (const std::exception & error)
  {
    std::snprintf(LastError, sizeof(LastError), "%s", error.what());
  }
  catch (...)
  {
    std::snprintf(LastError, sizeof(LastError), "an unknown exception");
  }
  return 0;
}

using FactoryType = itk::CudaConnectedComponentsFactory;

} // namespace

extern "C" __attribute__((visibility("default"))) itk::ObjectFactoryBase *
                                                  itkLoad()
{
  static itk::ObjectFactoryBase::Pointer factory;
  const std::string                      whyUnfit = WhyUnfit(__builtin_return_address(0));
  if (!whyUnfit.empty())
  {
    itk::CudaConnectedComponentsDetail::Process::Warn("the plug-in does not fit this program: " + whyUnfit);
  }
  if (whyUnfit.empty() && itk::CudaConnectedComponentsDetail::Process::IsReplacementEnabled())
  {
    factory = FactoryType::New();
  }
  else
  {
    factory = EmptyFactory::New();
  }
  return factory;
}

int
itkCudaConnectedComponentsRegister()
{
  return CallWithoutExceptions([] {
    const std::string whyUnfit = WhyOtherVersion();
    if (!whyUnfit.empty())
    {
      throw std::runtime_error("the plug-in does not fit this program: " + whyUnfit);
    }
    FactoryType::RegisterOneFactory();
    if (FactoryType::GetRegistered() == nullptr)
    {
      throw std::runtime_error("the environment variable ITK_CUDA_CONNECTED_COMPONENTS is 0");
    }
    return true;
  });
}

int
itkCudaConnectedComponentsUnregister()
{
  return CallWithoutExceptions([] {
    while (FactoryType * const factory = FactoryType::GetRegistered())
    {
      itk::ObjectFactoryBase::UnRegisterFactory(factory);
    }
    return true;
  });
}

int
itkCudaConnectedComponentsIsRegistered()
{
  return CallWithoutExceptions([] { return FactoryType::GetRegistered() != nullptr; });
}

const char *
itkCudaConnectedComponentsGetVersion()
{
  return CUDA_CONNECTED_COMPONENTS_VERSION;
}

const char *
itkCudaConnectedComponentsGetITKVersion()
{
  return itk::Version::GetITKSourceVersion();
}

const char *
itkCudaConnectedComponentsGetITKFile()
{
  return FileOf(AddressInITK());
}

const char *
itkCudaConnectedComponentsGetLastError()
{
  return LastError;
}
