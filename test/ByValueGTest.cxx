// SPDX-License-Identifier: Apache-2.0

// Labeling by value, and 18 neighbors. ITK has neither, so the oracle is a flood fill.

#include "AnalysisTestSupport.h"
#include "TestImages.h"

#include "algorithms/DeviceSteps.h"
#include "algorithms/analysis/MeasureValues.h"
#include "executors/host/HostExecutor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <numeric>

namespace
{

using PixelType = View::PixelTypeEnum;
using Size = CudaConnectedComponentLabeler::SizeType;

constexpr PixelType AllTypes[] = { PixelType::Int8,  PixelType::UInt8,  PixelType::Int16, PixelType::UInt16,
                                   PixelType::Int32, PixelType::UInt32, PixelType::Int64, PixelType::UInt64,
                                   PixelType::Float, PixelType::Double, PixelType::Half,  PixelType::BFloat16,
                                   PixelType::Bool };

std::uint64_t
CountOf(const Size & size)
{
  return size[0] * size[1] * size[2];
}

/** Returns a few values of a type, as bits. The first one is 0. Some differ in one byte only; some are equal to others,
 * and some equal nothing. */
std::vector<std::uint64_t>
SomeValues(PixelType type)
{
  switch (type)
  {
    case PixelType::Bool:
      return { 0, 1, 2, 255 };
    case PixelType::Half:
      return { 0, 0x8000, 0x3C00, 0xBC00, 0x3C01, 0x7C00, 0x7C01, 0xFFFF };
    case PixelType::BFloat16:
      return { 0, 0x8000, 0x3F80, 0xBF80, 0x3F81, 0x7F80, 0x7F81, 0xFFFF };
    case PixelType::Float:
      return { 0, 0x80000000U, 0x3F800000U, 0xBF800000U, 0x3F800001U, 0x7F800000U, 0x7FC00000U, 0xFFFFFFFFU };
    case PixelType::Double:
      return { 0,
               0x8000000000000000U,
               0x3FF0000000000000U,
               0xBFF0000000000000U,
               0x3FF0000000000001U,
               0x7FF0000000000000U,
               0x7FF8000000000000U,
               ~std::uint64_t{ 0 } };
    default:
    {
      const std::uint64_t highest = ~std::uint64_t{ 0 } >> (64 - 8 * View::SizeOf(type));
      return { 0, 1, 2, highest, highest / 2 + 1, highest / 2, highest - 1 };
    }
  }
}

/** Returns the number that has these bits. `type` is a floating-point type. */
double
NumberOf(PixelType type, std::uint64_t bits)
{
  const auto narrow = [bits](unsigned int exponentBits, unsigned int fractionBits) {
    const auto   fraction = static_cast<double>(bits & ((1U << fractionBits) - 1));
    const auto   exponent = static_cast<unsigned int>(bits >> fractionBits) & ((1U << exponentBits) - 1);
    const double sign = (bits >> (exponentBits + fractionBits) & 1U) != 0 ? -1 : 1;
    if (exponent == (1U << exponentBits) - 1)
    {
      return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    const int bias = (1 << (exponentBits - 1)) - 1;
    return sign * std::ldexp(fraction + (exponent == 0 ? 0 : 1U << fractionBits),
                             static_cast<int>(exponent == 0 ? 1 : exponent) - bias - static_cast<int>(fractionBits));
  };
  switch (type)
  {
    case PixelType::Half:
      return narrow(5, 10);
    case PixelType::BFloat16:
      return narrow(8, 7);
    case PixelType::Float:
    {
      float      number = 0;
      const auto low = static_cast<std::uint32_t>(bits);
      std::memcpy(&number, &low, sizeof(number));
      return number;
    }
    default:
    {
      double number = 0;
      std::memcpy(&number, &bits, sizeof(number));
      return number;
    }
  }
}

bool
IsFloat(PixelType type)
{
  return type == PixelType::Half || type == PixelType::BFloat16 || type == PixelType::Float ||
         type == PixelType::Double;
}

bool
AreEqual(PixelType type, std::uint64_t a, std::uint64_t b)
{
  if (type == PixelType::Bool)
  {
    return (a != 0) == (b != 0);
  }
  return IsFloat(type) ? NumberOf(type, a) == NumberOf(type, b) : a == b;
}

/** Labels an image by a flood fill. Pixels with isForeground(pixel) are labeled, and neighbors are connected if
 * areConnected(pixel, pixel). */
template <typename TIsForeground, typename TAreConnected>
Labels
FloodFill(const Size &          size,
          unsigned int          connectivity,
          const TIsForeground & isForeground,
          const TAreConnected & areConnected)
{
  const int most = connectivity == 4 || connectivity == 6 ? 1 : connectivity == 18 ? 2 : 3; // axes that differ
  Labels    labels;
  labels.pixels.assign(CountOf(size), 0);
  std::vector<std::array<std::int64_t, 3>> stack;
  const auto                               indexOf = [&size](const std::array<std::int64_t, 3> & at) {
    return static_cast<std::uint64_t>(at[0]) +
           size[0] * (static_cast<std::uint64_t>(at[1]) + size[1] * static_cast<std::uint64_t>(at[2]));
  };
  for (std::uint64_t first = 0; first < CountOf(size); ++first)
  {
    if (labels.pixels[first] != 0 || !isForeground(first))
    {
      continue;
    }
    const auto label = static_cast<std::uint32_t>(++labels.objectCount);
    labels.pixels[first] = label;
    stack.push_back({ static_cast<std::int64_t>(first % size[0]),
                      static_cast<std::int64_t>(first / size[0] % size[1]),
                      static_cast<std::int64_t>(first / size[0] / size[1]) });
    while (!stack.empty())
    {
      const auto at = stack.back();
      stack.pop_back();
      for (int step = 0; step < 27; ++step)
      {
        const std::array<int, 3>          distance{ step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1 };
        const int                         axes = std::abs(distance[0]) + std::abs(distance[1]) + std::abs(distance[2]);
        const std::array<std::int64_t, 3> next{ at[0] + distance[0], at[1] + distance[1], at[2] + distance[2] };
        bool                              isInside = axes > 0 && axes <= most;
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          isInside = isInside && next[axis] >= 0 && next[axis] < static_cast<std::int64_t>(size[axis]);
        }
        if (isInside && labels.pixels[indexOf(next)] == 0 && isForeground(indexOf(next)) &&
            areConnected(indexOf(at), indexOf(next)))
        {
          labels.pixels[indexOf(next)] = label;
          stack.push_back(next);
        }
      }
    }
  }
  return labels;
}

/** Labels the values of an image, connected or not. */
template <typename TIsForeground, typename TAreEqual>
Labels
LabelValues(std::uint64_t pixels, const TIsForeground & isForeground, const TAreEqual & areEqual)
{
  Labels labels;
  labels.pixels.assign(pixels, 0);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> firsts; // pixels of values, and their labels
  for (std::uint64_t i = 0; i < pixels; ++i)
  {
    if (!isForeground(i))
    {
      continue;
    }
    const bool isNaN = !areEqual(i, i);
    const auto found = std::find_if(isNaN ? firsts.end() : firsts.begin(), firsts.end(), [&](const auto & first) {
      return areEqual(first.first, i);
    });
    labels.pixels[i] = found != firsts.end() ? found->second : static_cast<std::uint32_t>(++labels.objectCount);
    if (found == firsts.end() && !isNaN)
    {
      firsts.emplace_back(i, labels.pixels[i]);
    }
  }
  return labels;
}

/** Images of values in the memory of a way, with axes in any order and gaps between pixels. */
class ValueImages
{
public:
  ValueImages(AnalysisWay                        way,
              PixelType                          type,
              const Size &                       size,
              std::uint64_t                      images,
              const std::vector<std::uint64_t> & values,
              std::mt19937 &                     random,
              bool                               isContiguous = false)
  {
    const std::uint64_t         bytes = View::SizeOf(type);
    std::array<unsigned int, 3> order{ 0, 1, 2 };
    const bool                  isPlain = isContiguous || random() % 2 == 0;
    if (!isPlain)
    {
      std::shuffle(order.begin(), order.end(), random);
    }
    std::uint64_t stride = bytes * (isPlain ? 1 : 1 + random() % 2);
    view = View::Of(nullptr, type, size);
    for (const unsigned int axis : order)
    {
      view.strides[axis] = static_cast<std::int64_t>(stride);
      stride = stride * size[axis] + (isPlain ? 0 : bytes * (random() % 3));
    }
    view.images = images;
    view.imageStride = static_cast<std::int64_t>(stride);
    m_Bytes.assign(stride * images + 64, 0x55);
    for (std::uint64_t i = 0; i < values.size(); ++i)
    {
      std::memcpy(m_Bytes.data() + this->OffsetOf(i), &values[i], bytes);
    }
    view.pixels = m_Bytes.data();
    if (way == AnalysisWay::DeviceToDevice)
    {
      m_Device = CudaTestSupport::AllocateDevice(m_Bytes.size());
      CudaTestSupport::CopyToDevice(m_Device.get(), m_Bytes.data(), m_Bytes.size());
      view.pixels = m_Device.get();
      view.memory = View::MemoryEnum::Device;
    }
  }

