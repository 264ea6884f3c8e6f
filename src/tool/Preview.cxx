// SPDX-License-Identifier: Apache-2.0
#include "Preview.h"

#include "PixelValues.h"
#include "SaveImage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace
{

using Colour = std::array<double, 3>; // red, green and blue, from 0 to 255

constexpr double Width = 1200.0; // of the picture, in pixels
constexpr double Gap = 6.0;      // between panes, in pixels

/** Colours that are easy to distinguish on grey and next to each other. */
const std::vector<Colour> Palette{ { 230, 60, 60 },  { 60, 180, 75 },   { 70, 120, 240 }, { 255, 215, 25 },
                                   { 245, 130, 48 }, { 150, 60, 190 },  { 70, 225, 235 }, { 240, 50, 230 },
                                   { 170, 235, 60 }, { 250, 160, 200 }, { 0, 140, 140 },  { 160, 100, 40 } };

double
DistanceBetween(const Colour & a, const Colour & b)
{
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** A slice of an image as it is displayed, from the top row to the bottom row. */
struct Pane
{
  std::array<std::size_t, 2> size{};
  std::array<double, 2>      spacing{};
  std::vector<float>         grey;
  std::vector<std::uint32_t> objects; // 1, 2, 3, ...; 0 is background
  Frame                      place;   // in the picture
};

using Neighbours = std::map<std::uint64_t, std::set<std::uint64_t>>;

/** Adds the pairs of neighboring objects of a pane. A breadth-first search gives each pixel to its nearest object. Two
 * objects are neighbors if their pixels are then adjacent. */
void
AddNeighbours(const Pane & pane, Neighbours & neighbors)
{
  const auto                 size = pane.size;
  std::vector<std::uint32_t> cells = pane.objects;
  std::deque<std::size_t>    queue;
  for (std::size_t i = 0; i < cells.size(); ++i)
  {
    if (cells[i] != 0)
    {
      queue.push_back(i);
      neighbors[cells[i]];
    }
  }
  while (!queue.empty())
  {
    const std::size_t i = queue.front();
    queue.pop_front();
    const auto visit = [&](bool exists, std::size_t j) {
      if (exists && cells[j] == 0)
      {
        cells[j] = cells[i];
        queue.push_back(j);
      }
      else if (exists && cells[j] != cells[i])
      {
        neighbors[cells[i]].insert(cells[j]);
        neighbors[cells[j]].insert(cells[i]);
      }
    };
    visit(i % size[0] > 0, i - 1);
    visit(i % size[0] + 1 < size[0], i + 1);
    visit(i >= size[0], i - size[0]);
    visit(i + size[0] < cells.size(), i + size[0]);
  }
}

/** Returns a colour for each object. In the order of the objects, it takes the colour of the palette that differs most
 * from the colours of the neighbors. */
std::map<std::uint64_t, Colour>
ChooseColours(const std::vector<Pane> & panes)
{
  Neighbours neighbors;
  for (const Pane & pane : panes)
  {
    AddNeighbours(pane, neighbors);
  }
  std::map<std::uint64_t, Colour> colours;
  for (const auto & [object, others] : neighbors)
  {
    const auto distanceOf = [&colours, &others = others](const Colour & colour) {
      double distance = 1000.0;
      for (const std::uint64_t other : others)
      {
        const auto found = colours.find(other);
        distance = found == colours.end() ? distance : std::min(distance, DistanceBetween(colour, found->second));
      }
      return distance;
    };
    // The search starts at another colour for each object, so that equally good colours are used in turn.
    auto candidates = Palette;
    std::rotate(candidates.begin(), candidates.begin() + colours.size() % candidates.size(), candidates.end());
    colours[object] =
      *std::max_element(candidates.begin(), candidates.end(), [&](const Colour & left, const Colour & right) {
        return distanceOf(left) < distanceOf(right);
      });
  }
  return colours;
}

/** Returns the grey values that are drawn as black and white: the 1st and 99th percentiles of all panes. */
std::pair<double, double>
FindWindow(const std::vector<Pane> & panes)
{
  std::vector<float> values;
  for (const Pane & pane : panes)
  {
    std::copy_if(
      pane.grey.begin(), pane.grey.end(), std::back_inserter(values), [](float value) { return std::isfinite(value); });
  }
  if (values.empty())
  {
    return { 0.0, 1.0 };
  }
  const auto quantile = [&values](std::size_t hundredth) {
    const auto position = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * hundredth / 100);
    std::nth_element(values.begin(), position, values.end());
    return static_cast<double>(*position);
  };
  const double darkest = quantile(1);
  return { darkest, std::max(quantile(99), darkest + 1e-6) };
}

/** Returns the value of a slice at a point, by linear interpolation. The unit is pixels; the centre of the first pixel
 * is at (0.5, 0.5). */
double
Interpolate(const Pane & pane, double x, double y)
{
  const auto   size = pane.size;
  const double left = std::clamp(x - 0.5, 0.0, static_cast<double>(size[0] - 1));
  const double top = std::clamp(y - 0.5, 0.0, static_cast<double>(size[1] - 1));
  const auto   x0 = static_cast<std::size_t>(left);
  const auto   y0 = static_cast<std::size_t>(top);
  const auto   x1 = std::min<std::size_t>(x0 + 1, size[0] - 1);
  const auto   y1 = std::min<std::size_t>(y0 + 1, size[1] - 1);
  const double u = left - static_cast<double>(x0);
  const double v = top - static_cast<double>(y0);
  const auto   at = [&](std::size_t i, std::size_t j) { return static_cast<double>(pane.grey[i + size[0] * j]); };
  return (at(x0, y0) * (1 - u) + at(x1, y0) * u) * (1 - v) + (at(x0, y1) * (1 - u) + at(x1, y1) * u) * v;
}

/** Places the panes side by side, at the top of a picture. All panes have the same scale in mm. Returns the picture, in
 * white. */
Picture
Arrange(std::vector<Pane> & panes)
{
  double width = 0.0;
  double height = 0.0;
  for (const Pane & pane : panes)
  {
    width += static_cast<double>(pane.size[0]) * pane.spacing[0];
    height = std::max(height, static_cast<double>(pane.size[1]) * pane.spacing[1]);
  }
  const double room = Width - Gap * static_cast<double>(panes.size() - 1);
  const double scale = std::min(room / width, Width / height);
  Picture      picture;
  for (Pane & pane : panes)
  {
    const auto extent = [&](unsigned int axis) {
      return std::max(1, static_cast<int>(static_cast<double>(pane.size[axis]) * pane.spacing[axis] * scale));
    };
    pane.place = { picture.width + (picture.width > 0 ? static_cast<int>(Gap) : 0), 0, extent(0), extent(1) };
    picture.width = pane.place.left + pane.place.width;
    picture.height = std::max(picture.height, pane.place.height);
  }
  picture.pixels.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height),
                        { 255, 255, 255 });
  return picture;
}

