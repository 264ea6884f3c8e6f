"""The short path of `label` for plain tensors of PyTorch.

The class of a tensor has a table of C functions, `__dlpack_c_exchange_api__`.
The extension module reads tensors and allocates memory by it.
"""

import functools
import sys

from . import _core, _settings


@functools.lru_cache(maxsize=1)
def table_of(torch):
    """Return the table of C functions of PyTorch for the extension module, or None before PyTorch 2.10."""
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    try:
        return None if capsule is None else _core.Exchange(capsule)
    except (TypeError, ValueError):  # another version
        return None


@functools.lru_cache(maxsize=1)
def _functions_of(torch):
    """Return a function that tells whether a tensor is plain, and one that labels a plain tensor."""
    table = table_of(torch)
    if table is None:
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

    # A tensor that comes from DLPack cannot be resized, and its record_stream() does nothing.
    make_labels = functools.partial(
        torch.empty_like, dtype=torch.int32, memory_format=torch.contiguous_format
    )
    return is_plain, lambda tensor: table.label(tensor, make_labels)


def label(image):
    """Label an image with the options that are the default.

    Return the labels, their number and what is known of the values. Return None
    if the general functions must do the work, or must say why it cannot be done.
    Bools and integers have no gradients, and a lazy change of their sign
    changes no label.
    """
    torch = sys.modules.get("torch")
    if type(image) is not getattr(torch, "Tensor", None):
        return None
    functions = _functions_of(torch)
    if functions is None or not functions[0](image):
        return None
    if torch.cuda.is_current_stream_capturing() if image.is_cuda else not _settings.are_default():
        return None
    return functions[1](image)
