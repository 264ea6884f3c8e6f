"""Layouts of NumPy arrays in memory."""

import numpy as np
import pytest
from conftest import keep_by_loop, label_by_scipy, noise
from hypothesis import given, settings
from hypothesis import strategies as st

import cuda_connected_components as ccc


@st.composite
def layouts(draw):
    """Return a random image in a random layout: a view of a larger array."""
    ndim = draw(st.integers(1, 3))
    shape = [draw(st.integers(0, 20)) for _ in range(ndim)]
    steps = [draw(st.sampled_from([-3, -2, -1, 1, 2, 3])) for _ in range(ndim)]
    dtype = draw(
        st.sampled_from(["?", "u1", "<i2", ">i2", ">u4", "<f2", ">f2", ">f4", "f8", ">i8"])
    )
    seed = draw(st.integers(0, 2**32))
    base = noise([n * abs(step) + 1 for n, step in zip(shape, steps)], 0.5, seed, dtype)
    image = base[tuple(slice(None, None, step) for step in steps)]
    image = image[tuple(slice(0, n) for n in shape)]
    return image.transpose(draw(st.permutations(range(ndim))))


@settings(deadline=None, max_examples=200, derandomize=True)
@given(layouts(), st.booleans())
def test_any_layout(image, full):
    connectivity = None if full else 1
    np.testing.assert_array_equal(
        ccc.label(image, connectivity=connectivity), label_by_scipy(image, full)[0]
    )
    kept = ccc.keep_largest(image, k=2, connectivity=connectivity)
    assert kept.dtype == image.dtype
    np.testing.assert_array_equal(kept, keep_by_loop(image, full, k=2))


def test_read_only_and_mapped(tmp_path):
    image = noise((40, 41, 42), 0.3, 1)
    expected = label_by_scipy(image, True)[0]
    image.setflags(write=False)
    np.testing.assert_array_equal(ccc.label(image), expected)
    np.save(tmp_path / "image.npy", image)
    mapped = np.load(tmp_path / "image.npy", mmap_mode="r")
    labels = ccc.label(mapped)
    assert type(labels) is np.ndarray
    np.testing.assert_array_equal(labels, expected)


def test_broadcast():
    image = np.broadcast_to(noise((1, 30, 1), 0.5, 2), (20, 30, 25))
    np.testing.assert_array_equal(ccc.label(image), label_by_scipy(image, True)[0])


def test_unaligned():
    base = np.zeros(4 * 1000 + 1, np.uint8)
    image = base[1:].view(np.int32).reshape(10, 100)
    image[...] = noise((10, 100), 0.5, 3)
    assert not image.flags.aligned
    np.testing.assert_array_equal(ccc.label(image), label_by_scipy(image, True)[0])
    out = np.zeros(4 * 1000 + 1, np.uint8)[1:].view(np.int32).reshape(10, 100)
    ccc.label(image, out=out)
    np.testing.assert_array_equal(out, label_by_scipy(image, True)[0])


def test_the_order_in_memory_is_kept():
    image = noise((20, 30, 40), 0.3, 4)
    assert ccc.label(image).flags.c_contiguous
    assert ccc.label(np.asfortranarray(image)).flags.f_contiguous
    assert ccc.keep_largest(np.asfortranarray(image)).flags.f_contiguous
    assert ccc.label(image.transpose(1, 0, 2)).flags.c_contiguous


def test_the_work_runs_along_the_axis_that_is_closest_in_memory():
    cropped = np.asfortranarray(noise((20, 30, 40), 0.3, 4))[1:-1, 1:-1, 1:-1]
    reversed_axes = noise((20, 30, 40), 0.3, 4)[::2, ::-1].transpose(2, 0, 1)
    plane = np.asfortranarray(noise((20, 30), 0.3, 4))[:, 1:-1]
    for image in (cropped, reversed_axes, plane, plane[:, np.newaxis]):
        labels, kept = ccc.label(image), ccc.keep_largest(image, k=2)
        for result, expected in (
            (labels, label_by_scipy(image, True)[0]),
            (kept, keep_by_loop(image, True, k=2)),
            (ccc.relabel(labels, order="label"), label_by_scipy(image, True)[0]),
        ):
            assert result.flags.f_contiguous
            np.testing.assert_array_equal(result, expected)
        for order in "CF":
            out = np.zeros([2 * n for n in image.shape], np.int32, order)
            for view in (
                out[tuple(slice(n) for n in image.shape)],
                np.zeros_like(labels, order=order),
            ):
                ccc.label(image, out=view)
                np.testing.assert_array_equal(view, labels)
        columns = ccc.component_statistics(image)
        for name, column in ccc.component_statistics(image.copy("C")).items():
            np.testing.assert_array_equal(columns[name], column)
    for image in (noise((20, 30, 40), 0.3, 4)[:, :, ::2], np.broadcast_to(plane[0], (40, 28))):
        assert ccc.label(image).flags.c_contiguous


@pytest.mark.parametrize("image", [[[1, 0], [0, 1]], memoryview(b"\1\0\1"), np.float32([1, 0, 2])])
def test_objects_that_numpy_converts(image):
    np.testing.assert_array_equal(ccc.label(image), label_by_scipy(np.asarray(image), True)[0])


class LazyArray:
    """An array in a file, such as those of Zarr and h5py. Counts how often it is read."""

    def __init__(self, array):
        self._array = array
        self.shape, self.ndim, self.dtype = array.shape, array.ndim, array.dtype
        self.reads = 0

    def __array__(self, dtype=None, copy=None):
        self.reads += 1
        return np.array(self._array, dtype)

    def __getitem__(self, key):
        return np.asarray(self)[key]


def lazy_data_array(lazy):
    """Return a DataArray of a file that is not kept in memory, as open_dataarray(cache=False) does."""
    xarray = pytest.importorskip("xarray")

    class Backend(xarray.backends.BackendArray):
        shape, dtype = lazy.shape, lazy.dtype

        def __getitem__(self, key):
            return xarray.core.indexing.explicit_indexing_adapter(
                key, self.shape, xarray.core.indexing.IndexingSupport.BASIC, lazy.__getitem__
            )

    data = xarray.core.indexing.LazilyIndexedArray(Backend())
    return xarray.DataArray(xarray.Variable(("y", "x"), data))


@pytest.mark.parametrize("image_of", [lambda lazy: lazy, lazy_data_array])
@pytest.mark.parametrize(
    "call",
    [
        ccc.label,
        ccc.keep_largest,
        lambda image, **options: ccc.remove_small(image, 3, spacing=0.5, **options),
        ccc.component_statistics,
        lambda image, mask: ccc.relabel(image),
    ],
)
def test_arrays_in_files_are_read_once(image_of, call):
    image, mask = noise((20, 30), 0.6, 4, np.int16), noise((20, 30), 0.7, 5)
    lazy, lazy_mask = LazyArray(image), LazyArray(mask)
    result, expected = call(image_of(lazy), mask=image_of(lazy_mask)), call(image, mask=mask)
    assert lazy.reads == 1 and lazy_mask.reads <= 1
    for name in expected if isinstance(expected, dict) else (...,):
        np.testing.assert_array_equal(result[name], expected[name])


def test_subclasses():
    class Subclass(np.ndarray):
        pass

    image = noise((20, 30), 0.4, 5).view(Subclass)
    np.testing.assert_array_equal(ccc.label(image), label_by_scipy(image, True)[0])
