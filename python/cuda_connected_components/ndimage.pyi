from typing import Any

__all__ = ["binary_fill_holes", "label"]

def binary_fill_holes(
    input: Any, structure: Any = None, output: Any = None, origin: Any = 0, *, axes: Any = None
) -> Any: ...
def label(input: Any, structure: Any = None, output: Any = None) -> Any: ...
