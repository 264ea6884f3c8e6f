from collections.abc import Iterator
from typing import Any

__all__ = ["DimensionError", "connected_components", "dust", "each", "largest_k", "statistics"]

class DimensionError(ValueError): ...

class _Each:
    def __init__(self, labels: Any, binary: bool, in_place: bool) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[int, Any]]: ...

def connected_components(
    data: Any,
    max_labels: int = -1,
    connectivity: int = 26,
    return_N: bool = False,
    delta: float = 0,
    out_dtype: Any = None,
    out_file: None = None,
    periodic_boundary: bool = False,
    binary_image: bool = False,
) -> Any: ...
def statistics(out_labels: Any, no_slice_conversion: bool = False) -> dict[str, Any]: ...
def each(labels: Any, binary: bool = False, in_place: bool = False) -> _Each: ...
def dust(
    img: Any,
    threshold: Any,
    connectivity: int = 26,
    in_place: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
    invert: bool = False,
    return_N: bool = False,
) -> Any: ...
def largest_k(
    img: Any,
    k: int,
    connectivity: int = 26,
    delta: float = 0,
    return_N: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
) -> Any: ...
