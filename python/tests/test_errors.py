"""Wrong arguments: the class of the exception and its text."""

import numpy as np
import pytest
import scipy.sparse
from numpy.lib.stride_tricks import as_strided

import cuda_connected_components as ccc
from cuda_connected_components import cc3d, measure

PLANE = np.ones((4, 5), np.uint8)
VOLUME = np.ones((4, 5, 6), np.uint8)


class Subclass(np.ndarray):
    pass


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ccc.label(np.uint8(1)), ValueError, "1, 2 or 3 dimensions, not 0"),
        (
            lambda: ccc.label(np.ones((2, 2, 2, 2))),
            ValueError,
            "not 4: for a batch, pass spatial_dims=3 .* or spatial_dims=2",
        ),
        (lambda: ccc.label("image.nii.gz"), TypeError, "str is not an image: pass an array"),
        (lambda: ccc.label(None), TypeError, "NoneType is not an image"),
        (
            lambda: ccc.label(scipy.sparse.csr_array(PLANE)),
            TypeError,
            r"sparse arrays such as csr_array are not supported: pass image.toarray\(\)",
        ),
        (
            lambda: ccc.label(PLANE.astype(complex)),
            TypeError,
            r"complex128 are not supported.*abs\(",
        ),
        (lambda: ccc.label(PLANE.astype(object)), TypeError, "object are not supported"),
        (lambda: ccc.label(PLANE.astype(str)), TypeError, "not supported.*image == value"),
        (lambda: ccc.label(PLANE.astype(np.longdouble)), TypeError, r"image.astype\(float\)"),
        (lambda: ccc.label(PLANE.astype("M8[s]")), TypeError, "not supported"),
        *(
            (lambda function=function: function(np.ma.masked_equal(PLANE, 0)), TypeError, r"image.filled\(0\)")
            for function in (ccc.label, cc3d.connected_components)
        ),
        (lambda: measure.label(scipy.sparse.csr_array(PLANE)), TypeError, "toarray"),
        (
            lambda: ccc.label(PLANE, connectivity=3),
            ValueError,
            r"connectivity=3 is not possible with 2 dimensions; use 1 or 4 \(faces\), or 2, 8 or None",
        ),
        (lambda: ccc.label(PLANE, connectivity=6), ValueError, "connectivity=6 is not possible"),
        (lambda: ccc.label(PLANE, connectivity=18), ValueError, "connectivity=18 is not possible"),
        (lambda: ccc.label(VOLUME, connectivity=4), ValueError, r"2 or 18 \(faces and edges\)"),
        (lambda: ccc.label(PLANE, background=1), ValueError, "background needs by_value=True"),
        (lambda: ccc.label(PLANE, background=None), ValueError, "background needs by_value=True"),
        (lambda: ccc.label(PLANE, by_value=True, background="0"), TypeError, "a number or None, not '0'"),
        (lambda: ccc.label(PLANE, by_value=True, background=np.nan), ValueError, "must not be NaN"),
        *(
            (
                lambda image=image, value=value: ccc.label(image, by_value=True, background=value),
                ValueError,
                f"background={value} is not possible for images of {image.dtype}$",
            )
            for image, value in [
                (PLANE.astype(np.uint8), 256),
                (PLANE.astype(np.uint8), -1),
                (PLANE.astype(np.int64), 0.5),
                (PLANE.astype(np.int64), -(2**63) - 1),
                (PLANE.astype(np.int64), np.inf),
                (PLANE.astype(np.uint64), 10**400),
                (PLANE.astype(bool), 2),
                (PLANE.astype(np.float16), 65520),
                (PLANE.astype(np.float16), 2.0**-25),
                (PLANE.astype(np.float32), -(2**200)),
                (PLANE.astype(np.float32), 2**128 - 2**103 - 1),
                (PLANE.astype(np.float32), 2.0**-150),
                (PLANE.astype(np.float64), 10**400),
            ]
        ),
        (
            lambda: ccc.label(PLANE, by_value=True, background=1, lower=1),
            ValueError,
            "lower and upper choose the foreground, and so does background",
        ),
        (
            lambda: ccc.component_statistics(PLANE, properties="value"),
            ValueError,
            "'value' needs by_value=True",
        ),
        (lambda: ccc.label(VOLUME, connectivity=8), ValueError, "connectivity=8"),
        (lambda: ccc.label(PLANE, connectivity=True), TypeError, "connectivity must be an integer"),
        (
            lambda: ccc.label(PLANE, connectivity="full"),
            TypeError,
            "connectivity must be an integer",
        ),
        (
            lambda: ccc.label(PLANE, connectivity=np.ones((3, 3))),
            TypeError,
            "not ndarray: pass a mask as mask=",
        ),
        (
            lambda: ccc.label(PLANE[0], connectivity=4),
            ValueError,
            "not possible with 1 dimension; leave it out",
        ),
        (lambda: ccc.label(PLANE, lower="1"), TypeError, "lower must be a number, not '1'"),
        (lambda: ccc.label(PLANE, lower=3, upper=1), ValueError, "lower=3 is greater than upper=1"),
        (lambda: ccc.label(PLANE, lower=np.nan), ValueError, "lower must not be NaN"),
        (
            lambda: ccc.label(PLANE, lower=np.complex64(1)),
            TypeError,
            "lower must be a number, not ",
        ),
        (lambda: ccc.label(PLANE, mask=True), TypeError, "mask must be an image, not True"),
        (
            lambda: ccc.label(PLANE, mask=VOLUME),
            ValueError,
            r"the mask has the shape \(4, 5, 6\), and the image \(4, 5\)",
        ),
        (lambda: ccc.label(PLANE, device="gpu"), ValueError, "\"cuda:N\", not 'gpu'"),
        (lambda: ccc.label(PLANE, device="cuda:x"), ValueError, "device"),
        (lambda: ccc.label(PLANE, threads=0), ValueError, "threads must be at least 1, not 0"),
        (lambda: ccc.label(PLANE, threads=1.5), TypeError, "threads must be an integer"),
        (
            lambda: ccc.label(PLANE, dtype=float),
            TypeError,
            "labels are integers; use a type of NumPy: int8",
        ),
        (lambda: ccc.label(PLANE, dtype="nonsense"), TypeError, "labels are integers"),
        (lambda: ccc.label(PLANE, dtype=bool), TypeError, "labels are integers"),
        (lambda: ccc.label(PLANE, dtype=">i4"), TypeError, "use int32, or out="),
        (lambda: ccc.label(PLANE, device="cuda:99999999999"), ValueError, "device"),
        (lambda: ccc.label(PLANE, out=np.empty((5, 4), np.int32)), ValueError, "out has the shape"),
        (lambda: ccc.label(PLANE, out=np.empty((4, 5))), TypeError, "labels are integers"),
        (lambda: ccc.label(PLANE, out=[[0]]), TypeError, "out must be a NumPy array, not list"),
        (
            lambda: ccc.label(PLANE, out=np.broadcast_to(np.int32(0), (4, 5))),
            ValueError,
            "read-only",
        ),
        (
            lambda: ccc.label(PLANE, out=as_strided(np.zeros(9, np.int32), (4, 5), (4, 4))),
            ValueError,
            "elements of out share memory",
        ),
        (
            lambda: ccc.relabel(PLANE, out=as_strided(np.zeros(5, np.int32), (4, 5), (0, 4))),
            ValueError,
            "elements of out share memory",
        ),
        (
            lambda: ccc.keep_largest(PLANE, out=as_strided(np.zeros(4, np.uint8), (4, 5), (1, 0))),
            ValueError,
            "elements of out share memory",
        ),
        (
            lambda: ccc.label(PLANE, out=np.empty((4, 5), np.int16), dtype=np.int32),
            ValueError,
            "leave out dtype",
        ),
        (lambda: ccc.keep_largest(PLANE, k=0), ValueError, "k must be at least 1, not 0"),
        (
            lambda: ccc.keep_largest(PLANE, out=np.empty((4, 5), np.int8)),
            TypeError,
            "out has the type",
        ),
        (
            lambda: ccc.keep_largest(PLANE.astype("f4"), out=np.empty((4, 5), "u1").view(Subclass)),
            TypeError,
            "out has the type uint8, and the image float32",
        ),
        (
            lambda: ccc.keep_largest(PLANE, out=np.empty((4, 5), "f4").view(Subclass)),
            TypeError,
            "out has the type float32, and the image uint8",
        ),
        (
            lambda: ccc.remove_small(PLANE, "5 mm3"),
            TypeError,
            "min_size must be a number, not '5 mm3'",
        ),
        (lambda: ccc.remove_small(PLANE, 2, spacing="1,1"), TypeError, "a number, 2 numbers or"),
        (lambda: ccc.remove_small(PLANE, 2, spacing=1e-200), ValueError, "not a positive number"),
        (lambda: ccc.remove_small(PLANE, -1), ValueError, "min_size must be a number from 0 on"),
        (
            lambda: ccc.remove_small(PLANE, 2, spacing=(1, 2, 3)),
            ValueError,
            "3 numbers, but.* 2 axes",
        ),
        (lambda: ccc.remove_small(PLANE, 2, spacing=-1), ValueError, "spacing must be positive"),
        (lambda: ccc.relabel(PLANE, order="shape"), ValueError, 'order must be "size" or "label"'),
        (
            lambda: ccc.relabel(PLANE.astype(float)),
            TypeError,
            r"not float64: convert the labels first: labels.astype\(numpy.int32\)",
        ),
        (lambda: ccc.relabel(PLANE, k=0), ValueError, "k must be at least 1"),
        (lambda: ccc.relabel(PLANE, min_size=-1), ValueError, "min_size must be at least 0"),
        (
            lambda: ccc.component_statistics(PLANE, properties=("area", "perimeter")),
            ValueError,
            "'perimeter' is not a property; there are label, ",
        ),
        (
            lambda: ccc.component_statistics(PLANE, properties=None),
            TypeError,
            "properties must be a sequence of names, not None",
        ),
        (lambda: ccc.set_num_threads(0), ValueError, "n must be at least 1"),
        (lambda: ccc.set_device_memory_limit(0), ValueError, "n must be at least 1"),
        (lambda: ccc.set_device_memory_limit("1GiB"), TypeError, "n must be an integer"),
    ],
)
def test_arguments(call, error, text):
    with pytest.raises(error, match=text) as raised:
        call()
    assert raised.type is error


