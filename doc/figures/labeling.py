# SPDX-License-Identifier: Apache-2.0
"""The example image of the figures, and a small implementation of the labeling by runs."""

from dataclasses import dataclass

import numpy as np

# A part of a scanning electron micrograph of pollen grains (1228 x 935
# pixels, public domain, Dartmouth Electron Microscope Facility): rows 250 to
# 259, columns 1159 to 1182. '#' is a pixel above 75, Otsu's threshold of the
# whole image.
EXAMPLE = """
.....................###
##...##.........###...##
##..####.###...####.....
...###.....#.####.......
...##.......#####.......
...........#####........
...........#####..#.....
...........####...###...
...........#############
........................
"""

# Two slices of a small volume, two rows each, made up for the glossary.
VOLUME = ("##..##....\n.#...#..#.", "#..#....#.\n.....#....")

WORD_SIZE = 8  # pixels of a word in the figures; the library has 32
FACE = 1  # rows of a row group of a plane under face connectivity
FULL = 2  # and under full connectivity


def parse(pattern):
    """Returns the pixels (2-D, bool) of a pattern of '#' and '.'."""
    return np.array([[c == "#" for c in row] for row in pattern.split()])


@dataclass(frozen=True)
class Run:
    """A maximal sequence of adjacent foreground columns of a row group."""

    group: int
    first: int
    last: int


@dataclass
class Labeling:
    """All results of labeling an image, step by step.

    Attributes
    ----------
    rows : int
        Rows of a row group.
    words : ndarray of int
        Bits of the rows, one word an element. Bit 0 is the leftmost pixel.
    columns : ndarray of int
        The same for the columns of the row groups.
    starts : ndarray of int
        The columns in which a run starts.
    offsets : ndarray of int
        Index of the first run that starts in each word or after it.
    runs : list of Run
        Runs in raster order.
    pairs : list of (int, int)
        Adjacent runs, the later run first.
    parents : dict of str to list of int
        The parents of the runs after each step.
    first_pixels : dict of int to int
        Raster index of the first pixel of each component, by its root.
    ranks : dict of int to int
        Rank of each component, by its root.
    run_labels : list of int
        Label of each run.
    labels : ndarray of int
        Label of each pixel, 0 for background.
    """

    rows: int
    words: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    offsets: np.ndarray
    runs: list
    pairs: list
    parents: dict
    first_pixels: dict
    ranks: dict
    run_labels: list
    labels: np.ndarray


