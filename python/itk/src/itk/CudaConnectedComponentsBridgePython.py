# SPDX-License-Identifier: Apache-2.0
"""Functions over the package cuda_connected_components, in the namespace of itk.

ITK's loader executes this file and copies public names into `itk`. So imports have private names.
The package cuda_connected_components is imported by the first call.
"""

import numpy as _np

from itk.support.types import itkCType as _itkCType

# ITK's loader expects this dictionary in each of its modules.
swig = {}

_NEEDS_ARRAY = "needs an itk.Image, a numpy.ndarray or an xarray.DataArray."


def cuda_connected_component_image_filter(
    image,
    fully_connected=False,
    *,
    mask_image=None,
    background_value=0,
    ttype=None,
    output_type=None,
    device=None,
    threads=None,
):
    """Label the connected components of an image, with the labels of ITK's filter.

    The pixels of the result equal the pixels of ``itk.connected_component_image_filter`` with the
    same settings. Pixels that differ from 0 are foreground. The order of the labels is the raster
    order of the first pixels of the components.

    Parameters
    ----------
    image : itk.Image, numpy.ndarray, xarray.DataArray or an ITK filter
        Image with 2 or 3 dimensions and scalar pixels. The output of a filter is updated first.
    fully_connected : bool
        True: 8 neighbours in planes, 26 in volumes. False: 4 neighbours in planes, 6 in volumes.
    mask_image : itk.Image, numpy.ndarray or xarray.DataArray, optional
        Foreground pixels must differ from 0 in the mask, too. The mask has the size of the image.
        If both are an itk.Image, they have the same region, origin, spacing and direction.
    background_value : int
        Value of the background. If it is not 0, the labels are 0, 1, 2, ... without this value.
    ttype : pair of types, optional
        Type of the input and type of the output, as in ITK's filters:
        ``(itk.Image[itk.UC, 3], itk.Image[itk.UI, 3])``.
    output_type : type, optional
        Type of the labels: an image type, a pixel type of itk such as ``itk.UI``, or a NumPy type.
        The default is the default of ``itk.connected_component_image_filter``: the type of the
        input for 16-bit integers, else ``itk.UL`` (``numpy.uint64``).
    device : str, optional
        "cpu", "cuda" or "cuda:n", as in ``cuda_connected_components.label``.
    threads : int, optional
        Number of threads on the CPU.

    Returns
    -------
    itk.Image, numpy.ndarray or xarray.DataArray
        The labels, of the same class as `image`. An itk.Image has the region, origin, spacing and
        direction of `image`.

    Raises
    ------
    TypeError, ValueError, OverflowError
        The pixels are not scalar; the type of the output is not an integer type, or too small for
        the labels or the background value; the image has more than 3 dimensions; or the mask does
        not fit it.
    """
    from cuda_connected_components import _api, _images

    image = _updated(image)
    out, dtype = _output(image, ttype, output_type, _default_of_labels)
    if background_value:
        _check_background(background_value, dtype)
    options = _options(fully_connected, mask_image, device, threads)
    try:
        is_usual = out is not None and type(out) is _images.itk_type_of("Image", dtype, out.GetImageDimension())
    except TypeError:
        is_usual = False  # itk has another type of 8 bytes only
    # The package makes such an image, too, and writes to memory of its own faster.
    labels, _ = _api.label_image(image, options, dtype, None if is_usual else out)
    if background_value:
        _replace_background(labels, int(background_value))
    return labels


