// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_GalleryMeasurements_h
#define ccl_test_GalleryMeasurements_h

// The ways to measure components that the gallery and HA (hardware accelerated) have, with one result for all of them.
// A new way is a struct here, and a line in VisitGalleryMeasurements(). A way is a struct with
// - `Supports(size, fullyConnected)`: returns whether the way measures images of this size and connectivity;
// - `Measure<TLabel>(backend, input, size, fullyConnected)`: returns a GalleryMeasurement.
// A backend has `executor`, and `Read(memory, count)`, which copies the executor's memory to a
// std::vector<std::uint64_t>.
//
// The labels and features that a way must write are filled with bytes of 0xAB before.

#include "algorithms/published/ComponentFeatures.h"
#include "algorithms/published/HardwareAcceleratedFeatures.h"
#include "gallery/FasterLightSpeedFeatures.h"
#include "gallery/Gallery.h"
#include "gallery/LabelEquivalenceProperties.h"
#include "gallery/TileMergingProperties.h"

#include "itkCudaConnectedComponentTable.h"

#include <algorithm>
#include <string>
#include <vector>

/** The results of a way to measure components, in host memory. */
struct GalleryMeasurement
{
  itk::CudaConnectedComponentTable::Columns columns; // the columns that the way has
  itk::CudaConnectedComponentTable          table;
  std::vector<std::uint64_t>                labels;   // empty if the way writes no labels
  std::vector<std::uint64_t>                elements; // the element of each component in arrays of features
};

namespace GalleryMeasurements
{

using namespace itk::ccl;

template <typename T, typename TExecutor>
auto
AllocateFilled(const TExecutor & executor, std::uint64_t count)
{
  auto memory = executor.template Allocate<T>(count);
  executor.Fill(memory.get(), count, 0xAB);
  return memory;
}

inline std::vector<itk::CudaConnectedComponentTable::Sum>
ToColumn(const std::vector<std::uint64_t> & sums)
{
  std::vector<itk::CudaConnectedComponentTable::Sum> column;
  for (const std::uint64_t sum : sums)
  {
    column.push_back({ sum, 0 });
  }
  return column;
}

/** Returns a measurement of `count` components of a plane, whose z is 0. It has all columns that `columns` selects, but
 * the values are 0. */
inline GalleryMeasurement
MakeMeasurement(std::uint64_t count, const itk::CudaConnectedComponentTable::Columns & columns)
{
  GalleryMeasurement measurement;
  auto &             table = measurement.table;
  const auto         resize = [count](auto & arrays, bool isSelected) {
    for (auto & array : arrays)
    {
      array.resize(isSelected ? count : 0);
    }
  };
  measurement.columns = columns;
  table.componentCount = table.originalComponentCount = count;
  resize(table.minimums, columns.boundingBoxes);
  resize(table.maximums, columns.boundingBoxes);
  resize(table.sums, columns.sums);
  resize(table.products, columns.products);
  return measurement;
}

/** Returns the sums of Properties.h. */
template <typename TBackend, typename TSize, typename TExecutor>
GalleryMeasurement
ReadSums(const TBackend & backend, const gallery::PropertyMemory<TSize, TExecutor> & memory)
{
  const std::uint64_t count = memory.GetCount();
  const auto          arrays = memory.GetArrays();
  GalleryMeasurement  measurement = MakeMeasurement(count, { true, false, true, true, false, false });
  auto &              table = measurement.table;
  const auto          read = [&](const std::uint64_t * sums) { return ToColumn(backend.Read(sums, count)); };
  table.pixelCounts = backend.Read(arrays.size, count);
  table.sums[0] = read(arrays.x);
  table.sums[1] = read(arrays.y);
  table.products[0] = read(arrays.xx);
  table.products[1] = read(arrays.xy);
  table.products[3] = read(arrays.yy);
  return measurement;
}

/** Calls measure(features), and returns the features of the components in the order of their elements.
 * \param count the number of elements of each array of features */
template <unsigned int VDimension, typename TLabel, typename TBackend, typename TFunction>
GalleryMeasurement
ReadFeatures(const TBackend & backend, std::uint64_t count, const TFunction & measure)
{
  const auto integers = AllocateFilled<TLabel>(backend.executor, (1 + 2 * VDimension) * count);
  const auto sums = AllocateFilled<std::uint64_t>(backend.executor, VDimension * count);
  ComponentFeatures<VDimension, TLabel> features{};
  features.pixelCounts = integers.get();
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    features.sums[axis] = sums.get() + axis * count;
    features.minimums[axis] = integers.get() + (1 + axis) * count;
    features.maximums[axis] = integers.get() + (1 + VDimension + axis) * count;
  }
  measure(features);

