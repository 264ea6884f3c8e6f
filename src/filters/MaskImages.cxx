// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/MaskImages.h"

#include "executors/host/HostMemory.h"
#include "executors/host/ParallelFor.h"
#include "primitives/Grid.h"
#include "primitives/ImageRows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <vector>

namespace itk
{
namespace CudaConnectedComponentsDetail
{

namespace
{

using ccl::Foreground;
using ccl::Word;

/** The rows of a mask and of its copy. Several threads may work on different rows at the same time. */
struct MaskRows
{
  ImageView                  input;
  ImageView                  output;
  Foreground                 isForeground;
  std::uint64_t              wordCount; // of a row
  std::uint64_t              rowCount;
  bool                       isOutputZero; // whether all bytes of the output were 0 before the first row
  std::vector<unsigned char> areBinary;    // for each row, whether all pixels outside of objects have the same bytes

  MaskRows(const MaskImages & images, std::size_t volume)
    : input(images.inputs[volume])
    , output(images.outputs[volume])
    , isForeground(Foreground::EqualTo(input.type, images.foreground))
    , wordCount(ccl::DivideUp(input.size[0], ccl::BitsPerWord))
    , rowCount(input.Count() == 0 ? 0 : input.size[1] * input.size[2])
    , isOutputZero(false)
    , areBinary(rowCount, 0)
  {
    if (images.isUntouched && rowCount > 0)
    {
      isOutputZero = ccl::PrepareUntouched(output.pixels, output.Count() * ccl::SizeOf(output.type));
    }
  }

  /** Packs the pixels of objects in a row of the input. Notes whether all other pixels have the bytes of `other`. Then
   * the row need not be read again. */
  void
  Pack(std::uint64_t row, std::uint64_t other, Word * words)
  {
    areBinary[row] = ccl::PackBinaryRowOf(input, row, isForeground, other, words);
  }

  /** Copies a row. Pixels of objects become `value`. */
  void
  CopyAndReplace(std::uint64_t row, std::uint64_t value) const
  {
    std::vector<Word> words(wordCount);
    ccl::PackRowOf(input, row, isForeground, words.data());
    ccl::CopyRowOf(input, output, row);
    ccl::SetPixelsOf(output, row, words.data(), value);
  }

