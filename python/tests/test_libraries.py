"""Images of itk, SimpleITK and xarray."""

import gc

import numpy as np
import pytest
from conftest import DTYPES, keep_by_loop, label_by_scipy, noise

import cuda_connected_components as ccc
from cuda_connected_components import cc3d, measure, ndimage

itk = pytest.importorskip("itk")
sitk = pytest.importorskip("SimpleITK")
xarray = pytest.importorskip("xarray")

DIRECTION = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]])


def itk_image(array):
    """Return an oblique itk.Image whose first index is not 0."""
    ndim = array.ndim
    image_type = type(itk.image_from_array(array))
    image = image_type.New()
    region = itk.ImageRegion[ndim]()
    region.SetIndex([-3, 5, 7][:ndim])
    region.SetSize(list(reversed(array.shape)))
    image.SetRegions(region)
    image.Allocate()
    itk.array_view_from_image(image)[...] = array
    image.SetSpacing([0.5, 2.0, 3.0][:ndim])
    image.SetOrigin([10.0, -20.0, 30.0][:ndim])
    image.SetDirection(itk.matrix_from_array(DIRECTION[:ndim, :ndim].copy()))
    return image


def sitk_image(array):
    image = sitk.GetImageFromArray(array)
    ndim = array.ndim
    image.SetSpacing([0.5, 2.0, 3.0][:ndim])
    image.SetOrigin([10.0, -20.0, 30.0][:ndim])
    image.SetDirection(DIRECTION[:ndim, :ndim].ravel())
    return image


def expect_itk_geometry(result, image):
    assert result.GetSpacing() == image.GetSpacing()
    assert result.GetOrigin() == image.GetOrigin()
    np.testing.assert_array_equal(
        itk.array_from_matrix(result.GetDirection()), itk.array_from_matrix(image.GetDirection())
    )
    assert result.GetBufferedRegion() == image.GetBufferedRegion()
    assert result.GetLargestPossibleRegion() == image.GetLargestPossibleRegion()


def expect_sitk_geometry(result, image):
    for name in ("GetSize", "GetSpacing", "GetOrigin", "GetDirection"):
        assert getattr(result, name)() == getattr(image, name)()


@pytest.mark.parametrize("shape", [(40, 33), (17, 20, 23)])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.float32])
def test_itk(shape, dtype):
    array = noise(shape, 0.3, 1, dtype)
    image = itk_image(array)
    for full in (False, True):
        labels, count = ccc.label(image, connectivity=None if full else 1, return_num=True)
        expected, expected_count = label_by_scipy(array, full)
        assert count == expected_count
        assert type(labels) is itk.Image[itk.UL, array.ndim]
        np.testing.assert_array_equal(itk.array_from_image(labels), expected)
        if dtype != np.float32:  # itk wraps its filter for integers only
            filtered = itk.connected_component_image_filter(image, fully_connected=full)
            np.testing.assert_array_equal(itk.array_from_image(filtered), expected)
        expect_itk_geometry(labels, image)
    kept = ccc.keep_largest(image)
    assert type(kept) is type(image)
    np.testing.assert_array_equal(itk.array_from_image(kept), keep_by_loop(array, True, k=1))
    expect_itk_geometry(kept, image)


def test_itk_label_types_and_out(monkeypatch):
    array = noise((20, 21), 0.3, 2)
    image = itk_image(array)
    expected = label_by_scipy(array, True)[0]
    for dtype, pixel in [(np.uint8, itk.UC), (np.int16, itk.SS), (np.uint64, itk.UL)]:
        labels = ccc.label(image, dtype=dtype)
        assert type(labels) is itk.Image[pixel, 2]
        np.testing.assert_array_equal(itk.array_from_image(labels), expected)
    with monkeypatch.context() as patch:
        patch.setattr(itk, "IT", itk.ULL)  # as on Windows, where UL has 4 bytes
        assert type(ccc.label(image)) is itk.Image[itk.ULL, 2]
        assert type(ccc.label(image, dtype=np.uint64)) is itk.Image[itk.ULL, 2]
    for out in (
        itk_image(np.zeros((20, 21), np.int16)),
        itk.image_from_array(expected.astype(np.int16)),
    ):
        assert ccc.label(image, out=out) is out
        np.testing.assert_array_equal(itk.array_from_image(out), expected)
        expect_itk_geometry(out, image)
    relabeled = ccc.relabel(ccc.label(image, dtype=np.int16))
    assert type(relabeled) is itk.Image[itk.SS, 2]
    masked = ccc.label(image, mask=itk_image((array > 50).astype(np.uint8)))
    np.testing.assert_array_equal(itk.array_from_image(masked), label_by_scipy(array > 50, True)[0])
    with pytest.raises(TypeError, match="out must be an itk.Image"):
        ccc.label(image, out=np.zeros((20, 21), np.int16))
    with pytest.raises(TypeError, match="out has the type int16, and the image uint8"):
        ccc.keep_largest(image, out=out)
    with pytest.raises(ValueError, match="no pixels"):
        ccc.label(itk.Image[itk.UC, 2].New())
    moved = itk_image(array)
    moved.SetOrigin([0.0, 0.0])
    for mask in (moved, sitk.GetImageFromArray(array)):
        with pytest.raises(ValueError, match="mask does not occupy the physical space of the imag"):
            ccc.label(image, mask=mask)


