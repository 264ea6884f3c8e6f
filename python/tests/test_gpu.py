"""CuPy and PyTorch on a GPU."""

import concurrent.futures
import contextlib
import itertools
import multiprocessing
import warnings

import numpy as np
import pytest
from conftest import DTYPES, keep_by_loop, label_by_scipy, noise

import cuda_connected_components as ccc
from cuda_connected_components import _exchange, _images

_reason = ccc.backend_info()["cuda_reason"]
pytestmark = pytest.mark.skipif(bool(_reason), reason=f"there is no GPU: {_reason}")


class Cupy:
    def __init__(self):
        self.xp = pytest.importorskip("cupy")
        self.place = {}

    def array(self, array):
        return self.xp.asarray(array)

    def host(self, array):
        assert isinstance(array, self.xp.ndarray)
        return array.get()

    def dtype(self, array):
        return array.dtype.name

    def is_idle(self):
        return self.xp.cuda.get_current_stream().done

    @contextlib.contextmanager
    def capture(self):
        stream = self.xp.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            yield
            stream.end_capture()


class Torch:
    def __init__(self):
        self.xp = pytest.importorskip("torch")
        self.place = {"device": "cuda"}

    def array(self, array):
        return self.xp.as_tensor(np.ascontiguousarray(array), device="cuda")

    def host(self, array):
        assert isinstance(array, self.xp.Tensor) and array.is_cuda
        return array.cpu().numpy()

    def dtype(self, array):
        return str(array.dtype).rpartition(".")[2]

    def is_idle(self):
        return self.xp.cuda.current_stream().query()

    def capture(self):
        return self.xp.cuda.graph(self.xp.cuda.CUDAGraph(), capture_error_mode="thread_local")


@pytest.fixture(params=[Cupy, Torch])
def library(request):
    return request.param()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("full", [False, True])
def test_results(library, dtype, full):
    connectivity = None if full else 1
    for seed, shape in enumerate([(57,), (33, 41), (13, 9, 35), (70, 65, 66)]):
        array = noise(shape, 0.3, seed, dtype)
        image = library.array(array)
        labels, count = ccc.label(image, connectivity=connectivity, return_num=True)
        expected, expected_count = label_by_scipy(array, full)
        assert count == expected_count and library.dtype(labels) == "int32"
        np.testing.assert_array_equal(library.host(labels), expected)
        for k in (1, 2, 300):
            kept = ccc.keep_largest(image, k=k, connectivity=connectivity)
            assert library.dtype(kept) == np.dtype(dtype).name
            np.testing.assert_array_equal(library.host(kept), keep_by_loop(array, full, k=k))
        np.testing.assert_array_equal(library.host(image), array)
        columns = ccc.component_statistics(image, connectivity=connectivity)
        for name, column in ccc.component_statistics(array, connectivity=connectivity).items():
            np.testing.assert_array_equal(library.host(columns[name]), column)
        small = ccc.remove_small(image, 3, connectivity=connectivity)
        np.testing.assert_array_equal(library.host(small), keep_by_loop(array, full, minimum=3))
    assert ccc.backend_info()["last_backend"] == "cuda"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("full", [False, True])
def test_batches(library, dtype, full):
    for leading, spatial in itertools.product(
        [(), (1,), (5,), (2, 3), (0,), (4, 0)], [(57,), (33, 41), (13, 9, 35), (0, 4, 5)]
    ):
        ndim = len(spatial)
        options = {"connectivity": None if full else 1, "spatial_dims": ndim}
        array = noise(leading + spatial, 0.3, ndim, dtype)
        image = library.array(array)
        labels, counts = ccc.label(image, return_num=True, **options)
        expected, n = ccc.label(array, return_num=True, device="cpu", **options)
        assert library.dtype(labels) == "int32" and type(counts) is type(n)
        np.testing.assert_array_equal(library.host(labels), expected)
        np.testing.assert_array_equal(counts, n)
        for call in (
            lambda image, **o: ccc.keep_largest(image, k=1, **o),
            lambda image, **o: ccc.keep_largest(image, k=3, **o),
            lambda image, **o: ccc.remove_small(image, 3, **o),
        ):
            kept = call(image, **options)
            expected = call(array, device="cpu", **options)
            np.testing.assert_array_equal(library.host(kept), expected)
        columns = ccc.component_statistics(image, **options)
        expected = ccc.component_statistics(array, device="cpu", **options)
        assert list(columns) == list(expected)
        for name, column in columns.items():
            np.testing.assert_array_equal(library.host(column), expected[name])


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_value(library, dtype):
    random = np.random.default_rng(1)
    for leading, spatial in itertools.product([(), (2, 3), (0,)], [(57,), (33, 41), (13, 9, 35), (0, 4, 5)]):
        array = random.integers(0, 3, leading + spatial).astype(dtype)
        mask = random.random(array.shape) < 0.8
        image = library.array(array)
        for rank, background, masks in itertools.product(
            range(1, len(spatial) + 1), (0, 1, None), ({}, {"mask": mask})
        ):
            options = {"connectivity": rank, "by_value": True, "background": background}
            options["spatial_dims"] = len(spatial)
            on_gpu = {name: library.array(mask) for name in masks}
            labels, counts = ccc.label(image, return_num=True, **options, **on_gpu)
            expected, n = ccc.label(array, return_num=True, device="cpu", **options, **masks)
            np.testing.assert_array_equal(library.host(labels), expected)
            np.testing.assert_array_equal(counts, n)
            columns = ccc.component_statistics(image, **options, **on_gpu)
            expected = ccc.component_statistics(array, device="cpu", **options, **masks)
            assert list(columns) == list(expected)
            assert library.dtype(columns["value"]) == np.dtype(dtype).name
            for name, column in columns.items():
                np.testing.assert_array_equal(library.host(column), expected[name])


