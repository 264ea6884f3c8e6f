"""Batches: each image of an array is labeled as if it were alone."""

import itertools
import warnings

import numpy as np
import pytest
from conftest import DTYPES, label_by_scipy, noise
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import cuda_connected_components as ccc
from cuda_connected_components import _arguments, _core

LEADING = [(), (1,), (5,), (2, 3), (2, 1, 2)]
SPATIAL = [(37,), (13, 40), (7, 9, 35), (1, 6, 33), (3, 1, 65)]
PROPERTIES = (
    "label",
    "num_pixels",
    "area",
    "bbox",
    "centroid",
    "area_bbox",
    "extent",
    "equivalent_diameter_area",
    "touches_border",
)


def batch_of(leading, spatial, dtype=np.uint8, seed=1):
    """Return images of different density. The first is empty, and the last is full."""
    shape = (int(np.prod(leading)), *spatial)
    density = np.linspace(0, 1, shape[0]) if shape[0] > 1 else [0.4]
    images = [noise(spatial, density[i], seed + i, dtype) for i in range(shape[0])]
    return np.array(images, dtype).reshape(*leading, *spatial)


def expect_loop(image, spatial_dims, full=True, mask=None, limits=None, **options):
    """Compare all functions with a loop over the images."""
    leading = image.shape[:-spatial_dims]
    options = {"connectivity": None if full else 1, **(limits or {}), **options}
    batched = {"spatial_dims": spatial_dims, "mask": mask, **options}

    def each(call):
        for index in np.ndindex(leading):
            yield index, call(image[index], mask=None if mask is None else mask[index], **options)

    labels, counts = ccc.label(image, return_num=True, **batched)
    assert labels.shape == image.shape and labels.dtype == np.int32
    if leading:
        assert type(counts) is np.ndarray and counts.dtype == np.int64 and counts.shape == leading
    else:
        assert type(counts) is int
        counts = np.array(counts)
    for index, (one, count) in each(lambda image, **o: ccc.label(image, return_num=True, **o)):
        np.testing.assert_array_equal(labels[index], one)
        assert counts[index] == count
        if mask is None and limits is None:
            np.testing.assert_array_equal(one, label_by_scipy(image[index], full)[0])

    largest = ccc.keep_largest(image, k=2, **batched)
    assert largest.dtype == image.dtype
    for index, one in each(lambda image, **o: ccc.keep_largest(image, k=2, **o)):
        np.testing.assert_array_equal(largest[index], one)
    cleaned = ccc.remove_small(image, 3, **batched)
    for index, one in each(lambda image, **o: ccc.remove_small(image, 3, **o)):
        np.testing.assert_array_equal(cleaned[index], one)

    columns = ccc.component_statistics(image, properties=PROPERTIES, **batched)
    expected = {name: [] for name in columns}
    for index, one in each(
        lambda image, **o: ccc.component_statistics(image, properties=PROPERTIES, **o)
    ):
        for axis, position in enumerate(index):
            expected[f"image-{axis}"].append(np.full(len(one["label"]), position))
        for name, column in one.items():
            expected[name].append(column)
    assert (
        [name for name in columns if name.startswith("image")]
        == [f"image-{axis}" for axis in range(len(leading))]
        == list(columns)[: len(leading)]
    )
    for name, column in columns.items():
        np.testing.assert_array_equal(column, np.concatenate([[], *expected[name]]), name)
        if expected[name]:
            assert column.dtype == expected[name][0].dtype, name

    if image.dtype.kind in "iu":
        for order, k in (("size", 50), ("label", 3)):
            options = {"order": order, "k": k, "min_size": 2, "return_num": True}
            relabeled, counts = ccc.relabel(image, spatial_dims=spatial_dims, **options)
            assert relabeled.dtype == image.dtype and np.shape(counts) == leading
            for index in np.ndindex(leading):
                one, count = ccc.relabel(image[index], **options)
                np.testing.assert_array_equal(relabeled[index], one)
                assert np.array(counts)[index] == count


