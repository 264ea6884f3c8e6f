// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/LabelingResults.h"

#include "CudaConnectedComponentsDetail/CentralMoments.h"
#include "CudaConnectedComponentsDetail/ParallelFor.h"

#include "engine/LabeledImages.h"
#include "primitives/Sums.h"

#include <algorithm>
#include <utility>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

using ccl::IntegerOf;
using ccl::UInt128;
using Sum = CudaConnectedComponentTable::Sum;

void
Add(Sum & sum, UInt128 summand)
{
  const UInt128 total = IntegerOf(sum) + summand;
  sum = { static_cast<std::uint64_t>(total), static_cast<std::uint64_t>(total >> 64) };
}

/** Adds the table of a volume to the measurements of a series. Row i of the table describes object objects[i]. `outer`
 * has the index of the volume along the axes after the third. */
void
AddVolume(const CudaConnectedComponentTable & table,
          const std::vector<std::uint64_t> &  objects,
          const std::vector<std::uint64_t> &  outer,
          SeriesTable &                       series)
{
  const auto dimension = static_cast<unsigned int>(series.dimension);
  for (std::size_t row = 0; row < objects.size(); ++row)
  {
    const std::size_t   object = objects[row];
    const std::uint64_t count = table.pixelCounts[row];
    const bool          isFirst = series.counts[object] == 0;
    series.counts[object] += count;
    if (table.sums[0].empty())
    {
      continue;
    }
    const auto sumOf = [&](unsigned int axis) {
      return axis < 3 ? IntegerOf(table.sums[axis][row]) : UInt128{ outer[axis - 3] } * count;
    };
    const auto productOf = [&](unsigned int a, unsigned int b) { // a <= b
      return b < 3 ? IntegerOf(table.products[AxisPair(3, a, b)][row]) : sumOf(a) * outer[b - 3];
    };
    for (unsigned int a = 0; a < dimension; ++a)
    {
      const std::uint64_t minimum = a < 3 ? table.minimums[a][row] : outer[a - 3];
      const std::uint64_t maximum = a < 3 ? table.maximums[a][row] : outer[a - 3];
      std::uint64_t &     lowest = series.minimums[object * dimension + a];
      std::uint64_t &     highest = series.maximums[object * dimension + a];
      lowest = isFirst ? minimum : std::min(lowest, minimum);
      highest = isFirst ? maximum : std::max(highest, maximum);
      Add(series.sums[object * dimension + a], sumOf(a));
      for (unsigned int b = a; b < dimension; ++b)
      {
        Add(series.products[object * CountAxisPairs(dimension) + AxisPair(dimension, a, b)], productOf(a, b));
      }
    }
  }
}

/** Keeps the groups of `length` elements that belong to the selected objects. */
template <typename T>
void
KeepRows(const std::vector<std::uint64_t> & selected, std::size_t length, std::vector<T> & elements)
{
  if (elements.empty())
  {
    return;
  }
  std::vector<T> kept;
  kept.reserve(selected.size() * length);
  for (const std::uint64_t row : selected)
  {
    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(row * length);
    kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
  }
  elements = std::move(kept);
}

} // namespace

LabelingResults
LabelPlaneOrVolume(CudaConnectedComponentLabeler & labeler,
                   const LabelingImages &          images,
                   const ObjectSettings &          settings,
                   CudaConnectedComponentTable &   table)
{
  auto & options = labeler.options;
  options.outputIsUntouched = images.isUntouched;
  options.selection = settings.GetSelection();
  options.columns.boundingBoxes = settings.computeStatistics;
  options.columns.sums = settings.computeStatistics;
  options.columns.products = settings.computeStatistics;
  options.intensities = images.intensities;
  if (!settings.NeedObjectSizes())
  {
    LabelingResults results;
    results.objectCount = labeler.LabelPackedRows(images.input, images.output, images.background);
    results.originalNumberOfObjects = results.objectCount;
    return results;
  }
  labeler.LabelPackedRows(images.input, images.output, images.background, &table);
  return ResultsOf(table.originalComponentCount,
                   { table.pixelCounts.begin(), table.pixelCounts.end() },
                   images.background,
                   images.pixelSize);
}

