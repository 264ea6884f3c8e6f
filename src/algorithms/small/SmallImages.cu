// SPDX-License-Identifier: Apache-2.0
#include "algorithms/small/SmallImages.cuh"

#include "algorithms/small/PixelRows.h"
#include "executors/device/TileExecutor.cuh"
#include "algorithms/small/SegmentUnionFind.h"

namespace itk::ccl
{

namespace
{

/** The rows of pixels whose type is selected at run time. So the kernel is compiled once for all pixel types. */
struct AnyPixelRows
{
  const void * pixels;
  PixelType    type;
  Grid         size;

  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  auto
  Visit(const TVisitor & visitor) const
  {
    return VisitPixels(pixels, type, [&](const auto * typed) {
      using TypedPixel = std::remove_const_t<std::remove_pointer_t<decltype(typed)>>;
      return visitor(PixelRows<TypedPixel>{ typed, size });
    });
  }
};

/** The arguments of the kernel that do not depend on the types of pixels and labels. */
template <typename TRowGroup>
struct SmallImage
{
  TileLayout<TRowGroup> tiles;
  SegmentIds<TRowGroup> ids;
  std::uint32_t         maximumSegments;
  std::uint32_t         listCapacity; // segments for which the list of each tile has room
  LabelValues           labelValues;
  void *                memory;
  LabeledSegments *     result;
};

template <typename TRowGroup, typename TOutput>
__global__ void
__launch_bounds__(TileExecutor::Threads, 1)
  LabelInOneKernel(AnyPixelRows pixels, SmallImage<TRowGroup> image, TOutput * output)
{
  extern __shared__ uint4 memoryOfTile[];

  LabelBySegments(TileExecutor(image.memory, reinterpret_cast<std::uint64_t *>(memoryOfTile)),
                  pixels,
                  image.tiles,
                  image.ids,
                  image.maximumSegments,
                  image.listCapacity,
                  image.labelValues,
                  output,
                  image.result);
}

/** Calls visitor(TRowGroup{}) with the row group for an image. Planes use single rows under full connectivity, too. Row
 * groups of 2 rows need fewer unions, but the ids of their segments differ from the slots. Computing the slots takes
 * more time than the unions save. */
template <typename TVisitor>
auto
VisitTileRowGroup(const Request & request, const TVisitor & visitor)
{
  return request.fullyConnected && request.size.z > 1 ? visitor(VolumeRowGroup{}) : visitor(SingleRow{});
}

/** Returns the tiles of an image, one for each thread block: at most one for each multiprocessor. Images with few words
 * get fewer tiles, because more thread blocks would have too little work. */
template <typename TRowGroup>
TileLayout<TRowGroup>
TilesOf(const Grid & size, bool fullyConnected, const DeviceResources & resources)
{
  const std::uint64_t words = WordsOf(size).Count();
  const std::uint64_t usefulTiles =
    words <= Tuning::SmallImageWordsOfOneThreadBlock ? 1 : DivideUp(words, Tuning::SmallImageWordsPerThreadBlock);
  return { size,
           fullyConnected,
           static_cast<std::uint32_t>(
             std::min<std::uint64_t>(usefulTiles, resources.GetCapabilities().multiprocessors)) };
}

/** Returns the shared memory that a tile can use, in elements of 64 bits. */
std::uint64_t
MaximumTileMemory(const DeviceResources & resources)
{
  constexpr std::uint64_t staticSharedMemory = 1024; // an upper bound of what the kernel declares
  return (resources.GetCapabilities().sharedMemoryPerBlock - staticSharedMemory) / sizeof(std::uint64_t);
}

template <typename TRowGroup>
std::optional<std::uint64_t>
Label(const DeviceExecutor & executor,
      DeviceResources &      resources,
      const AnyPixelRows &   pixels,
      const Request &        request,
      void *                 labels,
      PixelType              labelType)
{
  const auto tiles = TilesOf<TRowGroup>(request.size, request.fullyConnected, resources);
  const auto listCapacity = SegmentUnionFind::Tile<TRowGroup>::ListCapacityIn(tiles, MaximumTileMemory(resources));
  if (!listCapacity || SegmentIds<TRowGroup>::Limit(request.size) > SegmentUnionFind::Ranked)
  {
    return std::nullopt;
  }
  const std::uint64_t words = std::uint64_t{ tiles.RowGroups() } * tiles.WordsOfRow();
  // The arrays that LabelBySegments() allocates: bits, parents, segment counts, and root counts.
  const std::uint64_t bytes = TileExecutor::BytesFor<RowGroupWord<TRowGroup>>(words) +
                              TileExecutor::BytesFor<std::uint32_t>(words * Segments::SlotsPerWord) +
                              TileExecutor::BytesFor<std::uint32_t>(tiles.Count()) +
                              TileExecutor::BytesFor<SegmentUnionFind::SlabRoots>(tiles.SlabCount());
  const auto memory = resources.AllocateCached(bytes);
  const auto resultMemory = resources.AllocateHost(sizeof(LabeledSegments));
  // If the lists may be too short, the algorithm for large images is faster for volumes with very many segments.
  const bool          listsAll = *listCapacity >= words / tiles.Count() * Segments::MaximumPerWord;
  const std::uint64_t maximumSegments =
    request.size.z == 1 || listsAll ? words * Segments::MaximumPerWord : std::max(words, Tuning::SmallVolumeSegments);
  const cudaError_t error = VisitWidth(labelType, [&](auto label) {
    using OutputType = decltype(label);
    AnyPixelRows          rows = pixels;
    SmallImage<TRowGroup> image{ tiles,
                                 SegmentIds<TRowGroup>(request.size),
                                 static_cast<std::uint32_t>(maximumSegments),
                                 *listCapacity,
                                 request.labelValues,
                                 memory.get(),
                                 static_cast<LabeledSegments *>(resultMemory.get()) };
    auto *                output = static_cast<OutputType *>(labels);
    void *                arguments[] = { &rows, &image, &output };
    const auto            kernel = reinterpret_cast<const void *>(&LabelInOneKernel<TRowGroup, OutputType>);
    resources.AllowSharedMemory(kernel, MaximumTileMemory(resources) * sizeof(std::uint64_t));
    return cudaLaunchCooperativeKernel(kernel,
                                       dim3(tiles.Count()),
                                       dim3(TileExecutor::Threads),
                                       arguments,
                                       SegmentUnionFind::Tile<TRowGroup>::MemoryOf(tiles, *listCapacity) *
                                         sizeof(std::uint64_t),
                                       executor.GetStream());
  });
  if (error == cudaErrorCooperativeLaunchTooLarge)
  {
    // Not all multiprocessors are available, for example because programs share the device. Clear the error: the
    // algorithm for large images labels the image.
    cudaGetLastError();
    return std::nullopt;
  }
  CCL_CHECK(error);
  const LabeledSegments labeled = PendingValue<LabeledSegments>(resultMemory, executor.GetStream()).Get();
  if (!labeled.isLabeled)
  {
    return std::nullopt;
  }
  request.labelValues.RequireRoomFor(labeled.objectCount);
  return labeled.objectCount;
}

} // namespace

std::optional<std::uint64_t>
LabelSmallImage(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const void *           pixels,
                PixelType              pixelType,
                const Request &        request,
                void *                 labels,
                PixelType              labelType)
{
  constexpr std::uint64_t maximumPixels = std::uint64_t{ 1 } << 31;
  if (!resources.GetCapabilities().launchesCooperatively || request.size.Count() > maximumPixels)
  {
    return std::nullopt;
  }
  return VisitTileRowGroup(request, [&](auto group) {
    return Label<decltype(group)>(
      executor, resources, AnyPixelRows{ pixels, pixelType, request.size }, request, labels, labelType);
  });
}

} // namespace itk::ccl
