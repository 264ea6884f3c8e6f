// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_AnalysisTestSupport_h
#define ccl_test_AnalysisTestSupport_h

// The ways to analyze an image and to fill its components, and the expected tables and selections of components, by
// plain loops over the labels of ITK's filter.

#include "LabelerTestSupport.h"
#include "ThreadPool.h"

#include "itkCudaConnectedComponentSelection.h"
#include "itkCudaConnectedComponentTable.h"

#include "primitives/Sums.h"

#include <algorithm>
#include <functional>
#include <array>
#include <random>
#include <string>
#include <vector>

using itk::CudaConnectedComponentSelection;
using itk::CudaConnectedComponentTable;
using View = itk::CudaConnectedComponentImageView;
using BorderEnum = CudaConnectedComponentSelection::BorderEnum;
using OrderEnum = CudaConnectedComponentSelection::OrderEnum;
using PixelOrderEnum = CudaConnectedComponentSelection::PixelOrderEnum;

enum class AnalysisWay
{
  HostSequential, // on one thread of the host
  HostThreads,    // on several threads of the host
  HostToHost,     // by a device, from host to host
  DeviceToDevice  // by a device, from device memory to device memory
};

inline const AnalysisWay AllWays[] = { AnalysisWay::HostSequential,
                                       AnalysisWay::HostThreads,
                                       AnalysisWay::HostToHost,
                                       AnalysisWay::DeviceToDevice };

inline std::string
NameOf(AnalysisWay way)
{
  const char * const names[] = { "HostSequential", "HostThreads", "HostToHost", "DeviceToDevice" };
  return names[static_cast<int>(way)];
}

inline CudaConnectedComponentLabeler
LabelerFor(AnalysisWay way, bool fullyConnected)
{
  CudaConnectedComponentLabeler labeler;
  labeler.options.fullyConnected = fullyConnected;
  labeler.options.onHost = way == AnalysisWay::HostSequential || way == AnalysisWay::HostThreads;
  if (way == AnalysisWay::HostThreads)
  {
    labeler.options.parallelFor = ThreadPool::For();
  }
  return labeler;
}

/** Tests of one way. They skip if the way needs a device and there is none. */
class AnalysisTest : public testing::TestWithParam<AnalysisWay>
{
protected:
  void
  SetUp() override
  {
    const bool needsDevice = GetParam() == AnalysisWay::HostToHost || GetParam() == AnalysisWay::DeviceToDevice;
    if (needsDevice && !CudaTestSupport::WhyNoDevice().empty())
    {
      GTEST_SKIP() << CudaTestSupport::WhyNoDevice();
    }
  }
};

inline CudaConnectedComponentTable::Columns
AllColumns()
{
  return { true, true, true, true, true, true };
}

/** Measures the components of an image of labels by a plain loop. Labels are 1, 2, 3 and so on. */
inline CudaConnectedComponentTable
MeasureByLoop(const TestImage & image, const Labels & labels, PixelOrderEnum order = PixelOrderEnum::Raster)
{
  using Wide = itk::ccl::UInt128;
  const std::uint64_t              n = labels.objectCount;
  const std::uint64_t              none = ~std::uint64_t{ 0 };
  std::array<std::vector<Wide>, 3> sums;
  std::array<std::vector<Wide>, 6> products;
  CudaConnectedComponentTable      table;
  table.componentCount = table.originalComponentCount = n;
  table.pixelCounts.assign(n, 0);
  table.firstPixels.assign(n, none);
  table.faces.assign(n, 0);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    table.minimums[axis].assign(n, none);
    table.maximums[axis].assign(n, 0);
    sums[axis].assign(n, 0);
  }
  for (auto & product : products)
  {
    product.assign(n, 0);
  }
  std::uint64_t pixel = 0;
  for (std::uint64_t z = 0; z < image.size[2]; ++z)
  {
    for (std::uint64_t y = 0; y < image.size[1]; ++y)
    {
      for (std::uint64_t x = 0; x < image.size[0]; ++x, ++pixel)
      {
        if (labels.pixels[pixel] == 0)
        {
          continue;
        }
        const std::uint64_t row = labels.pixels[pixel] - 1;
        const std::uint64_t index[] = { x, y, z };
        ++table.pixelCounts[row];
        const std::uint64_t transposed = z + image.size[2] * (y + image.size[1] * x);
        table.firstPixels[row] = std::min(table.firstPixels[row], order == PixelOrderEnum::Raster ? pixel : transposed);
        unsigned int product = 0;
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          table.minimums[axis][row] = std::min(table.minimums[axis][row], index[axis]);
          table.maximums[axis][row] = std::max(table.maximums[axis][row], index[axis]);
          sums[axis][row] += index[axis];
          for (unsigned int other = axis; other < 3; ++other)
          {
            products[product++][row] += Wide{ index[axis] } * index[other];
          }
          if (image.size[axis] > 1 && (index[axis] == 0 || index[axis] == image.size[axis] - 1))
          {
            table.faces[row] |= CudaConnectedComponentTable::FaceBit(axis, index[axis] != 0);
          }
        }
      }
    }
  }
  const auto split = [](const std::vector<Wide> & from, std::vector<CudaConnectedComponentTable::Sum> & to) {
    for (const Wide sum : from)
    {
      to.push_back({ static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64) });
    }
  };
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    split(sums[axis], table.sums[axis]);
  }
  for (unsigned int i = 0; i < 6; ++i)
  {
    split(products[i], table.products[i]);
  }
  return table;
}

