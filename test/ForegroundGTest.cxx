// SPDX-License-Identifier: Apache-2.0

// The foreground of a call: values, ranges, their complement, and masks, for every pixel type. The oracle compares
// numbers in a plain loop, and labels the result with ITK.

#include "AnalysisTestSupport.h"
#include "Oracle.h"
#include "TestImages.h"

#include "algorithms/runs/PackForeground.h"
#include "executors/host/HostExecutor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace
{

using Foreground = itk::CudaConnectedComponentForeground;
using PixelType = View::PixelTypeEnum;
using PixelValues = itk::CudaConnectedComponentValueSummary;
using Size = CudaConnectedComponentLabeler::SizeType;
using Value = View::Value;
using Wide = long double;

static_assert(std::numeric_limits<Wide>::digits >= 64, "the oracle's numbers hold all pixels");

const PixelType AllTypes[] = { PixelType::Bool,   PixelType::Int8,  PixelType::UInt8,    PixelType::Int16,
                               PixelType::UInt16, PixelType::Int32, PixelType::UInt32,   PixelType::Int64,
                               PixelType::UInt64, PixelType::Half,  PixelType::BFloat16, PixelType::Float,
                               PixelType::Double };

constexpr double Infinity = std::numeric_limits<double>::infinity();

/** Returns a floating-point number of 16 bits. */
Wide
DecodeShortFloat(std::uint64_t bits, int fractionBits)
{
  const int  exponentBits = 15 - fractionBits;
  const int  bias = (1 << (exponentBits - 1)) - 1;
  const auto exponent = static_cast<int>(bits >> fractionBits & ((1U << exponentBits) - 1));
  const auto fraction = static_cast<Wide>(bits & ((1U << fractionBits) - 1));
  const Wide sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
  {
    return fraction == 0 ? sign * static_cast<Wide>(Infinity) : std::numeric_limits<Wide>::quiet_NaN();
  }
  return sign * (exponent == 0
                   ? std::ldexp(fraction, 1 - bias - fractionBits)
                   : std::ldexp(fraction + std::ldexp(Wide{ 1 }, fractionBits), exponent - bias - fractionBits));
}

template <typename T>
Wide
DecodeAs(std::uint64_t bits)
{
  T number;
  std::memcpy(&number, &bits, sizeof(number));
  return static_cast<Wide>(number);
}

/** Returns the number of a pixel. */
Wide
Decode(PixelType type, std::uint64_t bits)
{
  switch (type)
  {
    case PixelType::Int8:
      return DecodeAs<std::int8_t>(bits);
    case PixelType::Int16:
      return DecodeAs<std::int16_t>(bits);
    case PixelType::Int32:
      return DecodeAs<std::int32_t>(bits);
    case PixelType::Int64:
      return DecodeAs<std::int64_t>(bits);
    case PixelType::Half:
      return DecodeShortFloat(bits, 10);
    case PixelType::BFloat16:
      return DecodeShortFloat(bits, 7);
    case PixelType::Float:
      return DecodeAs<float>(bits);
    case PixelType::Double:
      return DecodeAs<double>(bits);
    case PixelType::Bool:
      return bits == 0 ? 0 : 1;
    default:
      return static_cast<Wide>(bits);
  }
}

/** Returns the largest finite pixel of a floating-point type. */
Wide
LargestOf(PixelType type)
{
  return type == PixelType::Half       ? 65504
         : type == PixelType::BFloat16 ? Decode(type, 0x7F7F)
         : type == PixelType::Float    ? static_cast<Wide>(std::numeric_limits<float>::max())
                                       : static_cast<Wide>(std::numeric_limits<double>::max());
}

/** Returns the pixel of a floating-point type that is nearest to a number, infinity included. Of two, it returns the
 * one with even bits. */
Wide
Nearest(PixelType type, Wide number)
{
  if (type == PixelType::Float)
  {
    return static_cast<float>(number);
  }
  if (type == PixelType::Double || !std::isfinite(number))
  {
    return static_cast<double>(number);
  }
  // Infinity is as far away as the number after the largest one.
  const Wide largest = LargestOf(type);
  const Wide next = largest + (largest - Decode(type, type == PixelType::Half ? 0x7BFE : 0x7F7E));
  if (std::abs(number) >= next)
  {
    return std::copysign(static_cast<Wide>(Infinity), number);
  }
  static std::map<std::pair<PixelType, Wide>, Wide> known; // the search takes long
  const auto                                        found = known.find({ type, number });
  if (found != known.end())
  {
    return found->second;
  }
  std::uint64_t best = 0;
  const auto    distance = [&](std::uint64_t bits) {
    const Wide pixel = Decode(type, bits);
    return std::abs((std::isinf(pixel) ? std::copysign(next, pixel) : pixel) - number);
  };
  for (std::uint64_t bits = 1; bits < 0x10000; ++bits)
  {
    if (!std::isnan(Decode(type, bits)) &&
        (distance(bits) < distance(best) || (distance(bits) == distance(best) && bits % 2 == 0 && best % 2 != 0)))
    {
      best = bits;
    }
  }
  return known[{ type, number }] = Decode(type, best);
}

/** A number as the labeler takes it, and as the oracle does. */
struct Number
{
  Value value;
  Wide  number;

  template <typename T>
  Number(T from)
    : value(from)
    , number(static_cast<Wide>(from))
  {}
};

/** A foreground, and the numbers that it is made of. */
struct Case
{
  Foreground::KindEnum kind;
  std::vector<Number>  numbers;

  Foreground
  Get() const
  {
    std::vector<Value> values;
    for (const Number & number : numbers)
    {
      values.push_back(number.value);
    }
    return kind == Foreground::KindEnum::NotZero   ? Foreground()
           : kind == Foreground::KindEnum::Between ? Foreground::Between(values[0], values[1])
           : values.size() == 1                    ? Foreground::EqualTo(values[0])
                                                   : Foreground::AnyOf(values);
  }

  /** Returns a function that says whether a number is in the foreground. */
  std::function<bool(Wide)>
  GetOracle(PixelType type) const
  {
    if (kind == Foreground::KindEnum::NotZero)
    {
      return [](Wide pixel) { return pixel != 0; };
    }
    std::vector<Wide> limits;
    for (const Number & number : numbers)
    {
      limits.push_back(number.number);
    }
    if (kind == Foreground::KindEnum::AnyOf)
    {
      for (Wide & limit : limits)
      {
        const Wide nearest = itk::ccl::IsFloat(type) ? Nearest(type, limit) : limit;
        limit = std::isinf(nearest) && std::isfinite(limit) ? std::numeric_limits<Wide>::quiet_NaN() : nearest;
      }
      return [limits](Wide pixel) { return std::find(limits.begin(), limits.end(), pixel) != limits.end(); };
    }
    if (itk::ccl::IsFloat(type))
    {
      const Wide largest = LargestOf(type);
      if ((std::isfinite(limits[0]) && limits[0] > largest) || (std::isfinite(limits[1]) && limits[1] < -largest))
      {
        return [](Wide) { return false; };
      }
      for (Wide & limit : limits)
      {
        limit = std::isfinite(limit) ? Nearest(type, std::min(std::max(limit, -largest), largest)) : limit;
      }
    }
    return [limits](Wide pixel) { return limits[0] <= pixel && pixel <= limits[1]; };
  }

  std::string
  Describe() const
  {
    std::string text = kind == Foreground::KindEnum::NotZero ? "not zero"
                       : kind == Foreground::KindEnum::AnyOf ? "any of"
                                                             : "between";
    for (const Number & number : numbers)
    {
      text += " " + std::to_string(number.number);
    }
    return text;
  }
};

/** Returns pixels of a type that are special, or near limits of types. */
std::vector<std::uint64_t>
PaletteOf(PixelType type)
{
  const unsigned int         width = 8 * static_cast<unsigned int>(View::SizeOf(type));
  const std::uint64_t        sign = std::uint64_t{ 1 } << (width - 1);
  std::vector<std::uint64_t> palette{ 0, 1 };
  if (type == PixelType::Bool)
  {
    return { 0, 1, 2, 255 }; // all but 0 are true
  }
  const std::uint64_t all = sign | (sign - 1);
  for (const std::uint64_t bits : { std::uint64_t{ 2 }, std::uint64_t{ 100 }, sign - 1, sign, sign + 1, all - 1, all })
  {
    palette.push_back(bits);
  }
  if (itk::ccl::IsFloat(type))
  {
    const std::uint64_t infinity = Value(Infinity).BitsAs(type);
    for (const std::uint64_t bits :
         { Value(1).BitsAs(type), Value(0.5).BitsAs(type), infinity - 1, infinity, infinity + 1 })
    {
      palette.push_back(bits);
      palette.push_back(bits | sign);
    }
  }
  return palette;
}

std::vector<Case>
CasesFor(PixelType type, std::mt19937 & random)
{
  using KindEnum = Foreground::KindEnum;
  std::vector<Number> numbers{ 0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               1.5,
                               true,
                               127,
                               -128,
                               300,
                               -300.25,
                               70000,
                               65519.9,
                               65520,
                               3.39e38,
                               3.4e38,
                               -3.41e38,
                               1e300,
                               -1e300,
                               Infinity,
                               -Infinity,
                               std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max(),
                               std::numeric_limits<std::uint64_t>::max(),
                               18446744073709551616.0,
                               9223372036854775808.0 };
  for (const std::uint64_t bits : PaletteOf(type))
  {
    const Wide number = Decode(type, bits);
    if (itk::ccl::IsFloat(type))
    {
      numbers.emplace_back(static_cast<double>(number));
    }
    else
    {
      number < 0 ? numbers.emplace_back(static_cast<std::int64_t>(number))
                 : numbers.emplace_back(static_cast<std::uint64_t>(number));
    }
  }
  const auto        any = [&]() -> const Number & { return numbers[random() % numbers.size()]; };
  std::vector<Case> cases{ { KindEnum::NotZero, {} }, { KindEnum::AnyOf, {} } };
  for (const Number & number : numbers)
  {
    cases.push_back({ KindEnum::AnyOf, { number } });
    cases.push_back({ KindEnum::Between, { number, any() } });
    cases.push_back({ KindEnum::Between, { any(), number } });
    cases.push_back({ KindEnum::AnyOf, { number, any(), any(), any() } });
  }
  cases.push_back({ KindEnum::AnyOf, {} });
  for (int i = 0; i < 32; ++i)
  {
    cases.back().numbers.emplace_back(i % 3 * 100 + i / 3 * (i % 3)); // neighbors, and others
  }
  return cases;
}

/** Images in the memory of a way, with gaps between rows, slices and images. */
class Images
{
public:
  Images(AnalysisWay   way,
         PixelType     type,
         const Size &  size,
         std::uint64_t images,
         std::uint64_t offset,
         std::uint64_t gap,
         bool          isTransposed = false)
    : m_IsOnDevice(way == AnalysisWay::DeviceToDevice)
    , m_Offset(offset * View::SizeOf(type))
  {
    const std::uint64_t bytes = View::SizeOf(type);
    // If the image is transposed, z is the first axis in memory, and x the last.
    const std::uint64_t row = (size[isTransposed ? 2 : 0] + gap) * bytes;
    const std::uint64_t slice = row * size[1] + gap * bytes;
    const std::uint64_t image = slice * size[isTransposed ? 0 : 2] + 2 * gap * bytes;
    m_Bytes.assign(m_Offset + image * images + 64, 1);
    m_Device = m_IsOnDevice ? CudaTestSupport::AllocateDevice(m_Bytes.size()) : nullptr;
    view.pixels = (m_IsOnDevice ? static_cast<unsigned char *>(m_Device.get()) : m_Bytes.data()) + m_Offset;
    view.type = type;
    view.size = size;
    view.strides = { static_cast<std::int64_t>(bytes),
                     static_cast<std::int64_t>(row),
                     static_cast<std::int64_t>(slice) };
    if (isTransposed)
    {
      std::swap(view.strides[0], view.strides[2]);
    }
    view.memory = m_IsOnDevice ? View::MemoryEnum::Device : View::MemoryEnum::Host;
    view.images = images;
    view.imageStride = static_cast<std::int64_t>(image);
  }

  /** Reverses the order of the rows. */
  void
  Flip()
  {
    m_Offset += static_cast<std::uint64_t>(view.strides[1]) * (view.size[1] - 1);
    view.pixels = static_cast<char *>(view.pixels) + view.strides[1] * static_cast<std::int64_t>(view.size[1] - 1);
    view.strides[1] = -view.strides[1];
  }

  /** Returns the bytes of the pixel with raster index i of an image. */
  unsigned char *
  At(std::uint64_t image, std::uint64_t i)
  {
    const std::uint64_t index[] = { i % view.size[0],
                                    i / view.size[0] % view.size[1],
                                    i / view.size[0] / view.size[1] };
    auto offset = static_cast<std::int64_t>(m_Offset) + static_cast<std::int64_t>(image) * view.imageStride;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      offset += static_cast<std::int64_t>(index[axis]) * view.strides[axis];
    }
    return m_Bytes.data() + offset;
  }

  std::uint64_t
  Get(std::uint64_t image, std::uint64_t i)
  {
    std::uint64_t bits = 0;
    std::memcpy(&bits, this->At(image, i), View::SizeOf(view.type));
    return bits;
  }

  /** Fills all pixels with values that choose() returns. */
  template <typename TChoose>
  void
  Fill(const TChoose & choose)
  {
    for (std::uint64_t image = 0; image < view.images; ++image)
    {
      for (std::uint64_t i = 0; i < view.size[0] * view.size[1] * view.size[2]; ++i)
      {
        const std::uint64_t bits = choose();
        std::memcpy(this->At(image, i), &bits, View::SizeOf(view.type));
      }
    }
    if (m_IsOnDevice)
    {
      CudaTestSupport::CopyToDevice(m_Device.get(), m_Bytes.data(), m_Bytes.size());
    }
  }

  void
  Download()
  {
    if (m_IsOnDevice)
    {
      CudaTestSupport::CopyToHost(m_Bytes.data(), m_Device.get(), m_Bytes.size());
    }
  }

  View view;

private:
  bool                       m_IsOnDevice;
  std::uint64_t              m_Offset;
  std::vector<unsigned char> m_Bytes;
  std::shared_ptr<void>      m_Device;
};

