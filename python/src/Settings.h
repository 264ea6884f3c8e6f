// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Settings_h
#define ccl_python_Settings_h

// The settings of a call, and the errors for Python.

#include "Exchange.h"

#include "itkCudaConnectedComponentLabeler.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
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
  using SizesOfNumber = std::tuple<Number, std::uint64_t, std::uint64_t>; // the least and the highest size

  /** What the calls that write a mask write. */
  enum class Write : std::uint8_t
  {
    Selected,     // the selected components, and `value` for other elements
    Value,        // `value` for the selected components, and all other elements
    Holes,        // `value` for the holes of the foreground, and all other elements
    HolesOfValues // for the holes of each value, this value
  };

  unsigned int                             connectivity = 0; // number of neighbors; 0 stands for full connectivity
  bool                                     isByValue = false;
  std::optional<std::pair<Number, Number>> limits;     // of the foreground
  std::optional<std::vector<Number>>       background; // in the image's type; not with limits; 0 if there are neither
  std::optional<std::vector<Number>>       foreground; // instead of limits and background
  bool                                     areWhole = false; // all elements of a value are one component
  std::uint64_t                            minimumSize = 0;
  std::uint64_t                            maximumSize = std::numeric_limits<std::uint64_t>::max();
  std::vector<SizesOfNumber>               sizesOfValues;
  std::uint64_t                            numberOfLargest = 0; // 0 stands for all
  std::vector<std::vector<std::uint64_t>>  seeds; // indices along the axes of the array; none stands for all components
  bool                                     isPerValue = false; // whether this is the number for each value
  bool                                     keepsTies = false;
  bool                                     invert = false; // to keep what is not selected
  bool                                     wantsBoxes = false;
  bool                                     wantsMeans = false;
  bool                                     wantsFaces = false;
  bool                                     wantsValues = false;      // needs isByValue
  bool                                     wantsFirsts = false;      // for tables in host memory
  bool                                     wantsIntensities = false; // for tables in host memory
  bool                                     wantsCovariances = false; // for tables in host memory
  bool                                     isObserved = false;       // to look at the values; not with limits or a mask
  bool                                     isBatch = false; // whether the counts are an array, one for each image
  int                                      device = 0;      // index of a device, or one of the constants below

  // For masks.
  Write  write = Write::Selected;
  Number value = std::int64_t{ 0 };
  bool   overwrites = false; // for HolesOfValues: values inside

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

/** Returns a number for the labeler. */
inline itk::CudaConnectedComponentImageView::Value
ValueOf(const Settings::Number & number)
{
  return std::visit([](auto value) { return itk::CudaConnectedComponentImageView::Value(value); }, number);
}

/** Returns a labeler. */
inline CudaConnectedComponentLabeler
LabelerFor(const Settings & settings)
{
  using Foreground = itk::CudaConnectedComponentForeground;
  CudaConnectedComponentLabeler labeler;
  labeler.options.connectivity = settings.connectivity;
  labeler.options.fullyConnected = true;
  labeler.options.byValue = settings.isByValue;
  labeler.options.wholeValues = settings.areWhole;
  if (settings.limits)
  {
    labeler.options.foreground = Foreground::Between(ValueOf(settings.limits->first), ValueOf(settings.limits->second));
  }
  else if (const auto & numbers = settings.foreground ? settings.foreground : settings.background)
  {
    std::vector<Foreground::ValueType> values;
    for (const Settings::Number & number : *numbers)
    {
      values.push_back(ValueOf(number));
    }
    labeler.options.foreground = Foreground::AnyOf(std::move(values));
    labeler.options.complement = !settings.foreground;
  }
  labeler.options.columns.boundingBoxes = settings.wantsBoxes;
  labeler.options.columns.sums = settings.wantsMeans;
  labeler.options.columns.faces = settings.wantsFaces;
  labeler.options.columns.values = settings.wantsValues;
  labeler.options.columns.firstPixels = settings.wantsFirsts;
  labeler.options.columns.sums |= settings.wantsCovariances;
  labeler.options.columns.products = settings.wantsCovariances;
  labeler.options.selection.minimumSize = settings.minimumSize;
  labeler.options.selection.maximumSize = settings.maximumSize;
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
  labeler.options.selection.perValue = settings.isPerValue;
  labeler.options.selection.keepsTies = settings.keepsTies;
  labeler.options.selection.invert = settings.invert;
  for (const auto & [value, minimumSize, maximumSize] : settings.sizesOfValues)
  {
    labeler.options.selection.sizesOfValues.push_back({ ValueOf(value), minimumSize, maximumSize });
  }
  labeler.options.selection.pixelOrder =
    settings.isTransposed ? Selection::PixelOrderEnum::TransposedRaster : Selection::PixelOrderEnum::Raster;
  return labeler;
}

/** Writes the mask, or the filled image, of the settings. */
inline void
WriteMask(CudaConnectedComponentLabeler &              labeler,
          const itk::CudaConnectedComponentImageView & input,
          const itk::CudaConnectedComponentImageView & output,
          const Settings &                             settings)
{
  switch (settings.write)
  {
    case Settings::Write::Selected:
      labeler.Mask(input, output, ValueOf(settings.value));
      return;
    case Settings::Write::Holes:
      labeler.options.complement = !labeler.options.complement;
      labeler.options.selection.border = Selection::BorderEnum::NotTouching;
      if (input.size[0] * input.size[1] * input.size[2] == 1)
      {
        labeler.options.selection.maximumSize = 0; // nothing is around the only element
      }
      [[fallthrough]];
    case Settings::Write::Value:
      labeler.Fill(input, output, ValueOf(settings.value));
      return;
    case Settings::Write::HolesOfValues:
      labeler.FillHolesOfValues(input, output, settings.overwrites, settings.maximumSize);
  }
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
