"""Images of NumPy, itk, SimpleITK, xarray and PyTorch in host memory.

A library object tells how to read the elements of an image as a NumPy array,
and how to make an image of the same library for results. No library but NumPy
is imported before one of its objects comes in.
"""

import sys

import numpy as np

from . import _devices
from ._arguments import default_label_dtype, image_stride_of

_SUPPORTED = "bool, integers of 8 to 64 bits, float16, float32 and float64"


def checked(array):
    """Return an array whose elements the extension module can read.

    Copies arrays of other byte orders and arrays that are not aligned.
    """
    dtype = array.dtype
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        advice = {
            "c": "label abs(image), or its real part",
            "f": "convert it with image.astype(float)",
        }.get(dtype.kind, "compare it with a value first, for example image == value")
        raise TypeError(f"images of {dtype} are not supported ({_SUPPORTED} are): {advice}")
    if not dtype.isnative:
        array = array.astype(dtype.newbyteorder("="))
    if not array.flags.aligned:
        array = array.copy(order="K")
    return array


def is_transposed(array, axes):
    """Return whether the first axis of an image varies faster in memory than the last.

    The last `axes` axes of the array are those of an image. The work then runs
    along the first of them. Axes of one element do not count. The strides of an
    array without elements have no meaning.
    """
    if array.size == 0:
        return False
    shape, strides = array.shape[-axes:], array.strides[-axes:]
    strides = [abs(stride) for stride, n in zip(strides, shape) if n > 1]
    return len(strides) > 1 and 0 < strides[0] < strides[-1]


def _reversed_axes(array, axes):
    """Return a view of an array whose last `axes` axes are reversed."""
    first = array.ndim - axes
    return array.transpose(*range(first), *reversed(range(first, array.ndim)))


def empty(shape, axes, dtype, transposed):
    """Return a new array without gaps. Each image is in C order, or in F order if `transposed`."""
    if not transposed:
        return np.empty(shape, dtype)
    return _reversed_axes(np.empty(shape[:-axes] + shape[-axes:][::-1], dtype), axes)


def is_contiguous(array, axes, transposed):
    """Return whether an array has the layout of `empty`."""
    return (_reversed_axes(array, axes) if transposed else array).flags.c_contiguous


def has_one_image_stride(array, axes):
    """Return whether a constant distance leads from each image of an array to the next one."""
    return image_stride_of(array.shape, array.strides, axes) is not None


def _is_masked(image):
    # NumPy imports numpy.ma at its first use.
    masked_arrays = sys.modules.get("numpy.ma")
    return masked_arrays is not None and isinstance(image, masked_arrays.MaskedArray)


class NumpyImages:
    """Arrays of NumPy, and other objects that NumPy converts to arrays."""

    on_device = False
    has_physical_axes = False

    def array(self, image):
        """Return the elements of an image."""
        if type(image) is np.ndarray:
            return checked(image)
        if _is_masked(image):
            raise TypeError(
                "masked arrays are not supported: pass image.filled(0), "
                "or image.data with mask=~np.ma.getmaskarray(image)"
            )
        if hasattr(image, "dataobj"):
            raise TypeError(
                "images of nibabel are not supported: pass np.asanyarray(image.dataobj)"
            )
        array = np.asarray(image)
        if array.dtype.kind in "OU" and array.ndim == 0:
            raise TypeError(
                f"{type(image).__name__} is not an image: pass an array or an image; read files "
                "first, for example by SimpleITK.ReadImage or nibabel.load"
            )
        return checked(array)

    def values(self, image):
        """Return the elements of an image as unsigned integers of the same bits."""
        array = np.asarray(image)
        return array.view(f"u{array.dtype.itemsize}")

    def dtype_of(self, image):
        """Return the element type of an image, in the library's own terms."""
        return np.asarray(image).dtype

    def is_bfloat16(self, image):
        """Return whether the elements are bfloat16 numbers, whose array is float32."""
        return False

    def check_mask(self, image, mask, mask_library):
        """Raise an exception if the elements of a mask are at other places."""

    def check_out(self, image, out):
        """Raise an exception if the elements of an image for results are at other places."""

    def will_write(self, image, out):
        """Prepare an image for the results of `image`: tell the library that it changes."""

    def output_values(self, out):
        """Return the array of an image for values, as unsigned integers of the same bits."""
        array = self.output(out)
        return array.view(f"u{array.dtype.itemsize}")

    def output(self, out):
        """Return the array of an image for results."""
        if not isinstance(out, np.ndarray) or _is_masked(out):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        return out

    def empty_labels(self, image, array, axes, dtype):
        """Return a new image for labels, and its array. `axes` is the number of axes of an image."""
        dtype = dtype or default_label_dtype(array.shape[-axes:])
        labels = empty(array.shape, axes, dtype, is_transposed(array, axes))
        return labels, labels

    def empty_values(self, image, array, axes, are_labels=False):
        """Return a new image of the type of `image`, and its array."""
        dtype = np.asarray(image).dtype
        values = empty(array.shape, axes, dtype, is_transposed(array, axes))
        return values, values

    def to_double(self, column):
        """Return a column of statistics as float64."""
        return column.astype(np.float64)

    def columns(self, image, columns):
        """Return columns of statistics for the library."""
        return columns


