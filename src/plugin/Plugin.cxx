// SPDX-License-Identifier: Apache-2.0

// The entry point by which ITK loads the factory into programs that do not know of it (itk::ObjectFactoryBase).

#include "itkCudaConnectedComponentImageFilterFactory.h"
#include "itkVersion.h"

#include <cstdio>
#include <string>

#include <dlfcn.h>

namespace
{

/** Registers nothing. Claims to be of the program's version, as then ITK has nothing to warn of. */
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

/** The file that holds an address, or empty. */
std::string
FileOf(const void * address)
{
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/** Why this program cannot take the overrides, or empty. `caller` is an address in the ITK that loads the plug-in. */
std::string
WhyUnfit(const void * caller)
{
  const std::string built = ITK_SOURCE_VERSION;
  const std::string found = itk::Version::GetITKSourceVersion();
  if (built != found)
  {
    return "built for " + built + ", found " + found;
  }
  const std::string ours = FileOf(reinterpret_cast<const void *>(&itk::Version::GetITKSourceVersion));
  const std::string theirs = FileOf(caller);
  if (ours != theirs)
  {
    return "built for the shared " + ours + ", found an ITK of its own in " + theirs;
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
  if (whyUnfit.empty() && itk::CudaConnectedComponentsProcess::IsReplacementEnabled())
  {
    factory = itk::CudaConnectedComponentImageFilterFactory::New();
  }
  else
  {
    factory = EmptyFactory::New();
  }
  return factory;
}
