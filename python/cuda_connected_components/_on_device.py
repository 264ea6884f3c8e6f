"""The work on images in device memory. `_host.py` has the same functions."""

import contextlib
import itertools
import math

import numpy as np

from . import _arguments, _core
from ._options import Holes


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

    def target_for_values(self, out):
        """Return the array of an image for values of the image, after its checks."""
        target = self.target(out)
        if target.dtype != self.array.dtype:
            raise TypeError(f"out has the type {target.dtype}, and the image {self.array.dtype}")
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
        out = _finish(library, image, written, target, out)
        options.pass_on(values)
        return out, _arguments.in_leading_shape(counts, call.leading)


def keep(library, image, options, selection, out):
    """Copy the values of the selected components of an image or a batch."""
    needs_table = isinstance(selection, Holes) and selection.value is None
    call = Call("measure" if needs_table else "keep", library, image, options)
    library.refuse_gradients(image)
    selection.apply(call.settings, library, image, call.axes)
    if needs_table:
        return _fill_holes_of_values(call, library, image, out)
    with call.on_device():
        target = None if out is None else call.target_for_values(out)
        source = library.contiguous(call.array)
        written = _memory_for_kept(library, call, source, target)
        memory = library.memory_of(source, call.axes)
        if target is not None:
            library.will_write(image, out)
        # The engine allocates before it writes the output. So `run` may try again in place.
        values = call.run(_core.mask_device, memory, library.memory_of(written, call.axes))
        out = _finish(library, image, written, target, out)
        options.pass_on(values)
        return out


def _finish(library, image, written, target, out):
    """Return the result of an image: `out`, whose array is `target`, or an image of the written array."""
    if target is None:
        return library.like(image, written)
    if written is not target:
        library.write(target, written)
    library.copy_metadata(image, out)
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


def _fill_holes_of_values(call, library, image, out):
    """Fill the holes of each value of an image or a batch."""
    holes, size = call.settings, call.shape[-call.axes :]
    # All elements belong to regions of one value.
    options = call.options._replace(background=None)
    call.settings = options.settings(call.axes, bool(call.leading), call.dtype)
    call.settings.boxes = call.settings.values = True
    with call.on_device():
        target = None if out is None else call.target_for_values(out)
        labels = library.new_array(call.array, call.shape, _arguments.name_of(_arguments.default_label_dtype(size)))
        columns = _tabulate(call, labels=labels)
        count = len(columns["num_pixels"])
        counts = columns.setdefault("counts", np.array([count]))
        regions = _numbered(call, labels, counts) - 1
        rank = _RANKS.get(holes.connectivity, call.axes)
        pairs = _adjacent(library, regions.reshape((len(counts), *size)), rank, count)
        source = library.contiguous(call.array)
        sources = _core.holes_of_values(columns, pairs, library.memory_of(source, call.axes), holes)
        bits = f"int{8 * library.element_size_of(source)}"
        values = columns["value"].astype(bits)
        is_changed = library.take((sources != np.arange(count)).view(np.uint8), regions) != 0
        filled = library.xp.where(
            is_changed, library.take(values[sources], regions), library.bits_as(source, bits).reshape((-1,))
        )
        filled = library.bits_as(filled, call.dtype).reshape(call.shape)
        if target is None:
            library.wait(call.array)
        else:
            library.will_write(image, out)
        return _finish(library, image, filled, target, out)


_RANKS = {4: 1, 6: 1, 8: 2, 18: 2, 26: 3}  # of connectivities; 0 is full connectivity


def _adjacent(library, regions, rank, count):
    """Return the pairs of regions with neighboring elements as two rows of an array, in ascending order.

    `regions` has the images along its first axis, and `count` regions. `rank` is that of the connectivity.
    """
    pairs = []
    for offset in itertools.product((-1, 0, 1), repeat=regions.ndim - 1):
        if offset > (0,) * len(offset) and sum(map(abs, offset)) <= rank:
            ours, theirs = (
                regions[(slice(None), *(slice(max(0, sign * o), n + min(0, sign * o)) for o, n in zip(offset, regions.shape[1:])))]
                for sign in (1, -1)
            )
            differ = ours != theirs
            ours, theirs = ours[differ], theirs[differ]
            lower = library.xp.minimum(ours, theirs)
            pairs.append(library.distinct(library.cast(lower, "int64") * count + (ours + theirs - lower)))
    found = np.unique(np.concatenate([library.to_host(each) for each in pairs]))
    return np.stack(np.divmod(found, max(1, count)))