/** Returns a function that returns the object of a pane at a pixel of its place. */
std::function<std::uint64_t(int x, int y)>
ObjectsAt(const Pane & pane)
{
  const auto   size = pane.size;
  const double across = static_cast<double>(size[0]) / pane.place.width;
  const double down = static_cast<double>(size[1]) / pane.place.height;
  return [=, objects = pane.objects.data()](int x, int y) {
    const auto i = static_cast<std::size_t>((x + 0.5) * across);
    const auto j = static_cast<std::size_t>((y + 0.5) * down);
    return objects[std::min<std::size_t>(i, size[0] - 1) + size[0] * std::min<std::size_t>(j, size[1] - 1)];
  };
}

/** Draws a pane at its place. Objects are half transparent, with an opaque outline. */
void
Draw(const Pane &                            pane,
     const std::map<std::uint64_t, Colour> & colours,
     const std::pair<double, double> &       window,
     Picture &                               picture)
{
  const Frame & place = pane.place;
  const double  across = static_cast<double>(pane.size[0]) / place.width;
  const double  down = static_cast<double>(pane.size[1]) / place.height;
  const auto    objectAt = ObjectsAt(pane);
  for (int y = 0; y < place.height; ++y)
  {
    for (int x = 0; x < place.width; ++x)
    {
      const double value = Interpolate(pane, (x + 0.5) * across, (y + 0.5) * down);
      const double bright = (value - window.first) / (window.second - window.first);
      const double grey = std::isfinite(bright) ? 255.0 * std::clamp(bright, 0.0, 1.0) : 0.0;
      Colour       colour{ grey, grey, grey };
      if (const std::uint64_t object = objectAt(x, y))
      {
        const bool isOutline = (x > 0 && objectAt(x - 1, y) != object) || (y > 0 && objectAt(x, y - 1) != object) ||
                               (x + 1 < place.width && objectAt(x + 1, y) != object) ||
                               (y + 1 < place.height && objectAt(x, y + 1) != object);
        const double opacity = isOutline ? 1.0 : 0.5;
        for (std::size_t i = 0; i < 3; ++i)
        {
          colour[i] += opacity * (colours.at(object)[i] - colour[i]);
        }
      }
      std::transform(colour.begin(), colour.end(), picture.At(place.left + x, place.top + y).begin(), [](double part) {
        return static_cast<unsigned char>(std::lround(part));
      });
    }
  }
}

