"""Images of NumPy, itk, SimpleITK, xarray and PyTorch in host memory, and of itk on a device.

A library object tells how to read the elements of an image as a NumPy array,
and how to make an image of the same library for results. No library but NumPy
is imported before one of its objects comes in.
"""

import sys

import numpy as np

from . import _core, _devices, _tensors
from ._arguments import BFLOAT16, Geometry, image_stride_of

_SUPPORTED = "bool, integers of 8 to 64 bits, float16, float32 and float64"


def as_numbers(array):
    """Return an array in which NumPy knows the numbers of bfloat16, too."""
    if array.dtype != BFLOAT16:
        return array
    return (array["bfloat16"].astype(np.uint32) << 16).view(np.float32)


def checked(array):
    """Return an array whose elements the extension module can read.

    Copies arrays of other byte orders and arrays that are not aligned.
    """
    dtype = array.dtype
    if dtype != BFLOAT16 and (dtype.kind not in "biuf" or dtype.itemsize > 8):
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
    label_dtype: "type | None" = None  # the type of labels, or None for a type by the shape

    def in_memory(self, image):
        """Return an image whose elements are in memory.

        The elements of other arrays, such as those of Zarr and h5py, are read: it is the only time.
        """
        if isinstance(image, np.ndarray):
            return image
        if isinstance(image, (list, tuple)) and image and hasattr(library_of(image[0]), "geometry"):
            raise TypeError(
                f"a {type(image).__name__} of images of {type(image[0]).__module__.partition('.')[0]} "
                "is not an image: call the function for each of them"
            )
        if hasattr(image, "dataobj"):
            raise TypeError(
                "images of nibabel are not supported: pass np.asanyarray(image.dataobj)"
            )
        if hasattr(image, "toarray"):
            raise TypeError(
                f"sparse arrays such as {type(image).__name__} are not supported: "
                "pass image.toarray()"
            )
        array = np.asarray(image)
        if array.dtype.kind in "OU" and array.ndim == 0:
            raise TypeError(
                f"{type(image).__name__} is not an image: pass an array or an image; read files "
                "first, for example by SimpleITK.ReadImage or nibabel.load"
            )
        return array

    def elements(self, image):
        """Return the elements of an image in memory as an array."""
        if _is_masked(image):
            raise TypeError(
                "masked arrays are not supported: pass image.filled(0), or, to a function with mask=, "
                "image.data and mask=~np.ma.getmaskarray(image)"
            )
        return np.asarray(image)

    def array(self, image):
        """Return the elements of an image as an array that the extension module can read."""
        return checked(self.elements(image))

    def refuse_gradients(self, image):
        """Raise an exception if the library would differentiate a result with values of an image."""

    def check_mask(self, image, mask, mask_library, name="mask"):
        """Raise an exception if the elements of a mask are at other places."""

    def check_out(self, image, out):
        """Raise an exception if the elements of an image for results are at other places."""

    def will_write(self, image, out):
        """Tell the library that the elements of an image for results change."""

    def copy_metadata(self, image, out):
        """Give an image that has the results of `image` its metadata."""

    def output(self, out):
        """Return the array of an image for results."""
        if not isinstance(out, np.ndarray) or _is_masked(out):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        return out

    def empty(self, image, array, axes, dtype=None, are_labels=False):
        """Return a new image of the shape and the order of an image, and its array.

        `array` has the elements of the image, and `axes` is the number of axes of one of its images.
        `dtype` is the type of labels, or None for the type of the image.
        """
        dtype = dtype or self.elements(image).dtype
        result = empty(array.shape, axes, dtype, is_transposed(array, axes))
        return result, result

    def to_double(self, column):
        """Return a column of statistics as float64."""
        return column.astype(np.float64)

    def columns(self, image, columns, values=("value",)):
        """Return columns of statistics for the library. Those named in `values` have the type of the image."""
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

    def in_memory(self, image):
        if not self._is_data_array(image):
            raise TypeError(
                f"pass a DataArray, not {type(image).__name__}: choose one variable of a Dataset, "
                "or pass xarray.DataArray(variable)"
            )
        data = image.data  # reads the values of a file
        library = library_of(data)
        if library.on_device:
            raise TypeError(
                "a DataArray in device memory is not supported: pass image.data, and put the "
                "result back with image.copy(data=result)"
            )
        return image.copy(deep=False, data=library.in_memory(data))

    def elements(self, image):
        return self._inner(image).elements(image.data)

    def check_mask(self, image, mask, mask_library, name="mask"):
        if mask_library is self:
            self._check_places(image, mask, name)

    def check_out(self, image, out):
        if self._is_data_array(out):
            self._check_places(image, out, "out")

    @staticmethod
    def _check_places(image, other, name):
        if other.dims != image.dims:
            lacks_axes = name != "out" and set(other.dims) < set(image.dims)
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

    def copy_metadata(self, image, out):
        # The encoding tells how the old values of `out` were packed. It would change the results in a file.
        if self._is_data_array(out) and out is not image:
            out.encoding = self._kept_encoding(out)

    def output(self, out):
        if not self._is_data_array(out):
            return super().output(out)
        data = out.data
        # Values in a file are read at each access, so that results would be lost.
        if out.data is not data and not np.may_share_memory(out.data, data):
            raise ValueError("the values of out are not in memory: call out.load() first")
        return self._inner(out).output(data)

    def empty(self, image, array, axes, dtype=None, are_labels=False):
        data, elements = self._inner(image).empty(image.data, array, axes, dtype)
        return self.like(image, data, are_labels or dtype is not None), elements

    @classmethod
    def like(cls, image, data, are_labels):
        """Return values of the elements of a DataArray as a DataArray."""
        result = image.copy(data=data)
        result.encoding = cls._kept_encoding(image)
        if are_labels:
            for name in _ATTRIBUTES_OF_VALUES.intersection(result.attrs):
                del result.attrs[name]
        return result

    @staticmethod
    def _kept_encoding(image):
        """Return the encoding of an image without what tells how its values were packed in a file."""
        return {name: value for name, value in image.encoding.items() if name in _KEPT_ENCODING}

    @staticmethod
    def _is_data_array(image):
        return isinstance(image, sys.modules["xarray"].DataArray)

    @staticmethod
    def _inner(image):
        """Return the library object for the values of a DataArray."""
        return library_of(image.data)