/** Returns whether each component contains a seed of a selection.
 * \param labels the labels of all components of `image` */
inline std::vector<bool>
FindSeeded(const CudaConnectedComponentSelection & selection, const TestImage & image, const Labels & labels)
{
  std::vector<bool> isSeeded(labels.objectCount, selection.seeds.empty());
  for (const auto & seed : selection.seeds)
  {
    const std::uint32_t label = labels.pixels[image.IndexOf(seed[0], seed[1], seed[2])];
    if (label != 0)
    {
      isSeeded[label - 1] = true;
    }
  }
  return isSeeded;
}

/** How the values of a table are compared. */
struct ValueComparison
{
  itk::CudaConnectedComponentImageView::PixelTypeEnum type = itk::CudaConnectedComponentImageView::PixelTypeEnum::UInt8;
  std::function<bool(std::uint64_t, std::uint64_t)>   areEqual;
};

/** Returns the rows of the components that a selection keeps, in the order of their labels.
 * \param isSeeded whether each component contains a seed; empty for a selection without seeds
 * \param values needed for a selection by values */
inline std::vector<std::uint64_t>
SelectByLoop(const CudaConnectedComponentTable &     table,
             const CudaConnectedComponentSelection & selection,
             const std::vector<bool> &               isSeeded = {},
             const ValueComparison &                 values = {})
{
  const auto bySize = [&table](std::uint64_t a, std::uint64_t b) {
    return table.pixelCounts[a] > table.pixelCounts[b];
  };
  const auto byFirstPixel = [&table](std::uint64_t a, std::uint64_t b) {
    return table.firstPixels[a] < table.firstPixels[b];
  };
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> others; // of values without a condition
  for (std::uint64_t row = 0; row < table.componentCount; ++row)
  {
    const std::uint64_t pixels = table.pixelCounts[row];
    const bool          isTouching = table.faces[row] != 0;
    const auto &        sizes = selection.sizesOfValues;
    const auto          found = std::find_if(sizes.begin(), sizes.end(), [&](const auto & condition) {
      const auto bits =
        condition.value.FindBits(values.type, itk::CudaConnectedComponentImageView::Value::RoleEnum::Pixel);
      return bits && values.areEqual(table.values[row], *bits);
    });
    const bool hasSize = found == sizes.end() || (pixels >= found->minimumSize && pixels <= found->maximumSize);
    if (!sizes.empty() && found == sizes.end())
    {
      others.push_back(row);
    }
    else if (hasSize && (isSeeded.empty() || isSeeded[row]) && pixels >= selection.minimumSize &&
             pixels <= selection.maximumSize &&
             (selection.border == BorderEnum::Any || (selection.border == BorderEnum::Touching) == isTouching))
    {
      rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end(), byFirstPixel);
  if (selection.numberOfLargest != 0)
  {
    std::stable_sort(rows.begin(), rows.end(), bySize);
    const std::vector<std::uint64_t> all = std::move(rows);
    rows.clear();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> groups; // a value, and the number of its components so far
    for (const std::uint64_t row : all)
    {
      auto group = groups.begin();
      if (selection.perValue)
      {
        const std::uint64_t value = table.values[row];
        const bool          isNaN = !values.areEqual(value, value);
        group = std::find_if(isNaN ? groups.end() : groups.begin(), groups.end(), [&](const auto & other) {
          return values.areEqual(other.first, value);
        });
        if (isNaN)
        {
          rows.push_back(row);
          continue;
        }
      }
      if (group == groups.end())
      {
        groups.emplace_back(selection.perValue ? table.values[row] : 0, 0);
        group = groups.end() - 1;
      }
      const bool isTie = selection.keepsTies && table.pixelCounts[row] == table.pixelCounts[all.front()];
      if (group->second++ < selection.numberOfLargest || isTie)
      {
        rows.push_back(row);
      }
    }
  }
  rows.insert(rows.end(), others.begin(), others.end());
  if (selection.invert)
  {
    std::vector<bool> isSelected(table.componentCount);
    for (const std::uint64_t row : rows)
    {
      isSelected[row] = true;
    }
    rows.clear();
    for (std::uint64_t row = 0; row < table.componentCount; ++row)
    {
      if (!isSelected[row])
      {
        rows.push_back(row);
      }
    }
  }
  std::sort(rows.begin(), rows.end(), byFirstPixel);
  if (selection.order == OrderEnum::Size)
  {
    std::stable_sort(rows.begin(), rows.end(), bySize);
  }
  return rows;
}

/** Returns the given elements of a column. */
template <typename T>
std::vector<T>
Pick(const std::vector<T> & column, const std::vector<std::uint64_t> & rows)
{
  std::vector<T> picked;
  for (const std::uint64_t row : rows)
  {
    picked.push_back(column[row]);
  }
  return picked;
}

/** Expects that a table has the given rows of another table, and no other rows. Columns that are not wanted must be
 * empty. */
inline void
ExpectRows(const CudaConnectedComponentTable &          table,
           const CudaConnectedComponentTable &          expected,
           const std::vector<std::uint64_t> &           rows,
           const CudaConnectedComponentTable::Columns & columns,
           const std::string &                          what)
{
  const auto expectColumn = [&](const auto & column, const auto & all, bool isWanted, const char * name) {
    if (isWanted)
    {
      EXPECT_EQ(column == Pick(all, rows), true) << what << ": " << name;
    }
    else
    {
      EXPECT_TRUE(column.empty()) << what << ": " << name;
    }
  };
  EXPECT_EQ(table.componentCount, rows.size()) << what;
  EXPECT_EQ(table.originalComponentCount, expected.componentCount) << what;
  expectColumn(table.pixelCounts, expected.pixelCounts, columns.pixelCounts, "pixelCounts");
  expectColumn(table.firstPixels, expected.firstPixels, columns.firstPixels, "firstPixels");
  expectColumn(table.faces, expected.faces, columns.faces, "faces");
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    expectColumn(table.minimums[axis], expected.minimums[axis], columns.boundingBoxes, "minimums");
    expectColumn(table.maximums[axis], expected.maximums[axis], columns.boundingBoxes, "maximums");
    expectColumn(table.sums[axis], expected.sums[axis], columns.sums, "sums");
  }
  for (unsigned int i = 0; i < 6; ++i)
  {
    expectColumn(table.products[i], expected.products[i], columns.products, "products");
  }
}

