// SPDX-License-Identifier: Apache-2.0
#include "SmallImages.cuh"

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

template <typename TOutput>
__global__ void
__launch_bounds__(KernelExecutor::Threads, Tuning::SmallImageBlocksPerMultiprocessor)
  LabelInOneKernel(PackAnyWord     packWord,
                   bool            fullyConnected,
                   Numbering       numbering,
                   void *          memory,
                   TOutput *       output,
                   std::uint64_t * objectCount)
{
  const KernelExecutor executor(memory);
  const std::uint64_t  count = LabelBySegments(executor, packWord, packWord.size, fullyConnected, numbering, output);
  if (blockIdx.x == 0 && threadIdx.x == 0)
  {
    *objectCount = count;
  }
}

} // namespace

bool
IsSmall(const Request & request, const DeviceResources & resources)
{
  return request.algorithm == CudaConnectedComponentsEnums::Algorithm::Automatic &&
         resources.GetCooperativeMultiprocessors() > 0 && IsSmallImage(request.size, request.fullyConnected);
}

std::uint64_t
LabelSmallImage(const DeviceExecutor & executor,
                DeviceResources &      resources,
                const void *           pixels,
                PixelKind              kind,
                const Request &        request,
                void *                 labels,
                unsigned int           labelBytes)
{
  const std::uint64_t words = WordsOf(request.size).Count();
  const std::uint64_t blocksForWords = DivideUp(words * SegmentUnionFind::Slot::PerWord, KernelExecutor::Threads);
  const std::uint64_t blocksThatFit =
    Tuning::SmallImageBlocksPerMultiprocessor * resources.GetCooperativeMultiprocessors();
  const auto blocks = static_cast<unsigned int>(std::min(blocksForWords, blocksThatFit));
  // The arrays of LabelBySegments: bits, parents and labels of roots, and its sums.
  const std::uint64_t bytes = KernelExecutor::BytesFor<Word>(words) +
                              2 * KernelExecutor::BytesFor<std::uint32_t>(words * Segments::PerWord) +
                              KernelExecutor::BytesFor<std::uint32_t>(blocks);
  const auto memory = executor.Allocate<unsigned char>(bytes);
  const auto objectCount = resources.AllocateHost(sizeof(std::uint64_t));
  VisitWidth(labelBytes, [&](auto label) {
    using OutputType = decltype(label);
    PackAnyWord packWord{ pixels, kind, request.size };
    bool        fullyConnected = request.fullyConnected;
    Numbering   numbering = request.numbering;
    void *      memoryArgument = memory.get();
    auto *      output = static_cast<OutputType *>(labels);
    auto *      count = static_cast<std::uint64_t *>(objectCount.get());
    void *      arguments[] = { &packWord, &fullyConnected, &numbering, &memoryArgument, &output, &count };
    const auto  kernel = reinterpret_cast<const void *>(&LabelInOneKernel<OutputType>);
    CCL_CHECK(cudaLaunchCooperativeKernel(
      kernel, dim3(blocks), dim3(KernelExecutor::Threads), arguments, 0, executor.GetStream()));
  });
  CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  const std::uint64_t count = *static_cast<const std::uint64_t *>(objectCount.get());
  RequireRoomFor(count, request.numbering);
  return count;
}

} // namespace itk::ccl
