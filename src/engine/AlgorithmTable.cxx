// SPDX-License-Identifier: Apache-2.0

// The table of algorithms for the layers above: the filter, the tool, the tests and the benchmark.

#include "algorithms/published/PublishedAlgorithms.h"

#include "itkCudaConnectedComponentsEnums.h"

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

} // namespace itk
