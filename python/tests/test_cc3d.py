"""`cuda_connected_components.cc3d` against `cc3d`."""

import inspect
import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import seeds

from cuda_connected_components import cc3d

original = pytest.importorskip("cc3d")

DTYPES = [np.dtype(char) for char in "?bBhHiIlLqQefd"]
SHAPES = [(41,), (1,), (13, 37), (1, 64), (64, 1), (7, 11, 33), (6, 1, 40), (5, 1, 1)]
LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "flipped": lambda array: np.flip(np.asfortranarray(np.flip(array))),
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    "middle_axis_last": lambda array: np.swapaxes(
        np.ascontiguousarray(np.swapaxes(array, array.ndim // 2, -1)), array.ndim // 2, -1
    ),
}


def value_of(dtype, seed):
    """Return a foreground value. cc3d needs whole numbers if the foreground lies in one row."""
    return {"b": 1, "u": 3 + seed, "i": 5 + seed, "f": 2 + seed}[dtype.kind]


def random_image(seed, shape, dtype, layout="C", density=0.5):
    """Return an image with one value besides 0."""
    foreground = np.random.default_rng(seed).random(shape) < density
    return LAYOUTS[layout]((foreground * value_of(dtype, seed)).astype(dtype))


def random_values(seed, shape, dtype, layout="C", density=0.5, count=99):
    """Return an image with several values besides 0."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, count + 1, shape) * (rng.random(shape) < density)
    return LAYOUTS[layout](values.astype(dtype))


def blobs(seed, shape, layout="C"):
    """Return a bool image of boxes, which has components of several sizes."""
    rng = np.random.default_rng(seed)
    image = np.zeros(shape, bool)
    for _ in range(image.size // 40):
        corner = [rng.integers(0, size) for size in shape]
        image[tuple(slice(c, c + rng.integers(1, 5)) for c in corner)] = True
    return LAYOUTS[layout](image)


def connectivities(ndim):
    return {1: (6, 18, 26), 2: (4, 8, 6, 18, 26), 3: (6, 18, 26)}[ndim]


def theirs_for(image, connectivity):
    """Return an equivalent connectivity for which cc3d 4.1.1 is right and numbers in memory order.

    For binary planes, cc3d with 4 compares values of the first row, and cc3d with 8 numbers by
    2 x 2 pixels and joins or splits some components. For binary images of one row, cc3d with 26
    may raise RuntimeError.
    """
    if connectivity == 26 and max(image.shape) == image.size:
        return 18
    return {4: 6, 8: 18}.get(connectivity, connectivity)


def assert_same(ours, theirs, message="", has_order=True):
    """Compare two results: types, shapes, order in memory and values."""
    assert type(ours) is type(theirs), message
    if isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype, message
        for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS") if has_order else ():
            assert ours.flags[flag] == theirs.flags[flag], message
        np.testing.assert_array_equal(ours, theirs, message, strict=True)
    elif isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), message
        for our, their in zip(ours, theirs):
            assert_same(our, their, message, has_order)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs), message
        for key in theirs:
            assert_same(ours[key], theirs[key], f"{message} {key}", has_order)
    else:
        assert ours == theirs, message


@pytest.mark.parametrize("name", ["connected_components", "each", "statistics", "dust", "largest_k"])
def test_signature(name):
    ours, theirs = (inspect.signature(getattr(module, name)) for module in (cc3d, original))
    assert [
        (parameter.name, parameter.default, parameter.kind)
        for parameter in ours.parameters.values()
    ] == [
        (parameter.name, parameter.default, parameter.kind)
        for parameter in theirs.parameters.values()
    ]


def test_does_not_import_the_originals():
    code = (
        "import sys, cuda_connected_components.cc3d;"
        "print({'cc3d', 'scipy', 'cupy'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


# connected_components


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_connected_components(shape, dtype, layout):
    for seed, density in enumerate([0.02, 0.1, 0.3, 0.5, 0.9]):
        for connectivity in connectivities(len(shape)):
            message = f"{seed=} {density=} {connectivity=}"
            for is_binary, count in ((False, 1), (False, 3), (True, 99)):
                options = {"binary_image": is_binary, "return_N": True}
                image = random_values(seed, shape, dtype, layout, density, count)
                ours = cc3d.connected_components(image, connectivity=connectivity, **options)
                if max(shape) == image.size:  # cc3d 4.1.1 may fail if it is not contiguous
                    image = np.ascontiguousarray(image)
                theirs = original.connected_components(
                    image, connectivity=theirs_for(image, connectivity), **options
                )
                assert_same(ours, theirs, f"{message} {is_binary=}")


@pytest.mark.parametrize("fill", [0, 1], ids=["background", "foreground"])
@pytest.mark.parametrize("shape", SHAPES + [(0,), (0, 3), (4, 0, 2)], ids=str)
@pytest.mark.parametrize("order", "CF")
def test_connected_components_uniform_and_empty(shape, fill, order):
    for dtype in (bool, np.uint8, np.float16, np.float64):
        image = np.full(shape, fill, dtype, order=order)
        for out_dtype in (None, np.uint16, "uint32", np.uint64):
            for return_N in (False, True):
                options = {"out_dtype": out_dtype, "return_N": return_N}
                assert_same(
                    cc3d.connected_components(image, **options),
                    original.connected_components(image, **options),
                    str(options),
                )


@pytest.mark.parametrize("value", [-0.0, np.nan, np.inf, 5e-324], ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=str)
def test_connected_components_special_values(value, dtype):
    image = np.array([[value, value, 0, 1], [0, 0, value, 1], [1, 0, 0, value]]).astype(dtype)
    assert_same(
        cc3d.connected_components(image, connectivity=4, binary_image=True),
        original.connected_components(image, connectivity=6, binary_image=True),
    )


@pytest.mark.parametrize("connectivity", [4, 8, 6, 18, 26])
@pytest.mark.parametrize(
    "shape", [(361, 363), (363, 361), (1, 131071), (512, 512), (511, 1027)], ids=str
)
@pytest.mark.parametrize("dtype", [bool, np.uint8], ids=str)
def test_type_of_labels_of_planes(shape, connectivity, dtype):
    image = random_image(8, shape, np.dtype(dtype), density=0.2)
    for order in "CF":
        ordered = np.asarray(image, order=order)
        for is_binary in (False, True):
            options = {"connectivity": connectivity, "binary_image": is_binary}
            ours, theirs = (
                module.connected_components(ordered, **options) for module in (cc3d, original)
            )
            if connectivity == 8:  # see theirs_for
                assert ours.dtype == theirs.dtype
                options["connectivity"] = 18
                theirs = original.connected_components(ordered, **options)
            assert_same(ours, theirs, f"{order} {options}")


@pytest.mark.parametrize("connectivity", [6, 26])
@pytest.mark.parametrize(
    "shape",
    [
        (131070,),
        (131071,),
        (524272,),
        (524280,),
        (49, 51, 53),
        (79, 81, 81),
        (80, 80, 82),
        (1, 511, 1027),
    ],
    ids=str,
)
def test_type_of_labels_of_volumes(shape, connectivity):
    for density in (0.001, 0.3):
        image = random_image(9, shape, np.dtype(np.uint8), density=density)
        for is_binary in (False, True):
            options = {"connectivity": connectivity, "binary_image": is_binary}
            assert_same(
                cc3d.connected_components(image, **options),
                original.connected_components(image, **options),
                f"{density} {options}",
            )


@pytest.mark.parametrize("runs", [65534, 65535, 65536, 80000])
@pytest.mark.parametrize("is_transposed", [False, True], ids=["C", "F"])
def test_type_of_labels_depends_on_runs(runs, is_transposed):
    image = np.zeros((45000, 3), np.uint8)
    image[: runs // 2, ::2] = 4
    image[runs // 2, 0] = 4 * (runs % 2)
    if is_transposed:
        image = image.T
    for out_dtype in (None, np.uint16, np.uint32, np.uint64):
        results = []
        for module in (cc3d, original):
            try:
                results.append(module.connected_components(image, out_dtype=out_dtype))
            except ValueError as error:
                assert "is too small" in str(error)
                results.append("too small")
        assert_same(*results, str(out_dtype))


@pytest.mark.parametrize("runs, dtype", [(65534, np.uint16), (65535, np.uint32)])
def test_type_of_labels_depends_on_runs_of_equal_value(runs, dtype):
    image = np.minimum(np.arange(2 * 40000), runs - 1).reshape(2, -1) + 1
    ours, theirs = (module.connected_components(image) for module in (cc3d, original))
    assert_same(ours, theirs)
    assert ours.dtype == dtype


@pytest.mark.parametrize("runs_per_row", [90, 100])
def test_type_of_labels_of_an_image_of_several_slabs(runs_per_row):
    image = np.zeros((700, 3000), np.uint8)
    image[:, : 2 * runs_per_row : 2] = 1
    for ordered in (image, image.T):
        assert_same(cc3d.connected_components(ordered), original.connected_components(ordered))


def test_connected_components_ignores_as_cc3d():
    image = random_values(10, (20, 30), np.dtype(np.int16))
    for options in ({"max_labels": 2}, {"delta": 5}, {"connectivity": 6.0}):
        assert_same(
            cc3d.connected_components(image, binary_image=True, **options),
            original.connected_components(image, binary_image=True, **options),
        )


@pytest.mark.parametrize("access", ["read_only", "broadcast", "memmap", "subclass"])
def test_connected_components_access(access, tmp_path):
    image = random_image(11, (9, 8, 30), np.dtype(np.uint8))
    if access == "read_only":
        image.setflags(write=False)
    elif access == "broadcast":
        image = np.broadcast_to(image[:, :1], image.shape)
    elif access == "memmap":
        image.tofile(tmp_path / "image")
        image = np.memmap(tmp_path / "image", np.uint8, "c", shape=image.shape)
    else:
        image = image.view(type("Subclass", (np.ndarray,), {}))
    assert_same(cc3d.connected_components(image), original.connected_components(image))


class FakeTensor:
    """Has the methods of a torch.Tensor that cc3d calls."""

    def __init__(self, array):
        self.array = array

    def cpu(self):
        return self

    def numpy(self):
        return self.array


def test_connected_components_takes_tensors(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(from_numpy=FakeTensor, uint16=None))  # a type that PyTorch has
    monkeypatch.setattr(cc3d, "plain_tensor", lambda tensor: tensor)
    tensor = FakeTensor(random_image(12, (9, 20), np.dtype(np.uint8)))
    ours, theirs = (
        module.connected_components(tensor, return_N=True) for module in (cc3d, original)
    )
    assert isinstance(ours[0], FakeTensor)
    assert_same(ours[0].array, theirs[0].array)
    assert ours[1] == theirs[1]


@pytest.mark.parametrize(
    "image, options, error",
    [
        (np.zeros((3, 3, 3)), {"connectivity": 4}, ValueError),
        (np.zeros((3, 3, 3)), {"connectivity": 8}, ValueError),
        (np.zeros((3, 3)), {"connectivity": 5}, ValueError),
        (np.zeros(3), {"connectivity": 4}, ValueError),
        (np.zeros((3, 3)), {"out_dtype": np.uint8}, ValueError),
        (np.zeros((3, 3)), {"out_dtype": np.int32}, ValueError),
        (np.zeros((3, 3)), {"out_dtype": ">u2"}, ValueError),
        (np.ones((255, 255), bool), {"out_dtype": np.uint16, "connectivity": 4}, None),
        (np.ones((257, 257), bool), {"out_dtype": np.uint16, "connectivity": 4}, ValueError),
        (np.ones((3, 3), complex), {}, TypeError),
        (np.ones((3, 3), object), {}, TypeError),
        (np.ones((3, 3), np.longdouble), {}, TypeError),
        (np.ones((3, 3), ">i2"), {}, TypeError),
        (np.ones((3, 3), ">f4"), {"binary_image": True}, TypeError),
    ],
    ids=range(14),
)
def test_connected_components_errors_as_cc3d(image, options, error):
    for module in (original, cc3d):
        if error is None:
            module.connected_components(image, **options)
        else:
            with pytest.raises(error):
                module.connected_components(image, **options)


@pytest.mark.parametrize("shape", [(), (2, 2, 2, 2), (2, 0, 2, 2)], ids=str)
def test_dimension_error(shape):
    for module in (original, cc3d):
        with pytest.raises(module.DimensionError, match="Only 1D, 2D, and 3D arrays supported"):
            module.connected_components(np.zeros(shape))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"delta": 1}, "delta is not supported. Pass binary_image=True"),
        ({"periodic_boundary": True}, "periodic_boundary is not supported. Use the original cc3d"),
        (
            {"out_file": "labels"},
            "out_file is not supported. Pass a numpy.memmap to out of "
            "cuda_connected_components.label",
        ),
    ],
    ids=["delta", "periodic_boundary", "out_file"],
)
def test_not_implemented(options, message):
    with pytest.raises(NotImplementedError, match=message):
        cc3d.connected_components(np.ones((3, 3, 3), np.uint8), **options)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=str)
def test_nan_differs_from_nan(dtype):  # but for float16, which is compared by bits
    image = np.array([[np.nan, np.nan, 0, 1], [0, -0.0, np.nan, 1]], dtype)
    for call in (
        lambda module: module.connected_components(image, connectivity=6),
        lambda module: module.dust(image, 2, connectivity=6),
    ):
        assert_same(call(cc3d), call(original))


def test_other_arrays_are_refused():
    for function in (
        cc3d.connected_components,
        lambda image: cc3d.dust(image, 1),
        lambda image: cc3d.largest_k(image, 1),
    ):
        with pytest.raises(TypeError, match="expected a NumPy array, not list"):
            function([[1, 0, 1]])


def test_faults_of_cc3d():
    """Show why `theirs_for` is needed. Ours are right."""
    image = np.array([[1, 2]], np.uint8)
    options = {"binary_image": True, "connectivity": 4}
    image = np.concatenate([image, image * 0])
    assert original.connected_components(image, **options)[0].tolist() == [1, 2]
    assert cc3d.connected_components(image, **options)[0].tolist() == [1, 1]

    image = np.zeros((2, 6), bool)
    image[1, 0] = image[0, 4] = True
    theirs, ours = (
        module.connected_components(image, connectivity=8) for module in (original, cc3d)
    )
    assert theirs[:, [0, 4]].tolist() == [[0, 2], [1, 0]]  # by 2 x 2 pixels
    assert ours[:, [0, 4]].tolist() == [[0, 1], [2, 0]]


def test_fraction_in_one_row():
    """cc3d 4.1.1 compares fractions with whole numbers if the foreground lies in one row."""
    image = np.zeros((3, 5), np.float32)
    image[1] = [0, 0.5, 0.5, 0, 0.5]
    assert original.connected_components(image)[1].tolist() == [0, 1, 2, 0, 3]
    assert cc3d.connected_components(image)[1].tolist() == [0, 1, 1, 0, 2]


# each


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("is_binary", [False, True])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.uint16, np.uint32, np.uint64], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each(layout, dtype, is_binary, in_place):
    for shape in SHAPES:
        labels = random_values(1, shape, np.dtype(dtype), layout, count=7)
        ours = cc3d.each(labels, is_binary, in_place)
        # cc3d 4.1.1 reads the wrong memory if the labels are not contiguous.
        theirs = original.each(labels.copy(order="A"), is_binary, in_place)
        assert len(ours) == len(theirs) == np.count_nonzero(np.unique(labels))
        addresses = set()
        for our, their in zip(ours, theirs):
            assert our[0] == their[0] and type(our[0]) is int
            assert our[1].flags.writeable == their[1].flags.writeable == (not in_place)
            assert_same(our[1], their[1])
            addresses.add(our[1].ctypes.data)
        assert not in_place or len(addresses) <= 1


def test_each_without_labels():
    for labels in (np.zeros((2, 3), np.uint8), np.zeros((0, 3), np.uint8)):
        assert list(cc3d.each(labels)) == [] and len(cc3d.each(labels)) == 0
    with pytest.raises(TypeError, match="labels of an integer type, not float64"):
        cc3d.each(np.zeros(3))


# statistics


@pytest.mark.parametrize("is_array", [False, True], ids=["slices", "array"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES + [()], ids=str)
def test_statistics(shape, layout, is_array):
    for seed, dtype in enumerate(DTYPES[:-3]):
        rng = np.random.default_rng(seed)
        for largest in (0, 1, 4):
            largest = min(largest, np.prod(shape, dtype=int))
            labels = np.asarray(rng.integers(0, largest + 1, shape)).astype(dtype)
            if shape:
                labels = LAYOUTS[layout](labels)
            assert_same(
                cc3d.statistics(labels, is_array),
                original.statistics(labels, is_array),
                f"{seed=} {dtype} {largest=}",
            )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "shape", [(400, 700), (100, 110, 120), (70000, 5), (3, 2, 65536), (2, 65535, 3)], ids=str
)
def test_statistics_of_large_images(shape, layout):
    labels = LAYOUTS[layout](original.connected_components(random_image(13, shape, DTYPES[0])))
    labels[labels == 2] = 0
    for is_array in (False, True):
        assert_same(cc3d.statistics(labels, is_array), original.statistics(labels, is_array))


def test_bools_are_any_byte_but_0():
    image = (3 * random_image(1, (6, 7, 8), np.dtype(bool)).astype(np.uint8)).view(bool)
    for call in (
        lambda image: cc3d.statistics(image)["voxel_counts"],
        lambda image: cc3d.dust(image, 2, precomputed_ccl=True),
        lambda image: cc3d.largest_k(image, 2, precomputed_ccl=True),
    ):
        np.testing.assert_array_equal(call(image), call(image != 0))


def test_statistics_of_an_empty_array():
    labels = np.zeros((0, 3), np.uint16)
    assert_same(cc3d.statistics(labels), original.statistics(labels))


@pytest.mark.parametrize(
    "labels, error",
    [
        (np.array([[0, -1]]), ValueError),
        (np.array([[0, 3]]), ValueError),
        (np.array([[0, 3]], np.uint64), ValueError),
        (np.zeros((2, 2)), TypeError),
        (np.zeros((2, 2), np.float16), TypeError),
    ],
    ids=range(5),
)
def test_statistics_errors_as_cc3d(labels, error):
    for module in (original, cc3d):
        with pytest.raises(error):
            module.statistics(labels)


def test_statistics_errors_of_our_own():
    with pytest.raises(cc3d.DimensionError, match="Only 1D, 2D, and 3D arrays supported. Got: 4"):
        cc3d.statistics(np.zeros((1, 1, 1, 1), np.uint8))
    with pytest.raises(ValueError, match="labels from 0 to the number of elements, not 0 to 3"):
        cc3d.statistics(np.array([[0, 3]]))


# dust


def assert_same_dust(image, threshold, connectivity=26, seed=None, **options):
    """Compare dust of copies of an image. cc3d sometimes returns an unsigned type."""
    images = [image.copy(order="K") for _ in range(2)]
    ours = cc3d.dust(images[0], threshold, connectivity, **options)
    theirs = original.dust(images[1], threshold, theirs_for(image, connectivity), **options)
    message = f"{seed=} {image.dtype} {threshold=} {connectivity=} {options}"
    if options.get("return_N"):
        assert type(ours[1]) is int and ours[1] == theirs[1], message
        ours, theirs = ours[0], theirs[0]
    theirs = theirs.view(image.dtype)
    # With `invert`, cc3d may return new zeros in Fortran order.
    assert_same(ours, theirs, message, has_order=not options.get("invert"))
    if options.get("in_place"):
        assert ours is images[0], message
    else:
        np.testing.assert_array_equal(images[0], image)


@pytest.mark.parametrize(
    "threshold", [0, 1, 2, 7.5, 20, 10**6, (2, 9), [3, 10**6], (5, 2)], ids=str
)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_dust(shape, layout, threshold):
    for seed, dtype in enumerate(map(np.dtype, "?hIed")):
        image = LAYOUTS[layout]((blobs(seed, shape) * value_of(dtype, seed)).astype(dtype))
        connectivity = connectivities(image.ndim)[seed % 2]
        assert_same_dust(image, threshold, connectivity, seed)
        for in_place in (False, True):
            for invert in (False, True):
                for return_N in (False, True):
                    assert_same_dust(
                        image,
                        threshold,
                        connectivity,
                        seed,
                        in_place=in_place,
                        invert=invert,
                        return_N=return_N,
                    )


@pytest.mark.parametrize("threshold", [0, 2, 9, (2, 9)], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES[1:], ids=str)
def test_dust_of_several_values(dtype, layout, threshold):
    for seed in seeds(4):
        values = np.random.default_rng(seed).integers(2, 4, (7, 1, 30))
        image = LAYOUTS[layout]((blobs(seed, (7, 8, 30)) * values).astype(dtype))
        for connectivity in connectivities(3):
            assert_same_dust(image, threshold, connectivity, seed)
            assert_same_dust(image, threshold, connectivity, seed, in_place=True, return_N=True)


@pytest.mark.parametrize("threshold", [0, 2, 20, (2, 9)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dust_of_binary_image(dtype, threshold):
    for seed in seeds(4):
        for layout in "CF":
            image = random_values(seed, (7, 8, 30), dtype, layout, 0.2)
            for return_N in (False, True):
                assert_same_dust(image, threshold, 26, seed, binary_image=True, return_N=return_N)


@pytest.mark.parametrize("invert", [False, True], ids=["", "invert"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES[:-3], ids=str)
def test_dust_of_labels(dtype, layout, invert):
    for seed in seeds(4):
        labels = original.connected_components(blobs(seed, (6, 11, 12)), connectivity=6)
        labels[labels == 2] = 0  # a label that does not occur
        labels = LAYOUTS[layout](labels.astype(dtype))
        for threshold in (0, 2, 20, (2, 9), (0, 2)):
            for in_place in (False, True):
                assert_same_dust(
                    labels,
                    threshold,
                    18,
                    seed,
                    in_place=in_place,
                    precomputed_ccl=True,
                    invert=invert,
                    return_N=True,
                )


@pytest.mark.parametrize("shape", [(0,), (0, 3), (4, 0, 2)], ids=str)
def test_dust_of_empty_images(shape):
    for dtype in (bool, np.int16, np.float16):
        image = np.zeros(shape, dtype)
        assert_same_dust(image, 3)
        assert_same_dust(image, 3, return_N=True, in_place=True)
        assert_same_dust(image, 3, return_N=True, invert=True)
        assert cc3d.dust(image, 3, precomputed_ccl=True, return_N=True)[1] == 0


def test_dust_keeps_the_type():
    image = np.eye(3, dtype=np.int32)
    assert original.dust(image, 0).dtype == np.uint32  # nothing to remove
    assert cc3d.dust(image, 0).dtype == np.int32


def test_dust_in_place_removes_all():
    images = [np.eye(3, dtype=np.uint8) for _ in range(2)]
    for module, image in zip((original, cc3d), images):
        assert not module.dust(image, 1, in_place=True, invert=True).any()
    assert images[0].any()  # cc3d returns a new array
    assert not images[1].any()


def test_dust_errors():
    image = np.ones((3, 3, 3), np.uint8)
    with pytest.raises(cc3d.DimensionError):
        cc3d.dust(image[None], 1)
    with pytest.raises(TypeError, match="integer type"):
        cc3d.dust(image.astype(np.float32), 1, precomputed_ccl=True)
    with pytest.raises(ValueError):
        cc3d.dust(np.broadcast_to(image, image.shape), 100, in_place=True)
    with pytest.raises(ValueError, match="a number or a pair of numbers"):
        cc3d.dust(image, [1, 2, 3])
    for threshold in (None, "2", (1, None)):
        with pytest.raises(TypeError, match="a number or a pair of numbers"):
            cc3d.dust(image, threshold)


@pytest.mark.parametrize(
    "threshold",
    [
        2**70,
        -(2**70),
        np.array(3),
        np.True_,
        np.float16(2),
        (-np.inf, np.inf),
        (0, 2**70),
        (np.float32(2.5), np.int8(9)),
    ],
    ids=str,
)
def test_dust_takes_any_number(threshold):
    image = blobs(1, (9, 30))
    for options in ({}, {"return_N": True}):
        assert_same_dust(image, threshold, 8, 1, **options)


# largest_k


def expected_largest_k(labels, count, k):
    """Return the result of largest_k from the labels of cc3d, and whether there are ties."""
    if count <= k:
        return labels, count, False
    sizes = original.statistics(labels)["voxel_counts"][1:].astype(int)
    kept = np.argsort(-sizes, kind="stable")[:k]
    has_ties = len(set(sizes[kept])) < k or np.count_nonzero(sizes >= sizes[kept].min()) > k
    if k == 1:
        return labels == kept[0] + 1, 1, False
    table = np.zeros(count + 1, labels.dtype)
    table[kept + 1] = np.arange(k, 0, -1)
    return np.asarray(table[labels], order="C" if labels.flags.c_contiguous else "F"), k, has_ties


@pytest.mark.parametrize("k", [1, 2, 3, 10, 10**6])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_largest_k(shape, layout, k):
    for seed in seeds(14):
        image = blobs(seed, shape)
        image = LAYOUTS[layout](image * np.uint8(2 + image.cumsum(-1) // 9 % 2) if seed % 2 else image)
        if max(shape) == image.size:  # as above
            image = np.ascontiguousarray(image)
        for connectivity in connectivities(image.ndim):
            message = f"{seed=} {connectivity=}"
            their_connectivity = theirs_for(image, connectivity)
            labels, count = original.connected_components(
                image, connectivity=their_connectivity, return_N=True
            )
            expected, count, has_ties = expected_largest_k(labels, count, k)
            result = cc3d.largest_k(image, k, connectivity, return_N=True)
            assert_same(result, (expected, count), message)
            assert_same(cc3d.largest_k(image, k, connectivity), expected, message)
            theirs = original.largest_k(image, k, their_connectivity, return_N=True)
            if has_ties:  # cc3d chooses and numbers components of equal size in any order
                assert_same(
                    np.sort(original.statistics(result[0])["voxel_counts"]),
                    np.sort(original.statistics(theirs[0])["voxel_counts"]),
                    message,
                )
            else:
                assert_same(result, theirs, message)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_largest_k_of_equal_sizes(layout):
    image = np.zeros((5, 9), np.uint8)
    image[::2, ::2] = 1
    image = LAYOUTS[layout](image)
    for k in (1, 2, 3, 14):
        labels = cc3d.largest_k(image, k)
        first = original.connected_components(image)
        np.testing.assert_array_equal(labels != 0, (first > 0) & (first <= k))
        if k > 1:
            np.testing.assert_array_equal(labels[labels != 0], k + 1 - first[labels != 0])
    assert_same(cc3d.largest_k(image, 1), original.largest_k(image, 1))
    assert_same(cc3d.largest_k(image, 15), original.largest_k(image, 15))


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64, np.int32], ids=str)
def test_largest_k_of_labels(dtype, layout, k):
    for seed in seeds(6):
        labels = original.connected_components(blobs(seed, (6, 11, 12)), connectivity=6)
        labels = LAYOUTS[layout](labels.astype(dtype))
        result = cc3d.largest_k(labels, k, 18, return_N=True, precomputed_ccl=True)
        expected = expected_largest_k(np.copy(labels, order="F"), int(labels.max()), k)
        assert_same(result, expected[:2], f"{seed=}")
        if not expected[2] and np.dtype(dtype).kind == "u":
            theirs = original.largest_k(labels, k, 18, return_N=True, precomputed_ccl=True)
            assert_same(result[0], theirs[0], f"{seed=}")
            assert result[1] == theirs[1]


@pytest.mark.parametrize("k", [1, 3])
def test_largest_k_of_binary_image(k):
    for seed in seeds(4):
        image = random_values(seed, (7, 8, 30), np.dtype(np.int16), "F", 0.1)
        labels, count = original.connected_components(image, binary_image=True, return_N=True)
        expected, count, _ = expected_largest_k(labels, count, k)
        assert_same(
            cc3d.largest_k(image, k, binary_image=True, return_N=True),
            (expected, count),
            f"{seed=}",
        )


@pytest.mark.parametrize("shape", SHAPES + [(0,), (0, 3)], ids=str)
@pytest.mark.parametrize("order", "CF")
def test_largest_k_of_no_components(shape, order):
    for dtype in (bool, np.uint8, np.float64):
        image = np.zeros(shape, dtype, order=order)
        for k in (0, 1, 2):
            assert_same(cc3d.largest_k(image, k), original.largest_k(image, k))
        assert_same(
            cc3d.largest_k(image, 1, return_N=True), original.largest_k(image, 1, return_N=True)
        )
        assert_same(cc3d.largest_k(image + 1, 0), original.largest_k(image + 1, 0))


def test_largest_k_0_returns_the_number():
    labels, count = cc3d.largest_k(np.eye(3), 0, return_N=True)
    assert_same(labels, original.largest_k(np.eye(3), 0, return_N=True))  # only the labels
    assert count == 0


def test_largest_k_errors():
    image = np.ones((3, 3, 3), np.uint8)
    with pytest.raises(ValueError, match="k must not be negative, but is -1"):
        cc3d.largest_k(image, -1)
    with pytest.raises(AssertionError):
        original.largest_k(image, -1)
    with pytest.raises(NotImplementedError, match="delta is not supported"):
        cc3d.largest_k(image, 1, delta=1)
    with pytest.raises(cc3d.DimensionError):
        cc3d.largest_k(image[None], 1)
    with pytest.raises(TypeError):
        cc3d.largest_k(np.eye(3) * 2, 1, precomputed_ccl=True)
