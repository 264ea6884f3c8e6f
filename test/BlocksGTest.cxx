// SPDX-License-Identifier: Apache-2.0

// Tests of images that are labeled in blocks. The oracle of the seams is a loop over all pairs of pixels, and that of
// the labels and tables is the uncut image.

#include "TestImages.h"
#include "ThreadPool.h"

#include "algorithms/blocks/BlockTable.h"
#include "algorithms/blocks/JoinFaces.h"
#include "algorithms/blocks/LabelComponentsOfBlocks.h"
#include "primitives/Tuning.h"

#include "itkCudaConnectedComponentBlocks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace itk::ccl;
using itk::CudaConnectedComponentBlocks;
using itk::CudaConnectedComponentError;
using itk::CudaConnectedComponentLabeler;
using itk::CudaConnectedComponentSelection;

namespace
{

using Label = std::uint32_t;
using Pairs = std::set<std::pair<Label, Label>>;

/** A face with its labels. */
struct OwnedFace
{
  std::vector<Label>           labels;
  std::array<std::int64_t, 2>  origin;
  std::array<std::uint64_t, 2> size;

  Face<Label>
  Get() const
  {
    return { labels.data(), origin, size };
  }
};

/** Returns whether two pixels in neighboring parallel planes are neighbors. */
bool
AreNeighbors(std::int64_t du, std::int64_t dv, Neighbors neighbors)
{
  switch (neighbors)
  {
    case Neighbors::Face:
      return du == 0 && dv == 0;
    case Neighbors::Edge:
      return std::abs(du) + std::abs(dv) <= 1;
    default:
      return std::abs(du) <= 1 && std::abs(dv) <= 1;
  }
}

/** Calls visit(label, u, v) for each pixel of a face. */
template <typename TVisitor>
void
ForEachPixel(const OwnedFace & face, const TVisitor & visit)
{
  for (std::size_t i = 0; i < face.labels.size(); ++i)
  {
    visit(face.labels[i],
          face.origin[0] + static_cast<std::int64_t>(i % face.size[0]),
          face.origin[1] + static_cast<std::int64_t>(i / face.size[0]));
  }
}

/** Compares each pixel of a face with each pixel of another face. */
Pairs
JoinByLoop(const OwnedFace & a, const OwnedFace & b, Neighbors neighbors)
{
  Pairs pairs;
  ForEachPixel(a, [&](Label labelOfA, std::int64_t uOfA, std::int64_t vOfA) {
    ForEachPixel(b, [&](Label labelOfB, std::int64_t uOfB, std::int64_t vOfB) {
      if (labelOfA != 0 && labelOfB != 0 && AreNeighbors(uOfB - uOfA, vOfB - vOfA, neighbors))
      {
        pairs.insert({ labelOfA, labelOfB });
      }
    });
  });
  return pairs;
}

constexpr Neighbors AllNeighbors[] = { Neighbors::Face, Neighbors::Edge, Neighbors::Full };

using Blocks = CudaConnectedComponentBlocks;
using Order = Blocks::OrderEnum;
using Size = Blocks::SizeType;
using Cuts = std::array<std::vector<std::uint64_t>, 3>; // the starts of the blocks along each axis

/** An image, and the labels and tables that are made of it. */
struct Case
{
  CudaConnectedComponentLabeler labeler; // options.mask and options.intensities are those of the whole image
  ImageView                     image;
};

struct Result
{
  std::vector<Label> labels;
  Table              table;
};

/** Labels an image at once. */
Result
LabelUncut(const Case & each)
{
  Result result;
  result.labels.resize(each.image.Count());
  each.labeler.Label(each.image, ImageView::Of(result.labels.data(), each.image.size), 0, &result.table);
  return result;
}

/** Cuts an image at random. Some blocks have one pixel along an axis. */
Cuts
RandomCuts(const Size & size, std::mt19937 & random)
{
  Cuts cuts;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const unsigned int      oneIn = 1 + random() % 6;
    std::set<std::uint64_t> starts{ 0 };
    for (std::uint64_t i = 1; i < size[axis]; ++i)
    {
      if (random() % oneIn == 0 || (starts.count(i - 1) != 0 && random() % 4 == 0))
      {
        starts.insert(i);
      }
    }
    cuts[axis].assign(starts.begin(), starts.end());
  }
  return cuts;
}

/** Returns the labeler for a block of an image. */
CudaConnectedComponentLabeler
LabelerOf(const Case & each, const Size & origin, const Size & size)
{
  auto labeler = each.labeler;
  for (auto * const view : { &labeler.options.mask, &labeler.options.intensities })
  {
    if (view->pixels != nullptr)
    {
      *view = view->Region(origin, size);
    }
  }
  return labeler;
}

/** Labels the blocks of an image, in any order. */
std::vector<Block>
LabelBlocks(const Case & each, const Cuts & cuts, const ImageView & labels, std::mt19937 & random)
{
  std::vector<Block> blocks;
  const Size &       size = each.image.size;
  for (std::size_t k = 0; k < cuts[2].size(); ++k)
  {
    for (std::size_t j = 0; j < cuts[1].size(); ++j)
    {
      for (std::size_t i = 0; i < cuts[0].size(); ++i)
      {
        const std::array<std::size_t, 3> cell{ i, j, k };
        Size                             origin{};
        Size                             blockSize{};
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          origin[axis] = cuts[axis][cell[axis]];
          blockSize[axis] =
            (cell[axis] + 1 < cuts[axis].size() ? cuts[axis][cell[axis] + 1] : size[axis]) - origin[axis];
        }
        blocks.push_back(Blocks::Label(LabelerOf(each, origin, blockSize),
                                       each.image.Region(origin, blockSize),
                                       labels.pixels == nullptr ? ImageView{} : labels.Region(origin, blockSize),
                                       origin,
                                       size));
      }
    }
  }
  std::shuffle(blocks.begin(), blocks.end(), random);
  return blocks;
}

std::vector<Block::Seam>
JoinAll(const std::vector<Block> & blocks)
{
  std::vector<Block::Seam> seams;
  for (const auto & [a, b] : Blocks::FindNeighbors(blocks))
  {
    seams.push_back(Blocks::Join(blocks[a], blocks[b]));
  }
  return seams;
}

/** The labels of the components of each block, and the number of components. */
struct FinalLabels
{
  std::vector<std::vector<std::uint64_t>> ofBlocks;
  std::uint64_t                           count;
};