@pytest.mark.parametrize(
    "shape, axes",
    [((4900, 4900), 2), ((5400, 5400), 2), ((240, 240, 240), 3), ((300, 290, 310), 3), ((6, 2300, 2000), 2)],
)
def test_many_runs_of_values(library, shape, axes):
    """Images whose runs fit into the memory that a call takes before it knows their number, and larger ones."""
    random = np.random.default_rng(len(shape))
    array = random.integers(0, 5, shape, dtype=np.uint32)
    image = library.array(array)
    options = {"by_value": True, "background": None, "spatial_dims": axes}
    for masks in ({}, {"mask": random.random(shape) < 0.7}):
        on_gpu = {name: library.array(mask) for name, mask in masks.items()}
        expected, n = ccc.label(array, return_num=True, device="cpu", **options, **masks)
        labels, count = ccc.label(image, return_num=True, **options, **on_gpu)
        np.testing.assert_array_equal(count, n)
        np.testing.assert_array_equal(library.host(labels), expected)
    columns = ccc.component_statistics(image, **options)
    expected = ccc.component_statistics(array, device="cpu", **options)
    for name, column in columns.items():
        np.testing.assert_array_equal(library.host(column), expected[name])
    kept = ccc.remove_small(image, 3, **options)
    np.testing.assert_array_equal(library.host(kept), ccc.remove_small(array, 3, device="cpu", **options))
    ccc.label(image, **options, out=image)
    np.testing.assert_array_equal(library.host(image), ccc.label(array, device="cpu", **options))


@pytest.mark.parametrize("side", [5000, 8200])
def test_many_runs_of_a_mask(library, side):
    array = np.indices((side, side), dtype=np.uint16).sum(0) % 2 == 1
    labels, count = ccc.label(library.array(array), return_num=True, connectivity=1)
    assert count == array.sum()
    np.testing.assert_array_equal(library.host(labels)[array], np.arange(1, count + 1))
    columns = ccc.component_statistics(library.array(array), connectivity=1)
    assert len(columns["area"]) == count and (columns["area"] == 1).all()


@pytest.fixture(scope="module")
def sparse_volume():
    cubes = np.random.default_rng(1).random((24, 64, 64)) < 0.02
    return cubes.repeat(16, 0).repeat(16, 1).repeat(16, 2)


@pytest.mark.parametrize("connectivity", [1, 3])
def test_few_runs_of_a_volume_that_may_have_many(library, sparse_volume, connectivity):
    options = {"connectivity": connectivity}
    image = library.array(sparse_volume)
    expected = ccc.component_statistics(sparse_volume, device="cpu", **options)
    for name, column in ccc.component_statistics(image, **options).items():
        np.testing.assert_array_equal(library.host(column), expected[name])
    labels = library.host(ccc.label(image, **options))
    np.testing.assert_array_equal(labels, ccc.label(sparse_volume, device="cpu", **options))


def test_memory_for_few_runs_of_many_is_enough(sparse_volume):
    """Calls whose first try takes all memory try again with memory for the runs that there are."""
    cupy = Cupy()
    image = cupy.array(sparse_volume)
    expected = ccc.keep_largest(sparse_volume, device="cpu", connectivity=1)
    pool = cupy.xp.get_default_memory_pool()
    limit = pool.get_limit()
    for mebibytes in range(575, 850, 25):
        pool.free_all_blocks()
        pool.set_limit(pool.total_bytes() + (mebibytes << 20))
        try:
            kept = ccc.keep_largest(image, connectivity=1)
        finally:
            pool.set_limit(limit)
        np.testing.assert_array_equal(kept.get(), expected)
        del kept


def test_by_value_of_bfloat16():
    torch = pytest.importorskip("torch")
    image = torch.randint(0, 3, (13, 9, 35), device="cuda").bfloat16()
    image[image == 2] = torch.nan
    elements = image.float().cpu().numpy()
    for background in (0, 1, None):
        options = {"by_value": True, "background": background}
        assert np.array_equal(ccc.label(image, **options).cpu(), ccc.label(elements, **options))
        values = ccc.component_statistics(image, **options)["value"]
        assert values.dtype == torch.bfloat16
        expected = ccc.component_statistics(elements, **options)["value"]
        np.testing.assert_array_equal(values.float().cpu().numpy(), expected)


