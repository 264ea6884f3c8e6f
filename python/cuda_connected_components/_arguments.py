"""Checks of arguments that several functions share."""

import functools
import math
import numbers
import operator
import sys
from typing import Any, NamedTuple

import numpy as np

from . import _core

ADVICE_FOR_LABELS = "convert the labels first: labels.astype(numpy.int32), or labels.int() of PyTorch"
# What rounds to 0, and what rounds to infinity, in floating-point types.
_ROUNDED_AWAY = {
    "float16": (2.0**-25, 65520),
    "bfloat16": (2.0**-134, 2**128 - 2**119),
    "float32": (2.0**-150, 2**128 - 2**103),
    "float64": (0, math.inf),
}
BFLOAT16 = np.dtype([("bfloat16", np.uint16)], align=True)  # NumPy does not have it; the extension module knows it
_INTENSITY_TYPES = {np.dtype(char).name for char in "?bBhHiIqQfd"}
_INTEGERS = "a type of NumPy: int8, uint8, int16, uint16, int32, uint32, int64 or uint64"


@functools.lru_cache(maxsize=64)
def name_of(dtype):
    """Return the NumPy name of an element type of any library. NumPy needs microseconds to make it."""
    if not isinstance(dtype, np.dtype):
        return str(dtype).rpartition(".")[2]
    return "bfloat16" if dtype == BFLOAT16 else dtype.name


def spatial_axes(shape, spatial_dims, is_physical=False):
    """Return the number of axes of an image. The axes before these are axes of a batch.

    `spatial_dims` is this number, or None for all axes. `is_physical` says that
    the image is of itk or SimpleITK.
    """
    ndim = len(shape)
    if spatial_dims is None:
        if 1 <= ndim <= 3:
            return ndim
        if ndim == 0:
            advice = "pass image[np.newaxis] for a single element"
        elif is_physical:
            advice = (
                "for a batch, pass its array and spatial_dims=3 or 2, "
                "for example SimpleITK.GetArrayViewFromImage(image)"
            )
        else:
            advice = (
                "for a batch, pass spatial_dims=3 (volumes along the last 3 axes) "
                "or spatial_dims=2 (planes along the last 2 axes)"
            )
            rest = tuple(shape)
            while len(rest) > 1 and rest[-1] == 1:  # such as files of NIfTI with four dimensions
                rest = rest[:-1]
            if len(rest) < ndim:
                index = ", 0" * (ndim - len(rest))
                advice = (
                    f"axes at the end have one element: pass image[...{index}], of the shape {rest}; "
                    f"{advice}"
                )
        raise ValueError(f"images have 1, 2 or 3 dimensions, not {ndim}: {advice}")
    number = integer_of("spatial_dims", spatial_dims)
    if not 1 <= number <= 3:
        raise ValueError(f"spatial_dims must be 1, 2, 3 or None, not {number}")
    if number > ndim:
        raise ValueError(f"spatial_dims={number} is not possible with {ndim} axes")
    if is_physical and number < ndim:
        raise ValueError(
            f"spatial_dims={number} is for arrays, and the image of itk or SimpleITK has {ndim} "
            "axes: pass its array, for example SimpleITK.GetArrayViewFromImage(image)"
        )
    return number


def image_stride_of(shape, strides, axes):
    """Return the distance from each image of a batch to the next one, or None if it is not constant.

    The last `axes` axes are those of an image. The distance is 0 for less than two images.
    """
    leading = [(n, stride) for n, stride in zip(shape[:-axes], strides[:-axes]) if n != 1]
    if not leading or 0 in shape:
        return 0
    is_constant = all(outer == n * inner for (_, outer), (n, inner) in zip(leading, leading[1:]))
    return leading[-1][1] if is_constant else None


def in_leading_shape(counts, leading):
    """Return a number of components, or an array of them for the leading axes of a batch."""
    # NumPy has two types of int64, and names one of them when it prints an array.
    return counts.view(np.int64).reshape(leading) if leading else counts


def check_mask_shape(mask_shape, shape, axes):
    """Raise an exception if a mask has another shape than an image or a batch."""
    if tuple(mask_shape) != tuple(shape):
        advice = ""
        if len(shape) > axes and tuple(mask_shape) == tuple(shape[-axes:]):
            advice = ": for one mask of all images, broadcast it to the shape of the image"
        raise ValueError(
            f"the mask has the shape {tuple(mask_shape)}, and the image {tuple(shape)}{advice}"
        )