  void
  Download()
  {
    if (m_Device)
    {
      CudaTestSupport::CopyToHost(m_Bytes.data(), m_Device.get(), m_Bytes.size());
    }
  }

  /** Returns the bits of pixel i, where images follow each other. */
  std::uint64_t
  At(std::uint64_t i) const
  {
    std::uint64_t bits = 0;
    std::memcpy(&bits, m_Bytes.data() + this->OffsetOf(i), View::SizeOf(view.type));
    return bits;
  }

  View view;

private:
  std::uint64_t
  OffsetOf(std::uint64_t i) const
  {
    const Size &        size = view.size;
    const std::uint64_t pixel = i % CountOf(size);
    const std::int64_t  offset = static_cast<std::int64_t>(i / CountOf(size)) * view.imageStride +
                                static_cast<std::int64_t>(pixel % size[0]) * view.strides[0] +
                                static_cast<std::int64_t>(pixel / size[0] % size[1]) * view.strides[1] +
                                static_cast<std::int64_t>(pixel / size[0] / size[1]) * view.strides[2];
    return static_cast<std::uint64_t>(offset);
  }

  std::vector<unsigned char> m_Bytes;
  std::shared_ptr<void>      m_Device;
};

/** Returns a request for components of values.
 * \param background bits of a value, or the highest integer for none */
itk::ccl::Request
RequestOf(const View & images, std::uint64_t background)
{
  itk::ccl::Request request;
  request.size = { images.size[0], images.size[1], images.size[2] };
  request.images = images.images;
  request.isByValue = request.isComplement = true;
  request.values = images;
  request.foreground =
    background == ~std::uint64_t{ 0 } ? itk::ccl::Foreground{} : itk::ccl::Foreground::EqualTo(images.type, background);
  return request;
}

/** A batch with random values, what its components are, and a labeler for it. */
struct ValueCase
{
  std::string                   name;
  PixelType                     type;
  Size                          size;
  std::uint64_t                 images;
  unsigned int                  connectivity;
  bool                          isWhole;    // whether all pixels of a value are one component
  std::uint64_t                 background; // bits of its value, or NoBackground
  CudaConnectedComponentLabeler labeler;
  std::vector<std::uint64_t>    values;
  std::vector<std::uint64_t>    mask; // empty without a mask

