// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentImageView_h
#define itkCudaConnectedComponentImageView_h

#include "CudaConnectedComponentsExport.h"
#include "itkCudaConnectedComponentError.h"
#include "itkCudaConnectedComponentsEnums.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

namespace itk
{

/** \class CudaConnectedComponentImageView
 * \brief A plane or a volume in memory that somebody else owns, or many of them: address, pixel type, size and strides.
 *
 * \code
 * const auto whole = itk::CudaConnectedComponentImageView::Of(pixels, { 512, 512, 300 });
 * const auto lowerHalf = whole.Region({ 0, 0, 0 }, { 512, 512, 150 });
 * \endcode
 *
 * The address of pixel { x, y, z } is pixels + x * strides[0] + y * strides[1] + z * strides[2]. So a view may be a
 * region of a larger image, a transposed image or a mirrored image. A plane has 1 pixel along z.
 *
 * \par Batches
 * A view may also describe a batch: several images of one size, at a constant distance. The images are independent:
 * each has components and labels of its own.
 * \code
 * const auto batch = itk::CudaConnectedComponentImageView::Of(pixels, { 96, 96, 96 }).Batch(64);
 * \endcode
 *
 * A view stores no pixels. The memory must exist as long as a view of it is used. A function that takes a view as its
 * input only reads the pixels.
 *
 * \par Thread safety
 * A view is a plain value. Several threads may use copies of one view.
 *
 * \sa CudaConnectedComponentLabeler
 *
 * \ingroup CudaConnectedComponents
 */
struct CudaConnectedComponentImageView
{
  /** The types of pixels. */
  using PixelTypeEnum = CudaConnectedComponentsEnums::PixelType;

  /** Numbers of pixels along x, y and z. */
  using SizeType = std::array<std::uint64_t, 3>;

  /** The memory of the pixels. */
  using MemoryEnum = CudaConnectedComponentsEnums::Memory;
  /** The old name of MemoryEnum. */
  using Memory [[deprecated("use MemoryEnum")]] = MemoryEnum;

  /** \class Value
   * \brief A number that functions write to pixels of any type, or compare with them.
   * \ingroup CudaConnectedComponents */
  class CudaConnectedComponents_EXPORT Value
  {
  public:
    /** What a number stands for in a comparison. */
    using RoleEnum = CudaConnectedComponentsEnums::ValueRole;
    /** The old name of RoleEnum. */
    using Role [[deprecated("use RoleEnum")]] = RoleEnum;

    /** Takes a number. It is not explicit, so functions take numbers.
     * \tparam T integer type of up to 8 bytes, bool, float or double
     * \param number the number */
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value && sizeof(T) <= 8>>
    Value(T number)
      : m_Number(static_cast<double>(number))
    {
      if constexpr (std::is_integral<T>::value)
      {
        m_IsInteger = true;
        m_IsNegative = std::is_signed<T>::value && number < T{};
        m_Integer = static_cast<std::uint64_t>(number);
      }
    }

    /** Returns the number as a pixel.
     * \param pixelType the type of the pixel. For floating-point pixels, numbers are rounded to the nearest one.
     * \return the bytes of the pixel, as BitsOf() returns them
     * \exception CudaConnectedComponentError InvalidArgument: no pixel of this type has the number, such as 300 or 0.5
     * for UInt8, or 1e39 for Float */
    std::uint64_t BitsAs(PixelTypeEnum pixelType) const;

    /** Returns the pixel that a number stands for in comparisons with pixels of a type.
     * \param pixelType the type of the pixel. For floating-point pixels, numbers are rounded to the nearest finite one;
     * limits of ranges of integers are rounded into the range.
     * \param role what the number stands for. Limits that are beyond all finite pixels move to the last of them.
     * \return the bytes of the pixel, as BitsOf() returns them; nothing if no pixel equals the number, or if the limit
     * excludes all finite pixels. NaN is always nothing. */
    std::optional<std::uint64_t> FindBits(PixelTypeEnum pixelType, RoleEnum role) const;

  private:
    double        m_Number;
    std::uint64_t m_Integer{ 0 };
    bool          m_IsInteger{ false };
    bool          m_IsNegative{ false };
  };

  /** The first pixel: { 0, 0, 0 }. It may be null if there are no pixels. */
  void * pixels = nullptr;

  /** The type of the pixels. The default is UInt8. */
  PixelTypeEnum type = PixelTypeEnum::UInt8;