_NEIGHBORS = {1: (2,), 2: (4, 8), 3: (6, 18, 26)}  # by the number of axes, for each rank


def neighbors_of(connectivity, ndim):
    """Return the number of neighbors for the extension module, where 0 stands for full connectivity.

    `connectivity` is None, a rank from 1 to `ndim`, or a number of neighbors.
    """
    if connectivity is None:
        return 0
    if hasattr(connectivity, "shape") and connectivity.shape != ():
        raise TypeError(
            f"connectivity must be None or an integer, not {type(connectivity).__name__}: pass a "
            "mask as mask=; cuda_connected_components.ndimage.label takes a structure"
        )
    number = integer_of("connectivity", connectivity)
    neighbors = _NEIGHBORS[ndim][number - 1] if 1 <= number <= ndim else number
    if neighbors not in _NEIGHBORS[ndim]:
        advice = {
            1: "dimension; leave it out",
            2: "dimensions; use 1 or 4 (faces), or 2, 8 or None (full)",
            3: "dimensions; use 1 or 6 (faces), 2 or 18 (faces and edges), or 3, 26 or None (full)",
        }[ndim]
        raise ValueError(f"connectivity={number} is not possible with {ndim} {advice}")
    return 0 if ndim == 1 else neighbors


def limits_of(lower, upper):
    """Return the limits of the foreground for the extension module, which rounds them to the type."""
    lower = -math.inf if lower is None else real_of("lower", lower)
    upper = math.inf if upper is None else real_of("upper", upper)
    if lower > upper:
        raise ValueError(f"lower={lower} is greater than upper={upper}")
    return _number_for_core(lower, is_lower=True), _number_for_core(upper, is_lower=False)


def background_of(background, dtype):
    """Return the values of the background for the extension module.

    `dtype` is the name of the type of the image.
    """
    if background is None:
        return []
    number = number_of(background)
    if number is None:
        raise TypeError(f"background must be a number or None, not {background!r}")
    if number != number:
        raise ValueError("background must not be NaN: each element that is NaN is a component")
    for_core = _number_for_core(number, is_lower=number > 0)
    if not _has(dtype, for_core if dtype in _ROUNDED_AWAY else number):
        raise ValueError(f"background={background} is not possible for images of {dtype}")
    return [for_core]


def numbers_for_core(values):
    """Return values of elements for the extension module."""
    numbers = [real_of("a value of elements", value) for value in values]
    return [_number_for_core(number, is_lower=number > 0) for number in numbers]


def number_for_core(name, value):
    """Return a value that is written to elements for the extension module."""
    number = number_of(value)
    if number is None:
        raise TypeError(f"{name} must be a number, not {value!r}")
    for_core = _number_for_core(number, is_lower=number > 0)
    if for_core != for_core and number == number:
        raise ValueError(f"{name} is beyond all floating-point numbers")
    return for_core


def _has(dtype, number):
    """Return whether a type has a number. Floating-point types round it, but not to 0 or infinity."""
    if dtype == "bool":
        return number in (0, 1)
    if dtype in _ROUNDED_AWAY:
        smallest, largest = _ROUNDED_AWAY[dtype]
        return number in (0, math.inf, -math.inf) or smallest < abs(number) < largest
    if not dtype.startswith(("int", "uint")):
        return True  # another check refuses the type
    limits = np.iinfo(dtype)
    return limits.min <= number <= limits.max and number == int(number)


def real_of(name, value):
    """Return a value that is not NaN as a number of Python."""
    number = number_of(value)
    if number is None:
        raise TypeError(f"{name} must be a number, not {value!r}")
    if number != number:
        raise ValueError(f"{name} must not be NaN")
    return number


def _number_for_core(limit, is_lower):
    """Return a number as an integer of 64 bits or a float. NaN stands for a limit that excludes all elements."""
    if isinstance(limit, int) and -(2**63) <= limit < 2**64:
        return int(limit)
    try:
        return float(limit)
    except OverflowError:
        if (limit > 0) == is_lower:
            return math.nan
        return -sys.float_info.max if is_lower else sys.float_info.max