@pytest.mark.parametrize(
    "image, out",
    [
        (itk_image(noise((20, 21), 0.3, 2)), itk.image_from_array(np.zeros((20, 21), np.uint8))),
        (sitk_image(noise((20, 21), 0.3, 2)), sitk.GetImageFromArray(np.zeros((20, 21), np.uint8))),
    ],
    ids=["itk", "SimpleITK"],
)
def test_refused_arguments_leave_the_geometry_of_out(image, out):
    spacing = out.GetSpacing()
    with pytest.raises(ValueError, match="no pixel of the type UInt8 has the value 300"):
        ccc.fill_holes(image, value=300, out=out)
    assert out.GetSpacing() == spacing != image.GetSpacing()
    ccc.fill_holes(image, value=200, out=out)
    assert out.GetSpacing() == image.GetSpacing()


def test_itk_out_runs_filters_again():
    image, out = itk_image(noise((20, 21), 0.3, 2)), itk_image(np.zeros((20, 21), np.int16))
    shift = itk.ShiftScaleImageFilter[itk.Image[itk.SS, 2], itk.Image[itk.SS, 2]].New()
    shift.SetInput(out)
    shift.Update()
    assert not itk.array_from_image(shift.GetOutput()).any()
    ccc.label(image, out=out)
    shift.Update()
    assert itk.array_from_image(shift.GetOutput()).any()


def test_itk_output_outlives_its_proxy():
    array = noise((20, 21, 22), 0.3, 3)
    expected = label_by_scipy(array, True)[0]
    # Only the C++ filter holds the label image when it runs.
    add = itk.ShiftScaleImageFilter[itk.Image[itk.SS, 3], itk.Image[itk.SS, 3]].New()
    add.SetInput(ccc.label(itk_image(array), dtype=np.int16))
    add.SetShift(1)
    gc.collect()
    junk = [np.full((20, 21, 22), 9, np.int16) for _ in range(20)]
    add.Update()
    np.testing.assert_array_equal(itk.array_from_image(add.GetOutput()), expected + 1)
    assert junk


def test_itk_pipelines():
    array = noise((20, 21), 0.3, 4)
    threshold = itk.BinaryThresholdImageFilter[itk.Image[itk.UC, 2], itk.Image[itk.UC, 2]].New()
    threshold.SetInput(itk_image(array))
    threshold.SetLowerThreshold(50)
    labels = ccc.label(threshold.GetOutput())
    np.testing.assert_array_equal(
        itk.array_from_image(labels), label_by_scipy(array >= 50, True)[0]
    )


@pytest.mark.parametrize("shape", [(40, 33), (17, 20, 23)])
@pytest.mark.parametrize("dtype", DTYPES[1:9] + DTYPES[10:])
def test_simpleitk(shape, dtype):
    array = noise(shape, 0.3, 5, dtype)
    image = sitk_image(array)
    labels, count = ccc.label(image, return_num=True)
    expected, expected_count = label_by_scipy(array, True)
    assert count == expected_count and labels.GetPixelID() == sitk.sitkUInt32
    np.testing.assert_array_equal(sitk.GetArrayFromImage(labels), expected)
    expect_sitk_geometry(labels, image)
    kept = ccc.keep_largest(image, k=2)
    assert kept.GetPixelID() == image.GetPixelID()
    np.testing.assert_array_equal(sitk.GetArrayFromImage(kept), keep_by_loop(array, True, k=2))
    expect_sitk_geometry(kept, image)


