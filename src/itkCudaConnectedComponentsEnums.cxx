// SPDX-License-Identifier: Apache-2.0
#include "itkCudaConnectedComponentsEnums.h"

#include "algorithms/published/PublishedAlgorithms.h"

#include <ostream>

namespace itk
{

namespace
{

using Description = CudaConnectedComponentsEnums::AlgorithmDescription;

template <typename... TAlgorithms>
std::vector<Description>
MakeTable(const std::tuple<TAlgorithms...> *)
{
  using Algorithm = CudaConnectedComponentsEnums::Algorithm;
  return { { Algorithm::Automatic, "Automatic", "automatic", "Automatic", false, false, false },
           TAlgorithms::Description...,
           { Algorithm::RunUnionFind, "RunUnionFind", "runs", "runs", false, false, false } };
}

} // namespace

const std::vector<Description> &
CudaConnectedComponentsEnums::GetAlgorithms()
{
  static const std::vector<Description> table = MakeTable(static_cast<ccl::PublishedAlgorithms *>(nullptr));
  return table;
}

const Description &
CudaConnectedComponentsEnums::Describe(Algorithm algorithm)
{
  for (const Description & row : GetAlgorithms())
  {
    if (row.algorithm == algorithm)
    {
      return row;
    }
  }
  return GetAlgorithms().front();
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Algorithm value)
{
  const Description & row = CudaConnectedComponentsEnums::Describe(value);
  return row.algorithm == value ? out << "itk::CudaConnectedComponentsEnums::Algorithm::" << row.identifier
                                : out << "INVALID VALUE FOR itk::CudaConnectedComponentsEnums::Algorithm";
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Backend value)
{
  return out << [value] {
    switch (value)
    {
      case CudaConnectedComponentsEnums::Backend::Unknown:
        return "itk::CudaConnectedComponentsEnums::Backend::Unknown";
      case CudaConnectedComponentsEnums::Backend::CUDA:
        return "itk::CudaConnectedComponentsEnums::Backend::CUDA";
      case CudaConnectedComponentsEnums::Backend::CPU:
        return "itk::CudaConnectedComponentsEnums::Backend::CPU";
      case CudaConnectedComponentsEnums::Backend::ITK:
        return "itk::CudaConnectedComponentsEnums::Backend::ITK";
      default:
        return "INVALID VALUE FOR itk::CudaConnectedComponentsEnums::Backend";
    }
  }();
}

} // namespace itk