FinalLabels
MergeAtOnce(const std::vector<Block> & blocks, Order order)
{
  const auto  merged = Blocks::Merge(blocks, JoinAll(blocks), order);
  FinalLabels labels{ {}, merged.block.componentCount };
  EXPECT_TRUE(merged.block.borderComponents.empty());
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    labels.ofBlocks.push_back(Blocks::Expand(blocks[i], merged.labels[i]));
  }
  return labels;
}

/** Merges the blocks along one axis after the other. Compose() must agree with the labels of the steps, one by one. */
FinalLabels
MergeInSteps(const std::vector<Block> & blocks, Order order)
{
  std::vector<Block::Labels> composed; // of each block in the part that it belongs to
  struct Part
  {
    Block                    block;
    std::vector<std::size_t> members;
  };
  FinalLabels       labels{ {}, 0 };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    parts.push_back({ blocks[i], { i } });
    labels.ofBlocks.emplace_back(blocks[i].componentCount);
    std::iota(labels.ofBlocks.back().begin(), labels.ofBlocks.back().end(), std::uint64_t{ 1 });
    composed.push_back({ 1, blocks[i].borderComponents, {} });
    for (auto & label : composed.back().border)
    {
      ++label;
    }
  }
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    std::map<std::array<std::uint64_t, 3>, std::vector<Part>> lines;
    for (Part & part : parts)
    {
      auto line = part.block.origin;
      line[axis] = 0;
      lines[line].push_back(std::move(part));
    }
    parts.clear();
    for (auto & line : lines)
    {
      std::vector<Block> ofLine;
      for (Part & part : line.second)
      {
        ofLine.push_back(std::move(part.block));
      }
      auto merged = Blocks::Merge(ofLine, JoinAll(ofLine), order);
      Part whole{ std::move(merged.block), {} };
      for (std::size_t i = 0; i < ofLine.size(); ++i)
      {
        const auto expanded = Blocks::Expand(ofLine[i], merged.labels[i]);
        for (const std::size_t member : line.second[i].members)
        {
          whole.members.push_back(member);
          for (auto & label : labels.ofBlocks[member])
          {
            label = expanded[label - 1];
          }
          composed[member] = Blocks::Compose(blocks[member], composed[member], ofLine[i], merged.labels[i]);
          EXPECT_EQ(labels.ofBlocks[member], Blocks::Expand(blocks[member], composed[member]));
          EXPECT_TRUE(order == Order::FirstPixel || composed[member].interior.empty());
        }
      }
      parts.push_back(std::move(whole));
    }
  }
  EXPECT_EQ(1, parts.size());
  labels.count = parts.front().block.componentCount;
  return labels;
}

/** Writes the labels of the blocks to their pixels. Labeling the blocks again must give the same pixels. */
void
RelabelAll(const Case &               each,
           const std::vector<Block> & blocks,
           const FinalLabels &        labels,
           std::vector<Label> &       pixels)
{
  std::vector<Label> again(pixels.size(), 99);
  const auto         view = ImageView::Of(pixels.data(), each.image.size);
  const auto         viewOfAgain = ImageView::Of(again.data(), each.image.size);
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    const Size & origin = blocks[i].origin;
    const Size & size = blocks[i].size;
    const auto   region = view.Region(origin, size);
    Blocks::Relabel(region, region, labels.ofBlocks[i]);
    Blocks::Relabel(LabelerOf(each, origin, size),
                    each.image.Region(origin, size),
                    viewOfAgain.Region(origin, size),
                    labels.ofBlocks[i]);
  }
  EXPECT_EQ(pixels == again, true);
}

Table
AddAllRows(const std::vector<Block> & blocks, const FinalLabels & labels)
{
  Table table;
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    Blocks::AddRows(blocks[i].table, labels.ofBlocks[i], labels.count, table);
  }
  return table;
}

/** Adds floating-point intensities to the table of all blocks, in parts.
 * \param pixels the labels of the blocks */
void
AddAllIntensities(const ImageView &          intensities,
                  const std::vector<Block> & blocks,
                  const FinalLabels &        labels,
                  const ImageView &          pixels,
                  Table &                    table)
{
  Table                      parts[2];
  std::vector<std::uint64_t> same(labels.count);
  std::iota(same.begin(), same.end(), std::uint64_t{ 1 });
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    const auto & origin = blocks[i].origin;
    const auto & size = blocks[i].size;
    const auto   rows = Blocks::MeasureIntensities(
      pixels.Region(origin, size), intensities.Region(origin, size), labels.ofBlocks[i], table);
    Blocks::AddRows(rows, labels.ofBlocks[i], labels.count, parts[i % 2]);
  }
  if (!parts[1].intensities.pixelCounts.empty()) // some of its blocks have components
  {
    Blocks::AddRows(parts[1], same, labels.count, parts[0]);
  }
  Blocks::FinishIntensities(parts[0], table);
}

/** Returns whether two columns are equal bit for bit. */
template <typename T>
bool
AreSame(const std::vector<T> & a, const std::vector<T> & b)
{
  if constexpr (std::is_same_v<T, double>)
  {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return BitsOf(x) == BitsOf(y); });
  }
  else
  {
    return a == b;
  }
}

/** Expects that two tables are equal in all columns. Tables without rows may differ in `componentCounts`. */
void
ExpectSameTable(const Table & expected, const Table & table)
{
  EXPECT_EQ(expected.componentCount, table.componentCount);
  unsigned int column = 0;
  const auto   expectSame = [&column](const auto & of, const auto & other) {
    EXPECT_TRUE(AreSame(of, other)) << "column " << column;
    ++column;
  };
  ForEachColumn([&](auto, const auto & of, const auto & other) { expectSame(of, other); }, expected, table);
  ForEachIntensityColumn(expectSame, expected.intensities, table.intensities);
}

