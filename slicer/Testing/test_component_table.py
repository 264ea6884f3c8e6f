# SPDX-License-Identifier: Apache-2.0
"""The table of components, and the operations on label map volumes."""

import numpy as np
import pytest
import slicer
import vtk
from CudaIslandsLib import component_table, islands
from scenes import (
    OBLIQUE,
    SHAPE,
    Scene,
    add_node,
    background_off_the_border,
    blobs,
    cropped_extents,
    empty_segment,
    matrix,
    no_reference,
    no_voxels,
    oriented,
    other_geometry,
    plain,
    shared_layers,
    transform_node,
    transformed,
    volume_node,
)
from vtk.util.numpy_support import vtk_to_numpy


def columns_of(table):
    table = table.GetTable()
    return {table.GetColumnName(at): vtk_to_numpy(table.GetColumn(at)).copy() for at in range(table.GetNumberOfColumns())}


def islands_of(mask):
    """The islands of a mask, the largest first, by vtkITKIslandMath."""
    find = slicer.vtkITKIslandMath()
    find.SetInputData(oriented(mask.astype(np.uint32)))
    find.Update()
    labels = islands.array_of(find.GetOutput())
    return [labels == label for label in range(1, labels.max() + 1)]


def matrix_of(node, image):
    """The matrix from voxels to RAS, by Slicer's own transforms of points."""
    to_ras = vtk.vtkGeneralTransform()
    slicer.vtkMRMLTransformNode.GetTransformBetweenNodes(node.GetParentTransformNode(), None, to_ras)
    local = vtk.vtkMatrix4x4()
    image.GetImageToWorldMatrix(local)
    to_ras.PreMultiply()
    to_ras.Concatenate(local)
    return to_ras


