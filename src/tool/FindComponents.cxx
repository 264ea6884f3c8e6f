// SPDX-License-Identifier: Apache-2.0
#include "FindComponents.h"

#include "Failure.h"
#include "Progress.h"
#include "Stopwatch.h"

#include "CudaConnectedComponentsDetail/BackendRun.h"
#include "itkCudaConnectedComponentAlgorithms.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
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
class ComponentFinder
{
public:
  ComponentFinder(const Options &   options,
                  const Geometry &  geometry,
                  const BitRows &   foreground,
                  const ImageView & values,
                  const ImageView & intensities)
    : m_Options(options)
    , m_Foreground(foreground)
    , m_Values(values)
    , m_Intensities(intensities)
    , m_AllSizes(geometry.GetSize())
    , m_Seeds(LocateSeeds(options.seeds, options.seedPoints, geometry, options.input))
  {
    const double pixelSize = geometry.pixelSize;
    if (options.minimumSize)
    {
      m_Selection.minimumSize = MinimumPixelCount(*options.minimumSize, pixelSize);
    }
    if (options.maximumSize)
    {
      m_Selection.maximumSize = MaximumPixelCount(*options.maximumSize, pixelSize);
    }
    if (m_Selection.minimumSize > m_Selection.maximumSize)
    {
      throw Failure(options.input + ": cannot be labeled: --min-size is " + std::to_string(m_Selection.minimumSize) +
                    " pixels, and --max-size is " + std::to_string(m_Selection.maximumSize) +
                    " pixels: no component would be left");
    }
    if (options.clearBorder)
    {
      m_Selection.border = itk::CudaConnectedComponentSelection::BorderEnum::NotTouching;
    }
    m_Selection.numberOfLargest = options.numberToKeep.value_or(0);
    m_Selection.perValue = options.byValue;
    for (const LocatedSeed & seed : m_Seeds)
    {
      m_Selection.seeds.push_back(seed.index);
    }
    if (options.sortBySize)
    {
      m_Selection.order = itk::CudaConnectedComponentSelection::OrderEnum::Size;
    }
  }

  Components
  Find(Report & report)
  {
    using namespace itk::CudaConnectedComponentsDetail;
    const auto      process = Labeling::New();
    BackendSettings settings;
    settings.gpuEnabled = m_Options.backend != "cpu";
    settings.cpuFallback = m_Options.backend != "cuda";
    settings.deviceId = m_Options.device ? static_cast<int>(*m_Options.device) : -1;
    if (m_Options.gpuMemory)
    {
      settings.deviceMemoryLimit = m_Options.gpuMemory->bytes;
    }
    else if (settings.gpuEnabled)
    {
      settings.deviceMemoryLimit = Labeler::GetDeviceMemoryLimit(); // throws if the variable has no limit
    }
    for (const auto & row : itk::CudaConnectedComponentAlgorithms::GetAll())
    {
      settings.algorithm = row.option == m_Options.algorithm ? row.algorithm : settings.algorithm;
    }
    BackendRun run(*process, settings, m_AllSizes);
    run.fullyConnected = m_Options.fullyConnected;
    run.connectivity =
      m_Options.connectivity == "auto" ? 0 : static_cast<unsigned int>(std::stoul(m_Options.connectivity));
    run.inputPixel = &typeid(unsigned char);
    run.outputPixel = m_Options.NeedsLabels() ? &typeid(std::uint32_t) : &typeid(unsigned char);
    run.isMasked = !m_Options.mask.empty();
    Components components;
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
    Progress shown(Stage::Labeling, m_Options);
    shown.Observe(process);
    try
    {
      run.Run();
    }
    catch (const itk::ExceptionObject & exception)
    {
      throw Failure(m_Options.input + ": cannot be labeled: " + Sentence(exception));
    }
    components.filled = std::move(m_Filled);
    report.backend = settings.backendUsed == BackendRun::BackendEnum::CUDA ? "cuda" : "cpu";
    report.slabCount = settings.numberOfSlabs;
    report.reason = m_Options.backend == "cpu" ? "as asked for" : settings.fallbackReason;
    return components;
  }