  std::vector<Labels>                      labels; // of each image, before the selection
  std::vector<CudaConnectedComponentTable> tables;
  std::vector<std::vector<std::uint64_t>>  rows;      // kept components of each image
  std::vector<std::vector<std::uint32_t>>  newLabels; // of all components of each image; 0 if they are not kept

  static constexpr std::uint64_t NoBackground = ~std::uint64_t{ 0 };

  ValueCase(AnalysisWay way, unsigned int seed)
    : labeler(LabelerFor(way, false))
  {
    std::mt19937 random(seed);
    const auto   side = [&random](unsigned int most) { return 1 + random() % (random() % 4 == 0 ? most : 9); };
    type = AllTypes[seed % std::size(AllTypes)];
    size = { random() % 4 == 0 ? 32 * (1 + random() % 3) : side(100), side(30), random() % 3 == 0 ? 1 : side(20) };
    images = random() % 3 == 0 ? 2 + random() % 3 : 1;
    if (seed % 250 ==
        0) // more than 2^15 words, with many runs: on the device, initialization chooses the parts of words
    {
      size = { 130, 100, 66 };
      images = 1;
    }
    const unsigned int connectivities[] = { 4, 8, 6, 18, 26 };
    connectivity = size[2] == 1 ? connectivities[random() % 2] : connectivities[2 + random() % 3];
    std::vector<std::uint64_t> some = SomeValues(type);
    background = random() % 3 == 0 ? NoBackground : random() % 2 == 0 ? 0 : some[2];
    std::shuffle(some.begin() + 1, some.end(), random);
    some.resize(2 + random() % (some.size() - 1));
    const unsigned int repeat = seed % 250 == 0 ? 1 : 1 + random() % 12; // the mean length of a run
    for (std::uint64_t i = 0; i < CountOf(size) * images; ++i)
    {
      const bool isRepeated = i > 0 && random() % repeat != 0;
      values.push_back(isRepeated ? values.back() : some[random() % some.size()]);
    }
    if (random() % 4 == 0)
    {
      mask.resize(values.size());
      std::generate(mask.begin(), mask.end(), [&random] { return random() % 4; });
    }
    auto & options = labeler.options;
    options.byValue = true;
    options.connectivity = connectivity;
    options.columns = AllColumns();
    options.columns.values = true;
    if (background == NoBackground)
    {
      options.foreground = itk::CudaConnectedComponentForeground::AnyOf({});
      options.complement = true;
    }
    else if (background != 0)
    {
      options.foreground = itk::CudaConnectedComponentForeground::EqualTo(ValueOf(background));
      options.complement = true;
    }
    if (random() % 2 == 0)
    {
      options.selection.minimumSize = random() % 4;
      options.selection.numberOfLargest = random() % 4;
      options.selection.order = static_cast<OrderEnum>(random() % 2);
      options.selection.border = static_cast<BorderEnum>(random() % 3);
      options.selection.pixelOrder = static_cast<PixelOrderEnum>(random() % 2);
      options.selection.invert = random() % 4 == 0;
      options.selection.perValue = random() % 2 == 0;
      options.selection.keepsTies =
        options.selection.numberOfLargest == 1 && !options.selection.perValue && random() % 2 == 0;
      const bool mayHaveSizes = options.selection.numberOfLargest == 0 || options.selection.perValue;
      for (std::size_t i = 0; i < some.size() && mayHaveSizes && random() % 4 != 0; ++i)
      {
        const bool isNew = std::none_of(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(i), [&](auto other) {
          return AreEqual(type, some[i], other);
        });
        if (isNew && !(IsFloat(type) && std::isnan(NumberOf(type, some[i]))))
        {
          const std::uint64_t most = random() % 2 == 0 ? ~std::uint64_t{ 0 } : 1 + random() % 9;
          options.selection.sizesOfValues.push_back({ ValueOf(some[i]), random() % 5, most });
        }
      }
    }
    isWhole = options.wholeValues = random() % 4 == 0;
    name = NameOf(way) + ", seed " + std::to_string(seed) + ", type " + std::to_string(static_cast<int>(type)) + ", " +
           std::to_string(images) + " of " + View::TextOf(size) + ", " + std::to_string(connectivity) +
           " neighbors, background " + std::to_string(background) + (mask.empty() ? "" : ", mask") + ", " +
           Describe(options.selection);
    for (std::uint64_t image = 0; image < images; ++image)
    {
      const std::uint64_t begin = image * CountOf(size);
      const auto          isForeground = [&](std::uint64_t i) {
        const bool isBackground = background != NoBackground && AreEqual(type, values[begin + i], background);
        return !isBackground && (mask.empty() || mask[begin + i] != 0);
      };
      const auto areEqual = [&](std::uint64_t i, std::uint64_t j) {
        return AreEqual(type, values[begin + i], values[begin + j]);
      };
      labels.push_back(isWhole ? LabelValues(CountOf(size), isForeground, areEqual)
                               : FloodFill(size, connectivity, isForeground, areEqual));
      TestImage shape;
      shape.size = size;
      tables.push_back(MeasureByLoop(shape, labels.back(), options.selection.pixelOrder));
      tables.back().values.resize(labels.back().objectCount);
      for (std::uint64_t i = 0; i < CountOf(size); ++i)
      {
        if (const std::uint32_t label = labels.back().pixels[i])
        {
          tables.back().values[label - 1] = values[begin + i];
        }
      }
      rows.push_back(SelectByLoop(
        tables.back(), options.selection, {}, { type, [this](auto a, auto b) { return AreEqual(type, a, b); } }));
      newLabels.emplace_back(labels.back().objectCount, 0);
      for (std::size_t row = 0; row < rows.back().size(); ++row)
      {
        newLabels.back()[rows.back()[row]] = static_cast<std::uint32_t>(row + 1);
      }
    }
  }

