# SPDX-License-Identifier: Apache-2.0
"""The figure of doc/glossary.md."""

import numpy as np

from canvas import (
    BLUE, DARK, FOREGROUND, GREEN, GREY, INK, LINE, ORANGE, PURPLE,
    VERMILION, Canvas,
)
from labeling import EXAMPLE, FULL, VOLUME, WORD_SIZE, Run, label_image, parse


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

    run = labeling.runs[7]
    assert run == Run(1, 13, 18)
    border = column_at(16)
    for y in (2, 3):
        for x in range(run.first, run.last + 1):
            if pixels[y, x]:
                canvas.box(column_at(x), row_at(y), cell, cell,
                           face="#7FB7DA", edge=LINE, line=0.7, order=1)
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

    top = 432
    canvas.title(20, top, "In a volume, under full connectivity")
    draw_volume(canvas, left, top + 58, callout)
    canvas.save(path)
