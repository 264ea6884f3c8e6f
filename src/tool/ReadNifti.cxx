// SPDX-License-Identifier: Apache-2.0

// The pixels of NIfTI and Analyze 7.5. ITK 5.2 does not check the end of a gzipped file, takes the pixels of in.nii for
// those of in.nii.gz, and reads memory of others if colors or vectors have a slope.

#include "ReadFormats.h"

#include "PixelValues.h"

#include "itkImageFileReader.h"
#include "itkNiftiImageIO.h"

#include <nifti1_io.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace
{

using Header = std::unique_ptr<nifti_image, void (*)(nifti_image *)>;
using Type = ImageView::PixelTypeEnum;

/** The numbers of a pixel in the file. */
struct Pixel
{
  Type         type;
  unsigned int count; // adjacent numbers
};

Pixel
PixelOf(const nifti_image & header, const std::string & file)
{
  // clang-format off: a row for each kind of numbers
  static const std::map<int, Pixel> pixels{
    { DT_UINT8, { Type::UInt8, 1 } }, { DT_UINT16, { Type::UInt16, 1 } }, { DT_UINT32, { Type::UInt32, 1 } }, { DT_UINT64, { Type::UInt64, 1 } },
    { DT_INT8, { Type::Int8, 1 } }, { DT_INT16, { Type::Int16, 1 } }, { DT_INT32, { Type::Int32, 1 } }, { DT_INT64, { Type::Int64, 1 } },
    { DT_FLOAT32, { Type::Float, 1 } }, { DT_FLOAT64, { Type::Double, 1 } }, { DT_COMPLEX64, { Type::Float, 2 } }, { DT_COMPLEX128, { Type::Double, 2 } },
    { DT_RGB24, { Type::UInt8, 3 } }, { DT_RGBA32, { Type::UInt8, 4 } },
  };
  // clang-format on
  const auto found = pixels.find(header.datatype);
  RefuseIf(found == pixels.end(),
           file,
           std::string(": cannot be read: its pixels have the NIfTI type ") + nifti_datatype_string(header.datatype) +
             "; save them as integers or floating-point numbers of up to 64 bits");
  return found->second;
}

/** Sets the geometry by ITK's rules. If ITK has none for axes that are not at right angles, pixels have the edge length
 * 1 if the user ignores the axes, and the size that the axes give. */
void
SetGeometry(const std::string & file, const nifti_image & header, bool ignoreAxes, Geometry & geometry)
{
  const double unit = header.xyz_units == NIFTI_UNITS_METER ? 1e3 : header.xyz_units == NIFTI_UNITS_MICRON ? 1e-3 : 1.0;
  try
  {
    const auto reader = itk::ImageFileReader<itk::Image<unsigned char, 3>>::New();
    reader->SetFileName(file);
    reader->SetImageIO(itk::NiftiImageIO::New());
    reader->UpdateOutputInformation();
    geometry.space->CopyInformation(reader->GetOutput());
    const auto & origin = geometry.space->GetOrigin();
    geometry.space->SetOrigin(itk::Point<double, 3>(origin.GetVectorFromOrigin() * unit)); // ITK converts spacings only
  }
  catch (const itk::ExceptionObject & exception)
  {
    if (std::string(exception.GetDescription()).find("orthonormal") == std::string::npos)
    {
      throw;
    }
    RefuseIf(!ignoreAxes,
             file,
             ": the axes of its sform are not at right angles, or their lengths are not its pixel sizes; "
             "ITK has no such images. --ignore-axes labels it in pixels, without axes");
    itk::Matrix<double, 3, 3> axes;
    for (unsigned int row = 0; row < 3; ++row)
    {
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        axes[row][axis] = unit * header.sto_xyz.m[row][axis];
      }
    }
    geometry.SetPixelSize(axes);
  }
}

/** Converts numbers to another type, value * slope + intercept. A plane has one number of each pixel. In the result,
 * the numbers of a pixel are adjacent. */
template <typename TStored, typename TNumber>
void
Convert(const char * stored, double slope, double intercept, std::uint64_t planeSize, unsigned int planes, char * out)
{
  const auto * in = reinterpret_cast<const TStored *>(stored);
  for (unsigned int plane = 0; plane < planes; ++plane)
  {
    auto * number = reinterpret_cast<TNumber *>(out) + plane;
    for (std::uint64_t i = 0; i < planeSize; ++i, ++in, number += planes)
    {
      *number = slope == 1.0 && intercept == 0.0 ? static_cast<TNumber>(*in)
                                                 : static_cast<TNumber>(static_cast<double>(*in) * slope + intercept);
    }
  }
}

