"""Arrays in device memory: dispatch, streams and errors with fake libraries, without a GPU."""

import contextlib
import ctypes
import functools
import itertools
import math
import operator
import sys
import types
import warnings

import numpy as np
import pytest
import scipy.ndimage
from conftest import keep_by_loop, label_by_scipy, noise

import cuda_connected_components as ccc
from cuda_connected_components import _arguments, _core, _devices, _exchange, _images, _table, measure, ndimage


def array_of(memory):
    """Return the images of a DeviceArray of the extension module, which are in host memory."""
    names = {"Half": "float16", "Float": "float32", "Double": "float64"}
    is_bfloat16 = memory.type == "BFloat16"
    dtype = _images.BFLOAT16 if is_bfloat16 else np.dtype(names.get(memory.type, memory.type.lower()))
    shape = (memory.images, *reversed(memory.size))
    strides = (memory.image_stride, *reversed(memory.strides))
    if 0 in shape:
        return np.empty(shape, dtype)
    low, high = (
        sum(choose(0, (n - 1) * stride) for n, stride in zip(shape, strides)) for choose in (min, max)
    )
    buffer = (ctypes.c_char * (high - low + dtype.itemsize)).from_address(memory.address + low)
    return np.ndarray(shape, dtype, buffer, -low, strides)


def on_host(image, mask, settings):
    """Return arrays of an image and a mask, and settings for the functions for host memory."""
    copy = _core.Settings()
    columns = ("boxes", "means", "faces", "values", "firsts", "covariances", "intensities")
    selection = ("min_size", "max_size", "sizes_of_values", "k", "per_value", "keeps_ties", "invert")
    written = ("write", "value", "overwrite")
    foreground = ("connectivity", "by_value", "whole_values", "limits", "background", "foreground", "observed")
    for name in (*foreground, *selection, *written, *columns):
        if getattr(settings, name) is not None:
            setattr(copy, name, getattr(settings, name))
    copy.batch, copy.device = True, _core.HOST_BACKEND
    return array_of(image), None if mask is None else array_of(mask), copy


def label_on_host(image, mask, settings):
    """Return the labels, their numbers, and what is known of the values."""
    image, mask, settings = on_host(image, mask, settings)
    labels = np.empty(image.shape, np.int64)
    return labels, *_core.label_host(image, mask, labels, False, settings)


def is_full(settings):
    return settings.connectivity not in (4, 6)


class FakeCore:
    """The functions for device memory, on the host. Records the streams and devices."""

    def __init__(self, monkeypatch):
        self.calls = []
        self.images = []  # the addresses of images
        self.masked = []  # the addresses of image and output
        self.released = []  # the libraries that released memory
        self.waits = 0  # how often a library waited
        self.is_capturing = False
        self.lacks_memory = 0  # the number of calls that fail
        for name in ("label_device", "mask_device", "measure_device", "tabulate_device"):
            monkeypatch.setattr(_core, name, functools.partial(self.call, getattr(self, name)))

    def call(self, function, *arguments):
        if self.lacks_memory > 0:
            self.lacks_memory -= 1
            raise _core.CudaMemoryError("out of memory")
        return function(*arguments)

    def note(self, settings):
        """Check the settings of a call, and record it."""
        assert not settings.transposed
        assert not settings.observed or not (settings.limits or settings.by_value)
        assert settings.by_value or not (settings.values or settings.background is not None)
        self.calls.append((settings.stream, settings.device))

    def label_device(self, image, mask, output, settings):
        self.note(settings)
        self.images.append(image.address)
        assert settings.min_size == settings.k == 0
        assert (output.images, output.size) == (image.images, image.size)
        assert not np.may_share_memory(array_of(image), array_of(output))
        labels, counts, values = label_on_host(image, mask, settings)
        if not settings.by_value and settings.connectivity != 18:
            for index, source in enumerate(labels):
                labels[index], counts[index] = label_by_scipy(source, is_full(settings))
        array_of(output)[...] = labels
        return counts if settings.batch else int(counts[0]), values

    def mask_device(self, image, mask, output, settings):
        self.note(settings)
        assert (output.type, output.size) == (image.type, image.size)
        assert output.images == image.images
        distance = abs(output.address - image.address)
        assert distance == 0 or distance >= array_of(image).nbytes
        assert array_of(image).flags.c_contiguous and array_of(output).flags.c_contiguous
        self.masked.append((image.address, output.address))
        if settings.by_value or settings.foreground is not None or settings.write != _core.Write.SELECTED:
            elements, mask, copy = on_host(image, mask, settings)
            return _core.mask_host(elements, mask, array_of(output), False, copy)
        foreground, _, values = label_on_host(image, mask, settings)
        for elements, source, target in zip(array_of(image), foreground, array_of(output)):
            kept = keep_by_loop(source != 0, is_full(settings), settings.min_size, settings.k or None)
            target[...] = np.where(kept, elements, np.zeros((), elements.dtype))
        return values

    def measure_device(self, image, mask, make_columns, settings):
        self.note(settings)
        self.images.append(image.address)
        image, mask, settings = on_host(image, mask, settings)
        columns, values = _core.measure_host(image, mask, None, settings)
        counts = columns.pop("counts")
        columns["image"] = np.repeat(np.arange(len(counts)), counts)
        columns["label"] = np.concatenate([np.arange(0), *(np.arange(1, count + 1) for count in counts)])
        columns["area"] = columns["num_pixels"].astype(np.float64)
        for name, address in make_columns(len(columns["num_pixels"])).items():
            ctypes.memmove(address, columns[name].ctypes.data, columns[name].nbytes)
        return values


    def tabulate_device(self, image, mask, intensities, labels, settings):
        self.note(settings)
        self.images.append(image.address)
        is_batch = settings.batch
        if labels is not None:
            array_of(labels)[...] = label_on_host(image, mask, settings)[0]
        image, mask, settings = on_host(image, mask, settings)
        columns, _ = _core.measure_host(image, mask, None if intensities is None else array_of(intensities), settings)
        if not is_batch:
            del columns["counts"]
        return columns


@pytest.fixture
def core(monkeypatch):
    return FakeCore(monkeypatch)


class CupyArray:
    """As much of cupy.ndarray as the package uses, in host memory."""

    __module__ = "cupy"

    def __init__(self, array, device=0):
        self._array = np.asarray(array)
        self.device = FakeDevice(device)
        self.data = types.SimpleNamespace(ptr=self._array.ctypes.data)

    shape = property(lambda self: self._array.shape)
    ndim = property(lambda self: self._array.ndim)
    strides = property(lambda self: self._array.strides)
    dtype = property(lambda self: self._array.dtype)
    flags = property(lambda self: self._array.flags)

    def _wrap(self, array):
        return CupyArray(array, self.device.id)

    def __len__(self):
        return len(self._array)

    def _operate(self, operate, other):
        return self._wrap(operate(self._array, getattr(other, "_array", other)))

    def __ne__(self, other):
        return self._operate(operator.ne, other)

    def __add__(self, other):
        return self._operate(operator.add, other)

    def __iadd__(self, other):
        self._array += getattr(other, "_array", other)
        return self

    def __sub__(self, other):
        return self._operate(operator.sub, other)

    def __mul__(self, other):
        return self._operate(operator.mul, other)

    def __truediv__(self, other):
        return self._operate(operator.truediv, other)

    def __floordiv__(self, other):
        return self._operate(operator.floordiv, other)

    def __mod__(self, other):
        return self._operate(operator.mod, other)

    def __pow__(self, other):
        return self._operate(operator.pow, other)

    def cumsum(self, axis):
        return self._wrap(self._array.cumsum(axis))

    def __getitem__(self, index):
        return self._wrap(self._array[getattr(index, "_array", index)])

    def __setitem__(self, index, values):
        self._array[index] = getattr(values, "_array", values)

    size = property(lambda self: self._array.size)

    def transpose(self, axes):
        return self._wrap(self._array.transpose(axes))

    def copy(self):
        return self._wrap(self._array.copy())

    def astype(self, dtype):
        return self._wrap(self._array.astype(dtype))

    def view(self, dtype):
        return self._wrap(self._array.view(dtype))

    def reshape(self, shape):
        return self._wrap(self._array.reshape(shape))

    def get(self):
        return self._array


