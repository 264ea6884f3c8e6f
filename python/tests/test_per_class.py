"""Selections, holes and tables of each value, and the drop-ins for nnU-Net and TotalSegmentator.

The oracles are loops over the values with SciPy. Of components of the same size, the first one counts as larger.
"""

import itertools
import math

import numpy as np
import pandas
import pytest
import scipy.ndimage
import skimage.measure
from conftest import DTYPES

import cuda_connected_components as ccc
from cuda_connected_components import _table, cc3d, ndimage, nnunet, totalsegmentator

SEEDS = range(12)


def class_map(seed, dtype=None):
    """Return a random image of classes, and its random generator."""
    random = np.random.default_rng(seed)
    ndim = 1 + seed % 3
    shape = tuple(random.integers(1, (60, 20, 11)[ndim - 1], ndim))
    values = np.array([0, 1, 2, 3, 5, 100])[: random.integers(2, 7)]
    dtype = np.dtype(dtype or DTYPES[seed % len(DTYPES)])
    if seed % 2:
        scores = scipy.ndimage.gaussian_filter(random.random((len(values), *shape)), (0, *[0.7] * ndim))
        image = values[scores.argmax(axis=0)]
    else:
        image = random.choice(values, shape)
    image = image.astype(dtype)
    if dtype.kind == "f":
        image[random.random(shape) < 0.1] = -0.0
        image[random.random(shape) < 0.1] = np.nan
    return np.asarray(image, order=random.choice(["C", "F"]))[..., :: random.choice([1, -1])], random


def values_of(image, background):
    """Return the values of an image but NaN and the background, in the order of their first elements."""
    values, firsts = np.unique(image.ravel()[image.ravel() == image.ravel()] + 0, return_index=True)
    return [value for _, value in sorted(zip(firsts, values)) if background is None or value != background]


def components(mask, rank):
    """Return the labels of SciPy, and their sizes."""
    labels, count = scipy.ndimage.label(mask, scipy.ndimage.generate_binary_structure(mask.ndim, rank))
    return labels, np.bincount(labels.ravel(), minlength=count + 1)[1:]


def select(image, rank, background, choose):
    """Return the components with choose(value, sizes), and the background elsewhere. NaN stays."""
    result = np.full_like(image, background or 0)
    result[image != image] = np.nan if image.dtype.kind == "f" else 0
    for value in values_of(image, background):
        labels, sizes = components(image == value, rank)
        chosen = np.isin(labels, np.flatnonzero(choose(value, sizes)) + 1)
        result[chosen] = image[chosen]
    return result


def largest(sizes, k):
    chosen = np.zeros(len(sizes), bool)
    chosen[np.argsort(-sizes, kind="stable")[:k]] = True
    return chosen


def fill(image, rank, background, overwrite, max_size):
    """Return an image with filled holes. The smallest hole around an element decides."""
    result, smallest = image.copy(), np.full(image.shape, np.inf)
    is_background = np.zeros(image.shape, bool) if background is None else image == background
    at_border = np.zeros(image.shape, bool)
    for axis, length in enumerate(image.shape):
        at_border[(slice(None),) * axis + ([0, -1],)] |= length > 1
    for value in values_of(image, background):
        labels, sizes = components(image != value, rank)
        is_hole = ~np.isin(np.arange(len(sizes) + 1), labels[at_border])
        is_hole[0], sizes = False, np.append(0, sizes)
        chosen = is_hole[labels] & (sizes[labels] < smallest) & (sizes[labels] <= max_size)
        smallest[chosen] = sizes[labels][chosen]
        result[chosen] = np.where(overwrite | is_background, value, image)[chosen]
    return result


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("background", [0, 2, None])
def test_selections_and_holes(seed, background):
    image, random = class_map(seed)
    if background == 2 and image.dtype == bool:
        background = 1
    options = {"by_value": True, "background": background}
    for rank in range(1, image.ndim + 1):
        k, minimum = random.integers(1, 4, 2)
        kept = ccc.keep_largest(image, k=k, connectivity=rank, **options)
        expected = select(image, rank, background, lambda _, sizes: largest(sizes, k))
        np.testing.assert_array_equal(kept, expected)
        assert kept.dtype == image.dtype
        large = ccc.remove_small(image, minimum, connectivity=rank, **options)
        expected = select(image, rank, background, lambda _, sizes: sizes >= minimum)
        if minimum > 1:
            expected[image != image] = background or 0
        np.testing.assert_array_equal(large, expected)
        limits = {1: 3, 5: 10**9, 77: 2, 0.5: 3}
        large = ccc.remove_small(image, limits, connectivity=rank, **options)
        expected = select(image, rank, background, lambda value, sizes: sizes >= limits.get(float(value), 0))
        np.testing.assert_array_equal(large, expected)
        for overwrite, max_size in itertools.product((False, True), (np.inf, 3)):
            filled = ccc.fill_holes(image, connectivity=rank, overwrite=overwrite, max_size=max_size, **options)
            np.testing.assert_array_equal(filled, fill(image, rank, background, overwrite, max_size))