  View::Value
  ValueOf(std::uint64_t bits) const
  {
    if (IsFloat(type))
    {
      return NumberOf(type, bits);
    }
    return type == PixelType::Bool ? View::Value(bits != 0) : View::Value(bits);
  }

  /** Returns the request of the labeler for images. */
  itk::ccl::Request
  RequestFor(const View & view) const
  {
    itk::ccl::Request request = RequestOf(view, background);
    request.selection = labeler.options.selection;
    request.neighbors = isWhole                                   ? itk::ccl::Neighbors::All
                        : connectivity == 18                      ? itk::ccl::Neighbors::Edge
                        : connectivity == 8 || connectivity == 26 ? itk::ccl::Neighbors::Full
                                                                  : itk::ccl::Neighbors::Face;
    return request;
  }

  std::uint32_t
  LabelAt(std::uint64_t i) const
  {
    const std::uint64_t image = i / CountOf(size);
    const std::uint32_t label = labels[image].pixels[i % CountOf(size)];
    return label == 0 ? 0 : newLabels[image][label - 1];
  }

  void
  Expect(const CudaConnectedComponentTable & table) const
  {
    std::uint64_t row = 0;
    ASSERT_EQ(table.componentCounts.size(), images) << name;
    for (std::uint64_t image = 0; image < images; ++image)
    {
      ASSERT_EQ(table.componentCounts[image], rows[image].size()) << name;
      for (const std::uint64_t kept : rows[image])
      {
        const auto & expected = tables[image];
        ASSERT_EQ(table.pixelCounts[row], expected.pixelCounts[kept]) << name;
        ASSERT_EQ(table.firstPixels[row], expected.firstPixels[kept]) << name;
        ASSERT_EQ(table.minimums[0][row], expected.minimums[0][kept]) << name;
        ASSERT_EQ(table.maximums[2][row], expected.maximums[2][kept]) << name;
        ASSERT_EQ(table.sums[0][row], expected.sums[0][kept]) << name;
        ASSERT_EQ(table.products[1][row], expected.products[1][kept]) << name;
        ASSERT_EQ(table.faces[row], expected.faces[kept]) << name;
        const std::uint64_t value = expected.values[kept];
        ASSERT_TRUE(
          table.values[row] == value || AreEqual(type, table.values[row], value) ||
          (IsFloat(type) && std::isnan(NumberOf(type, table.values[row])) && std::isnan(NumberOf(type, value))))
          << name << ": " << table.values[row] << " instead of " << value;
        ++row;
      }
    }
    EXPECT_EQ(row, table.componentCount) << name;
  }
};

class CudaConnectedComponentsByValue : public AnalysisTest
{};

} // namespace

