// SPDX-License-Identifier: Apache-2.0
#include "RequireComplete.h"

#include "Failure.h"

#include "itkVTKImageIO.h"

#include <nifti1_io.h>
#include <tiffio.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <vector>

namespace fs = std::filesystem;

namespace
{

[[noreturn]] void
ThrowCutOff(const std::string & file)
{
  throw Failure(file + ": cannot be read: the file is incomplete or damaged; get a new copy of it");
}

/** The first 65,536 bytes of a file, and its length in bytes. Both are of the uncompressed content if it is gzipped. */
class Contents
{
public:
  explicit Contents(const std::string & file)
  {
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), gzclose);
    if (!stream)
    {
      throw Failure(file + ": cannot be read: " + std::strerror(errno));
    }
    m_Head.resize(65536);
    m_Head.resize(static_cast<std::size_t>(std::max(gzread(stream.get(), m_Head.data(), 65536), 0)));
    m_Length = m_Head.size();
    if (gzdirect(stream.get()))
    {
      m_Length = fs::file_size(file);
      return;
    }
    std::vector<char> buffer(1 << 20);
    for (int count = 1; count > 0;)
    {
      count = gzread(stream.get(), buffer.data(), static_cast<unsigned int>(buffer.size()));
      m_Length += static_cast<std::uint64_t>(std::max(count, 0));
    }
    int error = Z_OK;
    gzerror(stream.get(), &error);
    if (error != Z_OK)
    {
      ThrowCutOff(file);
    }
  }

  /** Returns the length in bytes. */
  std::uint64_t
  GetLength() const
  {
    return m_Length;
  }

  /** Returns the first 65,536 bytes. */
  std::string
  GetText() const
  {
    return m_Head;
  }

  /** Returns the number at an offset in bytes, or 0 if it is not in the first 65,536 bytes. */
  template <typename T>
  T
  Get(std::size_t offset, bool swap) const
  {
    char bytes[sizeof(T)] = {};
    if (offset + sizeof(T) <= m_Head.size())
    {
      std::memcpy(bytes, m_Head.data() + offset, sizeof(T));
    }
    if (swap)
    {
      std::reverse(bytes, bytes + sizeof(T));
    }
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

private:
  std::string   m_Head;
  std::uint64_t m_Length = 0;
};

void
RequireLength(const std::string & file, std::uint64_t length)
{
  if (Contents(file).GetLength() < length)
  {
    ThrowCutOff(file);
  }
}

/** Checks NIfTI and Analyze 7.5. The pixels are in the same file, or in an .img file next to the .hdr file. */
void
RequireCompleteNifti(const std::string & file)
{
  const std::unique_ptr<nifti_image, void (*)(nifti_image *)> header(nifti_image_read(file.c_str(), 0),
                                                                     nifti_image_free);
  if (!header)
  {
    return; // the reader explains why it cannot read the header
  }
  const std::unique_ptr<char, void (*)(void *)> pixels(nifti_findimgname(header->iname, header->nifti_type), std::free);
  if (!pixels)
  {
    throw Failure(file + ": cannot be read: the file of its pixels does not exist");
  }
  RequireLength(pixels.get(),
                static_cast<std::uint64_t>(std::max(header->iname_offset, 0)) + nifti_get_volsize(header.get()));
}