/** Expects the labels and the table of the uncut image from its blocks. */
void
ExpectSameInBlocks(const Case & each, const Cuts & cuts, std::mt19937 & random)
{
  const Result                   expected = LabelUncut(each);
  std::vector<Label>             pixels(each.image.Count(), 7);
  const auto                     view = ImageView::Of(pixels.data(), each.image.size);
  const std::vector<Block>       blocks = LabelBlocks(each, cuts, view, random);
  const bool                     isAtOnce = random() % 2 == 0;
  const auto                     merge = isAtOnce ? MergeAtOnce : MergeInSteps;
  const FinalLabels              labels = merge(blocks, Order::FirstPixel);
  const FinalLabels              labelsByBlock = merge(blocks, Order::Block);
  std::map<Label, std::uint64_t> byBlock; // of each label
  SCOPED_TRACE(std::to_string(blocks.size()) + " blocks, merged " + (isAtOnce ? "at once" : "in steps"));

  ASSERT_EQ(expected.table.componentCount, labels.count);
  ASSERT_EQ(expected.table.componentCount, labelsByBlock.count);
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    for (std::size_t j = 0; j < labels.ofBlocks[i].size(); ++j)
    {
      const auto & label = byBlock.emplace(labels.ofBlocks[i][j], labelsByBlock.ofBlocks[i][j]).first->second;
      ASSERT_EQ(label, labelsByBlock.ofBlocks[i][j]);
    }
  }
  std::set<std::uint64_t> distinct;
  for (const auto & label : byBlock)
  {
    ASSERT_TRUE(label.second >= 1 && label.second <= labels.count);
    distinct.insert(label.second);
  }
  ASSERT_EQ(labels.count, distinct.size());

  const auto & intensities = each.labeler.options.intensities;
  const bool   hasFloats = intensities.pixels != nullptr && IsFloat(intensities.type);
  const auto   addAll = [&](const FinalLabels & newLabels) {
    Table table = AddAllRows(blocks, newLabels);
    if (hasFloats)
    {
      AddAllIntensities(intensities, blocks, newLabels, view, table);
    }
    return table;
  };
  const Table table = addAll(labels);
  ExpectSameTable(expected.table, table);
  RelabelAll(each, blocks, labels, pixels);
  ASSERT_EQ(expected.labels == pixels, true);

  Case   selecting = each;
  auto & selection = selecting.labeler.options.selection;
  selection.minimumSize = random() % 4;
  selection.maximumSize = random() % 2 == 0 ? selection.maximumSize : 20;
  selection.numberOfLargest = random() % 4;
  selection.border = static_cast<CudaConnectedComponentSelection::BorderEnum>(random() % 3);
  selection.order = static_cast<CudaConnectedComponentSelection::OrderEnum>(random() % 2);
  std::vector<std::uint64_t> labelsOfSeeds;
  for (unsigned int i = random() % 3 == 0 ? 1 + random() % 4 : 0; i > 0; --i)
  {
    const Size & size = each.image.size;
    selection.seeds.push_back({ random() % size[0], random() % size[1], random() % size[2] });
    const auto & seed = selection.seeds.back();
    labelsOfSeeds.push_back(pixels[seed[0] + size[0] * (seed[1] + size[1] * seed[2])]);
  }
  if (each.labeler.options.columns.values && random() % 2 == 0)
  {
    selection.perValue = true;
    for (std::uint64_t value = random() % 3; value > 0; --value)
    {
      selection.sizesOfValues.push_back({ value, random() % 4, 20 });
    }
  }
  const Result expectedSelection = LabelUncut(selecting);
  const auto   selected = Blocks::Select(table, each.image.size, selection, labelsOfSeeds, each.image.type);
  FinalLabels  selectedLabels = labels;
  selectedLabels.count = expectedSelection.table.componentCount;
  for (auto & ofBlock : selectedLabels.ofBlocks)
  {
    for (auto & label : ofBlock)
    {
      label = selected[label - 1];
    }
  }
  LabelBlocks(each, cuts, view, random);
  ExpectSameTable(expectedSelection.table, addAll(selectedLabels));
  RelabelAll(each, blocks, selectedLabels, pixels);
  EXPECT_EQ(expectedSelection.labels == pixels, true);
}

void
ExpectSameInBlocks(const Case & each, std::mt19937 & random)
{
  const Cuts cuts = RandomCuts(each.image.size, random);
  ExpectSameInBlocks(each, cuts, random);
}

/** Floating-point numbers of very different magnitudes. Few of them are not finite. */
template <typename T>
std::vector<T>
RandomNumbers(std::size_t count, std::mt19937 & random)
{
  using Limits = std::numeric_limits<T>;
  const T special[] = { Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -T{ 0 }, Limits::max() };
  const unsigned int rarity = 1U << random() % 14;
  const int          range = 1 + static_cast<int>(random() % (2 * Limits::max_exponent));
  std::vector<T>     numbers(count);
  for (T & number : numbers)
  {
    const auto mantissa = static_cast<double>(random()) * (random() % 2 == 0 ? 1 : -1);
    number = random() % rarity == 0
               ? special[random() % 5]
               : static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % range) - range / 2 - 32));
  }
  return numbers;
}

/** Returns a labeler without a device, with all columns but the values. */
CudaConnectedComponentLabeler
HostLabeler(unsigned int connectivity)
{
  CudaConnectedComponentLabeler labeler;
  labeler.options.onHost = true;
  labeler.options.connectivity = connectivity;
  labeler.options.columns = { true, true, true, true, true, true, false };
  return labeler;
}

/** Returns the connectivities of an image. */
std::vector<unsigned int>
ConnectivitiesOf(const Size & size)
{
  return size[2] <= 1 ? std::vector<unsigned int>{ 4, 8 } : std::vector<unsigned int>{ 6, 18, 26 };
}

/** Expects an error because of an argument. */
template <typename TFunction>
void
ExpectRefusal(const std::string & message, const TFunction & call)
{
  try
  {
    call();
    ADD_FAILURE() << "no exception: " << message;
  }
  catch (const CudaConnectedComponentError & error)
  {
    EXPECT_EQ(CudaConnectedComponentError::KindEnum::InvalidArgument, error.GetKind());
    EXPECT_NE(std::string::npos, std::string(error.what()).find(message)) << error.what();
  }
}

} // namespace

TEST(CudaConnectedComponentsBlocks, FacesAreJoinedAsByALoop)
{
  const unsigned int seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto   numberBelow = [&random](unsigned int end) { return random() % end; };
  for (unsigned int i = 0; i < 3000; ++i)
  {
    const unsigned int length = i % 3 == 0 ? 3 : 12;
    const unsigned int labels = 1 + numberBelow(8);
    const unsigned int repeats = 1 + numberBelow(6);
    const auto         makeFace = [&] {
      OwnedFace face;
      for (unsigned int axis = 0; axis < 2; ++axis)
      {
        face.size[axis] = numberBelow(20) == 0 ? 0 : 1 + numberBelow(length);
        face.origin[axis] = static_cast<std::int64_t>(numberBelow(2 * length)) - length;
      }
      Label label = 0;
      face.labels.resize(face.size[0] * face.size[1]);
      for (auto & pixel : face.labels)
      {
        label = numberBelow(repeats) == 0 ? numberBelow(1 + labels) : label;
        pixel = label;
      }
      return face;
    };
    const OwnedFace a = makeFace();
    const OwnedFace b = makeFace();
    for (const Neighbors neighbors : AllNeighbors)
    {
      SCOPED_TRACE("faces " + std::to_string(i) + ", neighbors " + std::to_string(static_cast<int>(neighbors)));
      const Pairs expected = JoinByLoop(a, b, neighbors);
      Pairs       joined;
      const auto  join = [&joined](Label labelOfA, Label labelOfB) { joined.insert({ labelOfA, labelOfB }); };
      JoinFaces(a.Get(), b.Get(), neighbors, join);
      ASSERT_EQ(expected, joined);

      joined.clear();
      const std::uint64_t cut = numberBelow(length);
      JoinFaces(a.Get(), b.Get(), neighbors, join, 0, cut);
      JoinFaces(a.Get(), b.Get(), neighbors, join, cut);
      ASSERT_EQ(expected, joined);
    }
  }
}

