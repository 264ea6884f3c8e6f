"""Images and oracles that several tests use."""

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
