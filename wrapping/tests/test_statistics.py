# SPDX-License-Identifier: Apache-2.0
"""Statistics and other results of the filters, and the classes that are no filters."""

import gc

import itk
import numpy as np
import pytest
from conftest import blobs, image_of, updated


@pytest.fixture
def measured(mask):
    """A filter that has computed statistics."""
    return updated(itk.CudaConnectedComponentImageFilter, mask, ComputeStatistics=True)


def shapes_of_itk(labels):
    """Return ITK's shape object of each label."""
    image = image_of(itk.array_from_image(labels).astype(np.uint8))
    image.CopyInformation(labels)
    label_map = updated(itk.LabelImageToShapeLabelMapFilter, image).GetOutput()
    return {item.GetLabel(): item for item in label_map}


def test_statistics_equal_the_shapes_of_itk(measured):
    statistics = measured.GetStatistics()
    expected = shapes_of_itk(measured.GetOutput())
    assert list(statistics.GetLabels()) == sorted(expected)
    assert statistics.GetNumberOfObjects() == len(expected) > 1
    for label, shape in expected.items():
        assert statistics.HasLabel(label)
        assert statistics.GetNumberOfPixels(label) == shape.GetNumberOfPixels()
        assert statistics.GetPhysicalSize(label) == pytest.approx(shape.GetPhysicalSize())
        assert list(statistics.GetCentroid(label)) == pytest.approx(list(shape.GetCentroid()))
        box, itks_box = statistics.GetBoundingBox(label), shape.GetBoundingBox()
        assert list(box.GetIndex()) == list(itks_box.GetIndex())
        assert list(box.GetSize()) == list(itks_box.GetSize())
        moments = list(statistics.GetPrincipalMoments(label))
        assert moments == pytest.approx(list(shape.GetPrincipalMoments()), abs=1e-9)
        assert statistics.GetEquivalentSphericalRadius(label) == pytest.approx(shape.GetEquivalentSphericalRadius())
        axes = itk.array_from_matrix(statistics.GetPrincipalAxes(label))
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)


def test_intensities_equal_numpy(measured, rng):
    values = rng.normal(size=(34, 28, 25)).astype(np.float32)
    intensities = image_of(values)
    measured.SetIntensityImage(intensities)
    measured.Update()
    statistics = measured.GetStatistics()
    assert statistics.HasIntensities()
    labels = itk.array_view_from_image(measured.GetOutput())
    for label in statistics.GetLabels():
        inside = values[labels == label].astype(np.float64)
        assert statistics.GetMinimum(label) == inside.min()
        assert statistics.GetMaximum(label) == inside.max()
        assert statistics.GetMean(label) == pytest.approx(inside.mean())
        assert statistics.GetVariance(label) == pytest.approx(inside.var(ddof=1))


def test_statistics_outlive_the_filter(mask):
    def centroid():
        process = updated(itk.CudaConnectedComponentImageFilter, mask, ComputeStatistics=True)
        return list(process.GetStatistics().GetCentroid(1)), process.GetStatistics()

    expected, statistics = centroid()
    point, box = statistics.GetCentroid(1), statistics.GetBoundingBox(1)
    size = list(box.GetSize())
    del statistics
    gc.collect()
    updated(itk.CudaConnectedComponentImageFilter, mask, ComputeStatistics=True)  # uses the memory again
    assert list(point) == expected
    assert list(box.GetSize()) == size


def test_the_next_update_does_not_change_statistics(measured, rng):
    statistics = measured.GetStatistics()
    count = statistics.GetNumberOfObjects()
    measured.SetInput(image_of(np.zeros((5, 5, 5), np.uint8)))
    measured.Update()
    assert measured.GetStatistics().GetNumberOfObjects() == 0
    assert statistics.GetNumberOfObjects() == count


def test_an_unknown_label_is_an_error_with_the_label(measured):
    with pytest.raises(RuntimeError, match="4711"):
        measured.GetStatistics().GetCentroid(4711)


def test_sizes_are_tuples_that_outlive_the_filter(mask):
    def sizes():
        process = updated(itk.CudaConnectedComponentImageFilter, mask, SortByObjectSize=True)
        return process.GetSizeOfObjectsInPixels(), process.GetSizeOfObjectsInPhysicalUnits(), process.GetOutput()

    pixels, physical, labels = sizes()
    gc.collect()
    counts = np.bincount(itk.array_view_from_image(labels).ravel())[1:]
    assert list(pixels) == list(counts) == sorted(counts, reverse=True)
    assert list(physical) == pytest.approx([n * 0.5 * 0.75 * 2.5 for n in counts])


def test_enumerations(mask):
    enums = itk.CudaConnectedComponentsEnums
    process = itk.CudaConnectedComponentImageFilter.New(mask)
    assert process.GetAlgorithm() == enums.Algorithm_Automatic
    assert process.GetBackendUsed() == enums.Backend_Unknown
    process.SetAlgorithm(enums.Algorithm_RunUnionFind)
    process.GPUEnabledOff()
    process.Update()
    assert process.GetAlgorithm() == enums.Algorithm_RunUnionFind
    assert process.GetBackendUsed() == enums.Backend_CPU
    assert process.GetFallbackReason() == ""
    names = ["Automatic", "BlockUnionFind", "BlockKomuraEquivalence", "RunUnionFind", "HardwareAccelerated"]
    assert [getattr(enums, f"Algorithm_{name}") for name in names] == [0, 1, 2, 3, 4]
    assert [getattr(enums, f"Backend_{name}") for name in ("Unknown", "CUDA", "CPU", "ITK")] == [0, 1, 2, 3]
    assert enums.PixelType_BFloat16 == 12
    assert enums.Output_MaskBits == 4


def test_labeler_tells_whether_there_is_a_device(mask):
    labeler = itk.CudaConnectedComponentLabeler()
    process = itk.CudaConnectedComponentImageFilter.New(mask, CPUFallback=False)
    try:
        labeler.RequireDevice()
    except RuntimeError as error:
        with pytest.raises(RuntimeError) as failure:
            process.Update()
        assert str(error) in str(failure.value)
        assert process.GetBackendUsed() == itk.CudaConnectedComponentsEnums.Backend_Unknown
    else:
        process.Update()
        assert process.GetBackendUsed() == itk.CudaConnectedComponentsEnums.Backend_CUDA
    itk.CudaConnectedComponentLabeler.TrimMemory()
    assert not hasattr(labeler, "Label")  # needs pixels in memory: doc/wrapping.md


def test_statistics_of_no_filter():
    assert itk.CudaConnectedComponentStatistics[3]().GetNumberOfObjects() == 0
    assert itk.CudaConnectedComponentStatistics[2]().GetLabels() == ()


def test_planes(rng):
    plane = image_of(blobs(rng, (170, 130)).astype(np.uint8))
    statistics = updated(itk.CudaConnectedComponentImageFilter, plane, ComputeStatistics=True).GetStatistics()
    assert len(statistics.GetCentroid(1)) == len(statistics.GetBoundingBox(1).GetSize()) == 2
