# SPDX-License-Identifier: Apache-2.0
"""Segmentations for the tests, and what Slicer's own effect Islands does with them."""

import numpy as np
import slicer
import vtk
import vtk.util.numpy_support
from CudaIslandsLib.islands import BINARY_LABELMAP, array_of, image_like

SHAPE = (17, 26, 31)
MASKING = {
    name: getattr(slicer.vtkMRMLSegmentationNode, f"EditAllowed{name}")
    for name in (
        "Everywhere",
        "InsideAllSegments",
        "InsideVisibleSegments",
        "OutsideAllSegments",
        "OutsideVisibleSegments",
        "InsideSingleSegment",
    )
}
OVERWRITE = {
    name: getattr(slicer.vtkMRMLSegmentEditorNode, f"Overwrite{name}") for name in ("AllSegments", "VisibleSegments", "None")
}

# Without this rule, Slicer's history cannot copy segments: the application registers it.
slicer.vtkSegmentationConverterFactory.GetInstance().RegisterConverterRule(
    slicer.vtkBinaryLabelmapToClosedSurfaceConversionRule()
)


def blobs(random, shape=SHAPE, count=25, most=7):
    """Random boxes, as a mask of at least two islands."""
    mask = np.zeros(shape, np.uint8)
    for _ in range(count):
        begin = [random.integers(0, size) for size in shape]
        mask[tuple(slice(at, at + random.integers(1, most)) for at in begin)] = 1
    mask[:2, :2, :2] = 0
    mask[0, 0, 0] = mask[-1, -1, -1] = 1
    return mask


def matrix(spacing=(1, 1, 1), origin=(0, 0, 0), turned=0):
    transform = vtk.vtkTransform()
    transform.Translate(origin)
    transform.RotateWXYZ(turned, 1, 2, 3)
    transform.Scale(spacing)
    return transform.GetMatrix()


OBLIQUE = matrix((0.8, 0.9, 2.5), (10, -20, 30), 25)


def oriented(values, to_world=None, start=(0, 0, 0)):
    """An image with the values, of the array's type. `start` is the first index, along i, j and k."""
    image = slicer.vtkOrientedImageData()
    image.SetExtent([at for first, size in zip(start, values.shape[::-1]) for at in (first, first + size - 1)])
    image.AllocateScalars(vtk.util.numpy_support.get_vtk_array_type(values.dtype), 1)
    if values.size:
        array_of(image)[...] = values
    image.SetImageToWorldMatrix(to_world or matrix())
    return image


def add_node(scene, kind, name):
    node = getattr(slicer, f"vtkMRML{kind}Node")()
    node.SetName(name)
    return scene.AddNode(node)


def volume_node(scene, values, to_world=None, kind="ScalarVolume"):
    node = add_node(scene, kind, f"a {kind}")
    image = vtk.vtkImageData()
    image.DeepCopy(oriented(values))
    node.SetAndObserveImageData(image)
    node.SetIJKToRASMatrix(to_world or matrix())
    return node


def transform_node(scene, to_parent):
    node = add_node(scene, "LinearTransform", "a transform")
    node.SetMatrixTransformToParent(to_parent)
    return node


