# SPDX-License-Identifier: Apache-2.0
"""Islands of segments in Slicer's segmentations: layers that segments share, cropped extents, geometries that are
transformed. The steps are those of the effect Islands of the Segment Editor, without its user interface."""

import numpy as np
import pytest
import slicer_core as slicer
from vtkmodules import vtkCommonCore as vtk
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkCommonTransforms import vtkTransform
from vtkmodules.vtkImagingCore import vtkImageCast, vtkImageThreshold

from support import array_of, find_islands, image_of


def oblique(spacing=(0.8, 0.9, 2.0), origin=(10, -20, 30)):
    """The geometry of a tilted volume."""
    transform = vtkTransform()
    transform.Translate(origin)
    transform.RotateWXYZ(25, 1, 2, 3)
    transform.Scale(spacing)
    return transform.GetMatrix()


def label_map(volume, extent_begin, image_to_world):
    image = image_of(volume, vtk.VTK_UNSIGNED_CHAR, extent_begin, slicer.vtkOrientedImageData())
    image.SetImageToWorldMatrix(image_to_world)
    return image


def segmentation_node(label_maps, collapse=True):
    """A scene and a node of it with a segment for each label map. The segments share layers where they can."""
    scene = slicer.vtkMRMLScene()
    node = slicer.vtkMRMLSegmentationNode()
    scene.AddNode(node)
    for number, image in enumerate(label_maps):
        node.AddSegmentFromBinaryLabelmapRepresentation(image, f"segment {number}", [0.1 * number] * 3, f"id {number}")
    if collapse:
        node.GetSegmentation().CollapseBinaryLabelmaps(False)
    return scene, node


def split(node, segment_id, minimum):
    """Splits a segment into its islands, which become segments of their own."""
    selected = slicer.vtkOrientedImageData()
    assert node.GetBinaryLabelmapRepresentation(segment_id, selected)
    cast = vtkImageCast()
    cast.SetInputData(selected)
    cast.SetOutputScalarTypeToUnsignedInt()
    cast.Update()
    islands = find_islands(cast.GetOutput(), MinimumSize=minimum)
    matrix = vtkMatrix4x4()
    selected.GetImageToWorldMatrix(matrix)
    for label in range(1, min(islands.count, 6) + 1):
        part = label_map(islands.labels == label, islands.extent[::2], matrix)
        name = f"{segment_id}, island {label}"
        node.AddSegmentFromBinaryLabelmapRepresentation(part, name, [1, 0, 0], name)
    return islands


def content(node):
    """All segments: names, label values, layers, extents, geometries and voxels."""
    segmentation = node.GetSegmentation()
    result = {"layers": segmentation.GetNumberOfLayers()}
    for number in range(segmentation.GetNumberOfSegments()):
        segment_id = segmentation.GetNthSegmentID(number)
        segment = segmentation.GetSegment(segment_id)
        image = slicer.vtkOrientedImageData()
        node.GetBinaryLabelmapRepresentation(segment_id, image)
        matrix = vtkMatrix4x4()
        image.GetImageToWorldMatrix(matrix)
        geometry = tuple(matrix.GetElement(row, column) for row in range(4) for column in range(4))
        result[segment_id] = (
            segment.GetName(),
            segment.GetLabelValue(),
            segmentation.GetLayerIndex(segment_id),
            image.GetExtent(),
            geometry,
            array_of(image),
        )
    return result


def blobs(random, shape=(38, 45, 52)):
    """Islands of several sizes, as a mask."""
    volume = np.zeros(shape, bool)
    for _ in range(40):
        begin = [random.integers(0, size) for size in shape]
        volume[tuple(slice(at, at + random.integers(2, 9)) for at in begin)] = True
    return volume


