// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_FasterLightSpeedFeatures_h
#define ccl_gallery_FasterLightSpeedFeatures_h

// Analysis of components by FLSL (faster light speed labeling), with and without conflict detection (FLSL+CD), for 4-
// and 8-connectivity of planes.
// Lemaitre, Hennequin and Lacassagne, "Taming Voting Algorithms on GPUs for an Efficient Connected Component Analysis
// Algorithm", ICASSP 2021. Its text was not available: FasterLightSpeedLabeling.h names the sources, and has the
// kernels that find and unite runs.
//
// The features are the number of pixels, the sums of x and y, and the bounding rectangle, as in Section IV-D and
// Algorithm 6 of "HA4" (DASIP 2018): a run adds its features to the features of its root by atomic operations. Atomic
// operations on one address run one after the other. With conflict detection, the lanes of a warp that have the same
// root first reduce their features in registers, and the first of these peers does the atomic operations for all.
//
// InitializeFeatures replaces TransitiveClosure: it links each run to its root, and stores the features of the run that
// is a root. Then AddFeatures, or AddFeaturesOfPeers with conflict detection (FasterLightSpeedConflicts.h), adds the
// other runs. These kernels do not need the image of labels. FasterLightSpeedRunFeatures.h has the features of a run.
//
// Extra memory: as for labeling. The features have an element for each run that the image could have: RunTable::Room().
// The component with label l has element l - 1.
//
// Ours, because the paper's way is not known: the kernels and their order. A root is the first run of its component in
// raster order, so no other run can lower the minimum of y.
// Race, allowed: those of labeling. In InitializeFeatures, the race of CompressHalving(), see UnionFind.h. Threads see
// which runs are roots, because no union runs concurrently.
// Features are exact if they fit their types. A sum of x or y may not exceed 2^64 - 1.

#include "gallery/FasterLightSpeedConflicts.h"
#include "gallery/FasterLightSpeedLabeling.h"
#include "gallery/FasterLightSpeedRunFeatures.h"

#include <type_traits>

namespace itk::ccl::gallery
{

namespace FasterLightSpeed
{

/** Links each run to its root, and stores the features of each run that is a root. */
template <typename TLabel>
struct InitializeFeatures
{
  static constexpr unsigned int Threads = ThreadsOfRow;
  using SharedMemory = NoSharedMemory;

  RunTable<TLabel>             runs;
  ComponentFeatures<2, TLabel> features;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const TLabel y = static_cast<TLabel>(threadBlock.GetIndex());
    runs.ForEachRun(threadBlock, y, [&](TLabel run) {
      CompressHalving(runs.parents, run);
      if (Load(runs.parents + run) == run)
      {
        const RowFeatures<TLabel> own = FeaturesOf(runs, run);
        features.pixelCounts[run] = own.pixelCount;
        features.sums[0][run] = own.sumOfX;
        features.sums[1][run] = std::uint64_t{ y } * own.pixelCount;
        features.minimums[0][run] = own.minimumOfX;
        features.maximums[0][run] = own.maximumOfX;
        features.minimums[1][run] = y;
        features.maximums[1][run] = y;
      }
    });
  }
};

/** Adds the features of each run that is not a root to its root, with atomic operations for each run, as in HA4. */
template <typename TLabel>
struct AddFeatures
{
  static constexpr unsigned int Threads = ThreadsOfRow;
  using SharedMemory = NoSharedMemory;

  RunTable<TLabel>             runs;
  ComponentFeatures<2, TLabel> features;

  CCL_NO_EXECUTION_CHECK
  template <typename TThreadBlock>
  CCL_HOST_DEVICE
  void
  operator()(const TThreadBlock & threadBlock, SharedMemory &) const
  {
    const TLabel y = static_cast<TLabel>(threadBlock.GetIndex());
    runs.ForEachRun(threadBlock, y, [&](TLabel run) {
      const TLabel root = runs.parents[run];
      if (root != run)
      {
        AddToComponent(features, root, y, FeaturesOf(runs, run));
      }
    });
  }
};

} // namespace FasterLightSpeed

/** Measures the components of a plane. */
struct FasterLightSpeedAnalysis
{
  /** Writes the features of all components of a plane of one byte per pixel. Foreground pixels are not 0.
   * \tparam VDetectConflicts selects conflict detection. Both ways give the same features.
   * \param labels the labels of FasterLightSpeedLabelingAlgorithm, or null to write no labels */
  template <bool VDetectConflicts, typename TLabel, typename TExecutor>
  static void
  Measure(const TExecutor &                    executor,
          const std::uint8_t *                 input,
          const Grid &                         size,
          bool                                 fullyConnected,
          const ComponentFeatures<2, TLabel> & features,
          TLabel *                             labels = nullptr)
  {
    namespace Kernels = FasterLightSpeed;
    using AddFeatures =
      std::conditional_t<VDetectConflicts, Kernels::AddFeaturesOfPeers<TLabel>, Kernels::AddFeatures<TLabel>>;
    executor.Fill(features.pixelCounts, Kernels::RunTable<TLabel>::Room(size), 0);
    Kernels::VisitUnitedRuns<TLabel>(executor, input, size, fullyConnected, [&](const auto & runs) {
      executor.ForEachThreadBlock(size.y, Kernels::InitializeFeatures<TLabel>{ runs, features });
      executor.ForEachThreadBlock(size.y, AddFeatures{ runs, features });
      if (labels != nullptr)
      {
        executor.ForEach(size, Kernels::FinalLabeling<TLabel>{ runs, labels });
      }
    });
  }
};

} // namespace itk::ccl::gallery

#endif
