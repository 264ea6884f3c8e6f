"""The work on images in host memory."""

import math

import numpy as np

from . import _arguments, _core, _images, _settings, _values


class Foreground:
    """The foreground and the connectivity of an array in host memory: an image or a batch."""

    def __init__(
        self,
        library,
        image,
        array,
        connectivity,
        limits,
        mask,
        device,
        threads,
        observe,
        spatial_dims=None,
    ):
        self.axes = _arguments.spatial_axes(array.shape, spatial_dims, library.has_physical_axes)
        self._array = array
        self._limits = _arguments.limits_of(*limits, array.dtype, library.is_bfloat16(image))
        self._observe = observe
        self._wants_values = _values.are_wanted(observe, limits, mask, array.dtype.name)
        if observe is not None and self._limits is not None and array.dtype.kind == "f":
            _values.warn_of_slope(array, *limits)
        self._mask = None
        if mask is not None:
            if _arguments.number_of(mask) is not None:
                raise TypeError(f"mask must be an image, not {mask!r}")
            mask_library, mask = _images.open_image(mask)
            if mask_library.on_device:
                raise TypeError("the mask is in device memory, and the image is in host memory")
            self._mask = mask_library.array(mask)
            library.check_mask(image, mask, mask_library)
            _arguments.check_mask_shape(self._mask.shape, array.shape, self.axes)
        self._full = _arguments.is_fully_connected(connectivity, self.axes)
        self._backend = _settings.backend(device)
        self._threads = _settings.threads(threads)
        self.transposed = _images.is_transposed(array, self.axes)

    def _batch(self, array):
        """Return an array of images, with one axis before the axes of an image.

        Arrays of one image stay. An array is copied only if no single distance leads from each
        image to the next.
        """
        if array is None or array.ndim == self.axes:
            return array
        if not _images.has_one_image_stride(array, self.axes):
            scattered, array = array, self._empty(array.dtype)
            array[...] = scattered
        return array.reshape(math.prod(array.shape[: -self.axes]), *array.shape[-self.axes :])

    def _empty(self, dtype):
        """Return a new array of the shape of the image."""
        return _images.empty(self._array.shape, self.axes, dtype, self.transposed)

    def _run(self, function, *arguments, minimum=0, k=0):
        """Call a function of the extension module, and pass on what it has seen of the values."""
        request = _core.Request(
            self._full,
            minimum,
            k,
            self.transposed,
            self._backend,
            self._threads,
            self._wants_values,
            self._array.ndim > self.axes,
        )
        image, mask = self._batch(self._array), self._batch(self._mask)
        result = function(image, self._limits, mask, *arguments, request)
        self._values = request.values
        return result

    def observe(self):
        """Pass on what the last call has seen of the values."""
        if self._wants_values:
            self._observe(self._values)

    def label(self, labels, is_fresh):
        """Write labels to a contiguous array in the order of the image. Return their number.

        The numbers of a batch are an array of the shape of the leading axes.
        """
        counts = self._run(_core.label_host, self._batch(labels), is_fresh)
        return _arguments.counts_of(counts, self._array.shape[: -self.axes])

    def label_into(self, labels):
        """Write labels to any array."""
        if _images.is_contiguous(labels, self.axes, False) and not _images.is_contiguous(
            labels, self.axes, True
        ):
            self.transposed = False
        if (
            _images.is_contiguous(labels, self.axes, self.transposed)
            and labels.flags.aligned
            and labels.dtype.isnative
            and not np.may_share_memory(labels, self._array)
            and (self._mask is None or not np.may_share_memory(labels, self._mask))
        ):
            return self.label(labels, is_fresh=False)
        written = self._empty(labels.dtype.newbyteorder("="))
        count = self.label(written, is_fresh=True)
        labels[...] = written
        return count

    def keep(self, values, out, is_fresh, minimum, k):
        """Copy the values of the selected components to `out`.

        A fresh `out` is contiguous in the order of the image.
        """
        target = out
        if _overlap_shifted(values, out) or not _images.has_one_image_stride(out, self.axes):
            target = self._empty(out.dtype)
            is_fresh = True
        arrays = self._batch(values), self._batch(target)
        self._run(_core.mask_host, *arrays, is_fresh, minimum=minimum, k=k)
        if target is not out:
            out[...] = target

    def measure(self, wanted):
        """Return the columns of the components."""
        columns = self._run(_core.measure_host, *wanted)
        # NumPy 1 has other integers on Windows.
        columns["label"] = np.arange(1, len(columns["num_pixels"]) + 1, dtype=np.int64)
        if "counts" in columns:
            counts = columns["counts"]
            columns["image"] = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        return columns