@pytest.mark.parametrize("shape", [(150, 131), (37, 61, 70)])
@pytest.mark.parametrize("density", [0.02, 0.2, 0.5, 0.9])
def test_large_batches(library, shape, density):
    # An image alone is labeled by single rows, and so many images together are labeled by row groups.
    pixels = (2**20 if len(shape) == 2 else 12 * 2**20) + 1
    images = np.random.default_rng(5).random((8, *shape)) < density
    array = np.concatenate([images] * (pixels // images.size + 1))
    labels, counts = ccc.label(library.array(array), return_num=True, spatial_dims=len(shape))
    expected, n = ccc.label(images, return_num=True, spatial_dims=len(shape), device="cpu")
    for i in range(8):
        assert (counts[i::8] == n[i]).all()
        assert (library.host(labels)[i::8] == expected[i]).all()
        alone, count = ccc.label(library.array(images[i]), return_num=True)
        assert count == n[i] and (library.host(alone) == expected[i]).all()


def test_batches_with_layouts_limits_masks_and_out(library):
    array, mask = noise((3, 4, 20, 33, 37), 0.8, 1), noise((3, 4, 20, 33, 37), 0.7, 2)
    for view in (
        lambda array: array,
        lambda array: array[:, 1:],
        lambda array: array.swapaxes(0, 1),
        lambda array: array.swapaxes(2, 4),
        lambda array: array[..., ::2, 1:],
    ):
        for ndim, limits in itertools.product((2, 3), ({}, {"lower": 20, "upper": 80})):
            image, where = view(library.array(array)), view(library.array(mask))
            expected = {"mask": view(mask), "spatial_dims": ndim, "device": "cpu", **limits}
            arguments = {"mask": where, "spatial_dims": ndim, **limits}
            labels = ccc.label(view(array), **expected)
            np.testing.assert_array_equal(library.host(ccc.label(image, **arguments)), labels)
            out = view(library.array(np.zeros(array.shape, np.int64)))
            assert ccc.label(image, out=out, **arguments) is out
            np.testing.assert_array_equal(library.host(out), labels)
            assert ccc.keep_largest(image, out=image, **arguments) is image
            kept = ccc.keep_largest(view(array), **expected)
            np.testing.assert_array_equal(library.host(image), kept)


def test_batches_in_host_memory_use_the_gpu():
    for image in (noise((64, 3, 20, 21), 0.3, 11), np.asfortranarray(noise((9, 40, 50), 0.3, 1))):
        labels, counts = ccc.label(image, spatial_dims=2, return_num=True)
        assert ccc.backend_info()["last_backend"] == "cuda"
        expected, n = ccc.label(image, spatial_dims=2, return_num=True, device="cpu")
        np.testing.assert_array_equal(labels, expected)
        np.testing.assert_array_equal(counts, n)
        kept = ccc.keep_largest(image, k=2, spatial_dims=2)
        assert ccc.backend_info()["last_backend"] == "cuda"
        expected = ccc.keep_largest(image, k=2, spatial_dims=2, device="cpu")
        np.testing.assert_array_equal(kept, expected)
        columns = ccc.component_statistics(image, spatial_dims=2)
        assert ccc.backend_info()["last_backend"] == "cuda"
        expected = ccc.component_statistics(image, spatial_dims=2, device="cpu")
        for name, column in columns.items():
            np.testing.assert_array_equal(column, expected[name])


def test_layouts_limits_masks_and_out(library):
    array, mask = noise((40, 33, 37), 0.8, 1), noise((40, 33, 37), 0.7, 2)
    expected = label_by_scipy((array >= 20) & (array <= 80) & (mask != 0), True)[0]
    labels = ccc.label(library.array(array), lower=20, upper=80, mask=library.array(mask))
    np.testing.assert_array_equal(library.host(labels), expected)
    image = library.array(array)[::2, 1:, ::3]
    image = image.permute(2, 1, 0) if hasattr(image, "permute") else image.transpose(2, 1, 0)
    seen = library.host(image)
    np.testing.assert_array_equal(library.host(ccc.label(image)), label_by_scipy(seen, True)[0])
    for dtype in ("uint8", "int16", "int64"):
        out = library.array(np.zeros((33, 37), dtype))
        assert ccc.label(library.array(array[0]), out=out) is out
        np.testing.assert_array_equal(library.host(out), label_by_scipy(array[0], True)[0])
    strided = library.array(np.zeros((33, 74), np.int32))[:, ::2]
    ccc.label(library.array(array[0]), out=strided)
    np.testing.assert_array_equal(library.host(strided), label_by_scipy(array[0], True)[0])
    same = library.array(array.astype(np.int32))
    assert ccc.label(same, out=same) is same
    np.testing.assert_array_equal(library.host(same), label_by_scipy(array, True)[0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_keep_and_out(library, dtype):
    array = noise((33, 36, 37), 0.3, 13, dtype)
    other = noise((33, 36, 37), 0.7, 14)
    limits = {} if dtype == np.uint64 else {"lower": 1, "upper": 60}
    for arguments in ({}, {"mask": other}, limits, {"mask": other, **limits}):
        expected = ccc.keep_largest(array, k=3, connectivity=1, **arguments)
        if "mask" in arguments:
            arguments = {**arguments, "mask": library.array(other)}
        image = library.array(array)
        for make_out in (
            lambda: library.array(np.zeros_like(array)),
            lambda: library.array(np.zeros((66, 36, 37), dtype))[::2],
            lambda: image,
        ):
            out = make_out()
            assert ccc.keep_largest(image, k=3, connectivity=1, out=out, **arguments) is out
            np.testing.assert_array_equal(library.host(out), expected)


def test_keep_and_out_that_overlaps_the_image(library):
    array = noise((42, 40, 40), 0.2, 15)
    for source, target in [
        (lambda memory: memory[1:-1], lambda memory: memory[2:]),
        (lambda memory: memory[1:-1], lambda memory: memory[:-2]),
        (lambda memory: memory[1:-1].swapaxes(0, 2), lambda memory: memory[1:-1]),
        (lambda memory: memory[1:-1], lambda memory: memory[1:-1].swapaxes(0, 2)),
        (lambda memory: memory[1:-1, ::2], lambda memory: memory[1:-1, ::2]),
    ]:
        memory = library.array(array)
        ccc.keep_largest(source(memory), k=3, out=target(memory))
        expected = keep_by_loop(source(array), True, k=3)
        np.testing.assert_array_equal(library.host(target(memory)), expected)


@pytest.mark.parametrize(
    "dtype",
    [
        np.bool_,
        np.uint8,
        np.int8,
        np.uint16,
        np.int32,
        np.uint32,
        np.int64,
        np.float16,
        np.float32,
        np.float64,
    ],
)
def test_limits(library, dtype):
    array = noise((31, 37, 5), 0.8, 12, dtype)
    for lower, upper in [
        (1, None),
        (None, 40),
        (-1, 300),
        (10.5, 60.5),
        (-1e9, 1e9),
        (1e9, 2e9),
        (None, -1e9),
    ]:
        np.testing.assert_array_equal(
            library.host(ccc.label(library.array(array), lower=lower, upper=upper)),
            ccc.label(array, lower=lower, upper=upper),
        )
    large = np.array([2**24 + 1, 0, 2**24], np.int32)
    np.testing.assert_array_equal(
        library.host(ccc.label(library.array(large), lower=2**24 + 0.5)), [1, 0, 0]
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3,), (20, 30, 100)])
def test_values_give_the_warnings_of_the_host(library, dtype, shape):
    rows = [(1,), (2,), (2, 2.5), (2, np.nan), (np.nan,), (2, 0.5, np.nan), (np.inf, 2), (-0.0,)]
    for values in rows if np.dtype(dtype).kind == "f" else rows[:2]:
        array = (noise(shape, 0.3, 1) != 0).astype(dtype)
        array.flat[-1] = 1
        array.flat[: len(values)] = values
        calls = (ccc.label, ccc.keep_largest, ccc.component_statistics)
        for axes, call in itertools.product((len(shape), 1), calls):
            # The second image is strided.
            for on_host, image in (
                (array, library.array(array)),
                (array[..., ::2], library.array(array)[..., ::2]),
            ):
                texts = []
                for each in (on_host, image):
                    with warnings.catch_warnings(record=True) as caught:
                        warnings.simplefilter("always")
                        call(each, spatial_dims=axes)
                    texts.append([str(warning.message) for warning in caught])
                assert texts[0] == texts[1]


@pytest.mark.parametrize("shift", [0, 40])
@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.int32, np.int64])
def test_relabel_any_labels(library, dtype, shift):
    labels = noise((30, 31, 8), 0.5, 3, dtype).repeat(4, axis=2)
    labels = labels << min(shift, 8 * labels.itemsize - 8)
    for view in (labels, labels[::2, :, 1:], labels[:0]):
        for order in ("size", "label"):
            expected = ccc.relabel(view, order=order, min_size=3)
            result = ccc.relabel(library.array(view), order=order, min_size=3)
            np.testing.assert_array_equal(library.host(result), expected)
            expected, counts = ccc.relabel(view, order=order, spatial_dims=2, return_num=True)
            result, n = ccc.relabel(
                library.array(view), order=order, spatial_dims=2, return_num=True
            )
            np.testing.assert_array_equal(library.host(result), expected)
            np.testing.assert_array_equal(n, counts)