  /** The numbers of pixels along x, y and z. The default is 0. */
  std::array<std::uint64_t, 3> size{};

  /** The distances in bytes from a pixel to the next pixel along x, y and z. They may be negative. */
  std::array<std::int64_t, 3> strides{};

  /** The memory of the pixels. The default is host memory. */
  MemoryEnum memory = MemoryEnum::Host;

  /** The number of images. It may be 0. The default is 1. */
  std::uint64_t images = 1;

  /** The distance in bytes from an image to the next image. It may be negative. Not used for 1 image. */
  std::int64_t imageStride = 0;

  /** Describes an image without gaps: x changes fastest, then y, then z.
   * \tparam T integer type of 1 to 8 bytes, bool, float or double
   * \param pixels the first pixel
   * \param size the numbers of pixels along x, y and z
   * \param memory the memory of the pixels
   * \return the view */
  template <typename T>
  static CudaConnectedComponentImageView
  Of(const T * pixels, const std::array<std::uint64_t, 3> & size, MemoryEnum memory = MemoryEnum::Host)
  {
    return Of(pixels, TypeOf<T>(), size, memory);
  }

  /** Describes an image without gaps.
   * \param pixels the first pixel
   * \param type the type of the pixels
   * \param size the numbers of pixels along x, y and z
   * \param memory the memory of the pixels
   * \return the view */
  static CudaConnectedComponentImageView
  Of(const void *                         pixels,
     PixelTypeEnum                        type,
     const std::array<std::uint64_t, 3> & size,
     MemoryEnum                           memory = MemoryEnum::Host)
  {
    // Unsigned numbers: the strides of an image that is too large to exist may overflow.
    const std::uint64_t bytes = SizeOf(type);
    const std::uint64_t row = bytes * size[0];
    const std::uint64_t slice = row * size[1];
    return { const_cast<void *>(pixels),
             type,
             size,
             { static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(row), static_cast<std::int64_t>(slice) },
             memory };
  }

  /** Describes an image without gaps in device memory, or in managed memory of CUDA.
   * \tparam T integer type of 1 to 8 bytes, bool, float or double
   * \param pixels the first pixel
   * \param size the numbers of pixels along x, y and z
   * \return the view */
  template <typename T>
  static CudaConnectedComponentImageView
  OnDevice(const T * pixels, const std::array<std::uint64_t, 3> & size)
  {
    return Of(pixels, TypeOf<T>(), size, MemoryEnum::Device);
  }

  /** Returns the view of a batch without gaps between its images. This view is the first image, and z is the slowest
   * of its axes in memory. For other batches, set `images` and `imageStride`.
   * \param imageCount the number of images
   * \return the view. The next image starts where the slices of the image before it end. */
  CudaConnectedComponentImageView
  Batch(std::uint64_t imageCount) const
  {
    auto batch = *this;
    batch.images = imageCount;
    batch.imageStride = strides[2] * static_cast<std::int64_t>(size[2]);
    return batch;
  }

  /** Returns the view of one image of a batch.
   * \param image the number of the image, less than `images`
   * \return the view of one image */
  CudaConnectedComponentImageView
  Image(std::uint64_t image) const
  {
    auto view = *this;
    view.images = 1;
    view.pixels =
      pixels == nullptr ? nullptr : static_cast<char *>(pixels) + static_cast<std::int64_t>(image) * imageStride;
    return view;
  }

  /** Returns the view of a region, in each image of a batch.
   * \param start the index of the first pixel of the region
   * \param regionSize the numbers of pixels of the region
   * \return the view, with the same strides
   * \exception CudaConnectedComponentError InvalidArgument: the region is not inside this view. The message has both.
   */
  CudaConnectedComponentImageView
  Region(const std::array<std::uint64_t, 3> & start, const std::array<std::uint64_t, 3> & regionSize) const
  {
    auto         region = *this;
    std::int64_t offset = 0;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      if (start[axis] > size[axis] || regionSize[axis] > size[axis] - start[axis])
      {
        throw CudaConnectedComponentError(CudaConnectedComponentError::KindEnum::InvalidArgument,
                                          "the region of " + TextOf(regionSize) + " pixels from the index " +
                                            TextOf(start) + " on lies outside the image of " + TextOf(size) +
                                            " pixels");
      }
      offset += static_cast<std::int64_t>(start[axis]) * strides[axis];
    }
    region.size = regionSize;
    region.pixels = pixels == nullptr ? nullptr : static_cast<char *>(pixels) + offset;
    return region;
  }

