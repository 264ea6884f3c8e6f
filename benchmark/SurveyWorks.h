// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_benchmark_SurveyWorks_h
#define ccl_benchmark_SurveyWorks_h

// Makes the works of the survey for one image on one backend: the algorithms of the gallery, the published algorithms
// of the library, and the library's own labeling.
//
// A backend is a class with
// - `executor`: a LimitedExecutor of its executor;
// - `Label(input, size, fullyConnected, labels)`: labels an image by CudaConnectedComponentLabeler;
// - `HasSteps`: whether it can measure steps, and then `TimeSteps(runs, work)`: returns the times of the steps of
//   work(executor).

#include "Labelings.h"
#include "Renumbering.h"
#include "Survey.h"
#include "SurveyProperties.h"

#include "algorithms/published/PublishedAlgorithms.h"
#include "gallery/Gallery.h"

#include <type_traits>
#include <utility>

namespace itk::ccl
{

/** The memory of an image: `labels` gets the results, and `expected` has the labels of the library,
 * which the tests compare with ITK's. */
struct SurveyMemory
{
  Grid                  size;
  const std::uint8_t *  input;
  std::uint32_t *       labels;
  const std::uint32_t * expected;
};

namespace SurveyChecks
{

/** Returns whether the label of a pixel is neither 0 nor 1 + the index of a pixel. */
struct IsOutOfRange
{
  const std::uint32_t * labels;
  std::uint64_t         pixelCount;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t pixel) const
  {
    return labels[pixel] > pixelCount;
  }
};

/** Returns whether the label of a pixel is wrong. */
struct IsWrong
{
  const std::uint32_t * labels;
  const std::uint32_t * expected;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t pixel) const
  {
    return labels[pixel] != expected[pixel];
  }
};

/** Returns whether a pixel is foreground. */
struct IsForeground
{
  const std::uint8_t * input;

  CCL_HOST_DEVICE
  std::uint32_t
  operator()(std::uint64_t pixel) const
  {
    return input[pixel] != 0;
  }
};

/** Returns an element of an array. */
template <typename T>
struct ElementAt
{
  const T * elements;

  CCL_HOST_DEVICE
  std::uint64_t
  operator()(std::uint64_t index) const
  {
    return elements[index];
  }
};

} // namespace SurveyChecks

/** Collects the works for one connectivity. `backend` must live as long as the works. */
template <unsigned int VDimension, typename TBackend>
class SurveyWorkList
{
public:
  SurveyWorkList(const TBackend &      backend,
                 const SurveyMemory &  memory,
                 bool                  fullyConnected,
                 const SurveyContent & content)
    : m_Backend(backend)
    , m_Memory(memory)
    , m_FullyConnected(fullyConnected)
    , m_Content(content)
  {
    gallery::VisitGallery([this](auto row) { this->AddGallery<decltype(row)>(); });
    std::apply([this](auto... rows) { (this->AddPublished<decltype(rows)>(), ...); }, PublishedAlgorithms{});
    this->AddOurs();
    if constexpr (VDimension == 2)
    {
      if (m_Content.properties)
      {
        VisitSurveyProperties([this](const char * name, auto way) { this->AddProperties<decltype(way)>(name); });
      }
    }
  }

  std::vector<SurveyWork>
  Get() const
  {
    return m_Works;
  }

private:
  template <typename TRow>
  void
  AddGallery()
  {
    constexpr gallery::Entry entry = TRow::Description;
    if constexpr (Supports(entry, VDimension, false) || Supports(entry, VDimension, true))
    {
      if (!Supports(entry, VDimension, m_FullyConnected))
      {
        return;
      }
      const auto label = [memory = m_Memory, fullyConnected = m_FullyConnected](const auto & executor) {
        TRow::template Label<VDimension>(executor, memory.input, memory.size, fullyConnected, memory.labels);
      };
      const auto renumber = [memory = m_Memory](const auto & executor) {
        Renumber<VDimension, TRow::Description.element>(executor, memory.size, memory.labels);
      };
      this->AddAlgorithm(entry.name, label, renumber);
    }
  }

  template <typename TRow>
  void
  AddPublished()
  {
    if (TRow::Description.needsFullConnectivity && !m_FullyConnected)
    {
      return;
    }
    for (const bool inlineCompression : { false, true })
    {
      if (inlineCompression && !TRow::Description.hasInlineCompression)
      {
        continue;
      }
      const PublishedOptions options{ m_FullyConnected, inlineCompression };
      const auto             label = [memory = m_Memory, options](const auto & executor) {
        TRow::template Label<VDimension>(executor, memory.input, memory.size, options, memory.labels);
      };
      const auto renumber = [memory = m_Memory](const auto & executor) {
        Renumber<VDimension, TRow::Element>(executor, memory.size, memory.labels);
      };
      this->AddAlgorithm(TRow::Description.title + std::string(inlineCompression ? "_IC" : ""), label, renumber);
    }
  }

