"""label() of NumPy arrays, compared with SciPy."""

import itertools
import warnings

import numpy as np
import pytest
from conftest import DTYPES, label_by_scipy, noise

import cuda_connected_components as ccc
from cuda_connected_components import ndimage


def expect_labels(image, full, **arguments):
    labels, count = ccc.label(image, connectivity=None if full else 1, return_num=True, **arguments)
    expected, expected_count = label_by_scipy(image, full)
    assert count == expected_count
    assert type(labels) is np.ndarray
    assert labels.dtype == arguments.get("dtype", np.int32)
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("full", [False, True])
def test_every_type_and_order(dtype, full):
    for seed, shape in enumerate([(57,), (33, 41), (13, 9, 35), (70, 65, 66)]):
        for order in "CF":
            image = noise(shape, 0.35, seed, dtype)
            expect_labels(np.asarray(image, order=order), full)


@pytest.mark.parametrize("seed", range(40))
def test_random_shapes_and_densities(seed):
    random = np.random.default_rng(seed)
    ndim = random.integers(1, 4)
    shape = tuple(random.integers(1, {1: 3000, 2: 300, 3: 60}[ndim], ndim))
    image = noise(shape, random.random(), seed, granularity=random.integers(1, 6))
    for full in (False, True):
        for order in "CF":
            expect_labels(np.asarray(image, order=order), full, threads=random.integers(1, 5))


@pytest.mark.parametrize(
    "shape", [(1,), (1, 1), (1, 1, 1), (1, 90, 1), (80, 1, 1), (1, 1, 70), (2, 1, 65), (65, 64, 1)]
)
def test_thin_images(shape):
    for seed in range(5):
        expect_labels(noise(shape, 0.6, seed), True)
        expect_labels(np.asfortranarray(noise(shape, 0.6, seed)), False)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0, 3), (4, 4, 0)])
def test_empty_images(shape):
    labels, count = ccc.label(np.zeros(shape, np.uint8), return_num=True)
    assert labels.shape == shape and labels.dtype == np.int32 and count == 0
    assert ccc.keep_largest(np.zeros(shape, np.float32)).shape == shape
    assert len(ccc.component_statistics(np.zeros(shape, np.uint8))["label"]) == 0
    assert ccc.relabel(np.zeros(shape, np.int16)).shape == shape


def test_connectivities():
    plane, volume = noise((60, 50), 0.4, 1), noise((20, 21, 22), 0.3, 2)
    for image, face, full in [
        (plane, (1, 4), (2, 8, None)),
        (volume, (1, 6), (3, 26, None)),
        (plane[0], (1, 2, None), ()),
    ]:
        for connectivity in face:
            np.testing.assert_array_equal(
                ccc.label(image, connectivity=connectivity), label_by_scipy(image, False)[0]
            )
        for connectivity in full:
            np.testing.assert_array_equal(
                ccc.label(image, connectivity=connectivity), label_by_scipy(image, True)[0]
            )


@pytest.mark.parametrize("dtype", DTYPES)
def test_limits(dtype):
    image = noise((31, 37, 5), 0.8, 3, dtype)
    for lower, upper in [
        (1, None),
        (None, 40),
        (10, 60),
        (10.5, 60.5),
        (-20, 20),
        (50.5, 50.6),
        (-1e9, 1e9),
        (1e9, 2e9),
        (None, -1e9),
    ]:
        foreground = np.ones(image.shape, bool)
        wide = image.astype(np.float64)
        if lower is not None:
            foreground &= wide >= lower
        if upper is not None:
            foreground &= wide <= upper
        for order in "CF":
            labels = ccc.label(np.asarray(image, order=order), lower=lower, upper=upper)
            np.testing.assert_array_equal(labels, label_by_scipy(foreground, True)[0])


