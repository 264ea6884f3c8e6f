// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_FilterTestSupport_h
#define ccl_test_FilterTestSupport_h

#include "CudaTestSupport.h"
#include "Oracle.h"

#include "itkCudaConnectedComponentAlgorithms.h"
#include "itkCudaConnectedComponentImageFilter.h"
#include "itkImageRegionConstIteratorWithIndex.h"

using AlgorithmEnum = itk::CudaConnectedComponentsEnums::Algorithm;
using BackendEnum = itk::CudaConnectedComponentsEnums::Backend;

/** Returns the backend that a filter with default settings uses on this machine, unless the image is very small. */
inline BackendEnum
ExpectedBackend()
{
  return CudaTestSupport::CountDevices() > 0 ? BackendEnum::CUDA : BackendEnum::CPU;
}

/** Makes an ITK image. Its foreground pixels have the value `foreground`, its background pixels are 0. */
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

/** Makes an ITK image. Its foreground pixels are 1, its background pixels are 0. */
template <typename TImage>
typename TImage::Pointer
MakeItkImage(const TestImage & image)
{
  return MakeItkImage<TImage>(image, itk::NumericTraits<typename TImage::PixelType>::OneValue());
}

/** Expects equal pixels, regions, origins, spacings and directions. */
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

/** Updates a filter. Returns the class name and description of its ITK exception, or an empty string. */
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
    return exception.GetNameOfClass() + std::string(": ") + TextOf(exception);
  }
}

/** Compares our filter with ITK's filter, for both connectivities, on the CPU and (if there is one) on the GPU.
 * Compares exceptions, output images and object counts.
 * \param setUp function that sets inputs and parameters of a filter; called for both filters
 * \return our filter, after its last update */
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
        continue; // without a GPU both iterations label on the CPU
      }
      filter->SetGPUEnabled(gpuEnabled);
      // Without the CPU as fallback, the GPU labels even the smallest image.
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

/** Compares our filter with ITK's filter for one type of input, without and with a mask. */
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

/** Returns the label of the object in a row of the table. */
template <typename TStatistics>
itk::IdentifierType
LabelAt(const TStatistics & statistics, std::size_t row)
{
  return statistics.GetLabels()[row];
}

/** Calls a function. Returns the description of its ITK exception, or an empty text. */
template <typename TFunction>
std::string
DescriptionOf(const TFunction & function)
{
  try
  {
    function();
    return "";
  }
  catch (const itk::ExceptionObject & exception)
  {
    return exception.GetDescription();
  }
}

#endif