def test_simpleitk_as_its_own_filters():
    image = sitk_image(noise((17, 20, 23), 0.2, 6))
    for full in (False, True):
        theirs = sitk.ConnectedComponent(image != 0, full)
        ours = ccc.label(image, connectivity=None if full else 1)
        assert ours.GetPixelID() == theirs.GetPixelID()
        assert sitk.Hash(ours) == sitk.Hash(theirs)
        assert sitk.Hash(ccc.relabel(ours)) == sitk.Hash(sitk.RelabelComponent(theirs))
        assert sitk.Hash(ccc.relabel(ours, min_size=5)) == sitk.Hash(
            sitk.RelabelComponent(theirs, minimumObjectSize=5)
        )


def test_simpleitk_out_types_and_shared_buffers():
    array = noise((20, 21), 0.3, 7)
    image = sitk_image(array)
    expected = label_by_scipy(array, True)[0]
    for name in ("UInt8", "Int8", "UInt16", "Int16", "UInt32", "Int32", "UInt64", "Int64"):
        labels = ccc.label(image, dtype=name.lower())
        assert labels.GetPixelID() == getattr(sitk, f"sitk{name}")
        np.testing.assert_array_equal(sitk.GetArrayFromImage(labels), expected)
    out = sitk.Image(image.GetSize(), sitk.sitkInt16)
    copy = sitk.Image(out)  # shares the buffer until one of them is written to
    assert ccc.label(image, out=out) is out
    np.testing.assert_array_equal(sitk.GetArrayFromImage(out), expected)
    expect_sitk_geometry(out, image)
    assert not sitk.GetArrayFromImage(copy).any()
    masked = ccc.label(image, mask=sitk_image((array > 50).astype(np.uint8)))
    np.testing.assert_array_equal(
        sitk.GetArrayFromImage(masked), label_by_scipy(array > 50, True)[0]
    )
    with pytest.raises(TypeError, match="out has the type int16, and the image uint8"):
        ccc.keep_largest(image, out=out)
    moved = sitk_image(array)
    moved.SetOrigin((100.0, 0.0))
    with pytest.raises(ValueError, match="mask does not occupy the physical space"):
        ccc.label(image, mask=moved)
    with pytest.raises(TypeError, match="label maps are not supported"):
        ccc.label(sitk.LabelImageToLabelMap(sitk.Cast(image, sitk.sitkUInt8)))


@pytest.mark.parametrize("ndim", [2, 3])
def test_statistics_in_physical_space(ndim):
    array = noise((17, 20, 23)[:ndim], 0.1, 8)
    measure = sitk.LabelShapeStatisticsImageFilter()
    measure.ComputePerimeterOff()
    image = sitk_image(array)
    labels = ccc.label(image)
    measure.Execute(labels)
    physical = {
        "properties": ("label", "num_pixels", "area", "bbox", "centroid"),
        "spacing": "image",
    }
    columns = ccc.component_statistics(image, **physical)
    assert columns["label"].tolist() == list(measure.GetLabels())
    for row, number in enumerate(measure.GetLabels()):
        assert columns["num_pixels"][row] == measure.GetNumberOfPixels(number)
        assert columns["area"][row] == pytest.approx(measure.GetPhysicalSize(number), rel=1e-12)
        box = measure.GetBoundingBox(number)
        for axis in range(ndim):
            assert columns[f"bbox-{axis}"][row] == box[axis]
            assert columns[f"bbox-{ndim + axis}"][row] == box[axis] + box[ndim + axis]
            assert columns[f"centroid-{axis}"][row] == pytest.approx(
                measure.GetCentroid(number)[axis], rel=1e-10
            )
    with_start = itk_image(array)
    shifted = ccc.component_statistics(with_start, **physical)
    for axis, start in enumerate([-3, 5, 7][:ndim]):
        np.testing.assert_array_equal(shifted[f"bbox-{axis}"], columns[f"bbox-{axis}"] + start)
    moved = DIRECTION[:ndim, :ndim] @ (np.array([0.5, 2.0, 3.0]) * [-3, 5, 7])[:ndim]
    for axis in range(ndim):
        np.testing.assert_allclose(
            shifted[f"centroid-{axis}"], columns[f"centroid-{axis}"] + moved[axis], atol=1e-10
        )


