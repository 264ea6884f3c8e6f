"""What is particular to tensors of PyTorch. PyTorch is not imported here."""

import functools
import sys

import numpy as np

_TRACERS = {
    "ProxyTorchDispatchMode": "make_fx or torch.export",
    "FakeTensorMode": "FakeTensorMode",
    "FunctionalTensorMode": "functionalization",
}


def outside_graphs(function):
    """Decorate a function of the package that `torch.compile` is not to trace.

    A compiled function then calls it as it is, between two graphs.
    """
    disabled = None

    @functools.wraps(function)
    def call(*args, **kwargs):
        nonlocal disabled
        if disabled is None:
            dynamo = sys.modules.get("torch._dynamo")
            skip_code = getattr(getattr(dynamo, "eval_frame", None), "skip_code", None)
            if not hasattr(dynamo, "disable") or skip_code is None:  # not imported, or not yet
                return function(*args, **kwargs)
            disabled = dynamo.disable(function)
            skip_code(call.__code__)
        return disabled(*args, **kwargs)

    # What torch.compiler.disable() sets. PyTorch may be imported later.
    call._torchdynamo_disable = True
    call._torchdynamo_disable_msg = "cuda_connected_components works outside PyTorch"
    return call


def check_label_type(dtype, advice):
    """Raise an exception if PyTorch has no tensors of a type of labels."""
    torch = sys.modules["torch"]
    if not hasattr(torch, np.dtype(dtype).name):
        raise TypeError(
            f"PyTorch {torch.__version__} has no tensors of {dtype}: {advice}"
        )


def plain_tensor(image):
    """Return a tensor without gradients, metadata and a lazy change of sign."""
    torch = sys.modules["torch"]
    if not isinstance(image, torch.Tensor):
        raise TypeError(f"pass a tensor, not {type(image).__name__}")
    tracer = _tracer(torch)
    if tracer is not None:
        raise RuntimeError(
            f"{tracer} records what PyTorch does, and this function works outside PyTorch: "
            "call it before or after the code that is traced"
        )
    if image.layout != torch.strided or image.is_quantized:
        raise TypeError(
            "sparse and quantized tensors are not supported: call to_dense() or dequantize() first"
        )
    _check_memory(torch, image)
    if image.requires_grad:
        image = image.detach()
    if type(image) is not torch.Tensor:
        image = image.as_subclass(torch.Tensor)
    return image.resolve_neg()


def _tracer(torch):
    """Return the name of what records the operations of PyTorch now, or None."""
    if torch.jit.is_tracing():
        return "torch.jit.trace"
    has_modes = getattr(torch._C, "_len_torch_dispatch_stack", None)
    has_earlier_modes = getattr(torch._ops, "_len_torch_dispatch_stack_pre_dispatch", None)
    if has_modes and has_earlier_modes and not has_modes() and not has_earlier_modes():
        return None  # the lists take microseconds to make
    dispatch = sys.modules.get("torch.utils._python_dispatch")
    modes = getattr(dispatch, "_get_current_dispatch_mode_stack", list)()
    # make_fx(pre_dispatch=True) has a stack of its own.
    proxies = sys.modules.get("torch.fx.experimental.proxy_tensor")
    modes = [*modes, getattr(proxies, "get_proxy_mode", lambda: None)()]
    names = [type(mode).__name__ for mode in modes]
    return next((tracer for name, tracer in _TRACERS.items() if name in names), None)


def _check_memory(torch, image):
    """Raise an exception if the elements of a tensor are not in its own memory."""
    if torch._C._functorch.is_functorch_wrapped_tensor(image):
        raise TypeError(
            "tensors inside torch.func (vmap, grad, ...) are not supported: call the function "
            "outside; for vmap, pass the batch and spatial_dims="
        )
    is_dispatched = type(image).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
    if is_dispatched or image.is_nested or (image.numel() > 0 and image.data_ptr() == 0):
        raise TypeError(
            f"the {type(image).__name__} has no elements in memory of its own: pass a plain tensor"
        )


def refuse_gradients(image):
    """Raise an exception if PyTorch would differentiate a result with the values of a tensor."""
    requires_grad = image.requires_grad and sys.modules["torch"].is_grad_enabled()
    if requires_grad or _tangent_of(image) is not None:
        raise ValueError(
            "the image requires gradients, which the result does not have: pass image.detach()"
        )


def _tangent_of(tensor):
    return sys.modules["torch"].autograd.forward_ad.unpack_dual(tensor).tangent


def check_out(out):
    """Raise an exception if results cannot be written to a tensor."""
    plain_tensor(out)
    if out.requires_grad or _tangent_of(out) is not None:
        raise ValueError("out requires gradients, which results do not have: pass out.detach()")
    if out.is_neg():
        raise ValueError("out is a view with the opposite sign: pass out.resolve_neg()")


def will_write(_image, out):
    """Tell the automatic differentiation of PyTorch that the elements of a tensor change."""
    if not out.is_inference():
        # Every write in place counts, also to no elements.
        out.detach().as_subclass(sys.modules["torch"].Tensor)[:0].zero_()


def _has_metadata(image):
    """Return whether an image is a MetaTensor of MONAI."""
    return hasattr(image, "meta") and hasattr(image, "copy_meta_from")


def like(image, tensor):
    """Return a tensor with the metadata of an image, if it has any."""
    if _has_metadata(image):
        tensor = type(image)(tensor)
        tensor.copy_meta_from(image)
    return tensor


def copy_metadata(image, out):
    """Give a tensor that has the results of an image its metadata."""
    if out is not image and _has_metadata(image) and _has_metadata(out):
        out.copy_meta_from(image)


def check_mask(image, mask, _mask_library, name="mask"):
    """Raise an exception if a mask has another affine matrix than an image."""
    if not (_has_metadata(image) and _has_metadata(mask)):
        return
    affine, of_mask = (np.asarray(each.affine, dtype=np.float64) for each in (image, mask))
    try:
        is_same = np.allclose(affine, of_mask, rtol=0, atol=1e-3)  # MONAI's AFFINE_TOL
    except ValueError:  # other shapes
        is_same = False
    if not is_same:
        raise ValueError(
            f"{name} has another affine than the image: the image has {affine.tolist()}, {name} "
            f"{of_mask.tolist()}; pass {name}.as_tensor() if the elements are at the same places"
        )
