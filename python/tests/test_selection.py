"""keep_largest(), remove_small() and relabel() of NumPy arrays."""

import numpy as np
import pytest
from conftest import DTYPES, keep_by_loop, noise, seeds

import cuda_connected_components as ccc


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", "CF")
def test_keep_largest(dtype, order):
    for seed, shape in enumerate([(500,), (60, 50), (25, 26, 27), (70, 65, 66)]):
        image = np.asarray(noise(shape, 0.2, seed, dtype), order=order)
        for k in (1, 3, 300):
            for full in (False, True):
                kept = ccc.keep_largest(image, k=k, connectivity=None if full else 1)
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
    # The volumes of elements, and spacings of files, are rounded.
    for spacing, min_size, minimum in [
        ((2, 3, 0.5), 9, 3),
        ((2, 3, 0.5), 9.1, 4),
        (0.1, 0.003, 3),
        (0.7, 3 * 0.343, 3),
        (np.float32([0.7, 0.7, 0.7]), 3 * 0.343, 3),
        (0.7, 3 * 0.343 * (1 + 3e-7), 4),
    ]:
        np.testing.assert_array_equal(
            ccc.remove_small(image, min_size, spacing=spacing),
            keep_by_loop(image, True, minimum=minimum),
        )


def test_ties_keep_the_first_component():
    image = np.array([[2, 0, 3], [0, 0, 0], [4, 0, 5]], np.uint8)
    for order in "CF":
        np.testing.assert_array_equal(
            ccc.keep_largest(np.asarray(image, order=order), k=2), [[2, 0, 3], [0, 0, 0], [0, 0, 0]]
        )


def test_out():
    image = noise((40, 41, 42), 0.2, 3, np.float32)
    expected = keep_by_loop(image, True, k=2)
    for order in "CF":
        out = np.full(image.shape, 7, np.float32, order)
        assert ccc.keep_largest(image, k=2, out=out) is out
        np.testing.assert_array_equal(out, expected)
    strided = np.zeros((80, 41, 42), np.float32)[::2]
    ccc.keep_largest(image, k=2, out=strided)
    np.testing.assert_array_equal(strided, expected)
    flipped = image.copy()
    ccc.keep_largest(flipped, k=2, out=flipped[::-1])
    np.testing.assert_array_equal(flipped[::-1], expected)
    assert ccc.keep_largest(image, k=2, out=image) is image
    np.testing.assert_array_equal(image, expected)


@pytest.mark.parametrize("step", [(2, 1, 1), (1, 1, 3), (1, -1, -2)])
def test_out_with_gaps(step):
    image = noise((40, 41, 42), 0.2, 3, np.int32)
    expected = keep_by_loop(image, True, k=2)
    memory = np.full((80, 41, 126), 7, np.int32)
    step = tuple(slice(None, None, distance) for distance in step)
    out = memory[step][:40, :, :42]
    ccc.keep_largest(image, k=2, out=out)
    np.testing.assert_array_equal(out, expected)
    out[...] = 7
    assert np.all(memory == 7)


@pytest.mark.parametrize("dtype", [*DTYPES, ">i2", ">f4"])
def test_in_place(dtype):
    array = noise((30, 31, 32), 0.2, 5, dtype)
    for full in (False, True):
        for view in (
            lambda image: image,
            lambda image: image[:, :, ::2],
            lambda image: image[::-1, 1:, ::-3],
            lambda image: image.T,
            lambda image: image[3],
        ):
            memory = array.copy()
            image = view(memory)
            connectivity = None if full else 1
            expected = keep_by_loop(image, full, k=3)
            assert ccc.keep_largest(image, k=3, connectivity=connectivity, out=image) is image
            np.testing.assert_array_equal(image, expected)
            view(memory)[...] = view(array)
            np.testing.assert_array_equal(memory, array)
            expected = keep_by_loop(image, full, minimum=4)
            ccc.remove_small(image, 4, connectivity=connectivity, out=image)
            np.testing.assert_array_equal(image, expected)


