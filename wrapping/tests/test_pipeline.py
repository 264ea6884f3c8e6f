# SPDX-License-Identifier: Apache-2.0
"""The filters as process objects in a pipeline of ITK."""

import gc

import itk
import numpy as np
import pytest
from conftest import assert_same, blobs, image_of, updated

Filter = itk.CudaConnectedComponentImageFilter


def labels_of_itk(image, **settings):
    return updated(itk.ConnectedComponentImageFilter, image, **settings).GetOutput()


def test_pipeline_between_two_filters(rng):
    values = image_of((rng.random((34, 28, 25)) * 200).astype(np.uint8))
    threshold = itk.BinaryThresholdImageFilter.New(values, LowerThreshold=150, InsideValue=1)
    labeling = Filter.New(threshold, FullyConnected=True)
    relabeling = itk.RelabelComponentImageFilter.New(labeling)
    for lower in (150, 190):
        threshold.SetLowerThreshold(lower)
        relabeling.Update()
        expected = labels_of_itk(threshold.GetOutput(), FullyConnected=True)
        assert_same(labeling.GetOutput(), expected)
        assert_same(relabeling.GetOutput(), updated(itk.RelabelComponentImageFilter, expected).GetOutput())
    # Nothing has changed, so nothing runs.
    ends = []
    labeling.AddObserver(itk.EndEvent(), lambda: ends.append(1))
    relabeling.Update()
    assert not ends
    labeling.SetBackgroundValue(7)
    relabeling.Update()
    assert ends == [1]


def test_mask_image(mask, rng):
    inside = image_of(blobs(rng, (34, 28, 25), 0.7).astype(np.uint8))
    actual = updated(Filter, mask, MaskImage=inside).GetOutput()
    assert_same(actual, labels_of_itk(mask, MaskImage=inside))


def test_numpy_view_of_the_input(rng):
    array = blobs(rng, (34, 28, 25)).astype(np.uint8)
    view = itk.image_view_from_array(array)
    process = updated(Filter, view)
    assert_same(process.GetOutput(), labels_of_itk(view))
    array[...] = 1
    view.Modified()
    process.Update()
    assert process.GetObjectCount() == 1


def test_numpy_view_of_the_output(mask):
    output = updated(Filter, mask).GetOutput()
    view = itk.array_view_from_image(output)
    view[0, 0, 0] = 77
    assert output.GetPixel([0, 0, 0]) == 77
    np.testing.assert_array_equal(itk.array_from_image(output), view)


def test_snake_case_function_with_an_image(mask):
    labels = itk.cuda_connected_component_image_filter(mask, fully_connected=True, background_value=3)
    assert_same(labels, labels_of_itk(mask, FullyConnected=True, BackgroundValue=3))
    signed = (type(mask), itk.Image[itk.SS, 3])
    labels = itk.cuda_connected_component_image_filter(mask, ttype=signed)
    assert isinstance(labels, itk.Image[itk.SS, 3])


def test_snake_case_function_with_an_array(mask):
    array = itk.array_from_image(mask)
    labels = itk.cuda_connected_component_image_filter(array, fully_connected=True)
    assert isinstance(labels, np.ndarray)
    np.testing.assert_array_equal(labels, labels_of_itk(mask, FullyConnected=True))


def test_snake_case_functions_of_the_other_filters(mask):
    labels = labels_of_itk(mask)
    assert_same(
        itk.cuda_relabel_component_image_filter(labels, minimum_object_size=300),
        itk.relabel_component_image_filter(labels, minimum_object_size=300),
    )
    assert_same(
        itk.cuda_binary_fillhole_image_filter(mask, foreground_value=1),
        itk.binary_fillhole_image_filter(mask, foreground_value=1),
    )
    values = {"foreground_value": 1, "background_value": 0, "number_of_objects": 1}
    largest = itk.binary_shape_keep_n_objects_image_filter(mask, **values)
    assert_same(itk.cuda_binary_keep_n_objects_image_filter(mask, **values), largest)
    assert_same(itk.cuda_binary_shape_keep_n_objects_image_filter(mask, **values), largest)
    assert len(itk.cuda_binary_image_to_label_map_filter(mask, input_foreground_value=1)) > 0
    # The parent of the filters is no filter.
    assert not hasattr(itk, "cuda_connected_components_filter")


