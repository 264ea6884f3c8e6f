# SPDX-License-Identifier: Apache-2.0
"""itk.cuda_connected_component_image_filter equals itk.connected_component_image_filter."""

import gc

import itk
import numpy as np
import pytest
from conftest import assert_same_geometry, assert_same_image, image_of

label = itk.cuda_connected_component_image_filter
itk_label = itk.connected_component_image_filter

SHAPES = [(1, 1), (1, 70), (33, 1), (20, 31), (64, 65), (1, 1, 1), (3, 5, 7), (16, 17, 33)]
# The types that ITK's filter is compiled for.
TYPES = [np.uint8, np.uint16, np.int16]


@pytest.mark.parametrize("fully_connected", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_equals_itk(rng, shape, dtype, fully_connected):
    for density in (0.0, 0.1, 0.3, 0.5, 0.7, 1.0):
        array = rng.integers(1, 100, shape) * (rng.random(shape) < density)
        image = image_of(array.astype(dtype))
        actual = label(image, fully_connected)
        assert_same_image(actual, itk_label(image, fully_connected=fully_connected))


def test_default_connectivity(image):
    assert_same_image(label(image), itk_label(image))


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int32, np.float32, np.float64])
def test_other_input_types(image, dtype):
    array = itk.array_from_image(image)
    actual = label(image_of(array.astype(dtype)))
    assert_same_image(actual, itk_label(image))


def test_fraction_is_foreground():
    labels = label(image_of(np.array([[0.25, 0.0, -0.25]], np.float32)))
    assert itk.array_from_image(labels).tolist() == [[1, 0, 2]]


@pytest.mark.parametrize("pixel_type", ["UC", "US", "UI", "UL", "ULL", "SS", "SI"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_output_types(rng, pixel_type, dimension):
    pixel_type = getattr(itk, pixel_type)
    image = image_of((rng.random((6, 7, 8)[:dimension]) < 0.2).astype(np.uint8))
    image_type = itk.Image[pixel_type, dimension]
    expected = itk.array_from_image(itk_label(image))
    results = [
        label(image, output_type=image_type),
        label(image, output_type=pixel_type),
        label(image, ttype=(type(image), image_type)),
        label(image, ttype=[type(image), image_type]),
    ]
    if pixel_type is not itk.ULL:  # NumPy's uint64 means itk.UL.
        results.append(label(image, output_type=np.dtype(pixel_type.dtype)))
    for result in results:
        assert type(result) is image_type
        assert_same_geometry(result, image)
        np.testing.assert_array_equal(itk.array_from_image(result), expected)


@pytest.mark.parametrize("background", [0, 1, 3, 1000])
@pytest.mark.parametrize("dtype", TYPES)
def test_background_value(rng, dtype, background):
    image = image_of((rng.random((20, 30)) < 0.3).astype(dtype))
    actual = label(image, background_value=background)
    assert_same_image(actual, itk_label(image, background_value=background))


def test_negative_background_value(rng):
    image = image_of((rng.random((20, 30)) < 0.3).astype(np.int16))
    assert_same_image(label(image, background_value=-5), itk_label(image, background_value=-5))


@pytest.mark.parametrize("fully_connected", [False, True])
def test_mask(image, rng, fully_connected):
    array = (rng.random((9, 17, 23)) < 0.6).astype(np.uint8)
    mask = image_of(array)
    expected = itk_label(image, mask_image=mask, fully_connected=fully_connected)
    for value in (mask, array, array.astype(bool), image_of(array.astype(np.float32))):
        actual = label(image, mask_image=value, fully_connected=fully_connected)
        assert_same_image(actual, expected)
    pixels = itk.array_from_image(image)
    actual = label(pixels, mask_image=mask, fully_connected=fully_connected)
    np.testing.assert_array_equal(actual, itk.array_from_image(expected))


@pytest.mark.parametrize("dtype", TYPES)
def test_numpy(rng, dtype):
    array = (rng.random((8, 9, 10)) < 0.3).astype(dtype)
    expected = itk_label(array)
    actual = label(array)
    assert type(actual) is np.ndarray
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)
    assert label(array, output_type=np.int32).dtype == np.int32
    assert label(array, output_type=itk.UI).dtype == np.uint32
    assert label(array, ttype=(itk.Image[itk.UC, 3], itk.Image[itk.UC, 3])).dtype == np.uint8


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float64, ">i2"])
def test_numpy_types_that_itk_has_no_filter_for(rng, dtype):
    array = rng.random((8, 9)) < 0.3
    actual = label(array.astype(dtype))
    assert actual.dtype == (np.int16 if dtype == ">i2" else np.uint64)
    np.testing.assert_array_equal(actual, itk_label(array.astype(np.uint8)))


