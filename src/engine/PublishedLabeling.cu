// SPDX-License-Identifier: Apache-2.0

#include "engine/PublishedLabeling.cuh"

#include "algorithms/published/ForegroundBytes.h"
#include "algorithms/published/PublishedRanking.h"

#include "itkCudaConnectedComponentAlgorithms.h"

#include <type_traits>
#include <utility>

namespace itk::ccl
{

namespace
{

/** Calls visitor(std::integral_constant<unsigned int, D>) with 2 for a plane and 3 for a volume. */
template <typename TVisitor>
void
VisitDimension(const Grid & size, const TVisitor & visitor)
{
  if (size.z == 1)
  {
    visitor(std::integral_constant<unsigned int, 2>{});
  }
  else
  {
    visitor(std::integral_constant<unsigned int, 3>{});
  }
}

PublishedOptions
PublishedOptionsOf(const Request & request)
{
  return { request.neighbors == Neighbors::Full, request.inlineCompression };
}

/** Returns whether the foreground is the pixels that VisitPixels() finds to differ from 0. Only Foreground::NotZero()
 * is inverted. */
bool
IsDefaultForeground(const Request & request, PixelType type)
{
  return request.foreground.IsNotZero() && !request.isComplement && !request.WantsMask() && type != PixelType::Half &&
         type != PixelType::BFloat16;
}

/** Labels an image in device memory by the published algorithm of the request. Returns the number of components. The
 * algorithm writes its own labels to the output image if TLabel has the size of the output's pixels, else to a
 * temporary image. Its input is one byte for each pixel: the image itself, or a copy if its pixels are larger. */
template <typename TLabel>
std::uint64_t
LabelPixelsWith(const DeviceExecutor & executor,
                const ImageView &      input,
                const Request &        request,
                const ImageView &      output)
{
  const Grid &         size = request.size;
  const bool           inPlace = SizeOf(output.type) == sizeof(TLabel);
  const auto           scratch = executor.Allocate<TLabel>(inPlace ? 0 : size.Count());
  TLabel * const       labels = inPlace ? static_cast<TLabel *>(output.pixels) : scratch.get();
  const bool           areBytes = SizeOf(input.type) == 1;
  const auto           reduced = executor.Allocate<std::uint8_t>(areBytes ? 0 : size.Count());
  const std::uint8_t * bytes = reduced.get();
  if (areBytes)
  {
    bytes = static_cast<const std::uint8_t *>(input.pixels);
  }
  else
  {
    VisitPixels(
      input.pixels, input.type, [&](const auto * typed) { BinarizeForeground(executor, typed, size, reduced.get()); });
  }

  std::uint64_t objectCount = 0;
  VisitDimension(size, [&](auto dimension) {
    constexpr unsigned int Dimension = decltype(dimension)::value;
    LabelByPublishedAlgorithm<Dimension>(executor, request.algorithm, bytes, size, PublishedOptionsOf(request), labels);
    const PublishedRanking<Dimension, TLabel, DeviceExecutor> ranking(
      executor, request.algorithm, labels, size, request.labelValues);
    objectCount = ranking.GetComponentCount();
    request.labelValues.RequireRoomFor(objectCount);
    VisitWidth(output.type,
               [&](auto label) { ranking.Relabel(executor, static_cast<decltype(label) *>(output.pixels)); });
    CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  });
  return objectCount;
}

} // namespace

bool
IsPublished(const Request & request)
{
  return request.images == 1 && CudaConnectedComponentAlgorithms::Describe(request.algorithm).isPublished;
}

bool
IsPublishedForPixels(const Request & request, const ImageView & input, const ImageView & output)
{
  // Published algorithms write labels without gaps, and nothing else.
  return IsPublished(request) && request.output == OutputKind::Labels && IsDefaultForeground(request, input.type) &&
         !request.NeedsAnalysis() && !request.WantsIntensities() && !request.wantsValues && input.IsContiguous() &&
         output.IsContiguous();
}

std::uint64_t
LabelPixelsAsPublished(const DeviceExecutor & executor,
                       const ImageView &      input,
                       const Request &        request,
                       const ImageView &      output)
{
  // Labels of 64 bits need no temporary image if the output has 64 bits.
  const std::uint64_t maximum = SizeOf(output.type) == 8 ? ~std::uint64_t{ 0 } : request.size.Count();
  return VisitIndexType(maximum,
                        [&](auto label) { return LabelPixelsWith<decltype(label)>(executor, input, request, output); });
}

template <typename TLabel>
RankedPixels<TLabel>
RankPixelsAsPublished(const DeviceExecutor & executor, const BitRows & rows, const Request & request)
{
  const Grid &  size = request.size;
  auto          ranks = executor.Allocate<TLabel>(size.Count());
  std::uint64_t componentCount = 0;
  VisitDimension(size, [&](auto dimension) {
    constexpr unsigned int Dimension = decltype(dimension)::value;
    {
      const auto bytes = executor.Allocate<std::uint8_t>(size.Count());
      UnpackForeground(executor, rows, size, bytes.get());
      LabelByPublishedAlgorithm<Dimension>(
        executor, request.algorithm, bytes.get(), size, PublishedOptionsOf(request), ranks.get());
    }
    const PublishedRanking<Dimension, TLabel, DeviceExecutor> ranking(
      executor, request.algorithm, ranks.get(), size, LabelValues::Ranks());
    ranking.Relabel(executor, ranks.get());
    componentCount = ranking.GetComponentCount();
  });
  return { std::move(ranks), componentCount };
}

template RankedPixels<std::uint32_t>
RankPixelsAsPublished(const DeviceExecutor &, const BitRows &, const Request &);
template RankedPixels<std::uint64_t>
RankPixelsAsPublished(const DeviceExecutor &, const BitRows &, const Request &);

} // namespace itk::ccl
