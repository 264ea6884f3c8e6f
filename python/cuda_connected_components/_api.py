"""The functions of the package."""

import math

import numpy as np

from . import _arguments, _core, _devices, _images

_threads = 0  # 0: the processors that the process may use

_PROPERTIES = (
    "label",
    "num_pixels",
    "area",
    "bbox",
    "centroid",
    "area_bbox",
    "extent",
    "equivalent_diameter_area",
    "touches_border",
)


def label(
    image,
    connectivity=None,
    *,
    lower=None,
    upper=None,
    mask=None,
    device=None,
    threads=None,
    dtype=None,
    out=None,
    return_num=False,
):
    """Label the connected components of an image.

    Elements that are not 0 are foreground; NaN is foreground, too. The labels
    are 1, 2, 3, ... in the order of the first elements of the components in C
    index order, whatever the layout in memory. Background is 0. The labels
    equal the labels of ITK, SciPy, scikit-image and SimpleITK.

    Parameters
    ----------
    image : ndarray, itk.Image, SimpleITK.Image, xarray.DataArray, cupy.ndarray, torch.Tensor
        The image, with 1 to 3 dimensions, of bool, integers of 8 to 64 bits or
        floating-point numbers. Any other object that ``numpy.asarray`` converts
        is treated like an array.
    connectivity : int, optional
        The rank of the connectivity, from 1 (faces) to the number of
        dimensions (full), or the number of neighbors: 4, 8, 6 or 26. The
        default is full connectivity.
    lower, upper : number, optional
        Inclusive limits of the foreground, in place of "not 0". NaN is then
        background.
    mask : like image, optional
        Elements that are 0 in the mask are background.
    device : {None, "cpu", "cuda", "cuda:N"}, optional
        Where images in host memory are labeled. By default on the current GPU
        and, if it cannot be used or the image is small, on the CPU.
    threads : int, optional
        The number of threads on the CPU, see `set_num_threads`.
    dtype : dtype, optional
        The integer type of the labels. The default depends on the shape only:
        int32, and int64 for images of 2**31 elements and more. itk and
        SimpleITK images get the types of their own filters, uint64 and uint32.
    out : like image, optional
        The labels are written to this image. It must have the shape of the
        image and an integer type.
    return_num : bool, optional
        Whether to return the number of components, too.

    Returns
    -------
    labels : like image
        The labels: an image of the same library, on the same device, with the
        same geometry, coordinates or metadata. The order in memory is the order
        of the input, if that is contiguous.
    count : int
        The number of components. Only returned if `return_num` is true.

    Raises
    ------
    LabelOverflowError
        There are more components than the type of the labels can count. The
        contents of `out` are then undefined.
    CudaError
        The GPU was asked for by `device`, or the image is in its memory, and it
        could not be used.
    TypeError, ValueError, MemoryError
        The arguments are not supported, or there is too little memory.

    Notes
    -----
    Several threads may call the function at the same time. The GIL is released
    meanwhile. The call returns after the labels have been written, also for
    images in device memory.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> image = np.array([[1, 1, 0, 0],
    ...                   [0, 0, 1, 0],
    ...                   [0, 0, 0, 0],
    ...                   [5, 0, 0, 7]])
    >>> ccc.label(image)
    array([[1, 1, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 0, 0],
           [2, 0, 0, 3]], dtype=int32)
    >>> labels, count = ccc.label(image, connectivity=1, return_num=True)
    >>> count
    4
    >>> ccc.label(image, lower=2, upper=6)
    array([[0, 0, 0, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0],
           [1, 0, 0, 0]], dtype=int32)
    """
    if dtype is not None:
        dtype = _arguments.integer_dtype(dtype)
    library = _images.library_of(image)
    if library.on_device:
        labels, count = _label_on_device(
            library, image, connectivity, (lower, upper), mask, device, dtype, out
        )
        return (labels, count) if return_num else labels

    array = library.array(image)
    where = _Where(library, image, array, connectivity, lower, upper, mask, device, threads)
    if out is None:
        labels, labels_array = library.empty_labels(image, array, dtype)
        count = where.label(labels_array, is_fresh=True)
    else:
        labels = out
        library.check_out(image, out)
        labels_array = library.output(out)
        _check_out(labels_array, array.shape, dtype)
        count = where.label_into(labels_array)
        library.written(out)
    return (labels, count) if return_num else labels


