# SPDX-License-Identifier: Apache-2.0
"""Operations on the islands of a segment, or of a label in a label map volume. No Qt.

An island is a connected component by face neighbors. The operations and their results are those of Slicer's effect Islands.
Each operation takes a target: a `SegmentTarget` or a `LabelMapTarget`. It computes first, then saves the state for undo, and
writes last. So the target is unchanged if the computation fails. Arrays have the axes k, j and i.
"""

import math

import numpy as np
import slicer
import vtk
from vtk.util.numpy_support import vtk_to_numpy

BINARY_LABELMAP = slicer.vtkSegmentationConverter.GetSegmentationBinaryLabelmapRepresentationName()


def labeler():
    """Return the package that labels. It is imported here, because the user may have to install it first."""
    import cuda_connected_components

    return cuda_connected_components


def backend():
    """Return a sentence: where the last operation ran, and why."""
    info = labeler().backend_info()
    if info["last_backend"] == "none":
        return "Nothing was computed yet."
    if info["last_backend"] == "cuda":
        return "Computed on the GPU."
    reason = info["last_reason"] or info["cuda_reason"]
    return f"Computed on the CPU, threads: {info['threads']}. The GPU was not used: {reason}."


def array_of(image):
    """Return a view of the voxels of an image."""
    if image.GetNumberOfPoints() == 0:
        return np.zeros((0, 0, 0), np.uint8)
    count = image.GetNumberOfScalarComponents()
    if count != 1:
        raise ValueError(f"The image has {count} values for each voxel. Extract one component, or one time point, first.")
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(image.GetDimensions()[::-1])


def image_like(image, box=None, scalar_type=vtk.VTK_UNSIGNED_CHAR):
    """Return an image in the geometry of another one. Its voxels are not set. `box` selects a part: three slices."""
    result = slicer.vtkOrientedImageData()
    result.CopyDirections(image)
    result.SetOrigin(image.GetOrigin())
    result.SetSpacing(image.GetSpacing())
    extent = list(image.GetExtent())
    if box:
        firsts = extent[::2]
        extent[::2] = [first + side.start for first, side in zip(firsts, box[::-1])]
        extent[1::2] = [first + side.stop - 1 for first, side in zip(firsts, box[::-1])]
    result.SetExtent(extent)
    result.AllocateScalars(scalar_type, 1)
    return result


def image_to_ras(node, image):
    """Return the matrix from voxel indices to RAS, which includes the node's transform."""
    matrix = vtk.vtkMatrix4x4()
    image.GetImageToWorldMatrix(matrix)
    transform = node.GetParentTransformNode()
    if transform:
        to_world = vtk.vtkMatrix4x4()
        if not transform.GetMatrixTransformToWorld(to_world):
            raise ValueError(f"The transform {transform.GetName()} is not linear. Harden it on {node.GetName()} first.")
        vtk.vtkMatrix4x4.Multiply4x4(to_world, matrix, matrix)
    return np.array([matrix.GetElement(row, column) for row in range(4) for column in range(4)]).reshape(4, 4)


def voxels_in(mm3, node, image):
    """Return the least number of voxels whose volume is at least `mm3`, up to an error of 2e-7."""
    return max(0, math.ceil(mm3 / abs(np.linalg.det(image_to_ras(node, image))) * (1 - 2e-7)))


