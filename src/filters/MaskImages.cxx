// SPDX-License-Identifier: Apache-2.0
#include "CudaConnectedComponentsDetail/MaskImages.h"

#include "executors/host/HostMemory.h"
#include "executors/host/ParallelFor.h"
#include "primitives/Grid.h"
#include "primitives/ImageRows.h"

#include <algorithm>
#include <array>
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
class MaskRows
{
public:
  MaskRows(const MaskImages & images, std::size_t volume)
    : m_Input(images.inputs[volume])
    , m_Output(images.outputs[volume])
    , m_IsForeground(Foreground::EqualTo(m_Input.type, images.foreground))
    , m_WordCount(ccl::DivideUp(m_Input.size[0], ccl::BitsPerWord))
    , m_RowCount(m_Input.Count() == 0 ? 0 : m_Input.size[1] * m_Input.size[2])
    , m_IsZero(images.isUntouched && this->IsCleared())
    , m_AreBinary(m_RowCount, 0)
  {}

  std::uint64_t
  GetCount() const
  {
    return m_RowCount;
  }

  /** Returns whether all bytes of the output were 0 before the first row. */
  bool
  IsZero() const
  {
    return m_IsZero;
  }

  /** Packs the pixels of objects in a row of the input. Notes whether all other pixels have the bytes of `other`. */
  void
  Pack(std::uint64_t row, std::uint64_t other, Word * words)
  {
    m_AreBinary[row] = ccl::PackBinaryRowOf(m_Input, row, m_IsForeground, other, words);
  }

  /** Returns whether the other pixels of a row had the bytes of `other`. Such a row need not be read again. */
  bool
  IsBinary(std::uint64_t row) const
  {
    return m_AreBinary[row] != 0;
  }

  void
  Copy(std::uint64_t row) const
  {
    ccl::CopyRowOf(m_Input, m_Output, row);
  }

  void
  Fill(std::uint64_t row, std::uint64_t value) const
  {
    ccl::FillRowOf(m_Output, row, value);
  }

  /** Sets the pixels of a row whose bits are 1. */
  void
  Set(std::uint64_t row, const Word * words, std::uint64_t value) const
  {
    ccl::SetPixelsOf(m_Output, row, words, value);
  }

  /** Copies a row. Pixels of objects become `value`. */
  void
  CopyAndReplace(std::uint64_t row, std::uint64_t value) const
  {
    std::vector<Word> words(m_WordCount);
    ccl::PackRowOf(m_Input, row, m_IsForeground, words.data());
    this->Copy(row);
    this->Set(row, words.data(), value);
  }

  /** Calls visitRow(row, words) for each row, with bits that are 0, as if no component was selected. */
  template <typename TVisitor>
  void
  VisitWithoutBits(const CudaConnectedComponentLabeler & labeler, const TVisitor & visitRow) const
  {
    const std::vector<Word> words(m_WordCount, 0);
    ccl::CheckedFor(labeler.options.parallelFor)(m_RowCount, [&](std::uint64_t row) { visitRow(row, words.data()); });
  }

private:
  bool
  IsCleared() const
  {
    if (m_RowCount == 0)
    {
      return false;
    }
    // First the check, because it writes to a page. The request for huge pages must come before the first write.
    const std::uint64_t bytes = m_Output.Count() * ccl::SizeOf(m_Output.type);
    const bool          isCleared = ccl::ClearUntouched(m_Output.pixels, bytes);
    ccl::AdviseHugePages(m_Output.pixels, bytes);
    return isCleared;
  }

  ImageView                  m_Input;
  ImageView                  m_Output;
  Foreground                 m_IsForeground;
  std::uint64_t              m_WordCount;
  std::uint64_t              m_RowCount;
  bool                       m_IsZero;
  std::vector<unsigned char> m_AreBinary; // for each row
};

/** The rows of a mask whose objects are removed. Pixels that belong to no object keep their values. */
class KeptRows
{
public:
  KeptRows(const MaskImages & images, std::size_t volume)
    : m_Images(images)
    , m_Rows(images, volume)
    , m_HasBackground(m_Rows.IsZero() && images.background == 0)
  {}