void
RequireCompleteMeta(const std::string & file)
{
  const std::string                  text = Contents(file).GetText();
  std::map<std::string, std::string> fields;
  std::size_t                        begin = 0;
  while (begin < text.size() && fields.count("ElementDataFile") == 0)
  {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::size_t equals = line.find('=');
    const auto        trim = [](const std::string & part) {
      const std::size_t first = part.find_first_not_of(" \t\r");
      return first == std::string::npos ? "" : part.substr(first, part.find_last_not_of(" \t\r") + 1 - first);
    };
    if (equals != std::string::npos)
    {
      fields[trim(line.substr(0, equals))] = trim(line.substr(equals + 1));
    }
    begin = end + 1;
  }

  std::uint64_t bytes = 0;
  if (fields["CompressedData"] == "True")
  {
    bytes = std::strtoull(fields["CompressedDataSize"].c_str(), nullptr, 10);
  }
  else if (fields["BinaryData"] != "False")
  {
    const std::map<std::string, std::uint64_t> sizes{
      { "MET_CHAR", 1 },      { "MET_UCHAR", 1 },      { "MET_SHORT", 2 }, { "MET_USHORT", 2 },
      { "MET_INT", 4 },       { "MET_UINT", 4 },       { "MET_LONG", 4 },  { "MET_ULONG", 4 },
      { "MET_LONG_LONG", 8 }, { "MET_ULONG_LONG", 8 }, { "MET_FLOAT", 4 }, { "MET_DOUBLE", 8 }
    };
    std::string type = fields["ElementType"];
    type = type.substr(0, type.rfind("_ARRAY"));
    bytes = sizes.count(type) ? sizes.at(type) : 0;
    bytes *= std::max<std::uint64_t>(std::strtoull(fields["ElementNumberOfChannels"].c_str(), nullptr, 10), 1);
    std::istringstream dimensions(fields["DimSize"]);
    for (std::uint64_t size = 0; dimensions >> size;)
    {
      bytes *= size;
    }
  }
  const std::string data = fields["ElementDataFile"];
  if (data == "LOCAL")
  {
    RequireLength(file, begin + bytes);
  }
  else if (data.find('%') == std::string::npos && data.compare(0, 4, "LIST") != 0)
  {
    const std::string dataFile = (fs::path(file).parent_path() / data).string();
    if (!fs::is_regular_file(dataFile))
    {
      throw Failure(file + ": cannot be read: the file of its pixels, " + dataFile + ", does not exist");
    }
    RequireLength(dataFile, bytes);
  }
}

void
RequireCompleteTiff(const std::string & file)
{
  static bool failed;
  failed = false;
  const TIFFErrorHandler errorHandler = TIFFSetErrorHandler([](const char *, const char *, va_list) { failed = true; });
  const TIFFErrorHandler warningHandler = TIFFSetWarningHandler(nullptr);
  const std::uint64_t    length = fs::file_size(file);
  const std::unique_ptr<TIFF, void (*)(TIFF *)> tiff(TIFFOpen(file.c_str(), "r"), TIFFClose);
  bool                                          isComplete = tiff != nullptr;
  for (bool more = isComplete; more; more = TIFFReadDirectory(tiff.get()) != 0)
  {
    const std::uint32_t parts =
      TIFFIsTiled(tiff.get()) ? TIFFNumberOfTiles(tiff.get()) : TIFFNumberOfStrips(tiff.get());
    for (std::uint32_t part = 0; part < parts; ++part)
    {
      isComplete =
        isComplete && TIFFGetStrileOffset(tiff.get(), part) + TIFFGetStrileByteCount(tiff.get(), part) <= length;
    }
  }
  TIFFSetErrorHandler(errorHandler);
  TIFFSetWarningHandler(warningHandler);
  if (!isComplete || failed)
  {
    ThrowCutOff(file);
  }
}

