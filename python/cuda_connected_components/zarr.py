"""Labels Zarr arrays and OME-Zarr images that are larger than memory: a command.

::

    python -m cuda_connected_components.zarr label IN OUT --connectivity 26 --min-size 50 --statistics table.parquet

``--help`` lists the options. The extra ``zarr`` installs what the command needs.
"""

import argparse
import contextlib
import csv
import errno
import math
import os
import pathlib
import posixpath
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import warnings
from concurrent.futures import BrokenExecutor
from typing import Any, NamedTuple

import numpy as np

try:
    import dask
    import dask.array as da
    import zarr
    from dask.base import DaskMethodsMixin
    from dask.callbacks import Callback

    from . import _zarr_store
    from . import dask as lazy
except ImportError as error:
    raise ImportError(
        "Dask 2025.1 and Zarr 3.1.6 or later are needed: pip install 'cuda-connected-components[zarr]'"
    ) from error

from . import LabelOverflowError, _ome_zarr, _settings
from ._options import Selection

__all__ = ["main"]

# Blocks of a task are as large as possible up to this number of elements, unless a chunk or shard is larger.
_MOST_ELEMENTS = 2**21
_PROPERTIES = ("num_pixels", "bbox", "centroid")


class Source(NamedTuple):
    """What is read.

    Attributes
    ----------
    path : str
        The name that the user gave.
    levels : list of zarr.Array
        The array, or the levels of a pyramid.
    image : _ome_zarr.Multiscale or None
        The metadata, for OME-Zarr.
    """

    path: str
    levels: list[zarr.Array]
    image: _ome_zarr.Multiscale | None


class Settings(NamedTuple):
    """The options of the command that say what is computed."""

    connectivity: int | None
    spatial_dims: int
    by_value: bool
    background: float | int | None
    min_size: float
    keep_largest: int | None
    order: str
    dtype: str | None


