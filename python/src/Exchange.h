// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_python_Exchange_h
#define ccl_python_Exchange_h

// The table of C functions that a library of arrays has for DLPack: `__dlpack_c_exchange_api__` of its class.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

struct ExchangeTable;

/** The functions of a library. The library keeps them until the process ends.
 *
 * The members that do the work of a call return None if the general functions must do it, or must say why it cannot be
 * done. Otherwise, MeasureLabels() returns columns, and the others return a tuple whose last element is what is known
 * of the values. `neighbors` is as in Settings::connectivity. The caller holds the GIL. */
struct Exchange
{
  const ExchangeTable * table = nullptr;

  Exchange() = default;

  /** Throws nanobind::python_error or nanobind::type_error if the capsule has no table of a known version. */
  explicit Exchange(nanobind::handle capsule);

  /** Labels the foreground of an image, or its regions of equal value, with the options that are the default, or
   * without a background. `makeLabels` is a function of Python: it returns a new array for the labels of an array.
   * Returns the labels and their number. Labels in device memory are complete after the work of the current stream. */
  nanobind::object
  Label(nanobind::handle image, nanobind::handle makeLabels, unsigned int neighbors, bool isByValue, bool hasBackground)
    const;

  /** Copies the selected components of an image in device memory. `makeOutput` is a function of Python: it returns a
   * new array like an array. Returns this array. */
  nanobind::object
  Keep(nanobind::handle image,
       nanobind::handle makeOutput,
       unsigned int     neighbors,
       std::uint64_t    minimumSize,
       std::uint64_t    numberOfLargest) const;

  /** Measures the components of an image in device memory. `makeColumns` is a function of Python: it takes the numbers
   * of columns and of components, and returns a contiguous array of elements of 8 bytes. Returns this array. The
   * columns are the labels; for each axis of the image the first indices, and the indices after the last ones; and, as
   * double, the numbers of pixels, and the means for each axis. */
  nanobind::object
  Measure(nanobind::handle image, nanobind::handle makeColumns, unsigned int neighbors) const;

  /** Measures the labels of an image of integers in device memory. Returns a NumPy array: the columns of Measure(), one
   * after the other. The rows are in ascending order of the labels. The labels have the type of the image and follow
   * each other without gaps. */
  nanobind::object
  MeasureLabels(nanobind::handle image) const;
};

/** Memory of a library on a device, for the work of one call. The functions need no GIL. */
class ExchangeMemory
{
public:
  ExchangeMemory(const Exchange & exchange, int device)
    : m_Table(exchange.table)
    , m_Device(device)
  {}
  ~ExchangeMemory();
  ExchangeMemory(const ExchangeMemory &) = delete;
  ExchangeMemory &
  operator=(const ExchangeMemory &) = delete;

  /** Returns null if the library has no memory. */
  void *
  Allocate(std::uint64_t bytes);
  void
  Free(const void * memory);

  /** Returns the first error of the library that is not that its memory is short, or an empty text. */
  const std::string &
  GetError() const
  {
    return m_Error;
  }

private:
  const ExchangeTable * m_Table;
  int                   m_Device;
  std::string           m_Error;
  std::vector<void *>   m_Blocks; // managed tensors
};

#endif
