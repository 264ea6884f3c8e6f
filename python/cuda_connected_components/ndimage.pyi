from typing import Any

__all__ = ["label"]

def label(input: Any, structure: Any = None, output: Any = None) -> Any: ...
