# SPDX-License-Identifier: Apache-2.0
"""vtkITKLabelShapeStatistics, of 3D Slicer's Segment Statistics."""

import numpy as np
import pytest
import slicer_core
from vtkmodules import vtkCommonCore as vtk
from vtkmodules.vtkCommonMath import vtkMatrix4x4

from support import image_of

FILTERS = ("CudaLabelImageToLabelMapFilter",)
SHAPES = (
    "Centroid",
    "OrientedBoundingBox",
    "FeretDiameter",
    "Perimeter",
    "Roundness",
    "Flatness",
    "Elongation",
    "PrincipalMoments",
    "PrincipalAxes",
)


def measure(image, directions=None):
    """Returns the columns of the table, by name."""
    shapes = slicer_core.vtkITKLabelShapeStatistics()
    for name in SHAPES:
        shapes.ComputeShapeStatisticOn(name)
    shapes.SetDirections(directions)
    shapes.SetInputData(image)
    shapes.Update()
    table = shapes.GetOutput()
    columns = [table.GetColumn(i) for i in range(table.GetNumberOfColumns())]
    return {column.GetName(): [column.GetTuple(row) for row in range(column.GetNumberOfTuples())] for column in columns}


def labels(random, shape=(31, 33, 40), count=20):
    """Boxes with labels and holes."""
    volume = np.zeros(shape, np.int8)
    for label in range(1, count + 1):
        begin = [random.integers(0, size - 4) for size in shape]
        volume[tuple(slice(at, at + random.integers(2, 12)) for at in begin)] = label
    return volume * (random.random(shape) < 0.97)


# Slicer ends the process for signed char, also without the plug-in.
@pytest.mark.parametrize(
    "name", ["CHAR", "UNSIGNED_CHAR", "SHORT", "UNSIGNED_SHORT", "INT", "UNSIGNED_INT", "LONG", "UNSIGNED_LONG"]
)
def test_types(name, both, random):
    image = image_of(labels(random), getattr(vtk, f"VTK_{name}"))
    table = both(lambda: measure(image), FILTERS)
    assert 2 < len(table["LabelValue"]) <= 21  # for signed types, Slicer also measures the background
    assert len(table) > len(SHAPES)


def test_geometry(both, random):
    image = image_of(labels(random), vtk.VTK_SHORT, extent_begin=(4, -3, 7))
    image.SetOrigin(1.5, -20, 300)
    image.SetSpacing(0.5, 0.7, 2.5)
    directions = vtkMatrix4x4()
    directions.DeepCopy([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
    both(lambda: measure(image, directions), FILTERS)


def test_no_label(both):
    image = image_of(np.zeros((9, 8, 7), np.int8), vtk.VTK_UNSIGNED_SHORT)
    assert both(lambda: measure(image), FILTERS) == {}
