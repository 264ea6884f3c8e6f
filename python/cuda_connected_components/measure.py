"""Drop-in for `label` of `skimage.measure` and `cucim.skimage.measure`.

>>> import numpy as np
>>> from cuda_connected_components import measure
>>> measure.label(np.array([[1, 0, 0], [1, 1, 5]]))
array([[1, 0, 0],
       [1, 1, 2]])
"""

import numpy as np

from . import _api, _images
from ._options import Options
from ._tensors import outside_graphs

__all__ = ["label"]


@outside_graphs
def label(label_image, background=None, return_num=False, connectivity=None):
    """Label the regions of equal value of an array, as `skimage.measure.label`.

    Parameters and results are those of scikit-image, also for arrays of CuPy. The image has 1 to 3
    dimensions of bool or integers. scikit-image truncates floating-point numbers, which raise
    `NotImplementedError` here. `background` is 0 if it is None, and there is none if no element can
    have its value. The labels are of the type intp, and int32 for images of bool. They are in C index
    order, also for the shape (m, n, 1), which scikit-image numbers along the first axis first.

    Examples
    --------
    >>> image = np.array([[7, 7, 0], [0, 7, 2]])
    >>> label(image)
    array([[1, 1, 0],
           [0, 1, 2]])
    >>> label(image, background=-1, connectivity=1, return_num=True)
    (array([[1, 1, 2],
           [3, 1, 4]]), 4)
    """
    library = _images.library_of(label_image)
    if not library.on_device:
        label_image = np.asarray(label_image)
    ndim, dtype = label_image.ndim, label_image.dtype
    if not 1 <= ndim <= 3:
        raise NotImplementedError(f"label takes arrays of 1 to 3 dimensions, not {ndim}.")
    if dtype.kind not in "biu":
        raise NotImplementedError(
            f"scikit-image truncates {dtype} to integers. Pass label_image.astype(int) for this, or use "
            "cuda_connected_components.label with by_value=True."
        )
    if connectivity is not None and not 1 <= connectivity <= ndim:
        raise ValueError(
            f"Connectivity for {ndim}D image should be in [1, ..., {ndim}]. Got {connectivity}."
        )
    if dtype.kind == "b":
        options = Options(connectivity, by_value=True, background=int(background == 1))
    else:
        background = 0 if background is None else background
        limits = np.iinfo(dtype)
        has_background = limits.min <= background <= limits.max
        options = Options(connectivity, by_value=True, background=background if has_background else None)
    labels, count = _api.label_image(label_image, options, None if dtype.kind == "b" else np.intp)
    return (labels, count) if return_num else labels
