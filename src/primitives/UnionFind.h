// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_UnionFind_h
#define ccl_primitives_UnionFind_h

// Union-find on an array of parents that many threads change concurrently.
// Find, Compress, InlineCompress and Union: Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label
// Connected Components on GPUs", IEEE TPDS 31(2), 2020, Algorithm 1. The paper has Union from Oliveira and Lotufo,
// SIBGRAPI 2010.
//
// A root is its own parent. No function raises a parent, and a union links a root only to a lower element. So no search
// runs in a circle.
// Find, Compress, InlineCompress and Union need no more: before the first union, other elements may have links to
// higher roots (BlockRunBased.h). The other functions need trees whose links all fall: parents[a] <= a for each
// element. The root of such a tree is its lowest element.
//
// Stale parents: a thread may read a parent that another thread replaces at the same time. The old parent need not be
// an ancestor any more. FindHalving() links an element past its parent. UnionSplicing() moves an element to a lower
// parent in another tree, and UnionBy() does so if two threads link the same root. The thread that moves an element to
// another tree then joins the old parent with the new one. So when all calls have returned, the tree of an element has
// all of its former parents, and a thread that went on from one of them has joined the same components.
//
// `parents` is a pointer, or an object for which `parents + a` is the address of the parent of a.

#include "primitives/Atomics.h"

#include <utility>

namespace itk::ccl
{

/** An image of labels as the parents of a union-find. An element is 1 + the raster index of a foreground pixel, and the
 * label of the pixel is its parent. So labels need no last kernel that adds 1 to each. */
template <typename TLabel>
struct LabelsAsParents
{
  TLabel * labels;

