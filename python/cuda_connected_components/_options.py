"""The options of a call. A public function makes them once, and hands them down."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from . import _arguments, _core

DEFAULT_BACKGROUND = 0  # compared by `is`: == of an array is no bool


class Options(NamedTuple):
    """Which elements are components, and where the work runs: parameters that the functions share."""

    connectivity: Any = None
    spatial_dims: Any = None
    lower: Any = None
    upper: Any = None
    mask: Any = None
    device: Any = None
    threads: Any = None
    observe: Callable | None = None  # gets what is known of the values of the image
    by_value: bool = False
    background: Any = DEFAULT_BACKGROUND
    values: Any = None  # of the foreground, instead of limits and background
    whole_values: bool = False  # whether all elements of a value are one component

    @property
    def has_limits(self):
        """Return whether limits choose the foreground."""
        return self.lower is not None or self.upper is not None

    def axes_of(self, shape, library):
        """Return the number of axes of an image."""
        return _arguments.spatial_axes(shape, self.spatial_dims, library.has_physical_axes)

    def settings(self, axes, is_batch, dtype):
        """Return the settings for the extension module. `dtype` is the name of the type of the image."""
        settings = _core.Settings()
        settings.connectivity = _arguments.neighbors_of(self.connectivity, axes)
        if self.by_value:
            settings.by_value = True
        settings.batch = is_batch
        if self.background is not DEFAULT_BACKGROUND and _arguments.number_of(self.background) != DEFAULT_BACKGROUND:
            if not self.by_value:
                raise ValueError("background needs by_value=True: otherwise, the background is 0")
            if self.has_limits:
                raise ValueError("lower and upper choose the foreground, and so does background: pass one of them")
            settings.background = _arguments.background_of(self.background, dtype)
        settings.whole_values = self.whole_values
        if self.values is not None:
            settings.foreground = _arguments.numbers_for_core(self.values)
        elif self.has_limits:
            settings.limits = _arguments.limits_of(self.lower, self.upper)
        elif self.mask is None and dtype != "bool" and not self.by_value:
            settings.observed = self.observe is not None
        return settings

    def pass_on(self, values):
        """Tell the observer what the extension module knows of the values."""
        if self.observe is not None:
            self.observe(values)


def _spacing_of(library, image, spacing, axes):
    """Return the distances of elements along the axes for a user's argument, or None without it."""
    return None if spacing is None else _arguments.geometry_of(library, image, spacing, axes).spacing


class Selection(NamedTuple):
    """Which components stay: the `k` largest, or all if it is 0, of the sizes from `min_size` to `max_size`.

    Sizes are in elements or, with the `spacing`, in its unit to the power of the number of axes.
    """

    k: int = 0
    min_size: float = 0
    spacing: Any = None
    max_size: float = math.inf
    per_value: bool = False  # whether `k` is the number for each value
    sizes: "dict | None" = None  # the pair (min_size, max_size) of values: other values stay
    keeps_ties: bool = False  # whether all components as large as the largest stay
    invert: bool = False  # whether the components that are not selected stay
    replaces: bool = False  # whether `value` replaces what is selected, and all other elements stay
    value: Any = None  # of other elements; None for the background

    @classmethod
    def of_largest(cls, k, by_value, across_values):
        """Return the selection of the `k` largest components: of each value, or of all."""
        if across_values and not by_value:
            raise ValueError("across_values needs by_value=True: otherwise, components have no values")
        return cls(k=k, per_value=bool(by_value and not across_values))

    @classmethod
    def of_sizes(cls, min_size, by_value, spacing):
        """Return the selection of the components from a size on, which may be a dictionary for values."""
        if not isinstance(min_size, Mapping):
            return cls(min_size=min_size, spacing=spacing)
        if not by_value:
            raise ValueError("min_size for each value needs by_value=True: otherwise, components have no values")
        return cls(sizes={value: (size, math.inf) for value, size in min_size.items()}, spacing=spacing)

    @classmethod
    def of_labels(cls, order, min_size, k):
        """Return the selection of labels that are renumbered."""
        if not isinstance(order, str) or order not in ("size", "label"):
            raise ValueError(f'order must be "size" or "label", not {order!r}')
        return cls(
            0 if k is None else _arguments.integer_of("k", k, 1),
            _arguments.integer_of("min_size", min_size, 0),
        )

    def apply(self, settings, library, image, axes):
        """Complete the settings for the extension module. `axes` is the number of axes of an image."""
        spacing = _spacing_of(library, image, self.spacing, axes)
        settings.min_size = _arguments.minimum_pixels(self.min_size, spacing)
        settings.max_size = _arguments.maximum_pixels(self.max_size, spacing)
        settings.k = self.k
        settings.per_value = self.per_value
        settings.keeps_ties = self.keeps_ties
        settings.invert = self.invert
        if self.sizes is not None:
            settings.sizes_of_values = [
                (
                    *_arguments.numbers_for_core([value]),
                    _arguments.minimum_pixels(min_size, spacing),
                    _arguments.maximum_pixels(max_size, spacing),
                )
                for value, (min_size, max_size) in self.sizes.items()
            ]
        if self.replaces:
            settings.write = _core.Write.VALUE
        if self.value is not None:
            settings.value = _arguments.number_for_core("the value", self.value)
        elif settings.background:
            settings.value = settings.background[0]


class Holes(NamedTuple):
    """Which holes are filled: those of the foreground with `value` or, if it is None, those of each value."""

    value: Any = None
    max_size: float = math.inf
    spacing: Any = None
    overwrite: bool = False  # whether values inside are replaced

    def apply(self, settings, library, image, axes):
        """Complete the settings for the extension module. `axes` is the number of axes of an image."""
        spacing = _spacing_of(library, image, self.spacing, axes)
        settings.max_size = _arguments.maximum_pixels(self.max_size, spacing)
        if self.value is not None:
            settings.write = _core.Write.HOLES
            settings.value = _arguments.number_for_core("value", self.value)
        else:
            settings.write = _core.Write.HOLES_OF_VALUES
            settings.overwrite = self.overwrite


class Seeds(NamedTuple):
    """The components that stay: those that contain one of some points, whose unit follows from `spacing`."""

    points: Any
    spacing: Any = None

    def apply(self, settings, library, image, axes):
        """Complete the settings for the extension module. `axes` is the number of axes of an image."""
        geometry = _arguments.geometry_of(library, image, self.spacing, axes)
        size = library.size_of(image) if library.has_physical_axes else tuple(image.shape)[-axes:]
        indices = _arguments.seeds_of(self.points, geometry, self.spacing, image, size)
        settings.seeds = [index[::-1] if library.has_physical_axes else index for index in indices]
