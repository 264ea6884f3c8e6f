// SPDX-License-Identifier: Apache-2.0
#include "HostCalls.h"

#include "Array.h"
#include "Columns.h"
#include "Threads.h"

#include <optional>
#include <utility>

namespace nb = nanobind;

namespace
{

constexpr const char * ReasonForSmall = "the CPU is faster for small images";

/** Calls run(labeler, image) for an image or a batch in host memory: on a device, on the CPU, or on the CPU after a
 * device has failed. Returns what is known of the values. The caller holds the GIL, and `run` does not. */
template <typename TFunction>
PixelValues
RunOnHostMemory(const Settings & settings, nb::handle image, nb::handle mask, const TFunction & run)
{
  const Array          imageArray(image, false, settings.isTransposed, settings.isBatch);
  const auto &         view = imageArray.GetView();
  std::optional<Array> maskArray;
  if (!mask.is_none())
  {
    maskArray.emplace(mask, false, settings.isTransposed, settings.isBatch);
  }
  PixelValues                  values;
  const nb::gil_scoped_release released;
  Translate([&] {
    CudaConnectedComponentLabeler labeler = LabelerFor(settings);
    if (maskArray)
    {
      labeler.options.mask = maskArray->GetView();
    }
    if (settings.isObserved)
    {
      labeler.options.reportValues = [&values](const PixelValues & known) { values = known; };
    }
    // Starting threads takes longer than labeling a small image. All images of a batch are labeled together.
    const bool isSmall = CudaConnectedComponentLabeler::IsFasterOnHost({ view.Count(), 1, 1 });
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
        std::uint64_t slabs = 1;
        labeler.options.reportSlabs = [&slabs](std::uint64_t count) { slabs = count; };
        run(labeler, view);
        lastCall.backend = "cuda";
        lastCall.slabs = slabs;
        return;
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
    run(labeler, view);
    lastCall.backend = "cpu";
    lastCall.slabs = 0;
  });
  return values;
}

} // namespace

nb::tuple
LabelHost(nb::handle image, nb::handle mask, nb::handle output, bool isFresh, const Settings & settings)
{
  const Array                      labels(output, true, settings.isTransposed, settings.isBatch);
  std::uint64_t                    count = 0;
  itk::CudaConnectedComponentTable table;
  const PixelValues values = RunOnHostMemory(settings, image, mask, [&](auto & labeler, const auto & input) {
    labeler.options.outputIsUntouched = isFresh;
    labeler.options.columns.pixelCounts = false;
    count = labeler.Label(input, labels.GetView(), 0, settings.isBatch ? &table : nullptr);
  });
  return nb::make_tuple(MakeCounts(count, std::move(table), settings.isBatch), values);
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
  if (settings.isObserved)
  {
    labeler.options.reportValues = [&values](const PixelValues & known) { values = known; };
  }
  const std::uint64_t count = labeler.Label(image, output);
  lastCall = { "cpu", ReasonForSmall };
  return { count, values };
}

PixelValues
MaskHost(nb::handle image, nb::handle mask, nb::handle output, bool isFresh, const Settings & settings)
{
  const Array kept(output, true, settings.isTransposed, settings.isBatch);
  return RunOnHostMemory(settings, image, mask, [&](auto & labeler, const auto & input) {
    labeler.options.outputIsUntouched = isFresh;
    WriteMask(labeler, input, kept.GetView(), settings);
  });
}

nb::tuple
MeasureHost(nb::handle image, nb::handle mask, nb::handle intensities, const Settings & settings)
{
  std::optional<Array> second;
  if (!intensities.is_none())
  {
    second.emplace(intensities, false, settings.isTransposed, settings.isBatch);
  }
  std::optional<Columns> columns;
  const PixelValues      values = RunOnHostMemory(settings, image, mask, [&](auto & labeler, const auto & input) {
    if (second)
    {
      labeler.options.intensities = second->GetView();
    }
    columns.emplace(labeler.Measure(input), settings);
  });
  return nb::make_tuple(MakeDictionary(std::move(*columns), settings), values);
}
