#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the decision tree of C_BBDT and the decision graph of C_DRAG. Takes 15 seconds.

    make-decision-trees.py            writes gallery/BlockDecisionTree.h and BlockDecisionGraph.h
    make-decision-trees.py --check    makes them, but only compares: exits with 1 if they differ

The tree decides which of the four earlier blocks P, Q, R and S to unite with a block X. A test
asks whether a pixel of this mask is foreground:

    .  b | c  d | e  .      P | Q | R
    g  h | i  j | k  .
    -----+------+-----
    m  n | o  p |           S | X
    .  r | s  . |

The pixel below p has no neighbor in the four blocks, so no test asks for it.

Other threads unite the blocks of the mask that are connected to each other in the mask. So X
needs one union for all of them. A set of blocks is right for a mask if its blocks are adjacent to
X, and it has one block of each group: adjacent blocks that are connected to each other in the
mask. Several sets are right if a group has several blocks. This is the OR-decision table of Grana,
Borghesani and Cucchiara, "Optimized Block-Based Connected Components Labeling With Decision
Trees", IEEE TIP 19(6), 2010.

The tree is optimal: if all masks are equally likely, no other tree for the table needs fewer tests
on average. No tree that needs as few tests has fewer nodes. The search is dynamic programming, as
in Grana, Montangero and Borghesani, "Optimal Decision Trees for Local Image Processing
Algorithms", Pattern Recognition Letters 33(16), 2012: the best tree for a part of the table has
some pixel at its root, and the best trees for the two halves below. The table has 3 to the power
of 15 such parts. The script merges equal parts, and drops a pixel that has no effect in a part.
Then 170,000 parts are left.