TEST_P(CudaConnectedComponentsByValue, SameAsAFloodFill)
{
  for (unsigned int seed = 1; seed <= 1500 && !HasFatalFailure(); ++seed)
  {
    ValueCase       tested(GetParam(), seed);
    std::mt19937    random(seed);
    auto &          labeler = tested.labeler;
    ValueImages     input(GetParam(), tested.type, tested.size, tested.images, tested.values, random);
    const PixelType outputType = seed % 2 == 0 ? PixelType::UInt32 : PixelType::Int64;
    ValueImages     output(GetParam(), outputType, tested.size, tested.images, tested.values, random, true);
    ValueImages     mask(GetParam(), PixelType::UInt8, tested.size, tested.images, tested.mask, random);
    if (!tested.mask.empty())
    {
      labeler.options.mask = mask.view;
    }
    CudaConnectedComponentTable table;
    labeler.Label(input.view, output.view, 0, seed % 3 == 0 ? nullptr : &table);
    output.Download();
    std::uint64_t different = 0;
    for (std::uint64_t i = 0; i < tested.values.size(); ++i)
    {
      different += output.At(i) != tested.LabelAt(i);
    }
    ASSERT_EQ(different, 0U) << tested.name;
    tested.Expect(seed % 3 == 0 ? labeler.Measure(input.view) : table);
  }
}

TEST_P(CudaConnectedComponentsByValue, MasksKeepThePixelsOfSelectedComponents)
{
  for (unsigned int seed = 5001; seed <= 5200 && !HasFatalFailure(); ++seed)
  {
    const ValueCase tested(GetParam(), seed);
    std::mt19937    random(seed);
    auto            labeler = tested.labeler;
    ValueImages     input(GetParam(), tested.type, tested.size, tested.images, tested.values, random, true);
    ValueImages     other(GetParam(), tested.type, tested.size, tested.images, tested.values, random, true);
    ValueImages     mask(GetParam(), PixelType::UInt8, tested.size, tested.images, tested.mask, random);
    if (!tested.mask.empty())
    {
      labeler.options.mask = mask.view;
    }
    ValueImages & output = seed % 2 == 0 ? input : other;
    labeler.Mask(input.view, output.view, 1);
    output.Download();
    for (std::uint64_t i = 0; i < tested.values.size(); ++i)
    {
      const std::uint64_t one = View::Value(1).BitsAs(tested.type);
      ASSERT_EQ(output.At(i), tested.LabelAt(i) != 0 ? tested.values[i] : one) << tested.name << ", pixel " << i;
    }
  }
}