@pytest.mark.parametrize("shape", [(3000, 2000), (150, 250, 130), (40, 2000, 100)])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64])
def test_label_statistics_of_large_images_with_gaps(library, dtype, shape):
    """A thread visits several rows of a large image, and some have no label."""
    random = np.random.default_rng(3)
    labels = np.zeros(shape, dtype)
    for _ in range(300):
        corner = random.integers(0, shape)
        labels[tuple(slice(begin, begin + side) for begin, side in zip(corner, random.integers(1, 40, 3)))] = random.integers(1, 120)
    for image in (labels, np.where(labels == 0, random.integers(0, 2, shape, dtype), labels)):
        found = ccc.label_statistics(library.array(image))
        expected = ccc.label_statistics(image, device="cpu")
        assert found.keys() == expected.keys()
        for name in expected:
            np.testing.assert_array_equal(library.host(found[name]), expected[name], name)


def test_relabel(library):
    labels = noise((30, 31, 32), 0.5, 3, np.int16)
    for order in ("size", "label"):
        expected, count = ccc.relabel(labels, order=order, min_size=3, k=50, return_num=True)
        result, n = ccc.relabel(
            library.array(labels), order=order, min_size=3, k=50, return_num=True
        )
        assert n == count and library.dtype(result) == "int16"
        np.testing.assert_array_equal(library.host(result), expected)


def test_empty_and_overflow(library):
    assert ccc.label(library.array(np.zeros((0, 5), np.uint8))).shape == (0, 5)
    image = np.zeros(1000, np.uint8)
    image[::2] = 1
    with pytest.raises(ccc.LabelOverflowError, match="500"):
        ccc.label(library.array(image), dtype="uint8")


def test_torch_streams():
    torch = pytest.importorskip("torch")
    array = noise((300, 300, 300), 0.2, 4)
    expected, _ = label_by_scipy(array, True)
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            host = torch.from_numpy(array).pin_memory()
            torch.cuda._sleep(50_000_000)
            image = host.to("cuda", non_blocking=True)
            # Nothing waits between the calls but the functions themselves.
            doubled = ccc.label(image) * 2
            result = doubled.cpu()
        np.testing.assert_array_equal(result.numpy(), 2 * expected)