inline std::string
Describe(const CudaConnectedComponentSelection & selection)
{
  return "sizes " + std::to_string(selection.minimumSize) + " to " + std::to_string(selection.maximumSize) +
         ", largest " + std::to_string(selection.numberOfLargest) + ", seeds " +
         std::to_string(selection.seeds.size()) + ", border " + std::to_string(static_cast<int>(selection.border)) +
         ", order " + std::to_string(static_cast<int>(selection.order)) + ", pixel order " +
         std::to_string(static_cast<int>(selection.pixelOrder));
}

/** Selections that make sense for the table of an image: the default, each condition by itself, and a random mixture.
 */
inline std::vector<CudaConnectedComponentSelection>
SelectionsFor(const CudaConnectedComponentTable & table, const TestImage & image, unsigned int seed)
{
  std::mt19937                                 random(seed);
  std::vector<CudaConnectedComponentSelection> selections(10);
  selections[1].minimumSize = 2;
  selections[2].order = OrderEnum::Size;
  selections[3].numberOfLargest = 1;
  selections[4].border = BorderEnum::Touching;
  selections[5].border = BorderEnum::NotTouching;
  selections[7].pixelOrder = PixelOrderEnum::TransposedRaster;
  selections[9].numberOfLargest = 1; // not the largest of all
  selections[9].border = BorderEnum::NotTouching;
  const auto addSeeds = [&](CudaConnectedComponentSelection & selection, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && !image.pixels.empty(); ++i)
    {
      selection.seeds.push_back({ random() % image.size[0], random() % image.size[1], random() % image.size[2] });
    }
  };
  addSeeds(selections[8], seed % 5 == 0 ? 150 : 1 + seed % 3);
  const auto anySize = [&] {
    return table.pixelCounts.empty() ? 5 : table.pixelCounts[random() % table.pixelCounts.size()];
  };
  CudaConnectedComponentSelection & mixture = selections[6];
  mixture.minimumSize = random() % 3 == 0 ? anySize() : random() % 4;
  mixture.maximumSize = random() % 3 == 0 ? mixture.minimumSize + anySize() : mixture.maximumSize;
  mixture.numberOfLargest = random() % 3 == 0 ? 0 : 1 + random() % (1 + table.componentCount);
  addSeeds(mixture, random() % 4 == 0 ? 3 : 0);
  mixture.border = static_cast<BorderEnum>(random() % 3);
  mixture.order = static_cast<OrderEnum>(random() % 2);
  mixture.pixelOrder = static_cast<PixelOrderEnum>(random() % 2);
  return selections;
}

