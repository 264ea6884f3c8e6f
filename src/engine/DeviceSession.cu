// SPDX-License-Identifier: Apache-2.0
#include "DeviceSession.h"

#include "BlockKomuraEquivalence.h"
#include "BlockUnionFind.h"
#include "DeviceExecutor.cuh"
#include "Foreground.h"
#include "Renumbering.h"
#include "RunExpansion.h"
#include "RunUnionFind.h"
#include "SmallImages.cuh"

#include <limits>

namespace itk::ccl
{

using AlgorithmEnum = CudaConnectedComponentsEnums::Algorithm;

namespace
{

constexpr std::uint64_t Maximum32 = std::numeric_limits<std::uint32_t>::max();

/** Calls visitor(T{}) with the unsigned integer that is wide enough for values up to `maximum`. */
template <typename TVisitor>
auto
VisitIndexType(std::uint64_t maximum, const TVisitor & visitor)
{
  return maximum <= Maximum32 ? visitor(std::uint32_t{}) : visitor(std::uint64_t{});
}

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

bool
LabelsByBlocks(const Request & request)
{
  return request.algorithm == AlgorithmEnum::BlockUnionFind ||
         request.algorithm == AlgorithmEnum::BlockKomuraEquivalence;
}

void
RequireDeviceMemory(const void * memory, const char * name, int device)
{
  cudaPointerAttributes attributes{};
  CCL_CHECK(cudaPointerGetAttributes(&attributes, memory));
  const bool isDevice = attributes.type == cudaMemoryTypeDevice && attributes.device == device;
  if (!isDevice && attributes.type != cudaMemoryTypeManaged)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument,
                                      std::string("the ") + name + " is not in the memory of CUDA device " +
                                        std::to_string(device));
  }
}

/** Runs a block algorithm. */
template <unsigned int VDimension, typename TLabel>
void
LabelBlocks(const DeviceExecutor & executor, const std::uint8_t * bytes, const Request & request, TLabel * labels)
{
  if (request.algorithm == AlgorithmEnum::BlockUnionFind)
  {
    LabelByBlockUnionFind<VDimension>(executor, bytes, request.size, labels, request.inlineCompression);
  }
  else
  {
    LabelByBlockKomuraEquivalence<VDimension>(executor, bytes, request.size, labels, request.inlineCompression);
  }
}

} // namespace

class DeviceSession::Implementation
{
public:
  explicit Implementation(int deviceId)
    : m_Device(deviceId)
    , m_Resources(DeviceResources::Of(m_Device.Get()))
    , m_OwnStream(m_Resources.TakeStream())
    , m_Executor(m_Resources, m_OwnStream)
  {}

  Implementation(int deviceId, cudaStream_t stream)
    : m_Device(deviceId)
    , m_Resources(DeviceResources::Of(m_Device.Get()))
    , m_Executor(m_Resources, stream)
  {}

  ~Implementation()
  {
    try
    {
      if (m_OwnStream != nullptr)
      {
        const cudaError_t error = cudaStreamSynchronize(m_OwnStream);
        m_Resources.ReturnStream(m_OwnStream);
        CCL_CHECK(error);
      }
      m_Resources.EndCall();
    }
    catch (...)
    {
      // An error of CUDA here is one of the context, and shows in the next call.
    }
  }

  int
  GetDevice() const
  {
    return m_Device.Get();
  }

  DeviceResources &
  GetResources() const
  {
    return m_Resources;
  }

  const DeviceExecutor &
  GetExecutor() const
  {
    return m_Executor;
  }

private:
  CurrentDevice     m_Device;
  DeviceResources & m_Resources;
  cudaStream_t      m_OwnStream = nullptr;
  DeviceExecutor    m_Executor;
};

DeviceSession::DeviceSession(int deviceId)
  : m_Implementation(std::make_unique<Implementation>(deviceId))
{}

DeviceSession::DeviceSession(int deviceId, void * stream)
  : m_Implementation(std::make_unique<Implementation>(deviceId, static_cast<cudaStream_t>(stream)))
{}

DeviceSession::~DeviceSession() = default;

HostArray
DeviceSession::AllocateHost(std::uint64_t bytes)
{
  return m_Implementation->GetResources().AllocateHost(bytes);
}