@pytest.mark.parametrize("seed", range(3))
def test_batches_and_images(seed):
    images = np.stack([class_map(3 * seed + 2, np.uint8)[0] for _ in range(2)])
    images[1] = np.random.default_rng(seed).integers(0, 3, images[1].shape)
    for call in (
        lambda image, **o: ccc.keep_largest(image, by_value=True, **o),
        lambda image, **o: ccc.keep_largest(image, k=3, by_value=True, across_values=True, **o),
        lambda image, **o: ccc.remove_small(image, {1: 3, 2: 2}, by_value=True, **o),
        lambda image, **o: ccc.fill_holes(image, by_value=True, overwrite=True, **o),
        lambda image, **o: ccc.fill_holes(image, value=9, **o),
    ):
        for dims in (2, 3):
            found = call(images, spatial_dims=dims)
            for index in np.ndindex(images.shape[:-dims]):
                np.testing.assert_array_equal(found[index], call(images[index]))
        sitk = pytest.importorskip("SimpleITK")
        image = sitk.GetImageFromArray(images[0])
        np.testing.assert_array_equal(sitk.GetArrayFromImage(call(image)), call(images[0]))
        out = images.copy()
        assert call(out, spatial_dims=3, out=out) is out
        np.testing.assert_array_equal(out, call(images, spatial_dims=3))


@pytest.mark.parametrize("seed", SEEDS)
def test_fills_holes_as_scipy(seed):
    image, _ = class_map(seed)
    for rank in range(1, image.ndim + 1):
        structure = scipy.ndimage.generate_binary_structure(image.ndim, rank)
        expected = scipy.ndimage.binary_fill_holes(image, structure)
        filled = ndimage.binary_fill_holes(image, structure)
        np.testing.assert_array_equal(filled, expected)
        assert filled.dtype == bool
        outs = np.empty((2, *image.shape), np.int16)
        assert ndimage.binary_fill_holes(image, structure, outs[0]) is None
        scipy.ndimage.binary_fill_holes(image, structure, outs[1])
        np.testing.assert_array_equal(*outs)
        if 1 not in image.shape:
            filled = ccc.fill_holes(image != 0, connectivity=rank)
            np.testing.assert_array_equal(filled, expected)
    for axes in ((0,), -1, tuple(range(image.ndim))[::-1], (), range(image.ndim), {0}, np.arange(1)):
        expected = scipy.ndimage.binary_fill_holes(image, axes=axes)
        np.testing.assert_array_equal(ndimage.binary_fill_holes(image, axes=axes), expected)
    is_corner = np.arange(3**image.ndim).reshape((3,) * image.ndim) == 0
    for structure in (np.zeros_like(is_corner), is_corner, np.ones((5,) * image.ndim)):
        with pytest.raises(NotImplementedError):
            ndimage.binary_fill_holes(image, structure)
    with pytest.raises(NotImplementedError):
        ndimage.binary_fill_holes(image, origin=1)
    for function in (ndimage.binary_fill_holes, scipy.ndimage.binary_fill_holes):
        filled = function(np.array(0))
        assert type(filled) is np.ndarray and filled.dtype == bool and filled
        with pytest.raises(RuntimeError):
            function(image, origin=(0,) * 4)
        with pytest.raises(TypeError):
            function(np.array(["a", ""]))