def keep_largest(
    image,
    k=1,
    connectivity=None,
    *,
    lower=None,
    upper=None,
    mask=None,
    device=None,
    threads=None,
    out=None,
):
    """Keep the largest components of an image, and set all other elements to 0.

    Of components of the same size, the one whose first element comes first in C
    index order stays.

    Parameters
    ----------
    image : like label
        The image. See `label` for this and the other parameters.
    k : int, optional
        The number of components to keep. The default is 1.
    connectivity, lower, upper, mask, device, threads :
        As for `label`.
    out : like image, optional
        The result is written to this image of the same type. It may be `image`.

    Returns
    -------
    kept : like image
        An image of the type of the input. The elements of the components have
        their values, and all others are 0.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> ccc.keep_largest(np.array([3, 0, 4, 5, 0, 6], dtype=np.uint8))
    array([0, 0, 4, 5, 0, 0], dtype=uint8)
    """
    return _keep(
        image,
        {"k": _arguments.count_of("k", k, 1)},
        connectivity,
        (lower, upper),
        mask,
        device,
        threads,
        out,
    )


def remove_small(
    image,
    min_size,
    connectivity=None,
    *,
    lower=None,
    upper=None,
    mask=None,
    device=None,
    threads=None,
    spacing=None,
    out=None,
):
    """Set the components that are smaller than a size to 0.

    Parameters
    ----------
    image : like label
        The image. See `label` for this and the other parameters.
    min_size : number
        Components with ``size < min_size`` are removed. The size is a number of
        elements or, with `spacing`, a length, area or volume.
    connectivity, lower, upper, mask, device, threads :
        As for `label`.
    spacing : number or sequence of numbers, optional
        The distance of elements along each axis, for example in mm. The unit of
        `min_size` is then mm, mm^2 or mm^3. The spacing of itk and SimpleITK
        images is not used: pass ``image.GetSpacing()``.
    out : like image, optional
        The result is written to this image of the same type. It may be `image`.

    Returns
    -------
    kept : like image
        An image of the type of the input. The elements of the components have
        their values, and all others are 0.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> ccc.remove_small(np.array([3, 0, 4, 5, 0, 6], dtype=np.uint8), 2)
    array([0, 0, 4, 5, 0, 0], dtype=uint8)
    """
    ndim = _dimensions_of(image)
    minimum = _arguments.minimum_pixels(min_size, spacing, ndim)
    return _keep(
        image, {"minimum": minimum}, connectivity, (lower, upper), mask, device, threads, out
    )


def relabel(
    labels, order="size", *, min_size=0, k=None, threads=None, out=None, return_num=False
):
    """Renumber the labels of a label image: 1, 2, 3, ... without gaps.

    The labels need not be connected, and may be any integers. 0 is background.

    Parameters
    ----------
    labels : like label
        An image of an integer type.
    order : {"size", "label"}, optional
        "size" gives label 1 to the largest object, as ITK's
        RelabelComponentImageFilter does. Of objects of the same size, the one
        with the lower old label comes first. "label" keeps the order.
    min_size : int, optional
        Objects with fewer elements become background.
    k : int, optional
        The number of largest objects to keep. The default keeps all.
    threads : int, optional
        The number of threads on the CPU, see `set_num_threads`.
    out : like labels, optional
        The result is written to this image of an integer type. It may be
        `labels`.
    return_num : bool, optional
        Whether to return the number of objects, too.

    Returns
    -------
    relabeled : like labels
        An image of the type of the input.
    count : int
        The number of objects. Only returned if `return_num` is true.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> ccc.relabel(np.array([7, 0, 2, 2, 0, 2, 9, 9]))
    array([3, 0, 1, 1, 0, 1, 2, 2])
    """
    if order not in ("size", "label"):
        raise ValueError(f'order must be "size" or "label", not {order!r}')
    minimum = _arguments.count_of("min_size", min_size, 0)
    largest = 0 if k is None else _arguments.count_of("k", k, 1)
    library = _images.library_of(labels)
    if library.on_device:
        result, count = _relabel_on_device(library, labels, order, minimum, largest, out)
        return (result, count) if return_num else result

    array = library.array(labels)
    _check_integers(array.dtype, "pass the result of label()")
    if out is None:
        result, target = library.empty_values(labels, array)
    else:
        library.check_out(labels, out)
        result, target = out, library.output(out)
        _check_out(target, array.shape, None)
    transposed = _images.is_fortran(array) and target.flags.f_contiguous
    memory_order = "F" if transposed else "C"
    source = np.asarray(array, order=memory_order)
    is_contiguous = target.flags.f_contiguous if transposed else target.flags.c_contiguous
    native = target.dtype.isnative and target.flags.aligned
    written = target
    if not (is_contiguous and native):
        written = np.empty(array.shape, target.dtype.newbyteorder("="), memory_order)
    elif out is not None and written is not source and np.may_share_memory(written, source):
        if written.__array_interface__ != source.__array_interface__:
            source = source.copy(order=memory_order)
    count, _ = _core.relabel_host(
        source, written, order == "size", minimum, largest, transposed, _thread_count(threads)
    )
    if written is not target:
        target[...] = written
    if out is not None:
        library.written(out)
    return (result, count) if return_num else result