void
DeviceSession::TrimMemory()
{
  DeviceResources::TrimAll();
}

HeldMemory
DeviceSession::GetHeldMemory()
{
  return DeviceResources::GetHeldMemory();
}

bool
DeviceSession::IsStarted()
{
  return DeviceResources::AreAny();
}

namespace
{

/** Pixels to pixels by runs. */
template <typename TBundle, typename TRun>
std::uint64_t
LabelPixelsByRuns(const DeviceExecutor & executor,
                  const void *           pixels,
                  PixelKind              kind,
                  const Request &        request,
                  void *                 labels,
                  unsigned int           labelBytes)
{
  const Grid words = WordsOf(request.size);
  const auto bits = executor.Allocate<Word>(words.Count());
  const auto bundled = VisitPixels(pixels, kind, [&](const auto * typed) {
    return PackForeground<TBundle>(executor, typed, request.size, bits.get());
  });
  const auto counted = CountRuns<TRun>(executor, bundled.bundles);
  const auto runs = LabelRuns(executor, counted, request.numbering);
  VisitWidth(labelBytes, [&](auto label) {
    using OutputType = decltype(label);
    ExpandRuns(executor,
               runs.GetNumbered(),
               runs.labels.get(),
               request.size,
               static_cast<OutputType>(request.numbering.background),
               static_cast<OutputType *>(labels));
  });
  CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  const std::uint64_t objectCount = runs.CountObjects();
  RequireRoomFor(objectCount, request.numbering);
  return objectCount;
}

/** Pixels to pixels by blocks. */
template <typename TLabel>
std::uint64_t
LabelPixelsByBlocks(const DeviceExecutor & executor,
                    const void *           pixels,
                    PixelKind              kind,
                    const Request &        request,
                    void *                 labels,
                    unsigned int           labelBytes)
{
  const Grid &         size = request.size;
  const bool           inPlace = labelBytes == sizeof(TLabel);
  const auto           scratch = executor.Allocate<TLabel>(inPlace ? 0 : size.Count());
  TLabel * const       blockLabels = inPlace ? static_cast<TLabel *>(labels) : scratch.get();
  const auto           reduced = executor.Allocate<std::uint8_t>(kind == PixelKind::Integer8 ? 0 : size.Count());
  const std::uint8_t * bytes = reduced.get();
  if (kind == PixelKind::Integer8)
  {
    bytes = static_cast<const std::uint8_t *>(pixels);
  }
  else
  {
    VisitPixels(pixels, kind, [&](const auto * typed) { BinarizeForeground(executor, typed, size, reduced.get()); });
  }

  std::uint64_t objectCount = 0;
  VisitDimension(size, [&](auto dimension) {
    constexpr unsigned int Dimension = decltype(dimension)::value;
    LabelBlocks<Dimension>(executor, bytes, request, blockLabels);
    const auto finalLabels = executor.Allocate<TLabel>(BlocksOf<Dimension>(size).Count());
    objectCount = RankBlocks<Dimension>(executor, blockLabels, size, request.numbering, finalLabels.get());
    RequireRoomFor(objectCount, request.numbering);
    VisitWidth(labelBytes, [&](auto label) {
      RelabelBlocks<Dimension>(
        executor, blockLabels, finalLabels.get(), size, request.numbering, static_cast<decltype(label) *>(labels));
    });
    CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  });
  return objectCount;
}

} // namespace

std::uint64_t
DeviceSession::LabelPixels(const void *    pixels,
                           PixelKind       kind,
                           const Request & request,
                           void *          labels,
                           unsigned int    labelBytes)
{
  RequireDeviceMemory(pixels, "input", m_Implementation->GetDevice());
  RequireDeviceMemory(labels, "output", m_Implementation->GetDevice());
  const DeviceExecutor & executor = m_Implementation->GetExecutor();
  DeviceResources &      resources = m_Implementation->GetResources();
  if (request.algorithm == AlgorithmEnum::Automatic)
  {
    const auto objectCount = LabelSmallImage(executor, resources, pixels, kind, request, labels, labelBytes);
    if (objectCount)
    {
      return *objectCount;
    }
  }
  if (LabelsByBlocks(request))
  {
    // A 64-bit output has room for labels of 64 bits, and needs no scratch image then.
    return VisitIndexType(labelBytes == 8 ? ~std::uint64_t{ 0 } : request.size.Count(), [&](auto label) {
      return LabelPixelsByBlocks<decltype(label)>(executor, pixels, kind, request, labels, labelBytes);
    });
  }
  return VisitIndexType(PlacesOf(request.size), [&](auto run) {
    return VisitBundle(request.size, request.fullyConnected, [&](auto bundle) {
      return LabelPixelsByRuns<decltype(bundle), decltype(run)>(executor, pixels, kind, request, labels, labelBytes);
    });
  });
}

