"""Drop-in for functions of `dask_image.ndmeasure`.

>>> import dask.array as da
>>> from cuda_connected_components import dask_image
>>> labels, count = dask_image.label(da.from_array([[1, 0, 0], [0, 1, 1]], chunks=2))
>>> int(count)
2
"""

from . import dask as _dask
from . import ndimage as _ndimage
from ._dask_graph import da as _da

__all__ = ["label"]


def label(image, structure=None, wrap_axes=None):
    """Label the connected components of an array, as `dask_image.ndmeasure.label`.

    Parameters and results are those of dask-image, but the labels are those of `scipy.ndimage.label` for
    the whole array: 1, 2, 3, ... in the order of the first elements, for any chunks. They are int32, and
    int64 from 2**31 elements on. The image has 1 to 3 dimensions, and the structure is one of
    ``generate_binary_structure(image.ndim, rank)``, by default that of rank 1: others raise
    `NotImplementedError`. So does `wrap_axes`.

    Examples
    --------
    >>> import dask.array as da
    >>> labels, count = label(da.from_array([[1, 0, 0], [0, 1, 1]], chunks=2))
    >>> labels.compute()
    array([[1, 0, 0],
           [0, 2, 2]], dtype=int32)
    """
    image = _da.asarray(image)
    if wrap_axes is not None:
        raise NotImplementedError(
            "wrap_axes is not supported: use dask_image.ndmeasure.label for images that wrap around"
        )
    if not 1 <= image.ndim <= 3:
        raise NotImplementedError(
            f"label takes arrays of 1 to 3 dimensions, not {image.ndim}. Use dask_image.ndmeasure.label for others."
        )
    rank = _ndimage.rank_of(structure, image.ndim, "label", "dask_image.ndmeasure")
    return _dask.label(image, connectivity=rank)
