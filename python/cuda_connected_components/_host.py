"""The work on images in host memory. `_on_device.py` has the same functions."""

import math

import numpy as np

from . import _arguments, _core, _images, _settings, _warnings


class Call:
    """A call for an image or a batch in host memory: its arrays, and the settings by its options."""

    def __init__(self, library, image, options):
        self.options = options
        self.array = library.array(image)
        self.axes = options.axes_of(self.array.shape, library)
        self.shape = self.array.shape
        self.leading = self.shape[: -self.axes]
        self.transposed = _images.is_transposed(self.array, self.axes)
        self.mask = None
        if options.mask is not None:
            if _arguments.number_of(options.mask) is not None:
                raise TypeError(f"mask must be an image, not {options.mask!r}")
            mask_library, mask = _images.open_image(options.mask)
            if mask_library.on_device:
                raise TypeError("the mask is in device memory, and the image is in host memory")
            self.mask = mask_library.array(mask)
            library.check_mask(image, mask, mask_library)
            _arguments.check_mask_shape(self.mask.shape, self.array.shape, self.axes)

        name = _arguments.name_of(self.array.dtype)
        self.settings = options.settings(self.axes, bool(self.leading), name)
        self.settings.device = _settings.backend(options.device)
        self.settings.threads = _settings.threads(options.threads)
        if self.settings.limits and options.observe and self.array.dtype.kind == "f":
            _warnings.warn_of_slope(self.array, self.settings.limits)

    def run(self, function, *arguments):
        """Call a function of the extension module."""
        self.settings.transposed = self.transposed
        return function(self.batch(self.array), self.batch(self.mask), *arguments, self.settings)

    def batch(self, array):
        """Return an array of images, with one axis before the axes of an image.

        Arrays of one image stay. An array is copied only if no single distance leads from each
        image to the next.
        """
        if array is None or not self.leading:
            return array
        if not _images.has_one_image_stride(array, self.axes):
            scattered, array = array, self.empty(array.dtype)
            array[...] = scattered
        return array.reshape(math.prod(self.leading), *array.shape[-self.axes :])

    def empty(self, dtype):
        """Return a new array of the shape of the image."""
        return _images.empty(self.array.shape, self.axes, dtype, self.transposed)

    def is_plain(self, array):
        """Return whether an array is contiguous in the order of the image, aligned and native."""
        return (
            _images.is_contiguous(array, self.axes, self.transposed)
            and array.flags.aligned
            and array.dtype.isnative
        )


def label(library, image, options, dtype, out, selection=None):
    """Label an image or a batch. Return the labels and their number."""
    call = Call(library, image, options)
    if selection is not None:
        selection.apply(call.settings, library, image, call.axes)
    array, is_new = call.array, out is None
    if is_new:
        dtype = _arguments.label_dtype(library, dtype, array.shape[-call.axes :])
        out, target = library.empty(image, array, call.axes, dtype)
        written, is_fresh = target, True
    else:
        target = _target_for_labels(library, image, array, out, dtype)
        # The work runs in the order of the output, if it has only one.
        if _images.is_contiguous(target, call.axes, False):
            call.transposed &= _images.is_contiguous(target, call.axes, True)
        is_fresh = (
            not call.is_plain(target)
            or np.may_share_memory(target, array)
            or (call.mask is not None and np.may_share_memory(target, call.mask))
        )
        written = call.empty(target.dtype.newbyteorder("=")) if is_fresh else target
        library.will_write(image, out)
    counts, values = call.run(_core.label_host, call.batch(written), is_fresh)
    if written is not target:
        target[...] = written
    if not is_new:
        library.copy_metadata(image, out)
    options.pass_on(values)
    return out, _arguments.in_leading_shape(counts, call.leading)


def keep(library, image, options, selection, out):
    """Copy the values of the selected components of an image or a batch."""
    call = Call(library, image, options)
    library.refuse_gradients(image)
    selection.apply(call.settings, library, image, call.axes)
    array, is_new = call.array, out is None
    is_fresh = is_new
    if is_new:
        out, target = library.empty(image, array, call.axes)
    else:
        library.check_out(image, out)
        target = library.output(out)
        _check_out(target, array.shape)
        dtype = library.elements(image).dtype
        if target.dtype != dtype:
            names = ("bfloat16" if each == _images.BFLOAT16 else each for each in (target.dtype, dtype))
            raise TypeError("out has the type {}, and the image {}".format(*names))
        library.will_write(image, out)
    written = target
    if (
        target.dtype != array.dtype  # another byte order
        or _overlap_shifted(array, target)
        or not _images.has_one_image_stride(target, call.axes)
    ):
        written, is_fresh = call.empty(array.dtype), True
    known = call.run(_core.mask_host, call.batch(written), is_fresh)
    if written is not target:
        target[...] = written
    if not is_new:
        library.copy_metadata(image, out)
    options.pass_on(known)
    return out


