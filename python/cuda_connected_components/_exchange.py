"""The short paths of functions for plain tensors of PyTorch.

The class of a tensor has a table of C functions, `__dlpack_c_exchange_api__`.
The extension module reads tensors and allocates memory by it. The functions
here return None if the general functions must do the work, or must say why it
cannot be done. They take images of bools and integers, which have no
gradients. The connectivity may be None or an int. All other options must be
the default, but `label` labels regions of equal value, too.
"""

import functools
import sys

from . import _arguments, _core, _settings


@functools.lru_cache(maxsize=1)
def table_of(torch):
    """Return the table of C functions of PyTorch for the extension module, or None before PyTorch 2.10."""
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    try:
        return None if capsule is None else _core.Exchange(capsule)
    except (TypeError, ValueError):  # another version
        return None


@functools.lru_cache(maxsize=1)
def _test_for(torch):
    """Return a function that tells whether a tensor is plain. Return None if there is no table of C functions."""
    if table_of(torch) is None:
        return None
    try:
        is_tracing = torch._C._is_tracing
        modes = torch._C._len_torch_dispatch_stack
        modes_before_dispatch = torch._ops._len_torch_dispatch_stack_pre_dispatch
        is_transforming = torch._C._are_functorch_transforms_active
        is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    except AttributeError:  # another version
        return None
    has_names = getattr(torch.Tensor, "has_names", lambda tensor: False)  # newer versions have no names

    def is_plain(tensor):
        return not (
            is_tracing()
            or modes()
            or modes_before_dispatch()
            or is_transforming()
            or is_wrapped(tensor)
            or has_names(tensor)
        )

    return is_plain


def _neighbors_of(connectivity, image):
    """Return the number of neighbors for the extension module, or None if the general functions must check it."""
    if connectivity is None:
        return 0
    if type(connectivity) is not int or not 1 <= image.ndim <= 3:
        return None
    try:
        return _arguments.neighbors_of(connectivity, image.ndim)
    except ValueError:
        return None


def _torch_for(image, in_host_memory=False):
    """Return PyTorch and its table of C functions for a plain tensor, or None.

    `in_host_memory` tells whether the function takes images in host memory.
    """
    torch = sys.modules.get("torch")
    if type(image) is not getattr(torch, "Tensor", None):
        return None
    is_plain = _test_for(torch)
    if is_plain is None or not is_plain(image):
        return None
    if image.is_cuda:
        return torch, table_of(torch)
    return (torch, table_of(torch)) if in_host_memory and _settings.are_default() else None


@functools.lru_cache(maxsize=2)
def _maker(torch, dtype):
    """Return a function that returns a new tensor in C order, of the shape of a tensor."""
    # A tensor that comes from DLPack cannot be resized, and its record_stream() does nothing.
    return functools.partial(torch.empty_like, dtype=dtype, memory_format=torch.contiguous_format)


def label(image, connectivity=None, by_value=False, has_background=True):
    """Label an image. Return the labels, their number and what is known of the values.

    `has_background` tells whether 0 is background. It is, unless `by_value`.
    A lazy change of the sign changes no label.
    """
    found = _torch_for(image, in_host_memory=True)
    if found is None or (neighbors := _neighbors_of(connectivity, image)) is None:
        return None
    torch, table = found
    return table.label(image, _maker(torch, torch.int32), neighbors, by_value, has_background)


def keep(image, connectivity=None, *, min_size=0, k=0):
    """Copy the values of selected components. Return the result and what is known of the values."""
    found = _torch_for(image)
    if found is None or image.is_neg() or (neighbors := _neighbors_of(connectivity, image)) is None:
        return None
    torch, table = found
    # The result is made before the engine refuses to work. A graph would keep its memory.
    if torch.cuda.is_current_stream_capturing():
        return None
    return table.keep(image, _maker(torch, None), neighbors, min_size, k)


def measure(image, connectivity=None):
    """Measure components. Return the columns of the default properties and what is known of the values."""
    found = _torch_for(image)
    if found is None or (neighbors := _neighbors_of(connectivity, image)) is None:
        return None
    torch, table = found

    def make(columns, rows):
        return torch.empty((columns, rows), dtype=torch.int64, device=image.device)

    measured = table.measure(image, make, neighbors)
    if measured is None:
        return None
    block, values = measured
    return _columns_of(torch, block[0], block[1:], image.ndim), values


def measure_labels(labels):
    """Measure the labels of an image. Return the columns of the default properties."""
    found = _torch_for(labels)
    if found is None or labels.is_neg():
        return None
    torch, table = found
    columns = table.measure_labels(labels)
    if columns is None:
        return None
    columns = columns.reshape((2 + 3 * labels.ndim, -1))
    block = torch.from_numpy(columns).to(labels.device)
    return _columns_of(torch, block[0].view(labels.dtype)[: block.shape[1]], block[1:], labels.ndim)


def _columns_of(torch, labels, block, axes):
    """Return the columns of the default properties by name. `block` has all but the labels."""
    boxes = block[: 2 * axes].unbind()
    areas, *centroids = block[2 * axes :].view(torch.float64).unbind()
    columns = {"label": labels, "area": areas}
    columns.update(zip(_names("bbox", len(boxes)), boxes))
    columns.update(zip(_names("centroid", len(centroids)), centroids))
    return columns


@functools.lru_cache(maxsize=8)
def _names(name, count):
    return [f"{name}-{index}" for index in range(count)]
