"""What the command for Zarr reads: an array, or the levels of an OME-Zarr image."""

import math
from typing import NamedTuple

import dask.array as da
import numpy as np
import zarr

from . import _ome_zarr, _zarr_store

# Blocks of a task are as large as possible up to this number of elements, unless a chunk or shard is larger.
_MOST_ELEMENTS = 2**21


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


def open_source(arguments):
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
            raise ValueError(
                f"--level {arguments.level} does not exist: {path} has the levels 0 to {len(image.levels) - 1}"
            )
        image = image.part(arguments.level)
        source = Source(path, [_level(node, level, path) for level in image.levels], image)
        if source.levels[0].ndim != len(image.axes):
            raise ValueError(
                f"{path} has {len(image.axes)} axes, and its array {source.levels[0].ndim}: it is not valid"
            )
        for fine, coarse, array, below in zip(image.levels, image.levels[1:], source.levels, source.levels[1:]):
            leading = slice(array.ndim - image.spatial_dims)
            if array.shape[leading] != below.shape[leading]:
                raise ValueError(
                    f"level {coarse.path} of {path} has the shape {below.shape}, and level {fine.path} {array.shape}: levels "
                    f"with fewer times or channels are not supported; name the array {path}/{fine.path}"
                )
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


def _level(group, level, path):
    """Return the array of a level."""
    array = group.get(level.path)
    if not isinstance(array, zarr.Array):
        raise ValueError(
            f"{path} has no array {level.path}, which its metadata name: the image is not complete"
        )
    return array


def picked_part(source, arguments):
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


def read_part(array, source, picked):
    """Return a part of an array with the shape of the image, as an array of Dask with the blocks of the image."""
    blocks = blocks_of(source.levels[0], source.image)
    return da.from_array(array, blocks, lock=False, asarray=True)[picked]


def _unit(array):
    """Return the shape of what a task writes at least: a shard, or else a chunk."""
    return array.shards or array.chunks


def blocks_of(array, image=None):
    """Return the shape of the blocks of tasks: whole shards or chunks, of up to a number of elements."""
    shape, block = array.shape, list(_unit(array))
    space = range(0 if image is None else array.ndim - image.spatial_dims, array.ndim)
    while True:
        axes = [axis for axis in space if block[axis] < shape[axis]]
        if not axes or 2 * math.prod(block) > _MOST_ELEMENTS:
            return tuple(block)
        block[min(axes, key=lambda axis: block[axis])] *= 2


def open_mask(arguments, image, source, picked):
    """Return the mask as an array of Dask with the blocks of the image."""
    dims = source.image.spatial_dims if source.image else arguments.spatial_dims or image.ndim
    shapes = source.levels[0].shape, image.shape, image.shape[-dims:]
    node = _zarr_store.open_node(arguments.mask)
    if isinstance(node, zarr.Group):
        # Labels of a level start with this level, so a mask may have it at another place.
        levels = _ome_zarr.read(dict(node.attrs), arguments.mask).levels
        levels = levels[arguments.level : arguments.level + 1] + levels
        arrays = [_level(node, level, arguments.mask) for level in levels]
        node = next((array for array in arrays if array.shape in shapes), arrays[0])
    if node is None:
        raise ValueError(f"--mask {arguments.mask} is neither an array nor an image of Zarr")
    if node.shape == source.levels[0].shape:
        return read_part(node, source, picked)
    if node.shape == image.shape:
        return da.from_array(node, image.chunks, lock=False, asarray=True)
    if node.shape not in shapes:
        raise ValueError(f"the mask {arguments.mask} has the shape {node.shape}, and the image {image.shape}")
    mask = da.from_array(node, image.chunks[-dims:], lock=False, asarray=True)
    return da.broadcast_to(mask, image.shape, chunks=image.chunks)