def cuda_relabel_component_image_filter(
    image,
    *,
    minimum_object_size=0,
    sort_by_object_size=True,
    ttype=None,
    output_type=None,
    threads=None,
):
    """Make the labels of an image consecutive, sorted by size.

    The pixels of the result equal the pixels of ``itk.relabel_component_image_filter`` with the
    same settings. This function runs on the CPU.

    Parameters
    ----------
    image : itk.Image, numpy.ndarray, xarray.DataArray or an ITK filter
        Image of labels with 2 or 3 dimensions and an integer type. 0 is background.
    minimum_object_size : int
        Objects of fewer pixels become background.
    sort_by_object_size : bool
        True: label 1 is the largest object. False: the order of the labels does not change.
    ttype, output_type : optional
        See ``cuda_connected_component_image_filter``. The default is the type of the input.
    threads : int, optional
        Number of threads.

    Returns
    -------
    itk.Image, numpy.ndarray or xarray.DataArray
        The labels, of the same class as `image`, with the same geometry.
    """
    import cuda_connected_components as ccc

    image = _updated(image)
    out, dtype = _output(image, ttype, output_type, lambda dtype: dtype)
    labels, count = ccc.relabel(
        image,
        order="size" if sort_by_object_size else "label",
        min_size=minimum_object_size,
        threads=threads,
        out=out,
        return_num=True,
    )
    if out is not None or dtype is None or labels.dtype == dtype:
        return labels
    if count > _np.iinfo(dtype).max:
        raise ccc.LabelOverflowError(f"{count} labels do not fit into {dtype}.")
    return labels.astype(dtype)


def cuda_keep_largest_image_filter(
    image,
    number_of_objects=1,
    fully_connected=False,
    *,
    mask_image=None,
    device=None,
    threads=None,
):
    """Keep the largest connected components of an image and set all other pixels to 0.

    The kept pixels keep their values. Of components of the same size, the function keeps the
    component with the earlier first pixel.

    Parameters
    ----------
    image : itk.Image, numpy.ndarray, xarray.DataArray or an ITK filter
        Image with 2 or 3 dimensions and scalar pixels.
    number_of_objects : int
        Number of components to keep.
    fully_connected, mask_image, device, threads : optional
        See ``cuda_connected_component_image_filter``.

    Returns
    -------
    itk.Image, numpy.ndarray or xarray.DataArray
        The image without the other components. It has the class, type and geometry of `image`.
    """
    from cuda_connected_components import _api, _images
    from cuda_connected_components._options import Selection

    image = _updated(image)
    options = _options(fully_connected, mask_image, device, threads)
    return _api.keep(image, options, Selection(k=number_of_objects))


def _options(fully_connected, mask_image, device, threads):
    """Return the options of a call. As in ITK's filters, several values give no warning."""
    from cuda_connected_components._options import Options

    mask = None if mask_image is None else _updated(mask_image)
    return Options(None if fully_connected else 1, mask=mask, device=device, threads=threads)


def _updated(image):
    """Return the image, or the output of a filter, after an update of the pipeline behind it."""
    import itk

    image = itk.output(image)
    if not isinstance(image, itk.Object):
        return image
    if hasattr(type(image), "__cuda_array_interface__"):
        raise TypeError(
            "An itk.CudaImage is not supported. Pass it to label or keep_largest of "
            "cuda_connected_components, which stay on the GPU."
        )
    pixel_type, dimension = itk.template(image)[1] if isinstance(image, itk.Image) else (None, 0)
    if not isinstance(pixel_type, _itkCType) or pixel_type is itk.B:
        raise TypeError(
            "Expected an itk.Image of integers or floating-point numbers, "
            f"not {_name_of(type(image))}."
        )
    if dimension > 3:
        raise ValueError(
            f"The image has {dimension} dimensions; 2 and 3 are supported. "
            "Extract volumes, or use ITK's own filter."
        )
    source = image.GetSource()
    if source:
        source.UpdateLargestPossibleRegion()
    return image


def _default_of_labels(dtype):
    """Return the type of the labels that itk.connected_component_image_filter gives by default."""
    return dtype if dtype.kind in "iu" and dtype.itemsize == 2 else _np.dtype(_np.uint64)


