// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Request_h
#define ccl_python_Request_h

// The settings of a call, and the errors for Python.

#include "itkCudaConnectedComponentLabeler.h"

#include <cstdint>
#include <stdexcept>
#include <string>

using itk::CudaConnectedComponentError;
using itk::CudaConnectedComponentLabeler;
using PixelValues = itk::CudaConnectedComponentValueSummary;
using Kind = CudaConnectedComponentError::Kind;
using Selection = itk::CudaConnectedComponentSelection;

/** The settings of a call that labels or measures. */
struct Request
{
  bool          fullyConnected = true;
  std::uint64_t minimumSize = 0;
  std::uint64_t numberOfLargest = 0;
  bool          isTransposed = false; // whether x is the first axis of the arrays, not the last
  int           device = 0;           // index of a device, or one of the constants below
  unsigned int  threads = 1;
  bool          wantsValues = false; // whether to look at the values of the pixels; not with limits or a mask
  bool          isBatch = false; // whether the first axis of arrays in host memory, and of the counts, is the images

  PixelValues values; // the result, if it is wanted
};

inline constexpr int ChildBackend = -4;  // the CPU, because the process is a child of another one
inline constexpr int AnyBackend = -3;    // a device, or else the CPU
inline constexpr int HostBackend = -2;   // the CPU
inline constexpr int CurrentDevice = -1; // the device that is current on the calling thread

inline constexpr const char * ChildReason =
  "the CPU is the default in a process of multiprocessing, a DataLoader, joblib "
  "or Dask, because each process needs GPU memory of its own: pass "
  "device=\"cuda\" to use the GPU";

/** Labels do not fit the type of the output. */
struct LabelOverflow : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

/** The device has too little memory. */
struct DeviceMemoryError : CudaConnectedComponentError
{
  using CudaConnectedComponentError::CudaConnectedComponentError;
};

/** The backend of the last call on this thread, and the reason if it was not the wanted one. */
struct LastCall
{
  const char * backend = "none";
  std::string  reason;
};
inline thread_local LastCall lastCall;

inline CudaConnectedComponentLabeler
LabelerFor(const Request & request)
{
  CudaConnectedComponentLabeler labeler;
  labeler.options.fullyConnected = request.fullyConnected;
  labeler.options.selection.minimumSize = request.minimumSize;
  labeler.options.selection.numberOfLargest = request.numberOfLargest;
  labeler.options.selection.pixelOrder =
    request.isTransposed ? Selection::PixelOrder::TransposedRaster : Selection::PixelOrder::Raster;
  return labeler;
}

/** Replaces errors of the engine by errors for Python. The caller must hold no lock. */
template <typename TFunction>
auto
Translate(const TFunction & function)
{
  try
  {
    return function();
  }
  catch (const CudaConnectedComponentError & error)
  {
    switch (error.GetKind())
    {
      case Kind::TooManyObjects:
        throw LabelOverflow(std::string(error.what()) + " Choose a wider type.");
      case Kind::Memory:
        throw DeviceMemoryError(error.GetKind(), error.what());
      case Kind::InvalidArgument:
        if (std::string(error.what()).find("captures a CUDA graph") != std::string::npos)
        {
          throw std::runtime_error(error.what()); // the arguments are right
        }
        throw std::invalid_argument(error.what());
      default:
        throw;
    }
  }
}

#endif
