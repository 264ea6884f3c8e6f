// SPDX-License-Identifier: Apache-2.0

// The formats whose pixels ITK reads. The header is checked before, where ITK would take the pixels for something else.
// ITK 5.2 reads the first part of an incomplete file without an error in these formats: MetaImage, DICOM, BMP, GIPL,
// MRC and VTK.

#include "ReadFormats.h"

#include "Join.h"
#include "PixelValues.h"

#include "itkBMPImageIO.h"
#include "itkImageFileReader.h"
#include "itkIOCommon.h"
#include "itkImageIOFactory.h"
#include "itkMRCImageIO.h"
#include "itkMetaDataObject.h"
#include "itkVTKImageIO.h"

#include <NrrdIO.h>
#include <gdcmAttribute.h>
#include <gdcmReader.h>
#include <gdcmSequenceOfItems.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>

namespace fs = std::filesystem;

namespace
{

/** Returns an integer of 2 or 4 bytes of a file, the low byte first. */
std::uint64_t
IntegerAt(const std::string & file, std::streamoff offset, std::streamsize size)
{
  std::array<unsigned char, 4> bytes{};
  std::ifstream                stream(file, std::ios::binary);
  stream.seekg(offset);
  stream.read(reinterpret_cast<char *>(bytes.data()), size);
  return bytes[0] | bytes[1] << 8U | bytes[2] << 16U | static_cast<std::uint64_t>(bytes[3]) << 24U;
}

/** Returns whether a file has this many bytes. If it is gzipped, its content must be undamaged and have them. */
bool
HasLength(const std::string & file, std::uint64_t length)
{
  std::unique_ptr<gzFile_s, int (*)(gzFile)> content(gzopen(file.c_str(), "rb"), gzclose);
  if (gzdirect(content.get()))
  {
    return fs::file_size(file) >= length;
  }
  std::vector<char> buffer(1 << 20);
  std::uint64_t     read = 0;
  int               count = 0;
  while ((count = gzread(content.get(), buffer.data(), static_cast<unsigned int>(buffer.size()))) > 0)
  {
    read += static_cast<std::uint64_t>(count);
  }
  return count == 0 && gzclose(content.release()) == Z_OK && read >= length;
}

/** Returns whether a file has this many numbers as text, after its header or after the line that ends the header of a
 * MetaImage. */
bool
HasText(const std::string & file, std::streamoff headerLength, std::uint64_t count)
{
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(headerLength);
  std::string word;
  while (headerLength == 0 && word.compare(0, 15, "ElementDataFile") != 0 && std::getline(stream, word))
  {
  }
  while (count > 0 && stream >> word)
  {
    --count;
  }
  return count == 0;
}

/** Reads pixels by ITK. Returns whether all are read, except those of a few bytes in the middle. The last 8 bytes, and
 * 8 bytes of each page of 4096, get a random byte before. If the byte is still there, another one tells whether it is
 * a pixel. ITK may change the order of bytes that it has not read. */
bool
ReadPixels(itk::ImageIOBase & io, char * pixels, std::uint64_t size)
{
  std::random_device random;
  for (int attempt = 0; attempt < 8; ++attempt)
  {
    const auto          mark = static_cast<char>(1 + random() % 255);
    const std::uint64_t length = std::min<std::uint64_t>(size, 8);
    for (std::uint64_t end = size; end >= length && end > 0; end = (end - 1) / 4096 * 4096)
    {
      std::fill_n(pixels + end - length, length, mark);
    }
    io.Read(pixels);
    bool isRead = std::find(pixels + size - length, pixels + size, mark) == pixels + size;
    for (std::uint64_t end = (size - 1) / 4096 * 4096; isRead && end > 0; end -= 4096)
    {
      isRead = std::count(pixels + end - length, pixels + end, mark) < static_cast<std::ptrdiff_t>(length);
    }
    if (isRead)
    {
      return true;
    }
  }
  return false;
}

/** Returns a text that ITK has read from a header, or nothing. */
std::string
ValueOf(const itk::ImageIOBase & io, const std::string & key)
{
  std::string text;
  itk::ExposeMetaData(io.GetMetaDataDictionary(), key, text);
  return text.substr(0, text.find_last_not_of(std::string(" \0", 2)) + 1);
}

/** Sets what the header of an NRRD file says beyond ITK's reader. ITK 5.2 changes the signs of a wrong axis in the
 * space left-anterior-superior, ignores units, and makes components of a list of images. */
void
ReadNrrdHeader(const std::string & file, FileImage & image)
{
  const std::unique_ptr<Nrrd, Nrrd * (*)(Nrrd *)>                      nrrd(nrrdNew(), nrrdNuke);
  const std::unique_ptr<NrrdIoState, NrrdIoState * (*)(NrrdIoState *)> io(nrrdIoStateNew(), nrrdIoStateNix);
  nrrdIoStateSet(io.get(), nrrdIoStateSkipData, 1);
  if (nrrdLoad(nrrd.get(), file.c_str(), io.get()) != 0)
  {
    biffDone(NRRD);
    RefuseDamaged(true, file);
  }
  std::string unit = nrrd->spaceDim > 0 && nrrd->spaceUnits[0] != nullptr ? nrrd->spaceUnits[0] : "";
  for (unsigned int axis = 0; axis < nrrd->dim; ++axis)
  {
    const NrrdAxisInfo & info = nrrd->axis[axis];
    image.isList = image.isList || info.kind == nrrdKindList;
    unit = unit.empty() && info.units != nullptr ? info.units : unit;
    RefuseIf(info.kind == nrrdKindTime && info.size > 1,
             file,
             ": has an axis of times (" + std::to_string(info.size) +
               "); only images of 2 or 3 dimensions can be labeled, so split it first");
  }
  if (nrrd->space == nrrdSpaceLeftAnteriorSuperior)
  {
    std::array<unsigned int, NRRD_DIM_MAX> domain{};
    nrrdDomainAxesGet(nrrd.get(), domain.data());
    auto & space = *image.geometry.space;
    auto   origin = space.GetOrigin();
    auto   direction = space.GetDirection();
    for (unsigned int row = 0; row < 3; ++row)
    {
      const double sign = row == 1 ? -1.0 : 1.0; // from anterior to posterior
      origin[row] = IsLength(nrrd->spaceOrigin[row]) ? sign * nrrd->spaceOrigin[row] : 0.0;
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        const double edge = nrrd->axis[domain[axis]].spaceDirection[row];
        direction[row][axis] = IsLength(edge) ? sign * edge / space.GetSpacing()[axis] : direction[row][axis];
      }
    }
    space.SetOrigin(origin);
    space.SetDirection(direction);
  }
  ConvertUnit(unit.empty() ? 1.0 : MillimetersOf(unit), image.geometry);
}