@pytest.fixture
def torch_with_table():
    torch = pytest.importorskip("torch")
    if _exchange.table_of(torch) is None:
        pytest.skip(f"torch {torch.__version__} has no table of C functions")
    return torch


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.uint32, np.int64])
def test_the_short_path_of_torch(torch_with_table, device, dtype):
    torch = torch_with_table
    if torch.cuda.device_count() <= device:
        pytest.skip("there is one GPU only")
    for shape in ((57,), (1, 41), (33, 1), (13, 9, 35), (70, 65, 66)):
        array = noise(shape, 0.3, 1, dtype)
        whole = torch.as_tensor(array, device=f"cuda:{device}")
        for image in (whole, whole[..., ::2], whole.movedim(0, -1), whole[..., :1].expand(shape)):
            for connectivity in (None, 1, len(shape)):
                labels, count, _ = _exchange.label(image, connectivity)
                options = {"connectivity": connectivity, "spatial_dims": len(shape), "return_num": True}
                expected, n = ccc.label(image, **options)
                assert count == n and labels.device == image.device and labels.dtype == torch.int32
                assert labels.stride() == expected.stride() and torch.equal(labels, expected)
                for background in (0, None):
                    labels, count, _ = _exchange.label(image, connectivity, True, background is not None)
                    expected, n = ccc.label(image, by_value=True, background=background, **options)
                    assert count == n and torch.equal(labels, expected)
    for image in (whole[:0], whole.float(), whole[None]):
        assert _exchange.label(image) is None
    assert ccc.backend_info()["last_backend"] == "cuda"


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.uint32, np.int64])
def test_the_short_paths_of_selections_and_tables(torch_with_table, dtype):
    torch = torch_with_table
    for shape in ((57,), (1, 41), (33, 1), (300, 301), (13, 9, 35), (70, 65, 66)):
        whole = torch.as_tensor(noise(shape, 0.3, 1, dtype), device="cuda")
        empty, full = (torch.full_like(whole, value) for value in (0, 1))
        cases = [(None, image) for image in (whole, empty, full, whole[..., ::2], whole.movedim(0, -1))]
        for connectivity, image in [*cases, (1, whole), (len(shape), whole)]:
            options = {"connectivity": connectivity, "spatial_dims": len(shape)}
            short, _ = _exchange.measure(image, connectivity)
            table = ccc.component_statistics(image, **options)
            assert list(short) == list(table)
            for name, column in table.items():
                assert short[name].dtype == column.dtype and short[name].device == column.device
                assert torch.equal(short[name], column)
            for short_result, expected in (
                (_exchange.keep(image, connectivity, k=1), ccc.keep_largest(image, **options)),
                (_exchange.keep(image, connectivity, k=3), ccc.keep_largest(image, k=3, **options)),
                (_exchange.keep(image, connectivity, min_size=4), ccc.remove_small(image, 4, **options)),
            ):
                assert (short_result is None) != image.is_contiguous()
                if short_result is not None:
                    kept, _ = short_result
                    assert kept.dtype == image.dtype and kept.stride() == expected.stride()
                    assert torch.equal(kept, expected) and kept.data_ptr() != image.data_ptr()
    for image in (whole[:0], whole.float(), whole[None], whole.cpu()):
        assert _exchange.keep(image, k=1) is None and _exchange.measure(image) is None
    if dtype is np.int64:
        assert _exchange.keep(torch._neg_view(whole), k=1) is None
        with pytest.warns(UserWarning, match="several values") as warned:
            ccc.keep_largest(whole * torch.arange(66, device="cuda"))
            ccc.component_statistics(whole * torch.arange(66, device="cuda"))
        assert [each.filename for each in warned] == [__file__] * 2


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_the_short_path_of_tables_of_labels(torch_with_table, dtype):
    torch = torch_with_table
    random = np.random.default_rng(1)
    limits = np.iinfo(dtype)
    for shape in ((57,), (1, 41), (300, 301), (13, 9, 35), (70, 65, 66)):
        array = random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        array[random.random(shape) < 0.3] = 0
        array[random.random(shape) < 0.3] = limits.max
        whole = torch.as_tensor(array, device="cuda")
        for image in (whole, torch.zeros_like(whole), whole[..., ::2], whole.movedim(0, -1)):
            short = _exchange.measure_labels(image)
            table = ccc.label_statistics(image, spatial_dims=len(shape))
            assert list(short) == list(table)
            for name, column in table.items():
                assert short[name].dtype == column.dtype and short[name].device == column.device
                assert torch.equal(short[name], column)
            expected, areas = np.unique(image.cpu().numpy(), return_counts=True)
            assert short["label"].cpu().numpy().tolist() == expected[expected != 0].tolist()
            assert short["area"].tolist() == areas[expected != 0].tolist()
    for image in (whole[:0], whole != 0, whole.float(), whole[None], whole.cpu()):
        assert _exchange.measure_labels(image) is None
    if dtype is np.int64:
        assert _exchange.measure_labels(torch._neg_view(whole)) is None


def test_the_short_path_of_torch_on_threads_with_streams(torch_with_table):
    torch = torch_with_table

    def work(seed):
        array = noise((40, 41, 42), 0.3, seed)
        with torch.cuda.stream(torch.cuda.Stream()):
            host = torch.from_numpy(array).pin_memory()
            for _ in range(20):
                torch.cuda._sleep(500_000)
                labels, _, _ = _exchange.label(host.to("cuda", non_blocking=True))
                result = (labels * 2).cpu()
                np.testing.assert_array_equal(result, 2 * label_by_scipy(array, True)[0])

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))


