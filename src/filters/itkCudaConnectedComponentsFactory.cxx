// SPDX-License-Identifier: Apache-2.0
#include "itkCudaConnectedComponentsFactory.h"

#include "filters/OverriddenTypes.h"

#include "itkVersion.h"

#include <mutex>
#include <set>

namespace itk
{

namespace
{

template <std::size_t... VInputs>
void
AddAllOverrides(CudaConnectedComponentsFactory & factory, std::index_sequence<VInputs...>)
{
  (ccl::AddOverrides<VInputs>(factory), ...);
}

template <std::size_t... VInputs>
void
AddAllLabelMapOverrides(CudaConnectedComponentsFactory & factory, std::index_sequence<VInputs...>)
{
  (ccl::AddLabelMapOverrides<VInputs>(factory), ...);
}

template <std::size_t... VInputs>
void
AddAllThresholdOverrides(CudaConnectedComponentsFactory & factory, std::index_sequence<VInputs...>)
{
  (ccl::AddThresholdOverrides<VInputs>(factory), ...);
}

/** The functions of AddToAll(). */
struct AddedToAll
{
  std::mutex                                           mutex;
  std::set<void (*)(CudaConnectedComponentsFactory &)> functions;

  static AddedToAll &
  Get()
  {
    static AddedToAll added;
    return added;
  }
};

} // namespace

CudaConnectedComponentsFactory::CudaConnectedComponentsFactory()
{
  AddAllOverrides(*this, std::make_index_sequence<ccl::OverriddenInputCount>());
  ccl::AddRelabelOverrides(*this);
  AddAllLabelMapOverrides(*this, std::make_index_sequence<ccl::LabelMapInputCount>());
  AddAllThresholdOverrides(*this, std::make_index_sequence<ccl::ThresholdedTypeCount>());
  AddedToAll &                      added = AddedToAll::Get();
  const std::lock_guard<std::mutex> lock(added.mutex);
  for (const AddFunction add : added.functions)
  {
    add(*this);
  }
}

CudaConnectedComponentsFactory::~CudaConnectedComponentsFactory() = default;

const char *
CudaConnectedComponentsFactory::GetITKSourceVersion() const
{
  return ITK_SOURCE_VERSION;
}

const char *
CudaConnectedComponentsFactory::GetDescription() const
{
  return "Labels connected components, fills holes and grows regions on NVIDIA GPUs, and relabels components on the "
         "CPU";
}

void
CudaConnectedComponentsFactory::RegisterOneFactory()
{
  if (CudaConnectedComponentsDetail::Process::IsReplacementEnabled() && GetRegistered() == nullptr)
  {
    ObjectFactoryBase::RegisterFactory(Self::New());
  }
}

void
CudaConnectedComponentsFactory::AddToAll(AddFunction add)
{
  {
    AddedToAll &                      added = AddedToAll::Get();
    const std::lock_guard<std::mutex> lock(added.mutex);
    added.functions.insert(add);
  }
  // Without the lock, because ITK may load plug-ins here, and create a factory of this class.
  if (Self * const factory = GetRegistered())
  {
    add(*factory);
  }
}

auto
CudaConnectedComponentsFactory::GetRegistered() -> Self *
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
