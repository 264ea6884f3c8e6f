// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_DeviceSession_h
#define ccl_engine_DeviceSession_h

// The interface between the labeler and a device. It needs no CUDA header, so that the labeler can be compiled without
// CUDA. DeviceSession.cu and DeviceEnqueue.cu implement it. In a build without CUDA, NoDeviceSession.cxx implements it
// instead: its sessions throw that there is no device.

#include "algorithms/Request.h"
#include "executors/device/MemoryCache.h"
#include "primitives/Bits.h"
#include "primitives/PixelTypes.h"

#include "itkCudaConnectedComponentAllocator.h"
#include "itkCudaConnectedComponentDeviceCall.h"
#include "itkCudaConnectedComponentValueSummary.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace itk::ccl
{

/** The owner of pinned host memory, which the device copies from and to at full speed. */
using HostArray = std::shared_ptr<void>;

/** A function that makes a table in device memory for a number of components. */
using TableMaker = std::function<CudaConnectedComponentDeviceTable(std::uint64_t)>;

/** A function that makes memory for labels without gaps in device memory. */
using LabelMaker = std::function<void *()>;

/** The functions of a caller that make memory for results in device memory, or null. They exist until the call ends. A
 * call has at most one of them. It may return before the result is complete, which it is after the work of its
 * stream. */
struct ResultMakers
{
  const TableMaker * table = nullptr;
  const LabelMaker * labels = nullptr;

  bool
  AreNone() const
  {
    return table == nullptr && labels == nullptr;
  }
};

/** The components of all images of a call. Without a selection, all components are kept. */
struct Components
{
  CudaConnectedComponentTable        table;  // its counts, and the columns and intensities that the request wants
  CudaConnectedComponentValueSummary values; // if the request wants them

  /** Throws CudaConnectedComponentError if an image has more components than there are labels. */
  void
  RequireLabels(const LabelValues & labelValues) const
  {
    const auto & counts = table.componentCounts;
    labelValues.RequireRoomFor(counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()));
  }
};

/** The bits and the runs of images, in host memory. Copies are faster from pinned memory. */
struct PackedRuns
{
  const Word *  bits;     // the rows of the stack of the images
  const Word *  starts;   // the bits at which runs start, if they have values
  const void *  keys;     // of the runs: see RunValues
  std::uint64_t runCount; // of the row groups of Request::VisitPackedRowGroup()
};

/** The components of the runs of images, or a mask. */
struct RunLabels
{
  HostArray  ranks;      // the rank of the component of each run, or NoLabel, in raster order; null if not wanted
  HostArray  imageRanks; // RanksOfImages::first; null for one image
  bool       wide;       // whether ranks are std::uint64_t instead of std::uint32_t
  HostArray  mask;       // the bits of the pixels of selected components; null if no mask is wanted
  Components components;
};

/** The limit of device memory if there is none. */
inline constexpr std::uint64_t NoMemoryLimit = ~std::uint64_t{ 0 };

/** Versions of CUDA, as 1000 * major + 10 * minor: 12090 is 12.9. */
struct CudaVersions
{
  int runtime; // of this build; 0 if it has no CUDA
  int driver;  // the newest version that the NVIDIA driver supports; 0 if there is no driver
};

/** Labels images on a device during one call of the labeler. A session serves calls on images in host memory, and has a
 * stream of its own. Its device is current during each function, but not between them, where functions of the caller
 * run. Use a session from one thread; while it labels, another thread may call AllocateHost().
 *
 * The constructor and functions throw CudaConnectedComponentError if CUDA fails, or if the device cannot be used. */
class DeviceSession
{
public:
  /** Starts a session.
   * \param deviceId number of the device, or -1 for the caller's current device */
  explicit DeviceSession(int deviceId);

  /** Waits for the session's stream. */
  ~DeviceSession();

  /** Allocates pinned host memory. */
  HostArray
  AllocateHost(std::uint64_t bytes);

  /** Labels or fills images in device memory. Returns their components, after the output has been written unless there
   * are makers.
   * \param deviceId as in the constructor
   * \param stream a cudaStream_t of the device; null is CUDA's default stream. If it captures a graph, the function
   * throws, and the capture stays valid.
   * \param allocator the source of device memory, if it has functions
   * \param input the images, in memory of this device or in managed memory, aligned to the type's size. Strides are
   * multiples of the pixel size; the pixels of a row of the output are adjacent.
   * \param output images of the same size, which must not overlap the input; not used if the request wants no output.
   * Filled images have the type of the input, and may be the input. They and their input have no gaps. It has no memory
   * if a maker makes the labels.
   * \param makers the makers of the table and of the labels. Without `makers.table`, the table is in host memory.
   *
   * Throws CudaConnectedComponentError if an image is in other memory, or if the label type has too few labels. */
  static Components
  LabelPixels(int                                     deviceId,
              void *                                  stream,
              const CudaConnectedComponentAllocator & allocator,
              const ImageView &                       input,
              const Request &                         request,
              const ImageView &                       output,
              const ResultMakers &                    makers = {});

  /** Returns the bytes of device memory that LabelBits() needs after Reserve(), for a request that selects and measures
   * nothing, and whose indices have 32 bits. Starts no device. */
  static std::uint64_t
  MeasureBits(const Request & request, std::uint64_t runCount);

  /** Frees the memory of the device that no call uses, if the library holds more than so many bytes there. */
  void
  HoldAtMost(std::uint64_t bytes);

  /** Takes device memory for calls of LabelBits(), which then allocate no other. Returns false if there is too little.
   * \param bytes the most of MeasureBits() of these calls
   * \param mostBytes the most that the library may hold on the device. Only memory that no call uses counts against it:
   * other threads have limits of their own. */
  bool
  Reserve(std::uint64_t bytes, std::uint64_t mostBytes);

  /** Labels the runs of images of bits. Returns the components of the runs or the mask, in host memory. Does not
   * measure intensities: the host has them, and gets the ranks of the runs. After Reserve(), the request is one of
   * MeasureBits().
   *
   * Throws CudaConnectedComponentError if the label type has too few labels. */
  RunLabels
  LabelBits(const PackedRuns & packed, const Request & request);

  /** Returns the bytes of the workspace of Enqueue(). Starts the device only if the selection sorts. */
  static std::uint64_t
  GetWorkspaceBytes(int deviceId, const Request & request, const CudaConnectedComponentDeviceCall & call);

  /** Starts a device, and loads the kernels of Enqueue(). */
  static void
  Prepare(int deviceId, const Request & request, const CudaConnectedComponentDeviceCall & call);

  /** Enqueues the work of a call on a stream, and returns. The stream may capture a graph.
   * \param workspace device memory of at least GetWorkspaceBytes() bytes, aligned to ArenaSize::Alignment; not used if
   * the allocator has functions
   *
   * Throws CudaConnectedComponentError if memory is in another place, if the workspace does not fit, or if CUDA fails.
   */
  static void
  Enqueue(int                                      deviceId,
          void *                                   stream,
          const Request &                          request,
          const CudaConnectedComponentDeviceCall & call,
          const CudaConnectedComponentAllocator &  allocator,
          void *                                   workspace = nullptr,
          std::uint64_t                            workspaceBytes = 0);

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

  /** Returns the versions of CUDA. Starts no device. */
  static CudaVersions
  GetCudaVersions();

private:
  class Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

} // namespace itk::ccl

#endif
