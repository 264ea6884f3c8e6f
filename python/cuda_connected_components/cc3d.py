"""Drop-in for functions of `cc3d` 4.1.1.

Parameters and results are those of the original, for NumPy arrays of 1 to 3 dimensions: regions of
equal value or, with ``binary_image=True``, all values other than 0. Options that it does not have
raise `NotImplementedError`.

>>> import numpy as np
>>> from cuda_connected_components import cc3d
>>> labels, count = cc3d.connected_components(np.eye(3, dtype=bool), connectivity=4, return_N=True)
>>> count
3
"""

import functools
import math
import operator

import numpy as np

from . import _api, _arguments, _images
from ._options import Options, Selection
from ._tensors import check_label_type, outside_graphs, plain_tensor

__all__ = ["DimensionError", "connected_components", "dust", "each", "largest_k", "statistics"]


class DimensionError(ValueError):
    """The array has the wrong number of dimensions."""


@outside_graphs
def connected_components(
    data,
    max_labels=-1,
    connectivity=26,
    return_N=False,
    delta=0,
    out_dtype=None,
    out_file=None,
    periodic_boundary=False,
    binary_image=False,
):
    """Label the regions of equal value of an array, or of a tensor of PyTorch.

    Planes also take the connectivities 6 (as 4), 18 and 26 (as 8). The values of float16 are
    compared by their bits. `delta` is for binary images, which ignore it. `out_file` and
    `periodic_boundary` are not supported. The labels follow the order of memory.

    Examples
    --------
    >>> connected_components(np.array([[5, 0, 0], [0, 5, 7]]), connectivity=4)
    array([[1, 0, 0],
           [0, 2, 3]], dtype=uint16)
    """
    is_tensor = hasattr(data, "cpu")
    if is_tensor:
        data = plain_tensor(data).cpu().numpy()
    rank = _check(data, connectivity)
    if periodic_boundary:
        raise NotImplementedError("periodic_boundary is not supported. Use the original cc3d.")
    if out_file is not None:
        raise NotImplementedError(
            "out_file is not supported. Pass a numpy.memmap to out of "
            "cuda_connected_components.label."
        )
    if data.size == 0:
        labels, count = np.zeros(data.shape, data.dtype if out_dtype is None else out_dtype), 0
    else:
        is_binary = bool(binary_image or data.dtype == bool)
        if delta != 0 and not is_binary:
            raise NotImplementedError(
                "delta is not supported. Pass binary_image=True to label all "
                "values other than 0, or use the original cc3d."
            )
        view = _elements(data)
        dtype = _label_dtype(_largest_label(view, connectivity, is_binary), out_dtype)
        if is_tensor:
            check_label_type(dtype, "pass data.detach().cpu().numpy()")
        labels, count = _api.label_image(view, Options(rank, by_value=not is_binary), dtype)
        # The labels of an image with gaps or reversed axes are in C order.
        labels = _like(data, np.ascontiguousarray(labels))
    if is_tensor:
        import torch

        labels = torch.from_numpy(labels)
    return (labels, count) if return_N else labels


