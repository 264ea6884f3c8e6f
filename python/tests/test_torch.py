"""PyTorch in host memory, and its DataLoader."""

import copy

import numpy as np
import pytest
from conftest import keep_by_loop, label_by_scipy, noise

import cuda_connected_components as ccc
from cuda_connected_components import _core, cc3d, measure, ndimage

torch = pytest.importorskip("torch")
utils_data = pytest.importorskip("torch.utils.data")


@pytest.mark.parametrize("name", ["bool", "uint8", "int16", "int64", "float16", "bfloat16"])
def test_results(name):
    image = torch.from_numpy(noise((20, 21, 22), 0.3, 1)).to(getattr(torch, name))
    for view in (image, image[:, ::2].permute(2, 0, 1)):
        array = view.float().numpy()
        labels, count = ccc.label(view, return_num=True)
        expected, expected_count = label_by_scipy(array, True)
        assert labels.dtype == torch.int32 and count == expected_count
        np.testing.assert_array_equal(labels.numpy(), expected)
        kept = ccc.keep_largest(view, k=3)
        assert kept.dtype == image.dtype
        np.testing.assert_array_equal(kept.float().numpy(), keep_by_loop(array, True, k=3))
        columns = ccc.component_statistics(view)
        assert all(isinstance(column, torch.Tensor) for column in columns.values())
        assert int(columns["area"].sum()) == np.count_nonzero(array)


@pytest.mark.parametrize("name", ["bool", "uint8", "int64"])
def test_measure(name):
    image = torch.from_numpy(noise((20, 21), 0.3, 1)).to(getattr(torch, name))
    for view in (image, image[:, ::2].T):
        labels, count = measure.label(view, return_num=True)
        expected, n = measure.label(view.numpy(), return_num=True)
        assert labels.dtype == (torch.int32 if name == "bool" else torch.int64) and count == n
        np.testing.assert_array_equal(labels.numpy(), expected)
    for dtype in (torch.float32, torch.bfloat16):
        with pytest.raises(NotImplementedError, match="label.image, by_value=True"):
            measure.label(image.to(dtype))


def test_batches():
    array = noise((2, 3, 7, 9, 34), 0.3, 1)
    for name in ("bool", "uint8", "int64", "float16", "bfloat16", "float32"):
        image = torch.from_numpy(array).to(getattr(torch, name))
        for view in (image, image[:, 1:], image.permute(1, 0, 4, 3, 2)):
            elements = view.float().numpy()
            labels, counts = ccc.label(view, spatial_dims=3, return_num=True)
            expected, n = ccc.label(elements, spatial_dims=3, return_num=True)
            assert labels.dtype == torch.int32 and type(counts) is np.ndarray
            np.testing.assert_array_equal(labels.numpy(), expected)
            np.testing.assert_array_equal(counts, n)
            kept = ccc.keep_largest(view, k=2, spatial_dims=3)
            assert kept.dtype == view.dtype
            expected = ccc.keep_largest(elements, k=2, spatial_dims=3)
            np.testing.assert_array_equal(kept.float().numpy(), expected)
            for name, column in ccc.component_statistics(view, spatial_dims=3).items():
                assert isinstance(column, torch.Tensor)
                expected = ccc.component_statistics(elements, spatial_dims=3)[name]
                np.testing.assert_array_equal(column.numpy(), expected)
            same = view.clone()
            assert ccc.keep_largest(same, k=2, spatial_dims=3, out=same) is same
            assert torch.equal(same, kept)


@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "float16", "bfloat16", "float32"])
def test_by_value(name):
    array = np.random.default_rng(1).integers(0, 3, (2, 20, 21))
    image = torch.from_numpy(array).to(getattr(torch, name))
    for view in (image, image.permute(0, 2, 1)):
        elements = view.double().numpy()
        for background in (0, 1, None):
            options = {"by_value": True, "spatial_dims": 2, "background": background}
            labels, counts = ccc.label(view, return_num=True, **options)
            expected, n = ccc.label(elements, return_num=True, **options)
            assert labels.dtype == torch.int32
            np.testing.assert_array_equal(labels.numpy(), expected)
            np.testing.assert_array_equal(counts, n)
            columns = ccc.component_statistics(view, **options)
            assert columns["value"].dtype == image.dtype
            values = ccc.component_statistics(elements, **options)["value"]
            np.testing.assert_array_equal(columns["value"].double().numpy(), values)


