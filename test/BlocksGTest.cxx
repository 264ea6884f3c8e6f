// SPDX-License-Identifier: Apache-2.0

// Tests of images that are labeled in blocks. The oracle of the seams is a loop over all pairs of pixels.

#include "algorithms/blocks/JoinFaces.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

using namespace itk::ccl;

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