def _overlap_shifted(array, other):
    """Return whether an element may have the memory of another element of the other array."""
    return np.may_share_memory(array, other) and (
        array.__array_interface__["data"] != other.__array_interface__["data"]
        or array.strides != other.strides
        or array.itemsize != other.itemsize
    )


def check_labels_out(out, shape, dtype):
    _arguments.check_integers(out.dtype.name, "out needs an integer type")
    check_out(out, shape)
    if dtype is not None and out.dtype != dtype:
        raise ValueError(f"out has the type {out.dtype}, and dtype is {dtype}; leave out dtype")


def check_out(out, shape):
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, and the image {shape}")
    _arguments.check_elements(out.shape, out.strides, out.itemsize)


def keep(
    library,
    image,
    minimum,
    k,
    connectivity,
    limits,
    mask,
    device,
    spatial_dims,
    threads,
    observe,
    out,
):
    """Copy the values of the selected components of an image."""
    array = library.array(image)
    library.refuse_gradients(image)
    where = Foreground(
        library,
        image,
        array,
        connectivity,
        limits,
        mask,
        device,
        threads,
        observe,
        spatial_dims,
    )
    values = library.values(image)
    if out is None:
        kept, target = library.empty_values(image, array, where.axes)
        target = target.view(f"u{target.dtype.itemsize}")
    else:
        library.check_out(image, out)
        kept, target = out, library.output_values(out)
        check_out(target, array.shape)
        if library.dtype_of(out) != library.dtype_of(image):
            raise TypeError(
                f"out has the type {library.dtype_of(out)}, and the image "
                f"{library.dtype_of(image)}"
            )
    if out is not None:
        library.will_write(image, out)
    where.keep(values, target, out is None, minimum, k)
    where.observe()
    return kept


def relabel(library, labels, order, minimum, largest, spatial_dims, threads, out):
    """Renumber the labels of an image or a batch. Return the result and the number of objects."""
    array = library.array(labels)
    _arguments.check_integers(array.dtype.name, _arguments.ADVICE_FOR_LABELS)
    axes = _arguments.spatial_axes(array.shape, spatial_dims, library.has_physical_axes)
    leading = array.shape[:-axes]
    if out is None:
        result, target = library.empty_values(labels, array, axes, are_labels=True)
    else:
        library.check_out(labels, out)
        result, target = out, library.output(out)
        check_labels_out(target, array.shape, None)
        library.will_write(labels, out)
    transposed = _images.is_transposed(array, axes) and _images.is_contiguous(target, axes, True)

    def empty(dtype):
        return _images.empty(array.shape, axes, dtype, transposed)

    written = target
    if (
        not _images.is_contiguous(target, axes, transposed)
        or not (target.dtype.isnative and target.flags.aligned)
        # An image of a batch may have too many objects after others have been written.
        or (leading and math.prod(array.shape[-axes:]) > np.iinfo(target.dtype).max)
    ):
        written = empty(target.dtype.newbyteorder("="))
    source = array
    if not _images.is_contiguous(array, axes, transposed) or _overlap_shifted(array, written):
        source = empty(array.dtype)
        source[...] = array
    threads = _settings.threads(threads)
    images = (math.prod(leading), *array.shape[-axes:])
    counts = [
        _core.relabel_host(*pair, order == "size", minimum, largest, transposed, threads)[0]
        for pair in zip(source.reshape(images), written.reshape(images))
    ]
    if written is not target:
        target[...] = written
    return result, np.array(counts, np.int64).reshape(leading) if leading else counts[0]
