// SPDX-License-Identifier: Apache-2.0
#include "ReadMask.h"

#include "Failure.h"
#include "Preview.h"
#include "ReadImage.h"
#include "RequireComplete.h"

#include "itkOtsuThresholdImageFilter.h"
#include "itkUnaryGeneratorImageFilter.h"
#include "itkVectorImage.h"

#include <limits>

namespace
{

template <typename TImage, typename TPredicate>
typename itk::Image<unsigned char, TImage::ImageDimension>::Pointer
Binarize(const TImage * image, const TPredicate & isForeground)
{
  using MaskType = itk::Image<unsigned char, TImage::ImageDimension>;
  using PixelType = typename TImage::PixelType;
  auto binarize = itk::UnaryGeneratorImageFilter<TImage, MaskType>::New();
  binarize->SetInput(image);
  binarize->SetFunctor(
    [isForeground](const PixelType & pixel) { return static_cast<unsigned char>(isForeground(pixel) ? 1 : 0); });
  binarize->Update();
  return binarize->GetOutput();
}

/** Returns a function that makes slices of an image. The function keeps the image in memory. */
template <typename TImage, typename TFunction>
GreySlice
SlicesOf(const TImage * image, const TFunction & greyOf)
{
  return [keep = itk::SmartPointer<const TImage>(image),
          greyOf](unsigned int across, unsigned int down, itk::IndexValueType index) {
    return Slice<float>(keep.GetPointer(), across, down, index, greyOf);
  };
}

template <typename TPixel, unsigned int VDimension>
Mask<VDimension>
ReadScalars(const std::string & file, const Threshold & threshold, const MaskParts & parts)
{
  using ImageType = itk::Image<TPixel, VDimension>;
  using MaskType = itk::Image<unsigned char, VDimension>;
  const typename ImageType::Pointer image = ReadImage<ImageType>(file);
  Mask<VDimension>                  mask;
  if (threshold.otsu)
  {
    auto otsu = itk::OtsuThresholdImageFilter<ImageType, MaskType>::New();
    otsu->SetInput(image);
    otsu->SetInsideValue(0);
    otsu->SetOutsideValue(1);
    otsu->Update();
    mask.image = otsu->GetOutput();
    mask.otsuThreshold = static_cast<double>(otsu->GetThreshold());
  }
  else if (threshold.lower || threshold.upper)
  {
    const double lower = threshold.lower.value_or(-std::numeric_limits<double>::infinity());
    const double upper = threshold.upper.value_or(std::numeric_limits<double>::infinity());
    mask.image = Binarize(image.GetPointer(), [lower, upper](const TPixel & pixel) {
      return lower <= static_cast<double>(pixel) && static_cast<double>(pixel) <= upper;
    });
  }
  else
  {
    mask.image = Binarize(image.GetPointer(), [](const TPixel & pixel) { return pixel != TPixel{ 0 }; });
  }
  if (parts.greySlice)
  {
    mask.greySlice = SlicesOf(image.GetPointer(), [](const TPixel & pixel) { return static_cast<float>(pixel); });
  }
  if (parts.output && (threshold.otsu || threshold.lower || threshold.upper))
  {
    mask.output = std::make_shared<MaskOutputOf<MaskType>>(mask.image);
  }
  else if (parts.output)
  {
    mask.output = std::make_shared<MaskOutputOf<ImageType>>(image);
  }
  return mask;
}

template <unsigned int VDimension>
Mask<VDimension>
ReadVectors(const std::string & file, const Threshold & threshold, const MaskParts & parts)
{
  if (threshold.otsu || threshold.lower || threshold.upper)
  {
    throw Failure(
      file + ": has more than one value per pixel; --lower, --upper and --otsu need an image with one value per pixel");
  }
  if (parts.output)
  {
    throw Failure(file + ": has more than one value per pixel; --mask-output needs an image with one value per pixel");
  }
  using ImageType = itk::VectorImage<double, VDimension>;
  const typename ImageType::Pointer image = ReadImage<ImageType>(file);
  Mask<VDimension>                  mask;
  mask.image = Binarize(image.GetPointer(),
                        [](const itk::VariableLengthVector<double> & pixel) { return pixel.GetSquaredNorm() != 0.0; });
  if (parts.greySlice)
  {
    mask.greySlice = SlicesOf(image.GetPointer(), [](const itk::VariableLengthVector<double> & pixel) {
      return static_cast<float>(pixel.GetNorm());
    });
  }
  return mask;
}

} // namespace

unsigned int
ReadDimension(const std::string & file)
{
  const itk::ImageIOBase::Pointer io = OpenImage(file);
  const unsigned int              dimension = io->GetNumberOfDimensions();
  for (unsigned int axis = 3; axis < dimension; ++axis)
  {
    if (io->GetDimensions(axis) > 1)
    {
      throw Failure(file + ": has " + std::to_string(dimension) +
                    " dimensions; only images of 2 or 3 dimensions can be labeled, so split it first");
    }
  }
  return dimension <= 2 ? 2 : 3;
}

template <unsigned int VDimension>
Mask<VDimension>
ReadMask(const std::string & file, const Threshold & threshold, const MaskParts & parts)
{
  const itk::ImageIOBase::Pointer io = OpenImage(file);
  RequireComplete(file, *io);
  const auto component = io->GetComponentType();
  const auto read = [&] {
    if (io->GetNumberOfComponents() > 1)
    {
      return ReadVectors<VDimension>(file, threshold, parts);
    }
    return VisitPixelType(component,
                          [&](auto zero) { return ReadScalars<decltype(zero), VDimension>(file, threshold, parts); });
  };
  Mask<VDimension> mask = read();
  mask.pixelType = itk::ImageIOBase::GetComponentTypeAsString(component);
  if (io->GetNumberOfComponents() > 1)
  {
    mask.pixelType = std::to_string(io->GetNumberOfComponents()) + " x " + mask.pixelType;
  }
  return mask;
}

template Mask<2>
ReadMask<2>(const std::string & file, const Threshold & threshold, const MaskParts & parts);
template Mask<3>
ReadMask<3>(const std::string & file, const Threshold & threshold, const MaskParts & parts);