/** Fills an image with special pixels, in runs. */
void
FillFromPalette(Images & images, const std::vector<std::uint64_t> & palette, std::mt19937 & random)
{
  std::uint64_t last = palette.front();
  images.Fill([&] { return last = random() % 3 == 0 ? last : palette[random() % palette.size()]; });
}

/** Returns an image of bytes that are 1 where a pixel is foreground. */
TestImage
Binarize(Images & images, std::uint64_t image, const Case & foreground, bool isComplement, Images * mask)
{
  const PixelType type = images.view.type;
  const auto      isForeground = foreground.GetOracle(type);
  TestImage       binary = MakeImage("foreground", images.view.size);
  for (std::uint64_t i = 0; i < binary.pixels.size(); ++i)
  {
    const bool isMasked = mask != nullptr && Decode(mask->view.type, mask->Get(image, i)) == 0;
    binary.pixels[i] = !isMasked && isForeground(Decode(type, images.Get(image, i))) != isComplement;
  }
  return binary;
}

/** Fills images with 0 and a few values. In some batches, each image has one value, and other images another one. About
 * one pixel of `pixelsPerValue` gets a value. */
void
FillFromFewValues(Images & images, std::mt19937 & random, unsigned int pixelsPerValue = 8)
{
  const auto                 all = PaletteOf(images.view.type);
  std::vector<std::uint64_t> few{ 0 };
  while (few.size() < 4)
  {
    few.push_back(all[random() % all.size()]);
  }
  const std::uint64_t used = 2 + random() % 3;
  const std::uint64_t pixels = images.view.size[0] * images.view.size[1] * images.view.size[2];
  std::uint64_t       next = 0; // pixel
  images.Fill([&] {
    const std::uint64_t image = next++ / pixels;
    return random() % pixelsPerValue == 0 ? few[used == 2 ? 1 + image % 3 : random() % used] : 0;
  });
}

