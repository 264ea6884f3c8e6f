// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentBlock_h
#define itkCudaConnectedComponentBlock_h

#include "itkCudaConnectedComponentTable.h"
#include "itkCudaConnectedComponentsEnums.h"

#include <array>
#include <cstdint>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentBlock
 * \brief The components of a block of an image that is too large to be labeled at once.
 *
 * A block is a box of pixels. It knows its place in the whole image, the components that were found in it alone, and
 * what other blocks need to know of its border. It does not have its labels. All members are numbers and arrays of
 * numbers, so a block can be stored or sent to another process.
 *
 * The components of a block have positions from 0 on, in the order of their labels in the block. The label of a
 * component is its position + 1.
 *
 * \sa CudaConnectedComponentBlocks
 *
 * \ingroup CudaConnectedComponents
 */
struct CudaConnectedComponentBlock
{
  /** Numbers of pixels along x, y and z, or the index of a pixel. */
  using SizeType = std::array<std::uint64_t, 3>;

  /** \class Seam
   * \brief Which components of two neighboring blocks are connected.
   * \ingroup CudaConnectedComponents */
  struct Seam
  {
    /** The origins of the two blocks. */
    std::array<SizeType, 2> origins{};
    /** Components of the first and of the second block that are connected: their positions in `borderComponents`. Pairs
     * that follow from other pairs are left out. */
    std::vector<std::array<std::uint32_t, 2>> pairs;
  };

  /** \class Labels
   * \brief The labels of the components of a block in several blocks together. They count from 1.
   * \ingroup CudaConnectedComponents */
  struct Labels
  {
    /** The first label of the components that start in this block, if they have consecutive labels: in the order Block,
     * and for slabs along z. Otherwise it means nothing. */
    std::uint64_t begin = 1;
    /** The label of each component in `borderComponents`. */
    std::vector<std::uint64_t> border;
    /** The label of each other component. If it is empty, and there are such components, the components that start in
     * this block have consecutive labels from `begin` on. */
    std::vector<std::uint64_t> interior;
  };

  /** The index of the first pixel of the block in the whole image. */
  SizeType origin{};

  /** The size of the block. */
  SizeType size{};

  /** The size of the whole image. */
  SizeType imageSize{};

  /** The number of neighbors of a pixel in the whole image: 4, 8, 6, 18 or 26. */
  unsigned int connectivity = 0;

  /** In labeling by value, the type of the pixels, which `borderValues` belong to. */
  CudaConnectedComponentsEnums::PixelType valueType = CudaConnectedComponentsEnums::PixelType::UInt8;

  /** The number of components. */
  std::uint64_t componentCount = 0;

  /** The raster index of the first pixel of each component in the whole image: x + imageSize[0] * (y + imageSize[1] *
   * z). It is ascending. Needed for the order FirstPixel only, and not for slabs along z; otherwise it may be empty. */
  std::vector<std::uint64_t> firstPixels;

  /** The components with pixels in `faces`, in ascending order. */
  std::vector<std::uint64_t> borderComponents;

  /** In labeling by value, the value of each component in `borderComponents`; otherwise empty. */
  std::vector<std::uint64_t> borderValues;

  /** The outermost pixels of the block towards lower x, higher x, lower y, higher y, lower z and higher z. A pixel is 0
   * for the background, or 1 + the position of its component in `borderComponents`. Pixels that are NaN are background
   * here, because NaN equals nothing. The lowest of the other two axes is the fastest. A face at the border of the
   * whole image is empty. If the seams of the block are known, all faces may be empty. */
  std::array<std::vector<std::uint32_t>, 6> faces;

  /** The rows of the components in the columns that were asked for. All indices are those of the whole image. */
  CudaConnectedComponentTable table;
};

} // namespace itk

#endif