/** Reads bytes of a file that may be gzipped. A gzipped file is read to its end, which has its checksum. */
bool
ReadBytes(const std::string & file, std::int64_t offset, std::uint64_t length, char * bytes)
{
  std::unique_ptr<gzFile_s, int (*)(gzFile)> content(gzopen(file.c_str(), "rb"), gzclose);
  if (!content || gzseek(content.get(), offset, SEEK_SET) != offset)
  {
    return false;
  }
  // The last call asks for more bytes than there should be: zlib checks the end of a file only then.
  std::vector<char> rest(1 << 16);
  int               read = 0;
  for (; length >= rest.size(); bytes += read, length -= static_cast<std::uint64_t>(read))
  {
    const std::uint64_t count = std::min<std::uint64_t>(length - rest.size() + 1, 1U << 30);
    read = gzread(content.get(), bytes, static_cast<unsigned int>(count));
    if (read <= 0)
    {
      return false;
    }
  }
  read = gzread(content.get(), rest.data(), static_cast<unsigned int>(rest.size()));
  if (read < static_cast<int>(length))
  {
    return false;
  }
  std::copy_n(rest.data(), length, bytes);
  while (gzdirect(content.get()) == 0 && read > 0)
  {
    read = gzread(content.get(), rest.data(), static_cast<unsigned int>(rest.size()));
  }
  return read >= 0 && gzclose(content.release()) == Z_OK;
}

} // namespace

bool
ReadNifti(const std::string & file, const ReadOptions & options, FileImage & image)
{
  nifti_set_debug_level(0);
  if (nifti_find_file_extension(file.c_str()) == nullptr || is_nifti_file(file.c_str()) < 0)
  {
    return false;
  }
  const Header header(nifti_image_read(file.c_str(), 0), nifti_image_free);
  RefuseDamaged(!header || header->nifti_type == NIFTI_FTYPE_ASCII || header->iname_offset < 0, file);
  const float * const qform = &header->qto_xyz.m[0][0];
  const float * const sform = &header->sto_xyz.m[0][0];
  RefuseDamaged(!std::all_of(qform, qform + 16, IsLength) || !std::all_of(sform, sform + 16, IsLength) ||
                  !std::all_of(header->pixdim, header->pixdim + 8, IsLength),
                file,
                "its axes are no numbers");
  const bool isVector = header->intent_code == NIFTI_INTENT_VECTOR || header->intent_code == NIFTI_INTENT_SYMMATRIX;
  const auto size = [&header](int axis) { return axis <= header->ndim ? header->dim[axis] : 1; };
  for (int axis = 4; axis <= 7; ++axis)
  {
    RefuseIf(size(axis) > 1 && !(isVector && axis == 5),
             file,
             ": has " + std::to_string(header->ndim) +
               " dimensions; only images of 2 or 3 dimensions can be labeled, so split it first");
  }
  const Pixel        stored = PixelOf(*header, file);
  const unsigned int planes = isVector ? static_cast<unsigned int>(size(5)) : 1;
  RefuseIf(stored.count > 1 && planes > 1,
           file,
           ": cannot be read: its pixels are vectors of colors or of complex numbers; split it first");
  const unsigned int dimension = isVector ? (size(3) > 1 ? 3 : 2) : std::clamp(header->ndim, 2, 3);
  SetGeometry(file, *header, options.ignoreAxes, image.geometry);
  const auto length = [&size](int axis) { return static_cast<itk::SizeValueType>(size(axis)); };
  SetSize({ { length(1), length(2), length(3) } }, dimension, image.geometry);
  image.hasAlpha = header->datatype == DT_RGBA32;

  const bool   isScaled = header->nifti_type != NIFTI_FTYPE_ANALYZE && stored.count == 1 && header->scl_slope != 0.0F;
  const double slope = isScaled ? header->scl_slope : 1.0;
  const double intercept = isScaled ? header->scl_inter : 0.0;
  const bool   isConverted =
    (slope != 1.0 || intercept != 0.0) && stored.type != Type::Float && stored.type != Type::Double;
  const std::size_t storedSize = ImageView::SizeOf(stored.type);
  // As in ITK, small integers become float.
  const Type type = !isConverted ? stored.type : storedSize <= 2 ? Type::Float : Type::Double;
  const std::unique_ptr<char, void (*)(void *)> found(nifti_findimgname(header->iname, header->nifti_type), std::free);
  const bool                                    isOneFile = header->nifti_type == NIFTI_FTYPE_NIFTI1_1;
  RefuseDamaged(!isOneFile && !found, file, "there is no file with its pixels");
  const std::string             pixelFile = isOneFile ? file : found.get();
  char * const                  out = AllocatePixels(pixelFile, 1100.0, type, stored.count * planes, image);
  const std::uint64_t           bytes = image.view.Count() * stored.count * planes * storedSize;
  const bool                    isInPlace = planes == 1 && slope == 1.0 && intercept == 0.0;
  const std::unique_ptr<char[]> memory(isInPlace ? nullptr : new char[bytes]);
  char * const                  pixels = isInPlace ? out : memory.get();
  RefuseDamaged(!ReadBytes(pixelFile, header->iname_offset, bytes, pixels), file);
  if (header->byteorder != nifti_short_order() && header->swapsize > 1)
  {
    nifti_swap_Nbytes(bytes / static_cast<std::size_t>(header->swapsize), header->swapsize, pixels);
  }
  if (!isInPlace)
  {
    VisitPixelType(stored.type, [&](auto zero) {
      using StoredType = decltype(zero);
      const auto convert = type == Type::Double  ? Convert<StoredType, double>
                           : type == Type::Float ? Convert<StoredType, float>
                                                 : Convert<StoredType, StoredType>;
      convert(pixels, slope, intercept, image.view.Count(), planes, out);
    });
  }
  return true;
}
