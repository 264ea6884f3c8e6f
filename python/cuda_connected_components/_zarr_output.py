"""What the command for Zarr writes: labels, their pyramid, and their metadata."""

import contextlib
import os
import sys
import urllib.parse
import urllib.request
import warnings

import dask
import dask.array as da
import numpy as np
import zarr
from dask.base import DaskMethodsMixin

from . import _ome_zarr, _zarr_store
from ._progress import Progress
from ._zarr_input import blocks_of
from ._zarr_table import check_table, named_columns, save


_DIMENSIONS = "_ARRAY_DIMENSIONS"  # the names of the axes of an array of Zarr 2, for xarray


class Output:
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
        if arguments.statistics is not None and _is_in(arguments.statistics, self._where):
            raise ValueError(
                f"the table {arguments.statistics} is in what is written, {self._where}: choose another name"
            )
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
            "in": _absolute(source.path),
            "level": arguments.level,
            "time": arguments.time,
            "channel": arguments.channel,
            "mask": arguments.mask and _absolute(arguments.mask),
            "statistics": arguments.statistics and os.path.abspath(arguments.statistics),
            "labels": str(dtype),
            "shapes": [list(shape) for shape in self._shapes],
            "blocks": [list(blocks_of(level, source.image)) for level in source.levels],
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
        if node is not None and not is_same and _ome_zarr.metadata_of(dict(node.attrs)).get("multiscales"):
            self._check_image(node, arguments, source)
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
            if os.path.islink(self._where):
                raise ValueError(
                    f"{self._where} is a symbolic link, and --overwrite removes folders: name the folder itself, or remove the link"
                )
        if not self.goes_on:
            check_table(arguments)
        if exists and not self.goes_on:
            if self._base:
                self._list(self._store, is_listed=False)
            self._journal.begin_removal()
            _zarr_store.remove_metadata(self._store, self._base)
            self._consolidate()
            _zarr_store.remove(self._store, self._base)
        if self.goes_on:
            _zarr_store.remove_partial_files(self._store, self._base)
        self._journal.begin()

    def _check_image(self, node, arguments, source):
        """Raise an exception if the image that gets the labels is not like the one that is labeled."""
        image = _ome_zarr.read(dict(node.attrs), self.path)
        array = node.get(image.levels[arguments.level].path) if arguments.level < len(image.levels) else None
        names = [[axis["name"] for axis in each.axes] for each in (image, source.image)]
        if names[0] != names[1] or not isinstance(array, zarr.Array) or array.shape != source.levels[0].shape:
            raise ValueError(
                f"{self.path} is another image than {source.path}, with other axes or another shape: choose another name"
            )

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
            if _DIMENSIONS in like.attrs:
                options["attributes"] = {_DIMENSIONS: like.attrs[_DIMENSIONS]}
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
            config={"write_empty_chunks": blocks_of(like, self._image) == like.chunks},
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
                with Progress("labeling", journal, blocks.name, done):
                    _, count, table = dask.compute(_Blocks(blocks, done), count, table, **workers)
                if table is not None:
                    save(arguments.statistics, named_columns(table, source, settings, arguments))
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
        coarse, block = arrays[number], blocks_of(source.levels[number], source.image)
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
        with Progress(f"level {self._image.levels[number].path}", self._journal, name, done):
            dask.compute(*tasks, **workers)


def _absolute(path):
    """Return the name of a file or folder in any folder, or a URL."""
    return path if "://" in path else os.path.abspath(path)


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
