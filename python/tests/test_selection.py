"""keep_largest(), remove_small() and relabel() of NumPy arrays."""

import numpy as np
import pytest
from conftest import DTYPES, keep_by_loop, noise

import cuda_connected_components as ccc


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", "CF")
def test_keep_largest(dtype, order):
    for seed, shape in enumerate([(500,), (60, 50), (25, 26, 27), (70, 65, 66)]):
        image = np.asarray(noise(shape, 0.2, seed, dtype), order=order)
        for k in (1, 3, 300):
            for full in (False, True):
                kept = ccc.keep_largest(image, k, None if full else 1)
                assert kept.dtype == image.dtype
                np.testing.assert_array_equal(kept, keep_by_loop(image, full, k=k))


@pytest.mark.parametrize("order", "CF")
def test_remove_small(order):
    image = np.asarray(noise((30, 31, 32), 0.15, 1, np.int16), order=order)
    for min_size in (0, 1, 2, 2.5, 10, 10**9):
        np.testing.assert_array_equal(
            ccc.remove_small(image, min_size), keep_by_loop(image, True, minimum=min_size)
        )


def test_remove_small_with_spacing():
    image = noise((30, 31, 32), 0.15, 2)
    # 3 elements of 0.1 * 0.1 * 0.1 have a rounded volume.
    for spacing, min_size, minimum in [((2, 3, 0.5), 9, 3), ((2, 3, 0.5), 9.1, 4), (0.1, 0.003, 3)]:
        np.testing.assert_array_equal(
            ccc.remove_small(image, min_size, spacing=spacing),
            keep_by_loop(image, True, minimum=minimum),
        )


def test_ties_keep_the_first_component():
    image = np.array([[2, 0, 3], [0, 0, 0], [4, 0, 5]], np.uint8)
    for order in "CF":
        np.testing.assert_array_equal(
            ccc.keep_largest(np.asarray(image, order=order), 2), [[2, 0, 3], [0, 0, 0], [0, 0, 0]]
        )


def test_out():
    image = noise((40, 41, 42), 0.2, 3, np.float32)
    expected = keep_by_loop(image, True, k=2)
    for order in "CF":
        out = np.full(image.shape, 7, np.float32, order)
        assert ccc.keep_largest(image, 2, out=out) is out
        np.testing.assert_array_equal(out, expected)
    strided = np.zeros((80, 41, 42), np.float32)[::2]
    ccc.keep_largest(image, 2, out=strided)
    np.testing.assert_array_equal(strided, expected)
    flipped = image.copy()
    ccc.keep_largest(flipped, 2, out=flipped[::-1])
    np.testing.assert_array_equal(flipped[::-1], expected)
    assert ccc.keep_largest(image, 2, out=image) is image
    np.testing.assert_array_equal(image, expected)


def test_limits_keep_the_values_between_them():
    image = np.array([5, 9, 0, 1, 8, 8, 8, 2], np.int16)
    np.testing.assert_array_equal(ccc.keep_largest(image, lower=5), [0, 0, 0, 0, 8, 8, 8, 0])
    np.testing.assert_array_equal(ccc.keep_largest(image, upper=0), [0] * 8)


def relabel_by_loop(labels, by_size, minimum, k):
    values, counts = np.unique(labels[labels != 0], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    order = [i for i in order if counts[i] >= minimum][:k]
    order = order if by_size else sorted(order)
    result = np.zeros_like(labels)
    for new, i in enumerate(order):
        result[labels == values[i]] = new + 1
    return result, len(order)


@pytest.mark.parametrize("dtype", DTYPES[1:9])
@pytest.mark.parametrize("seed", range(4))
def test_relabel(dtype, seed):
    random = np.random.default_rng(seed)
    information = np.iinfo(dtype)
    values = random.integers(information.min, information.max, 30, dtype, endpoint=True)
    values[:6] = [0, 0, 0, 1, information.max, information.min]
    for shape in [(1000,), (50, 60), (20, 21, 22), (70, 65, 66)]:
        labels = values[random.integers(0, 30, shape)]
        for order in "CF":
            source = np.asarray(labels, order=order)
            for by_size in (False, True):
                for minimum, k in [(0, None), (30, None), (0, 5), (30, 7)]:
                    expected, count = relabel_by_loop(source, by_size, minimum, k)
                    result, n = ccc.relabel(
                        source,
                        "size" if by_size else "label",
                        min_size=minimum,
                        k=k,
                        threads=1 + seed,
                        return_num=True,
                    )
                    assert n == count and result.dtype == source.dtype
                    np.testing.assert_array_equal(result, expected)


def test_relabel_out():
    labels = noise((70, 65, 66), 0.5, 4, np.uint8)
    expected = ccc.relabel(labels)
    for out in (
        np.empty(labels.shape, np.int64),
        np.empty(labels.shape, np.uint8, "F"),
        np.empty((140, 65, 66), ">u2")[::2],
        labels,
    ):
        assert ccc.relabel(labels if out is labels else labels.copy(), out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_relabel_overflow():
    labels = np.arange(1000, dtype=np.int32)
    with pytest.raises(ccc.LabelOverflowError, match="999"):
        ccc.relabel(labels, out=np.empty(1000, np.uint8))
    out = ccc.relabel(labels, k=200, out=np.empty(1000, np.uint8))
    assert out.max() == 200