TEST(CudaConnectedComponentsBlocks, LongComponentsAreJoinedOnce)
{
  const OwnedFace face{ std::vector<Label>(30 * 20, 7), { 5, 6 }, { 30, 20 } };
  for (const Neighbors neighbors : AllNeighbors)
  {
    unsigned int joins = 0;
    JoinFaces(face.Get(), face.Get(), neighbors, [&joins](Label, Label) { ++joins; });
    EXPECT_EQ(1, joins);
  }
}

TEST(CudaConnectedComponentsBlocks, FacesFarFromTheOriginAreJoined)
{
  const std::int64_t far = std::int64_t{ 1 } << 50;
  const OwnedFace    a{ { 1, 0, 0, 2 }, { far, -far }, { 2, 2 } };
  const OwnedFace    b{ { 3 }, { far + 2, -far + 2 }, { 1, 1 } };
  for (const Neighbors neighbors : AllNeighbors)
  {
    Pairs joined;
    JoinFaces(a.Get(), b.Get(), neighbors, [&joined](Label labelOfA, Label labelOfB) {
      joined.insert({ labelOfA, labelOfB });
    });
    EXPECT_EQ(neighbors == Neighbors::Full ? Pairs{ std::make_pair(2U, 3U) } : Pairs{}, joined);
  }
}

TEST(CudaConnectedComponentsBlocks, RandomImagesAreLabeledAsUncut)
{
  const unsigned int seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (unsigned int i = 0; i < 150; ++i)
  {
    SCOPED_TRACE("image " + std::to_string(i));
    const std::uint64_t length = i % 2 == 0 ? 6 : 16;
    Size                size{ 1 + random() % length, 1 + random() % length, 1 + random() % length };
    size[2] = random() % 3 == 0 ? 1 : size[2];
    const TestImage           image = MakeRandom(size, 10 + random() % 90, 1 + random() % 3, random());
    const TestImage           mask = MakeRandom(size, 80, 1, random());
    std::vector<float>        numbers(image.pixels.size());
    std::vector<std::int64_t> wide(image.pixels.size());
    const auto                floats = RandomNumbers<float>(numbers.size(), random);
    const auto                doubles = RandomNumbers<double>(numbers.size(), random);
    for (std::size_t j = 0; j < numbers.size(); ++j)
    {
      const float values[] = { 0, 1, -0.0F, std::numeric_limits<float>::quiet_NaN(), 2 };
      numbers[j] = values[image.pixels[j] == 0 ? 0 : random() % 5];
      wide[j] = static_cast<std::int64_t>(std::uint64_t{ random() } << random() % 33 << random() % 2);
    }
    for (const unsigned int connectivity : ConnectivitiesOf(size))
    {
      SCOPED_TRACE("connectivity " + std::to_string(connectivity));
      Case   each{ HostLabeler(connectivity), ImageView::Of(image.pixels.data(), size) };
      auto & options = each.labeler.options;
      switch (random() % 4)
      {
        case 0:
          options.byValue = options.columns.values = true;
          each.image = ImageView::Of(numbers.data(), size);
          break;
        case 1:
          options.complement = true;
          break;
        case 2:
          options.mask = ImageView::Of(mask.pixels.data(), size);
          break;
        default:
          break;
      }
      const ImageView intensities[] = { {},
                                        ImageView::Of(image.pixels.data(), size),
                                        ImageView::Of(wide.data(), size),
                                        ImageView::Of(reinterpret_cast<const std::uint64_t *>(wide.data()), size),
                                        ImageView::Of(floats.data(), size),
                                        ImageView::Of(doubles.data(), size) };
      options.intensities = intensities[random() % 6];
      ExpectSameInBlocks(each, random);
      if (HasFailure())
      {
        return;
      }
    }
  }
}

TEST(CudaConnectedComponentsBlocks, LargeBlocksAreLabeledByThreads)
{
  std::mt19937 random(5);
  const Size   size{ 90, 80, 160 };
  const Cuts   cuts{ { { 0, 2 }, { 0, 79 }, { 0, 1, 80 } } };
  ASSERT_GT((size[0] - 2) * 79 * 79, Tuning::HostPixelsOfOneThread);
  for (const unsigned int percent : { 15U, 40U, 100U })
  {
    const TestImage image = MakeRandom(size, percent, 3, random());
    for (const unsigned int connectivity : ConnectivitiesOf(size))
    {
      SCOPED_TRACE(std::to_string(percent) + " %, connectivity " + std::to_string(connectivity));
      Case each{ HostLabeler(connectivity), ImageView::Of(image.pixels.data(), size) };
      each.labeler.options.parallelFor = ThreadPool::For();
      ExpectSameInBlocks(each, cuts, random);
    }
  }
}

TEST(CudaConnectedComponentsBlocks, ClassesAreLabeledAsUncut)
{
  std::mt19937 random(7);
  for (unsigned int i = 0; i < 20; ++i)
  {
    const Size                 size{ 1 + random() % 12, 1 + random() % 12, 1 + random() % 6 };
    std::vector<std::uint64_t> classes(size[0] * size[1] * size[2]);
    for (auto & pixel : classes)
    {
      pixel = ~std::uint64_t{ 0 } - random() % 2; // all bits set is a number here
    }
    for (const unsigned int connectivity : ConnectivitiesOf(size))
    {
      SCOPED_TRACE("image " + std::to_string(i) + ", connectivity " + std::to_string(connectivity));
      Case each{ HostLabeler(connectivity), ImageView::Of(classes.data(), size) };
      each.labeler.options.byValue = true;
      ExpectSameInBlocks(each, random);
    }
  }
}