/** The axes of an image that are nearest to the patient's axes: to the left, to the back and to the head, as in ITK. */
struct PatientAxes
{
  std::array<unsigned int, 3> axes{ 0, 1, 2 };
  std::array<bool, 3>         areReversed{}; // whether the image's axis has the opposite direction
};

PatientAxes
FindPatientAxes(const itk::ImageBase<3>::DirectionType & direction)
{
  PatientAxes                 patient;
  std::array<unsigned int, 3> axes = patient.axes;
  double                      nearest = -1.0;
  do
  {
    double cosines = 0.0;
    for (unsigned int i = 0; i < 3; ++i)
    {
      cosines += std::abs(direction[i][axes[i]]);
    }
    if (cosines > nearest)
    {
      nearest = cosines;
      patient.axes = axes;
    }
  } while (std::next_permutation(axes.begin(), axes.end()));
  for (unsigned int i = 0; i < 3; ++i)
  {
    patient.areReversed[i] = direction[i][patient.axes[i]] < 0.0;
  }
  return patient;
}

/** Returns the slice of an image along two axes, at the index `position` along the third axis. In the result, these
 * axes are x and y. Each of them can be reversed. */
ImageView
SliceOf(const ImageView &                   image,
        const std::array<unsigned int, 2> & axes,
        const std::array<bool, 2> &         areReversed,
        std::uint64_t                       position)
{
  ImageView slice = image;
  char *    first = static_cast<char *>(image.pixels);
  first += static_cast<std::int64_t>(position) * image.strides[3 - axes[0] - axes[1]];
  for (unsigned int i = 0; i < 2; ++i)
  {
    slice.size[i] = image.size[axes[i]];
    slice.strides[i] = image.strides[axes[i]];
    if (areReversed[i])
    {
      first += static_cast<std::int64_t>(slice.size[i] - 1) * slice.strides[i];
      slice.strides[i] = -slice.strides[i];
    }
  }
  slice.pixels = first;
  slice.size[2] = 1;
  return slice;
}

/** Returns, for each axis, the median index of the pixels that are not 0, or the middle of the image if there are none.
 */
