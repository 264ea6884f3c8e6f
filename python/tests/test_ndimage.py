"""`cuda_connected_components.ndimage` against `scipy.ndimage` and `cupyx.scipy.ndimage`."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from conftest import noise

from cuda_connected_components import ndimage

scipy_ndimage = pytest.importorskip("scipy.ndimage")

DTYPES = [np.dtype(char) for char in "?bBhHiIlLqQfd"]
SHAPES = [(40,), (1,), (13, 37), (1, 64), (64, 1), (7, 11, 33), (1, 9, 40), (5, 1, 1)]
LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "flipped": lambda array: np.flip(np.ascontiguousarray(np.flip(array))),
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    "big_endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
}


def random_image(seed, shape, dtype, layout="C", density=0.5):
    """Return an image of random values, of which `density` are not 0."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 100, shape)
    if dtype.kind in "if":
        values *= rng.choice([-1, 1], shape)
    return LAYOUTS[layout]((values * (rng.random(shape) < density)).astype(dtype))


def assert_same(ours, theirs):
    """Compare two results of label: the types, the shapes and the values."""
    assert type(ours) is type(theirs)
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for our, their in zip(ours, theirs):
            assert_same(our, their)
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs, strict=True)
    else:
        assert ours == theirs


def native(image):
    """Return an image that SciPy takes: in native byte order."""
    return image.astype(image.dtype.newbyteorder("="))


def full(ndim):
    return np.ones((3,) * ndim, bool)


def test_signature():
    ours, theirs = (inspect.signature(module.label) for module in (ndimage, scipy_ndimage))
    assert str(ours) == str(theirs)


