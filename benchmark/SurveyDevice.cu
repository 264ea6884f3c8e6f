// SPDX-License-Identifier: Apache-2.0
#include "DeviceTiming.h"
#include "SurveyWorks.h"
#include "TimedExecutor.cuh"

#include "itkCudaConnectedComponentLabeler.h"

using namespace itk::ccl;

namespace
{

using View = itk::CudaConnectedComponentImageView;

struct DeviceBackend
{
  static constexpr bool HasSteps = true;

  LimitedExecutor<DeviceExecutor> executor;

  void
  Label(const std::uint8_t * input, const Grid & size, bool fullyConnected, std::uint32_t * labels) const
  {
    itk::CudaConnectedComponentLabeler labeler;
    labeler.options.fullyConnected = fullyConnected;
    labeler.Label(View::OnDevice(input, { size.x, size.y, size.z }),
                  View::OnDevice(labels, { size.x, size.y, size.z }));
  }

  template <typename TWork>
  StepTimings
  TimeSteps(unsigned int runs, const TWork & work) const
  {
    return TimeStepsOf(runs, work);
  }
};

class DeviceImage : public SurveyImage
{
public:
  explicit DeviceImage(const TestImage & image)
    : m_Image(image)
    , m_Resources(DeviceResources::Of(m_Device.Get()))
    , m_Backend{ { DeviceExecutor(m_Resources, nullptr), this->limit } }
    , m_Input(AllocateDevice(image.pixels.size()))
    , m_Labels(AllocateDevice(image.pixels.size() * sizeof(std::uint32_t)))
    , m_Expected(AllocateDevice(image.pixels.size() * sizeof(std::uint32_t)))
  {
    CCL_CHECK(cudaMemcpy(m_Input.get(), image.pixels.data(), image.pixels.size(), cudaMemcpyHostToDevice));
  }

  std::vector<SurveyWork>
  GetWorks(bool fullyConnected, const SurveyContent & content) override
  {
    const Grid   size{ m_Image.size[0], m_Image.size[1], m_Image.size[2] };
    auto * const input = static_cast<const std::uint8_t *>(m_Input.get());
    auto * const expected = static_cast<std::uint32_t *>(m_Expected.get());
    m_Backend.Label(input, size, fullyConnected, expected);
    return MakeSurveyWorks(
      m_Backend, { size, input, static_cast<std::uint32_t *>(m_Labels.get()), expected }, fullyConnected, content);
  }

  Timing
  TimeFloor(unsigned int runs) override
  {
    return DeviceTiming(m_Image).TimeFloor(runs);
  }

  double
  Time(const std::function<void()> & work) const override
  {
    return m_Clock.Time(work);
  }

  void
  EndRepetition() const override
  {
    m_Resources.EndCall();
  }

private:
  const TestImage &     m_Image;
  CurrentDevice         m_Device{ -1 };
  DeviceResources &     m_Resources;
  DeviceBackend         m_Backend;
  DeviceClock           m_Clock;
  std::shared_ptr<void> m_Input;
  std::shared_ptr<void> m_Labels;
  std::shared_ptr<void> m_Expected;
};

} // namespace

std::unique_ptr<SurveyImage>
MakeSurveyImageOnDevice(const TestImage & image)
{
  return std::make_unique<DeviceImage>(image);
}
