from collections.abc import Sequence
from typing import Any, Literal, TypeVar, overload

__version__: str

class LabelOverflowError(OverflowError): ...
class CudaError(RuntimeError): ...

# An image of NumPy, itk, SimpleITK, xarray, CuPy or PyTorch.
_Image = TypeVar("_Image")

@overload
def label(
    image: _Image,
    connectivity: int | None = None,
    *,
    lower: float | None = None,
    upper: float | None = None,
    mask: Any = None,
    device: str | None = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Image | None = None,
    return_num: Literal[False] = False,
) -> _Image: ...
@overload
def label(
    image: _Image,
    connectivity: int | None = None,
    *,
    lower: float | None = None,
    upper: float | None = None,
    mask: Any = None,
    device: str | None = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Image | None = None,
    return_num: Literal[True],
) -> tuple[_Image, int]: ...
@overload
def label(
    image: _Image,
    connectivity: int | None = None,
    *,
    lower: float | None = None,
    upper: float | None = None,
    mask: Any = None,
    device: str | None = None,
    threads: int | None = None,
    dtype: Any = None,
    out: _Image | None = None,
    return_num: bool,
) -> _Image | tuple[_Image, int]: ...
def keep_largest(
    image: _Image,
    k: int = 1,
    connectivity: int | None = None,
    *,
    lower: float | None = None,
    upper: float | None = None,
    mask: Any = None,
    device: str | None = None,
    threads: int | None = None,
    out: _Image | None = None,
) -> _Image: ...
def remove_small(
    image: _Image,
    min_size: float,
    connectivity: int | None = None,
    *,
    lower: float | None = None,
    upper: float | None = None,
    mask: Any = None,
    device: str | None = None,
    threads: int | None = None,
    spacing: float | Sequence[float] | None = None,
    out: _Image | None = None,
) -> _Image: ...
@overload
def relabel(
    labels: _Image,
    order: Literal["size", "label"] = "size",
    *,
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Image | None = None,
    return_num: Literal[False] = False,
) -> _Image: ...
@overload
def relabel(
    labels: _Image,
    order: Literal["size", "label"] = "size",
    *,
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Image | None = None,
    return_num: Literal[True],
) -> tuple[_Image, int]: ...
@overload
def relabel(
    labels: _Image,
    order: Literal["size", "label"] = "size",
    *,
    min_size: int = 0,
    k: int | None = None,
    threads: int | None = None,
    out: _Image | None = None,
    return_num: bool,
) -> _Image | tuple[_Image, int]: ...
def component_statistics(
    image: Any,
    connectivity: int | None = None,
    *,
    lower: float | None = None,
    upper: float | None = None,
    mask: Any = None,
    device: str | None = None,
    threads: int | None = None,
    spacing: float | Sequence[float] | None = None,
    properties: str | Sequence[str] = ("label", "area", "bbox", "centroid"),
) -> dict[str, Any]: ...
def backend_info() -> dict[str, Any]: ...
def set_num_threads(n: int | None) -> None: ...
def trim_memory() -> None: ...