namespace
{

template <typename TBundle, typename TRun>
RunLabels
LabelBitsAs(const DeviceExecutor & executor,
            DeviceResources &      resources,
            const Word *           hostBits,
            const Request &        request)
{
  const Grid & size = request.size;
  const Grid   words = WordsOf(size);
  const auto   bits = executor.Allocate<Word>(words.Count());
  CCL_CHECK(
    cudaMemcpyAsync(bits.get(), hostBits, words.Count() * sizeof(Word), cudaMemcpyHostToDevice, executor.GetStream()));
  const BitRows rows{ words, bits.get() };
  const auto    bundled = BundleBits<TBundle>(executor, rows);
  const auto    counted = CountRuns<TRun>(executor, bundled.bundles);

  RunLabels  result{ nullptr, sizeof(TRun) == 8, 0 };
  const auto download = [&](const TRun * labels) {
    const std::uint64_t bytes = counted.GetCount() * sizeof(TRun);
    result.labels = resources.AllocateHost(bytes);
    CCL_CHECK(cudaMemcpyAsync(result.labels.get(), labels, bytes, cudaMemcpyDeviceToHost, executor.GetStream()));
    CCL_CHECK(cudaStreamSynchronize(executor.GetStream()));
  };

  if (!LabelsByBlocks(request))
  {
    const auto runs = LabelRuns(executor, counted, request.numbering);
    download(runs.labels.get());
    result.objectCount = runs.CountObjects();
    RequireRoomFor(result.objectCount, request.numbering);
    return result;
  }

  VisitDimension(size, [&](auto dimension) {
    VisitIndexType(size.Count(), [&](auto index) {
      constexpr unsigned int Dimension = decltype(dimension)::value;
      using LabelType = decltype(index);
      const auto blockLabels = executor.Allocate<LabelType>(size.Count());
      {
        const auto bytes = executor.Allocate<std::uint8_t>(size.Count());
        UnpackForeground(executor, rows, size, bytes.get());
        LabelBlocks<Dimension>(executor, bytes.get(), request, blockLabels.get());
      }
      const auto finalLabels = executor.Allocate<LabelType>(BlocksOf<Dimension>(size).Count());
      const auto runsBefore = executor.Allocate<TRun>(bundled.bundles.columns.words.Count());
      const auto runLabels = executor.Allocate<TRun>(counted.GetCount());
      NumberRuns(executor, counted, runsBefore.get());
      result.objectCount =
        RankBlocks<Dimension>(executor, blockLabels.get(), size, request.numbering, finalLabels.get());
      GatherRunLabels<Dimension>(executor,
                                 blockLabels.get(),
                                 finalLabels.get(),
                                 size,
                                 NumberedRuns<TBundle, TRun>{ bundled.bundles, runsBefore.get() },
                                 runLabels.get());
      download(runLabels.get());
    });
  });
  RequireRoomFor(result.objectCount, request.numbering);
  return result;
}

} // namespace

RunLabels
DeviceSession::LabelBits(const Word * bits, const Request & request)
{
  const DeviceExecutor & executor = m_Implementation->GetExecutor();
  try
  {
    return VisitIndexType(PlacesOf(request.size), [&](auto run) {
      return VisitBundle(request.size, request.fullyConnected, [&](auto bundle) {
        return LabelBitsAs<decltype(bundle), decltype(run)>(executor, m_Implementation->GetResources(), bits, request);
      });
    });
  }
  catch (...)
  {
    // The caller may give the bits to somebody else, and they may still be on their way to the device.
    cudaStreamSynchronize(executor.GetStream());
    throw;
  }
}

} // namespace itk::ccl
