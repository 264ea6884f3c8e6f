// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Settings_h
#define ccl_python_Settings_h

// The settings of a call, and the errors for Python.

#include "Exchange.h"

#include "itkCudaConnectedComponentLabeler.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using itk::CudaConnectedComponentError;
using itk::CudaConnectedComponentLabeler;
using PixelValues = itk::CudaConnectedComponentValueSummary;
using KindEnum = CudaConnectedComponentError::KindEnum;
using Selection = itk::CudaConnectedComponentSelection;

/** Functions of Python that allocate and free device memory. `allocate` takes the number of bytes and returns an
 * address. `free` takes the address. */
struct Allocator
{
  nanobind::object allocate;
  nanobind::object free;
};

/** The settings of a call that labels, selects or measures components. */
struct Settings
{
  using Number = std::variant<std::int64_t, std::uint64_t, double>;

  unsigned int                             connectivity = 0; // number of neighbors; 0 stands for full connectivity
  bool                                     isByValue = false;
  std::optional<std::pair<Number, Number>> limits;     // of the foreground
  std::optional<std::vector<Number>>       background; // in the image's type; not with limits; 0 if there are neither
  std::uint64_t                            minimumSize = 0;
  std::uint64_t                            numberOfLargest = 0; // 0 stands for all
  std::vector<std::vector<std::uint64_t>>  seeds; // indices along the axes of the array; none stands for all components
  bool                                     wantsBoxes = false;
  bool                                     wantsMeans = false;
  bool                                     wantsFaces = false;
  bool                                     wantsValues = false; // needs isByValue
  bool                                     isObserved = false;  // to look at the values; not with limits or a mask
  bool                                     isBatch = false;     // whether the counts are an array, one for each image
  int                                      device = 0;          // index of a device, or one of the constants below

  // For arrays in host memory.
  bool         isTransposed = false; // whether x is the first axis of an image, not the last
  unsigned int threads = 1;

  // For arrays in device memory.
  std::uintptr_t                                   stream = 0;
  std::optional<std::variant<Allocator, Exchange>> allocator; // of the memory for the work
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
  const char *  backend = "none";
  std::string   reason;
  std::uint64_t slabs = 0; // 1 for whole images, 0 without a device
};
inline thread_local LastCall lastCall;

/** Returns a labeler. */
inline CudaConnectedComponentLabeler
LabelerFor(const Settings & settings)
{
  using Foreground = itk::CudaConnectedComponentForeground;
  const auto valueOf = [](const Settings::Number & value) {
    return std::visit([](auto number) { return Foreground::ValueType(number); }, value);
  };
  CudaConnectedComponentLabeler labeler;
  labeler.options.connectivity = settings.connectivity;
  labeler.options.fullyConnected = true;
  labeler.options.byValue = settings.isByValue;
  if (settings.limits)
  {
    labeler.options.foreground = Foreground::Between(valueOf(settings.limits->first), valueOf(settings.limits->second));
  }
  else if (settings.background)
  {
    std::vector<Foreground::ValueType> values;
    for (const Settings::Number & number : *settings.background)
    {
      values.push_back(valueOf(number));
    }
    labeler.options.foreground = Foreground::AnyOf(std::move(values));
    labeler.options.complement = true;
  }
  labeler.options.columns.boundingBoxes = settings.wantsBoxes;
  labeler.options.columns.sums = settings.wantsMeans;
  labeler.options.columns.faces = settings.wantsFaces;
  labeler.options.columns.values = settings.wantsValues;
  labeler.options.selection.minimumSize = settings.minimumSize;
  labeler.options.selection.numberOfLargest = settings.numberOfLargest;
  for (std::vector<std::uint64_t> index : settings.seeds)
  {
    if (!settings.isTransposed)
    {
      std::reverse(index.begin(), index.end()); // x is the last axis
    }
    index.resize(3, 0);
    labeler.options.selection.seeds.push_back({ { index[0], index[1], index[2] } });
  }
  labeler.options.selection.pixelOrder =
    settings.isTransposed ? Selection::PixelOrderEnum::TransposedRaster : Selection::PixelOrderEnum::Raster;
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
      case KindEnum::TooManyObjects:
        throw LabelOverflow(std::string(error.what()) + " Choose a wider type.");
      case KindEnum::Memory:
        throw DeviceMemoryError(error.GetKind(), error.what());
      case KindEnum::InvalidArgument:
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
