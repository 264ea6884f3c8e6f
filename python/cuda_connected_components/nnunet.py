"""Drop-in for the postprocessing of nnU-Net v2, `nnunetv2.postprocessing.remove_connected_components`.

>>> import numpy as np
>>> from cuda_connected_components import nnunet
>>> nnunet.remove_all_but_largest_component_from_segmentation(np.array([1, 2, 2, 0, 1, 2]), [1, 2])
array([1, 2, 2, 0, 0, 0])
"""

import math

import numpy as np

from . import _api, _images
from ._options import Options, Selection
from ._tensors import outside_graphs

__all__ = ["remove_all_but_largest_component_from_segmentation"]

_MOST_VALUES = 32  # that the extension module takes as a foreground


@outside_graphs
def remove_all_but_largest_component_from_segmentation(segmentation, labels_or_regions, background_label=0):
    """Set all but the largest component of some labels to the background.

    Parameters and result are those of nnU-Net, also for images of other libraries. All labels together
    are one mask, under full connectivity. Of its components, all that are as large as the largest stay,
    and so do all other labels. The segmentation has 1 to 3 dimensions, and is not modified. Its type must
    have `background_label`. In device memory, at most 32 labels count as one mask: more raise
    `NotImplementedError`.

    Examples
    --------
    >>> segmentation = np.array([1, 1, 0, 1, 0, 5, 0, 5])
    >>> remove_all_but_largest_component_from_segmentation(segmentation, 1)
    array([1, 1, 0, 0, 0, 5, 0, 5])
    """
    if not isinstance(labels_or_regions, list):
        labels_or_regions = [labels_or_regions]
    labels = []
    for region in labels_or_regions:
        labels.extend([region] if np.isscalar(region) else region)
    labels = [label for label in dict.fromkeys(labels) if label == label]  # NaN equals nothing
    if background_label is None:
        raise TypeError("background_label must be a number, not None")
    if len(labels) <= _MOST_VALUES:
        options = Options(values=labels)
    else:
        library, segmentation = _images.open_image(segmentation)
        if library.on_device:
            raise NotImplementedError(
                f"in device memory, at most {_MOST_VALUES} labels count as one mask, not {len(labels)}"
            )
        numbers = _images.as_numbers(library.array(segmentation))
        options = Options(lower=-math.inf, upper=math.inf, mask=_is_one_of(numbers, labels))
    removed = Selection(k=1, keeps_ties=True, invert=True, replaces=True, value=background_label)
    return _api.keep(segmentation, options, removed)


def _is_one_of(numbers, labels):
    """Return which numbers equal a label."""
    # np.isin() compares numbers of different types as float64, which cannot hold all integers.
    if numbers.dtype.kind in "iu":
        limits = np.iinfo(numbers.dtype)
        whole = [int(label) for label in labels if limits.min <= label <= limits.max and label == int(label)]
        return np.isin(numbers, np.array(whole, numbers.dtype))
    found = np.zeros(numbers.shape, bool)
    for label in labels:
        found |= numbers == label
    return found