  /** Adds an algorithm as in its paper and, if wanted, with ITK's labels. The steps include the renumbering. */
  template <typename TLabel, typename TRenumber>
  void
  AddAlgorithm(const std::string & name, const TLabel & label, const TRenumber & renumber)
  {
    const TBackend & backend = m_Backend;
    const auto       both = [label, renumber](const auto & executor) {
      label(executor);
      renumber(executor);
    };
    const auto hasLabels = [&backend, memory = m_Memory] {
      const SurveyChecks::IsOutOfRange isOutOfRange{ memory.labels, memory.size.Count() };
      return CountPixels(backend, memory, isOutOfRange) == 0;
    };
    const auto areRight = this->LabelChecker();
    const auto spoil = this->LabelSpoiler();
    SurveyWork work = this->MakeWork(name, "");
    work.run = [&backend, label] { label(backend.executor); };
    work.check = [&backend, label, renumber, hasLabels, areRight, spoil] {
      spoil();
      label(backend.executor);
      if (!hasLabels())
      {
        return false;
      }
      renumber(backend.executor);
      return areRight();
    };
    this->AddWork(work, both);
    if (m_Content.renumbered)
    {
      work = this->MakeWork(name, " renumbered");
      work.run = [&backend, both] { both(backend.executor); };
      work.check = [run = work.run, areRight, spoil] {
        spoil();
        run();
        return areRight();
      };
      m_Works.push_back(work);
    }
  }

  /** Adds the library's own labeling. */
  void
  AddOurs()
  {
    const TBackend & backend = m_Backend;
    SurveyWork       work = this->MakeWork("ours", "");
    work.run = [&backend, memory = m_Memory, fullyConnected = m_FullyConnected] {
      backend.Label(memory.input, memory.size, fullyConnected, memory.labels);
    };
    work.check = [run = work.run, areRight = this->LabelChecker(), spoil = this->LabelSpoiler()] {
      spoil();
      run();
      return areRight();
    };
    this->AddWork(work, [memory = m_Memory, fullyConnected = m_FullyConnected](const auto & executor) {
      VisitRowGroup(memory.size, NeighborsOf(fullyConnected), [&](auto group) {
        LabelByRuns<decltype(group)>(executor, memory.input, memory.size, NeighborsOf(fullyConnected), memory.labels);
      });
    });
  }

  /** Adds a way to measure components. Its labels must be ITK's labels, and the numbers of pixels of all components
   * must add up to the foreground. */
  template <typename TWay>
  void
  AddProperties(const std::string & name)
  {
    const TBackend & backend = m_Backend;
    const auto       measure = [memory = m_Memory, fullyConnected = m_FullyConnected](const auto & executor,
                                                                                const auto & visit) {
      TWay::Measure(executor, memory.input, memory.size, fullyConnected, memory.labels, visit);
    };
    const auto ignore = [](const auto *, std::uint64_t) {};
    SurveyWork work = this->MakeWork(name, "");
    work.run = [&backend, measure, ignore] { measure(backend.executor, ignore); };
    work.check = [&backend, measure, memory = m_Memory, areRight = this->LabelChecker(), spoil = this->LabelSpoiler()] {
      const std::uint64_t foreground = CountPixels(backend, memory, SurveyChecks::IsForeground{ memory.input });
      std::uint64_t       measured = foreground;
      spoil();
      measure(backend.executor, [&](const auto * pixelCounts, std::uint64_t count) {
        const SurveyChecks::ElementAt<std::decay_t<decltype(*pixelCounts)>> elementAt{ pixelCounts };
        measured = SumOf<std::uint64_t>(backend.executor, count, elementAt);
      });
      return measured == foreground && (!TWay::WritesLabels || areRight());
    };
    this->AddWork(work, [measure, ignore](const auto & executor) { measure(executor, ignore); });
  }

  SurveyWork
  MakeWork(const std::string & algorithm, const std::string & addition) const
  {
    const std::string neighbors =
      VDimension == 2 ? (m_FullyConnected ? ", 8" : ", 4") : (m_FullyConnected ? ", 26" : ", 6");
    SurveyWork work;
    work.algorithm = algorithm + neighbors;
    work.name = algorithm + addition + neighbors;
    return work;
  }

  /** Adds a work. Its steps are the steps of runSteps(executor). */
  template <typename TSteps>
  void
  AddWork(SurveyWork & work, const TSteps & runSteps)
  {
    if constexpr (TBackend::HasSteps)
    {
      if (m_Content.steps)
      {
        work.timeSteps = [&backend = m_Backend, runSteps](unsigned int runs) {
          return backend.TimeSteps(runs, runSteps);
        };
      }
    }
    m_Works.push_back(work);
  }

  template <typename TPredicate>
  static std::uint64_t
  CountPixels(const TBackend & backend, const SurveyMemory & memory, const TPredicate & predicate)
  {
    return SumOf<std::uint32_t>(backend.executor, memory.size.Count(), predicate);
  }

  /** Returns a function that returns whether the labels are ITK's labels. */
  auto
  LabelChecker() const
  {
    return [&backend = m_Backend, memory = m_Memory] {
      return CountPixels(backend, memory, SurveyChecks::IsWrong{ memory.labels, memory.expected }) == 0;
    };
  }

  /** Returns a function that overwrites all labels, so that a label that is not written is wrong. */
  auto
  LabelSpoiler() const
  {
    return [&backend = m_Backend, memory = m_Memory] {
      constexpr unsigned char spoiled = 0xAB;
      backend.executor.Fill(memory.labels, memory.size.Count(), spoiled);
    };
  }

  const TBackend &        m_Backend;
  SurveyMemory            m_Memory;
  bool                    m_FullyConnected;
  SurveyContent           m_Content;
  std::vector<SurveyWork> m_Works;
};

/** Returns the works for one connectivity of a plane or a volume. */
template <typename TBackend>
std::vector<SurveyWork>
MakeSurveyWorks(const TBackend &      backend,
                const SurveyMemory &  memory,
                bool                  fullyConnected,
                const SurveyContent & content)
{
  return memory.size.z == 1 ? SurveyWorkList<2, TBackend>(backend, memory, fullyConnected, content).Get()
                            : SurveyWorkList<3, TBackend>(backend, memory, fullyConnected, content).Get();
}

} // namespace itk::ccl

#endif
