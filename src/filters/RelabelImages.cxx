// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/RelabelImages.h"

#include "CudaConnectedComponentsDetail/ParallelFor.h"

#include "executors/host/HostMemory.h"
#include "primitives/EqualPixels.h"
#include "primitives/LabelTable.h"
#include "primitives/PixelTypes.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

using ccl::LabelRun;
using ccl::LabelTable;

/** Divides the pixels of a series of views into chunks, and each chunk into parts that are adjacent in memory. Two
 * series with the same sizes have the same chunks. */
class PixelChunks
{
public:
  PixelChunks(const std::vector<ImageView> & views, std::uint64_t workUnits)
    : m_Views(views)
    , m_Pixels(views.empty() ? 0 : views.front().Count())
  {
    // Each work unit gets one chunk of the pixels, unless the chunks would be very small or very large. The length of a
    // run must fit into 32 bits.
    constexpr std::uint64_t minimum = std::uint64_t{ 1 } << 14;
    constexpr std::uint64_t maximum = std::uint64_t{ 1 } << 31;
    const std::uint64_t     all = this->CountPixels();
    m_Count = std::max(std::min(workUnits, all / minimum), all / maximum + 1);
    if (m_Pixels > 0)
    {
      const ImageView & view = views.front();
      m_AreContiguous = view.IsContiguous();
      m_RowLength = m_AreContiguous ? m_Pixels : view.size[0];
      // The volumes of an image of more than 3 dimensions may follow each other without gaps.
      m_IsOneArray = m_AreContiguous;
      for (std::size_t i = 1; i < views.size(); ++i)
      {
        const auto * const end = static_cast<const char *>(views[i - 1].pixels) + m_Pixels * this->PixelSize();
        m_IsOneArray = m_IsOneArray && end == views[i].pixels;
      }
    }
  }

  std::uint64_t
  Count() const
  {
    return m_Count;
  }

  std::uint64_t
  CountPixels() const
  {
    return m_Pixels * m_Views.size();
  }

  /** Returns whether all pixels are adjacent in memory. */
  bool
  AreOneArray() const
  {
    return m_IsOneArray;
  }

  /** Returns the first pixel of a chunk. */
  std::uint64_t
  Begin(std::uint64_t chunk) const
  {
    const std::uint64_t all = this->CountPixels();
    return all / m_Count * chunk + std::min(chunk, all % m_Count);
  }

  /** Calls function(address, count) for the adjacent pixels from `begin` to `end` - 1, in raster order. */
  template <typename TFunction>
  void
  ForEach(std::uint64_t begin, std::uint64_t end, const TFunction & function) const
  {
    while (begin < end)
    {
      if (m_IsOneArray)
      {
        function(static_cast<char *>(m_Views.front().pixels) + begin * this->PixelSize(), end - begin);
        return;
      }
      const ImageView &   view = m_Views[begin / m_Pixels];
      const std::uint64_t pixel = begin % m_Pixels;
      const std::uint64_t x = pixel % m_RowLength;
      char * const        row = m_AreContiguous ? static_cast<char *>(view.pixels) : view.Row(pixel / m_RowLength);
      const std::uint64_t count = std::min(m_RowLength - x, end - begin);
      function(row + x * this->PixelSize(), count);
      begin += count;
    }
  }

private:
  std::uint64_t
  PixelSize() const
  {
    return ImageView::SizeOf(m_Views.front().type);
  }

  const std::vector<ImageView> & m_Views;
  std::uint64_t                  m_Pixels;         // of a view
  std::uint64_t                  m_Count{ 0 };     // of chunks
  std::uint64_t                  m_RowLength{ 1 }; // number of adjacent pixels
  bool                           m_AreContiguous{ false };
  bool                           m_IsOneArray{ true };
};

/** The largest label of a pixel type. Floating-point numbers do not grow any more from 2^24 or 2^53 on, as in ITK. */
std::uint64_t
LargestLabelOf(ccl::PixelType type)
{
  if (ccl::IsFloat(type))
  {
    return type == ccl::PixelType::Float ? std::uint64_t{ 1 } << 24 : std::uint64_t{ 1 } << 53;
  }
  return ccl::VisitLabelType(
    type, [](auto label) { return static_cast<std::uint64_t>(std::numeric_limits<decltype(label)>::max()); });
}

/** Relabels images of one type of labels. Call the functions in their order. */
template <typename TLabel>
class Relabeling
{
public:
  explicit Relabeling(std::uint64_t pixels)
    : m_Table(pixels)
  {}

  /** Counts the pixels of each label. Returns the number of objects. */
  std::uint64_t
  CountPixels(const PixelChunks & chunks, bool mayStoreRuns, MultiThreaderBase * threader)
  {
    // Stores the runs of the input if they need much less memory than its pixels, so that the input is read only once.
    m_RunsOfChunks.resize(chunks.Count());
    const bool mayStore = mayStoreRuns && chunks.AreOneArray();
    ForEachInParallel(threader, chunks.Count(), [&](std::uint64_t chunk) {
      const std::uint64_t begin = chunks.Begin(chunk);
      const std::uint64_t end = chunks.Begin(chunk + 1);
      const std::uint64_t maximumRuns = mayStore ? (end - begin) * sizeof(TLabel) / 8 / sizeof(RunType) : 0;

      typename LabelTable<TLabel>::Counter counter(m_Table);
      std::vector<RunType>                 runs;
      bool                                 areStored = maximumRuns > 0;
      runs.reserve(maximumRuns);
      chunks.ForEach(begin, end, [&](const char * address, std::uint64_t count) {
        ccl::ForEachRun(reinterpret_cast<const TLabel *>(address), count, [&](TLabel label, std::uint64_t length) {
          if (label != 0)
          {
            counter.Add(label, length);
          }
          if (areStored && runs.size() < maximumRuns)
          {
            runs.push_back({ label, static_cast<std::uint32_t>(length) });
          }
          else if (areStored)
          {
            areStored = false;
            runs = std::vector<RunType>();
          }
        });
      });
      counter.Finish();
      m_RunsOfChunks[chunk] = std::move(runs);
    });
    m_Objects = m_Table.GetObjects();
    return m_Objects.size();
  }

