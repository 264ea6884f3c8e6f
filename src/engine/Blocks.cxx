// SPDX-License-Identifier: Apache-2.0

// Labels the blocks of an image, and replaces their labels.

#include "itkCudaConnectedComponentBlocks.h"

#include "engine/BlockChecks.h"
#include "engine/Calls.h"
#include "engine/LabeledImages.h"
#include "engine/Requests.h"
#include "algorithms/blocks/BlockIntensities.h"
#include "primitives/EqualValues.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace itk
{

using namespace ccl;

namespace
{

/** Returns the number of neighbors of a pixel. Throws CudaConnectedComponentError if the options are not possible. */
unsigned int
ConnectivityOf(const CudaConnectedComponentLabeler::Options & options, const Block::SizeType & imageSize)
{
  const bool isPlane = imageSize[2] <= 1;
  switch (NeighborsOf(options, { imageSize[0], imageSize[1], imageSize[2] }))
  {
    case Neighbors::Face:
      return isPlane ? 4 : 6;
    case Neighbors::Edge:
      return 18;
    default:
      return isPlane ? 8 : 26;
  }
}

/** Throws CudaConnectedComponentError unless a block can be labeled with the options. */
void
RequireBlockOf(const CudaConnectedComponentLabeler::Options & options, const ImageView & input)
{
  RequireIn(ImageView::MemoryEnum::Host, input, "input");
  Require(input.images == 1, "a block is one image, not a batch");
  Require(options.selection.IsDefault(),
          "a block has all of its components: apply the selection to the whole image, by Select()");
  Require(options.byValue || !options.columns.values,
          "options.columns.values needs options.byValue: the components of a mask have no values");
}

/** Returns the values of labels that take the place of others in an output. Throws TooManyObjects if one is too large.
 */
LabelValues
LabelValuesFor(const std::vector<std::uint64_t> & newLabels, const ImageView & output)
{
  LabelValues labelValues = LabelValuesOf(output.type, 0);
  for (const std::uint64_t label : newLabels)
  {
    labelValues.RequireRoomFor(label);
  }
  labelValues.maximumCount = LabelValues::Ranks().maximumCount;
  return labelValues;
}

/** Makes the list of the components with pixels in faces. The faces have the labels of StoreBlockPixels() before, and
 * those of the list afterwards.
 * \param values the value of each component in labeling by value, or empty
 * \param nan the value that equals nothing, if there is one */
void
ListBorder(const std::vector<std::uint64_t> & values, const RunValues & nan, Block & block)
{
  Require(block.componentCount < std::numeric_limits<std::uint32_t>::max(),
          [&block] { return NameOf(block) + " has 2^32 - 1 components or more: take smaller blocks"; });
  // What takes the place of a label in a face: 0 or, at first, 1.
  std::vector<std::uint32_t> faceLabels(block.componentCount + 1, 0);
  for (const auto & face : block.faces)
  {
    for (const std::uint32_t label : face)
    {
      faceLabels[label] = 1;
    }
  }
  faceLabels[0] = 0;
  for (std::uint64_t component = 0; component < block.componentCount; ++component)
  {
    std::uint32_t & label = faceLabels[component + 1];
    if (label != 0 && !values.empty() && nan.IsNaN(values[component]))
    {
      label = 0;
    }
    else if (label != 0)
    {
      block.borderComponents.push_back(component);
      label = static_cast<std::uint32_t>(block.borderComponents.size());
      if (!values.empty())
      {
        block.borderValues.push_back(values[component]);
      }
    }
  }
  for (auto & face : block.faces)
  {
    std::transform(
      face.begin(), face.end(), face.begin(), [&faceLabels](std::uint32_t label) { return faceLabels[label]; });
  }
}

} // namespace

CudaConnectedComponentBlock
CudaConnectedComponentBlocks::Label(const CudaConnectedComponentLabeler & labeler,
                                    const ViewType &                      input,
                                    const ViewType &                      output,
                                    const SizeType &                      origin,
                                    const SizeType &                      imageSize)
{
  const auto & options = labeler.options;
  BlockType    block;
  block.origin = origin;
  block.size = input.size;
  block.imageSize = imageSize;
  RequireBox(block);
  RequireBlockOf(options, input);
  Require(!options.wholeValues, "blocks join neighbors only: options.wholeValues is for a whole image");
  block.connectivity = ConnectivityOf(options, imageSize);
  block.valueType = options.byValue ? input.type : block.valueType;

  const bool isKept = output.pixels != nullptr;
  HostOutput hostOutput;
  hostOutput.block = &block;
  if (isKept)
  {
    RequireSize(output, input.size, 1, "output");
    RequireHostLabels(output);
    hostOutput.labels = output;
  }
  CudaConnectedComponentTable table;
  auto                        blockOptions = options;
  blockOptions.columns = ColumnsOfBlock(options.columns, options.byValue);
  blockOptions.columns.firstPixels = false; // the block has them
  const auto request = RequestFor(blockOptions,
                                  &input,
                                  input.size,
                                  1,
                                  true,
                                  OutputKind::Labels,
                                  isKept ? LabelValuesOf(output.type, 0) : LabelValues::Ranks());
  block.componentCount = LabelHost(blockOptions, input, request, hostOutput, &table);
  ListBorder(table.values, RunValues::Of(input.type, nullptr), block);
  if (IsFloat(options.intensities.type))
  {
    table.intensities = RangesOf(std::move(table.intensities));
  }
  table.firstPixels = std::move(block.firstPixels);
  ShiftRows(block, table);
  block.firstPixels = options.columns.firstPixels ? table.firstPixels : std::move(table.firstPixels);
  RemoveColumns(options.columns, table);
  block.table = std::move(table);
  return block;
}

std::vector<std::uint64_t>
CudaConnectedComponentBlocks::Expand(const BlockType & block, const LabelsType & labels)
{
  RequireConsistent(block);
  const auto &        border = block.borderComponents;
  const std::uint64_t interiorCount = block.componentCount - border.size();
  Require(labels.border.size() == border.size() && (labels.interior.empty() || labels.interior.size() == interiorCount),
          [&] { return "the labels do not belong to " + NameOf(block); });
  RequireListable(block.componentCount);
  std::vector<std::uint64_t> all;
  all.reserve(block.componentCount);
  auto          interior = labels.interior.begin();
  std::uint64_t next = labels.begin;
  for (std::size_t i = 0; i <= border.size(); ++i)
  {
    while (all.size() < (i == border.size() ? block.componentCount : border[i]))
    {
      all.push_back(labels.interior.empty() ? next++ : *interior++);
    }
    if (i < border.size())
    {
      next += labels.border[i] == next ? 1 : 0; // a component that starts here
      all.push_back(labels.border[i]);
    }
  }
  return all;
}

CudaConnectedComponentBlock::Labels
CudaConnectedComponentBlocks::Compose(const BlockType &  block,
                                      const LabelsType & labels,
                                      const BlockType &  merged,
                                      const LabelsType & labelsOfMerged)
{
  RequireConsistent(merged);
  RequireConsistent(block);
  const auto &        border = merged.borderComponents;
  const std::uint64_t interiorCount = block.componentCount - block.borderComponents.size();
  const bool          isConsecutive = labelsOfMerged.interior.empty();
  Require(labelsOfMerged.border.size() == border.size() &&
            (isConsecutive || labelsOfMerged.interior.size() == merged.componentCount - border.size()),
          [&] { return "the labels do not belong to " + NameOf(merged); });
  Require(labels.border.size() == block.borderComponents.size() &&
            (labels.interior.empty() || labels.interior.size() == interiorCount),
          [&] { return "the labels do not belong to " + NameOf(block); });

  // How many of the components at the border before each of them start in the merged block: see Expand().
  std::vector<std::uint64_t> starts{ 0 };
  starts.reserve(border.size() + 1);
  const auto consecutiveLabel = [&](std::uint64_t component, std::size_t before) {
    return labelsOfMerged.begin + (component - before) + starts[before];
  };
  for (std::size_t i = 0; i < border.size(); ++i)
  {
    starts.push_back(starts[i] + (labelsOfMerged.border[i] == consecutiveLabel(border[i], i) ? 1 : 0));
  }
  const auto borderBefore = [&border](std::uint64_t component) {
    return static_cast<std::size_t>(std::lower_bound(border.begin(), border.end(), component) - border.begin());
  };
  const auto compose = [&](std::uint64_t label) {
    Require(label != 0 && label <= merged.componentCount, [&] {
      return "a label of " + NameOf(block) + " is " + std::to_string(label) + ", but the merged block has " +
             std::to_string(merged.componentCount) + " components";
    });
    const std::uint64_t component = label - 1;
    const std::size_t   before = borderBefore(component);
    return before < border.size() && border[before] == component ? labelsOfMerged.border[before]
           : isConsecutive                                       ? consecutiveLabel(component, before)
                                                                 : labelsOfMerged.interior[component - before];
  };

  LabelsType composed;
  composed.border.reserve(labels.border.size());
  std::transform(labels.border.begin(), labels.border.end(), std::back_inserter(composed.border), compose);
  if (!labels.interior.empty())
  {
    composed.interior.reserve(interiorCount);
    std::transform(labels.interior.begin(), labels.interior.end(), std::back_inserter(composed.interior), compose);
  }
  else if (isConsecutive)
  {
    const std::uint64_t component = std::min(labels.begin - 1, merged.componentCount);
    composed.begin = consecutiveLabel(component, borderBefore(component));
  }
  else
  {
    composed.interior.reserve(interiorCount);
    auto next = block.borderComponents.begin();
    for (const std::uint64_t label : Expand(block, labels))
    {
      const std::uint64_t component = composed.interior.size() + (next - block.borderComponents.begin());
      if (next != block.borderComponents.end() && *next == component)
      {
        ++next;
      }
      else
      {
        composed.interior.push_back(compose(label));
      }
    }
  }
  return composed;
}

void
CudaConnectedComponentBlocks::Relabel(const CudaConnectedComponentLabeler & labeler,
                                      const ViewType &                      input,
                                      const ViewType &                      output,
                                      const std::vector<std::uint64_t> &    newLabels)
{
  auto options = labeler.options;
  RequireBlockOf(options, input);
  RequireSize(output, input.size, 1, "output");
  RequireHostLabels(output);
  options.columns = {};
  options.intensities = {};
  options.reportValues = nullptr;
  HostOutput hostOutput;
  hostOutput.labels = output;
  hostOutput.newLabels = &newLabels;
  const auto request =
    RequestFor(options, &input, input.size, 1, false, OutputKind::Labels, LabelValuesFor(newLabels, output));
  Require(request.HasPixels() || newLabels.empty(), "there are new labels for a block without pixels");
  LabelHost(options, input, request, hostOutput, nullptr);
}

void
CudaConnectedComponentBlocks::Relabel(const ViewType &                                       labels,
                                      const ViewType &                                       output,
                                      const std::vector<std::uint64_t> &                     newLabels,
                                      const CudaConnectedComponentLabeler::ParallelForType & parallelFor)
{
  const ParallelFor loop = parallelFor ? CheckedFor(parallelFor) : ParallelFor(SequentialFor);
  RequireLabels(loop, labels, newLabels.size());
  RequireHostLabels(output);
  RequireSize(output, labels.size, 1, "output");
  LabelValuesFor(newLabels, output);
  VisitWidth(labels.type, [&](auto zero) {
    VisitWidth(output.type, [&](auto outputZero) {
      using LabelType = decltype(zero);
      using OutputType = decltype(outputZero);
      loop(labels.size[1] * labels.size[2], [&](std::uint64_t row) {
        const auto * const from = reinterpret_cast<const LabelType *>(labels.Row(row));
        std::transform(
          from, from + labels.size[0], reinterpret_cast<OutputType *>(output.Row(row)), [&](LabelType label) {
            return label == 0 ? OutputType{ 0 } : static_cast<OutputType>(newLabels[label - 1]);
          });
      });
    });
  });
}

} // namespace itk