def test_numpy_layouts(rng):
    array = (rng.random((8, 9, 10)) < 0.3).astype(np.uint8)
    expected = itk_label(array)
    np.testing.assert_array_equal(label(np.asfortranarray(array)), expected)
    flipped = np.ascontiguousarray(array[::-1])
    np.testing.assert_array_equal(label(array[::-1]), itk_label(flipped))


def test_numpy_background_value(rng):
    array = (rng.random((20, 30)) < 0.3).astype(np.uint16)
    expected = itk_label(array, background_value=2)
    np.testing.assert_array_equal(label(array, background_value=2), expected)


def test_xarray(image):
    pytest.importorskip("xarray")
    array = itk.xarray_from_image(image)
    array.attrs["patient"] = "p1"
    expected = itk_label(array)
    for background in (0, 3):
        actual = label(array, background_value=background)
        assert type(actual) is type(array)
        assert actual.dims == array.dims
        assert actual.attrs["patient"] == "p1"
        assert actual.dtype == expected.dtype
        for name in array.coords:
            np.testing.assert_array_equal(actual.coords[name], array.coords[name])
        expected = itk_label(array, background_value=background)
        np.testing.assert_array_equal(actual.values, expected.values)


def test_input_is_not_changed(image):
    before = itk.array_from_image(image)
    label(image, background_value=4)
    np.testing.assert_array_equal(itk.array_from_image(image), before)


def test_empty_image():
    image = itk.Image[itk.UC, 2].New()
    image.SetRegions([0, 5])
    image.Allocate()
    result = label(image)
    assert list(itk.size(result)) == [0, 5]


def test_pipeline_input(image):
    threshold = itk.BinaryThresholdImageFilter.New(image, LowerThreshold=1)
    expected = itk_label(image)
    assert_same_image(label(threshold), expected)
    threshold = itk.BinaryThresholdImageFilter.New(image, LowerThreshold=1)
    assert_same_image(label(threshold.GetOutput()), expected)


class TestLifetime:
    """The pixels belong to the itk.Image: C++ may use them after all Python objects are gone."""

    @pytest.mark.parametrize("output_type", ["US", "ULL"])
    def test_output_outlives_input(self, image, output_type):
        expected = itk.array_from_image(itk_label(image))
        copy = image_of(itk.array_from_image(image))
        labels = label(copy, output_type=getattr(itk, output_type))
        del copy
        _reuse_memory()
        np.testing.assert_array_equal(itk.array_from_image(labels), expected)

    def test_output_outlives_its_proxy(self, image):
        labels = label(image, output_type=itk.US)
        expected = itk.flip_image_filter(labels, flip_axes=[True, False, False])
        consumer = itk.FlipImageFilter.New(labels, FlipAxes=[True, False, False])
        del labels
        _reuse_memory()
        consumer.Update()
        assert_same_image(consumer.GetOutput(), expected)

    def test_view_outlives_image(self, image):
        expected = itk.array_from_image(itk_label(image))
        view = itk.array_view_from_image(label(image))
        _reuse_memory()
        np.testing.assert_array_equal(view, expected)


