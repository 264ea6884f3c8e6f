// SPDX-License-Identifier: Apache-2.0
#include "SaveImage.h"

#include "Failure.h"
#include "OutputTypes.h"
#include "PixelValues.h"
#include "Workshop.h"

#include "itkImageIOFactory.h"

#include <filesystem>
#include <vector>

namespace fs = std::filesystem;

namespace
{

itk::ImageIOBase::Pointer
MakeWriter(const std::string & file)
{
  itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::WriteMode);
  if (!io)
  {
    throw Failure(
      file +
      ": cannot be written: ITK has no image format for this file name; use an ending such as .nii.gz, .nrrd or .mha");
  }
  return io;
}

itk::IOComponentEnum
ComponentOf(ImageView::PixelTypeEnum type)
{
  return VisitPixelType(type, [](auto zero) { return itk::ImageIOBase::MapPixelType<decltype(zero)>::CType; });
}

/** Returns whether a file is an image with this number of pixels. Some formats hold only the first plane of a volume.
 */
bool
HasPixels(const std::string & file, std::uint64_t pixelCount)
{
  const itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  if (!io)
  {
    return fs::exists(file);
  }
  io->SetFileName(file);
  io->ReadImageInformation();
  return static_cast<std::uint64_t>(io->GetImageSizeInPixels()) == pixelCount;
}

} // namespace

void
RequireWritable(const std::string & file)
{
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
  {
    throw Failure(file + ": cannot be written: it is a folder");
  }
  const Workshop workshop(file);
}

void
RequireImageWritable(const std::string & file)
{
  MakeWriter(file);
  RequireWritable(file);
}

void
SaveImage(const ImageView & pixels, const Geometry & geometry, const std::string & file, unsigned int componentCount)
{
  Workshop                        workshop(file);
  const itk::ImageIOBase::Pointer io = MakeWriter(workshop.GetFile());
  const auto &                    space = *geometry.space;
  const auto                      origin = space.TransformIndexToPhysicalPoint<double>(itk::Index<3>{});
  itk::ImageIORegion              region(geometry.dimension);
  try
  {
    io->SetNumberOfDimensions(geometry.dimension);
    for (unsigned int axis = 0; axis < geometry.dimension; ++axis)
    {
      std::vector<double> direction;
      for (unsigned int row = 0; row < geometry.dimension; ++row)
      {
        direction.push_back(space.GetDirection()[row][axis]);
      }
      io->SetDimensions(axis, pixels.size[axis]);
      io->SetSpacing(axis, space.GetSpacing()[axis]);
      io->SetOrigin(axis, origin[axis]);
      io->SetDirection(axis, direction);
      region.SetSize(axis, pixels.size[axis]);
    }
    io->SetComponentType(ComponentOf(pixels.type));
    io->SetNumberOfComponents(componentCount);
    io->SetPixelType(componentCount == 3 ? itk::IOPixelEnum::RGB : itk::IOPixelEnum::SCALAR);
    io->SetUseCompression(true);
    io->SetFileName(workshop.GetFile());
    io->SetIORegion(region);
    io->Write(pixels.pixels);
    if (!HasPixels(workshop.GetFile(), pixels.Count()))
    {
      throw Failure(file + ": cannot be written: this format cannot hold volumes; use .nii.gz, .nrrd or .mha");
    }
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be written: " + Sentence(exception) + " (the pixels are " + NameOf(pixels.type) +
                  "; --output-type selects the type of labels)");
  }
  workshop.Deliver();
}
