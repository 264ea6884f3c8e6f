// SPDX-License-Identifier: Apache-2.0

// The pixels of NIfTI and Analyze 7.5. ITK 5.2 does not check the end of a gzipped file, takes the pixels of in.nii for
// those of in.nii.gz, and reads memory of others if colors or vectors have a slope.

#include "ReadFormats.h"

#include "PixelValues.h"

#include "itkNiftiImageIO.h"

#include <nifti1_io.h>
#include <vnl/vnl_cross.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace
{

/** Sets the geometry by ITK's rules. If ITK has none for axes that are not at right angles, pixels have the edge length
 * 1 if the user ignores the axes, and the size that the axes give. */
void
SetGeometry(const std::string & file, const nifti_image & header, bool ignoreAxes, Geometry & geometry)
{
  const double unit = header.xyz_units == NIFTI_UNITS_METER ? 1e3 : header.xyz_units == NIFTI_UNITS_MICRON ? 1e-3 : 1.0;
  try
  {
    ReadGeometry(file, itk::NiftiImageIO::New(), geometry);
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
             "the axes of its sform are not at right angles, or their lengths are not its pixel sizes; "
             "ITK has no such images. --ignore-axes labels it in pixels, without axes");
    const auto edge = [&](int axis) {
      const auto & rows = header.sto_xyz.m;
      return unit * vnl_vector_fixed<double, 3>(rows[0][axis], rows[1][axis], rows[2][axis]);
    };
    const auto normal = vnl_cross_3d(edge(0), edge(1));
    geometry.pixelSize = geometry.dimension == 2 ? normal.magnitude() : std::abs(dot_product(normal, edge(2)));
  }
}

