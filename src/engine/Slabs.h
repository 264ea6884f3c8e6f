// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_Slabs_h
#define ccl_engine_Slabs_h

// Labels the runs of images in host memory in slabs, for a device that has too little memory for all of them.
//
// A slab is some whole images of a batch, or some layers of one image. Slabs follow each other in raster order. So a
// component begins in the first slab that has pixels of it, and its rank is the number of components that begin before
// it: a scan finds it. A seam lies between two slabs of one image. The kernels' own functor finds the runs that are
// adjacent there.

#include "engine/DeviceSession.h"
#include "engine/Layers.h"
#include "algorithms/analysis/ComponentTable.h"
#include "algorithms/runs/AdjacencyByWord.h"
#include "algorithms/runs/HostRows.h"
#include "algorithms/runs/RowUnionFind.h"
#include "executors/host/HostExecutor.h"

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace itk::ccl
{

/** Some layers of images: those from `begin` to `end` - 1. */
struct Slab
{
  std::uint64_t begin;
  std::uint64_t end;
};

/** Labels the runs of a slab. The ranks have 32 bits. */
using LabelingOfSlab = std::function<RunLabels()>;

/** Starts to label the runs of a slab. */
using StartOfSlab = std::function<std::future<RunLabels>()>;

/** Labels the runs of images in slabs. The members that label refer to the arguments of the constructor. */
template <typename TRowGroup>
class SlabLabeler
{
public:
  SlabLabeler(const ParallelFor & parallelFor, const HostBits<TRowGroup> & bits, const Request & request)
    : m_ParallelFor(parallelFor)
    , m_Bits(bits)
    , m_Request(request)
    , m_Layers(parallelFor, bits.groups, request)
    , m_Keys(AllocateOnHost<Word>(TRowGroup::HasValues ? bits.runs.total * WordsOfKey(request.values.type) : 0))
  {
    if constexpr (TRowGroup::HasValues)
    {
      StoreKeysOfRows(parallelFor, bits, request.values, m_Keys.get());
    }
  }

  /** A slab, the request that labels it, and its bits and values. The request selects and measures nothing. */
  struct Part
  {
    RowGroupBits<TRowGroup> groups;
    Request                 request;
    PackedRuns              runs;
  };

  /** Cuts the images into slabs. Returns the most bytes that a slab needs. It is more than `mostBytes` only if a layer
   * needs more. bytesOf(part) returns the bytes of a slab. */
  std::uint64_t
  Cut(std::uint64_t mostBytes, const std::function<std::uint64_t(const Part &)> & bytesOf)
  {
    const std::uint64_t layersOfImage = m_Layers.CountInImage();
    std::uint64_t       bytes = 0;
    m_Slabs.clear();
    for (std::uint64_t begin = 0; begin < m_Layers.Count(); begin = m_Slabs.back().end)
    {
      const auto needs = [&](std::uint64_t layers) { return bytesOf(this->PartOf({ begin, begin + layers })); };
      const std::uint64_t first = begin % layersOfImage;
      const bool          isWhole = first == 0 && needs(layersOfImage) <= mostBytes;
      const std::uint64_t step = isWhole ? layersOfImage : 1;
      // Binary search for the most steps that fit, at least 1.
      std::uint64_t least = 1;
      std::uint64_t most = isWhole ? (m_Layers.Count() - begin) / layersOfImage : layersOfImage - first;
      while (least < most)
      {
        const std::uint64_t middle = least + (most - least + 1) / 2;
        const bool          fits = needs(middle * step) <= mostBytes;
        least = fits ? middle : least;
        most = fits ? most : middle - 1;
      }
      m_Slabs.push_back({ begin, begin + least * step });
      bytes = std::max(bytes, needs(least * step));
    }
    return bytes;
  }

  /** Returns the number of slabs. */
  std::uint64_t
  GetCount() const
  {
    return m_Slabs.size();
  }

  /** Labels the runs of all slabs. May be called once.
   *
   * While a slab is labeled, the host copies the next one and works on the ranks of the one before.
   * \param prepare prepare(part) copies a slab, if need be, and returns a StartOfSlab */
  template <typename TRun>
  LabeledRuns<TRowGroup, TRun, HostExecutor>
  Label(const std::function<StartOfSlab(const Part &)> & prepare)
  {
    const HostExecutor     executor(m_ParallelFor);
    const std::uint64_t    runCount = m_Bits.runs.total;
    auto                   ranks = executor.Allocate<TRun>(runCount);
    std::uint64_t          componentCount = 0;
    std::future<RunLabels> running = prepare(this->PartOf(m_Slabs[0]))();
    for (std::size_t i = 0; i < m_Slabs.size(); ++i)
    {
      const bool        hasNext = i + 1 < m_Slabs.size();
      const StartOfSlab startNext = hasNext ? prepare(this->PartOf(m_Slabs[i + 1])) : StartOfSlab();
      const RunLabels   labels = running.get();
      if (hasNext)
      {
        running = startNext();
      }
      const std::uint64_t firstRun = m_Layers.GetFirstRun(m_Slabs[i].begin);
      const auto * const  ranksOfSlab = static_cast<const std::uint32_t *>(labels.ranks.get());
      executor.ForEach(Grid{ m_Layers.GetFirstRun(m_Slabs[i].end) - firstRun },
                       [&, ranksOfRuns = ranks.get() + firstRun](const Cell & run) {
                         ranksOfRuns[run.x] = static_cast<TRun>(componentCount + ranksOfSlab[run.x]);
                       });
      componentCount += labels.components.table.componentCount;
    }
    // Roots come before the other components of their trees. So one pass ranks them all.
    const auto   memory = executor.Allocate<TRun>(componentCount);
    TRun * const parents = memory.get();
    std::iota(parents, parents + componentCount, TRun{ 0 });
    this->ForEachPair(executor, [parents, components = ranks.get()](std::uint64_t run, std::uint64_t other) {
      UnionSplicing(parents, components[run], components[other]);
    });
    const TRun kept =
      RowUnionFind::RankInOrder(parents, TRun{ 0 }, static_cast<TRun>(componentCount), TRun{ 0 }, parents);
    executor.ForEach(Grid{ runCount }, [=, components = ranks.get()](const Cell & run) {
      components[run.x] = parents[components[run.x]];
    });
    const bool wantsRunOffsets = !m_Request.NeedsOnlyLabels() || m_Request.images > 1;
    auto       runOffsets = executor.Allocate<TRun>(wantsRunOffsets ? m_Bits.groups.columns.words.Count() : 0);
    if (wantsRunOffsets)
    {
      StoreRunOffsets(executor, m_Bits.groups, runOffsets.get());
    }
    const RunValues values = this->ValuesFrom(0);
    return { m_Bits.groups,
             std::move(runOffsets),
             executor.Allocate<TRun>(0),
             executor.Allocate<TRun>(0),
             {},
             executor.Allocate<TRun>(0),
             runCount,
             kept,
             std::move(ranks),
             executor.Allocate<TRun>(0),
             { std::move(m_Keys), values },
             false };
  }

private:
  /** Returns the values of the runs from one on, if they have values. */
  RunValues
  ValuesFrom(std::uint64_t run) const
  {
    return TRowGroup::HasValues
             ? RunValues::Of(m_Request.values.type, m_Keys.get() + run * WordsOfKey(m_Request.values.type))
             : RunValues{};
  }

  Part
  PartOf(const Slab & slab) const
  {
    const ImageStack    stack = m_Layers.StackOf(slab.begin, slab.end);
    const std::uint64_t firstRun = m_Layers.GetFirstRun(slab.begin);
    Part                part{ m_Layers.BitsOf(slab.begin, slab.end), {}, {} };
    part.request.size = stack.size;
    part.request.images = stack.images;
    part.request.neighbors = m_Request.neighbors;
    part.request.isByValue = m_Request.isByValue;
    part.request.values.type = m_Request.values.type;
    part.request.columns = TableColumns{ false };
    part.request.labelValues = LabelValues::Ranks();
    part.request.output = OutputKind::Labels;
    part.runs.bits = part.groups.rows.bits;
    part.runs.runCount = m_Layers.GetFirstRun(slab.end) - firstRun;
    if constexpr (TRowGroup::HasValues)
    {
      part.runs.starts = part.groups.columns.starts;
      part.runs.keys = this->ValuesFrom(firstRun).keys;
    }
    return part;
  }

  /** Calls unite(run, other) for all runs that are adjacent at the seams between slabs. Threads call it at the same
   * time. */
  void
  ForEachPair(const HostExecutor & executor, const std::function<void(std::uint64_t, std::uint64_t)> & unite) const
  {
    using AdjacencyType = AdjacencyByWord<TRowGroup, std::uint64_t>;
    const std::uint64_t wordsOfLayer = m_Layers.GetWordsOfLayer();
    const auto          runOffsets = executor.Allocate<std::uint64_t>(2 * wordsOfLayer);
    for (const Slab & slab : m_Slabs)
    {
      if (slab.begin % m_Layers.CountInImage() == 0)
      {
        continue; // an image begins
      }
      const auto          layers = m_Layers.BitsOf(slab.begin - 1, slab.begin + 1);
      const std::uint64_t firstRun = m_Layers.GetFirstRun(slab.begin - 1);
      StoreRunOffsets(executor, layers, runOffsets.get());
      const auto          topology = TopologyOf(layers, m_Request.neighbors);
      const AdjacencyType adjacency{ { layers, runOffsets.get(), {}, this->ValuesFrom(firstRun) }, topology };
      const auto uniteRuns = [&](std::uint64_t run, std::uint64_t other) { unite(firstRun + run, firstRun + other); };
      // A cell's x is a word of the second layer.
      executor.ForEach(Grid{ wordsOfLayer, topology.count },
                       [&](const Cell & cell) { adjacency.ForEach({ wordsOfLayer + cell.x, cell.y, 0 }, uniteRuns); });
    }
  }

  const ParallelFor &         m_ParallelFor;
  const HostBits<TRowGroup> & m_Bits;
  const Request &             m_Request;
  Layers<TRowGroup>           m_Layers;
  std::vector<Slab>           m_Slabs;
  HostBuffer<Word>            m_Keys; // of all runs, if they have values
};

/** Throws CudaConnectedComponentError (Memory) if a slab that cannot be smaller needs more bytes than it may have. */
inline void
RequireSlab(std::uint64_t bytes, std::uint64_t mostBytes)
{
  const auto fail = [](const std::string & text) {
    throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::Memory,
                                      "device memory: one slice of the image, or one row of a plane, " + text);
  };
  if (bytes == NoMemoryLimit)
  {
    fail("has more pixels than a slab can have: label on the host");
  }
  if (bytes > mostBytes)
  {
    fail("needs " + std::to_string(bytes) + " bytes, and at most " + std::to_string(mostBytes) +
         " are available: set a higher limit, or label on the host");
  }
}

