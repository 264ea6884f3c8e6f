// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_test_programs_ToolTest_h
#define ccl_test_programs_ToolTest_h

#include "FilterTestSupport.h"
#include "ProgramTest.h"

#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkImageRegionIterator.h"

using MaskType = itk::Image<unsigned char, 3>;
using PlaneType = itk::Image<unsigned char, 2>;
using LabelsType = itk::Image<unsigned int, 3>;

inline std::string
ToolPath()
{
  const char * const elsewhere = std::getenv("CUDA_CONNECTED_COMPONENTS_TOOL");
  return elsewhere != nullptr ? elsewhere : CUDA_CONNECTED_COMPONENTS_TOOL;
}

class CudaConnectedComponentsTool : public ProgramTest
{
protected:
  /** Runs the tool in the test's folder. */
  Outcome
  Call(const std::string & arguments) const
  {
    return this->Run("'" + ToolPath() + "' " + arguments);
  }

  /** A run that must fail with a sentence that has a part, and leave no file that was not there before. */
  void
  ExpectFailure(const std::string & arguments, const std::string & part, int status = 1) const
  {
    const auto    before = this->ListFiles();
    const Outcome run = this->Call(arguments);
    EXPECT_EQ(run.status, status) << arguments;
    EXPECT_NE(run.errors.find(part), std::string::npos) << arguments << ": " << run.errors;
    EXPECT_EQ(run.errors.find("0x"), std::string::npos) << run.errors;
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
    EXPECT_EQ(run.printed, "");
    EXPECT_EQ(this->ListFiles(), before) << arguments;
  }

  void
  ExpectUsageError(const std::string & arguments, const std::string & part) const
  {
    this->ExpectFailure(arguments, part, 2);
  }

  template <typename TImage>
  static void
  Write(const TImage * image, const std::string & file, bool compress = true)
  {
    auto writer = itk::ImageFileWriter<TImage>::New();
    writer->SetInput(image);
    writer->SetFileName(file);
    writer->SetUseCompression(compress);
    writer->Update();
  }

  template <typename TImage>
  static typename TImage::Pointer
  Read(const std::string & file)
  {
    auto reader = itk::ImageFileReader<TImage>::New();
    reader->SetFileName(file);
    reader->Update();
    return reader->GetOutput();
  }

  /** Compares pixels and geometry, the latter as far as formats keep it. */
  template <typename TImage>
  void
  ExpectLabels(const std::string & name, const TImage * expected) const
  {
    const auto image = Read<TImage>(this->File(name));
    ASSERT_EQ(image->GetLargestPossibleRegion(), expected->GetLargestPossibleRegion()) << name;
    const std::size_t count = image->GetLargestPossibleRegion().GetNumberOfPixels();
    EXPECT_TRUE(std::equal(image->GetBufferPointer(), image->GetBufferPointer() + count, expected->GetBufferPointer()))
      << name;
    for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
    {
      EXPECT_NEAR(image->GetSpacing()[axis], expected->GetSpacing()[axis], 1e-4) << name;
    }
  }
};

template <typename TImage>
typename itk::Image<unsigned int, TImage::ImageDimension>::Pointer
LabelsOf(const TImage * image, bool fullyConnected = false, unsigned int background = 0, const TImage * mask = nullptr)
{
  auto filter = MakeOracle<TImage, itk::Image<unsigned int, TImage::ImageDimension>>();
  filter->SetInput(image);
  filter->SetFullyConnected(fullyConnected);
  filter->SetBackgroundValue(background);
  filter->SetMaskImage(mask);
  filter->Update();
  return filter->GetOutput();
}

/** Sets the pixels of a box to a value. */
template <typename TImage>
void
AddBox(TImage *                           image,
       const typename TImage::IndexType & begin,
       const typename TImage::SizeType &  size,
       unsigned char                      value = 1)
{
  for (itk::ImageRegionIterator<TImage> it(image, { begin, size }); !it.IsAtEnd(); ++it)
  {
    it.Set(value);
  }
}

template <typename TImage>
typename TImage::Pointer
MakeEmpty(const typename TImage::SizeType & size)
{
  auto image = TImage::New();
  image->SetRegions(size);
  image->Allocate(true);
  return image;
}

inline MaskType::Pointer
MakeVolume()
{
  const auto image = MakeItkImage<MaskType>(MakeRandom({ 31, 29, 13 }, 25, 1, 401), 100);
  image->SetSpacing(itk::Vector<double, 3>(1.5));
  return image;
}

#endif
