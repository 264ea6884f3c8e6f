"""Arrays of CuPy, PyTorch and other libraries in device memory.

The work runs on the array's device and on the library's current stream. Results
come from the library's allocator, and so does memory for the work, but for calls
that need less than 64 MiB. The host gets the number of components, a summary of
the values and, in `relabel`, the table of labels. Pixels stay on the device.
"""

import contextlib
import math
import sys

import numpy as np

from . import _core, _exchange, _tensors
from ._arguments import check_elements, image_stride_of, name_of

# The format and the size in bytes of each type.
_FORMATS = {np.dtype(char).name: (char, np.dtype(char).itemsize) for char in "?bBhHiIqQefd"}
_FORMATS["bfloat16"] = ("T{H:bfloat16:}", 2)  # see ElementTypeOf() in python/src/Array.h


class DeviceImages:
    """What the libraries of device memory have in common. `xp` is the module of CuPy or PyTorch."""

    on_device = True
    has_physical_axes = False
    functions: "tuple[str, ...]" = ("label", "keep", "measure", "relabel")  # those that take the images
    label_dtype: "type | None" = None  # the type of labels, or None for a type by the shape

    def __init__(self, xp):
        self.xp = xp
        self._allocators = {}

    def prepare(self, image, options, dtype, out):
        """Prepare a call of `label`."""

    def allocator_for(self, image):
        """Return the library's allocator on the device of an image, for the extension module."""
        device = self.device_of(image)
        if device not in self._allocators:
            sample = self.new_array(image, (0,), "uint8")
            arrays = {}

            def allocate(size):
                array = self.new_array(sample, (size,), "uint8")
                address = self.address_of(array)
                arrays[address] = array
                return address

            self._allocators[device] = _core.Allocator(allocate, arrays.__delitem__)
        return self._allocators[device]

    def name_of(self, dtype):
        """Return the NumPy name of an element type."""
        return name_of(dtype)

    def rows_of(self, array):
        """Return the rows of an array of two dimensions."""
        return [array[row] for row in range(len(array))]

    def table_from_host(self, table, image):
        """Return a table of NumPy arrays as arrays on the device of an image."""
        # One copy for all columns takes less time than a copy for each. Narrow elements fill the start of a row.
        count = max((len(column) for column in table.values()), default=0)
        # NumPy's strides of new arrays without elements are 0, and PyTorch makes no views of other types of them.
        block = np.zeros(len(table) * count, np.int64).reshape((len(table), count))
        for row, column in zip(block, table.values()):
            row.view(column.dtype)[:count] = column
        block = self.from_host(block, image)
        dtypes = {column.dtype for column in table.values()}
        rows = {dtype: self.rows_of(self.bits_as(block, name_of(dtype))) for dtype in dtypes}
        result = {}
        for index, (name, column) in enumerate(table.items()):
            row = rows[column.dtype][index]
            result[name] = row if column.itemsize == 8 else row[:count]
        return result

    def to_double(self, column):
        """Return a column as float64."""
        return self.cast(column, "float64")

    def distinct(self, numbers):
        """Return the numbers of an array in ascending order, each once."""
        return self.xp.unique(numbers)

    def memory_of(self, image, axes, strides=None):
        """Return an array for the extension module. The last `axes` axes are those of an image.

        `strides` are those of the image, if they are known.
        """
        name, shape, strides = self.name_of(image.dtype), tuple(image.shape), strides or self.strides_of(image)
        if name not in _FORMATS:
            advice = ": label abs(image)" if name.startswith("complex") else ""
            raise TypeError(f"images of {name} are not supported in device memory{advice}")
        ones, zeros = (1,) * (3 - axes), (0,) * (3 - axes)
        return _core.DeviceArray(
            self.address_of(image),
            *_FORMATS[name],
            (*shape[: -axes - 1 : -1], *ones),
            (*strides[: -axes - 1 : -1], *zeros),
            math.prod(shape[:-axes]),
            image_stride_of(shape, strides, axes) or 0 if len(shape) > axes else 0,
        )

    def readable(self, image, axes):
        """Return an array that the extension module can read, and its memory.

        This is the image, or a contiguous copy if it is not aligned, or no constant distance leads
        from each image of a batch to the next one.
        """
        size, strides = self.element_size_of(image), self.strides_of(image)
        is_aligned = size == 1 or not any(each % size for each in (self.address_of(image), *strides))
        if image_stride_of(image.shape, strides, axes) is None or not (is_aligned or 0 in image.shape):
            image, strides = self.contiguous(image), None
        return image, self.memory_of(image, axes, strides)

    def may_overlap(self, array, *others):
        """Return whether an array may share elements with one of the others, which may be None."""

        def extent_of(array):
            begin = end = self.address_of(array)
            for length, stride in zip(array.shape, self.strides_of(array)):
                if length == 0:
                    return begin, begin
                begin += min(0, stride * (length - 1))
                end += max(0, stride * (length - 1))
            return begin, end + self.element_size_of(array)

        begin, end = extent_of(array)
        extents = [extent_of(other) for other in others if other is not None]
        return any(begin < other_end and other_begin < end for other_begin, other_end in extents)

    def plain_out(self, out):
        """Return the array of an image for results."""
        plain = self.plain(out)
        check_elements(plain.shape, self.strides_of(plain), self.element_size_of(plain))
        return plain

    def refuse_gradients(self, image):
        """Raise an exception if the library would differentiate a result with values of an image."""

    def check_mask(self, image, mask, mask_library, name="mask"):
        """Raise an exception if the elements of a mask are at other places."""

    def will_write(self, image, out):
        """Tell the library that the elements of an image for results change."""

    def copy_metadata(self, image, out):
        """Give an image that has the results of `image` its metadata."""

    def like(self, image, result):
        """Return a result with the metadata of an image."""
        return result

    def on_device_of(self, image):
        """Make the device of an array the current one, if the functions of the library need it."""
        return contextlib.nullcontext()

    def write(self, out, values):
        """Copy an array to `out`, and wait."""
        self.assign(out, values)
        self.wait(out)

    def refuse_capture(self, image):
        """Raise an exception if a graph of CUDA captures the work of the current stream."""
        # The default stream, 0, captures nothing.
        if self.stream_of(image) != 0 and self.is_capturing(image):
            raise RuntimeError(
                "the stream captures a CUDA graph, and this function waits for results: use another "
                "stream, or end the capture first"
            )

    def run(self, function, *arguments):
        """Call a function that works on a device. If memory is short, release what the library caches.

        The function is then called again. So it must not depend on its first call.
        """
        try:
            return function(*arguments)
        except (MemoryError, RuntimeError) as error:
            is_memory_short = isinstance(error, (MemoryError, _core.CudaMemoryError))
            # PyTorch has several exceptions for it.
            if not is_memory_short and "out of memory" not in str(error):
                raise
        self.release_memory()
        return function(*arguments)