/** The oracle labels the pixels of all other values for each value. */
TEST_P(CudaConnectedComponentsByValue, HolesOfValuesAreThoseOfALoop)
{
  if (GetParam() == AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "holes of values are found in host memory";
  }
  for (unsigned int seed = 1; seed <= 400 && !HasFatalFailure(); ++seed)
  {
    std::mt19937               random(seed);
    const auto                 side = [&random](unsigned int most) { return 1 + random() % most; };
    const PixelType            type = AllTypes[seed % std::size(AllTypes)];
    const Size                 size{ side(40), side(14), random() % 2 == 0 ? 1 : side(9) };
    const std::uint64_t        images = side(2);
    const std::uint64_t        pixels = CountOf(size);
    const unsigned int         planes[] = { 4, 8 };
    const unsigned int         volumes[] = { 6, 18, 26 };
    const unsigned int         connectivity = size[2] == 1 ? planes[random() % 2] : volumes[random() % 3];
    const auto                 some = SomeValues(type);
    const unsigned int         kinds = 2 + random() % 3;
    const unsigned int         share = 1 + random() % 6; // of pixels that are not the most frequent value
    std::vector<std::uint64_t> values(pixels * images);
    std::generate(values.begin(), values.end(), [&] {
      return some[random() % share == 0 ? random() % std::min<std::size_t>(some.size(), 2 * kinds) : 1];
    });
    const bool          hasBackground = random() % 3 != 0;
    const bool          overwrites = random() % 2 == 0;
    const std::uint64_t maximumSize = random() % 2 == 0 ? 1 + random() % 9 : ~std::uint64_t{ 0 };

    std::vector<std::uint64_t> expected = values;
    for (std::uint64_t begin = 0; begin < values.size(); begin += pixels)
    {
      const auto areEqual = [&](std::uint64_t i, std::uint64_t j) {
        return AreEqual(type, values[begin + i], values[begin + j]);
      };
      const Labels               kindsOf = LabelValues(pixels, [](auto) { return true; }, areEqual);
      std::vector<std::uint64_t> smallest(pixels, ~std::uint64_t{ 0 });
      for (std::uint64_t first = 0; first < pixels; ++first)
      {
        const std::uint64_t value = values[begin + first];
        const bool          isFirst = std::find(kindsOf.pixels.begin(), kindsOf.pixels.end(), kindsOf.pixels[first]) ==
                             kindsOf.pixels.begin() + static_cast<std::ptrdiff_t>(first);
        if (!isFirst || !areEqual(first, first) || (hasBackground && AreEqual(type, value, 0)))
        {
          continue;
        }
        const auto   isOther = [&](std::uint64_t i) { return !areEqual(i, first); };
        const Labels others = FloodFill(size, connectivity, isOther, [](auto, auto) { return true; });
        TestImage    shape;
        shape.size = size;
        const auto table = MeasureByLoop(shape, others);
        for (std::uint64_t i = 0; i < pixels; ++i)
        {
          const std::uint32_t label = others.pixels[i];
          if (label != 0 && table.faces[label - 1] == 0 && (size[0] > 1 || size[1] > 1 || size[2] > 1) &&
              table.pixelCounts[label - 1] <= maximumSize && table.pixelCounts[label - 1] < smallest[i])
          {
            smallest[i] = table.pixelCounts[label - 1];
            const bool isBackground = hasBackground && AreEqual(type, values[begin + i], 0);
            expected[begin + i] = overwrites || isBackground ? value : values[begin + i];
          }
        }
      }
    }

    ValueImages input(GetParam(), type, size, images, values, random);
    ValueImages other(GetParam(), type, size, images, values, random);
    auto &      output = seed % 2 == 0 ? input : other;
    auto        labeler = LabelerFor(GetParam(), false);
    labeler.options.connectivity = connectivity;
    if (!hasBackground)
    {
      labeler.options.foreground = itk::CudaConnectedComponentForeground::AnyOf({});
      labeler.options.complement = true;
    }
    const std::uint64_t changed = labeler.FillHolesOfValues(input.view, output.view, overwrites, maximumSize);
    std::uint64_t       different = 0;
    for (std::uint64_t i = 0; i < values.size(); ++i)
    {
      const bool isSame =
        output.At(i) == expected[i] || (expected[i] != values[i] && AreEqual(type, output.At(i), expected[i]));
      ASSERT_TRUE(isSame) << "seed " << seed << ", pixel " << i << ": " << output.At(i) << " instead of "
                          << expected[i];
      different += expected[i] != values[i];
    }
    EXPECT_EQ(changed, different) << "seed " << seed;
  }
}

/** Pixels of bool have two values, so they have the components of a mask, also in images that are large enough for
 * every kernel. */
TEST_P(CudaConnectedComponentsByValue, AMaskHasItsComponents)
{
  for (const Size & size : { Size{ 700, 500, 1 }, Size{ 70, 60, 50 }, Size{ 2000, 3, 2 } })
  {
    for (const bool fullyConnected : { false, true })
    {
      const TestImage image = MakeRandom(size, 40, 1, 7);
      const Labels    expected = LabelByItk(image, fullyConnected);
      std::mt19937    random(7);
      ValueImages     input(
        GetParam(), PixelType::Bool, size, 1, { image.pixels.begin(), image.pixels.end() }, random, true);
      ValueImages output(GetParam(), PixelType::UInt32, size, 1, {}, random, true);
      auto        labeler = LabelerFor(GetParam(), fullyConnected);
      labeler.options.byValue = true;
      EXPECT_EQ(labeler.Label(input.view, output.view), expected.objectCount);
      output.Download();
      std::uint64_t different = 0;
      for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
      {
        different += output.At(i) != expected.pixels[i];
      }
      EXPECT_EQ(different, 0U) << View::TextOf(size);
    }
  }
}