/** Cuts images into slabs that a device labels in at most so many bytes of its memory, or in fewer if it has not so
 * many. Takes the memory. Throws CudaConnectedComponentError (Memory) if a layer needs more. */
template <typename TRowGroup>
void
CutForDevice(SlabLabeler<TRowGroup> & slabs, DeviceSession & session, std::uint64_t mostBytes)
{
  for (bool isReserved = false; !isReserved; mostBytes /= 2)
  {
    const std::uint64_t bytes = slabs.Cut(mostBytes, [](const auto & part) {
      const bool isWide = part.request.GetIndexLimit() > ~std::uint32_t{ 0 };
      return isWide ? NoMemoryLimit : DeviceSession::MeasureBits(part.request, part.runs.runCount);
    });
    RequireSlab(bytes, mostBytes);
    isReserved = session.Reserve(bytes, mostBytes);
  }
}

/** Allocates host memory that the device copies at full speed. If the system does not give so much, the memory is like
 * any other. */
inline HostArray
AllocateForCopies(DeviceSession & session, std::uint64_t words)
{
  try
  {
    return session.AllocateHost(words * sizeof(Word));
  }
  catch (const CudaConnectedComponentError & error)
  {
    if (error.GetKind() != CudaConnectedComponentError::KindEnum::Memory)
    {
      throw;
    }
  }
  const auto pageable = std::make_shared<HostBuffer<Word>>(AllocateOnHost<Word>(words));
  return HostArray(pageable, pageable->get());
}

