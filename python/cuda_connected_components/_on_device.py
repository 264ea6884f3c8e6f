"""The work on images in device memory."""

import math
from typing import NamedTuple

import numpy as np

from . import _arguments, _core, _devices, _values


def _device_request(full, minimum, k, device, wants_values, is_batch):
    return _core.Request(
        full,
        min_size=minimum,
        k=k,
        transposed=False,
        device=device,
        threads=1,
        wants_values=wants_values,
        batch=is_batch,
    )


def _observe_values(observe, request):
    if request.wants_values:
        observe(request.values)


def _check_no_device(device):
    if device is not None:
        raise ValueError("device is for images in host memory: this image is in device memory")


def _axes_of(library, image, spatial_dims):
    return _arguments.spatial_axes(image.shape, spatial_dims, library.has_physical_axes)


def shape_of(library, image):
    """Return the shape of an image. Its geometry is up to date afterwards."""
    if isinstance(library, _devices.ForeignImages):
        _refuse(image)
    return tuple(library.plain(image).shape)


def label(library, image, connectivity, limits, mask, device, spatial_dims, dtype, out, observe):
    _check_no_device(device)
    if isinstance(library, _devices.ForeignImages):
        if limits != (None, None) or mask is not None or dtype is not None:
            raise TypeError(
                "lower, upper, mask and dtype need an array of CuPy or PyTorch: "
                "convert it with cupy.asarray(image) or torch.as_tensor(image)"
            )

        def make_request(axes, is_batch, number, dtype):
            full = _arguments.is_fully_connected(connectivity, axes)
            wants_values = _values.are_wanted(observe, limits, mask, dtype)
            return _device_request(full, 0, 0, number, wants_values, is_batch)

        count, request = _devices.label_foreign(image, out, spatial_dims, make_request)
        _observe_values(observe, request)
        return out, count

    plain = library.plain(image)
    axes = _axes_of(library, plain, spatial_dims)
    leading = tuple(plain.shape[:-axes])
    device = library.device_of(plain)
    with library.on_device_of(plain):
        library.refuse_capture(plain)
        if out is None:
            dtype = dtype or library.label_dtype
            dtype = dtype or _arguments.default_label_dtype(plain.shape[-axes:])
            labels = target = None
        else:
            labels = target = library.plain_out(out)
            _check_device_out(library, plain, target, dtype)
            dtype = np.dtype(library.name_of(target.dtype))
        full = _arguments.is_fully_connected(connectivity, axes)
        foreground, read_mask = _foreground_of(library, image, plain, limits, mask, axes)
        source, source_memory = library.readable(plain, axes)
        if (
            target is None
            or not library.is_contiguous(target)
            or _devices.may_overlap(library, target, source, read_mask)
        ):
            labels = library.new_array(plain, tuple(plain.shape), dtype.name)
        if target is not None:
            library.will_write(image, out)
        wants_values = _values.are_wanted(observe, limits, mask, library.name_of(plain.dtype))
        request = _device_request(full, 0, 0, device, wants_values, bool(leading))
        counts = library.run(
            _core.label_device,
            source_memory,
            foreground,
            library.memory_of(labels, axes),
            library.stream_of(plain),
            library.allocator_for(plain),
            request,
        )
        count = _arguments.counts_of(counts, leading)
        if target is None:
            out = library.like(image, labels)
        elif labels is not target:
            library.write(target, labels)
        _observe_values(observe, request)
        return out, count


def _check_device_out(library, image, out, dtype):
    name = library.name_of(out.dtype)
    _arguments.integer_dtype(name)
    _check_place_of_out(library, image, out)
    if dtype is not None and name != dtype.name:
        raise ValueError(f"out has the type {name}, and dtype is {dtype}; leave out dtype")


def _check_place_of_out(library, image, out):
    if tuple(out.shape) != tuple(image.shape):
        raise ValueError(
            f"out has the shape {tuple(out.shape)}, and the image {tuple(image.shape)}"
        )
    if library.device_of(out) != library.device_of(image):
        raise ValueError("out must be on the device of the image")


def _foreground_of(library, original, image, limits, mask, axes):
    """Return the foreground for the extension module, and the array of the mask, which must stay alive.

    `image` is the array of the image `original`.
    """
    name = library.name_of(image.dtype)
    if name.startswith("complex"):
        raise TypeError(f"images of {name} are not supported: label abs(image)")
    if limits != (None, None):
        # NumPy has no bfloat16.
        dtype = np.dtype("float32" if name == "bfloat16" else name)
        limits = _arguments.limits_of(*limits, dtype, name == "bfloat16")
        limits = tuple((limits.astype(np.uint8) if name == "bool" else limits).tolist())
    else:
        limits = None
    if mask is None:
        return _core.DeviceForeground(limits), None
    plain = library.plain(mask)
    library.check_mask(original, mask)
    mask = plain
    _arguments.check_mask_shape(mask.shape, image.shape, axes)
    if library.device_of(mask) != library.device_of(image):
        raise ValueError("the mask must be on the device of the image")
    mask, memory = library.readable(mask, axes)
    return _core.DeviceForeground(limits, memory), mask