class TorchImages(NumpyImages):
    """torch.Tensor in host memory, and its subclasses with metadata."""

    refuse_gradients = staticmethod(_tensors.refuse_gradients)
    check_mask = staticmethod(_tensors.check_mask)
    will_write = staticmethod(_tensors.will_write)
    copy_metadata = staticmethod(_tensors.copy_metadata)

    def in_memory(self, image):
        return image

    def elements(self, image):
        torch, tensor = sys.modules["torch"], _tensors.plain_tensor(image)
        if tensor.dtype == torch.bfloat16:
            return tensor.view(torch.int16).numpy().view(BFLOAT16)
        return tensor.numpy()

    def output(self, out):
        _tensors.check_out(out)
        if out.device.type != "cpu":
            raise ValueError("out must be on the device of the image")
        return self.elements(out)

    def empty(self, image, array, axes, dtype=None, are_labels=False):
        if dtype is not None:
            _tensors.check_label_type(dtype, "pass another dtype, for example int32")
        elements, _ = super().empty(image, array, axes, dtype)
        tensor = sys.modules["torch"].from_numpy(elements) if dtype is not None else self._tensor_of(image, elements)
        return _tensors.like(image, tensor), elements

    def columns(self, image, columns, values=("value",)):
        torch = sys.modules["torch"]
        return {
            name: self._tensor_of(image, column) if name in values else torch.from_numpy(column)
            for name, column in columns.items()
        }

    @staticmethod
    def _tensor_of(image, elements):
        """Return elements of the type of an image as a tensor."""
        return sys.modules["torch"].from_numpy(elements.view(f"i{elements.itemsize}")).view(image.dtype)


def _check_geometry(geometry, of_mask, name):
    """Raise an exception if a mask, or another second image, does not occupy the physical space of an image, as ITK does."""
    if len(geometry.first) != len(of_mask.first):
        raise ValueError(
            f"{name} has {len(of_mask.first)} dimensions, and the image has {len(geometry.first)}"
        )
    length = 1e-6 * geometry.spacing[0]
    is_same = geometry.first == of_mask.first and all(
        np.allclose(of_image, other, rtol=0, atol=tolerance)
        for of_image, other, tolerance in zip(geometry[1:], of_mask[1:], (length, length, 1e-6))
    )
    if not is_same:
        described = [
            f"first index {g.first}, origin {g.origin}, spacing {g.spacing}, "
            f"direction {g.direction.tolist()}"
            for g in (geometry, of_mask)
        ]
        raise ValueError(
            f"{name} does not occupy the physical space of the image: "
            f"the image has {described[0]}; {name} has {described[1]}"
        )


