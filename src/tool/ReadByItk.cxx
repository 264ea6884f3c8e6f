// SPDX-License-Identifier: Apache-2.0

// NIfTI, NRRD, MetaImage, PNG, DICOM and MRC. ITK reads the header, and for all but NIfTI the pixels. The header is
// checked where ITK would take the pixels for something else.

#include "ReadFormats.h"

#include "PixelValues.h"

#include "itkImageFileReader.h"
#include "itkImageIOFactory.h"
#include "itkMRCImageIO.h"
#include "itkMetaDataObject.h"
#include "itkPNGImageIO.h"
#include "itk_png.h"

#include <NrrdIO.h>
#include <nifti1_io.h>
#include <vnl/vnl_cross.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace
{

using NiftiHeader = std::unique_ptr<nifti_image, void (*)(nifti_image *)>;

/** Returns whether a number can be part of an axis. ITK's readers abort or hang with others. */
bool
IsLength(double number)
{
  return -1e12 < number && number < 1e12;
}

/** Returns a field of the header of a MetaImage, or nothing. */
std::string
FieldOf(const std::string & start, const std::string & name)
{
  const std::string line = Between('\n' + start, '\n' + name, "\n");
  const std::size_t begin = std::min(line.find_first_not_of(" =:\t"), line.size());
  return line.substr(begin, line.find_last_not_of(" \r") + 1 - begin);
}

/** Returns a text that ITK has read from a header, or nothing. */
std::string
ValueOf(const itk::ImageIOBase & io, const std::string & key)
{
  std::string text;
  itk::ExposeMetaData(io.GetMetaDataDictionary(), key, text);
  return text.substr(0, text.find_last_not_of(std::string(" \0", 2)) + 1);
}

/** Reads the header of a file, a NIfTI file also by its own library. ITK has no axes that are not at right angles,
 * which NIfTI can have. If the user ignores them, only the size of a pixel is set. */
NiftiHeader
ReadHeader(bool isNifti, bool ignoreAxes, itk::ImageIOBase & io, Geometry & geometry)
{
  NiftiHeader header(isNifti ? nifti_image_read(io.GetFileName(), 0) : nullptr, nifti_image_free);
  RefuseDamaged(isNifti && (!header || header->nifti_type == NIFTI_FTYPE_ASCII || header->iname_offset < 0));
  const auto areLengths = [](const float * numbers, int count) {
    return std::all_of(numbers, numbers + count, IsLength);
  };
  RefuseDamaged(header && (!areLengths(*header->qto_xyz.m, 16) || !areLengths(*header->sto_xyz.m, 16) ||
                           !areLengths(header->pixdim, 8)),
                "its axes are no numbers");
  try
  {
    io.ReadImageInformation();
  }
  catch (const itk::ExceptionObject & exception)
  {
    const std::string problem = Sentence(exception);
    RefuseIf(!header || problem.find("orthonormal") == std::string::npos, "cannot be read: " + problem);
    RefuseIf(!ignoreAxes,
             "the axes of its sform are not at right angles, or their lengths are not its pixel sizes; "
             "ITK has no such images. --ignore-axes labels it in pixels, without axes");
    const auto edge = [&rows = header->sto_xyz.m](int axis) {
      return vnl_vector_fixed<double, 3>(rows[0][axis], rows[1][axis], rows[2][axis]);
    };
    const auto normal = vnl_cross_3d(edge(0), edge(1));
    geometry.pixelSize = io.GetNumberOfDimensions() < 3 ? normal.magnitude() : std::abs(dot_product(normal, edge(2)));
  }
  return header;
}

// Each of these functions sets what the header of a format says beyond ITK's reader. `start` has the first bytes of the
// file. They return how many bytes of pixels the file can have.

double
DescribeNrrd(const itk::ImageIOBase & io, const std::string & /*start*/, FileImage & image)
{
  const std::unique_ptr<Nrrd, Nrrd * (*)(Nrrd *)>                      nrrd(nrrdNew(), nrrdNuke);
  const std::unique_ptr<NrrdIoState, NrrdIoState * (*)(NrrdIoState *)> state(nrrdIoStateNew(), nrrdIoStateNix);
  nrrdIoStateSet(state.get(), nrrdIoStateSkipData, 1);
  RefuseDamaged(nrrdLoad(nrrd.get(), io.GetFileName(), state.get()) != 0);
  auto                  direction = image.geometry.space->GetDirection();
  auto                  origin = image.geometry.space->GetOrigin();
  std::set<std::string> units;
  unsigned int          column = 0; // of the direction
  for (unsigned int i = 0; i < nrrd->dim; ++i)
  {
    const NrrdAxisInfo & axis = nrrd->axis[i];
    const char * const   unit = i < nrrd->spaceDim && nrrd->spaceUnits[i] != nullptr ? nrrd->spaceUnits[i] : axis.units;
    units.insert(unit != nullptr ? unit : "");
    image.isList = image.isList || axis.kind == nrrdKindList;
    RefuseIf(axis.kind == nrrdKindTime && axis.size > 1,
             "has an axis of times (" + std::to_string(axis.size) + "); " + splitAdvice);
    // ITK 5.2 changes the signs of x instead of those of y.
    if (nrrd->space == nrrdSpaceLeftAnteriorSuperior && IsLength(axis.spaceDirection[0]) && column < 3)
    {
      direction[0][column] = std::copysign(direction[0][column], axis.spaceDirection[0]);
      direction[1][column] = std::copysign(direction[1][column], -axis.spaceDirection[1]);
      origin[0] = std::copysign(origin[0], nrrd->spaceOrigin[0]);
      origin[1] = std::copysign(origin[1], -nrrd->spaceOrigin[1]);
      ++column;
    }
  }
  image.geometry.space->SetDirection(direction);
  image.geometry.space->SetOrigin(origin);
  units.erase("");
  ConvertUnit(units.empty() ? 1.0 : units.size() > 1 ? 0.0 : MillimetersOf(*units.begin()), image.geometry);
  if (state->dataFNFormat != nullptr || state->dataFNArr->len > 1)
  {
    return 1e18; // several files
  }
  std::filesystem::path pixels = io.GetFileName();
  pixels = state->dataFNArr->len == 0 ? pixels : pixels.replace_filename(state->dataFN[0]);
  return CapacityOf(pixels, state->encoding != nrrdEncodingRaw);
}

double
DescribeMetaImage(const itk::ImageIOBase & io, const std::string & start, FileImage & image)
{
  const std::string unit = FieldOf(start, "DistanceUnits");
  const std::string pixels = FieldOf(start, "ElementDataFile");
  ConvertUnit(unit.empty() ? 1.0 : MillimetersOf(unit), image.geometry);
  RefuseIf(io.GetFileType() == itk::IOFileEnum::ASCII,
           "cannot be read: its pixels are text; save them as binary numbers");
  RefuseIf(pixels.compare(0, 4, "LIST") == 0 || pixels.find('%') != std::string::npos,
           "cannot be read: its pixels are in several files; save it as one file");
  std::filesystem::path path = io.GetFileName();
  path = pixels == "LOCAL" || pixels == "Local" || pixels == "local" ? path : path.replace_filename(pixels);
  // MetaIO allocates what the header says.
  RefuseDamaged(std::atof(FieldOf(start, "CompressedDataSize").c_str()) > CapacityOf(path, false));
  const std::string compressed = FieldOf(start, "CompressedData");
  return CapacityOf(path, !compressed.empty() && compressed.find_first_of("Ff0") != 0);
}

double
DescribePng(const itk::ImageIOBase & io, const std::string & start, FileImage & image)
{
  const std::size_t pixels = start.find("IDAT");
  const std::size_t bits = start.find("sBIT");
  ConvertUnit(0.0, image.geometry);
  for (const auto & color : static_cast<const itk::PNGImageIO &>(io).GetColorPalette())
  {
    image.palette.push_back({ 257U * color[0], 257U * color[1], 257U * color[2] });
  }
  RefuseIf(start.find("acTL") < pixels, "is an animation; save the frame to label as an image");
  RefuseIf(bits < pixels && start[bits + 4] < start[24], // the bits of the first number, and those that are stored
           "cannot be read: it calls bits of its numbers unused (sBIT), and ITK removes them; save it without that");
  RefuseIf(!image.palette.empty() && io.GetNumberOfComponents() > 1,
           "cannot be read: colors of its palette are transparent, and ITK reads no indices then; save it without "
           "transparency");
  return CapacityOf(io.GetFileName(), true);
}

double
DescribeDicom(const itk::ImageIOBase & io, const std::string & /*start*/, FileImage & image)
{
  const std::string frames = ValueOf(io, "0028|0008");
  const std::string scaling = ValueOf(io, "3004|000e");
  RefuseIf(!frames.empty() && frames != "1",
           "has " + frames +
             " frames, which can be slices, stacks or times; convert it to NIfTI first, such as by dcm2niix");
  RefuseIf(ValueOf(io, "0028|0004") == "PALETTE COLOR" || ValueOf(io, "0028|0100") == "1" ||
             (!scaling.empty() && std::atof(scaling.c_str()) != 1.0),
           "cannot be read: its pixels are single bits, indices into a palette of colors, or a dose with a scaling; "
           "convert it to NIfTI or NRRD first");
  // GDCM ignores the size of pixels in some classes, and sets one if there is none.
  auto       spacing = image.geometry.space->GetSpacing();
  const int  read = std::sscanf(ValueOf(io, "0028|0030").c_str(), "%lf\\%lf", &spacing[1], &spacing[0]);
  const bool hasUnit = read == 2 && spacing[0] > 0.0 && spacing[1] > 0.0;
  image.geometry.space->SetSpacing(hasUnit ? spacing : image.geometry.space->GetSpacing());
  ConvertUnit(hasUnit ? 1.0 : 0.0, image.geometry);
  return CapacityOf(io.GetFileName(), true);
}

double
DescribeMrc(const itk::ImageIOBase & io, const std::string & /*start*/, FileImage & image)
{
  itk::MRCHeaderObject::ConstPointer object;
  itk::ExposeMetaData(io.GetMetaDataDictionary(), itk::MRCImageIO::m_MetaDataHeaderName, object);
  const itk::MRCHeaderObject::Header & header = object->GetHeader();
  const int                            spaceGroup = header.ispg + header.nsymbt; // the halves of one number
  RefuseIf((spaceGroup >= 401 && spaceGroup <= 630) || (spaceGroup == 0 && header.mz == 1 && header.nz > 1),
           "is a stack of images or of volumes (space group " + std::to_string(spaceGroup) + "); split it first");
  const auto isRight = [](float angle) { return angle == 0.0F || std::abs(angle - 90.0F) < 0.01F; };
  RefuseIf(!isRight(header.alpha) || !isRight(header.beta) || !isRight(header.gamma) ||
             (header.mapc != 0 && (header.mapc != 1 || header.mapr != 2 || header.maps != 3)),
           "cannot be read: its axes are in another order, or not at right angles; convert it first");
  ConvertUnit(header.xlen > 0.0F ? 1e-7 : 0.0, image.geometry); // angstroms
  return CapacityOf(io.GetFileName(), false);
}

/** Reads bytes of a file that may be gzipped. A gzipped file is read to its end, which has its checksum. zlib checks it
 * only if it is asked for more, so there is memory for a byte more. */
bool
ReadBytes(const std::string & file, std::int64_t offset, std::uint64_t length, char * bytes)
{
  std::unique_ptr<gzFile_s, int (*)(gzFile)> content(gzopen(file.c_str(), "rb"), gzclose);
  bool                                       isRead = content && gzseek(content.get(), offset, SEEK_SET) == offset;
  isRead = isRead && gzfread(bytes, 1, length + 1, content.get()) >= length;
  std::array<char, 1 << 16> rest{};
  for (int count = 1; isRead && count > 0 && gzdirect(content.get()) == 0; isRead = count >= 0)
  {
    count = gzread(content.get(), rest.data(), rest.size());
  }
  return isRead && gzclose(content.release()) == Z_OK;
}

/** Reads the pixels of NIfTI and Analyze 7.5, of one channel of vectors. ITK 5.2 does not check the end of a gzipped
 * file, takes the pixels of in.nii for those of in.nii.gz, replaces NaN, and reads memory of others if colors or
 * vectors have a slope. */
void
ReadNiftiPixels(const nifti_image & header, const itk::ImageIOBase & io, const ReadOptions & options, FileImage & image)
{
  const auto & origin = image.geometry.space->GetOrigin(); // ITK converts spacings only
  const double length = MillimetersOf(nifti_units_string(header.xyz_units));
  const double unit = length > 0.0 ? length : 1.0;
  image.geometry.space->SetOrigin(itk::Point<double, 3>(origin.GetVectorFromOrigin() * unit));
  image.geometry.pixelSize *= std::pow(unit, image.geometry.dimension);
  // One of a header and its pixels can be gzipped, and the other not.
  std::string file = header.iname;
  const bool  isGzipped = nifti_is_gzfile(file.c_str()) != 0;
  file = std::filesystem::exists(file) ? file : isGzipped ? file.substr(0, file.size() - 3) : file + ".gz";
  RefuseDamaged(!std::filesystem::exists(file), "there is no file with its pixels");
  const auto numberSize = static_cast<std::size_t>(std::max(header.swapsize, 1));
  const auto count = static_cast<unsigned int>(header.nbyper) / static_cast<unsigned int>(numberSize); // 3 in RGB
  const auto vectorSize = io.GetNumberOfComponents() / count;
  const auto channel = vectorSize == 1 ? 0 : ChooseChannel(options, vectorSize, image);
  const bool hasSlope = header.nifti_type != NIFTI_FTYPE_ANALYZE && count == 1 && header.scl_slope != 0.0F;
  const bool isScaled = hasSlope && (header.scl_slope != 1.0F || header.scl_inter != 0.0F);
  const std::string typeName = nifti_datatype_string(header.datatype); // such as UINT8, RGB24 and COMPLEX64
  const bool        isFloat = typeName[0] == 'F' || typeName[0] == 'C';
  const auto        stored = TypeOfNumbers(numberSize, isFloat, typeName[0] == 'I');
  // As in ITK, small integers become float.
  const auto   type = isScaled && !isFloat ? TypeOfNumbers(numberSize <= 2 ? 4 : 8, true, false) : stored;
  const double capacity = CapacityOf(file, nifti_is_gzfile(file.c_str()) != 0);
  char * const pixels = AllocatePixels(type, count, 8 * numberSize, capacity, image);
  RefuseIf(static_cast<std::uint64_t>(header.nvox) != image.view.Count() * vectorSize,
           "cannot be read: its pixels are vectors of colors or of complex numbers; save them as vectors of numbers");
  const std::uint64_t bytes = image.view.Count() * count * numberSize;
  RefuseDamaged(!ReadBytes(file, header.iname_offset + static_cast<std::int64_t>(channel * bytes), bytes, pixels));
  if (header.byteorder != nifti_short_order() && header.swapsize > 1)
  {
    nifti_swap_Nbytes(bytes / numberSize, header.swapsize, pixels);
  }
  if (isScaled)
  {
    VisitPixelType(stored, [&](auto from) {
      VisitPixelType(type, [&](auto to) {
        for (std::uint64_t i = image.view.Count(); i-- > 0;) // in place, so from the end
        {
          std::memcpy(&from, pixels + i * sizeof(from), sizeof(from));
          to = static_cast<decltype(to)>(static_cast<double>(from) * header.scl_slope + header.scl_inter);
          std::memcpy(pixels + i * sizeof(to), &to, sizeof(to));
        }
      });
    });
  }
}

} // namespace

