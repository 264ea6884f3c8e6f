"""The options of a call. A public function makes them once, and hands them down."""

from collections.abc import Callable
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
        if self.background is not DEFAULT_BACKGROUND:
            if not self.by_value:
                raise ValueError("background needs by_value=True: otherwise, the background is 0")
            if self.has_limits:
                raise ValueError("lower and upper choose the foreground, and so does background: pass one of them")
            settings.background = _arguments.background_of(self.background, dtype)
        if self.has_limits:
            settings.limits = _arguments.limits_of(self.lower, self.upper)
        elif self.mask is None and dtype != "bool" and not self.by_value:
            settings.observed = self.observe is not None
        return settings

    def pass_on(self, values):
        """Tell the observer what the extension module knows of the values."""
        if self.observe is not None:
            self.observe(values)


class Selection(NamedTuple):
    """Which components stay: the `k` largest, or all if it is 0, that are not smaller than `min_size`."""

    k: int = 0
    min_size: float = 0
    spacing: Any = None

    def apply(self, settings, library, image, axes):
        """Complete the settings for the extension module. `axes` is the number of axes of an image."""
        spacing = self.spacing
        if spacing is not None:
            spacing = _arguments.geometry_of(library, image, spacing, axes).spacing
        settings.min_size = _arguments.minimum_pixels(self.min_size, spacing)
        settings.k = self.k


class Seeds(NamedTuple):
    """The components that stay: those that contain one of some points, whose unit follows from `spacing`."""

    points: Any
    spacing: Any = None

    def apply(self, settings, library, image, axes):
        """Complete the settings for the extension module. `axes` is the number of axes of an image."""
        geometry = _arguments.geometry_of(library, image, self.spacing, axes)
        indices = _arguments.seeds_of(self.points, geometry, self.spacing is not None)
        settings.seeds = [index[::-1] if library.has_physical_axes else index for index in indices]
