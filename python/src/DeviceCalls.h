// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_DeviceCalls_h
#define ccl_python_DeviceCalls_h

// The calls for arrays in device memory, which are images or batches.

#include "Array.h"
#include "Settings.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/** The device memory behind a DLPack capsule. Strides are in elements. */
struct DlpackArray
{
  nanobind::ndarray<>       owner;
  std::uintptr_t            address;
  std::string               type; // in the notation of NumPy, for example "u2"
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;

  explicit DlpackArray(const nanobind::ndarray<> & array);
};

/** Labels an image on the stream of the settings. Elements are background if they are 0 in `mask`, which may be null.
 * Returns the number of labels or, for a batch, an array of them, and what is known of the values. The caller holds the
 * GIL. */
nanobind::tuple
LabelDevice(const CudaConnectedComponentImageView & image,
            const CudaConnectedComponentImageView * mask,
            const CudaConnectedComponentImageView & output,
            const Settings &                        settings);

/** Labels one image on a stream. `makeLabels` returns memory for labels of 32 bits. They are complete after the work of
 * the stream. Returns the number of labels, and what is known of the values. The caller holds the GIL. */
std::pair<std::uint64_t, PixelValues>
LabelDeviceImage(const CudaConnectedComponentImageView &               image,
                 const CudaConnectedComponentLabeler::LabelMakerType & makeLabels,
                 const Settings &                                      settings);

/** Writes on a stream what the settings say: see Settings::Write; holes of values need host memory. The output has the
 * type and the size of the image. It may be the image; otherwise, the two must not overlap. Returns what is known of
 * the values. The caller must not hold the GIL. */
PixelValues
MaskDevice(const CudaConnectedComponentImageView & image,
           const CudaConnectedComponentImageView * mask,
           const CudaConnectedComponentImageView & output,
           const Settings &                        settings);

/** Measures the components of an image on a stream. `makeTable` takes the number of components. The columns are
 * complete after the work of the stream. Returns what is known of the values. The caller must not hold the GIL. */
PixelValues
MeasureDevice(const CudaConnectedComponentImageView &               image,
              const CudaConnectedComponentImageView *               mask,
              const CudaConnectedComponentLabeler::TableMakerType & makeTable,
              const Settings &                                      settings);

/** Measures the components of an image on a stream. The table is in host memory. The caller must not hold the GIL. */
itk::CudaConnectedComponentTable
MeasureDeviceToHost(const CudaConnectedComponentImageView & image, const Settings & settings);

/** Measures the components of an image on a stream, and their intensities in a second image, which may be null. Writes
 * their labels, unless `labels` is null. Returns a dictionary of arrays in host memory: see MakeDictionary(). The
 * caller holds the GIL. */
nanobind::dict
TabulateDevice(const CudaConnectedComponentImageView & image,
               const CudaConnectedComponentImageView * mask,
               const CudaConnectedComponentImageView * intensities,
               const CudaConnectedComponentImageView * labels,
               const Settings &                        settings);

/** Finds the regions of images of classes that lie in holes of values. `columns` is a table of them, as a dictionary of
 * arrays of int64: num_pixels, start_x, end_x, ..., value, and counts for each image. `pairs` has two rows: adjacent
 * regions, the lower number first. Returns the region whose value each region gets. The caller holds the GIL. */
nanobind::object
HolesOfValues(const nanobind::dict &                       columns,
              const nanobind::object &                     pairs,
              const itk::CudaConnectedComponentImageView & image,
              const Settings &                             settings);

/** Does the same as MeasureDevice() with a function of Python, which takes the number of components, and returns a
 * dictionary of the addresses of the columns. A column `end_x` gets the x after the last one. The caller holds the GIL.
 */
PixelValues
MeasureByColumns(const CudaConnectedComponentImageView & image,
                 const CudaConnectedComponentImageView * mask,
                 const nanobind::object &                makeColumns,
                 const Settings &                        settings);

#endif
