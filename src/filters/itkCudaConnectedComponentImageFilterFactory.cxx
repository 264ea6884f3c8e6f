// SPDX-License-Identifier: Apache-2.0
#include "itkCudaConnectedComponentImageFilterFactory.h"

#include "filters/OverriddenTypes.h"

#include "itkVersion.h"

#include <set>

namespace itk
{

namespace
{

template <std::size_t... VInputs>
void
AddAllOverrides(CudaConnectedComponentImageFilterFactory & factory, std::index_sequence<VInputs...>)
{
  (ccl::AddOverrides<VInputs>(factory), ...);
}

template <std::size_t... VInputs>
void
AddAllLabelMapOverrides(CudaConnectedComponentImageFilterFactory & factory, std::index_sequence<VInputs...>)
{
  (ccl::AddLabelMapOverrides<VInputs>(factory), ...);
}

/** Returns the functions of AddToRegistered(). */
std::set<void (*)(CudaConnectedComponentImageFilterFactory &)> &
AddedToRegistered()
{
  static std::set<void (*)(CudaConnectedComponentImageFilterFactory &)> functions;
  return functions;
}

} // namespace

CudaConnectedComponentImageFilterFactory::CudaConnectedComponentImageFilterFactory()
{
  AddAllOverrides(*this, std::make_index_sequence<ccl::OverriddenInputCount>());
  ccl::AddRelabelOverrides(*this);
  AddAllLabelMapOverrides(*this, std::make_index_sequence<ccl::LabelMapInputCount>());
}

CudaConnectedComponentImageFilterFactory::~CudaConnectedComponentImageFilterFactory() = default;

const char *
CudaConnectedComponentImageFilterFactory::GetITKSourceVersion() const
{
  return ITK_SOURCE_VERSION;
}

const char *
CudaConnectedComponentImageFilterFactory::GetDescription() const
{
  return "Labels connected components and fills holes on NVIDIA GPUs, and relabels components on the CPU";
}

void
CudaConnectedComponentImageFilterFactory::RegisterOneFactory()
{
  if (CudaConnectedComponentsDetail::Process::IsReplacementEnabled() && GetRegistered() == nullptr)
  {
    const auto factory = Self::New();
    for (const AddFunction add : AddedToRegistered())
    {
      add(*factory);
    }
    ObjectFactoryBase::RegisterFactory(factory);
  }
}

void
CudaConnectedComponentImageFilterFactory::AddToRegistered(AddFunction add)
{
  AddedToRegistered().insert(add);
  if (Self * const factory = GetRegistered())
  {
    add(*factory);
  }
}

auto
CudaConnectedComponentImageFilterFactory::GetRegistered() -> Self *
{
  for (ObjectFactoryBase * const each : ObjectFactoryBase::GetRegisteredFactories())
  {
    if (auto * const factory = dynamic_cast<Self *>(each))
    {
      return factory;
    }
  }
  return nullptr;
}

} // namespace itk
