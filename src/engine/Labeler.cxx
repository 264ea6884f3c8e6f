// SPDX-License-Identifier: Apache-2.0
#include "itkCudaConnectedComponentLabeler.h"

#include "DeviceSession.h"
#include "HostRows.h"
#include "PackScalars.h"
#include "RunUnionFind.h"

#include <limits>

namespace itk
{

using ccl::Grid;

CudaConnectedComponentError::CudaConnectedComponentError(Kind kind, const std::string & message)
  : std::runtime_error(message)
  , m_Kind(kind)
{}

CudaConnectedComponentError::~CudaConnectedComponentError() = default;

namespace
{

void
Require(bool condition, const std::string & message)
{
  if (!condition)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument, message);
  }
}

/** The size as a grid. Up to 2^40 pixels nothing overflows, here or on the device. */
Grid
GridOf(const CudaConnectedComponentLabeler::SizeType & size)
{
  constexpr std::uint64_t maximum = std::uint64_t{ 1 } << 40;
  std::uint64_t           count = 1;
  for (const std::uint64_t n : size)
  {
    Require(n == 0 || count <= maximum / n,
            "the image has more than 2^40 pixels: " + std::to_string(size[0]) + " x " + std::to_string(size[1]) +
              " x " + std::to_string(size[2]));
    count *= n;
  }
  return { size[0], size[1], size[2] };
}

ccl::Request
RequestFor(const CudaConnectedComponentLabeler::Options & options, const Grid & size, const ccl::Numbering & numbering)
{
  using AlgorithmEnum = CudaConnectedComponentLabeler::AlgorithmEnum;
  const bool needsFullConnectivity =
    options.algorithm == AlgorithmEnum::BlockUnionFind || options.algorithm == AlgorithmEnum::BlockKomuraEquivalence;
  Require(
    options.fullyConnected || !needsFullConnectivity,
    "block algorithms label with full connectivity only: set fullyConnected, or choose Automatic or RunUnionFind");
  return { size, options.algorithm, options.fullyConnected, options.inlineCompression, numbering };
}

} // namespace

namespace ccl
{

void
RequireRoomFor(std::uint64_t objectCount, const Numbering & numbering)
{
  if (objectCount > numbering.maximumCount)
  {
    throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::TooManyObjects,
                                      "Number of objects (" + std::to_string(objectCount) +
                                        ") greater than maximum of output pixel type (" +
                                        std::to_string(numbering.maximumCount) + ").");
  }
}

} // namespace ccl

namespace
{

/** Calls visitor(T{}) for the integer type that a scalar of the labeler names. */
template <typename TScalar, typename TVisitor>
auto
VisitLabelType(TScalar scalar, const TVisitor & visitor)
{
  switch (scalar)
  {
    case TScalar::Int8:
      return visitor(std::int8_t{});
    case TScalar::UInt8:
      return visitor(std::uint8_t{});
    case TScalar::Int16:
      return visitor(std::int16_t{});
    case TScalar::UInt16:
      return visitor(std::uint16_t{});
    case TScalar::Int32:
      return visitor(std::int32_t{});
    case TScalar::UInt32:
      return visitor(std::uint32_t{});
    case TScalar::Int64:
      return visitor(std::int64_t{});
    default:
      return visitor(std::uint64_t{});
  }
}

template <typename TScalar>
ccl::PixelKind
PixelKindOf(TScalar scalar)
{
  switch (scalar)
  {
    case TScalar::Float:
      return ccl::PixelKind::Float;
    case TScalar::Double:
      return ccl::PixelKind::Double;
    default:
      return VisitLabelType(scalar, [](auto pixel) {
        return sizeof(pixel) == 1   ? ccl::PixelKind::Integer8
               : sizeof(pixel) == 2 ? ccl::PixelKind::Integer16
               : sizeof(pixel) == 4 ? ccl::PixelKind::Integer32
                                    : ccl::PixelKind::Integer64;
      });
  }
}

void
Report(const CudaConnectedComponentLabeler::Options & options, float progress)
{
  if (options.progress)
  {
    options.progress(progress);
  }
}

/** Throws where an address in device memory is no multiple of its type's size: a kernel would end with an error that
 * the process cannot recover from. */
template <typename TScalar>
void
RequireAligned(const void * memory, TScalar scalar, const char * name)
{
  const std::size_t size = ccl::BytesOf(PixelKindOf(scalar));
  const auto        address = reinterpret_cast<std::uintptr_t>(memory);
  Require(address % size == 0,
          std::string("the ") + name + " is at an address that is no multiple of its type's " + std::to_string(size) +
            " bytes");
}

} // namespace

std::uint64_t
CudaConnectedComponentLabeler::LabelDevice(const Input & input, const SizeType & size, const Output & output) const
{
  return VisitLabelType(output.scalar, [&](auto label) -> std::uint64_t {
    const auto numbering = ccl::Numbering::For(static_cast<decltype(label)>(output.background));
    const auto request = RequestFor(options, GridOf(size), numbering);
    Report(options, 0.0F);
    if (request.size.Count() == 0)
    {
      return 0;
    }
    RequireAligned(input.pixels, input.scalar, "input");
    RequireAligned(output.labels, output.scalar, "output");
    ccl::DeviceSession  session(options.deviceId, options.stream);
    const std::uint64_t objectCount =
      session.LabelPixels(input.pixels, PixelKindOf(input.scalar), request, output.labels, sizeof(label));
    Report(options, 1.0F);
    return objectCount;
  });
}

