// SPDX-License-Identifier: Apache-2.0
#include "HostCalls.h"

#include "Columns.h"
#include "PackArray.h"
#include "Relabel.h"
#include "Threads.h"

#include "executors/host/HostMemory.h"
#include "primitives/ImageRows.h"

#include <memory>
#include <optional>
#include <utility>

namespace nb = nanobind;

namespace
{

/** Calls run(labeler) for an image or a batch in host memory: on a device, on the CPU, or on the CPU after a device has
 * failed. The caller must not hold the GIL. */
template <typename TFunction>
auto
RunOnHostMemory(const Request & request, const CudaConnectedComponentImageView & image, const TFunction & run)
{
  return Translate([&] {
    CudaConnectedComponentLabeler labeler = LabelerFor(request);
    // Starting threads takes longer than labeling a small image. All images of a batch are labeled together.
    const bool isSmall = CudaConnectedComponentLabeler::IsFasterOnHost({ image.Count(), 1, 1 });
    Threads    threads(isSmall ? 1 : request.threads);
    labeler.options.parallelFor = threads.GetLoop();
    lastCall.reason.clear();
    if (request.device == ChildBackend)
    {
      lastCall.reason = ChildReason;
    }
    else if (request.device != HostBackend && !(request.device == AnyBackend && isSmall))
    {
      try
      {
        labeler.options.deviceId = request.device == AnyBackend ? CurrentDevice : request.device;
        labeler.RequireDevice();
        auto result = run(labeler);
        lastCall.backend = "cuda";
        return result;
      }
      catch (const CudaConnectedComponentError & error)
      {
        if (request.device != AnyBackend || error.GetKind() == Kind::TooManyObjects ||
            error.GetKind() == Kind::InvalidArgument)
        {
          throw;
        }
        lastCall.reason = error.what();
      }
    }
    else
    {
      lastCall.reason = isSmall && request.device == AnyBackend ? "the CPU is faster for small images" : "as asked for";
    }
    labeler.options.onHost = true;
    auto result = run(labeler);
    lastCall.backend = "cpu";
    return result;
  });
}

/** The arrays of an image that is to be labeled or measured. */
class Image
{
public:
  Image(nb::handle image, nb::handle limits, nb::handle mask, const Request & request)
    : m_Image(image, false, request.isTransposed, request.isBatch)
    , m_Limits(OptionalArray(limits, false, false))
    , m_Mask(OptionalArray(mask, request.isTransposed, request.isBatch))
    , m_Packer(m_Image, m_Limits.get(), m_Mask.get(), request.wantsValues)
  {}

  const CudaConnectedComponentImageView &
  GetView() const
  {
    return m_Image.GetView();
  }

  CudaConnectedComponentLabeler::RowPackerType
  GetPacker() const
  {
    return [this](std::uint64_t row, std::uint32_t * words) { m_Packer(row, words); };
  }

  /** See ArrayPacker. */
  PixelValues
  GetValues() const
  {
    return m_Packer.GetValues();
  }

private:
  static std::unique_ptr<Array>
  OptionalArray(nb::handle object, bool isTransposed, bool isBatch)
  {
    return object.is_none() ? nullptr : std::make_unique<Array>(object, false, isTransposed, isBatch);
  }

  Array                  m_Image;
  std::unique_ptr<Array> m_Limits;
  std::unique_ptr<Array> m_Mask;
  ArrayPacker            m_Packer;
};

/** Returns whether two images or batches have the same size. */
bool
HaveSameSize(const CudaConnectedComponentImageView & a, const CudaConnectedComponentImageView & b)
{
  return a.size == b.size && a.images == b.images;
}

/** Returns the number of threads for work on each element. Few elements take less time than it takes to start threads.
 */
unsigned int
ThreadCount(unsigned int threads, std::uint64_t elements)
{
  constexpr std::uint64_t small = std::uint64_t{ 1 } << 16;
  return elements <= small ? 1 : threads;
}

} // namespace