def _output(image, ttype, output_type, default):
    """Return a new itk.Image for the labels of an itk.Image, or None, and the NumPy type of the labels.

    If the user asks for no type, `default` maps the type of the input to the type of the output.
    Both are None for inputs of other libraries.
    """
    import itk
    from cuda_connected_components import _images

    is_itk = isinstance(image, itk.Object)
    if ttype is not None:
        if output_type is not None:
            raise TypeError("Give either ttype or output_type.")
        output_type = _output_of_ttype(image if is_itk else None, ttype)
    if is_itk:
        input_dtype = _dtype_of(itk.template(image)[1][0])
    else:
        input_dtype = getattr(image, "dtype", None)
    if not isinstance(input_dtype, _np.dtype):
        if output_type is None:
            return None, None
        raise TypeError(f"An output type {_NEEDS_ARRAY}")
    if output_type is None:
        output_type = default(input_dtype).newbyteorder("=")

    pixel_type = output_type
    if _is_image_type(output_type):
        pixel_type, dimension = itk.template(output_type)[1]
        if is_itk and dimension != image.GetImageDimension():
            raise TypeError(
                f"The output type {_name_of(output_type)} does not have the "
                f"{image.GetImageDimension()} dimensions of the image."
            )
    is_ctype = isinstance(pixel_type, _itkCType)
    dtype = _dtype_of(pixel_type) if is_ctype else _np.dtype(pixel_type)
    if dtype.kind not in "iu":
        raise TypeError(f"Labels need an integer type, not {_name_of(output_type)}.")
    if not is_itk:
        return None, dtype
    dimension = image.GetImageDimension()
    # Both raise a TypeError if itk has no such image.
    if is_ctype:
        image_type = itk.Image[pixel_type, dimension]
    else:
        image_type = _images.itk_type_of("Image", dtype, dimension)
    return _images.new_itk_image(image, image_type), dtype


def _output_of_ttype(image, ttype):
    """Return the output type of a pair of types, after a check of the input type."""
    types = tuple(ttype) if isinstance(ttype, (tuple, list)) else (ttype,)
    if len(types) != 2 or not all(_is_image_type(t) for t in types):
        raise TypeError("ttype must be a pair: the image type of the input and of the output.")
    if image is not None and types[0] is not type(image):
        raise TypeError(
            f"The input type in ttype is {_name_of(types[0])}, "
            f"but the image is an {_name_of(type(image))}."
        )
    return types[1]


def _is_image_type(value):
    """Return whether a value is an instantiation of itk.Image."""
    import itk

    return isinstance(value, type) and value in itk.Image.values()


def _dtype_of(pixel_type):
    """Return the NumPy type of a pixel type of itk."""
    # itk 5.4.0 has numpy.uint8 here, itk 5.4.7 has numpy.dtype("uint8").
    return _np.dtype(pixel_type.dtype)


def _name_of(value):
    """Return the name of a type as users write it."""
    import itk

    if _is_image_type(value):
        return itk.python_type(value)
    return getattr(value, "__name__", str(value))


def _check_background(value, dtype):
    """Raise an error if the labels cannot have this background value."""
    if dtype is None:
        raise TypeError(f"A background value {_NEEDS_ARRAY}")
    limits = _np.iinfo(dtype)
    if not limits.min <= value <= limits.max:
        raise OverflowError(f"The background value {value} does not fit into {dtype}.")


def _replace_background(labels, value):
    """Change background 0 and labels 1, 2, ... to another background value and labels 0, 1, ..."""
    import itk

    if isinstance(labels, itk.Object):
        pixels = _np.asarray(itk.array_view_from_image(labels))
    else:
        pixels = _np.asarray(labels)  # of a DataArray, too
    is_background = pixels == 0
    is_smaller = ~is_background
    if value > 0:
        # No label equals the background value, so larger labels do not change.
        is_smaller &= pixels <= value
    _np.subtract(pixels, 1, out=pixels, where=is_smaller)
    pixels[is_background] = value


def _init_docstring():
    """Do nothing. ITK's loader calls such a function for each function of the module."""


cuda_connected_component_image_filter_init_docstring = _init_docstring
cuda_relabel_component_image_filter_init_docstring = _init_docstring
cuda_keep_largest_image_filter_init_docstring = _init_docstring
