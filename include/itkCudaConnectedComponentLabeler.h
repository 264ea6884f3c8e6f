// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentLabeler_h
#define itkCudaConnectedComponentLabeler_h

#include "itkCudaConnectedComponentAllocator.h"
#include "itkCudaConnectedComponentDeviceCall.h"
#include "itkCudaConnectedComponentError.h"
#include "itkCudaConnectedComponentForeground.h"
#include "itkCudaConnectedComponentImageView.h"
#include "itkCudaConnectedComponentValueSummary.h"
#include "itkCudaConnectedComponentSelection.h"
#include "itkCudaConnectedComponentTable.h"
#include "itkCudaConnectedComponentsEnums.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentLabeler
 * \brief Labels, measures and selects connected components, with CUDA or on the host, without ITK images.
 *
 * The class works from device memory to device memory, or from host memory to host memory:
 *
 * \code
 * using View = itk::CudaConnectedComponentImageView;
 * const View::SizeType               size{ 512, 512, 300 };
 * itk::CudaConnectedComponentLabeler labeler;
 * labeler.options.fullyConnected = true;
 * const std::uint64_t objects = labeler.Label(View::OnDevice(mask, size), View::OnDevice(labels, size));
 * \endcode
 *
 * \par Images
 * A CudaConnectedComponentImageView describes an image: its memory, pixel type, size and strides. Sizes are
 * { x, y, z } in pixels. A plane has 1 pixel along z. An image has at most 2^40 pixels. An image may have 0 pixels.
 * Then the functions read and write no pixels, and return 0.
 *
 * \par
 * Input and output of a call are both in host memory or both in device memory. The caller owns both. Images in device
 * memory must be memory of the device that `options.deviceId` selects, or managed memory of CUDA. In host memory, the
 * input may have any strides. In device memory, the input may have any strides that are multiples of the pixel size;
 * images whose pixels of a row are adjacent are read fastest. The pixels of a row of the labels must be adjacent. The
 * addresses of images in device memory and of labels must be multiples of the pixel size.
 *
 * \par Foreground
 * Pixels that are not 0 are foreground. NaN is foreground, and -0.0 is background. `options.foreground` chooses other
 * pixels: those with given values, or in a range. `options.complement` takes all others instead. Where `options.mask`
 * is 0, there is background in any case. Functions that take packed rows do not use `options.foreground`.
 *
 * \par Labels
 * The labels equal the labels of itk::ConnectedComponentImageFilter. The order of the labels is the order of the first
 * pixels of the components: x fastest, then y, then z, whatever the strides are. If the background value is 0, the
 * labels are 1, 2, 3 and so on. Otherwise they are 0, 1, 2 and so on, without the background value.
 * `options.connectivity` and `options.byValue` label what ITK's filter does not: 18 neighbors, and regions of equal
 * values.
 *
 * \par Selection and measurement
 * `options.selection` chooses components by size, border and seeds, and the order of their labels. The other components
 * become background, and only the labels of the chosen components must fit the output's type. A
 * CudaConnectedComponentTable in host memory holds the size, bounding box and other measurements of each component.
 * Measure() with a function that makes a table, and Enqueue(), write columns in device memory.
 * The functions that label fill a table in the same call, and Measure() fills a table without labels:
 *
 * \code
 * labeler.options.selection.minimumSize = 10;
 * labeler.options.columns.boundingBoxes = true;
 * const itk::CudaConnectedComponentTable table = labeler.Measure(View::Of(mask, { 512, 512, 300 }));
 * \endcode
 *
 * \par Batches
 * If a view is a batch, one call labels all of its images. Each image has components, labels and selections of its own:
 * for example, its own largest component, and its own pixels of seeds. Batches of many small images take much less time
 * than a call for each. Batches are labeled by `Automatic`, whatever `options.algorithm` is.
 *
 * \par Streams and graphs
 * Enqueue() does the same work in device memory without waiting, with memory of the caller, and in CUDA graphs.
 *
 * \par Masks
 * Mask() keeps the pixels of the chosen components, and Fill() overwrites them. They make no image of labels.
 * MaskPackedRows() and VisitRunsOfPackedRows() give the chosen components to the caller row by row.
 *
 * \par Errors
 * The functions throw CudaConnectedComponentError. Its GetKind() returns the cause. They throw std::bad_alloc if the
 * host has too little memory for `new`. Exceptions of `options.progress`, and of functions that the caller provides to
 * read the pixels, reach the caller unchanged. After an exception, the contents of the output are undefined, with one
 * promise: an output that is also read (it is the input, the mask or the intensities) is unchanged if there is too
 * little memory (kind Memory, std::bad_alloc), because memory is allocated before the output is written. The table of a
 * call on device memory is the exception: it takes host memory after the output has been written.
 *
 * \par
 * Functions that use a device may clear the error that cudaGetLastError() would return on the calling thread, because
 * some functions of CUDA report it as their own. CUDA cannot restore it. So check for errors of your own kernels before
 * the call.
 *
 * \par
 * If CUDA fails to start on a device, the next calls for this device fail at once for 1 s. After each further failure,
 * this time is twice as long, up to 64 s.
 *
 * \par Thread safety
 * Any number of threads may call the functions at the same time, on different labelers or on the same labeler. No
 * thread may change the options of a labeler that another thread uses. If threads share a labeler, they call the
 * functions in its options at the same time.
 *
 * \par Memory
 * A labeler stores only its options. Streams and cached memory belong to the process, and serve all labelers. The first
 * call on a device starts CUDA there and creates them. The start takes some tenths of a second. Loading the
 * library does not start CUDA. Each call restores the CUDA device that was current on the calling thread. Device memory
 * for work on images in device memory comes from `options.allocator`, if it is set, but for small work that its
 * `smallestBytes` leaves to the library.
 *
 * \sa CudaConnectedComponentImageFilter for ITK images
 * \sa CudaConnectedComponentError
 *
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentLabeler
{
public:
  /** The algorithms. */
  using AlgorithmEnum = CudaConnectedComponentsEnums::Algorithm;

  /** The size of an image in pixels: x, y and z. Each element may be 0. The product must not exceed 2^40. */
  using SizeType = std::array<std::uint64_t, 3>;

  /** A parallel loop that the caller provides.
   *
   * The loop calls body(i) once for each i from 0 to count - 1. The order is arbitrary, and so is the number of
   * threads. The loop must not return or throw before all calls have ended. `body` is valid only until the loop
   * returns.
   *
   * The bodies of the labeler do not throw. If a RowPackerType throws, the labeler stores the first exception. It
   * throws the exception on the calling thread after the loop has returned. The labeler counts the calls. If their
   * number is not `count`, the labeler throws CudaConnectedComponentError (InvalidArgument). */
  using ParallelForType = std::function<void(std::uint64_t count, const std::function<void(std::uint64_t)> & body)>;

  /** A function that the caller provides to pack one row of pixels to bits. It may throw.
   *
   * `row` is y + (size along y) * (z + (size along z) * image). `words` is an array of (size along x + 31) / 32
   * elements that belongs to the labeler. Its contents are undefined before the call. The function must write all
   * elements: bit x % 32 of words[x / 32] is 1 if pixel x is foreground, and 0 otherwise. Bits after the end of the row
   * must be 0; otherwise the labels are undefined.
   *
   * The labeler calls the function once for each row, in any order. If an exception ends the labeling, it leaves out
   * rows. The calls come from the threads of `options.parallelFor` at the same time, or from the calling thread.
   *
   * \sa PackRow(), PackBits() */
  using RowPackerType = std::function<void(std::uint64_t row, std::uint32_t * words)>;

  /** A function that the caller provides to use one row of a mask. It may throw.
   *
   * `row` is as for a RowPackerType. `words` is an array of (size along x + 31) / 32 elements that belongs to the
   * labeler, and is valid only during the call: bit x % 32 of words[x / 32] is 1 if pixel x belongs to a selected
   * component, and 0 otherwise. Bits after the end of the row are 0.
   *
   * The labeler calls the function once for each row, in any order, after it has read all rows of the input. The calls
   * come from the threads of `options.parallelFor` at the same time, or from the calling thread.
   *
   * \sa ForEachRange() */
  using MaskRowVisitorType = std::function<void(std::uint64_t row, const std::uint32_t * words)>;

  /** \class Run
   * \brief Neighboring pixels of a row that belong to a selected component.
   * \ingroup CudaConnectedComponents */
  struct Run
  {
    /** The x of the first pixel. */
    std::uint64_t begin;
    /** The x of the last pixel + 1. */
    std::uint64_t end;
    /** The component: 0 for the first label, 1 for the second. It is the row of the component in a table. */
    std::uint64_t component;
  };

  /** A function that the caller provides to use the runs of one row. It may throw.
   *
   * `row` is as for a RowPackerType. `runs` has the runs from left to right. Neighboring runs do not touch. The labeler
   * calls the function as it calls a MaskRowVisitorType, also for rows without runs. */
  using RunVisitorType = std::function<void(std::uint64_t row, std::vector<Run> runs)>;

  /** \class Options
   * \brief The settings of a labeler. Options that a function does not use have no effect on it.
   * \ingroup CudaConnectedComponents */
  struct Options
  {
    /** The algorithm on the device. The default is Automatic. BlockUnionFind and BlockKomuraEquivalence need full
     * connectivity (`fullyConnected`, or a `connectivity` of 8 or 26); otherwise all functions that label throw
     * CudaConnectedComponentError (InvalidArgument). */
    AlgorithmEnum algorithm = AlgorithmEnum::Automatic;

    /** The connectivity: true for full connectivity (8 neighbors in a plane, 26 in a volume), false for face
     * connectivity (4 or 6). The default is false. */
    bool fullyConnected = false;

    /** The number of neighbors of a pixel: 4 or 8 in a plane; 6, 18 (pixels that share a face or an edge) or 26 in a
     * volume. The default is 0: `fullyConnected` decides. Another number wins over `fullyConnected`. A volume of one
     * slice is labeled as a plane: 6 means 4, and 18 and 26 mean 8. For other numbers, and for 18 with a published
     * algorithm, functions that label throw CudaConnectedComponentError (InvalidArgument). */
    unsigned int connectivity = 0;

    /** Whether neighbors are connected only if their values are equal, so that each component has one value, as in
     * images of classes. The default is false: all foreground is connected. Floating-point numbers are compared as in
     * C++: 0.0 equals -0.0, and each pixel that is NaN is a component. All bytes of bool that are not 0 are equal.
     *
     * The pixels that are not 0 are labeled. For another background, set `foreground` to EqualTo() of its value and
     * `complement`; for no background, AnyOf({}) and `complement`. Functions that take packed rows, and published
     * algorithms, cannot label by value: an InvalidArgument. A word of 32 pixels may have 32 runs. So the most memory
     * of a call is about three times that of a mask, plus the values of the runs. */
    bool byValue = false;

    /** Whether all pixels of an image that have one value are one component, connected or not, as the labels of an
     * image of labels. The default is false. It needs `byValue`; the connectivity has no effect. */
    bool wholeValues = false;

    /** The pixels that are foreground, for functions that read an image. The default is the pixels that are not 0. */
    CudaConnectedComponentForeground foreground;

    /** Whether the foreground is the background, and the background is the foreground: by default, the pixels that are
     * 0 (also -0.0) are the foreground then. The default is false. */
    bool complement = false;

    /** A second image. Where it is 0 (also -0.0), the pixels of the input are background, as with the mask image of
     * itk::ConnectedComponentImageFilter. `complement` does not change this. The default is no image: null pixels, and
     * a size of 0. Functions that take packed rows use it, too. It must have the size of the input and as many images,
     * and be in the same memory. Its pixel type and its strides may differ from those of the input. It is read before
     * the output is written, so it may be the memory of the output. In device memory, its address and its strides must
     * be multiples of the pixel size. Anything else is an InvalidArgument. */
    CudaConnectedComponentImageView mask;

    /** Whether BlockUnionFind and BlockKomuraEquivalence use inline compression. The default is true. The labels do not
     * depend on it. Other algorithms do not use it. */
    bool inlineCompression = true;

    /** The number of the CUDA device, from 0 to the number of devices - 1. The default is -1: the current device of the
     * calling thread. For other numbers, the functions throw CudaConnectedComponentError (Unavailable). */
    int deviceId = -1;

    /** Device memory only: the cudaStream_t on which all work is ordered. The default is null: CUDA's legacy default
     * stream, also in a program that is compiled with a default stream for each thread, which is cudaStreamPerThread.
     * The stream must belong to the device that `deviceId` selects, and must exist during the call; otherwise the
     * behavior is undefined. The caller owns the stream. The functions that wait throw CudaConnectedComponentError
     * (InvalidArgument) if the stream captures a graph. They and Enqueue() throw it if this is the legacy default
     * stream, and another stream that waits for the default stream captures. The capture stays valid, if it did not
     * begin during the call. */
    void * stream = nullptr;

    /** Device memory only: the functions that allocate device memory for the work on `stream`. The default is no
     * functions: a memory pool of the process, see the description of the class. Set both functions or none; otherwise
     * functions that use the allocator throw CudaConnectedComponentError (InvalidArgument). */
    CudaConnectedComponentAllocator allocator;

    /** A function that gets a summary of the values of the input's pixels, for advice to a user. Label(), Mask(),
     * Fill() and Measure() call it once, on the calling thread, after the pixels have been read. They do not call it if
     * `foreground` or `mask` chooses the pixels, if the pixels are bool, or if they throw. The default is an empty
     * function: the summary then costs nothing. Otherwise, reading the pixels takes somewhat longer. */
    std::function<void(const CudaConnectedComponentValueSummary &)> reportValues;

    /** A function that reports progress. The default is an empty function: no reports. The labeler calls it between the
     * stages of the work, on the calling thread. The argument is the share of the work that is done, from 0 to 1. The
     * function may throw to abort the work. */
    std::function<void(float)> progress;

    /** Host memory only: the loop that runs the work of the host. The default is an empty
     * function: the work runs on the calling thread. */
    ParallelForType parallelFor;

    /** The functions that write to host memory only: whether the output is new memory of the process's heap, to which
     * nobody has written since its allocation. The default is false. Do not set it for other memory, such as mapped
     * files: the background could be wrong.
     *
     * If true, the labeler asks the system for huge pages. It may also return pages of the output to the system, which
     * provides them again filled with 0. If the background value is 0, the labeler then does not write the background.
     * Pages without foreground use no memory until somebody writes to them. For new memory, labeling takes two to three
     * times as long without this option, because the system provides each page separately. */
    bool outputIsUntouched = false;

    /** Host memory only: whether the host does all work. The default is false. If true, the
     * functions do not use a device or start CUDA. They label by union-find on runs, for all values of `algorithm`. */
    bool onHost = false;

    /** Host memory only: the most bytes of device memory that a call may use, with the memory that the library keeps
     * for the next calls. Images that need more than half of it, and all images below a limit of 64 MiB, go through the
     * device in slabs: the labels, masks and tables are the same. The default is 0: the limit of the process, see
     * SetDeviceMemoryLimit(). If the device has too little memory without a limit, the images go through it in slabs,
     * too, unless `algorithm` is a published one. With a limit, RunUnionFind labels, whatever `algorithm` is. If a
     * single slice (or a row of a plane) needs more, or with `wholeValues` the image, the functions throw
     * CudaConnectedComponentError (Memory). Calls at the same time have this limit each. Memory of CUDA itself, and
     * images in device memory, have no limit. */
    std::uint64_t deviceMemoryLimit = 0;

    /** Host memory only: a function that gets the number of slabs, if the images go through the device in slabs. It is
     * called once, on the calling thread, before the first slab. The default is an empty function. */
    std::function<void(std::uint64_t slabs)> reportSlabs;

    /** The components that get labels and rows of the table, and their order. The default selects all components. */
    CudaConnectedComponentSelection selection;

    /** The columns of the tables. The default is the number of pixels only. Enqueue() measures the columns that are not
     * null in its table instead. */
    CudaConnectedComponentTable::Columns columns;

    /** A second image, whose pixels are measured for the tables. The default is no image: null pixels. It must have the
     * size of the input, and the pixels of a row must be adjacent. It must be in device memory for functions that read
     * device memory, and otherwise in host memory. It is measured before the output is written, so it may be the memory
     * of the output. Anything else is an InvalidArgument. So is an address or a stride that is not a multiple of the
     * pixel size, and rows or slices that overlap. */
    CudaConnectedComponentImageView intensities;
  };

  /** The settings that the next calls use. */
  Options options;

  /** Labels an image. If the images are in device memory, the function waits for `options.stream`: when it returns, the
   * labels have been written. If they are in host memory, the host packs the pixels to bits, the device labels the
   * runs, and the host writes the labels to the pixels. With `options.onHost`, the host does all work.
   *
   * \param input the pixels, of any type. In device memory, strides must be multiples of the pixel size.
   * \param output the labels: integers, not bool; of the size and with the images of `input`, in the same memory, and
   * with adjacent pixels in each row. It must not overlap `input`; the function does not check this, and the labels
   * would be undefined.
   * \param backgroundValue the value of background pixels in the output, converted to std::uint64_t
   * \param table gets the measurements of the objects in `options.columns`, unless it is null
   * \return the number of objects that have labels, in all images. The table has the number of each image.
   * \exception CudaConnectedComponentError see the description of the class. InvalidArgument: the images do not fit
   * each other. TooManyObjects: more objects of an image are selected than the maximum of the output's pixel type. */
  std::uint64_t Label(const CudaConnectedComponentImageView & input,
                      const CudaConnectedComponentImageView & output,
                      std::uint64_t                           backgroundValue = 0,
                      CudaConnectedComponentTable * table = nullptr) const;

  /** A function that the caller provides to make memory for labels in device memory. Returns the address of the first
   * label, a multiple of the size of a label. The labels have the size and the images of the input, x varies fastest,
   * and there are no gaps. The address may be null if there are no pixels. */
  using LabelMakerType = std::function<void *()>;

  /** Labels an image in device memory, and need not wait for the labels: the function may return as soon as the number
   * of objects is known. The labels are complete after the work of `options.stream`. Their memory must exist until
   * then, also after an exception. The input and the mask are not read after the return. `options.reportValues`, and
   * `options.progress` with 1, are called when the number is known. For batches, large images and selections that sort,
   * the function waits for the labels.
   *
   * \param input as for Label(), in device memory
   * \param labelType the type of the labels: an integer, not bool. The background is 0.
   * \param makeLabels the function that makes the memory of the labels; not empty. The labeler calls it at most once,
   * on the calling thread, while the device works. The device is current then, and the stream may use the memory at
   * once. If it throws, the exception reaches the caller.
   * \return the number of objects that have labels, in all images
   * \exception CudaConnectedComponentError as for Label() */
  std::uint64_t Label(const CudaConnectedComponentImageView &        input,
                      CudaConnectedComponentImageView::PixelTypeEnum labelType,
                      const LabelMakerType &                         makeLabels) const;

  /** Writes an image without the components that are not selected: pixels of selected components keep their value, and
   * all other pixels get another value. No image of labels is made. With `options.complement`, the selected components
   * may have the value 0, so `outside` should differ from 0.
   *
   * \param input as for Label()
   * \param output an image of the type and the size of `input`, in the same memory. It may be `input`; otherwise, the
   * two must not overlap. In device memory, both must have no gaps.
   * \param outside the value of all other pixels
   * \param table as for Label()
   * \return the number of selected components
   * \exception CudaConnectedComponentError as for Label(). InvalidArgument: no pixel of the type has the value, such as
   * 300 for UInt8. */
  std::uint64_t Mask(const CudaConnectedComponentImageView & input,
                     const CudaConnectedComponentImageView & output,
                     CudaConnectedComponentImageView::Value  outside = 0,
                     CudaConnectedComponentTable * table = nullptr) const
  {
    return this->WriteFilled(input, output, outside, OutputKind::FilledOutside, table);
  }

  /** Writes an image with filled components: pixels of selected components get a value, and all other pixels keep their
   * value. With `options.complement` and BorderEnum::NotTouching, this fills the holes of a mask.
   *
   * \param input as for Mask()
   * \param output as for Mask()
   * \param inside the value of the pixels of selected components
   * \param table as for Label()
   * \return the number of selected components
   * \exception CudaConnectedComponentError as for Mask() */
  std::uint64_t Fill(const CudaConnectedComponentImageView & input,
                     const CudaConnectedComponentImageView & output,
                     CudaConnectedComponentImageView::Value  inside,
                     CudaConnectedComponentTable *           table = nullptr) const
  {
    return this->WriteFilled(input, output, inside, OutputKind::FilledInside, table);
  }

  /** Fills the holes of each value of an image of classes, all found in the input. A hole of a value is a component of
   * the pixels that do not have this value, if it does not touch the border of the image; axes of one pixel have no
   * border. If holes of several values overlap, the smallest hole wins. If two are equally large, the value that comes
   * first in the image wins. The values are those of the foreground; holes of the background, and of NaN, are not
   * filled.
   *
   * Of the options, `foreground`, `complement` and those of host and device are used. `connectivity` and
   * `fullyConnected` are those of the pixels of a hole.
   *
   * \param input as for Mask(), in host memory
   * \param output as for Mask()
   * \param overwritesValues whether all pixels of a hole get the value. If false, those of the background get it, and
   * pixels of other values stay.
   * \param maximumSize holes with more pixels stay
   * \return the number of pixels that have changed
   * \exception CudaConnectedComponentError as for Mask(). InvalidArgument: there is `options.mask`. */
  std::uint64_t FillHolesOfValues(const CudaConnectedComponentImageView & input,
                                  const CudaConnectedComponentImageView & output,
                                  bool                                    overwritesValues = false,
                                  std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max()) const;

  /** Measures the components of an image, without labels. Nothing is written for each pixel.
   *
   * \param input as for Label()
   * \return a row for each component of `options.selection`, with the columns of `options.columns`
   * \exception CudaConnectedComponentError as for Label() */
  CudaConnectedComponentTable Measure(const CudaConnectedComponentImageView & input) const;

  /** A function that the caller provides to make a table in device memory. The argument is the number of components,
   * which may be 0. The columns of the table have this number of rows or more. */
  using TableMakerType = std::function<CudaConnectedComponentDeviceTable(std::uint64_t components)>;

  /** Measures the components of an image in device memory, and writes the measurements to columns in device memory. The
   * columns are complete after the work of `options.stream`.
   *
   * \param input as for Label(), in device memory
   * \param makeTable the function that makes the table; not empty. The labeler calls it once. If it throws, the
   * exception reaches the caller. A column that is not in `options.columns` is an InvalidArgument; ends need
   * `columns.boundingBoxes`, and means need `columns.sums`.
   * \return the number of components of `options.selection`
   * \exception CudaConnectedComponentError as for Label() */
  std::uint64_t Measure(const CudaConnectedComponentImageView & input, const TableMakerType & makeTable) const;

  /** Labels an image whose rows the caller packs to bits, and writes the labels to host memory. The function does the
   * same as Label(), but reads the image through `packRow`.
   *
   * \param packRow the function that packs one row; not empty. The labeler calls it only during this call.
   * \param output the labels, in host memory: integers, not bool. The size of the image is the size of the output.
   * \param backgroundValue as for Label()
   * \param table as for Label()
   * \return the number of objects that have labels
   * \exception CudaConnectedComponentError as for Label() */
  std::uint64_t LabelPackedRows(const RowPackerType &                   packRow,
                                const CudaConnectedComponentImageView & output,
                                std::uint64_t                           backgroundValue = 0,
                                CudaConnectedComponentTable * table = nullptr) const;

  /** Selects components of an image whose rows the caller packs to bits, and passes the rows of their mask to the
   * caller.
   *
   * \param packRow as for LabelPackedRows()
   * \param size the numbers of pixels along x, y and z
   * \param visitRow the function that uses one row of the mask; not empty. The labeler calls it only during this call.
   * \param table as for Label()
   * \param images the number of images
   * \return the number of selected components
   * \exception CudaConnectedComponentError see the description of the class */
  std::uint64_t MaskPackedRows(const RowPackerType &         packRow,
                               const SizeType &              size,
                               const MaskRowVisitorType &    visitRow,
                               CudaConnectedComponentTable * table = nullptr,
                               std::uint64_t                 images = 1) const;

  /** Selects components of an image whose rows the caller packs to bits, and passes their runs to the caller, row by
   * row.
   *
   * \param packRow as for LabelPackedRows()
   * \param size the numbers of pixels along x, y and z
   * \param visitRuns the function that uses the runs of one row; not empty. The labeler calls it only during this call.
   * \param table as for Label()
   * \return the number of selected components
   * \exception CudaConnectedComponentError see the description of the class */
  std::uint64_t VisitRunsOfPackedRows(const RowPackerType &         packRow,
                                      const SizeType &              size,
                                      const RunVisitorType &        visitRuns,
                                      CudaConnectedComponentTable * table = nullptr) const;

  /** Measures the components of an image whose rows the caller packs to bits, without labels.
   *
   * \param packRow as for LabelPackedRows()
   * \param size the numbers of pixels along x, y and z
   * \param images the number of images
   * \return a row for each component of `options.selection`, with the columns of `options.columns`
   * \exception CudaConnectedComponentError see the description of the class */
  CudaConnectedComponentTable MeasurePackedRows(
    const RowPackerType & packRow, const SizeType & size, std::uint64_t images = 1) const;

  /** Returns the size of the workspace that Enqueue() needs for a call. It depends on the options, on the sizes and the
   * types of the call, on which columns are not null, and on `runCapacity`. Pixels must not be null; otherwise
   * addresses do not matter. Starts the device only if the selection sorts: the memory for a sort depends on the
   * device. Smaller or fewer images may need more memory, because another method labels small images; so ask for each
   * size.
   * \param call the arguments
   * \return the number of bytes; 0 if this build has no CUDA
   * \exception CudaConnectedComponentError InvalidArgument: Enqueue() would throw it, too. Unavailable, Cuda: the
   * selection sorts, and the device cannot be used. */
  std::uint64_t GetWorkspaceSize(const CudaConnectedComponentDeviceCall & call) const;

  /** Starts the device and loads the kernels that Enqueue() needs for a call, so that a graph can capture the first
   * Enqueue() of a process. Calls for images of another size may need other kernels. May allocate memory of the
   * process, and wait. Do not call it during a capture.
   * \param call the arguments
   * \exception CudaConnectedComponentError as for Enqueue() */
  void Prepare(const CudaConnectedComponentDeviceCall & call) const;

  /** Enqueues the work of Label(), Mask(), Fill() or Measure() on `options.stream`, and returns at once. The results
   * lie in device memory of the caller after the work of the stream. The function allocates no device memory, and does
   * not wait. The stream may capture a graph; each launch of the graph then works on the pixels that the input has at
   * this time. All memory of the call must exist until then.
   *
   * Selections that sort take time for the most possible components: `numberOfLargest` above 1, the order by size and
   * PixelOrderEnum::TransposedRaster. So state a `runCapacity` for them. `intensities` and algorithms other than
   * Automatic are not possible. `progress` is not called.
   *
   * \param call the arguments. If something does not fit, the status says so; memory outside the output is not touched.
   * \param workspace device memory that the call uses alone, aligned to 256 bytes. Two calls may use the same
   * workspace if they are on the same stream.
   * \param workspaceSize the number of bytes of the workspace, at least GetWorkspaceSize()
   * \exception CudaConnectedComponentError InvalidArgument: a selection that is not possible, a workspace that is too
   * small, the default stream while another stream captures, or as for the other functions. Nothing has been enqueued
   * then, unless CUDA reports an error. */
  void Enqueue(const CudaConnectedComponentDeviceCall & call, void * workspace, std::uint64_t workspaceSize) const;

  /** Does the same with a workspace from `options.allocator`, which it frees before it returns. If the stream captures
   * a graph, the allocator must keep the memory as long as the graph exists, as PyTorch does for its graphs; otherwise
   * use the other function.
   * \param call the arguments
   * \exception CudaConnectedComponentError as for the other Enqueue(). InvalidArgument: there is no allocator. Memory:
   * the allocator has returned null. */
  void Enqueue(const CudaConnectedComponentDeviceCall & call) const;

  /** Packs pixels to bits: sets the bits of the pixels that differ from `TPixel{}`, and clears the other bits up to the
   * end of the last word. The caller owns both arrays.
   * \tparam TPixel any type with a comparison `pixel != TPixel{}`. If the comparison throws, the exception reaches the
   * caller.
   * \param pixels array of `count` pixels in host memory
   * \param count number of pixels; may be 0
   * \param words array of (count + 31) / 32 elements; pixel i is bit i % 32 of element i / 32 */
  template <typename TPixel>
  static void PackRow(const TPixel * pixels, std::uint64_t count, std::uint32_t * words)
  {
    if constexpr (IsViewed<TPixel>)
    {
      PackViewedRow(ViewType::Of(pixels, { count, 1, 1 }), words);
    }
    else
    {
      PackBits(count, words, [pixels](std::uint64_t i) { return pixels[i] != TPixel{}; });
    }
  }

  /** Packs the results of a function to bits: sets bit i if isForeground(i) is true, and clears the other bits up to
   * the end of the last word. Calls isForeground(i) once for each i from 0 to count - 1, in this order.
   * \tparam TFunction type of a function that takes a std::uint64_t and returns a bool
   * \param count number of pixels; may be 0
   * \param words array of (count + 31) / 32 elements that the caller owns; pixel i is bit i % 32 of element i / 32
   * \param isForeground the function. If it throws, the exception reaches the caller. */
  template <typename TFunction>
  static void PackBits(std::uint64_t count, std::uint32_t * words, const TFunction & isForeground)
  {
    std::fill_n(words, (count + 31) / 32, 0);
    for (std::uint64_t i = 0; i < count; ++i)
    {
      words[i / 32] |= static_cast<std::uint32_t>(isForeground(i)) << i % 32;
    }
  }

  /** Divides a row of a mask into ranges of equal bits, and calls visit(begin, end, isInside) for each range, from left
   * to right.
   * \tparam TFunction type of a function that takes the x of the first pixel, the x of the last pixel + 1, and the bit
   * of the pixels
   * \param words array of (count + 31) / 32 elements; pixel i is bit i % 32 of element i / 32
   * \param count number of pixels; may be 0
   * \param visit the function. If it throws, the exception reaches the caller. */
  template <typename TFunction>
  static void ForEachRange(const std::uint32_t * words, std::uint64_t count, const TFunction & visit)
  {
    for (std::uint64_t begin = 0; begin < count;)
    {
      const bool          isInside = (words[begin / 32] >> begin % 32 & 1U) != 0;
      const std::uint64_t end = FindRangeEnd(words, begin, count);
      visit(begin, end, isInside);
      begin = end;
    }
  }

  /** Returns whether the host labels an image in host memory faster than a device does, because the image is small.
   * Does not use a device.
   * \param size the numbers of pixels along x, y and z
   * \return true if the image has at most 16,384 pixels */
  static bool IsFasterOnHost(const SizeType & size);

  /** Throws an exception if the device that `options.deviceId` selects cannot be used. Starts CUDA on this device.
   * \exception CudaConnectedComponentError the message is the reason */
  void RequireDevice() const;

  /** Sets the limit of device memory of each call whose options have none: see Options::deviceMemoryLimit. The default
   * is the environment variable CUDA_CONNECTED_COMPONENTS_DEVICE_MEMORY_LIMIT, such as 1GiB, as it is when the first
   * call needs it; without the variable, there is no limit. Also calls TrimMemory() if more memory than the limit is
   * held.
   * \param bytes the limit; 0: no limit; std::nullopt: the limit of the variable
   * \exception CudaConnectedComponentError CUDA cannot free memory. The limit is set. */
  static void SetDeviceMemoryLimit(std::optional<std::uint64_t> bytes);

  /** Returns the limit of device memory of each call whose options have none.
   * \return the limit in bytes; 0: no limit
   * \exception CudaConnectedComponentError (InvalidArgument) the environment variable is no number of bytes. Calls that
   * need the limit throw this, too. */
  static std::uint64_t GetDeviceMemoryLimit();

  /** \class HeldMemory
   * \brief The memory that the process holds for labeling: memory in use, and memory that is cached for later calls.
   * \ingroup CudaConnectedComponents */
  struct HeldMemory
  {
    /** Device memory in bytes, the sum of all devices. */
    std::uint64_t deviceBytes = 0;
    /** Pinned host memory in bytes. */
    std::uint64_t pinnedBytes = 0;
  };

  /** Returns how much memory the process holds for labeling. Memory that `options.allocator` allocates does not count.
   * Does not start CUDA.
   *
   * Each call that labels on a device ends with a limit for the memory of this device. The limit is twice the largest
   * amount that was in use at one time during the 16 most recent calls that used such memory. It applies separately to
   * pinned host memory and to device memory. For device memory, it is rounded up to a multiple of 32 MiB.
   *
   * \return the bytes of device memory and of pinned host memory; 0 if this build has no CUDA
   * \exception CudaConnectedComponentError CUDA reports an error */
  static HeldMemory GetHeldMemory();

  /** Releases the memory that is cached for later calls: gives it back to CUDA and the system. Memory in use stays
   * allocated, so other threads may label at the same time. The next call allocates memory again, and takes longer.
   * Does not start CUDA.
   * \exception CudaConnectedComponentError CUDA reports an error */
  static void TrimMemory();

private:
  using ViewType = CudaConnectedComponentImageView;
  using OutputKind = CudaConnectedComponentsEnums::Output;

  /** Whether a view can describe pixels of a type. */
  template <typename T>
  static constexpr bool IsViewed = std::is_arithmetic<T>::value && sizeof(T) <= 8;

  static void          PackViewedRow(const ViewType & row, std::uint32_t * words);
  static std::uint64_t FindRangeEnd(const std::uint32_t * words, std::uint64_t begin, std::uint64_t count);
  std::uint64_t        WriteFilled(const ViewType &              input,
                                   const ViewType &              output,
                                   const ViewType::Value &       value,
                                   OutputKind                    kind,
                                   CudaConnectedComponentTable * table) const;
};

} // namespace itk

#endif
