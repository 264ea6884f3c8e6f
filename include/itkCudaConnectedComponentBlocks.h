// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentBlocks_h
#define itkCudaConnectedComponentBlocks_h

#include "itkCudaConnectedComponentBlock.h"
#include "itkCudaConnectedComponentLabeler.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk
{

/** \class CudaConnectedComponentBlocks
 * \brief Labels an image in blocks, with the labels and the table of the uncut image.
 *
 * The blocks are those of a grid: cuts along x, y and z, at any distances. Each step is a function of its arguments
 * alone, so a program can run the steps in other processes and on other machines:
 *
 * -# Label() labels each block alone.
 * -# Join() finds which components of two neighboring blocks are connected. FindNeighbors() says which blocks are
 * neighbors.
 * -# Merge() makes one block of several ones, and labels its components. If it is the whole image, the labels are
 * final. Otherwise the result is a block like any other, and can be merged with its neighbors.
 * -# Compose() follows the labels of a block through the steps of several merges.
 * -# Expand() lists the labels of all components of a block, and Relabel() writes them to its pixels. It replaces the
 * labels that Label() has written, or labels the block again if Label() has written none.
 *
 * The labeler uses the GPU. Without one, set its option `onHost`: see CudaConnectedComponentLabeler.
 *
 * \code
 * using Blocks = itk::CudaConnectedComponentBlocks;
 * std::vector<Blocks::BlockType> blocks;
 * for (const auto & [origin, size] : boxes)
 * {
 *   const auto region = labels.Region(origin, size);
 *   blocks.push_back(Blocks::Label(labeler, image.Region(origin, size), region, origin, image.size));
 * }
 * std::vector<Blocks::SeamType> seams;
 * for (const auto & [a, b] : Blocks::FindNeighbors(blocks))
 * {
 *   seams.push_back(Blocks::Join(blocks[a], blocks[b]));
 * }
 * const auto merged = Blocks::Merge(blocks, seams);
 * for (std::size_t i = 0; i < blocks.size(); ++i)
 * {
 *   const auto region = labels.Region(blocks[i].origin, blocks[i].size);
 *   Blocks::Relabel(region, region, Blocks::Expand(blocks[i], merged.labels[i]));
 * }
 * \endcode
 *
 * \par Tables
 * AddRows() adds the rows of a block to the table of several blocks. All columns are integers, so the result is that of
 * the uncut image. Select() applies a selection to the table of the whole image.
 *
 * \par Floating-point intensities
 * Each pixel is rounded to a unit that depends on the highest magnitude in its component. So Label() and AddRows() give
 * only `pixelCounts`, `minimums` and `maximums`. Then MeasureIntensities() adds the pixels of each block, AddRows()
 * adds these sums, and FinishIntensities() makes all columns of the uncut image of them:
 *
 * \code
 * CudaConnectedComponentTable sums;
 * for (std::size_t i = 0; i < blocks.size(); ++i) // before Relabel()
 * {
 *   const auto rows = Blocks::MeasureIntensities(labelsOf(i), intensitiesOf(i), newLabels[i], table);
 *   Blocks::AddRows(rows, newLabels[i], table.componentCount, sums);
 * }
 * Blocks::FinishIntensities(sums, table);
 * \endcode
 *
 * \par Limits
 * A block has at most 2^40 pixels, and fewer than 2^32 - 1 components. The whole image has at most 2^62
 * pixels, and the sum of the squares of its coordinates must be below 2^128: 10^15 pixels are possible in any shape
 * whose sides are below 2^38.
 *
 * \par Errors
 * The functions throw CudaConnectedComponentError (InvalidArgument) if arguments do not fit each other, also if they
 * were damaged between processes: no function reads or writes outside its arguments. They throw std::bad_alloc if there
 * is too little memory.
 *
 * \par Thread safety
 * Any number of threads may call the functions at the same time, if no two calls write the same memory.
 *
 * \sa CudaConnectedComponentLabeler
 *
 * \ingroup CudaConnectedComponents
 */
class CudaConnectedComponents_EXPORT CudaConnectedComponentBlocks
{
public:
  /** A block. */
  using BlockType = CudaConnectedComponentBlock;
  /** The connections of two blocks. */
  using SeamType = CudaConnectedComponentBlock::Seam;
  /** The labels of the components of a block. */
  using LabelsType = CudaConnectedComponentBlock::Labels;
  /** Numbers of pixels along x, y and z, or the index of a pixel. */
  using SizeType = CudaConnectedComponentBlock::SizeType;
  /** A view of the pixels of a block. */
  using ViewType = CudaConnectedComponentImageView;
  /** The orders of the labels. */
  using OrderEnum = CudaConnectedComponentsEnums::BlockOrder;
  /** The types of pixels. */
  using PixelTypeEnum = CudaConnectedComponentsEnums::PixelType;

  /** \class Merged
   * \brief Several blocks as one block.
   * \ingroup CudaConnectedComponents */
  struct Merged
  {
    /** The box of the blocks. It has faces if all blocks have them, and no table. `firstPixels` is empty if this is the
     * whole image, or if a block has none. */
    BlockType block;
    /** The labels that the components of each block have in `block`. */
    std::vector<LabelsType> labels;
  };

  /** Labels a block alone.
   *
   * \param labeler the labeler, with its options: the connectivity, `byValue`, the columns of the table and so on.
   * `mask` and `intensities` are views of the pixels of the block. The selection must be the default: see Select().
   * \param input the pixels of the block, in host memory
   * \param output gets the label of each pixel in the block: 0 for the background, and 1, 2, 3 and so on. As for
   * CudaConnectedComponentLabeler::Label(). If it has no memory, no labels are written: see Relabel().
   * \param origin the index of the first pixel of the block in the whole image
   * \param imageSize the size of the whole image
   * \return the block
   * \exception CudaConnectedComponentError see the description of the class, and CudaConnectedComponentLabeler::Label()
   */
  static BlockType Label(const CudaConnectedComponentLabeler & labeler,
                         const ViewType &                      input,
                         const ViewType &                      output,
                         const SizeType &                      origin,
                         const SizeType &                      imageSize);

  /** Finds the blocks that have a common face, edge or corner.
   * \param blocks blocks of one grid, in any order. Only their origins and sizes are read. Blocks without pixels have
   * no neighbors.
   * \return the positions of each two neighbors in `blocks` */
  static std::vector<std::array<std::size_t, 2>> FindNeighbors(const std::vector<BlockType> & blocks);

  /** Finds which components of two blocks are connected.
   * \param a a block with faces
   * \param b a block with faces, beside `a`
   * \return the connections
   * \exception CudaConnectedComponentError see the description of the class */
  static SeamType Join(const BlockType & a, const BlockType & b);

  /** Makes one block of several blocks, and labels its components.
   * \param blocks the blocks, in any order. They fill a box. Their faces are needed if the result needs faces.
   * \param seams the connections of all neighbors among them, in any order. Blocks whose pixels cannot be neighbors, at
   * edges or corners for some connectivities, need no seam; the others need one, also if it has no pairs.
   * \param order the order of the labels. Use one order in all steps. Merge() cannot check this for slabs along z.
   * \return the block, and the labels of the components of each of the blocks
   * \exception CudaConnectedComponentError see the description of the class */
  static Merged Merge(const std::vector<BlockType> & blocks,
                      const std::vector<SeamType> &  seams,
                      OrderEnum                      order = OrderEnum::FirstPixel);

  /** Returns the labels of all components of a block.
   * \param block the block; only the components at its border are read
   * \param labels the labels that Merge() has returned for it
   * \return the label of each component
   * \exception CudaConnectedComponentError see the description of the class */
  static std::vector<std::uint64_t> Expand(const BlockType & block, const LabelsType & labels);

  /** Returns the labels of a block in the whole image, after blocks were merged in steps. They are small if those of
   * the merged block are: only components at the border of a block have labels of their own.
   * \param block one of the blocks that were merged; only the components at its border are read
   * \param labels the labels that Merge() returned for it
   * \param merged the block that Merge() returned; only the components at its border are read
   * \param labelsOfMerged its labels in the image: those that Merge() or Compose() returned for it. A default object,
   * whose labels count from 1, is for the whole image.
   * \return the labels of the components of `block` in the image
   * \exception CudaConnectedComponentError see the description of the class */
  static LabelsType Compose(
    const BlockType & block, const LabelsType & labels, const BlockType & merged, const LabelsType & labelsOfMerged);

  /** Replaces the labels of the pixels of a block. The background stays 0.
   * \param labels the labels that Label() has written
   * \param output gets the new labels, in host memory. It may be `labels`; then the call cannot be repeated. It must
   * not overlap them otherwise.
   * \param newLabels the new label of each component of the block; 0 for the background
   * \param parallelFor as in CudaConnectedComponentLabeler::Options; may be empty
   * \exception CudaConnectedComponentError see the description of the class. TooManyObjects: a label is greater than
   * the maximum of the output's type. No pixel has changed then. */
  static void Relabel(const ViewType &                                       labels,
                      const ViewType &                                       output,
                      const std::vector<std::uint64_t> &                     newLabels,
                      const CudaConnectedComponentLabeler::ParallelForType & parallelFor = {});

  /** Labels a block again, and writes its labels in the whole image. So Label() need not write labels.
   * \param labeler the labeler of Label(). Its columns, its intensities and `reportValues` have no effect.
   * `wholeValues` is possible.
   * \param input the pixels of the block, as for Label()
   * \param output gets the new labels, in host memory. It must not overlap the input.
   * \param newLabels the new label of each component of the block; 0 for the background
   * \exception CudaConnectedComponentError see the description of the class, and
   * CudaConnectedComponentLabeler::Label(). InvalidArgument: the block has another number of components than
   * `newLabels`, because its pixels have changed. TooManyObjects: a label is greater than the maximum of the output's
   * type. No pixel has changed in both cases. */
  static void Relabel(const CudaConnectedComponentLabeler & labeler,
                      const ViewType &                      input,
                      const ViewType &                      output,
                      const std::vector<std::uint64_t> &    newLabels);

  /** Adds the rows of a block to the table of several blocks. A block that is added twice counts twice.
   * \param rows the table of the block
   * \param labels the label of each component of the block; its row in the other table is the label - 1. Components
   * with the label 0 are left out.
   * \param componentCount the number of rows of the other table, such as `componentCount` of the merged block
   * \param table gets the rows. It is empty before the first block is added.
   * \exception CudaConnectedComponentError see the description of the class. The table has not changed then. */
  static void AddRows(const CudaConnectedComponentTable & rows,
                      const std::vector<std::uint64_t> &  labels,
                      std::uint64_t                       componentCount,
                      CudaConnectedComponentTable &       table);

  /** Adds the floating-point intensities of a block: the second pass over its pixels.
   * \param labels the labels that Label() has written
   * \param intensities the intensities of the block, in host memory: float or double
   * \param newLabels the label of each component of the block, as for AddRows()
   * \param table the table with these labels; only the ranges of the intensities are read: all blocks have been added
   * \param parallelFor as in CudaConnectedComponentLabeler::Options; may be empty
   * \return a table with a row for each component of the block, for AddRows(). It has intensities only: `exactSums` and
   * `exactSumsOfSquares` in units that belong to the component, and the number of pixels that are not NaN.
   * \exception CudaConnectedComponentError see the description of the class */
  static CudaConnectedComponentTable MeasureIntensities(
    const ViewType &                                       labels,
    const ViewType &                                       intensities,
    const std::vector<std::uint64_t> &                     newLabels,
    const CudaConnectedComponentTable &                    table,
    const CudaConnectedComponentLabeler::ParallelForType & parallelFor = {});

  /** Makes all columns of floating-point intensities.
   * \param sums the rows of MeasureIntensities() of all blocks, added up. If pixels of a component are missing, its
   * sums are NaN, as if these pixels were NaN.
   * \param table the table that MeasureIntensities() has read; gets the columns
   * \exception CudaConnectedComponentError see the description of the class. The table has not changed then. */
  static void FinishIntensities(const CudaConnectedComponentTable & sums, CudaConnectedComponentTable & table);

  /** Applies a selection to the components of the whole image.
   * \param table the table of the whole image. It must have the columns that the selection reads: `pixelCounts`,
   * `boundingBoxes` for a condition on the border, and `values` for conditions for values.
   * \param imageSize the size of the whole image
   * \param selection the selection, in raster order
   * \param labelsOfSeeds the label of the pixel of each seed of the selection, in their order; 0 in the background
   * \param valueType in labeling by value, the type of the pixels that the values of the table belong to
   * \return the new label of each row: 0 if the component is not selected, else 1, 2, 3 and so on
   * \exception CudaConnectedComponentError see the description of the class */
  static std::vector<std::uint64_t> Select(const CudaConnectedComponentTable &     table,
                                           const SizeType &                        imageSize,
                                           const CudaConnectedComponentSelection & selection,
                                           const std::vector<std::uint64_t> &      labelsOfSeeds = {},
                                           PixelTypeEnum                           valueType = PixelTypeEnum::UInt8);
};

} // namespace itk

#endif