@pytest.mark.parametrize("make", [plain, shared_layers, cropped_extents, transformed, other_geometry, no_reference])
def test_segments(make, random):
    scene = make(random)
    table = add_node(scene.scene, "Table", "a table")
    component_table.fill_table(table, scene.node, "id0", scene.volume)
    columns = columns_of(table)
    image = component_table.image_of(scene.node, "id0")
    found = islands_of(islands.array_of(image))
    to_ras = matrix_of(scene.node, image)
    origin, *axes = (np.array(to_ras.TransformPoint(point)) for point in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    voxel = abs(np.linalg.det([axis - origin for axis in axes]))
    assert table.GetNumberOfRows() == len(found) > 1
    assert (columns["Component"] == np.arange(1, len(found) + 1)).all()
    for row, island in enumerate(found):
        places = np.argwhere(island)[:, ::-1] + image.GetExtent()[::2]
        assert columns["Voxels"][row] == len(places)
        assert columns["Volume [mm3]"][row] == pytest.approx(len(places) * voxel)
        assert columns["Volume [ml]"][row] == pytest.approx(len(places) * voxel / 1000)
        centroid = np.mean([to_ras.TransformPoint(place.astype(float)) for place in places], axis=0)
        assert [columns[name][row] for name in component_table.CENTROID] == pytest.approx(centroid, abs=1e-9)
        for axis, letter in enumerate("IJK"):
            assert columns[f"{letter} first"][row] == places[:, axis].min()
            assert columns[f"{letter} last"][row] == places[:, axis].max()
    assert ("Mean" in columns) == bool(scene.volume)


@pytest.mark.parametrize("make", [plain, cropped_extents, transformed])
def test_intensities(make, random):
    """The values at the places of the voxels, interpolated, without voxels outside the volume."""
    scene = make(random)
    table = add_node(scene.scene, "Table", "a table")
    component_table.fill_table(table, scene.node, "id0", scene.volume)
    columns = columns_of(table)
    image = component_table.image_of(scene.node, "id0")
    volume = islands.array_of(scene.volume.GetImageData()).astype(float)
    inverse = np.linalg.inv(islands.image_to_ras(scene.volume, oriented(volume, ras_matrix(scene.volume))))
    to_volume = inverse @ islands.image_to_ras(scene.node, image)
    for row, island in enumerate(islands_of(islands.array_of(image))):
        places = np.argwhere(island)[:, ::-1] + image.GetExtent()[::2]
        points = (to_volume[:3, :3] @ places.T + to_volume[:3, 3:]).T
        values = np.array([interpolated(volume, point[::-1]) for point in points])
        values = values[~np.isnan(values)]
        assert columns["Mean"][row] == pytest.approx(values.mean() if len(values) else np.nan, nan_ok=True, rel=1e-4)
        assert columns["Maximum"][row] == pytest.approx(values.max() if len(values) else np.nan, nan_ok=True, rel=1e-4)


def ras_matrix(volume):
    result = vtk.vtkMatrix4x4()
    volume.GetIJKToRASMatrix(result)
    return result


def interpolated(volume, place):
    """The trilinear interpolation of a volume, or NaN outside its voxels."""
    last = np.array(volume.shape) - 1
    if (place < -0.5).any() or (place > last + 0.5).any():
        return np.nan
    place = np.clip(np.round(place, 6), 0, last)
    low = np.minimum(np.floor(place).astype(int), np.maximum(np.array(volume.shape) - 2, 0))
    weights = place - low
    cell = volume[tuple(slice(at, at + 2) for at in low)]
    for weight in weights:
        cell = cell[0] * (1 - weight) + cell[1] * weight
    return cell


@pytest.mark.parametrize("make", [empty_segment, no_voxels])
def test_no_components(make, random):
    scene = make(random)
    table = add_node(scene.scene, "Table", "a table")
    component_table.fill_table(table, scene.node, "id1", scene.volume)
    assert table.GetNumberOfRows() > 0
    component_table.fill_table(table, scene.node, "id0", scene.volume)
    assert table.GetNumberOfRows() == 0 and table.GetNumberOfColumns() == 15


def test_sort_and_jump(random):
    scene = transformed(random)
    table = add_node(scene.scene, "Table", "a table")
    component_table.fill_table(table, scene.node, "id0", scene.volume)
    before = columns_of(table)
    rows = {row[0]: row for row in zip(*before.values())}
    for column, name in enumerate(before):
        for descending in (False, True):
            component_table.sort_table(table, column, descending)
            after = columns_of(table)
            steps = np.diff(after[name][~np.isnan(after[name])])
            assert (steps <= 0).all() if descending else (steps >= 0).all()
            assert np.array_equal([rows[row[0]] for row in zip(*after.values())], list(zip(*after.values())), equal_nan=True)
    view = add_node(scene.scene, "Slice", "Red")
    view.SetLayoutName("Red")
    component_table.jump_to(table, len(rows) - 1)
    center = [view.GetSliceToRAS().GetElement(axis, 3) for axis in range(3)]
    assert center == pytest.approx([after[name][-1] for name in component_table.CENTROID])


def test_errors_of_tables(random):
    scene = plain(random)
    table = add_node(scene.scene, "Table", "a table")
    component_table.fill_table(table, scene.node, "id0")
    before = columns_of(table)
    bent = add_node(scene.scene, "BSplineTransform", "a bent transform")
    bent.SetAndObserveTransformToParent(vtk.vtkThinPlateSplineTransform())
    vectors = volume_node(scene.scene, np.zeros(SHAPE, np.int16))
    vectors.GetImageData().AllocateScalars(vtk.VTK_SHORT, 3)
    for node, target, volume, words in (
        (scene.node, "", None, "has no segment ''. Select a segment"),
        (scene.node, "id0", vectors, "3 values for each voxel"),
        (scene.node, "id0", add_node(scene.scene, "ScalarVolume", "nothing"), "nothing has no voxels"),
        (scene.volume, 1, None, "is no label map volume"),
        (volume_node(scene.scene, np.ones(SHAPE, np.uint8), kind="LabelMapVolume"), 300, None, "Labels are 1 to 255"),
    ):
        with pytest.raises(ValueError, match=words):
            component_table.fill_table(table, node, target, volume)
    scene.node.SetAndObserveTransformNodeID(bent.GetID())
    with pytest.raises(ValueError, match="a bent transform is not linear"):
        component_table.fill_table(table, scene.node, "id0")
    assert {name: list(values) for name, values in before.items()} == {
        name: list(values) for name, values in columns_of(table).items()
    }


def label_map(random, dtype=np.int16):
    scene = slicer.vtkMRMLScene()
    values = np.zeros(SHAPE, dtype)
    for value in (1, 2, 7, 1, 2, 7):
        values[blobs(random, count=6) != 0] = value
    return volume_node(scene, values, OBLIQUE, "LabelMapVolume"), values, scene


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.float32])
def test_label_maps(dtype, random):
    node, before, scene = label_map(random, dtype)
    target = islands.LabelMapTarget(node, 2)
    found = islands_of(before == 2)
    others = before * (before != 2)
    place = np.argwhere(found[-1])[0]
    background = next(each for each in islands_of(before == 0) if each[tuple(np.argwhere(before == 0)[0])])
    holes = background_off_the_border(before == 2)
    large = [island for island in found if island.sum() >= 20]
    for operation, arguments, expected in (
        (islands.keep_largest, (), others + 2 * found[0]),
        (islands.keep_largest, (10000,), others),
        (islands.remove_small, (20,), others + 2 * sum(large)),
        (islands.keep_selected, (place[::-1],), others + 2 * found[-1]),
        (islands.remove_selected, (place[::-1],), before - 2 * found[-1]),
        (islands.add_selected, (np.argwhere(before == 0)[0][::-1],), before + 2 * background),
        (islands.fill_holes, (), np.where(holes, 2, before)),
        (islands.split, (20,), others + sum((2 if at == 0 else 7 + at) * island for at, island in enumerate(large))),
    ):
        operation(target, *arguments)
        assert np.array_equal(target.values, expected), operation
        assert np.array_equal(slicer.util.arrayFromVolume(node), expected)
        target.undo()
        assert np.array_equal(target.values, before)


