"""The work on images in device memory. `_host.py` has the same functions."""

import contextlib
import math
from typing import NamedTuple

import numpy as np

from . import _arguments, _core


class Call:
    """A call for an image or a batch in device memory: its arrays, and the settings by its options.

    `function` is the name of a function of this module.
    """

    transposed = False

    def __init__(self, function, library, image, options):
        if function not in library.functions:
            raise TypeError(
                f"this function does not take the device array {type(image).__name__}: "
                "convert it with cupy.asarray(image) or torch.as_tensor(image, device='cuda')"
            )
        if options.device is not None:
            raise ValueError("device is for images in host memory: this image is in device memory")
        self.library, self.options = library, options
        self.array = library.plain(image)
        self.shape = tuple(self.array.shape)
        self.axes = options.axes_of(self.shape, library)
        self.leading = self.shape[: -self.axes]
        self.dtype = library.name_of(self.array.dtype)
        self.settings = options.settings(self.axes, bool(self.leading), self.dtype)
        self.mask = self.mask_memory = None
        if options.mask is not None:
            self.mask = library.plain(options.mask)
            library.check_mask(image, options.mask, library)
            _arguments.check_mask_shape(self.mask.shape, self.shape, self.axes)
            if library.device_of(self.mask) != library.device_of(self.array):
                raise ValueError("the mask must be on the device of the image")

    @contextlib.contextmanager
    def on_device(self):
        """Make the device of the image the current one, and make the mask readable."""
        library = self.library
        with library.on_device_of(self.array):
            library.refuse_capture(self.array)
            if self.mask is not None:
                self.mask, self.mask_memory = library.readable(self.mask, self.axes)
            yield

    def run(self, function, memory, *arguments):
        """Call a function of the extension module for an array of the image."""
        library, settings = self.library, self.settings
        settings.device = library.device_of(self.array)
        settings.stream = library.stream_of(self.array)
        allocator = library.allocator_for(self.array)
        if allocator is not None:
            settings.allocator = allocator
        return library.run(function, memory, self.mask_memory, *arguments, settings)

    def target(self, out):
        """Return the array of an image for results, after its checks."""
        target = self.library.plain_out(out)
        if tuple(target.shape) != self.shape:
            raise ValueError(f"out has the shape {tuple(target.shape)}, and the image {self.shape}")
        if self.library.device_of(target) != self.library.device_of(self.array):
            raise ValueError("out must be on the device of the image")
        return target

    def target_for_labels(self, out, dtype=None):
        """Return the array of an image for labels, after its checks."""
        target = self.target(out)
        name = self.library.name_of(target.dtype)
        _arguments.check_integers(name, "out needs an integer type")
        if dtype is not None and name != dtype.name:
            raise ValueError(f"out has the type {name}, and dtype is {dtype}; leave out dtype")
        return target


def label(library, image, options, dtype, out, selection=None):
    """Label an image or a batch. Return the labels and their number."""
    library.prepare(image, options, dtype, out)
    call = Call("label", library, image, options)
    if selection is not None:
        selection.apply(call.settings, library, image, call.axes)
    with call.on_device():
        target = None if out is None else call.target_for_labels(out, dtype)
        source, memory = library.readable(call.array, call.axes)
        written = target
        if (
            target is None
            or not library.is_contiguous(target)
            or library.may_overlap(target, source, call.mask)
        ):
            if target is None:
                dtype = _arguments.label_dtype(library, dtype, call.shape[-call.axes :])
            else:
                dtype = np.dtype(library.name_of(target.dtype))
            written = library.new_array(call.array, call.shape, library.name_of(dtype))
        if target is not None:
            library.will_write(image, out)
        counts, values = call.run(_core.label_device, memory, library.memory_of(written, call.axes))
        if target is None:
            out = library.like(image, written)
        elif written is not target:
            library.write(target, written)
        options.pass_on(values)
        return out, _arguments.in_leading_shape(counts, call.leading)


def keep(library, image, options, selection, out):
    """Copy the values of the selected components of an image or a batch."""
    call = Call("keep", library, image, options)
    library.refuse_gradients(image)
    selection.apply(call.settings, library, image, call.axes)
    with call.on_device():
        target = None if out is None else call.target(out)
        if target is not None and target.dtype != call.array.dtype:
            raise TypeError(f"out has the type {target.dtype}, and the image {call.array.dtype}")
        source = library.contiguous(call.array)
        written = _memory_for_kept(library, call, source, target)
        memory = library.memory_of(source, call.axes)
        if target is not None:
            library.will_write(image, out)
        # The engine allocates before it writes the output. So `run` may try again in place.
        values = call.run(_core.mask_device, memory, library.memory_of(written, call.axes))
        if target is None:
            out = library.like(image, written)
        elif written is not target:
            library.write(target, written)
        options.pass_on(values)
        return out