@outside_graphs
def statistics(out_labels, no_slice_conversion=False):
    """Return the size, bounding box and centroid of each label, the background included.

    No label is negative or exceeds the number of elements. The sizes are uint32, and uint64 from 2**32
    elements on.

    Examples
    --------
    >>> table = statistics(np.array([[1, 1, 0], [0, 0, 2]]))
    >>> table["voxel_counts"]
    array([3, 2, 1], dtype=uint32)
    >>> table["bounding_boxes"][1]
    (slice(0, 1, None), slice(0, 2, None))
    """
    labels = np.asarray(_images.array_of(out_labels))
    while labels.ndim < 2:
        labels = labels[..., np.newaxis]
    if labels.ndim > 3:
        raise DimensionError(f"Only 1D, 2D, and 3D arrays supported. Got: {labels.ndim}")
    if labels.dtype == bool:
        labels = (labels != 0).view(np.uint8)  # true is any byte but 0
    if labels.dtype.kind not in "iu":
        raise TypeError(f"statistics needs labels of an integer type, not {labels.dtype}")
    if labels.size == 0:
        return {"voxel_counts": None, "bounding_boxes": None, "centroids": None}
    view = _memory_order(labels)
    library, view = _images.open_image(view)
    call, table = _api.tabulate(library, view, Options(by_value=True, background=None), ("boxes", "means"))
    names = table["value"]
    lowest, highest = int(names[0]), int(names[-1])
    if lowest < 0 or highest > labels.size:
        raise ValueError(
            "statistics needs labels from 0 to the number of elements, "
            f"not {lowest} to {highest}"
        )

    # cc3d marks the box of a label that does not occur with the largest index and 0.
    names = names.astype(np.intp)
    index_dtype = np.dtype(np.uint32 if max(labels.shape) > np.iinfo(np.uint16).max else np.uint16)
    absent = np.iinfo(index_dtype).max
    counts = np.zeros(highest + 1, np.int64)
    counts[names] = table["num_pixels"]
    boxes = np.tile(np.array([absent, 0], np.int64), (highest + 1, labels.ndim))
    centroids = np.full((highest + 1, labels.ndim), np.nan)
    letters = "xyz"[: labels.ndim]
    is_reversed = call.transposed == (view is labels)
    for axis, letter in enumerate(letters if is_reversed else letters[::-1]):
        boxes[names, 2 * axis] = table[f"start_{letter}"]
        boxes[names, 2 * axis + 1] = table[f"end_{letter}"] - 1
        centroids[names, axis] = table[f"mean_{letter}"]
    if no_slice_conversion:
        boxes = boxes.astype(index_dtype)
    else:
        boxes = [
            (
                tuple(slice(*pair) for pair in zip(row[::2], row[1::2]))
                if row[0] < labels.size
                else None
            )
            for row in (boxes + [0, 1] * labels.ndim).tolist()
        ]
    count_dtype = np.uint32 if labels.size < 2**32 else np.uint64
    return {
        "voxel_counts": counts.astype(count_dtype),
        "bounding_boxes": boxes,
        "centroids": centroids,
    }


class _Each:
    """The images of `each`. Their number is known."""

    def __init__(self, labels, binary, in_place):
        flat = _memory_order(labels).reshape(-1)
        starts = np.flatnonzero(np.append(True, flat[1:] != flat[:-1])[: flat.size])
        lengths = np.diff(starts, append=flat.size)
        order = np.argsort(flat[starts], kind="stable")
        order = order[flat[starts[order]] != 0]
        self._starts, self._lengths = starts[order], lengths[order]
        self._names, self._firsts = np.unique(flat[self._starts], return_index=True)
        self._in_place = in_place
        self._make = functools.partial(
            np.zeros,
            labels.shape,
            bool if binary else labels.dtype,
            "F" if labels.flags.f_contiguous else "C",
        )

    def __len__(self):
        return len(self._names)

    def __iter__(self):
        image = None
        for name, starts, lengths in zip(
            self._names.tolist(),
            np.split(self._starts, self._firsts[1:]),
            np.split(self._lengths, self._firsts[1:]),
        ):
            offsets = starts - (np.cumsum(lengths) - lengths)
            indices = np.arange(lengths.sum()) + np.repeat(offsets, lengths)
            if image is None or not self._in_place:
                image = self._make()
            flat = _memory_order(image).reshape(-1)
            flat[indices] = name
            image.flags.writeable = not self._in_place
            yield int(name), image
            image.flags.writeable = True
            if self._in_place:
                flat[indices] = 0


def each(labels, binary=False, in_place=False):
    """Return an iterable of the labels other than 0 and their images, which has a length.

    An image has the shape of `labels`, and their type or bool. With `in_place`, all images are the
    same array, which is read-only and changes with the next label.

    Examples
    --------
    >>> for label, image in each(np.array([[1, 1, 0], [0, 0, 3]]), binary=True):
    ...     print(label, image.sum())
    1 2
    3 1
    """
    labels = _images.array_of(labels)
    if labels.dtype.kind not in "biu":
        raise TypeError(f"each needs labels of an integer type, not {labels.dtype}")
    return _Each(labels, binary, in_place)