def test_label_map_without_free_values(random):
    node, _, scene = label_map(random, np.uint8)
    values = slicer.util.arrayFromVolume(node)
    values[values == 7] = 254
    before = values.copy()
    with pytest.raises(ValueError, match="has no values for"):
        islands.split(islands.LabelMapTarget(node, 2))
    assert np.array_equal(values, before)


def test_label_map_without_voxels():
    target = islands.LabelMapTarget(volume_node(slicer.vtkMRMLScene(), np.zeros((0, 0, 0), np.uint8), kind="LabelMapVolume"), 1)
    for operation in (islands.keep_largest, islands.split, islands.fill_holes):
        operation(target)
    assert target.values.size == 0


def test_label_map_with_time():
    scene = slicer.vtkMRMLScene()
    node = volume_node(scene, np.ones(SHAPE, np.uint8), kind="LabelMapVolume")
    node.GetImageData().AllocateScalars(vtk.VTK_UNSIGNED_CHAR, 5)
    with pytest.raises(ValueError, match="5 values for each voxel"):
        islands.LabelMapTarget(node, 1)


def test_table_of_a_label(random):
    node, before, scene = label_map(random)
    node.SetAndObserveTransformNodeID(transform_node(scene, matrix((2, 1, 1))).GetID())
    table = add_node(scene, "Table", "a table")
    component_table.fill_table(table, node, 7, node)
    columns = columns_of(table)
    found = islands_of(before == 7)
    assert list(columns["Voxels"]) == [island.sum() for island in found]
    assert columns["Volume [mm3]"] == pytest.approx(columns["Voxels"] * 0.8 * 0.9 * 2.5 * 2)
    assert (columns["Mean"] == 7).all() and (columns["Maximum"] == 7).all()
    large = volume_node(scene, np.full(SHAPE, 2**24 + 1, np.int32), OBLIQUE)  # no float
    large.SetAndObserveTransformNodeID(node.GetTransformNodeID())
    component_table.fill_table(table, node, 7, large)
    assert (columns_of(table)["Maximum"] == 2**24 + 1).all()


def test_no_binary_label_map(random):
    scene = plain(random)
    scene.segmentation.CreateRepresentation("Closed surface")
    scene.segmentation.SetSourceRepresentationName("Closed surface")
    scene.segmentation.RemoveRepresentation("Binary labelmap")
    with pytest.raises(ValueError, match="has no binary labelmap"):
        component_table.fill_table(add_node(scene.scene, "Table", "a table"), scene.node, "id0")


def test_scene_without_display_node(random):
    """A segmentation that nothing displays has a table, too."""
    scene = Scene(random, [oriented(blobs(random))])
    scene.scene.RemoveNode(scene.node.GetDisplayNode())
    table = add_node(scene.scene, "Table", "a table")
    component_table.fill_table(table, scene.node, "id0")
    assert table.GetNumberOfRows() > 0