class FakeDevice(contextlib.nullcontext):
    current = []

    def __init__(self, number):
        super().__init__()
        self.id = number

    def __enter__(self):
        FakeDevice.current.append(self.id)

    def __exit__(self, *_):
        FakeDevice.current.pop()


def on_current_device(array):
    return CupyArray(array, FakeDevice.current[-1])


@pytest.fixture
def cupy(core, monkeypatch):
    fake = types.ModuleType("cupy")
    fake.ndarray = CupyArray
    fake.empty = lambda shape, dtype: on_current_device(np.empty(shape, dtype))
    fake.asarray = on_current_device
    fake.bool_ = np.bool_
    fake.ascontiguousarray = lambda image: (
        image if image.flags.c_contiguous else on_current_device(image._array.copy("C"))
    )
    for name in ("unique", "minimum", "where"):
        fake.__dict__[name] = lambda *arrays, name=name: on_current_device(
            getattr(np, name)(*(array._array for array in arrays))
        )
    fake.pool = types.SimpleNamespace(free_all_blocks=lambda: core.released.append("cupy"))
    fake.get_default_memory_pool = lambda: fake.pool

    def get_current_stream():
        def synchronize():
            core.waits += 1

        return types.SimpleNamespace(
            ptr=1000 + FakeDevice.current[-1],
            is_capturing=lambda: core.is_capturing,
            synchronize=synchronize,
        )

    fake.cuda = types.SimpleNamespace(get_current_stream=get_current_stream)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setattr(_devices, "_instances", {})
    return fake


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float16, np.float32, np.uint64])
@pytest.mark.parametrize("order", "CF")
def test_cupy(cupy, core, dtype, order):
    array = np.asarray(noise((20, 21, 22), 0.3, 1, dtype), order=order)
    image = CupyArray(array, device=3)
    for full in (False, True):
        connectivity = None if full else 1
        labels, count = ccc.label(image, connectivity=connectivity, return_num=True)
        expected, expected_count = label_by_scipy(array, full)
        assert type(labels) is CupyArray and labels.device.id == 3 and count == expected_count
        assert labels.dtype == np.int32
        np.testing.assert_array_equal(labels.get(), expected)
        kept = ccc.keep_largest(image, k=2, connectivity=connectivity)
        assert kept.device.id == 3 and kept.dtype == dtype
        np.testing.assert_array_equal(kept.get(), keep_by_loop(array, full, k=2))
    small = ccc.remove_small(image, 3)
    np.testing.assert_array_equal(small.get(), keep_by_loop(array, True, minimum=3))
    columns = ccc.component_statistics(image)
    assert all(type(column) is CupyArray and column.device.id == 3 for column in columns.values())
    host = ccc.component_statistics(array)
    for name, column in columns.items():
        np.testing.assert_array_equal(column.get(), host[name])
    assert set(core.calls) == {(1003, 3)}
    assert not FakeDevice.current


@pytest.mark.parametrize("dtype", [np.bool_, np.int16, np.float16, np.float64])
@pytest.mark.parametrize("leading", [(), (1,), (4,), (2, 3), (0,), (4, 0)])
def test_cupy_batches(cupy, core, dtype, leading):
    for spatial in ((40,), (13, 34), (6, 7, 34), (0, 4, 5)):
        ndim = len(spatial)
        array = noise(leading + spatial, 0.3, 1, dtype)
        other = noise(leading + spatial, 0.6, 2)
        for host in (array, np.asfortranarray(array), array[..., ::-1]):
            image, mask = CupyArray(host, device=3), CupyArray(other, device=3)
            for on_host, arguments in [
                ({}, {}),
                ({"connectivity": 1}, {"connectivity": 1}),
                ({"mask": other}, {"mask": mask}),
                ({"lower": 1, "upper": 60}, {"lower": 1, "upper": 60}),
            ]:
                labels, counts = ccc.label(image, spatial_dims=ndim, return_num=True, **arguments)
                expected, n = ccc.label(host, spatial_dims=ndim, return_num=True, **on_host)
                np.testing.assert_array_equal(labels.get(), expected)
                assert labels.dtype == np.int32 and type(counts) is type(n)
                np.testing.assert_array_equal(counts, n)
                assert np.shape(counts) == leading
                for call in (
                    lambda image, **o: ccc.keep_largest(image, k=2, spatial_dims=ndim, **o),
                    lambda image, **o: ccc.remove_small(image, 3, spatial_dims=ndim, **o),
                ):
                    np.testing.assert_array_equal(
                        call(image, **arguments).get(), call(host, **on_host)
                    )
                columns = ccc.component_statistics(image, spatial_dims=ndim, **arguments)
                expected = ccc.component_statistics(host, spatial_dims=ndim, **on_host)
                assert list(columns) == list(expected)
                for name, column in columns.items():
                    assert column.device.id == 3
                    np.testing.assert_array_equal(column.get(), expected[name])
        out = CupyArray(np.full(leading + spatial, 7, np.int16))
        assert ccc.label(CupyArray(array), spatial_dims=ndim, out=out) is out
        np.testing.assert_array_equal(out.get(), ccc.label(array, spatial_dims=ndim))
        image = CupyArray(array.copy())
        assert ccc.keep_largest(image, spatial_dims=ndim, out=image) is image
        np.testing.assert_array_equal(image.get(), ccc.keep_largest(array, spatial_dims=ndim))
    with pytest.raises(ValueError, match=r"for one mask of all images, broadcast it"):
        plane = CupyArray(np.ones((3, 4), np.uint8))
        ccc.label(CupyArray(np.ones((2, 3, 4), np.uint8)), spatial_dims=2, mask=plane)