def test_does_not_import_the_originals():
    code = (
        "import sys, cuda_connected_components.ndimage;"
        "print({'cc3d', 'scipy', 'cupy'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_equals_scipy(shape, dtype, layout):
    for seed, density in enumerate([0.1, 0.3, 0.5, 0.9]):
        image = random_image(seed, shape, dtype, layout, density)
        for structure in (
            None,
            full(image.ndim),
            full(image.ndim).tolist(),
            *(scipy_ndimage.generate_binary_structure(image.ndim, rank) for rank in (1, 2)),
        ):
            try:
                assert_same(
                    ndimage.label(image, structure), scipy_ndimage.label(native(image), structure)
                )
            except AssertionError as error:
                raise AssertionError(f"{seed=} {density=} {structure=}") from error


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_half_precision_as_single_precision(shape):
    image = random_image(1, shape, np.dtype(np.float16))
    assert_same(ndimage.label(image), scipy_ndimage.label(image.astype(np.float32)))


@pytest.mark.parametrize("fill", [0, 1], ids=["background", "foreground"])
@pytest.mark.parametrize("shape", SHAPES + [(0,), (0, 3), (4, 0, 2), ()], ids=str)
def test_uniform_and_empty(shape, fill):
    image = np.full(shape, fill, np.uint8)
    for output in (None, np.uint8, np.float64, bool):
        assert_same(ndimage.label(image, output=output), scipy_ndimage.label(image, output=output))
    outputs = np.full(shape, 7, np.int16), np.full(shape, 7, np.int16)
    assert_same(
        ndimage.label(image, output=outputs[0]), scipy_ndimage.label(image, output=outputs[1])
    )
    assert_same(*outputs)


@pytest.mark.parametrize("value", [0.0, -0.0, np.nan, np.inf, 5e-324], ids=str)
def test_special_values(value):
    image = np.array([[value, 0, 1, value], [0, value, 0, value]])
    assert_same(ndimage.label(image), scipy_ndimage.label(image))


@pytest.mark.parametrize(
    "image",
    [
        [[0, 1], [1, 0]],
        ((1, 0, 1),),
        3,
        0,
        True,
        np.float32(2),
        np.ma.masked_array([1, 0, 1], [1, 0, 0]),
    ],
    ids=repr,
)
def test_array_like(image):
    assert_same(ndimage.label(image), scipy_ndimage.label(image))


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_centre_of_structure_has_no_effect(ndim):
    image = random_image(2, (20, 9, 8)[:ndim], np.dtype(np.uint8))
    for rank in range(1, ndim + 1):
        structure = scipy_ndimage.generate_binary_structure(ndim, rank)
        structure[(1,) * ndim] = False
        assert_same(ndimage.label(image, structure), scipy_ndimage.label(image, structure))
        assert not structure[(1,) * ndim]


@pytest.mark.parametrize("dtype", [*DTYPES, "uint8", float, int], ids=str)
@pytest.mark.parametrize("layout", ["C", "F"])
def test_type_of_output(dtype, layout):
    image = random_image(3, (9, 20), np.dtype(np.uint8), layout)
    assert_same(ndimage.label(image, output=dtype), scipy_ndimage.label(image, output=dtype))


@pytest.mark.parametrize("layout", ["C", "F", "flipped", "strided"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(50,), (9, 20), (5, 6, 7)], ids=str)
def test_output_array(shape, dtype, layout):
    image = random_image(4, shape, np.dtype(np.int32))
    ours, theirs = (np.full(shape, 9).astype(dtype) for _ in range(2))
    ours = LAYOUTS[layout](ours)
    assert_same(ndimage.label(image, None, ours), scipy_ndimage.label(image, None, theirs))
    assert_same(ours, theirs)


def test_numbers_do_not_depend_on_the_layout_of_the_output():
    image = np.array([[1, 0, 1], [0, 1, 0]])
    ours, theirs = (np.zeros(image.shape, np.int32, order="F") for _ in range(2))
    assert ndimage.label(image, output=ours) == scipy_ndimage.label(image, output=theirs) == 3
    assert_same(ours, scipy_ndimage.label(image)[0])
    assert theirs.tolist() == [[1, 0, 3], [0, 2, 0]]


@pytest.mark.parametrize("layout", ["C", "F"])
def test_output_of_fortran_ordered_input(layout):
    image = random_image(5, (5, 6, 7), np.dtype(np.uint8), "F")
    output = LAYOUTS[layout](np.zeros(image.shape, np.int32))
    labels, count = scipy_ndimage.label(image)
    assert ndimage.label(image, output=output) == count
    assert_same(output, labels)


@pytest.mark.parametrize("shape", [(50,), (9, 20), (5, 6, 7)], ids=str)
def test_output_in_place(shape):
    for dtype in (np.int32, np.bool_):
        ours, theirs = (random_image(6, shape, np.dtype(dtype)) for _ in range(2))
        assert_same(ndimage.label(ours, output=ours), scipy_ndimage.label(theirs, output=theirs))
        assert_same(ours, theirs)


def test_output_that_overlaps_the_input():
    memory = np.arange(101, dtype=np.int32) % 3
    labels, count = scipy_ndimage.label(memory[:-1].copy())
    assert ndimage.label(memory[:-1], output=memory[1:]) == count
    np.testing.assert_array_equal(memory[1:], labels)


@pytest.mark.parametrize("dtype, largest", [(np.int8, 127), (np.uint8, 255)], ids=str)
def test_output_too_small(dtype, largest):
    image = np.eye(largest + 1, dtype=np.uint8)
    fits = image[:largest, :largest]
    assert_same(ndimage.label(fits, output=dtype), scipy_ndimage.label(fits, output=dtype))
    for output in (dtype, np.zeros(image.shape, dtype), np.zeros(image.shape, dtype, order="F")):
        for module in (ndimage, scipy_ndimage):
            with pytest.raises(RuntimeError, match="insufficient bit-depth in requested output"):
                module.label(image, output=output)


def test_floating_point_output_too_small():
    image = np.eye(2049, dtype=np.uint8)
    labels, count = ndimage.label(image[:-1], output=np.float16)
    assert count == 2048
    np.testing.assert_array_equal(labels, scipy_ndimage.label(image[:-1])[0])
    with pytest.raises(RuntimeError, match="insufficient bit-depth in requested output type"):
        ndimage.label(image, output=np.float16)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"input": np.ones((3, 3)), "structure": np.ones(3)}, RuntimeError),
        ({"input": np.float32(1), "structure": np.ones(3)}, RuntimeError),
        ({"input": np.ones((3, 3)), "structure": np.ones((3, 5))}, ValueError),
        ({"input": np.ones((3, 3)), "structure": np.ones((1, 1))}, ValueError),
        ({"input": np.ones((3, 3)), "output": np.zeros((2, 3), int)}, ValueError),
        ({"input": np.ones((3, 3)), "output": 5}, TypeError),
        ({"input": np.ones((3, 3)), "output": complex}, TypeError),
        ({"input": np.ones((3, 3)), "output": object}, TypeError),
        ({"input": np.ones((3, 3), complex)}, TypeError),
        ({"input": np.ones((3, 3), object)}, TypeError),
        ({"input": np.ones((3, 3), "U1")}, TypeError),
    ],
    ids=range(11),
)
def test_errors_as_scipy(arguments, error):
    for module in (scipy_ndimage, ndimage):
        with pytest.raises(error):
            module.label(**arguments)