class PhysicalImages(NumpyImages):
    """Images with a geometry, of libraries that give a NumPy view of their elements."""

    has_physical_axes = True

    def in_memory(self, image):
        self.elements(image)  # checks the type, and updates the pipeline of itk
        return image

    def size_of(self, image):
        """Return the number of elements along x, y, z."""
        return self.elements(image).shape[::-1]

    def check_mask(self, image, mask, mask_library, name="mask"):
        if mask_library.has_physical_axes:
            _check_geometry(self.geometry(image), mask_library.geometry(mask), name)


class SimpleItkImages(PhysicalImages):
    """SimpleITK.Image. Axes of statistics are x, y and z."""

    label_dtype = np.uint32

    def output(self, out):
        if type(out).__module__.partition(".")[0] != "SimpleITK":
            raise TypeError("out must be a SimpleITK.Image, like the image")
        return self._writable(out)

    def empty(self, image, array, axes, dtype=None, are_labels=False):
        sitk, pixel_id = sys.modules["SimpleITK"], image.GetPixelID()
        if dtype is not None:
            name = {"i": "sitkInt", "u": "sitkUInt"}[dtype.kind]
            pixel_id = getattr(sitk, f"{name}{8 * dtype.itemsize}")
        result = sitk.Image(image.GetSize(), pixel_id)
        result.CopyInformation(image)
        return result, self._writable(result)

    def copy_metadata(self, image, out):
        out.CopyInformation(image)

    def geometry(self, image):
        """Return the first index, origin, spacing and direction of an image, along x, y, z."""
        dimension = image.GetDimension()
        direction = np.reshape(image.GetDirection(), (dimension, dimension))
        return Geometry((0,) * dimension, image.GetOrigin(), image.GetSpacing(), direction)

    def elements(self, image):
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
        view = self.elements(image)
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

    label_dtype = np.uint64

    def copy_metadata(self, image, out):
        if out is not image:
            out.CopyInformation(image)
            out.SetRegions(image.GetBufferedRegion())
        out.Modified()

    def output(self, out):
        if not hasattr(out, "GetBufferedRegion"):
            raise TypeError("out must be an itk.Image, like the image")
        if _is_itk_cuda_image(type(out)):
            raise TypeError("out is in device memory, and the image is in host memory")
        return self.elements(out)

    def empty(self, image, array, axes, dtype=None, are_labels=False):
        kind = type(image) if dtype is None else itk_type_of("Image", dtype, array.ndim)
        result = new_itk_image(image, kind)
        return result, self.elements(result)

    def geometry(self, image):
        """Return the first index, origin, spacing and direction of an image, along x, y, z."""
        itk = sys.modules["itk"]
        first = tuple(image.GetBufferedRegion().GetIndex())
        direction = np.asarray(itk.array_from_matrix(image.GetDirection()))
        return Geometry(first, tuple(image.GetOrigin()), tuple(image.GetSpacing()), direction)

    def elements(self, image):
        _update_itk_image(image)
        array = sys.modules["itk"].array_view_from_image(image)
        if array is None:
            raise ValueError("the itk.Image has no pixels: call its Allocate(), or read it first")
        return array


def _update_itk_image(image):
    """Run the pipeline of an image of itk. Raise an exception if a pixel is not one number."""
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


def itk_type_of(template, dtype, ndim):
    """Return the type of images of an integer type. `template` is a name in itk."""
    itk, dtype = sys.modules["itk"], np.dtype(dtype)
    # IT and OT have 8 bytes; UL and SL have 4 on Windows.
    names = {"i1": "SC", "u1": "UC", "i2": "SS", "u2": "US", "i4": "SI", "u4": "UI", "i8": "OT", "u8": "IT"}
    try:
        return getattr(itk, template)[getattr(itk, names[dtype.str[1:]]), ndim]
    except (KeyError, AttributeError, itk.TemplateTypeError):
        raise TypeError(f"itk has no {ndim}-D {template} of {dtype}") from None


def new_itk_image(image, image_type):
    """Return a new image of a type, with the geometry of an image."""
    result = image_type.New()
    result.CopyInformation(image)
    result.SetRegions(image.GetBufferedRegion())
    result.Allocate()
    return result