  /** Calls visitRow(row, words) for each row, with bits that are 0, as if no component was selected. */
  template <typename TVisitor>
  void
  VisitWithoutBits(const CudaConnectedComponentLabeler & labeler, const TVisitor & visitRow) const
  {
    const std::vector<Word> words(wordCount, 0);
    ccl::CheckedFor(labeler.options.parallelFor)(rowCount, [&](std::uint64_t row) { visitRow(row, words.data()); });
  }
};

/** Returns a function that packs the objects of a row, for WriterOf(). */
CudaConnectedComponentLabeler::RowPackerType
PackerOf(const MaskImages & images, MaskRows & rows)
{
  return [&images, &rows](std::uint64_t row, Word * words) { rows.Pack(row, images.background, words); };
}

/** Returns a function that writes a row. The bits tell which pixels belong to objects that are kept. Pixels that belong
 * to no object keep their values. */
CudaConnectedComponentLabeler::MaskRowVisitorType
WriterOf(const MaskImages & images, const MaskRows & rows)
{
  return [&images, &rows](std::uint64_t row, const Word * words) {
    if (rows.areBinary[row] == 0)
    {
      rows.CopyAndReplace(row, images.background);
    }
    else if (!rows.isOutputZero || images.background != 0)
    {
      ccl::FillRowOf(rows.output, row, images.background);
    }
    ccl::SetPixelsOf(rows.output, row, words, images.foreground);
  };
}

/** Returns the first pixel of each object to keep. Without seeds, all objects are kept. */
std::vector<std::array<std::uint64_t, 3>>
FindKeptObjects(const CudaConnectedComponentTable &             table,
                const CudaConnectedComponentLabeler::SizeType & size,
                std::uint64_t                                   number,
                bool                                            areSmallest)
{
  if (number >= table.componentCount)
  {
    return {};
  }
  // ShapeKeepNObjectsLabelMapFilter of ITK calls the same function with objects in the same order. So the function also
  // keeps the same objects if several have the same size.
  std::vector<std::uint64_t> objects(table.componentCount);
  std::iota(objects.begin(), objects.end(), 0);
  const auto   end = objects.begin() + static_cast<std::ptrdiff_t>(number);
  const auto & sizes = table.pixelCounts;
  std::nth_element(objects.begin(), end, objects.end(), [&sizes, areSmallest](std::uint64_t a, std::uint64_t b) {
    return areSmallest ? sizes[a] < sizes[b] : sizes[a] > sizes[b];
  });
  std::vector<std::array<std::uint64_t, 3>> seeds;
  std::transform(objects.begin(), end, std::back_inserter(seeds), [&table, &size](std::uint64_t object) {
    const std::uint64_t pixel = table.firstPixels[object];
    const std::uint64_t row = pixel / size[0];
    return std::array<std::uint64_t, 3>{ { pixel % size[0], row % size[1], row / size[1] } };
  });
  return seeds;
}

} // namespace

KeptObjects
KeptBySize(double lambda, bool isMaximum)
{
  using Rule = KeptObjects::Rule;
  constexpr auto limit = static_cast<double>(std::uint64_t{ 1 } << 63); // no object has as many pixels
  KeptObjects    kept;
  if (std::isnan(lambda) || (isMaximum ? lambda >= limit : lambda <= 1))
  {
    kept.rule = Rule::All;
  }
  else if (isMaximum ? lambda < 1 : lambda >= limit)
  {
    kept.rule = Rule::None;
  }
  else
  {
    kept.rule = Rule::Selected;
    auto & size = isMaximum ? kept.selection.maximumSize : kept.selection.minimumSize;
    size = static_cast<std::uint64_t>(isMaximum ? std::floor(lambda) : std::ceil(lambda));
  }
  return kept;
}

KeptObjects
KeptByBorder(double lambda, bool isMaximum, bool hasInterior)
{
  using BorderEnum = CudaConnectedComponentSelection::BorderEnum;
  using Rule = KeptObjects::Rule;
  KeptObjects kept;
  if (std::isnan(lambda) || (!isMaximum && lambda <= 0))
  {
    kept.rule = Rule::All;
  }
  else if (isMaximum && lambda < 0)
  {
    kept.rule = Rule::None;
  }
  else if (isMaximum ? lambda >= 1 : lambda > 1)
  {
    kept.rule = Rule::OnlyByITK;
  }
  else if (hasInterior)
  {
    kept.rule = Rule::Selected;
    kept.selection.border = isMaximum ? BorderEnum::NotTouching : BorderEnum::Touching;
  }
  else
  {
    kept.rule = isMaximum ? Rule::None : Rule::All;
  }
  return kept;
}

void
KeepObjects(CudaConnectedComponentLabeler & labeler, const MaskImages & images, const KeptObjects & kept)
{
  labeler.options.selection = kept.selection;
  for (std::size_t volume = 0; volume < images.inputs.size(); ++volume)
  {
    MaskRows rows(images, volume);
    if (kept.rule == KeptObjects::Rule::All)
    {
      ccl::CheckedFor(labeler.options.parallelFor)(
        rows.rowCount, [&](std::uint64_t row) { rows.CopyAndReplace(row, images.foreground); });
    }
    else if (kept.rule == KeptObjects::Rule::Selected && rows.rowCount > 0)
    {
      labeler.MaskPackedRows(PackerOf(images, rows), images.inputs[volume].size, WriterOf(images, rows));
    }
    else
    {
      rows.VisitWithoutBits(labeler, WriterOf(images, rows));
    }
  }
}

void
KeepObjectsAsITK(CudaConnectedComponentLabeler & labeler,
                 const MaskImages &              images,
                 std::uint64_t                   number,
                 bool                            areSmallest)
{
  MaskRows     rows(images, 0);
  const auto & size = images.inputs.front().size;
  const auto   report = labeler.options.progress;
  labeler.options.progress = [&report](float progress) { report(progress / 2); };
  labeler.options.columns.firstPixels = true;
  const CudaConnectedComponentTable table = labeler.MeasurePackedRows(PackerOf(images, rows), size);
  labeler.options.selection.seeds = FindKeptObjects(table, size, number, areSmallest);
  labeler.options.progress = [&report](float progress) { report((1 + progress) / 2); };
  labeler.MaskPackedRows(PackerOf(images, rows), size, WriterOf(images, rows));
}

void
FillHoles(CudaConnectedComponentLabeler & labeler, const MaskImages & images, bool canHaveHoles)
{
  // ITK writes the foreground value to all pixels that equal it, and 0.0 if the value is -0.0.
  const ccl::PixelType type = images.inputs.front().type;
  const bool isForegroundZero = ccl::IsFloat(type) && Foreground::EqualTo(type, 0).Contains(type, images.foreground);
  const std::uint64_t foreground = isForegroundZero ? 0 : images.foreground;
  for (std::size_t volume = 0; volume < images.inputs.size(); ++volume)
  {
    // Untouched pages of the output need no memory, so rows of zeros are not copied.
    MaskRows                   rows(images, volume);
    std::vector<unsigned char> areZero(rows.rowCount, 0);
    const auto &               size = images.inputs[volume].size;
    const auto                 packRow = [&](std::uint64_t row, Word * words) {
      rows.Pack(row, 0, words);
      areZero[row] =
        rows.areBinary[row] && std::all_of(words, words + rows.wordCount, [](Word word) { return word == 0; });
    };
    const auto visitRow = [&](std::uint64_t row, const Word * words) {
      if (isForegroundZero)
      {
        rows.CopyAndReplace(row, foreground);
      }
      else if (!(rows.isOutputZero && areZero[row]))
      {
        ccl::CopyRowOf(rows.input, rows.output, row);
      }
      ccl::SetPixelsOf(rows.output, row, words, foreground);
    };
    if (canHaveHoles)
    {
      labeler.options.complement = true;
      labeler.options.selection.border = CudaConnectedComponentSelection::BorderEnum::NotTouching;
      labeler.MaskPackedRows(packRow, size, visitRow);
    }
    else
    {
      rows.VisitWithoutBits(labeler, visitRow);
    }
  }
}

} // namespace CudaConnectedComponentsDetail
} // namespace itk