def component_statistics(
    image,
    connectivity=None,
    *,
    lower=None,
    upper=None,
    mask=None,
    device=None,
    threads=None,
    spacing=None,
    properties=("label", "area", "bbox", "centroid"),
):
    """Measure the connected components of an image, without a label image.

    Parameters
    ----------
    image : like label
        The image that `label` would label. Do not pass labels: all elements
        other than 0 are foreground, so that objects that touch become one.
    connectivity, lower, upper, mask, device, threads :
        As for `label`.
    spacing : number or sequence of numbers, optional
        The distance of elements along each axis. It scales areas and centroids.
        itk and SimpleITK images have their own spacing.
    properties : sequence of str, optional
        The properties to compute, named as in
        ``skimage.measure.regionprops_table``:

        - "label": the label that `label` gives to the component
        - "num_pixels": the number of elements
        - "area": the length, area or volume
        - "bbox": the box; starts and ends (exclusive) along each axis, in elements
        - "centroid": the mean position
        - "area_bbox": the length, area or volume of the box
        - "extent": area / area_bbox
        - "equivalent_diameter_area": the diameter of a ball of the same area
        - "touches_border": whether the component reaches the border of the image

    Returns
    -------
    columns : dict
        A one-dimensional array for each column: ``bbox-0``, ``centroid-1``, ...
        The rows are in the order of the labels. For arrays, the axes are in the
        order of the array, and the columns are on the array's device. For itk
        and SimpleITK images, the axes are x, y, z, boxes are in indices, and
        centroids are physical points.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> columns = ccc.component_statistics(np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]]))
    >>> columns["area"], columns["centroid-1"]
    (array([2., 1.]), array([0.5, 2. ]))

    ``pandas.DataFrame(columns)`` is a table.
    """
    properties = (properties,) if isinstance(properties, str) else tuple(properties)
    for name in properties:
        if name not in _PROPERTIES:
            raise ValueError(f"{name!r} is not a property; there are {', '.join(_PROPERTIES)}")
    library = _images.library_of(image)
    if library.has_physical_axes and spacing is not None:
        raise ValueError("leave out spacing: the spacing of the image is used")
    boxes = not {"bbox", "area_bbox", "extent"}.isdisjoint(properties)
    wanted = (boxes, "centroid" in properties, "touches_border" in properties)
    if library.on_device:
        shape, columns = _measure_on_device(
            library, image, connectivity, (lower, upper), mask, device, wanted
        )
        transposed = False
    else:
        array = library.array(image)
        where = _Where(library, image, array, connectivity, lower, upper, mask, device, threads)
        shape, columns, transposed = array.shape, where.measure(wanted), where.transposed
    # The columns are along the axes of the extension module: x is the last axis in C order.
    axes = "xyz"[: len(shape)]
    if not transposed and not library.has_physical_axes:
        axes = axes[::-1]
    if library.has_physical_axes:
        geometry = library.geometry(image)
    else:
        distances = _arguments.spacing_of(1.0 if spacing is None else spacing, len(shape))
        geometry = ((0,) * len(shape), (0.0,) * len(shape), distances, np.eye(len(shape)))
    return library.columns(image, _make_table(columns, axes, geometry, properties))


def backend_info():
    """Return what the package runs on.

    Returns
    -------
    info : dict
        - "version": the version of the package
        - "cuda_built": whether the package was built with CUDA
        - "cuda_reason": why the GPU cannot be used, or an empty string. This
          starts CUDA, which takes 0.2 s at the first call
        - "threads": the default number of threads on the CPU
        - "last_backend": "cuda" or "cpu", for the last call on this thread
        - "last_reason": why the last call did not use the GPU, or an empty string
        - "held_device_bytes", "held_pinned_bytes": memory that is kept for the
          next calls, see `trim_memory`
    """
    info = {"version": _core.__version__, **_core.describe_backend()}
    info["cuda_reason"] = _core.why_no_device(_core.CURRENT_DEVICE)
    info["threads"] = _threads or _core.count_processors()
    return info