  CudaConnectedComponentLabeler::RowPackerType
  GetPacker()
  {
    return [this](std::uint64_t row, Word * words) { m_Rows.Pack(row, m_Images.background, words); };
  }

  /** Returns a function that writes a row. The bits tell which pixels belong to objects that are kept. */
  CudaConnectedComponentLabeler::MaskRowVisitorType
  GetWriter() const
  {
    return [this](std::uint64_t row, const Word * words) {
      if (!m_Rows.IsBinary(row))
      {
        m_Rows.CopyAndReplace(row, m_Images.background);
      }
      else if (!m_HasBackground)
      {
        m_Rows.Fill(row, m_Images.background);
      }
      m_Rows.Set(row, words, m_Images.foreground);
    };
  }

  const MaskRows &
  GetRows() const
  {
    return m_Rows;
  }

private:
  const MaskImages & m_Images;
  MaskRows           m_Rows;
  bool               m_HasBackground; // whether the output has the background value already
};

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

void
KeepSelectedObjects(const CudaConnectedComponentLabeler & labeler, const MaskImages & images)
{
  KeptRows rows(images, 0);
  labeler.MaskPackedRows(rows.GetPacker(), images.inputs.front().size, rows.GetWriter());
}

void
RemoveAllObjects(const CudaConnectedComponentLabeler & labeler, const MaskImages & images)
{
  for (std::size_t volume = 0; volume < images.inputs.size(); ++volume)
  {
    const KeptRows rows(images, volume);
    rows.GetRows().VisitWithoutBits(labeler, rows.GetWriter());
  }
}

void
KeepObjectsOfLabelMap(CudaConnectedComponentLabeler & labeler,
                      const MaskImages &              images,
                      std::uint64_t                   number,
                      bool                            areSmallest)
{
  KeptRows     rows(images, 0);
  const auto & size = images.inputs.front().size;
  const auto   report = labeler.options.progress;
  labeler.options.progress = [&report](float progress) { report(progress / 2); };
  labeler.options.columns.firstPixels = true;
  const CudaConnectedComponentTable table = labeler.MeasurePackedRows(rows.GetPacker(), size);
  labeler.options.selection.seeds = FindKeptObjects(table, size, number, areSmallest);
  labeler.options.progress = [&report](float progress) { report((1 + progress) / 2); };
  labeler.MaskPackedRows(rows.GetPacker(), size, rows.GetWriter());
}

void
FillHoles(CudaConnectedComponentLabeler & labeler, const MaskImages & images, bool canHaveHoles)
{
  // ITK writes the foreground value to all pixels that equal it, and 0.0 if the value is -0.0.
  const ccl::PixelType type = images.inputs.front().type;
  const bool           isZero = ccl::IsFloat(type) && Foreground::EqualTo(type, 0).Contains(type, images.foreground);
  const std::uint64_t  foreground = isZero ? 0 : images.foreground;
  for (std::size_t volume = 0; volume < images.inputs.size(); ++volume)
  {
    // Untouched pages of the output need no memory, so rows of zeros are not copied.
    MaskRows                   rows(images, volume);
    std::vector<unsigned char> areZero(rows.GetCount(), 0);
    const auto &               size = images.inputs[volume].size;
    const std::size_t          wordCount = ccl::DivideUp(size[0], ccl::BitsPerWord);
    const auto                 packRow = [&](std::uint64_t row, Word * words) {
      rows.Pack(row, 0, words);
      areZero[row] = rows.IsBinary(row) && std::all_of(words, words + wordCount, [](Word word) { return word == 0; });
    };
    const auto visitRow = [&](std::uint64_t row, const Word * words) {
      if (isZero)
      {
        rows.CopyAndReplace(row, foreground);
      }
      else if (!(rows.IsZero() && areZero[row]))
      {
        rows.Copy(row);
      }
      rows.Set(row, words, foreground);
    };
    if (canHaveHoles)
    {
      labeler.options.complement = true;
      labeler.options.selection.border = CudaConnectedComponentSelection::Border::NotTouching;
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
