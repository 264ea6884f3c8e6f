// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_FilterTestSupport_h
#define ccl_test_FilterTestSupport_h

#include "CudaTestSupport.h"
#include "Oracle.h"

#include "itkCudaConnectedComponentImageFilter.h"
#include "itkImageRegionConstIteratorWithIndex.h"

#include <regex>

using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;
using BackendEnum = itk::CudaConnectedComponentsEnums::Backend;

/** Who labels here when all is left to the filter, and the image is not very small. */
inline BackendEnum
ExpectedBackend()
{
  return CudaTestSupport::CountDevices() > 0 ? BackendEnum::CUDA : BackendEnum::CPU;
}

/** An image of a pixel type whose foreground pixels have a value. */
template <typename TImage>
typename TImage::Pointer
MakeItkImage(const TestImage & image, const typename TImage::PixelType & foreground)
{
  typename TImage::SizeType size;
  size.Fill(1);
  for (unsigned int axis = 0; axis < std::min(3U, TImage::ImageDimension); ++axis)
  {
    size[axis] = image.size[axis];
  }
  auto itkImage = TImage::New();
  itkImage->SetRegions(size);
  itkImage->Allocate(true);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
  {
    if (image.pixels[i] != 0)
    {
      itkImage->GetBufferPointer()[i] = foreground;
    }
  }
  return itkImage;
}

template <typename TImage>
typename TImage::Pointer
MakeItkImage(const TestImage & image)
{
  return MakeItkImage<TImage>(image, itk::NumericTraits<typename TImage::PixelType>::OneValue());
}

template <typename TImage>
void
ExpectSameImages(const TImage * image, const TImage * expected)
{
  ASSERT_EQ(image->GetLargestPossibleRegion(), expected->GetLargestPossibleRegion());
  ASSERT_EQ(image->GetBufferedRegion(), expected->GetBufferedRegion());
  EXPECT_EQ(image->GetOrigin(), expected->GetOrigin());
  EXPECT_EQ(image->GetSpacing(), expected->GetSpacing());
  EXPECT_EQ(image->GetDirection(), expected->GetDirection());
  itk::ImageRegionConstIteratorWithIndex<TImage> it(image, image->GetBufferedRegion());
  itk::ImageRegionConstIteratorWithIndex<TImage> expectedIt(expected, expected->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it, ++expectedIt)
  {
    ASSERT_EQ(+it.Get(), +expectedIt.Get()) << it.GetIndex();
  }
}

/** What updating a filter throws, or empty. */
template <typename TFilter>
std::string
ExceptionOf(TFilter & filter)
{
  try
  {
    filter.Update();
    return "";
  }
  catch (const itk::ExceptionObject & exception)
  {
    return exception.GetNameOfClass() + std::string(": ") + exception.GetDescription();
  }
}

/** An exception without what tells one filter from the other: the prefix of the class's name, and addresses. */
inline std::string
Comparable(const std::string & exception)
{
  return std::regex_replace(
    std::regex_replace(exception, std::regex("Cuda(?=Connected)"), ""), std::regex("0x[0-9a-f]+"), "");
}

/** Sets up ITK's filter and ours in the same way, updates both, ours on the CPU, too, and compares all that comes out.
 * Returns ours. */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage, typename TSetUp>
typename itk::CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::Pointer
ExpectSameAsItk(const TSetUp & setUp)
{
  using FilterType = itk::CudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
  auto filter = FilterType::New();
  for (const bool fullyConnected : { false, true })
  {
    auto oracle = MakeOracle<TInputImage, TOutputImage, TMaskImage>();
    setUp(oracle.GetPointer());
    setUp(filter.GetPointer());
    oracle->SetFullyConnected(fullyConnected);
    filter->SetFullyConnected(fullyConnected);
    const std::string expectedException = ExceptionOf(*oracle);
    for (const bool gpuEnabled : { false, true })
    {
      if (!gpuEnabled && ExpectedBackend() == BackendEnum::CPU)
      {
        continue; // the fallback is the same
      }
      filter->SetGPUEnabled(gpuEnabled);
      // Where there is a GPU it labels even the smallest image.
      filter->SetCPUFallback(ExpectedBackend() != BackendEnum::CUDA);
      const std::string exception = ExceptionOf(*filter);
      EXPECT_EQ(Comparable(exception), Comparable(expectedException));
      if (expectedException.empty() && exception.empty())
      {
        ExpectSameImages(filter->GetOutput(), oracle->GetOutput());
        EXPECT_EQ(filter->GetObjectCount(), oracle->GetObjectCount());
        EXPECT_EQ(filter->GetBackendUsed(), gpuEnabled ? ExpectedBackend() : BackendEnum::CPU)
          << filter->GetFallbackReason();
      }
    }
  }
  return filter;
}

/** Compares the filter with ITK's, without and with a mask, for one type of input. */
template <typename TInputImage>
void
ExpectSameAsItkForInput()
{
  using LabelsType = itk::Image<unsigned short, 3>;
  const auto image = MakeItkImage<TInputImage>(MakeRandom({ 37, 21, 11 }, 20, 1, 101));
  const auto maskImage = MakeItkImage<TInputImage>(MakeRandom({ 37, 21, 11 }, 70, 3, 102));
  ExpectSameAsItk<TInputImage, LabelsType>([&](auto * filter) { filter->SetInput(image); });
  ExpectSameAsItk<TInputImage, LabelsType>([&](auto * filter) {
    filter->SetInput(image);
    filter->SetMaskImage(maskImage);
  });
}

#endif