LabelingResults
ResultsOf(SizeValueType              originalNumberOfObjects,
          std::vector<SizeValueType> sizes,
          std::uint64_t              background,
          float                      pixelSize)
{
  LabelingResults results;
  results.objectCount = sizes.size();
  results.originalNumberOfObjects = originalNumberOfObjects;
  results.background = background;
  results.sizesInPhysicalUnits.reserve(sizes.size());
  for (const SizeValueType size : sizes)
  {
    results.sizesInPhysicalUnits.push_back(static_cast<float>(size) * pixelSize);
  }
  results.sizesInPixels = std::move(sizes);
  return results;
}

SeriesTable
SelectLabeledObjects(MultiThreaderBase *                threader,
                     const std::vector<ImageView> &     labels,
                     const std::vector<std::uint64_t> & size,
                     const std::vector<ImageView> &     intensities,
                     std::uint64_t                      background,
                     SizeValueType                      objectCount,
                     const ObjectSettings &             settings)
{
  const ccl::ParallelFor               parallelFor = ccl::CheckedFor(ParallelForOf(threader));
  const ccl::LabelValues               labelValues = ccl::LabelValuesOf(labels.front().type, background);
  const auto                           dimension = static_cast<unsigned int>(size.size());
  const bool                           isMeasured = settings.computeStatistics;
  CudaConnectedComponentTable::Columns columns;
  columns.boundingBoxes = columns.sums = columns.products = isMeasured;
  SeriesTable series;
  series.dimension = dimension;
  series.counts.resize(objectCount);
  series.minimums.resize(isMeasured ? objectCount * dimension : 0);
  series.maximums.resize(series.minimums.size());
  series.sums.resize(series.minimums.size());
  series.products.resize(isMeasured ? objectCount * CountAxisPairs(dimension) : 0);
  std::vector<std::uint64_t> rowOfObject(objectCount);
  std::vector<std::uint64_t> objects;
  for (std::size_t volume = 0; volume < labels.size(); ++volume)
  {
    std::vector<std::uint64_t> outer;
    std::uint64_t              rest = volume;
    for (unsigned int axis = 3; axis < dimension; ++axis)
    {
      outer.push_back(rest % size[axis]);
      rest /= size[axis];
    }
    const auto table = ccl::MeasureLabels(parallelFor, labels[volume], labelValues, columns, rowOfObject, objects);
    AddVolume(table, objects, outer, series);
  }

  const auto kept = ccl::SelectComponentsBySize(parallelFor, series.counts, settings.GetSelection(), labelValues);
  for (const ImageView & volume : labels)
  {
    ccl::ReplaceLabels(parallelFor, volume, labelValues, kept.labels);
  }
  KeepRows(kept.components, 1, series.counts);
  KeepRows(kept.components, dimension, series.minimums);
  KeepRows(kept.components, dimension, series.maximums);
  KeepRows(kept.components, dimension, series.sums);
  KeepRows(kept.components, CountAxisPairs(dimension), series.products);
  if (!intensities.empty())
  {
    // The labels are the new ones.
    series.intensities =
      ccl::MeasureIntensitiesOfLabels(parallelFor, labels, intensities, labelValues, kept.components.size());
  }
  return series;
}

void
VerifyIntensityImage(const std::string &  filter,
                     const std::string &  imageClass,
                     bool                 isViewed,
                     const RegionOfAxes & region,
                     const RegionOfAxes & inputRegion)
{
  if (!isViewed)
  {
    itkGenericExceptionMacro(<< filter << ": The intensity image is of the class " << imageClass
                             << " and has pixels that cannot be measured. It must be an itk::Image of integers of up "
                                "to 64 bits, bool, float or double. CastImageFilter makes such an image.");
  }
  if (region.start != inputRegion.start || region.size != inputRegion.size)
  {
    itkGenericExceptionMacro(<< filter << ": The intensity image has " << SizeText(region.size)
                             << " pixels from the index " << IndexText(region.start) << " on, but the input has "
                             << SizeText(inputRegion.size) << " pixels from the index " << IndexText(inputRegion.start)
                             << " on. Give an image of the same region. RegionOfInterestImageFilter crops an image, "
                                "and ResampleImageFilter with the input as the reference image makes an image of its "
                                "region.");
  }
}

template std::vector<ImageView>
ViewsOfIntensities(const ImageBase<2> & image, const ImageRegion<2> & region);
template std::vector<ImageView>
ViewsOfIntensities(const ImageBase<3> & image, const ImageRegion<3> & region);

} // namespace CudaConnectedComponentsDetail
} // namespace itk
