// SPDX-License-Identifier: Apache-2.0
#include "SmallImages.cuh"

#include "Foreground.h"
#include "KernelExecutor.cuh"
#include "SegmentUnionFind.h"

namespace itk::ccl
{

namespace
{

/** Foreground::PackWord for pixels of any type. */
struct PackAnyWord
{
  const void * pixels;
  PixelKind    kind;
  Grid         size;

  CCL_HOST_DEVICE
  Word
  operator()(const Cell & cell) const
  {
    return VisitPixels(pixels, kind, [&](const auto * typed) {
      using PixelType = std::remove_const_t<std::remove_pointer_t<decltype(typed)>>;
      return Foreground::PackWord<PixelType>{ typed, size }(cell);
    });
  }
};

/** What does not depend on the types of pixels and labels. */
struct SmallImage
{
  RowTiles          tiles;
  bool              fullyConnected;
  std::uint32_t     maximumSegments;
  Numbering         numbering;
  void *            memory;
  LabeledSegments * result;
};

template <typename TOutput>
__global__ void
__launch_bounds__(KernelExecutor::Threads, 1) LabelInOneKernel(PackAnyWord packWord, SmallImage image, TOutput * output)
{
  extern __shared__ std::uint64_t memoryOfTile[];

  const KernelExecutor  executor(image.memory, memoryOfTile);
  const LabeledSegments result = LabelBySegments(
    executor, packWord, image.tiles, image.fullyConnected, image.maximumSegments, image.numbering, output);
  if (blockIdx.x == 0 && threadIdx.x == 0)
  {
    *image.result = result;
  }
}

/** One tile for each block: as many as there are multiprocessors, or as are worth it. */
RowTiles
TilesOf(const Grid & size, bool fullyConnected, const DeviceResources & resources)
{
  const std::uint64_t worth = DivideUp(WordsOf(size).Count(), Tuning::SmallImageWordsPerBlock);
  return { size,
           fullyConnected,
           static_cast<std::uint32_t>(std::min<std::uint64_t>(worth, resources.GetMultiprocessors())) };
}

std::uint64_t
SharedMemoryOf(const RowTiles & tiles)
{
  return SegmentUnionFind::Tile::MemoryOf(tiles) * sizeof(std::uint64_t);
}

/** What a block has of it, less what the kernel declares. */
std::uint64_t
MaximumSharedMemory(const DeviceResources & resources)
{
  constexpr std::uint64_t declared = 1024;
  return resources.GetSharedMemoryOfBlock() - declared;
}

} // namespace

bool
IsSmall(const Grid & size, bool fullyConnected, const DeviceResources & resources)
{
  constexpr std::uint64_t maximumPixels = std::uint64_t{ 1 } << 31;
  return resources.RunsCooperativeKernels() && size.Count() < maximumPixels &&
         SharedMemoryOf(TilesOf(size, fullyConnected, resources)) <= MaximumSharedMemory(resources);
}

std::optional<std::uint64_t>
LabelSmallImage(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const void *           pixels,
                PixelKind              kind,
                const Request &        request,
                void *                 labels,
                unsigned int           labelBytes)
{
  const RowTiles      tiles = TilesOf(request.size, request.fullyConnected, resources);
  const std::uint64_t words = std::uint64_t{ tiles.Count() } * tiles.WordsOfTile();
  // The arrays of LabelBySegments: bits, parents, and counts of segments and roots.
  const std::uint64_t bytes = KernelExecutor::BytesFor<Word>(words) +
                              KernelExecutor::BytesFor<std::uint32_t>(words * Segments::PerWord) +
                              2 * KernelExecutor::BytesFor<std::uint32_t>(tiles.Count());
  const auto                          memory = executor.Allocate<unsigned char>(bytes);
  const PendingValue<LabeledSegments> result(resources.AllocateHost(sizeof(LabeledSegments)), executor.GetStream());
  // Rows of planes have one neighbour each: there is little to unite, however many segments there are.
  const std::uint64_t maximumSegments =
    request.size.z == 1 ? words * Segments::PerWord : std::max(words, Tuning::SmallVolumeSegments);
  const cudaError_t error = VisitWidth(labelBytes, [&](auto label) {
    using OutputType = decltype(label);
    PackAnyWord packWord{ pixels, kind, request.size };
    SmallImage  image{
      tiles,        request.fullyConnected, static_cast<std::uint32_t>(maximumSegments), request.numbering,
      memory.get(), result.GetAddress()
    };
    auto *     output = static_cast<OutputType *>(labels);
    void *     arguments[] = { &packWord, &image, &output };
    const auto kernel = reinterpret_cast<const void *>(&LabelInOneKernel<OutputType>);
    CCL_CHECK(cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(MaximumSharedMemory(resources))));
    return cudaLaunchCooperativeKernel(kernel,
                                       dim3(tiles.Count()),
                                       dim3(KernelExecutor::Threads),
                                       arguments,
                                       SharedMemoryOf(tiles),
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

} // namespace itk::ccl