@pytest.mark.parametrize("dtype", [*"?bBhHiIqQefd"])
@pytest.mark.parametrize("leading", [(), (3,), (0,)])
def test_cupy_by_value(cupy, core, leading, dtype):
    for spatial, connectivity in (((40,), 1), ((13, 34), 4), ((6, 7, 34), 18), ((6, 7, 34), None)):
        ndim = len(spatial)
        array = np.random.default_rng(ndim).integers(0, 3, leading + spatial).astype(dtype)
        other = noise(leading + spatial, 0.6, 2)
        for on_host, arguments in [
            ({}, {}),
            ({"background": 1}, {"background": 1}),
            ({"background": None}, {"background": None}),
            ({"mask": other}, {"mask": CupyArray(other, device=3)}),
            ({"lower": 1, "upper": 1}, {"lower": 1, "upper": 1}),
        ]:
            options = {"by_value": True, "spatial_dims": ndim, "connectivity": connectivity}
            image = CupyArray(array, device=3)
            labels, counts = ccc.label(image, return_num=True, **options, **arguments)
            expected, n = ccc.label(array, return_num=True, **options, **on_host)
            np.testing.assert_array_equal(labels.get(), expected)
            np.testing.assert_array_equal(counts, n)
            columns = ccc.component_statistics(image, **options, **arguments)
            expected = ccc.component_statistics(array, **options, **on_host)
            assert list(columns) == list(expected) and columns["value"].dtype == array.dtype
            for name, column in columns.items():
                assert column.device.id == 3
                np.testing.assert_array_equal(column.get(), expected[name])
    with pytest.raises(ValueError, match="background=10{400} is not possible for images of"):
        ccc.label(image, **options, background=10**400)
    with pytest.raises(TypeError, match="images of complex64 are not supported in device memory"):
        ccc.label(CupyArray(array.astype(np.complex64)), **options, background=1)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64])
def test_cupy_measure(cupy, core, dtype):
    array = np.random.default_rng(3).integers(0, 3, (9, 34)).astype(dtype)
    for background in (None, 1, -1):
        labels, count = measure.label(CupyArray(array, 3), background, True, connectivity=1)
        expected, n = measure.label(array, background, True, connectivity=1)
        assert labels.dtype == np.int32 and labels.device.id == 3 and count == n
        np.testing.assert_array_equal(labels.get(), expected)
    with pytest.raises(NotImplementedError, match="truncates float32"):
        measure.label(CupyArray(array.astype(np.float32)))


def test_cupy_measure_of_many_elements(cupy, monkeypatch):
    assert _arguments.default_label_dtype((2**15, 2**16)) == np.int64
    monkeypatch.setattr(_arguments, "default_label_dtype", lambda shape: np.dtype(np.int64))
    assert measure.label(CupyArray(np.ones((3, 4), np.uint8))).dtype == np.int64


def test_cupy_batch_of_a_sliced_axis_is_one_call(cupy, core, monkeypatch):
    array = noise((2, 4, 6, 7, 34), 0.3, 1)
    monkeypatch.setattr(
        _arguments, "default_label_dtype", lambda shape: {(6, 7, 34): np.dtype(np.int16)}[shape]
    )
    labels = ccc.label(CupyArray(array)[:, 1:], spatial_dims=3)
    assert labels.dtype == np.int16  # by the shape of one image
    np.testing.assert_array_equal(labels.get(), ccc.label(array[:, 1:], spatial_dims=3))
    assert len(core.calls) == 1


def test_cupy_reads_images_and_masks_with_gaps(cupy, core):
    array, other = noise((6, 9, 34), 0.5, 2, np.float16), noise((6, 9, 34), 0.7, 3)
    for view in (
        lambda array: array[:, ::2],
        lambda array: array[::-1, 1:],
        lambda array: array[1:, 2:, 3:],
        lambda array: np.broadcast_to(array[:1], array.shape),
        lambda array: array.swapaxes(0, 1),
        lambda array: array[..., ::-1],
        lambda array: array[..., ::2],
        np.transpose,
    ):
        image, mask = view(array), view(other)
        for limits in ({}, {"lower": 2, "upper": 60.5}):
            labels = ccc.label(CupyArray(image), mask=CupyArray(mask), **limits)
            expected = ccc.label(image, mask=mask, **limits)
            np.testing.assert_array_equal(labels.get(), expected)
            columns = ccc.component_statistics(CupyArray(image), mask=CupyArray(mask), **limits)
            for name, column in ccc.component_statistics(image, mask=mask, **limits).items():
                np.testing.assert_array_equal(columns[name].get(), column)
            kept = ccc.keep_largest(CupyArray(image), mask=CupyArray(mask), **limits)
            np.testing.assert_array_equal(kept.get(), ccc.keep_largest(image, mask=mask, **limits))
        assert set(core.images) == {image.ctypes.data}
        core.images.clear()


@pytest.mark.parametrize("call", [ccc.label, ccc.keep_largest])
def test_cupy_out_may_be_the_image_or_the_mask(cupy, call):
    array, other = noise((6, 9, 34), 0.5, 2, np.int16), noise((6, 9, 34), 0.7, 3, np.int16)
    expected = call(array, mask=other)
    target = CupyArray(array.copy())
    assert call(target, mask=CupyArray(other), out=target) is target
    np.testing.assert_array_equal(target.get(), expected)
    target = CupyArray(other.copy())
    assert call(CupyArray(array), mask=target, out=target) is target
    np.testing.assert_array_equal(target.get(), expected)
    memory = np.zeros((12, 9, 34), np.int16)
    memory[::2] = array
    target = CupyArray(memory[3:9])
    call(CupyArray(memory[::2]), mask=CupyArray(other), out=target)
    np.testing.assert_array_equal(target.get(), expected)


def test_cupy_arguments(cupy, core):
    array, mask = noise((20, 21), 0.8, 2), noise((20, 21), 0.7, 3)
    image = CupyArray(array)
    expected = label_by_scipy((array >= 20) & (array <= 80) & (mask != 0), True)[0]
    labels = ccc.label(image, lower=20, upper=80, mask=CupyArray(mask), dtype="int16")
    assert labels.dtype == np.int16
    np.testing.assert_array_equal(labels.get(), expected)
    for out in (np.empty((20, 21), np.int64), np.empty((40, 21), np.uint16)[::2]):
        target, core.waits = CupyArray(out), 0
        assert ccc.label(image, lower=20, upper=80, mask=CupyArray(mask), out=target) is target
        np.testing.assert_array_equal(out, expected)
        assert core.waits == (not out.flags.c_contiguous)
    kept = CupyArray(np.empty((20, 21), np.uint8))
    assert ccc.keep_largest(image, out=kept) is kept
    np.testing.assert_array_equal(kept.get(), keep_by_loop(array, True, k=1))


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float16, np.float64])
def test_cupy_keep_and_out(cupy, core, dtype):
    array = noise((20, 21, 22), 0.2, 10, dtype)
    expected = keep_by_loop(array, True, k=300)
    image = CupyArray(array.copy())
    for out in (np.full_like(array, 1), np.full((40, 21, 22), 1, dtype)[::2], image.get()):
        target = image if out is image.get() else CupyArray(out)
        assert ccc.keep_largest(image, k=300, out=target) is target
        np.testing.assert_array_equal(out, expected)
        # The engine writes to `out` if it is contiguous.
        source, written = core.masked.pop()
        assert source == image.data.ptr
        assert (written == target.data.ptr) == out.flags.c_contiguous
    # An image that is not contiguous is copied, and the copy becomes the result.
    image = CupyArray(array[:, ::2])
    expected = keep_by_loop(array[:, ::2], True, minimum=2)
    kept = ccc.remove_small(image, 2)
    np.testing.assert_array_equal(kept.get(), expected)
    source, written = core.masked.pop()
    assert source == written != image.data.ptr
    assert written == kept.data.ptr
    assert ccc.remove_small(image, 2, out=image) is image
    np.testing.assert_array_equal(image.get(), expected)
    assert core.masked.pop()[1] != image.data.ptr


