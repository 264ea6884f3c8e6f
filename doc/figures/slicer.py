#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of doc/slicer.md: islands of a head by 3D Slicer's vtkITKIslandMath with the plug-in.

    slicer.py TOOL PLUGIN [PICTURES]

TOOL is the program cuda-connected-components, which draws the slices. PLUGIN is the
library of scripts/build-slicer-plugin.sh. Writes slicer-islands.png to a folder, by
default doc/images. Needs slicer_core, SimpleITK, Pillow, numpy and Debian's package
insighttoolkit5-examples.
"""

import ctypes
import pathlib
import sys
import tempfile

import numpy as np
import SimpleITK as sitk
import slicer_core
from PIL import Image
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData

from head import GAP, HEAD, find_panes, preview, white

RANGE = 80, 140  # of the segment's values
MINIMUM_SIZE = 1000  # voxels, as in the effect Islands
ROWS = slice(80, 390)  # of the sagittal pane


def islands(segment, minimum_size):
    """Return the islands of a segment, the largest first, and their number."""
    image = vtkImageData()
    image.SetDimensions(*segment.shape[::-1])
    image.GetPointData().SetScalars(numpy_to_vtk(segment.ravel()))
    math = slicer_core.vtkITKIslandMath()
    math.SetInputData(image)
    math.SetMinimumSize(minimum_size)
    math.Update()
    labels = vtk_to_numpy(math.GetOutput().GetPointData().GetScalars())
    return labels.reshape(segment.shape).copy(), math.GetNumberOfIslands()


def draw(tool, head, segment):
    """Return the sagittal slice with a segment, whose islands have colors."""
    mask = sitk.GetImageFromArray(segment.astype(np.uint8))
    mask.CopyInformation(head)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mask.nrrd"
        sitk.WriteImage(mask, path)
        picture = preview(tool, ["--mask", path, "--sort-by-size"])
    return picture[ROWS, find_panes(picture)[2]]


def is_grey(picture):
    """Return where a picture is grey, that is, not covered by a color."""
    return (picture == picture[:, :, :1]).all(axis=2)


def main():
    """Draw the picture."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tool = pathlib.Path(sys.argv[1]).resolve()
    default = pathlib.Path(__file__).resolve().parents[1] / "images"
    folder = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else default
    plugin = ctypes.CDLL(str(pathlib.Path(sys.argv[2]).resolve()))
    if plugin.itkCudaConnectedComponentsRegister() != 1:
        sys.exit("The plug-in is not on.")

    head = sitk.ReadImage(HEAD)
    voxels = sitk.GetArrayFromImage(head)
    segment = ((voxels >= RANGE[0]) & (voxels <= RANGE[1])).astype(np.uint32)
    labels, count = islands(segment, 0)
    large, large_count = islands(segment, MINIMUM_SIZE)
    print(f"{count} islands, {large_count} of at least {MINIMUM_SIZE} voxels")
    panes = [draw(tool, head, part) for part in (segment, large > 0, labels == 1)]
    for pane in panes[1:]:
        both = is_grey(panes[0]) & is_grey(pane)
        if np.abs(panes[0][both].astype(int) - pane[both]).max() > 8:  # the windows differ slightly
            sys.exit("The panes are different slices: choose another pane.")
    gap = white(panes[0].shape[0], GAP)
    path = folder / "slicer-islands.png"
    Image.fromarray(np.hstack([panes[0], gap, panes[1], gap, panes[2]])).save(path, optimize=True)
    print(path)


if __name__ == "__main__":
    main()
