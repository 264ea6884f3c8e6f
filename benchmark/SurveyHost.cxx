// SPDX-License-Identifier: Apache-2.0
#include "SurveyWorks.h"

#include "executors/host/HostExecutor.h"
#include "itkCudaConnectedComponentLabeler.h"

using namespace itk::ccl;

namespace
{

using View = itk::CudaConnectedComponentImageView;

struct HostBackend
{
  static constexpr bool HasSteps = false;

  LimitedExecutor<HostExecutor> executor;

  void
  Label(const std::uint8_t * input, const Grid & size, bool fullyConnected, std::uint32_t * labels) const
  {
    itk::CudaConnectedComponentLabeler labeler;
    labeler.options.fullyConnected = fullyConnected;
    labeler.options.onHost = true;
    labeler.Label(View::Of(input, { size.x, size.y, size.z }), View::Of(labels, { size.x, size.y, size.z }));
  }
};

/** Reads 1 byte and writes 4 bytes for each pixel. */
struct ReadOneByteWriteFour
{
  const std::uint8_t * input;
  std::uint32_t *      output;

  void
  operator()(const Cell & cell) const
  {
    output[cell.x] = input[cell.x];
  }
};

class HostImage : public SurveyImage
{
public:
  explicit HostImage(const TestImage & image)
    : m_Image(image)
    , m_Backend{ { HostExecutor(), this->limit } }
    , m_Labels(image.pixels.size())
    , m_Expected(image.pixels.size())
  {}

  std::vector<SurveyWork>
  GetWorks(bool fullyConnected, const SurveyContent & content) override
  {
    const Grid                 size{ m_Image.size[0], m_Image.size[1], m_Image.size[2] };
    const std::uint8_t * const input = m_Image.pixels.data();
    m_Backend.Label(input, size, fullyConnected, m_Expected.data());
    return MakeSurveyWorks(m_Backend, { size, input, m_Labels.data(), m_Expected.data() }, fullyConnected, content);
  }

  Timing
  TimeFloor(unsigned int runs) override
  {
    std::vector<double> milliseconds;
    for (unsigned int run = 0; run < runs + 1; ++run)
    {
      const double elapsed = this->Time([this] {
        m_Backend.executor.ForEach(Grid{ m_Image.pixels.size() },
                                   ReadOneByteWriteFour{ m_Image.pixels.data(), m_Labels.data() });
      });
      if (run > 0)
      {
        milliseconds.push_back(elapsed);
      }
    }
    return Timing(milliseconds);
  }

  double
  Time(const std::function<void()> & work) const override
  {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  void
  EndRepetition() const override
  {}

private:
  const TestImage &          m_Image;
  HostBackend                m_Backend;
  std::vector<std::uint32_t> m_Labels;
  std::vector<std::uint32_t> m_Expected;
};

} // namespace

std::unique_ptr<SurveyImage>
MakeSurveyImageOnHost(const TestImage & image)
{
  return std::make_unique<HostImage>(image);
}

std::vector<SurveyAlgorithm>
GetSurveyAlgorithms()
{
  std::vector<SurveyAlgorithm> algorithms;
  gallery::VisitGallery([&algorithms](auto row) {
    constexpr gallery::Entry entry = decltype(row)::Description;
    algorithms.push_back({ entry.name, entry.authors, entry.year });
  });
  const auto addPublished = [&algorithms](const auto & description) {
    // The library's table has no papers.
    const std::string title = description.title;
    const bool        isHennequin = title.rfind("HA", 0) == 0;
    for (const bool inlineCompression : { false, true })
    {
      if (!inlineCompression || description.hasInlineCompression)
      {
        algorithms.push_back(
          { title + (inlineCompression ? "_IC" : ""),
            isHennequin ? "Hennequin, Lacassagne, Cabaret and Meunier" : "Allegretti, Bolelli and Grana",
            isHennequin ? 2018 : 2019 });
      }
    }
  };
  std::apply([&](auto... rows) { (addPublished(decltype(rows)::Description), ...); }, PublishedAlgorithms{});
  return algorithms;
}