def test_a_limit_that_requires_gradients():
    limit = torch.tensor(2.0, requires_grad=True)
    assert ccc.label(torch.tensor([1.0, 2.0, 3.0]), lower=limit).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "limit, rounded",
    [
        (1.00390625, 1.0),  # the middle of 1.0 and 1.0078125: the even one
        (1.00390625 + 1e-9, 1.0078125),
        (1.00390625 - 1e-9, 1.0),
        (1.01171875 - 1e-9, 1.0078125),
        (1.01171875, 1.015625),
        (-1.00390625 - 1e-9, -1.0078125),
        (-1.01171875 + 1e-9, -1.0078125),
    ],
)
def test_limits_of_bfloat16_are_rounded_once(limit, rounded):
    image = torch.tensor([rounded - 2**-7, rounded, rounded + 2**-7]).bfloat16()
    assert ccc.label(image, lower=limit).bool().tolist() == [False, True, True]
    assert ccc.label(image, upper=limit).bool().tolist() == [True, True, False]


def test_views_with_the_opposite_sign():
    view = torch.tensor([1 + 2j, 3, 4 - 5j]).conj().imag
    assert view.is_neg()
    assert ccc.label(view).tolist() == [1, 0, 2]
    assert ccc.keep_largest(view).tolist() == [-2, 0, 0]
    with pytest.raises(ValueError, match=r"opposite sign: pass out.resolve_neg\(\)"):
        ccc.keep_largest(torch.ones(3), out=view)


def test_outputs_of_another_type():
    for name in ("bfloat16", "float16", "float64"):
        out = torch.zeros(3, dtype=getattr(torch, name))
        for call in (ccc.label, ccc.relabel):
            with pytest.raises(TypeError, match=f"labels are integers, not {name}"):
                call(torch.ones(3, dtype=torch.int32), out=out)
    with pytest.raises(TypeError, match="pass a tensor, not ndarray"):
        ccc.label(torch.ones(3), out=np.zeros(3, np.int32))


CALLS = [
    lambda out: ccc.label(torch.ones(out.shape, dtype=torch.uint8), out=out),
    lambda out: ccc.keep_largest(torch.ones_like(out), out=out),
    lambda out: ccc.keep_largest(out, out=out),
    lambda out: ccc.relabel(torch.ones_like(out), out=out),
]


@pytest.mark.parametrize("call", CALLS)
def test_out_counts_the_version(call):
    for view in (lambda whole: whole, lambda whole: whole[1:], lambda whole: whole[:, ::2]):
        whole = torch.zeros((20, 21), dtype=torch.int32)
        version = whole._version
        assert call(view(whole)) is not None
        assert whole._version > version
    with torch.inference_mode():
        out = torch.zeros((20, 21), dtype=torch.int32)
    call(out)


def test_an_error_in_a_batch_counts_the_version(monkeypatch):
    labels, out = torch.ones((3, 4, 4), dtype=torch.int32), torch.zeros((3, 4, 4), dtype=torch.int32)
    relabel, calls = _core.relabel_host, []

    def fail_at_the_second(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise MemoryError
        return relabel(*arguments)

    monkeypatch.setattr(_core, "relabel_host", fail_at_the_second)
    version = out._version
    with pytest.raises(MemoryError):
        ccc.relabel(labels, spatial_dims=2, out=out)
    assert out.any() and out._version > version


def test_gradients_of_a_changed_tensor_are_an_error():
    weights = torch.ones(3, requires_grad=True)
    image = torch.tensor([1.0, 0.0, 2.0])
    loss = (weights * image).sum()
    ccc.keep_largest(image, out=image)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize("call", [ccc.keep_largest, lambda image: ccc.remove_small(image, 1)])
def test_images_that_require_gradients_are_not_copied(call):
    leaf = torch.ones(3, requires_grad=True)
    for image in (leaf, leaf * 2):
        with pytest.raises(ValueError, match=r"requires gradients.*pass image.detach\(\)"):
            call(image)
        with torch.no_grad():
            assert torch.equal(call(image), image.detach())
        assert torch.equal(call(image.detach()), image.detach())
        labels = ccc.label(image)
        assert labels.tolist() == [1, 1, 1] and not labels.requires_grad
        assert ccc.component_statistics(image)["area"].tolist() == [3]
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.ones(3))
        with pytest.raises(ValueError, match=r"pass image.detach\(\)"):
            call(dual)
        assert ccc.label(dual).tolist() == [1, 1, 1]


