#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of doc/how-it-works.md and doc/glossary.md.

    draw.py [PICTURES]     writes PNG files to a folder (default: doc/images)

Needs numpy and matplotlib, and no data. The script labels a small image with
the steps of the library, and compares the labels with a flood fill. All runs,
parents, ranks and labels in the figures come from this computation.
"""

import pathlib
import sys

from glossary import draw_glossary
from how_it_works import (
    draw_bits, draw_data_flow, draw_runs, draw_union, draw_writeout
)
from labeling import check_all

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