class SegmentTarget:
    """The selected segment of a Segment Editor, with the editor's masking, overwrite mode, geometry and undo.

    Parameters
    ----------
    editor : vtkSlicerSegmentEditorLogic
        The logic of the editor, or an object with the same functions.
    """

    def __init__(self, editor):
        self.editor = editor
        parameters = editor.GetSegmentEditorNode()
        self.node = parameters.GetSegmentationNode() if parameters else None
        if self.node is None:
            raise ValueError("No segmentation is selected. Select one in the Segment Editor.")
        self.segmentation = self.node.GetSegmentation()
        self.segment_id = parameters.GetSelectedSegmentID() or ""
        self.segment = self.segmentation.GetSegment(self.segment_id)
        if self.segment is None:
            raise ValueError("No segment is selected. Select one in the Segment Editor.")
        source = self.segmentation.GetSourceRepresentationName()
        if source != BINARY_LABELMAP:
            raise ValueError(
                f"The segments of {self.node.GetName()} are stored as {source}. Make {BINARY_LABELMAP} the source."
            )
        if parameters.GetSourceVolumeIntensityMask() and parameters.GetSourceVolumeNode() is None:
            raise ValueError("The editable intensity range needs a source volume. Select one in the Segment Editor.")

    def image(self):
        """Return the target: 1 in its voxels, and 0 elsewhere, in the geometry of the segmentation."""
        if not self.editor.UpdateSelectedSegmentLabelmap():
            raise ValueError(f"{self.node.GetName()} has no geometry. Select a source volume in the Segment Editor.")
        return self.editor.GetSelectedSegmentLabelmap()

    def visible_image(self):
        """Return an image that has another value in each visible segment, and 0 elsewhere."""
        ids = vtk.vtkStringArray()
        if self.node.GetDisplayNode():
            self.node.GetDisplayNode().GetVisibleSegmentIDs(ids)
        if ids.GetNumberOfValues() == 0:
            raise ValueError(f"No segment of {self.node.GetName()} is visible. Only visible islands can be added.")
        image = slicer.vtkOrientedImageData()
        extents = slicer.vtkSegmentation.EXTENT_UNION_OF_SEGMENTS_PADDED
        if not self.node.GenerateMergedLabelmapForAllSegments(image, extents, None, ids):
            raise ValueError(f"The visible segments of {self.node.GetName()} cannot be merged.")
        return image

    def write(self, mode, image):
        """Save the state for undo. Then "Set" the target to an image, "Add" the image to it, or "Remove" the image from it."""
        self.editor.SaveStateForUndo()
        self._modify(self.segment_id, mode, image)

    def write_parts(self, first, others):
        """Save the state for undo. Set the target to `first`, and make new segments of `others`."""
        self.editor.SaveStateForUndo()
        # The target may be the editable area, so it changes last.
        with slicer.util.NodeModify(self.node):
            for number, image in enumerate(others, 2):
                part = slicer.vtkSegment()
                part.SetName(f"{self.segment.GetName() or 'Label'}_{number}")
                # A new value in the layer of the target: the number of layers does not grow.
                part.AddRepresentation(BINARY_LABELMAP, self.segment.GetRepresentation(BINARY_LABELMAP))
                self.segmentation.AddSegment(part)
                part.SetLabelValue(self.segmentation.GetUniqueLabelValueForSharedLabelmap(self.segment_id))
                self._modify(self.segmentation.GetSegmentIdBySegment(part), "Add", image)
            self._modify(self.segment_id, "Set", first)

    def _modify(self, segment_id, mode, image):
        mode = getattr(self.editor, f"ModificationMode{mode}")
        self.editor.ModifySegmentByLabelmap(self.node, segment_id, image, mode, True, False)


class LabelMapTarget:
    """The voxels of one value in a label map volume.

    Parameters
    ----------
    node : vtkMRMLLabelMapVolumeNode
        The volume. `undo` restores its voxels, because Slicer has no undo for volumes.
    value : int
        The value. Parts of it get the values above the largest value of the volume.
    """

    def __init__(self, node, value):
        self.node = node
        self.values = array_of(self.visible_image())
        self.value = value
        self.largest_value = 2**24 if self.values.dtype.kind == "f" else np.iinfo(self.values.dtype).max
        if not 0 < value <= self.largest_value:
            raise ValueError(f"{value} is no label of {node.GetName()}. Labels are 1 to {self.largest_value}.")
        self.before = None

    def image(self):
        image = image_like(self.visible_image())
        np.equal(self.values, self.value, out=array_of(image).view(bool))
        return image

    def visible_image(self):
        if not self.node.IsA("vtkMRMLLabelMapVolumeNode") or self.node.GetImageData() is None:
            raise ValueError(f"{self.node.GetName()} is no label map volume with voxels.")
        image = slicer.vtkOrientedImageData()
        image.ShallowCopy(self.node.GetImageData())
        matrix = vtk.vtkMatrix4x4()
        self.node.GetIJKToRASMatrix(matrix)
        image.SetGeometryFromImageToWorldMatrix(matrix)
        return image

    def write(self, mode, image):
        mask = array_of(image) != 0
        self.before = self.values.copy()
        if mode == "Set":
            self.values[self.values == self.value] = 0
        self.values[mask] = 0 if mode == "Remove" else self.value
        slicer.util.arrayFromVolumeModified(self.node)

    def write_parts(self, first, others):
        start = int(self.values.max(initial=0)) + 1
        if start + len(others) - 1 > self.largest_value:
            raise ValueError(f"{self.node.GetName()} has no values for {len(others)} new labels. Cast it to a larger type.")
        self.write("Set", first)
        firsts = self.node.GetImageData().GetExtent()[::2]
        for value, image in enumerate(others, start):
            part = array_of(image)
            begins = [at - first for at, first in zip(image.GetExtent()[::2], firsts)][::-1]
            box = tuple(slice(begin, begin + size) for begin, size in zip(begins, part.shape))
            self.values[box][part != 0] = value
        slicer.util.arrayFromVolumeModified(self.node)

    def undo(self):
        """Restore the voxels before the last operation, unless the volume got another size or type since then."""
        values = array_of(self.visible_image())
        if self.before is not None and (values.shape, values.dtype) == (self.before.shape, self.before.dtype):
            values[...] = self.before
            self.before = None
            slicer.util.arrayFromVolumeModified(self.node)


