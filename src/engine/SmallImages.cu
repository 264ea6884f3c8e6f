// SPDX-License-Identifier: Apache-2.0
#include "SmallImages.cuh"

#include "Foreground.h"
#include "KernelExecutor.cuh"
#include "SegmentUnionFind.h"

namespace itk::ccl
{

namespace
{

/** Foreground::PixelRows for pixels of any type. */
struct AnyPixelRows
{
  const void * pixels;
  PixelKind    kind;
  Grid         size;

  CCL_NO_EXECUTION_CHECK
  template <typename TVisitor>
  CCL_HOST_DEVICE
  auto
  Visit(const TVisitor & visitor) const
  {
    return VisitPixels(pixels, kind, [&](const auto * typed) {
      using PixelType = std::remove_const_t<std::remove_pointer_t<decltype(typed)>>;
      return visitor(Foreground::PixelRows<PixelType>{ typed, size });
    });
  }
};

/** What does not depend on the types of pixels and labels. */
template <typename TBundle>
struct SmallImage
{
  BundleTiles<TBundle>    tiles;
  SegmentNumbers<TBundle> numbers;
  std::uint32_t           maximumSegments;
  std::uint32_t           listCapacity; // of each tile
  Numbering               numbering;
  void *                  memory;
  LabeledSegments *       result;
};

template <typename TBundle, typename TOutput>
__global__ void
__launch_bounds__(KernelExecutor::Threads, 1)
  LabelInOneKernel(AnyPixelRows pixels, SmallImage<TBundle> image, TOutput * output)
{
  extern __shared__ uint4 memoryOfTile[];

  LabelBySegments(KernelExecutor(image.memory, reinterpret_cast<std::uint64_t *>(memoryOfTile)),
                  pixels,
                  image.tiles,
                  image.numbers,
                  image.maximumSegments,
                  image.listCapacity,
                  image.numbering,
                  output,
                  image.result);
}

/** Calls visitor(TBundle{}) with what tiles are made of. In planes that is rows: two rows in one have less to unite,
 * but numbers that are not places take more than that saves. */
template <typename TVisitor>
auto
VisitTileBundle(const Request & request, const TVisitor & visitor)
{
  return request.fullyConnected && request.size.z > 1 ? visitor(VolumeBundle{}) : visitor(RowBundle{});
}

/** One tile for each block: as many as there are multiprocessors, or as are worth it. */
template <typename TBundle>
BundleTiles<TBundle>
TilesOf(const Grid & size, bool fullyConnected, const DeviceResources & resources)
{
  const std::uint64_t words = WordsOf(size).Count();
  const std::uint64_t worth =
    words <= Tuning::SmallImageWordsOfOneBlock ? 1 : DivideUp(words, Tuning::SmallImageWordsPerBlock);
  return { size,
           fullyConnected,
           static_cast<std::uint32_t>(std::min<std::uint64_t>(worth, resources.GetCapabilities().multiprocessors)) };
}

/** What a tile can have of a block's, in elements of 64 bits. */
std::uint64_t
MaximumTileMemory(const DeviceResources & resources)
{
  constexpr std::uint64_t declaredByKernel = 1024;
  return (resources.GetCapabilities().sharedMemoryPerBlock - declaredByKernel) / sizeof(std::uint64_t);
}

template <typename TBundle>
std::optional<std::uint64_t>
Label(const DeviceExecutor & executor,
      DeviceResources &      resources,
      const AnyPixelRows &   pixels,
      const Request &        request,
      void *                 labels,
      unsigned int           labelBytes)
{
  const auto tiles = TilesOf<TBundle>(request.size, request.fullyConnected, resources);
  const auto listCapacity = SegmentUnionFind::Tile<TBundle>::ListCapacityIn(tiles, MaximumTileMemory(resources));
  if (!listCapacity || SegmentNumbers<TBundle>::Limit(request.size) > SegmentUnionFind::Ranked)
  {
    return std::nullopt;
  }
  const std::uint64_t words = std::uint64_t{ tiles.Bundles() } * tiles.WordsOfRow();
  // The arrays of LabelBySegments: bits, parents, and counts of segments and roots.
  const std::uint64_t bytes = KernelExecutor::BytesFor<BundledWord<TBundle>>(words) +
                              KernelExecutor::BytesFor<std::uint32_t>(words * Segments::PerWord) +
                              KernelExecutor::BytesFor<std::uint32_t>(tiles.Count()) +
                              KernelExecutor::BytesFor<SegmentUnionFind::PieceRoots>(tiles.PieceCount());
  const auto                          memory = resources.AllocateCached(bytes);
  const PendingValue<LabeledSegments> result(resources.AllocateHost(sizeof(LabeledSegments)), executor.GetStream());
  // Where tiles have no room for lists of all that they could have, volumes of very many segments are left to runs.
  const bool          listsAll = *listCapacity >= words / tiles.Count() * Segments::MaximumPerWord;
  const std::uint64_t maximumSegments =
    request.size.z == 1 || listsAll ? words * Segments::MaximumPerWord : std::max(words, Tuning::SmallVolumeSegments);
  const cudaError_t error = VisitWidth(labelBytes, [&](auto label) {
    using OutputType = decltype(label);
    AnyPixelRows        rows = pixels;
    SmallImage<TBundle> image{ tiles,
                               SegmentNumbers<TBundle>(request.size),
                               static_cast<std::uint32_t>(maximumSegments),
                               *listCapacity,
                               request.numbering,
                               memory.get(),
                               result.GetAddress() };
    auto *              output = static_cast<OutputType *>(labels);
    void *              arguments[] = { &rows, &image, &output };
    const auto          kernel = reinterpret_cast<const void *>(&LabelInOneKernel<TBundle, OutputType>);
    resources.AllowSharedMemory(kernel, MaximumTileMemory(resources) * sizeof(std::uint64_t));
    return cudaLaunchCooperativeKernel(kernel,
                                       dim3(tiles.Count()),
                                       dim3(KernelExecutor::Threads),
                                       arguments,
                                       SegmentUnionFind::Tile<TBundle>::MemoryOf(tiles, *listCapacity) *
                                         sizeof(std::uint64_t),
                                       executor.GetStream());
  });
  if (error == cudaErrorCooperativeLaunchTooLarge)
  {
    // The device is shared, and not all of it is ours.
    cudaGetLastError();
    return std::nullopt;
  }
  CCL_CHECK(error);
  const LabeledSegments labeled = result.Get();
  if (!labeled.isLabeled)
  {
    return std::nullopt;
  }
  RequireRoomFor(labeled.objectCount, request.numbering);
  return labeled.objectCount;
}

} // namespace

std::optional<std::uint64_t>
LabelSmallImage(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const void *           pixels,
                PixelKind              kind,
                const Request &        request,
                void *                 labels,
                unsigned int           labelBytes)
{
  constexpr std::uint64_t maximumPixels = std::uint64_t{ 1 } << 31;
  if (!resources.GetCapabilities().launchesCooperatively || request.size.Count() > maximumPixels)
  {
    return std::nullopt;
  }
  return VisitTileBundle(request, [&](auto bundle) {
    return Label<decltype(bundle)>(
      executor, resources, AnyPixelRows{ pixels, kind, request.size }, request, labels, labelBytes);
  });
}

} // namespace itk::ccl
