"""select_at_seeds(): the region that ITK's ConnectedThresholdImageFilter grows."""

import numpy as np
import pytest

import cuda_connected_components as ccc


def levels(shape, seed=1):
    """Return an image of noise with values from -50 to 50."""
    return np.random.default_rng(seed).integers(-50, 51, shape).astype(np.int16)


def simple_itk_image(array):
    sitk = pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(array)
    image.SetSpacing([0.5, 0.75, 2.0][: array.ndim])
    image.SetOrigin([10.0, -20.0, 30.0][: array.ndim])
    if array.ndim == 3:
        image.SetDirection([0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    return image


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(70, 60), (30, 31, 32)])
def test_simple_itk(shape, full):
    sitk = pytest.importorskip("SimpleITK")
    array = levels(shape)
    image = simple_itk_image(array)
    seeds = [[int(i) for i in np.argwhere(array < 0)[place][::-1]] for place in (0, 900)]
    expected = sitk.GetArrayFromImage(
        sitk.ConnectedThreshold(
            image,
            seeds,
            lower=-30.0,
            upper=20.0,
            connectivity=sitk.ConnectedThresholdImageFilter.FullConnectivity
            if full
            else sitk.ConnectedThresholdImageFilter.FaceConnectivity,
        )
    )
    settings = {"lower": -30, "upper": 20, "connectivity": None if full else 1}
    region = ccc.select_at_seeds(image, seeds, **settings)
    assert region.GetPixelID() == sitk.sitkUInt8
    assert region.GetOrigin() == image.GetOrigin()
    assert 0 < expected.sum() < expected.size
    np.testing.assert_array_equal(sitk.GetArrayFromImage(region) > 0, expected > 0)
    # Physical points near the centers of the pixels, and arrays with their own order of axes.
    points = [np.add(image.TransformIndexToPhysicalPoint(seed), 0.2) for seed in seeds]
    region = ccc.select_at_seeds(image, points, spacing="image", **settings)
    np.testing.assert_array_equal(sitk.GetArrayFromImage(region) > 0, expected > 0)
    for order in "CF":
        region, count = ccc.select_at_seeds(
            np.asarray(array, order=order), [seed[::-1] for seed in seeds], return_num=True, **settings
        )
        assert region.dtype == np.uint8
        assert count == region.max() <= 2
        np.testing.assert_array_equal(region > 0, expected > 0)


@pytest.mark.parametrize("library", ["SimpleITK", "itk"])
def test_points_between_pixels(library):
    pytest.importorskip(library)
    array = np.zeros((1, 64), np.uint8)
    array[0, ::2] = 1
    if library == "itk":
        import itk

        image = itk.image_from_array(array)
    else:
        image = simple_itk_image(array)
    image.SetSpacing([0.1, 0.1])
    image.SetOrigin([0.0, 0.0])
    places = [(x + 0.5) * 0.1 for x in range(63)]
    assert any(np.floor(place / 0.1 + 0.5) != np.floor(place * 10 + 0.5) for place in places)
    for place in places:
        index = image.TransformPhysicalPointToIndex([place, 0.0])
        region = ccc.select_at_seeds(image, [place, 0.0], spacing="image")
        assert np.asarray(region).any() == (index[0] % 2 == 0), place


def test_itk_index():
    itk = pytest.importorskip("itk")
    array = np.zeros((4, 5), np.uint8)
    array[1, 2:4] = 7
    image = itk.image_from_array(array)
    region = image.GetLargestPossibleRegion()
    region.SetIndex([10, 20])
    image.SetRegions(region)
    result = ccc.select_at_seeds(image, [12, 21])
    np.testing.assert_array_equal(itk.array_from_image(result), array > 0)
    for seed in ([2, 1], [12, 99]):
        with pytest.raises(ValueError, match=r"lies outside the image, whose indices are \[10, 20\] to \[14, 23\]"):
            ccc.select_at_seeds(image, seed)


def test_arrays():
    image = np.array([[30, 31, 0, 33], [90, 32, 0, 34]])
    np.testing.assert_array_equal(
        ccc.select_at_seeds(image, [(0, 0), (1, 3), (0, 3)], lower=25, upper=40),
        [[1, 1, 0, 2], [0, 1, 0, 2]],
    )
    # A seed in the background, and points in mm.
    assert not ccc.select_at_seeds(image, (0, 2)).any()
    np.testing.assert_array_equal(
        ccc.select_at_seeds(image, (2.1, 9.5), spacing=(2, 3)), [[0, 0, 0, 1], [0, 0, 0, 1]]
    )
    batch = np.stack([image, image[:, ::-1]])
    region, counts = ccc.select_at_seeds(batch, (0, 0), spatial_dims=2, return_num=True)
    assert counts.tolist() == [1, 1]
    np.testing.assert_array_equal(region, [[[1, 1, 0, 0]] * 2, [[1, 0, 0, 0]] * 2])
    assert ccc.select_at_seeds(np.ones((0, 4), bool), (0, 1)).shape == (0, 4)
    with pytest.raises(ValueError, match="outside"):
        ccc.select_at_seeds(np.ones((0, 4), bool), (0, -1))
    many = ccc.select_at_seeds(np.eye(300, dtype=bool), ((i, i) for i in range(300)), connectivity=1)
    assert many.dtype == np.int32
    assert many.max() == 300


@pytest.mark.parametrize(
    "seeds, settings, error, text",
    [
        ([], {}, ValueError, "points of 2 numbers"),
        ((1, 2, 3), {}, ValueError, "points of 2 numbers"),
        ((0.5, 1), {}, TypeError, "pass spacing"),
        ((0, 6), {}, ValueError, r"the seed \[0, 6\] lies outside the image, whose indices are \[0, 0\] to \[2, 3\]"),
        ((0, -1), {}, ValueError, "outside"),
        ((80.0, 0), {"spacing": 10}, ValueError, r"the seed \[80.0, 0.0\] lies outside the image, whose indices"),
        ((np.nan, 0), {"spacing": 1}, ValueError, "finite"),
        ((0, 0), {"spacing": "image"}, ValueError, "itk"),
        (("a", "b"), {}, TypeError, "numbers"),
    ],
)
def test_errors(seeds, settings, error, text):
    with pytest.raises(error, match=text):
        ccc.select_at_seeds(np.ones((3, 4), bool), seeds, **settings)