def measure(library, image, options, wanted):
    """Measure the components of an image or a batch. Return the call, and the columns by name."""
    call = Call("measure", library, image, options)
    for name in wanted:
        setattr(call.settings, name, True)
    with call.on_device():
        _source, memory = library.readable(call.array, call.axes)
        columns = _Columns(call)
        options.pass_on(call.run(_core.measure_device, memory, columns.make))
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
        self.doubles = ["area", *(f"mean_{axis}" for axis in axes if settings.means)]
        self.names = [*integers, *ends, *self.doubles, *["faces"] * settings.faces]
        self.call = call
        self.arrays = {}

    def make(self, rows):
        """Make columns of `rows` elements. Return their addresses."""
        library, image = self.call.library, self.call.array
        # One array for all columns takes less time than an array for each. Its rows have elements of 8 bytes.
        block = library.new_array(image, (len(self.names), rows), "int64")
        self.arrays = dict(zip(self.names, library.rows_of(block)))
        for name in self.doubles:
            self.arrays[name] = library.bits_as(self.arrays[name], "float64")
        if "faces" in self.arrays:
            self.arrays["faces"] = library.bits_as(self.arrays["faces"], "uint8")[:rows]
        first = library.address_of(block)
        return {name: first + 8 * rows * index for index, name in enumerate(self.names)}


def tabulate(library, labels, options, wanted, intensities):
    """Measure the labels of an image or a batch. Return the call, and the columns by name as NumPy arrays."""
    call = Call("measure", library, labels, options)
    _arguments.check_integers(call.dtype, _arguments.ADVICE_FOR_LABELS)
    for name in wanted:
        setattr(call.settings, name, True)
    second = None
    if intensities is not None:
        second = library.plain(intensities)
        name = library.name_of(second.dtype)
        _arguments.check_intensities(name, second.shape, call.shape)
        library.check_mask(labels, intensities, library, "intensities")
        if library.device_of(second) != library.device_of(call.array):
            raise ValueError("the intensities must be on the device of the labels")
        call.settings.intensities = True
    with call.on_device():
        if second is not None:
            second = library.contiguous(second)
        columns = _tabulate(call, second)
        columns["value"] = _arguments.values_of_bits(columns["value"], np.dtype(call.dtype))
        return call, columns


def _tabulate(call, intensities=None, labels=None):
    """Measure the components of an image or a batch, and write their labels. Return the columns as NumPy arrays."""
    library = call.library
    _source, memory = library.readable(call.array, call.axes)
    memories = [None if each is None else library.memory_of(each, call.axes) for each in (intensities, labels)]
    return call.run(_core.tabulate_device, memory, *memories)


def relabel(library, labels, options, order, selection, out):
    """Renumber the labels of an image or a batch. Return the result and the number of objects."""
    call = Call("relabel", library, labels, options._replace(by_value=True, whole_values=True))
    _arguments.check_integers(call.dtype, _arguments.ADVICE_FOR_LABELS)
    call.settings.values = True
    images = math.prod(call.leading)
    with call.on_device():
        target = None if out is None else call.target_for_labels(out)
        dtype = np.dtype(call.dtype if target is None else library.name_of(target.dtype))
        indices_dtype = _arguments.default_label_dtype(call.shape[-call.axes :])
        indices = library.new_array(call.array, call.shape, _arguments.name_of(indices_dtype))
        found = _tabulate(call, labels=indices)
        counts = found.get("counts", np.array([len(found["value"])]))
        of_image = np.repeat(np.arange(images), counts)
        sizes, values = found["num_pixels"], _arguments.values_of_bits(found["value"], np.dtype(call.dtype))
        chosen = np.lexsort((values, *([-sizes] if order == "size" or selection.k else []), of_image))
        chosen = chosen[sizes[chosen] >= selection.min_size]
        ranks = _ranks_in_images(of_image[chosen])
        if selection.k:
            chosen = chosen[ranks <= selection.k]
            if order == "label":
                chosen = chosen[np.lexsort((values[chosen], of_image[chosen]))]
            ranks = _ranks_in_images(of_image[chosen])
        if ranks.max(initial=0) > np.iinfo(dtype).max:
            raise _core.LabelOverflowError(
                f"Number of objects ({ranks.max()}) greater than maximum of output pixel type "
                f"({np.iinfo(dtype).max}). Choose a wider type."
            )
        # Element 0 of each image is for its background.
        table = np.zeros(len(sizes) + images, dtype)
        table[chosen + of_image[chosen] + 1] = ranks
        result = library.take(table, _numbered(call, indices, counts + 1)).reshape(call.shape)
        if target is None:
            library.wait(call.array)
        else:
            library.will_write(labels, out)
        out = _finish(library, labels, result, target, out)
        if not call.leading:
            return out, len(chosen)
        counts = np.bincount(of_image[chosen], minlength=images)
        return out, _arguments.in_leading_shape(counts, call.leading)


def _numbered(call, labels, counts):
    """Return labels as a flat array, in which those of an image start after the `counts` of the images before it."""
    library = call.library
    if len(counts) < 2:
        return labels.reshape((-1,))
    firsts = library.from_host((counts.cumsum() - counts).reshape(-1, 1), call.array)
    return (library.cast(labels, "int64").reshape((len(counts), -1)) + firsts).reshape((-1,))


def _ranks_in_images(images):
    """Return 1, 2, 3, ... for the objects of each image. `images` are their images, in ascending order."""
    return np.arange(1, len(images) + 1) - np.searchsorted(images, images)
