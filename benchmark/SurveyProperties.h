// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_SurveyProperties_h
#define ccl_benchmark_SurveyProperties_h

// The ways to measure the components of a plane that the survey compares. A new way is a struct here, and a line in
// VisitSurveyProperties(). A way is a struct with
// - `WritesLabels`: whether it writes ITK's labels;
// - `Measure(executor, input, size, fullyConnected, labels, visit)`: labels or measures the components, and calls
//   visit(pixelCounts, n) if it measures them. The numbers of pixels of all components are in n elements of the
//   executor's memory. Elements of no component are 0.

#include "Labelings.h"

#include "algorithms/published/ComponentFeatures.h"
#include "algorithms/published/HardwareAcceleratedFeatures.h"
#include "gallery/FasterLightSpeedFeatures.h"
#include "gallery/LabelEquivalenceProperties.h"
#include "gallery/TileMergingProperties.h"

#include <cstdint>
#include <utility>

namespace itk::ccl::SurveyProperties
{

/** The labels of an algorithm of "On GPU Connected Components and Properties" (gallery/Properties.h), no properties. */
template <typename TAlgorithm>
struct Ordinary
{
  static constexpr bool WritesLabels = true;

  template <typename TExecutor, typename TVisitor>
  static void
  Measure(const TExecutor &    executor,
          const std::uint8_t * input,
          const Grid &         size,
          bool                 fullyConnected,
          std::uint32_t *      labels,
          const TVisitor &)
  {
    TAlgorithm::template Label<2>(executor, input, size, fullyConnected, labels);
    gallery::RelabelSequentially(executor, size, labels);
  }
};

/** Size, center and covariance, which the algorithm adds up while it labels. */
template <typename TAlgorithm>
struct Early
{
  static constexpr bool WritesLabels = true;

  template <typename TExecutor, typename TVisitor>
  static void
  Measure(const TExecutor &    executor,
          const std::uint8_t * input,
          const Grid &         size,
          bool                 fullyConnected,
          std::uint32_t *      labels,
          const TVisitor &     visit)
  {
    const auto sums = gallery::MeasureEarly<TAlgorithm, std::uint32_t>(executor, input, size, fullyConnected, labels);
    visit(sums.GetArrays().size, sums.GetCount());
  }
};

/** Size, center and covariance, which a kernel adds up after the labeling. */
template <typename TAlgorithm>
struct Late
{
  static constexpr bool WritesLabels = true;

  template <typename TExecutor, typename TVisitor>
  static void
  Measure(const TExecutor &    executor,
          const std::uint8_t * input,
          const Grid &         size,
          bool                 fullyConnected,
          std::uint32_t *      labels,
          const TVisitor &     visit)
  {
    const auto sums = gallery::MeasureLate<TAlgorithm, std::uint32_t>(executor, input, size, fullyConnected, labels);
    visit(sums.GetArrays().size, sums.GetCount());
  }
};

/** The owner of the features of a plane's components. */
template <typename TExecutor>
class FeatureMemory
{
public:
  /** Allocates arrays of `count` elements. */
  FeatureMemory(const TExecutor & executor, std::uint64_t count)
    : m_Count(count)
    , m_CountsAndLimits(executor.template Allocate<std::uint32_t>(5 * count))
    , m_Sums(executor.template Allocate<std::uint64_t>(2 * count))
  {}

  ComponentFeatures<2, std::uint32_t>
  GetFeatures() const
  {
    std::uint32_t * const counts = m_CountsAndLimits.get();
    return { counts,
             { m_Sums.get(), m_Sums.get() + m_Count },
             { counts + m_Count, counts + 2 * m_Count },
             { counts + 3 * m_Count, counts + 4 * m_Count } };
  }

private:
  template <typename T>
  using BufferType = decltype(std::declval<const TExecutor &>().template Allocate<T>(0));

  std::uint64_t             m_Count;
  BufferType<std::uint32_t> m_CountsAndLimits;
  BufferType<std::uint64_t> m_Sums;
};

/** The features of FLSL: size, sums of x and y, and bounding rectangle. There are no labels. */
template <bool VDetectConflicts>
struct FasterLightSpeed
{
  static constexpr bool WritesLabels = false;

  template <typename TExecutor, typename TVisitor>
  static void
  Measure(const TExecutor &    executor,
          const std::uint8_t * input,
          const Grid &         size,
          bool                 fullyConnected,
          std::uint32_t *,
          const TVisitor & visit)
  {
    const std::uint64_t room = gallery::FasterLightSpeed::RunTable<std::uint32_t>::Room(size);
    const FeatureMemory memory(executor, room);
    gallery::FasterLightSpeedAnalysis::Measure<VDetectConflicts>(
      executor, input, size, fullyConnected, memory.GetFeatures());
    visit(memory.GetFeatures().pixelCounts, room);
  }
};

/** The features of HA: size, sums of x and y, and bounding rectangle. There are no labels. */
struct HardwareAcceleratedFeatures
{
  static constexpr bool WritesLabels = false;

  template <typename TExecutor, typename TVisitor>
  static void
  Measure(const TExecutor &    executor,
          const std::uint8_t * input,
          const Grid &         size,
          bool                 fullyConnected,
          std::uint32_t *      labels,
          const TVisitor &     visit)
  {
    const FeatureMemory memory(executor, size.Count());
    HardwareAccelerated::Measure<2, std::uint64_t>(executor, input, size, fullyConnected, labels, memory.GetFeatures());
    visit(memory.GetFeatures().pixelCounts, size.Count());
  }
};

/** The library's table of components, with size, center and covariance. */
template <bool VWritesLabels>
struct Table
{
  static constexpr bool WritesLabels = VWritesLabels;

  template <typename TExecutor, typename TVisitor>
  static void
  Measure(const TExecutor &    executor,
          const std::uint8_t * input,
          const Grid &         size,
          bool                 fullyConnected,
          std::uint32_t *      labels,
          const TVisitor &     visit)
  {
    const itk::CudaConnectedComponentTable::Columns columns{ true, false, true, true, false, false };
    const Request                                   request = TableRequestFor(size, columns, fullyConnected);
    const auto write = LabelWriter(executor, request, WritesLabels ? labels : nullptr);
    MeasureByRuns(executor, input, request, write, [&](const CallersTable & table, std::uint64_t rows) {
      visit(table.pixelCounts, rows);
    });
  }
};

} // namespace itk::ccl::SurveyProperties

namespace itk::ccl
{

/** Calls visitor(name, way) for each way. */
template <typename TVisitor>
void
VisitSurveyProperties(const TVisitor & visitor)
{
  using namespace SurveyProperties;
  visitor("LE ordinary", Ordinary<gallery::LabelEquivalenceWithProperties>{});
  visitor("LE early", Early<gallery::LabelEquivalenceWithProperties>{});
  visitor("LE late", Late<gallery::LabelEquivalenceWithProperties>{});
  visitor("TM ordinary", Ordinary<gallery::TileMergingWithProperties>{});
  visitor("TM early", Early<gallery::TileMergingWithProperties>{});
  visitor("TM late", Late<gallery::TileMergingWithProperties>{});
  visitor("FLSL features", FasterLightSpeed<false>{});
  visitor("FLSL+CD features", FasterLightSpeed<true>{});
  visitor("HA features", HardwareAcceleratedFeatures{});
  visitor("ours, labels and table", Table<true>{});
  visitor("ours, table", Table<false>{});
}

} // namespace itk::ccl

#endif
