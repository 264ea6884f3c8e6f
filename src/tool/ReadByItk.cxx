// SPDX-License-Identifier: Apache-2.0

// The formats whose pixels ITK reads: NRRD, MetaImage, DICOM and MRC. The header is checked before, where ITK would
// take the pixels for something else.

#include "ReadFormats.h"

#include "itkByteSwapper.h"
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
#include <iterator>
#include <set>
#include <sstream>

namespace
{

const gdcm::Tag framesTag(0x5200, 0x9230); // of the descriptions of frames

/** Reads pixels by ITK. Returns whether all are read, except those of a few bytes in the middle. 8 bytes of each 4096,
 * and each of the last 8 bytes, get a mark before. If a mark is still there, a second call with another mark shows
 * whether it is a pixel. ITK may change the order of bytes that it has not read. */
bool
ReadPixels(itk::ImageIOBase & io, char * pixels, std::uint64_t size)
{
  const auto visitPieces = [&](const auto & visit) {
    const std::uint64_t last = size - std::min<std::uint64_t>(size, 8);
    for (std::uint64_t i = 0; i < size; i = i >= last ? i + 1 : std::min(i + 4096, last))
    {
      visit(pixels + i, pixels + (i < last ? std::min(i + 8, last) : i + 1));
    }
  };
  const auto read = [&](char mark) { // returns whether each piece has the mark afterwards
    std::vector<bool> isMark;
    visitPieces([&](char * begin, char * end) { std::fill(begin, end, mark); });
    io.Read(pixels);
    visitPieces([&](char * begin, char * end) { isMark.push_back(std::count(begin, end, mark) == end - begin); });
    return isMark;
  };
  const std::vector<bool> first = read('\xA5');
  if (std::count(first.begin(), first.end(), true) == 0)
  {
    return true;
  }
  const std::vector<bool> second = read('\x5A');
  return std::equal(first.begin(), first.end(), second.begin(), [](bool a, bool b) { return !(a && b); });
}

/** Returns a text that ITK has read from a header, or nothing. */
std::string
ValueOf(const itk::ImageIOBase & io, const std::string & key)
{
  std::string text;
  itk::ExposeMetaData(io.GetMetaDataDictionary(), key, text);
  return text.substr(0, text.find_last_not_of(std::string(" \0", 2)) + 1);
}

/** Returns the numbers of a text of DICOM, which has backslashes between them. */
std::vector<double>
NumbersOf(std::string text)
{
  std::replace(text.begin(), text.end(), '\\', ' ');
  std::istringstream stream(text);
  return { std::istream_iterator<double>(stream), {} };
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
  std::array<unsigned int, NRRD_DIM_MAX> axes{}; // those of pixels, which ITK has
  const unsigned int                     axisCount = nrrdDomainAxesGet(nrrd.get(), axes.data());
  auto                                   direction = image.geometry.space->GetDirection();
  double                                 x = 0.0; // is negative if the signs of x are wrong
  std::set<std::string>                  units;
  for (unsigned int i = 0; i < axisCount; ++i)
  {
    const NrrdAxisInfo & axis = nrrd->axis[axes[i]];
    RefuseIf(axis.kind == nrrdKindTime && axis.size > 1,
             "has an axis of times (" + std::to_string(axis.size) + "); " + splitAdvice);
    const char * const unit = i < nrrd->spaceDim && nrrd->spaceUnits[i] != nullptr ? nrrd->spaceUnits[i] : axis.units;
    units.insert(unit != nullptr ? unit : "");
    x += i < 3 && IsLength(axis.spaceDirection[0]) ? direction[0][i] * axis.spaceDirection[0] : 0.0;
  }
  const auto isList = [](const NrrdAxisInfo & axis) { return axis.kind == nrrdKindList; };
  image.isList = std::any_of(nrrd->axis, nrrd->axis + nrrd->dim, isList);
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
  const bool hasNone = units.empty() || units == std::set<std::string>{ "" };
  ConvertUnit(hasNone ? 1.0 : units.size() > 1 ? 0.0 : MillimetersOf(*units.begin()), image.geometry);
  return io->dataFNFormat == nullptr && io->dataFNArr->len == 0;
}

/** Returns an item of a sequence, or a data set without elements. */
gdcm::DataSet
ItemOf(const gdcm::DataSet & data, const gdcm::Tag & tag, std::size_t item)
{
  const auto items = data.FindDataElement(tag) ? data.GetDataElement(tag).GetValueAsSQ() : nullptr;
  return items && item < items->GetNumberOfItems() ? items->GetItem(item + 1).GetNestedDataSet() : gdcm::DataSet();
}

/** Returns an element of a data set, or 0 or an empty text. */
template <std::uint16_t VGroup, std::uint16_t VElement>
gdcm::Attribute<VGroup, VElement>
ElementOf(const gdcm::DataSet & data)
{
  gdcm::Attribute<VGroup, VElement> element{};
  element.SetFromDataSet(data);
  return element;
}

/** Reads the header of a DICOM file, up to the descriptions of its frames, or returns a data set without elements.
 * Throws Failure for segmentations. ITK 5.2 reads one kind of them as a volume, and does not know the other. */
gdcm::DataSet
ReadDicom(const std::string & file)
{
  gdcm::Reader reader;
  reader.SetFileName(file.c_str());
  const gdcm::DataSet header =
    reader.CanRead() && reader.ReadUpToTag(framesTag) ? reader.GetFile().GetDataSet() : gdcm::DataSet();
  const std::string sopClass = ElementOf<0x0008, 0x0016>(header).GetValue();
  RefuseIf(sopClass.compare(0, 27, "1.2.840.10008.5.1.4.1.1.66.") == 0,
           "is a DICOM segmentation, whose segments are no slices of a volume; convert it to NRRD or NIfTI "
           "by dcmqi (segimage2itkimage) or highdicom");
  return header;
}

/** Returns whether the frames of a DICOM file are where ITK has slices. Throws Failure if their slopes differ, because
 * ITK takes that of the first one. */
bool
AreSlices(const gdcm::DataSet & header, const itk::ImageIOBase & io, const itk::ImageBase<3> & space)
{
  const double tolerance = 0.01 * space.GetSpacing()[2];
  const auto   increment = ValueOf(io, "0028|0009");
  if (!header.FindDataElement(framesTag))
  {
    const auto offsets = NumbersOf(ValueOf(io, "3004|000c"));
    for (std::size_t i = 0; i < offsets.size() && increment == "(3004,000c)"; ++i)
    {
      const double distance = std::abs(offsets[i] - offsets[0]) - static_cast<double>(i) * space.GetSpacing()[2];
      if (std::abs(distance) > tolerance)
      {
        return false;
      }
    }
    // Offsets of a grid, slices and slice locations; other pointers are times.
    return increment == "(3004,000c)" || increment == "(0054,0080)" || increment == "(0018,2005)";
  }
  std::array<double, 2> firstSlope{};
  for (itk::IndexValueType i = 0; i < std::atoll(ValueOf(io, "0028|0008").c_str()); ++i)
  {
    const auto frame = ItemOf(header, framesTag, static_cast<std::size_t>(i));
    const auto plane = ItemOf(frame, gdcm::Tag(0x0020, 0x9113), 0);
    const auto position = ElementOf<0x0020, 0x0032>(plane);
    const auto expected = space.TransformIndexToPhysicalPoint<double>(itk::Index<3>{ { 0, 0, i } });
    if (!plane.FindDataElement(position.GetTag()) ||
        expected.EuclideanDistanceTo(itk::Point<double, 3>(position.GetValues())) > tolerance)
    {
      return false;
    }
    const auto       values = ItemOf(frame, gdcm::Tag(0x0028, 0x9145), 0);
    const std::array slope{ ElementOf<0x0028, 0x1053>(values).GetValue(),
                            ElementOf<0x0028, 0x1052>(values).GetValue() };
    firstSlope = i == 0 ? slope : firstSlope;
    RefuseIf(slope != firstSlope, "cannot be read: its frames have different slopes; convert it to NIfTI first");
  }
  return increment.empty() || increment == "(5200,9230)";
}

/** Throws Failure for DICOM files whose frames are not the slices of a volume of gray values or RGB colors. Sets the
 * size of pixels that GDCM ignores, or that the file does not have. */
void
ReadDicomHeader(const gdcm::DataSet & header, const itk::ImageIOBase & io, Geometry & geometry)
{
  RefuseIf(ValueOf(io, "0028|0004") == "PALETTE COLOR" || ValueOf(io, "0028|0100") == "1",
           "cannot be read: its pixels are indices into a palette of colors or single bits; convert it to "
           "NRRD or NIfTI first");
  const auto scaling = NumbersOf(ValueOf(io, "3004|000e"));
  RefuseIf(!scaling.empty() && scaling[0] != 1.0,
           "cannot be read: its values are a dose with a scaling; convert it to NIfTI or NRRD first");
  const std::string frames = ValueOf(io, "0028|0008");
  RefuseIf(!frames.empty() && frames != "1" && !AreSlices(header, io, *geometry.space),
           "has " + frames +
             " frames that are times, stacks or unevenly spaced slices; convert it to NIfTI "
             "first, such as by dcm2niix, and split it");
  const auto rowAndColumn = NumbersOf(ValueOf(io, "0028|0030"));
  auto       spacing = geometry.space->GetSpacing();
  for (unsigned int axis = 0; axis < 2 && rowAndColumn.size() == 2; ++axis)
  {
    spacing[axis] = rowAndColumn[1 - axis] > 0.0 ? rowAndColumn[1 - axis] : spacing[axis];
  }
  geometry.space->SetSpacing(spacing);
  const std::array sources{
    gdcm::Tag(0x0028, 0x0030), gdcm::Tag(0x0018, 0x1164), gdcm::Tag(0x0018, 0x2010), gdcm::Tag(0x5200, 0x9229)
  };
  if (std::none_of(sources.begin(), sources.end(), [&](const auto & tag) { return header.FindDataElement(tag); }))
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

/** Returns a field of the header of a MetaImage, or nothing. */
std::string
FieldOf(const std::string & file, const std::string & field)
{
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; line.compare(0, 15, "ElementDataFile") != 0 && std::getline(stream, line);)
  {
    const std::size_t begin = line.find_first_not_of(" =:\t", field.size());
    if (line.compare(0, field.size(), field) == 0 && begin != std::string::npos)
    {
      return line.substr(begin, line.find_last_not_of(" \r") + 1 - begin);
    }
  }
  return "";
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

  const gdcm::DataSet             header = ReadDicom(file);
  const itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  RefuseIf(!io, "is not an image in a format that ITK can read (NIfTI, NRRD, MetaImage, PNG, TIFF, ...)");
  const std::string format = io->GetNameOfClass();
  const bool        isMetaImage = format == "MetaImageIO";
  RefuseIf(!isMetaImage && format != "NrrdImageIO" && format != "GDCMImageIO" && format != "MRCImageIO",
           "is in a format that this tool does not read (" + format + "); convert it to NIfTI, NRRD or TIFF first");
  RefuseDamaged(isMetaImage && std::atof(FieldOf(file, "NDims").c_str()) > 10.0); // MetaIO has memory for 10
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
    ReadDicomHeader(header, *io, image.geometry);
  }
  else if (format == "MRCImageIO")
  {
    ReadMrcHeader(file, *io, image, isSigned);
  }
  else
  {
    const std::string unit = FieldOf(file, "DistanceUnits");
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
  RefuseDamaged(isMetaImage &&
                std::atof(FieldOf(file, "CompressedDataSize").c_str()) > 2.0 * static_cast<double>(bytes) + 1000.0);
  errors.str(""); // of the header
  RefuseDamaged(!ReadPixels(*io, pixels, bytes) || (isMetaImage && !errors.str().empty()) ||
                errors.str().find("at own risk") != std::string::npos); // GDCM, if a file is too short
}
