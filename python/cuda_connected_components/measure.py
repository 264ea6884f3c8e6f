"""Drop-in for `label` of `skimage.measure` and `cucim.skimage.measure`.

>>> import numpy as np
>>> from cuda_connected_components import measure
>>> measure.label(np.array([[1, 0, 0], [1, 1, 5]]))
array([[1, 0, 0],
       [1, 1, 2]])
"""

import numpy as np

from . import _api, _arguments, _images
from ._options import Options
from ._tensors import outside_graphs

__all__ = ["label"]


@outside_graphs
def label(label_image, background=None, return_num=False, connectivity=None):
    """Label the regions of equal value of an array, as `skimage.measure.label`.

    Parameters and results are those of scikit-image, and for arrays of CuPy those of cuCIM. Tensors
    of PyTorch give tensors. The image has 1 to 3 dimensions of bool or integers. Floating-point
    numbers, which both truncate, raise `NotImplementedError` here. `background` is 0 if it is None.
    Nothing is background if no element can have this integer. The labels are of the type intp, and
    int32 for images of bool. In device memory they are int32, and int64 from 2**31 elements on. They
    are in C index order, also for the shape (m, n, 1), which scikit-image numbers along the first axis
    first.

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
    is_on_device = _images.library_of(label_image).on_device
    if not hasattr(label_image, "is_cuda"):
        label_image = _images.array_of(label_image)
    ndim, dtype = label_image.ndim, _arguments.name_of(label_image.dtype)
    if not 1 <= ndim <= 3:
        raise NotImplementedError(
            f"label takes arrays of 1 to 3 dimensions, not {ndim}. "
            "For images of bool, use skimage.measure.label."
        )
    if "float" in dtype:
        raise NotImplementedError(
            f"scikit-image truncates {dtype} to integers. Convert the image for this, or use "
            "cuda_connected_components.label(image, by_value=True)."
        )
    if not dtype.startswith(("bool", "int", "uint")):
        raise TypeError(f"label takes images of bool and integers, not {dtype}")
    if connectivity is not None:
        if not 1 <= connectivity <= ndim:
            raise ValueError(
                f"Connectivity for {ndim}D image should be in [1, ..., {ndim}]. Got {connectivity}."
            )
        connectivity = int(connectivity)
    background = 0 if background is None else _arguments.real_of("background", background)
    if dtype == "bool":
        background = int(background == 1)
    elif not np.iinfo(dtype).min <= background <= np.iinfo(dtype).max:
        background = None
    options = Options(connectivity, by_value=True, background=background)
    label_dtype = None if is_on_device or dtype == "bool" else np.intp
    labels, count = _api.label_image(label_image, options, label_dtype)
    return (labels, count) if return_num else labels
