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
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

/** The image that --mask-output writes: the pixels of an image, without the pixels of removed components. */
class MaskOutput
{
public:
  /** Writes the bits of a row: 1 for the foreground. Rows are counted in raster order. */
  using PackRowType = std::function<void(std::uint64_t row, std::uint32_t * words)>;

  virtual ~MaskOutput() = default;

  /** Returns the name of the pixel type, such as uint8. */
  virtual std::string
  GetPixelType() const = 0;

  /** Prepares the image for filled holes, which get the value of the foreground. `packRow` makes the bits of the
   * foreground without the holes. Throws Failure if the foreground has several values. `file` is the name of the image.
   */
  virtual void
  FindValueOfHoles(const PackRowType & packRow, const std::string & file) = 0;

  /** Writes the image. Pixels whose bits in `kept` are 1 keep their values, and all other pixels are 0. After
   * FindValueOfHoles(), all pixels whose bits are 1 get the value of the foreground. Throws Failure. */
  virtual void
  Save(const BitRows & kept, const std::string & file) const = 0;
};

template <typename TImage>
class MaskOutputOf : public MaskOutput
{
public:
  using PixelType = typename TImage::PixelType;

  explicit MaskOutputOf(const TImage * image)
    : m_Image(image)
  {}

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
  FindValueOfHoles(const PackRowType & packRow, const std::string & file) override
  {
    const auto                 region = m_Image->GetLargestPossibleRegion();
    const std::uint64_t        length = region.GetSize(0);
    std::vector<std::uint32_t> words((length + 31) / 32);
    for (std::uint64_t row = 0; row < region.GetNumberOfPixels() / length; ++row)
    {
      packRow(row, words.data());
      const PixelType * const pixels = m_Image->GetBufferPointer() + row * length;
      itk::CudaConnectedComponentLabeler::ForEachRange(
        words.data(), length, [&](std::uint64_t begin, std::uint64_t end, bool isForeground) {
          if (isForeground)
          {
            this->AddForeground(pixels + begin, pixels + end, file);
          }
        });
    }
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
    const auto threader = itk::MultiThreaderBase::New();
    ParallelForOf(threader)(region.GetNumberOfPixels() / length, [&](std::uint64_t row) {
      const PixelType * const pixels = m_Image->GetBufferPointer() + row * length;
      PixelType * const       out = output->GetBufferPointer() + row * length;
      itk::CudaConnectedComponentLabeler::ForEachRange(
        kept.GetRow(row), length, [&](std::uint64_t begin, std::uint64_t end, bool isKept) {
          if (isKept && m_ForegroundValue)
          {
            // The pixels of holes may have any value, because --mask can make a hole of any pixel.
            std::fill(out + begin, out + end, *m_ForegroundValue);
          }
          else if (isKept)
          {
            std::copy(pixels + begin, pixels + end, out + begin);
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
  /** Returns whether two pixels have the same value. All pixels that are NaN have the same value. */
  static bool
  AreSame(PixelType a, PixelType b)
  {
    if constexpr (std::is_floating_point<PixelType>::value)
    {
      return a == b || (std::isnan(a) && std::isnan(b));
    }
    else
    {
      return a == b;
    }
  }

  /** Takes the value of the foreground from some of its pixels. Throws Failure if they have another value than the
   * pixels before. */
  void
  AddForeground(const PixelType * pixels, const PixelType * end, const std::string & file)
  {
    if (!m_ForegroundValue)
    {
      m_ForegroundValue = *pixels;
    }
    const PixelType         value = *m_ForegroundValue;
    const PixelType * const other =
      std::find_if(pixels, end, [value](PixelType pixel) { return !AreSame(pixel, value); });
    if (other != end)
    {
      std::ostringstream values;
      values << +value << " and " << +*other;
      throw Failure(file + ": has foreground pixels of different values, such as " + values.str() +
                    ", so --fill-holes with --mask-output cannot choose a value for the holes; select the foreground "
                    "with --lower, --upper or --otsu: the output is then 1 in the foreground and 0 elsewhere");
    }
  }

  typename TImage::ConstPointer m_Image;
  std::optional<PixelType>      m_ForegroundValue; // none without FindValueOfHoles(), or without foreground
};

#endif