def keep(
    library, image, minimum, k, connectivity, limits, mask, device, spatial_dims, observe, out
):
    _check_no_device(device)
    if isinstance(library, _devices.ForeignImages):
        _refuse(image)
    plain = library.plain(image)
    library.refuse_gradients(image)
    axes = _axes_of(library, plain, spatial_dims)
    target = None
    if out is not None:
        target = library.plain_out(out)
        _check_place_of_out(library, plain, target)
        if target.dtype != plain.dtype:
            raise TypeError(f"out has the type {target.dtype}, and the image {plain.dtype}")
    with library.on_device_of(plain):
        library.refuse_capture(plain)
        full = _arguments.is_fully_connected(connectivity, axes)
        foreground, read_mask = _foreground_of(library, image, plain, limits, mask, axes)
        source = library.contiguous(plain)
        kept = _memory_for_kept(library, plain, source, read_mask, target)
        if target is not None:
            library.will_write(image, out)
        wants_values = _values.are_wanted(observe, limits, mask, library.name_of(plain.dtype))
        device, is_batch = library.device_of(plain), len(plain.shape) > axes
        request = _device_request(full, minimum, k, device, wants_values, is_batch)
        # The engine allocates before it writes the output. So `run` may try again in place.
        library.run(
            _core.mask_device,
            library.memory_of(source, axes),
            foreground,
            library.memory_of(kept, axes),
            library.stream_of(plain),
            library.allocator_for(plain),
            request,
        )
        _observe_values(observe, request)
        if target is None:
            return library.like(image, kept)
        if kept is not target:
            library.write(target, kept)
        return out


def _memory_for_kept(library, image, contiguous, mask, target):
    """Return the array that the engine writes: `target`, or an array that nobody else uses.

    `contiguous` is the image, or a copy if the image is not contiguous. `mask` is an array or None.
    """
    if (
        target is not None
        and library.is_contiguous(target)
        and not _devices.may_overlap(library, target, mask)
        and (
            library.address_of(target) == library.address_of(contiguous)
            or not _devices.may_overlap(library, target, contiguous)
        )
    ):
        return target
    if not library.is_contiguous(image):
        return contiguous
    return library.new_array(image, tuple(image.shape), library.name_of(image.dtype))


def _refuse(image):
    raise TypeError(
        f"this function does not take the device array {type(image).__name__}: "
        "convert it with cupy.asarray(image) or torch.as_tensor(image, device='cuda')"
    )


def measure(library, image, connectivity, limits, mask, device, spatial_dims, wanted, observe):
    """Return the shape of the image, the number of axes of one image, and the columns."""
    _check_no_device(device)
    if not library.has_arithmetic:
        _refuse(image)
    plain = library.plain(image)
    axes = _axes_of(library, plain, spatial_dims)
    with library.on_device_of(plain):
        library.refuse_capture(plain)
        full = _arguments.is_fully_connected(connectivity, axes)
        foreground, _read_mask = _foreground_of(library, image, plain, limits, mask, axes)
        _source, memory = library.readable(plain, axes)
        device = library.device_of(plain)
        leading = tuple(plain.shape[:-axes])
        columns = _Columns(library, plain, "xyz"[:axes], bool(leading), wanted)
        wants_values = _values.are_wanted(observe, limits, mask, library.name_of(plain.dtype))
        request = _device_request(full, 0, 0, device, wants_values, bool(leading))
        library.run(
            _core.measure_device,
            memory,
            foreground,
            library.stream_of(plain),
            library.allocator_for(plain),
            columns.make,
            request,
            *wanted,
        )
        _observe_values(observe, request)
        if leading:
            columns.arrays["counts"] = library.count_values(
                columns.arrays["image"], math.prod(leading)
            )
    return tuple(plain.shape), axes, columns.arrays


