# SPDX-License-Identifier: Apache-2.0
"""The style of the figures: colors, a canvas in pixels, and parts that several figures have."""

import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.patches as patches  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.path import Path  # noqa: E402
from PIL import Image  # noqa: E402 (matplotlib depends on Pillow)

from labeling import WORD_SIZE  # noqa: E402


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