class CupyImages(DeviceImages):
    """cupy.ndarray."""

    def plain(self, image):
        """Return the array of an image."""
        if not isinstance(image, self.xp.ndarray):
            raise TypeError(f"pass a CuPy array, not {type(image).__name__}")
        return image

    def device_of(self, image):
        """Return the index of the device of an array."""
        return image.device.id

    def on_device_of(self, image):
        return image.device

    def stream_of(self, image):
        """Return the current stream as an integer."""
        return self.xp.cuda.get_current_stream().ptr

    def is_capturing(self, image):
        """Return whether a graph of CUDA captures the work of the current stream."""
        return self.xp.cuda.get_current_stream().is_capturing()

    def wait(self, image):
        """Wait for the work of the current stream."""
        self.xp.cuda.get_current_stream().synchronize()

    def contiguous(self, image):
        """Return a contiguous array in C order."""
        return self.xp.ascontiguousarray(image)

    def is_contiguous(self, image):
        """Return whether an array is contiguous in C order."""
        return image.flags.c_contiguous

    def address_of(self, image):
        """Return the address of the first element."""
        return image.data.ptr

    def element_size_of(self, image):
        """Return the number of bytes of an element."""
        return image.dtype.itemsize

    def strides_of(self, image):
        """Return the distances of elements along the axes, in bytes."""
        return image.strides

    def new_array(self, image, shape, dtype):
        """Return a new array on the device of an image, which is the current one.

        `dtype` is a NumPy name.
        """
        return self.xp.empty(shape, dtype)

    def bits_as(self, array, dtype):
        """Return the memory of a contiguous array as elements of another type."""
        return array.view(dtype)

    def cast(self, array, dtype):
        """Return an array of another type."""
        return array.astype(dtype)

    def assign(self, out, values):
        """Copy an array to `out`."""
        out[...] = values

    def release_memory(self):
        """Return the memory that the library keeps for later arrays to the device."""
        self.xp.get_default_memory_pool().free_all_blocks()

    def take(self, table, indices):
        """Return table[indices], for a table in host memory."""
        return self.xp.asarray(table)[indices]

    def from_host(self, column, image):
        """Return a NumPy array as an array on the device of an image."""
        return self.xp.asarray(column)

    def to_host(self, column):
        """Return a column as a NumPy array."""
        return column.get()


