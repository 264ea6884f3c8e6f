// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_algorithms_Request_h
#define ccl_algorithms_Request_h

// The part of a labeling call that all algorithms share.

#include "primitives/Grid.h"
#include "primitives/LabelValues.h"

#include "itkCudaConnectedComponentSelection.h"
#include "itkCudaConnectedComponentTable.h"
#include "itkCudaConnectedComponentsEnums.h"

namespace itk::ccl
{

/** The size of the image to label, and the options of the call. */
struct Request
{
  Grid                                    size; // in pixels
  CudaConnectedComponentsEnums::Algorithm algorithm;
  bool                                    fullyConnected;    // else face connectivity
  bool                                    inlineCompression; // for published algorithms: see InlineCompress()
  LabelValues                             labelValues;
  CudaConnectedComponentSelection         selection;
  CudaConnectedComponentTable::Columns    columns;     // of the table
  bool                                    wantsTable;  // whether the caller gets a table
  bool                                    wantsLabels; // whether the labels are written

  /** Returns whether components are measured before the labels are written. */
  bool
  NeedsAnalysis() const
  {
    return wantsTable || !wantsLabels || !selection.IsDefault();
  }

  /** Returns the labels that runs get when they are united. If components are selected later, these are ranks. */
  LabelValues
  LabelValuesOfRuns() const
  {
    return selection.IsDefault() ? labelValues : LabelValues::Ranks();
  }
};

} // namespace itk::ccl

#endif
