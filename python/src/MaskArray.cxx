// SPDX-License-Identifier: Apache-2.0
#include "MaskArray.h"

#include "itkCudaConnectedComponentLabeler.h"

#include <cstring>

namespace
{

using itk::CudaConnectedComponentLabeler;

/** The elements of a row, at any address and distance. */
struct Row
{
  const char *   values;
  char *         output;
  std::ptrdiff_t valueStride;
  std::ptrdiff_t outputStride;
  std::uint64_t  count;
  bool           isZero; // whether the output is 0

  /** Returns whether elements have their values already. */
  bool
  IsWritten(bool isKept) const
  {
    return isKept ? values == output && valueStride == outputStride : isZero;
  }
};

/** Writes a row of adjacent elements. */
void
MaskContiguous(const Row & row, const std::uint32_t * words)
{
  const auto elementBytes = static_cast<std::uint64_t>(row.outputStride);
  CudaConnectedComponentLabeler::ForEachRange(
    words, row.count, [&](std::uint64_t begin, std::uint64_t end, bool isKept) {
      if (row.IsWritten(isKept))
      {
        return;
      }
      char * const        to = row.output + begin * elementBytes;
      const std::uint64_t bytes = (end - begin) * elementBytes;
      isKept ? std::memcpy(to, row.values + begin * elementBytes, bytes) : std::memset(to, 0, bytes);
    });
}

/** Writes a row, element by element. `TBits` has the size of an element. */
template <typename TBits>
void
MaskStrided(const Row & row, const std::uint32_t * words)
{
  CudaConnectedComponentLabeler::ForEachRange(
    words, row.count, [&](std::uint64_t begin, std::uint64_t end, bool isKept) {
      if (row.IsWritten(isKept))
      {
        return;
      }
      for (std::uint64_t x = begin; x < end; ++x)
      {
        TBits value{ 0 };
        if (isKept)
        {
          std::memcpy(&value, row.values + static_cast<std::ptrdiff_t>(x) * row.valueStride, sizeof(value));
        }
        std::memcpy(row.output + static_cast<std::ptrdiff_t>(x) * row.outputStride, &value, sizeof(value));
      }
    });
}

} // namespace

ArrayMasker::ArrayMasker(const Array & values, const Array & output, bool isZero)
  : m_Values(values)
  , m_Output(output)
  , m_IsZero(isZero)
{
  if (output.GetSize() != values.GetSize() || output.GetElementBytes() != values.GetElementBytes())
  {
    throw nanobind::value_error("the output must have the shape and the type of the image");
  }
}

void
ArrayMasker::operator()(std::uint64_t row, const std::uint32_t * words) const
{
  const Row            elements{ m_Values.GetRow(row),  const_cast<char *>(m_Output.GetRow(row)),
                      m_Values.GetStride(),  m_Output.GetStride(),
                      m_Values.GetSize()[0], m_IsZero };
  const std::ptrdiff_t bytes = m_Values.GetElementBytes();
  if (elements.valueStride == bytes && elements.outputStride == bytes)
  {
    MaskContiguous(elements, words);
    return;
  }
  switch (bytes)
  {
    case 1:
      return MaskStrided<std::uint8_t>(elements, words);
    case 2:
      return MaskStrided<std::uint16_t>(elements, words);
    case 4:
      return MaskStrided<std::uint32_t>(elements, words);
    default:
      return MaskStrided<std::uint64_t>(elements, words);
  }
}