  CCL_HOST_DEVICE
  TLabel *
  operator+(TLabel element) const
  {
    return labels + (element - 1);
  }
};

/** Returns the root of `a`. If unions run concurrently, the result may be a former root: see "Stale parents" above. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline TLabel
Find(TParents parents, TLabel a)
{
  for (TLabel parent = Load(parents + a); parent != a; parent = Load(parents + a))
  {
    a = parent;
  }
  return a;
}

/** Links `a` to its root. No union may run concurrently. Many threads may compress concurrently, if each one has
 * another element. Race, allowed: a thread may read a parent before or after another thread replaces it. Both values
 * lead to the same root. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
Compress(TParents parents, TLabel a)
{
  Store(parents + a, Find(parents, a));
}

/** Links `a` to its root. On the way, it links `a` to each ancestor, so that other threads can start from there. The
 * rules for concurrent threads and the race are those of Compress(). */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
InlineCompress(TParents parents, TLabel a)
{
  const TLabel id = a;
  for (TLabel parent = Load(parents + a); parent != a; parent = Load(parents + a))
  {
    a = parent;
    Store(parents + id, a);
  }
}

/** Links `a` to its root by one of the two functions above. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
Compress(TParents parents, TLabel a, bool inlineCompression)
{
  if (inlineCompression)
  {
    InlineCompress(parents, a);
  }
  else
  {
    Compress(parents, a);
  }
}

/** Returns the root of `a`, and links each element on the way to its grandparent. So the next search takes half as many
 * steps. This is intermediate pointer jumping: Jaiganesh and Burtscher, "A High-Performance Connected Components
 * Implementation for GPUs", HPDC 2018, Section 3. Unions may run concurrently: AtomicMin never raises a parent. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline TLabel
FindHalving(TParents parents, TLabel a)
{
  TLabel parent = Load(parents + a);
  while (parent != a)
  {
    const TLabel grandparent = Load(parents + parent);
    if (grandparent == parent)
    {
      break;
    }
    AtomicMin(parents + a, grandparent);
    a = parent;
    parent = grandparent;
  }
  return parent;
}

/** Links `a` to its root, which FindHalving finds. Writes nothing if `a` is linked to its root already. The rules for
 * concurrent threads and the race are those of Compress(). */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
CompressHalving(TParents parents, TLabel a)
{
  const TLabel parent = Load(parents + a);
  const TLabel root = FindHalving(parents, parent);
  if (root != parent)
  {
    AtomicMin(parents + a, root);
  }
}

/** Joins the trees of `a` and `b`. Finds roots by FindHalving if VHalving, else by Find.
 *
 * Many threads may unite concurrently. Race, allowed: a thread may find a root that another thread links before it can.
 * The atomic minimum returns the parent that it replaces. So the thread notices the race, and joins the trees that are
 * still separate.
 *
 * The function must not be inlined. At a call, the threads of a warp converge. If it is inlined, they stay diverged
 * from one neighbor to the next, and merging takes 2 to 3 times as long. */
template <bool VHalving, typename TLabel, typename TParents>
CCL_NOINLINE
CCL_HOST_DEVICE
inline void
UnionBy(TParents parents, TLabel a, TLabel b)
{
  for (;;)
  {
    a = VHalving ? FindHalving(parents, a) : Find(parents, a);
    b = VHalving ? FindHalving(parents, b) : Find(parents, b);
    if (a == b)
    {
      return;
    }
    const TLabel low = a < b ? a : b;
    const TLabel high = a < b ? b : a;
    const TLabel old = AtomicMin(parents + high, low);
    if (old == high)
    {
      return;
    }
    // Another thread linked `high` to `old` first. So `old` must be joined with `low`.
    a = old;
    b = low;
  }
}

/** Joins the trees of `a` and `b`, as in the paper. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
Union(TParents parents, TLabel a, TLabel b)
{
  UnionBy<false>(parents, a, b);
}

/** Joins the trees of `a` and `b` with FindHalving. Trees stay low even if many are joined concurrently. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
UnionHalving(TParents parents, TLabel a, TLabel b)
{
  UnionBy<true>(parents, a, b);
}

/** Joins the trees of `a` and `b` by Rem's algorithm with splicing: Patwary, Blair and Manne, "Experiments on
 * Union-Find Algorithms for the Disjoint-Set Data Structure", SEA 2010, Section 2. It walks up both trees at once, and
 * only until they meet. On the way, it links the element with the higher parent to the lower parent, which is in the
 * other tree. Many calls may run concurrently, because each call then joins the replaced parent with the new parent.
 *
 * Example: 7 -> 4 -> 1 and 6 -> 2, union of 7 and 6. The parents are 4 and 2, so 7 gets parent 2, and 4 and 2 are still
 * to be joined. Their parents are 1 and 2 (2 is a root), so 2 gets parent 1: 7 -> 2 -> 1, 4 -> 1 and 6 -> 2. */
template <typename TLabel, typename TParents>
CCL_NOINLINE
CCL_HOST_DEVICE
inline void
UnionSplicing(TParents parents, TLabel a, TLabel b)
{
  for (;;)
  {
    const TLabel parentOfA = Load(parents + a);
    const TLabel parentOfB = Load(parents + b);
    if (parentOfA == parentOfB)
    {
      return;
    }
    const TLabel high = parentOfA < parentOfB ? b : a;
    const TLabel lowParent = parentOfA < parentOfB ? parentOfA : parentOfB;
    const TLabel old = AtomicMin(parents + high, lowParent);
    if (old == high || old == lowParent)
    {
      return;
    }
    a = old;
    b = lowParent;
  }
}

/** Does the same for trees that only the calling thread uses. So it needs no atomic operations. Returns whether the
 * trees were separate. */
template <typename TLabel>
inline bool
UnionSplicingAlone(TLabel * parents, TLabel a, TLabel b)
{
  for (;;)
  {
    TLabel high = parents[a];
    TLabel low = parents[b];
    if (high == low)
    {
      return false;
    }
    if (high < low)
    {
      std::swap(a, b);
      std::swap(high, low);
    }
    parents[a] = low;
    if (a == high)
    {
      return true;
    }
    a = high;
  }
}

} // namespace itk::ccl

#endif