def test_cupy_keep_with_limits_and_mask(cupy, core):
    mask = noise((20, 21), 0.7, 3)
    for dtype in (np.bool_, np.uint8, np.float16, np.float32):
        array = noise((20, 21), 0.8, 2, dtype)
        for limits in ({}, {"lower": 1}, {"lower": -70, "upper": 60}):
            for chosen in (None, CupyArray(mask)):
                expected = ccc.keep_largest(
                    array, k=2, mask=None if chosen is None else mask, **limits
                )
                image = CupyArray(array.copy())
                kept = ccc.keep_largest(image, k=2, mask=chosen, **limits)
                np.testing.assert_array_equal(kept.get(), expected)
                np.testing.assert_array_equal(image.get(), array)
                assert ccc.keep_largest(image, k=2, mask=chosen, out=image, **limits) is image
                np.testing.assert_array_equal(image.get(), expected)


def test_cupy_out_that_overlaps_the_image(cupy):
    for shift in (1, -1):
        memory = noise((22, 20, 20), 0.2, 11)
        image, out = memory[1:-1], memory[1 + shift : 21 + shift]
        expected = keep_by_loop(image, True, k=2)
        ccc.keep_largest(CupyArray(image), k=2, out=CupyArray(out))
        np.testing.assert_array_equal(out, expected)
    cube = noise((20, 20, 20), 0.2, 11)
    expected = keep_by_loop(cube.T, True, k=2)
    ccc.keep_largest(CupyArray(cube.T), k=2, out=CupyArray(cube))
    np.testing.assert_array_equal(cube, expected)


@pytest.fixture
def torch(core, monkeypatch):
    torch = pytest.importorskip("torch")

    class HostTensors(_devices.TorchCudaImages):
        def device_of(self, image):
            return 4

        def stream_of(self, image):
            return 1004

        def is_capturing(self, image):
            return core.is_capturing

        def wait(self, image):
            core.waits += 1

    monkeypatch.setattr(_exchange, "label", lambda *arguments: None)
    library, library_of = HostTensors(torch), _images.library_of
    monkeypatch.setattr(
        _images,
        "library_of",
        lambda image: library if isinstance(image, torch.Tensor) else library_of(image),
    )
    return torch


@pytest.mark.parametrize(
    "name", ["bool", "uint8", "int16", "uint16", "uint32", "int64", "float16", "bfloat16"]
)
def test_torch_keep(torch, core, name):
    if not hasattr(torch, name):
        pytest.skip(f"torch {torch.__version__} has no {name}")
    dtype, array = getattr(torch, name), noise((20, 21, 22), 0.3, 12)
    mask = torch.from_numpy(noise((20, 21, 22), 0.7, 13))
    image = torch.from_numpy(array).to(dtype)
    array = image.to(torch.float32).numpy()
    for arguments, expected in [
        ({}, keep_by_loop(array, True, k=300)),
        ({"mask": mask}, keep_by_loop(array * (mask.numpy() != 0), True, k=300)),
        ({"lower": 1, "upper": 60}, keep_by_loop(array * (array <= 60), True, k=300)),
    ]:
        kept = ccc.keep_largest(image, k=300, **arguments)
        assert kept.dtype == dtype and kept.shape == image.shape
        np.testing.assert_array_equal(kept.to(torch.float32).numpy(), expected)
        out = image.clone()
        assert ccc.keep_largest(out, k=300, out=out, **arguments) is out
        np.testing.assert_array_equal(out.to(torch.float32).numpy(), expected)
    opposite = torch._neg_view(image.to(torch.float32))
    kept = ccc.keep_largest(opposite)
    np.testing.assert_array_equal(kept.numpy(), keep_by_loop(-array, True, k=1))
    view = image[:, ::2].permute(2, 0, 1)
    expected = keep_by_loop(view.to(torch.float32).numpy(), True, minimum=3)
    kept = ccc.remove_small(view, 3)
    np.testing.assert_array_equal(kept.to(torch.float32).numpy(), expected)
    assert set(core.calls) == {(1004, 4)}


@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "float16", "bfloat16", "float64"])
def test_torch_by_value(torch, core, name):
    array = np.random.default_rng(1).integers(0, 3, (2, 20, 21))
    image = torch.from_numpy(array).to(getattr(torch, name))
    options = {"by_value": True, "spatial_dims": 2, "background": None}
    columns = ccc.component_statistics(image, **options)
    expected = ccc.component_statistics(image.double().numpy(), **options)
    assert list(columns) == list(expected) and columns["value"].dtype == image.dtype
    for column_name, column in columns.items():
        np.testing.assert_array_equal(column.double().numpy(), expected[column_name])


@pytest.mark.parametrize("name", ["bool", "uint8", "int64"])
def test_torch_measure(torch, core, name):
    image = torch.from_numpy(np.random.default_rng(1).integers(0, 3, (20, 21))).to(getattr(torch, name))
    labels, count = measure.label(image, return_num=True)
    expected, n = measure.label(image.numpy(), return_num=True)
    assert labels.dtype == torch.int32 and count == n
    np.testing.assert_array_equal(labels.numpy(), expected)
    assert set(core.calls) == {(1004, 4)}


@pytest.mark.parametrize("name", ["bool", "uint8", "bfloat16"])
def test_torch_batches(torch, core, name):
    array = noise((2, 4, 6, 7, 34), 0.3, 12)
    image = torch.from_numpy(array).to(getattr(torch, name))
    for view in (image, image[:, 1:], image.permute(1, 0, 4, 3, 2)):
        host = view.to(torch.float32).numpy()
        labels, counts = ccc.label(view, spatial_dims=3, return_num=True)
        expected, n = ccc.label(host, spatial_dims=3, return_num=True)
        np.testing.assert_array_equal(labels.numpy(), expected)
        np.testing.assert_array_equal(counts, n)
        kept = ccc.keep_largest(view, k=2, spatial_dims=3)
        expected = ccc.keep_largest(host, k=2, spatial_dims=3)
        np.testing.assert_array_equal(kept.to(torch.float32).numpy(), expected)
        expected = ccc.component_statistics(host, spatial_dims=3)
        for column, values in ccc.component_statistics(view, spatial_dims=3).items():
            np.testing.assert_array_equal(values.numpy(), expected[column])
    assert len(core.calls) == 9


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "uint32", "int32", "int64"])
def test_torch_relabel(torch, name):
    if not hasattr(torch, name):
        pytest.skip(f"torch {torch.__version__} has no {name}")
    array = noise((20, 7), 0.5, 4, name).repeat(3, axis=1)
    large = array.astype(np.int64) << 50
    for labels in (array, array[:, ::2], array[:0], *([large] if name == "int64" else [])):
        for order in ("size", "label"):
            expected, count = ccc.relabel(labels, order=order, k=9, return_num=True)
            image = torch.from_numpy(labels.astype(np.int64)).to(getattr(torch, name))
            result, n = ccc.relabel(image, order=order, k=9, return_num=True)
            assert n == count and result.dtype == image.dtype
            np.testing.assert_array_equal(result.to(torch.int64).numpy(), expected)
            expected, counts = ccc.relabel(labels, order=order, spatial_dims=1, return_num=True)
            result, n = ccc.relabel(image, order=order, spatial_dims=1, return_num=True)
            np.testing.assert_array_equal(n, counts)
            np.testing.assert_array_equal(result.to(torch.int64).numpy(), expected)


