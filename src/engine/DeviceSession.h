// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_DeviceSession_h
#define ccl_engine_DeviceSession_h

// The interface between the labeler and a device. It needs no CUDA header, so that the labeler can be compiled without
// CUDA. DeviceSession.cu implements it. In a build without CUDA, NoDeviceSession.cxx implements it instead: its
// sessions throw that there is no device.

#include "algorithms/Request.h"
#include "executors/device/MemoryCache.h"
#include "primitives/Bits.h"
#include "primitives/PixelTypes.h"

#include <memory>

namespace itk::ccl
{

/** The owner of pinned host memory, which the device copies from and to at full speed. */
using HostArray = std::shared_ptr<void>;

/** The components of an image. Without a selection, all components are kept. */
struct Components
{
  std::uint64_t foundCount = 0; // number of components in the image
  std::uint64_t keptCount = 0;  // number of components that the selection keeps
  HostArray     table;          // memory of a ComponentTable with the kept components, if the request wants it
  HostArray     intensities;    // an IntensityValue for each kept component, if the request wants intensities
};

/** The labels of the runs of an image, or a mask. */
struct RunLabels
{
  HostArray  labels; // the label of each run, or NoLabel, in raster order; null if no labels are wanted
  bool       wide;   // whether labels are std::uint64_t instead of std::uint32_t
  HostArray  mask;   // the bits of the pixels of selected components; null if no mask is wanted
  Components components;
};

/** Labels images on a device during one call of the labeler, on a stream. The device is current during each function,
 * but not between them, where functions of the caller run. Use a session from one thread.
 *
 * Constructors and functions throw CudaConnectedComponentError if CUDA fails. The constructors also throw it if the
 * device cannot be used. */
class DeviceSession
{
public:
  /** Starts a session on a stream of the caller.
   * \param deviceId number of the device, or -1 for the caller's current device
   * \param stream a cudaStream_t of the device; null is CUDA's default stream. If it captures a graph, the constructor
   * throws, and the capture stays valid. */
  DeviceSession(int deviceId, void * stream);

  /** Starts a session on a stream of its own. */
  explicit DeviceSession(int deviceId);

  /** Waits for the session's stream, unless it is a stream of the caller. */
  ~DeviceSession();

  /** Allocates pinned host memory. */
  HostArray
  AllocateHost(std::uint64_t bytes);

  /** Labels or fills an image in device memory. Returns its components, after the output has been written.
   * \param pixels the image, in memory of this device or in managed memory, aligned to its type's size
   * \param output image of the same size, which must not overlap the image; not used if the request wants no output. A
   * filled image has the type of `pixels`, and may be `pixels`.
   *
   * Throws CudaConnectedComponentError if an image is in other memory, or if the label type has too few labels. */
  Components
  LabelPixels(const void * pixels, PixelType pixelType, const Request & request, void * output, PixelType outputType);

  /** Labels the runs of an image of bits. Returns the label of each run or the mask, in host memory. Does not measure
   * intensities: the host has them, and gets the labels of the runs.
   * \param bits the rows of the image in host memory, WordsOf(request.size) words; the copy is faster from pinned
   * memory
   * \param runCount the number of runs of the image's row groups, so that the host need not wait for it
   *
   * Throws CudaConnectedComponentError if the label type has too few labels. */
  RunLabels
  LabelBits(const Word * bits, std::uint64_t runCount, const Request & request);

  /** Frees the memory that no call uses, on all devices. */
  static void
  TrimMemory();

  /** Returns the memory that the process holds for labeling, in use or cached. */
  static HeldMemory
  GetHeldMemory();

  /** Returns true if the next session will not start CUDA, which takes longer than most labelings. This is so if a
   * session has started it in this process, or if this build has no CUDA. */
  static bool
  IsStartupDone();

private:
  class Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

} // namespace itk::ccl

#endif