def set_num_threads(n):
    """Set the number of threads on the CPU for calls without `threads`.

    Parameters
    ----------
    n : int or None
        The number of threads. None stands for the processors that the process
        may use (its CPU affinity), which is also the default.
    """
    global _threads
    _threads = 0 if n is None else min(_arguments.count_of("n", n, 1), 4096)


def trim_memory():
    """Release the GPU memory and pinned memory that is kept for the next calls."""
    _core.trim_memory()


class _Where:
    """The foreground and the connectivity of an array in host memory."""

    def __init__(self, library, image, array, connectivity, lower, upper, mask, device, threads):
        self._array = array
        self._limits = _arguments.limits_of(lower, upper, array.dtype)
        self._mask = None
        if mask is not None:
            mask_library = _images.library_of(mask)
            if mask_library.on_device:
                raise TypeError("the mask is in device memory, and the image is in host memory")
            library.check_mask(image, mask)
            self._mask = mask_library.array(mask)
            if self._mask.shape != array.shape:
                raise ValueError(
                    f"the mask has the shape {self._mask.shape}, and the image {array.shape}"
                )
        self._full = _arguments.is_fully_connected(connectivity, array.ndim)
        self._backend = _core.HOST_BACKEND if device == "cpu" else _arguments.backend_of(device)
        self._threads = _thread_count(threads)
        self.transposed = _images.is_fortran(array)

    def request(self, minimum=0, k=0):
        return _core.Request(
            self._full, minimum, k, False, self.transposed, self._backend, self._threads
        )

    def label(self, labels, is_fresh, minimum=0, k=0):
        """Write labels to a contiguous array in the order of the image."""
        return _core.label_host(
            self._array, self._limits, self._mask, labels, is_fresh, self.request(minimum, k)
        )

    def label_into(self, labels):
        """Write labels to any array."""
        if self.transposed and not labels.flags.f_contiguous:
            self.transposed = False
        flags = labels.flags
        is_contiguous = flags.f_contiguous if self.transposed else flags.c_contiguous
        if (
            is_contiguous
            and flags.aligned
            and labels.dtype.isnative
            and not np.may_share_memory(labels, self._array)
            and (self._mask is None or not np.may_share_memory(labels, self._mask))
        ):
            return self.label(labels, is_fresh=False)
        order = "F" if self.transposed else "C"
        written = np.empty(labels.shape, labels.dtype.newbyteorder("="), order)
        count = self.label(written, is_fresh=True)
        labels[...] = written
        return count

    def keep(self, values, out, is_same, minimum, k):
        """Copy the values of the selected components to `out`."""
        # A byte holds the labels if at most 255 components are kept.
        dtype = np.uint8 if 0 < k <= 255 else np.uint32
        labels = np.empty(self._array.shape, dtype, "F" if self.transposed else "C")
        self.label(labels, True, minimum, k)
        target = out
        if not is_same and np.may_share_memory(values, out):
            target = np.empty_like(out)
        _core.keep_host(values, labels, target, self.transposed, self._threads)
        if target is not out:
            out[...] = target

    def measure(self, wanted):
        """Return the columns of the components."""
        return _core.measure_host(self._array, self._limits, self._mask, *wanted, self.request())


def _thread_count(threads):
    if threads is None:
        return _threads
    return min(_arguments.count_of("threads", threads, 1), 4096)


def _dimensions_of(image):
    if hasattr(image, "GetImageDimension"):
        return image.GetImageDimension()
    if hasattr(image, "GetDimension"):
        return image.GetDimension()
    return image.ndim if hasattr(image, "ndim") else np.ndim(image)


def _check_integers(dtype, advice):
    if dtype.kind not in "iu":
        raise TypeError(f"labels are integers, not {dtype}: {advice}")


def _check_out(out, shape, dtype):
    _check_integers(out.dtype, "out needs an integer type")
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, and the image {shape}")
    if dtype is not None and out.dtype != dtype:
        raise ValueError(f"out has the type {out.dtype}, and dtype is {dtype}; leave out dtype")


