// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_Request_h
#define ccl_algorithms_Request_h

// The part of a labeling call that all algorithms share.

#include "primitives/Foreground.h"
#include "primitives/LabelValues.h"
#include "primitives/RowGroups.h"
#include "primitives/Sums.h"
#include "primitives/Tuning.h"

#include "itkCudaConnectedComponentImageView.h"
#include "itkCudaConnectedComponentSelection.h"
#include "itkCudaConnectedComponentTable.h"
#include "itkCudaConnectedComponentsEnums.h"

#include <cstdint>
#include <limits>

namespace itk::ccl
{

using OutputKind = CudaConnectedComponentsEnums::Output;

/** The size of the images to label, and the options of the call. */
struct Request
{
  Grid                                    size;       // of one image, in pixels
  std::uint64_t                           images = 1; // number of images
  CudaConnectedComponentsEnums::Algorithm algorithm = CudaConnectedComponentsEnums::Algorithm::Automatic;
  Neighbors                               neighbors = Neighbors::Face;
  bool                                    isByValue = false;         // whether components have one value
  CudaConnectedComponentImageView         values;                    // the images, for labeling by value
  bool                                    inlineCompression = false; // for published algorithms: see InlineCompress()
  Foreground                              foreground;                // of pixels in device memory
  bool                                    isComplement = false;      // whether the other pixels are the foreground
  CudaConnectedComponentImageView         mask; // its pixels that are 0 are background; see WantsMask()
  LabelValues                             labelValues;
  CudaConnectedComponentSelection         selection;
  CudaConnectedComponentTable::Columns    columns;            // of the table
  bool                                    wantsTable = false; // whether the caller gets a table
  OutputKind                              output = OutputKind::None;
  std::uint64_t                           fillValue = 0; // of filled images: bit pattern of a pixel
  CudaConnectedComponentImageView         intensities;   // for the table; without pixels if not wanted
  bool wantsValues = false; // whether the caller gets what the values of pixels are; only for pixels that are not 0

  /** Returns whether there is something to label. */
  bool
  HasPixels() const
  {
    return size.Count() != 0 && images != 0;
  }

  /** Calls visitor(TRowGroup{}) with the kind of row group for images whose runs a device labels, and whose bits the
   * host packs. Returns its result. */
  template <typename TVisitor>
  auto
  VisitPackedRowGroup(const TVisitor & visitor) const
  {
    return isByValue ? visitor(ValueRow{}) : VisitRowGroup(size, neighbors, visitor);
  }

  /** Returns a limit of the indices of pixels and runs. Single rows have no higher ones than other row groups. Very
   * long images whose sums of products need 128 bits are rare, and kernels for them take time to compile. So they have
   * the highest limit. */
  std::uint64_t
  GetIndexLimit() const
  {
    if (columns.products && !AreSumsNarrow(size, true))
    {
      return std::numeric_limits<std::uint64_t>::max();
    }
    return this->VisitPackedRowGroup(
      [this](auto group) { return BitCountOf(StackOf<decltype(group)>(size, images).GetGrid()); });
  }

  /** Calls visitor(TRowGroup{}) with the kind of row group for images in device memory. Returns its result. Small
   * images have single rows. */
  template <typename TVisitor>
  auto
  VisitDeviceRowGroup(const TVisitor & visitor) const
  {
    const std::uint64_t limit = size.z == 1 ? Tuning::SingleRowPlanePixels : Tuning::SingleRowVolumePixels;
    const bool          isSmall = size.Count() <= limit / images;
    return isSmall && !isByValue ? visitor(SingleRow{}) : this->VisitPackedRowGroup(visitor);
  }

  /** Calls visitor(TRowGroup{}) with the kind of row group for the host. Returns its result. Adjacency by row needs
   * single rows. In volumes with full connectivity, it pays for labels only: groups of 2 x 2 rows have fewer runs to
   * measure.
   */
  template <typename TVisitor>
  auto
  VisitHostRowGroup(const TVisitor & visitor) const
  {
    const bool hasRowGroups = size.z > 1 && neighbors == Neighbors::Full && !this->NeedsOnlyLabels();
    return hasRowGroups || isByValue ? this->VisitPackedRowGroup(visitor) : visitor(SingleRow{});
  }

  /** Returns whether components are measured before the labels are written. */
  bool
  NeedsAnalysis() const
  {
    const bool hasColumns = columns.pixelCounts || columns.boundingBoxes || columns.sums || columns.products ||
                            columns.firstPixels || columns.faces || columns.values;
    return (wantsTable && hasColumns) || !selection.IsDefault();
  }

  /** Returns whether the ranks of runs are used for labels alone. */
  bool
  NeedsOnlyLabels() const
  {
    return output == OutputKind::Labels && !this->NeedsAnalysis() && !this->WantsIntensities();
  }

  /** Returns whether there is a mask. */
  bool
  WantsMask() const
  {
    return mask.pixels != nullptr || mask.Count() > 0;
  }

  /** Returns whether the table has intensities. */
  bool
  WantsIntensities() const
  {
    return intensities.pixels != nullptr;
  }
};

} // namespace itk::ccl

#endif
