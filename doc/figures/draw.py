#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of doc/how-it-works.md and doc/glossary.md.

    draw.py [PICTURES]     writes PNG files to a folder (default: doc/images)

Needs numpy and matplotlib, and no data. The script labels a small image with
the steps of the library, and compares the labels with a flood fill. All runs,
parents, ranks and labels in the figures come from this computation.
"""

import io
import pathlib
import sys
from dataclasses import dataclass

import numpy as np

import matplotlib

matplotlib.use("Agg")
import matplotlib.patches as patches  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.path import Path  # noqa: E402
from PIL import Image  # noqa: E402 (matplotlib depends on Pillow)

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


# --- The algorithm -----------------------------------------------------------


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


# --- Drawing -----------------------------------------------------------------

DPI = 110
WIDTH = 900  # pixels of a figure
COLOR_COUNT = 256  # colors of a PNG file
CELL = 16  # pixels of the figure for a pixel of the example

# The palette of Okabe and Ito, which color-blind readers can tell apart.
BLUE, GREEN = "#0072B2", "#009E73"
ORANGE, VERMILION, PURPLE = "#E69F00", "#D55E00", "#CC79A7"
YELLOW = "#F0E442"
INK, FAINT, GREY, LINE = "#222222", "#555555", "#8C8C8C", "#D5D5D5"
FOREGROUND = "#A6A6A6"
PALE = {BLUE: "#D6E9F5", ORANGE: "#FBE9C6", GREEN: "#CDEBE1"}
LABEL_COLORS = {0: "white", 1: "#F4C58A", 2: "#A9D6F5", 3: "#9ADBC3",
                4: "#E3B4CF"}

DARK = {ORANGE: "#8A5A00", GREEN: "#00694D", PURPLE: "#A34B7C"}  # for text

SMALL, NORMAL, LARGE = 7.5, 8.5, 10.5


class Canvas:
    """A figure in which all positions are in pixels, from the top left."""

    def __init__(self, height):
        self.figure = plt.figure(figsize=(WIDTH / DPI, height / DPI), dpi=DPI)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, WIDTH), ylim=(height, 0))
        self.axes.axis("off")

    def text(self, x, y, text, **options):
        options = {"ha": "center", "va": "center_baseline", "color": INK,
                   "fontsize": NORMAL, "zorder": 6} | options
        return self.axes.text(x, y, text, **options)

    def title(self, x, y, text, subtitle=""):
        """Writes a title, and a subtitle to the right of it."""
        title = self.text(x, y, text, ha="left", va="baseline",
                          fontsize=LARGE, fontweight="bold")
        self.text(title.get_window_extent().x1 + 12, y, subtitle, ha="left",
                  va="baseline", color=FAINT)

    def note(self, x, y, *lines, **options):
        """Writes lines of text, to the right of x and from y downwards."""
        for i, line in enumerate(lines):
            self.text(x, y + 17 * i, line, **({"ha": "left"} | options))

    def box(self, x, y, width, height, face="none", edge="none", line=1,
            radius=0, order=2):
        style = "square,pad=0"
        if radius:
            style = f"round,pad=0,rounding_size={radius}"
        self.axes.add_patch(patches.FancyBboxPatch(
            (x, y), width, height, boxstyle=style, facecolor=face,
            edgecolor=edge, linewidth=line, zorder=order))

    def line(self, *points, color=INK, width=1, order=4, dashed=False):
        self.axes.plot(*zip(*points), color=color, linewidth=width,
                       zorder=order, linestyle="--" if dashed else "-",
                       solid_capstyle="butt")

    def arrow(self, begin, end, color=INK, width=1.4, bend=0, shrink=0,
              order=4, size=10):
        self.axes.add_patch(patches.FancyArrowPatch(
            begin, end, arrowstyle="-|>", mutation_scale=size, color=color,
            linewidth=width, shrinkA=shrink, shrinkB=shrink, zorder=order,
            connectionstyle=f"arc3,rad={bend}"))

    def polygon(self, points, face, edge, line=0.8, order=2):
        self.axes.add_patch(patches.PathPatch(
            Path([*points, points[0]], closed=True), facecolor=face,
            edgecolor=edge, linewidth=line, zorder=order,
            joinstyle="round"))

    def badge(self, x, y, text, color=INK, face="white", radius=7.5,
              line=0.9, bold=False, order=5):
        self.axes.add_patch(patches.Circle(
            (x, y), radius, facecolor=face, edgecolor=color, linewidth=line,
            zorder=order))
        self.text(x, y, text, fontsize=SMALL, zorder=order + 1,
                  fontweight="bold" if bold else "normal")

    def save(self, path):
        """Writes a PNG file. A palette makes the file small."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, facecolor="white")
        plt.close(self.figure)
        image = Image.open(buffer).convert("RGB")
        image = image.quantize(COLOR_COUNT, dither=Image.Dither.NONE)
        image.save(path, optimize=True)