class TorchCudaImages(DeviceImages):
    """torch.Tensor in device memory, and its subclasses with metadata."""

    # The functions of torch that are used here take the device of their arguments.
    plain = staticmethod(_tensors.plain_tensor)
    like = staticmethod(_tensors.like)
    refuse_gradients = staticmethod(_tensors.refuse_gradients)
    check_mask = staticmethod(_tensors.check_mask)
    will_write = staticmethod(_tensors.will_write)
    copy_metadata = staticmethod(_tensors.copy_metadata)

    def allocator_for(self, image):
        return _exchange.table_of(self.xp) or super().allocator_for(image)

    def device_of(self, image):
        return image.device.index

    def stream_of(self, image):
        # A stream object takes microseconds to make.
        current = getattr(self.xp._C, "_cuda_getCurrentRawStream", None)
        if current is not None:
            return current(image.device.index)
        return self.xp.cuda.current_stream(image.device).cuda_stream

    def is_capturing(self, image):
        with self.xp.cuda.device(image.device):
            return self.xp.cuda.is_current_stream_capturing()

    def wait(self, image):
        self.xp.cuda.current_stream(image.device).synchronize()

    def contiguous(self, image):
        return image.contiguous()

    def is_contiguous(self, image):
        return image.is_contiguous()

    def address_of(self, image):
        return image.data_ptr()

    def element_size_of(self, image):
        return image.element_size()

    def strides_of(self, image):
        size = image.element_size()
        return [stride * size for stride in image.stride()]

    def new_array(self, image, shape, dtype):
        return self.xp.empty(shape, dtype=getattr(self.xp, dtype), device=image.device)

    def bits_as(self, array, dtype):
        return array.view(getattr(self.xp, dtype))

    def rows_of(self, array):
        return array.unbind()

    def cast(self, array, dtype):
        return array.to(getattr(self.xp, dtype))

    def assign(self, out, values):
        out.copy_(values)

    def plain_out(self, out):
        _tensors.check_out(out)
        return super().plain_out(out)

    def release_memory(self):
        self.xp.cuda.empty_cache()

    def take(self, table, indices):
        if indices.dtype != self.xp.int64:
            indices = indices.int()
        # torch selects no unsigned integers of more than 8 bits.
        bits = self.from_host(table.view(f"i{table.itemsize}"), indices)
        return bits.index_select(0, indices).view(getattr(self.xp, name_of(table.dtype)))

    def from_host(self, column, image):
        if column.dtype.kind != "u":
            return self.xp.from_numpy(column).to(image.device)
        # Old versions of torch take no unsigned integers of more than 8 bits from NumPy.
        bits = self.xp.from_numpy(column.view(f"i{column.itemsize}")).to(image.device)
        return bits.view(getattr(self.xp, name_of(column.dtype)))

    def to_host(self, column):
        return column.cpu().numpy()


_classes = {"cupy": CupyImages, "torch": TorchCudaImages}
_instances: dict = {}


def library_of(image, name):
    """Return the library object for an array in device memory, or None.

    `name` is "cupy", "torch" or "other".
    """
    if name in _classes:
        if name not in _instances:
            _instances[name] = _classes[name](sys.modules[name])
        return _instances[name]
    if hasattr(image, "__cuda_array_interface__") or is_on_device(image):
        return ForeignImages()
    return None


def is_on_device(image):
    """Return whether an object with DLPack is in the memory of an NVIDIA GPU."""
    if not hasattr(image, "__dlpack_device__"):
        return False
    cuda, cuda_managed = 2, 13
    return int(image.__dlpack_device__()[0]) in (cuda, cuda_managed)


def _import_dlpack(image, name, stream, writable):
    """Return the device memory of an object with DLPack."""
    if not writable:
        return _core.DlpackArray(image.__dlpack__(stream=stream))
    try:
        # Only this version says whether the memory is read-only.
        capsule = image.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        capsule = image.__dlpack__(stream=stream)
    try:
        return _core.DlpackArray(capsule)
    except TypeError as error:
        if "not supported" in str(error):
            raise
        raise ValueError(f"{name} is read-only") from None


