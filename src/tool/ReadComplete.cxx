// SPDX-License-Identifier: Apache-2.0
#include "ReadComplete.h"

#include "Failure.h"

#include "itkMRCImageIO.h"
#include "itkMetaDataObject.h"
#include "itkVTKImageIO.h"

#include <nifti1_io.h>
#include <tiffio.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

namespace fs = std::filesystem;

namespace
{

/** Returns an integer of 2 or 4 bytes of a file, the low byte first. A negative offset counts from the end. */
std::uint64_t
IntegerAt(const std::string & file, std::streamoff offset, std::streamsize size)
{
  std::array<unsigned char, 4> bytes{};
  std::ifstream                stream(file, std::ios::binary);
  stream.seekg(offset, offset < 0 ? std::ios::end : std::ios::beg);
  stream.read(reinterpret_cast<char *>(bytes.data()), size);
  return bytes[0] | bytes[1] << 8U | bytes[2] << 16U | static_cast<std::uint64_t>(bytes[3]) << 24U;
}

using GzipFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

/** Returns whether a file has this many bytes. If it is gzipped, its content must be undamaged and have them. */
bool
HasLength(const std::string & file, std::uint64_t length)
{
  GzipFile content(gzopen(file.c_str(), "rb"), gzclose);
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

/** Returns pixels as a NIfTI file stores them: without ITK's scaling, and in the file's byte order. Rounding may change
 * large pixels, so the result needs a check. */
std::vector<char>
StoredPixels(const nifti_image & header, const char * pixels, std::uint64_t length)
{
  std::vector<char> stored(pixels, pixels + length);
  const auto        unscale = [&](auto zero) {
    using StoredType = decltype(zero);
    const auto * const scaled = reinterpret_cast<const float *>(pixels);
    std::transform(scaled, scaled + header.nvox, reinterpret_cast<StoredType *>(stored.data()), [&header](float value) {
      return static_cast<StoredType>(std::lround((double{ value } - header.scl_inter) / header.scl_slope));
    });
  };
  const bool isScaled = length == header.nvox * sizeof(float) && header.scl_slope != 0;
  switch (isScaled ? header.datatype : DT_NONE)
  {
    case DT_UINT8:
      unscale(std::uint8_t{});
      break;
    case DT_INT16:
      unscale(std::int16_t{});
      break;
    case DT_UINT16:
      unscale(std::uint16_t{});
      break;
  }
  stored.resize(nifti_get_volsize(&header));
  if (header.byteorder != nifti_short_order() && header.swapsize > 1)
  {
    nifti_swap_Nbytes(stored.size() / static_cast<std::size_t>(header.swapsize), header.swapsize, stored.data());
  }
  return stored;
}

/** Returns the number of bytes before the pixels in the file of the pixels. */
std::uint64_t
HeaderLength(const nifti_image & header)
{
  return static_cast<std::uint64_t>(std::max(header.iname_offset, 0));
}

/** Returns whether a gzipped NIfTI file has the length and the checksum of the header and of these pixels at its end.
 * This is much faster than to decompress the file once more. */
bool
HasChecksum(const std::string & file, const nifti_image & header, const char * pixels, std::uint64_t length)
{
  const GzipFile      content(gzopen(file.c_str(), "rb"), gzclose);
  const std::uint64_t storedLength = nifti_get_volsize(&header);
  std::vector<Bytef>  start(HeaderLength(header));
  if (gzdirect(content.get()) != 0 || IntegerAt(file, -4, 4) != ((start.size() + storedLength) & 0xFFFFFFFF))
  {
    return false;
  }
  gzread(content.get(), start.data(), static_cast<unsigned int>(start.size()));
  const bool isStored = length == storedLength && header.byteorder == nifti_short_order();
  const auto stored = isStored ? std::vector<char>() : StoredPixels(header, pixels, length);
  const auto checksum = crc32_z(0, start.data(), start.size());
  return IntegerAt(file, -8, 4) ==
         crc32_z(checksum, reinterpret_cast<const Bytef *>(isStored ? pixels : stored.data()), storedLength);
}

/** Checks NIfTI and Analyze 7.5. The pixels are in the same file, or in an .img file next to the .hdr file. */
bool
IsWholeNifti(const std::string & file, const char * pixels, std::uint64_t length)
{
  const std::unique_ptr<nifti_image, void (*)(nifti_image *)> header(nifti_image_read(file.c_str(), 0),
                                                                     nifti_image_free);
  const std::unique_ptr<char, void (*)(void *)> found(nifti_findimgname(header->iname, header->nifti_type), std::free);
  if (!found)
  {
    return false;
  }
  const bool        isOneFile = header->nifti_type == NIFTI_FTYPE_NIFTI1_1;
  const std::string pixelFile = isOneFile ? file : found.get();
  if (HasChecksum(pixelFile, *header, pixels, length))
  {
    return true;
  }
  if (isOneFile && !fs::equivalent(file, found.get()))
  {
    throw Failure(file + ": cannot be read next to " + found.get() +
                  ", because the NIfTI library takes the pixels of that file; move one of the files");
  }
  return HasLength(pixelFile, HeaderLength(*header) + nifti_get_volsize(header.get()));
}

/** Checks JPEG. An end marker follows the pixels, and other data may follow the marker. Before the pixels are segments,
 * which may have a small image with an end marker of its own. */
bool
IsWholeJpeg(const std::string & file)
{
  std::ifstream     stream(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const auto        at = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  std::size_t       begin = 2;
  while (at(begin) == 0xFF && at(begin + 1) != 0xDA)
  {
    begin += at(begin + 1) == 0xFF ? 1 : 2 + (at(begin + 2) << 8U) + at(begin + 3);
  }
  return text.find("\xFF\xD9", begin) != std::string::npos;
}

/** Checks that TIFF has all pages. ITK reports other errors. */
bool
IsWholeTiff(const std::string & file)
{
  static bool failed = false;
  TIFFSetWarningHandler(nullptr);
  TIFFSetErrorHandler([](const char *, const char *, va_list) { failed = true; });
  failed = false;
  const std::unique_ptr<TIFF, void (*)(TIFF *)> tiff(TIFFOpen(file.c_str(), "r"), TIFFClose);
  tdir_t                                        count = 1;
  while (!failed && TIFFReadDirectory(tiff.get()) != 0)
  {
    ++count;
  }
  return !failed && count == TIFFNumberOfDirectories(tiff.get());
}

/** Returns the length of a BMP file by the place and the size of its pixels. The header's length of the file can be
 * wrong. Rows have whole numbers of 4 bytes. */
std::uint64_t
BmpLength(const std::string & file, const itk::ImageIOBase & io)
{
  const bool          isCompressed = IntegerAt(file, 14, 4) >= 40 && IntegerAt(file, 30, 4) == 1;
  const std::uint64_t bits = IntegerAt(file, IntegerAt(file, 14, 4) >= 40 ? 28 : 24, 2);
  const std::uint64_t rowLength = (io.GetDimensions(0) * bits + 31) / 32 * 4;
  return IntegerAt(file, 10, 4) + (isCompressed ? IntegerAt(file, 34, 4) : rowLength * io.GetDimensions(1));
}

std::uint64_t
MrcHeaderLength(const itk::ImageIOBase & io)
{
  itk::MRCHeaderObject::ConstPointer header;
  itk::ExposeMetaData(io.GetMetaDataDictionary(), itk::MRCImageIO::m_MetaDataHeaderName, header);
  return 1024 + header->GetExtendedHeaderSize();
}

} // namespace

void
ReadComplete(const std::string & file, const std::function<ReadPixels()> & read)
{
  // MetaIO and GDCM print errors instead of reporting them to ITK.
  std::ostringstream errors;
  const auto         restore = [](std::streambuf * buffer) { std::cerr.rdbuf(buffer); };
  const std::unique_ptr<std::streambuf, decltype(restore)> original(std::cerr.rdbuf(errors.rdbuf()), restore);
  const auto [io, pixels] = read();
  const auto          has = [&errors](const char * text) { return errors.str().find(text) != std::string::npos; };
  const std::string   format = io->GetNameOfClass();
  const std::uint64_t length = io->GetImageSizeInBytes();
  const bool          isBinary = io->GetFileType() == itk::ImageIOBase::IOFileEnum::Binary;
  const bool          isWhole = format == "NiftiImageIO" ? IsWholeNifti(file, pixels, length)
                                : format == "MetaImageIO"
                                  ? !has("not read completely") && !has("Uncompress failed") && !has("MetaImage: Read: ")
                                : format == "TIFFImageIO" ? IsWholeTiff(file)
                                : format == "GDCMImageIO" ? !has("at own risk")
                                : format == "JPEGImageIO" ? IsWholeJpeg(file)
                                : format == "BMPImageIO"  ? fs::file_size(file) >= BmpLength(file, *io)
                                : format == "GiplImageIO" ? HasLength(file, 256 + length)
                                : format == "MRCImageIO"  ? HasLength(file, MrcHeaderLength(*io) + length)
                                : format == "VTKImageIO" && isBinary
                                  ? HasLength(file, static_cast<const itk::VTKImageIO &>(*io).GetHeaderSize() + length)
                                  : true;
  if (!isWhole)
  {
    throw Failure(file + ": cannot be read: the file is incomplete or damaged; get a new copy of it");
  }
}
