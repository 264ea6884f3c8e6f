# SPDX-License-Identifier: Apache-2.0
"""Relabeling equals itk.relabel_component_image_filter. The largest components are kept."""

import itk
import numpy as np
import pytest
from conftest import assert_same_geometry, assert_same_image, image_of


@pytest.mark.parametrize("sort", [True, False])
@pytest.mark.parametrize("minimum", [0, 2, 5, 10**6])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16])
@pytest.mark.parametrize("shape", [(20, 31), (6, 7, 9)])
def test_relabel_equals_itk(rng, shape, dtype, minimum, sort):
    image = image_of(rng.integers(0, 90, shape).astype(dtype))
    settings = {"minimum_object_size": minimum, "sort_by_object_size": sort}
    expected = itk.relabel_component_image_filter(image, **settings)
    actual = itk.cuda_relabel_component_image_filter(image, **settings)
    assert_same_image(actual, expected)
    array = itk.array_from_image(image)
    actual = itk.cuda_relabel_component_image_filter(array, **settings)
    assert actual.dtype == array.dtype
    np.testing.assert_array_equal(actual, itk.array_from_image(expected))


def test_relabel_types(image):
    labels = itk.connected_component_image_filter(image)
    expected = itk.array_from_image(itk.relabel_component_image_filter(labels))
    relabeled = itk.cuda_relabel_component_image_filter(labels)
    assert type(relabeled) is type(labels)
    np.testing.assert_array_equal(itk.array_from_image(relabeled), expected)
    relabeled = itk.cuda_relabel_component_image_filter(labels, output_type=itk.SS)
    assert type(relabeled) is itk.Image[itk.SS, 3]
    assert_same_geometry(relabeled, labels)
    np.testing.assert_array_equal(itk.array_from_image(relabeled), expected)
    array = itk.array_from_image(labels)
    relabeled = itk.cuda_relabel_component_image_filter(array, output_type=np.int32)
    assert relabeled.dtype == np.int32
    np.testing.assert_array_equal(relabeled, expected)


def test_relabel_errors():
    array = np.arange(1000, dtype=np.uint16).reshape(20, 50)
    for image in (array, image_of(array)):
        with pytest.raises(OverflowError, match="999.*(255|uint8)"):
            itk.cuda_relabel_component_image_filter(image, output_type=itk.UC)
    with pytest.raises(TypeError, match="Labels need an integer type, not float32"):
        itk.cuda_relabel_component_image_filter(array.astype(np.float32))


@pytest.mark.parametrize("fully_connected", [False, True])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
@pytest.mark.parametrize("shape", [(20, 31), (6, 7, 9)])
def test_keep_largest(rng, shape, dtype, count, fully_connected):
    array = (rng.integers(1, 100, shape) * (rng.random(shape) < 0.4)).astype(dtype)
    labels = itk.connected_component_image_filter(
        (array != 0).astype(np.uint8), fully_connected=fully_connected
    )
    rank = itk.relabel_component_image_filter(labels)
    expected = np.where((rank > 0) & (rank <= count), array, 0).astype(dtype)

    image = image_of(array)
    actual = itk.cuda_keep_largest_image_filter(image, count, fully_connected)
    assert_same_image(actual, image_of(expected))
    actual = itk.cuda_keep_largest_image_filter(array, count, fully_connected)
    np.testing.assert_array_equal(actual, expected)
    assert actual.dtype == dtype


def test_keep_largest_mask(image):
    mask = image_of(np.zeros((9, 17, 23), np.uint8))
    actual = itk.cuda_keep_largest_image_filter(image, mask_image=mask)
    assert not itk.array_from_image(actual).any()


def test_xarray(image):
    pytest.importorskip("xarray")
    array = itk.xarray_from_image(image)
    for function in (itk.cuda_keep_largest_image_filter, itk.cuda_relabel_component_image_filter):
        actual = function(array)
        assert type(actual) is type(array)
        assert actual.dims == array.dims
        np.testing.assert_array_equal(actual.values, itk.array_from_image(function(image)))