void
ReadByItk(const std::string & file, const ReadOptions & options, FileImage & image)
{
  using namespace std::string_literals;
  // MetaIO and GDCM print errors instead of reporting them to ITK.
  std::ostringstream errors;
  const auto         restore = [](std::streambuf * buffer) { std::cerr.rdbuf(buffer); };
  const std::unique_ptr<std::streambuf, decltype(restore)> original(std::cerr.rdbuf(errors.rdbuf()), restore);

  nifti_set_debug_level(0);
  std::string   start(1 << 20, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  // The class in the meta information of DICOM. ITK 5.2 reads segmentations as volumes, and does not know label maps.
  RefuseIf(start.find("\2\0\2\0UI\x1C\0"
                      "1.2.840.10008.5.1.4.1.1.66."s) != std::string::npos,
           "is a DICOM segmentation, whose segments are no slices of a volume; convert it to NRRD or NIfTI "
           "by dcmqi (segimage2itkimage) or highdicom");
  const itk::ImageIOBase::Pointer io =
    itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  RefuseIf(!io, "is not an image in a format that ITK can read (NIfTI, NRRD, MetaImage, PNG, TIFF, ...)");
  const std::map<std::string, double (*)(const itk::ImageIOBase &, const std::string &, FileImage &)> formats{
    { "NrrdImageIO", DescribeNrrd },  { "MetaImageIO", DescribeMetaImage }, { "PNGImageIO", DescribePng },
    { "GDCMImageIO", DescribeDicom }, { "MRCImageIO", DescribeMrc },
  };
  const std::string format = io->GetNameOfClass();
  const bool        isMetaImage = format == "MetaImageIO";
  RefuseIf(format != "NiftiImageIO" && formats.count(format) == 0,
           "is in a format that this tool does not read (" + format + "); convert it to NIfTI, NRRD or TIFF first");
  RefuseDamaged(isMetaImage && std::atof(FieldOf(start, "NDims").c_str()) > 10.0); // MetaIO has memory for 10
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  // In ITK, libpng would end the program if it cannot read the header.
  const bool isBadPng = format == "PNGImageIO" && png_image_begin_read_from_file(&png, file.c_str()) == 0;
  png_image_free(&png);
  RefuseDamaged(isBadPng, png.message);
  io->SetFileName(file);
  io->SetExpandRGBPalette(false);
  const NiftiHeader  nifti = ReadHeader(format == "NiftiImageIO", options.ignoreAxes, *io, image.geometry);
  const unsigned int dimension = io->GetNumberOfDimensions();
  itk::ImageIORegion region(dimension);
  itk::Size<3>       size{ { 1, 1, 1 } };
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    region.SetSize(axis, io->GetDimensions(axis));
    RefuseIf(region.GetSize(axis) == 0, "has no pixels: its size along axis " + std::to_string(axis) + " is 0");
    RefuseIf(axis >= 3 && region.GetSize(axis) > 1, "has " + std::to_string(dimension) + " dimensions; " + splitAdvice);
    size[std::min(axis, 2U)] *= region.GetSize(axis);
    std::vector<double> lengths = io->GetDirection(axis);
    lengths.insert(lengths.end(), { io->GetSpacing(axis), io->GetOrigin(axis) });
    RefuseDamaged(!std::all_of(lengths.begin(), lengths.end(), IsLength), "its axes are no numbers");
  }
  io->SetIORegion(region);
  const std::string typeName = itk::ImageIOBase::GetComponentTypeAsString(io->GetComponentType());
  RefuseIf(typeName == "unknown" || io->GetComponentSize() > 8, "cannot be read: its pixels have the type " + typeName);
  image.view.type = TypeOfNumbers(
    io->GetComponentSize(), typeName == "float" || typeName == "double", typeName.compare(0, 8, "unsigned") != 0);
  image.geometry.dimension = std::clamp(dimension, 2U, 3U);
  if (image.geometry.pixelSize == 0.0)
  {
    // The reader reads the header only, because it would convert the pixels.
    const auto reader = itk::ImageFileReader<itk::Image<unsigned char, 3>>::New();
    reader->SetFileName(file);
    reader->SetImageIO(io);
    reader->UpdateOutputInformation();
    image.geometry.space->CopyInformation(reader->GetOutput());
  }
  image.geometry.space->SetRegions(size);
  for (const std::string & key : io->GetMetaDataDictionary().GetKeys())
  {
    if (key.compare(0, 7, "Segment") == 0)
    {
      image.segments[key] = ValueOf(*io, key);
    }
  }
  if (nifti)
  {
    ReadNiftiPixels(*nifti, *io, options, image);
    return;
  }
  const double capacity = formats.at(format)(*io, start, image);
  const auto   numberSize = ImageView::SizeOf(image.view.type);
  char * const pixels = AllocatePixels(image.view.type, io->GetNumberOfComponents(), 8 * numberSize, capacity, image);
  // The last bytes have a mark. If it is still there, another mark shows whether it is a pixel.
  const auto bytes = image.view.Count() * image.componentCount * numberSize;
  const auto last = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 8));
  const auto readLast = [&](char mark) {
    std::fill_n(pixels + bytes - last, last, mark);
    errors.str(""); // of the header
    io->Read(pixels);
    return std::string(pixels + bytes - last, last);
  };
  const std::string end = readLast('\xA5');
  RefuseDamaged((end.find('\xA5') != std::string::npos && end != readLast('\x5A')) ||
                (isMetaImage && !errors.str().empty()) ||
                errors.str().find("at own risk") != std::string::npos); // GDCM, if a file is too short
}
