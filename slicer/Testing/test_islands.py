# SPDX-License-Identifier: Apache-2.0
"""The operations on segments: the same segments as Slicer's effect Islands, voxel by voxel."""

import itertools
import os

import numpy as np
import pytest
import vtk
from CudaIslandsLib import islands
from scenes import (
    MASKING,
    OVERWRITE,
    SCENES,
    SHAPE,
    Scene,
    background_off_the_border,
    cropped_extents,
    empty_segment,
    no_reference,
    no_voxels,
    oriented,
    other_geometry,
    plain,
    shared_layers,
    slicers_islands,
    slicers_selected_island,
    transformed,
)


# Masking, overwrite mode, editable intensity range, the segment that is the editable area, and invisible segments.
ALL_SETTINGS = [
    (masking, overwrite, in_range, mask_segment, hidden)
    for masking, overwrite, in_range, mask_segment, hidden in itertools.product(
        MASKING, OVERWRITE, (False, True), ("id0", "id1"), ((), ("id0",), ("id1",))
    )
    if mask_segment == "id1" or masking == "InsideSingleSegment"
]


def settings_for(random):
    """All settings, or a sample."""
    if os.environ.get("CUDA_CONNECTED_COMPONENTS_ALL_SETTINGS"):
        return ALL_SETTINGS
    return [ALL_SETTINGS[0], ALL_SETTINGS[random.integers(1, len(ALL_SETTINGS))]]


OPERATIONS = {
    "keep_largest": (lambda target: islands.keep_largest(target), lambda scene: slicers_islands(scene, most=1)),
    "keep_largest_of_30": (lambda target: islands.keep_largest(target, 30), lambda scene: slicers_islands(scene, 30, most=1)),
    "keep_largest_of_10000": (
        lambda target: islands.keep_largest(target, 10000),
        lambda scene: slicers_islands(scene, 10000, most=1),
    ),
    "remove_small": (lambda target: islands.remove_small(target, 20), lambda scene: slicers_islands(scene, 20, split=False)),
    "remove_none": (lambda target: islands.remove_small(target, 0), lambda scene: slicers_islands(scene, split=False)),
    "remove_all": (
        lambda target: islands.remove_small(target, 10000),
        lambda scene: slicers_islands(scene, 10000, split=False),
    ),
    "split": (lambda target: islands.split(target), lambda scene: slicers_islands(scene)),
    "split_of_30": (lambda target: islands.split(target, 30), lambda scene: slicers_islands(scene, 30)),
}


def twice(random, make, settings):
    """Two equal scenes."""
    seed = random.integers(2**32)
    return [make(np.random.default_rng(seed)).setting(*settings) for _ in range(2)]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("make", SCENES)
def test_same_segments(make, operation, random):
    for settings in settings_for(random):
        scene, oracle = twice(random, make, settings)
        assert scene.content() == oracle.content()
        ours, slicers = OPERATIONS[operation]
        ours(islands.SegmentTarget(scene.editor))
        slicers(oracle)
        assert scene.content() == oracle.content(), settings


@pytest.mark.parametrize("operation", ["Keep", "Remove", "Add"])
@pytest.mark.parametrize("make", SCENES)
def test_same_selected_island(make, operation, random):
    ours = {"Keep": islands.keep_selected, "Remove": islands.remove_selected, "Add": islands.add_selected}[operation]
    for settings in settings_for(random):
        if operation == "Add" and settings[-1] and make in (plain, empty_segment, no_voxels, no_reference, other_geometry):
            settings = (*settings[:-1], settings[-1][:1])
        scene, oracle = twice(random, make, settings)
        target = islands.SegmentTarget(scene.editor)
        image = target.visible_image() if operation == "Add" else target.image()
        values = islands.array_of(image)
        for place in [*random.permutation(np.argwhere(values))[:1], *random.permutation(np.argwhere(values == 0))[:1]]:
            ijk = [int(at) + first for at, first in zip(place[::-1], image.GetExtent()[::2])]
            ours(target, ijk)
            slicers_selected_island(oracle, operation, ijk)
            assert scene.content() == oracle.content(), (settings, ijk)


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("operation", [islands.keep_largest, islands.remove_small, islands.split])
def test_exact_minimum_size(operation, more):
    """An island of exactly the minimum size stays."""
    mask = np.zeros(SHAPE, np.uint8)
    mask[3:6, 4:8, 5:10] = 1
    scene = Scene(np.random.default_rng(0), [oriented(mask)])
    operation(islands.SegmentTarget(scene.editor), 60 + more)
    assert len(scene.places("id0")) == (0 if more else 60)


