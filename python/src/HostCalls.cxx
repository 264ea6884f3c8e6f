// SPDX-License-Identifier: Apache-2.0
#include "HostCalls.h"

#include "Array.h"
#include "Columns.h"
#include "Threads.h"

#include "executors/host/HostMemory.h"
#include "primitives/Foreground.h"
#include "primitives/ImageRows.h"

#include <optional>
#include <utility>

namespace nb = nanobind;

namespace
{

constexpr const char * ReasonForSmall = "the CPU is faster for small images";

/** Calls run(labeler) for an image or a batch in host memory: on a device, on the CPU, or on the CPU after a device has
 * failed. The caller must not hold the GIL. */
template <typename TFunction>
auto
RunOnHostMemory(const Settings & settings, const CudaConnectedComponentImageView & image, const TFunction & run)
{
  return Translate([&] {
    CudaConnectedComponentLabeler labeler = LabelerFor(settings);
    // Starting threads takes longer than labeling a small image. All images of a batch are labeled together.
    const bool isSmall = CudaConnectedComponentLabeler::IsFasterOnHost({ image.Count(), 1, 1 });
    Threads    threads(isSmall ? 1 : settings.threads);
    labeler.options.parallelFor = threads.GetLoop();
    lastCall.reason.clear();
    if (settings.device == ChildBackend)
    {
      lastCall.reason = ChildReason;
    }
    else if (settings.device != HostBackend && !(settings.device == AnyBackend && isSmall))
    {
      try
      {
        labeler.options.deviceId = settings.device == AnyBackend ? CurrentDevice : settings.device;
        labeler.RequireDevice();
        auto result = run(labeler);
        lastCall.backend = "cuda";
        return result;
      }
      catch (const CudaConnectedComponentError & error)
      {
        if (settings.device != AnyBackend || error.GetKind() == KindEnum::TooManyObjects ||
            error.GetKind() == KindEnum::InvalidArgument)
        {
          throw;
        }
        lastCall.reason = error.what();
      }
    }
    else
    {
      lastCall.reason = isSmall && settings.device == AnyBackend ? ReasonForSmall : "as asked for";
    }
    labeler.options.onHost = true;
    auto result = run(labeler);
    lastCall.backend = "cpu";
    return result;
  });
}

/** Returns whether two images or batches have the same size. */
bool
HaveSameSize(const CudaConnectedComponentImageView & a, const CudaConnectedComponentImageView & b)
{
  return a.size == b.size && a.images == b.images;
}

/** The arrays of an image that is to be labeled or measured. */
class Image
{
public:
  Image(nb::handle image, nb::handle mask, const Settings & settings)
    : m_Image(image, false, settings.isTransposed, settings.isBatch)
    , m_Foreground(itk::ccl::Foreground::Of(ForegroundFor(settings), this->GetView().type))
  {
    if (!mask.is_none())
    {
      m_Mask.emplace(mask, false, settings.isTransposed, settings.isBatch);
      if (!HaveSameSize(m_Mask->GetView(), this->GetView()))
      {
        throw nb::value_error("the mask must have the shape of the image");
      }
    }
    if (settings.wantsValues)
    {
      m_Observing.emplace(this->GetView());
    }
  }

  const CudaConnectedComponentImageView &
  GetView() const
  {
    return m_Image.GetView();
  }

  /** Returns a function that packs a row to bits. The image must outlive it. */
  CudaConnectedComponentLabeler::RowPackerType
  GetPacker()
  {
    return [this](std::uint64_t row, std::uint32_t * words) {
      if (m_Observing)
      {
        m_Observing->PackRow(row, words);
      }
      else
      {
        itk::ccl::PackRowOf(this->GetView(), row, m_Foreground, words);
      }
      if (m_Mask)
      {
        const auto & mask = m_Mask->GetView();
        itk::ccl::MaskRowOf(mask, row, itk::ccl::Foreground::NotZero(mask.type), words);
      }
    };
  }

  /** Returns what the values of the packed rows are. Nothing is known unless the settings want it. */
  PixelValues
  GetValues() const
  {
    return m_Observing ? m_Observing->GetValues() : PixelValues{};
  }

private:
  Array                                    m_Image;
  itk::ccl::Foreground                     m_Foreground;
  std::optional<Array>                     m_Mask;
  std::optional<itk::ccl::ObservingPacker> m_Observing;
};

} // namespace

nb::tuple
LabelHost(nb::handle image, nb::handle mask, nb::handle output, bool isFresh, const Settings & settings)
{
  Image        input(image, mask, settings);
  const Array  array(output, true, settings.isTransposed, settings.isBatch);
  const auto & labels = array.GetView();
  static_cast<void>(array.GetContiguous("the output"));
  if (!HaveSameSize(labels, input.GetView()))
  {
    throw nb::value_error("the output must have the shape of the image");
  }
  std::uint64_t                    count;
  itk::CudaConnectedComponentTable table;
  {
    const nb::gil_scoped_release released;
    count = RunOnHostMemory(settings, labels, [&](CudaConnectedComponentLabeler & labeler) {
      labeler.options.outputIsUntouched = isFresh;
      labeler.options.columns.pixelCounts = false;
      return labeler.LabelPackedRows(input.GetPacker(), labels, 0, settings.isBatch ? &table : nullptr);
    });
  }
  return nb::make_tuple(MakeCounts(count, std::move(table), settings.isBatch), input.GetValues());
}

std::pair<std::uint64_t, PixelValues>
LabelSmallHostImage(const CudaConnectedComponentImageView & image,
                    const CudaConnectedComponentImageView & output,
                    const Settings &                        settings)
{
  const nb::gil_scoped_release  released;
  PixelValues                   values;
  CudaConnectedComponentLabeler labeler = LabelerFor(settings);
  labeler.options.onHost = true;
  if (settings.wantsValues)
  {
    labeler.options.reportValues = [&values](const PixelValues & known) { values = known; };
  }
  const std::uint64_t count = labeler.Label(image, output);
  lastCall = { "cpu", ReasonForSmall };
  return { count, values };
}

PixelValues
MaskHost(nb::handle       image,
         nb::handle       mask,
         nb::handle       values,
         nb::handle       output,
         bool             isFresh,
         const Settings & settings)
{
  Image        input(image, mask, settings);
  const Array  valueArray(values, false, settings.isTransposed, settings.isBatch);
  const Array  outputArray(output, true, settings.isTransposed, settings.isBatch);
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
  RunOnHostMemory(settings, from, [&](const CudaConnectedComponentLabeler & labeler) {
    return labeler.MaskPackedRows(
      input.GetPacker(),
      from.size,
      [&](std::uint64_t row, const std::uint32_t * words) {
        itk::ccl::SelectPixelsOf(from, to, row, words, 0, isZero);
      },
      nullptr,
      from.images);
  });
  return input.GetValues();
}

nb::tuple
MeasureHost(nb::handle image, nb::handle mask, const Settings & settings)
{
  Image                  input(image, mask, settings);
  std::optional<Columns> columns;
  {
    const nb::gil_scoped_release released;
    columns.emplace(RunOnHostMemory(settings,
                                    input.GetView(),
                                    [&](const CudaConnectedComponentLabeler & labeler) {
                                      return labeler.MeasurePackedRows(
                                        input.GetPacker(), input.GetView().size, input.GetView().images);
                                    }),
                    settings);
  }
  return nb::make_tuple(MakeDictionary(std::move(*columns), settings), input.GetValues());
}
