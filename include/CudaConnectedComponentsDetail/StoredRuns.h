// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_StoredRuns_h
#define CudaConnectedComponentsDetail_StoredRuns_h

#include "itkCudaConnectedComponentLabeler.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Stores the runs of all rows of an image. Threads add the rows in any order. */
class CudaConnectedComponents_EXPORT StoredRuns
{
public:
  using RunType = CudaConnectedComponentLabeler::Run;
  using RowVisitorType = std::function<void(std::uint64_t row, const RunType * runs, std::uint64_t count)>;

  explicit StoredRuns(std::uint64_t rowCount);
  ~StoredRuns();
  StoredRuns(const StoredRuns &) = delete;
  StoredRuns & operator=(const StoredRuns &) = delete;

  /** Copies the runs of one row. Several threads may add different rows at the same time. */
  void Add(std::uint64_t row, const RunType * runs, std::uint64_t count);

  /** Calls visit(row, runs, count) for each row that has runs, in raster order. Several threads may call this function
   * at the same time. */
  void ForEachRow(const RowVisitorType & visit) const;

private:
  class Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

/** Divides the components into at most `maximum` parts of neighboring components, so that their objects take about the
 * same time to make. Returns the first component of each part, and then the number of components. */
CudaConnectedComponents_EXPORT std::vector<std::size_t>
DivideComponents(const std::vector<std::uint64_t> & pixelCounts, std::uint64_t maximum);

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
