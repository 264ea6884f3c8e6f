# SPDX-License-Identifier: Apache-2.0
"""A MRML table of the components of a segment, or of a label in a label map volume. No Qt."""

import numpy as np
import slicer
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

from .islands import LabelMapTarget, array_of, box_of, components, image_to_ras

CENTROID = ("Centroid R [mm]", "Centroid A [mm]", "Centroid S [mm]")


def image_of(node, target):
    """Return an image that is 1 in a segment or in a label. `target` is the ID of the segment, or the value of the label."""
    if not node.IsA("vtkMRMLSegmentationNode"):
        return LabelMapTarget(node, target).image()
    if node.GetSegmentation().GetSegment(target or "") is None:
        raise ValueError(f"{node.GetName()} has no segment {target!r}. Select a segment.")
    image = slicer.vtkOrientedImageData()
    if not node.GetBinaryLabelmapRepresentation(target, image):
        raise ValueError(f"{node.GetName()} has no binary labelmap. Create this representation in the module Segmentations.")
    return image


def fill_table(table, node, target, volume=None):
    """Write the components to a table node, the largest first. `volume` is a scalar volume, for the columns of intensities.

    Components are connected by faces. Volumes and centroids include the node's transform. The box has the first and the last
    voxel along the axes of the segment's grid. Intensities are interpolated where the grids differ; voxels outside the volume
    do not count.
    """
    image = image_of(node, target)
    to_ras = image_to_ras(node, image)
    statistics, labels = components(array_of(image), properties=("num_pixels", "centroid", "bbox"))
    counts = statistics["num_pixels"]
    rows = np.argsort(-counts, kind="stable")
    columns = {"Component": np.arange(1, len(rows) + 1), "Voxels": counts[rows]}
    mm3 = counts[rows] * abs(np.linalg.det(to_ras))
    columns["Volume [mm3]"] = mm3
    columns["Volume [ml]"] = mm3 / 1000
    firsts = np.array(image.GetExtent()[::2])
    if len(rows):
        centroids = np.stack([statistics[f"centroid-{axis}"][rows] for axis in (2, 1, 0)]) + firsts[:, np.newaxis]
        boxes = np.array([[(side.start, side.stop - 1) for side in box_of(statistics, row)[::-1]] for row in rows])
        boxes += firsts[:, np.newaxis]
    else:
        centroids, boxes = np.zeros((3, 0)), np.zeros((0, 3, 2), int)
    ras = to_ras[:3, :3] @ centroids + to_ras[:3, 3:]
    columns.update(zip(CENTROID, ras))
    for axis, letter in enumerate("IJK"):
        columns[f"{letter} first"] = boxes[:, axis, 0]
        columns[f"{letter} last"] = boxes[:, axis, 1]
    if volume:
        means, maxima = _intensities(node, image, labels, len(rows), volume)
        columns["Mean"] = means[rows]
        columns["Maximum"] = maxima[rows]
    _write(table, columns)


def is_component_table(table):
    """Return whether a table node, or None, has the columns of `fill_table`."""
    return bool(table) and all(table.GetTable().GetColumnByName(name) for name in CENTROID)


def sort_table(table, column, descending=False):
    """Sort the rows of a table by the numbers of a column. Numbers that are not known come last."""
    columns = [table.GetTable().GetColumn(index) for index in range(table.GetNumberOfColumns())]
    arrays = [vtk_to_numpy(each) for each in columns]  # fails for columns of text, before a row moves
    values = arrays[column]
    order = np.argsort(-values if descending else values, kind="stable")
    for each, array in zip(columns, arrays):
        array[...] = array[order]
        each.Modified()
    table.GetTable().Modified()
    table.Modified()


def jump_to(table, row):
    """Center all slice views of the table's scene at the centroid of a row."""
    ras = [table.GetTable().GetColumnByName(name).GetValue(row) for name in CENTROID]
    slicer.vtkMRMLSliceNode.JumpAllSlices(table.GetScene(), *ras, slicer.vtkMRMLSliceNode.CenteredJumpSlice)


def _intensities(node, image, labels, count, volume):
    """Return the means and the maxima of a volume in components. They are NaN if no voxel is in the volume."""
    foreground = labels != 0
    values = _resampled(volume, node, image)[foreground]
    known = ~np.isnan(values)
    rows, values = labels[foreground][known].astype(np.intp) - 1, values[known]
    means, maxima = np.full((2, count), np.nan)
    sizes = np.bincount(rows, minlength=count)
    some = sizes > 0
    means[some] = np.bincount(rows, values, count)[some] / sizes[some]
    if some.any():
        order = np.argsort(rows, kind="stable")
        maxima[some] = np.maximum.reduceat(values[order], (np.cumsum(sizes) - sizes)[some])
    return means, maxima


def _resampled(volume, node, image):
    """Return the values of a volume in the voxels of an image of a node. They are NaN outside the volume."""
    if volume.GetImageData() is None:
        raise ValueError(f"{volume.GetName()} has no voxels.")
    array_of(volume.GetImageData())  # refuses several values for each voxel
    cast = vtk.vtkImageCast()
    cast.SetInputData(volume.GetImageData())
    is_short = volume.GetImageData().GetScalarSize() <= 2  # then, float holds all values, in half of the memory
    cast.SetOutputScalarType(vtk.VTK_FLOAT if is_short else vtk.VTK_DOUBLE)
    cast.Update()
    source = slicer.vtkOrientedImageData()
    source.ShallowCopy(cast.GetOutput())
    matrix = vtk.vtkMatrix4x4()
    volume.GetIJKToRASMatrix(matrix)
    source.SetGeometryFromImageToWorldMatrix(matrix)
    to_node = vtk.vtkGeneralTransform()
    slicer.vtkMRMLTransformNode.GetTransformBetweenNodes(
        volume.GetParentTransformNode(), node.GetParentTransformNode(), to_node
    )
    result = slicer.vtkOrientedImageData()
    resample = slicer.vtkOrientedImageDataResample.ResampleOrientedImageToReferenceOrientedImage
    if not resample(source, image, result, True, False, to_node, np.nan):
        raise ValueError(f"{volume.GetName()} cannot be resampled to the voxels of {node.GetName()}.")
    return array_of(result)


def _write(table, columns):
    table.RemoveAllColumns()
    with slicer.util.NodeModify(table):
        for name, values in columns.items():
            array = numpy_to_vtk(values.astype(np.int64 if values.dtype.kind in "iu" else float), deep=True)
            array.SetName(name)
            table.AddColumn(array)
        table.SetUseColumnTitleAsColumnHeader(True)
        table.SetLocked(True)