std::array<std::uint64_t, 3>
MiddleOf(const std::uint32_t * labels, const ImageView::SizeType & size)
{
  std::array<std::vector<std::uint64_t>, 3> counts;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    counts[axis].resize(size[axis]);
  }
  for (std::uint64_t z = 0; z < size[2]; ++z)
  {
    for (std::uint64_t y = 0; y < size[1]; ++y)
    {
      for (std::uint64_t x = 0; x < size[0]; ++x)
      {
        const std::uint64_t isObject = *labels++ != 0 ? 1 : 0;
        counts[0][x] += isObject;
        counts[1][y] += isObject;
        counts[2][z] += isObject;
      }
    }
  }
  std::array<std::uint64_t, 3> middle{ size[0] / 2, size[1] / 2, size[2] / 2 };
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    std::vector<std::uint64_t> sums = counts[axis];
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    if (sums.back() > 0)
    {
      middle[axis] =
        static_cast<std::uint64_t>(std::upper_bound(sums.begin(), sums.end(), sums.back() / 2) - sums.begin());
    }
  }
  return middle;
}

/** Returns the pane of a slice along two of the patient's axes, by radiological convention: the patient's right or
 * front is on the left, and the front or the head is at the top. */
Pane
MakePane(const FileImage &                    image,
         const std::uint32_t *                labels,
         const PatientAxes &                  patient,
         unsigned int                         across,
         unsigned int                         down,
         const std::array<std::uint64_t, 3> & middle)
{
  constexpr unsigned int            head = 2;
  const std::array<unsigned int, 2> axes{ patient.axes[across], patient.axes[down] };
  const std::array<bool, 2> areReversed{ patient.areReversed[across], patient.areReversed[down] != (down == head) };
  const std::uint64_t       position = middle[3 - axes[0] - axes[1]];
  const ImageView           grey = SliceOf(image.view, axes, areReversed, position);
  const ImageView           objects = SliceOf(ImageView::Of(labels, image.view.size), axes, areReversed, position);
  const auto &              spacing = image.geometry.space->GetSpacing();
  Pane                      pane;
  pane.size = { grey.size[0], grey.size[1] };
  pane.spacing = { spacing[axes[0]], spacing[axes[1]] };
  std::vector<double> numbers(grey.size[0] * image.componentCount);
  std::vector<double> row(grey.size[0]);
  for (std::uint64_t y = 0; y < grey.size[1]; ++y)
  {
    ReadRow(grey, y, image.componentCount, numbers.data());
    for (std::uint64_t x = 0; x < grey.size[0]; ++x)
    {
      const double * const pixel = numbers.data() + x * image.componentCount;
      pane.grey.push_back(
        static_cast<float>(image.componentCount == 1 ? *pixel : std::sqrt(SquaredNorm(pixel, image.componentCount))));
    }
    ReadRow(objects, y, 1, row.data());
    pane.objects.insert(pane.objects.end(), row.begin(), row.end());
  }
  return pane;
}

} // namespace

std::unique_ptr<Workshop>
PreparePreview(const FileImage &           image,
               const std::uint32_t *       labels,
               const std::vector<Number> & numbers,
               const std::string &         file)
{
  constexpr unsigned int left = 0;
  constexpr unsigned int back = 1;
  constexpr unsigned int head = 2;
  const auto             middle = MiddleOf(labels, image.view.size);
  const PatientAxes      patient = FindPatientAxes(image.geometry.space->GetDirection());
  std::vector<Pane>      panes{ MakePane(image, labels, patient, left, back, middle) };
  if (image.geometry.dimension == 3)
  {
    panes.push_back(MakePane(image, labels, patient, left, head, middle));
    panes.push_back(MakePane(image, labels, patient, back, head, middle));
  }
  Picture    picture = Arrange(panes);
  const auto colours = ChooseColours(panes);
  const auto window = FindWindow(panes);
  for (const Pane & pane : panes)
  {
    Draw(pane, colours, window, picture);
    DrawNumbers(numbers, ObjectsAt(pane), pane.place, picture);
  }
  Geometry geometry;
  geometry.dimension = 2;
  return PrepareImage(
    ImageView::Of(picture.pixels.data()->data(),
                  { static_cast<std::uint64_t>(picture.width), static_cast<std::uint64_t>(picture.height), 1 }),
    geometry,
    file,
    3);
}