  std::vector<std::uint64_t>       elements;
  const std::vector<std::uint64_t> pixelCounts = backend.Read(features.pixelCounts, count);
  for (std::uint64_t i = 0; i < count; ++i)
  {
    if (pixelCounts[i] != 0)
    {
      elements.push_back(i);
    }
  }
  const auto pick = [&elements](const std::vector<std::uint64_t> & array) {
    std::vector<std::uint64_t> column;
    for (const std::uint64_t element : elements)
    {
      column.push_back(array[element]);
    }
    return column;
  };
  GalleryMeasurement measurement = MakeMeasurement(elements.size(), { true, true, true, false, false, false });
  measurement.table.pixelCounts = pick(pixelCounts);
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    measurement.table.minimums[axis] = pick(backend.Read(features.minimums[axis], count));
    measurement.table.maximums[axis] = pick(backend.Read(features.maximums[axis], count));
    measurement.table.sums[axis] = ToColumn(pick(backend.Read(features.sums[axis], count)));
  }
  measurement.elements = elements;
  return measurement;
}

/** A base of ways for planes of both connectivities. */
struct ForPlanes
{
  static bool
  Supports(const Grid & size, bool)
  {
    return size.z == 1;
  }
};

/** Labels without properties, renumbered by SequentialRelabeling. */
template <typename TAlgorithm>
struct Ordinary : ForPlanes
{
  template <typename TLabel, typename TBackend>
  static GalleryMeasurement
  Measure(const TBackend & backend, const std::uint8_t * input, const Grid & size, bool fullyConnected)
  {
    const auto labels = AllocateFilled<TLabel>(backend.executor, size.Count());
    TAlgorithm::template Label<2>(backend.executor, input, size, fullyConnected, labels.get());
    const std::uint64_t count = gallery::RelabelSequentially(backend.executor, size, labels.get());
    GalleryMeasurement  measurement = MakeMeasurement(count, { false, false, false, false, false, false });
    measurement.labels = backend.Read(labels.get(), size.Count());
    return measurement;
  }
};

/** Sums that the algorithm adds up while it labels. */
template <typename TAlgorithm>
struct Early : ForPlanes
{
  template <typename TLabel, typename TBackend>
  static GalleryMeasurement
  Measure(const TBackend & backend, const std::uint8_t * input, const Grid & size, bool fullyConnected)
  {
    const auto & executor = backend.executor;
    const auto   labels = AllocateFilled<TLabel>(executor, size.Count());
    const auto   sums = gallery::MeasureEarly<TAlgorithm, TLabel>(executor, input, size, fullyConnected, labels.get());
    GalleryMeasurement measurement = ReadSums(backend, sums);
    measurement.labels = backend.Read(labels.get(), size.Count());
    return measurement;
  }
};

/** Sums that a kernel adds up after the labeling. */
template <typename TAlgorithm>
struct Late : ForPlanes
{
  template <typename TLabel, typename TBackend>
  static GalleryMeasurement
  Measure(const TBackend & backend, const std::uint8_t * input, const Grid & size, bool fullyConnected)
  {
    const auto & executor = backend.executor;
    const auto   labels = AllocateFilled<TLabel>(executor, size.Count());
    const auto   sums = gallery::MeasureLate<TAlgorithm, TLabel>(executor, input, size, fullyConnected, labels.get());
    GalleryMeasurement measurement = ReadSums(backend, sums);
    measurement.labels = backend.Read(labels.get(), size.Count());
    return measurement;
  }
};

/** Late for an algorithm of the table in Gallery.h whose labels name first pixels. */
template <typename TAlgorithm>
struct LateAfter : Late<TAlgorithm>
{
  static_assert(TAlgorithm::Description.element == LabelElement::FirstPixel);

  static bool
  Supports(const Grid & size, bool fullyConnected)
  {
    return size.z == 1 && gallery::Supports(TAlgorithm::Description, 2, fullyConnected);
  }
};