def number_of(value):
    """Return a real number of any library as a number of Python, or None for other values.

    Numbers of NumPy and PyTorch are rounded or overflow if they are compared with others.
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    return value if isinstance(value, numbers.Real) else None


def integer_dtype(dtype):
    """Return the NumPy type of labels for a `dtype` of any library."""
    if type(dtype).__module__.partition(".")[0] == "torch":
        dtype = str(dtype).rpartition(".")[2]
    try:
        numpy_dtype = np.dtype(dtype)
    except TypeError:
        numpy_dtype = None
    if numpy_dtype is None or numpy_dtype.kind not in "iu":
        raise TypeError(f"dtype={dtype!r}: labels are integers; use {_INTEGERS}")
    if not numpy_dtype.isnative:
        raise TypeError(f"dtype={dtype!r} has another byte order; use {numpy_dtype.name}, or out=")
    return numpy_dtype


def check_integers(name, advice):
    """Raise an exception unless the NumPy name of the type of labels is that of integers."""
    if not name.startswith(("int", "uint")):
        raise TypeError(f"labels are integers, not {name}: {advice}")


def check_intensities(name, shape, shape_of_labels):
    """Raise an exception unless an image with the NumPy name of a type can be measured with labels."""
    if name not in _INTENSITY_TYPES:
        raise TypeError(f"intensities are bool, integers, float32 or float64, not {name}: convert them first")
    if tuple(shape) != tuple(shape_of_labels):
        raise ValueError(f"the intensities have the shape {tuple(shape)}, and the labels {tuple(shape_of_labels)}")


def values_of_bits(bits, dtype):
    """Return a column of values whose bits are integers of 8 bytes."""
    return bits.astype(f"i{dtype.itemsize}").view(dtype)


def check_elements(shape, strides, itemsize):
    """Raise an exception if elements of an array for results may share memory."""
    end = 0
    for stride, length in sorted((abs(stride), n) for stride, n in zip(strides, shape) if n > 1):
        if stride < end + itemsize and 0 not in shape:
            raise ValueError("elements of out share memory: pass a new array, such as a copy")
        end += stride * (length - 1)


def label_dtype(library, dtype, shape):
    """Return the NumPy type of new labels: `dtype`, or the default of a library for images of a shape."""
    return np.dtype(dtype or library.label_dtype or default_label_dtype(shape))


def default_label_dtype(shape):
    """Return the type of labels for images of a shape."""
    return np.dtype(np.int32 if math.prod(shape) < 2**31 else np.int64)


def integer_of(name, value, minimum=None):
    """Return `value` as an integer. With `minimum`, it is a count: larger ones than 2**63 become 2**63."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if minimum is None:
        return number
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, not {number}")
    return min(number, 2**63)


def backend_of(device, name):
    """Return the number of a backend for `device`: "cpu", "cuda" or "cuda:1"."""
    device = str(device)  # also of a torch.device
    if device == "cpu":
        return _core.HOST_BACKEND
    if device == "cuda":
        return _core.CURRENT_DEVICE
    prefix, _, number = device.partition(":")
    if prefix == "cuda" and number.isdecimal() and len(number) < 6:
        return int(number)
    raise ValueError(f'{name} must be "cpu", "cuda" or "cuda:N", not {device!r}')


def minimum_pixels(min_size, spacing):
    """Return the lowest number of elements whose size is not less than `min_size`, but for rounding.

    `min_size` is in elements or, with the `spacing` of each axis, in its unit
    to the power of the number of axes.
    """
    return _pixels("min_size", min_size, spacing, math.ceil)


def maximum_pixels(max_size, spacing):
    """Return the highest number of elements whose size is not above `max_size`, but for rounding.

    The arguments are as for `minimum_pixels`. Infinity is no limit.
    """
    return 2**64 - 1 if max_size == math.inf else _pixels("max_size", max_size, spacing, math.floor)