def test_out_that_requires_gradients_is_refused():
    image = torch.ones(3)
    for out in (torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True) * 2):
        for call in (ccc.keep_largest, lambda image, out: ccc.remove_small(image, 1, out=out)):
            with pytest.raises(ValueError, match="out requires gradients.*out.detach()"):
                call(image, out=out)
        assert out.min() > 0


def test_out_whose_elements_share_memory_is_refused():
    image = torch.ones((6, 7), dtype=torch.int32)
    for call in (ccc.label, ccc.keep_largest, ccc.relabel):
        with pytest.raises(ValueError, match="elements of out share memory"):
            call(image, out=torch.zeros((1, 1), dtype=torch.int32).expand(6, 7))


def with_func(name, function, image):
    """Return the result of a function inside a transformation of functorch."""
    module = torch.func if hasattr(torch, "func") else pytest.importorskip("functorch")
    return getattr(module, name)(function)(image)


def with_make_fx(mode, function, image):
    return pytest.importorskip("torch.fx.experimental.proxy_tensor").make_fx(
        function, tracing_mode=mode
    )(image)


def with_fake_tensors(function, image):
    fake_tensors = pytest.importorskip("torch._subclasses.fake_tensor")
    with fake_tensors.FakeTensorMode():
        return function(image)


def fake_tensor(image):
    fake_tensors = pytest.importorskip("torch._subclasses.fake_tensor")
    with fake_tensors.FakeTensorMode():
        return torch.ones(image.shape, dtype=image.dtype)


def without_memory(image):
    storage = image.untyped_storage if hasattr(image, "untyped_storage") else image.storage
    storage().resize_(0)
    return image


class Wrapper(torch.Tensor):
    """A tensor whose elements are elsewhere, as those of a DTensor."""

    @staticmethod
    def __new__(cls, image):
        return torch.Tensor._make_wrapper_subclass(cls, image.shape, dtype=image.dtype)

    @classmethod
    def __torch_dispatch__(cls, *arguments):
        raise NotImplementedError


TRACERS = [
    (torch.jit.trace, "torch.jit.trace records"),
    *((lambda f, x, m=m: with_make_fx(m, f, x), "make_fx") for m in ("real", "fake", "symbolic")),
    (with_fake_tensors, "FakeTensorMode records"),
]
UNUSUAL_TENSORS = [
    *((lambda f, x, n=n: with_func(n, f, x), "torch.func") for n in ("vmap", "functionalize")),
    (lambda f, x: with_func("grad", lambda x: f(x).sum(), x), "torch.func"),
    (lambda f, x: f(x.to("meta")), "meta tensors have no elements"),
    (lambda f, x: f(fake_tensor(x)), "FakeTensor has no elements"),
    (lambda f, x: f(without_memory(x)), "has no elements in memory"),
    (lambda f, x: f(Wrapper(x)), "Wrapper has no elements"),
]


@pytest.mark.parametrize(
    "use, text, error",
    [(*row, RuntimeError) for row in TRACERS] + [(*row, TypeError) for row in UNUSUAL_TENSORS],
)
def test_tensors_without_elements_are_refused(use, text, error):
    other = np.ones((2, 3))
    for call in (
        lambda image: ccc.label(image),
        lambda image: ccc.keep_largest(image),
        lambda image: ccc.label(other, mask=image),
        lambda image: ccc.component_statistics(image)["area"],
    ):
        with pytest.raises(error, match=text):
            use(call, torch.ones(2, 3))


def test_compiled_functions_call_the_package_as_it_is(recwarn):
    dynamo = pytest.importorskip("torch._dynamo")
    if not hasattr(torch, "compiler"):
        pytest.skip(f"torch {torch.__version__} has no compiler")

    def work(image):
        doubled = image * 2
        labels, count = ccc.label(doubled, return_num=True)
        kept = ccc.keep_largest(doubled, k=2, connectivity=1)
        count += ndimage.label(doubled)[1]
        return labels + 1, kept + 1, ccc.relabel(labels, k=3) + 1, count

    compiled = torch.compile(work, backend="eager")
    for size in range(12, 24):  # more than dynamo compiles
        image = torch.from_numpy(noise((size, 20), 0.3, size) != 0)
        for result, expected in zip(compiled(image), work(image)):
            assert torch.equal(torch.as_tensor(result), torch.as_tensor(expected))
    assert not recwarn.list, [str(warning.message) for warning in recwarn]
    dynamo.reset()
    with pytest.raises(dynamo.exc.Unsupported, match="label.*works outside PyTorch"):
        torch.compile(work, backend="eager", fullgraph=True)(image)