@pytest.mark.parametrize("shape", [(1,), (1, 1), (1, 1, 1), (2, 3, 1, 1)])
def test_single_elements_have_no_holes(shape):
    image = np.zeros(shape, np.uint8)
    for value in (0, 1):
        np.testing.assert_array_equal(ccc.fill_holes(image + value, value=5, spatial_dims=min(2, len(shape))), value)


@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_as_regionprops(seed):
    labels, random = class_map(seed, [np.uint8, np.int16, np.int64, np.uint64][seed % 4])
    labels = labels * labels.dtype.type(1 << 50) if labels.itemsize == 8 else labels
    intensities = random.normal(size=labels.shape)
    found = pandas.DataFrame(ccc.label_statistics(labels, intensities, properties=_table.PROPERTIES_OF_LABELS))
    names, dense = np.unique(labels, return_inverse=True)
    dense = dense.reshape(labels.shape) + (names[0] != 0)
    np.testing.assert_array_equal(found["label"], names[names != 0])
    assert found["label"].dtype == labels.dtype
    if found.empty or labels.ndim == 1:
        return
    properties = ("num_pixels", "bbox", "centroid", "area_bbox", "extent", "intensity_mean", "intensity_max", "intensity_std")
    expected = skimage.measure.regionprops_table(dense, intensities, properties=properties)
    for name, column in expected.items():
        np.testing.assert_allclose(found[name], column, rtol=1e-9, atol=1e-12)
    for row, label in enumerate(found["label"]):
        places = np.argwhere(labels == label)
        np.testing.assert_array_equal(found.filter(like="first_element").iloc[row], places[0])
        covariance = np.atleast_2d(np.cov(places.T, bias=True)).ravel()
        np.testing.assert_allclose(found.filter(like="covariance").iloc[row], covariance, atol=1e-9)