def draw_grid(canvas, left, top, pixels, color=FOREGROUND, ticks=True):
    """Draws the pixels of an image, and the numbers of rows and columns."""
    height, width = pixels.shape
    for y, x in np.ndindex(height, width):
        canvas.box(left + x * CELL, top + y * CELL, CELL, CELL,
                   face=color if pixels[y, x] else "white", edge=LINE,
                   line=0.6, order=1)
    canvas.box(left, top, width * CELL, height * CELL, edge=GREY, order=3)
    if ticks:
        for x in range(0, width, WORD_SIZE):
            canvas.text(left + (x + 0.5) * CELL, top - 8, str(x),
                        fontsize=SMALL, color=FAINT)
        for y in range(height):
            canvas.text(left - 9, top + (y + 0.5) * CELL, str(y),
                        fontsize=SMALL, color=FAINT)


def draw_run(canvas, left, top, run, rows, edge=BLUE, face="none"):
    """Draws the outline of a run."""
    canvas.box(left + run.first * CELL + 1, top + run.group * rows * CELL + 1,
               (run.last - run.first + 1) * CELL - 2, rows * CELL - 2,
               edge=edge, face=face, line=1.5, radius=5, order=3)


def draw_first_pixels(canvas, left, top, labeling, width):
    """Fills the first pixels of all components."""
    for pixel in labeling.first_pixels.values():
        canvas.box(left + pixel % width * CELL + 2,
                   top + pixel // width * CELL + 2, CELL - 4, CELL - 4,
                   face=VERMILION, order=4)


def draw_bits(path):
    """Draws the packing of pixels to bits."""
    pixels = parse(EXAMPLE)
    height, width = pixels.shape
    words = pack(pixels)
    canvas = Canvas(274)
    left, right, top = 34, 500, 62
    canvas.title(left, 24, "Pixels", f"{width} x {height}")
    canvas.title(right, 24, "Bits", "one bit for each pixel")
    draw_grid(canvas, left, top, pixels)
    bits = bits_of(words, width)
    for y, x in np.ndindex(height, width):
        at = right + x * CELL, top + y * CELL
        canvas.box(*at, CELL, CELL, face="#E3E3E3" if bits[y, x] else "white",
                   order=1)
        canvas.text(at[0] + CELL / 2, at[1] + CELL / 2, str(bits[y, x]),
                    fontsize=SMALL, color=INK if bits[y, x] else "#999999",
                    fontweight="bold" if bits[y, x] else "normal")
    for y, x in np.ndindex(words.shape):
        for side in (left, right):
            canvas.box(side + x * WORD_SIZE * CELL, top + y * CELL,
                       WORD_SIZE * CELL, CELL, edge=BLUE, line=1.3, order=4)
    middle = top + height * CELL / 2
    end = left + width * CELL
    canvas.arrow((end + 12, middle), (right - 12, middle), size=14, width=2)
    canvas.text((end + right) / 2, middle - 14, "pack")
    canvas.box(left, 238, 20, 12, edge=BLUE, line=1.3)
    canvas.note(left + 28, 244,
                f"word: {WORD_SIZE} pixels of a row in this figure, 32 pixels"
                " in the library. A row takes whole words.",
                f"A foreground pixel (grey) becomes 1. The {pixels.size} "
                f"pixels take {words.size} words of {WORD_SIZE} bits, so "
                f"{words.size * WORD_SIZE // 8} bytes.")
    canvas.save(path)


