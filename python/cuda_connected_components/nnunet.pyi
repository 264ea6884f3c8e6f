from typing import Any

__all__ = ["remove_all_but_largest_component_from_segmentation"]

def remove_all_but_largest_component_from_segmentation(
    segmentation: Any, labels_or_regions: Any, background_label: int = 0
) -> Any: ...