class MetaTensor(torch.Tensor):
    """As much of MONAI's MetaTensor as the package uses."""

    def __new__(cls, elements, **metadata):
        tensor = torch.as_tensor(elements).as_subclass(cls)
        defaults = {"affine": torch.eye(4), "meta": {}, "is_batch": False, "pending_operations": []}
        tensor.__dict__.update(defaults | {"applied_operations": []} | metadata)
        return tensor

    def __init__(self, *_, **__):
        pass

    def copy_meta_from(self, other):
        self.__dict__.update({name: copy.copy(value) for name, value in vars(other).items()})

    def as_tensor(self):
        return self.as_subclass(torch.Tensor)


def test_metadata():
    array = torch.from_numpy(noise((2, 9, 10, 11), 0.3, 9)).int()
    metadata = {
        "affine": torch.diag(torch.tensor([2.0, 3.0, 4.0, 1.0])),
        "meta": {"name": "a"},
        "is_batch": True,
        "pending_operations": ["zoom"],
        "applied_operations": ["flip"],
    }
    image = MetaTensor(array, **metadata)
    other = torch.eye(4).double()
    near = metadata["affine"] * (1 + 1e-7)
    for call in (ccc.label, ccc.keep_largest):
        expected = call(array, spatial_dims=3)
        out = MetaTensor(torch.zeros_like(array), affine=other)
        same = MetaTensor(array.clone(), **metadata)
        for mask in (None, array, image, MetaTensor(array, affine=near.expand(2, 4, 4))):
            for options, given in (({}, None), ({"out": out}, out), ({"out": same}, same)):
                source = same if given is same else image
                result = call(source, spatial_dims=3, mask=mask, **options)
                assert type(result) is MetaTensor and given in (None, result)
                assert str(vars(result)) == str(vars(image))
                assert torch.equal(result.as_tensor(), expected)
                same.as_tensor().copy_(array)
        result = call(image, spatial_dims=3)
        result.meta["name"] = "b"
        assert image.meta["name"] == "a"
        plain = torch.zeros_like(array)
        assert call(image, spatial_dims=3, out=plain) is plain and torch.equal(plain, expected)
        for affine in (other, torch.eye(3)):
            out = torch.full_like(array, 7)
            with pytest.raises(ValueError, match=r"another affine.*pass mask.as_tensor\(\)"):
                call(image, spatial_dims=3, mask=MetaTensor(array, affine=affine), out=out)
            assert (out == 7).all()


class Labels(utils_data.Dataset):
    def __init__(self, **options):
        self.image = noise((70, 65, 66), 0.3, 3)
        self.options = options

    def __len__(self):
        return 2

    def __getitem__(self, index):
        labels = ccc.label(self.image, **self.options)
        info = ccc.backend_info()
        return labels, info["threads"], info["last_backend"], info["last_reason"]


def test_a_worker_uses_one_thread_and_no_gpu(monkeypatch):
    torch.set_num_threads(2)  # of this process
    dataset = Labels()
    for labels, threads, backend, reason in utils_data.DataLoader(dataset, None, num_workers=1):
        np.testing.assert_array_equal(labels, label_by_scipy(dataset.image, True)[0])
        assert (int(threads), backend) == (1, "cpu")
        assert reason.startswith("the CPU is the default in a process of multiprocessing, a Data")
    monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_DEVICE", "cpu")
    monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_THREADS", "3")
    for _, threads, _, reason in utils_data.DataLoader(dataset, None, num_workers=1):
        assert (int(threads), reason) == (3, "as asked for")
    if ccc.backend_info()["cuda_reason"]:
        with pytest.raises(ccc.CudaError):
            next(iter(utils_data.DataLoader(Labels(device="cuda"), None, num_workers=1)))
    torch.set_num_threads(1)
    monkeypatch.delenv("CUDA_CONNECTED_COMPONENTS_THREADS")
    assert ccc.backend_info()["threads"] == 1


def test_types_that_pytorch_has_not(monkeypatch):
    monkeypatch.delattr(torch, "uint16", raising=False)
    image = torch.ones((2, 3), dtype=torch.uint8)
    with pytest.raises(TypeError, match="has no tensors of uint16: pass another dtype"):
        ccc.label(image, dtype="uint16")
    with pytest.raises(TypeError, match=r"has no tensors of uint16: pass data.detach\(\).cpu\(\).numpy\(\)"):
        cc3d.connected_components(image)