@pytest.mark.parametrize("leading", LEADING)
@pytest.mark.parametrize("spatial", SPATIAL)
@pytest.mark.parametrize("full", [False, True])
def test_shapes(leading, spatial, full):
    expect_loop(batch_of(leading, spatial), len(spatial), full)


@pytest.mark.parametrize("dtype", DTYPES)
def test_types(dtype):
    for spatial in ((13, 40), (7, 9, 35)):
        for full in (False, True):
            expect_loop(batch_of((2, 3), spatial, dtype), len(spatial), full)


@pytest.mark.parametrize("leading", [(0,), (4, 0), (0, 3), (2,), (2, 3)])
@pytest.mark.parametrize("spatial", [(0,), (4, 5), (4, 0), (3, 4, 5), (0, 4, 5), (4, 5, 0)])
def test_no_elements(leading, spatial):
    if 0 in leading + spatial:
        expect_loop(np.zeros(leading + spatial, np.uint8), len(spatial))
        expect_loop(np.asfortranarray(np.zeros(leading + spatial, np.int16)), len(spatial))
        out = np.zeros(leading + spatial, np.int32)[..., ::-1]
        assert ccc.label(np.zeros(leading + spatial), spatial_dims=len(spatial), out=out) is out


@pytest.mark.parametrize("shape", [(2, 2, 0), (0, 2, 2)])
def test_strides_of_arrays_without_elements(shape):
    for steps, out_steps in itertools.permutations([(1, 2, 4), (0, 0, 1), (4, 2, 1)], 2):
        image = as_strided(np.zeros(9, np.uint8), shape, steps)
        out = as_strided(np.zeros(9, np.int32), shape, [4 * step for step in out_steps])
        for spatial_dims in (None, 3, 2):
            assert ccc.label(image, spatial_dims=spatial_dims, out=out) is out
        assert ccc.keep_largest(image, out=out.astype(np.uint8)).shape == shape


def test_one_component_on_both_sides_of_a_border_between_images():
    batch = np.ones((3, 4, 5, 6), np.uint8)
    labels, counts = ccc.label(batch, spatial_dims=3, return_num=True)
    assert (labels == 1).all() and counts.tolist() == [1, 1, 1]
    labels, counts = ccc.label(batch, spatial_dims=2, return_num=True)
    assert (labels == 1).all() and (counts == np.ones((3, 4))).all()


def fortran_images(array):
    """Return the same images, each in Fortran order, one after the other."""
    axes = (0, *range(array.ndim - 1, 0, -1))
    return array.transpose(axes).copy().transpose(axes)


