"""The metadata of OME-Zarr 0.4 and 0.5: axes, levels and scales of an image, and its labels."""

import copy
from typing import Any, NamedTuple

import numpy as np

VERSIONS = {"0.4": 2, "0.5": 3}  # the format of Zarr of each
_TYPES_OF_NAMES = {"t": "time", "c": "channel", "z": "space", "y": "space", "x": "space"}


class Level(NamedTuple):
    """A level of a pyramid.

    Attributes
    ----------
    path : str
        The name of its array in the group.
    scale, translation : numpy.ndarray
        The position of an element is ``index * scale + translation``, along each axis.
    """

    path: str
    scale: np.ndarray
    translation: np.ndarray


class Multiscale(NamedTuple):
    """An image of OME-Zarr.

    Attributes
    ----------
    version : str
        "0.4" or "0.5".
    axes : list of dict
        Name, type and unit of each axis: first time and channels, then space.
    levels : list of Level
        The levels of the pyramid, the finest one first.
    common : Level
        What comes after the scale and the translation of each level.
    """

    version: str
    axes: list[dict[str, Any]]
    levels: list[Level]
    common: Level

    @property
    def spatial_dims(self):
        """The number of axes of space. They are the last axes."""
        return sum(axis["type"] == "space" for axis in self.axes)

    def axis_of(self, kind):
        """Return the index of the axis of time or channels, or None."""
        return next((i for i, axis in enumerate(self.axes) if axis["type"] == kind), None)

    def geometry(self):
        """Return the distances of elements of the first level, and the position of the first one."""
        level, common = self.levels[0], self.common
        return level.scale * common.scale, level.translation * common.scale + common.translation

    def part(self, first, axis=None, index=0):
        """Return the image without the levels before `first`, or with one index of an axis only."""
        levels = self.levels[first:]
        if axis is not None:
            shift = np.arange(len(self.axes)) == axis
            levels = [
                level._replace(translation=level.translation + shift * index * level.scale)
                for level in levels
            ]
        return self._replace(levels=levels)


def metadata_of(attributes):
    """Return the metadata of OME-Zarr in the attributes of a group: those of 0.5 are in one of them."""
    return attributes.get("ome", attributes)


def read(attributes, where):
    """Return the image that the attributes of a group describe.

    Raises
    ------
    ValueError
        The group is no image of OME-Zarr, or has metadata that are not supported.
    """
    ome = metadata_of(attributes)
    if "plate" in ome or "well" in ome:
        raise ValueError(
            f"{where} is a plate or a well of OME-Zarr: name one of its images, such as {where}/A/1/0"
        )
    if "bioformats2raw.layout" in ome:
        raise ValueError(f"{where} is a collection of images: name one of them, such as {where}/0")
    if not ome.get("multiscales"):
        raise ValueError(f"{where} is a group, and no image of OME-Zarr: name an array in it")
    try:
        return _read(ome, where)
    except (AttributeError, KeyError, IndexError, TypeError) as error:
        raise ValueError(
            f"{where} has metadata of OME-Zarr that are not valid ({type(error).__name__}: {error}): name an array in it"
        ) from error


def _read(ome, where):
    """Return the image that the metadata of a group describe."""
    multiscale = ome["multiscales"][0]
    version = str(ome.get("version", multiscale.get("version")))
    if version not in VERSIONS:
        raise ValueError(
            f"{where} has version {version} of OME-Zarr, and {' and '.join(VERSIONS)} are supported: convert it"
        )
    axes = []
    for axis in multiscale["axes"]:
        kind = axis.get("type", _TYPES_OF_NAMES.get(axis["name"]))
        if kind not in _TYPES_OF_NAMES.values():
            raise ValueError(
                f"the axis {axis['name']!r} of {where} has the type {kind!r}, and time, channel and space are known: "
                "change the metadata, or name an array in the group, with --spatial-dims"
            )
        axes.append({**axis, "type": kind})
    kinds = [axis["type"] for axis in axes]
    dims = kinds.count("space")
    if (
        not 1 <= dims <= 3
        or "space" in kinds[:-dims]
        or kinds.count("time") > 1
        or kinds.count("channel") > 1
    ):
        raise ValueError(
            f"{where} has axes of the types {', '.join(kinds)}: one to three axes of space must come last, "
            "after at most one of time and one of channels"
        )
    levels = [
        Level(
            dataset["path"],
            *_transformation(dataset.get("coordinateTransformations"), len(axes), where, True),
        )
        for dataset in multiscale["datasets"]
    ]
    if not levels:
        raise ValueError(f"{where} has no levels in its metadata: name an array in it")
    common = _transformation(multiscale.get("coordinateTransformations", []), len(axes), where, False)
    return Multiscale(version, axes, levels, Level("", *common))


def _transformation(transformations, ndim, where, needs_scale):
    """Return the scale and the translation in a list of transformations."""
    found = {"scale": np.ones(ndim), "translation": np.zeros(ndim)}
    kinds = [t.get("type") for t in transformations or []]
    if kinds not in (["scale"], ["scale", "translation"]) and (kinds or needs_scale):
        raise ValueError(
            f"{where} has the transformations {kinds}: each level must have a scale, then at most a translation"
        )
    for transformation in transformations or []:
        kind = transformation["type"]
        values = np.asarray(transformation.get(kind, []), float)
        if values.shape != (ndim,) or (kind == "scale" and not (values > 0).all()):
            raise ValueError(
                f"{where} has the {kind} {transformation.get(kind)}, which does not fit its {ndim} axes"
            )
        found[kind] = values
    return found["scale"], found["translation"]


def label_attributes(image, name, source):
    """Return the attributes of the group of labels of an image.

    `source` is the path from the group of the labels to the image, or None.
    """
    datasets = [{"path": level.path, "coordinateTransformations": _describe(level)} for level in image.levels]
    multiscale = {"name": name, "axes": copy.deepcopy(image.axes), "datasets": datasets, "type": "nearest"}
    if np.any(image.common.scale != 1) or np.any(image.common.translation != 0):
        multiscale["coordinateTransformations"] = _describe(image.common)
    label = {"source": {"image": source}} if source else {}
    if image.version == "0.4":
        multiscale["version"] = label["version"] = image.version
        return {"multiscales": [multiscale], "image-label": label}
    return {"ome": {"version": image.version, "multiscales": [multiscale], "image-label": label}}


def _describe(level):
    """Return the transformations of a level, as they are in the metadata."""
    transformations = [{"type": "scale", "scale": level.scale.tolist()}]
    if np.any(level.translation != 0):
        transformations.append({"type": "translation", "translation": level.translation.tolist()})
    return transformations


def list_attributes(attributes, version, names):
    """Return the attributes of the group `labels` that lists these names."""
    if version == "0.4":
        return {**attributes, "labels": names}
    return {**attributes, "ome": {**attributes.get("ome", {}), "version": version, "labels": names}}


def nearest(coarse, fine, axis, start, stop, length):
    """Return the indices in a finer level that are nearest to the elements start..stop of a coarser one.

    `length` is the length of the finer level along this axis. Of two nearest elements, the first one is taken.
    """
    positions = np.arange(start, stop) * coarse.scale[axis] + coarse.translation[axis]
    indices = (positions - fine.translation[axis]) / fine.scale[axis]
    return np.clip(np.ceil(indices - 0.5 - 1e-6), 0, length - 1).astype(np.int64)