/** Throws Failure for DICOM segmentations. ITK 5.2 reads one kind of them as a volume, and does not know the other. */
void
RequireNoSegmentation(const std::string & file)
{
  gdcm::Reader reader;
  reader.SetFileName(file.c_str());
  gdcm::Attribute<0x0008, 0x0016> sopClass{};
  if (reader.ReadUpToTag(sopClass.GetTag()))
  {
    sopClass.SetFromDataSet(reader.GetFile().GetDataSet());
  }
  RefuseIf(sopClass.GetValue().compare(0, 27, "1.2.840.10008.5.1.4.1.1.66.") == 0,
           file,
           ": is a DICOM segmentation, whose segments are no slices of a volume; convert it to NRRD or NIfTI "
           "by dcmqi (segimage2itkimage) or highdicom");
}

/** Returns whether the frames of a DICOM file are where the geometry has slices. Frames without positions are. */
bool
AreSlices(const std::string & file, const itk::ImageBase<3> & space)
{
  gdcm::Reader reader;
  reader.SetFileName(file.c_str());
  const gdcm::Tag groupsTag(0x5200, 0x9230);
  if (!reader.ReadUpToTag(groupsTag) || !reader.GetFile().GetDataSet().FindDataElement(groupsTag))
  {
    return true;
  }
  const auto groups = reader.GetFile().GetDataSet().GetDataElement(groupsTag).GetValueAsSQ();
  const auto count = space.GetLargestPossibleRegion().GetSize()[2];
  for (itk::SizeValueType frame = 0; groups && frame < count; ++frame)
  {
    const gdcm::Tag positionTag(0x0020, 0x9113);
    if (frame >= groups->GetNumberOfItems() ||
        !groups->GetItem(frame + 1).GetNestedDataSet().FindDataElement(positionTag))
    {
      return false;
    }
    const auto plane = groups->GetItem(frame + 1).GetNestedDataSet().GetDataElement(positionTag).GetValueAsSQ();
    if (!plane || plane->GetNumberOfItems() != 1)
    {
      return false;
    }
    gdcm::Attribute<0x0020, 0x0032> position{};
    position.SetFromDataSet(plane->GetItem(1).GetNestedDataSet());
    const itk::Index<3> index{ { 0, 0, static_cast<itk::IndexValueType>(frame) } };
    const auto          expected = space.TransformIndexToPhysicalPoint<double>(index);
    if (expected.EuclideanDistanceTo(itk::Point<double, 3>(position.GetValues())) > 0.01 * space.GetSpacing()[2])
    {
      return false;
    }
  }
  return true;
}