TEST(CudaConnectedComponentsBlocks, ShapesAreLabeledAsUncut)
{
  std::mt19937 random(5);
  for (const TestImage & image : MakeShapes())
  {
    SCOPED_TRACE(image.name);
    if (image.pixels.empty() || image.pixels.size() > 4000)
    {
      continue;
    }
    for (const unsigned int connectivity : ConnectivitiesOf(image.size))
    {
      ExpectSameInBlocks({ HostLabeler(connectivity), ImageView::Of(image.pixels.data(), image.size) }, random);
    }
  }
}

TEST(CudaConnectedComponentsBlocks, ComponentsMeetAcrossAnEdgeAndACorner)
{
  std::mt19937 random(1);
  // The two ends of a snake meet only in the middle, in blocks that have no common face.
  const std::string         snake = "11110000"
                                    "00010000"
                                    "00010000"
                                    "00010000"
                                    "00001000"
                                    "00001000"
                                    "00001000"
                                    "00001111";
  std::vector<std::uint8_t> pixels(snake.size());
  std::transform(snake.begin(), snake.end(), pixels.begin(), [](char pixel) { return pixel == '1'; });
  for (const unsigned int connectivity : { 4U, 8U })
  {
    const Case each{ HostLabeler(connectivity), ImageView::Of(pixels.data(), Size{ 8, 8, 1 }) };
    const auto blocks = LabelBlocks(each, { { { 0, 4 }, { 0, 4 }, { 0 } } }, {}, random);
    EXPECT_EQ(connectivity == 4 ? 2 : 1, MergeAtOnce(blocks, Order::FirstPixel).count);
  }
  for (const unsigned int axes : { 2U, 3U })
  {
    std::vector<std::uint8_t> volume(64, 0);
    volume[1 + 4 * (1 + 4 * 1)] = 1;
    volume[2 + 4 * (2 + 4 * (axes == 2 ? 1 : 2))] = 1;
    for (const unsigned int connectivity : { 6U, 18U, 26U })
    {
      const Case each{ HostLabeler(connectivity), ImageView::Of(volume.data(), Size{ 4, 4, 4 }) };
      const auto blocks = LabelBlocks(each, { { { 0, 2 }, { 0, 2 }, { 0, 2 } } }, {}, random);
      const bool isOne = connectivity == 26 || (connectivity == 18 && axes == 2);
      const auto count = MergeInSteps(blocks, Order::FirstPixel).count;
      EXPECT_EQ(isOne ? 1 : 2, count) << connectivity << " neighbors, " << axes << " axes";
    }
  }
}

TEST(CudaConnectedComponentsBlocks, MoreThan32BitsOfComponentsAreCounted)
{
  // Three slabs. The first and the last component of each slab touch the next slab.
  const std::uint64_t      count = std::uint64_t{ 3 } << 32;
  std::vector<Block>       slabs(3);
  std::vector<Block::Seam> seams;
  for (std::uint64_t i = 0; i < 3; ++i)
  {
    slabs[i].origin = { 0, 0, i << 20 };
    slabs[i].size = { 1 << 10, 1 << 10, 1 << 20 };
    slabs[i].imageSize = { 1 << 10, 1 << 10, 3 << 20 };
    slabs[i].connectivity = 6;
    slabs[i].componentCount = count;
    slabs[i].borderComponents = { 0, count - 1 };
    if (i != 0)
    {
      seams.push_back({ { slabs[i - 1].origin, slabs[i].origin }, { { 1, 0 } } });
    }
  }
  for (const Order order : { Order::FirstPixel, Order::Block })
  {
    const auto merged = Blocks::Merge(slabs, seams, order);
    EXPECT_EQ(3 * count - 2, merged.block.componentCount);
    EXPECT_EQ((std::vector<std::uint64_t>{ 1, count }), merged.labels[0].border);
    EXPECT_EQ((std::vector<std::uint64_t>{ count, 2 * count - 1 }), merged.labels[1].border);
    EXPECT_EQ((std::vector<std::uint64_t>{ 2 * count - 1, 3 * count - 2 }), merged.labels[2].border);
    for (std::uint64_t i = 0; i < 3; ++i)
    {
      EXPECT_EQ(1 + i * count - (i == 2 ? 1 : 0), merged.labels[i].begin);
      EXPECT_TRUE(merged.labels[i].interior.empty());
    }
  }
  // Blocks beside each other have to be merged by their first pixels.
  for (auto & slab : slabs)
  {
    std::swap(slab.origin[0], slab.origin[2]);
    std::swap(slab.size[0], slab.size[2]);
    std::swap(slab.imageSize[0], slab.imageSize[2]);
  }
  for (auto & seam : seams)
  {
    seam.origins = { Size{ seam.origins[0][2], 0, 0 }, Size{ seam.origins[1][2], 0, 0 } };
  }
  EXPECT_EQ(3 * count - 2, Blocks::Merge(slabs, seams, Order::Block).block.componentCount);
  ExpectRefusal("has no first pixels", [&] { Blocks::Merge(slabs, seams); });
}

TEST(CudaConnectedComponentsBlocks, FirstPixelsOf64BitsAreMerged)
{
  const std::uint64_t row = std::uint64_t{ 1 } << 40;
  std::vector<Block>  blocks(2);
  for (std::uint64_t i = 0; i < 2; ++i)
  {
    blocks[i].origin = { i * row / 2, 0, 0 };
    blocks[i].size = { row / 2, 4, 1 };
    blocks[i].imageSize = { row, 4, 4 };
    blocks[i].connectivity = 6;
    blocks[i].componentCount = 3;
    blocks[i].borderComponents = { 1 };
  }
  blocks[0].firstPixels = { 5, row + 1, 2 * row };
  blocks[1].firstPixels = { row - 1, row + row / 2, 3 * row - 1 };
  const std::vector<Block::Seam> seams{ { { blocks[1].origin, blocks[0].origin }, { { 0, 0 } } } };
  const auto                     merged = Blocks::Merge(blocks, seams);
  EXPECT_EQ((std::vector<std::uint64_t>{ 5, row - 1, row + 1, 2 * row, 3 * row - 1 }), merged.block.firstPixels);
  EXPECT_EQ((std::vector<std::uint64_t>{ 1, 3, 4 }), Blocks::Expand(blocks[0], merged.labels[0]));
  EXPECT_EQ((std::vector<std::uint64_t>{ 2, 3, 5 }), Blocks::Expand(blocks[1], merged.labels[1]));

  // The same with elements of 64 bits, which more than 2^32 components at borders need.
  std::vector<Block::Labels>                      labels(2);
  const std::vector<std::size_t>                  order{ 0, 1 };
  std::vector<std::uint64_t>                      firstPixels;
  const std::vector<std::array<std::uint32_t, 2>> pairs{ { 0, 0 } };
  ComponentsOfBlocks<std::uint64_t>               components(blocks, order, labels);
  components.Unite({ { 1, 0 }, &pairs });
  EXPECT_EQ(1, components.Flatten());
  EXPECT_EQ(5, components.LabelInOrderOfFirstPixels(2, 2, &firstPixels));
  EXPECT_EQ(merged.block.firstPixels, firstPixels);
  EXPECT_EQ(merged.labels[1].border, labels[1].border);
  EXPECT_EQ(merged.labels[1].interior, labels[1].interior);
}