TEST_P(CudaConnectedComponentsByValue, EdgesConnectMasks)
{
  for (unsigned int seed = 1; seed <= 60; ++seed)
  {
    std::mt19937    random(seed);
    const auto      side = [&random](unsigned int most) { return 1 + random() % most; };
    const Size      size{ side(90), side(20), side(20) };
    const TestImage image = MakeRandom(size, 5 + random() % 50, 1, seed);
    const Labels    expected = FloodFill(
      size,
      18,
      [&image](std::uint64_t i) { return image.pixels[i] != 0; },
      [](std::uint64_t, std::uint64_t) { return true; });
    ValueImages input(GetParam(), PixelType::UInt8, size, 1, { image.pixels.begin(), image.pixels.end() }, random);
    ValueImages output(GetParam(), PixelType::UInt32, size, 1, {}, random, true);
    auto        labeler = LabelerFor(GetParam(), false);
    labeler.options.connectivity = 18;
    CudaConnectedComponentTable table;
    EXPECT_EQ(labeler.Label(input.view, output.view, 0, seed % 2 == 0 ? &table : nullptr), expected.objectCount);
    output.Download();
    for (std::uint64_t i = 0; i < image.pixels.size(); ++i)
    {
      ASSERT_EQ(output.At(i), expected.pixels[i]) << "seed " << seed << ", pixel " << i;
    }
    if (seed % 2 == 0)
    {
      EXPECT_EQ(table.pixelCounts, MeasureByLoop(image, expected).pixelCounts) << "seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, CudaConnectedComponentsByValue, testing::ValuesIn(AllWays), [](const auto & way) {
  return NameOf(way.param);
});

/** The steps of a device, on the host. */
TEST(CudaConnectedComponentsByValueSteps, SameAsAFloodFill)
{
  for (unsigned int number = 1; number <= 400 && !testing::Test::HasFailure(); ++number)
  {
    // Most images of classes have pixels of the second type.
    const auto      kinds = static_cast<unsigned int>(std::size(AllTypes));
    const auto      seed = number % 2 == 0 ? 10000 + number : (1000 + number) * kinds + 1;
    constexpr auto  way = AnalysisWay::HostThreads;
    const ValueCase tested(way, seed);
    std::mt19937    random(seed);
    ValueImages     input(way, tested.type, tested.size, tested.images, tested.values, random);
    ValueImages     output(way, PixelType::UInt32, tested.size, tested.images, tested.values, random, true);
    ValueImages     mask(way, PixelType::UInt8, tested.size, tested.images, tested.mask, random);
    auto            request = tested.RequestFor(input.view);
    request.labelValues = itk::ccl::LabelValues::For(std::uint32_t{ 0 });
    request.output = itk::ccl::OutputKind::Labels;
    if (!tested.mask.empty())
    {
      request.mask = mask.view;
    }
    itk::CudaConnectedComponentDeviceCall call;
    call.input = input.view;
    call.output = output.view;
    call.kind = request.output;
    itk::ccl::EnqueueSteps<itk::ccl::ValueRow, std::uint32_t>(itk::ccl::HostExecutor(ThreadPool::For()), request, call);
    std::uint64_t different = 0;
    for (std::uint64_t i = 0; i < tested.values.size(); ++i)
    {
      different += output.At(i) != tested.LabelAt(i);
    }
    EXPECT_EQ(different, 0U) << tested.name;
  }
}

/** The steps of a device for a table of whole values, on the host. */
TEST(CudaConnectedComponentsByValueSteps, WholeValuesAreThoseOfALoop)
{
  using namespace itk::ccl;
  const HostExecutor     executor(ThreadPool::For());
  std::vector<PixelType> types;
  std::copy_if(std::begin(AllTypes), std::end(AllTypes), std::back_inserter(types), [](PixelType type) {
    return !::IsFloat(type);
  });
  for (unsigned int seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed)
  {
    std::mt19937               random(seed);
    const auto                 side = [&random](unsigned int most) { return 1 + random() % most; };
    const PixelType            type = types[seed % types.size()];
    const Size                 size{ side(100), side(30), random() % 3 == 0 ? 1 : side(20) };
    std::vector<std::uint64_t> some = SomeValues(type);
    const std::uint64_t        highest = ~std::uint64_t{ 0 } >> (64 - 8 * View::SizeOf(type));
    for (unsigned int i = random() % 2 == 0 && type != PixelType::Bool ? side(500) : 0; i > 0; --i)
    {
      some.push_back((random() | std::uint64_t{ random() } << 32) & highest);
    }
    const unsigned int         repeat = side(12); // the mean length of a run
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = 0; i < CountOf(size); ++i)
    {
      values.push_back(i > 0 && random() % repeat != 0 ? values.back() : some[random() % some.size()]);
    }
    const std::uint64_t background = random() % 3 == 0 ? ValueCase::NoBackground : some[random() % 2];
    ValueImages         input(AnalysisWay::HostThreads, type, size, 1, values, random);

    auto request = RequestOf(input.view, background);
    request.neighbors = Neighbors::All;
    request.wantsTable = true;
    request.columns = AllColumns();
    request.columns.firstPixels = random() % 2 == 0;
    request.columns.values = true;
    ASSERT_FALSE(CanMeasureWholeValues(request)); // with products
    request.columns.products = false;
    ASSERT_TRUE(CanMeasureWholeValues(request));
    request = RequestForWholeValues(request);
    const auto selected = MeasureWholeValues<std::uint32_t>(executor, input.view, request);
    ASSERT_TRUE(selected);
    CudaConnectedComponentTable table;
    table.originalComponentCount = selected->labeled.componentCount.GetTrueCount();
    table.componentCount = selected->kept.GetTrueCount();
    const auto columns = MakeColumns(table, request.columns, table.componentCount);
    ExportRows(executor, *selected, { table.componentCount }, request, columns);

    const auto areEqual = [&](std::uint64_t i, std::uint64_t j) { return ::AreEqual(type, values[i], values[j]); };
    const auto isForeground = [&](std::uint64_t i) {
      return background == ValueCase::NoBackground || !::AreEqual(type, values[i], background);
    };
    TestImage shape;
    shape.size = size;
    const Labels               labels = ::LabelValues(values.size(), isForeground, areEqual);
    const auto                 expected = MeasureByLoop(shape, labels);
    const std::string          name = "seed " + std::to_string(seed);
    std::vector<std::uint64_t> rows(expected.componentCount);
    std::iota(rows.begin(), rows.end(), 0);
    ExpectRows(table, expected, rows, request.columns, name);
    for (std::uint64_t i = 0; i < values.size(); ++i)
    {
      if (const std::uint32_t label = labels.pixels[i])
      {
        ASSERT_TRUE(::AreEqual(type, table.values[label - 1], values[i])) << name << ", pixel " << i;
      }
    }
  }
}

