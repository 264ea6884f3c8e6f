"""The steps of images in blocks: the tasks of `_dask_graph.py`, on chunks of NumPy and CuPy.

A chunk has the pixels of one image or, in a batch, of several ones. So the results of tasks are lists with
an element for each image of the chunk. Blocks, seams, labels and tables are dictionaries of NumPy arrays:
see python/src/Blocks.h.
"""

import contextlib
import ctypes
import functools
import os
import tempfile
import threading
from typing import NamedTuple

import numpy as np

from . import _arguments, _core, _images, _settings
from ._options import Options

RANGES = ("intensity_counts", "intensity_minimums", "intensity_maximums")
NO_LABELS = np.empty(0, np.uint64)
TASKS_OF_GPU = 3  # at a time in a process: the GPU labels a chunk while the host packs or writes others


class _Lease:
    """The right to use a GPU, for tasks of this process."""

    def __init__(self):
        self._entry = threading.Lock()
        self._places = threading.Semaphore(TASKS_OF_GPU)

    @contextlib.contextmanager
    def take(self, places):
        """Take some of the places for tasks."""
        with contextlib.ExitStack() as taken:
            with self._entry:  # two tasks that wait for more than one place would wait for each other
                for _ in range(places):
                    taken.enter_context(self._places)
            yield


_leases: "dict[int, _Lease]" = {}  # of the GPUs


class Work(NamedTuple):
    """What the tasks of a call share."""

    options: Options
    shape: tuple  # of an image
    dtype: np.dtype  # of the chunks, in the byte order of this computer
    by_first_pixel: bool = True  # whether the labels are those of the uncut image
    measured: bool = False  # whether components are measured
    columns: tuple = ()  # the names of the settings for what is measured

    @property
    def axes(self):
        """Return the number of axes of an image."""
        return len(self.shape)

    @property
    def size(self):
        """Return the size of an image along x, y and z."""
        return self._along_xyz(self.shape, 1)

    def origin(self, place):
        """Return the index of the first pixel of a chunk along x, y and z."""
        return self._along_xyz(place[1], 0)

    def settings(self, dtype, device=_core.HOST_BACKEND):
        """Return the settings for the extension module, for images of a type."""
        settings = self.options.settings(self.axes, False, _arguments.name_of(dtype))
        settings.device = device
        # Dask runs several tasks at a time, but few of them use a GPU.
        settings.threads = 1 if device == _core.HOST_BACKEND else _settings.threads(None)
        for name in self.columns:
            setattr(settings, name, True)
        return settings

    @staticmethod
    def _along_xyz(numbers, rest):
        return [*reversed(numbers), *[rest] * (3 - len(numbers))]


class _Chunk:
    """The images of a chunk in host memory, and the GPU that labels them."""

    def __init__(self, chunk, place, work):
        self.chunk, self.axes = chunk, work.axes
        # Whole values do not go through a GPU in slabs.
        self.places = TASKS_OF_GPU if work.options.whole_values else 1
        library = _images.library_of(chunk)
        self.array = _on_host(chunk)
        dtype = self.array.dtype.newbyteorder("=")
        if work.options.by_value and dtype != work.dtype:
            raise TypeError(
                f"a chunk has the type {dtype}, and its array the type {work.dtype}: correct the type of the array, such as "
                "the dtype of map_blocks"
            )
        self.device = (
            library.device_of(chunk) if library.on_device else _backend(work.options.device, place[0])
        )

    @property
    def indices(self):
        """Return the indices of the images of the chunk, in C order."""
        return np.ndindex(self.array.shape[: -self.axes])

    def like_chunk(self, array):
        """Return an array of NumPy as an array of the library of the chunk."""
        return _like(self.chunk, array)

    @contextlib.contextmanager
    def lease(self):
        """Have the GPU together with few other tasks of this process, or alone for whole values."""
        if self.device == _core.HOST_BACKEND:
            yield self.device
        else:
            with _leases.setdefault(self.device, _Lease()).take(self.places):
                yield self.device


def _on_host(chunk):
    """Return a chunk as an array of NumPy that the extension module can read."""
    library = _images.library_of(chunk)
    return chunk.get() if library.on_device else library.array(library.in_memory(chunk))


def _like(chunk, array):
    """Return an array of NumPy as an array of the library of a chunk, on its device."""
    library = _images.library_of(chunk)
    if not library.on_device:
        return array
    with library.on_device_of(chunk):
        return library.xp.asarray(array)


def _backend(device, number):
    """Return the number of the backend for a chunk. The CPU is the default; "cuda" takes turns through the GPUs."""
    device = device or os.environ.get(_settings.DEVICE_VARIABLE)
    if not device:
        return _core.HOST_BACKEND
    backend = _arguments.backend_of(device, "device")
    return number % device_count() if backend == _core.CURRENT_DEVICE else backend


