// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentLabeler_h
#define itkCudaConnectedComponentLabeler_h

#include "itkCudaConnectedComponentError.h"
#include "itkCudaConnectedComponentsEnums.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace itk
{

/** \class CudaConnectedComponentLabeler
 * \brief Labels connected components with CUDA, without any ITK image: from device memory to device memory, or from
 * host memory to host memory.
 *
 * \code
 * itk::CudaConnectedComponentLabeler labeler;
 * labeler.options.fullyConnected = true;
 * const std::uint64_t objects = labeler.LabelDeviceMemory(mask, { 512, 512, 300 }, labels);
 * \endcode
 *
 * Sizes are given as { x, y, z } in pixels, x varying fastest in memory; a plane has one pixel along z. Pixels that are
 * not 0 are foreground (NaN is, -0.0 is not). Labels are those of itk::ConnectedComponentImageFilter: numbered in the
 * order of each component's first pixel in memory, from 1 on where the background value is 0, else from 0 on, leaving
 * out the background value.
 *
 * Every call returns the number of objects, after the labels have been written. It throws CudaConnectedComponentError;
 * the contents of the output are then undefined. Exceptions of `options.progress` and of a RowPackerType reach the
 * caller unchanged.
 *
 * A labeler holds nothing but its options. Streams and memory belong to the process and serve the next call; they are
 * created by the first call, never when the library is loaded. Any number of threads may label at the same time. The
 * caller's current CUDA device is left as it was.
 *
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentLabeler
{
public:
  using AlgorithmEnum = CudaConnectedComponentsEnums::Algorithm;

  /** Pixels along x, y and z. */
  using SizeType = std::array<std::uint64_t, 3>;

  /** Calls body(i) once for every i below count, in any order, on any number of threads, and returns after all calls
   * have ended. The bodies that the labeler hands in throw nothing: the labeler keeps the first exception of a
   * RowPackerType, and throws it on the caller's thread when the loop has returned. A loop that leaves out a call is an
   * error (InvalidArgument), and nothing reads what that call was to write. A loop must not return while calls go on.
   */
  using ParallelForType = std::function<void(std::uint64_t count, const std::function<void(std::uint64_t)> & body)>;

  /** Sets the foreground bits of one row, y + z * (size along y): pixel x is bit x % 32 of words[x / 32], and the bits
   * past the row's end are 0. Called from the threads of `parallelFor`, once for each row. May throw. */
  using RowPackerType = std::function<void(std::uint64_t row, std::uint32_t * words)>;

  struct Options
  {
    /** BlockUnionFind and BlockKomuraEquivalence need `fullyConnected`. */
    AlgorithmEnum algorithm = AlgorithmEnum::Automatic;

    /** 8 or 26 neighbours instead of 4 or 6. */
    bool fullyConnected = false;

    /** Whether the block algorithms use inline compression. */
    bool inlineCompression = true;

    /** The device's number, or -1 for the caller's current device. */
    int deviceId = -1;

    /** Device to device only: the caller's cudaStream_t, on which all work is ordered. Null is CUDA's default stream.
     */
    void * stream = nullptr;

    /** Called between stages, on the caller's thread, with the share of the work that is done. May throw to abort. */
    std::function<void(float)> progress;

    /** Host to host only: runs the host's work. Empty runs it on the caller's thread. */
    ParallelForType parallelFor;

    /** Host to host only: the output is memory of the process's heap that nothing has been written to since it was
     * allocated. Its pages may then be given back to the system, and background that is 0 is not written where the
     * system gives zeros: a page without foreground takes no memory until somebody writes to it. The system is also
     * asked for huge pages. Without it, memory that is new takes two to three times as long to label into, as the
     * system gives it page by page; other memory takes as long as with it. */
    bool outputIsUntouched = false;

    /** Host to host only: leaves the device alone, and unites runs on the host, too, whatever the algorithm. */
    bool onHost = false;
  };

  Options options;

  /** Labels an image in device memory into another one. Both are contiguous and must not overlap.
   * \param input integers of 1 to 8 bytes, float or double
   * \param output integers of 1 to 8 bytes */
  template <typename TInput, typename TOutput>
  std::uint64_t LabelDeviceMemory(
    const TInput * input, const SizeType & size, TOutput * output, std::common_type_t<TOutput> backgroundValue = 0)
    const
  {
    return this->LabelDevice({ input, PixelTypeOf<TInput>() }, size, OutputFor(output, backgroundValue));
  }

  /** Labels an image in host memory into another one. Both are contiguous and must not overlap.
   * \param input anything that can be compared with `TInput{}`
   * \param output integers of 1 to 8 bytes */
  template <typename TInput, typename TOutput>
  std::uint64_t LabelHostMemory(
    const TInput * input, const SizeType & size, TOutput * output, std::common_type_t<TOutput> backgroundValue = 0)
    const
  {
    const auto packRow = [input, &size](std::uint64_t row, std::uint32_t * words) {
      PackRow(input + row * size[0], size[0], words);
    };
    return this->LabelPackedRows(packRow, size, output, backgroundValue);
  }

  /** Labels an image of which the caller packs the rows to bits, into host memory. */
  template <typename TOutput>
  std::uint64_t LabelPackedRows(const RowPackerType &       packRow,
                                const SizeType &            size,
                                TOutput *                   output,
                                std::common_type_t<TOutput> backgroundValue = 0) const
  {
    return this->LabelHost(packRow, size, OutputFor(output, backgroundValue));
  }

  /** Sets the bits of the pixels that differ from `TPixel{}`, and clears the others up to the end of the last word. */
  template <typename TPixel>
  static void PackRow(const TPixel * pixels, std::uint64_t count, std::uint32_t * words)
  {
    if constexpr (std::is_arithmetic<TPixel>::value && sizeof(TPixel) <= 8)
    {
      PackScalarRow({ pixels, PixelTypeOf<TPixel>() }, count, words);
    }
    else
    {
      PackBits(count, words, [pixels](std::uint64_t i) { return pixels[i] != TPixel{}; });
    }
  }

  /** Sets bit i of `words` if isForeground(i) is true, and clears the other bits up to the end of the last word. Calls
   * isForeground(i) once for each i < count, in this order.
   * \param count number of pixels
   * \param words array of (count + 31) / 32 elements; pixel i is bit i % 32 of element i / 32
   * \param isForeground function that takes a std::uint64_t and returns a bool; may throw */
  template <typename TFunction>
  static void PackBits(std::uint64_t count, std::uint32_t * words, const TFunction & isForeground)
  {
    std::fill_n(words, (count + 31) / 32, 0);
    for (std::uint64_t i = 0; i < count; ++i)
    {
      words[i / 32] |= static_cast<std::uint32_t>(isForeground(i)) << i % 32;
    }
  }

  /** Whether an image in host memory is so small that the host has labeled it before a device would have. */
  static bool IsFasterOnHost(const SizeType & size);

  /** Throws CudaConnectedComponentError, with the reason, where `options.deviceId` cannot be used. */
  void RequireDevice() const;

  /** Memory that the process holds for labeling, in use or cached for later calls. */
  struct HeldMemory
  {
    std::uint64_t deviceBytes = 0; // of all devices
    std::uint64_t pinnedBytes = 0; // of the host
  };

  /** How much memory that is. Between calls, each device has at most twice what the 16 most recent calls on it needed
   * at one time, device memory rounded up to a multiple of 32 MiB. Throws CudaConnectedComponentError. */
  static HeldMemory GetHeldMemory();

  /** Gives the memory that is cached for later calls back to CUDA and the system. Safe while others label. Throws
   * CudaConnectedComponentError. */
  static void TrimMemory();

private:
  using PixelType = CudaConnectedComponentsEnums::PixelType;

  struct Input
  {
    const void * pixels;
    PixelType    type;
  };

  struct Output
  {
    void *        labels;
    PixelType     type;
    std::uint64_t background; // converted to 64 bits as C++ does
  };

  template <typename T>
  static constexpr PixelType PixelTypeOf()
  {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8,
                  "pixels are integers of up to 64 bits, float or double");
    if (std::is_floating_point<T>::value)
    {
      return sizeof(T) == 4 ? PixelType::Float : PixelType::Double;
    }
    const bool isSigned = std::is_signed<T>::value;
    switch (sizeof(T))
    {
      case 1:
        return isSigned ? PixelType::Int8 : PixelType::UInt8;
      case 2:
        return isSigned ? PixelType::Int16 : PixelType::UInt16;
      case 4:
        return isSigned ? PixelType::Int32 : PixelType::UInt32;
      default:
        return isSigned ? PixelType::Int64 : PixelType::UInt64;
    }
  }

  template <typename TOutput>
  static Output OutputFor(TOutput * output, TOutput backgroundValue)
  {
    static_assert(std::is_integral<TOutput>::value && !std::is_same<TOutput, bool>::value, "labels are integers");
    return { output, PixelTypeOf<TOutput>(), static_cast<std::uint64_t>(backgroundValue) };
  }

  static void   PackScalarRow(const Input & input, std::uint64_t count, std::uint32_t * words);
  std::uint64_t LabelDevice(const Input & input, const SizeType & size, const Output & output) const;
  std::uint64_t LabelHost(const RowPackerType & packRow, const SizeType & size, const Output & output) const;
};

} // namespace itk

#endif