  /** Returns the seeds in the background, after Find(). */
  std::vector<std::string>
  GetSeedsInBackground() const
  {
    std::vector<std::string> options;
    for (const LocatedSeed & seed : m_Seeds)
    {
      if (!m_Foreground.HasBit(seed.index) && !(!m_Holes.IsEmpty() && m_Holes.HasBit(seed.index)))
      {
        options.push_back(seed.argument);
      }
    }
    return options;
  }

private:
  /** Copies the bits of a row, with filled holes as foreground. */
  void
  PackForeground(std::uint64_t row, std::uint32_t * words) const
  {
    m_Foreground.CopyRow(row, words);
    if (!m_Holes.IsEmpty())
    {
      std::transform(words, words + (m_Foreground.GetLength() + 31) / 32, m_Holes.GetRow(row), words, std::bit_or<>());
    }
  }

  /** Returns the pixels that have a value, as an image: those of the foreground, and those of filled holes of values.
   */
  std::vector<std::uint8_t>
  UnpackForeground() const
  {
    const std::uint64_t        length = m_Foreground.GetLength();
    std::vector<std::uint8_t>  pixels(m_Foreground.GetNumberOfRows() * length);
    std::vector<std::uint32_t> words((length + 31) / 32);
    std::uint8_t *             pixel = pixels.data();
    for (std::uint64_t row = 0; row < m_Foreground.GetNumberOfRows(); ++row)
    {
      m_Options.byValue ? this->PackForeground(row, words.data()) : m_Foreground.CopyRow(row, words.data());
      for (std::uint64_t x = 0; x < length; ++x)
      {
        *pixel++ = words[x / 32] >> x % 32 & 1U;
      }
    }
    return pixels;
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
    background.options.algorithm = Labeler::AlgorithmEnum::Automatic; // the option is for the labels
    background.options.complement = true;
    const unsigned int connectivity = labeler.options.connectivity;
    background.options.connectivity = 0;
    background.options.fullyConnected =
      connectivity == 0 ? !m_Options.fullyConnected : connectivity == 4 || connectivity == 6;
    if (m_Options.byValue)
    {
      background.options.complement = false;
      this->FillHolesOfValues(background, size, report);
      return;
    }
    background.options.selection.border = itk::CudaConnectedComponentSelection::BorderEnum::NotTouching;
    BitRows                          holes(size);
    itk::CudaConnectedComponentTable table;
    report.holes->count =
      background.MaskPackedRows([this](std::uint64_t row, std::uint32_t * words) { m_Foreground.CopyRow(row, words); },
                                size,
                                [&holes](std::uint64_t row, const std::uint32_t * words) { holes.SetRow(row, words); },
                                &table);
    report.holes->pixelCount = std::accumulate(table.pixelCounts.begin(), table.pixelCounts.end(), std::uint64_t{ 0 });
    m_Holes = std::move(holes);
  }

  /** Fills the holes of each value of the image, with the connectivity of the background. */
  void
  FillHolesOfValues(Labeler & labeler, const Labeler::SizeType & size, Report & report)
  {
    m_Filled.resize(m_Values.Count() * ImageView::SizeOf(m_Values.type));
    m_FilledValues = ImageView::Of(m_Filled.data(), m_Values.type, size);
    report.holes->pixelCount = labeler.FillHolesOfValues(m_Values, m_FilledValues);
    BitRows           holes(size);
    const std::size_t bytes = ImageView::SizeOf(m_Values.type);
    for (std::uint64_t row = 0; row < holes.GetNumberOfRows(); ++row)
    {
      const char * const before = m_Values.Row(row);
      const char * const after = m_FilledValues.Row(row);
      for (std::uint64_t x = 0; x < size[0]; ++x)
      {
        const bool isFilled = std::memcmp(before + x * bytes, after + x * bytes, bytes) != 0;
        holes.GetRow(row)[x / 32] |= static_cast<std::uint32_t>(isFilled) << x % 32;
      }
    }
    report.holes->count =
      labeler.MeasurePackedRows([&holes](std::uint64_t row, std::uint32_t * words) { holes.CopyRow(row, words); }, size)
        .componentCount;
    m_Holes = std::move(holes);
  }

