"""The short path of `label` for plain tensors of PyTorch, which reads them by a table of C functions."""

import re

import numpy as np
import pytest
import scipy.ndimage
from conftest import label_by_scipy, noise

import cuda_connected_components as ccc
from cuda_connected_components import _exchange

torch = pytest.importorskip("torch")
from test_torch import TRACERS, UNUSUAL_TENSORS  # noqa: E402

if _exchange.table_of(torch) is None:
    pytest.skip("PyTorch has such a table from version 2.10 on", allow_module_level=True)

NAMES = ["bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.fixture
def taken(monkeypatch):
    """Return a list that says for each call whether the short path did it."""
    calls = []
    function = _exchange.label

    def label(image, *options):
        result = function(image, *options)
        calls.append(result is not None)
        return result

    monkeypatch.setattr(_exchange, "label", label)
    return calls


def general(image):
    """Label by the general functions: an option that is given leads to them."""
    return ccc.label(image, spatial_dims=image.ndim, return_num=True)


def check_like_general(image):
    for function in (general, lambda image: (ccc.label(image), None)):
        labels, count = function(image)
        found, number = ccc.label(image, return_num=True)
        assert type(found) is torch.Tensor and count in (None, number)
        for name in ("dtype", "device", "shape", "requires_grad", "layout"):
            assert getattr(found, name) == getattr(labels, name)
        assert found.stride() == labels.stride() and found.is_inference() == labels.is_inference()
        assert torch.equal(found, labels)


def test_values_in_host_memory_are_for_the_general_functions(taken):
    image = torch.tensor([2, 2, 1, 0])
    assert ccc.label(image, by_value=True).tolist() == [1, 1, 2, 0]
    assert ccc.label(image, by_value=True, background=None).tolist() == [1, 1, 2, 3]
    assert ccc.label(image, by_value=True, background=1).tolist() == [1, 1, 0, 2]
    assert taken == [False, False]


@pytest.mark.parametrize("name", NAMES)
def test_the_results_are_those_of_the_general_functions(taken, name):
    for seed, shape in enumerate([(5,), (1,), (16, 16), (1, 16), (16, 1), (9, 10, 11), (1, 1, 7)]):
        array = noise(shape, 0.4, seed)
        image = torch.from_numpy(array).to(getattr(torch, name))
        check_like_general(image)
        check_like_general(image[..., ::2])
        np.testing.assert_array_equal(ccc.label(image), label_by_scipy(array, True)[0])
    assert all(taken)
    with torch.inference_mode():
        check_like_general(image.clone())
    info = ccc.backend_info()
    assert (info["last_backend"], info["last_reason"]) == ("cpu", "the CPU is faster for small images")


@pytest.mark.parametrize("ndim, neighbors", [(1, [2]), (2, [4, 8]), (3, [6, 18, 26])])
def test_every_connectivity(taken, ndim, neighbors):
    image = torch.from_numpy(noise((9, 10, 11)[:ndim], 0.4, ndim))
    for rank, number in enumerate(neighbors, 1):
        structure = scipy.ndimage.generate_binary_structure(ndim, rank)
        expected = scipy.ndimage.label(image.numpy() != 0, structure)[0]
        for connectivity in (rank, number):
            np.testing.assert_array_equal(ccc.label(image, connectivity=connectivity), expected)
    assert all(taken) and taken
    for other in (0, -1, 5, 27, 10**30, True, "1", 1.5, np.array([1])):
        with pytest.raises((TypeError, ValueError)) as expected:
            ccc.label(image, connectivity=other, spatial_dims=ndim)
        with pytest.raises(expected.type, match=re.escape(str(expected.value))):
            ccc.label(image, connectivity=other)
    assert not any(taken[2 * len(neighbors) :])
    general = ccc.label(image, connectivity=np.int64(1))
    assert not taken[-1] and torch.equal(general, ccc.label(image, connectivity=1))


def test_labels_are_tensors_of_their_own(taken):
    labels = ccc.label(torch.ones(4, dtype=torch.bool))
    assert labels.resize_(100).shape == (100,) and taken == [True]  # a tensor from DLPack has no other size


def unaligned():
    return torch.frombuffer(bytearray(b"\0\1\0\1\0\0\0"), dtype=torch.int16, count=3, offset=1)


class Subclass(torch.Tensor):
    pass


OTHERS = [
    lambda: torch.ones(2, 3),
    lambda: torch.ones(2, 3, requires_grad=True),
    lambda: torch.ones(2, 3).bfloat16(),
    lambda: torch.ones(2, 3, dtype=torch.int32).as_subclass(Subclass),
    lambda: torch.nn.Parameter(torch.ones(2, 3, dtype=torch.int32), requires_grad=False),
    lambda: torch.ones(0, 3, dtype=torch.bool),
    lambda: torch.ones(5, 4, dtype=torch.bool).T,  # the labels are in Fortran order
    lambda: torch.ones(200, 200, dtype=torch.bool),  # on several threads or a GPU
    lambda: torch.ones(3, dtype=torch.complex64).conj().imag,
    unaligned,
]


@pytest.mark.parametrize("make", OTHERS)
def test_other_tensors_are_for_the_general_functions(taken, make):
    labels, count = ccc.label(make(), return_num=True)
    assert taken == [False]
    expected, number = general(make())
    assert count == number and labels.stride() == expected.stride() and torch.equal(labels, expected)


def test_a_lazy_change_of_the_sign_changes_no_label(taken):
    image = torch._neg_view(torch.tensor([[1, 0, 2], [0, 0, -3]]))
    assert image.is_neg() and ccc.label(image).tolist() == [[1, 0, 2], [0, 0, 2]]
    assert taken == [True]


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.tensor(True),
        lambda: torch.ones(1, 2, 3, 4, dtype=torch.bool),
        lambda: torch.ones(2, 3, dtype=torch.bool).to("meta"),
        lambda: torch.ones(2, 3, dtype=torch.int32).to_sparse(),
        lambda: torch.ones(2, 3, dtype=torch.complex64),
        lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8),
    ],
)
def test_the_errors_are_those_of_the_general_functions(taken, make):
    with pytest.raises((TypeError, ValueError)) as expected:
        ccc.label(make(), threads=1)
    with pytest.raises(expected.type, match=re.escape(str(expected.value))):
        ccc.label(make())
    assert taken == [False]