/** Throws Failure for DICOM files whose frames are not the slices of a volume of gray values or RGB colors. */
void
RequireSlices(const std::string & file, const itk::ImageIOBase & io, const Geometry & geometry)
{
  const std::string frames = ValueOf(io, "0028|0008");
  const std::string increment = ValueOf(io, "0028|0009");
  RefuseIf(ValueOf(io, "0028|0004") == "PALETTE COLOR" || ValueOf(io, "0028|0100") == "1",
           file,
           ": cannot be read: its pixels are indices into a palette of colors or single bits; convert it to "
           "NRRD or NIfTI first");
  // Offsets of a grid, slices, slice locations and positions of frames; other pointers are times.
  const std::array pointers{ "(3004,000c)", "(0054,0080)", "(0018,2005)", "(5200,9230)" };
  const bool isSpatial = increment.empty() || std::find(pointers.begin(), pointers.end(), increment) != pointers.end();
  RefuseIf(!frames.empty() && frames != "1" && !(isSpatial && AreSlices(file, *geometry.space)),
           file,
           ": has " + frames +
             " frames that are times, stacks or unevenly spaced slices; convert it to NIfTI "
             "first, such as by dcm2niix, and split it");
}

/** Reads the type of the pixels in MRC files. Programs before MRC 2014 write unsigned bytes, and IMOD says which. */
void
ReadMrcHeader(const std::string &                  file,
              const itk::MRCHeaderObject::Header & header,
              FileImage &                          image,
              ImageView::PixelTypeEnum &           type)
{
  constexpr std::uint64_t imod = 1146047817;
  const bool              isByIMod = IntegerAt(file, 152, 4) == imod;
  if (header.mode == 0 && (isByIMod || IntegerAt(file, 108, 4) / 10 == 2014))
  {
    const bool isSigned = !isByIMod || (IntegerAt(file, 156, 4) & 1) != 0;
    type = isSigned ? ImageView::PixelTypeEnum::Int8 : ImageView::PixelTypeEnum::UInt8;
  }
  const std::uint64_t spaceGroup = IntegerAt(file, 88, 4);
  RefuseIf((spaceGroup >= 401 && spaceGroup <= 630) || (spaceGroup == 0 && header.mz == 1 && header.nz > 1),
           file,
           ": is a stack of images or of volumes (space group " + std::to_string(spaceGroup) + "); split it first");
  ConvertUnit(1e-7, image.geometry); // angstroms
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

itk::MRCHeaderObject::ConstPointer
HeaderOf(const itk::ImageIOBase & io)
{
  itk::MRCHeaderObject::ConstPointer header;
  itk::ExposeMetaData(io.GetMetaDataDictionary(), itk::MRCImageIO::m_MetaDataHeaderName, header);
  return header;
}

/** Returns whether a file has all pixels. `errors` is what libraries have printed. */
bool
IsWhole(const std::string & file, const itk::ImageIOBase & io, const std::string & errors)
{
  const auto          has = [&errors](const char * text) { return errors.find(text) != std::string::npos; };
  const std::string   format = io.GetNameOfClass();
  const auto          length = static_cast<std::uint64_t>(io.GetImageSizeInBytes());
  const bool          isVtk = format == "VTKImageIO";
  const std::uint64_t headerLength = isVtk ? static_cast<const itk::VTKImageIO &>(io).GetHeaderSize() : 0;
  if (io.GetFileType() == itk::ImageIOBase::IOFileEnum::ASCII && (isVtk || format == "MetaImageIO"))
  {
    return HasText(file, static_cast<std::streamoff>(headerLength), io.GetImageSizeInComponents());
  }
  // The rows of a BMP have whole numbers of 4 bytes.
  const std::uint64_t rowLength = (io.GetDimensions(0) * io.GetNumberOfComponents() + 3) / 4 * 4;
  return format == "BMPImageIO"    ? HasLength(file, IntegerAt(file, 10, 4) + rowLength * io.GetDimensions(1))
         : format == "MRCImageIO"  ? HasLength(file, 1024 + HeaderOf(io)->GetExtendedHeaderSize() + length)
         : format == "GiplImageIO" ? HasLength(file, 256 + length)
         : isVtk                   ? HasLength(file, headerLength + length)
                                   : !has("at own risk") && !has("not read completely") && !has("Uncompress failed") &&
                     !has("MetaImage: Read: ");
}

/** Returns whether a VTK header has its numbers, which ITK makes up otherwise, and whether the number of dimensions of
 * a MetaImage is one that MetaIO can have. */
bool
HasNumbers(const std::string & file, bool isVtk)
{
  std::ifstream stream(file, std::ios::binary);
  bool          hasNumbers = true;
  std::string   line;
  while (line.compare(0, 15, "ElementDataFile") != 0 && line.compare(0, 10, "POINT_DATA") != 0 &&
         std::getline(stream, line))
  {
    std::istringstream words(line);
    std::string        word;
    words >> word;
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char letter) { return std::toupper(letter); });
    std::array<double, 3> numbers{};
    const bool            isNeeded =
      isVtk && (word == "DIMENSIONS" || word == "SPACING" || word == "ASPECT_RATIO" || word == "ORIGIN");
    hasNumbers = hasNumbers && (!isNeeded || words >> numbers[0] >> numbers[1] >> numbers[2]);
    const std::size_t digit = line.find_first_of("0123456789");
    hasNumbers = hasNumbers && (isVtk || word.compare(0, 5, "NDIMS") != 0 || digit == std::string::npos ||
                                std::atof(&line[digit]) <= 10.0);
  }
  return hasNumbers;
}

