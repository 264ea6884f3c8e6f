from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["keep_largest_blob_multilabel", "remove_small_blobs_multilabel"]

def keep_largest_blob_multilabel(
    data: Any,
    class_map: Mapping[Any, Any],
    rois: Iterable[Any],
    debug: bool = False,
    quiet: bool = False,
) -> Any: ...
def remove_small_blobs_multilabel(
    data: Any,
    class_map: Mapping[Any, Any],
    rois: Iterable[Any],
    interval: Sequence[float] = (10, 30),
    debug: bool = False,
    quiet: bool = False,
) -> Any: ...