/** Returns what is known of the values of images, by a loop. */
PixelValues
ValuesByLoop(Images & images)
{
  PixelValues values;
  for (std::uint64_t image = 0; image < images.view.images; ++image)
  {
    std::set<Wide> numbers;
    for (std::uint64_t i = 0; i < images.view.size[0] * images.view.size[1] * images.view.size[2]; ++i)
    {
      const Wide number = Decode(images.view.type, images.Get(image, i));
      values.hasNaN = values.hasNaN || std::isnan(number);
      if (!std::isnan(number) && number != 0)
      {
        numbers.insert(number);
      }
    }
    const bool areWhole = std::all_of(numbers.begin(), numbers.end(), [](Wide number) {
      return std::isfinite(number) && std::trunc(number) == number;
    });
    values.hasSeveral = values.hasSeveral || numbers.size() > 1;
    values.hasSeveralWhole = values.hasSeveralWhole || (numbers.size() > 1 && areWhole);
  }
  return values;
}

std::vector<bool>
ListOf(const PixelValues & values)
{
  return { values.hasSeveral, values.hasSeveralWhole, values.hasNaN };
}

const Size Sizes[] = { { 45, 7, 3 }, { 70, 5, 1 }, { 33, 3, 4 }, { 64, 4, 2 }, { 5, 2, 2 }, { 129, 1, 1 } };