@pytest.mark.parametrize("name", ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32"])
def test_torch_per_class(torch, core, name):
    array = np.random.default_rng(3).integers(0, 2 if name == "bool" else 5, (2, 9, 11))
    image = torch.from_numpy(array).to(getattr(torch, name))
    for dims, background in itertools.product((None, 2), (0, None)):
        options = {"by_value": True, "background": background, "spatial_dims": dims}
        for call in (
            lambda image: ccc.keep_largest(image, k=2, **options),
            lambda image: ccc.remove_small(image, {1: 3}, **options),
            lambda image: ccc.fill_holes(image, overwrite=True, **options),
        ):
            found = call(image)
            assert found.dtype == image.dtype
            np.testing.assert_array_equal(found.to(torch.int64).numpy(), call(array))
    if "int" in name:
        intensities = torch.from_numpy(array * 0.5)
        for second, other, *more in ((), ()), ((intensities,), (array * 0.5,), "intensity_std", "first_element"):
            properties = ("label", "bbox", "centroid", "touches_border", *more)
            found = ccc.label_statistics(image, *second, properties=properties, spatial_dims=2)
            expected = ccc.label_statistics(array, *other, properties=properties, spatial_dims=2)
            assert found["label"].dtype == image.dtype
            for column, values in found.items():
                np.testing.assert_array_equal(values.numpy(), expected[column])


def test_torch_out(torch, core, monkeypatch):
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: core.released.append("torch"))
    image = torch.from_numpy(noise((20, 21), 0.3, 12).astype(np.int32))
    for call in (ccc.label, ccc.keep_largest, ccc.relabel):
        for make_out in (image.clone, lambda: image.new_zeros((20, 42))[:, ::2]):
            out = make_out()
            version, core.waits = out._version, 0
            core.lacks_memory = call is not ccc.relabel
            assert call(image, out=out) is out
            assert out._version > version
            # The engine waits for what it writes.
            assert core.waits == (call is ccc.relabel or not out.is_contiguous())
            assert core.released == ["torch"] * (call is not ccc.relabel)
            core.released.clear()
        with pytest.raises(ValueError, match="opposite sign"):
            call(image, out=torch.ones((20, 21), dtype=torch.complex64).conj().imag)
        with pytest.raises(ValueError, match="elements of out share memory"):
            call(image, out=image[:1].clone().expand(20, 21))
        with pytest.raises(ValueError, match="out requires gradients"):
            call(image, out=torch.zeros(image.shape, requires_grad=True))


def test_torch_refuses_what_it_refuses_in_host_memory(torch, core):
    import test_torch

    test_torch.test_images_that_require_gradients_are_not_copied(ccc.keep_largest)
    core.calls.clear()
    for rows, error in (
        (test_torch.TRACERS, RuntimeError),
        (test_torch.UNUSUAL_TENSORS, TypeError),
    ):
        for use, text in rows:
            for call in (ccc.label, ccc.keep_largest, ccc.component_statistics):
                if "meta tensors" in text:
                    text = "no elements in memory"  # library_of() of the test does not refuse them
                with pytest.raises(error, match=text):
                    use(lambda image: call(image), torch.ones(2, 3))
    assert not core.calls


def test_torch_metadata(torch):
    import test_torch

    test_torch.test_metadata()


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float16, np.float64])
@pytest.mark.parametrize("values", [(1, 1), (1, 2), (2, 2.5), (1, np.nan), (1, 2, np.nan)])
def test_cupy_values_give_the_warnings_of_the_host(cupy, dtype, values):
    if np.dtype(dtype).kind != "f" and np.isnan(values).any():
        pytest.skip("integers have no NaN")
    array = np.array([values, values[::-1], (0,) * len(values)]).astype(dtype)
    for call in (
        ccc.label,
        ccc.keep_largest,
        lambda image, **options: ccc.remove_small(image, 1, **options),
        ccc.component_statistics,
    ):
        texts = []
        for image in (array, CupyArray(array)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call(image)
            assert all(warning.filename == __file__ for warning in caught)
            texts.append([str(warning.message) for warning in caught])
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                call(image, lower=1)
                call(image, mask=image)
        assert texts[0] == texts[1]


def test_masks_of_another_memory(cupy):
    array = noise((20, 21), 0.8, 2)
    with pytest.raises(TypeError, match="the mask is in device memory"):
        ccc.label(array, mask=CupyArray(array))
    for mask in (array, array.tolist()):
        with pytest.raises(TypeError, match="pass a CuPy array"):
            ccc.label(CupyArray(array), mask=mask)
    with pytest.raises(ValueError, match="mask must be on the device"):
        ccc.label(CupyArray(array), mask=CupyArray(array, 1))


def test_cupy_relabel(cupy):
    blobs = noise((20, 7), 0.5, 4, np.int16).repeat(3, axis=1)
    for labels in (np.abs(blobs), blobs, blobs.astype(np.int64) << 50, blobs[:, ::2], blobs[:0]):
        for order, arguments in itertools.product(
            ("size", "label"), ({}, {"min_size": 3}, {"k": 5}, {"min_size": 2, "k": 5})
        ):
            expected, count = ccc.relabel(labels, order=order, return_num=True, **arguments)
            result, n = ccc.relabel(CupyArray(labels), order=order, return_num=True, **arguments)
            assert n == count and result.dtype == labels.dtype
            np.testing.assert_array_equal(result.get(), expected)
    for labels in (np.abs(blobs), blobs.astype(np.int64) << 50, np.abs(blobs).astype(int) + (1 << 19)):
        batch = labels.reshape((5, 2, 2, 21))
        for axes, order, k in itertools.product((1, 2, 3), ("size", "label"), (None, 2)):
            options = {"order": order, "k": k, "min_size": 2, "return_num": True}
            expected, counts = ccc.relabel(batch, spatial_dims=axes, **options)
            result, n = ccc.relabel(CupyArray(batch), spatial_dims=axes, **options)
            assert result.dtype == labels.dtype and n.dtype == np.int64
            np.testing.assert_array_equal(n, counts)
            np.testing.assert_array_equal(result.get(), expected)
    for shape, axes in (((0, 4), 1), ((3, 0), 1)):
        empty = CupyArray(np.zeros(shape, np.int16))
        assert ccc.relabel(empty, spatial_dims=axes, return_num=True)[1].shape == shape[:-axes]
    for image, error, text in (
        (np.ones((2, 2, 2, 2), np.int16), ValueError, "not 4: for a batch, pass spatial_dims=3"),
        (np.ones((2, 2), np.float32), TypeError, r"not float32: convert the labels first: labels.as"),
    ):
        with pytest.raises(error, match=text):
            ccc.relabel(CupyArray(image))
    with pytest.raises(ccc.LabelOverflowError):
        wide = np.arange(1000, dtype=np.int32)
        ccc.relabel(CupyArray(wide), out=CupyArray(np.empty(1000, np.uint8)))


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.int64, np.uint64, np.float16, np.float64])
@pytest.mark.parametrize("background", [0, 1, None])
def test_cupy_per_class(cupy, dtype, background):
    random = np.random.default_rng(5)
    values = np.array([0, 1, 1, 2, 3, 250]).astype(dtype)
    if np.dtype(dtype).kind == "f":
        values = np.append(values, [np.nan, -0.0]).astype(dtype)
    for shape, axes in (((9, 14), None), ((3, 6, 7), None), ((2, 5, 8, 6), 3), ((2, 2, 11), 1), ((0, 4), None)):
        host = random.choice(values, shape)
        for order in "CF":
            host = np.asarray(host, order=order)
            image, options = CupyArray(host, 3), {"spatial_dims": axes, "background": background, "by_value": True}
            for call in (
                lambda image, **o: ccc.keep_largest(image, k=2, **o),
                lambda image, **o: ccc.keep_largest(image, across_values=True, **o),
                lambda image, **o: ccc.remove_small(image, 3, **o),
                lambda image, **o: ccc.remove_small(image, {1: 4, 2: 2}, **o),
                lambda image, **o: ccc.fill_holes(image, **o),
                lambda image, **o: ccc.fill_holes(image, overwrite=True, connectivity=None, max_size=9, **o),
            ):
                expected = call(host, **options)
                np.testing.assert_array_equal(call(image, **options).get(), expected)
                out = CupyArray(host.copy(), 3)
                assert call(out, out=out, **options) is out
                np.testing.assert_array_equal(out.get(), expected)


