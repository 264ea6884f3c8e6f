// SPDX-License-Identifier: Apache-2.0

#include "engine/Results.h"

#include "algorithms/analysis/UnpackIntensities.h"
#include "algorithms/analysis/UnpackTable.h"

#include <utility>

namespace itk::ccl
{

std::uint64_t
FillTable(const Request &               request,
          const Components &            components,
          CudaConnectedComponentTable * table,
          const std::function<void()> & writeOutput)
{
  CudaConnectedComponentTable filled;
  if (table != nullptr)
  {
    filled.componentCount = components.keptCount;
    filled.componentCounts = components.keptCounts;
    filled.componentCounts.resize(request.images); // images without pixels have no components
    filled.originalComponentCount = components.foundCount;
    if (components.table != nullptr)
    {
      Unpack(request, components.table.get(), components.keptCount, filled);
    }
    if (components.intensities != nullptr)
    {
      filled.intensities = Unpack(request.intensities.type,
                                  static_cast<const IntensityValue *>(components.intensities.get()),
                                  components.keptCount);
    }
  }
  writeOutput();
  if (table != nullptr)
  {
    *table = std::move(filled);
  }
  return components.keptCount;
}

void
Report(const CudaConnectedComponentLabeler::Options & options, float progress)
{
  if (options.progress)
  {
    options.progress(progress);
  }
}

} // namespace itk::ccl