def test_the_short_path_of_torch_on_two_streams_in_turn(torch_with_table):
    # A call may return before its labels are written. The next call must not use the same memory for its work.
    torch = torch_with_table
    arrays = [noise((60, 61, 62), density, 1) for density in (0.1, 0.3)]
    images = [torch.as_tensor(array, device="cuda") for array in arrays]
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    torch.cuda.synchronize()
    results = [[], []]
    for _ in range(30):
        for image, stream, found in zip(images, streams, results):
            with torch.cuda.stream(stream):
                found.append(_exchange.label(image))
    torch.cuda.synchronize()
    for array, found in zip(arrays, results):
        expected, count = label_by_scipy(array, True)
        for labels, number, _ in found:
            assert number == count
            np.testing.assert_array_equal(labels.cpu(), expected)
    ccc.trim_memory()
    assert ccc.backend_info()["held_device_bytes"] == 0


def test_memory_of_the_short_path_of_torch(torch_with_table):
    torch = torch_with_table
    image = torch.as_tensor(noise((100, 100, 100), 0.3, 1), device="cuda")
    before = torch.cuda.memory_allocated()
    labels, _, _ = _exchange.label(image)
    # The memory for the work has gone. The allocator knows the labels, so they can be recorded and resized.
    labels.record_stream(torch.cuda.Stream())
    assert 0 <= torch.cuda.memory_allocated() - before - 4 * 100**3 < 1 << 20  # PyTorch rounds up
    labels.resize_(10)
    del labels
    torch.cuda.synchronize()
    torch.empty(1, device="cuda")
    assert torch.cuda.memory_allocated() == before


def test_cupy_streams():
    cupy = pytest.importorskip("cupy")
    array = noise((300, 300, 300), 0.2, 5)
    expected, _ = label_by_scipy(array, True)
    with cupy.cuda.Stream(non_blocking=True):
        image = cupy.asarray(array)
        for _ in range(20):
            image = image + 0
        result = (ccc.label(image) * 2).get()
    np.testing.assert_array_equal(result, 2 * expected)


def test_no_copy_to_the_host():
    torch = pytest.importorskip("torch")
    image = torch.as_tensor(noise((400, 400, 400), 0.2, 6), device="cuda")
    ccc.label(image)
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        labels = ccc.label(image)
        ccc.keep_largest(image)
    copied = [
        event
        for event in profile.events()
        if "Memcpy" in event.name and ("DtoH" in event.name or "HtoD" in event.name)
    ]
    # A copy of the image would take more than a millisecond. Numbers of components are copied.
    kernels = [event for event in profile.events() if event.device_time > 20]
    assert kernels, "the profiler saw no kernel"
    assert sum(event.device_time for event in copied) < 200, [event.name for event in copied]
    assert labels.device == image.device


CALLS = [
    ccc.label,
    ccc.keep_largest,
    lambda image, **options: ccc.remove_small(image, 2, **options),
    ccc.relabel,
]


@pytest.mark.parametrize("call", CALLS)
def test_calls_wait_for_outputs_with_gaps(library, call):
    array = noise((200, 300, 300), 0.3, 6, np.int32)
    image = library.array(array)
    whole = library.array(np.zeros((200, 300, 600), np.int32))
    for _ in range(3):
        call(image, out=whole[..., ::2])
        assert library.is_idle()
    np.testing.assert_array_equal(library.host(whole)[..., ::2], call(array))


@pytest.mark.parametrize("call", CALLS)
def test_torch_out_on_another_device_is_refused(call):
    torch = pytest.importorskip("torch")
    on_host = torch.from_numpy(noise((20, 21), 0.3, 6, np.int32))
    on_device = on_host.cuda()
    for image, out in ((on_device, on_host.clone()), (on_host, on_device.clone())):
        before = out.clone()
        with pytest.raises(ValueError, match="out must be on the device of the image"):
            call(image, out=out)
        assert torch.equal(out, before)


@pytest.mark.parametrize("call", [*CALLS, ccc.component_statistics])
def test_a_stream_that_captures_a_graph(library, call):
    image = library.array(noise((30, 31, 32), 0.3, 6, np.int32))
    call(image)
    doubled = image * 0
    with library.capture():
        doubled += image  # a graph needs some work
        with pytest.raises(RuntimeError, match="captures a CUDA graph, and this function") as info:
            call(image)
        doubled += image
    assert "Enqueue" not in str(info.value)
    call(image)


def test_the_default_stream_while_another_one_captures():
    # Streams of PyTorch do not wait for the default stream. So a call there disturbs no capture.
    torch = pytest.importorskip("torch")
    array = noise((30, 31, 32), 0.3, 6)
    image = torch.as_tensor(array, device="cuda")
    work, default = torch.zeros_like(image), torch.cuda.default_stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        work += 1
        with torch.cuda.stream(default):
            labels = ccc.label(image)
        work += 1
    graph.replay()
    assert torch.all(work == 2)
    np.testing.assert_array_equal(labels.cpu(), label_by_scipy(array, True)[0])


def label_in_child(name, image):
    if name is not None:
        module = __import__(name)
        module.zeros(1, **({"device": "cuda"} if name == "torch" else {}))
    labels = ccc.label(image)
    return labels, ccc.backend_info()["last_backend"]


@pytest.mark.parametrize("name, backend", [(None, "cpu"), ("torch", "cuda"), ("cupy", "cuda")])
def test_a_child_that_has_started_cuda_keeps_the_gpu(name, backend):
    if name is not None:
        pytest.importorskip(name)
    image = noise((70, 65, 66), 0.3, 3)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        labels, used = pool.apply(label_in_child, (name, image))
        assert used == backend
        np.testing.assert_array_equal(labels, label_by_scipy(image, True)[0])
        assert pool.apply(label_in_child, (name, image))[1] == backend