// On a device, these images have several copies of what is known of their values.
const Size SizesOfManyWords[] = { { 1, 16500, 1 }, { 2, 130, 127 } };

class CudaConnectedComponentsForeground : public AnalysisTest
{};

} // namespace

TEST_P(CudaConnectedComponentsForeground, SameLabelsAsOfABinaryImage)
{
  const AnalysisWay way = GetParam();
  unsigned int      seed = 0;
  for (const PixelType type : AllTypes)
  {
    std::mt19937 ofType(static_cast<unsigned int>(type));
    for (const Case & foreground : CasesFor(type, ofType))
    {
      std::mt19937        random(++seed);
      const Size &        size = Sizes[random() % std::size(Sizes)];
      const std::uint64_t count = 1 + random() % 3;
      const bool          isComplement = random() % 3 == 0;
      const bool          isMasked = random() % 3 == 0;
      const bool          isFull = random() % 2 == 0;
      const std::uint64_t gap = random() % 3 == 0 ? random() % 5 : 0;
      Images              input(way, type, size, count, random() % 9, gap, random() % 4 == 0);
      FillFromPalette(input, PaletteOf(type), random);
      const PixelType maskType = AllTypes[random() % std::size(AllTypes)];
      Images          mask(way, maskType, size, count, random() % 3, random() % 3, random() % 4 == 0);
      if (random() % 3 == 0)
      {
        input.Flip();
        mask.Flip();
      }
      // -0.0 is 0, also in masks.
      const auto palette = PaletteOf(mask.view.type);
      mask.Fill([&] { return random() % 3 == 0 ? 0 : palette[random() % palette.size()]; });
      Images output(way, PixelType::UInt32, size, count, 0, random() % 2);
      output.Fill([] { return 0xABCDEF; });

      auto labeler = LabelerFor(way, isFull);
      labeler.options.foreground = foreground.Get();
      labeler.options.complement = isComplement;
      labeler.options.mask = isMasked ? mask.view : View();
      CudaConnectedComponentTable table;
      const std::uint64_t         total = labeler.Label(input.view, output.view, 0, seed % 2 == 0 ? &table : nullptr);
      output.Download();
      Images enqueued(way, PixelType::UInt32, size, count, 0, 0);
      if (way == AnalysisWay::DeviceToDevice)
      {
        itk::CudaConnectedComponentDeviceCall call;
        call.input = input.view;
        call.output = enqueued.view;
        const std::uint64_t bytes = labeler.GetWorkspaceSize(call);
        const auto          workspace = CudaTestSupport::AllocateDevice(bytes);
        labeler.Enqueue(call, workspace.get(), bytes);
        enqueued.Download();
      }

      const std::string what = NameOf(way) + ": " + itk::ccl::NameOf(type) + ", " + foreground.Describe() +
                               (isComplement ? ", complement" : "") +
                               (isMasked ? ", mask of " + itk::ccl::NameOf(mask.view.type) : "") + ", " +
                               std::to_string(count) + " images of " + View::TextOf(size) +
                               (isFull ? ", full" : ", faces") + ", seed " + std::to_string(seed);
      std::uint64_t expectedTotal = 0;
      for (std::uint64_t image = 0; image < count; ++image)
      {
        const Labels expected =
          LabelByItk(Binarize(input, image, foreground, isComplement, isMasked ? &mask : nullptr), isFull);
        std::uint64_t different = 0;
        for (std::uint64_t i = 0; i < expected.pixels.size(); ++i)
        {
          different += output.Get(image, i) != expected.pixels[i];
          if (way == AnalysisWay::DeviceToDevice)
          {
            different += enqueued.Get(image, i) != expected.pixels[i];
          }
        }
        EXPECT_EQ(different, 0U) << what << ", image " << image;
        expectedTotal += expected.objectCount;
      }
      EXPECT_EQ(total, expectedTotal) << what;
      EXPECT_EQ(labeler.Measure(input.view).componentCount, expectedTotal) << what;
      if (seed % 2 == 0)
      {
        EXPECT_EQ(table.componentCount, expectedTotal) << what;
      }
    }
  }
}

