"""Drop-in for functions of `totalsegmentator.postprocessing`.

>>> import numpy as np
>>> from cuda_connected_components import totalsegmentator
>>> data = np.array([1, 1, 0, 1, 2, 0, 2])
>>> totalsegmentator.keep_largest_blob_multilabel(data, {1: "liver", 2: "spleen"}, ["liver"])
array([1, 1, 0, 0, 2, 0, 2])
"""

import math

from . import _api, _arguments
from ._options import Options, Selection
from ._tensors import outside_graphs

__all__ = ["keep_largest_blob_multilabel", "remove_small_blobs_multilabel"]


@outside_graphs
def keep_largest_blob_multilabel(data, class_map, rois, debug=False, quiet=False):
    """Keep the largest component of each of some classes, in place, and set its other components to 0.

    Parameters and result are those of TotalSegmentator, also for images of other libraries:
    `class_map` has the name of each label, and `rois` the names of the classes. The connectivity is by
    faces. Of components of the same size, the first one stays. `debug` and `quiet` have no effect:
    nothing is printed. The image has 1 to 3 dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> keep_largest_blob_multilabel(np.array([3, 0, 3, 3]), {3: "aorta"}, ["aorta"])
    array([0, 0, 3, 3])
    """
    return _select(data, class_map, rois, 0, math.inf, k=1, per_value=True)


@outside_graphs
def remove_small_blobs_multilabel(data, class_map, rois, interval=(10, 30), debug=False, quiet=False):
    """Keep the components of some classes whose size is in an interval, in place, and set others to 0.

    The parameters are as for `keep_largest_blob_multilabel`. Components with
    ``interval[0] < size <= interval[1]`` stay.

    Examples
    --------
    >>> import numpy as np
    >>> remove_small_blobs_multilabel(np.array([3, 0, 3, 3]), {3: "aorta"}, ["aorta"], [1, 10])
    array([0, 0, 3, 3])
    """
    lower, upper = interval
    if lower == math.inf or upper < 0:
        min_size = 2**63  # nothing stays
    else:
        min_size = math.floor(lower) + 1 if lower >= 0 else 0  # NaN is no limit
    max_size = math.inf if upper != upper else max(0, upper)
    return _select(data, class_map, rois, min_size, max_size)


def _select(data, class_map, rois, min_size, max_size, **selection):
    """Write the selected components of some classes, and all other classes, to the image."""
    labels = {name: label for label, name in class_map.items()}
    sizes = {
        label: (min_size, max_size)
        for label in (labels[roi] for roi in rois)
        if _arguments.number_of(label) is not None and label == label  # no element equals others
    }
    if not sizes:
        return data
    return _api.keep(data, Options(1, by_value=True), Selection(sizes=sizes, **selection), data)