/** The features of FLSL (faster light speed labeling), with and without conflict detection. */
template <bool VDetectConflicts, bool VWritesLabels>
struct FasterLightSpeed : ForPlanes
{
  template <typename TLabel, typename TBackend>
  static GalleryMeasurement
  Measure(const TBackend & backend, const std::uint8_t * input, const Grid & size, bool fullyConnected)
  {
    const std::uint64_t room = gallery::FasterLightSpeed::RunTable<TLabel>::Room(size);
    const auto          labels = AllocateFilled<TLabel>(backend.executor, VWritesLabels ? size.Count() : 0);
    GalleryMeasurement  measurement =
      ReadFeatures<2, TLabel>(backend, room, [&](const ComponentFeatures<2, TLabel> & features) {
        gallery::FasterLightSpeedAnalysis::Measure<VDetectConflicts>(
          backend.executor, input, size, fullyConnected, features, VWritesLabels ? labels.get() : nullptr);
      });
    if (VWritesLabels)
    {
      measurement.labels = backend.Read(labels.get(), size.Count());
      Renumber(measurement);
    }
    return measurement;
  }

private:
  /** Replaces labels, which are 1 + the element of the component, by 1 + the row of the component. */
  static void
  Renumber(GalleryMeasurement & measurement)
  {
    const auto & elements = measurement.elements;
    for (std::uint64_t & label : measurement.labels)
    {
      if (label != 0)
      {
        const auto found = std::lower_bound(elements.begin(), elements.end(), label - 1);
        const bool isElement = found != elements.end() && *found == label - 1;
        label = isElement ? static_cast<std::uint64_t>(found - elements.begin()) + 1 : ~std::uint64_t{ 0 };
      }
    }
  }
};

/** The features of HA. Their elements are first pixels. */
template <unsigned int VDimension, typename TMask>
struct HardwareAcceleratedFeatures
{
  static bool
  Supports(const Grid & size, bool)
  {
    return VDimension == 3 || size.z == 1;
  }

  template <typename TLabel, typename TBackend>
  static GalleryMeasurement
  Measure(const TBackend & backend, const std::uint8_t * input, const Grid & size, bool fullyConnected)
  {
    const auto         trees = AllocateFilled<TLabel>(backend.executor, size.Count());
    GalleryMeasurement measurement = ReadFeatures<VDimension, TLabel>(
      backend, size.Count(), [&](const ComponentFeatures<VDimension, TLabel> & features) {
        HardwareAccelerated::Measure<VDimension, TMask>(
          backend.executor, input, size, fullyConnected, trees.get(), features);
      });
    measurement.columns.firstPixels = true;
    measurement.table.firstPixels = measurement.elements;
    return measurement;
  }
};

} // namespace GalleryMeasurements

/** Calls visitor(name, way) for each way. LE is label equivalence, TM tile merging, UF union-find, KE Komura
 * equivalence, ACCL accelerated connected component labeling, and CD conflict detection. */
template <typename TVisitor>
void
VisitGalleryMeasurements(const TVisitor & visitor)
{
  using namespace GalleryMeasurements;
  using LE = itk::ccl::gallery::LabelEquivalenceWithProperties;
  using TM = itk::ccl::gallery::TileMergingWithProperties;
  visitor("LE ordinary", Ordinary<LE>{});
  visitor("LE early", Early<LE>{});
  visitor("LE late", Late<LE>{});
  visitor("TM ordinary", Ordinary<TM>{});
  visitor("TM early", Early<TM>{});
  visitor("TM late", Late<TM>{});
  visitor("UF late", LateAfter<itk::ccl::gallery::PixelUnionFindAlgorithm>{});
  visitor("KE late", LateAfter<itk::ccl::gallery::KomuraEquivalenceAlgorithm>{});
  visitor("ACCL late", LateAfter<itk::ccl::gallery::AcceleratedLabelingAlgorithm>{});
  visitor("FLSL", FasterLightSpeed<false, false>{});
  visitor("FLSL+CD", FasterLightSpeed<true, false>{});
  visitor("FLSL+CD and labels", FasterLightSpeed<true, true>{});
  visitor("HA, 32 columns", HardwareAcceleratedFeatures<2, std::uint32_t>{});
  visitor("HA, 64 columns", HardwareAcceleratedFeatures<2, std::uint64_t>{});
  visitor("HA, 32 columns, as volume", HardwareAcceleratedFeatures<3, std::uint32_t>{});
  visitor("HA, 64 columns, as volume", HardwareAcceleratedFeatures<3, std::uint64_t>{});
}

#endif
