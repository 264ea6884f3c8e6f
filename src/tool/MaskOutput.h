// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_MaskOutput_h
#define ccl_tool_MaskOutput_h

#include "BitRows.h"
#include "Failure.h"
#include "SaveImage.h"

#include "CudaConnectedComponentsDetail/ImageProperties.h"
#include "CudaConnectedComponentsDetail/ParallelFor.h"
#include "itkCudaConnectedComponentLabeler.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>

/** The image that --mask-output writes: the pixels of an image, without the pixels of removed components. */
class MaskOutput
{
public:
  virtual ~MaskOutput() = default;

  /** Returns the name of the pixel type, such as uint8. */
  virtual std::string
  GetPixelType() const = 0;

  /** Writes the image. Pixels whose bits in `kept` are 1 keep their values, and all other pixels are 0. Pixels of
   * filled holes get the value of the foreground. Throws Failure. */
  virtual void
  Save(const BitRows & kept, const std::string & file) const = 0;
};

template <typename TImage>
class MaskOutputOf : public MaskOutput
{
public:
  using PixelType = typename TImage::PixelType;

  /** Takes an image. With `fillsHoles`, throws Failure if its foreground has several values. `file` is its name. */
  MaskOutputOf(const TImage * image, bool fillsHoles, const std::string & file)
    : m_Image(image)
  {
    if (fillsHoles)
    {
      this->FindForegroundValue(file);
    }
  }

  std::string
  GetPixelType() const override
  {
    if (std::is_floating_point<PixelType>::value)
    {
      return sizeof(PixelType) == 4 ? "float" : "double";
    }
    return (std::is_signed<PixelType>::value ? "int" : "uint") + std::to_string(8 * sizeof(PixelType));
  }

  void
  Save(const BitRows & kept, const std::string & file) const override
  {
    using namespace itk::CudaConnectedComponentsDetail;
    const auto          region = m_Image->GetLargestPossibleRegion();
    const std::uint64_t length = region.GetSize(0);
    auto                output = TImage::New();
    output->CopyInformation(m_Image);
    output->SetRegions(region);
    output->Allocate();
    const PixelType value = m_ForegroundValue.value_or(PixelType{ 1 });
    const auto      threader = itk::MultiThreaderBase::New();
    ParallelForOf(threader)(region.GetNumberOfPixels() / length, [&](std::uint64_t row) {
      const PixelType * const pixels = m_Image->GetBufferPointer() + row * length;
      PixelType * const       out = output->GetBufferPointer() + row * length;
      itk::CudaConnectedComponentLabeler::ForEachRange(
        kept.GetRow(row), length, [&](std::uint64_t begin, std::uint64_t end, bool isKept) {
          if (isKept)
          {
            std::replace_copy(pixels + begin, pixels + end, out + begin, PixelType{ 0 }, value);
          }
          else
          {
            std::fill(out + begin, out + end, PixelType{ 0 });
          }
        });
    });
    SaveImage(output.GetPointer(), file);
  }

private:
  void
  FindForegroundValue(const std::string & file)
  {
    const PixelType * const pixels = m_Image->GetBufferPointer();
    const PixelType * const end = pixels + m_Image->GetLargestPossibleRegion().GetNumberOfPixels();
    const PixelType * const first = std::find_if(pixels, end, [](PixelType pixel) { return pixel != PixelType{ 0 }; });
    if (first == end)
    {
      return;
    }
    m_ForegroundValue = *first;
    const PixelType * const other = std::find_if(
      first, end, [value = *first](PixelType pixel) { return pixel != PixelType{ 0 } && !(pixel == value); });
    if (other != end)
    {
      std::ostringstream values;
      values << +*first << " and " << +*other;
      throw Failure(file + ": has foreground pixels of different values, such as " + values.str() +
                    ", so --fill-holes with --mask-output cannot choose a value for the holes; select the foreground "
                    "with --lower, --upper or --otsu: the output is then 1 in the foreground and 0 elsewhere");
    }
  }

  typename TImage::ConstPointer m_Image;
  std::optional<PixelType>      m_ForegroundValue; // without a value, there are no holes
};

#endif