def test_largest_object(mask):
    largest = itk.cuda_connected_component_image_filter(mask, number_of_objects_to_keep=1)
    expected = itk.array_view_from_image(itk.relabel_component_image_filter(labels_of_itk(mask))) == 1
    np.testing.assert_array_equal(itk.array_view_from_image(largest), expected)


def test_observers_and_progress(mask):
    process = Filter.New(mask)
    events, progress = [], []
    process.AddObserver(itk.StartEvent(), lambda: events.append("start"))
    process.AddObserver(itk.EndEvent(), lambda: events.append("end"))
    process.AddObserver(itk.ProgressEvent(), lambda: progress.append(process.GetProgress()))
    process.Update()
    assert events == ["start", "end"]
    assert progress == sorted(progress)
    assert len(progress) > 1
    assert progress[-1] == 1.0


def test_abort(mask):
    process = Filter.New(mask)
    tag = process.AddObserver(itk.ProgressEvent(), lambda: process.AbortGenerateDataOn())
    with pytest.raises(RuntimeError, match="Object CudaConnectedComponentImageFilter: AbortGenerateDataOn"):
        process.Update()
    process.RemoveObserver(tag)
    process.Update()
    assert_same(process.GetOutput(), labels_of_itk(mask))


def test_exceptions_have_the_text_of_itk(mask):
    def text(template, **settings):
        process = template.New(**settings)
        with pytest.raises(RuntimeError) as failure:
            process.Update()
        return str(failure.value).splitlines()[-1].split(": ")[-1]

    types = (type(mask), itk.Image[itk.SS, 3])
    ours, itks = Filter[types], itk.ConnectedComponentImageFilter[types]
    assert text(ours) == text(itks)
    assert "required but not set" in text(ours)
    small = image_of(np.ones((3, 3, 3), np.uint8))
    different = {"MaskImage": small}
    assert text(ours, Input=mask, **different) == text(itks, Input=mask, **different)


def test_exceptions_of_settings(mask):
    process = Filter.New(mask, Algorithm=itk.CudaConnectedComponentsEnums.Algorithm_BlockUnionFind)
    with pytest.raises(RuntimeError, match="BlockUnionFind.*FullyConnected"):
        process.Update()
    process.FullyConnectedOn()
    process.Update()
    assert_same(process.GetOutput(), labels_of_itk(mask, FullyConnected=True))


def test_too_many_objects():
    dots = np.zeros((80, 80), np.float32)
    dots[::2, ::2] = 1
    vectors = itk.Image[itk.Vector[itk.F, 2], 2]
    image = image_of(dots, vectors)
    types = (vectors, itk.Image[itk.UC, 2])
    for template in (Filter, itk.ConnectedComponentImageFilter):
        with pytest.raises(RuntimeError, match="(?i)objects"):
            updated(template[types], image)


def test_an_image_outlives_its_filter(mask):
    references = mask.GetReferenceCount()
    process = updated(Filter, mask)
    assert mask.GetReferenceCount() > references
    output = process.GetOutput()
    view = itk.array_view_from_image(process.GetOutput())
    del process
    gc.collect()
    assert mask.GetReferenceCount() == references
    assert output.GetSource() is None
    assert_same(output, labels_of_itk(mask))
    del output
    gc.collect()
    np.testing.assert_array_equal(view, labels_of_itk(mask))


def test_a_filter_outlives_its_image(mask):
    process = Filter.New(image_of(itk.array_from_image(mask)))
    gc.collect()
    process.Update()
    np.testing.assert_array_equal(process.GetOutput(), labels_of_itk(mask))


def test_print_has_the_settings_of_the_module(mask):
    text = str(Filter.New(mask, NumberOfObjectsToKeep=42))
    assert "NumberOfObjectsToKeep: 42" in text
    assert "CPUFallback" in text