def _reuse_memory():
    gc.collect()
    for _ in range(50):
        np.full(9 * 17 * 23, 77, np.uint16)
        np.full(9 * 17 * 23, 77, np.uint64)


class TestErrors:
    def test_too_many_labels(self):
        array = np.zeros((40, 40), np.uint8)
        array[::2, ::2] = 1
        for image in (image_of(array), array):
            with pytest.raises(OverflowError, match="400"):
                label(image, output_type=itk.UC)

    @pytest.mark.parametrize("pixel_type", ["F", "D", "B"])
    def test_output_is_no_integer(self, image, pixel_type):
        with pytest.raises(TypeError, match="Labels need an integer type, not"):
            label(image, output_type=getattr(itk, pixel_type))

    def test_no_such_image(self, image):
        with pytest.raises(TypeError, match="itk has no 3-D Image of int8"):
            label(image, output_type=np.int8)

    def test_wrong_dimension_of_output(self, image):
        with pytest.raises(TypeError, match=r"itk.UC,2\] does not have the 3 dimensions"):
            label(image, output_type=itk.Image[itk.UC, 2])

    def test_wrong_ttype(self, image):
        with pytest.raises(TypeError, match="ttype must be a pair"):
            label(image, ttype=type(image))
        pair = (itk.Image[itk.SS, 3], itk.Image[itk.SS, 3])
        with pytest.raises(TypeError, match=r"in ttype is itk.Image\[itk.SS,3\], but the image is"):
            label(image, ttype=pair)
        with pytest.raises(TypeError, match="either ttype or output_type"):
            label(image, ttype=(type(image), type(image)), output_type=itk.UC)

    @pytest.mark.parametrize("value", [-1, 2**16])
    def test_background_does_not_fit(self, image, value):
        with pytest.raises(OverflowError, match=f"value {value} does not fit into uint16"):
            label(image, background_value=value, output_type=itk.US)

    def test_mask_of_other_geometry(self, image):
        mask = image_of(itk.array_from_image(image))
        mask.SetOrigin([0.0, 0.0, 0.0])
        with pytest.raises(ValueError, match="does not occupy the physical space"):
            label(image, mask_image=mask)

    def test_mask_of_other_size(self, image):
        mask = image_of(np.ones((9, 17, 22), np.uint8))
        with pytest.raises(ValueError):
            label(image, mask_image=mask)
        with pytest.raises(ValueError):
            label(image, mask_image=itk.array_from_image(mask))
        with pytest.raises(ValueError, match="mask has 2 dimensions, and the image has 3"):
            label(image, mask_image=image_of(np.ones((9, 17), np.uint8)))

    def test_vector_image(self):
        array = np.ones((4, 5, 2), np.float32)
        with pytest.raises(TypeError, match="integers or floating-point numbers, not"):
            label(itk.image_from_array(array, is_vector=True))
        with pytest.raises(TypeError, match=r"not itk.Image\[itk.RGBPixel\[itk.UC\],2\]"):
            label(itk.image_from_array(np.ones((4, 5, 3), np.uint8), is_vector=True))

    def test_four_dimensions(self):
        with pytest.raises(ValueError, match="The image has 4 dimensions"):
            label(itk.image_from_array(np.ones((2, 2, 2, 2), np.uint8)))

    def test_cuda_image(self, image, monkeypatch):
        # As itk.CudaImage has it, which is an itk.Image, too.
        monkeypatch.setattr(type(image), "__cuda_array_interface__", None, raising=False)
        with pytest.raises(TypeError, match="An itk.CudaImage is not supported. Pass it to label"):
            label(image)

    def test_no_image(self):
        with pytest.raises(TypeError):
            label("mask.nii.gz")
        with pytest.raises(TypeError, match="Expected an itk.Image of integers"):
            label(itk.TranslationTransform[itk.D, 3].New())

    def test_unknown_keyword(self, image):
        with pytest.raises(TypeError, match="radius"):
            label(image, radius=2)