def test_torch_traces_and_compiles():
    torch = pytest.importorskip("torch")
    image = torch.as_tensor(noise((30, 31), 0.3, 3) != 0, device="cuda")

    def work(image):
        labels, count = ccc.label(image * 2, return_num=True)
        return labels + 1, ccc.keep_largest(image) * 3, count

    for result, expected in zip(torch.compile(work, backend="eager")(image), work(image)):
        assert torch.equal(torch.as_tensor(result), torch.as_tensor(expected))
    with pytest.raises(RuntimeError, match="torch.jit.trace records"):
        torch.jit.trace(ccc.label, image)


def test_memory_belongs_to_the_library():
    torch = pytest.importorskip("torch")
    image = torch.zeros((100, 100, 100), dtype=torch.uint8, device="cuda")
    before = torch.cuda.memory_allocated()
    labels = ccc.label(image)
    assert torch.cuda.memory_allocated() - before >= 4 * 100**3
    del labels
    assert torch.cuda.memory_allocated() == before


def test_out_of_memory():
    torch = pytest.importorskip("torch")
    image = torch.as_tensor(noise((400, 400, 400), 0.3, 7), device="cuda")
    expected = label_by_scipy(image.cpu().numpy(), True)[0]
    ccc.trim_memory()
    out = torch.empty(image.shape, dtype=torch.int32, device="cuda")
    hogs, size = [], 1 << 36
    while size >= 1 << 21:
        try:
            hogs.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        except torch.cuda.OutOfMemoryError:
            size //= 2
    with pytest.raises(ccc.CudaError, match="memory"):
        ccc.label(image, out=out)
    del hogs
    torch.cuda.empty_cache()
    np.testing.assert_array_equal(ccc.label(image, out=out).cpu().numpy(), expected)


def test_memory_that_a_library_keeps_is_released(library):
    ccc.trim_memory()
    array = noise((400, 400, 400), 0.3, 7)
    image = library.array(array)
    out = library.array(np.zeros(array.shape, np.int32))
    expected = ccc.label(array, device="cpu")
    hogs, size = [], 1 << 36
    while size >= 1 << 21:
        try:
            hogs.append(library.xp.empty(size, dtype=library.xp.uint8, **library.place))
        except Exception as error:
            assert "memory" in str(error), error
            size //= 2
    hogs.clear()  # the library keeps the memory
    try:
        for call in (
            lambda: ccc.label(image, out=out),
            lambda: ccc.component_statistics(image)["area"].sum(),
            lambda: ccc.keep_largest(image, out=image),
        ):
            call()
    finally:
        _images.library_of(image).release_memory()
    np.testing.assert_array_equal(library.host(out), expected)
    np.testing.assert_array_equal(library.host(image), ccc.keep_largest(array, device="cpu"))


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError("no array")])
def test_exceptions_of_the_allocator_reach_the_caller(library, monkeypatch, error):
    image = library.array(noise((40, 41, 42), 0.3, 7))
    monkeypatch.setattr(_exchange, "_torch_for", lambda image, in_host_memory=False: None)
    monkeypatch.setattr(_exchange, "table_of", lambda torch: None)
    library_of = type(_images.library_of(image))
    original, calls = library_of.new_array, []

    def raise_once(self, image, shape, dtype):
        calls.append(shape)
        if len(calls) == 1:
            raise error
        return original(self, image, shape, dtype)

    ccc.label(image)
    for call in (ccc.label, ccc.keep_largest, ccc.component_statistics):
        calls.clear()
        with monkeypatch.context() as patch:
            patch.setattr(library_of, "new_array", raise_once)
            with pytest.raises(error if isinstance(error, type) else type(error)):
                call(image)
        assert library.host(ccc.label(image)).max() > 0


