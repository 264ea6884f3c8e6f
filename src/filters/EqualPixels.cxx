// SPDX-License-Identifier: Apache-2.0

// Makes PackEqualScalars() available to filters, which are templates in installed headers.

#include "CudaConnectedComponentsDetail/EqualPixels.h"

#include "primitives/PackScalars.h"

#include "itkCudaConnectedComponentError.h"

#include <string>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

bool
EqualPixels::Pack(const void *    pixels,
                  std::size_t     pixelSize,
                  std::uint64_t   count,
                  std::uint64_t   value,
                  std::uint64_t   other,
                  std::uint32_t * words)
{
  const auto pack = [&](auto type) {
    using PixelType = decltype(type);
    return ccl::PackEqualScalars(static_cast<const PixelType *>(pixels),
                                 count,
                                 static_cast<PixelType>(value),
                                 static_cast<PixelType>(other),
                                 words);
  };
  switch (pixelSize)
  {
    case 1:
      return pack(std::uint8_t{});
    case 2:
      return pack(std::uint16_t{});
    case 4:
      return pack(std::uint32_t{});
    case 8:
      return pack(std::uint64_t{});
    default:
      throw CudaConnectedComponentError(CudaConnectedComponentError::Kind::InvalidArgument,
                                        "pixels of " + std::to_string(pixelSize) + " bytes cannot be packed");
  }
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