def test_sizes_are_voxels_and_places_are_indices_without_spacing():
    array = noise((17, 20, 23), 0.1, 8)
    of_array = ccc.component_statistics(array)
    numbers = ccc.component_statistics(array, spacing=(3.0, 2.0, 0.5))
    axes = [f"centroid-{axis}" for axis in range(3)]
    for image, start in ((sitk_image(array), (0, 0, 0)), (itk_image(array), (-3, 5, 7))):
        columns = ccc.component_statistics(image)
        np.testing.assert_array_equal(columns["area"], of_array["area"])
        scaled = ccc.component_statistics(image, spacing=(0.5, 2.0, 3.0))
        np.testing.assert_array_equal(scaled["area"], numbers["area"])
        for axis, first, step in zip(range(3), start, (0.5, 2.0, 3.0)):
            expected = of_array[axes[2 - axis]] + first
            np.testing.assert_allclose(columns[axes[axis]], expected)
            np.testing.assert_allclose(scaled[axes[axis]], step * expected)
        # One voxel has 3 mm^3.
        for min_size, spacing, minimum in ((4, None, 4), (12, "image", 4), (12.1, "image", 5)):
            kept = ccc.remove_small(image, min_size, spacing=spacing)
            np.testing.assert_array_equal(
                (
                    np.asarray(itk.array_view_from_image(kept))
                    if start[0]
                    else sitk.GetArrayFromImage(kept)
                ),
                keep_by_loop(array, True, minimum=minimum),
            )
    for call in (
        ccc.component_statistics,
        lambda image, **options: ccc.remove_small(image, 2, **options),
    ):
        with pytest.raises(
            ValueError, match='spacing="image" needs an image of itk or SimpleITK, not nd'
        ):
            call(array, spacing="image")


def test_xarray():
    array = noise((17, 20, 23), 0.2, 9, np.int16)
    for order in "CF":
        image = xarray.DataArray(
            np.asarray(array, order=order),
            dims=("z", "y", "x"),
            coords={"z": np.arange(17) * 2.5},
            name="head",
            attrs={"units": "HU"},
        )
        labels, count = ccc.label(image, return_num=True)
        assert isinstance(labels, xarray.DataArray) and count == label_by_scipy(array, True)[1]
        np.testing.assert_array_equal(labels.data, label_by_scipy(array, True)[0])
        for result in (labels, ccc.keep_largest(image), ccc.relabel(labels)):
            assert result.dims == image.dims
            assert result.name == "head" and (result.z == image.z).all()
        np.testing.assert_array_equal(ccc.keep_largest(image).data, keep_by_loop(array, True, k=1))
        out = xarray.zeros_like(labels)
        assert ccc.label(image, out=out) is out
        np.testing.assert_array_equal(out.data, labels.data)
        np.testing.assert_array_equal(
            ccc.label(image, mask=image > 50).data, label_by_scipy(array > 50, True)[0]
        )
        assert ccc.component_statistics(image)["area"].sum() == (array != 0).sum()
        for arguments in ({"mask": image.transpose()}, {"out": out.transpose()}):
            with pytest.raises(ValueError, match=r"transpose\(\*image.dims\)"):
                ccc.label(image, **arguments)
        with pytest.raises(TypeError, match="out has the type int32, and the image int16"):
            ccc.keep_largest(image, out=out)
    with pytest.raises(TypeError, match="choose one variable"):
        ccc.label(xarray.Dataset({"head": image}))


def test_xarray_files(tmp_path):
    # 800 components, and a file of packed bytes.
    image = xarray.DataArray(
        np.tile(np.array([25.0, 0.0], np.float32), 800),
        dims="x",
        coords={"x": ("x", np.arange(1600.0), {"units": "mm"})},
        attrs={"units": "HU", "valid_range": [0, 50], "flag_values": [25], "history": "scanned"},
    )
    image.encoding = {
        "dtype": "uint8",
        "scale_factor": 0.5,
        "_FillValue": 255,
        "grid_mapping": "crs",
    }
    labels, kept = ccc.label(image), ccc.keep_largest(image)
    labels.to_netcdf(tmp_path / "labels.nc", engine="scipy")
    with xarray.open_dataarray(tmp_path / "labels.nc", engine="scipy") as read:
        np.testing.assert_array_equal(read.data, labels.data)
    for result, attributes in (
        (labels, {"history": "scanned"}),
        (ccc.relabel(image.astype(int)), {"history": "scanned"}),
        (kept, image.attrs),
    ):
        assert result.attrs == attributes and result.x.attrs == {"units": "mm"}
        assert set(result.encoding) <= {"grid_mapping"}
    assert labels.encoding and image.encoding["dtype"] == "uint8" and "units" in image.attrs
    out = image.copy(data=np.zeros(1600, np.int32))
    out.encoding = dict(image.encoding)
    ccc.label(image, out=out)
    out.to_netcdf(tmp_path / "out.nc", engine="scipy")
    with xarray.open_dataarray(tmp_path / "out.nc", engine="scipy") as read:
        np.testing.assert_array_equal(read.data, labels.data)