TEST_P(CudaConnectedComponentsForeground, MasksAndFilledImages)
{
  const AnalysisWay way = GetParam();
  for (const PixelType type : AllTypes)
  {
    for (unsigned int seed = 1; seed <= 12; ++seed)
    {
      std::mt19937 random(seed);
      const auto   cases = CasesFor(type, random);
      const Case & foreground = cases[random() % cases.size()];
      const Size & size = Sizes[random() % std::size(Sizes)];
      const bool   isComplement = random() % 3 == 0;
      const bool   isInside = random() % 2 == 0;
      const bool   isInPlace = random() % 2 == 0;
      Images       input(way, type, size, 2, 0, 0);
      FillFromPalette(input, PaletteOf(type), random);
      Images original = input;
      Images mask(way, PixelType::Int16, size, 2, 0, 1);
      mask.Fill([&] { return random() % 4; });
      Images other(way, type, size, 2, 0, 0);
      auto   labeler = LabelerFor(way, true);
      labeler.options.foreground = foreground.Get();
      labeler.options.complement = isComplement;
      labeler.options.mask = mask.view;
      labeler.options.selection.minimumSize = 2;
      Images & output = isInPlace ? input : other;
      isInside ? labeler.Fill(input.view, output.view, 1) : labeler.Mask(input.view, output.view, 1);
      output.Download();
      const std::uint64_t value = Value(1).BitsAs(type);
      for (std::uint64_t image = 0; image < 2; ++image)
      {
        const Labels labels = LabelByItk(Binarize(original, image, foreground, isComplement, &mask), true);
        std::vector<std::uint64_t> sizes(labels.objectCount + 1);
        for (const std::uint32_t label : labels.pixels)
        {
          ++sizes[label];
        }
        std::uint64_t different = 0;
        for (std::uint64_t i = 0; i < labels.pixels.size(); ++i)
        {
          const bool isKept = labels.pixels[i] != 0 && sizes[labels.pixels[i]] >= 2;
          different += output.Get(image, i) != (isKept == isInside ? value : original.Get(image, i));
        }
        EXPECT_EQ(different, 0U) << NameOf(way) << ": " << itk::ccl::NameOf(type) << ", " << foreground.Describe()
                                 << (isComplement ? ", complement" : "") << (isInside ? ", Fill" : ", Mask")
                                 << (isInPlace ? " in place" : "") << ", seed " << seed;
      }
    }
  }
}

// Functions that take packed rows use the mask and the complement, but not the foreground.
TEST_P(CudaConnectedComponentsForeground, MaskOfPackedRows)
{
  const AnalysisWay way = GetParam();
  if (way == AnalysisWay::DeviceToDevice)
  {
    GTEST_SKIP() << "the host packs the rows";
  }
  std::mt19937 random(5);
  const Size   size{ 37, 9, 3 };
  Images       input(way, PixelType::Float, size, 1, 0, 0);
  FillFromPalette(input, PaletteOf(PixelType::Float), random);
  Images mask(way, PixelType::Half, size, 1, 3, 2);
  mask.Fill([&] { return random() % 2 == 0 ? 0x8000 : 1; });
  Images output(way, PixelType::UInt32, size, 1, 0, 0);
  auto   labeler = LabelerFor(way, false);
  labeler.options.foreground = Foreground::EqualTo(12345);
  labeler.options.complement = true;
  labeler.options.mask = mask.view;
  labeler.LabelPackedRows(
    [&](std::uint64_t row, std::uint32_t * words) {
      labeler.PackRow(reinterpret_cast<const float *>(input.At(0, row * size[0])), size[0], words);
    },
    output.view);
  const Labels expected = LabelByItk(Binarize(input, 0, { Foreground::KindEnum::NotZero, {} }, true, &mask), false);
  for (std::uint64_t i = 0; i < expected.pixels.size(); ++i)
  {
    ASSERT_EQ(output.Get(0, i), expected.pixels[i]) << i;
  }
}

