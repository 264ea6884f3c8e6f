from typing import Any

__all__ = ["label"]

def label(
    label_image: Any,
    background: int | None = None,
    return_num: bool = False,
    connectivity: int | None = None,
) -> Any: ...