/** Opens a file by ITK. Throws Failure if it is not an image, if the image has no pixels, or if the tool does not read
 * its format. */
itk::ImageIOBase::Pointer
OpenImage(const std::string & file)
{
  if (IntegerAt(file, 128, 4) == 0x4D434944) // DICM
  {
    RequireNoSegmentation(file);
  }
  const itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  RefuseIf(!io, file, ": is not an image in a format that ITK can read (NIfTI, NRRD, MetaImage, PNG, TIFF, ...)");
  const std::string format = io->GetNameOfClass();
  const std::array  formats{ "NrrdImageIO", "MetaImageIO", "GDCMImageIO", "VTKImageIO",
                            "MRCImageIO",  "GiplImageIO", "HDF5ImageIO", "BMPImageIO" };
  RefuseIf(std::find(formats.begin(), formats.end(), format) == formats.end(),
           file,
           ": is in a format that this tool does not read (" + format + "); convert it to NIfTI, NRRD or TIFF first");
  RefuseIf(format == "BMPImageIO" && (IntegerAt(file, 14, 4) != 40 || IntegerAt(file, 30, 4) != 0),
           file,
           ": cannot be read: it is a BMP file that is compressed or of an old kind; convert it to PNG first");
  const bool isVtk = format == "VTKImageIO";
  RefuseDamaged((isVtk || format == "MetaImageIO") && !HasNumbers(file, isVtk), file);
  io->SetExpandRGBPalette(false);
  io->SetFileName(file);
  io->ReadImageInformation();
  for (unsigned int axis = 0; axis < io->GetNumberOfDimensions(); ++axis)
  {
    RefuseIf(
      io->GetDimensions(axis) == 0, file, ": has no pixels: its size along axis " + std::to_string(axis) + " is 0");
    const std::vector<double> direction = io->GetDirection(axis);
    RefuseDamaged(!std::all_of(direction.begin(), direction.end(), IsLength) || !IsLength(io->GetSpacing(axis)) ||
                    !IsLength(io->GetOrigin(axis)),
                  file,
                  "its axes are no numbers");
    RefuseIf(axis >= 3 && io->GetDimensions(axis) > 1,
             file,
             ": has " + std::to_string(io->GetNumberOfDimensions()) +
               " dimensions; only images of 2 or 3 dimensions can be labeled, so split it first");
  }
  return io;
}

} // namespace

