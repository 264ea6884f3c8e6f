from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from numpy.typing import NDArray

__all__ = ["component_statistics", "keep_largest", "label", "label_statistics", "relabel", "remove_small"]

# Arrays of Dask, and DataArrays with them. Neither is needed to check the types of a program.
_Spacing = float | Sequence[float] | NDArray[Any] | None

def label(
    image: Any,
    *,
    connectivity: int | None = None,
    mask: Any = None,
    by_value: bool = False,
    background: float | None = 0,
    spatial_dims: int | None = None,
    dtype: Any = None,
    order: Literal["raster", "block"] = "raster",
    device: str | None = None,
    scratch: str | PathLike[str] | None = None,
) -> tuple[Any, Any]: ...
def keep_largest(
    image: Any,
    *,
    k: int = 1,
    connectivity: int | None = None,
    mask: Any = None,
    by_value: bool = False,
    across_values: bool = False,
    background: float | None = 0,
    spatial_dims: int | None = None,
    device: str | None = None,
) -> Any: ...
def remove_small(
    image: Any,
    min_size: float | Mapping[Any, float],
    *,
    connectivity: int | None = None,
    mask: Any = None,
    by_value: bool = False,
    background: float | None = 0,
    spatial_dims: int | None = None,
    device: str | None = None,
    spacing: _Spacing = None,
) -> Any: ...
def component_statistics(
    image: Any,
    *,
    connectivity: int | None = None,
    mask: Any = None,
    by_value: bool = False,
    background: float | None = 0,
    spatial_dims: int | None = None,
    device: str | None = None,
    spacing: _Spacing = None,
    properties: str | Sequence[str] = ("label", "area", "bbox", "centroid"),
) -> dict[str, Any]: ...
def label_statistics(
    labels: Any,
    intensities: Any = None,
    *,
    spatial_dims: int | None = None,
    background: int | None = 0,
    device: str | None = None,
    spacing: _Spacing = None,
    properties: str | Sequence[str] = ("label", "area", "bbox", "centroid"),
) -> dict[str, Any]: ...
def relabel(
    labels: Any,
    *,
    spatial_dims: int | None = None,
    order: Literal["size", "label"] = "size",
    min_size: int = 0,
    k: int | None = None,
) -> tuple[Any, Any]: ...