def _memory_for_kept(library, call, source, target):
    """Return the array that the engine writes: `target`, or an array that nobody else uses.

    `source` is the image, or a copy if the image is not contiguous.
    """
    if (
        target is not None
        and library.is_contiguous(target)
        and not library.may_overlap(target, call.mask)
        and (
            library.address_of(target) == library.address_of(source)
            or not library.may_overlap(target, source)
        )
    ):
        return target
    if not library.is_contiguous(call.array):
        return source
    return library.new_array(call.array, call.shape, call.dtype)


def measure(library, image, options, wanted):
    """Measure the components of an image or a batch. Return the call, and the columns by name."""
    call = Call("measure", library, image, options)
    for name in wanted:
        setattr(call.settings, name, True)
    with call.on_device():
        _source, memory = library.readable(call.array, call.axes)
        columns = _Columns(call)
        options.pass_on(call.run(_core.measure_device, memory, columns.make))
        columns.ends += 1
        if "value" in columns.arrays:  # the bits, in integers of 8 bytes
            bits = library.cast(columns.arrays["value"], f"int{8 * library.element_size_of(call.array)}")
            columns.arrays["value"] = library.bits_as(bits, call.dtype)
    call.mask = call.mask_memory = None  # frees copies
    return call, columns.arrays


class _Columns:
    """The columns of a table on a device, which the extension module fills."""

    def __init__(self, call):
        axes, settings = "xyz"[: call.axes], call.settings
        boxes = axes if settings.boxes else ""
        starts, ends = ([f"{end}_{axis}" for axis in boxes] for end in ("start", "end"))
        integers = ["label", "num_pixels", *["image"] * settings.batch, *["value"] * settings.values, *starts]
        self.rows_of_ends = slice(len(integers), len(integers) + len(ends))
        self.means = [f"mean_{axis}" for axis in axes] if settings.means else []
        self.names = [*integers, *ends, *self.means, *["faces"] * settings.faces]
        self.call = call
        self.arrays = {}
        self.ends = None  # the extension module writes the last indices

    def make(self, rows):
        """Make columns of `rows` elements. Return their addresses."""
        library, image = self.call.library, self.call.array
        # One array for all columns takes less time than an array for each. Its rows have elements of 8 bytes.
        block = library.new_array(image, (len(self.names), rows), "int64")
        self.arrays = dict(zip(self.names, library.rows_of(block)))
        self.ends = block[self.rows_of_ends]
        for name in self.means:
            self.arrays[name] = library.bits_as(self.arrays[name], "float64")
        if "faces" in self.arrays:
            self.arrays["faces"] = library.bits_as(self.arrays["faces"], "uint8")[:rows]
        first = library.address_of(block)
        return {name: first + 8 * rows * index for index, name in enumerate(self.names)}


def relabel(library, labels, options, order, selection, out):
    """Renumber the labels of an image or a batch. Return the result and the number of objects."""
    call = Call("relabel", library, labels, options)
    _arguments.check_integers(call.dtype, _arguments.ADVICE_FOR_LABELS)
    images = math.prod(call.leading)
    with call.on_device():
        target = None if out is None else call.target_for_labels(out)
        dtype = np.dtype(call.dtype if target is None else library.name_of(target.dtype))
        found, indices = _find_objects(library, library.flat(call.array), images)
        chosen = np.flatnonzero((found.labels != 0) & (found.sizes >= max(selection.min_size, 1)))
        if order == "size" or selection.k:
            chosen = chosen[np.lexsort((-found.sizes[chosen], found.images[chosen]))]
        ranks = _ranks_in_images(found.images[chosen])
        if selection.k:
            chosen = chosen[ranks <= selection.k]
            chosen = chosen if order == "size" else np.sort(chosen)
            ranks = _ranks_in_images(found.images[chosen])
        if ranks.max(initial=0) > np.iinfo(dtype).max:
            raise _core.LabelOverflowError(
                f"Number of objects ({ranks.max()}) greater than maximum of output pixel type "
                f"({np.iinfo(dtype).max}). Choose a wider type."
            )
        table = np.zeros(len(found.labels), dtype)
        table[chosen] = ranks
        result = library.take(table, indices).reshape(call.shape)
        if target is None:
            library.wait(call.array)
            out = library.like(labels, result)
        else:
            library.will_write(labels, out)
            library.write(target, result)
        if not call.leading:
            return out, len(chosen)
        counts = np.bincount(found.images[chosen], minlength=images)
        return out, _arguments.in_leading_shape(counts, call.leading)


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
    names = library.cast(names, "int64") + images_of_runs * len(labels)
    firsts = (library.numbers(flat, images) - 1).reshape((images, 1)) * len(labels)
    indices = (library.cast(indices, "int64").reshape((images, elements)) + firsts).reshape((-1,))
    if images * len(labels) < longest:
        objects = np.arange(images * len(labels))
    else:
        # Most labels are not in most images.
        objects, names = library.unique(names)
        indices = library.search(objects, indices)
        objects = library.to_host(objects)
    sizes = library.sums(names, lengths, len(objects))
    return _Objects(objects // len(labels), labels[objects % len(labels)], sizes), indices