@functools.lru_cache
def device_count():
    """Return the number of GPUs that this process may use, or 1 if there is none."""
    count = ctypes.c_int()
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
            return 1
    except (AttributeError, OSError):  # not Linux, or no driver
        return 1
    return max(1, count.value)


def label_chunk(chunk, place, *masks, work, folder=None, keeps_labels=False):
    """Label the images of a chunk, each alone. Return their blocks or, with `keeps_labels`, also the labels.

    `place` has the number of the chunk and its index in an image. `masks` has the chunk of the mask, if
    there is one. With a `folder`, the labels are kept in a file there, and the name of the file takes their
    place.
    """
    chunk = _Chunk(chunk, place, work)
    mask = _on_host(*masks) if masks else None
    kept = (
        np.empty(chunk.array.shape, np.uint32 if chunk.array.size < 2**32 else np.uint64)
        if keeps_labels
        else None
    )
    blocks = []
    for index in chunk.indices:
        with chunk.lease() as device:
            block = _core.label_block(
                chunk.array[index],
                None if mask is None else mask[index],
                None if kept is None else kept[index],
                work.origin(place),
                work.size,
                work.measured,
                work.settings(chunk.array.dtype, device),
            )
        if not work.by_first_pixel:
            block["first_pixels"] = NO_LABELS
        blocks.append(block)
    if not keeps_labels:
        return blocks
    return blocks, chunk.like_chunk(kept) if folder is None else _save(kept, folder, place[0])


def _save(labels, folder, number):
    """Save the labels of a chunk. Return the name of the file, which is complete at any time."""
    name = os.path.join(folder, f"{number}.npy")
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
        np.save(file, labels)
    os.replace(file.name, name)
    return name


def join_faces(*children):
    """Find which components of neighboring blocks are connected. Return the seams."""
    return [_core.join_blocks(list(blocks)) for blocks in zip(*children)]


def merge_blocks(by_first_pixel, seams, *children):
    """Make one block of several ones. Return it, and the labels of the components of each child in it."""
    merged, labels = [], [[] for _ in children]
    for blocks, seams_of_image in zip(zip(*children), seams):
        block, of_children = _core.merge_blocks(list(blocks), seams_of_image, by_first_pixel)
        merged.append(block)
        for of_child, each in zip(labels, of_children):
            of_child.append(each)
    return merged, labels


def count_components(blocks, shape):
    """Return the number of components of each image, as an array of a shape."""
    return np.array([block["count"] for block in blocks], np.int64).reshape(shape)[()]


def labels_of_images(blocks, dtype):
    """Return the labels of the components of whole images: 1, 2, 3 and so on. They must fit in the type of the labels."""
    for block in blocks:
        _check_count(block["count"], dtype)
    return [
        {
            "count": block["count"],
            "border": NO_LABELS,
            "begin": 1,
            "border_labels": NO_LABELS,
            "interior_labels": NO_LABELS,
        }
        for block in blocks
    ]


def _check_count(count, dtype):
    """Raise an exception if there are more components than a type of labels can count."""
    most = np.iinfo(dtype).max
    if count > most:
        raise _core.LabelOverflowError(
            f"Number of objects ({count}) greater than maximum of output pixel type ({most}). "
            "Choose a wider type."
        )


def compose_labels(labels_of_children, labels):
    """Return the labels of each child in the whole image. `labels` are those of the block that was made of them."""
    result = [[] for _ in labels_of_children]
    for image, of_merged in enumerate(labels):
        composed = _core.compose_labels([of_child[image] for of_child in labels_of_children], of_merged)
        for of_child, each in zip(result, composed):
            of_child.append(each)
    return result


def relabel_chunk(chunk, place, labels, *masks, work, dtype):
    """Label the images of a chunk again, with their labels in the whole images."""
    chunk = _Chunk(chunk, place, work)
    mask = _on_host(*masks) if masks else None
    result = np.empty(chunk.array.shape, dtype)
    for index, of_image in zip(chunk.indices, labels):
        _label_again(chunk, index, mask, result[index], _core.expand_labels(of_image), work)
    return chunk.like_chunk(result)


def relabel_kept(kept, labels, *, work, dtype):
    """Give the labels of a chunk that were kept, or their file, the labels in the whole images."""
    kept = np.load(kept) if isinstance(kept, str) else kept
    local = _on_host(kept)
    result = np.empty(local.shape, dtype)
    for index, of_image in zip(np.ndindex(local.shape[: -work.axes]), labels):
        _core.relabel_block(local[index], result[index], _core.expand_labels(of_image), 1)
    return _like(kept, result)


