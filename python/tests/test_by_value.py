"""Regions of equal value, and 18 neighbors."""

import itertools

import numpy as np
import pytest
import scipy.ndimage
from conftest import DTYPES, label_by_flood

import cuda_connected_components as ccc

DEVICES = ["cpu"] if ccc.backend_info()["cuda_reason"] else ["cpu", "cuda"]
RANKS = [(ndim, rank) for ndim in (1, 2, 3) for rank in range(1, ndim + 1)]
LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "flipped": lambda array: np.flip(np.ascontiguousarray(np.flip(array))),
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    "byte_order": lambda array: array.astype(array.dtype.newbyteorder()),
}


def random_values(seed, shape, dtype, count=3):
    """Return an image of `count` values, which are in blocks."""
    random = np.random.default_rng(seed)
    values = random.integers(0, count, [-(-n // 2) for n in shape])
    for axis, n in enumerate(shape):
        values = np.repeat(values, 2, axis=axis).take(range(n), axis=axis)
    values = np.where(random.random(shape) < 0.7, values, random.integers(0, count, shape))
    return values.astype(dtype)


def expect(image, rank, foreground, **options):
    """Compare labels and tables with those of the flood fill."""
    native = np.asarray(image)
    labels, counts = label_by_flood(native[None], rank, foreground[None])
    options.update(connectivity=rank, by_value=True)
    actual, count = ccc.label(image, return_num=True, **options)
    assert count == counts[0] and actual.dtype == np.int32
    np.testing.assert_array_equal(actual, labels[0])
    table = ccc.component_statistics(image, **options)
    assert list(table)[:3] == ["label", "value", "area"]
    first = np.unique(labels[0], return_index=True)[1][-count:] if count else []
    assert table["value"].dtype == native.dtype.newbyteorder("=")
    np.testing.assert_array_equal(table["value"], native.ravel()[first])
    np.testing.assert_array_equal(table["area"], np.bincount(labels.ravel(), minlength=count + 1)[1:])
    for axis, indices in enumerate(np.indices(native.shape)):
        means = scipy.ndimage.mean(indices, labels[0], table["label"]) if count else []
        np.testing.assert_allclose(table[f"centroid-{axis}"], means, rtol=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_types_and_layouts(dtype, layout):
    for seed, shape in enumerate([(70,), (33, 41), (1, 70), (13, 9, 35), (5, 1, 7), (1, 6, 7), (6, 7, 1)]):
        image = random_values(seed, shape, dtype)
        if dtype == np.bool_:
            image = (3 * image.astype(np.uint8)).view(bool)  # all bytes but 0 are equal
        image = LAYOUTS[layout](image)
        for rank in range(1, image.ndim + 1):
            for background in (0, 1, None):
                foreground = np.ones(shape, bool) if background is None else image != background
                for device in DEVICES:
                    expect(image, rank, foreground, background=background, device=device)


@pytest.mark.parametrize("seed", range(4))
def test_random_images(seed):
    random = np.random.default_rng(seed)
    for ndim, rank in RANKS:
        shape = tuple(random.integers(1, 71 if ndim < 3 else 41, ndim))
        image = random_values(seed, shape, np.uint16, count=random.integers(2, 9)) * 300
        mask = random.random(shape) < 0.8
        for device in DEVICES:
            expect(image, rank, image != 0, device=device)
            expect(image, rank, (image != 0) & mask, mask=mask, device=device)
            expect(image, rank, (image >= 300) & (image <= 600), lower=300, upper=600, device=device)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_special_numbers(dtype):
    image = np.array([[np.nan, np.nan, 0.0, -0.0], [np.inf, np.inf, -np.inf, 1], [0, 5e-8, 5e-8, 1]], dtype)
    for rank in (1, 2):
        for background in (0, -0.0, None, np.inf):
            foreground = np.ones(image.shape, bool) if background is None else image != background
            for device in DEVICES:
                expect(image, rank, foreground, background=background, device=device)
    values = ccc.component_statistics(image, by_value=True, background=None)["value"]
    assert not np.signbit(values[values == 0]).any()


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_integers(dtype):
    limits = np.iinfo(dtype)
    image = np.array([limits.max, limits.max - 1, limits.min, limits.min, 2**32, 2 * 2**32, 0], dtype)
    for background in (0, limits.max, limits.max - 1, limits.min, np.array(limits.max), 2.0**32, None):
        foreground = np.ones(image.shape, bool) if background is None else image != dtype(background)
        expect(image, 1, foreground, background=background)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_round_to_the_nearest_background(dtype):
    limits = np.finfo(dtype)
    smallest, largest = float(limits.smallest_subnormal), float(limits.max)
    image = np.array([smallest, largest, -largest, 1, 1 / 3], dtype)
    for background, rounded in [
        (smallest, smallest),
        (largest, largest),
        (-largest, -largest),
        (int(largest), largest),
        (1 / 3, dtype(1 / 3)),
        *([] if dtype == np.float64 else [(smallest * 0.51, smallest), (largest * (1 + limits.eps / 8), largest)]),
    ]:
        expect(image, 1, image != rounded, background=background)


def images_of(shape, count):
    """Return `count` of the images of a shape with three values, or all of them."""
    size = int(np.prod(shape))
    numbers = np.arange(3**size)
    if count is not None and count < len(numbers):
        numbers = np.random.default_rng(size).choice(numbers, count, replace=False)
    return (numbers[:, None] // 3 ** np.arange(size) % 3).astype(np.uint8).reshape(-1, *shape)


def expect_batches(count):
    planes = itertools.product(range(1, 4), range(1, 5))
    volumes = itertools.product((1, 2), (1, 2), (1, 2, 3))
    for shape in (*planes, *volumes):
        images = images_of(shape, count)
        for rank, background in itertools.product(range(1, len(shape) + 1), (0, None)):
            foreground = images > (-1 if background is None else 0)
            expected, counts = label_by_flood(images, rank, foreground)
            for device in DEVICES:
                labels, n = ccc.label(
                    images,
                    spatial_dims=len(shape),
                    connectivity=rank,
                    by_value=True,
                    background=background,
                    device=device,
                    return_num=True,
                )
                np.testing.assert_array_equal(n, counts, f"{shape} {rank=} {background=}")
                np.testing.assert_array_equal(labels, expected, f"{shape} {rank=} {background=}")


def test_some_small_images():
    expect_batches(3000)


@pytest.mark.slow
def test_all_small_images():
    expect_batches(None)


@pytest.mark.parametrize("order", "CF")
def test_batches(order):
    for ndim, rank in RANKS:
        shape = (2, 3, *(7, 6, 33)[-ndim:])
        images = np.asarray(random_values(ndim, shape, np.int16), order=order)
        mask = np.asarray(random_values(5, shape, np.uint8, 2), order=order)
        options = {"connectivity": rank, "by_value": True, "background": 1, "mask": mask}
        labels, counts = ccc.label(images, spatial_dims=ndim, return_num=True, **options)
        table = ccc.component_statistics(images, spatial_dims=ndim, **options)
        rows = iter(zip(table["image-0"], table["image-1"], table["label"], table["value"]))
        for index in itertools.product(range(2), range(3)):
            options["mask"] = mask[index]
            expected, count = ccc.label(images[index], return_num=True, **options)
            np.testing.assert_array_equal(labels[index], expected)
            assert counts[index] == count
            for label in range(1, count + 1):
                assert next(rows) == (*index, label, images[index][expected == label][0])
        assert next(rows, None) is None


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.float32])
def test_18_neighbors_of_masks(dtype):
    structure = scipy.ndimage.generate_binary_structure(3, 2)
    for seed, shape in enumerate([(20, 21, 33), (1, 9, 40), (40, 41, 42), (5, 40, 1)]):
        image = (random_values(seed, shape, bool, 2) & (np.random.default_rng(seed).random(shape) < 0.3)).astype(dtype)
        for order, device in itertools.product("CF", DEVICES):
            ordered = np.asarray(image, order=order)
            expected, n = scipy.ndimage.label(image, structure)
            for connectivity in (2, 18):
                labels, count = ccc.label(ordered, connectivity=connectivity, return_num=True, device=device)
                assert count == n
                np.testing.assert_array_equal(labels, expected)
            sizes = np.bincount(expected.ravel())[1:]
            kept = ccc.remove_small(ordered, 3, connectivity=18, device=device)
            assert np.array_equal(kept != 0, np.isin(expected, np.flatnonzero(sizes >= 3) + 1))
            table = ccc.component_statistics(ordered, connectivity=18, device=device)
            assert np.array_equal(table["area"], sizes)


def test_other_libraries():
    image = random_values(1, (9, 10, 11), np.int16)
    expected = ccc.label(image, by_value=True, background=1)
    values = ccc.component_statistics(image, by_value=True, background=1)["value"]
    sitk, itk = pytest.importorskip("SimpleITK"), pytest.importorskip("itk")
    xarray = pytest.importorskip("xarray")
    for convert, back in (
        (sitk.GetImageFromArray, sitk.GetArrayFromImage),
        (itk.image_from_array, itk.array_from_image),
        (xarray.DataArray, np.asarray),
    ):
        labels = ccc.label(convert(image), by_value=True, background=1)
        np.testing.assert_array_equal(back(labels), expected)
        table = ccc.component_statistics(convert(image), by_value=True, background=1)
        assert table["value"].dtype == image.dtype
        np.testing.assert_array_equal(table["value"], values)


def test_out_and_types(recwarn):
    image = random_values(2, (40, 50), np.int32)
    expected = ccc.label(image, by_value=True)
    for order in "CF":
        out = np.empty(image.shape, np.int64, order=order)
        assert ccc.label(image, by_value=True, out=out) is out
        np.testing.assert_array_equal(out, expected)
    same = image.copy()
    np.testing.assert_array_equal(ccc.label(same, by_value=True, out=same), expected)
    with pytest.raises(ccc.LabelOverflowError, match="128"):
        ccc.label(np.arange(129), by_value=True, dtype=np.int8)
    assert not recwarn.list  # no warning of several values


def test_properties():
    image = np.array([[3, 3, 1]])
    table = ccc.component_statistics(image, by_value=True, properties=("value", "num_pixels"))
    assert list(table) == ["value", "num_pixels"] and table["value"].tolist() == [3, 1]
    assert "value" not in ccc.component_statistics(image, by_value=True, properties="area")


def test_the_warning_names_both_ways_on():
    with pytest.warns(UserWarning, match="by_value=True keeps .* lower= and upper="):
        ccc.label(np.array([1, 2]))
