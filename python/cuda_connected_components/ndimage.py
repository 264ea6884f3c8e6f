"""Drop-in for functions of `scipy.ndimage` and `cupyx.scipy.ndimage`.

>>> from cuda_connected_components import ndimage
>>> labels, count = ndimage.label([[1, 0, 0], [0, 1, 1]])
>>> count
2
"""

import operator
from collections.abc import Iterable

import numpy as np

from . import _api, _core, _images
from ._options import Holes, Options
from ._tensors import outside_graphs

__all__ = ["binary_fill_holes", "label"]


@outside_graphs
def label(input, structure=None, output=None):
    """Label the connected components of an array, as `scipy.ndimage.label`.

    Parameters and results are those of SciPy, also for arrays of CuPy. The image has 0 to 3
    dimensions, and the structure is one of ``generate_binary_structure(input.ndim, rank)``, by
    default that of rank 1, face connectivity: others raise `NotImplementedError`. The labels are
    int32, and int64 from 2**31 elements on. With the type bool, every label is True; SciPy raises
    RuntimeError if there are very many.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.array([[1, 0, 0], [0, 1, 1]])
    >>> label(image)
    (array([[1, 0, 0],
           [0, 2, 2]], dtype=int32), 2)
    >>> label(image, structure=np.ones((3, 3)), output=np.uint8)
    (array([[1, 0, 0],
           [0, 1, 1]], dtype=uint8), 1)
    """
    input = _images.array_of(input)
    if input.ndim > 3:
        raise NotImplementedError(
            "label takes arrays of up to 3 dimensions. "
            "Use scipy.ndimage.label for more dimensions."
        )
    connectivity = rank_of(structure, input.ndim, "label")

    is_array = isinstance(output, np.ndarray if isinstance(input, np.ndarray) else type(input))
    if not is_array:
        return _label(input, connectivity, None if output is None else np.dtype(output))
    if output.shape != input.shape:
        raise ValueError("output shape not correct")
    if input.ndim > 0 and output.dtype.kind in "iu" and not np.may_share_memory(input, output):
        return _label(input, connectivity, None, output)[1]
    labels, count = _label(input, connectivity, output.dtype)
    output[...] = labels
    return count


@outside_graphs
def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """Fill the holes of a binary array, as `scipy.ndimage.binary_fill_holes`.

    Parameters and results are those of SciPy, also for arrays of CuPy. The array has up to 3 dimensions,
    or any number of them with up to 3 `axes`. The structure is one of ``generate_binary_structure(n,
    rank)`` for n axes, by default that of rank 1, and `origin` is 0: others raise
    `NotImplementedError`.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    >>> binary_fill_holes(image).astype(int)
    array([[1, 1, 1],
           [1, 1, 1],
           [1, 1, 1]])
    """
    input = _images.array_of(input)
    if getattr(input.dtype, "kind", "") not in tuple("biufc"):
        raise TypeError(f"binary_fill_holes needs numbers in an array of NumPy or CuPy, not {input.dtype}")
    axes = range(input.ndim) if axes is None else axes if isinstance(axes, Iterable) else (axes,)
    axes = tuple(map(operator.index, axes))
    if any(not -input.ndim <= axis < input.ndim for axis in axes):
        raise ValueError(f"axes {axes} are out of the range of {input.ndim} dimensions")
    axes = tuple(axis % input.ndim for axis in axes)
    if len(set(axes)) < len(axes):
        raise ValueError("axes must be unique")
    if len(axes) > 3:
        raise NotImplementedError(
            "binary_fill_holes takes up to 3 axes. Use scipy.ndimage.binary_fill_holes for more."
        )
    if np.ndim(origin) and len(origin) != len(axes):
        raise RuntimeError("sequence argument must have length equal to input rank")
    if np.any(origin):
        raise NotImplementedError(
            "binary_fill_holes needs the origin 0. Use scipy.ndimage.binary_fill_holes for others."
        )
    try:
        rank = rank_of(structure, len(axes), "binary_fill_holes")
    except ValueError as error:  # a rule of label
        raise NotImplementedError(f"{error}: use scipy.ndimage.binary_fill_holes for others") from None
    mask = input if input.dtype == bool else input != 0
    if not axes:
        mask = input.astype(bool)
        mask[...] = True  # without a border, everything is a hole
    # All elements of an axis of one element are at the border.
    elif all(mask.shape[axis] != 1 for axis in axes) and 0 not in mask.shape:
        order = [*(axis for axis in range(mask.ndim) if axis not in axes), *axes]
        filled = _api.keep(mask.transpose(order), Options(rank, len(axes)), Holes(1))
        mask = filled.transpose([order.index(axis) for axis in range(mask.ndim)])
    elif mask is input:
        mask = mask.copy()
    if not isinstance(output, np.ndarray if isinstance(input, np.ndarray) else type(input)):
        return mask
    if output.shape != input.shape:
        raise RuntimeError("output shape not correct")
    output[...] = mask
    return None


def rank_of(structure, ndim, function, module="scipy.ndimage"):
    """Return the rank of the connectivity of a structure: 1 (face) to `ndim` (full). A function of a module takes others."""
    if structure is None:
        return 1
    if hasattr(structure, "get"):  # cupy.ndarray
        structure = structure.get()
    structure = np.array(structure, dtype=bool)
    if structure.ndim != ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(size != 3 for size in structure.shape):
        raise ValueError("structure dimensions must be equal to 3")
    if not np.array_equal(structure, np.flip(structure)):
        raise ValueError("structure must be symmetric")
    structure[(1,) * ndim] = True
    distances = np.abs(np.indices(structure.shape) - 1).sum(axis=0)
    for rank in range(1, max(ndim, 1) + 1):
        if np.array_equal(structure, distances <= rank):
            return rank
    raise NotImplementedError(
        f"{function} supports the structures of generate_binary_structure (4, 8, 6, 18 or 26 neighbours). "
        f"Use {module}.{function} for other structures."
    )


def _label(image, connectivity, dtype, out=None):
    """Return the labels and their number. The labels have any type that SciPy supports."""
    if image.ndim == 0:
        labels, count = _label(image.reshape(1), 1, dtype)
        return labels.reshape(()), count
    options = Options(connectivity)
    try:
        if dtype is None or dtype.kind in "iu":
            native = None if dtype is None else dtype.newbyteorder("=")
            labels, count = _api.label_image(image, options, native, out)
            return labels if dtype == native else labels.astype(dtype), count
        if dtype.kind not in "bf":
            raise TypeError(f"output must be of an integer, float or bool type, not {dtype}")
        labels, count = _api.label_image(image, options)
        if dtype.kind == "f" and count > 2 ** (np.finfo(dtype).nmant + 1):
            raise _core.LabelOverflowError(f"{dtype} cannot hold {count} labels")
    except _core.LabelOverflowError as error:
        raise RuntimeError("insufficient bit-depth in requested output type") from error
    return labels.astype(dtype), count