def keep_largest(target, minimum_size=0):
    """Keep the largest island, if it has at least `minimum_size` voxels. Remove all others."""
    image = target.image()
    kept = image_like(image, scalar_type=image.GetScalarType())
    if image.GetNumberOfPoints():
        labeler().keep_largest(array_of(image), connectivity=1, out=array_of(kept))
        if np.count_nonzero(array_of(kept)) < minimum_size:
            array_of(kept)[...] = 0
    target.write("Set", kept)


def remove_small(target, minimum_size):
    """Remove the islands that have fewer voxels than `minimum_size`."""
    image = target.image()
    kept = image_like(image, scalar_type=image.GetScalarType())
    if image.GetNumberOfPoints():
        labeler().remove_small(array_of(image), minimum_size, connectivity=1, out=array_of(kept))
    target.write("Set", kept)


def split(target, minimum_size=0):
    """Make each island a segment, ordered by size. The largest one stays in the target.

    Islands that have fewer voxels than `minimum_size` are removed.
    """
    image = target.image()
    table, labels = components(array_of(image))
    sizes = table["num_pixels"]
    rows = [row for row in np.argsort(-sizes, kind="stable") if sizes[row] >= minimum_size]
    parts = []
    for row in rows:
        box = box_of(table, row)
        parts.append(image_like(image, box))
        np.equal(labels[box], row + 1, out=array_of(parts[-1]).view(bool))
    first = image_like(image)  # of the whole size, because masking keeps only voxels of this image
    array_of(first)[...] = 0
    if parts:
        array_of(first)[box_of(table, rows[0])] = array_of(parts[0])
    target.write_parts(first, parts[1:])


def keep_selected(target, ijk):
    """Keep the island at a voxel, and remove all others. If there is none, nothing changes."""
    _write_island(target, "Set", target.image(), ijk)


def remove_selected(target, ijk):
    """Remove the island at a voxel. If there is none, nothing changes."""
    _write_island(target, "Remove", target.image(), ijk)


def add_selected(target, ijk):
    """Add the voxels of the same value that are connected to a voxel of `target.visible_image()`: background, too."""
    _write_island(target, "Add", target.visible_image(), ijk)


def fill_holes(target):
    """Add the background that does not reach the border of the image by face neighbors."""
    image = target.image()
    table, labels = components(array_of(image), value=0, properties=("touches_border",))
    holes = image_like(image)
    np.take(np.append(False, ~table["touches_border"]), labels, out=array_of(holes).view(bool))
    target.write("Add", holes)


def components(mask, value=1, properties=("num_pixels", "bbox")):
    """Return the table of the components of a value, and their labels, of the smallest type that holds them."""
    if mask.size == 0:
        return {"num_pixels": np.zeros(0, int), "touches_border": np.zeros(0, bool)}, np.zeros(mask.shape, np.uint8)
    options = {"lower": value, "upper": value, "connectivity": 1}
    table = labeler().component_statistics(mask, properties=("label", *properties), **options)
    return table, labeler().label(mask, dtype=np.min_scalar_type(len(table["label"])), **options)


def box_of(table, row):
    """Return the box of a component, as slices."""
    return tuple(slice(int(table[f"bbox-{axis}"][row]), int(table[f"bbox-{axis + 3}"][row])) for axis in range(3))


def _write_island(target, mode, image, ijk):
    values = array_of(image)
    place = tuple(at - first for at, first in zip(ijk, image.GetExtent()[::2]))[::-1]
    if not all(0 <= at < size for at, size in zip(place, values.shape)):
        return
    value = values[place]
    if value == 0 and mode != "Add":
        return
    labels = labeler().label(values, lower=value, upper=value, connectivity=1)
    island = image_like(image)
    np.equal(labels, labels[place], out=array_of(island).view(bool))
    target.write(mode, island)