def test_outputs_in_any_layout():
    memory = np.zeros((5, 9, 8), np.int32)
    for out in (memory.T, memory[::-2, 1::3, ::-1], memory[:1], memory[..., :1], memory[:0]):
        ccc.label(np.ones(out.shape), out=out)
        assert (out == 1).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16])
def test_label_overflow(dtype):
    maximum = np.iinfo(dtype).max
    image = np.zeros(2 * maximum + 2, np.uint8)
    image[: 2 * maximum : 2] = 1
    assert ccc.label(image, dtype=dtype).max() == maximum
    image[-1] = 1
    with pytest.raises(
        ccc.LabelOverflowError, match=rf"{maximum + 1}.*Choose a wider type"
    ) as raised:
        ccc.label(image, dtype=dtype)
    assert isinstance(raised.value, OverflowError)


def test_dask_is_refused():
    class Array:
        __module__ = "dask.array.core"

    with pytest.raises(TypeError, match=r"image.compute\(\)"):
        ccc.label(Array())


def test_exception_classes():
    assert issubclass(ccc.CudaError, RuntimeError)
    assert issubclass(ccc.LabelOverflowError, OverflowError)


def test_an_image_of_the_calling_error_is_unchanged():
    out = np.full((4, 5), 7, np.int32)
    with pytest.raises(ValueError):
        ccc.label(PLANE, connectivity=3, out=out)
    assert (out == 7).all()