/** Returns an image whose foreground is the background of another image. */
inline TestImage
ComplementOf(TestImage image)
{
  for (std::uint8_t & pixel : image.pixels)
  {
    pixel = pixel == 0;
  }
  return image;
}

/** Returns whether each pixel belongs to one of the given components. */
inline std::vector<bool>
PixelsOf(const Labels & labels, const std::vector<std::uint64_t> & rows)
{
  std::vector<bool> isSelected(labels.objectCount + 1, false);
  for (const std::uint64_t row : rows)
  {
    isSelected[row + 1] = true;
  }
  std::vector<bool> pixels;
  for (const std::uint32_t label : labels.pixels)
  {
    pixels.push_back(isSelected[label]);
  }
  return pixels;
}

/** How Fill() calls the labeler. */
struct FillSettings
{
  bool                          isInside = false; // whether the selected components are filled, or all other pixels
  bool                          isInPlace = false;
  std::uint64_t                 inputOffset = 0;  // moves the input in memory, in pixels, at most 16
  std::uint64_t                 outputOffset = 0; // moves the output; not used in place
  CudaConnectedComponentTable * table = nullptr;
};

/** A filled image, and the number of components that the labeler returned. */
template <typename TPixel>
struct Filled
{
  std::vector<TPixel> pixels;
  std::uint64_t       count = 0;
};

/** Fills an image inside or outside the selected components. Expects that the pixels around the output stay. */
template <typename TPixel>
Filled<TPixel>
Fill(AnalysisWay                                     way,
     const CudaConnectedComponentLabeler &           labeler,
     const std::vector<TPixel> &                     input,
     const CudaConnectedComponentLabeler::SizeType & size,
     TPixel                                          value,
     const FillSettings &                            settings = {})
{
  const auto fill = [&](const TPixel * from, TPixel * to) {
    const auto memory = way == AnalysisWay::DeviceToDevice ? View::MemoryEnum::Device : View::MemoryEnum::Host;
    const auto in = View::Of(from, size, memory);
    const auto out = View::Of(to, size, memory);
    return settings.isInside ? labeler.Fill(in, out, value, settings.table)
                             : labeler.Mask(in, out, value, settings.table);
  };
  const std::uint64_t n = input.size();
  const std::uint64_t inputOffset = settings.inputOffset;
  const std::uint64_t outputOffset = settings.isInPlace ? inputOffset : settings.outputOffset;
  std::vector<TPixel> from(inputOffset, TPixel{ 7 });
  from.insert(from.end(), input.begin(), input.end());
  from.resize(n + 32, TPixel{ 7 });
  std::vector<TPixel> to(n + 32, TPixel{ 9 });
  Filled<TPixel>      filled;
  if (way != AnalysisWay::DeviceToDevice)
  {
    auto & written = settings.isInPlace ? from : to;
    filled.count = fill(from.data() + inputOffset, written.data() + outputOffset);
    to = written;
  }
  else
  {
    const std::uint64_t bytes = (n + 32) * sizeof(TPixel);
    const auto          deviceFrom = CudaTestSupport::AllocateDevice(bytes);
    const auto          deviceTo = CudaTestSupport::AllocateDevice(bytes);
    const auto &        written = settings.isInPlace ? deviceFrom : deviceTo;
    CudaTestSupport::CopyToDevice(deviceFrom.get(), from.data(), bytes);
    CudaTestSupport::CopyToDevice(deviceTo.get(), to.data(), bytes);
    filled.count = fill(static_cast<const TPixel *>(deviceFrom.get()) + inputOffset,
                        static_cast<TPixel *>(written.get()) + outputOffset);
    CudaTestSupport::CopyToHost(to.data(), written.get(), bytes);
  }
  const TPixel around = settings.isInPlace ? TPixel{ 7 } : TPixel{ 9 };
  EXPECT_TRUE(std::all_of(to.begin(), to.begin() + outputOffset, [&](TPixel pixel) { return pixel == around; }));
  EXPECT_TRUE(std::all_of(to.begin() + outputOffset + n, to.end(), [&](TPixel pixel) { return pixel == around; }));
  filled.pixels.assign(to.begin() + outputOffset, to.begin() + outputOffset + n);
  return filled;
}

#endif