/** Reads bytes of a file that may be gzipped. A gzipped file is read to its end, which has its checksum. */
bool
ReadBytes(const std::string & file, std::int64_t offset, std::uint64_t length, char * bytes)
{
  std::unique_ptr<gzFile_s, int (*)(gzFile)> content(gzopen(file.c_str(), "rb"), gzclose);
  // The last call asks for more bytes than there should be: zlib checks the end of a file only then.
  std::vector<char>   rest(1 << 16);
  const std::uint64_t last = std::min<std::uint64_t>(length, rest.size() / 2);
  if (!content || gzseek(content.get(), offset, SEEK_SET) != offset ||
      gzfread(bytes, 1, length - last, content.get()) != length - last)
  {
    return false;
  }
  int read = gzread(content.get(), rest.data(), static_cast<unsigned int>(rest.size()));
  if (read < static_cast<int>(last))
  {
    return false;
  }
  std::copy_n(rest.data(), last, bytes + length - last);
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
  const std::unique_ptr<nifti_image, void (*)(nifti_image *)> header(nifti_image_read(file.c_str(), 0),
                                                                     nifti_image_free);
  RefuseDamaged(!header || header->nifti_type == NIFTI_FTYPE_ASCII || header->iname_offset < 0);
  const float * const qform = &header->qto_xyz.m[0][0];
  const float * const sform = &header->sto_xyz.m[0][0];
  RefuseDamaged(!std::all_of(qform, qform + 16, IsLength) || !std::all_of(sform, sform + 16, IsLength) ||
                  !std::all_of(header->pixdim, header->pixdim + 8, IsLength),
                "its axes are no numbers");
  const bool isVector = header->intent_code == NIFTI_INTENT_VECTOR || header->intent_code == NIFTI_INTENT_SYMMATRIX;
  const auto size = [&header](int axis) {
    return static_cast<itk::SizeValueType>(axis <= header->ndim ? header->dim[axis] : 1);
  };
  for (int axis = 4; axis <= 7; ++axis)
  {
    RefuseIf(size(axis) > 1 && !(isVector && axis == 5),
             "has " + std::to_string(header->ndim) + " dimensions; " + splitAdvice);
  }
  const std::string  typeName = nifti_datatype_string(header->datatype); // such as UINT8, RGB24 and COMPLEX64
  const auto         numberSize = static_cast<std::size_t>(std::max(header->swapsize, 1));
  const auto         count = static_cast<unsigned int>(header->nbyper) / static_cast<unsigned int>(numberSize);
  const unsigned int planes = isVector ? static_cast<unsigned int>(size(5)) : 1; // with a number of each pixel
  RefuseIf(numberSize > 8 || count == 0 || (count > 1 && planes > 1),
           "cannot be read: its pixels have the NIfTI type " + typeName + (planes > 1 ? " in vectors" : "") +
             "; save them as integers or floating-point numbers of up to 64 bits");
  image.geometry.dimension = size(3) > 1 || (!isVector && header->ndim > 2) ? 3 : 2;
  SetGeometry(file, *header, options.ignoreAxes, image.geometry);
  image.geometry.space->SetRegions(itk::Size<3>{ { size(1), size(2), size(3) } });
  image.hasAlpha = header->datatype == DT_RGBA32;

  const bool   isFloat = typeName[0] == 'F' || typeName[0] == 'C';
  const bool   hasSlope = header->nifti_type != NIFTI_FTYPE_ANALYZE && count == 1 && header->scl_slope != 0.0F;
  const double slope = hasSlope ? header->scl_slope : 1.0;
  const double intercept = hasSlope ? header->scl_inter : 0.0;
  const bool   isScaled = slope != 1.0 || intercept != 0.0;
  const auto   stored = TypeOfNumbers(numberSize, isFloat, typeName[0] == 'I');
  // As in ITK, small integers become float.
  const auto type = isScaled && !isFloat ? TypeOfNumbers(numberSize <= 2 ? 4 : 8, true, false) : stored;
  const std::unique_ptr<char, void (*)(void *)> found(nifti_findimgname(header->iname, header->nifti_type), std::free);
  const bool                                    isOneFile = header->nifti_type == NIFTI_FTYPE_NIFTI1_1;
  RefuseDamaged(!isOneFile && !found, "there is no file with its pixels");
  RefuseIf(!isOneFile && nifti_is_gzfile(file.c_str()) != 0 && nifti_is_gzfile(found.get()) == 0,
           "cannot be read: the NIfTI library takes the pixels of " + std::string(found ? found.get() : "") +
             " for its own; move one of the files");
  const std::string             pixelFile = isOneFile ? file : found.get();
  char * const                  out = AllocatePixels(pixelFile, 1100.0, type, count * planes, image);
  const std::uint64_t           planeSize = image.view.Count();
  const std::uint64_t           bytes = planeSize * count * planes * numberSize;
  const bool                    isInPlace = planes == 1 && !isScaled;
  const std::unique_ptr<char[]> memory(isInPlace ? nullptr : new char[bytes]);
  char * const                  pixels = isInPlace ? out : memory.get();
  RefuseDamaged(!ReadBytes(pixelFile, header->iname_offset, bytes, pixels));
  if (header->byteorder != nifti_short_order() && header->swapsize > 1)
  {
    nifti_swap_Nbytes(bytes / numberSize, header->swapsize, pixels);
  }
  const auto convert = [&](auto from, auto to) {
    const auto * number = reinterpret_cast<const decltype(from) *>(pixels);
    for (unsigned int plane = 0; plane < planes; ++plane)
    {
      for (std::uint64_t i = 0; i < planeSize; ++i, ++number)
      {
        reinterpret_cast<decltype(to) *>(out)[i * planes + plane] =
          isScaled ? static_cast<decltype(to)>(static_cast<double>(*number) * slope + intercept)
                   : static_cast<decltype(to)>(*number);
      }
    }
  };
  if (!isInPlace)
  {
    VisitPixelType(stored, [&](auto from) { VisitPixelType(type, [&](auto to) { convert(from, to); }); });
  }
  return true;
}