/** Returns the last 4096 bytes of a file, or the whole file if it is shorter. */
std::string
TailOf(const std::string & file)
{
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(-static_cast<std::int64_t>(std::min<std::uint64_t>(fs::file_size(file), 4096)), std::ios::end);
  return std::string((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
}

/** Checks DICOM. The pixels are the last element (7FE0,0010). It has a known length or ends with a delimiter. */
void
RequireCompleteDicom(const std::string & file)
{
  using namespace std::string_literals;
  const Contents    contents(file);
  const std::string head = contents.GetText();
  const std::size_t tag = head.rfind("\xE0\x7F\x10\x00"s);
  if (tag == std::string::npos)
  {
    return;
  }
  const bool          isExplicit = head.compare(tag + 4, 2, "OW") == 0 || head.compare(tag + 4, 2, "OB") == 0;
  const std::size_t   lengthAt = tag + (isExplicit ? 8 : 4);
  const std::uint64_t length = contents.Get<std::uint32_t>(lengthAt, false);
  const bool          isComplete = length == 0xFFFFFFFF ? TailOf(file).find("\xFE\xFF\xDD\xE0"s) != std::string::npos
                                                        : contents.GetLength() >= lengthAt + 4 + length;
  if (!isComplete)
  {
    ThrowCutOff(file);
  }
}

/** Checks JPEG. The end marker is in the last bytes of a complete file. */
void
RequireCompleteJpeg(const std::string & file)
{
  if (TailOf(file).find("\xFF\xD9") == std::string::npos)
  {
    ThrowCutOff(file);
  }
}

/** Checks BMP. Each row is padded to 4 bytes, unless the pixels are compressed. */
void
RequireCompleteBmp(const std::string & file)
{
  constexpr std::uint32_t os2HeaderSize = 12;
  const Contents          contents(file);
  const bool              isOs2 = contents.Get<std::uint32_t>(14, false) == os2HeaderSize;
  const bool              isCompressed = !isOs2 && contents.Get<std::uint32_t>(30, false) != 0;
  const std::uint64_t width = isOs2 ? contents.Get<std::uint16_t>(18, false) : contents.Get<std::uint32_t>(18, false);
  // The height is negative if the first row is on top.
  const std::int64_t  height = isOs2 ? contents.Get<std::uint16_t>(20, false) : contents.Get<std::int32_t>(22, false);
  const std::uint64_t bitsPerPixel = contents.Get<std::uint16_t>(isOs2 ? 24 : 28, false);
  const std::uint64_t rowBytes = (width * bitsPerPixel + 31) / 32 * 4;
  const std::uint64_t bytes =
    isCompressed ? contents.Get<std::uint32_t>(34, false) : rowBytes * static_cast<std::uint64_t>(std::abs(height));
  if (contents.GetLength() < contents.Get<std::uint32_t>(10, false) + bytes)
  {
    ThrowCutOff(file);
  }
}

} // namespace

void
RequireComplete(const std::string & file, const itk::ImageIOBase & io)
{
  const std::string   format = io.GetNameOfClass();
  const std::uint64_t bytes = static_cast<std::uint64_t>(io.GetImageSizeInBytes());
  if (format == "NiftiImageIO")
  {
    RequireCompleteNifti(file);
  }
  else if (format == "MetaImageIO")
  {
    RequireCompleteMeta(file);
  }
  else if (format == "TIFFImageIO")
  {
    RequireCompleteTiff(file);
  }
  else if (format == "JPEGImageIO")
  {
    RequireCompleteJpeg(file);
  }
  else if (format == "GDCMImageIO")
  {
    RequireCompleteDicom(file);
  }
  else if (format == "VTKImageIO")
  {
    if (io.GetFileType() == itk::ImageIOBase::IOFileEnum::Binary)
    {
      RequireLength(file, static_cast<const itk::VTKImageIO &>(io).GetHeaderSize() + bytes);
    }
  }
  else if (format == "GiplImageIO")
  {
    RequireLength(file, 256 + bytes);
  }
  else if (format == "MRCImageIO")
  {
    // An extended header may follow the header of 1024 bytes.
    const bool swap = io.GetByteOrder() == itk::ImageIOBase::IOByteOrderEnum::BigEndian;
    RequireLength(file, 1024 + Contents(file).Get<std::uint32_t>(92, swap) + bytes);
  }
  else if (format == "BMPImageIO")
  {
    RequireCompleteBmp(file);
  }
  else
  {
    // Contents reads a gzipped file to its end, and throws Failure if it is incomplete.
    static_cast<void>(Contents(file));
  }
}