def _pixels(name, size, spacing, round_to):
    """Return a size as a number of elements."""
    number = number_of(size)
    if number is None:
        raise TypeError(f"{name} must be a number, not {size!r}; its unit is of spacing=")
    if not number >= 0:
        raise ValueError(f"{name} must be a number from 0 on, not {number!r}")
    number = min(number, 1e300)  # larger integers are no floats
    if spacing is None:
        return min(round_to(number), 2**63)
    size_of_one = math.prod(spacing)
    if not 0 < size_of_one < math.inf:
        raise ValueError(f"spacing {spacing!r} has a product that is not a positive number")
    count = number / size_of_one
    if count >= 2**63:
        return 2**63
    # The spacings of NIfTI files are of type float: the product of 3 has a relative error of up to
    # 1.8e-7. The command-line tool has the same tolerance.
    nearest = round(count)
    return nearest if abs(nearest - count) <= count * 2e-7 else round_to(count)


def spacing_of(spacing, ndim):
    """Return the distances of elements along each axis as floats."""
    if number_of(spacing) is not None:
        spacing = (spacing,) * ndim
    try:
        if isinstance(spacing, str):
            raise TypeError
        distances = tuple(float(distance) for distance in spacing)
    except TypeError:
        raise TypeError(
            f'spacing must be a number, {ndim} numbers or "image", not {spacing!r}'
        ) from None
    if len(distances) != ndim:
        raise ValueError(f"spacing has {len(distances)} numbers, but the image has {ndim} axes")
    if not all(0 < distance < math.inf for distance in distances):
        raise ValueError(f"spacing must be positive, not {spacing!r}")
    return distances


class Geometry(NamedTuple):
    """The places of the elements of an image, along x, y and z or along the axes of an array."""

    first: tuple  # the index of the first element
    origin: tuple
    spacing: tuple
    direction: Any


def points_of(seeds, axes):
    """Return points as an array with a row for each point. `seeds` is one point, or a sequence of points."""
    points = np.asarray(seeds)
    if points.ndim == 1 and points.size:
        points = points[np.newaxis]
    if points.ndim != 2 or points.shape[1] != axes or not len(points):
        raise ValueError(
            f"seeds must be one or more points of {axes} number{'s' if axes > 1 else ''}, "
            f"and it has the shape {points.shape}"
        )
    if points.dtype.kind not in "iuf":
        raise TypeError(f"seeds must be numbers, not {points.dtype}")
    return points


def seeds_of(seeds, geometry, spacing, image, size):
    """Return the index of the element at each seed, from the first element, as a list of lists.

    `spacing` is an argument of a user, from which the geometry follows. Without it, the seeds are indices.
    `size` has the number of elements along each axis, in the order of a seed.
    """
    axes = len(geometry.first)
    points = points_of(seeds, axes)
    if spacing is not None:
        if not (np.abs(points) < 2**62 * np.min(geometry.spacing)).all():
            raise ValueError(f"seeds must be finite numbers near the image, not {points.tolist()}")
        if isinstance(spacing, str):
            # The image rounds as ITK in all places between two elements.
            places = [image.TransformPhysicalPointToIndex(point) for point in points.astype(float).tolist()]
        else:
            places = np.floor(points / np.asarray(geometry.spacing) + 0.5)
        indices = np.array(places, np.int64)
    elif points.dtype.kind == "f":
        raise TypeError("seeds are indices, which must be integers: pass spacing for points in mm")
    else:
        indices = points
    indices = indices.astype(object) - np.asarray(geometry.first, object)
    has_elements = 0 not in size  # otherwise, there is no region to grow
    for point, index in zip(points.tolist(), indices.tolist(), strict=True):
        if min(index) < 0 or (has_elements and any(place >= n for place, n in zip(index, size))):
            last = [first + n - 1 for first, n in zip(geometry.first, size)]
            raise ValueError(
                f"the seed {point} lies outside the image, whose indices are {list(geometry.first)} to {last}"
            )
    return indices.tolist()


def geometry_of(library, image, spacing, axes):
    """Return the geometry for statistics. `spacing` is an argument of a user."""
    has_geometry = library.has_physical_axes
    if isinstance(spacing, str) and spacing == "image":
        if not has_geometry:
            raise ValueError(
                f'spacing="image" needs an image of itk or SimpleITK, not {type(image).__name__}: '
                "pass the numbers"
            )
        return library.geometry(image)
    distances = spacing_of(1.0 if spacing is None else spacing, axes)
    first = library.geometry(image).first if has_geometry else (0,) * axes
    return Geometry(first, (0.0,) * axes, distances, np.eye(axes))
