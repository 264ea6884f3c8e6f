// SPDX-License-Identifier: Apache-2.0
#include "FindComponents.h"

#include "Failure.h"
#include "Progress.h"
#include "Stopwatch.h"

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/PackRow.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <numeric>
#include <typeinfo>

namespace
{

using Labeler = itk::CudaConnectedComponentLabeler;

/** Carries the progress of the labeler to Progress. */
class Labeling : public itk::ProcessObject
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(Labeling);
  using Self = Labeling;
  using Superclass = itk::ProcessObject;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);

  const char *
  GetNameOfClass() const override
  {
    return "Labeling";
  }

protected:
  Labeling() = default;
  ~Labeling() override = default;
};

/** Finds the components of an image. */
template <unsigned int VDimension>
class ComponentFinder
{
public:
  using MaskType = itk::Image<unsigned char, VDimension>;

  ComponentFinder(const Options &                                       options,
                  const MaskType &                                      image,
                  const MaskType *                                      mask,
                  const itk::CudaConnectedComponentIntensities::Image & intensities)
    : m_Options(options)
    , m_Image(image)
    , m_Mask(mask)
    , m_Intensities(intensities)
    , m_Region(image.GetLargestPossibleRegion())
    , m_Length(m_Region.GetSize(0))
    , m_RowCount(m_Region.GetNumberOfPixels() / m_Length)
  {
    const auto & spacing = image.GetSpacing();
    const double pixelSize = std::accumulate(spacing.Begin(), spacing.End(), 1.0, std::multiplies<>());
    m_Selection.minimumSize = PixelCountOf(options.minimumSize, pixelSize);
    m_Selection.numberOfLargest = options.numberToKeep;
    m_Selection.seeds = LocateSeeds<VDimension>(options.seeds, m_Region, options.input);
    if (options.sortBySize)
    {
      m_Selection.order = itk::CudaConnectedComponentSelection::Order::Size;
    }
  }

  Components<VDimension>
  Find(Report & report)
  {
    using namespace itk::CudaConnectedComponentsDetail;
    const auto      process = Labeling::New();
    BackendSettings settings;
    settings.m_GPUEnabled = m_Options.backend != Options::Backend::Cpu;
    settings.m_CPUFallback = m_Options.backend != Options::Backend::Cuda;
    BackendRun run(*process, settings, m_Region);
    run.fullyConnected = m_Options.fullyConnected;
    run.takesSmallImages = m_Options.algorithm != Labeler::AlgorithmEnum::Automatic;
    run.inputPixel = &typeid(unsigned char);
    run.outputPixel = m_Options.NeedsLabels() ? &typeid(std::uint32_t) : &typeid(unsigned char);
    run.isMasked = m_Mask != nullptr;
    Components<VDimension> components;
    run.work = [&](Labeler & labeler) {
      // The function may be called a second time, on the host. So it does not change its inputs.
      const auto  progress = labeler.options.progress;
      const float holesShare = m_Options.fillHoles ? 0.5F : 0.0F;
      if (m_Options.fillHoles)
      {
        labeler.options.progress = [&](float share) { progress(holesShare * share); };
        this->FindHoles(labeler, run.GetSize(), report);
      }
      labeler.options.progress = [&](float share) { progress(holesShare + (1.0F - holesShare) * share); };
      components = this->Label(labeler, run.GetSize(), report);
    };
    Progress shown("labeling", !m_Options.quiet);
    shown.Observe(process);
    try
    {
      run.Run();
    }
    catch (const itk::ExceptionObject & exception)
    {
      throw Failure(m_Options.input + ": cannot be labeled: " + Sentence(exception));
    }
    report.backend = settings.m_BackendUsed == BackendRun::BackendEnum::CUDA ? "cuda" : "cpu";
    report.reason = m_Options.backend == Options::Backend::Cpu ? "as asked for" : settings.m_FallbackReason;
    return components;
  }

  /** Returns the seeds in the background, after Find(). */
  std::vector<std::string>
  GetSeedsInBackground() const
  {
    std::vector<std::string>   texts;
    std::vector<std::uint32_t> words((m_Length + 31) / 32);
    for (std::size_t i = 0; i < m_Selection.seeds.size(); ++i)
    {
      const auto & seed = m_Selection.seeds[i];
      this->PackForeground(seed[1] + (VDimension == 3 ? m_Region.GetSize(1) * seed[2] : 0), words.data());
      if ((words[seed[0] / 32] >> seed[0] % 32 & 1U) == 0)
      {
        texts.push_back(m_Options.seeds[i].text);
      }
    }
    return texts;
  }

private:
  /** Packs a row of the image to bits, with holes as background. */
  void
  PackWithoutHoles(std::uint64_t row, std::uint32_t * words) const
  {
    const auto begin = itk::CudaConnectedComponentsDetail::IndexOfRow(m_Region, row);
    itk::CudaConnectedComponentsDetail::PackRow(m_Image, begin, m_Length, words);
    if (m_Mask != nullptr)
    {
      itk::CudaConnectedComponentsDetail::MaskRow(*m_Mask, begin, m_Length, words);
    }
  }

  /** Packs a row of the image to bits, with filled holes as foreground. */
  void
  PackForeground(std::uint64_t row, std::uint32_t * words) const
  {
    this->PackWithoutHoles(row, words);
    if (!m_Holes.IsEmpty())
    {
      const std::uint32_t * const holes = m_Holes.GetRow(row);
      std::transform(words, words + (m_Length + 31) / 32, holes, words, std::bit_or<>());
    }
  }

