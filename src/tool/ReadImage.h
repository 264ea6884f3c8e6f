// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_ReadImage_h
#define ccl_tool_ReadImage_h

#include "Failure.h"

#include "itkImageFileReader.h"
#include "itkImageIOBase.h"

#include <cstdint>
#include <string>

/** Reads the header of an image file. Throws Failure if the file is not an image or the image has no pixels. */
itk::ImageIOBase::Pointer
OpenImage(const std::string & file);

/** Reads an image and converts its pixels to the pixel type of TImage. Throws Failure. */
template <typename TImage>
typename TImage::Pointer
ReadImage(const std::string & file)
{
  auto reader = itk::ImageFileReader<TImage>::New();
  reader->SetFileName(file);
  try
  {
    reader->Update();
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw Failure(file + ": cannot be read: " + Sentence(exception));
  }
  return reader->GetOutput();
}

/** Returns visitor(T{}) for the pixel type T of a file with one value per pixel. */
template <typename TVisitor>
auto
VisitPixelType(itk::IOComponentEnum type, const TVisitor & visitor)
{
  switch (type)
  {
    case itk::IOComponentEnum::UCHAR:
      return visitor(static_cast<unsigned char>(0));
    case itk::IOComponentEnum::CHAR:
      return visitor(static_cast<signed char>(0));
    case itk::IOComponentEnum::USHORT:
      return visitor(static_cast<unsigned short>(0));
    case itk::IOComponentEnum::SHORT:
      return visitor(static_cast<short>(0));
    case itk::IOComponentEnum::UINT:
      return visitor(0U);
    case itk::IOComponentEnum::INT:
      return visitor(0);
    case itk::IOComponentEnum::ULONG:
    case itk::IOComponentEnum::ULONGLONG:
      return visitor(std::uint64_t{ 0 });
    case itk::IOComponentEnum::LONG:
    case itk::IOComponentEnum::LONGLONG:
      return visitor(std::int64_t{ 0 });
    case itk::IOComponentEnum::FLOAT:
      return visitor(0.0F);
    default:
      return visitor(0.0);
  }
}

#endif
