// SPDX-License-Identifier: Apache-2.0

// The formats whose pixels ITK reads: NRRD, MetaImage, DICOM and MRC. The header is checked before, where ITK would
// take the pixels for something else.

#include "ReadFormats.h"

#include "itkByteSwapper.h"
#include "itkIOCommon.h"
#include "itkImageFileReader.h"
#include "itkImageIOFactory.h"
#include "itkMetaDataObject.h"
#include "itkMetaImageIO.h"

#include <NrrdIO.h>
#include <gdcmAttribute.h>
#include <gdcmReader.h>
#include <gdcmSequenceOfItems.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <set>
#include <sstream>

namespace
{

/** Reads pixels by ITK. Returns whether all are read, except those of a few bytes in the middle. The last 8 bytes, and
 * 8 bytes of each page of 4096, get a random byte before. If the byte is still there, another one tells whether it is
 * a pixel. ITK may change the order of bytes that it has not read. */
bool
ReadPixels(itk::ImageIOBase & io, char * pixels, std::uint64_t size)
{
  std::random_device  random;
  const std::uint64_t length = std::min<std::uint64_t>(size, 8);
  bool                isRead = false;
  for (int attempt = 0; attempt < 8 && !isRead; ++attempt)
  {
    const auto mark = static_cast<char>(1 + random() % 255);
    for (std::uint64_t end = size; end > 0; end = (end - 1) / 4096 * 4096)
    {
      std::fill_n(pixels + end - length, length, mark);
    }
    io.Read(pixels);
    isRead = std::count(pixels + size - length, pixels + size, mark) == 0;
    for (std::uint64_t end = (size - 1) / 4096 * 4096; isRead && end > 0; end -= 4096)
    {
      isRead = std::count(pixels + end - length, pixels + end, mark) < static_cast<std::ptrdiff_t>(length);
    }
  }
  return isRead;
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
 * space left-anterior-superior, ignores units, and makes components of a list of images. Returns whether the pixels
 * are in the file, too. */
bool
ReadNrrdHeader(const std::string & file, FileImage & image)
{
  const std::unique_ptr<Nrrd, Nrrd * (*)(Nrrd *)>                      nrrd(nrrdNew(), nrrdNuke);
  const std::unique_ptr<NrrdIoState, NrrdIoState * (*)(NrrdIoState *)> io(nrrdIoStateNew(), nrrdIoStateNix);
  nrrdIoStateSet(io.get(), nrrdIoStateSkipData, 1);
  if (nrrdLoad(nrrd.get(), file.c_str(), io.get()) != 0)
  {
    biffDone(NRRD);
    RefuseDamaged(true);
  }
  auto                  direction = image.geometry.space->GetDirection();
  unsigned int          column = 0;
  double                x = 0.0; // is negative if the signs of x are wrong
  std::set<std::string> units;   // of the axes in space
  const auto            textOf = [](const char * text) { return std::string(text != nullptr ? text : ""); };
  for (unsigned int axis = 0; axis < nrrd->spaceDim; ++axis)
  {
    units.insert(textOf(nrrd->spaceUnits[axis]));
  }
  const bool hasSpaceUnits = units.size() > 1 || (units.size() == 1 && !units.begin()->empty());
  units = hasSpaceUnits ? units : std::set<std::string>();
  for (unsigned int axis = 0; axis < nrrd->dim; ++axis)
  {
    const NrrdAxisInfo & info = nrrd->axis[axis];
    image.isList = image.isList || info.kind == nrrdKindList;
    x += column < 3 && IsLength(info.spaceDirection[0]) ? direction[0][column++] * info.spaceDirection[0] : 0.0;
    if (!hasSpaceUnits && info.kind != nrrdKindList && nrrdKindSize(info.kind) == 0)
    {
      units.insert(textOf(info.units));
    }
    RefuseIf(info.kind == nrrdKindTime && info.size > 1,
             "has an axis of times (" + std::to_string(info.size) + "); " + splitAdvice);
  }
  if (nrrd->space == nrrdSpaceLeftAnteriorSuperior && x < 0.0)
  {
    auto origin = image.geometry.space->GetOrigin();
    for (unsigned int row = 0; row < 2; ++row)
    {
      origin[row] = -origin[row];
      direction.GetVnlMatrix().scale_row(row, -1.0);
    }
    image.geometry.space->SetOrigin(origin);
    image.geometry.space->SetDirection(direction);
  }
  const std::string unit = units.empty() ? "" : *units.begin();
  ConvertUnit(units.size() > 1 ? 0.0 : unit.empty() ? 1.0 : MillimetersOf(unit), image.geometry);
  return io->dataFNFormat == nullptr && io->dataFNArr->len == 0;
}

/** Returns an item of a sequence, or a data set without elements. */
gdcm::DataSet
ItemOf(const gdcm::DataSet & data, const gdcm::Tag & tag, std::size_t item)
{
  const auto items = data.FindDataElement(tag) ? data.GetDataElement(tag).GetValueAsSQ() : nullptr;
  return items && item < items->GetNumberOfItems() ? items->GetItem(item + 1).GetNestedDataSet() : gdcm::DataSet();
}

/** Reads a DICOM file up to a tag, or returns a data set without elements. */
gdcm::DataSet
ReadDicom(const std::string & file, const gdcm::Tag & tag)
{
  gdcm::Reader reader;
  reader.SetFileName(file.c_str());
  return reader.CanRead() && reader.ReadUpToTag(tag) ? reader.GetFile().GetDataSet() : gdcm::DataSet();
}

/** Throws Failure for DICOM segmentations. ITK 5.2 reads one kind of them as a volume, and does not know the other. */
void
RequireNoSegmentation(const std::string & file)
{
  gdcm::Attribute<0x0008, 0x0016> sopClass{};
  sopClass.SetFromDataSet(ReadDicom(file, sopClass.GetTag()));
  RefuseIf(sopClass.GetValue().compare(0, 27, "1.2.840.10008.5.1.4.1.1.66.") == 0,
           "is a DICOM segmentation, whose segments are no slices of a volume; convert it to NRRD or NIfTI "
           "by dcmqi (segimage2itkimage) or highdicom");
}

/** Returns a number of a data set, or nothing. */
template <typename TAttribute>
std::optional<double>
NumberIn(const gdcm::DataSet & data)
{
  TAttribute attribute{};
  if (!data.FindDataElement(attribute.GetTag()))
  {
    return {};
  }
  attribute.SetFromDataSet(data);
  return static_cast<double>(attribute.GetValue());
}

/** Throws Failure for DICOM files whose frames are not the slices of a volume of gray values or RGB colors. Sets the
 * size of pixels that GDCM ignores, or that the file does not have. */
void
ReadDicomHeader(const std::string & file, const itk::ImageIOBase & io, Geometry & geometry)
{
  const auto &      space = *geometry.space;
  const std::string frames = ValueOf(io, "0028|0008");
  const std::string increment = ValueOf(io, "0028|0009");
  RefuseIf(ValueOf(io, "0028|0004") == "PALETTE COLOR" || ValueOf(io, "0028|0100") == "1",
           "cannot be read: its pixels are indices into a palette of colors or single bits; convert it to "
           "NRRD or NIfTI first");
  // Offsets of a grid, slices, slice locations and positions of frames; other pointers are times.
  const std::array    pointers{ "", "(3004,000c)", "(0054,0080)", "(0018,2005)", "(5200,9230)" };
  const gdcm::Tag     groups(0x5200, 0x9230);
  const gdcm::DataSet header = ReadDicom(file, groups);
  bool                areSlices = std::find(pointers.begin(), pointers.end(), increment) != pointers.end() &&
                   (!increment.empty() || header.FindDataElement(groups));
  // Frames that have positions must be where ITK has slices, and ITK takes the slope of the first one.
  std::array<std::optional<double>, 2> firstSlope;
  for (itk::IndexValueType i = 0; header.FindDataElement(groups) && areSlices && i < std::atoll(frames.c_str()); ++i)
  {
    const auto plane = ItemOf(ItemOf(header, groups, static_cast<std::size_t>(i)), gdcm::Tag(0x0020, 0x9113), 0);
    gdcm::Attribute<0x0020, 0x0032> position{};
    position.SetFromDataSet(plane);
    const auto expected = space.TransformIndexToPhysicalPoint<double>(itk::Index<3>{ { 0, 0, i } });
    const auto distance = expected.EuclideanDistanceTo(itk::Point<double, 3>(position.GetValues()));
    areSlices = plane.FindDataElement(position.GetTag()) && distance <= 0.01 * space.GetSpacing()[2];
    const auto       values = ItemOf(ItemOf(header, groups, static_cast<std::size_t>(i)), gdcm::Tag(0x0028, 0x9145), 0);
    const std::array slope{ NumberIn<gdcm::Attribute<0x0028, 0x1053>>(values),
                            NumberIn<gdcm::Attribute<0x0028, 0x1052>>(values) };
    firstSlope = i == 0 ? slope : firstSlope;
    RefuseIf(slope != firstSlope, "cannot be read: its frames have different slopes; convert it to NIfTI first");
  }
  gdcm::Attribute<0x3004, 0x000c> offsets;
  if (increment == "(3004,000c)" && header.FindDataElement(offsets.GetTag()))
  {
    offsets.SetFromDataSet(header);
    for (unsigned int i = 0; i < offsets.GetNumberOfValues(); ++i)
    {
      const double expected = i * space.GetSpacing()[2];
      areSlices = areSlices && std::abs(std::abs(offsets[i] - offsets[0]) - expected) <= 0.01 * space.GetSpacing()[2];
    }
  }
  RefuseIf(NumberIn<gdcm::Attribute<0x3004, 0x000e>>(header).value_or(1.0) != 1.0,
           "cannot be read: its values are a dose with a scaling; convert it to NIfTI or NRRD first");
  RefuseIf(!frames.empty() && frames != "1" && !areSlices,
           "has " + frames +
             " frames that are times, stacks or unevenly spaced slices; convert it to NIfTI "
             "first, such as by dcm2niix, and split it");
  gdcm::Attribute<0x0028, 0x0030> rowAndColumn{};
  if (header.FindDataElement(rowAndColumn.GetTag()))
  {
    rowAndColumn.SetFromDataSet(header);
    auto spacing = space.GetSpacing();
    spacing[0] = rowAndColumn[1] > 0.0 ? rowAndColumn[1] : spacing[0];
    spacing[1] = rowAndColumn[0] > 0.0 ? rowAndColumn[0] : spacing[1];
    geometry.space->SetSpacing(spacing);
  }
  else if (!header.IsEmpty() && !header.FindDataElement(gdcm::Tag(0x0018, 0x1164)) &&
           !header.FindDataElement(gdcm::Tag(0x0018, 0x2010)) && !header.FindDataElement(gdcm::Tag(0x5200, 0x9229)))
  {
    ConvertUnit(0.0, geometry);
  }
}

/** Reads what ITK does not read of the header of an MRC file. Programs before MRC 2014 write unsigned bytes, and IMOD
 * says which. */
void
ReadMrcHeader(const std::string & file, const itk::ImageIOBase & io, FileImage & image, bool & isSigned)
{
  std::array<std::uint32_t, 256> header{};
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char *>(header.data()), sizeof(header));
  if (io.GetByteOrder() == itk::IOByteOrderEnum::BigEndian)
  {
    itk::ByteSwapper<std::uint32_t>::SwapRangeFromSystemToBigEndian(header.data(), header.size());
  }
  const std::uint32_t spaceGroup = header[22];
  RefuseIf((spaceGroup >= 401 && spaceGroup <= 630) || (spaceGroup == 0 && header[9] == 1 && header[2] > 1),
           "is a stack of images or of volumes (space group " + std::to_string(spaceGroup) + "); split it first");
  std::array<float, 6> cell{}; // lengths and angles
  std::memcpy(cell.data(), &header[10], sizeof(cell));
  const bool hasAxes = header[16] == 1 && header[17] == 2 && header[18] == 3;
  const auto isRight = [](float angle) { return angle == 0.0F || std::abs(angle - 90.0F) < 0.01F; };
  RefuseIf((!hasAxes && (header[16] != 0 || header[17] != 0 || header[18] != 0)) ||
             !std::all_of(cell.begin() + 3, cell.end(), isRight),
           "cannot be read: its axes are in another order, or not at right angles; convert it first");
  ConvertUnit(cell[0] > 0.0F ? 1e-7 : 0.0, image.geometry); // angstroms
  constexpr std::uint32_t imod = 1146047817;
  isSigned = header[3] != 0 ? isSigned : header[38] == imod ? (header[39] & 1) != 0 : header[27] / 10 == 2014;
}

/** Returns a number of the header of a MetaImage, or 0. */
double
NumberOf(const std::string & file, const std::string & field)
{
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; line.compare(0, 15, "ElementDataFile") != 0 && std::getline(stream, line);)
  {
    const std::size_t digit = line.find_first_of("0123456789");
    if (line.find(field) != std::string::npos && digit != std::string::npos)
    {
      return std::atof(&line[digit]);
    }
  }
  return 0.0;
}

} // namespace

