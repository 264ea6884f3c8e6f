"""Images and oracles that several tests use."""

import itertools
import os

import numpy as np
import pytest
import scipy.ndimage

DTYPES = [
    np.bool_,
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.int32,
    np.uint32,
    np.int64,
    np.uint64,
    np.float16,
    np.float32,
    np.float64,
]


def seeds(count):
    """Return the seeds of random images: `count` in the full check, else a third of them."""
    return range(count if "CUDA_CONNECTED_COMPONENTS_ALL_SETTINGS" in os.environ else 1 + count // 3)


def noise(shape, density, seed, dtype=np.uint8, granularity=1):
    """Return a random image. Its foreground has random values of `dtype`, bools random bytes."""
    random = np.random.default_rng(seed)
    coarse = random.random([-(-n // granularity) for n in shape]) < density
    for axis, n in enumerate(shape):
        coarse = np.repeat(coarse, granularity, axis=axis).take(range(n), axis=axis)
    values = random.integers(1, 100, shape)
    if np.dtype(dtype).kind in "if":
        values = values * random.choice([-1, 1], shape)
    values = coarse * values
    return values.astype(np.uint8).view(bool) if np.dtype(dtype) == bool else values.astype(dtype)


def label_by_scipy(image, full):
    """Return the labels of SciPy, and their number."""
    structure = scipy.ndimage.generate_binary_structure(image.ndim, image.ndim if full else 1)
    return scipy.ndimage.label(np.asarray(image) != 0, structure)


def label_by_flood(images, rank, foreground):
    """Return the labels of the regions of equal value of each image of a batch, and their numbers.

    Each element takes the lowest index of its neighbors of equal value until nothing changes.
    """
    shape = images.shape[1:]
    pairs = []
    for offset in itertools.product((-1, 0, 1), repeat=len(shape)):
        if offset > (0,) * len(shape) and np.abs(offset).sum() <= rank:
            ours, theirs = (
                (..., *(slice(max(0, sign * o), n + min(0, sign * o)) for o, n in zip(offset, shape)))
                for sign in (1, -1)
            )
            is_equal = (images[ours] == images[theirs]) & foreground[ours] & foreground[theirs]
            pairs.append((ours, theirs, is_equal))
    flat = (len(images), int(np.prod(shape)))
    indices = np.arange(1, flat[1] + 1)
    found, before = np.where(foreground, indices.reshape(shape), 0), None
    while not np.array_equal(found, before):
        before = found.copy()
        for ours, theirs, is_equal in pairs:
            lowest = np.minimum(found[ours], found[theirs])
            for place in (ours, theirs):
                np.minimum(found[place], lowest, out=found[place], where=is_equal)
    found = found.reshape(flat)
    numbers = np.cumsum(found == indices, axis=1)
    labels = np.where(found > 0, np.take_along_axis(numbers, np.maximum(found - 1, 0), 1), 0)
    return labels.reshape(images.shape), numbers[:, -1] if flat[1] else np.zeros(flat[0], int)


def keep_by_loop(image, full, minimum=0, k=None):
    """Return the elements of the selected components, by SciPy and a stable sort."""
    labels, count = label_by_scipy(image, full)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    order = np.argsort(-sizes, kind="stable")
    chosen = [i + 1 for i in order[:k] if sizes[i] >= minimum]
    return np.where(np.isin(labels, chosen), image, np.zeros((), image.dtype))


@pytest.fixture(autouse=True)
def default_threads():
    """Reset the number of threads after each test."""
    yield
    import cuda_connected_components as ccc

    ccc.set_num_threads(None)
