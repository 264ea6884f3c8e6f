# SPDX-License-Identifier: Apache-2.0
import itk
import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def image(rng):
    """A volume of 8-bit integers with an unusual geometry and a region that does not start at 0."""
    return image_of((rng.random((9, 17, 23)) < 0.3).astype(np.uint8))


def image_of(array):
    """Return an itk.Image that owns its pixels, with an unusual geometry and region index."""
    dimension = array.ndim
    result = itk.Image[pixel_type_of(array.dtype), dimension].New()
    index = [5, -7, 11][:dimension]
    result.SetRegions(itk.ImageRegion[dimension](index, list(array.shape[::-1])))
    result.Allocate()
    itk.array_view_from_image(result)[...] = array
    result.SetOrigin([1.5, -20.0, 300.0][:dimension])
    result.SetSpacing([0.5, 0.75, 2.5][:dimension])
    direction = np.eye(dimension)
    direction[:2, :2] = [[0.6, -0.8], [0.8, 0.6]]
    result.SetDirection(direction)
    return result


def pixel_type_of(dtype):
    pixel_types = (itk.UC, itk.US, itk.UI, itk.UL, itk.SS, itk.SI, itk.F, itk.D)
    return next(t for t in pixel_types if np.dtype(t.dtype) == dtype)


def assert_same_image(actual, expected):
    """Check the type, the geometry and the pixels."""
    assert type(actual) is type(expected)
    assert_same_geometry(actual, expected)
    np.testing.assert_array_equal(
        itk.array_view_from_image(actual), itk.array_view_from_image(expected)
    )


def assert_same_geometry(actual, expected):
    for name in ("LargestPossible", "Buffered", "Requested"):
        region = getattr(actual, f"Get{name}Region")()
        assert region == getattr(expected, f"Get{name}Region")()
    assert list(actual.GetOrigin()) == list(expected.GetOrigin())
    assert list(actual.GetSpacing()) == list(expected.GetSpacing())
    np.testing.assert_array_equal(
        itk.array_from_matrix(actual.GetDirection()),
        itk.array_from_matrix(expected.GetDirection()),
    )