def test_out_that_overlaps_the_image():
    memory = noise((41, 40, 40), 0.2, 6)
    for select_out in (
        lambda array: array[1:],
        lambda array: array[:-1].transpose(2, 1, 0),
        lambda array: array[:-1][:, ::-1],
    ):
        array = memory.copy()
        expected = keep_by_loop(array[:-1], True, k=3)
        out = select_out(array)
        ccc.keep_largest(array[:-1], k=3, out=out)
        np.testing.assert_array_equal(out, expected)


def test_elements_are_copied_bit_by_bit():
    for dtype, bits in [(np.float16, "u2"), (np.float32, "u4"), (np.float64, "u8")]:
        image = np.array([np.nan, -np.nan, 5, 0, -0.0, 1, 0], dtype)
        image.view(bits)[1] |= 3  # another NaN
        expected = image.copy()
        expected[4:] = 0
        for out in (None, np.full(7, 9, dtype), image):
            kept = ccc.keep_largest(image, out=out)
            np.testing.assert_array_equal(kept.view(bits), expected.view(bits))


def test_new_images_are_zero():
    # Small arrays often get memory with values of an array that was deleted.
    for count in (1, 100, 10_000, 1_000_000):
        image = np.zeros(count, np.uint8)
        image[count // 2] = 3
        for _ in range(20):
            used = np.full(count, 7, np.uint8)
            del used
            np.testing.assert_array_equal(ccc.keep_largest(image), image)


def used_memory():
    with open("/proc/self/statm") as file:
        return 4096 * int(file.read().split()[1])


@pytest.mark.parametrize("order", "CF")
def test_pages_without_kept_elements_use_no_memory(order):
    image = np.zeros((64, 1024, 4096), np.uint8, order)
    image[:, 500, :2] = 5
    image[60, 700, 4000] = 6
    before = used_memory()
    kept = ccc.keep_largest(image, device="cpu")  # CUDA would use memory
    # A huge page for each slice with kept elements has 2 MiB.
    assert used_memory() - before < 200 << 20 < image.nbytes
    assert np.all(kept[:, 500, :2] == 5) and np.count_nonzero(kept) == 128


def test_threads_do_not_matter():
    image = noise((70, 65, 66), 0.1, 7, np.int16)
    expected = keep_by_loop(image, True, minimum=3)
    for threads in range(1, 6):
        np.testing.assert_array_equal(ccc.remove_small(image, 3, threads=threads), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float16, np.float64, ">i4"])
@pytest.mark.parametrize("order", "CF")
def test_limits_and_mask(dtype, order):
    array = np.asarray(noise((40, 41, 42), 0.9, 8, dtype), order=order)
    mask = noise((40, 41, 42), 0.6, 9)
    inside = (array >= 10) & (array <= 60)
    for limits, chosen in [({}, array != 0), ({"lower": 10, "upper": 60}, inside)]:
        chosen = chosen & (mask != 0)
        kept = keep_by_loop(chosen, False, k=2)
        expected = np.where(kept, array, np.zeros((), array.dtype))
        arguments = {"connectivity": 1, "mask": mask, **limits}
        np.testing.assert_array_equal(ccc.keep_largest(array, k=2, **arguments), expected)
        image = array.copy(order="K")
        ccc.keep_largest(image, k=2, out=image, **arguments)
        np.testing.assert_array_equal(image, expected)


def test_the_mask_may_be_the_output():
    image, mask = noise((40, 41, 42), 0.9, 8), noise((40, 41, 42), 0.6, 9)
    kept = keep_by_loop((image != 0) & (mask != 0), False, k=2)
    assert ccc.keep_largest(image, k=2, connectivity=1, mask=mask, out=mask) is mask
    np.testing.assert_array_equal(mask, np.where(kept, image, 0))


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
@pytest.mark.parametrize("seed", seeds(4))
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
                        order="size" if by_size else "label",
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