@outside_graphs
def dust(
    img,
    threshold,
    connectivity=26,
    in_place=False,
    binary_image=False,
    precomputed_ccl=False,
    invert=False,
    return_N=False,
):
    """Set components to 0 if they are too small.

    The result always has the type of `img`. With `precomputed_ccl`, `img` has labels.

    Examples
    --------
    >>> dust(np.array([[5, 0, 0], [0, 5, 5]]), threshold=2, connectivity=4)
    array([[0, 0, 0],
           [0, 5, 5]])
    """
    rank = _check(img, 26 if precomputed_ccl else connectivity)
    lower, upper = _thresholds(threshold)
    if not (precomputed_ccl or return_N):
        view = _elements(img)
        out = view if in_place else None if view.flags.c_contiguous else np.empty_like(view)
        by_value = not (binary_image or img.dtype == bool)
        options = Options(rank, by_value=by_value)
        sizes = (_count(lower), _count(upper) - 1) if upper > 0 else (2**62, 0)
        selection = Selection(min_size=sizes[0], max_size=sizes[1], invert=bool(invert))
        kept = _api.keep(view, options, selection, out)
        return img if in_place else _like(img, kept).view(img.dtype)

    if precomputed_ccl:
        labels = (img != 0).view(np.uint8) if img.dtype == bool else img
        count = int(labels.max(initial=0))
    else:
        labels, count = connected_components(
            img, connectivity=connectivity, return_N=True, binary_image=binary_image
        )
    image = img if in_place else np.copy(img)
    if count == 0:
        return (image, 0) if return_N else image
    sizes = statistics(labels, no_slice_conversion=True)["voxel_counts"]
    is_kept = (sizes >= _count(lower)) & (sizes < _count(upper))
    if invert:
        is_kept = ~is_kept
    view, image_view = _memory_order(labels), _like(labels, image)
    for part in _slabs(view):
        image_view[part][~is_kept[view[part]]] = 0
    return (image, int(np.count_nonzero(is_kept[1:]))) if return_N else image


@outside_graphs
def largest_k(
    img, k, connectivity=26, delta=0, return_N=False, binary_image=False, precomputed_ccl=False
):
    """Label the k largest components.

    Of components of equal size, those that come first are kept, and the first has the largest label.
    The labels are bool for ``k=1`` if the image has more than one component. With
    `precomputed_ccl`, `img` has labels.

    Examples
    --------
    >>> largest_k(np.array([[5, 0, 0], [0, 5, 5]]), 1, connectivity=4)
    array([[False, False, False],
           [False,  True,  True]])
    """
    k = operator.index(k)
    if k < 0:
        raise ValueError(f"k must not be negative, but is {k}")
    _check(img, 26 if precomputed_ccl else connectivity)
    if k == 0:
        labels = np.zeros(img.shape, np.uint16, order="C" if img.flags.c_contiguous else "F")
        return (labels, 0) if return_N else labels

    if precomputed_ccl:
        labels = np.copy(img, order="F")
        count = int(labels.max(initial=0))
    else:
        labels, count = connected_components(
            img, connectivity=connectivity, return_N=True, delta=delta, binary_image=binary_image
        )
    if count > k:
        view = _memory_order(labels)
        ranks = _api.relabel(view, k=k, out=view)
        if k == 1:
            ranks = ranks != 0
        else:
            np.subtract(k + 1, ranks, out=ranks, where=ranks != 0)
        labels, count = _like(labels, ranks), k
    return (labels, count) if return_N else labels