def _local_dtype(image):
    return np.uint32 if image.size < 2**32 else np.uint64


def _label_again(chunk, index, mask, output, new_labels, work):
    """Label an image of a chunk again. `output` gets new labels instead of 1, 2, 3 and so on."""
    image = chunk.array[index]
    of_image = None if mask is None else mask[index]
    with chunk.lease() as device:
        settings = work.settings(image.dtype, device)
        try:
            _core.label_block_again(image, of_image, output, new_labels, settings)
        except ValueError as error:
            raise RuntimeError(
                f"a chunk cannot be labeled as at first: {error}; if its values change from one computation to the "
                'next, call persist() first, or pass scratch="memory"'
            ) from error


def select_components(blocks, work, dtype, selection):
    """Return whether each component of each image is selected: 1 or 0."""
    settings = work.settings(dtype)
    selection.apply(settings, _images.library_of(NO_LABELS), None, work.axes)
    return [
        (_core.select_rows(block["table"], work.size, np.empty(0, dtype), settings) != 0).view(np.uint8)
        for block in blocks
    ]


def selected_of_children(labels_of_children, selected):
    """Return what `selected`, which is for the block that was made of children, has for their components."""
    return [
        [each[_core.expand_labels(labels) - 1] for labels, each in zip(of_child, selected)]
        for of_child in labels_of_children
    ]


def number_selected(blocks, work, dtype, selection, label_dtype):
    """Return the labels of the selected components of each image, 0 for others, their number, and the table."""
    settings = work.settings(dtype)
    selection.apply(settings, _images.library_of(NO_LABELS), None, work.axes)
    result = []
    for block in blocks:
        labels = _core.select_rows(block["table"], work.size, np.empty(0, dtype), settings)
        count = int(labels.max(initial=0))
        _check_count(count, label_dtype)
        result.append({"count": count, "new_labels": labels, "table": block["table"]})
    return result


def new_labels_of_selected(images):
    """Return the labels of `number_selected`, for `selected_of_children`."""
    return [image["new_labels"] for image in images]


def keep_chunk(chunk, place, selected, *masks, work, background):
    """Return a chunk with the selected components of its images, and `background` for other pixels."""
    chunk = _Chunk(chunk, place, work)
    mask = _on_host(*masks) if masks else None
    result = np.full(chunk.array.shape, background, chunk.chunk.dtype)
    for index, of_image in zip(chunk.indices, selected):
        image = chunk.array[index]
        is_kept = np.empty(image.shape, np.uint8)
        _label_again(chunk, index, mask, is_kept, of_image.astype(np.uint64), work)
        np.copyto(result[index], image, where=is_kept.view(bool))
    return chunk.like_chunk(result)


def measure_chunk(chunk, place, *intensities, work):
    """Measure the labels of the images of a chunk. Return a table for each image, with a row for each label."""
    chunk = _Chunk(chunk, place, work)
    second = _on_host(*intensities) if intensities else None
    tables = []
    for index in chunk.indices:
        image = chunk.array[index]
        with chunk.lease() as device:
            settings = work.settings(image.dtype, device)
            of_image = None if second is None else np.ascontiguousarray(second[index])
            tables.append(
                _core.measure_values_of_block(image, of_image, work.origin(place), work.size, settings)
            )
    return tables


def merge_tables(*children):
    """Add the tables of images: their rows of the same label are one. Their labels are in ascending order of the bits."""
    merged = []
    for tables in zip(*children):
        values = np.unique(np.concatenate([_values_of(table) for table in tables]))
        rows = [_rows_of(_values_of(table), values) for table in tables]
        merged.append(_core.add_tables(list(tables), rows, len(values)))
    return merged


def _values_of(table):
    return table.get("values", NO_LABELS)


def _rows_of(values, all_values):
    """Return 1 + the row of each value among all values, which are in ascending order."""
    return np.searchsorted(all_values, values).astype(np.uint64) + np.uint64(1)


def measure_floats_of_chunk(chunk, place, tables, ranges, intensities, *, work):
    """Add the floating-point intensities of the labels of a chunk, whose tables have their ranges: the second pass."""
    chunk = _Chunk(chunk, place, work)
    second = _on_host(intensities)
    sums = []
    for index, of_chunk, of_image in zip(chunk.indices, tables, ranges):
        labels = np.empty(chunk.array.shape[-work.axes :], _local_dtype(chunk.array[index]))
        _label_again(chunk, index, None, labels, 1 + np.arange(of_chunk["count"], dtype=np.uint64), work)
        added = _core.measure_intensities_of_block(labels, np.ascontiguousarray(second[index]), of_image, 1)
        if "values" in of_chunk:
            added["values"] = of_chunk["values"]
        sums.append(added)
    return sums


