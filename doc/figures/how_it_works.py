# SPDX-License-Identifier: Apache-2.0
"""The figures of doc/how-it-works.md."""

import numpy as np

from canvas import (
    BLUE, CELL, DARK, FAINT, FOREGROUND, GREEN, GREY, INK, LABEL_COLORS,
    LINE, ORANGE, PALE, SMALL, VERMILION, WIDTH, YELLOW, Canvas,
    draw_first_pixels, draw_grid, draw_run,
)
from labeling import (
    EXAMPLE, FACE, FULL, WORD_SIZE, bits_of, label_image, pack, parse,
    run_of,
)


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
