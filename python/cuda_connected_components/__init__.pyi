from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar, overload

from numpy.typing import NDArray

__all__ = [
    "CudaError",
    "LabelOverflowError",
    "__version__",
    "backend_info",
    "component_statistics",
    "fill_holes",
    "keep_largest",
    "label",
    "label_statistics",
    "relabel",
    "remove_small",
    "select_at_seeds",
    "set_device_memory_limit",
    "set_num_threads",
    "trim_memory",
]

__version__: str

class LabelOverflowError(OverflowError): ...
class CudaError(RuntimeError): ...

class _HasShape(Protocol):  # itk, xarray, CuPy, PyTorch
    @property
    def shape(self) -> Any: ...

class _HasSize(Protocol):  # itk, SimpleITK
    def GetSpacing(self) -> Any: ...

class _TorchDevice(Protocol):
    @property
    def type(self) -> str: ...
    @property
    def index(self) -> int | None: ...

# The results for these are NumPy arrays, and images of the same class for others.
_Array = NDArray[Any]
_Lists = Sequence[float] | Sequence[Sequence[float]] | Sequence[Sequence[Sequence[float]]]
_ArrayLike = _Array | _Lists | memoryview
_Image = TypeVar("_Image", bound=_HasShape | _HasSize)
_Device = str | _TorchDevice | None
_Spacing = float | Sequence[float] | _Array | Literal["image"] | None

@overload
def label(
    image: _ArrayLike,
    *,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Array | None = None,
    return_num: Literal[False] = False,
) -> _Array: ...
@overload
def label(
    image: _ArrayLike,
    *,
    connectivity: int | None = None,
    spatial_dims: None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Array | None = None,
    return_num: Literal[True],
) -> tuple[_Array, int]: ...
@overload
def label(
    image: _ArrayLike,
    *,
    connectivity: int | None = None,
    spatial_dims: int,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Array | None = None,
    return_num: Literal[True],
) -> tuple[_Array, Any]: ...
@overload
def label(
    image: _Image,
    *,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Image | None = None,
    return_num: Literal[False] = False,
) -> _Image: ...
@overload
def label(
    image: _Image,
    *,
    connectivity: int | None = None,
    spatial_dims: None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Image | None = None,
    return_num: Literal[True],
) -> tuple[_Image, int]: ...
@overload
def label(
    image: _Image,
    *,
    connectivity: int | None = None,
    spatial_dims: int,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Image | None = None,
    return_num: Literal[True],
) -> tuple[_Image, Any]: ...
@overload
def label(
    image: Any,
    *,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    dtype: Any = None,
    out: Any = None,
    return_num: bool,
) -> Any: ...
def select_at_seeds(
    image: Any,
    seeds: Sequence[float] | Sequence[Sequence[float]] | _Array,
    *,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    spacing: _Spacing = None,
    dtype: Any = None,
    out: Any = None,
    return_num: bool = False,
) -> Any: ...
@overload
def keep_largest(
    image: _ArrayLike,
    *,
    k: int = 1,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    across_values: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    out: _Array | None = None,
) -> _Array: ...
@overload
def keep_largest(
    image: _Image,
    *,
    k: int = 1,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    across_values: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    out: _Image | None = None,
) -> _Image: ...
@overload
def remove_small(
    image: _ArrayLike,
    min_size: float | Mapping[Any, float],
    *,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    spacing: _Spacing = None,
    out: _Array | None = None,
) -> _Array: ...
@overload
def remove_small(
    image: _Image,
    min_size: float | Mapping[Any, float],
    *,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    spacing: _Spacing = None,
    out: _Image | None = None,
) -> _Image: ...
@overload
def fill_holes(
    image: _ArrayLike,
    *,
    value: float | None = None,
    max_size: float = ...,
    connectivity: int | None = 1,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    overwrite: bool = False,
    device: _Device = None,
    threads: int | None = None,
    spacing: _Spacing = None,
    out: _Array | None = None,
) -> _Array: ...
@overload
def fill_holes(
    image: _Image,
    *,
    value: float | None = None,
    max_size: float = ...,
    connectivity: int | None = 1,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    overwrite: bool = False,
    device: _Device = None,
    threads: int | None = None,
    spacing: _Spacing = None,
    out: _Image | None = None,
) -> _Image: ...
@overload
def relabel(
    labels: _ArrayLike,
    *,
    spatial_dims: int | None = None,
    order: Literal["size", "label"] = "size",
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Array | None = None,
    return_num: Literal[False] = False,
) -> _Array: ...
@overload
def relabel(
    labels: _ArrayLike,
    *,
    spatial_dims: None = None,
    order: Literal["size", "label"] = "size",
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Array | None = None,
    return_num: Literal[True],
) -> tuple[_Array, int]: ...
@overload
def relabel(
    labels: _ArrayLike,
    *,
    spatial_dims: int,
    order: Literal["size", "label"] = "size",
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Array | None = None,
    return_num: Literal[True],
) -> tuple[_Array, Any]: ...
@overload
def relabel(
    labels: _Image,
    *,
    spatial_dims: int | None = None,
    order: Literal["size", "label"] = "size",
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Image | None = None,
    return_num: Literal[False] = False,
) -> _Image: ...
@overload
def relabel(
    labels: _Image,
    *,
    spatial_dims: None = None,
    order: Literal["size", "label"] = "size",
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Image | None = None,
    return_num: Literal[True],
) -> tuple[_Image, int]: ...
@overload
def relabel(
    labels: _Image,
    *,
    spatial_dims: int,
    order: Literal["size", "label"] = "size",
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Image | None = None,
    return_num: Literal[True],
) -> tuple[_Image, Any]: ...
@overload
def relabel(
    labels: Any,
    *,
    spatial_dims: int | None = None,
    order: Literal["size", "label"] = "size",
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: Any = None,
    return_num: bool,
) -> Any: ...
def component_statistics(
    image: _ArrayLike | _HasShape | _HasSize,
    *,
    connectivity: int | None = None,
    spatial_dims: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    by_value: bool = False,
    background: float | None = 0,
    mask: Any = None,
    device: _Device = None,
    threads: int | None = None,
    spacing: _Spacing = None,
    properties: str | Sequence[str] = ("label", "area", "bbox", "centroid"),
) -> dict[str, Any]: ...
def label_statistics(
    labels: _ArrayLike | _HasShape | _HasSize,
    intensities: Any = None,
    *,
    spatial_dims: int | None = None,
    background: int | None = 0,
    device: _Device = None,
    threads: int | None = None,
    spacing: _Spacing = None,
    properties: str | Sequence[str] = ("label", "area", "bbox", "centroid"),
) -> dict[str, Any]: ...
def backend_info() -> dict[str, Any]: ...
def set_device_memory_limit(n: int | None) -> None: ...
def set_num_threads(n: int | None) -> None: ...
def trim_memory() -> None: ...
