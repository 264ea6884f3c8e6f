// SPDX-License-Identifier: Apache-2.0
#ifndef CudaConnectedComponentsDetail_RelabelImages_h
#define CudaConnectedComponentsDetail_RelabelImages_h

// The work of CudaRelabelComponentImageFilter, for all pixel types.

#include "CudaConnectedComponentsDetail/ImageAccess.h"
#include "itkMultiThreaderBase.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

/** Gives new labels to the objects of a label image: counts the pixels of each label, assigns new labels by size, and
 * writes them. Call the functions in this order. An image of more than 3 dimensions is a series of volumes. */
class CudaConnectedComponents_EXPORT RelabelImages
{
public:
  /** Uses the threads of a multi-threader. It must exist as long as the object. */
  RelabelImages(MultiThreaderBase * threader, std::uint64_t workUnits);
  ~RelabelImages();
  RelabelImages(const RelabelImages &) = delete;
  RelabelImages & operator=(const RelabelImages &) = delete;

  /** Counts the pixels of each label of an image of integers.
   * \param mayStoreRuns whether the output has the region of the input, so that the input need not be read again */
  void CountPixels(const std::vector<ImageView> & input, bool mayStoreRuns);

  /** Returns the number of objects that CountPixels() has found. */
  std::uint64_t GetOriginalNumberOfObjects() const;

  /** Assigns the new labels, and returns the sizes of the objects by new label.
   * \param outputType the pixel type of the output: integers, float or double
   * \param sizes gets the number of pixels of each object
   * \return the number of objects in the output
   * \exception CudaConnectedComponentError there are more objects than the maximum of the output's pixel type */
  std::uint64_t AssignLabels(bool                                    sortBySize,
                             std::uint64_t                           minimumSize,
                             CudaConnectedComponentsEnums::PixelType outputType,
                             std::vector<SizeValueType> &            sizes);

  /** Writes the new labels. The output may be the memory of the input.
   * \param input a region of the image of CountPixels()
   * \param isUntouched whether nobody has written to the memory of the output */
  void Write(const std::vector<ImageView> & input, const std::vector<ImageView> & output, bool isUntouched) const;

private:
  class Implementation;
  template <typename TLabel>
  class ImplementationOf;
  std::unique_ptr<Implementation> m_Implementation;
  MultiThreaderBase *             m_Threader;
  std::uint64_t                   m_WorkUnits;
};

} // namespace CudaConnectedComponentsDetail
} // namespace itk

#endif