namespace
{

/** Labels bits on the host, and hands the labels of the runs to a visitor. Returns the object count. */
template <typename TBundle, typename TVisitor>
std::uint64_t
LabelBitsOnHost(const ccl::ParallelFor &       parallelFor,
                const ccl::HostBits<TBundle> & bits,
                const ccl::Request &           request,
                const TVisitor &               visit)
{
  const auto label = [&](auto run) {
    const ccl::HostExecutor executor(parallelFor);
    const auto              counted = bits.template CountRuns<decltype(run)>();
    const auto              runs = ccl::LabelRuns(executor, counted, request.numbering);
    const std::uint64_t     objectCount = runs.CountObjects();
    ccl::RequireRoomFor(objectCount, request.numbering);
    visit(runs.labels.get());
    return objectCount;
  };
  return ccl::PlacesOf(request.size) <= std::numeric_limits<std::uint32_t>::max() ? label(std::uint32_t{})
                                                                                  : label(std::uint64_t{});
}

/** From host memory to host memory, for one kind of bundle and of label. */
template <typename TBundle, typename TLabel>
std::uint64_t
LabelRowsOnHost(const CudaConnectedComponentLabeler::Options &       options,
                const CudaConnectedComponentLabeler::RowPackerType & packRow,
                const ccl::Request &                                 request,
                TLabel *                                             pixels)
{
  const ccl::ParallelFor parallelFor =
    options.parallelFor ? ccl::CheckedFor(options.parallelFor) : ccl::ParallelFor(ccl::SequentialFor);
  const std::uint64_t    words = ccl::WordsOf(request.size).Count();
  ccl::HostBits<TBundle> bits;

  const auto pack = [&](ccl::Word * memory) {
    bits = ccl::PackRows<TBundle>(parallelFor, packRow, request.size, memory);
    Report(options, 0.3F);
  };
  const auto expand = [&](const auto * labels) {
    Report(options, 0.6F);
    const auto          background = static_cast<TLabel>(request.numbering.background);
    const std::uint64_t bytes = request.size.Count() * sizeof(TLabel);
    const bool hasBackground = options.outputIsUntouched && background == 0 && ccl::ClearUntouched(pixels, bytes);
    if (options.outputIsUntouched)
    {
      ccl::AdviseHugePages(pixels, bytes);
    }
    ccl::ExpandRows(parallelFor, bits, labels, request.size, background, hasBackground, pixels);
    Report(options, 1.0F);
  };

  if (options.onHost)
  {
    const auto memory = ccl::AllocateOnHost<ccl::Word>(words);
    pack(memory.get());
    return LabelBitsOnHost(parallelFor, bits, request, expand);
  }

  ccl::DeviceSession   session(options.deviceId);
  const ccl::HostArray memory = session.AllocateHost(words * sizeof(ccl::Word));
  pack(static_cast<ccl::Word *>(memory.get()));
  const ccl::RunLabels runs = session.LabelBits(bits.bundles.rows.bits, request);
  if (runs.wide)
  {
    expand(static_cast<const std::uint64_t *>(runs.labels.get()));
  }
  else
  {
    expand(static_cast<const std::uint32_t *>(runs.labels.get()));
  }
  return runs.objectCount;
}

} // namespace

std::uint64_t
CudaConnectedComponentLabeler::LabelHost(const RowPackerType & packRow,
                                         const SizeType &      size,
                                         const Output &        output) const
{
  return VisitLabelType(output.scalar, [&](auto label) -> std::uint64_t {
    using LabelType = decltype(label);
    const auto numbering = ccl::Numbering::For(static_cast<LabelType>(output.background));
    const auto request = RequestFor(options, GridOf(size), numbering);
    Report(options, 0.0F);
    if (request.size.Count() == 0)
    {
      return 0;
    }
    return ccl::VisitBundle(request.size, request.fullyConnected, [&](auto bundle) {
      return LabelRowsOnHost<decltype(bundle)>(options, packRow, request, static_cast<LabelType *>(output.labels));
    });
  });
}

void
CudaConnectedComponentLabeler::PackScalarRow(const Input & input, std::uint64_t count, std::uint32_t * words)
{
  switch (PixelKindOf(input.scalar))
  {
    case ccl::PixelKind::Integer8:
      return ccl::PackScalars(static_cast<const std::uint8_t *>(input.pixels), count, words);
    case ccl::PixelKind::Integer16:
      return ccl::PackScalars(static_cast<const std::uint16_t *>(input.pixels), count, words);
    case ccl::PixelKind::Integer32:
      return ccl::PackScalars(static_cast<const std::uint32_t *>(input.pixels), count, words);
    case ccl::PixelKind::Integer64:
      return ccl::PackScalars(static_cast<const std::uint64_t *>(input.pixels), count, words);
    case ccl::PixelKind::Float:
      return ccl::PackScalars(static_cast<const float *>(input.pixels), count, words);
    default:
      return ccl::PackScalars(static_cast<const double *>(input.pixels), count, words);
  }
}

bool
CudaConnectedComponentLabeler::IsFasterOnHost(const SizeType & size)
{
  std::uint64_t pixels = 1;
  for (const std::uint64_t n : size)
  {
    if (n != 0 && pixels > ccl::Tuning::HostPixels / n)
    {
      return false;
    }
    pixels *= n;
  }
  return true;
}

void
CudaConnectedComponentLabeler::RequireDevice() const
{
  const ccl::DeviceSession session(options.deviceId);
}

CudaConnectedComponentLabeler::HeldMemory
CudaConnectedComponentLabeler::GetHeldMemory()
{
  return ccl::DeviceSession::GetHeldMemory();
}

void
CudaConnectedComponentLabeler::TrimMemory()
{
  ccl::DeviceSession::TrimMemory();
}

} // namespace itk