TEST_P(CudaConnectedComponentsForeground, TheMaskMayBeTheOutput)
{
  const AnalysisWay way = GetParam();
  std::mt19937      random(6);
  const Size        size{ 61, 9, 3 };
  Images            input(way, PixelType::Int16, size, 2, 0, 0);
  input.Fill([&] { return random() % 2; });
  Images output(way, PixelType::UInt32, size, 2, 0, 0);
  output.Fill([&] { return random() % 3; });
  Images original = output;
  auto   labeler = LabelerFor(way, false);
  labeler.options.mask = output.view;
  labeler.Label(input.view, output.view);
  output.Download();
  for (std::uint64_t image = 0; image < 2; ++image)
  {
    const Labels expected =
      LabelByItk(Binarize(input, image, { Foreground::KindEnum::NotZero, {} }, false, &original), false);
    for (std::uint64_t i = 0; i < expected.pixels.size(); ++i)
    {
      ASSERT_EQ(output.Get(image, i), expected.pixels[i]) << i;
    }
  }
}

TEST_P(CudaConnectedComponentsForeground, ValuesOfPixels)
{
  const AnalysisWay way = GetParam();
  for (const PixelType type : AllTypes)
  {
    constexpr unsigned int smallSeeds = 20;
    for (unsigned int seed = 0; seed < smallSeeds + (way == AnalysisWay::DeviceToDevice ? 10 : 0); ++seed)
    {
      std::mt19937        random(seed);
      const bool          isSmall = seed < smallSeeds;
      const Size &        size = isSmall ? Sizes[random() % std::size(Sizes)] : SizesOfManyWords[seed % 2];
      const std::uint64_t count = 1 + random() % 3;
      const std::uint64_t gap = random() % 2 == 0 ? random() % 5 : 0;
      Images              input(way, type, size, count, random() % 9, gap, random() % 3 == 0);
      FillFromFewValues(input, random, isSmall ? 8 : 1000 * (1 + random() % 16)); // few runs, or none
      Images        output(way, PixelType::UInt32, size, count, 0, 0);
      Images        masked(way, type, size, count, 0, 0);
      Images        compact(way, type, size, count, 0, 0);
      std::uint64_t next = 0; // pixel
      compact.Fill([&] {
        const std::uint64_t pixels = size[0] * size[1] * size[2];
        const std::uint64_t pixel = next++;
        return input.Get(pixel / pixels, pixel % pixels);
      });
      auto                     labeler = LabelerFor(way, seed % 2 == 0);
      std::vector<PixelValues> calls;
      labeler.options.complement = random() % 4 == 0;
      labeler.options.reportValues = [&calls](const PixelValues & values) { calls.push_back(values); };
      labeler.Label(input.view, output.view);
      labeler.Measure(input.view);
      labeler.Mask(compact.view, masked.view);
      const std::size_t expected = type == PixelType::Bool ? 0 : 3;
      ASSERT_EQ(calls.size(), expected);
      for (const PixelValues & values : calls)
      {
        ASSERT_EQ(ListOf(values), ListOf(ValuesByLoop(input))) << itk::ccl::NameOf(type) << ", seed " << seed;
      }
      labeler.options.mask = input.view;
      labeler.Label(input.view, output.view);
      labeler.options.mask = {};
      labeler.options.foreground = Foreground::EqualTo(1);
      labeler.Label(input.view, output.view);
      ASSERT_EQ(calls.size(), expected);
    }
  }
}

TEST_P(CudaConnectedComponentsForeground, Errors)
{
  const AnalysisWay way = GetParam();
  const Size        size{ 8, 4, 2 };
  Images            input(way, PixelType::Half, size, 2, 0, 0);
  Images            mask(way, PixelType::Int16, size, 2, 0, 0);
  Images            output(way, PixelType::UInt32, size, 2, 0, 0);
  output.Fill([] { return 77; });
  auto       labeler = LabelerFor(way, false);
  const auto expectRefused = [&](const std::string & message) {
    ExpectError(KindEnum::InvalidArgument, message, [&] { labeler.Label(input.view, output.view); });
  };
  labeler.options.mask = mask.view.Region({ 0, 0, 0 }, { 8, 4, 1 });
  expectRefused("the mask has 8 x 4 x 1 pixels instead of 8 x 4 x 2");
  labeler.options.mask = mask.view.Image(0);
  expectRefused("the mask has 1 images instead of 2");
  labeler.options.mask = mask.view;
  labeler.options.mask.pixels = nullptr;
  expectRefused("the mask is a null pointer");
  labeler.options.mask = mask.view;
  labeler.options.mask.type = static_cast<PixelType>(200);
  expectRefused("cannot use pixels of the type 200: convert the image to another type first");
  labeler.options.mask = mask.view;
  const bool isOnDevice = way == AnalysisWay::DeviceToDevice;
  labeler.options.mask.memory = isOnDevice ? View::MemoryEnum::Host : View::MemoryEnum::Device;
  expectRefused(isOnDevice ? "the mask is in host memory, but the input is in device memory"
                           : "the mask is in device memory, but the input is in host memory");
  if (isOnDevice)
  {
    labeler.options.mask = mask.view;
    labeler.options.mask.strides[0] = 3;
    expectRefused("the strides of the mask, 3, 16 and 64 bytes, are not multiples of its pixel size of 2 bytes: copy "
                  "the image");
  }
  output.Download();
  for (std::uint64_t i = 0; i < 64; ++i)
  {
    ASSERT_EQ(output.Get(1, i), 77U);
  }
  ExpectError(KindEnum::InvalidArgument,
              "the foreground has 33 values instead of 32 or fewer: select a range, or make a mask first",
              [] { Foreground::AnyOf(std::vector<Value>(33, 1)); });
}