def test_statistics_of_batches_and_empty_images():
    labels = np.random.default_rng(1).choice([0, 4, 9, -2], (2, 3, 4, 5))
    found = pandas.DataFrame(ccc.label_statistics(labels, spatial_dims=2, background=None))
    for (i, j), part in found.groupby(["image-0", "image-1"]):
        expected = pandas.DataFrame(ccc.label_statistics(labels[i, j], background=None))
        pandas.testing.assert_frame_equal(part[expected.columns].reset_index(drop=True), expected)
    assert len(ccc.label_statistics(np.zeros((0, 3), int))["label"]) == 0
    assert len(ccc.label_statistics(np.zeros((3, 3), int))["label"]) == 0
    sitk = pytest.importorskip("SimpleITK")
    physical = sitk.GetImageFromArray(labels[0].astype(np.int32))
    physical.SetSpacing((2, 3, 4))
    found = ccc.label_statistics(physical, physical, spacing="image", properties=("area", "covariance", "intensity_min"))
    assert list(found["intensity_min"]) == [-2, 4, 9] and found["area"].sum() == 24 * np.count_nonzero(labels[0])
    found = pandas.DataFrame(ccc.label_statistics(physical, properties=("label", "first_element")))
    first = np.argwhere(labels[0] == 9)[0][::-1]
    np.testing.assert_array_equal(found[found["label"] == 9].filter(like="first").iloc[0], first)
    other = sitk.Image(physical)
    other.SetOrigin((1, 0, 0))
    with pytest.raises(ValueError, match="intensities does not occupy the physical space"):
        ccc.label_statistics(physical, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_nnunet(seed):
    image, _ = class_map(seed)
    before = image.copy()
    for regions in (1, (1, 2), [1, (2, 5)], [1, np.array([2, 5])], [7], list(range(1, 60))):
        flat = np.hstack([np.atleast_1d(region) for region in (regions if isinstance(regions, list) else [regions])])
        mask = np.isin(image, flat)
        labels, sizes = components(mask, image.ndim)
        kept = np.isin(labels, np.flatnonzero(sizes == sizes.max(initial=0)) + 1)
        expected = np.where(mask & ~kept, np.zeros((), image.dtype), image)
        found = nnunet.remove_all_but_largest_component_from_segmentation(image, regions)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(image, before)
        found = nnunet.remove_all_but_largest_component_from_segmentation(image, regions, 1)
        np.testing.assert_array_equal(found, np.where(mask & ~kept, np.ones((), image.dtype), image))


@pytest.mark.parametrize("others", [[], range(1, 40), [1.5, *range(1, 40)]])
def test_nnunet_compares_labels_as_numpy(others):
    call = nnunet.remove_all_but_largest_component_from_segmentation
    for dtype in (np.int64, np.uint64):
        image = np.array([2**60 + 1, 0, 2**60, 2**60, 0, 2**60], dtype)
        expected = np.array([2**60 + 1, 0, 2**60, 2**60, 0, 0], dtype)
        np.testing.assert_array_equal(call(image, [2**60, *others]), expected)
    image = np.array([0.1, 0, 0.1, 0.1], np.float32)
    np.testing.assert_array_equal(call(image, [0.1, *others]), np.array([0, 0, 0.1, 0.1], np.float32))


def test_nnunet_takes_many_labels_of_other_libraries():
    image = np.random.default_rng(2).choice(6, (5, 6, 7)).astype(np.float32)
    call = nnunet.remove_all_but_largest_component_from_segmentation
    expected = call(image, [1, 2])
    many = [1, 2, *range(100, 150)]
    sitk = pytest.importorskip("SimpleITK")
    np.testing.assert_array_equal(sitk.GetArrayFromImage(call(sitk.GetImageFromArray(image), many)), expected)
    torch = pytest.importorskip("torch")
    for dtype in (torch.int16, torch.bfloat16):
        np.testing.assert_array_equal(call(torch.from_numpy(image).to(dtype), many).float(), expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_totalsegmentator(seed):
    image, _ = class_map(seed)
    names = {1: "one", 2: "two", 5: "five", 9: "nine"}
    for rois in ([], ["one"], ["five", "two", "nine"]):
        ids = [label for label, name in names.items() if name in rois]
        expected = select(
            image, 1, None, lambda value, sizes: largest(sizes, 1) if value in ids else np.ones(len(sizes), bool)
        )
        data = image.copy(order="K")
        assert totalsegmentator.keep_largest_blob_multilabel(data, names, rois) is data
        np.testing.assert_array_equal(data, expected)
        for lower, upper in ((2, 10), (0.5, 1e10), (-1, np.inf), (3, -1), (np.inf, np.inf)):
            data = image.copy(order="K")
            totalsegmentator.remove_small_blobs_multilabel(data, names, rois, [lower, upper])
            expected = select(
                image, 1, None, lambda value, sizes: (sizes > lower) & (sizes <= upper) | (value not in ids)
            )
            np.testing.assert_array_equal(data, expected)
        data = image.copy(order="K")
        totalsegmentator.remove_small_blobs_multilabel(data, names, rois, [np.nan, np.nan])
        np.testing.assert_array_equal(data, image)
    data = image.copy(order="K")
    totalsegmentator.keep_largest_blob_multilabel(data, {"1": "text", np.nan: "nan"}, ["text", "nan"])
    np.testing.assert_array_equal(data, image)
    with pytest.raises(KeyError, match="liver"):
        totalsegmentator.keep_largest_blob_multilabel(image, names, ["liver"])


def test_dust_of_values():
    original = pytest.importorskip("cc3d")
    for seed in range(1, 12, 3):
        image = class_map(seed, np.int32)[0]
        for threshold, invert, in_place in itertools.product((0, 3, (2, 6), (0, 0)), (False, True), (False, True)):
            ours, theirs = image.copy(order="K"), image.copy(order="K")
            found = cc3d.dust(ours, threshold, 8, in_place=in_place, invert=invert)
            np.testing.assert_array_equal(
                found, original.dust(theirs, threshold, connectivity=8, in_place=in_place, invert=invert)
            )
            assert (found is ours) == in_place


def test_errors():
    image = np.ones((3, 3), np.uint8)
    for call, text in (
        (lambda: ccc.keep_largest(image, across_values=True), "across_values needs by_value"),
        (lambda: ccc.keep_largest(image, k=0, by_value=True), "k must be at least 1"),
        (lambda: ccc.keep_largest(image, background=1), "background needs by_value"),
        (lambda: ccc.remove_small(image, {1: 2}), "needs by_value=True"),
        (lambda: ccc.remove_small(image, {1: -2}, by_value=True), "min_size must be a number from 0"),
        (lambda: ccc.fill_holes(image, overwrite=True), "overwrite needs by_value"),
        (lambda: ccc.fill_holes(image, value=3, by_value=True), "value is for masks"),
        (lambda: ccc.fill_holes(image, by_value=True, lower=1), "lower and upper are for masks"),
        (lambda: ccc.fill_holes(image, lower=1, upper=2), "lower and upper need value"),
        (lambda: ccc.fill_holes(image, value=300), "300"),
        (lambda: ccc.fill_holes(image.astype(np.float32), value=10**400), "value is beyond all floating-point"),
        (lambda: ccc.fill_holes(image.astype(np.float32), value=1e39), "no pixel of the type Float has the value"),
        (lambda: ccc.relabel(image, order=np.array([1, 2])), "order must be"),
        (lambda: cc3d.dust(image, np.nan), "threshold must not be NaN"),
        (lambda: ccc.fill_holes(image, max_size=-1), "max_size must be a number from 0"),
        (lambda: ccc.label_statistics(image, properties=("intensity_mean",)), "pass intensities="),
        (lambda: ccc.label_statistics(image, properties=("value",)), "is not a property"),
        (lambda: ccc.label_statistics(image, image[:2]), "the intensities have the shape"),
        (lambda: ccc.label_statistics(image, background=300), "background=300 is not possible"),
        (lambda: ccc.fill_holes(image, by_value=True, background=0.5), "background=0.5 is not possible"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    for call in (
        lambda: ccc.label_statistics(image.astype(float)),
        lambda: ccc.label_statistics(image, image.astype(np.float16)),
        lambda: ccc.fill_holes(image, value="1"),
        lambda: ccc.remove_small(image, {None: 3}, by_value=True),
        lambda: nnunet.remove_all_but_largest_component_from_segmentation(image, 1, None),
    ):
        with pytest.raises(TypeError, match="must be a number|are integers|intensities are"):
            call()


def test_infinite_sizes_and_other_zeros():
    image = np.array([[1, 2, 0], [1, 0, 2]])
    np.testing.assert_array_equal(ccc.remove_small(image != 0, np.inf), False)
    np.testing.assert_array_equal(ccc.remove_small(image, {1: math.inf}, by_value=True), [[0, 2, 0], [0, 0, 2]])
    for zero in (0.0, np.int64(0), False):
        np.testing.assert_array_equal(ccc.keep_largest(image != 0, background=zero), image != 0)
        np.testing.assert_array_equal(
            ccc.keep_largest(image, by_value=True, background=zero, lower=1, upper=1), [[1, 0, 0], [1, 0, 0]]
        )
    np.testing.assert_array_equal(cc3d.largest_k(image, np.int64(2), 4), cc3d.largest_k(image, 2, 4))