class ItkCudaImages(_devices.GaplessImages):
    """itk.CudaImage, of the module CudaCommon. Its memory is on ITK's device. itk allocates the results."""

    functions = ("label", "keep")
    has_physical_axes = True
    label_dtype = np.uint64
    geometry = ItkImages.geometry
    check_mask = PhysicalImages.check_mask

    def will_write(self, image, out):
        # A later change of the region would discard the memory on the device.
        if out is not image:
            out.SetRegions(image.GetBufferedRegion())

    def copy_metadata(self, image, out):
        if out is not image:
            out.CopyInformation(image)
        out.Modified()

    def plain(self, image):
        if not _is_itk_cuda_image(type(image)):
            raise TypeError(f"pass an itk.CudaImage, not {type(image).__name__}")
        _update_itk_image(image)
        if self._pointer_to(image) is None:
            raise ValueError("the itk.CudaImage has no pixels: call its Allocate() first")
        return image

    def size_of(self, image):
        """Return the number of elements along x, y, z."""
        return tuple(image.GetBufferedRegion().GetSize())

    def device_of(self, image):
        # itk makes its device the current one.
        return _core.CURRENT_DEVICE

    def address_of(self, image):
        return int(self._pointer_to(image))

    def new_array(self, image, shape, dtype):
        if dtype == self.name_of(image.dtype):
            return new_itk_image(image, type(image))
        return new_itk_image(image, itk_type_of("CudaImage", dtype, len(shape)))

    def assign(self, out, values):
        raise ValueError("an itk.CudaImage for results must not overlap the image or the mask")

    @staticmethod
    def _pointer_to(image):
        """Return the pointer to the pixels in device memory. itk copies newer ones of the host first."""
        return image.GetCudaDataManager().GetGPUBufferPointer()


class DaskImages(NumpyImages):
    """Refuses arrays of Dask, because NumPy would compute them unseen."""

    def in_memory(self, image):
        raise TypeError(
            "Dask arrays have functions of their own: use cuda_connected_components.dask, "
            "or pass image.compute()"
        )


_NUMPY = NumpyImages()
_ITK = ItkImages()
_ITK_CUDA = ItkCudaImages()
_HOST_LIBRARIES = {
    "SimpleITK": SimpleItkImages(),
    "dask": DaskImages(),
    "itk": _ITK,
    "numpy": _NUMPY,
    "xarray": XarrayImages(),
}
_TORCH = TorchImages()
_libraries = {np.ndarray: _NUMPY}


def _packages_of(kind):
    """Return the packages of a class and of its base classes."""
    return [base.__module__.partition(".")[0] for base in kind.__mro__]


def _host_library_of(kind):
    """Return the library object for images of a class that are in host memory."""
    packages = ["numpy"] if issubclass(kind, np.ndarray) else _packages_of(kind)
    return next((_HOST_LIBRARIES[name] for name in packages if name in _HOST_LIBRARIES), _NUMPY)


def _is_itk_cuda_image(kind):
    return hasattr(kind, "__cuda_array_interface__") and _host_library_of(kind) is _ITK


def _library_of_type(kind):
    """Return the library object for images of a class, or a name for `_devices.library_of`."""
    for package in _packages_of(kind):
        if package in ("torch", "cupy"):
            return package
    if _is_itk_cuda_image(kind):
        return _ITK_CUDA
    # Whoever can be in device memory is asked for it first, also if there is a view in host memory.
    of_numpy = getattr(np.ndarray, "__dlpack_device__", None)
    if (
        hasattr(kind, "__cuda_array_interface__")
        or getattr(kind, "__dlpack_device__", of_numpy) is not of_numpy
        or not any(name in _HOST_LIBRARIES for name in _packages_of(kind))
    ):
        return "other"
    return _host_library_of(kind)


def library_of(image):
    """Return the library object for an image."""
    kind = type(image)
    library = _libraries.get(kind)
    if library is None:
        library = _libraries[kind] = _library_of_type(kind)
    if not isinstance(library, str):
        return library
    if library == "torch" and not getattr(image, "is_cuda", False):
        if getattr(image, "device", None) is not None and image.device.type != "cpu":
            if image.device.type == "meta":
                raise TypeError("meta tensors have no elements: pass a tensor on the CPU or a GPU")
            raise TypeError(f"tensors on {image.device} are not supported: call image.cpu() first")
        return _TORCH
    return _devices.library_of(image, library) or _host_library_of(kind)


def array_of(image):
    """Return an array in device memory as it is, and another object as a NumPy array.

    Drop-ins for functions on arrays call it. It refuses objects that `numpy.asarray` misreads or computes.
    It ignores the mask of a masked array, as the originals do.
    """
    library = library_of(image)
    if library.on_device:
        return image
    if isinstance(library, SimpleItkImages):
        raise TypeError("an image of SimpleITK is not an array: pass SimpleITK.GetArrayViewFromImage(image)")
    image = library.in_memory(image)
    return np.asarray(image) if _is_masked(image) else library.elements(image)


def open_image(image):
    """Return the library object for an image, and the image with its elements in memory."""
    library = library_of(image)
    return library, image if library.on_device else library.in_memory(image)
