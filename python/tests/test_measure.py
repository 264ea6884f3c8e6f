"""`cuda_connected_components.measure` against `skimage.measure`."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

from cuda_connected_components import measure

original = pytest.importorskip("skimage.measure")

SHAPES = [(41,), (1,), (13, 37), (1, 64), (64, 1), (7, 11, 33), (1, 9, 40), (6, 1, 40), (5, 1, 1)]
LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "flipped": lambda array: np.flip(np.ascontiguousarray(np.flip(array))),
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
}


def test_signature():
    ours, theirs = (inspect.signature(module.label) for module in (measure, original))
    assert str(ours) == str(theirs)


def test_does_not_import_the_originals():
    code = "import sys, cuda_connected_components.measure; print({'skimage', 'scipy'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", map(np.dtype, "?bBhHiIlLqQ"), ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_equals_scikit_image(shape, dtype, layout):
    image = np.random.default_rng(len(shape)).integers(0, 3, shape)
    image = LAYOUTS[layout](image.astype(dtype))
    for connectivity in (None, *range(1, image.ndim + 1)):
        for background in (None, 0, 1, 2, 99, -1):
            labels, count = measure.label(image, background, True, connectivity)
            expected, n = original.label(image, background, True, connectivity)
            assert count == n and type(count) is int and labels.dtype == expected.dtype
            np.testing.assert_array_equal(labels, expected, f"{connectivity=} {background=}")
            np.testing.assert_array_equal(measure.label(image, background, False, connectivity), labels)


@pytest.mark.parametrize("dtype", [bool, int])
def test_connectivity_is_a_float(dtype):
    image = np.eye(3, dtype=dtype)
    for connectivity in (1.0, 1.5, np.float32(2)):
        ours, theirs = (module.label(image, connectivity=connectivity) for module in (measure, original))
        np.testing.assert_array_equal(ours, theirs)


def test_shape_that_scikit_image_numbers_by_the_second_axis():
    image = np.eye(3, 4, dtype=int)[:, ::-1, np.newaxis]
    ours, theirs = (module.label(image, connectivity=1) for module in (measure, original))
    assert ours[ours != 0].tolist() == [1, 2, 3]
    assert theirs[theirs != 0].tolist() == [3, 2, 1]


@pytest.mark.parametrize("dtype", [bool, np.int16])
def test_empty(dtype):
    image = np.zeros((0, 3), dtype)
    ours, theirs = (module.label(image) for module in (measure, original))
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ((np.zeros((2, 2)),), NotImplementedError, "scikit-image truncates float64 to integers"),
        ((np.zeros((2, 2), complex),), TypeError, "bool and integers, not complex128"),
        ((np.zeros((2, 2), "M8[s]"),), TypeError, "bool and integers, not datetime64"),
        ((np.zeros((2, 2, 2, 2), int),), NotImplementedError, "not 4. For images of bool, use skimage"),
        ((np.zeros((2, 2, 2, 2), bool),), NotImplementedError, "use skimage.measure.label"),
        ((np.zeros((2, 2), int), 0, False, 3), ValueError, r"should be in \[1, ..., 2\]. Got 3"),
        ((np.zeros((2, 2), int), np.nan), ValueError, "background must not be NaN"),
        ((np.zeros((2, 2), bool), np.nan), ValueError, "background must not be NaN"),
        ((np.zeros((2, 2), int), "x"), TypeError, "background must be a number, not 'x'"),
        ((np.zeros((2, 2), int), 0.5), ValueError, "background=0.5 is not possible for images of int64"),
    ],
    ids=range(10),
)
def test_errors(arguments, error, text):
    with pytest.raises(error, match=text):
        measure.label(*arguments)