def pack(pixels):
    """Packs each row of pixels to words of WORD_SIZE bits.

    Parameters
    ----------
    pixels : ndarray of bool
        Rows of pixels.

    Returns
    -------
    ndarray of int
        Rows of words. A row takes whole words.
    """
    height, width = pixels.shape
    word_count = -(-width // WORD_SIZE)
    padded = np.zeros((height, word_count * WORD_SIZE), dtype=int)
    padded[:, :width] = pixels
    bits = padded.reshape(height, word_count, WORD_SIZE)
    return (bits << np.arange(WORD_SIZE)).sum(axis=2)


def bits_of(words, width):
    """Returns the bits of rows of words, one an element."""
    bits = words[..., np.newaxis] >> np.arange(WORD_SIZE) & 1
    return bits.reshape(len(words), -1)[:, :width]


def columns_of(words, rows):
    """Returns the columns of row groups that have a foreground pixel."""
    missing = -len(words) % rows
    padded = np.pad(words, ((0, missing), (0, 0)))
    groups = padded.reshape(-1, rows, words.shape[1])
    return np.bitwise_or.reduce(groups, axis=1)


def starts_of(columns):
    """Returns the columns that have no foreground column before them."""
    before = np.zeros_like(columns)
    before[:, 1:] = columns[:, :-1] >> (WORD_SIZE - 1)
    return columns & ~(columns << 1 | before)


def exclusive_scan(counts):
    """Returns the sum of all values before each value, in raster order."""
    flat = counts.ravel()
    return (np.cumsum(flat) - flat).reshape(counts.shape)


def find_runs(columns, starts, width):
    """Returns the runs of row groups, in raster order."""
    bits = bits_of(columns, width)
    runs = []
    for group, first in np.argwhere(bits_of(starts, width)):
        gaps = np.flatnonzero(bits[group, first:] == 0)
        last = first + gaps[0] - 1 if len(gaps) else width - 1
        runs.append(Run(int(group), int(first), int(last)))
    return runs


def find_pairs(pixels, runs, rows):
    """Finds adjacent runs of two successive row groups.

    Only the rows that face each other can have neighboring pixels: the last
    row of a row group and the first row of the next row group.

    Returns
    -------
    list of (int, int)
        The later run and the earlier run, in raster order.
    """
    reach = 0 if rows == FACE else 1
    pairs = []
    for i, run in enumerate(runs):
        for j, other in enumerate(runs[:i]):
            if other.group != run.group - 1:
                continue
            row = pixels[run.group * rows]
            other_row = pixels[run.group * rows - 1]
            if any(
                row[x] and other_row[other_x]
                for x in range(run.first, run.last + 1)
                for other_x in range(other.first, other.last + 1)
                if abs(x - other_x) <= reach
            ):
                pairs.append((i, j))
    return pairs


def find(parents, run):
    """Returns the root of a run."""
    while parents[run] != run:
        run = parents[run]
    return run


def link(run_count, pairs):
    """Links each run to the first earlier run that is adjacent, if any."""
    return [
        min((other for later, other in pairs if later == run), default=run)
        for run in range(run_count)
    ]


def compress(parents):
    """Links each run to its root."""
    return [find(parents, run) for run in range(len(parents))]


def unite(parents, pairs):
    """Joins the trees of adjacent runs (Rem's algorithm with splicing).

    The GPU unites all pairs in parallel, so their order is arbitrary. The
    figure takes the last pair first, because this order leaves some work for
    the compression.
    """
    parents = list(parents)
    for a, b in reversed(pairs):
        while parents[a] != parents[b]:
            high = b if parents[a] < parents[b] else a
            low_parent = min(parents[a], parents[b])
            old = parents[high]
            parents[high] = low_parent
            if old in (high, low_parent):
                break
            a, b = old, low_parent
    return parents


def find_first_pixels(pixels, runs, parents, rows):
    """Returns the raster index of each component's first pixel, by root."""
    first_pixels = {}
    for run, root in zip(runs, parents):
        begin = run.group * rows
        part = np.zeros_like(pixels)
        part[begin:begin + rows, run.first:run.last + 1] = True
        pixel = int(np.flatnonzero(part & pixels)[0])
        first_pixels[root] = min(first_pixels.get(root, pixel), pixel)
    return first_pixels


def run_of(labeling, x, y):
    """Returns the number of the run that has a foreground pixel."""
    group, word = y // labeling.rows, x // WORD_SIZE
    through = (2 << x % WORD_SIZE) - 1
    started = int(labeling.starts[group, word]) & through
    return int(labeling.offsets[group, word]) + bin(started).count("1") - 1


def write_labels(labeling, pixels):
    """Writes the label of each run to its pixels."""
    labels = np.zeros(pixels.shape, dtype=int)
    for y, x in np.argwhere(pixels):
        labels[y, x] = labeling.run_labels[run_of(labeling, int(x), int(y))]
    return labels


def label_image(pixels, rows):
    """Labels an image by its runs.

    Parameters
    ----------
    pixels : ndarray of bool
        Rows of pixels.
    rows : int
        Rows of a row group: FACE or FULL.

    Returns
    -------
    Labeling
        The results of all steps.
    """
    width = pixels.shape[1]
    words = pack(pixels)
    columns = columns_of(words, rows)
    starts = starts_of(columns)
    bits = bits_of(starts, None).reshape(*starts.shape, WORD_SIZE)
    runs = find_runs(columns, starts, width)
    pairs = find_pairs(pixels, runs, rows)
    parents = {"link": link(len(runs), pairs)}
    parents["compress"] = compress(parents["link"])
    parents["unite"] = unite(parents["compress"], pairs)
    parents["roots"] = compress(parents["unite"])
    first_pixels = find_first_pixels(pixels, runs, parents["roots"], rows)
    order = sorted(first_pixels, key=first_pixels.get)
    ranks = {root: rank for rank, root in enumerate(order)}
    labeling = Labeling(
        rows=rows,
        words=words,
        columns=columns,
        starts=starts,
        offsets=exclusive_scan(bits.sum(axis=2)),
        runs=runs,
        pairs=pairs,
        parents=parents,
        first_pixels=first_pixels,
        ranks=ranks,
        run_labels=[ranks[root] + 1 for root in parents["roots"]],
        labels=np.empty(0),
    )
    labeling.labels = write_labels(labeling, pixels)
    return labeling


def flood_fill(pixels, rows):
    """Labels an image by flood fill, in the order of first pixels."""
    height, width = pixels.shape
    labels = np.zeros(pixels.shape, dtype=int)
    count = 0
    for seed in map(tuple, np.argwhere(pixels)):
        if labels[seed]:
            continue
        count += 1
        labels[seed] = count
        stack = [seed]
        while stack:
            y, x = stack.pop()
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    at = y + dy, x + dx
                    if (
                        (rows == FULL or dy == 0 or dx == 0)
                        and 0 <= at[0] < height
                        and 0 <= at[1] < width
                        and pixels[at]
                        and not labels[at]
                    ):
                        labels[at] = count
                        stack.append(at)
    return labels


def check(pixels, rows):
    """Asserts that the steps give the labels of a flood fill."""
    labeling = label_image(pixels, rows)
    assert np.array_equal(labeling.labels, flood_fill(pixels, rows))
    roots = labeling.parents["roots"]
    for root in set(roots):
        assert root == roots.index(root), "a root is the lowest run"
    for parents in labeling.parents.values():
        assert all(parent <= run for run, parent in enumerate(parents))
    if rows == FACE:
        # The root has the first pixel, so ranks are in the order of roots.
        assert sorted(labeling.ranks) == list(labeling.ranks)


def check_all():
    """Asserts the labels of the example and of random images."""
    generator = np.random.default_rng(1)
    images = [parse(EXAMPLE)]
    for density in (0.1, 0.3, 0.5, 0.7, 0.9):
        for height, width in ((1, 1), (2, 9), (7, 16), (12, 29), (15, 40)):
            images.append(generator.random((height, width)) < density)
    for pixels in images:
        check(pixels, FACE)
        check(pixels, FULL)

    # What the text of the figures says of the example.
    pixels = images[0]
    width = pixels.shape[1]
    face, full = label_image(pixels, FACE), label_image(pixels, FULL)
    assert (len(face.ranks), len(full.ranks)) == (5, 4)
    in_second_row = [p // width % 2 == 1 for p in full.first_pixels.values()]
    assert any(in_second_row)
    assert sorted(full.ranks) != list(full.ranks), "ranks differ from roots"
    steps = list(full.parents.values())
    assert all(a != b for a, b in zip(steps, steps[1:])), "each step works"
