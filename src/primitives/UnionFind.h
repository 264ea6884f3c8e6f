// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_UnionFind_h
#define ccl_primitives_UnionFind_h

// Union-find on an array of parents that many threads change at once.
// Allegretti, Bolelli and Grana, "Optimized Block-Based Algorithms to Label Connected Components on GPUs", IEEE TPDS
// 31(2), 2020, Algorithm 1. Union is that of Oliveira and Lotufo, SIBGRAPI 2010.
//
// parents[a] <= a always holds and a root is its own parent, so that the root of a tree is its lowest element.
// `parents` is a pointer, or what gives the address of a's parent as `parents + a`.

#include "primitives/Atomics.h"

namespace itk::ccl
{

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

/** Links `a` to its root. No union may run at the same time. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
Compress(TParents parents, TLabel a)
{
  Store(parents + a, Find(parents, a));
}

/** As Compress, but every step up the tree is published, for other threads to start from. */
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

/** As Find, but links what lies on the way to its grandparents, for the next to walk half as far: intermediate pointer
 * jumping, Jaiganesh and Burtscher, "A High-Performance Connected Components Implementation for GPUs", HPDC 2018,
 * Section 3. Unions may run at the same time; parents never rise. */
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

/** As Compress, with FindHalving. Writes nothing where `a` is linked to its root. */
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

/** Joins the trees of `a` and `b`.
 *
 * Not inlined, for the threads of a warp to meet again before and after it: inlined, their branches stay apart from one
 * neighbour to the next, and merging takes two to three times as long. */
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
    // Another thread linked `high` first: what it was linked to still has to be joined with `low`.
    a = old;
    b = low;
  }
}

/** The paper's. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
Union(TParents parents, TLabel a, TLabel b)
{
  UnionBy<false>(parents, a, b);
}

/** With FindHalving: trees stay low where many are joined at once. */
template <typename TLabel, typename TParents>
CCL_HOST_DEVICE
inline void
UnionHalving(TParents parents, TLabel a, TLabel b)
{
  UnionBy<true>(parents, a, b);
}

/** As Union, but walks up both trees at once, and only until they meet, and links what it leaves behind to the other
 * tree: Rem's algorithm with splicing, as in Patwary, Blair and Manne, "Experiments on Union-Find Algorithms for the
 * Disjoint-Set Data Structure", SEA 2010, Section 2. Many may run at the same time, as each goes on to join the parent
 * that it replaced with the one that it put in its place. */
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

} // namespace itk::ccl

#endif
