// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_tool_PreviewNumbers_h
#define ccl_tool_PreviewNumbers_h

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/** The number of an object in a picture. */
struct Number
{
  std::uint64_t object = 0;
  std::string   digits;
};

/** A picture in color. */
struct Picture
{
  using Pixel = std::array<unsigned char, 3>; // red, green and blue

  int                width = 0;
  int                height = 0;
  std::vector<Pixel> pixels; // row by row, from the top

  Pixel &
  At(int x, int y)
  {
    return pixels[static_cast<std::size_t>(x) + static_cast<std::size_t>(width) * static_cast<std::size_t>(y)];
  }
};

/** A rectangle of a picture. */
struct Frame
{
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};

/** Writes numbers into a part of a picture: white digits with a black outline. A number is on its object if the object
 * is large enough, else next to the object. Objects that the frame does not show get no number. The objects with the
 * first numbers have the first choice of a place, and no number covers another.
 *
 * `objectAt` returns the object at a pixel of the frame, from (0, 0) on; 0 is background. */
void
DrawNumbers(const std::vector<Number> &                        numbers,
            const std::function<std::uint64_t(int x, int y)> & objectAt,
            const Frame &                                      frame,
            Picture &                                          picture);

#endif
