"""Connected components of masks and images, on NVIDIA GPUs and on the CPU.

The functions label, filter and measure the connected components of arrays and
images of NumPy, itk, SimpleITK, xarray, CuPy and PyTorch. The labels are the
labels of ITK, SciPy, scikit-image and SimpleITK.

Examples
--------
>>> import numpy as np
>>> import cuda_connected_components as ccc
>>> image = np.array([[1, 0, 0, 1],
...                   [0, 1, 0, 1]])
>>> ccc.label(image)
array([[1, 0, 0, 2],
       [0, 1, 0, 2]], dtype=int32)
"""

from ._api import (
    backend_info,
    component_statistics,
    fill_holes,
    keep_largest,
    label,
    label_statistics,
    relabel,
    remove_small,
    select_at_seeds,
    set_device_memory_limit,
    set_num_threads,
    trim_memory,
)
from ._core import CudaError, LabelOverflowError, __version__

# The classes come from the extension module.
CudaError.__module__ = LabelOverflowError.__module__ = __name__

__all__ = [
    "CudaError",
    "LabelOverflowError",
    "__version__",
    "backend_info",
    "component_statistics",
    "fill_holes",
    "keep_largest",
    "label",
    "label_statistics",
    "relabel",
    "remove_small",
    "select_at_seeds",
    "set_device_memory_limit",
    "set_num_threads",
    "trim_memory",
]