void
ReadGeometry(const std::string & file, itk::ImageIOBase * io, Geometry & geometry)
{
  // The reader reads the header only, because it would convert the pixels.
  const auto reader = itk::ImageFileReader<itk::Image<unsigned char, 3>>::New();
  reader->SetFileName(file);
  reader->SetImageIO(io);
  reader->UpdateOutputInformation();
  geometry.space->CopyInformation(reader->GetOutput());
  geometry.space->SetRegions(reader->GetOutput()->GetLargestPossibleRegion());
}

void
ReadByItk(const std::string & file, FileImage & image)
{
  // MetaIO and GDCM print errors instead of reporting them to ITK.
  std::ostringstream errors;
  const auto         restore = [](std::streambuf * buffer) { std::cerr.rdbuf(buffer); };
  const std::unique_ptr<std::streambuf, decltype(restore)> original(std::cerr.rdbuf(errors.rdbuf()), restore);

  RequireNoSegmentation(file);
  const itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  RefuseIf(!io, "is not an image in a format that ITK can read (NIfTI, NRRD, MetaImage, PNG, TIFF, ...)");
  const std::string format = io->GetNameOfClass();
  const bool        isMetaImage = format == "MetaImageIO";
  RefuseIf(!isMetaImage && format != "NrrdImageIO" && format != "GDCMImageIO" && format != "MRCImageIO",
           "is in a format that this tool does not read (" + format + "); convert it to NIfTI, NRRD or TIFF first");
  RefuseDamaged(isMetaImage && NumberOf(file, "NDims") > 10.0); // MetaIO has memory for 10
  io->SetFileName(file);
  io->ReadImageInformation();
  const unsigned int dimension = io->GetNumberOfDimensions();
  itk::ImageIORegion region(dimension);
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    region.SetSize(axis, io->GetDimensions(axis));
    RefuseIf(region.GetSize(axis) == 0, "has no pixels: its size along axis " + std::to_string(axis) + " is 0");
    RefuseIf(axis >= 3 && region.GetSize(axis) > 1, "has " + std::to_string(dimension) + " dimensions; " + splitAdvice);
    std::vector<double> lengths = io->GetDirection(axis);
    lengths.insert(lengths.end(), { io->GetSpacing(axis), io->GetOrigin(axis) });
    RefuseDamaged(!std::all_of(lengths.begin(), lengths.end(), IsLength), "its axes are no numbers");
  }
  RefuseIf(isMetaImage && io->GetFileType() == itk::IOFileEnum::ASCII,
           "cannot be read: its pixels are text; save them as binary numbers");
  io->SetIORegion(region);
  const std::string typeName = itk::ImageIOBase::GetComponentTypeAsString(io->GetComponentType());
  RefuseIf(typeName == "unknown" || io->GetComponentSize() > 8, "cannot be read: its pixels have the type " + typeName);
  bool isSigned = typeName.compare(0, 8, "unsigned") != 0;
  ReadGeometry(file, io, image.geometry);
  image.geometry.dimension = std::clamp(dimension, 2U, 3U);
  image.hasAlpha = io->GetPixelType() == itk::IOPixelEnum::RGBA;
  for (const std::string & key : io->GetMetaDataDictionary().GetKeys())
  {
    if (key.compare(0, 7, "Segment") == 0)
    {
      image.segments[key] = ValueOf(*io, key);
    }
  }
  bool isOneFile = true; // header and pixels
  if (format == "NrrdImageIO")
  {
    isOneFile = ReadNrrdHeader(file, image);
  }
  else if (format == "GDCMImageIO")
  {
    ReadDicomHeader(file, *io, image.geometry);
  }
  else if (format == "MRCImageIO")
  {
    ReadMrcHeader(file, *io, image, isSigned);
  }
  else
  {
    const std::string unit = ValueOf(*io, itk::ITK_VoxelUnits);
    ConvertUnit(unit.empty() ? 1.0 : MillimetersOf(unit), image.geometry);
    const std::string name = static_cast<itk::MetaImageIO &>(*io).GetMetaImagePointer()->ElementDataFileName();
    isOneFile = name == "LOCAL" || name == "Local" || name == "local";
  }
  const double expansion = isOneFile ? 65536.0 : HUGE_VAL; // of compressed pixels
  const auto   type = TypeOfNumbers(io->GetComponentSize(), typeName == "float" || typeName == "double", isSigned);
  char * const pixels = AllocatePixels(file, expansion, type, io->GetNumberOfComponents(), image);
  const std::uint64_t bytes = image.view.Count() * image.componentCount * ImageView::SizeOf(type);
  RefuseDamaged(static_cast<std::uint64_t>(io->GetImageSizeInBytes()) != bytes);
  // MetaIO allocates what the header says.
  RefuseDamaged(isMetaImage && NumberOf(file, "CompressedDataSize") > 2.0 * static_cast<double>(bytes) + 1000.0);
  errors.str(""); // of the header
  RefuseDamaged(!ReadPixels(*io, pixels, bytes) || (isMetaImage && !errors.str().empty()) ||
                errors.str().find("at own risk") != std::string::npos); // GDCM, if a file is too short
}