def test_cupy_label_statistics(cupy):
    random = np.random.default_rng(6)
    for dtype in (np.int8, np.uint16, np.int64, np.uint64):
        for shape, axes in (((9, 14), None), ((2, 5, 8, 6), 3), ((3, 0), 1)):
            labels = random.choice(np.array([0, 1, 7, -3, 100]).astype(dtype), shape)
            inner = np.zeros(shape, bool)
            inner[(..., *[slice(1, -1)] * (axes or 2))] = True
            labels[(labels == 7) & ~inner] = 0
            intensities = random.normal(size=shape).astype(np.float32)
            for options in (
                {},
                {"background": None},
                {"properties": ("touches_border", "label", "extent", "centroid", "num_pixels")},
                {"properties": ("label", "first_element")},
                {"properties": _table.PROPERTIES_OF_LABELS},
            ):
                second = (intensities,) if options.get("properties") is _table.PROPERTIES_OF_LABELS else ()
                expected = ccc.label_statistics(labels, *second, spatial_dims=axes, **options)
                second = tuple(CupyArray(each, 2) for each in second)
                found = ccc.label_statistics(CupyArray(labels, 2), *second, spatial_dims=axes, **options)
                assert list(found) == list(expected)
                for name, column in found.items():
                    assert column.device.id == 2 and column.dtype == expected[name].dtype
                    np.testing.assert_array_equal(column.get(), expected[name])
    with pytest.raises(ValueError, match="the intensities must be on the device"):
        ccc.label_statistics(CupyArray(labels), CupyArray(intensities, 1), spatial_dims=1)


def test_cupy_fills_holes(cupy):
    of_scipy = scipy.ndimage.binary_fill_holes
    for shape in ((9, 14), (3, 1, 7)):
        array = noise(shape, 0.7, 9)
        filled = ndimage.binary_fill_holes(CupyArray(array, 1))
        np.testing.assert_array_equal(filled.get(), of_scipy(array))
        assert filled.device.id == 1
    array = noise((6, 7), 0.7, 9)
    filled = ndimage.binary_fill_holes(CupyArray(array, 1), axes=(0,))
    np.testing.assert_array_equal(filled.get(), np.apply_along_axis(of_scipy, 0, array))  # older ones have no axes
    assert filled.device.id == 1
    array = noise((3, 6, 7), 0.7, 9)
    filled = ccc.fill_holes(CupyArray(array, 1), value=7, spatial_dims=2)
    np.testing.assert_array_equal(filled.get(), ccc.fill_holes(array, value=7, spatial_dims=2))
    assert filled.device.id == 1


@pytest.mark.parametrize("step", ["columns", "table"])
@pytest.mark.parametrize("error", [MemoryError("full"), RuntimeError("CUDA error: out of memory")])
def test_tables_when_the_library_lacks_memory(cupy, core, monkeypatch, step, error):
    array = noise((2, 9, 10, 11), 0.3, 4)
    options = {"spatial_dims": 3, "properties": ("label", "centroid", "area_bbox")}
    expected = ccc.component_statistics(array, **options)
    place, name = (cupy, "empty") if step == "columns" else (CupyArray, "astype")
    original, errors = getattr(place, name), [error]

    def fail_once(*arguments):
        if errors and (step == "table" or len(arguments[0]) == 2):  # all columns are one array
            raise errors.pop()
        return original(*arguments)

    monkeypatch.setattr(place, name, fail_once)
    columns = ccc.component_statistics(CupyArray(array), **options)
    assert not errors and core.released == ["cupy"]
    for column, values in expected.items():
        np.testing.assert_array_equal(columns[column].get(), values)
    errors.append(RuntimeError("another error"))
    with pytest.raises(RuntimeError, match="another error"):
        ccc.component_statistics(CupyArray(array), **options)


@pytest.mark.parametrize(
    "call",
    [
        ccc.label,
        ccc.keep_largest,
        lambda image: ccc.keep_largest(image, out=image),
        lambda image: ccc.component_statistics(image)["area"],
    ],
)
def test_memory_that_the_library_keeps_is_released(cupy, core, call):
    array = noise((20, 21), 0.3, 8)
    expected = call(CupyArray(array.copy())).get().copy()
    core.lacks_memory = 1
    np.testing.assert_array_equal(call(CupyArray(array.copy())).get(), expected)
    assert core.released == ["cupy"]
    core.lacks_memory = 2
    with pytest.raises(ccc.CudaError, match="out of memory"):
        call(CupyArray(array.copy()))
    assert core.released == ["cupy"] * 2


CALLS = [
    ccc.label,
    ccc.keep_largest,
    lambda image, **options: ccc.remove_small(image, 2, **options),
    ccc.relabel,
]