INSTANTIATE_TEST_SUITE_P(Ways, CudaConnectedComponentsForeground, testing::ValuesIn(AllWays), [](const auto & tested) {
  return NameOf(tested.param);
});

namespace
{

using itk::ccl::ObservedValues;
using itk::ccl::PackRowGroups;
using itk::ccl::StackPixels;
using itk::ccl::Word;

/** Packs images by the functors of the kernels, on the host. Returns the words of the rows, and checks the columns.
 * Adds the values of pixels to `values`, if they are wanted; the foreground is then NotZero(). */
template <typename TRowGroup>
std::vector<Word>
PackByFunctors(Images &                       input,
               const itk::ccl::Foreground &   foreground,
               std::vector<Word>              words,
               bool                           isMasked,
               const itk::ccl::SharedValues & values = {})
{
  const View & view = input.view;
  const auto   stack = itk::ccl::StackOf<TRowGroup>({ view.size[0], view.size[1], view.size[2] }, view.images);
  const auto   bytes = static_cast<std::int64_t>(View::SizeOf(view.type));
  itk::ccl::VisitWidth(view.type, [&](auto width) {
    const StackPixels<const decltype(width)> pixels{ static_cast<const decltype(width) *>(view.pixels),
                                                     view.strides[0] / bytes,
                                                     view.strides[1] / bytes,
                                                     view.strides[2] / bytes,
                                                     view.imageStride / bytes,
                                                     view.IsContiguous() };
    words.resize(itk::ccl::WordsOf(stack.GetGrid()).Count());
    const itk::ccl::HostExecutor                             executor;
    itk::ccl::GroupedBits<TRowGroup, itk::ccl::HostExecutor> grouped(executor, stack, words.data());
    PackRowGroups(executor, pixels, stack, view.type, foreground, words.data(), grouped, isMasked, values);
    const auto & groups = grouped.groups;
    for (std::uint64_t i = 0; i < groups.columns.words.Count(); ++i)
    {
      const auto cell = itk::ccl::CellAt(groups.columns.words, i);
      EXPECT_EQ(groups.columns.bits[i], groups.Facing(itk::ccl::FixedRowOffset<0, 0>{}, cell.y, cell.z, cell.x)) << i;
    }
  });
  return words;
}

template <typename TRowGroup>
void
ExpectSameBitsFromFunctors()
{
  unsigned int seed = 1000;
  for (const PixelType type : AllTypes)
  {
    std::mt19937 ofType(static_cast<unsigned int>(type));
    for (const Case & foreground : CasesFor(type, ofType))
    {
      std::mt19937        random(++seed);
      const Size &        size = Sizes[random() % std::size(Sizes)];
      const std::uint64_t count = 1 + random() % 3;
      const std::uint64_t gap = random() % 2 == 0 ? random() % 5 : 0;
      Images              input(AnalysisWay::HostSequential, type, size, count, random() % 9, gap, random() % 3 == 0);
      FillFromPalette(input, PaletteOf(type), random);
      Images mask(AnalysisWay::HostSequential, PixelType::UInt16, size, count, 0, 0);
      mask.Fill([&] { return random() % 3; });
      const bool isMasked = random() % 2 == 0;
      const auto isInMask = itk::ccl::Foreground::NotZero(PixelType::UInt16);
      const auto words =
        PackByFunctors<TRowGroup>(input,
                                  itk::ccl::Foreground::Of(foreground.Get(), type),
                                  isMasked ? PackByFunctors<TRowGroup>(mask, isInMask, {}, false) : std::vector<Word>(),
                                  isMasked);
      const auto          stack = itk::ccl::StackOf<TRowGroup>({ size[0], size[1], size[2] }, count);
      const std::uint64_t wordsOfRow = (size[0] + 31) / 32;
      std::vector<Word>   expected(words.size());
      for (std::uint64_t image = 0; image < count; ++image)
      {
        const TestImage binary = Binarize(input, image, foreground, false, isMasked ? &mask : nullptr);
        for (std::uint64_t i = 0; i < binary.pixels.size(); ++i)
        {
          const std::uint64_t row = i / size[0] + size[1] * image * stack.slices;
          expected[row * wordsOfRow + i % size[0] / 32] |= Word{ binary.pixels[i] } << i % size[0] % 32;
        }
      }
      ASSERT_EQ(words, expected) << itk::ccl::NameOf(type) << ", " << foreground.Describe() << ", seed " << seed;
    }
  }
}

template <typename TRowGroup>
void
ExpectSameValuesFromFunctors()
{
  for (const PixelType type : AllTypes)
  {
    if (type == PixelType::Bool) // has one value
    {
      continue;
    }
    // Other types have other images.
    const unsigned int firstSeed = 100 * static_cast<unsigned int>(type);
    for (unsigned int seed = firstSeed; seed < firstSeed + 100; ++seed)
    {
      std::mt19937        random(seed);
      const Size &        size = Sizes[random() % std::size(Sizes)];
      const std::uint64_t count = 1 + random() % 3;
      Images input(AnalysisWay::HostSequential, type, size, count, random() % 9, random() % 5, random() % 3 == 0);
      FillFromFewValues(input, random);
      auto foreground = itk::ccl::Foreground::NotZero(type);
      foreground.isInverted = random() % 3 != 0;
      constexpr unsigned int      copies = 3;
      std::vector<ObservedValues> shared(count * copies);
      std::vector<ObservedValues> values;
      ASSERT_EQ(PackByFunctors<TRowGroup>(input, foreground, {}, false, { shared.data(), copies }),
                PackByFunctors<TRowGroup>(input, foreground, {}, false));
      for (std::uint64_t image = 0; image < count; ++image)
      {
        // On the host, all values are in the first copy.
        std::swap(shared[image * copies], shared[image * copies + random() % copies]);
        values.push_back(ObservedValues::OrOfCopies(shared.data() + image * copies, copies));
      }
      ASSERT_EQ(ListOf(ObservedValues::Summarize(values.data(), count)), ListOf(ValuesByLoop(input)))
        << itk::ccl::NameOf(type) << ", seed " << seed;
    }
  }
}

} // namespace

