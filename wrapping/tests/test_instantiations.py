# SPDX-License-Identifier: Apache-2.0
"""Each instantiation of each filter, compared with ITK's own filter for the same types."""

import itk
import numpy as np
import pytest
from conftest import assert_same, blobs, image_of, shape_of, updated

# The filters, and ITK's filters that are their oracles.
ORACLES = {
    "CudaConnectedComponentImageFilter": "ConnectedComponentImageFilter",
    "CudaRelabelComponentImageFilter": "RelabelComponentImageFilter",
    "CudaBinaryImageToLabelMapFilter": "BinaryImageToLabelMapFilter",
    "CudaBinaryFillholeImageFilter": "BinaryFillholeImageFilter",
    "CudaBinaryKeepNObjectsImageFilter": "BinaryShapeKeepNObjectsImageFilter",
    "CudaBinaryShapeKeepNObjectsImageFilter": "BinaryShapeKeepNObjectsImageFilter",
    "CudaBinaryShapeOpeningImageFilter": "BinaryShapeOpeningImageFilter",
    "CudaBinaryGrindPeakImageFilter": "BinaryGrindPeakImageFilter",
    "CudaLabelImageToLabelMapFilter": "LabelImageToLabelMapFilter",
    "CudaConnectedThresholdImageFilter": "ConnectedThresholdImageFilter",
    "CudaIsolatedConnectedImageFilter": "IsolatedConnectedImageFilter",
    "CudaThresholdMaximumConnectedComponentsImageFilter": "ThresholdMaximumConnectedComponentsImageFilter",
}
MASK_VALUES = {"ForegroundValue": 1, "BackgroundValue": 0}


def instantiations(name):
    """Return the test parameters of a filter: the filter and the oracle of each instantiation."""
    ours, oracle = getattr(itk, name), getattr(itk, ORACLES[name])
    return pytest.mark.parametrize(
        "ours, oracle",
        [pytest.param(ours[key], oracle[key], id=ours[key].__name__) for key in ours.keys()],
    )


def input_type(filter_type):
    return itk.template(filter_type)[1][0]


def random_mask(rng, filter_type, density=0.25):
    image_type = input_type(filter_type)
    return image_of(blobs(rng, shape_of(image_type), density), image_type)


def both(ours, oracle, image, **settings):
    """Run both filters. Return the filters."""
    expected = updated(oracle, image, **settings)
    # No test registers the factory.
    assert not expected.GetNameOfClass().startswith("Cuda")
    return updated(ours, image, **settings), expected


@pytest.mark.parametrize("name", ORACLES)
def test_all_types_of_itk_are_wrapped(name):
    types = set(getattr(itk, name).keys())
    assert types
    assert types == set(getattr(itk, ORACLES[name]).keys())


@pytest.mark.parametrize("full", [False, True])
@instantiations("CudaConnectedComponentImageFilter")
def test_labels(ours, oracle, full, rng):
    actual, expected = both(ours, oracle, random_mask(rng, ours), FullyConnected=full)
    assert_same(actual.GetOutput(), expected.GetOutput())
    assert actual.GetObjectCount() == expected.GetObjectCount() > 0


def random_labels(rng, filter_type):
    shape = shape_of(input_type(filter_type))
    return image_of(blobs(rng, shape, 0.4) * rng.geometric(0.5, shape).clip(max=8), input_type(filter_type))


@instantiations("CudaRelabelComponentImageFilter")
def test_relabel(ours, oracle, rng):
    actual, expected = both(ours, oracle, random_labels(rng, ours), MinimumObjectSize=700)
    assert_same(actual.GetOutput(), expected.GetOutput())
    assert actual.GetNumberOfObjects() == expected.GetNumberOfObjects() > 0
    assert actual.GetSizeOfObjectsInPixels() == expected.GetSizeOfObjectsInPixels()
    assert actual.GetSizeOfObjectInPixels(1) == expected.GetSizeOfObjectInPixels(1) > 0


def lines_of(label_map):
    """Return the label of each object, with the index and the length of each of its lines."""
    return [
        (
            item.GetLabel(),
            [
                (tuple(item.GetLine(i).GetIndex()), item.GetLine(i).GetLength())
                for i in range(item.GetNumberOfLines())
            ],
        )
        for item in label_map
    ]


@instantiations("CudaBinaryImageToLabelMapFilter")
def test_label_map(ours, oracle, rng):
    actual, expected = both(ours, oracle, random_mask(rng, ours), InputForegroundValue=1)
    assert len(actual.GetOutput()) == actual.GetNumberOfObjects() > 0
    assert lines_of(actual.GetOutput()) == lines_of(expected.GetOutput())