def draw_numbering(canvas, labeling, width, group, left, top):
    """Draws how the runs of one row group get their numbers."""
    cell, row_height = 26, 21
    y = group * FULL
    rows = bits_of(labeling.words[y:y + FULL], width)
    columns = bits_of(labeling.columns[group:group + 1], width)[0]
    starts = bits_of(labeling.starts[group:group + 1], width)[0]
    words = labeling.starts[group]
    counts = [bin(int(word)).count("1") for word in words]

    def cells(row, name, values, face):
        at = top + row * row_height
        canvas.text(left - 12, at + row_height / 2, name, ha="right")
        for x, value in enumerate(values):
            canvas.box(left + x * cell, at, cell, row_height - 3,
                       face=face if value not in (0, "") else "white",
                       edge=LINE, line=0.6, order=1)
            canvas.text(left + (x + 0.5) * cell, at + row_height / 2 - 1.5,
                        str(value), fontsize=SMALL,
                        color=INK if value != 0 else "#AAAAAA")

    def word_cells(row, name, values):
        at = top + row * row_height
        canvas.text(left - 12, at + row_height / 2, name, ha="right")
        for x, value in enumerate(values):
            canvas.box(left + x * WORD_SIZE * cell, at, WORD_SIZE * cell,
                       row_height - 3, face=PALE[ORANGE], edge=LINE,
                       line=0.6, order=1)
            canvas.text(left + (x + 0.5) * WORD_SIZE * cell,
                        at + row_height / 2 - 1.5, str(value))

    cells(0, f"row {y}", rows[0], "#E3E3E3")
    cells(1, f"row {y + 1}", rows[1], "#E3E3E3")
    cells(2, f"columns: row {y} or row {y + 1}", columns, PALE[BLUE])
    cells(3, "starts: first columns of runs", starts, PALE[BLUE])
    word_cells(4, "starts in each word", counts)
    word_cells(5, "offset: starts in all words before",
               labeling.offsets[group])
    numbers = [run_of(labeling, x, y) if columns[x] else ""
               for x in range(width)]
    cells(6, "run of each column", numbers, PALE[GREEN])
    for x in range(len(words)):
        canvas.box(left + x * WORD_SIZE * cell, top - 1.5, WORD_SIZE * cell,
                   7 * row_height, edge=BLUE, line=1.3, order=4)
    return top + 7 * row_height