@pytest.mark.parametrize("call", [*CALLS, ccc.component_statistics])
def test_a_stream_that_captures_a_graph(cupy, core, call):
    image = CupyArray(noise((20, 21), 0.3, 8))
    core.is_capturing = True
    with pytest.raises(RuntimeError, match="the stream captures a CUDA graph, and this function waits"):
        call(image)
    assert not core.calls and not FakeDevice.current
    core.is_capturing = False
    call(image)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda image: ccc.label(image, device="cpu"), ValueError, "device is for images in host"),
        (lambda image: ccc.label(image, connectivity=7), ValueError, "connectivity=7"),
        (lambda image: ccc.label(image, out=np.empty((4, 5), np.int32)), TypeError, "pass a CuPy"),
        (lambda image: ccc.label(image, mask=np.ones((4, 5))), TypeError, "pass a CuPy"),
        (
            lambda image: ccc.label(image, out=CupyArray(np.empty((5, 4), np.int32))),
            ValueError,
            "out has the shape",
        ),
        *(
            (
                lambda image, call=call: call(image, out=CupyArray(np.empty((4, 5), np.uint8), 1)),
                ValueError,
                "out must be on the device of the image",
            )
            for call in CALLS
        ),
        (
            lambda image: ccc.label(image, out=CupyArray(np.empty((4, 5), np.float32))),
            TypeError,
            "labels are integers",
        ),
        (
            lambda image: ccc.label(CupyArray(np.ones((2, 2, 2, 2)))),
            ValueError,
            "not 4: for a batch, pass spatial_dims=3",
        ),
        (lambda image: ccc.label(CupyArray(np.ones((2, 2), complex))), TypeError, "abs"),
        (
            lambda image: ccc.keep_largest(image, out=CupyArray(np.empty((4, 5), np.int32))),
            TypeError,
            "out has the type int32, and the image uint8",
        ),
        (
            lambda image: ccc.keep_largest(image, out=CupyArray(np.empty((5, 4), np.uint8))),
            ValueError,
            "out has the shape",
        ),
        (
            lambda image: ccc.label(image, out=CupyArray(np.broadcast_to(np.int32(0), (4, 5)))),
            ValueError,
            "elements of out share memory",
        ),
        (lambda image: ccc.label(image, lower=np.nan), ValueError, "NaN"),
    ],
)
def test_cupy_errors(cupy, call, error, text):
    with pytest.raises(error, match=text):
        call(CupyArray(np.ones((4, 5), np.uint8)))


class Interface:
    """An object of an unknown library, with __cuda_array_interface__."""

    def __init__(self, array, stream=None, read_only=False):
        self._array = array
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, read_only),
            "strides": array.strides,
            "stream": stream,
        }


def test_cuda_array_interface_of_a_batch(core):
    array = noise((2, 3, 20, 21), 0.3, 5, np.int16)
    out = np.empty(array.shape, np.int32)
    target = Interface(out)
    labels, counts = ccc.label(Interface(array), spatial_dims=2, out=target, return_num=True)
    expected, n = ccc.label(array, spatial_dims=2, return_num=True)
    assert labels is target
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(counts, n)
    with pytest.raises(ValueError, match="not 4: for a batch, pass spatial_dims=3"):
        ccc.label(Interface(array), out=target)
    with pytest.raises(ValueError, match="connectivity=6 is not possible with 2 dimensions"):
        ccc.label(Interface(array), spatial_dims=2, connectivity=6, out=target)


def test_cuda_array_interface(core):
    array = noise((20, 21, 22), 0.3, 5, np.int16)
    out = np.empty(array.shape, np.int32)
    target = Interface(out)
    labels, count = ccc.label(
        Interface(array, stream=77), connectivity=1, out=target, return_num=True
    )
    expected, expected_count = label_by_scipy(array, False)
    assert labels is target and count == expected_count
    np.testing.assert_array_equal(out, expected)
    assert core.calls == [(77, _core.CURRENT_DEVICE)]
    for call, error, text in [
        (lambda: ccc.label(Interface(array)), TypeError, "pass out=, or convert"),
        (lambda: ccc.keep_largest(Interface(array)), TypeError, "convert it with cupy.asarray"),
        (lambda: ccc.label(Interface(array[::2]), out=target), ValueError, "contiguous in C order"),
        (
            lambda: ccc.label(Interface(array), out=Interface(out, read_only=True)),
            ValueError,
            "out is read-only",
        ),
        (lambda: ccc.label(Interface(array), out=Interface(out[0].copy())), ValueError, "shape"),
        (lambda: ccc.label(Interface(array), out=out), TypeError, "out must be in device memory"),
        (lambda: ccc.label(Interface(array), lower=1, out=target), TypeError, "need an array of"),
        (lambda: ccc.label(Interface(array.astype(">i2")), out=target), TypeError, "byte order"),
        (lambda: ccc.label(Interface(out), out=target), ValueError, "out must not overlap"),
        (
            lambda: ccc.label(Interface(array, stream=7), out=Interface(out, stream=8)),
            ValueError,
            "two streams",
        ),
    ]:
        with pytest.raises(error, match=text):
            call()


class Dlpack:
    """An object of an unknown library, with DLPack in the memory of GPU 2."""

    def __init__(self, array):
        self._array = array
        self.streams = []

    def __dlpack_device__(self):
        return (2, 2)

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self._array.__dlpack__()


def test_dlpack(core):
    array = noise((20, 21), 0.3, 6, np.float32)
    out = np.empty(array.shape, np.uint16)
    image, target = Dlpack(array), Dlpack(out)
    assert ccc.label(image, out=target) is target
    np.testing.assert_array_equal(out, label_by_scipy(array, True)[0])
    assert image.streams == target.streams == [1]
    assert core.calls == [(0, 2)]
    target.__dlpack_device__ = lambda: (2, 3)
    with pytest.raises(ValueError, match="out must be on the device of the image"):
        ccc.label(image, out=target)


class VersionedDlpack(Dlpack):
    """An object that says whether it is read-only to those who ask for version 1.0 only."""

    def __dlpack__(self, stream=None, max_version=None):
        self.streams.append(stream)
        if max_version is None:
            interface = dict(self._array.__array_interface__)
            interface["data"] = (interface["data"][0], False)
            return np.asarray(_images._Memory(interface, self._array)).__dlpack__()
        return self._array.__dlpack__(max_version=max_version)


def test_read_only_dlpack(core):
    array = noise((20, 21), 0.3, 6, np.float32)
    out = np.empty(array.shape, np.int32)
    try:
        out.__dlpack__(max_version=(1, 0))
    except TypeError:
        pytest.skip(f"NumPy {np.__version__} has no versions of DLPack")
    array.flags.writeable = False
    image, target = VersionedDlpack(array), VersionedDlpack(out)
    ccc.label(image, out=target)
    np.testing.assert_array_equal(out, label_by_scipy(array, True)[0])
    assert image.streams == target.streams == [1]
    out[...] = 7
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        ccc.label(image, out=target)
    assert (out == 7).all()


def test_dlpack_is_exported_for_the_stream_of_the_other_array(core):
    array = noise((20, 21), 0.3, 6, np.float32)
    out = np.empty(array.shape, np.uint16)
    image = Dlpack(array)
    ccc.label(image, out=Interface(out, stream=77))
    target = Dlpack(out)
    ccc.label(Interface(array, stream=78), out=target)
    assert image.streams == [77] and target.streams == [78]
    assert [stream for stream, _ in core.calls] == [77, 78]


def test_objects_with_dlpack_on_the_host_are_arrays():
    array = noise((20, 21), 0.3, 7)

    class OnHost:
        def __init__(self):
            self.__array_interface__ = array.__array_interface__

        def __dlpack_device__(self):
            return (1, 0)

    np.testing.assert_array_equal(ccc.label(OnHost()), label_by_scipy(array, True)[0])


class ManagedArray(np.ndarray):
    """An array of Numba in managed memory: NumPy and the GPU see it."""

    @property
    def __cuda_array_interface__(self):
        return Interface(self.view(np.ndarray)).__cuda_array_interface__


class PinnedArray(np.ndarray):
    """An array of NumPy that has DLPack in the memory of GPU 2."""

    def __dlpack_device__(self):
        return (2, 2)

    def __dlpack__(self, stream=None):
        return self.view(np.ndarray).__dlpack__()