class Scene:
    """A scene with a segmentation and a Segment Editor that has selected the first segment.

    The scene is made anew from the same random numbers at each call, so that two of them are equal.
    """

    def __init__(self, random, images, to_world=None, volume=True, collapse=True):
        self.scene = slicer.vtkMRMLScene()
        colors = slicer.vtkMRMLColorTableNode()  # as in the application; without them, colors are random
        colors.SetTypeToFullRainbow()
        colors.SetSingletonTag("FileGenericAnatomyColors.txt")
        self.scene.AddNode(colors)
        self.node = add_node(self.scene, "Segmentation", "a segmentation")
        self.node.CreateDefaultDisplayNodes()
        self.volume = None
        if volume:
            self.volume = volume_node(self.scene, random.integers(0, 100, SHAPE).astype(np.int16), to_world)
            self.node.SetReferenceImageGeometryParameterFromVolumeNode(self.volume)
        for number, image in enumerate(images):
            self.node.AddSegmentFromBinaryLabelmapRepresentation(
                image, f"segment {number}", [0.1 * number, 1, 0], f"id{number}"
            )
        self.segmentation = self.node.GetSegmentation()
        if collapse:
            self.segmentation.CollapseBinaryLabelmaps(False)
        self.parameters = add_node(self.scene, "SegmentEditor", "a Segment Editor")
        self.editor = slicer.vtkSlicerSegmentEditorLogic()
        self.editor.SetMRMLScene(self.scene)
        self.editor.SetSegmentEditorNode(self.parameters)
        self.parameters.SetAndObserveSegmentationNode(self.node)
        self.parameters.SetAndObserveSourceVolumeNode(self.volume)
        self.parameters.SetSelectedSegmentID("id0")

    def setting(self, masking, overwrite, in_range=False, mask_segment="id1", hidden=()):
        self.parameters.SetMaskMode(MASKING[masking])
        self.parameters.SetMaskSegmentID(mask_segment)
        self.parameters.SetOverwriteMode(OVERWRITE[overwrite])
        if in_range and self.volume:
            self.parameters.SetSourceVolumeIntensityMask(True)
            self.parameters.SetSourceVolumeIntensityMaskRange(20, 100)
        for each in hidden:
            self.node.GetDisplayNode().SetSegmentVisibility(each, False)
        return self

    def places(self, segment_id):
        """The indices of the voxels of a segment, along k, j and i."""
        image = slicer.vtkOrientedImageData()
        self.node.GetBinaryLabelmapRepresentation(segment_id, image)
        return np.argwhere(array_of(image)) + image.GetExtent()[::2][::-1]

    def content(self):
        """All that an operation may change: names, colors, terms, status, values, layers, geometries, visibility and voxels."""
        content = {"layers": self.segmentation.GetNumberOfLayers()}
        for number in range(self.segmentation.GetNumberOfSegments()):
            segment_id = self.segmentation.GetNthSegmentID(number)
            segment = self.segmentation.GetSegment(segment_id)
            to_world = vtk.vtkMatrix4x4()
            segment.GetRepresentation(BINARY_LABELMAP).GetImageToWorldMatrix(to_world)
            content[number] = (
                segment.GetName(),
                segment.GetColor(),
                segment.GetTerminology(),
                segment.GetLabelValue(),
                slicer.vtkSlicerSegmentationsModuleLogic.GetSegmentStatus(segment),
                self.segmentation.GetLayerIndex(segment_id),
                slicer.util.arrayFromVTKMatrix(to_world).tolist(),
                self.node.GetDisplayNode().GetSegmentVisibility(segment_id),
                self.places(segment_id).tolist(),
            )
        return content


def plain(random):
    return Scene(random, [oriented(blobs(random)) for _ in range(2)])


def shared_layers(random):
    """Three segments in one layer, and one that overlaps them in another."""
    values = np.zeros(SHAPE, np.uint8)
    for value in (1, 2, 3, 1, 2, 3):
        values[blobs(random, count=5) != 0] = value
    images = [oriented((values == value).astype(np.uint8), OBLIQUE) for value in (1, 2, 3)]
    scene = Scene(random, [*images, oriented(blobs(random), OBLIQUE)], OBLIQUE)
    assert scene.segmentation.GetNumberOfLayers() == 2
    return scene


def cropped_extents(random):
    """Segments that reach beyond the volume, and into it."""
    return Scene(
        random,
        [
            oriented(blobs(random, (9, 14, 12)), OBLIQUE, start=(-5, 7, 3)),
            oriented(blobs(random, (8, 8, 8)), OBLIQUE, start=(20, 3, 12)),
            oriented(np.ones((3, 4, 5), np.uint8), OBLIQUE, start=(4, 9, 5)),
        ],
        OBLIQUE,
        collapse=False,
    )


def transformed(random):
    """A segmentation and a volume under transforms of their own."""
    scene = Scene(random, [oriented(blobs(random), OBLIQUE) for _ in range(3)], OBLIQUE)
    for node, turned in ((scene.node, 35), (scene.volume, -10)):
        node.SetAndObserveTransformNodeID(transform_node(scene.scene, matrix((1, 1, 1), (3, 4, 5), turned)).GetID())
    return scene


def other_geometry(random):
    """Segments in other geometries than the reference geometry, which the editor resamples to it."""
    return Scene(random, [oriented(blobs(random), matrix((1.1, 0.7, 2), turned=15)), oriented(blobs(random), OBLIQUE)], OBLIQUE)


def no_reference(random):
    """A segmentation without a reference geometry and without a volume."""
    return Scene(random, [oriented(blobs(random), OBLIQUE), oriented(blobs(random), OBLIQUE)], volume=False)


def empty_segment(random):
    return Scene(random, [oriented(np.zeros(SHAPE, np.uint8)), oriented(blobs(random))])


def no_voxels(random):
    """The layer of the segment has no voxels at all."""
    return Scene(random, [oriented(np.zeros((0, 0, 0), np.uint8)), oriented(blobs(random))], collapse=False)