# What describes other variables, not the values.
_KEPT_ENCODING = ("coordinates", "grid_mapping")
# The attributes of the CF conventions that describe values.
_ATTRIBUTES_OF_VALUES = frozenset(
    "units standard_name long_name cell_methods valid_min valid_max valid_range actual_range "
    "flag_values flag_masks flag_meanings missing_value _FillValue _Unsigned scale_factor "
    "add_offset".split()
)


class XarrayImages(NumpyImages):
    """xarray.DataArray in host memory."""

    def array(self, image):
        return self._inner(image).array(image.data)

    def values(self, image):
        return self._inner(image).values(image.data)

    def dtype_of(self, image):
        if not self._is_data_array(image):
            return image.dtype
        return self._inner(image).dtype_of(image.data)

    def check_mask(self, image, mask, mask_library):
        if mask_library is self:
            self._check_places(image, mask, "mask")

    def check_out(self, image, out):
        if self._is_data_array(out):
            self._check_places(image, out, "out")

    @staticmethod
    def _check_places(image, other, name):
        if other.dims != image.dims:
            lacks_axes = name == "mask" and set(other.dims) < set(image.dims)
            change = "broadcast_like(image)" if lacks_axes else "transpose(*image.dims)"
            raise ValueError(
                f"{name} has the dimensions {other.dims}, and the image {image.dims}: "
                f"pass {name}.{change}"
            )
        if other.shape != image.shape:
            return  # an error of its own
        for key, coordinate in image.coords.items():
            if (
                coordinate.dims
                and key in other.coords
                and not coordinate.variable.equals(other.coords[key].variable)
            ):
                advice = f"{name}.reindex_like(image), or " if key in image.indexes else ""
                raise ValueError(
                    f"{name} has other coordinates {key!r} than the image: pass {advice}"
                    f"{name}.data if the elements are at the same places"
                )

    def output(self, out):
        if not self._is_data_array(out):
            return super().output(out)
        data = out.data
        # Values in a file are read at each access, so that results would be lost.
        if out.data is not data and not np.may_share_memory(out.data, data):
            raise ValueError("the values of out are not in memory: call out.load() first")
        return self._inner(out).output(data)

    def empty_labels(self, image, array, axes, dtype):
        data, labels = self._inner(image).empty_labels(image.data, array, axes, dtype)
        return self._with_data(image, data, are_labels=True), labels

    def empty_values(self, image, array, axes, are_labels=False):
        data, values = self._inner(image).empty_values(image.data, array, axes)
        return self._with_data(image, data, are_labels), values

    @staticmethod
    def _with_data(image, data, are_labels):
        """Return a copy of an image with other values."""
        result = image.copy(data=data)
        # The rest tells how the values of the image were packed in a file.
        result.encoding = {
            name: value for name, value in image.encoding.items() if name in _KEPT_ENCODING
        }
        if are_labels:
            for name in _ATTRIBUTES_OF_VALUES.intersection(result.attrs):
                del result.attrs[name]
        return result

    @staticmethod
    def _is_data_array(image):
        return isinstance(image, sys.modules["xarray"].DataArray)

    @classmethod
    def _inner(cls, image):
        if not cls._is_data_array(image):
            raise TypeError(
                f"pass a DataArray, not {type(image).__name__}: choose one variable of a Dataset, "
                "or pass xarray.DataArray(variable)"
            )
        inner = library_of(image.data)
        if inner.on_device:
            raise TypeError(
                "a DataArray in device memory is not supported: pass image.data, and put the "
                "result back with image.copy(data=result)"
            )
        return inner


