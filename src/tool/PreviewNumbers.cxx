// SPDX-License-Identifier: Apache-2.0
#include "PreviewNumbers.h"

#include <algorithm>
#include <array>
#include <optional>

namespace
{

constexpr int DigitWidth = 5;
constexpr int DigitHeight = 7;

/** The digits from 0 to 9, row by row from the top. The highest of 5 bits is the left pixel. */
constexpr std::array<std::array<unsigned char, DigitHeight>, 10> Digits{
  { { 0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110 },
    { 0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110 },
    { 0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111 },
    { 0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110 },
    { 0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010 },
    { 0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110 },
    { 0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110 },
    { 0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000 },
    { 0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110 },
    { 0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100 } }
};

bool
Overlap(const Frame & a, const Frame & b)
{
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
}

/** The square of an object's pixels that is the farthest from the pixels of all others. */
struct Core
{
  int x = 0; // of the middle
  int y = 0;
  int radius = 0; // in pixels, 0 without an object
};

/** Returns the largest square of an object, with an odd edge length. */
Core
FindCore(std::uint64_t object, const std::function<std::uint64_t(int x, int y)> & objectAt, const Frame & frame)
{
  // The edge length of the largest square whose lower right pixel is (x, y), by dynamic programming.
  std::vector<int> above(static_cast<std::size_t>(frame.width) + 1, 0);
  std::vector<int> row(above.size(), 0);
  Core             core;
  for (int y = 0; y < frame.height; ++y)
  {
    for (int x = 0; x < frame.width; ++x)
    {
      const auto i = static_cast<std::size_t>(x) + 1;
      row[i] = objectAt(x, y) == object ? 1 + std::min({ above[i], above[i - 1], row[i - 1] }) : 0;
      if ((row[i] + 1) / 2 > core.radius)
      {
        core = { x - row[i] / 2, y - row[i] / 2, (row[i] + 1) / 2 };
      }
    }
    std::swap(above, row);
  }
  return core;
}

/** Returns the place of a number of this size: on the core of its object if it is large enough, else beside it. The
 * place lies in the frame and overlaps no taken place. Returns nothing if there is no such place. */
std::optional<Frame>
FindPlace(const Core & core, int width, int height, const Frame & frame, const std::vector<Frame> & taken)
{
  const Frame onCore{ core.x - width / 2, core.y - height / 2, width, height };
  const int   right = core.x + core.radius;
  const int   left = core.x - core.radius - width;
  const int   over = core.y - core.radius - height;
  const int   under = core.y + core.radius;

  std::vector<Frame> places;
  if (2 * core.radius >= std::max(width, height))
  {
    places.push_back(onCore);
  }
  for (const int y : { onCore.top, over, under })
  {
    places.push_back({ right, y, width, height });
    places.push_back({ left, y, width, height });
  }
  places.push_back({ onCore.left, over, width, height });
  places.push_back({ onCore.left, under, width, height });
  places.push_back(onCore);
  const auto isFree = [&](const Frame & place) {
    return place.left >= 0 && place.top >= 0 && place.left + place.width <= frame.width &&
           place.top + place.height <= frame.height &&
           std::none_of(taken.begin(), taken.end(), [&](const Frame & other) { return Overlap(place, other); });
  };
  const auto found = std::find_if(places.begin(), places.end(), isFree);
  return found == places.end() ? std::nullopt : std::optional<Frame>(*found);
}

/** Draws digits. `scale` is the edge length of a pixel of the font. The outline is one such pixel. */
void
DrawDigits(const std::string & digits, const Frame & place, int scale, const Frame & frame, Picture & picture)
{
  const auto isInk = [&](int x, int y) {
    const int column = x / (DigitWidth + 1);
    if (x < 0 || y < 0 || y >= DigitHeight || column >= static_cast<int>(digits.size()) ||
        x % (DigitWidth + 1) == DigitWidth)
    {
      return false;
    }
    const auto & digit = Digits.at(static_cast<std::size_t>(digits[static_cast<std::size_t>(column)] - '0'));
    return (digit[static_cast<std::size_t>(y)] >> (DigitWidth - 1 - x % (DigitWidth + 1)) & 1) != 0;
  };
  const auto isNearInk = [&](int x, int y) {
    for (int dy = -1; dy <= 1; ++dy)
    {
      for (int dx = -1; dx <= 1; ++dx)
      {
        if (isInk(x + dx, y + dy))
        {
          return true;
        }
      }
    }
    return false;
  };
  for (int y = 0; y < place.height; ++y)
  {
    for (int x = 0; x < place.width; ++x)
    {
      // The outline is around the digits.
      const int fontX = x / scale - 1;
      const int fontY = y / scale - 1;
      if (isNearInk(fontX, fontY))
      {
        picture.At(frame.left + place.left + x, frame.top + place.top + y).fill(isInk(fontX, fontY) ? 255 : 0);
      }
    }
  }
}

} // namespace

void
DrawNumbers(const std::vector<Number> &                        numbers,
            const std::function<std::uint64_t(int x, int y)> & objectAt,
            const Frame &                                      frame,
            Picture &                                          picture)
{
  const int          scale = frame.width >= 300 && frame.height >= 150 ? 2 : 1;
  std::vector<Frame> taken;
  for (const Number & number : numbers)
  {
    const Core core = FindCore(number.object, objectAt, frame);
    if (core.radius == 0)
    {
      continue;
    }
    const int width = scale * (static_cast<int>(number.digits.size()) * (DigitWidth + 1) + 1);
    const int height = scale * (DigitHeight + 2);
    if (const auto place = FindPlace(core, width, height, frame, taken))
    {
      DrawDigits(number.digits, *place, scale, frame, picture);
      taken.push_back(*place);
    }
  }
}