SCENES = (plain, shared_layers, cropped_extents, transformed, other_geometry, no_reference, empty_segment, no_voxels)


def background_off_the_border(mask):
    """The holes of a mask, by growing the background from the border."""
    reached = np.pad(np.zeros_like(mask), 1, constant_values=True)
    free = np.pad(~mask, 1, constant_values=True)
    count = 0
    while count != reached.sum():
        count = reached.sum()
        for axis in range(3):
            for step in (-1, 1):
                reached |= np.roll(reached, step, axis) & free
        reached &= free
    return ~reached[1:-1, 1:-1, 1:-1] & ~mask


def slicers_islands(scene, minimum_size=0, split=True, most=0):
    """What Slicer's effect does for "Keep largest" (most=1), "Remove small" (split=False) and "Split"."""
    editor, node, segmentation = scene.editor, scene.node, scene.segmentation
    editor.SaveStateForUndo()
    editor.UpdateSelectedSegmentLabelmap()
    selected = editor.GetSelectedSegmentLabelmap()
    cast = vtk.vtkImageCast()
    cast.SetInputData(selected)
    cast.SetOutputScalarTypeToUnsignedInt()
    islands = slicer.vtkITKIslandMath()
    islands.SetInputConnection(cast.GetOutputPort())
    islands.SetFullyConnected(False)
    islands.SetMinimumSize(minimum_size)
    islands.Update()
    found = islands.GetOutput()
    values = vtk.vtkIntArray()
    slicer.vtkSlicerSegmentationsModuleLogic.GetAllLabelValues(values, found)
    values = [int(values.GetValue(index)) for index in range(values.GetNumberOfValues())]

    def modify(segment_id, lower, upper, mode):
        threshold = vtk.vtkImageThreshold()
        threshold.SetInputData(found)
        threshold.ThresholdBetween(lower, upper)
        threshold.SetInValue(1)
        threshold.SetOutValue(0)
        threshold.Update()
        image = image_like(selected)
        image.DeepCopy(threshold.GetOutput())
        image.CopyDirections(selected)
        editor.ModifySegmentByLabelmap(node, segment_id, image, mode, True, False)

    source = segmentation.GetSegment("id0")
    if split:
        for number, value in enumerate(values[1 : most or None], 2):
            segment = slicer.vtkSegment()
            segment.SetName(f"{source.GetName() or 'Label'}_{number}")
            segment.AddRepresentation(BINARY_LABELMAP, source.GetRepresentation(BINARY_LABELMAP))
            segmentation.AddSegment(segment)
            segment.SetLabelValue(segmentation.GetUniqueLabelValueForSharedLabelmap("id0"))
            modify(segmentation.GetSegmentIdBySegment(segment), value, value, editor.ModificationModeAdd)
    kept = (values[0], values[0] if split or most else values[-1]) if values else (1, 0)
    modify("id0", *kept, editor.ModificationModeSet)


def slicers_selected_island(scene, operation, ijk):
    """What Slicer's effect does at a click for "Keep", "Remove" and "Add"."""
    editor, node = scene.editor, scene.node
    editor.SaveStateForUndo()
    if operation == "Add":
        ids = vtk.vtkStringArray()
        node.GetDisplayNode().GetVisibleSegmentIDs(ids)
        image = slicer.vtkOrientedImageData()
        node.GenerateMergedLabelmapForAllSegments(image, slicer.vtkSegmentation.EXTENT_UNION_OF_SEGMENTS_PADDED, None, ids)
    else:
        editor.UpdateSelectedSegmentLabelmap()
        image = editor.GetSelectedSegmentLabelmap()
    value = image.GetScalarComponentAsDouble(*ijk, 0)
    if value == 0 and operation != "Add":
        return
    seeds = vtk.vtkPoints()
    seeds.InsertNextPoint([at * step + first for at, step, first in zip(ijk, image.GetSpacing(), image.GetOrigin())])
    flood = vtk.vtkImageThresholdConnectivity()
    flood.SetInputData(image)
    flood.SetSeedPoints(seeds)
    flood.ThresholdBetween(value, value)
    flood.SetInValue(1)
    flood.SetOutValue(0)
    flood.Update()
    editor.ResetModifierLabelmapToDefault()
    modifier = editor.GetModifierLabelmap()
    modifier.DeepCopy(flood.GetOutput())
    mode = {"Keep": "Set", "Remove": "Remove", "Add": "Add"}[operation]
    editor.ModifySegmentByLabelmap(node, "id0", modifier, getattr(editor, f"ModificationMode{mode}"), True, False)