@pytest.mark.parametrize("background", [0, 3])
@instantiations("CudaLabelImageToLabelMapFilter")
def test_label_map_of_labels(ours, oracle, background, rng):
    actual, expected = both(ours, oracle, random_labels(rng, ours), BackgroundValue=background)
    assert len(actual.GetOutput()) > 1
    assert lines_of(actual.GetOutput()) == lines_of(expected.GetOutput())


@pytest.mark.parametrize("full", [False, True])
@instantiations("CudaBinaryFillholeImageFilter")
def test_fill_holes(ours, oracle, full, rng):
    image = random_mask(rng, ours, 0.6)
    actual, expected = both(ours, oracle, image, ForegroundValue=1, FullyConnected=full)
    assert_same(actual.GetOutput(), expected.GetOutput())


@instantiations("CudaBinaryKeepNObjectsImageFilter")
def test_keep_largest(ours, oracle, rng):
    actual, expected = both(ours, oracle, random_mask(rng, ours), NumberOfObjects=2, **MASK_VALUES)
    assert_same(actual.GetOutput(), expected.GetOutput())
    assert np.any(actual.GetOutput())


@pytest.mark.parametrize("attribute", ["NumberOfPixels", "PhysicalSize", "Roundness"])
@instantiations("CudaBinaryShapeKeepNObjectsImageFilter")
def test_keep_by_shape(ours, oracle, attribute, rng):
    settings = {"NumberOfObjects": 2, "Attribute": attribute, **MASK_VALUES}
    actual, expected = both(ours, oracle, random_mask(rng, ours), **settings)
    assert_same(actual.GetOutput(), expected.GetOutput())
    assert np.any(actual.GetOutput())


@pytest.mark.parametrize("attribute", ["NumberOfPixels", "Roundness"])
@instantiations("CudaBinaryShapeOpeningImageFilter")
def test_opening(ours, oracle, attribute, rng):
    settings = {"Attribute": attribute, "Lambda": 300 if attribute == "NumberOfPixels" else 0.7, **MASK_VALUES}
    actual, expected = both(ours, oracle, random_mask(rng, ours), **settings)
    assert_same(actual.GetOutput(), expected.GetOutput())


@pytest.mark.parametrize("full", [False, True])
@instantiations("CudaBinaryGrindPeakImageFilter")
def test_grind_peaks(ours, oracle, full, rng):
    actual, expected = both(ours, oracle, random_mask(rng, ours), FullyConnected=full, **MASK_VALUES)
    assert_same(actual.GetOutput(), expected.GetOutput())


def random_levels(rng, filter_type):
    """Return an image of blocks with values from 0 to 100."""
    shape = shape_of(input_type(filter_type))
    levels = sum(blobs(rng, shape, 0.3).astype(int) * level for level in (40, 30, 20, 10))
    return image_of(levels, input_type(filter_type))


@pytest.mark.parametrize("full", [False, True])
@instantiations("CudaConnectedThresholdImageFilter")
def test_grow_region(ours, oracle, full, rng):
    image = random_levels(rng, ours)
    start = np.argwhere(np.asarray(image) >= 40)[0]
    settings = {"Lower": 40, "Upper": 90, "ReplaceValue": 2, "Connectivity": int(full)}
    filters = [template.New(image, **settings) for template in (ours, oracle)]
    for process in filters:
        process.AddSeed([int(i) for i in start[::-1]])
        process.Update()
    assert_same(filters[0].GetOutput(), filters[1].GetOutput())
    assert np.any(filters[0].GetOutput())


@instantiations("CudaIsolatedConnectedImageFilter")
def test_isolate(ours, oracle, rng):
    image = random_levels(rng, ours)
    high = np.argwhere(np.asarray(image) >= 30)
    filters = [template.New(image, Upper=100, FindUpperThreshold=False) for template in (ours, oracle)]
    for process in filters:
        process.AddSeed1([int(i) for i in high[0][::-1]])
        process.AddSeed2([int(i) for i in high[-1][::-1]])
        process.Update()
    assert_same(filters[0].GetOutput(), filters[1].GetOutput())
    assert filters[0].GetIsolatedValue() == filters[1].GetIsolatedValue()
    assert filters[0].GetThresholdingFailed() == filters[1].GetThresholdingFailed()


@instantiations("CudaThresholdMaximumConnectedComponentsImageFilter")
def test_threshold_with_the_most_objects(ours, oracle, rng):
    actual, expected = both(ours, oracle, random_levels(rng, ours), MinimumObjectSizeInPixels=3)
    assert_same(actual.GetOutput(), expected.GetOutput())
    assert actual.GetNumberOfObjects() == expected.GetNumberOfObjects() > 0
    assert actual.GetThresholdValue() == expected.GetThresholdValue()
