"""component_statistics() of NumPy arrays, compared with scikit-image."""

import numpy as np
import pytest
from conftest import label_by_scipy, noise

import cuda_connected_components as ccc

PROPERTIES = (
    "label",
    "num_pixels",
    "area",
    "bbox",
    "centroid",
    "area_bbox",
    "extent",
    "equivalent_diameter_area",
)


@pytest.mark.parametrize("spacing", [None, 2.0, (0.5, 2, 3)])
@pytest.mark.parametrize("order", "CF")
def test_as_regionprops_table(spacing, order):
    measure = pytest.importorskip("skimage.measure")
    for shape in [(60, 50), (30, 31, 32), (1, 40, 1), (40, 41, 42)]:
        for seed in range(3):
            image = np.asarray(noise(shape, 0.2, seed), order=order)
            distances = spacing[: image.ndim] if isinstance(spacing, tuple) else spacing
            labels = label_by_scipy(image, True)[0]
            expected = measure.regionprops_table(
                labels, properties=PROPERTIES, spacing=1.0 if distances is None else distances
            )
            columns = ccc.component_statistics(image, spacing=distances, properties=PROPERTIES)
            assert list(columns) == list(expected)
            for name, column in columns.items():
                np.testing.assert_allclose(column, expected[name], rtol=1e-12, err_msg=name)
                assert column.dtype.kind == expected[name].dtype.kind, name


def test_the_default_columns():
    columns = ccc.component_statistics(noise((20, 20), 0.3, 1))
    assert list(columns) == [
        "label",
        "area",
        "bbox-0",
        "bbox-1",
        "bbox-2",
        "bbox-3",
        "centroid-0",
        "centroid-1",
    ]


@pytest.mark.parametrize("order", "CF")
def test_touches_border(order):
    image = np.asarray(noise((9, 10, 11), 0.1, 2), order=order)
    labels, count = label_by_scipy(image, True)
    inner = labels[1:-1, 1:-1, 1:-1]
    border = set(labels.ravel()) - {0}
    outside = labels.copy()
    outside[1:-1, 1:-1, 1:-1] = 0
    touching = [label in outside for label in range(1, count + 1)]
    columns = ccc.component_statistics(image, properties="touches_border")
    assert list(columns) == ["touches_border"]
    assert columns["touches_border"].tolist() == touching and any(touching)
    assert inner.any() and border


def test_pandas():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ccc.component_statistics(noise((20, 20), 0.3, 3)))
    assert len(table) == table["label"].max()


def test_limits_and_masks():
    image, mask = noise((40, 41), 0.8, 4), noise((40, 41), 0.7, 5)
    labels, _ = ccc.label(image, lower=50, mask=mask, return_num=True)
    columns = ccc.component_statistics(image, lower=50, mask=mask)
    np.testing.assert_array_equal(columns["area"], np.bincount(labels.ravel())[1:])


def test_one_dimension():
    columns = ccc.component_statistics(
        np.array([1, 1, 0, 1], np.uint8), spacing=0.5, properties=PROPERTIES
    )
    assert columns["area"].tolist() == [1.0, 0.5]
    assert columns["bbox-0"].tolist() == [0, 3] and columns["bbox-1"].tolist() == [2, 4]
    assert columns["centroid-0"].tolist() == [0.25, 1.5]
    assert columns["equivalent_diameter_area"].tolist() == [1.0, 0.5]


def test_any_byte_of_bool_but_0_is_true():
    labels = np.ones((3, 50), np.int32)
    bytes_of_bool = noise((3, 50), 0.5, 3)
    columns = ccc.label_statistics(
        labels, bytes_of_bool.view(bool), properties=["intensity_sum", "intensity_min", "intensity_max"]
    )
    assert bytes_of_bool.max() > 1
    assert columns["intensity_sum"][0] == np.count_nonzero(bytes_of_bool)
    assert (columns["intensity_min"][0], columns["intensity_max"][0]) == (0, 1)
