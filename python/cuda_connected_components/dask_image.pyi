from typing import Any

__all__ = ["label"]

def label(image: Any, structure: Any = None, wrap_axes: Any = None) -> tuple[Any, Any]: ...