def _keep(image, selection, connectivity, limits, mask, device, threads, out):
    minimum, k = selection.get("minimum", 0), selection.get("k", 0)
    library = _images.library_of(image)
    if library.on_device:
        return _keep_on_device(library, image, minimum, k, connectivity, limits, mask, device, out)
    array = library.array(image)
    where = _Where(library, image, array, connectivity, *limits, mask, device, threads)
    values = library.values(image)
    if out is None:
        kept, target = library.empty_values(image, array)
        target = target.view(f"u{target.dtype.itemsize}")
    else:
        library.check_out(image, out)
        kept, target = out, library.output_values(out)
        if target.shape != array.shape:
            raise ValueError(f"out has the shape {target.shape}, and the image {array.shape}")
        if library.dtype_of(out) != library.dtype_of(image):
            raise TypeError(
                f"out has the type {library.dtype_of(out)}, and the image "
                f"{library.dtype_of(image)}"
            )
    where.keep(values, target, out is image, minimum, k)
    if out is not None:
        library.written(out)
    return kept


def _device_request(full, minimum, k, device):
    return _core.Request(full, minimum, k, False, False, device, 1)


def _check_no_device(device):
    if device is not None:
        raise ValueError("device is for images in host memory: this image is in device memory")


def _label_on_device(library, image, connectivity, limits, mask, device, dtype, out):
    _check_no_device(device)
    if isinstance(library, _devices.ForeignImages):
        if limits != (None, None) or mask is not None or dtype is not None:
            raise TypeError(
                "lower, upper, mask and dtype need an array of CuPy or PyTorch: "
                "convert it with cupy.asarray(image) or torch.as_tensor(image)"
            )

        def make_request(ndim, number):
            full = _arguments.is_fully_connected(connectivity, ndim)
            return _device_request(full, 0, 0, number)

        return out, _devices.label_foreign(image, out, make_request)

    plain = library.plain(image)
    with library.on_device_of(plain):
        if out is None:
            dtype = dtype or _arguments.default_label_dtype(math.prod(plain.shape))
            labels = target = None
        else:
            labels = target = library.plain(out)
            _check_device_out(library, plain, target, dtype)
            dtype = np.dtype(library.name_of(target.dtype))
        if (
            target is None
            or not library.is_contiguous(target)
            or _devices.may_overlap(library, plain, target)
        ):
            labels = library.empty(plain, dtype)
        count = _run_on_device(library, plain, labels, connectivity, limits, mask, 0, 0)
        if target is None:
            return library.like(image, labels), count
        if labels is not target:
            library.assign(target, labels)
        return out, count


def _check_device_out(library, image, out, dtype):
    name = library.name_of(out.dtype)
    _arguments.integer_dtype(name)
    if tuple(out.shape) != tuple(image.shape):
        raise ValueError(f"out has the shape {tuple(out.shape)}, and the image {tuple(image.shape)}")
    if library.device_of(out) != library.device_of(image):
        raise ValueError("out must be on the device of the image")
    if dtype is not None and name != dtype.name:
        raise ValueError(f"out has the type {name}, and dtype is {dtype}; leave out dtype")


def _foreground_on_device(library, image, connectivity, limits, mask):
    ndim = len(image.shape)
    if not 1 <= ndim <= 3:
        raise ValueError(
            f"images have 1, 2 or 3 dimensions, not {ndim}: label each volume by itself, "
            "for example image[0], or in a loop over the first axis"
        )
    name = library.name_of(image.dtype)
    if name.startswith("complex"):
        raise TypeError(f"images of {name} are not supported: label abs(image)")
    if mask is not None:
        mask = library.plain(mask)
        if tuple(mask.shape) != tuple(image.shape):
            raise ValueError(
                f"the mask has the shape {tuple(mask.shape)}, and the image {tuple(image.shape)}"
            )
        if library.device_of(mask) != library.device_of(image):
            raise ValueError("the mask must be on the device of the image")
    full = _arguments.is_fully_connected(connectivity, ndim)
    return library.foreground(image, limits, mask), full


def _as_device_array(library, image):
    return _devices.device_array(
        library.address_of(image), library.name_of(image.dtype), tuple(image.shape)
    )


def _run_on_device(library, image, labels, connectivity, limits, mask, minimum, k):
    foreground, full = _foreground_on_device(library, image, connectivity, limits, mask)
    return _core.label_device(
        _as_device_array(library, foreground),
        _as_device_array(library, labels),
        library.stream_of(image),
        _device_request(full, minimum, k, library.device_of(image)),
    )