/** Copies the bits of a slab, `words` words, for a device. Returns a function that starts to label it, on a thread of
 * its own if the system has one. */
inline StartOfSlab
PrepareForDevice(DeviceSession &     session,
                 const ParallelFor & parallelFor,
                 std::uint64_t       words,
                 PackedRuns          runs,
                 const Request &     request)
{
  constexpr std::uint64_t WordsOfCopy = std::uint64_t{ 1 } << 18;
  const HostArray         memory = AllocateForCopies(session, words);
  auto * const            copy = static_cast<Word *>(memory.get());
  parallelFor(DivideUp(words, WordsOfCopy), [&, from = runs.bits](std::uint64_t i) {
    const std::uint64_t begin = i * WordsOfCopy;
    std::copy(from + begin, from + std::min(words, begin + WordsOfCopy), copy + begin);
  });
  runs.bits = copy;
  const LabelingOfSlab label = [&session, memory, runs, request] { return session.LabelBits(runs, request); };
  return [label] {
    try
    {
      return std::async(std::launch::async, label);
    }
    catch (const std::system_error &)
    {
      return std::async(std::launch::deferred, label); // the caller's thread works when it wants the result
    }
  };
}

/** Labels a slab by the functors of the kernels on the host, for tests. */
template <typename TPart>
StartOfSlab
PrepareForHost(const ParallelFor & parallelFor, const TPart & part)
{
  const LabelingOfSlab label = [&parallelFor, part] {
    const HostExecutor executor(parallelFor);
    auto               labeled = LabelRuns<std::uint32_t>(executor,
                                            part.groups,
                                            part.request.neighbors,
                                            RunCapacity::Exactly(part.runs.runCount),
                                                          { &part.request.values, part.runs.keys });
    RunLabels          labels;
    labels.components.table.componentCount = labeled.componentCount.GetOrZero();
    const auto ranks = std::make_shared<HostBuffer<std::uint32_t>>(std::move(labeled.ranks));
    labels.ranks = HostArray(ranks, ranks->get());
    return labels;
  };
  return [label] { return std::async(std::launch::deferred, label); };
}

} // namespace itk::ccl

#endif