  /** Labels or measures the image, as far as the options need it. */
  Components
  Label(Labeler & labeler, const Labeler::SizeType & size, Report & report) const
  {
    Components   components;
    const bool   needsTable = m_Options.NeedsTable() || !m_Selection.IsDefault();
    auto * const table = needsTable ? &components.table : nullptr;
    labeler.options.selection = m_Selection;
    labeler.options.columns.boundingBoxes = !m_Options.table.empty();
    labeler.options.columns.sums = !m_Options.table.empty();
    if (!m_Options.table.empty())
    {
      labeler.options.columns.products = m_Options.shapes;
      labeler.options.intensities = m_Intensities;
    }
    const auto packRow = [this](std::uint64_t row, std::uint32_t * words) { this->PackForeground(row, words); };
    if (m_Options.maskOutput)
    {
      components.kept = BitRows(size);
    }
    const auto visitRow = [&components](std::uint64_t row, const std::uint32_t * words) {
      components.kept.SetRow(row, words);
    };
    const bool                      needsMask = m_Options.byValue || !m_Options.labelTable.empty();
    const std::vector<std::uint8_t> mask = needsMask ? this->UnpackForeground() : std::vector<std::uint8_t>();
    const ImageView &               values = m_Filled.empty() ? m_Values : m_FilledValues;
    Labeler                         byValue = labeler;
    if (needsMask)
    {
      // All pixels of the mask are labeled.
      byValue.options.byValue = true;
      byValue.options.columns.values = true;
      byValue.options.foreground = itk::CudaConnectedComponentForeground::AnyOf({});
      byValue.options.complement = true;
      byValue.options.mask = ImageView::Of(mask.data(), size);
    }
    if (!m_Options.labelTable.empty())
    {
      Labeler whole = byValue;
      whole.options.wholeValues = true;
      whole.options.foreground = // without NaN, which is no label
        itk::CudaConnectedComponentForeground::Between(-std::numeric_limits<double>::infinity(),
                                                       std::numeric_limits<double>::infinity());
      whole.options.complement = false;
      whole.options.selection = {};
      whole.options.columns.boundingBoxes = true;
      whole.options.columns.sums = true;
      whole.options.columns.products = m_Options.shapes;
      whole.options.intensities = m_Intensities;
      whole.options.progress = nullptr;
      components.labelTable = whole.Measure(values);
    }
    if (m_Options.byValue)
    {
      byValue.options.columns.values = !m_Options.table.empty();
      labeler = byValue;
    }
    if (m_Options.NeedsLabels())
    {
      components.labels.reset(new std::uint32_t[m_Foreground.GetNumberOfRows() * m_Foreground.GetLength()]);
      labeler.options.outputIsUntouched = true;
      const std::uint32_t * labels = components.labels.get();
      const auto            output = ImageView::Of(labels, size);
      report.objectCount = m_Options.byValue ? labeler.Label(values, output, 0, table)
                                             : labeler.LabelPackedRows(packRow, output, 0, table);
      for (std::uint64_t row = 0; m_Options.maskOutput && row < m_Foreground.GetNumberOfRows(); ++row)
      {
        Labeler::PackRow(labels, size[0], components.kept.GetRow(row));
        labels += size[0];
      }
    }
    else if (m_Options.maskOutput)
    {
      report.objectCount = labeler.MaskPackedRows(packRow, size, visitRow, table);
    }
    else
    {
      components.table = m_Options.byValue ? labeler.Measure(values) : labeler.MeasurePackedRows(packRow, size);
      report.objectCount = components.table.componentCount;
    }
    report.originalObjectCount = needsTable ? components.table.originalComponentCount : report.objectCount;
    return components;
  }

  const Options &                      m_Options;
  const BitRows &                      m_Foreground; // without filled holes
  ImageView                            m_Values;
  ImageView                            m_Intensities;
  std::vector<std::uint64_t>           m_AllSizes; // along all axes
  std::vector<LocatedSeed>             m_Seeds;
  itk::CudaConnectedComponentSelection m_Selection;
  BitRows                              m_Holes;  // empty if no holes are filled
  std::vector<char>                    m_Filled; // pixels of m_FilledValues; empty unless holes of values are filled
  ImageView                            m_FilledValues;
};

} // namespace

Components
FindComponents(const Options &   options,
               const Geometry &  geometry,
               const BitRows &   foreground,
               const ImageView & values,
               const ImageView & intensities,
               Report &          report)
{
  ComponentFinder finder(options, geometry, foreground, values, intensities);
  const Stopwatch stopwatch;
  Components      components = finder.Find(report);
  report.labelingMilliseconds = stopwatch.Milliseconds();
  if (!options.quiet)
  {
    for (const std::string & seed : finder.GetSeedsInBackground())
    {
      std::cerr << "cuda-connected-components: hint: " << seed
                << " lies in the background, so it selects no component\n";
    }
  }
  return components;
}
