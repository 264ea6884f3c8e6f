// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_RelabelImages_h
#define CudaConnectedComponentsDetail_RelabelImages_h

// The work of CudaRelabelComponentImageFilter, for all pixel types.

#include "CudaConnectedComponentsDetail/ImageAccess.h"
#include "itkMultiThreaderBase.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** The image that gets the new labels. */
struct RelabelOutput
{
  std::vector<ImageView> input;       // the region of the output
  std::vector<ImageView> output;      // may be the memory of the input
  bool                   isUntouched; // whether nobody has written to the memory of the output
};

/** A label image whose objects get new labels. An image of more than 3 dimensions is a series of volumes. */
struct RelabelTask
{
  MultiThreaderBase *                     threader;
  std::uint64_t                           workUnits;
  std::vector<ImageView>                  input;
  bool                                    mayStoreRuns; // whether the output has the region of the input
  bool                                    sortBySize;
  std::uint64_t                           minimumSize;
  CudaConnectedComponentsEnums::PixelType outputType; // integers, float or double

  /** Called with the number of objects in the input, when the pixels have been counted. */
  std::function<void(std::uint64_t number)> setOriginalNumber;

  /** Called when the sizes are known. */
  std::function<RelabelOutput()> prepareOutput;
};

/** Gives new labels to the objects of a label image: counts the pixels of each label, assigns new labels by size, and
 * writes them.
 * \param sizes gets the number of pixels of each object in the output
 * \exception CudaConnectedComponentError there are more objects than the maximum of the output's pixel type */
CudaConnectedComponents_EXPORT void
Relabel(const RelabelTask & task, std::vector<SizeValueType> & sizes);

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
