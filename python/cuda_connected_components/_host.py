"""The work on images in host memory."""

import os
import sys
import warnings

import numpy as np

from . import _arguments, _core, _images, _settings


class Foreground:
    """The foreground and the connectivity of an array in host memory."""

    def __init__(self, library, image, array, connectivity, limits, mask, device, threads, warns):
        self._array = array
        self._limits = _arguments.limits_of(*limits, array.dtype)
        self._warns = warns and limits == (None, None) and mask is None and array.dtype.kind in "iu"
        self._mask = None
        if mask is not None:
            if _arguments.number_of(mask) is not None:
                raise TypeError(f"mask must be an image, not {mask!r}")
            mask_library = _images.library_of(mask)
            if mask_library.on_device:
                raise TypeError("the mask is in device memory, and the image is in host memory")
            self._mask = mask_library.array(mask)
            library.check_mask(image, mask, mask_library)
            if self._mask.shape != array.shape:
                raise ValueError(
                    f"the mask has the shape {self._mask.shape}, and the image {array.shape}"
                )
        self._full = _arguments.is_fully_connected(connectivity, array.ndim)
        self._backend = _settings.backend(device)
        self._threads = _settings.threads(threads)
        self.transposed = _images.is_transposed(array)

    def _run(self, function, *arguments, minimum=0, k=0):
        """Call a function of the extension module, and warn of several values."""
        request = _core.Request(
            self._full, minimum, k, self.transposed, self._backend, self._threads, self._warns
        )
        result = function(self._array, self._limits, self._mask, *arguments, request)
        if request.has_several_values:
            _warn(
                "the image has several values other than 0, and components join neighbors of "
                "different values: choose the values by lower= and upper=, or pass image != 0"
            )
        return result

    def label(self, labels, is_fresh):
        """Write labels to a contiguous array in the order of the image."""
        return self._run(_core.label_host, labels, is_fresh)

    def label_into(self, labels):
        """Write labels to any array."""
        flags = labels.flags
        if flags.c_contiguous and not flags.f_contiguous:
            self.transposed = False
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

    def keep(self, values, out, is_fresh, minimum, k):
        """Copy the values of the selected components to `out`.

        A fresh `out` is contiguous in the order of the image.
        """
        target = out
        if _overlap_shifted(values, out):
            target = np.empty(out.shape, out.dtype, "F" if self.transposed else "C")
            is_fresh = True
        self._run(_core.mask_host, values, target, is_fresh, minimum=minimum, k=k)
        if target is not out:
            out[...] = target

    def measure(self, wanted):
        """Return the columns of the components."""
        return self._run(_core.measure_host, *wanted)


_FOLDER = os.path.dirname(__file__)


def _warn(text):
    """Warn at the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == _FOLDER:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, UserWarning, stacklevel=level)


def _overlap_shifted(array, other):
    """Return whether an element may have the memory of another element of the other array."""
    return np.may_share_memory(array, other) and (
        array.__array_interface__["data"] != other.__array_interface__["data"]
        or array.strides != other.strides
        or array.itemsize != other.itemsize
    )


def check_integers(dtype, advice):
    if dtype.kind not in "iu":
        raise TypeError(f"labels are integers, not {dtype}: {advice}")


def check_labels_out(out, shape, dtype):
    check_integers(out.dtype, "out needs an integer type")
    check_out(out, shape)
    if dtype is not None and out.dtype != dtype:
        raise ValueError(f"out has the type {out.dtype}, and dtype is {dtype}; leave out dtype")


def check_out(out, shape):
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, and the image {shape}")
    _arguments.check_elements(out.shape, out.strides, out.itemsize)


def keep(library, image, minimum, k, connectivity, limits, mask, device, threads, warns, out):
    """Copy the values of the selected components of an image."""
    array = library.array(image)
    where = Foreground(library, image, array, connectivity, limits, mask, device, threads, warns)
    values = library.values(image)
    if out is None:
        kept, target = library.empty_values(image, array)
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
    return kept


def relabel(library, labels, order, minimum, largest, threads, out):
    """Renumber a label image. Return the result and the number of objects."""
    array = library.array(labels)
    check_integers(array.dtype, "pass the result of label()")
    if out is None:
        result, target = library.empty_values(labels, array, are_labels=True)
    else:
        library.check_out(labels, out)
        result, target = out, library.output(out)
        check_labels_out(target, array.shape, None)
        library.will_write(labels, out)
    transposed = _images.is_transposed(array) and target.flags.f_contiguous
    memory_order = "F" if transposed else "C"
    source = np.asarray(array, order=memory_order)
    is_contiguous = target.flags.f_contiguous if transposed else target.flags.c_contiguous
    native = target.dtype.isnative and target.flags.aligned
    written = target
    if not (is_contiguous and native):
        written = np.empty(array.shape, target.dtype.newbyteorder("="), memory_order)
    elif _overlap_shifted(source, written):
        source = source.copy(order=memory_order)
    threads = _settings.threads(threads)
    count, _ = _core.relabel_host(
        source, written, order == "size", minimum, largest, transposed, threads
    )
    if written is not target:
        target[...] = written
    return result, count