@pytest.mark.parametrize("make", SCENES)
def test_fill_holes(make, random):
    scene = make(random)
    target = islands.SegmentTarget(scene.editor)
    box = islands.array_of(target.image())
    noise = random.random(box.shape) < 0.8
    scene.editor.ModifySegmentByLabelmap(
        scene.node, "id0", filled(target.image(), noise), scene.editor.ModificationModeAdd, True, False
    )
    before = islands.array_of(target.image()).astype(bool)
    islands.fill_holes(target)
    after = islands.array_of(target.image()).astype(bool)
    assert np.array_equal(after, before | background_off_the_border(before))
    assert make is no_voxels or after.sum() > before.sum()


def filled(image, mask):
    result = islands.image_like(image)
    islands.array_of(result)[...] = mask
    return result


@pytest.mark.parametrize("make", [plain, shared_layers, cropped_extents])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_undo(make, operation, random):
    scene = make(random)
    before = scene.content()
    OPERATIONS[operation][0](islands.SegmentTarget(scene.editor))
    after = scene.content()
    assert after != before and scene.editor.CanUndo()
    scene.editor.Undo()
    assert scene.content() == before
    scene.editor.Redo()
    assert scene.content() == after


def test_minimum_size_in_mm3(random):
    scene = transformed(random)
    image = islands.SegmentTarget(scene.editor).image()
    voxel = 0.8 * 0.9 * 2.5
    for mm3, voxels in ((0, 0), (voxel, 1), (voxel * 1.01, 2), (1000 * voxel, 1000), (100, 56)):
        assert islands.voxels_in(mm3, scene.node, image) == voxels


def test_errors_change_nothing(random, monkeypatch):
    scene = plain(random)
    before = scene.content()

    def broken(*_, **__):
        raise MemoryError("there is too little memory")

    for name in ("keep_largest", "remove_small", "label", "component_statistics"):
        monkeypatch.setattr(islands.labeler(), name, broken)
    target = islands.SegmentTarget(scene.editor)
    ijk = [int(at) for at in np.argwhere(islands.array_of(target.image()))[0][::-1]]
    for operation, arguments in (
        (islands.keep_largest, ()),
        (islands.remove_small, (5,)),
        (islands.split, ()),
        (islands.fill_holes, ()),
        (islands.keep_selected, (ijk,)),
        (islands.remove_selected, (ijk,)),
        (islands.add_selected, (ijk,)),
    ):
        with pytest.raises(MemoryError):
            operation(target, *arguments)
    assert scene.content() == before and not scene.editor.CanUndo()


def test_nothing_selected(random):
    scene = plain(random)
    scene.parameters.SetSelectedSegmentID("")
    with pytest.raises(ValueError, match="No segment is selected"):
        islands.SegmentTarget(scene.editor)
    scene.parameters.SetSelectedSegmentID("id0")
    scene.setting("Everywhere", "AllSegments", in_range=True)
    scene.parameters.SetAndObserveSourceVolumeNode(None)
    with pytest.raises(ValueError, match="needs a source volume"):
        islands.SegmentTarget(scene.editor)
    scene.parameters.SetAndObserveSegmentationNode(None)
    with pytest.raises(ValueError, match="No segmentation is selected"):
        islands.SegmentTarget(scene.editor)


def test_no_binary_label_map(random):
    scene = plain(random)
    assert scene.segmentation.CreateRepresentation("Closed surface")
    scene.segmentation.SetSourceRepresentationName("Closed surface")
    with pytest.raises(ValueError, match="stored as Closed surface"):
        islands.SegmentTarget(scene.editor)


def test_nothing_visible(random):
    scene = plain(random).setting("Everywhere", "AllSegments", hidden=("id0", "id1"))
    with pytest.raises(ValueError, match="No segment of a segmentation is visible"):
        islands.add_selected(islands.SegmentTarget(scene.editor), (1, 1, 1))


def test_a_place_outside(random):
    scene = plain(random)
    before = scene.content()
    for operation in (islands.keep_selected, islands.remove_selected, islands.add_selected):
        for ijk in ((-5, 3, 3), (3, 3, 500)):
            operation(islands.SegmentTarget(scene.editor), ijk)
    assert scene.content() == before and not scene.editor.CanUndo()


def test_other_representations_follow(random):
    """Closed surfaces are made anew."""
    scene = plain(random)
    scene.segmentation.CreateRepresentation("Closed surface")
    before = scene.segmentation.GetSegment("id0").GetRepresentation("Closed surface").GetNumberOfPoints()
    islands.keep_largest(islands.SegmentTarget(scene.editor))
    after = scene.segmentation.GetSegment("id0").GetRepresentation("Closed surface").GetNumberOfPoints()
    assert 0 < after < before


def test_backend(random):
    islands.keep_largest(islands.SegmentTarget(plain(random).editor))
    assert islands.backend().startswith(("Computed on the GPU", "Computed on the CPU, threads: "))


def test_several_values_in_a_voxel():
    image = vtk.vtkImageData()
    image.SetDimensions(3, 4, 5)
    image.AllocateScalars(vtk.VTK_SHORT, 7)
    with pytest.raises(ValueError, match="7 values for each voxel"):
        islands.array_of(image)
