// SPDX-License-Identifier: Apache-2.0
#include "ReadImage.h"

#include "Failure.h"
#include "Join.h"
#include "ReadComplete.h"

#include "itkImageFileReader.h"
#include "itkImageIOFactory.h"
#include "itkMetaDataObject.h"

#include <algorithm>
#include <filesystem>

namespace
{

/** Reads the header of an image file. Throws Failure if the file is not an image or the image has no pixels. */
itk::ImageIOBase::Pointer
OpenImage(const std::string & file)
{
  std::error_code ignored;
  const auto      status = std::filesystem::status(file, ignored);
  if (!std::filesystem::is_regular_file(status))
  {
    throw Failure(file + (!std::filesystem::exists(status)        ? ": there is no such file"
                          : std::filesystem::is_directory(status) ? ": is a folder, not an image"
                                                                  : ": is a device or a pipe, not an image"));
  }
  const itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  if (!io)
  {
    throw Failure(file + ": is not an image in a format that ITK can read (NIfTI, NRRD, MetaImage, PNG, TIFF, ...)");
  }
  io->SetFileName(file);
  io->ReadImageInformation();
  for (unsigned int axis = 0; axis < io->GetNumberOfDimensions(); ++axis)
  {
    if (io->GetDimensions(axis) == 0)
    {
      throw Failure(file + ": has no pixels: its size along axis " + std::to_string(axis) + " is 0");
    }
  }
  return io;
}

unsigned int
DimensionOf(const itk::ImageIOBase & io, const std::string & file)
{
  const unsigned int dimension = io.GetNumberOfDimensions();
  for (unsigned int axis = 3; axis < dimension; ++axis)
  {
    if (io.GetDimensions(axis) > 1)
    {
      throw Failure(file + ": has " + std::to_string(dimension) +
                    " dimensions; only images of 2 or 3 dimensions can be labeled, so split it first");
    }
  }
  return dimension <= 2 ? 2 : 3;
}

Segments
SegmentsOf(const itk::MetaDataDictionary & dictionary)
{
  Segments segments;
  for (const std::string & key : dictionary.GetKeys())
  {
    std::string value;
    if (key.compare(0, 7, "Segment") == 0 && itk::ExposeMetaData(dictionary, key, value))
    {
      segments[key] = value;
    }
  }
  return segments;
}

ImageView::PixelTypeEnum
ComponentOf(const itk::ImageIOBase & io, const std::string & file)
{
  ImageView::PixelTypeEnum type{};
  const auto               has = [&](auto zero) {
    type = ImageView::TypeOf<decltype(zero)>();
    return io.GetComponentType() == itk::ImageIOBase::MapPixelType<decltype(zero)>::CType;
  };
  if (has(std::uint8_t{}) || has(std::int8_t{}) || has(std::uint16_t{}) || has(std::int16_t{}) || has(0U) || has(0) ||
      has(0UL) || has(0L) || has(0ULL) || has(0LL) || has(0.0F) || has(0.0))
  {
    return type;
  }
  throw Failure(file + ": cannot be read: its pixels have the type " +
                itk::ImageIOBase::GetComponentTypeAsString(io.GetComponentType()));
}

} // namespace

std::string
TextOf(const Geometry & geometry)
{
  const auto list = [&geometry](const auto & numbers, const char * separator) {
    std::vector<double> values(numbers.begin(), numbers.begin() + geometry.dimension);
    std::replace(values.begin(), values.end(), 0.0, 0.0); // 0 for -0, which equals 0
    return Join(values, separator);
  };
  std::vector<std::string> axes;
  for (unsigned int axis = 0; axis < geometry.dimension; ++axis)
  {
    axes.push_back("(" + list(geometry.space->GetDirection().GetTranspose().get_row(axis), ", ") + ")");
  }
  return Join(geometry.GetSize(), " x ") + " pixels of " + list(geometry.space->GetSpacing(), " x ") +
         " mm, the first at (" + list(geometry.space->GetOrigin(), ", ") + "), axes " + Join(axes, ", ");
}

FileImage
ReadImage(const std::string & file)
{
  FileImage                image;
  ImageView::PixelTypeEnum component{};
  try
  {
    ReadComplete(file, [&]() -> ReadPixels {
      const itk::ImageIOBase::Pointer io = OpenImage(file);
      image.geometry.dimension = DimensionOf(*io, file);
      image.componentCount = io->GetNumberOfComponents();
      image.pixelType = itk::ImageIOBase::GetComponentTypeAsString(io->GetComponentType());
      if (image.componentCount > 1)
      {
        image.pixelType = std::to_string(image.componentCount) + " x " + image.pixelType;
      }
      component = ComponentOf(*io, file);

      // The reader has ITK's rules for spacings and axes. It reads the header only, because it would convert the
      // pixels.
      const auto reader = itk::ImageFileReader<itk::Image<unsigned char, 3>>::New();
      reader->SetFileName(file);
      reader->SetImageIO(io);
      reader->UpdateOutputInformation();
      image.geometry.space->CopyInformation(reader->GetOutput());
      image.geometry.space->SetRegions(reader->GetOutput()->GetLargestPossibleRegion());

      itk::ImageIORegion region(io->GetNumberOfDimensions());
      for (unsigned int axis = 0; axis < io->GetNumberOfDimensions(); ++axis)
      {
        region.SetSize(axis, io->GetDimensions(axis));
      }
      io->SetIORegion(region);
      image.segments = SegmentsOf(io->GetMetaDataDictionary());
      image.memory.reset(new char[static_cast<std::size_t>(io->GetImageSizeInBytes())]);
      io->Read(image.memory.get());
      return { io, image.memory.get() };
    });
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be read: " + Sentence(exception));
  }
  const auto & size = image.geometry.space->GetLargestPossibleRegion().GetSize();
  image.view = ImageView::Of(image.memory.get(), component, { size[0], size[1], size[2] });
  for (std::int64_t & stride : image.view.strides)
  {
    stride *= image.componentCount;
  }
  return image;
}