@pytest.mark.parametrize("kind", [ManagedArray, PinnedArray])
def test_arrays_in_both_memories_stay_on_the_device(core, kind):
    array = noise((20, 21), 0.3, 7)
    image, out = array.view(kind), np.empty(array.shape, np.int32)
    ccc.label(image, out=Interface(out))
    np.testing.assert_array_equal(out, label_by_scipy(array, True)[0])
    assert len(core.calls) == 1
    for call in (ccc.label, ndimage.label):
        with pytest.raises(TypeError, match="pass out="):
            call(image)
    with pytest.raises(TypeError, match="the mask is in device memory"):
        ccc.label(array, mask=image)


def test_classes_with_both_memories_can_be_on_the_host():
    xarray = pytest.importorskip("xarray")

    class HostDataArray(xarray.DataArray):
        __slots__ = ()

        def __dlpack_device__(self):
            return (1, 0)

    image = HostDataArray(noise((20, 21), 0.3, 7))
    assert type(ccc.label(image)) is HostDataArray


@pytest.fixture
def itk(core, monkeypatch):
    """itk with a CudaImage, which is an itk.Image without a view in host memory."""
    itk = pytest.importorskip("itk")

    class CudaImage:
        __module__ = "itk.itkCudaImagePython"

        def __init__(self, image):
            self.image = image
            self.host_pixels = None  # from before the first work on the device

        def __getattr__(self, name):
            return getattr(self.image, name)

        def SetRegions(self, region):
            before = self.image.GetBufferedRegion()
            self.image.SetRegions(region)
            if self.host_pixels is not None and self.image.GetBufferedRegion() != before:
                # itk.CudaImage frees the memory of the device.
                itk.array_view_from_image(self.image)[...] = self.host_pixels

        @property
        def __cuda_array_interface__(self):
            raise TypeError("images without pixels have no address")

        @classmethod
        def New(cls):
            return cls(cls.image_type.New())

        def CopyInformation(self, other):
            self.image.CopyInformation(other.image)

        def GetCudaDataManager(self):
            view = itk.array_view_from_image(self.image)
            address = None if view is None else view.ctypes.data
            if view is not None and self.host_pixels is None:
                self.host_pixels = view.copy()
            return types.SimpleNamespace(GetGPUBufferPointer=lambda: address)

    class Template(dict):
        def __missing__(self, key):
            if key[0] in (itk.UI, itk.SI):
                raise KeyError(key)
            self[key] = type("CudaImage", (CudaImage,), {"image_type": itk.Image[key]})
            return self[key]

    monkeypatch.setattr(itk, "CudaImage", Template(), raising=False)
    return itk


def cuda_image_of(itk, array, origin=(10.0, -20.0, 30.0)):
    """Return an itk.CudaImage with a spacing, an origin and a first index."""
    host = itk.image_from_array(array)
    image = itk.CudaImage[itk.template(host)[1]].New()
    region = itk.ImageRegion[array.ndim]([-3, 5, 7][: array.ndim], list(array.shape[::-1]))
    image.SetRegions(region)
    image.Allocate()
    itk.array_view_from_image(image.image)[...] = array
    image.SetSpacing([0.5, 2.0, 3.0][: array.ndim])
    image.SetOrigin(list(origin[: array.ndim]))
    return image


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
@pytest.mark.parametrize("shape", [(20, 21), (9, 10, 11)])
def test_itk_cuda_image(itk, core, dtype, shape):
    array, other = noise(shape, 0.3, 1, dtype), noise(shape, 0.6, 2)
    image, mask = cuda_image_of(itk, array), cuda_image_of(itk, other)
    out = itk.CudaImage[itk.US, len(shape)].New()
    out.SetRegions(list(shape[::-1]))
    out.Allocate()
    voxel = math.prod((0.5, 2.0, 3.0)[: len(shape)])
    for result, pixel, expected in [
        (ccc.label(image), itk.UL, label_by_scipy(array, True)[0]),
        (ccc.label(image, connectivity=1), itk.UL, label_by_scipy(array, False)[0]),
        (ccc.label(image, lower=2, mask=mask), itk.UL, ccc.label(array, lower=2, mask=other)),
        (ccc.label(image, dtype=np.uint16), itk.US, label_by_scipy(array, True)[0]),
        (ccc.label(image, out=out), itk.US, label_by_scipy(array, True)[0]),
        (ndimage.label(image)[0], itk.UL, label_by_scipy(array, False)[0]),
        (ccc.keep_largest(image), None, keep_by_loop(array, True, k=1)),
        (
            ccc.remove_small(image, 2.5 * voxel, spacing="image"),
            None,
            keep_by_loop(array, True, minimum=3),
        ),
    ]:
        assert type(result) is (type(image) if pixel is None else itk.CudaImage[pixel, len(shape)])
        np.testing.assert_array_equal(itk.array_view_from_image(result.image), expected)
        assert result.GetBufferedRegion() == image.GetBufferedRegion()
        assert result.GetSpacing() == image.GetSpacing()
        assert result.GetOrigin() == image.GetOrigin()
    assert ccc.keep_largest(image, out=image) is image
    largest = itk.array_view_from_image(image.image)
    np.testing.assert_array_equal(largest, keep_by_loop(array, True, k=1))
    assert set(core.calls) == {(0, _core.CURRENT_DEVICE)}


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda itk, image: ccc.component_statistics(image), TypeError, r"cupy.asarray\(image"),
        (lambda itk, image: ccc.relabel(image), TypeError, "torch.as_tensor"),
        (lambda itk, image: ccc.label(image, device="cpu"), ValueError, "device is for images in"),
        (lambda itk, image: ccc.label(image, spatial_dims=1), ValueError, "is for arrays"),
        (lambda itk, image: ccc.label(image, dtype=np.int32), TypeError, "no 2-D CudaImage of int"),
        (lambda itk, image: ccc.label(image, mask=np.ones((4, 5))), TypeError, "an itk.CudaImage"),
        (lambda itk, image: ccc.label(image, out=np.ones((4, 5), int)), TypeError, "not ndarray"),
        (lambda itk, image: ccc.label(image, out=image), ValueError, "must not overlap the image"),
        (
            lambda itk, image: ccc.label(image, mask=cuda_image_of(itk, np.ones((4, 5)), (0, 0))),
            ValueError,
            "mask does not occupy the physical space of the image",
        ),
        (lambda itk, image: ccc.label(itk.CudaImage[itk.UC, 2].New()), ValueError, "has no pixels"),
        (lambda itk, image: ccc.label(image.image, out=image), TypeError, "out is in device mem"),
        (lambda itk, image: ccc.label(image.image, mask=image), TypeError, "mask is in device mem"),
    ],
)
def test_itk_cuda_image_errors(itk, call, error, text):
    array = np.ones((4, 5), np.uint8)
    image = cuda_image_of(itk, array)
    with pytest.raises(error, match=text):
        call(itk, image)
    np.testing.assert_array_equal(itk.array_view_from_image(image.image), array)


def test_libraries_are_found_by_their_types():
    assert _images.library_of(np.zeros(3)) is _images.library_of(np.zeros(3).view(np.recarray))
    assert _images.library_of([1]) is _images.library_of(np.zeros(3))