The graph is the tree after equivalent subtrees are merged. Equivalent subtrees ask for the same
pixels, and have a right set in common at each leaf: Bolelli, Baraldi, Cancilla and Grana,
"Connected Components Labeling on DRAGs", ICPR 2018. The leaf of a mask without background keeps its
set. It is the leaf of most blocks in large objects, and merging would give it a slower set.
"""

import pathlib
import sys
import textwrap

# If several pixels are equally good at a node, the first one is taken. The order makes the graph
# small.
PIXELS = "srponmkjihgedcb"
# If several sets are right, the first one in SETS is chosen. So Q is preferred, and S is avoided: X
# and S belong to neighboring threads of a warp, and rows of such unions are slow.
BLOCKS = "QPRS"

# X is adjacent to a block if it has a foreground pixel of the second string, and the block has one
# of the first string.
ADJACENT_TO_X = {"P": ("h", "o"), "Q": ("ij", "op"), "R": ("k", "p"), "S": ("nr", "os")}
# The same for two blocks of the mask. Other pairs of blocks have no neighboring pixels.
ADJACENT = {"PQ": ("bh", "ci"), "QR": ("dj", "ek"), "PS": ("gh", "mn"), "QS": ("i", "n")}

SETS = ["".join(b for i, b in enumerate(BLOCKS) if n >> i & 1) for n in range(1 << len(BLOCKS))]

SCRIPT = "scripts/make-decision-trees.py"
GALLERY = pathlib.Path(__file__).resolve().parent.parent / "gallery"


def right_sets(foreground):
    """
    Return the sets of blocks that are right for a mask.

    Parameters
    ----------
    foreground : set of str
        The foreground pixels of the mask.

    Returns
    -------
    int
        Bit i tells whether SETS[i] is right.
    """

    def are_adjacent(sides):
        return all(foreground.intersection(side) for side in sides)

    component = {block: block for block in BLOCKS}  # the components of the mask
    for (first, second), sides in ADJACENT.items():
        if are_adjacent(sides):
            old, new = component[second], component[first]
            component = {b: new if c == old else c for b, c in component.items()}
    adjacent = {block for block, sides in ADJACENT_TO_X.items() if are_adjacent(sides)}
    groups = sorted({component[block] for block in adjacent})
    return sum(
        1 << i
        for i, blocks in enumerate(SETS)
        if adjacent.issuperset(blocks) and sorted(component[b] for b in blocks) == groups
    )


class TreeSearch:
    """
    The search for the best tree.

    A part of the table is a bytes object: element i is the number of the right sets for the mask
    with index i. Bit j of i is pixel j of a list of pixels. All pixels of the list are free in this
    part.

    A tree is a leaf or a node. A leaf is an int: the right sets as in right_sets(). A node is a
    tuple: the pixel, the tree for a background pixel and the tree for a foreground pixel.

    Parameters
    ----------
    table : list of int
        The right sets for each mask, as in right_sets().
    """

    def __init__(self, table):
        self.values = sorted(set(table))
        self.root = bytes(map(self.values.index, table))
        self.costs = {}

    def make_tree(self):
        """
        Return the best tree for the whole table.

        Returns
        -------
        tuple
            The tree.
        float
            The average number of tests.
        """
        return self._tree(self.root, PIXELS), self._cost(self.root)[0]

    def _common(self, part):
        """Return the sets that are right for all masks of a part."""
        common = -1
        for value in set(part):
            common &= self.values[value]
        return common

    @staticmethod
    def _halves(part, pixel):
        """Return the half with a background pixel and the half with a foreground pixel."""
        width = 1 << pixel
        starts = range(0, len(part), 2 * width)
        background = b"".join([part[i : i + width] for i in starts])
        foreground = b"".join([part[i + width : i + 2 * width] for i in starts])
        return background, foreground

    def _cost(self, part):
        """
        Return the cost of the best tree for a part.

        Parameters
        ----------
        part : bytes
            The part.

        Returns
        -------
        float
            The average number of tests.
        int
            The number of nodes.
        int
            The index of the pixel at the root, or -1 for a leaf.
        """
        cost = self.costs.get(part)
        if cost is None:
            cost = self.costs[part] = self._find_cost(part)
        return cost

    def _find_cost(self, part):
        """Find the result of _cost()."""
        if self._common(part):
            return 0, 0, -1
        all_halves = [self._halves(part, pixel) for pixel in range(len(part).bit_length() - 1)]
        for pixel, (background, foreground) in enumerate(all_halves):
            if background == foreground:  # The pixel has no effect.
                tests, nodes, root = self._cost(background)
                return tests, nodes, root + (root >= pixel)
        choices = []
        for pixel, halves in enumerate(all_halves):
            (tests0, nodes0, _), (tests1, nodes1, _) = map(self._cost, halves)
            choices.append((1 + (tests0 + tests1) / 2, 1 + nodes0 + nodes1, pixel))
        return min(choices)

    def _tree(self, part, pixels):
        """Return the best tree for a part with a list of pixels."""
        root = self._cost(part)[2]
        if root < 0:
            return self._common(part)
        others = pixels[:root] + pixels[root + 1 :]
        return (pixels[root], *(self._tree(half, others) for half in self._halves(part, root)))


def is_leaf(tree):
    """Return whether a tree is a leaf."""
    return isinstance(tree, int)


def count_nodes(tree):
    """Return the number of nodes of a tree. Leaves do not count."""
    return 0 if is_leaf(tree) else 1 + count_nodes(tree[1]) + count_nodes(tree[2])


def count_tests(tree):
    """Return the highest number of tests that a tree takes for a mask."""
    return 0 if is_leaf(tree) else 1 + max(count_tests(tree[1]), count_tests(tree[2]))


def subtrees(tree):
    """Return the different subtrees of a tree, the largest first."""
    found = {tree: None}
    if not is_leaf(tree):
        for branch in (tree[2], tree[1]):
            found.update(dict.fromkeys(subtrees(branch)))
    return sorted(found, key=count_nodes, reverse=True)


def shape(tree):
    """Return a tree without the right sets of its leaves."""
    return None if is_leaf(tree) else (tree[0], shape(tree[1]), shape(tree[2]))


def intersect(first, second):
    """
    Return the tree with the right sets that two trees have in common.

    Parameters
    ----------
    first, second : tuple or int
        Trees of the same shape.

    Returns
    -------
    tuple, int or None
        The tree, or None if the trees are not equivalent.
    """
    if is_leaf(first):
        return first & second or None
    branches = [intersect(*pair) for pair in zip(first[1:], second[1:])]
    return None if None in branches else (first[0], *branches)


def replace(tree, replacements):
    """Return a tree after some of its subtrees are replaced."""
    if tree in replacements:
        return replacements[tree]
    return tree if is_leaf(tree) else (tree[0], *(replace(b, replacements) for b in tree[1:]))


def choose_set(leaf):
    """Return the first right set of a leaf."""
    return next(blocks for i, blocks in enumerate(SETS) if leaf >> i & 1)


def fix_last_leaf(tree):
    """Return a tree whose leaf for a mask without background has only one right set."""
    if is_leaf(tree):
        return 1 << SETS.index(choose_set(tree))
    return (*tree[:2], fix_last_leaf(tree[2]))


def merge_equivalent(tree):
    """
    Make equivalent subtrees of a tree equal, the largest first.

    Parameters
    ----------
    tree : tuple
        The tree.

    Returns
    -------
    tuple
        A tree with the same tests and with fewer different subtrees.
    """
    for size in range(count_nodes(tree), -1, -1):
        by_shape = {}  # for each shape, lists of [merged tree, its subtrees]
        for subtree in subtrees(tree):
            if count_nodes(subtree) == size:
                candidates = by_shape.setdefault(shape(subtree), [])
                for candidate in candidates:
                    merged = intersect(candidate[0], subtree)
                    if merged is not None:
                        candidate[0] = merged
                        candidate[1].append(subtree)
                        break
                else:
                    candidates.append([subtree, [subtree]])
        merges = [candidate for candidates in by_shape.values() for candidate in candidates]
        tree = replace(tree, {old: merged for merged, olds in merges for old in olds})
    return tree


def verify(tree, table):
    """Raise a RuntimeError if a tree chooses a wrong set for some mask."""
    for mask, right in enumerate(table):
        branch = tree
        while not is_leaf(branch):
            branch = branch[1 + (mask >> PIXELS.index(branch[0]) & 1)]
        if not right >> SETS.index(choose_set(branch)) & 1:
            raise RuntimeError(f"the set for mask {mask} is wrong")


class Code:
    """
    The C++ code of a tree or a graph.

    Parameters
    ----------
    tree : tuple
        The tree.
    shared : list
        The subtrees that get a label. A goto leads to each of them.
    """

    def __init__(self, tree, shared=()):
        self.labels = {subtree: f"Shared{n}" for n, subtree in enumerate(shared, 1)}
        self.lines = []
        self._append_tree(tree, 4)
        for subtree, label in self.labels.items():
            self.lines += ["", f"  {label}:"]
            self._append_tree(subtree, 4)

    def __str__(self):
        return "\n".join(self.lines)

    def _append_branch(self, tree, indent):
        """Append the code of a branch: a goto or a tree."""
        if tree in self.labels:
            self.lines.append(f"{' ' * indent}goto {self.labels[tree]};")
        else:
            self._append_tree(tree, indent)

    def _append_tree(self, tree, indent):
        """Append the code of a tree."""
        space = " " * indent
        if is_leaf(tree):
            self.lines.append(f"{space}return {self._value(tree)};")
            return
        pixel, background, foreground = tree
        if is_leaf(background) and is_leaf(foreground):
            values = f"{self._value(foreground)} : {self._value(background)}"
            self.lines.append(f"{space}return mask.{pixel}() ? {values};")
            return
        self.lines += [f"{space}if (mask.{pixel}())", space + "{"]
        self._append_branch(foreground, indent + 2)
        self.lines.append(space + "}")
        self._append_branch(background, indent)

    @staticmethod
    def _value(leaf):
        """Return the expression for a leaf."""
        return " | ".join(sorted(choose_set(leaf))) or "Nothing"


def make_header(name, about, code):
    """
    Return the text of a header file.

    Parameters
    ----------
    name : str
        The name of the struct and of the file, without ".h".
    about : str
        A comment. White space is one space.
    code : Code
        The body of the function.

    Returns
    -------
    str
        The text.
    """
    comment = f"Made by {SCRIPT}, which describes the method. Do not edit this file. {about}"
    return f"""\
// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_gallery_{name}_h
#define ccl_gallery_{name}_h

{textwrap.fill(" ".join(comment.split()), 120, initial_indent="// ", subsequent_indent="// ")}

#include "gallery/BlockMask.h"

namespace itk::ccl::gallery
{{

struct {name} : EarlierBlocks
{{
  /** Returns the set of the earlier blocks to unite with a block. `mask` is like a BlockMask. */
  template <typename TMask>
  CCL_HOST_DEVICE
  static unsigned int
  ChooseBlocks(const TMask & mask)
  {{
{code}
  }}
}};

}} // namespace itk::ccl::gallery

#endif
"""


def make_headers():
    """
    Make both header files.

    Returns
    -------
    dict
        The text of each file, by name.
    """
    masks = ({p for j, p in enumerate(PIXELS) if i >> j & 1} for i in range(1 << len(PIXELS)))
    table = [right_sets(mask) for mask in masks]
    tree, tests = TreeSearch(table).make_tree()
    verify(tree, table)
    merged = merge_equivalent(fix_last_leaf(tree))
    verify(merged, table)

    nodes = [subtree for subtree in subtrees(merged) if not is_leaf(subtree)]
    branches = [branch for node in nodes for branch in node[1:]]
    shared = [node for node in nodes if branches.count(node) > 1]
    numbers = f"""It takes up to {count_tests(tree)} tests, and {tests:.3f} tests on average if all
        masks are equally likely."""
    about_tree = f"""The decision tree of C_BBDT: see BbdtOnGpu.h. It has {count_nodes(tree)}
        nodes. {numbers} This is the lowest possible average."""
    about_graph = f"""The decision graph of C_DRAG: see DragOnGpu.h. It is the tree of
        BlockDecisionTree.h after equivalent subtrees are merged. It has {len(nodes)} nodes.
        {numbers} A goto leads to each of the {len(shared)} nodes with several parents."""
    return {
        f"{name}.h": make_header(name, about, code)
        for name, about, code in (
            ("BlockDecisionTree", about_tree, Code(tree)),
            ("BlockDecisionGraph", about_graph, Code(merged, shared)),
        )
    }


def main(arguments):
    """Write or compare the files. Return the exit status."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    for name, text in make_headers().items():
        path = GALLERY / name
        if not arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"gallery/{name} differs from the output of {SCRIPT}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
