// SPDX-License-Identifier: Apache-2.0
#include "SaveImage.h"

#include "Failure.h"
#include "PixelValues.h"

#include "itkImageIOFactory.h"

#include <filesystem>
#include <random>
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
  if (fs::is_directory(file))
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
    throw Failure(file + ": cannot be written: " + Sentence(exception));
  }
  workshop.Deliver();
}

Workshop::Workshop(const std::string & file)
{
  fs::path destination = fs::path(file).parent_path();
  if (destination.empty())
  {
    destination = ".";
  }
  if (!fs::is_directory(destination))
  {
    throw Failure(file + ": cannot be written: there is no folder " + destination.string());
  }
  const fs::path  folder = destination / (".cuda-connected-components-" + std::to_string(std::random_device{}()));
  std::error_code error;
  if (!fs::create_directory(folder, error))
  {
    throw Failure(file + ": cannot be written: " + error.message());
  }
  m_Destination = destination.string();
  m_Folder = folder.string();
  m_File = (folder / fs::path(file).filename()).string();
}

Workshop::~Workshop()
{
  std::error_code ignored;
  fs::remove_all(m_Folder, ignored);
}

void
Workshop::Deliver()
{
  std::vector<fs::path> files;
  for (const auto & entry : fs::directory_iterator(m_Folder))
  {
    if (entry.path() != m_File)
    {
      files.push_back(entry.path());
    }
  }
  // The file that names the others, such as an .mhd file, is last: the files that it names then exist.
  files.emplace_back(m_File);
  for (const fs::path & file : files)
  {
    std::error_code error;
    fs::rename(file, fs::path(m_Destination) / file.filename(), error);
    if (error)
    {
      throw Failure((fs::path(m_Destination) / file.filename()).string() + ": cannot be written: " + error.message());
    }
  }
}
