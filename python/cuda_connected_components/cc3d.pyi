from typing import Any

__all__ = ["DimensionError", "connected_components", "dust", "largest_k", "statistics"]

class DimensionError(ValueError): ...

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