def test_shared_layers(both, random):
    values = random.integers(0, 4, (38, 45, 52)) * blobs(random)
    overlapping = blobs(random)

    def run():
        maps = [label_map(values == value, (0, 0, 0), oblique()) for value in (1, 2, 3)]
        scene, node = segmentation_node([*maps, label_map(overlapping, (0, 0, 0), oblique())])
        assert node.GetSegmentation().GetNumberOfLayers() == 2
        islands = [split(node, f"id {number}", minimum) for number, minimum in enumerate((0, 2, 3, 10))]
        node.GetSegmentation().CollapseBinaryLabelmaps(False)
        return islands, content(node)

    islands, segments = both(run)
    assert len(segments) > 8
    assert all(each.original_count > 1 for each in islands)


def test_cropped_extents(both, random):
    full = blobs(random)
    full[0] = full[:, 0] = False
    full[20:, 20:, 20:] = False
    full[10:15, 10:15, 10:15] = True

    def run():
        scene, node = segmentation_node(
            [
                label_map(full, (-11, 5, 100), oblique()),
                label_map(full[5:30, 7:25, 3:44], (3, 7, 5), oblique()),
                label_map(full[10:12, 10:11, 10:13], (10, 10, 10), oblique()),
            ]
        )
        return [split(node, f"id {number}", 0) for number in range(3)], content(node)

    islands, segments = both(run)
    assert len({each.labels.shape for each in islands}) > 1


def test_center_of_a_segment(both, random):
    """GetSegmentCenter() calls vtkITKIslandMath in Slicer's own code."""
    masks = [blobs(random) for _ in range(3)]

    def run():
        scene, node = segmentation_node([label_map(mask, (5, 6, 7), oblique()) for mask in masks])
        transform = slicer.vtkMRMLLinearTransformNode()
        scene.AddNode(transform)
        transform.SetMatrixTransformToParent(oblique(spacing=(1, 2, 3)))
        node.SetAndObserveTransformNodeID(transform.GetID())
        ids = [f"id {number}" for number in range(3)]
        return [tuple(node.GetSegmentCenter(each)) for each in ids], [tuple(node.GetSegmentCenterRAS(each)) for each in ids]

    centers, transformed = both(run)
    assert len(set(centers)) == 3 and centers != transformed


def test_transformed_reference_geometry(both, random):
    """The segments are resampled to a tilted reference before the islands are found."""
    mask = blobs(random)

    def run():
        scene, node = segmentation_node([label_map(mask, (0, 0, 0), oblique())])
        reference = slicer.vtkOrientedImageData()
        reference.SetExtent(-30, 40, -25, 50, -20, 45)
        turned = vtkTransform()
        turned.SetMatrix(oblique(spacing=(0.7, 0.7, 0.7)))
        turned.RotateX(40)
        reference.SetImageToWorldMatrix(turned.GetMatrix())
        moved = vtkTransform()
        moved.RotateY(10)
        source = slicer.vtkOrientedImageData()
        node.GetBinaryLabelmapRepresentation("id 0", source)
        resampled = slicer.vtkOrientedImageData()
        assert slicer.vtkOrientedImageDataResample.ResampleOrientedImageToReferenceOrientedImage(
            source, reference, resampled, False, False, moved
        )
        node.AddSegmentFromBinaryLabelmapRepresentation(resampled, "resampled", [0, 1, 0], "resampled")
        return split(node, "resampled", 0), split(node, "id 0", 5), content(node)

    resampled, original, segments = both(run)
    assert resampled.original_count > 1 and original.count > 1


@pytest.mark.parametrize("collapse", [False, True])
def test_empty_segments(collapse, both):
    """The first segment is empty. The second has one island, which is below the minimum."""

    def run():
        empty = np.zeros((30, 30, 30), bool)
        one = empty.copy()
        one[3, 4, 5] = True
        scene, node = segmentation_node([label_map(each, (0, 0, 0), oblique()) for each in (empty, one)], collapse)
        islands = split(node, "id 1", 2)
        merged = slicer.vtkOrientedImageData()
        node.GenerateMergedLabelmapForAllSegments(merged, 0)
        return islands, content(node), array_of(merged)

    islands, segments, merged = both(run)
    assert (islands.count, islands.original_count) == (0, 1)