def gapless_strides(array):
    """Return the distances of elements along the axes of an array in C order without gaps, in bytes."""
    size, shape = np.dtype(array.dtype).itemsize, array.shape
    return [size * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


class _ForeignArray:
    """The device memory of an object of an unknown library."""

    def __init__(self, image, name, stream, writable):
        self.owner, self.device, strides = image, None, None
        interface = getattr(image, "__cuda_array_interface__", None)
        if interface is not None:
            if interface.get("mask") is not None:
                raise TypeError(f"{name} has a mask, which is not supported")
            self.address, is_read_only = interface["data"]
            self.shape = tuple(interface["shape"])
            self.dtype = np.dtype(interface["typestr"])
            strides = interface.get("strides")
        elif is_on_device(image):
            # The producer makes this stream wait for its work. 1 is the legacy default stream.
            self.owner = _import_dlpack(image, name, stream or 1, writable)
            self.address, is_read_only = self.owner.address, False
            self.shape = tuple(self.owner.shape)
            self.dtype = np.dtype(self.owner.dtype)
            strides = tuple(stride * self.dtype.itemsize for stride in self.owner.strides)
            self.device = int(image.__dlpack_device__()[1])
        else:
            raise TypeError(f"{name} must be in device memory, like the image")
        if writable and is_read_only:
            raise ValueError(f"{name} is read-only")
        if not self.dtype.isnative:
            raise TypeError(f"{name} has the byte order of another processor")
        wanted = gapless_strides(self)
        axes = zip(self.shape, wanted, strides or wanted)
        if any(length > 1 and stride != gapless for length, gapless, stride in axes):
            raise ValueError(f"{name} must be contiguous in C order")


def _is_tensor(image):
    return "torch" in sys.modules and isinstance(image, sys.modules["torch"].Tensor)


def _stream_of(image):
    """Return the stream on which an object of any library is used, or 0 if it names none."""
    if _is_tensor(image):
        return sys.modules["torch"].cuda.current_stream(image.device).cuda_stream or 1
    return (getattr(image, "__cuda_array_interface__", None) or {}).get("stream") or 0


class GaplessImages(DeviceImages):
    """Images in C order without gaps. The extension module allocates the memory for the work."""

    def __init__(self):
        """There is no module for arrays."""

    def name_of(self, dtype):
        return name_of(np.dtype(dtype))

    def stream_of(self, image):
        return 0

    def is_capturing(self, image):
        return False  # the extension module looks

    def allocator_for(self, image):
        return None

    def contiguous(self, image):
        return image

    def is_contiguous(self, image):
        return True

    def element_size_of(self, image):
        return np.dtype(image.dtype).itemsize

    def strides_of(self, image):
        return gapless_strides(image)

    def release_memory(self):
        """No memory is kept for later images."""


class ForeignImages(GaplessImages):
    """Objects of other libraries with __cuda_array_interface__ or DLPack. There is one for each call.

    Nothing is known here that allocates memory. So they have only `label`, and need `out`.
    """

    functions = ("label",)

    def __init__(self):
        self._stream, self._device = 0, None

    def prepare(self, image, options, dtype, out):
        if options.has_limits or options.mask is not None or dtype is not None:
            raise TypeError(
                "lower, upper, mask and dtype need an array of CuPy or PyTorch: "
                "convert it with cupy.asarray(image) or torch.as_tensor(image)"
            )
        if out is None:
            raise TypeError(
                f"{type(image).__name__} is a device array of a library that is not known here: "
                "pass out=, or convert it with cupy.asarray(image) or torch.as_tensor(image)"
            )
        if _is_tensor(out) and not out.is_cuda:
            raise ValueError("out must be on the device of the image")
        streams = {_stream_of(image), _stream_of(out)} - {0}
        if len(streams) > 1:
            raise ValueError(
                "the image and out are used on two streams: synchronize one of them first"
            )
        self._stream = next(iter(streams), 0)

    def plain(self, image):
        return self._open(image, "the image", writable=False)

    def plain_out(self, out):
        if _is_tensor(out):
            _tensors.check_out(out)
        return self._open(out, "out", writable=True)

    def _open(self, image, name, writable):
        array = _ForeignArray(image, name, self._stream, writable)
        if None not in (array.device, self._device) and array.device != self._device:
            raise ValueError("out must be on the device of the image")
        self._device = self._device if array.device is None else array.device
        return array

    def device_of(self, image):
        return _core.CURRENT_DEVICE if self._device is None else self._device

    def stream_of(self, image):
        return self._stream

    def address_of(self, image):
        return image.address

    def new_array(self, image, shape, dtype):
        raise ValueError("out must not overlap the image")

    def will_write(self, image, out):
        if _is_tensor(out):
            _tensors.will_write(image, out)
