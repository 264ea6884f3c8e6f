// SPDX-License-Identifier: Apache-2.0

// The table of algorithms for the layers above: the filter, the tool, the tests and the benchmark.

#include "algorithms/published/PublishedAlgorithms.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <ostream>
#include <tuple>

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

const std::vector<CudaConnectedComponentAlgorithms::Description> &
CudaConnectedComponentAlgorithms::GetAll()
{
  // Never destroyed, because threads may use it at exit.
  static const auto * const table =
    new std::vector<Description>(MakeTable(static_cast<ccl::PublishedAlgorithms *>(nullptr)));
  return *table;
}

const CudaConnectedComponentAlgorithms::Description &
CudaConnectedComponentAlgorithms::Describe(CudaConnectedComponentsEnums::Algorithm algorithm)
{
  for (const Description & row : GetAll())
  {
    if (row.algorithm == algorithm)
    {
      return row;
    }
  }
  return GetAll().front();
}

std::ostream &
operator<<(std::ostream & out, CudaConnectedComponentsEnums::Algorithm value)
{
  const auto & row = CudaConnectedComponentAlgorithms::Describe(value);
  return row.algorithm == value ? out << "itk::CudaConnectedComponentsEnums::Algorithm::" << row.identifier
                                : out << "INVALID VALUE FOR itk::CudaConnectedComponentsEnums::Algorithm";
}

} // namespace itk