TEST(CudaConnectedComponentsPackForeground, FunctorsObserveValues)
{
  ExpectSameValuesFromFunctors<itk::ccl::SingleRow>();
  ExpectSameValuesFromFunctors<itk::ccl::PlaneRowGroup>();
  ExpectSameValuesFromFunctors<itk::ccl::VolumeRowGroup>();
}

TEST(CudaConnectedComponentsPackForeground, EveryShortFloatIsWholeOrNot)
{
  for (const PixelType type : { PixelType::Half, PixelType::BFloat16 })
  {
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits)
    {
      const Wide number = Decode(type, bits);
      itk::ccl::VisitFormat<std::uint16_t>(type, [&](auto format) {
        itk::ccl::ValueBits<decltype(format)> values;
        values.Add(static_cast<std::uint16_t>(bits));
        ASSERT_EQ(values.nan != 0, std::isnan(number)) << bits;
        ASSERT_EQ(values.fraction != 0, !std::isnan(number) && (std::isinf(number) || std::trunc(number) != number))
          << bits;
        ASSERT_EQ(values.ones != 0, !std::isnan(number) && number != 0) << bits;
      });
    }
  }
}

TEST(CudaConnectedComponentsPackForeground, FunctorsPackEveryForeground)
{
  ExpectSameBitsFromFunctors<itk::ccl::SingleRow>();
  ExpectSameBitsFromFunctors<itk::ccl::PlaneRowGroup>();
  ExpectSameBitsFromFunctors<itk::ccl::VolumeRowGroup>();
}

TEST(CudaConnectedComponentsForegroundValues, ShortFloatsAreRoundedToTheNearest)
{
  for (const PixelType type : { PixelType::Half, PixelType::BFloat16 })
  {
    const std::uint64_t infinity = type == PixelType::Half ? 0x7C00 : 0x7F80;
    for (std::uint64_t bits = 0; bits < infinity; ++bits)
    {
      const auto number = static_cast<double>(Decode(type, bits));
      const auto next = static_cast<double>(Decode(type, bits + 1));
      ASSERT_EQ(Value(number).BitsAs(type), bits);
      ASSERT_EQ(Value(-number).BitsAs(type), bits | 0x8000);
      if (bits + 1 < infinity)
      {
        const double middle = (number + next) / 2;
        ASSERT_EQ(Value(middle).BitsAs(type), bits + bits % 2);
        ASSERT_EQ(Value(std::nextafter(middle, 0.0)).BitsAs(type), bits);
        ASSERT_EQ(Value(std::nextafter(middle, Infinity)).BitsAs(type), bits + 1);
      }
    }
    EXPECT_EQ(Value(Infinity).BitsAs(type), infinity);
    EXPECT_THROW(Value(1e300).BitsAs(type), itk::CudaConnectedComponentError);
    EXPECT_GT(Value(std::numeric_limits<double>::quiet_NaN()).BitsAs(type) & 0x7FFF, infinity);
  }
}