def _thresholds(threshold):
    """Return the lower and the upper threshold of `dust`."""
    pair = tuple(threshold) if isinstance(threshold, (tuple, list)) else (threshold, math.inf)
    if len(pair) != 2:
        raise ValueError(f"threshold must be a number or a pair of numbers: {threshold}")
    pair = tuple(map(_arguments.number_of, pair))
    if None in pair:
        raise TypeError(f"threshold must be a number or a pair of numbers, not {threshold!r}")
    if any(map(math.isnan, pair)):
        raise ValueError(f"threshold must not be NaN: {threshold}")
    return pair


def _count(threshold):
    """Return the lowest number of elements that is not below a threshold."""
    return 0 if threshold <= 0 else math.ceil(threshold) if threshold < 2**62 else 2**62


def _check(data, connectivity):
    """Return the rank of the connectivity for `_api`. None is full connectivity."""
    if not isinstance(data, np.ndarray):
        raise TypeError(
            f"expected a NumPy array, not {type(data).__name__}. "
            "The functions of cuda_connected_components take other arrays."
        )
    if data.ndim not in (1, 2, 3):
        raise DimensionError(f"Only 1D, 2D, and 3D arrays supported. Got: {data.ndim}")
    if connectivity not in ((4, 8, 6, 18, 26) if data.ndim == 2 else (6, 18, 26)):
        raise ValueError(f"connectivity {connectivity} is not supported for {data.ndim}D arrays")
    return {4: 1, 6: 1, 18: 2}.get(connectivity)


def _elements(data):
    """Return the elements in the order of memory. Raises an exception for types of other packages."""
    if data.dtype.char not in "?bBhHiIlLqQefd" or not data.dtype.isnative:
        raise TypeError(
            f"Type {data.dtype} is not supported. Supported are bool, integers, "
            "float16, float32 and float64 in native byte order."
        )
    if data.dtype == np.float16:
        data = data.view(np.uint16)  # cc3d compares the bits: -0.0 is foreground.
    return _memory_order(data)


def _memory_order(array):
    """Return a view with reversed axes of a Fortran-ordered array. Return other arrays as is."""
    return array.T if array.flags.f_contiguous else array


def _like(array, view):
    """Reverse the axes of an array if `_memory_order(array)` does."""
    return view.T if array.flags.f_contiguous else view


def _slabs(view):
    """Yield slices of the first axis with about 2**20 elements each."""
    step = max(1, 2**20 * len(view) // max(1, view.size))
    for start in range(0, len(view), step):
        yield slice(start, start + step)


def _largest_label(view, connectivity, is_binary):
    """Return cc3d's upper bound of the labels. cc3d derives the type of the labels from it."""
    if is_binary:
        elements = math.prod(size + size % 2 for size in view.shape) * 2 ** (3 - view.ndim)
        divisor = 2 if connectivity in (4, 6) else 4 if connectivity in (8, 18) else 8
        return min(view.size, elements // divisor + 1)
    return _count_runs(np.atleast_2d(view))


def _count_runs(view):
    """Count the runs of equal values in the rows. The result may be another number for the same type.

    The type of labels depends on whether there are at least 2**16 - 1 runs, so that counting may
    stop early.
    """
    bound = view.size
    if bound < 2**16 - 1:
        return bound
    count = 0
    for part in _slabs(view):
        slab = view[part]
        is_first = slab != 0
        is_first[..., 1:] &= slab[..., 1:] != slab[..., :-1]
        count += np.count_nonzero(is_first)
        if count >= 2**16 and bound < 2**32 - 1:
            break
    return count


def _label_dtype(largest, out_dtype):
    """Return the type of labels up to `largest`, by the rules of cc3d."""
    dtypes = [np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.uint64)]
    if out_dtype is None:
        return next(dtype for dtype in dtypes if largest < np.iinfo(dtype).max)
    dtype = np.dtype(out_dtype)
    if dtype not in dtypes:
        raise ValueError(f"out_dtype must be uint16, uint32 or uint64, not {dtype}")
    if np.iinfo(dtype).max < largest:
        raise ValueError(f"out_dtype {dtype} is too small for the largest possible label")
    return dtype