LAYOUTS = {
    "C order": lambda array: array,
    "Fortran order": np.asfortranarray,
    "images in Fortran order": fortran_images,
    "images along the last axis": lambda array: np.moveaxis(array, 0, -1).copy().swapaxes(0, -1),
    "every second image": lambda array: array[::2],
    "reversed images": lambda array: array[::-1],
    "reversed axes": lambda array: array[..., ::-1, ::-1],
    "cropped": lambda array: array[:, :, 1:-1, 2:-3],
    "strided": lambda array: array[..., ::2, ::-3],
    "part of the second axis": lambda array: array[:, 1:],
    "swapped axes": lambda array: array.swapaxes(0, 1),
    "swapped spatial axes": lambda array: array.swapaxes(-1, -2),
    "one image many times": lambda array: np.broadcast_to(array[:1], array.shape),
    "one plane many times": lambda array: np.broadcast_to(array[:, :1], array.shape),
    "big endian": lambda array: array.astype(">i2"),
    "not aligned": lambda array: (
        np.frombuffer(b"\0" + array.tobytes(), np.int16, -1, 1).reshape(array.shape)
        if array.itemsize == 2
        else array
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("spatial_dims", [1, 2, 3])
def test_layouts(layout, spatial_dims):
    array = batch_of((3,), (4, 11, 34), np.int16)
    image = LAYOUTS[layout](array)
    expect_loop(image, spatial_dims)
    mask = noise(image.shape, 0.7, 9)
    expect_loop(image, spatial_dims, False, mask)
    expect_loop(
        np.ascontiguousarray(image),
        spatial_dims,
        False,
        LAYOUTS[layout](array != 5) if array.shape == image.shape else mask,
    )


@st.composite
def layouts(draw):
    """Return a random batch in a random layout: a view of a larger array."""
    spatial_dims = draw(st.integers(1, 3))
    ndim = spatial_dims + draw(st.integers(0, 3))
    shape = [draw(st.integers(0, 6 if ndim > 3 else 20)) for _ in range(ndim)]
    steps = [draw(st.sampled_from([-2, -1, 1, 1, 2])) for _ in range(ndim)]
    dtype = draw(st.sampled_from(["?", "u1", "<i2", ">i2", ">u4", "<f2", "f8", ">i8"]))
    seed = draw(st.integers(0, 2**32))
    base = noise([n * abs(step) + 1 for n, step in zip(shape, steps)], 0.5, seed, dtype)
    image = base[tuple(slice(None, None, step) for step in steps)]
    image = image[tuple(slice(0, n) for n in shape)]
    return image.transpose(draw(st.permutations(range(ndim)))), spatial_dims


@settings(deadline=None, max_examples=150, derandomize=True)
@given(layouts(), st.booleans())
def test_any_layout(layout, full):
    image, spatial_dims = layout
    expect_loop(image, spatial_dims, full)
    expected = ccc.label(image.copy(), spatial_dims=spatial_dims)
    out = np.zeros(image.shape[::-1], np.int64).T
    ccc.label(image, spatial_dims=spatial_dims, out=out)
    np.testing.assert_array_equal(out, expected)
    kept = ccc.keep_largest(image, k=2, spatial_dims=spatial_dims)
    writable = image.copy("K")
    assert ccc.keep_largest(writable, k=2, spatial_dims=spatial_dims, out=writable) is writable
    np.testing.assert_array_equal(writable, kept)


@pytest.mark.parametrize("seed", range(20))
def test_random_shapes_and_densities(seed):
    random = np.random.default_rng(seed)
    spatial_dims = random.integers(1, 4)
    leading = tuple(random.integers(1, 5, random.integers(0, 3)))
    spatial = tuple(random.integers(1, {1: 1000, 2: 90, 3: 30}[spatial_dims], spatial_dims))
    image = noise(leading + spatial, random.random(), seed, granularity=random.integers(1, 6))
    for full, order in itertools.product((False, True), "CF"):
        options = {"threads": int(random.integers(1, 5)), "device": random.choice(["cpu", None])}
        expect_loop(np.asarray(image, order=order), spatial_dims, full, **options)


def test_many_images():
    image = noise((3000, 5, 7), 0.4, 2)
    labels, counts = ccc.label(image, spatial_dims=2, return_num=True)
    loop = [label_by_scipy(plane, True) for plane in image]
    np.testing.assert_array_equal(labels, [plane for plane, _ in loop])
    np.testing.assert_array_equal(counts, [count for _, count in loop])


@pytest.mark.parametrize("order", "CF")
def test_limits_and_masks(order):
    image = np.asarray(batch_of((2, 3), (7, 9, 35), np.int16), order=order)
    mask = np.asarray(noise(image.shape, 0.6, 3), order=order)
    for limits in ({}, {"lower": 10}, {"lower": -50, "upper": 60}):
        for chosen in (None, mask, mask[:1, :1].repeat(2, 0).repeat(3, 1)):
            for full in (False, True):
                expect_loop(image, 3, full, chosen, limits)
    one = mask[0, 0]
    labels = ccc.label(image, spatial_dims=3, mask=np.broadcast_to(one, image.shape))
    np.testing.assert_array_equal(labels[1, 2], ccc.label(image[1, 2], mask=one))


def test_spacing():
    image = batch_of((2, 3), (20, 21), np.uint8)
    kept = ccc.remove_small(image, 3.5, spacing=(0.5, 2), spatial_dims=2)
    np.testing.assert_array_equal(kept, ccc.remove_small(image, 4, spatial_dims=2))
    columns = ccc.component_statistics(image, spacing=(0.5, 2), spatial_dims=2)
    plain = ccc.component_statistics(image, spatial_dims=2)
    assert list(columns)[:3] == ["image-0", "image-1", "label"]
    for name, factor in [("area", 1), ("centroid-0", 0.5), ("centroid-1", 2), ("bbox-0", 1)]:
        np.testing.assert_allclose(columns[name], factor * plain[name])


def test_labels_of_the_table():
    image = batch_of((2, 3), (20, 21), np.uint8)
    labels, counts = ccc.label(image, spatial_dims=2, return_num=True)
    columns = ccc.component_statistics(image, spatial_dims=2, properties="num_pixels")
    assert list(columns) == ["image-0", "image-1", "num_pixels"]
    columns = ccc.component_statistics(image, spatial_dims=2)
    assert len(columns["label"]) == counts.sum()
    for row in range(0, len(columns["label"]), 7):
        index = (columns["image-0"][row], columns["image-1"][row])
        box = tuple(
            slice(columns[f"bbox-{axis}"][row], columns[f"bbox-{axis + 2}"][row]) for axis in (0, 1)
        )
        found = labels[index] == columns["label"][row]
        assert found.sum() == found[box].sum() == columns["area"][row]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
def test_label_types(dtype):
    # 100 components in each image: 600 would not fit the type.
    image = np.zeros((2, 3, 20, 20), np.uint8)
    image[..., ::2, ::2] = 1
    labels, counts = ccc.label(image, spatial_dims=2, dtype=dtype, return_num=True)
    assert labels.dtype == dtype and (counts == 100).all() and labels.max() == 100
    image = np.zeros((2, 1000), np.uint8)
    image[1, ::2] = 1
    if dtype == np.uint8:
        with pytest.raises(ccc.LabelOverflowError, match="500"):
            ccc.label(image, spatial_dims=1, dtype=dtype)


def test_the_default_type_depends_on_the_shape_of_one_image(monkeypatch):
    assert _arguments.default_label_dtype((2**16, 2**15 - 1)) == np.int32
    assert _arguments.default_label_dtype((2**16, 2**15)) == np.int64
    shapes = []
    monkeypatch.setattr(
        _arguments, "default_label_dtype", lambda shape: shapes.append(shape) or np.dtype(np.int64)
    )
    for spatial_dims in (3, 2, 1):
        assert ccc.label(np.ones((4, 5, 6)), spatial_dims=spatial_dims).dtype == np.int64
    assert shapes == [(4, 5, 6), (5, 6), (6,)]


def make_outs(shape, dtype):
    """Return arrays for results, in many layouts."""
    yield np.full(shape, 7, dtype)
    yield np.full(shape, 7, dtype, "F")
    yield np.full((shape[0], *shape[:0:-1]), 7, dtype).transpose(0, *range(len(shape) - 1, 0, -1))
    yield np.full((2 * shape[0], *shape[1:]), 7, dtype)[::2]
    yield np.full((*shape[:-1], 2 * shape[-1]), 7, dtype)[..., ::-2]
    yield np.full((shape[0], shape[1] + 2, *shape[2:]), 7, dtype)[:, 1:-1]
    yield np.full(shape, 7, np.dtype(dtype).newbyteorder(">"))


@pytest.mark.parametrize("spatial_dims", [1, 2, 3])
@pytest.mark.parametrize("order", "CF")
def test_out(spatial_dims, order):
    image = np.asarray(batch_of((2, 4), (5, 34), np.int32), order=order)
    labels, counts = ccc.label(image.copy(), spatial_dims=spatial_dims, return_num=True)
    kept = ccc.keep_largest(image.copy(), k=2, spatial_dims=spatial_dims)
    relabeled = ccc.relabel(image.copy(), spatial_dims=spatial_dims)
    for out in make_outs(image.shape, np.int32):
        memory = out.base
        result, n = ccc.label(image, spatial_dims=spatial_dims, out=out, return_num=True)
        assert result is out
        np.testing.assert_array_equal(n, counts)
        np.testing.assert_array_equal(out, labels)
        assert ccc.relabel(image, spatial_dims=spatial_dims, out=out) is out
        np.testing.assert_array_equal(out, relabeled)
        out[...] = 7
        if out.dtype.isnative:
            assert ccc.keep_largest(image, k=2, spatial_dims=spatial_dims, out=out) is out
            np.testing.assert_array_equal(out, kept)
            out[...] = 7
        assert memory is None or (memory == 7).all()


@pytest.mark.parametrize("spatial_dims", [1, 2, 3])
def test_out_may_be_the_image_or_overlap_it(spatial_dims):
    memory = noise((5, 4, 9, 34), 0.3, 3, np.int32)
    for image_of, out_of in [
        (lambda memory: memory, lambda memory: memory),
        (lambda memory: memory[:, 1:], lambda memory: memory[:, 1:]),
        (lambda memory: memory[::-1, :, ::2], lambda memory: memory[::-1, :, ::2]),
        (lambda memory: memory.T, lambda memory: memory.T),
        (lambda memory: memory[1:], lambda memory: memory[:-1]),
        (lambda memory: memory[:-1], lambda memory: memory[1:]),
        (lambda memory: memory[1:], lambda memory: memory[1:][::-1]),
    ]:
        for call in (ccc.label, ccc.keep_largest, ccc.relabel):
            used = memory.copy()
            image, out = image_of(used), out_of(used)
            expected = call(image.copy(), spatial_dims=spatial_dims)
            assert call(image, spatial_dims=spatial_dims, out=out) is out
            np.testing.assert_array_equal(out, expected)


def test_an_image_with_too_many_objects_leaves_a_batch_as_it_was():
    labels = np.ones((2, 1000), np.int16)
    labels[1] = np.arange(1000)
    out = np.full((2, 1000), 7, np.int8)
    with pytest.raises(ccc.LabelOverflowError, match="999"):
        ccc.relabel(labels, spatial_dims=1, out=out)
    assert (out == 7).all()


def test_the_mask_may_be_the_output():
    for order, spatial_dims in itertools.product("CF", (1, 2, 3)):
        image = np.asarray(noise((3, 4, 9, 34), 0.9, 8), order=order)
        mask = np.asarray(noise((3, 4, 9, 34), 0.6, 9), order=order)
        expected = ccc.keep_largest(image, k=2, mask=mask, spatial_dims=spatial_dims)
        ccc.keep_largest(image, k=2, mask=mask, out=mask, spatial_dims=spatial_dims)
        np.testing.assert_array_equal(mask, expected)


def test_images_at_one_distance_are_not_copied(monkeypatch):
    seen = []
    for name in ("label_host", "mask_host"):
        function = getattr(_core, name)
        monkeypatch.setattr(
            _core, name, lambda *arrays, f=function: (seen.append(arrays), f(*arrays))[1]
        )
    array = noise((4, 3, 5, 6, 34), 0.3, 1)
    for image, is_copied in [
        (array, False),
        (array[:, 1], False),
        (array[::-1, ::-1], False),
        (array[..., 1:, ::2, 1:-1], False),
        (array.swapaxes(-1, -3), False),
        (np.broadcast_to(array[:1, :1], array.shape), False),
        (array[:, 1:], True),
        (array.swapaxes(0, 1), True),
        (np.asfortranarray(array), True),
    ]:
        seen.clear()
        ccc.label(image, spatial_dims=3, mask=image)
        ccc.keep_largest(image, spatial_dims=3)
        for arrays, indices in zip(seen, ((0, 1), (0,))):
            for index in indices:
                assert np.shares_memory(arrays[index], image) != is_copied
                assert arrays[index].ndim == 4
    out = np.zeros((4, 2, 5, 6, 34), np.uint8).swapaxes(-1, -3)
    seen.clear()
    ccc.keep_largest(array[:, 1:].swapaxes(-1, -3), spatial_dims=3, out=out)
    assert np.shares_memory(seen[0][2], out)
    # The order of `out` decides if it is another order than that of the image.
    seen.clear()
    out = np.zeros(array.shape, np.int32)
    ccc.label(array.swapaxes(-1, -3), spatial_dims=3, out=out.reshape(4, 3, 34, 6, 5))
    assert np.shares_memory(seen[0][2], out)


def test_layouts_of_results():
    image = batch_of((2, 3), (5, 6, 34))
    for call in (ccc.label, ccc.keep_largest):
        assert call(image, spatial_dims=3).flags.c_contiguous
        in_fortran_order = fortran_images(image.reshape(6, 5, 6, 34))
        result = call(in_fortran_order, spatial_dims=3)
        assert [stride // result.itemsize for stride in result.strides] == [1020, 1, 5, 30]


@pytest.mark.parametrize("shape", [(3,), (33, 34)])
def test_several_values_in_an_image_give_a_warning(shape):
    single = np.ones((2, 3, *shape), np.uint8)
    single[1, 2] = 2
    several = single.copy()
    several[0, 1].flat[-1] = 5
    for call in (ccc.label, ccc.keep_largest, ccc.component_statistics):
        for image in (single, np.asfortranarray(single)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                call(image, spatial_dims=len(shape))
                call(several, spatial_dims=len(shape), lower=1)
        with pytest.warns(UserWarning, match="several values"):
            call(several, spatial_dims=len(shape))
    with pytest.warns(UserWarning, match="several values"):
        ccc.label(single.reshape(6, -1))


BATCH = np.ones((2, 4, 5, 6), np.uint8)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda: ccc.label(BATCH),
            ValueError,
            "1, 2 or 3 dimensions, not 4: for a batch, pass spatial_dims=3 .* or spatial_dims=2",
        ),
        (lambda: ccc.keep_largest(BATCH), ValueError, "pass spatial_dims=3"),
        (lambda: ccc.remove_small(BATCH, 2), ValueError, "pass spatial_dims=3"),
        (lambda: ccc.component_statistics(BATCH), ValueError, "pass spatial_dims=3"),
        (lambda: ccc.label(BATCH, spatial_dims=4), ValueError, "must be 1, 2, 3 or None, not 4"),
        (lambda: ccc.label(BATCH, spatial_dims=0), ValueError, "must be 1, 2, 3 or None, not 0"),
        (lambda: ccc.label(BATCH, spatial_dims="3"), TypeError, "spatial_dims must be an integer"),
        (lambda: ccc.label(BATCH, spatial_dims=True), TypeError, "spatial_dims must be an integer"),
        (
            lambda: ccc.label(BATCH[0, 0], spatial_dims=3),
            ValueError,
            "spatial_dims=3 is not possible with 2 axes",
        ),
        (lambda: ccc.label(np.uint8(1), spatial_dims=1), ValueError, "not possible with 0 axes"),
        (
            lambda: ccc.label(BATCH, spatial_dims=2, connectivity=3),
            ValueError,
            "connectivity=3 is not possible with 2 dimensions",
        ),
        (
            lambda: ccc.label(BATCH, spatial_dims=3, connectivity=8),
            ValueError,
            "connectivity=8 is not possible with 3 dimensions",
        ),
        (
            lambda: ccc.label(BATCH, spatial_dims=3, mask=BATCH[0]),
            ValueError,
            r"mask has the shape \(4, 5, 6\), and the image \(2, 4, 5, 6\): for one mask of all "
            "images, broadcast it",
        ),
        (
            lambda: ccc.label(BATCH, spatial_dims=3, mask=BATCH[:, 1:]),
            ValueError,
            r"mask has the shape \(2, 3, 5, 6\), and the image \(2, 4, 5, 6\)$",
        ),
        (
            lambda: ccc.label(BATCH, spatial_dims=3, out=np.zeros((4, 5, 6), np.int32)),
            ValueError,
            "out has the shape",
        ),
        (
            lambda: ccc.keep_largest(
                BATCH,
                spatial_dims=3,
                out=as_strided(np.zeros(120, np.uint8), BATCH.shape, (0, 30, 6, 1)),
            ),
            ValueError,
            "elements of out share memory",
        ),
        (
            lambda: ccc.component_statistics(BATCH, spatial_dims=3, spacing=(1, 1, 1, 1)),
            ValueError,
            "spacing has 4 numbers, but the image has 3 axes",
        ),
        (
            lambda: ccc.remove_small(BATCH, 2, spatial_dims=2, spacing=(1, 1, 1)),
            ValueError,
            "spacing has 3 numbers, but the image has 2 axes",
        ),
        (
            lambda: ccc.remove_small(BATCH, 2, spatial_dims=5, spacing=1),
            ValueError,
            "must be 1, 2, 3 or None, not 5",
        ),
        (lambda: ccc.relabel(BATCH), ValueError, "not 4: for a batch, pass spatial_dims=3"),
        (
            lambda: ccc.label(BATCH[..., :1]),
            ValueError,
            r"axes at the end have one element: pass image\[..., 0\], of the shape \(2, 4, 5\); for a "
            "batch, pass spatial_dims=3",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text) as raised:
        call()
    assert raised.type is error


def test_xarray():
    xarray = pytest.importorskip("xarray")
    array = batch_of((2, 3), (7, 34), np.int16)
    image = xarray.DataArray(
        array, dims=("time", "channel", "y", "x"), coords={"time": [1.5, 2.5]}, name="cells"
    )
    labels, counts = ccc.label(image, spatial_dims=2, return_num=True)
    expected, n = ccc.label(array, spatial_dims=2, return_num=True)
    assert labels.dims == image.dims and (labels.time == image.time).all()
    np.testing.assert_array_equal(labels.data, expected)
    np.testing.assert_array_equal(counts, n)
    mask = xarray.DataArray(noise((7, 34), 0.6, 3), dims=("y", "x"))
    with pytest.raises(ValueError, match=r"pass mask.broadcast_like\(image\)"):
        ccc.label(image, spatial_dims=2, mask=mask)
    masked = ccc.label(image, spatial_dims=2, mask=mask.broadcast_like(image))
    expected = ccc.label(array, spatial_dims=2, mask=np.broadcast_to(mask.data, array.shape))
    np.testing.assert_array_equal(masked.data, expected)
    turned = image.transpose("x", "time", "y", "channel")
    labels = ccc.label(turned.transpose("time", "channel", "y", "x"), spatial_dims=2)
    np.testing.assert_array_equal(labels.data, ccc.label(array, spatial_dims=2))
    assert list(ccc.component_statistics(image, spatial_dims=2))[:2] == ["image-0", "image-1"]


def test_physical_images():
    sitk = pytest.importorskip("SimpleITK")
    volume = sitk.GetImageFromArray(noise((4, 5, 6), 0.3, 1))
    np.testing.assert_array_equal(
        sitk.GetArrayFromImage(ccc.label(volume, spatial_dims=3)),
        sitk.GetArrayFromImage(ccc.label(volume)),
    )
    for call in (
        ccc.label,
        ccc.keep_largest,
        ccc.component_statistics,
        lambda image, **options: ccc.remove_small(image, 2, spacing="image", **options),
    ):
        with pytest.raises(ValueError, match="spatial_dims=2 is for arrays.*GetArrayViewFromImage"):
            call(volume, spatial_dims=2)
    series = sitk.JoinSeries([volume, volume])
    with pytest.raises(ValueError, match="not 4: for a batch, pass its array and spatial_dims=3"):
        ccc.label(series)
    labels = ccc.label(sitk.GetArrayViewFromImage(series), spatial_dims=3)
    np.testing.assert_array_equal(labels[1], sitk.GetArrayFromImage(ccc.label(volume)))
