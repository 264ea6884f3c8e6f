// SPDX-License-Identifier: Apache-2.0

// PNG by libpng, and JPEG by libjpeg. ITK 5.2 replaces the indices of a palette by colors if one of them is
// transparent, and crashes if a JPEG is damaged. Both libraries report an error by a jump.

#include "ReadFormats.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

using namespace std::string_view_literals;

namespace
{

/** Calls functions of a library. Returns false after a jump to `buffer`. The function must not own anything while it
 * calls the library. */
template <typename TFunction>
bool
Try(std::jmp_buf & buffer, const TFunction & function)
{
  if (setjmp(buffer) != 0)
  {
    return false;
  }
  function();
  return true;
}

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

/** What a call of libjpeg has reported. */
struct JpegErrors : jpeg_error_mgr
{
  std::jmp_buf buffer;
  bool         isDamaged = false;
};

/** Returns the orientation that Exif gives an image, or 1. An entry of Exif has a tag, a type, a count and a value. */
int
OrientationOf(const jpeg_marker_struct & marker)
{
  const std::string_view data(reinterpret_cast<const char *>(marker.data), marker.data_length);
  for (const std::string_view entry : { "\x12\1\3\0\1\0\0\0"sv, "\1\x12\0\3\0\0\0\1"sv }) // in both byte orders
  {
    const std::size_t at = data.find(entry);
    if (at != std::string_view::npos && at + entry.size() + 2 <= data.size())
    {
      return data[at + entry.size()] + data[at + entry.size() + 1]; // one of the bytes is 0
    }
  }
  return 1;
}

} // namespace

bool
ReadPng(const std::string & file, FileImage & image)
{
  const Stream            stream(std::fopen(file.c_str(), "rb"), std::fclose);
  std::array<png_byte, 8> magic{};
  if (!stream || std::fread(magic.data(), 1, magic.size(), stream.get()) != magic.size() ||
      png_sig_cmp(magic.data(), 0, magic.size()) != 0)
  {
    return false;
  }
  std::string error;
  const auto  fail = [](png_structp png, png_const_charp message) {
    *static_cast<std::string *>(png_get_error_ptr(png)) = message;
    png_longjmp(png, 1);
  };
  png_uint_32 frames = 1; // of an animation, which libpng does not know
  const auto  countFrames = [](png_structp reader, png_unknown_chunkp chunk) {
    const bool isCount = std::memcmp(chunk->name, "acTL", 4) == 0 && chunk->size >= 4;
    if (isCount)
    {
      *static_cast<png_uint_32 *>(png_get_user_chunk_ptr(reader)) = png_get_uint_32(chunk->data);
    }
    return 0;
  };
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &error, fail, [](png_structp, png_const_charp) {});
  png_infop   info = png_create_info_struct(png);
  const auto  destroy = [&info](png_structp reader) { png_destroy_read_struct(&reader, &info, nullptr); };
  const std::unique_ptr<png_struct, decltype(destroy)> owner(png, destroy);
  const bool                                           isRead = Try(png_jmpbuf(png), [&] {
    png_init_io(png, stream.get());
    png_set_sig_bytes(png, magic.size());
    png_set_read_user_chunk_fn(png, &frames, countFrames);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, info);
    png_set_packing(png);
    if (png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY)
    {
      png_set_expand_gray_1_2_4_to_8(png);
    }
    if (png_get_bit_depth(png, info) == 16)
    {
      png_set_swap(png);
    }
    const auto passes = static_cast<std::uint64_t>(png_set_interlace_handling(png));
    png_read_update_info(png, info);
    const auto height = png_get_image_height(png, info);
    image.geometry.space->SetRegions(itk::Size<3>{ { png_get_image_width(png, info), height, 1 } });
    const auto type = TypeOfNumbers(png_get_bit_depth(png, info) / 8U, false, false);
    char *     pixels = AllocatePixels(file, 1100.0, type, png_get_channels(png, info), image);
    for (std::uint64_t row = 0; row < height * passes; ++row)
    {
      png_read_row(png, reinterpret_cast<png_bytep>(pixels + row % height * png_get_rowbytes(png, info)), nullptr);
    }
    png_read_end(png, nullptr);
  });
  RefuseDamaged(!isRead, error);
  RefuseIf(frames > 1, "is an animation of " + std::to_string(frames) + " frames; save the frame to label as an image");
  image.geometry.dimension = 2;
  image.geometry.hasUnit = false;
  image.hasAlpha = (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) != 0;
  png_colorp colors = nullptr;
  int        count = 0;
  if (png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE && png_get_PLTE(png, info, &colors, &count) != 0)
  {
    std::vector<Color> palette;
    for (int i = 0; i < count; ++i)
    {
      palette.push_back({ colors[i].red, colors[i].green, colors[i].blue });
    }
    ApplyPalette(palette, image);
  }
  return true;
}

bool
ReadJpeg(const std::string & file, FileImage & image)
{
  const Stream stream(std::fopen(file.c_str(), "rb"), std::fclose);
  if (!stream || std::fgetc(stream.get()) != 0xFF || std::fgetc(stream.get()) != 0xD8)
  {
    return false;
  }
  std::rewind(stream.get());
  int                    orientation = 1;
  jpeg_decompress_struct jpeg{};
  JpegErrors             errors{};
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = [](j_common_ptr common) { std::longjmp(static_cast<JpegErrors *>(common->err)->buffer, 1); };
  errors.emit_message = [](j_common_ptr common, int level) {
    auto * const reported = static_cast<JpegErrors *>(common->err);
    reported->isDamaged = reported->isDamaged || (level < 0 && reported->msg_code != JWRN_EXTRANEOUS_DATA);
  };
  const std::unique_ptr<jpeg_decompress_struct, void (*)(j_decompress_ptr)> owner(&jpeg, jpeg_destroy_decompress);
  const bool                                                                isRead = Try(errors.buffer, [&] {
    jpeg_create_decompress(&jpeg);
    jpeg_stdio_src(&jpeg, stream.get());
    jpeg_save_markers(&jpeg, JPEG_APP0 + 1, 0xFFFF); // Exif
    jpeg_read_header(&jpeg, TRUE);
    orientation = jpeg.marker_list != nullptr ? OrientationOf(*jpeg.marker_list) : 1;
    jpeg_start_decompress(&jpeg);
    const auto components = static_cast<unsigned int>(jpeg.output_components);
    image.geometry.space->SetRegions(itk::Size<3>{ { jpeg.output_width, jpeg.output_height, 1 } });
    auto * row =
      reinterpret_cast<JSAMPROW>(AllocatePixels(file, 65536.0, TypeOfNumbers(1, false, false), components, image));
    for (; jpeg.output_scanline < jpeg.output_height; row += jpeg.output_width * components)
    {
      jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
  });
  RefuseDamaged(!isRead || errors.isDamaged);
  RefuseIf(image.componentCount != 1 && image.componentCount != 3,
           "cannot be read: its colors are CMYK; convert it to PNG first");
  image.geometry.dimension = 2;
  image.geometry.hasUnit = false;
  if (orientation != 1)
  {
    image.notes.push_back("viewers turn or mirror the image (orientation " + std::to_string(orientation) +
                          " of Exif), but the pixels are in the order of the file");
  }
  return true;
}