def test_warnings_name_the_line_of_the_call(taken):
    with pytest.warns(UserWarning, match="several values other than 0") as warned:
        ccc.label(torch.tensor([1, 2, 0, 1]))
    assert warned[0].filename == __file__ and taken == [True]


def test_options_and_variables_lead_to_the_general_functions(taken, monkeypatch):
    image = torch.ones(3, dtype=torch.bool)
    ccc.label(image, dtype=torch.int64)
    ccc.label(image, out=torch.zeros(3, dtype=torch.int32))
    assert taken == []
    monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_DEVICE", "cpu")
    ccc.label(image)
    assert taken == [False] and ccc.backend_info()["last_reason"] == "as asked for"
    monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_THREADS", "x")
    with pytest.raises(ValueError, match="CUDA_CONNECTED_COMPONENTS_THREADS must be a positive integer"):
        ccc.label(image)


def before_dispatch(function, image):
    from torch.fx.experimental.proxy_tensor import make_fx

    return make_fx(function, pre_dispatch=True)(image)


@pytest.mark.parametrize("use, error", [*TRACERS, *UNUSUAL_TENSORS, (before_dispatch, "make_fx")])
def test_tensors_that_are_recorded_or_have_no_memory_are_refused(taken, use, error):
    refused_before = "only Tensors of floating point dtype"  # by torch.func.grad
    with pytest.raises((RuntimeError, TypeError), match=f"{error}|{refused_before}"):
        use(lambda image: ccc.label(image), torch.ones(2, 3, dtype=torch.bool))
    assert not any(taken)


@pytest.mark.parametrize("name", ["vmap", "functionalize"])
def test_tensors_of_a_transformation_that_has_ended_are_refused(taken, name):
    kept = []
    getattr(torch.func, name)(lambda image: kept.append(image) or ~image)(torch.ones(2, 3) != 0)
    assert type(kept[0]) is torch.Tensor
    with pytest.raises(TypeError, match="torch.func"):
        ccc.label(kept[0])
    assert taken == [False]


def test_plain_tensors_inside_a_transformation(taken):
    image = torch.ones(2, 3, dtype=torch.bool)
    results = torch.func.vmap(lambda number: number * ccc.label(image).sum())(torch.ones(2))
    assert results.tolist() == [6, 6] and taken == [False]


def test_compiled_functions_take_the_short_path(taken):
    function = torch.compile(lambda image: ccc.label(~image) + 1, backend="eager")
    image = torch.tensor([True, False, True, False])
    assert function(image).tolist() == [1, 2, 1, 3] and taken == [True]
    torch._dynamo.reset()


def test_tables_of_other_versions_are_not_used():
    with pytest.raises(ValueError):
        ccc._core.Exchange(torch.utils.dlpack.to_dlpack(torch.ones(3)))