/** A hash table has room for a limited number of values. */
TEST(CudaConnectedComponentsByValueSteps, TooManyWholeValuesHaveNoTable)
{
  std::vector<std::uint32_t> pixels(70000);
  std::iota(pixels.begin(), pixels.end(), 1);
  const auto measure = [&pixels](std::uint64_t count) {
    auto request = RequestOf(View::Of(pixels.data(), { count, 1, 1 }), 0);
    request.neighbors = itk::ccl::Neighbors::All;
    request.wantsTable = request.columns.values = true;
    return itk::ccl::MeasureWholeValues<std::uint32_t>(
      itk::ccl::HostExecutor(), request.values, itk::ccl::RequestForWholeValues(request));
  };
  const auto selected = measure(itk::ccl::Tuning::RowsOfValues / 2);
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->kept.GetTrueCount(), itk::ccl::Tuning::RowsOfValues / 2);
  EXPECT_FALSE(measure(pixels.size()));
}

TEST(CudaConnectedComponentsByValueErrors, SayWhatIsWrong)
{
  const std::vector<std::uint8_t> pixels(27, 1);
  std::vector<std::uint32_t>      labels(27);
  const auto                      label = [&](const Size & size, const auto & set) {
    CudaConnectedComponentLabeler labeler;
    labeler.options.onHost = true;
    set(labeler.options);
    labeler.Label(View::Of(pixels.data(), size), View::Of(labels.data(), size));
  };
  ExpectError(KindEnum::InvalidArgument, "the connectivity is 8 instead of 6, 18 or 26", [&] {
    label({ 3, 3, 3 }, [](auto & options) { options.connectivity = 8; });
  });
  ExpectError(KindEnum::InvalidArgument, "the connectivity is 5 instead of 4 or 8", [&] {
    label({ 3, 3, 1 }, [](auto & options) { options.connectivity = 5; });
  });
  ExpectError(KindEnum::InvalidArgument, "masks only", [&] {
    label({ 3, 3, 3 }, [](auto & options) {
      options.fullyConnected = options.byValue = true;
      options.algorithm = AlgorithmEnum::BlockUnionFind;
    });
  });
  ExpectError(KindEnum::InvalidArgument, "with face or full connectivity only", [&] {
    label({ 3, 3, 3 }, [](auto & options) {
      options.connectivity = 18;
      options.algorithm = AlgorithmEnum::HardwareAccelerated;
    });
  });
  const auto labelValues = [&label](const auto & set) {
    label({ 3, 3, 3 }, [&set](auto & options) {
      options.byValue = true;
      options.selection.numberOfLargest = 2;
      set(options);
    });
  };
  ExpectError(KindEnum::InvalidArgument, "options.wholeValues needs options.byValue", [&] {
    label({ 3, 3, 3 }, [](auto & options) { options.wholeValues = true; });
  });
  ExpectError(KindEnum::InvalidArgument, "needs options.byValue", [&] {
    labelValues([](auto & options) {
      options.byValue = false;
      options.selection.perValue = true;
    });
  });
  ExpectError(KindEnum::InvalidArgument, "need selection.perValue", [&] {
    labelValues([](auto & options) { options.selection.sizesOfValues.push_back({ 3 }); });
  });
  ExpectError(KindEnum::InvalidArgument, "set numberOfLargest to 1", [&] {
    labelValues([](auto & options) { options.selection.keepsTies = true; });
  });
  CudaConnectedComponentLabeler labeler;
  labeler.options.onHost = true;
  labeler.options.columns.values = true;
  ExpectError(
    KindEnum::InvalidArgument, "needs options.byValue", [&] { labeler.Measure(View::Of(pixels.data(), { 3, 3, 3 })); });
  labeler.options.byValue = true;
  ExpectError(KindEnum::InvalidArgument, "packed rows have none", [&] {
    labeler.MeasurePackedRows([](std::uint64_t, std::uint32_t * words) { words[0] = 1; }, { 3, 3, 3 });
  });
  EXPECT_EQ(labeler.Measure(View::Of(pixels.data(), { 3, 3, 3 })).values, std::vector<std::uint64_t>{ 1 });
}
