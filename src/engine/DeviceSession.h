// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_DeviceSession_h
#define ccl_engine_DeviceSession_h

// What the labeler asks of a device, without a CUDA header. DeviceSession.cu answers with CUDA; NoDeviceSession.cxx, in
// a build without it, says that there is none.

#include "algorithms/Request.h"
#include "executors/device/MemoryCache.h"
#include "primitives/Bits.h"
#include "primitives/PixelTypes.h"

#include <memory>

namespace itk::ccl
{

/** Host memory that the device copies from and to at full speed. */
using HostArray = std::shared_ptr<void>;

/** The labels of an image's runs, in host memory. */
struct RunLabels
{
  HostArray     labels;
  bool          wide; // std::uint64_t instead of std::uint32_t
  std::uint64_t objectCount;
};

/** One call's hold on a device: makes it current, and gives a stream and memory. Used by one thread. */
class DeviceSession
{
public:
  /** On the caller's stream (null is CUDA's default stream). */
  DeviceSession(int deviceId, void * stream);
  /** On a stream of the session's own. */
  explicit DeviceSession(int deviceId);
  ~DeviceSession();

  HostArray
  AllocateHost(std::uint64_t bytes);

  /** Labels pixels in device memory into labels in device memory. Returns the object count. */
  std::uint64_t
  LabelPixels(const void * pixels, PixelType pixelType, const Request & request, void * labels, PixelType labelType);

  /** Labels the runs of bits in host memory. */
  RunLabels
  LabelBits(const Word * bits, const Request & request);

  static void
  TrimMemory();

  static HeldMemory
  GetHeldMemory();

  /** Whether CUDA's start-up, which takes longer than most labelings, is behind this process, or never to come. */
  static bool
  IsStartupDone();

private:
  class Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

} // namespace itk::ccl

#endif