TEST(CudaConnectedComponentsBlocks, ColumnsAreWideEnough)
{
  // One pixel far from the origin of a large image.
  const std::uint8_t  pixel = 1;
  auto                labeler = HostLabeler(26);
  const std::uint64_t far = (std::uint64_t{ 1 } << 20) - 1;
  const auto          block = Blocks::Label(
    labeler, ImageView::Of(&pixel, Size{ 1, 1, 1 }), {}, { far, far, far }, { far + 1, far + 1, far + 1 });
  EXPECT_EQ((std::uint64_t{ 1 } << 60) - 1, block.firstPixels.front());
  Table table;
  for (unsigned int i = 0; i < 3; ++i)
  {
    Blocks::AddRows(block.table, { 1 }, 1, table);
  }
  EXPECT_EQ(3, table.pixelCounts[0]);
  EXPECT_EQ(far, table.minimums[2][0]);
  EXPECT_EQ(0b101010, table.faces[0]);
  EXPECT_TRUE(IntegerOf(table.products[1][0]) == UInt128{ far } * far * 3);

  std::vector<Table::Sum> sums{ { ~std::uint64_t{ 0 }, 1 } };
  Table                   wide = block.table;
  wide.sums = { sums, sums, sums };
  Blocks::AddRows(wide, { 1 }, 1, table);
  EXPECT_TRUE(IntegerOf(table.sums[0][0]) == (UInt128{ 2 } << 64) - 1 + 3 * UInt128{ far });
}

TEST(CudaConnectedComponentsBlocks, IntensitiesOfVeryManyPixelsAreAdded)
{
  // 2^60 pixels: the sum of floating-point numbers takes 145 bits.
  const float               numbers[] = { 1, 2, 3, 4 };
  const std::uint8_t        integers[] = { 1, 2, 3, 4 };
  std::vector<std::uint8_t> labels(4);
  const Size                size{ 4, 1, 1 };
  const auto                pixels = ImageView::Of(integers, size);
  const auto                view = ImageView::Of(labels.data(), size);
  auto                      labeler = HostLabeler(8);
  const auto                tableOf = [&](const ImageView & intensities) {
    labeler.options.intensities = intensities;
    return Blocks::Label(labeler, pixels, view, { 0, 0, 0 }, size).table;
  };
  const auto makeMany = [](Table table) {
    for (unsigned int i = 0; i < 58; ++i)
    {
      Blocks::AddRows(Table(table), { 1 }, 1, table);
    }
    return table;
  };
  const auto  floats = ImageView::Of(numbers, size);
  const Table ranges = tableOf(floats);
  Table       many = makeMany(ranges);
  Blocks::FinishIntensities(makeMany(Blocks::MeasureIntensities(view, floats, { 1 }, ranges)), many);
  const auto expected = makeMany(tableOf(pixels)).intensities;
  EXPECT_EQ(std::uint64_t{ 1 } << 60, many.intensities.pixelCounts[0]);
  EXPECT_EQ(expected.sums, many.intensities.sums);
  EXPECT_EQ(expected.sumsOfSquares, many.intensities.sumsOfSquares);
  EXPECT_EQ(expected.variances, many.intensities.variances);
  EXPECT_EQ(1.25, many.intensities.variances[0]);
}

TEST(CudaConnectedComponentsBlocks, BlocksWithoutPixelsAreAllowed)
{
  const auto                labeler = HostLabeler(6);
  std::vector<std::uint8_t> pixels(8, 1);
  const Size                size{ 2, 2, 2 };
  std::vector<Block>        blocks;
  for (const std::uint64_t z : { 0, 1, 1, 2 })
  {
    const auto view =
      ImageView::Of(pixels.data(), size).Region({ 0, 0, z }, { 2, 2, blocks.size() % 2 == 0 ? 1U : 0U });
    blocks.push_back(Blocks::Label(labeler, view, {}, { 0, 0, z }, size));
    blocks.push_back(Blocks::Label(labeler, view.Region({ 0, 0, 0 }, { 0, 2, 1 }), {}, { 0, 0, z }, size));
    if (z == 1)
    {
      break;
    }
  }
  const auto labels = MergeAtOnce(blocks, Order::FirstPixel);
  EXPECT_EQ(1, labels.count);
  EXPECT_EQ(8, AddAllRows(blocks, labels).pixelCounts[0]);

  const Size empty{ 4, 0, 4 };
  const auto block = Blocks::Label(labeler, ImageView::Of(pixels.data(), empty), {}, { 0, 0, 0 }, empty);
  EXPECT_TRUE(Blocks::FindNeighbors({ block }).empty());
  EXPECT_EQ(0, Blocks::Merge({ block }, {}).block.componentCount);
  Blocks::Relabel(labeler, ImageView::Of(pixels.data(), empty), ImageView::Of(pixels.data(), empty), {});
  ExpectRefusal("a block without pixels", [&] {
    Blocks::Relabel(labeler, ImageView::Of(pixels.data(), empty), ImageView::Of(pixels.data(), empty), { 1 });
  });
  Table table;
  Blocks::AddRows(block.table, {}, 0, table);
  EXPECT_EQ(0, table.componentCount);
}

