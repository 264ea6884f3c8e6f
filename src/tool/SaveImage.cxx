// SPDX-License-Identifier: Apache-2.0
#include "SaveImage.h"

#include "Failure.h"
#include "OutputTypes.h"
#include "PixelValues.h"

#include "itkImageIOFactory.h"
#include "itkMetaDataObject.h"

#include <cstring>
#include <list>
#include <vector>

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

/** Returns whether a file gives the same pixels back. A full disk cuts files, and formats can lack planes or values. */
bool
HasPixels(const std::string & file, const ImageView & pixels, unsigned int componentCount)
{
  try
  {
    const FileImage image = ReadImage(file);
    return image.view.size == pixels.size && image.view.type == pixels.type && image.componentCount == componentCount &&
           std::memcmp(
             image.memory.get(), pixels.pixels, pixels.Count() * componentCount * ImageView::SizeOf(pixels.type)) == 0;
  }
  catch (const Failure &)
  {
    return false;
  }
}

} // namespace

void
RequireWritable(const std::string & image, const std::vector<std::string> & others)
{
  std::list<Workshop> workshops;
  if (!image.empty())
  {
    MakeWriter(image);
    workshops.emplace_back(image);
  }
  for (const std::string & file : others)
  {
    if (!file.empty())
    {
      workshops.emplace_back(file);
    }
  }
}

std::unique_ptr<Workshop>
PrepareImage(const ImageView &   pixels,
             const Geometry &    geometry,
             const std::string & file,
             unsigned int        componentCount,
             const Segments &    segments)
{
  auto                            workshop = std::make_unique<Workshop>(file);
  const itk::ImageIOBase::Pointer io = MakeWriter(workshop->GetFile());
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
    if (io->GetNameOfClass() == std::string("NrrdImageIO")) // other formats have no place for segments
    {
      for (const auto & [key, value] : segments)
      {
        itk::EncapsulateMetaData(io->GetMetaDataDictionary(), key, value);
      }
    }
    io->SetUseCompression(true);
    io->SetFileName(workshop->GetFile());
    io->SetIORegion(region);
    io->Write(pixels.pixels);
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be written: " + Sentence(exception) + " (the pixels are " + NameOf(pixels.type) +
                  "; --output-type selects the type of labels)");
  }
  if (!HasPixels(workshop->GetFile(), pixels, componentCount))
  {
    throw Failure(file + ": cannot be written: the file does not give the same pixels back; the disk may be full, or "
                         "the format cannot hold them: choose another format, such as .nii.gz, .nrrd or .mha");
  }
  return workshop;
}