  /** Returns the number of pixels of all images.
   * \return the product of the size and the number of images */
  std::uint64_t
  Count() const
  {
    return size[0] * size[1] * size[2] * images;
  }

  /** Returns whether the pixels have no gaps, and x changes fastest, then y, then z, then the image.
   * \return true if the pixels are an array in this order, or if there are none */
  bool
  IsContiguous() const
  {
    std::uint64_t expected = SizeOf(type);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      if (size[axis] > 1 && static_cast<std::uint64_t>(strides[axis]) != expected && this->Count() > 0)
      {
        return false;
      }
      expected *= size[axis];
    }
    return images <= 1 || this->Count() == 0 || static_cast<std::uint64_t>(imageStride) == expected;
  }

  /** Returns the address of the first pixel of a row.
   * \param row y + size[1] * (z + size[2] * image)
   * \return the address */
  char *
  Row(std::uint64_t row) const
  {
    if (images > 1)
    {
      const std::uint64_t rowsOfImage = size[1] * size[2];
      return this->Image(row / rowsOfImage).Row(row % rowsOfImage);
    }
    // Rows often have the same distance in the whole image. The division takes as long as a short row.
    const auto y = static_cast<std::int64_t>(row);
    const auto rows = static_cast<std::int64_t>(size[1]);
    if (size[2] == 1 || strides[2] == strides[1] * rows)
    {
      return static_cast<char *>(pixels) + y * strides[1];
    }
    return static_cast<char *>(pixels) + y % rows * strides[1] + y / rows * strides[2];
  }

  /** Returns the type of pixels.
   * \tparam T integer type of 1 to 8 bytes, bool, float or double
   * \return the value of the enumeration for T */
  template <typename T>
  static constexpr PixelTypeEnum
  TypeOf()
  {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8,
                  "pixels are integers of up to 64 bits, bool, float or double");
    if (std::is_floating_point<T>::value)
    {
      return sizeof(T) == 4 ? PixelTypeEnum::Float : PixelTypeEnum::Double;
    }
    if (std::is_same<T, bool>::value)
    {
      return PixelTypeEnum::Bool;
    }
    const bool isSigned = std::is_signed<T>::value;
    switch (sizeof(T))
    {
      case 1:
        return isSigned ? PixelTypeEnum::Int8 : PixelTypeEnum::UInt8;
      case 2:
        return isSigned ? PixelTypeEnum::Int16 : PixelTypeEnum::UInt16;
      case 4:
        return isSigned ? PixelTypeEnum::Int32 : PixelTypeEnum::UInt32;
      default:
        return isSigned ? PixelTypeEnum::Int64 : PixelTypeEnum::UInt64;
    }
  }

  /** Returns the size of a pixel.
   * \param type the type of the pixel
   * \return the number of bytes: 1, 2, 4 or 8 */
  static constexpr std::size_t
  SizeOf(PixelTypeEnum type)
  {
    switch (type)
    {
      case PixelTypeEnum::Bool:
      case PixelTypeEnum::Int8:
      case PixelTypeEnum::UInt8:
        return 1;
      case PixelTypeEnum::Int16:
      case PixelTypeEnum::UInt16:
      case PixelTypeEnum::Half:
      case PixelTypeEnum::BFloat16:
        return 2;
      case PixelTypeEnum::Int32:
      case PixelTypeEnum::UInt32:
      case PixelTypeEnum::Float:
        return 4;
      case PixelTypeEnum::Int64:
      case PixelTypeEnum::UInt64:
      case PixelTypeEnum::Double:
        return 8;
    }
    return 0; // not a value of the enumeration
  }

  /** Returns the bytes of a pixel as an integer, for functions that take a pixel of any type.
   * \tparam T integer type of 1 to 8 bytes, bool, float or double
   * \param pixel the value of the pixel
   * \return an integer whose first bytes in memory are the bytes of the pixel; the others are 0 */
  template <typename T>
  static std::uint64_t
  BitsOf(T pixel)
  {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8, "a number that a view can describe");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &pixel, sizeof(pixel));
    return bits;
  }

  /** Returns numbers of pixels as a text, such as "512 x 512 x 80".
   * \param numbers the numbers along x, y and z
   * \return the text */
  static std::string
  TextOf(const std::array<std::uint64_t, 3> & numbers)
  {
    return std::to_string(numbers[0]) + " x " + std::to_string(numbers[1]) + " x " + std::to_string(numbers[2]);
  }
};

} // namespace itk

#endif
