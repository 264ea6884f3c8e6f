#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of a head in the README and in doc/analysis.md, with the command-line tool.

    head.py TOOL [PICTURES]

TOOL is the program cuda-connected-components. Writes head-preview.png and
largest.png to a folder, by default doc/images. Needs Pillow, numpy and Debian's
package insighttoolkit5-examples.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

DATA = "/usr/share/doc/insighttoolkit5-examples/examples/Data/KmeansTest_T1"
HEAD = DATA + "UCharRaw.nii.gz"
FLUID = ["--upper", "40", "--mask", DATA + "RawSkullStrip.nii.gz", "--min-size", "1000mm3"]
LARGEST = ["--lower", "45", "--keep-largest", "1"]
CROP = 198, 144  # width and height of a part of a preview, in pixels
GAP = 6  # between the parts
SCALE = 2


def preview(tool, options):
    """Return the preview of a call of the tool."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "preview.png"
        labels = path.with_name("labels.nii.gz")
        subprocess.run([tool, HEAD, labels, "--quiet", "--preview", path, *options], check=True)
        return np.array(Image.open(path))


def find_panes(picture):
    """Return the slices of columns of the panes, which white columns separate."""
    is_gap = np.r_[True, (picture == 255).all(axis=(0, 2)), True].astype(int)
    edges = np.diff(is_gap)
    return [slice(*ends) for ends in zip(np.flatnonzero(edges < 0), np.flatnonzero(edges > 0))]


def crop_start(share, length):
    """Return where a part of a length begins that has the largest sum."""
    sums = np.convolve(share, np.ones(length), "valid")
    return int(np.flatnonzero(sums == sums.max()).mean())


def white(height, width):
    """Return a white part of a picture."""
    return np.full((height, width, 3), 255, np.uint8)


def compare(before, after):
    """Return the parts of the panes that differ most: before above after."""
    columns = []
    for pane in find_panes(before):
        pair = before[:, pane], after[:, pane]
        differs = (pair[0] != pair[1]).any(axis=2)
        width, height = CROP
        x = crop_start(differs.sum(axis=0), width)
        y = crop_start(differs[:, x : x + width].sum(axis=1), height)
        gap = white(GAP, width)
        parts = [image[y : y + height, x : x + width] for image in pair]
        columns += [np.vstack([parts[0], gap, parts[1]]), white(2 * height + GAP, GAP)]
    return np.hstack(columns[:-1]).repeat(SCALE, axis=0).repeat(SCALE, axis=1)


def main():
    """Draw the pictures."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tool = pathlib.Path(sys.argv[1]).resolve()
    default = pathlib.Path(__file__).resolve().parents[1] / "images"
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else default
    pictures = {
        "head-preview.png": preview(tool, FLUID),
        "largest.png": compare(preview(tool, LARGEST), preview(tool, [*LARGEST, "--fill-holes"])),
    }
    for name, picture in pictures.items():
        Image.fromarray(picture).save(folder / name, optimize=True)
        print(folder / name)


if __name__ == "__main__":
    main()
