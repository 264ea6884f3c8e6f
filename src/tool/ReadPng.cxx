// SPDX-License-Identifier: Apache-2.0

// PNG, by libpng. ITK 5.2 replaces the indices of a palette by colors if one of them is transparent.

#include "ReadFormats.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>

namespace
{

/** Calls functions of libpng. Returns false after an error, which is a jump. The function must not own anything. */
template <typename TFunction>
bool
Try(png_structp png, const TFunction & function)
{
  if (setjmp(png_jmpbuf(png)) != 0)
  {
    return false;
  }
  function();
  return true;
}

} // namespace

bool
ReadPng(const std::string & file, FileImage & image)
{
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> stream(std::fopen(file.c_str(), "rb"), std::fclose);
  std::array<png_byte, 8>                                magic{};
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
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &error, fail, [](png_structp, png_const_charp) {});
  png_infop   info = png_create_info_struct(png);
  const auto  destroy = [&info](png_structp reader) { png_destroy_read_struct(&reader, &info, nullptr); };
  const std::unique_ptr<png_struct, decltype(destroy)> owner(png, destroy);
  const bool                                           hasHeader = Try(png, [&] {
    png_init_io(png, stream.get());
    png_set_sig_bytes(png, magic.size());
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, info);
    png_set_packing(png);
    if (png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY)
    {
      png_set_expand_gray_1_2_4_to_8(png);
    }
    constexpr std::uint16_t one = 1;
    if (png_get_bit_depth(png, info) == 16 && *reinterpret_cast<const char *>(&one) == 1)
    {
      png_set_swap(png);
    }
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
  });
  if (!hasHeader)
  {
    throw Damage(file, error);
  }
  const auto height = png_get_image_height(png, info);
  SetSize({ { png_get_image_width(png, info), height, 1 } }, 2, image.geometry);
  ConvertUnit(0.0, image.geometry);
  image.hasAlpha = (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) != 0;
  const auto type =
    png_get_bit_depth(png, info) == 16 ? ImageView::PixelTypeEnum::UInt16 : ImageView::PixelTypeEnum::UInt8;
  auto * const pixels =
    reinterpret_cast<png_byte *>(AllocatePixels(file, 1100.0, type, png_get_channels(png, info), image));
  std::vector<png_bytep> rows;
  for (png_uint_32 y = 0; y < height; ++y)
  {
    rows.push_back(pixels + y * png_get_rowbytes(png, info));
  }
  const bool hasPixels = Try(png, [&] {
    png_read_image(png, rows.data());
    png_read_end(png, nullptr);
  });
  if (!hasPixels)
  {
    throw Damage(file, error);
  }
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