def test_torch_counts_the_version_of_out():
    torch = pytest.importorskip("torch")
    image = torch.as_tensor(noise((70, 65, 66), 0.3, 8), device="cuda").int()

    class Foreign:
        __cuda_array_interface__ = image.__cuda_array_interface__

    for call in (
        lambda out: ccc.label(image, out=out),
        lambda out: ccc.keep_largest(image, out=out),
        lambda out: ccc.keep_largest(out, out=out),
        lambda out: ccc.relabel(image, out=out),
        lambda out: ccc.label(Foreign(), out=out),
    ):
        out = torch.zeros_like(image)
        version = out._version
        assert call(out) is out and out._version > version
        with pytest.raises(ValueError, match="requires gradients"):
            call(torch.zeros(image.shape, device="cuda", requires_grad=True))
    weights = torch.ones(3, device="cuda", requires_grad=True)
    image = torch.tensor([1.0, 0.0, 2.0], device="cuda")
    loss = (weights * image).sum()
    ccc.keep_largest(image, out=image)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_dlpack_on_the_stream_of_out():
    torch = pytest.importorskip("torch")
    array = noise((300, 300, 300), 0.2, 4)
    expected, _ = label_by_scipy(array, True)

    class Dlpack:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

        def __dlpack__(self, stream=None):
            # The producer's stream is the current one during the export.
            with torch.cuda.stream(producer):
                return self.tensor.__dlpack__(stream=stream)

    producer, consumer = torch.cuda.Stream(), torch.cuda.Stream()
    host = torch.from_numpy(array).pin_memory()
    image = torch.zeros(array.shape, dtype=torch.uint8, device="cuda")
    out = torch.zeros(array.shape, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(producer):
        torch.cuda._sleep(100_000_000)
        image.copy_(host, non_blocking=True)
    with torch.cuda.stream(consumer):
        ccc.label(Dlpack(image), out=out)
        result = out.cpu()
    np.testing.assert_array_equal(result.numpy(), expected)


def test_torch_types_and_gradients():
    torch = pytest.importorskip("torch")
    array = noise((30, 31, 32), 0.3, 8, np.float32)
    expected = label_by_scipy(array, True)[0]
    for device in ("cpu", "cuda"):
        image = torch.as_tensor(array, device=device).to(torch.bfloat16)
        np.testing.assert_array_equal(ccc.label(image).cpu().numpy(), expected)
        kept = ccc.keep_largest(image)
        assert kept.dtype == torch.bfloat16 and kept.device == image.device
        np.testing.assert_array_equal(
            kept.float().cpu().numpy(), keep_by_loop(image.float().cpu().numpy(), True, k=1)
        )
        image = torch.as_tensor(array, device=device).requires_grad_()
        labels = ccc.label(image, dtype=torch.int64)
        assert labels.dtype == torch.int64 and not labels.requires_grad
        np.testing.assert_array_equal(labels.cpu().numpy(), expected)
        out = torch.empty(array.shape, dtype=torch.int32, device=device)
        assert ccc.label(image, out=out) is out
        np.testing.assert_array_equal(out.cpu().numpy(), expected)
        for call in (ccc.keep_largest, lambda image: ccc.remove_small(image, 2)):
            with pytest.raises(ValueError, match=r"pass image.detach\(\)"):
                call(image)


def test_metatensor():
    meta_tensor = pytest.importorskip("monai.data").MetaTensor
    torch = pytest.importorskip("torch")
    array = noise((30, 31, 32), 0.3, 9)
    for device in ("cpu", "cuda"):
        image = meta_tensor(torch.as_tensor(array, device=device), affine=torch.eye(4) * 2)
        for result in (ccc.label(image), ccc.keep_largest(image)):
            assert type(result) is meta_tensor and result.device == image.device
            assert torch.equal(result.affine, image.affine)
        out = meta_tensor(torch.zeros_like(image.as_tensor()))
        with pytest.raises(ValueError, match="mask has another affine"):
            ccc.label(image, mask=out)
        assert torch.equal(ccc.keep_largest(image, out=out).affine, image.affine)
        np.testing.assert_array_equal(
            ccc.label(image).cpu().numpy(), label_by_scipy(array, True)[0]
        )


def test_foreign_arrays():
    cupy = pytest.importorskip("cupy")
    array = noise((30, 31, 32), 0.3, 10)
    image, out = cupy.asarray(array), cupy.zeros(array.shape, "int32")

    class Foreign:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    class Dlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__(stream=stream)

    for kind in (Foreign, Dlpack):
        out[...] = 0
        assert ccc.label(kind(image), connectivity=1, out=kind(out), return_num=True)[1] > 0
        np.testing.assert_array_equal(out.get(), label_by_scipy(array, False)[0])


def test_images_in_host_memory_use_the_gpu():
    image = noise((100, 100, 100), 0.3, 11)
    for device in (None, "cuda", "cuda:0"):
        labels = ccc.label(image, device=device)
        assert ccc.backend_info()["last_backend"] == "cuda"
        np.testing.assert_array_equal(labels, label_by_scipy(image, True)[0])
    fortran = np.asfortranarray(image)
    np.testing.assert_array_equal(ccc.label(fortran), label_by_scipy(image, True)[0])
    with pytest.raises(ccc.CudaError):
        ccc.label(image, device="cuda:99")


def test_limit_of_memory():
    image = noise((40, 120, 130), 0.3, 7)
    values = (image * (np.arange(130) // 13)).astype(np.uint8)
    expected = {
        "labels": ccc.label(image, device="cpu"),
        "values": ccc.label(values, by_value=True, device="cpu"),
        "largest": ccc.keep_largest(image, k=3, device="cpu"),
        "table": ccc.component_statistics(image, device="cpu"),
    }
    for limit, slabs in ((2**17, 3), (2**20, 1)):
        ccc.set_device_memory_limit(limit)
        try:
            found = {
                "labels": ccc.label(image, device="cuda"),
                "values": ccc.label(values, by_value=True, device="cuda"),
                "largest": ccc.keep_largest(image, k=3, device="cuda"),
                "table": ccc.component_statistics(image, device="cuda"),
            }
            assert ccc.backend_info()["last_slabs"] >= slabs
            assert ccc.backend_info()["held_device_bytes"] <= limit
        finally:
            ccc.set_device_memory_limit(None)
        for name in ("labels", "values", "largest"):
            np.testing.assert_array_equal(found[name], expected[name])
        assert found["table"].keys() == expected["table"].keys()
        for name, column in expected["table"].items():
            np.testing.assert_array_equal(found["table"][name], column)


def test_other_programs_take_the_memory():
    torch = pytest.importorskip("torch")
    image = noise((256, 512, 512), 0.3, 8)
    expected = ccc.label(image, device="cpu")
    ccc.trim_memory()
    others = [torch.empty(torch.cuda.mem_get_info()[0] - 2**25, dtype=torch.uint8, device="cuda")]
    try:
        np.testing.assert_array_equal(ccc.label(image, device="cuda"), expected)
        assert ccc.backend_info()["last_slabs"] > 1
    finally:
        others.clear()
        torch.cuda.empty_cache()
