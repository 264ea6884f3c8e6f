// SPDX-License-Identifier: Apache-2.0

// ITK (itk::ObjectFactoryBase) calls itkLoad() to get the factory. The program needs no change and no new build.

#include "itkCudaConnectedComponentImageFilterFactory.h"
#include "itkVersion.h"

#include <cstdio>
#include <string>

#include <dlfcn.h>

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
std::string
FileOf(const void * address)
{
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/** Returns why the plug-in cannot work in this program, or an empty string if it can. `caller` is an address in the
 * code of ITK that loads the plug-in. */
std::string
WhyUnfit(const void * caller)
{
  const std::string built = ITK_SOURCE_VERSION;
  const std::string found = itk::Version::GetITKSourceVersion();
  if (built != found)
  {
    return "it was built for " + built + ", but the program uses " + found +
           "; build the plug-in with ITK_DIR set to the program's ITK";
  }
  const std::string ours = FileOf(reinterpret_cast<const void *>(&itk::Version::GetITKSourceVersion));
  const std::string theirs = FileOf(caller);
  if (ours != theirs)
  {
    return "it needs ITK in the shared library " + ours + ", but the program uses ITK in " + theirs;
  }
  return "";
}

} // namespace

extern "C" __attribute__((visibility("default"))) itk::ObjectFactoryBase *
                                                  itkLoad()
{
  static itk::ObjectFactoryBase::Pointer factory;
  const std::string                      whyUnfit = WhyUnfit(__builtin_return_address(0));
  if (!whyUnfit.empty())
  {
    std::fprintf(stderr, "CudaConnectedComponents: the plug-in does not fit this program: %s\n", whyUnfit.c_str());
  }
  if (whyUnfit.empty() && itk::CudaConnectedComponentsDetail::Process::IsReplacementEnabled())
  {
    factory = itk::CudaConnectedComponentImageFilterFactory::New();
  }
  else
  {
    factory = EmptyFactory::New();
  }
  return factory;
}
