// SPDX-License-Identifier: Apache-2.0
#include "ComponentSize.h"

#include "Failure.h"

#include "primitives/MemorySize.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

namespace
{

std::string
Trim(const std::string & text)
{
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

/** Returns the decimal number that a text means. Throws Failure if it is not one, is negative or is too large. */
double
ParseDecimal(const std::string & number, const std::string & text)
{
  std::istringstream stream(number);
  stream.imbue(std::locale::classic()); // the decimal point does not depend on the user's language
  double value = 0.0;
  stream >> value;
  if (std::abs(value) == std::numeric_limits<double>::max())
  {
    throw Failure('"' + text + "\" is too large");
  }
  if (!stream || stream.peek() != std::istringstream::traits_type::eof())
  {
    throw Failure('"' + text + "\" is not a size; give a number of pixels such as 100, or a physical size such as " +
                  "\"2.5 mm3\"");
  }
  if (std::signbit(value))
  {
    throw Failure('"' + text + "\" is negative; a size is 0 or more");
  }
  return value;
}

/** Returns a size in pixels. `round` rounds a number of pixels that is not close to a whole number. */
template <typename TRound>
std::uint64_t
PixelCountOf(const ComponentSize & size, double pixelSize, const TRound & round)
{
  if (size.unit.empty())
  {
    return size.pixelCount;
  }
  const double count = size.physicalSize / pixelSize;
  if (!(count < 1e18))
  {
    return std::numeric_limits<std::uint64_t>::max(); // no image has such an object
  }
  // The spacings of NIfTI files are of type float: the product of 3 has a relative error of up to 1.8e-7.
  constexpr double tolerance = 2e-7;
  const double     nearest = std::round(count);
  return static_cast<std::uint64_t>(std::abs(nearest - count) <= count * tolerance ? nearest : round(count));
}

} // namespace

MemorySize
ParseMemorySize(const std::string & text)
{
  const auto bytes = itk::ccl::BytesOf(Trim(text));
  if (bytes.value_or(0) == 0)
  {
    throw Failure('"' + text + "\" is not a size of memory; use a whole number and a unit, such as 512MiB or 1GiB");
  }
  return { *bytes };
}

ComponentSize
ParseComponentSize(const std::string & text)
{
  const std::string trimmed = Trim(text);
  const std::size_t end = std::min(trimmed.find_first_not_of("+-0123456789.,eE"), trimmed.size());
  const std::string number = Trim(trimmed.substr(0, end));
  ComponentSize     size;
  size.unit = Trim(trimmed.substr(end));
  if (number.empty() || !size.unit.empty())
  {
    size.physicalSize = ParseDecimal(number, text);
    if (size.unit != "mm2" && size.unit != "mm3")
    {
      throw Failure('"' + text + "\" has the unknown unit \"" + size.unit +
                    "\"; use mm3 in volumes, mm2 in planes, or no unit for pixels");
    }
  }
  else if (number.find_first_not_of("0123456789") == std::string::npos)
  {
    size.pixelCount = ParseWholeNumber(number, 0);
  }
  else
  {
    ParseDecimal(number, text); // explains a text that is no number at all
    throw Failure('"' + text +
                  "\" is not a whole number of pixels; use digits only, or add the unit mm3 (in planes mm2)");
  }
  return size;
}

std::uint64_t
ParseWholeNumber(const std::string & text, std::uint64_t minimum, std::uint64_t maximum)
{
  const std::string number = Trim(text);
  const char *      end = number.data() + number.size();
  std::uint64_t     value = 0;
  const auto        result = std::from_chars(number.data(), end, value);
  if (result.ec == std::errc::result_out_of_range || value > maximum)
  {
    throw Failure('"' + text + "\" is too large; the maximum is " + std::to_string(maximum));
  }
  if (result.ec != std::errc() || result.ptr != end || value < minimum)
  {
    throw Failure('"' + text + "\" is not a whole number of at least " + std::to_string(minimum));
  }
  return value;
}

double
ParseNumber(const std::string & text)
{
  std::istringstream stream(Trim(text));
  stream.imbue(std::locale::classic()); // the decimal point does not depend on the user's language
  double value = 0.0;
  if (!(stream >> value) || stream.peek() != std::istringstream::traits_type::eof())
  {
    throw Failure('"' + text + "\" is not a number");
  }
  return value;
}

Limit
ParseLimit(const std::string & text)
{
  const double       number = ParseNumber(text);
  const std::string  trimmed = Trim(text);
  const char * const begin = trimmed.data() + (trimmed[0] == '+' ? 1 : 0);
  const char * const end = trimmed.data() + trimmed.size();
  std::int64_t       negative = 0;
  std::uint64_t      positive = 0;
  const auto         isWhole = [&](auto & integer) {
    const auto result = std::from_chars(begin, end, integer);
    return result.ec == std::errc() && result.ptr == end;
  };
  if (isWhole(positive))
  {
    return { text, number, positive };
  }
  return { text, number, isWhole(negative) ? itk::CudaConnectedComponentImageView::Value(negative) : number };
}

std::string
PhysicalUnit(unsigned int dimension)
{
  return dimension == 2 ? "mm2" : "mm3";
}

void
RequireUnit(const std::optional<ComponentSize> & size,
            unsigned int                         dimension,
            bool                                 hasUnit,
            const std::string &                  option,
            const std::string &                  input)
{
  const std::string unit = PhysicalUnit(dimension);
  if (size && !size->unit.empty() && !hasUnit)
  {
    throw Failure(input + ": has no known unit of length (dots per inch are for printers), but " + option + " is in " +
                  size->unit + "; give a number of pixels");
  }
  if (size && !size->unit.empty() && size->unit != unit)
  {
    throw Failure(input + ": is a " + (dimension == 2 ? "plane" : "volume") + ", but " + option + " is in " +
                  size->unit + "; use " + unit + ", or no unit for pixels");
  }
}

std::uint64_t
MinimumPixelCount(const ComponentSize & size, double pixelSize)
{
  return PixelCountOf(size, pixelSize, [](double count) { return std::ceil(count); });
}

std::uint64_t
MaximumPixelCount(const ComponentSize & size, double pixelSize)
{
  return PixelCountOf(size, pixelSize, [](double count) { return std::floor(count); });
}
