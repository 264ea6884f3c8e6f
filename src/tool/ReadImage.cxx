// SPDX-License-Identifier: Apache-2.0
#include "ReadImage.h"

#include "itkImageIOFactory.h"

#include <itksys/SystemTools.hxx>

itk::ImageIOBase::Pointer
OpenImage(const std::string & file)
{
  if (!itksys::SystemTools::FileExists(file))
  {
    throw Failure(file + ": there is no such file");
  }
  if (itksys::SystemTools::FileIsDirectory(file))
  {
    throw Failure(file + ": is a folder, not an image");
  }
  const itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  if (!io)
  {
    throw Failure(file + ": is not an image in a format that ITK can read (NIfTI, NRRD, MetaImage, PNG, TIFF, ...)");
  }
  try
  {
    io->SetFileName(file);
    io->ReadImageInformation();
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be read: " + Sentence(exception));
  }
  for (unsigned int axis = 0; axis < io->GetNumberOfDimensions(); ++axis)
  {
    if (io->GetDimensions(axis) == 0)
    {
      throw Failure(file + ": has no pixels: its size along axis " + std::to_string(axis) + " is 0");
    }
  }
  return io;
}