def measure(library, image, options, wanted):
    """Measure the components of an image or a batch. Return the call, and the columns by name."""
    call = Call(library, image, options)
    columns = _measure(call, wanted)
    # NumPy 1 has other integers on Windows.
    columns["label"] = np.arange(1, len(columns["num_pixels"]) + 1, dtype=np.int64)
    if "counts" in columns:
        counts = columns["counts"]
        columns["image"] = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        columns["label"] -= np.repeat(counts.cumsum() - counts, counts)
    return call, columns


def tabulate(library, labels, options, wanted, intensities):
    """Measure the labels of an image or a batch. Return the call, and the columns by name."""
    call = Call(library, labels, options)
    _arguments.check_integers(_arguments.name_of(call.array.dtype), _arguments.ADVICE_FOR_LABELS)
    second = None
    if intensities is not None:
        second_library, intensities = _images.open_image(intensities)
        if second_library.on_device:
            raise TypeError("the intensities are in device memory, and the labels are in host memory")
        second = second_library.array(intensities)
        _arguments.check_intensities(_arguments.name_of(second.dtype), second.shape, call.array.shape)
        library.check_mask(labels, intensities, second_library, "intensities")
        if not _images.is_contiguous(second, call.axes, call.transposed):
            scattered, second = second, call.empty(second.dtype)
            second[...] = scattered
        call.settings.intensities = True
    return call, _measure(call, wanted, second)


def _measure(call, wanted, intensities=None):
    """Return the columns of a call by name."""
    for name in wanted:
        setattr(call.settings, name, True)
    columns, values = call.run(_core.measure_host, call.batch(intensities))
    call.options.pass_on(values)
    if "value" in columns:
        columns["value"] = _arguments.values_of_bits(columns["value"], call.array.dtype)
    return columns


def relabel(library, labels, options, order, selection, out):
    """Renumber the labels of an image or a batch. Return the result and the number of objects."""
    call = Call(library, labels, options._replace(device="cpu"))
    array, axes = call.array, call.axes
    _arguments.check_integers(_arguments.name_of(array.dtype), _arguments.ADVICE_FOR_LABELS)
    is_new = out is None
    if is_new:
        out, target = library.empty(labels, array, axes, are_labels=True)
    else:
        target = _target_for_labels(library, labels, array, out)
        library.will_write(labels, out)
    call.transposed &= _images.is_contiguous(target, axes, True)
    written, source = target, array
    if (
        not call.is_plain(target)
        # An image of a batch may have too many objects after others have been written.
        or (call.leading and math.prod(array.shape[-axes:]) > np.iinfo(target.dtype).max)
    ):
        written = call.empty(target.dtype.newbyteorder("="))
    if not call.is_plain(array) or _overlap_shifted(array, written):
        source = call.empty(array.dtype)
        source[...] = array
    images = (math.prod(call.leading), *array.shape[-axes:])
    settings = (selection.min_size, selection.k, call.transposed, call.settings.threads)
    counts = [
        _core.relabel_host(*pair, order == "size", *settings)
        for pair in zip(source.reshape(images), written.reshape(images))
    ]
    if written is not target:
        target[...] = written
    if not is_new:
        library.copy_metadata(labels, out)
    counts = np.array(counts, np.int64) if call.leading else counts[0]
    return out, _arguments.in_leading_shape(counts, call.leading)


def _target_for_labels(library, image, array, out, dtype=None):
    """Return the array of an image for labels, after its checks."""
    library.check_out(image, out)
    target = library.output(out)
    _arguments.check_integers(_arguments.name_of(target.dtype), "out needs an integer type")
    _check_out(target, array.shape)
    if dtype is not None and target.dtype != dtype:
        raise ValueError(f"out has the type {target.dtype}, and dtype is {dtype}; leave out dtype")
    return target


def _check_out(out, shape):
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, and the image {shape}")
    _arguments.check_elements(out.shape, out.strides, out.itemsize)


def _overlap_shifted(array, other):
    """Return whether an element may have the memory of another element of the other array."""
    return np.may_share_memory(array, other) and (
        array.__array_interface__["data"] != other.__array_interface__["data"]
        or array.strides != other.strides
        or array.itemsize != other.itemsize
    )