def rows_of_labels(tables, tables_of_parents, names):
    """Return columns of the tables of parents of blocks, with the rows of the labels of each block."""
    result = []
    for table, of_parent in zip(tables, tables_of_parents):
        values = _values_of(table)
        rows = np.searchsorted(_values_of(of_parent), values)
        columns = {name: of_parent[name][rows] for name in names if name in of_parent}
        result.append({"count": len(rows), "values": values, **columns})
    return result


def finish_intensities(sums, tables):
    """Return the tables of whole images with the columns of floating-point intensities."""
    finished = []
    for of_image, table in zip(sums, tables):
        if table["count"]:
            table = _core.finish_intensities(of_image, table)
        finished.append(table)
    return finished


def new_labels_of_images(tables, dtype, order, selection):
    """Return the old labels of images, as in `merge_tables`, with their new labels, and the number of new labels."""
    result = []
    for table in tables:
        values = _values_of(table)
        sizes = table.get("pixel_counts", NO_LABELS)
        old = _arguments.values_of_bits(values.view(np.int64), np.dtype(dtype))
        ranks = np.argsort(old, kind="stable")
        by_size = ranks[np.argsort(sizes[ranks].max(initial=0) - sizes[ranks], kind="stable")]
        kept = by_size[sizes[by_size] >= selection.min_size][: selection.k or None]
        if order == "label":
            kept = ranks[np.isin(ranks, kept)]
        new = np.zeros(len(values), np.uint64)
        new[kept] = np.arange(1, len(kept) + 1)
        _check_count(len(kept), dtype)
        result.append({"count": len(kept), "values": values, "new": new})
    return result


def renumber_kept(kept, new_labels, *, work, dtype):
    """Give the labels of a chunk that were kept, or their file, new labels."""
    kept = np.load(kept) if isinstance(kept, str) else kept
    local = _on_host(kept)
    result = np.empty(local.shape, dtype)
    for index, new in zip(np.ndindex(local.shape[: -work.axes]), new_labels):
        _core.relabel_block(local[index], result[index], new, 1)
    return _like(kept, result)


def renumber_chunk(chunk, place, new_labels, *masks, work, dtype):
    """Label the images of a chunk again, with new labels."""
    chunk = _Chunk(chunk, place, work)
    mask = _on_host(*masks) if masks else None
    result = np.empty(chunk.array.shape, dtype.newbyteorder("="))
    for index, new in zip(chunk.indices, new_labels):
        _label_again(chunk, index, mask, result[index], new, work)
    return chunk.like_chunk(result.astype(dtype, copy=False))


def renumber_labels_of_chunk(chunk, place, tables, *, work, dtype):
    """Do the work of `renumber_chunk` for tables with new labels."""
    return renumber_chunk(chunk, place, [table["new"] for table in tables], work=work, dtype=dtype)


def tabulate(*tables, work, dtype, finish, order, sorts=False):
    """Return the columns of the tables of all images by name.

    `tables` has the tables or blocks of the images of each group of chunks along the leading axes, or the
    results of `number_selected`. `order` has the positions of these images in C order. `finish` makes the
    columns for users. With `sorts`, rows are in ascending order of the labels.
    """
    images = [each for of_chunk in tables for each in of_chunk]
    settings = work.settings(dtype)
    found = []
    for image in (images[i] for i in order):
        rows = _core.finish_table(image.get("table", image), settings)
        if "new_labels" in image:
            is_selected = image["new_labels"] != 0
            rows = {name: column[is_selected] for name, column in rows.items()}
        found.append(rows)
    counts = [len(each["num_pixels"]) for each in found]
    if len(found) != 1:
        found.append(_core.finish_table({"count": 0}, settings))  # no image may have columns
        found = [{name: np.concatenate([each[name] for each in found]) for name in found[0]}]
    (columns,) = found
    columns["image"] = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    columns["label"] = np.concatenate([np.arange(0), *(np.arange(1, count + 1) for count in counts)]).astype(
        np.int64
    )
    if "value" in columns:
        columns["value"] = _arguments.values_of_bits(columns["value"], np.dtype(dtype))
    if sorts:
        columns["label"] = columns["value"]
        rows = np.lexsort((columns["value"], columns["image"]))
        columns = {name: column[rows] for name, column in columns.items()}
    return finish(columns)


def to_double(column):
    """Return a column as float64."""
    return column.astype(np.float64)


def nothing(*results):
    """Wait for results of tasks."""


def first(result, *others):
    """Return the result of the first task, after other tasks."""
    return result