def test_images_that_are_no_arrays():
    image = sitk_image(noise((3, 4, 5), 0.5, 1))
    for function in (measure.label, ndimage.label, ndimage.binary_fill_holes, cc3d.statistics, cc3d.each):
        with pytest.raises(TypeError, match="GetArrayViewFromImage"):
            function(image)
    for images in ([image, image], (itk_image(noise((4, 5), 0.5, 1)),)):
        with pytest.raises(TypeError, match="is not an image: call the function for each of them"):
            ccc.label(images)


def test_xarray_coordinates():
    image = xarray.DataArray(noise((20, 21), 0.3, 9), dims=("y", "x"), coords={"x": np.arange(21)})
    expected = ccc.label(image.data, mask=image.data > 50)
    for mask in (image > 50, (image > 50).drop_vars("x"), (image > 50).assign_coords(y=range(20))):
        np.testing.assert_array_equal(ccc.label(image, mask=mask).data, expected)
    moved = (image > 50).assign_coords(x=np.arange(21) + 1)
    for arguments in ({"mask": moved}, {"out": moved.astype(np.int32)}):
        with pytest.raises(ValueError, match="has other coordinates 'x' than the image"):
            ccc.label(image, **arguments)
    np.testing.assert_array_equal(ccc.label(image, mask=moved.data).data, expected)
    for noted in (image.assign_coords(lat=image * 2), image.assign_coords(t=1)):
        np.testing.assert_array_equal(ccc.label(noted, mask=noted > 50).data, expected)
    image = image.assign_coords(lat=image * 2.0)
    with pytest.raises(ValueError, match="other coordinates 'lat' than the image: pass mask.data"):
        ccc.label(image, mask=(image > 50).assign_coords(lat=image.lat + 1))


def test_xarray_output_in_a_file(tmp_path):
    image = xarray.DataArray(noise((20, 21), 0.3, 9), dims=("y", "x"))
    expected = ccc.label(image)
    xarray.Dataset({"labels": xarray.zeros_like(expected)}).to_netcdf(
        tmp_path / "file.nc", engine="scipy"
    )
    with xarray.open_dataset(tmp_path / "file.nc", engine="scipy", cache=False) as file:
        with pytest.raises(ValueError, match=r"not in memory: call out.load\(\) first"):
            ccc.label(image, out=file["labels"])
        out = file["labels"].load()
        ccc.label(image, out=out)
        np.testing.assert_array_equal(out.data, expected.data)
    with xarray.open_dataset(tmp_path / "file.nc", engine="scipy") as file:
        ccc.label(image, out=file["labels"])
        np.testing.assert_array_equal(file["labels"].data, expected.data)


def test_xarray_variables_are_refused():
    image = xarray.DataArray(noise((20, 21), 0.3, 9), dims=("y", "x"))
    for call in (
        lambda: ccc.label(image.variable),
        lambda: ccc.label(image, mask=image.variable),
        lambda: ccc.keep_largest(image, out=image.variable),
    ):
        with pytest.raises(TypeError, match="not Variable"):
            call()


@pytest.mark.parametrize("components", [1, 3])
def test_vectors_are_refused(components):
    vector = sitk.Image([4, 4], sitk.sitkVectorUInt8, components)
    of_itk = itk.VectorImage[itk.UC, 2].New(VectorLength=components)
    of_itk.SetRegions([4, 4])
    of_itk.Allocate()
    for image in (vector, of_itk):
        for call in (ccc.label, ccc.keep_largest, ccc.relabel, ccc.component_statistics):
            with pytest.raises(TypeError, match="vector images are not supported"):
                call(image)


def test_remove_small_updates_a_pipeline_of_itk():
    image = itk.image_from_array(np.ones((4, 4, 4), np.uint8))
    image.SetSpacing([0.5] * 3)  # 8 mm^3
    cast = itk.MedianImageFilter.New(image)
    kept = ccc.remove_small(cast.GetOutput(), 9, spacing="image")
    assert np.all(np.asarray(kept) == 0)