  /** Finds the holes: the components of the background that do not touch the border. Foreground and background have
   * different connectivities, so that a closed curve of foreground separates its inside from its outside. */
  void
  FindHoles(const Labeler & labeler, const Labeler::SizeType & size, Report & report)
  {
    report.holes = Report::Holes();
    if (std::count_if(size.begin(), size.end(), [](auto length) { return length > 1; }) < 2)
    {
      return; // pixels on a line enclose nothing
    }
    Labeler background = labeler;
    background.options.complement = true;
    background.options.fullyConnected = !m_Options.fullyConnected;
    background.options.selection.border = itk::CudaConnectedComponentSelection::Border::NotTouching;
    BitRows                          holes(m_RowCount, m_Length);
    itk::CudaConnectedComponentTable table;
    report.holes->count = background.MaskPackedRows(
      [this](std::uint64_t row, std::uint32_t * words) { this->PackWithoutHoles(row, words); },
      size,
      [&holes](std::uint64_t row, const std::uint32_t * words) { holes.SetRow(row, words); },
      &table);
    report.holes->pixelCount = std::accumulate(table.pixelCounts.begin(), table.pixelCounts.end(), std::uint64_t{ 0 });
    m_Holes = std::move(holes);
  }

  /** Labels or measures the image, as far as the options need it. */
  Components<VDimension>
  Label(Labeler & labeler, const Labeler::SizeType & size, Report & report) const
  {
    Components<VDimension> components;
    const bool             needsTable = m_Options.NeedsTable() || !m_Selection.IsDefault();
    auto * const           table = needsTable ? &components.table : nullptr;
    labeler.options.algorithm = m_Options.algorithm;
    labeler.options.selection = m_Selection;
    labeler.options.columns.boundingBoxes = !m_Options.table.empty();
    labeler.options.columns.sums = !m_Options.table.empty();
    labeler.options.columns.products = m_Options.shapes;
    labeler.options.intensities = m_Intensities;
    const auto packRow = [this](std::uint64_t row, std::uint32_t * words) { this->PackForeground(row, words); };
    if (m_Options.maskOutput)
    {
      components.kept = BitRows(m_RowCount, m_Length);
    }
    const auto visitRow = [&components](std::uint64_t row, const std::uint32_t * words) {
      components.kept.SetRow(row, words);
    };
    if (m_Options.NeedsLabels())
    {
      components.labels = LabelsType<VDimension>::New();
      components.labels->CopyInformation(&m_Image);
      components.labels->SetRegions(m_Region);
      components.labels->Allocate();
      labeler.options.outputIsUntouched = true;
      auto * const pixels = components.labels->GetBufferPointer();
      report.objectCount = labeler.LabelPackedRows(packRow, size, pixels, 0, table);
      std::vector<std::uint32_t> words((m_Length + 31) / 32);
      for (std::uint64_t row = 0; m_Options.maskOutput && row < m_RowCount; ++row)
      {
        Labeler::PackRow(pixels + row * m_Length, m_Length, words.data());
        visitRow(row, words.data());
      }
    }
    else if (m_Options.maskOutput)
    {
      report.objectCount = labeler.MaskPackedRows(packRow, size, visitRow, table);
    }
    else
    {
      components.table = labeler.MeasurePackedRows(packRow, size);
      report.objectCount = components.table.componentCount;
    }
    report.originalObjectCount = needsTable ? components.table.originalComponentCount : report.objectCount;
    return components;
  }

  const Options &                               m_Options;
  const MaskType &                              m_Image;
  const MaskType *                              m_Mask;
  itk::CudaConnectedComponentIntensities::Image m_Intensities;
  itk::ImageRegion<VDimension>                  m_Region;
  std::uint64_t                                 m_Length; // of a row
  std::uint64_t                                 m_RowCount;
  itk::CudaConnectedComponentSelection          m_Selection;
  BitRows                                       m_Holes; // empty if no holes are filled
};

} // namespace

template <unsigned int VDimension>
Components<VDimension>
FindComponents(const Options &                                       options,
               const itk::Image<unsigned char, VDimension> &         image,
               const itk::Image<unsigned char, VDimension> *         mask,
               const itk::CudaConnectedComponentIntensities::Image & intensities,
               Report &                                              report)
{
  ComponentFinder<VDimension> finder(options, image, mask, intensities);
  const Stopwatch             stopwatch;
  Components<VDimension>      components = finder.Find(report);
  report.labelingMilliseconds = stopwatch.Milliseconds();
  if (!options.quiet)
  {
    for (const std::string & seed : finder.GetSeedsInBackground())
    {
      std::cerr << "cuda-connected-components: hint: --seed " << seed
                << " lies in the background, so it selects no component\n";
    }
  }
  return components;
}

template Components<2>
FindComponents<2>(const Options &                                       options,
                  const itk::Image<unsigned char, 2> &                  image,
                  const itk::Image<unsigned char, 2> *                  mask,
                  const itk::CudaConnectedComponentIntensities::Image & intensities,
                  Report &                                              report);
template Components<3>
FindComponents<3>(const Options &                                       options,
                  const itk::Image<unsigned char, 3> &                  image,
                  const itk::Image<unsigned char, 3> *                  mask,
                  const itk::CudaConnectedComponentIntensities::Image & intensities,
                  Report &                                              report);