def main(argv=None):
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments. The default is those of the process.

    Returns
    -------
    status : int
        0; 2 after an error, which is printed to stderr; 130 after an interruption.
    """
    arguments = _parser().parse_args(argv)
    try:
        with _scratch(arguments) as arguments.scratch:
            _label(arguments)
    except KeyboardInterrupt:
        print(f"interrupted: {_how_to_go_on(arguments)}", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            print(f"error: no space is left: free some, and {_how_to_go_on(arguments)}", file=sys.stderr)
        else:
            print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenExecutor:
        print(
            "error: a process of --workers was ended, perhaps because the memory was full: choose fewer, and "
            f"{_how_to_go_on(arguments)}",
            file=sys.stderr,
        )
        return 2
    except (ValueError, TypeError, RuntimeError, MemoryError, ImportError, LabelOverflowError) as error:
        print(f"error: {error or type(error).__name__}", file=sys.stderr)
        return 2
    return 0


def _scratch(arguments):
    """Return a context with the scratch for `label`: a new folder in that of the user is removed at the end."""
    if arguments.scratch in (None, "memory"):
        return contextlib.nullcontext(arguments.scratch)
    if not os.path.isdir(arguments.scratch):
        raise ValueError(f"the folder --scratch {arguments.scratch} does not exist: make it first")
    return tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="labels-")


def _how_to_go_on(arguments):
    if arguments.no_labels:
        return "run the same command again"
    without = ", without --overwrite" if arguments.overwrite else ""
    return f"run the same command again{without}: it goes on with what is written"


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m cuda_connected_components.zarr", description=__doc__.splitlines()[0]
    )
    command = parser.add_subparsers(dest="command", required=True).add_parser(
        "label",
        help="label the connected components of an image",
        description="Labels the connected components of a Zarr array or an OME-Zarr image. The labels are those of the "
        "whole image, whatever its chunks are. Each time and channel is labeled alone.",
    )
    add = command.add_argument
    add(
        "input",
        metavar="IN",
        help="an array of Zarr 2 or 3, or an image of OME-Zarr 0.4 or 0.5: a folder or URL",
    )
    add(
        "output",
        metavar="OUT",
        nargs="?",
        help="a new array for the labels of an array; the labels of an image go to OUT/labels/NAME, and OUT may be IN",
    )
    add(
        "--name",
        default="components",
        help="the name of the labels of an OME-Zarr image (default: %(default)s)",
    )
    add(
        "--connectivity",
        type=int,
        metavar="N",
        help="number of neighbors: 4, 8, 6, 18 or 26 (default: 8 or 26)",
    )
    add("--by-value", action="store_true", help="label regions of equal value")
    add(
        "--background",
        type=_number,
        default=0,
        metavar="VALUE",
        help="with --by-value: its value, or none (default: 0)",
    )
    add("--mask", metavar="PATH", help="an array: elements that are 0 in it are background")
    add("--min-size", type=int, default=0, metavar="N", help="leave out components with fewer elements")
    add(
        "--keep-largest",
        type=int,
        metavar="K",
        help="keep the K largest components only, with --by-value of each value",
    )
    add(
        "--order",
        choices=("raster", "block"),
        default="raster",
        help="the order of the labels (default: %(default)s)",
    )
    add("--dtype", help="the type of the labels (default: int32, or int64 from 2^31 elements on)")
    add("--statistics", metavar="TABLE", help="write the table of the components: *.parquet or *.csv")
    add("--no-labels", action="store_true", help="write the table only; without OUT")
    add(
        "--level",
        type=int,
        default=0,
        metavar="N",
        help="the level of the pyramid to label (default: 0, the finest)",
    )
    add("--time", type=int, metavar="N", help="label one time only")
    add("--channel", type=int, metavar="N", help="label one channel only")
    add(
        "--spatial-dims",
        type=int,
        metavar="N",
        help="for an array: its last N axes are those of an image (default: all)",
    )
    add("--overwrite", action="store_true", help="remove the labels and TABLE first if they exist; never IN")
    add("--device", help='"cpu", "cuda" or "cuda:N" (default: cpu)')
    add(
        "--scratch",
        metavar="PATH",
        help="keep labels of blocks in this folder between the two passes, or in memory: memory",
    )
    workers = command.add_mutually_exclusive_group()
    workers.add_argument("--workers", type=int, metavar="N", help="the number of processes")
    workers.add_argument(
        "--threads", type=int, metavar="N", help="the number of threads (default: one for each processor)"
    )
    return parser


def _number(text):
    """Return a number of the command line, or None for "none"."""
    if text == "none":
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def _label(arguments):
    """Do the work of the command."""
    _check(arguments)
    source = _open(arguments)
    picked = _picked(source, arguments)
    image = _read(source.levels[0], source, picked)
    mask = None if arguments.mask is None else _open_mask(arguments, image, source, picked)
    if arguments.time is not None:
        # Labels of one channel are for all channels. Those of one time are for this time.
        source = source._replace(image=source.image.part(0, source.image.axis_of("time"), arguments.time))
    settings = Settings(
        arguments.connectivity,
        source.image.spatial_dims if source.image else arguments.spatial_dims or image.ndim,
        arguments.by_value,
        arguments.background,
        arguments.min_size,
        arguments.keep_largest,
        arguments.order,
        arguments.dtype,
    )
    labels, count, table = _components(image, mask, settings, arguments)
    if arguments.no_labels:
        _check_table(arguments)
        output = None
    else:
        output = _Output(arguments, source, settings, image, labels.dtype)
    workers = (
        {"scheduler": "processes", "num_workers": arguments.workers}
        if arguments.workers
        else {
            "scheduler": "threads",
            "num_workers": arguments.threads or _settings.threads(None),
        }
    )
    if output is None:
        with _Progress("measuring"):
            count, table = dask.compute(count, table, **workers)
        _save(arguments.statistics, _named(table, source, settings, arguments))
    else:
        count = output.write(labels, count, table, source, settings, arguments, workers)
    print(f"components: {np.sum(count)}")


def _check_table(arguments):
    """Raise an exception if a file has the name of the table, or remove it if the user says so."""
    if arguments.statistics is None or not os.path.exists(arguments.statistics):
        return
    if not arguments.overwrite:
        raise ValueError(f"{arguments.statistics} exists: choose another name, or --overwrite")
    os.remove(arguments.statistics)


def _check(arguments):
    """Raise an exception for options that do not fit each other. The image is not read yet."""
    if arguments.no_labels:
        if arguments.output is not None:
            raise ValueError(f"--no-labels writes no labels: leave out {arguments.output}")
        if arguments.statistics is None:
            raise ValueError("--no-labels writes the table only: name it with --statistics")
    elif arguments.output is None:
        raise ValueError(
            "OUT is missing: name the labels, or --no-labels with --statistics for the table only"
        )
    if arguments.statistics:
        path = pathlib.Path(arguments.statistics)
        if path.suffix not in (".parquet", ".csv"):
            raise ValueError(f"the table is {path}, and *.parquet and *.csv are supported")
        if not path.absolute().parent.is_dir():
            raise ValueError(f"the folder of the table {path} does not exist: make it first")
        if not os.access(path.absolute().parent, os.W_OK):
            raise ValueError(f"the folder of the table {path} cannot be written: choose another one")
        if path.suffix == ".parquet":
            try:
                import pyarrow.parquet  # noqa: F401
            except ImportError:
                raise ValueError(
                    f"{path} needs pyarrow: install it, or name the table {path.stem}.csv"
                ) from None
    if arguments.dtype is not None:
        try:
            dtype = np.dtype(arguments.dtype)
        except TypeError:
            dtype = None
        if dtype is None or dtype.kind not in "iu":
            raise ValueError(
                f"--dtype {arguments.dtype} is no type of integers: choose int32 or uint32, for example"
            )
    least_numbers = {"min_size": 0, "keep_largest": 1, "level": 0, "spatial_dims": 1, "workers": 1, "threads": 1}
    for name, least in least_numbers.items():
        value = getattr(arguments, name)
        if value is not None and value < least:
            raise ValueError(f"--{name.replace('_', '-')} must be at least {least}, not {value}")
    if not arguments.by_value and arguments.background != 0:
        raise ValueError(
            f"--background {arguments.background} needs --by-value: otherwise, the background is 0"
        )
    is_name = arguments.name == posixpath.basename(arguments.name) and arguments.name.strip(".")
    if not is_name or _zarr_store.is_taken(arguments.name):
        raise ValueError(f"--name {arguments.name!r} is not a name of labels: use letters and digits")


def _open(arguments):
    """Return the array or the image that is read, from the level to be labeled on."""
    path = arguments.input
    node = _zarr_store.open_node(path)
    if node is None:
        raise ValueError(f"{path} is neither an array nor a group of Zarr")
    if isinstance(node, zarr.Array):
        for name, default in (("level", 0), ("time", None), ("channel", None)):
            if getattr(arguments, name) != default:
                raise ValueError(f"--{name} is for images of OME-Zarr, and {path} is an array")
        source = Source(path, [node], None)
    else:
        image = _ome_zarr.read(dict(node.attrs), path)
        if arguments.spatial_dims is not None:
            raise ValueError(
                f"--spatial-dims is for arrays, and the axes of {path} say which are those of space"
            )
        if arguments.level >= len(image.levels):
            raise ValueError(_no_level(arguments, path, image))
        image = image.part(arguments.level)
        source = Source(path, [_level(node, level, path) for level in image.levels], image)
        if source.levels[0].ndim != len(image.axes):
            raise ValueError(
                f"{path} has {len(image.axes)} axes, and its array {source.levels[0].ndim}: it is not valid"
            )
        for fine, coarse, array, below in zip(image.levels, image.levels[1:], source.levels, source.levels[1:]):
            expected = np.multiply(array.shape, fine.scale / coarse.scale)
            if array.ndim != below.ndim or (abs(expected - below.shape) > 1).any():
                raise ValueError(
                    f"level {coarse.path} of {path} has the shape {below.shape}, which does not fit its scale "
                    f"{coarse.scale.tolist()} and level {fine.path}: correct the metadata, or name the array {path}/{fine.path}"
                )
    dtype = source.levels[0].dtype
    if dtype.kind not in "biuf":
        raise ValueError(
            f"{path} has the type {dtype}, and bools, integers and real numbers are supported: convert it"
        )
    return source


def _no_level(arguments, path, image):
    return f"--level {arguments.level} does not exist: {path} has the levels 0 to {len(image.levels) - 1}"


def _level(group, level, path):
    """Return the array of a level."""
    array = group.get(level.path)
    if not isinstance(array, zarr.Array):
        raise ValueError(
            f"{path} has no array {level.path}, which its metadata name: the image is not complete"
        )
    return array


def _picked(source, arguments):
    """Return the part of the image that is labeled, as a slice for each axis."""
    array = source.levels[0]
    picked = [slice(None)] * array.ndim
    for kind in ("time", "channel"):
        index = getattr(arguments, kind)
        if index is None:
            continue
        axis = source.image.axis_of(kind)
        if axis is None:
            raise ValueError(
                f"--{kind} {index} is not possible: {source.path} has no axis of the type {kind}"
            )
        if not 0 <= index < array.shape[axis]:
            raise ValueError(
                f"--{kind} {index} does not exist: {source.path} has 0 to {array.shape[axis] - 1}"
            )
        picked[axis] = slice(index, index + 1)
    return tuple(picked)


def _read(array, source, picked):
    """Return a part of an array with the shape of the image, as an array of Dask with the blocks of the image."""
    blocks = _blocks(source.levels[0], source.image)
    return da.from_array(array, blocks, lock=False, asarray=True)[picked]


def _unit(array):
    """Return the shape of what a task writes at least: a shard, or else a chunk."""
    return array.shards or array.chunks


def _blocks(array, image=None):
    """Return the shape of the blocks of tasks: whole shards or chunks, of up to a number of elements."""
    shape, block = array.shape, list(_unit(array))
    space = range(0 if image is None else array.ndim - image.spatial_dims, array.ndim)
    while True:
        axes = [axis for axis in space if block[axis] < shape[axis]]
        if not axes or 2 * math.prod(block) > _MOST_ELEMENTS:
            return tuple(block)
        block[min(axes, key=lambda axis: block[axis])] *= 2


def _open_mask(arguments, image, source, picked):
    """Return the mask as an array of Dask with the blocks of the image."""
    node = _zarr_store.open_node(arguments.mask)
    if isinstance(node, zarr.Group):
        of_mask = _ome_zarr.read(dict(node.attrs), arguments.mask)
        if arguments.level >= len(of_mask.levels):
            raise ValueError(_no_level(arguments, arguments.mask, of_mask))
        node = _level(node, of_mask.levels[arguments.level], arguments.mask)
    if node is None:
        raise ValueError(f"--mask {arguments.mask} is neither an array nor an image of Zarr")
    if node.shape == source.levels[0].shape:
        return _read(node, source, picked)
    dims = source.image.spatial_dims if source.image else image.ndim
    if node.shape != image.shape[-dims:]:
        raise ValueError(f"the mask {arguments.mask} has the shape {node.shape}, and the image {image.shape}")
    mask = da.from_array(node, image.chunks[-dims:], lock=False, asarray=True)
    return da.broadcast_to(mask, image.shape, chunks=image.chunks)


def _components(image, mask, settings, arguments):
    """Return the labels, their number and the table. Nothing is computed yet."""
    options = {
        "connectivity": settings.connectivity,
        "by_value": settings.by_value,
        "spatial_dims": settings.spatial_dims,
        "mask": mask,
        "device": arguments.device,
    }
    if settings.by_value:
        options["background"] = settings.background
    options.update(order=settings.order, dtype=settings.dtype, scratch=arguments.scratch)
    if settings.min_size <= 1 and settings.keep_largest is None and not arguments.statistics:
        return *lazy.label(image, **options), None
    selection = Selection(settings.keep_largest or 0, settings.min_size, per_value=settings.by_value)
    properties = ("label", "value", *_PROPERTIES) if settings.by_value else ("label", *_PROPERTIES)
    labels, count, table = lazy.label_and_measure(image, selection, properties, **options)
    return labels, count, table if arguments.statistics else None


class _Output:
    """The labels that are written.

    Attributes
    ----------
    goes_on : bool
        Whether an earlier run has begun to write them.
    """

    def __init__(self, arguments, source, settings, image, dtype):
        self.path = arguments.output.rstrip("/")
        is_same = _is_same(self.path, source.path)
        self._image = source.image
        self._base = "" if source.image is None else f"labels/{arguments.name}"
        self._where = f"{self.path}/{self._base}".rstrip("/")
        for name, path in (("IN", source.path), ("--mask", arguments.mask)):
            if path is not None and _is_in(path, self._where):
                raise ValueError(f"{name} {path} is what is written, {self._where}, or in it: choose another name")
        self._store = _zarr_store.open_store(self.path, read_only=False)
        self._format = source.levels[0].metadata.zarr_format
        self._name = arguments.name
        self._dtype = dtype
        self._shapes = [
            tuple(
                image.shape[axis] if axis < image.ndim - settings.spatial_dims else n
                for axis, n in enumerate(level.shape)
            )
            for level in source.levels
        ]
        everything = {
            "in": source.path if "://" in source.path else os.path.abspath(source.path),
            "level": arguments.level,
            "time": arguments.time,
            "channel": arguments.channel,
            "mask": arguments.mask,
            "statistics": arguments.statistics and os.path.abspath(arguments.statistics),
            "labels": str(dtype),
            "shapes": [list(shape) for shape in self._shapes],
            "blocks": [list(_blocks(level, source.image)) for level in source.levels],
            **settings._asdict(),
        }
        self._journal = _zarr_store.Journal(self._store, self._base, everything, self._where)
        self._prepare(arguments, source, is_same)

    def _prepare(self, arguments, source, is_same):
        """See what is there, remove it if the user says so, and begin the journal."""
        exists = not _zarr_store.is_empty(self._store, self._base)
        node = _zarr_store.open_node(self.path) if self._base else None
        if isinstance(node, zarr.Array):
            raise ValueError(
                f"{self.path} is an array, and labels of an OME-Zarr image need a group: choose another name"
            )
        if node is not None and node.metadata.zarr_format != self._format:
            raise ValueError(
                f"{self.path} has Zarr {node.metadata.zarr_format}, and {source.path} Zarr {self._format}: choose a new name"
            )
        if self._base and node is None and not exists and not _zarr_store.is_empty(self._store, ""):
            raise ValueError(f"{self.path} exists, and is no group of Zarr: choose another name")
        self._is_consolidated = node is not None and node.metadata.consolidated_metadata is not None
        self.goes_on = exists and not arguments.overwrite and self._journal.resume()
        if exists and not self.goes_on:
            is_ours = (
                _zarr_store.read(self._store, f"{self._base}/{_zarr_store.JOURNAL}".lstrip("/")) is not None
            )
            if not is_ours and _zarr_store.open_node(self._where) is None:
                raise ValueError(
                    f"{self._where} exists, and is neither an array nor a group of Zarr: choose another name"
                )
            if not arguments.overwrite:
                raise ValueError(f"{self._where} exists: choose another name, or --overwrite")
        if not self.goes_on:
            _check_table(arguments)
        if exists and not self.goes_on:
            if self._base:
                self._list(self._store, is_listed=False)
            _zarr_store.remove_metadata(self._store, self._base)
            self._consolidate()
            _zarr_store.remove(self._store, self._base)
        if self.goes_on:
            _zarr_store.remove_partial_files(self._store, self._base)
        self._journal.begin()

    def _list(self, store, is_listed):
        """Add the name to the labels of the group, or remove it."""
        group = _zarr_store.open_group(store, "labels")
        attributes = {} if group is None else dict(group.attrs)
        names = [name for name in _ome_zarr.metadata_of(attributes).get("labels", []) if name != self._name]
        names += [self._name] * is_listed
        attributes = _ome_zarr.list_attributes(attributes, self._image.version, names)
        if group is not None:
            zarr.open_group(store, path="labels", mode="r+", use_consolidated=False).attrs.put(attributes)
        elif is_listed:
            zarr.create_group(store, path="labels", zarr_format=self._format, attributes=attributes)

    def _consolidate(self):
        """Write the consolidated metadata of the group again, if it has them."""
        if self._is_consolidated:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", zarr.errors.ZarrUserWarning)  # the journal is not Zarr's
                zarr.consolidate_metadata(self._store)

    def _create(self, store, source):
        """Describe the arrays and groups in a store. Return the arrays."""
        if self._image is not None:
            if _zarr_store.open_group(store) is None:
                zarr.create_group(store, zarr_format=self._format)
            image = _source_of(self.path, self._base, source.path)
            attributes = _ome_zarr.label_attributes(self._image, self._name, image)
            zarr.create_group(store, path=self._base, zarr_format=self._format, attributes=attributes)
        return [
            self._create_array(store, level, shape, number)
            for number, (level, shape) in enumerate(zip(source.levels, self._shapes, strict=True))
        ]

    def _create_array(self, store, like, shape, number):
        name = f"{self._base}/{self._image.levels[number].path}" if self._image else None
        names = None if self._image is None else [axis["name"] for axis in self._image.axes]
        chunks, shards = like.chunks, like.shards
        picked = [ours != theirs for ours, theirs in zip(shape, like.shape, strict=True)]
        if any(picked):  # one time or channel
            chunks, shards = (
                parts and tuple(1 if one else n for one, n in zip(picked, parts, strict=True))
                for parts in (chunks, shards)
            )
        if self._format == 2:
            separator = like.metadata.dimension_separator
            options = {"chunk_key_encoding": {"name": "v2", "separator": separator}}
        else:
            options = {
                "chunk_key_encoding": like.metadata.chunk_key_encoding,
                "dimension_names": names or like.metadata.dimension_names,
            }
        return zarr.create_array(
            store,
            name=name,
            shape=shape,
            dtype=self._dtype,
            chunks=chunks,
            shards=shards,
            fill_value=0,
            zarr_format=self._format,
            # Tasks leave out blocks without labels. Where a block has several chunks, Zarr leaves out those without labels.
            config={"write_empty_chunks": _blocks(like, self._image) == like.chunks},
            **options,
        )

    def write(self, labels, count, table, source, settings, arguments, workers):
        """Write the labels, their pyramid, the table and, when all of it is there, the metadata."""
        unfinished = _zarr_store.UnfinishedStore(self._store, self._base)
        arrays = self._create(unfinished, source)
        journal = self._journal
        with contextlib.ExitStack() as stack:
            stack.callback(journal.save)
            blocks = labels.map_blocks(
                _write,
                target=arrays[0],
                block=labels.chunksize,
                dtype=bool,
                chunks=tuple((1,) * n for n in labels.numblocks),
                meta=np.empty((0,) * labels.ndim, bool),
                name="write-0",
            )
            done = journal.done("0", blocks.numblocks)
            needs_table = table is not None and not (self.goes_on and os.path.exists(arguments.statistics))
            if self.goes_on:
                print(f"{self._where}: going on, {done.sum()} of {done.size} blocks are there", file=sys.stderr)
            if not done.all() or journal.count is None or needs_table:
                with _Progress("labeling", journal, blocks.name, done):
                    _, count, table = dask.compute(_Blocks(blocks, done), count, table, **workers)
                if table is not None:
                    _save(arguments.statistics, _named(table, source, settings, arguments))
                journal.count = int(np.sum(count))
            for number in range(1, len(arrays)):
                self._write_level(arrays, number, source, workers)
        journal.save()
        unfinished.finish()
        if self._base:
            self._list(self._store, is_listed=True)  # now: other programs may have added labels meanwhile
        self._consolidate()
        journal.remove()
        return journal.count

    def _write_level(self, arrays, number, source, workers):
        """Write a level of the pyramid from the one before."""
        coarse, block = arrays[number], _blocks(source.levels[number], source.image)
        block = tuple(min(n, b) if n else b for n, b in zip(coarse.shape, block, strict=True))
        numblocks = tuple(-(-n // b) for n, b in zip(coarse.shape, block, strict=True))
        done = self._journal.done(str(number), numblocks)
        name = f"write-{number}"
        levels = self._image.levels[number - 1 : number + 1]
        tasks = [
            dask.delayed(_reduce)(
                arrays[number - 1], coarse, levels, index, block, dask_key_name=(name, *index)
            )
            for index in np.ndindex(numblocks)
            if not done[index]
        ]
        with _Progress(f"level {self._image.levels[number].path}", self._journal, name, done):
            dask.compute(*tasks, **workers)


def _folder(path):
    """Return the name of a folder that is equal for the same folder, or a URL."""
    if path.startswith("file://"):
        path = urllib.request.url2pathname(urllib.parse.urlsplit(path).path)
    return path.rstrip("/") if "://" in path else os.path.realpath(path)


def _is_same(one, other):
    """Return whether two names are of the same folder."""
    return _folder(one) == _folder(other)


def _is_in(path, folder):
    """Return whether a path is a folder or something in it."""
    return f"{_folder(path)}/".startswith(f"{_folder(folder)}/")


def _source_of(path, base, image):
    """Return the path from the labels to their image, or None if there is none."""
    if "://" in path or "://" in image:
        return "../../" if _is_same(path, image) else None
    return (
        os.path.relpath(os.path.realpath(image), os.path.join(os.path.realpath(path), base)).replace(
            os.sep, "/"
        )
        + "/"
    )


def _write(labels, target, block, block_id):
    """Write the labels of a block. If it has none, nothing is stored."""
    if not labels.any():
        return np.ones((1,) * labels.ndim, bool)
    start = [index * n for index, n in zip(block_id, block, strict=True)]
    target[tuple(slice(s, s + n) for s, n in zip(start, labels.shape, strict=True))] = labels
    return np.ones((1,) * labels.ndim, bool)


def _reduce(fine, coarse, levels, index, block):
    """Write a block of a level of the pyramid: the nearest elements of the finer level."""
    region = [slice(i * b, min((i + 1) * b, n)) for i, b, n in zip(index, block, coarse.shape, strict=True)]
    nearest = [
        _ome_zarr.nearest(levels[1], levels[0], axis, part.start, part.stop, fine.shape[axis])
        for axis, part in enumerate(region)
    ]
    labels = fine[tuple(slice(i[0], i[-1] + 1) for i in nearest)]
    labels = labels[np.ix_(*(i - i[0] for i in nearest))]
    if labels.any():
        coarse[tuple(region)] = labels


class _Blocks(DaskMethodsMixin):
    """The blocks of an array of Dask that are not done, as a collection of Dask."""

    def __init__(self, array, done):
        self._array = array
        self._keys = [(array.name, *index) for index in np.ndindex(array.numblocks) if not done[index]]

    __dask_optimize__ = staticmethod(da.Array.__dask_optimize__)

    def __dask_graph__(self):
        return self._array.__dask_graph__()

    def __dask_keys__(self):
        return self._keys

    def __dask_postcompute__(self):
        return len, ()

    def __dask_tokenize__(self):
        return self._array.name, len(self._keys)


class _Progress(Callback):
    """Shows the progress and an estimate on a terminal, and notes the blocks that are written."""

    seconds = 0.2  # between two changes of the line

    def __init__(self, title, journal=None, name=None, done=None):
        super().__init__()
        self._title, self._journal, self._name, self._done = title, journal, name, done

    def _start_state(self, dsk, state):
        self._begin = self._shown = time.monotonic()
        self._tasks, self._finished = len(state["ready"]) + len(state["waiting"]), 0

    def _posttask(self, key, result, dsk, state, worker_id):
        self._finished += 1
        if self._journal is not None and isinstance(key, tuple) and key[0] == self._name:
            self._done[key[1:]] = True
            self._journal.save(at_once=False)
        now = time.monotonic()
        if sys.stderr.isatty() and now > self._shown + self.seconds:
            self._shown = now
            part, seconds = self._finished / self._tasks, now - self._begin
            left = _duration(seconds / part - seconds)
            print(
                f"\r{self._title}: {part:4.0%}, {_duration(seconds)}, about {left} left\033[K",
                end="",
                file=sys.stderr,
            )

    def _finish(self, dsk, state, errored):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _duration(seconds):
    """Return a duration as text."""
    seconds = round(seconds)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return (
        f"{hours} h {minutes:02} min"
        if hours
        else f"{minutes} min {seconds % 60:02} s"
        if minutes
        else f"{seconds} s"
    )


class _Column(NamedTuple):
    """A column of the table that is written."""

    values: Any
    unit: str | None = None


def _named(table, source, settings, arguments):
    """Return the columns of the table: with the names of the axes and with physical units, for OME-Zarr."""
    table = {name: np.asarray(column) for name, column in table.items()}
    if source.image is None:
        return {name: _Column(column) for name, column in table.items()}
    image, dims = source.image, settings.spatial_dims
    spacing, origin = (values[-dims:] for values in image.geometry())
    space = image.axes[-dims:]
    units = [axis.get("unit") for axis in space]
    columns = {}
    for name, column in table.items():
        if name.startswith("image-"):
            axis = image.axes[int(name[6:])]
            picked = getattr(arguments, axis["type"])
            columns[axis["name"]] = _Column(column if picked is None else column + picked)
            continue
        columns[name] = _Column(column)
        if name == "num_pixels":
            unit = f"{units[0]}^{dims}" if units[0] and len(set(units)) == 1 else None
            columns["area"] = _Column(column * math.prod(spacing), unit)
    for axis, (step, first, unit) in enumerate(zip(spacing, origin, units, strict=True)):
        columns[f"position-{space[axis]['name']}"] = _Column(table[f"centroid-{axis}"] * step + first, unit)
    return columns


def _save(path, columns):
    """Write a table, so that it exists only when it is complete."""
    partial = f"{path}.partial"
    if path.endswith(".parquet"):
        import pyarrow
        import pyarrow.parquet

        arrays = {name: pyarrow.array(column.values) for name, column in columns.items()}
        fields = [
            pyarrow.field(
                name, array.type, metadata={"unit": columns[name].unit} if columns[name].unit else None
            )
            for name, array in arrays.items()
        ]
        pyarrow.parquet.write_table(
            pyarrow.table(list(arrays.values()), schema=pyarrow.schema(fields)), partial
        )
    else:
        with open(partial, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            rows = len(next(iter(columns.values())).values)
            for start in range(0, rows, 2**16):
                writer.writerows(
                    zip(*(c.values[start : start + 2**16].tolist() for c in columns.values()), strict=True)
                )
    os.replace(partial, path)


if __name__ == "__main__":
    # Processes of workers look for the functions of tasks in the module of this name.
    from cuda_connected_components.zarr import main

    sys.exit(main())