class TorchImages(NumpyImages):
    """torch.Tensor in host memory, and its subclasses with metadata."""

    def array(self, image):
        tensor = _devices.plain_tensor(image)
        return checked((tensor.float() if self.is_bfloat16(tensor) else tensor).numpy())

    def values(self, image):
        tensor = _devices.plain_tensor(image)
        if self.is_bfloat16(tensor):
            tensor = tensor.view(sys.modules["torch"].int16)
        return super().values(tensor.numpy())

    def dtype_of(self, image):
        return image.dtype

    def output(self, out):
        _devices.check_tensor_out(out)
        if out.dtype.is_floating_point:
            raise TypeError(f"labels are integers, not {out.dtype}: out needs an integer type")
        return _devices.plain_tensor(out).numpy()

    def will_write(self, image, out):
        _devices.count_version(out)

    def output_values(self, out):
        _devices.check_tensor_out(out)
        tensor = _devices.plain_tensor(out)
        if self.is_bfloat16(tensor):
            tensor = tensor.view(sys.modules["torch"].int16)
        return super().values(tensor.numpy())

    def empty_labels(self, image, array, axes, dtype):
        labels, _ = super().empty_labels(array, array, axes, dtype)
        return self.like(image, sys.modules["torch"].from_numpy(labels)), labels

    def empty_values(self, image, array, axes, are_labels=False):
        values, _ = super().empty_values(self.values(image), array, axes)
        torch = sys.modules["torch"]
        tensor = torch.from_numpy(values.view(f"i{values.dtype.itemsize}"))
        return self.like(image, tensor.view(image.dtype)), values

    def columns(self, image, columns):
        torch = sys.modules["torch"]
        return {name: torch.from_numpy(column) for name, column in columns.items()}

    @staticmethod
    def like(image, tensor):
        """Return a tensor with the metadata of an image, if it has any."""
        if hasattr(image, "meta") and hasattr(image, "applied_operations"):
            return type(image)(tensor, meta=image.meta, applied_operations=image.applied_operations)
        return tensor

    def is_bfloat16(self, tensor):
        return tensor.dtype == sys.modules["torch"].bfloat16


def _check_geometry(geometry, of_mask):
    """Raise an exception if a mask does not occupy the physical space of an image, as ITK does."""
    first, origin, spacing, direction = geometry
    if len(first) != len(of_mask[0]):
        raise ValueError(f"mask has {len(of_mask[0])} dimensions, and the image has {len(first)}")
    tolerance = 1e-6 * spacing[0]
    same = (
        tuple(first) == tuple(of_mask[0])
        and np.allclose(origin, of_mask[1], rtol=0, atol=tolerance)
        and np.allclose(spacing, of_mask[2], rtol=0, atol=tolerance)
        and np.allclose(direction, of_mask[3], rtol=0, atol=1e-6)
    )
    if not same:
        described = [
            f"first index {tuple(g[0])}, origin {tuple(g[1])}, spacing {tuple(g[2])}, "
            f"direction {g[3].tolist()}"
            for g in (geometry, of_mask)
        ]
        raise ValueError(
            "mask does not occupy the physical space of the image: "
            f"the image has {described[0]}; the mask has {described[1]}"
        )


class PhysicalImages(NumpyImages):
    """Images with a geometry, of libraries that give a NumPy view of their elements."""

    has_physical_axes = True

    def array(self, image):
        return checked(self._view(image))

    def values(self, image):
        return super().values(self._view(image))

    def dtype_of(self, image):
        return self._view(image).dtype

    def check_mask(self, image, mask, mask_library):
        if mask_library.has_physical_axes:
            _check_geometry(self.geometry(image), mask_library.geometry(mask))


class SimpleItkImages(PhysicalImages):
    """SimpleITK.Image. Axes of statistics are x, y and z."""

    def output(self, out):
        if type(out).__module__.partition(".")[0] != "SimpleITK":
            raise TypeError("out must be a SimpleITK.Image, like the image")
        return self._writable(out)

    def empty_labels(self, image, array, axes, dtype):
        sitk = sys.modules["SimpleITK"]
        name = {"i": "sitkInt", "u": "sitkUInt"}[np.dtype(dtype or np.uint32).kind]
        bits = 8 * np.dtype(dtype or np.uint32).itemsize
        return self._empty(image, getattr(sitk, f"{name}{bits}"))

    def empty_values(self, image, array, axes, are_labels=False):
        return self._empty(image, image.GetPixelID())

    def will_write(self, image, out):
        out.CopyInformation(image)

    def geometry(self, image):
        """Return the first index, origin, spacing and direction of an image, along x, y, z."""
        dimension = image.GetDimension()
        direction = np.reshape(image.GetDirection(), (dimension, dimension))
        return (0,) * dimension, image.GetOrigin(), image.GetSpacing(), direction

    def _empty(self, image, pixel_id):
        result = sys.modules["SimpleITK"].Image(image.GetSize(), pixel_id)
        result.CopyInformation(image)
        return result, self._writable(result)

    @staticmethod
    def _view(image):
        if not hasattr(image, "GetPixelIDTypeAsString"):
            raise TypeError(f"pass a SimpleITK.Image, not {type(image).__name__}: call Execute()")
        if image.GetPixelIDTypeAsString().startswith("vector"):
            raise TypeError(
                "vector images are not supported: "
                "pass sitk.VectorIndexSelectionCast(image, 0), or another component"
            )
        if image.GetPixelIDTypeAsString().startswith("label"):
            raise TypeError("label maps are not supported: pass sitk.LabelMapToLabel(image)")
        return sys.modules["SimpleITK"].GetArrayViewFromImage(image)

    def _writable(self, image):
        # A new image may share its buffer with others until it is written to.
        image.MakeUnique()
        view = self._view(image)
        address = view.__array_interface__["data"][0]
        interface = {
            "version": 3,
            "data": (address, False),
            "shape": view.shape,
            "typestr": view.dtype.str,
        }
        return np.asarray(_Memory(interface, image))