nb::object
LabelHost(nb::handle image, nb::handle limits, nb::handle mask, nb::handle output, bool isFresh, Request & request)
{
  const Image  input(image, limits, mask, request);
  const Array  array(output, true, request.isTransposed, request.isBatch);
  const auto & labels = array.GetView();
  static_cast<void>(array.GetContiguous("the output"));
  if (!HaveSameSize(labels, input.GetView()))
  {
    throw nb::value_error("the output must have the shape of the image");
  }
  VisitInteger(labels.type, [](auto) {}); // throws for other types
  std::uint64_t                    count;
  itk::CudaConnectedComponentTable table;
  {
    const nb::gil_scoped_release released;
    count = RunOnHostMemory(request, labels, [&](CudaConnectedComponentLabeler & labeler) {
      labeler.options.outputIsUntouched = isFresh;
      labeler.options.columns.pixelCounts = false;
      return labeler.LabelPackedRows(input.GetPacker(), labels, 0, request.isBatch ? &table : nullptr);
    });
  }
  request.values = input.GetValues();
  return MakeCounts(count, table, request.isBatch);
}

std::uint64_t
MaskHost(nb::handle image,
         nb::handle limits,
         nb::handle mask,
         nb::handle values,
         nb::handle output,
         bool       isFresh,
         Request &  request)
{
  const Image  input(image, limits, mask, request);
  const Array  valueArray(values, false, request.isTransposed, request.isBatch);
  const Array  outputArray(output, true, request.isTransposed, request.isBatch);
  const auto & from = valueArray.GetView();
  const auto & to = outputArray.GetView();
  if (!HaveSameSize(from, input.GetView()))
  {
    throw nb::value_error("the values must have the shape of the image");
  }
  if (!HaveSameSize(to, input.GetView()) || itk::ccl::SizeOf(to.type) != itk::ccl::SizeOf(from.type))
  {
    throw nb::value_error("the output must have the shape and the type of the image");
  }
  bool isZero = false;
  if (isFresh)
  {
    void * const        memory = outputArray.GetContiguous("the output");
    const std::uint64_t bytes = to.Count() * itk::ccl::SizeOf(to.type);
    isZero = itk::ccl::ClearUntouched(memory, bytes);
    itk::ccl::AdviseHugePages(memory, bytes);
  }

  const nb::gil_scoped_release released;
  const std::uint64_t count = RunOnHostMemory(request, from, [&](const CudaConnectedComponentLabeler & labeler) {
    return labeler.MaskPackedRows(
      input.GetPacker(),
      from.size,
      [&](std::uint64_t row, const std::uint32_t * words) {
        itk::ccl::SelectPixelsOf(from, to, row, words, 0, isZero);
      },
      nullptr,
      from.images);
  });
  request.values = input.GetValues();
  return count;
}

nb::dict
MeasureHost(nb::handle image,
            nb::handle limits,
            nb::handle mask,
            bool       wantsBoxes,
            bool       wantsMeans,
            bool       wantsFaces,
            Request &  request)
{
  const Image            input(image, limits, mask, request);
  std::optional<Columns> columns;
  {
    const nb::gil_scoped_release released;
    columns.emplace(RunOnHostMemory(request,
                                    input.GetView(),
                                    [&](CudaConnectedComponentLabeler & labeler) {
                                      labeler.options.columns.boundingBoxes = wantsBoxes;
                                      labeler.options.columns.sums = wantsMeans;
                                      labeler.options.columns.faces = wantsFaces;
                                      return labeler.MeasurePackedRows(
                                        input.GetPacker(), input.GetView().size, input.GetView().images);
                                    }),
                    wantsBoxes,
                    wantsMeans);
  }
  request.values = input.GetValues();
  return MakeDictionary(std::move(*columns), wantsFaces, request.isBatch);
}

nb::tuple
RelabelHost(nb::handle    labels,
            nb::handle    output,
            bool          isBySize,
            std::uint64_t minimumSize,
            std::uint64_t numberOfLargest,
            bool          isTransposed,
            unsigned int  threads)
{
  const Array from(labels, false, isTransposed);
  const Array to(output, true, isTransposed);
  if (to.GetView().size != from.GetView().size)
  {
    throw nb::value_error("the output must have the shape of the image");
  }
  std::pair<std::uint64_t, std::uint64_t> counts;
  {
    const nb::gil_scoped_release released;
    Threads                      pool(ThreadCount(threads, from.GetView().Count()));
    try
    {
      counts = Relabel(from, to, isBySize, minimumSize, numberOfLargest, pool);
    }
    catch (const std::overflow_error & error)
    {
      throw LabelOverflow(std::string(error.what()) + " Choose a wider type.");
    }
  }
  return nb::make_tuple(counts.first, counts.second);
}