def draw_runs(path):
    """Draws the runs of rows and of row groups, and their numbers."""
    pixels = parse(EXAMPLE)
    height, width = pixels.shape
    face, full = label_image(pixels, FACE), label_image(pixels, FULL)
    canvas = Canvas(528)
    left, right, top = 34, 500, 62
    for side, labeling, name in ((left, face, "Face connectivity"),
                                 (right, full, "Full connectivity")):
        canvas.title(side, 24, name, f"{len(labeling.runs)} runs, "
                     f"{len(labeling.ranks)} components")
        draw_grid(canvas, side, top, pixels, ticks=labeling is face)
        draw_first_pixels(canvas, side, top, labeling, width)
        for number, run in enumerate(labeling.runs):
            draw_run(canvas, side, top, run, labeling.rows)
            canvas.badge(
                side + (run.last + 0.5) * CELL,
                top + (run.group + 0.5) * labeling.rows * CELL, number)
    for x in range(0, width, WORD_SIZE):
        canvas.text(right + (x + 0.5) * CELL, top - 8, str(x),
                    fontsize=SMALL, color=FAINT)
    for group in range(height // FULL):
        y = top + group * FULL * CELL
        canvas.line((right - 52, y), (right + width * CELL, y), width=1.3,
                    color=INK, order=3)
        canvas.text(right - 28, y + CELL, f"group {group}", fontsize=SMALL)
    canvas.line((right - 52, top + height * CELL),
                (right + width * CELL, top + height * CELL), width=1.3,
                color=INK, order=3)

    y = 242
    canvas.box(left, y - 6, 12, 12, face=FOREGROUND)
    canvas.note(left + 19, y, "foreground pixel")
    canvas.box(left + 138, y - 7, 30, 14, edge=BLUE, line=1.5, radius=5)
    canvas.badge(left + 160, y, "5")
    canvas.note(left + 176, y, "run and its number, in raster order")
    canvas.box(left + 418, y - 6, 12, 12, face=VERMILION)
    canvas.note(left + 437, y, "first pixel of a component")
    canvas.line((left + 622, y), (left + 646, y), width=1.6)
    canvas.note(left + 653, y, "border of a row group")

    group = 1
    canvas.title(left, 290, f"The runs of row group {group} get their numbers",
                 "full connectivity")
    begin = WIDTH - 16 - width * 26
    bottom = draw_numbering(canvas, full, width, group, begin, 304)
    canvas.note(left, bottom + 20,
                "Run of a column = offset of its word + (starts in the word "
                "up to this column) - 1.",
                "A run can continue in the next word. There it keeps the "
                "number from the word in which it starts.",
                f"A word has {WORD_SIZE} columns in this figure, and 32 "
                "columns in the library.")
    canvas.save(path)


# How much an arrow bends to pass other runs, by run and parent.
BENDS = {(8, 1): -0.4, (9, 2): -0.35, (10, 2): 0.3}


def draw_graph(canvas, left, top, labeling, arrows, width, final=False):
    """Draws runs as circles, and lines to adjacent runs or to parents.

    Parameters
    ----------
    left, top : float
        Position in the figure.
    labeling : Labeling
        The runs and their adjacency.
    arrows : list of int or None
        Parents of the runs, for arrows. Without them, lines show adjacency.
    width : int
        Columns of the image.
    final : bool
        Whether the parents are the roots of the components.
    """
    row_height = 29

    def place(run):
        return (left + (run.first + run.last + 1) / 2 * CELL,
                top + (run.group + 0.5) * row_height)

    groups = len(labeling.columns)
    canvas.box(left, top, width * CELL, groups * row_height, edge=LINE,
               line=0.8, order=1)
    for group in range(1, groups):
        y = top + group * row_height
        canvas.line((left, y), (left + width * CELL, y), color=LINE,
                    width=0.8, order=1)
    if arrows is None:
        for run, other in labeling.pairs:
            canvas.line(place(labeling.runs[run]),
                        place(labeling.runs[other]), width=1.6, color=GREY)
    for number, run in enumerate(labeling.runs):
        color = "#EEEEEE"
        if final:
            color = LABEL_COLORS[labeling.run_labels[number]]
        canvas.box(left + run.first * CELL + 1,
                   top + run.group * row_height + 4,
                   (run.last - run.first + 1) * CELL - 2, row_height - 8,
                   face=color, radius=5, order=1)
        is_root = arrows is not None and arrows[number] == number
        canvas.badge(*place(run), number, radius=9.5 if is_root else 8.5,
                     color=VERMILION if is_root else INK,
                     line=2 if is_root else 0.9, bold=is_root)
        if arrows is not None and not is_root:
            canvas.arrow(place(run), place(labeling.runs[arrows[number]]),
                         color=BLUE, shrink=6.5, size=9,
                         bend=BENDS.get((number, arrows[number]), 0))
    return top + groups * row_height


def draw_parents(canvas, left, top, parents, before):
    """Draws the array of parents. Entries that have changed are yellow."""
    cell, row_height = 25, 16
    canvas.text(left, top + row_height / 2, "run", ha="left", fontsize=SMALL)
    canvas.text(left, top + row_height * 1.5, "parent", ha="left",
                fontsize=SMALL)
    begin = left + 48
    for run, parent in enumerate(parents):
        x = begin + run * cell
        canvas.text(x + cell / 2, top + row_height / 2, str(run),
                    fontsize=SMALL, color=FAINT)
        changed = before is not None and before[run] != parent
        canvas.box(x, top + row_height, cell, row_height, edge=GREY,
                   line=0.7, face=YELLOW if changed else "white")
        canvas.text(x + cell / 2, top + row_height * 1.5, str(parent),
                    fontsize=SMALL,
                    fontweight="bold" if parent == run else "normal")


def draw_union(path):
    """Draws the steps of union-find on the runs of row groups."""
    pixels = parse(EXAMPLE)
    width = pixels.shape[1]
    labeling = label_image(pixels, FULL)
    steps = labeling.parents
    canvas = Canvas(756)
    left, right = 34, 482
    tops = (46, 296, 546)
    panels = (
        (left, 0, "Adjacent runs", "have neighboring pixels", None, None),
        (right, 0, "1. Link", "each run to its first adjacent earlier run",
         "link", None),
        (left, 1, "2. Compress", "each run to its root", "compress", "link"),
        (right, 1, "3. Unite", "the trees of adjacent runs", "unite",
         "compress"),
        (left, 2, "4. Compress again", "each run to its root", "roots",
         "unite"),
    )
    for side, row, name, subtitle, after, before in panels:
        top = tops[row]
        canvas.title(side, top - 19, name, subtitle)
        bottom = draw_graph(canvas, side, top, labeling,
                            steps[after] if after else None, width,
                            after == "roots")
        if after:
            draw_parents(canvas, side, bottom + 9, steps[after],
                         steps[before] if before else None)
        else:
            canvas.note(side, bottom + 20,
                        "The runs of row groups, under full connectivity.",
                        "Each band is a row group.")

    top = tops[2]
    canvas.title(right, top - 19, "Signs")
    canvas.box(right, top + 1, 46, 21, face="#EEEEEE", radius=5)
    canvas.badge(right + 23, top + 11, "5", radius=8.5)
    canvas.note(right + 62, top + 11, "run")
    canvas.badge(right + 23, top + 39, "2", radius=9.5, color=VERMILION,
                 line=2, bold=True)
    canvas.note(right + 62, top + 39,
                "root: its own parent, the lowest run of its tree")
    canvas.arrow((right, top + 67), (right + 46, top + 67), color=BLUE,
                 size=9)
    canvas.note(right + 62, top + 67, "from a run to its parent")
    canvas.box(right + 10, top + 87, 25, 16, edge=GREY, face=YELLOW, line=0.7)
    canvas.note(right + 62, top + 95, "parent that the step has changed")
    for i, label in enumerate((1, 2, 3, 4)):
        canvas.box(right + 12 * i, top + 115, 10, 16,
                   face=LABEL_COLORS[label])
    canvas.note(right + 62, top + 123, "components")
    canvas.note(right, top + 154,
                "The GPU unites all pairs of adjacent runs in parallel, in",
                "any order. This figure takes the last pair first. The",
                "roots are the same in every order.")
    canvas.save(path)


def draw_run_table(canvas, left, top, labeling, width):
    """Draws the values of all runs, from the root to the label."""
    cell, row_height = 44, 23
    roots = labeling.parents["roots"]
    first = [labeling.first_pixels[root] for root in roots]
    lines = (
        ("run", range(len(roots))),
        ("root", roots),
        ("first pixel (column, row)",
         [f"{pixel % width}, {pixel // width}" for pixel in first]),
        ("rank of the component", [labeling.ranks[root] for root in roots]),
        ("label: rank + 1", labeling.run_labels),
    )
    for i, (name, values) in enumerate(lines):
        y = top + i * row_height
        canvas.text(left - 12, y + row_height / 2, name, ha="right")
        for run, value in enumerate(values):
            face = "#F3F3F3" if name == "run" else "white"
            if values is labeling.run_labels:
                face = LABEL_COLORS[value]
            is_root = values is roots and value == run
            is_bold = is_root or values is labeling.run_labels
            canvas.box(left + run * cell, y, cell, row_height, edge=GREY,
                       line=0.7, face=face)
            canvas.text(left + (run + 0.5) * cell, y + row_height / 2,
                        str(value), color=VERMILION if is_root else INK,
                        fontweight="bold" if is_bold else "normal")


def draw_writeout(path):
    """Draws the ranks of components, and the labels of runs and pixels."""
    pixels = parse(EXAMPLE)
    height, width = pixels.shape
    labeling = label_image(pixels, FULL)
    by_rank = sorted(labeling.ranks, key=labeling.ranks.get)
    canvas = Canvas(662)
    left, right = 34, 446

    top = 62
    canvas.title(left, 24, "1. Rank the first pixels")
    draw_grid(canvas, left, top, pixels, color="#DDDDDD")
    for root, pixel in labeling.first_pixels.items():
        x, y = left + pixel % width * CELL, top + pixel // width * CELL
        canvas.box(x, y, CELL, CELL, face=VERMILION, order=4)
        canvas.text(x + CELL / 2, y + CELL / 2, str(labeling.ranks[root]),
                    color="white", fontweight="bold")
    canvas.note(right, top + 12,
                "One bit marks the first pixel of each component.",
                "The rank of a component is the number of marks before",
                "its own mark, in raster order.",
                "",
                f"The component of root {by_rank[0]} has the earliest first "
                "pixel,",
                f"so its rank is 0. Root {by_rank[0]} is not the lowest root.",
                "",
                "Under face connectivity, the run of the first pixel is",
                "the root: the rank is the number of roots before it.")

    top = 286
    canvas.title(left, top - 18, "2. Label the runs",
                 "from host to host, only the last line is downloaded")
    draw_run_table(canvas, left + 248, top, labeling, width)

    top = 484
    canvas.title(left, top - 38, "3. Write the labels to the pixels")
    draw_grid(canvas, left, top, np.zeros_like(pixels))
    for (y, x), label in np.ndenumerate(labeling.labels):
        at = left + x * CELL, top + y * CELL
        canvas.box(*at, CELL, CELL, face=LABEL_COLORS[label], edge=LINE,
                   line=0.6, order=2)
        canvas.text(at[0] + CELL / 2, at[1] + CELL / 2, str(label),
                    fontsize=SMALL, color=INK if label else "#BBBBBB",
                    fontweight="bold" if label else "normal")
    x, y = 14, 4
    assert pixels[y, x]
    run = run_of(labeling, x, y)
    offset = labeling.offsets[y // FULL, x // WORD_SIZE]
    starts = run + 1 - offset
    canvas.box(left + x * CELL, top + y * CELL, CELL, CELL, edge=INK,
               line=2, order=5)
    canvas.note(right, top + 12,
                "A foreground pixel gets the label of its run.",
                "A background pixel gets the background value, 0.",
                "",
                f"Example: the pixel in column {x} of row {y} (black frame).",
                f"It is in word {x // WORD_SIZE} of row group {y // FULL}. "
                f"The offset of this word is {offset}.",
                f"The word has {starts} start{'s' if starts != 1 else ''} up "
                "to this column.",
                f"{offset} + {starts} - 1 = {run}, and run {run} has label "
                f"{labeling.run_labels[run]}.")
    canvas.save(path)


def draw_data_flow(path):
    """Draws which data move between the host and the GPU."""
    canvas = Canvas(560)
    host, gpu = PALE[ORANGE], PALE[BLUE]

    def lane(top, height, name, face, edge):
        canvas.box(20, top, WIDTH - 40, height, face=face, edge="none",
                   radius=6, order=1)
        canvas.text(34, top + height / 2, name, fontweight="bold",
                    rotation=90, color=edge)

    def box(x, y, text, width=118, edge=INK, data=False):
        canvas.box(x, y, width, 52, face="white", edge=edge,
                   line=1 if data else 1.8, radius=2 if data else 12)
        lines = text.split("\n")
        for i, line in enumerate(lines):
            canvas.text(x + width / 2,
                        y + 26 + 15.5 * (i - (len(lines) - 1) / 2), line,
                        fontweight="normal" if i else "bold")

    brown = DARK[ORANGE]
    x = (54, 222, 390, 558, 748)

    # Host to host.
    canvas.title(20, 24, "Host to host",
                 "the input and the output are in the memory of the host")
    lane(36, 112, "host", host, brown)
    lane(196, 88, "GPU", gpu, BLUE)
    y, low = 80, 214
    box(x[0], y, "pixels\ninput", data=True)
    box(x[1], y, "pack\nCPU threads", edge=brown)
    box(x[3], y, "label write-out\nCPU threads", width=130, edge=brown)
    box(x[4], y, "pixels\noutput labels", data=True)
    box(x[1], low, "runs\nnumber them", edge=BLUE)
    box(x[2], low, "union-find\nlink, unite", edge=BLUE)
    box(x[3], low, "labels of runs\nrank, label", width=130, edge=BLUE)
    canvas.arrow((x[0] + 118, y + 26), (x[1], y + 26))
    canvas.arrow((x[3] + 130, y + 26), (x[4], y + 26))
    canvas.arrow((x[1] + 118, y + 26), (x[3], y + 26))
    canvas.text((x[1] + 118 + x[3]) / 2, y + 14,
                "bits for the write-out")
    canvas.arrow((x[1] + 59, y + 52), (x[1] + 59, low), color=VERMILION,
                 width=2.4, size=14)
    canvas.note(x[1] + 71, 164, "upload the bits:", "1/8 byte per pixel",
                color=VERMILION, fontweight="bold")
    canvas.arrow((x[1] + 118, low + 26), (x[2], low + 26))
    canvas.arrow((x[2] + 118, low + 26), (x[3], low + 26))
    canvas.arrow((x[3] + 65, low), (x[3] + 65, y + 52), color=VERMILION,
                 width=2.4, size=14)
    canvas.note(x[3] + 77, 164, "download the labels:", "4 bytes per run",
                color=VERMILION, fontweight="bold")
    canvas.text(x[0] + 59, y - 13, "1 to 8 bytes per pixel", color=FAINT,
                fontsize=SMALL)
    canvas.text(x[4] + 59, y - 13, "1 to 8 bytes per pixel", color=FAINT,
                fontsize=SMALL)
    canvas.note(20, 304,
                "Example: a head of 512 x 512 x 512 pixels. The upload is "
                "16.8 MB of bits. The download is 0.3 MB for 75,000 runs.")

    # Device to device.
    canvas.title(20, 358, "Device to device",
                 "the input and the output are in the memory of the GPU")
    lane(372, 146, "GPU", gpu, BLUE)
    y = 420
    x = (54, 196, 338, 480, 622, 764)
    box(x[0], y, "pixels\ninput", width=104, data=True)
    box(x[1], y, "pack\nto bits", width=104, edge=BLUE)
    box(x[2], y, "runs\nnumber them", width=104, edge=BLUE)
    box(x[3], y, "union-find\nand ranks", width=104, edge=BLUE)
    box(x[4], y, "label\nwrite-out", width=104, edge=BLUE)
    box(x[5], y, "pixels\noutput labels", width=104, data=True)
    for begin, end in zip(x, x[1:]):
        canvas.arrow((begin + 104, y + 26), (end, y + 26))
    for at, text in ((0, "1 to 8 bytes\nper pixel"),
                     (1, "1/8 byte\nper pixel"),
                     (3, "4 bytes\nper run"),
                     (4, "1 to 8 bytes\nper pixel")):
        middle = x[at] + 123
        for i, line in enumerate(text.split("\n")):
            canvas.text(middle, y - 33 + 14 * i, line, fontsize=SMALL,
                        color=FAINT)
        canvas.line((middle, y - 10), (middle, y + 20), color=GREY,
                    width=0.8, dashed=True)
    begin, end = x[1] + 52, x[4] + 52
    canvas.line((begin, y + 52), (begin, y + 82), (end, y + 82), width=1.4)
    canvas.arrow((end, y + 83), (end, y + 52))
    canvas.text((begin + end) / 2, y + 71, "bits for the write-out")
    y = 542
    canvas.box(20, y - 7, 22, 14, edge=INK, line=1, radius=2)
    canvas.note(50, y, "data")
    canvas.box(110, y - 7, 22, 14, edge=INK, line=1.8, radius=6)
    canvas.note(140, y, "step")
    canvas.arrow((200, y), (230, y), color=VERMILION, width=2.4, size=14)
    canvas.note(238, y, "transfer between the host and the GPU")
    canvas.save(path)


def draw_volume(canvas, left, top, callout):
    """Draws a row group of a volume, with a block, a run and a column."""
    slices = [parse(pattern) for pattern in VOLUME]
    height, width = slices[0].shape
    cell = 38
    depth = 22, -16  # from a slice to the next slice

    def corner(x, y, z):
        return (left + x * cell + z * depth[0],
                top + y * cell + z * depth[1])

    def cube(x, y, z):
        for points, shade in (
            (((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)), FOREGROUND),
            (((0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)), "#CFCFCF"),
            (((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)), "#868686"),
        ):
            canvas.polygon([corner(x + dx, y + dy, z + dz)
                            for dx, dy, dz in points], shade, "#666666")

    def frame(x, columns, color, width=2.0, dashed=False):
        """Outlines columns of the row group, in all rows and slices."""
        ends = x, x + columns
        for z in (0, len(slices)):
            points = [corner(ends[0], 0, z), corner(ends[1], 0, z),
                      corner(ends[1], height, z), corner(ends[0], height, z)]
            canvas.line(*points, points[0], color=color, width=width,
                        dashed=dashed)
        for end in ends:
            for y in (0, height):
                canvas.line(corner(end, y, 0), corner(end, y, len(slices)),
                            color=color, width=width, dashed=dashed)

    frame(0, width, GREY, 0.9, dashed=True)
    # From the back to the front, so that near cubes hide far cubes.
    for z in reversed(range(len(slices))):
        for y in reversed(range(height)):
            for x in range(width):
                if slices[z][y, x]:
                    cube(x, y, z)
    has_pixel = np.any([part.any(axis=0) for part in slices], axis=0)
    assert list(np.flatnonzero(has_pixel)) == [0, 1, 3, 4, 5, 8]
    frame(0, 2, PURPLE)
    frame(3, 3, BLUE)
    frame(8, 1, ORANGE)

    bottom = corner(0, height, 0)[1]
    for x, middle, name, text, color in (
        (0, 1, "block", "2 x 2 x 2 pixels", DARK[PURPLE]),
        (3, 4.5, "run", "3 adjacent columns", BLUE),
        (8, 8.5, "column", "2 x 2 pixels at one x", DARK[ORANGE]),
    ):
        at = corner(x, 0, 0)[0]
        line = corner(middle, 0, 0)[0]
        callout(name, text, (at, bottom + 32),
                [(line, bottom), (line, bottom + 24)], color)
    for y in range(height):
        canvas.text(left - 12, corner(0, y + 0.5, 0)[1], f"row {y}",
                    ha="right")
    for z in range(len(slices)):
        at = corner(width, height, z + 0.5)
        canvas.text(at[0] + 10, at[1] + 4, f"slice {z}", ha="left")
    begin = corner(width, 1, len(slices))
    callout("row group", "2 rows of each of 2 slices\n(dashed); 1 row under\n"
            "face connectivity", (begin[0] + 72, begin[1] - 26),
            [(begin[0], begin[1] - 26), (begin[0] + 66, begin[1] - 26)])


def draw_glossary(path):
    """Draws the words of the glossary in a plane and in a volume."""
    pixels = parse(EXAMPLE)
    begin, end, last_row = 8, 24, 6
    part = pixels[:last_row, begin:end]
    labeling = label_image(pixels, FULL)
    canvas = Canvas(626)
    cell, left, top = 32, 118, 122
    right, bottom = left + (end - begin) * cell, top + last_row * cell

    def column_at(x):
        return left + (x - begin) * cell

    def row_at(y):
        return top + y * cell

    canvas.title(20, 24, "In a plane, under full connectivity")
    for y, x in np.ndindex(part.shape):
        canvas.box(left + x * cell, row_at(y), cell, cell,
                   face=FOREGROUND if part[y, x] else "white", edge=LINE,
                   line=0.7, order=1)
    for group in range(last_row // FULL + 1):
        y = row_at(group * FULL)
        canvas.line((left - 8, y), (right, y), width=1.4, order=2)
        if group < last_row // FULL:
            canvas.text(left - 12, y + cell, f"row group {group}", ha="right")

    def callout(name, text, at, points, color=INK, align="left"):
        """Writes a term and its meaning, with a line to its example."""
        canvas.line(*points, color=color, width=1.1, order=5)
        canvas.text(*at, name, ha=align, fontweight="bold", color=color)
        for i, line in enumerate(text.split("\n")):
            canvas.text(at[0], at[1] + 16 * (i + 1), line, ha=align)

    # Run 7 lies in two words, so it has two segments.
    run = labeling.runs[7]
    assert run == Run(1, 13, 18)
    border = column_at(16)
    for first, last, face in ((13, 15, "#7FB7DA"), (16, 18, "#B7D9EE")):
        for y in (2, 3):
            for x in range(first, last + 1):
                if pixels[y, x]:
                    canvas.box(column_at(x), row_at(y), cell, cell,
                               face=face, edge=LINE, line=0.7, order=1)
    canvas.line((border, top - 6), (border, bottom + 6), color=GREEN,
                width=1.3, dashed=True, order=3)
    canvas.box(column_at(run.first) + 1, row_at(2) + 1,
               (run.last - run.first + 1) * cell - 2, 2 * cell - 2, edge=BLUE,
               line=2.4, radius=8, order=4)

    # Above the plane.
    canvas.box(column_at(10) + 1, row_at(2) + 1, cell - 2, 2 * cell - 2,
               edge=ORANGE, line=2.6, order=4)
    callout("column", "the pixels of a row group\nat one x",
            (column_at(8), 54),
            [(column_at(10.5), 98), (column_at(10.5), row_at(2))],
            DARK[ORANGE])
    pixel = labeling.first_pixels[2]
    width = pixels.shape[1]
    assert (pixel % width, pixel // width) == (16, 1)
    canvas.box(column_at(16) + 3, row_at(1) + 3, cell - 6, cell - 6,
               face=VERMILION, order=4)
    callout("first pixel",
            "the pixel of a component\nwith the lowest raster index",
            (column_at(14), 54),
            [(column_at(16.5), 98), (column_at(16.5), row_at(1) + 4)],
            VERMILION)
    canvas.box(column_at(21) + 2, row_at(0) + 2, cell - 4, cell - 4,
               edge=INK, line=2, order=4)
    callout("pixel", "grey: foreground, not 0", (column_at(20.6), 70),
            [(column_at(21.5), 98), (column_at(21.5), row_at(0))])

    # To the right of the plane.
    canvas.box(column_at(22) + 1, row_at(0) + 1, 2 * cell - 2, 2 * cell - 2,
               edge=PURPLE, line=2.6, order=4)
    callout("block", "2 x 2 pixels, as in the\npapers on BUF and BKE",
            (right + 26, row_at(0) + 8), [(right, row_at(0) + 8),
                                          (right + 20, row_at(0) + 8)],
            DARK[PURPLE])
    callout("row group", "rows that are labeled\nas one: 2 rows of a\nplane; "
            "1 row under\nface connectivity", (right + 26, row_at(2) + 16),
            [(right, row_at(2) + 16), (right + 20, row_at(2) + 16)])

    # Below the plane.
    canvas.box(column_at(8) + 1, row_at(5) + 2, 8 * cell - 2, cell - 3,
               edge=GREEN, line=2.4, order=4)
    callout("word", f"{WORD_SIZE} pixels of a row in this\nfigure, 32 in the "
            "library\n(dashed: word border)", (column_at(8), bottom + 30),
            [(column_at(9), bottom), (column_at(9), bottom + 22)], DARK[GREEN])
    callout("run", "adjacent columns, each with\na foreground pixel: "
            "here 6", (column_at(13.6), bottom + 30),
            [(column_at(14.5), row_at(4)), (column_at(14.5), bottom + 22)],
            BLUE)
    callout("segment", "the part of a run in one word:\nhere 3 columns in "
            "each of 2 words", (column_at(20.6), bottom + 30),
            [(column_at(17.5), row_at(3) + 16),
             (column_at(17.5), row_at(5) + 10),
             (column_at(21.5), row_at(5) + 10),
             (column_at(21.5), bottom + 22)], BLUE)

    top = 432
    canvas.title(20, top, "In a volume, under full connectivity")
    draw_volume(canvas, left, top + 58, callout)
    canvas.save(path)


FIGURES = {
    "how-bits.png": draw_bits,
    "how-runs.png": draw_runs,
    "how-union.png": draw_union,
    "how-writeout.png": draw_writeout,
    "how-data-flow.png": draw_data_flow,
    "glossary.png": draw_glossary,
}


def main():
    """Checks the algorithm, and writes all figures."""
    default = pathlib.Path(__file__).resolve().parent.parent / "images"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    check_all()
    for name, draw in FIGURES.items():
        draw(folder / name)
        print(folder / name)


if __name__ == "__main__":
    main()