class _Columns:
    """The columns of a table on a device, which the extension module fills."""

    def __init__(self, library, image, axes, is_batch, wanted):
        boxes, means, faces = wanted
        self.library = library
        self.image = image
        self.arrays = {}
        integers = ["num_pixels"] + ["image"] * is_batch
        if boxes:
            integers += [f"{end}_{axis}" for axis in axes for end in ("minimum", "maximum")]
        self.names = {"int64": integers}
        if means:
            self.names["float64"] = [f"mean_{axis}" for axis in axes]
        if faces:
            self.names["uint8"] = ["faces"]

    def make(self, rows):
        """Make columns of `rows` elements. Return their addresses."""
        self.arrays = {"label": self.library.numbers(self.image, rows)}
        addresses = {}
        for dtype, names in self.names.items():
            # One array for all columns of a type takes less time than an array for each.
            block = self.library.new_array(self.image, (len(names), rows), dtype)
            first, stride = self.library.address_of(block), rows * np.dtype(dtype).itemsize
            for index, (name, column) in enumerate(zip(names, self.library.rows_of(block))):
                self.arrays[name] = column
                addresses[name] = first + index * stride
        return addresses


def relabel(library, labels, order, minimum, largest, spatial_dims, out):
    """Renumber the labels of an image or a batch. Return the result and the number of objects."""
    if not library.has_arithmetic:
        _refuse(labels)
    plain = library.plain(labels)
    name = library.name_of(plain.dtype)
    _arguments.check_integers(name, _arguments.ADVICE_FOR_LABELS)
    dtype = np.dtype(name)
    axes = _axes_of(library, plain, spatial_dims)
    shape = tuple(plain.shape)
    leading = shape[:-axes]
    with library.on_device_of(plain):
        library.refuse_capture(plain)
        target = None
        if out is not None:
            target = library.plain_out(out)
            _check_device_out(library, plain, target, None)
            dtype = np.dtype(library.name_of(target.dtype))
        found, indices = _find_objects(library, library.flat(plain), math.prod(leading))
        chosen = np.flatnonzero((found.labels != 0) & (found.sizes >= max(minimum, 1)))
        if order == "size" or largest:
            chosen = chosen[np.lexsort((-found.sizes[chosen], found.images[chosen]))]
        ranks = _ranks_in_images(found.images[chosen])
        if largest:
            chosen = chosen[ranks <= largest]
            chosen = chosen if order == "size" else np.sort(chosen)
            ranks = _ranks_in_images(found.images[chosen])
        if ranks.max(initial=0) > np.iinfo(dtype).max:
            raise _core.LabelOverflowError(
                f"Number of objects ({ranks.max()}) greater than maximum of output pixel type "
                f"({np.iinfo(dtype).max}). Choose a wider type."
            )
        table = np.zeros(len(found.labels), dtype)
        table[chosen] = ranks
        count = len(chosen)
        if leading:
            counts = np.bincount(found.images[chosen], minlength=math.prod(leading))
            count = _arguments.counts_of(counts, leading)
        result = library.take(table, indices).reshape(shape)
        if target is None:
            library.wait(plain)
            return library.like(labels, result), count
        library.will_write(labels, out)
        library.write(target, result)
        return out, count


def _ranks_in_images(images):
    """Return 1, 2, 3, ... for the objects of each image. `images` are their images, in ascending order."""
    return np.arange(1, len(images) + 1) - np.searchsorted(images, images)


class _Objects(NamedTuple):
    """The labels of images and background, in ascending order of the images and then of the labels."""

    images: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray  # numbers of elements


_LENGTH_OF_SMALL_TABLE = 1 << 20


def _find_objects(library, flat, images):
    """Count the elements with each label of each image.

    Return the objects, in host memory, and the index in them for each element of the flat array.
    """
    if flat.shape[0] == 0:
        return _Objects(*np.zeros((3, 0), np.int64)), flat
    # There are far fewer runs of equal labels than elements.
    elements = flat.shape[0] // images
    names, lengths, images_of_runs = library.runs(flat, elements)
    longest = max(_LENGTH_OF_SMALL_TABLE, names.shape[0])
    smallest, largest = int(names.min()), int(names.max())
    if smallest >= 0 and largest < longest:
        labels, indices = np.arange(largest + 1), flat
    else:
        # A table up to the largest label would be too long.
        labels, names = library.unique(names)
        indices = library.search(labels, flat)
        labels = library.to_host(labels)
    if images == 1:
        sizes = library.sums(names, lengths, len(labels))
        return _Objects(np.zeros(len(labels), np.int64), labels, sizes), indices
    # An object is the number image * len(labels) + index of the label.
    names = library.to_integer(names) + images_of_runs * len(labels)
    firsts = (library.numbers(flat, images) - 1).reshape((images, 1)) * len(labels)
    indices = (library.to_integer(indices).reshape((images, elements)) + firsts).reshape((-1,))
    if images * len(labels) < longest:
        objects = np.arange(images * len(labels))
    else:
        # Most labels are not in most images.
        objects, names = library.unique(names)
        indices = library.search(objects, indices)
        objects = library.to_host(objects)
    sizes = library.sums(names, lengths, len(objects))
    return _Objects(objects // len(labels), labels[objects % len(labels)], sizes), indices