def _keep_on_device(library, image, minimum, k, connectivity, limits, mask, device, out):
    _check_no_device(device)
    _refuse_foreign(library, image)
    plain = library.plain(image)
    if out is not None:
        target = library.plain(out)
        if tuple(target.shape) != tuple(plain.shape) or target.dtype != plain.dtype:
            raise ValueError("out must have the shape and the type of the image")
    with library.on_device_of(plain):
        # A byte holds the labels if at most 255 components are kept.
        labels = library.empty(plain, np.dtype(np.uint8 if 0 < k <= 255 else np.int32))
        _run_on_device(library, plain, labels, connectivity, limits, mask, minimum, k)
        kept = library.keep(plain, labels, k == 1)
        if out is None:
            return library.like(image, kept)
        library.assign(target, kept)
        return out


def _refuse_foreign(library, image):
    if isinstance(library, _devices.ForeignImages):
        raise TypeError(
            f"{type(image).__name__} is a device array of a library that is not known here: "
            "convert it with cupy.asarray(image) or torch.as_tensor(image)"
        )


def _measure_on_device(library, image, connectivity, limits, mask, device, wanted):
    _check_no_device(device)
    _refuse_foreign(library, image)
    plain = library.plain(image)
    with library.on_device_of(plain):
        foreground, full = _foreground_on_device(library, plain, connectivity, limits, mask)
        columns = _core.measure_device(
            _as_device_array(library, foreground),
            library.stream_of(plain),
            *wanted,
            _device_request(full, 0, 0, library.device_of(plain)),
        )
    return tuple(plain.shape), columns


def _relabel_on_device(library, labels, order, minimum, largest, out):
    _refuse_foreign(library, labels)
    plain = library.plain(labels)
    dtype = _arguments.integer_dtype(library.name_of(plain.dtype))
    with library.on_device_of(plain):
        target = None
        if out is not None:
            target = library.plain(out)
            _check_device_out(library, plain, target, None)
            dtype = np.dtype(library.name_of(target.dtype))
        values, inverse, counts = library.unique(plain)
        values, counts = library.to_host(values), library.to_host(counts)
        chosen = np.flatnonzero((values != 0) & (counts >= minimum))
        if order == "size" or largest:
            chosen = chosen[np.argsort(-counts[chosen].astype(np.int64), kind="stable")]
            chosen = chosen[:largest] if largest else chosen
            chosen = chosen if order == "size" else np.sort(chosen)
        if len(chosen) > np.iinfo(dtype).max:
            raise _core.LabelOverflowError(
                f"Number of objects ({len(chosen)}) greater than maximum of output pixel type "
                f"({np.iinfo(dtype).max}). Choose a wider type."
            )
        table = np.zeros(len(values), np.int64)
        table[chosen] = np.arange(1, len(chosen) + 1)
        result = library.take(table, inverse, dtype)
        if target is None:
            return library.like(labels, result), len(chosen)
        library.assign(target, result)
        return out, len(chosen)


def _make_table(columns, axes, geometry, properties):
    """Return the columns of `properties`. `axes` are the letters of the axes in `columns`."""
    first, origin, spacing, direction = geometry
    counts = columns["num_pixels"]
    size_of_one = math.prod(spacing)
    ndim = len(axes)
    area = counts * size_of_one
    table = {}
    box_area = None
    if "minimum_x" in columns:
        starts = [columns[f"minimum_{axis}"] + index for axis, index in zip(axes, first)]
        ends = [columns[f"maximum_{axis}"] + index + 1 for axis, index in zip(axes, first)]
        sides = [end - start for start, end in zip(starts, ends)]
        box_area = np.prod(np.array(sides, np.float64).reshape(ndim, -1), axis=0) * size_of_one
    for name in properties:
        if name == "label":
            table["label"] = np.arange(1, len(counts) + 1)
        elif name == "num_pixels":
            table["num_pixels"] = counts
        elif name == "area":
            table["area"] = area
        elif name == "bbox":
            table.update({f"bbox-{axis}": column for axis, column in enumerate(starts + ends)})
        elif name == "centroid":
            means = [columns[f"mean_{axis}"] + index for axis, index in zip(axes, first)]
            for axis in range(ndim):
                table[f"centroid-{axis}"] = origin[axis] + sum(
                    direction[axis][other] * spacing[other] * means[other]
                    for other in range(ndim)
                    if direction[axis][other] != 0
                )
        elif name == "area_bbox":
            table["area_bbox"] = box_area
        elif name == "extent":
            table["extent"] = area / box_area
        elif name == "equivalent_diameter_area":
            unit_ball = {1: 1.0, 2: math.pi / 4, 3: math.pi / 6}[ndim]
            table["equivalent_diameter_area"] = (area / unit_ball) ** (1 / ndim)
        else:
            table["touches_border"] = columns["faces"] != 0
    return table