@pytest.mark.parametrize("dtype", [">i4", ">u2", ">f8", "<i4"])
def test_byte_order_of_output(dtype):
    image = noise((20, 21), 0.3, 1)
    expected, count = scipy_ndimage.label(image)
    labels, n = ndimage.label(image, output=dtype)
    assert n == count and labels.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(labels, expected)
    out = np.empty(image.shape, dtype)
    assert ndimage.label(image, output=out) == count
    np.testing.assert_array_equal(out, expected)


def test_errors_of_our_own():
    volume = np.ones((3, 3, 3), np.uint8)
    corners = full(3) ^ scipy_ndimage.generate_binary_structure(3, 2)
    for image, structure in (
        (volume, corners),
        (volume[0], [[0, 0, 0], [1, 1, 1], [0, 0, 0]]),
        (volume[0, 0], [0, 1, 0]),
    ):
        with pytest.raises(NotImplementedError, match="structures of generate_binary_structure"):
            ndimage.label(image, structure)
    with pytest.raises(ValueError, match="structure must be symmetric"):
        ndimage.label(volume[0], [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    with pytest.raises(NotImplementedError, match="up to 3 dimensions. Use scipy.ndimage.label"):
        ndimage.label(volume[None])
    read_only = np.zeros(volume.shape, np.int32)
    read_only.setflags(write=False)
    with pytest.raises(ValueError):
        ndimage.label(volume, output=read_only)


@pytest.fixture
def cupy():
    module = pytest.importorskip("cupy")
    try:
        module.zeros(1)
    except Exception as error:
        pytest.skip(f"CuPy does not work: {error}")
    return module


@pytest.mark.parametrize("shape", SHAPES + [(0, 3), ()], ids=str)
def test_equals_cupy(cupy, shape):
    import cupyx.scipy.ndimage as original

    for seed, dtype in enumerate(DTYPES):
        image = cupy.asarray(random_image(seed, shape, dtype))
        for structure in (None, full(image.ndim), cupy.asarray(full(image.ndim))):
            for output in (None, np.int32, np.int64, np.float32):
                ours = ndimage.label(image, structure, output)
                theirs = original.label(image, structure, output)
                message = f"{seed=} {structure=} {output=}"
                assert isinstance(ours[0], cupy.ndarray), message
                assert ours[0].dtype == theirs[0].dtype and ours[1] == theirs[1], message
                assert cupy.array_equal(ours[0], theirs[0]), message


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32], ids=str)
def test_cupy_output(cupy, dtype):
    import cupyx.scipy.ndimage as original

    image = cupy.asarray(random_image(7, (9, 20), np.dtype(np.uint8)))
    for order in "CF":
        outputs = [cupy.zeros(image.shape, dtype, order=order) for _ in range(2)]
        assert ndimage.label(image, None, outputs[0]) == original.label(image, None, outputs[1])
        assert cupy.array_equal(*outputs)
    image = image.astype(cupy.int32)
    labels, count = original.label(image)
    assert ndimage.label(image, output=image) == count
    assert cupy.array_equal(image, labels)
    with pytest.raises(TypeError):
        ndimage.label(image, output=np.zeros(image.shape, np.int32))