void
ReadByItk(const std::string & file, FileImage & image)
{
  // MetaIO and GDCM print errors instead of reporting them to ITK.
  std::ostringstream errors;
  const auto         restore = [](std::streambuf * buffer) { std::cerr.rdbuf(buffer); };
  const std::unique_ptr<std::streambuf, decltype(restore)> original(std::cerr.rdbuf(errors.rdbuf()), restore);
  const itk::ImageIOBase::Pointer                          io = OpenImage(file);
  const std::string                                        format = io->GetNameOfClass();
  ImageView::PixelTypeEnum                                 type = ComponentOf(*io, file);

  // The reader has ITK's rules for spacings and axes. It reads the header only, because it would convert the pixels.
  const auto reader = itk::ImageFileReader<itk::Image<unsigned char, 3>>::New();
  reader->SetFileName(file);
  reader->SetImageIO(io);
  reader->UpdateOutputInformation();
  image.geometry.space->CopyInformation(reader->GetOutput());
  SetSize(reader->GetOutput()->GetLargestPossibleRegion().GetSize(),
          std::clamp(io->GetNumberOfDimensions(), 2U, 3U),
          image.geometry);
  image.hasAlpha = io->GetPixelType() == itk::IOPixelEnum::RGBA;
  for (const std::string & key : io->GetMetaDataDictionary().GetKeys())
  {
    if (key.compare(0, 7, "Segment") == 0)
    {
      image.segments[key] = ValueOf(*io, key);
    }
  }
  if (format == "NrrdImageIO")
  {
    ReadNrrdHeader(file, image);
  }
  else if (format == "GDCMImageIO")
  {
    RequireSlices(file, *io, image.geometry);
  }
  else if (format == "MRCImageIO")
  {
    ReadMrcHeader(file, HeaderOf(*io)->GetHeader(), image, type);
  }
  else if (const std::string unit = ValueOf(*io, itk::ITK_VoxelUnits); !unit.empty())
  {
    ConvertUnit(MillimetersOf(unit), image.geometry); // of a MetaImage
  }
  else if (format == "BMPImageIO")
  {
    ConvertUnit(0.0, image.geometry);
  }

  itk::ImageIORegion region(io->GetNumberOfDimensions());
  for (unsigned int axis = 0; axis < io->GetNumberOfDimensions(); ++axis)
  {
    region.SetSize(axis, io->GetDimensions(axis));
  }
  io->SetIORegion(region);
  // The pixels of NRRD and MetaImage may be in other files.
  const bool   isOneFile = format != "NrrdImageIO" && format != "MetaImageIO";
  char * const pixels = AllocatePixels(file, isOneFile ? 65536.0 : HUGE_VAL, type, io->GetNumberOfComponents(), image);
  RefuseDamaged(static_cast<std::uint64_t>(io->GetImageSizeInBytes()) != image.GetBytes(), file);
  if (format == "GiplImageIO") // ITK reads such a file once only
  {
    io->Read(pixels);
  }
  else
  {
    RefuseDamaged(!ReadPixels(*io, pixels, image.GetBytes()), file);
  }
  RefuseDamaged(!IsWhole(file, *io, errors.str()), file);
  if (format == "BMPImageIO" && io->GetNumberOfComponents() == 1)
  {
    std::vector<Color> palette;
    for (const auto & color : static_cast<const itk::BMPImageIO &>(*io).GetColorPalette())
    {
      palette.push_back({ color.GetRed(), color.GetGreen(), color.GetBlue() });
    }
    ApplyPalette(palette, image);
  }
  for (std::uint64_t i = 0; format == "BMPImageIO" && image.componentCount == 4 && i < image.view.Count(); ++i)
  {
    std::rotate(pixels + 4 * i, pixels + 4 * i + 1, pixels + 4 * i + 4); // alpha is the first number
  }
}
