// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentDeviceCall_h
#define itkCudaConnectedComponentDeviceCall_h

#include "itkCudaConnectedComponentImageView.h"
#include "itkCudaConnectedComponentTable.h"

#include <cstdint>

namespace itk
{

/** \class CudaConnectedComponentStatus
 * \brief The numbers of a call that CudaConnectedComponentLabeler::Enqueue() has enqueued. The device writes them.
 * \ingroup CudaConnectedComponents */
struct CudaConnectedComponentStatus
{
  /** The bits of `problems`. */
  enum Problem : std::uint64_t
  {
    /** The images have more runs than CudaConnectedComponentDeviceCall::runCapacity. The output is as for images
     * without foreground, and all counts of components are 0. `runCount` is the capacity that is needed. */
    TooManyRuns = 1,
    /** There are more components than rows of the table. No row was written; the rest is right. */
    TooManyRows = 2,
    /** An image has more components than the pixel type of the output has labels. Its labels are wrong; the rest is
     * right. */
    TooManyLabels = 4
  };

  /** What did not fit: a sum of values of Problem, or 0. */
  std::uint64_t problems = 0;

  /** The number of runs of the images, also if there was no memory for them. */
  std::uint64_t runCount = 0;

  /** The number of components in all images, before the selection. */
  std::uint64_t originalComponentCount = 0;

  /** The number of components that the selection kept, in all images, also if the table has fewer rows. */
  std::uint64_t componentCount = 0;
};

/** \class CudaConnectedComponentDeviceTable
 * \brief The columns of a table of components in device memory. A column that is null is not computed.
 *
 * Each column is an array of `rows` elements. The rows have the order of CudaConnectedComponentTable. Columns are for
 * CudaConnectedComponentLabeler::Enqueue(), and for Measure() with a function that makes the table.
 *
 * \ingroup CudaConnectedComponents */
struct CudaConnectedComponentDeviceTable
{
  /** The number of elements of each column. If there are more components, no row is written, and the status of
   * Enqueue() says so; Measure() throws. Elements after the last component stay unchanged. The default is 0: no table.
   */
  std::uint64_t rows = 0;

  /** The index of the image of each component in the batch, from 0. */
  std::uint64_t * images = nullptr;

  /** As CudaConnectedComponentTable::pixelCounts. */
  std::uint64_t * pixelCounts = nullptr;

  /** `pixelCounts` as floating-point numbers: areas or volumes in pixels. */
  double * areas = nullptr;

  /** As CudaConnectedComponentTable::minimums. */
  std::uint64_t * minimums[3] = {};

  /** As CudaConnectedComponentTable::maximums. */
  std::uint64_t * maximums[3] = {};

  /** `maximums` plus 1. */
  std::uint64_t * ends[3] = {};

  /** As CudaConnectedComponentTable::sums. */
  CudaConnectedComponentTable::Sum * sums[3] = {};

  /** The mean x, y and z of the pixels of each component, in pixels from the first pixel of the image. */
  double * means[3] = {};

  /** As CudaConnectedComponentTable::products. */
  CudaConnectedComponentTable::Sum * products[6] = {};

  /** As CudaConnectedComponentTable::firstPixels. */
  std::uint64_t * firstPixels = nullptr;

  /** As CudaConnectedComponentTable::faces. */
  std::uint8_t * faces = nullptr;

  /** The rank of each component in its image, from 1: its label, if the background is 0. */
  std::uint64_t * labels = nullptr;

  /** As CudaConnectedComponentTable::values. */
  std::uint64_t * values = nullptr;
};

/** \class CudaConnectedComponentDeviceCall
 * \brief The arguments of CudaConnectedComponentLabeler::Enqueue(). All memory is device memory of the caller.
 * \ingroup CudaConnectedComponents */
struct CudaConnectedComponentDeviceCall
{
  /** The images, as for CudaConnectedComponentLabeler::Label(). */
  CudaConnectedComponentImageView input;

  /** What is written to the output. The default is labels. MaskBits is not possible. */
  CudaConnectedComponentsEnums::Output kind = CudaConnectedComponentsEnums::Output::Labels;

  /** The output: as for Label(), or as for Mask() and Fill(). Not used if `kind` is None. */
  CudaConnectedComponentImageView output;

  /** The value of background pixels in labels, the value outside for FilledOutside, or the value inside for
   * FilledInside. */
  CudaConnectedComponentImageView::Value value = 0;

  /** Gets the numbers of the call. Null if they are not wanted. */
  CudaConnectedComponentStatus * status = nullptr;

  /** Gets the number of components of each image, after the selection. Null if they are not wanted. */
  std::uint64_t * componentCounts = nullptr;

  /** Gets the measurements of the components. */
  CudaConnectedComponentDeviceTable table;

  /** The number of runs for which there is memory. A run is a sequence of adjacent foreground pixels of a row. With
   * full connectivity, 2 rows of a plane or 2 x 2 rows of a volume count as one row, unless the images are small: then
   * each row counts. In labeling by value, a run has one value; with it, and with 18 neighbors, each row
   * counts. `runCount` of an earlier call with the same options, for images of the same size and number, with a
   * reserve, is a good value. If there are more runs, the output is as for images without foreground; so an output that
   * is the input is lost. The default is 0: the most runs that the images can have. */
  std::uint64_t runCapacity = 0;
};

} // namespace itk

#endif