class _Memory:
    """Memory of an object that NumPy would otherwise see as read-only."""

    def __init__(self, interface, owner):
        self.__array_interface__ = interface
        self._owner = owner


class ItkImages(PhysicalImages):
    """itk.Image. Axes of statistics are x, y and z."""

    def will_write(self, image, out):
        if out is not image:
            out.CopyInformation(image)
            out.SetRegions(image.GetBufferedRegion())
        out.Modified()

    def output(self, out):
        if not hasattr(out, "GetBufferedRegion"):
            raise TypeError("out must be an itk.Image, like the image")
        return self._view(out)

    def empty_labels(self, image, array, axes, dtype):
        itk = sys.modules["itk"]
        code = {"i": "S", "u": "U"}[np.dtype(dtype or np.uint64).kind]
        size = {1: "C", 2: "S", 4: "I", 8: "L"}[np.dtype(dtype or np.uint64).itemsize]
        try:
            image_type = itk.Image[getattr(itk, code + size), array.ndim]
        except (KeyError, AttributeError, itk.TemplateTypeError):
            raise TypeError(f"itk has no {array.ndim}-D image of {np.dtype(dtype)}") from None
        return self._empty(image, image_type)

    def empty_values(self, image, array, axes, are_labels=False):
        return self._empty(image, type(image))

    def geometry(self, image):
        """Return the first index, origin, spacing and direction of an image, along x, y, z."""
        itk = sys.modules["itk"]
        first = tuple(image.GetBufferedRegion().GetIndex())
        direction = np.asarray(itk.array_from_matrix(image.GetDirection()))
        return first, tuple(image.GetOrigin()), tuple(image.GetSpacing()), direction

    def _empty(self, image, image_type):
        result = image_type.New()
        result.CopyInformation(image)
        result.SetRegions(image.GetBufferedRegion())
        result.Allocate()
        return result, self._view(result)

    @staticmethod
    def _view(image):
        itk = sys.modules["itk"]
        if not hasattr(image, "GetBufferedRegion"):
            raise TypeError(
                f"pass an itk.Image, not {type(image).__name__}: call its Update() and GetOutput()"
            )
        if image.GetNumberOfComponentsPerPixel() != 1 or hasattr(image, "GetVectorLength"):
            raise TypeError(
                "vector images are not supported: "
                "pass itk.vector_index_selection_cast_image_filter(image), or another component"
            )
        if hasattr(image, "UpdateOutputInformation"):
            image.Update()
        array = itk.array_view_from_image(image)
        if array is None:
            raise ValueError("the itk.Image has no pixels: call its Allocate(), or read it first")
        return array


class DaskImages(NumpyImages):
    """Refuses arrays of Dask, because NumPy would compute them unseen."""

    def array(self, image):
        raise TypeError(
            "Dask arrays are not supported: pass image.compute(), "
            "or use dask_image.ndmeasure.label for arrays that do not fit in memory"
        )


_NUMPY = NumpyImages()
_DASK = DaskImages()
_HOST_LIBRARIES = {
    "SimpleITK": SimpleItkImages(),
    "dask": _DASK,
    "itk": ItkImages(),
    "numpy": _NUMPY,
    "xarray": XarrayImages(),
}
_TORCH = TorchImages()
_libraries = {np.ndarray: _NUMPY}


def _library_of_type(kind):
    if issubclass(kind, np.ndarray):
        return _NUMPY
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        if root in ("torch", "cupy"):
            return root
        if root in _HOST_LIBRARIES:
            return _HOST_LIBRARIES[root]
    return None


def library_of(image):
    """Return the library object for an image."""
    kind = type(image)
    library = _libraries.get(kind)
    if library is None:
        library = _libraries[kind] = _library_of_type(kind) or "other"
    if not isinstance(library, str):
        return library
    if library == "torch" and not getattr(image, "is_cuda", False):
        if getattr(image, "device", None) is not None and image.device.type != "cpu":
            raise TypeError(f"tensors on {image.device} are not supported: call image.cpu() first")
        return _TORCH
    return _devices.library_of(image, library) or _NUMPY