def test_limits_of_any_type():
    for array, limits, foreground in [
        (np.array([-1, 0, 1]), {"upper": np.float64(2**63)}, [1, 1, 1]),
        (np.array([-1, 0, 1], np.int32), {"upper": np.float32(2**31)}, [1, 1, 1]),
        (np.array([1, 2, 3], np.int32), {"lower": np.float16(2)}, [0, 1, 1]),
        (np.array([1, 2, 3], np.uint8), {"lower": np.int8(2), "upper": np.uint64(2)}, [0, 1, 0]),
        (np.array([-np.inf, 1, np.inf], np.float32), {"upper": 10**400}, [1, 1, 0]),
        (np.array([-np.inf, 1, np.inf], np.float32), {"lower": -(10**400)}, [0, 1, 1]),
        (np.array([-np.inf, 1, np.inf]), {"lower": 10**400}, [0, 0, 0]),
        (np.array([-np.inf, 1, np.inf]), {"lower": np.inf}, [0, 0, 1]),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            labels = ccc.label(array, **limits)
        np.testing.assert_array_equal(labels != 0, foreground)


def test_limits_of_large_integers():
    image = np.array([2**63 - 1, 0, 2**63 - 2, 0, -(2**63)], np.int64)
    np.testing.assert_array_equal(ccc.label(image, lower=2**63 - 1), [1, 0, 0, 0, 0])
    np.testing.assert_array_equal(ccc.label(image, upper=-(2**63)), [0, 0, 0, 0, 1])
    image = np.array([2**64 - 1, 0, 2**64 - 2], np.uint64)
    np.testing.assert_array_equal(ccc.label(image, lower=2**64 - 1), [1, 0, 0])


def test_limits_are_rounded_as_numpy_rounds_them():
    image = np.array([0.1, 0, 0.2], np.float32)
    np.testing.assert_array_equal(ccc.label(image, lower=0.1, upper=0.1), [1, 0, 0])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_special_numbers(dtype):
    tiny = np.finfo(dtype).smallest_subnormal
    image = np.array([np.nan, 0.0, -0.0, np.inf, 0, -np.inf, 0, tiny, 0, -tiny], dtype)
    np.testing.assert_array_equal(ccc.label(image), [1, 0, 0, 2, 0, 3, 0, 4, 0, 5])
    np.testing.assert_array_equal(ccc.label(image, lower=-1), [0, 1, 1, 1, 1, 0, 2, 2, 2, 2])
    np.testing.assert_array_equal(ccc.label(image, upper=-tiny), [0, 0, 0, 0, 0, 1, 0, 0, 0, 2])


@pytest.mark.parametrize("dtype", DTYPES)
def test_masks(dtype):
    image, mask = noise((40, 33, 7), 0.7, 4), noise((40, 33, 7), 0.6, 5, dtype)
    expected = label_by_scipy((image != 0) & (mask != 0), True)[0]
    for image_order in "CF":
        for mask_order in "CF":
            np.testing.assert_array_equal(
                ccc.label(
                    np.asarray(image, order=image_order), mask=np.asarray(mask, order=mask_order)
                ),
                expected,
            )
    limited = label_by_scipy((image >= 50) & (mask != 0), True)[0]
    np.testing.assert_array_equal(ccc.label(image, lower=50, mask=mask), limited)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
)
def test_label_types(dtype):
    expect_labels(noise((30, 30), 0.05, 6), True, dtype=dtype)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("out_order", "CF")
def test_out(order, out_order):
    image = np.asarray(noise((31, 22, 13), 0.3, 7), order=order)
    expected, expected_count = label_by_scipy(image, True)
    out = np.full(image.shape, -1, np.int16, order=out_order)
    labels, count = ccc.label(image, out=out, return_num=True)
    assert labels is out and count == expected_count
    np.testing.assert_array_equal(out, expected)
    base = np.full((62, 22, 26), -1, ">i4")
    view = base[::2, :, 1::2]
    assert ccc.label(image, out=view) is view
    np.testing.assert_array_equal(view, expected)
    assert (base[1::2] == -1).all() and (base[:, :, ::2] == -1).all()


def test_out_may_be_the_image():
    image = noise((70, 65, 66), 0.3, 8, np.int32)
    expected = label_by_scipy(image, True)[0]
    shifted = np.concatenate([image.ravel(), np.zeros(5, np.int32)])
    overlapping = shifted[5:].reshape(image.shape)
    ccc.label(shifted[:-5].reshape(image.shape), out=overlapping)
    np.testing.assert_array_equal(overlapping, expected)
    ccc.label(image, out=image)
    np.testing.assert_array_equal(image, expected)


SHAPES = [(33, 41), (64, 1), (13, 9, 35), (1, 17, 18), (40, 41, 42)]


