# SPDX-License-Identifier: Apache-2.0
"""vtkITKIslandMath: all types and settings, random and real volumes."""

import os
import pathlib

import numpy as np
import pytest
import SimpleITK as sitk
from vtkmodules import vtkCommonCore as vtk

from support import array_of, find_islands, image_of

TYPES = {
    name: getattr(vtk, f"VTK_{name}")
    for name in (
        "CHAR",
        "SIGNED_CHAR",
        "UNSIGNED_CHAR",
        "SHORT",
        "UNSIGNED_SHORT",
        "INT",
        "UNSIGNED_INT",
        "LONG",
        "UNSIGNED_LONG",
    )
}
DATA = pathlib.Path(
    os.environ.get("CUDA_CONNECTED_COMPONENTS_DATA", pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data")
)


def boxes(random, shape=(43, 39, 71), count=60):
    """A volume with at most 60 islands, so that each type holds their number. All values but 0 are foreground."""
    volume = np.zeros(shape, np.int8)
    for _ in range(count):
        begin = [random.integers(0, size) for size in shape]
        volume[tuple(slice(at, at + random.integers(1, 9)) for at in begin)] = random.integers(1, 100)
    return volume


def noise(random, density, shape=(43, 39, 71)):
    return (random.random(shape) < density).astype(np.int8)


@pytest.mark.parametrize("fully_connected", [0, 1])
@pytest.mark.parametrize("name", TYPES)
def test_types(name, fully_connected, both, random):
    image = image_of(boxes(random), TYPES[name])
    for minimum in (0, 1, 40, 10**6):
        result = both(lambda: find_islands(image, FullyConnected=fully_connected, MinimumSize=minimum))
        assert result.scalar_type == TYPES[name]
        assert 1 < result.original_count <= 60
        assert (result.count < result.original_count) == (minimum > 1)
        assert result.labels.max() == result.count


@pytest.mark.parametrize("density", [0.001, 0.1, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("name", ["SHORT", "UNSIGNED_INT", "LONG"])
def test_noise(name, density, both, random):
    volume = noise(random, density)
    image = image_of(volume, TYPES[name])
    for fully_connected in (0, 1):
        for minimum in (0, 2, 30):
            result = both(lambda: find_islands(image, FullyConnected=fully_connected, MinimumSize=minimum))
            labels = sitk.ConnectedComponent(sitk.GetImageFromArray(volume.astype(np.uint8)), bool(fully_connected))
            labels = sitk.RelabelComponent(labels, minimum)
            assert np.array_equal(result.labels, sitk.GetArrayFromImage(labels))


@pytest.mark.parametrize("slices", [0, 1, 2, 3])
def test_all_settings(slices, both, random):
    image = image_of(noise(random, 0.25), vtk.VTK_INT)
    for maximum in (3, 500):
        for minimum in (0, 5):
            settings = {"SliceBySlice": slices, "MaximumSize": maximum, "MinimumSize": minimum}
            both(lambda: [find_islands(image, FullyConnected=connected, **settings) for connected in (0, 1)])


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 300), (300, 1, 1), (1, 200, 201), (2, 3, 4), (65, 64, 63)])
def test_shapes(shape, both, random):
    volume = noise(random, 0.4, shape)
    volume.flat[0] = 1
    image = image_of(volume, vtk.VTK_SHORT)
    both(lambda: [find_islands(image, FullyConnected=connected) for connected in (0, 1)])


def test_geometry_and_extent(both, random):
    image = image_of(noise(random, 0.2), vtk.VTK_SHORT, extent_begin=(-7, 12, 3))
    image.SetOrigin(1.5, -20, 300)
    image.SetSpacing(0.5, 0.7, 2.5)
    result = both(lambda: find_islands(image))
    assert result.extent[::2] == (-7, 12, 3)
    assert result.spacing == (0.5, 0.7, 2.5)


@pytest.mark.parametrize("value", [0, 1, -3])
def test_one_value(value, both):
    image = image_of(np.full((40, 30, 20), value, np.int8), vtk.VTK_SHORT)
    result = both(lambda: find_islands(image))
    assert result.count == result.original_count == (value != 0)


def test_no_voxels(plugin):
    image = image_of(np.zeros((0, 5, 5), np.int8), vtk.VTK_SHORT)
    for registered in (False, True):
        if registered:
            assert plugin.register() == 1
        result = find_islands(image)
        assert (result.count, result.original_count, result.labels.size) == (0, 0, 0)


@pytest.mark.parametrize("scalar_type", [vtk.VTK_FLOAT, vtk.VTK_DOUBLE, vtk.VTK_LONG_LONG])
def test_types_that_slicer_refuses(scalar_type, both):
    """The output has the memory's old content then."""
    image = image_of(np.ones((9, 9, 9), np.int8), scalar_type)
    count, original_count, *_ = both(lambda: find_islands(image)[1:], filters=())
    assert count == original_count == 0


MANY_ISLANDS = """
import numpy as np, support
volume = np.zeros((32, 32, 32), np.int8)
volume[::2, ::2, ::2] = 1
image = support.image_of(volume, {scalar_type})
plugin = support.Plugin(PLUGIN)
if {registered}:
    assert plugin.register() == 1
support.find_islands(image)
"""


@pytest.mark.parametrize("scalar_type, most", [(vtk.VTK_UNSIGNED_CHAR, 255), (vtk.VTK_CHAR, 127)])
def test_more_islands_than_the_type_holds(scalar_type, most, run_script):
    """vtkITKIslandMath does not catch exceptions of ITK, so the process ends. It must end in the same way."""
    runs = [run_script(MANY_ISLANDS.format(scalar_type=scalar_type, registered=each)) for each in (False, True)]
    sentence = f"Number of objects (4096) greater than maximum of output pixel type ({most})"
    for run in runs:
        assert sentence in run.stderr
    assert runs[0].returncode == runs[1].returncode != 0


@pytest.mark.parametrize("file, lower", [("ct_head_pitch", 120), ("mra_vessels", 90), ("mni152_t1", 60)])
def test_real_images(file, lower, both):
    path = DATA / f"{file}.nii.gz"
    if not path.exists():
        pytest.skip(f"there is no {path}; set CUDA_CONNECTED_COMPONENTS_DATA to a folder with images")
    volume = sitk.GetArrayFromImage(sitk.ReadImage(str(path))) >= lower
    assert volume.any() and not volume.all()
    image = image_of(volume, vtk.VTK_UNSIGNED_INT)
    for connected in (0, 1):
        result = both(lambda: find_islands(image, FullyConnected=connected, MinimumSize=10))
        assert 1 < result.count < result.original_count


def test_input_is_unchanged(plugin, random):
    volume = noise(random, 0.3).astype(np.int32)
    image = image_of(volume, vtk.VTK_INT)
    assert plugin.register() == 1
    find_islands(image)
    assert np.array_equal(array_of(image), volume)