  /** Assigns the new labels. Sets the sizes of the objects, by new label. */
  void
  AssignLabels(bool                         sortBySize,
               std::uint64_t                minimumSize,
               ccl::PixelType               outputType,
               std::vector<SizeValueType> & sizes)
  {
    using ObjectType = typename LabelTable<TLabel>::Object;
    if (sortBySize)
    {
      std::stable_sort(
        m_Objects.begin(), m_Objects.end(), [](const ObjectType & a, const ObjectType & b) { return a.size > b.size; });
    }
    const std::uint64_t largest = LargestLabelOf(outputType);
    std::uint64_t       label = 0; // the last label that was assigned
    std::uint64_t       number = 0;
    sizes.assign(m_Objects.size(), 0);
    for (const ObjectType & object : m_Objects)
    {
      if (object.size < minimumSize)
      {
        m_Table.SetNewLabel(object.label, 0);
        continue;
      }
      ++number;
      if (label == largest && !ccl::IsFloat(outputType))
      {
        throw CudaConnectedComponentError(
          CudaConnectedComponentError::KindEnum::TooManyObjects,
          "Output voxel range exceeded for relabeling.  Too many objects of sufficient size found!");
      }
      sizes[static_cast<std::size_t>(label)] = object.size;
      label += label < largest ? 1 : 0;
      m_Table.SetNewLabel(object.label, ImageView::Value(label).BitsAs(outputType));
    }
    sizes.resize(static_cast<std::size_t>(number));
  }

  /** Writes the new labels. `isZero` is whether all bytes of the output are 0. */
  template <typename TBits>
  void
  Write(const PixelChunks & input, const PixelChunks & output, bool isZero, MultiThreaderBase * threader) const
  {
    const bool useRuns = output.AreOneArray() && m_RunsOfChunks.size() == output.Count();
    ForEachInParallel(threader, output.Count(), [&](std::uint64_t chunk) {
      const std::uint64_t begin = output.Begin(chunk);
      const auto          write = [&](TBits *& pixel, TLabel label, std::uint64_t length) {
        const std::uint64_t newLabel = label == 0 ? 0 : m_Table.GetNewLabel(label);
        if (newLabel != 0 || !isZero)
        {
          std::fill_n(pixel, length, static_cast<TBits>(newLabel));
        }
        pixel += length;
      };
      if (useRuns && !m_RunsOfChunks[chunk].empty())
      {
        output.ForEach(begin, output.Begin(chunk + 1), [&](char * address, std::uint64_t) {
          auto * pixel = reinterpret_cast<TBits *>(address);
          for (const RunType & run : m_RunsOfChunks[chunk])
          {
            write(pixel, run.label, run.length);
          }
        });
        return;
      }
      // The parts of the output may be longer or shorter than the parts of the input.
      std::uint64_t at = begin;
      output.ForEach(begin, output.Begin(chunk + 1), [&](char * address, std::uint64_t count) {
        auto * pixel = reinterpret_cast<TBits *>(address);
        input.ForEach(at, at + count, [&](const char * from, std::uint64_t length) {
          ccl::ForEachRun(reinterpret_cast<const TLabel *>(from), length, [&](TLabel label, std::uint64_t run) {
            write(pixel, label, run);
          });
        });
        at += count;
      });
    });
  }

private:
  using RunType = LabelRun<TLabel>;

  LabelTable<TLabel>                               m_Table;
  std::vector<typename LabelTable<TLabel>::Object> m_Objects;
  std::vector<std::vector<RunType>>                m_RunsOfChunks; // empty if the runs of a chunk are not stored
};

} // namespace

void
Relabel(const RelabelTask & task, std::vector<SizeValueType> & sizes)
{
  ccl::VisitLabelType(task.input.front().type, [&](auto zero) {
    const PixelChunks          counted(task.input, task.workUnits);
    Relabeling<decltype(zero)> relabeling(counted.CountPixels());
    task.setOriginalNumber(relabeling.CountPixels(counted, task.mayStoreRuns, task.threader));
    relabeling.AssignLabels(task.sortBySize, task.minimumSize, task.outputType, sizes);
    const RelabelOutput images = task.prepareOutput();

    const PixelChunks output(images.output, task.workUnits);
    if (output.CountPixels() == 0)
    {
      return;
    }
    // Untouched pages of the background need no memory.
    bool isZero = false;
    if (images.isUntouched && output.AreOneArray())
    {
      isZero = ccl::PrepareUntouched(images.output.front().pixels, output.CountPixels() * ccl::SizeOf(task.outputType));
    }
    const PixelChunks input(images.input, task.workUnits);
    ccl::VisitWidth(task.outputType, [&](auto bits) {
      relabeling.template Write<decltype(bits)>(input, output, isZero, task.threader);
    });
  });
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