def binary_images(dtype):
    """Return random images of one value, of all shapes and orders."""
    for seed, shape in enumerate(SHAPES):
        image = (noise(shape, 0.1 + 0.1 * seed, seed) != 0).astype(dtype)
        yield image
        yield np.asfortranarray(image)
        yield image[::-1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_as_scikit_image(dtype):
    measure = pytest.importorskip("skimage.measure")
    for image in binary_images(dtype):
        for rank in (1, image.ndim):
            # scikit-image labels equal values, and takes no floating-point numbers.
            expected = measure.label(image.astype(bool), connectivity=rank)
            np.testing.assert_array_equal(ccc.label(image, connectivity=rank), expected)


@pytest.mark.parametrize("dtype", [*DTYPES[:9], *DTYPES[10:]])
def test_as_cc3d(dtype):
    cc3d = pytest.importorskip("cc3d")
    for image in binary_images(dtype):
        if image.ndim == 3:  # cc3d is wrong for some planes
            for neighbors in (6, 26):
                # cc3d numbers arrays in Fortran order in another order.
                expected = cc3d.connected_components(
                    np.ascontiguousarray(image), connectivity=neighbors
                )
                np.testing.assert_array_equal(ccc.label(image, connectivity=neighbors), expected)


@pytest.mark.parametrize("dtype", [np.bool_, *DTYPES[1:9]])
def test_as_simpleitk(dtype):
    sitk = pytest.importorskip("SimpleITK")
    for image in binary_images(dtype):
        for full in (False, True):
            mask = sitk.GetImageFromArray(image.astype(np.uint8))
            expected = sitk.GetArrayFromImage(sitk.ConnectedComponent(mask, full))
            np.testing.assert_array_equal(
                ccc.label(image, connectivity=None if full else 1), expected
            )


def test_several_threads_at_once():
    from concurrent.futures import ThreadPoolExecutor

    images = [noise((50, 40, 30 + i), 0.3, i) for i in range(16)]
    with ThreadPoolExecutor(16) as pool:
        for _ in range(3):
            for image, labels in zip(images, pool.map(ccc.label, images)):
                np.testing.assert_array_equal(labels, label_by_scipy(image, True)[0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3,), (33, 64), (20, 30, 100)])
def test_values_give_a_warning(dtype, shape):
    kind = np.dtype(dtype).kind
    rows = [((1,), []), ((1, 0), []), ((2,), [] if kind == "b" else ["has several values"])]
    if kind in "iu":
        rows += [((2, np.iinfo(dtype).max), ["has several values"])]
    if kind == "f":
        rows += [((-1,), ["has several values"]), ((-0.0,), []), ((2, 2.5), []), ((2, 1e-6), [])]
        rows += [((np.nan,), ["has NaN"]), ((2, np.nan), ["has several values", "has NaN"])]
        rows += [((2, 0.5, np.nan), ["has NaN"]), ((np.inf, 2), [])]
    for order, (values, expected) in itertools.product("CF", rows):
        image = np.asarray(noise(shape, 0.3, 1) != 0, dtype, order)
        image.flat[-1] = 1
        image.flat[: len(values)] = values
        for call in (
            ccc.label,
            ccc.keep_largest,
            lambda image: ccc.remove_small(image, 1),
            ccc.component_statistics,
        ):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call(image)
            assert [warning.category for warning in caught] == [UserWarning] * len(expected)
            for warning, text in zip(caught, expected):
                assert warning.filename == __file__
                assert text in str(warning.message) and "lower=" in str(warning.message)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ccc.label(image, lower=1)
            ccc.label(image, upper=1)
            ccc.label(image, mask=image)
            labels, _ = ndimage.label(image, np.ones((3,) * image.ndim))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(ccc.label(image), label_by_scipy(image, True)[0])
            np.testing.assert_array_equal(labels, label_by_scipy(image, True)[0])


def test_only_the_image_and_the_size_are_positional():
    image = np.ones((4, 5), np.uint8)
    ccc.remove_small(image, 2)
    for call in (
        lambda: ccc.label(image, 1),
        lambda: ccc.keep_largest(image, 26),
        lambda: ccc.remove_small(image, 2, 1),
        lambda: ccc.relabel(image, "size"),
        lambda: ccc.component_statistics(image, 1),
    ):
        with pytest.raises(TypeError, match="positional argument"):
            call()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(300,), (33, 64), (20, 30, 100)])
def test_labels_with_a_slope_give_a_warning(dtype, shape):
    stored = np.random.default_rng(1).integers(0, 4, shape)
    image = (stored * 1.000015).astype(dtype)
    count = np.count_nonzero(stored == 2)
    with pytest.warns(UserWarning, match=f"^{count} elements are less than 0.001 outside") as caught:
        assert not ccc.label(image, lower=2, upper=2).any()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(
            ccc.label(image, lower=1.5, upper=2.5), ccc.label(stored, lower=2, upper=2)
        )
        ccc.label(stored.astype(dtype), lower=2, upper=2)
        ccc.label(np.random.default_rng(2).normal(size=shape).astype(dtype), lower=1)
        ccc.label(np.array([np.nan, np.inf, 2], dtype), lower=2, upper=2)