TEST(CudaConnectedComponentsBlocks, WrongArgumentsAreRefused)
{
  std::mt19937    random(3);
  const TestImage image = MakeRandom({ 8, 8, 8 }, 50, 1, 1);
  const Case      each{ HostLabeler(6), ImageView::Of(image.pixels.data(), image.size) };
  const auto      blocks = LabelBlocks(each, { { { 0, 3 }, { 0, 5 }, { 0, 2 } } }, {}, random);
  const auto      seams = JoinAll(blocks);
  const auto      first = Blocks::FindNeighbors(blocks).front();

  const auto refuseLabel = [&](const std::string & message, const auto & change) {
    Case changed = each;
    Size origin{};
    Size size = image.size;
    change(changed, origin, size);
    ExpectRefusal(message, [&] { Blocks::Label(changed.labeler, changed.image, {}, origin, size); });
  };
  refuseLabel("lies outside the image", [](Case &, Size & origin, Size &) { origin[1] = 1; });
  refuseLabel("lies outside the image", [](Case &, Size & origin, Size &) { origin[1] = ~std::uint64_t{ 0 }; });
  refuseLabel("more than 2^62 pixels", [](Case &, Size &, Size & size) { size[1] = ~std::uint64_t{ 0 }; });
  refuseLabel("do not fit in 128 bits", [](Case &, Size &, Size & size) { size[0] = std::uint64_t{ 1 } << 50; });
  refuseLabel("instead of 6, 18 or 26",
              [](Case & changed, Size &, Size &) { changed.labeler.options.connectivity = 8; });
  refuseLabel("not a batch", [](Case & changed, Size &, Size &) { changed.image.images = 2; });
  refuseLabel("host memory",
              [](Case & changed, Size &, Size &) { changed.image.memory = ImageView::MemoryEnum::Device; });
  refuseLabel("by Select()", [](Case & changed, Size &, Size &) { changed.labeler.options.selection.minimumSize = 2; });
  refuseLabel("needs options.byValue",
              [](Case & changed, Size &, Size &) { changed.labeler.options.columns.values = true; });

  const auto refuseJoin = [&](const std::string & message, const auto & change) {
    Block a = blocks[first[0]];
    Block b = blocks[first[1]];
    change(a, b);
    ExpectRefusal(message, [&] { Blocks::Join(a, b); });
  };
  refuseJoin("not neighbors", [](Block & a, Block & b) { b = a; });
  refuseJoin("not neighbors", [](Block &, Block & b) {
    b.size[0] = b.size[1] = b.size[2] = 1;
    b.componentCount = 0;
    b.firstPixels.clear();
    b.borderComponents.clear();
  });
  refuseJoin("no face", [](Block & a, Block &) { a.faces = {}; });
  refuseJoin("too high", [](Block & a, Block &) {
    for (auto & face : a.faces)
    {
      std::fill(face.begin(), face.end(), 1000000);
    }
  });
  refuseJoin("other one has none", [](Block & a, Block &) { a.borderValues.resize(a.borderComponents.size()); });
  refuseJoin("different sizes", [](Block & a, Block &) { ++a.imageSize[1]; });
  refuseJoin("different connectivities", [](Block & a, Block &) { a.connectivity = 26; });
  refuseJoin("connectivity 7", [](Block & a, Block & b) { a.connectivity = b.connectivity = 7; });
  refuseJoin("different types", [](Block & a, Block &) { a.valueType = ImageView::TypeOf<float>(); });

  const auto refuseMerge = [&](const std::string & message, const auto & change) {
    auto changedBlocks = blocks;
    auto changedSeams = seams;
    change(changedBlocks, changedSeams);
    ExpectRefusal(message, [&] { Blocks::Merge(changedBlocks, changedSeams); });
  };
  using List = std::vector<Block>;
  using Seams = std::vector<Block::Seam>;
  refuseMerge("no blocks", [](List & list, Seams &) { list.clear(); });
  refuseMerge("do not fill a box", [](List & list, Seams &) { list.pop_back(); });
  refuseMerge("do not fill a box", [](List & list, Seams &) { list.push_back(list.front()); });
  refuseMerge("not among the blocks", [](List &, Seams & changed) { changed[0].origins[1] = { 7, 7, 7 }; });
  refuseMerge("not neighbors",
              [](List & list, Seams & changed) { changed.push_back({ { list[0].origin, list[0].origin }, {} }); });
  refuseMerge("different connectivities", [](List & list, Seams &) { list[2].connectivity = 18; });
  refuseMerge("different types", [](List & list, Seams &) { list[2].valueType = ImageView::TypeOf<float>(); });
  for (const unsigned int connectivity : { 6U, 18U, 26U })
  {
    auto connected = blocks;
    for (Block & block : connected)
    {
      block.connectivity = connectivity;
    }
    for (std::size_t i = 0; i < seams.size(); ++i)
    {
      const auto & [a, b] = seams[i].origins;
      const int axes = (a[0] != b[0]) + (a[1] != b[1]) + (a[2] != b[2]);
      auto      others = seams;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (axes <= (connectivity == 6 ? 1 : connectivity == 18 ? 2 : 3))
      {
        ExpectRefusal("is missing", [&] { Blocks::Merge(connected, others); });
      }
      else
      {
        Blocks::Merge(connected, others);
      }
    }
  }
  refuseMerge("does not have", [](List &, Seams & changed) { changed[0].pairs.push_back({ 0, 4000000000U }); });
  refuseMerge("not ascending", [](List & list, Seams &) { list[1].borderComponents.push_back(0); });
  refuseMerge("do not exist", [](List & list, Seams &) { list[1].borderComponents.push_back(100000); });
  refuseMerge("another number of first pixels", [](List & list, Seams &) { list[1].firstPixels.push_back(0); });
  refuseMerge("outside the image", [](List & list, Seams &) { list[1].firstPixels.back() = ~std::uint64_t{ 0 }; });
  refuseMerge("first pixels that are not ascending", [](List & list, Seams &) { list[1].firstPixels[1] = 0; });
  refuseMerge("more components than pixels", [](List & list, Seams &) { list[1].componentCount = 1000; });
  refuseMerge("lies outside", [](List & list, Seams &) { list[1].size[0] = 9; });

  const auto merged = Blocks::Merge(blocks, seams);
  auto       labels = merged.labels[0];
  labels.border.push_back(1);
  ExpectRefusal("do not belong", [&] { Blocks::Expand(blocks[0], labels); });
  ExpectRefusal("do not belong", [&] { Blocks::Compose(blocks[0], labels, merged.block, {}); });
  labels = merged.labels[0];
  labels.interior.push_back(1);
  labels.interior.push_back(1);
  ExpectRefusal("do not belong", [&] { Blocks::Expand(blocks[0], labels); });
  ExpectRefusal("do not belong", [&] { Blocks::Compose(blocks[0], labels, merged.block, {}); });

  Table      table;
  const auto ofBlock = Blocks::Expand(blocks[0], merged.labels[0]);
  ExpectRefusal("has no row", [&] { Blocks::AddRows(blocks[0].table, ofBlock, 1, table); });
  Block huge;
  huge.size = huge.imageSize = { 1 << 21, 1 << 21, 1 << 20 };
  for (const unsigned int bits : { 57U, 61U, 62U, 63U })
  {
    huge.componentCount = std::uint64_t{ 1 } << bits;
    ExpectRefusal("components", [&] { Blocks::Expand(huge, {}); });
    ExpectRefusal("components", [&] { Blocks::AddRows(blocks[0].table, ofBlock, huge.componentCount, table); });
  }
  ExpectRefusal("labels", [&] { Blocks::AddRows(blocks[0].table, { 1 }, 1, table); });
  Blocks::AddRows(blocks[0].table, ofBlock, merged.block.componentCount, table);
  ExpectRefusal("another number of rows",
                [&] { Blocks::AddRows(blocks[0].table, ofBlock, merged.block.componentCount + 1, table); });
  Table other = blocks[0].table;
  other.sums[1].clear();
  ExpectRefusal("other columns", [&] { Blocks::AddRows(other, ofBlock, merged.block.componentCount, table); });
  other.sums[1].resize(1);
  ExpectRefusal("another length", [&] { Blocks::AddRows(other, ofBlock, merged.block.componentCount, table); });

  std::vector<float>        numbers(image.pixels.size(), 1);
  std::vector<std::uint8_t> labelPixels(image.pixels.size());
  const auto                intensities = ImageView::Of(numbers.data(), image.size);
  const auto                labelView = ImageView::Of(labelPixels.data(), image.size);
  Case                      measured = each;
  measured.labeler.options.intensities = intensities;
  Table      ranges = Blocks::Label(measured.labeler, each.image, labelView, { 0, 0, 0 }, image.size).table;
  const auto measure = [&](const ImageView & pixels, const std::vector<std::uint64_t> & newLabels, const Table & of) {
    return Blocks::MeasureIntensities(labelView, pixels, newLabels, of);
  };
  std::vector<std::uint64_t> same(ranges.componentCount);
  std::iota(same.begin(), same.end(), std::uint64_t{ 1 });
  ExpectRefusal("second pass", [&] { measure(each.image, same, ranges); });
  ExpectRefusal("instead of 8 x 8 x 8", [&] { measure(intensities.Region({ 0, 0, 0 }, { 8, 8, 7 }), same, ranges); });
  ExpectRefusal("has the label", [&] { measure(intensities, {}, ranges); });
  ExpectRefusal("not the ranges", [&] { measure(intensities, same, LabelUncut(measured).table); });
  ExpectRefusal("has no row", [&] {
    auto wrong = same;
    ++wrong.back();
    measure(intensities, wrong, ranges);
  });
  ExpectRefusal("outside the range", [&] {
    auto wrong = ranges;
    wrong.intensities.maximums[0] = 0;
    measure(intensities, same, wrong);
  });
  const Table rows = measure(intensities, same, ranges);
  Table       sums;
  ExpectRefusal("not those of Label()", [&] { Blocks::AddRows(LabelUncut(measured).table, same, same.size(), sums); });
  ExpectRefusal("sums are not", [&] { Blocks::FinishIntensities(sums, ranges); });
  ExpectRefusal("other columns", [&] { Blocks::AddRows(rows, same, same.size(), ranges); });
  Blocks::AddRows(rows, same, same.size(), sums);
  Blocks::AddRows(rows, same, same.size(), sums);
  ExpectRefusal("added twice", [&] { Blocks::FinishIntensities(sums, ranges); });
  Blocks::FinishIntensities(rows, ranges);
  EXPECT_EQ(LabelUncut(measured).table.intensities.sums, ranges.intensities.sums);
  ExpectRefusal("not the ranges", [&] { Blocks::FinishIntensities(rows, ranges); });

  CudaConnectedComponentSelection selection;
  selection.seeds = { { 0, 0, 0 } };
  ExpectRefusal("0 labels of seeds", [&] { Blocks::Select(table, image.size, selection); });
  ExpectRefusal("has no row", [&] { Blocks::Select(table, image.size, selection, { 1000 }); });
  selection.pixelOrder = CudaConnectedComponentSelection::PixelOrderEnum::TransposedRaster;
  ExpectRefusal("raster order", [&] { Blocks::Select(table, image.size, selection, { 1 }); });
  selection = {};
  selection.numberOfLargest = 1;
  selection.perValue = true;
  ExpectRefusal("lacks a column", [&] { Blocks::Select(table, image.size, selection); });
  table.values.assign(table.componentCount, 256);
  ExpectRefusal("does not fit", [&] { Blocks::Select(table, image.size, selection); });
  selection.perValue = false;
  selection.sizesOfValues = { { std::uint64_t{ 1 }, 2, 3 } };
  ExpectRefusal("needs selection.perValue", [&] { Blocks::Select(table, image.size, selection); });
  selection = {};
  selection.minimumSize = 3;
  table.pixelCounts.clear();
  ExpectRefusal("lacks a column", [&] { Blocks::Select(table, image.size, selection); });

  std::vector<std::int8_t> pixels{ 0, 1, 2, -1 };
  const auto               view = ImageView::Of(pixels.data(), Size{ 4, 1, 1 });
  ExpectRefusal("has the label 255", [&] { Blocks::Relabel(view, view, std::vector<std::uint64_t>(300, 1)); });
  pixels[3] = 3;
  ExpectRefusal("has the label 3", [&] { Blocks::Relabel(view, view, { 5, 6 }); });
  EXPECT_EQ((std::vector<std::int8_t>{ 0, 1, 2, 3 }), pixels);
  EXPECT_THROW(Blocks::Relabel(view, view, { 5, 128, 7 }), CudaConnectedComponentError);
  std::vector<std::int8_t> output(4, 9);
  const auto               outputView = ImageView::Of(output.data(), Size{ 4, 1, 1 });
  const auto               labeler = HostLabeler(6);
  ExpectRefusal("there are 2 new labels, and the number of components is 1",
                [&] { Blocks::Relabel(labeler, view, outputView, { 5, 6 }); });
  EXPECT_THROW(Blocks::Relabel(labeler, view, outputView, { 128 }), CudaConnectedComponentError);
  auto selecting = labeler;
  selecting.options.selection.minimumSize = 2;
  ExpectRefusal("by Select()", [&] { Blocks::Relabel(selecting, view, outputView, { 5 }); });
  ExpectRefusal("pixels instead of",
                [&] { Blocks::Relabel(labeler, view.Region({ 1, 0, 0 }, { 3, 1, 1 }), outputView, { 5 }); });
  EXPECT_EQ((std::vector<std::int8_t>{ 9, 9, 9, 9 }), output);
  Blocks::Relabel(labeler, view, outputView, { 127 });
  EXPECT_EQ((std::vector<std::int8_t>{ 0, 127, 127, 127 }), output);
  Blocks::Relabel(view, view, { 5, 127, 0 });
  EXPECT_EQ((std::vector<std::int8_t>{ 0, 5, 127, 0 }), pixels);
}
