"""The functions of the package."""

import math
from collections.abc import Mapping

import numpy as np

from . import _arguments, _core, _exchange, _host, _images, _on_device, _settings, _table, _warnings
from ._options import DEFAULT_BACKGROUND, Holes, Options, Seeds, Selection
from ._tensors import outside_graphs


@outside_graphs
def label(
    image,
    *,
    connectivity=None,
    spatial_dims=None,
    lower=None,
    upper=None,
    by_value=False,
    background=DEFAULT_BACKGROUND,
    mask=None,
    device=None,
    threads=None,
    dtype=None,
    out=None,
    return_num=False,
):
    """Label the connected components of an image.

    Elements that are not 0 are foreground; NaN is foreground, too. The labels
    are 1, 2, 3, ... in the order of the first elements of the components in C
    index order, whatever the layout in memory. Background is 0. The labels
    equal the labels of ITK, SciPy, scikit-image and SimpleITK.

    Parameters
    ----------
    image : ndarray, itk.Image, SimpleITK.Image, xarray.DataArray, cupy.ndarray, torch.Tensor
        The image, with 1 to 3 dimensions, of bool, integers of 8 to 64 bits or
        floating-point numbers. Any other object that ``numpy.asarray`` converts
        is treated like an array.
    connectivity : int, optional
        The rank of the connectivity, from 1 (faces) to the number of
        dimensions (full), or the number of neighbors: 4 or 8 in planes, and 6,
        18 (faces and edges) or 26 in volumes. The default is full connectivity.
    spatial_dims : {None, 1, 2, 3}, optional
        The number of dimensions of an image, for arrays with a batch of images.
        The last `spatial_dims` axes are those of an image, and there may be any
        number of axes before them: ``spatial_dims=3`` for (N, C, D, H, W). Each
        image has components and labels of its own. By default, all axes are
        those of one image.
    lower, upper : number, optional
        Inclusive limits of the foreground, in place of "not 0". NaN is then
        background. Without limits, `mask` and `by_value`, NaN gives a UserWarning, and so
        do several values other than 0 that are all whole numbers: components
        join neighbors of different values.
    by_value : bool, optional
        Whether neighbors are connected only if their values are equal, as in
        images of classes. -0.0 equals 0.0, and each NaN is a component.
    background : number or None, optional
        With `by_value`, the value of the background, which the type of the
        image must have. Floating-point types round it to their nearest number.
        None stands for no background: all elements get labels. The default is
        0. With `lower` or `upper`, 0 counts as not given, and others are refused.
    mask : like image, optional
        Elements that are 0 in the mask are background.
    device : {None, "cpu", "cuda", "cuda:N"}, optional
        Where images in host memory are labeled. By default on the current GPU
        and, if it cannot be used or the image is small, on the CPU. Processes
        of multiprocessing, a DataLoader, joblib or Dask use the CPU by default,
        unless they have started CUDA. The environment variable
        ``CUDA_CONNECTED_COMPONENTS_DEVICE`` changes the default.
    threads : int, optional
        The number of threads on the CPU, see `set_num_threads`.
    dtype : dtype, optional
        The integer type of the labels. The default depends on the shape only:
        int32, and int64 if an image has 2**31 elements or more. itk and
        SimpleITK images get the types of their own filters, uint64 and uint32.
    out : like image, optional
        The labels are written to this image. It must have the shape of the
        image and an integer type, and be on its device. An itk or SimpleITK
        image gets the geometry of the input, and a MetaTensor its metadata.
    return_num : bool, optional
        Whether to return the number of components, too.

    Returns
    -------
    labels : like image
        The labels: an image of the same library, on the same device, with the
        same geometry, coordinates or metadata. Arrays are in C order or in
        Fortran order, whichever is closer to the order of the input. In a
        batch, this is the order of each image; the images are in C order.
        Tensors on a GPU are complete for later work on the current stream.
    count : int or numpy.ndarray
        The number of components. Only returned if `return_num` is true. For a
        batch, an array of int64 with the shape of the axes before those of an
        image.

    Raises
    ------
    LabelOverflowError
        There are more components than the type of the labels can count. The
        contents of `out` are then undefined.
    CudaError
        The GPU was asked for by `device`, or the image is in its memory, and it
        could not be used.
    TypeError, ValueError, MemoryError
        The arguments are not supported, or there is too little memory.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> image = np.array([[1, 1, 0, 0],
    ...                   [0, 0, 1, 0],
    ...                   [0, 0, 0, 0],
    ...                   [1, 0, 0, 1]])
    >>> ccc.label(image)
    array([[1, 1, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 0, 0],
           [2, 0, 0, 3]], dtype=int32)
    >>> labels, count = ccc.label(image != 0, connectivity=1, return_num=True)
    >>> count
    4
    >>> ccc.label(np.array([2, 5, 5, 0, 7]), lower=5, upper=7)
    array([0, 1, 1, 0, 2], dtype=int32)
    >>> ccc.label(np.array([2, 5, 5, 0, 7]), by_value=True)
    array([1, 2, 2, 0, 3], dtype=int32)
    """
    others_are_default = spatial_dims is lower is upper is mask is device is threads is dtype is out is None
    if others_are_default and (background is DEFAULT_BACKGROUND or (by_value is True and background is None)):
        found = _exchange.label(image, connectivity, bool(by_value), background is not None)
        if found is not None:
            labels, count, values = found
            _warnings.warn(values)
            return (labels, count) if return_num else labels
    options = Options(
        connectivity, spatial_dims, lower, upper, mask, device, threads, _warnings.warn, by_value, background
    )
    labels, count = label_image(image, options, dtype, out)
    return (labels, count) if return_num else labels


def label_image(image, options, dtype=None, out=None, selection=None):
    """Do the work of `label`. Return the labels and their number."""
    if dtype is not None:
        dtype = _arguments.integer_dtype(dtype)
    library, image = _images.open_image(image)
    return _memory_of(library).label(library, image, options, dtype, out, selection)


@outside_graphs
def select_at_seeds(
    image,
    seeds,
    *,
    connectivity=None,
    spatial_dims=None,
    lower=None,
    upper=None,
    mask=None,
    device=None,
    threads=None,
    spacing=None,
    dtype=None,
    out=None,
    return_num=False,
):
    """Label the components that contain seeds. All other elements are 0.

    With `lower` and `upper`, elements other than 0 are the region that ITK's
    ConnectedThresholdImageFilter grows from the seeds. If `lower` exceeds
    `upper` or a limit is NaN, that filter grows nothing, and this function
    raises a ValueError.

    Parameters
    ----------
    image : like label
        The image. See `label` for this and the other parameters.
    seeds : sequence of numbers, or sequence of sequences of numbers
        One point or several. Without `spacing`, indices of elements: in the
        order of the axes of an array, or x, y, z for itk and SimpleITK images.
        A seed in the background selects nothing. A seed outside the image is an
        error. In a batch, each image has these seeds.
    connectivity, spatial_dims, lower, upper, mask, device, threads :
        As for `label`. The connectivity of ITK's filter is 1 by default.
    spacing : number, sequence of numbers or "image", optional
        The distance of elements along each axis of an image, for example in mm.
        The seeds are then points in this unit from the first element, in the
        order of the axes. "image" stands for the geometry of an itk or
        SimpleITK image: seeds are physical points. A seed selects the element
        that is nearest to it.
    dtype : dtype, optional
        The integer type of the result. The default is uint8 for up to 255
        seeds, and otherwise as for `label`.
    out : like image, optional
        The result is written to this image, as for `label`.
    return_num : bool, optional
        Whether to return the number of components that contain seeds, too.

    Returns
    -------
    labels : like image
        The labels 1, 2, 3, ... of the components that contain seeds, in the
        order of their first elements. With one seed, a mask of 0 and 1.
    count : int or numpy.ndarray
        The number of these components, as for `label`. Only returned if
        `return_num` is true.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> image = np.array([[30, 31, 0, 33],
    ...                   [90, 32, 0, 34]])
    >>> ccc.select_at_seeds(image, (0, 1), lower=25, upper=40)
    array([[1, 1, 0, 0],
           [0, 1, 0, 0]], dtype=uint8)
    """
    options = Options(connectivity, spatial_dims, lower, upper, mask, device, threads, _warnings.warn)
    if not hasattr(seeds, "__len__"):
        seeds = list(seeds)
    if dtype is None and out is None and len(seeds) <= 255:
        dtype = "uint8"
    labels, count = label_image(image, options, dtype, out, Seeds(seeds, spacing))
    return (labels, count) if return_num else labels


@outside_graphs
def keep_largest(
    image,
    *,
    k=1,
    connectivity=None,
    spatial_dims=None,
    lower=None,
    upper=None,
    by_value=False,
    across_values=False,
    background=DEFAULT_BACKGROUND,
    mask=None,
    device=None,
    threads=None,
    out=None,
):
    """Keep the largest components of an image, and set all other elements to 0.

    Of components of the same size, the one whose first element comes first in C
    index order stays. In a batch, each image keeps its largest components.

    Parameters
    ----------
    image : like label
        The image. See `label` for this and the other parameters.
    k : int, optional
        The number of components to keep, in each image. The default is 1.
    by_value : bool, optional
        Whether neighbors are connected only if their values are equal, as in
        images of classes. Then `k` components of each value stay. Each NaN
        stays: it equals nothing, so it is the only one of its value.
    across_values : bool, optional
        With `by_value`, whether `k` components of all values together stay.
    connectivity, spatial_dims, lower, upper, background, mask, device, threads :
        As for `label`.
    out : like image, optional
        The result is written to this image of the same type. It may be `image`.

    Returns
    -------
    kept : like image
        An image of the type of the input. The elements of the components have
        their values, and all others are 0 or `background`.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> ccc.keep_largest(np.array([9, 0, 9, 9, 0, 9], dtype=np.uint8))
    array([0, 0, 9, 9, 0, 0], dtype=uint8)
    >>> ccc.keep_largest(np.array([1, 1, 2, 1, 2, 2]), by_value=True)
    array([1, 1, 0, 0, 2, 2])
    """
    k = _arguments.integer_of("k", k, 1)
    others_are_default = spatial_dims is lower is upper is mask is device is threads is out is None
    if others_are_default and by_value is across_values is False and background is DEFAULT_BACKGROUND:
        found = _exchange.keep(image, connectivity, k=k)
        if found is not None:
            kept, values = found
            _warnings.warn(values)
            return kept
    selection = Selection.of_largest(k, by_value, across_values)
    options = Options(
        connectivity, spatial_dims, lower, upper, mask, device, threads, _warnings.warn, by_value, background
    )
    return keep(image, options, selection, out)


@outside_graphs
def remove_small(
    image,
    min_size,
    *,
    connectivity=None,
    spatial_dims=None,
    lower=None,
    upper=None,
    by_value=False,
    background=DEFAULT_BACKGROUND,
    mask=None,
    device=None,
    threads=None,
    spacing=None,
    out=None,
):
    """Set the components that are smaller than a size to 0.

    Parameters
    ----------
    image : like label
        The image. See `label` for this and the other parameters.
    min_size : number or dict
        Components with ``size < min_size`` are removed. The size is a number of
        elements or, with `spacing`, a length, area or volume: a component of
        exactly `min_size` stays, up to a relative rounding error of 2e-7.
        With `by_value`, also a dictionary from values to sizes: components of
        other values stay.
    by_value : bool, optional
        Whether neighbors are connected only if their values are equal, as in
        images of classes.
    connectivity, spatial_dims, lower, upper, background, mask, device, threads :
        As for `label`.
    spacing : number, sequence of numbers or "image", optional
        The distance of elements along each axis of an image, for example in mm.
        The unit of `min_size` is then mm, mm^2 or mm^3. "image" stands for the
        spacing of an itk or SimpleITK image.
    out : like image, optional
        The result is written to this image of the same type. It may be `image`.

    Returns
    -------
    kept : like image
        An image of the type of the input. The elements of the components have
        their values, and all others are 0 or `background`.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> ccc.remove_small(np.array([9, 0, 9, 9, 0, 9], dtype=np.uint8), 2)
    array([0, 0, 9, 9, 0, 0], dtype=uint8)
    >>> ccc.remove_small(np.array([1, 2, 2, 3, 3, 3]), {2: 3, 3: 3}, by_value=True)
    array([1, 0, 0, 3, 3, 3])
    """
    others_are_default = spatial_dims is lower is upper is mask is device is threads is spacing is out is None
    if others_are_default and by_value is False and background is DEFAULT_BACKGROUND and not isinstance(min_size, Mapping):
        found = _exchange.keep(image, connectivity, min_size=_arguments.minimum_pixels(min_size, None))
        if found is not None:
            kept, values = found
            _warnings.warn(values)
            return kept
    options = Options(
        connectivity, spatial_dims, lower, upper, mask, device, threads, _warnings.warn, by_value, background
    )
    return keep(image, options, Selection.of_sizes(min_size, by_value, spacing), out)


@outside_graphs
def fill_holes(
    image,
    *,
    value=None,
    max_size=math.inf,
    connectivity=1,
    spatial_dims=None,
    lower=None,
    upper=None,
    by_value=False,
    background=DEFAULT_BACKGROUND,
    overwrite=False,
    device=None,
    threads=None,
    spacing=None,
    out=None,
):
    """Fill the holes of a mask, or those of each value of an image of classes.

    A hole is a component of the background that does not touch the border of the
    image. Axes of one element have no border.

    With `by_value`, a hole of a value is a component of all elements that do not
    have this value. All holes are those of `image`. If holes of several values
    overlap, the smallest hole wins. If two are equally large, the value that comes
    first in the image wins.

    Parameters
    ----------
    image : like label
        The image. See `label` for this and the other parameters.
    value : number, optional
        Without `by_value`, the value of filled holes. All other elements keep their
        values. The default is 1, also for masks of 0 and 255. With `lower`
        or `upper`, there is no default.
    max_size : number, optional
        Larger holes stay. The size is a number of elements, with those of other
        values inside, or the unit is that of `spacing`. The default fills all
        holes.
    connectivity : int, optional
        The connectivity of the elements of a hole, as for `label`. The default,
        1, is connectivity by faces, as in SciPy.
    spatial_dims : {None, 1, 2, 3}, optional
        As for `label`. ``spatial_dims=2`` fills the holes of each slice of a
        volume along the last two axes.
    lower, upper : number, optional
        As for `label`. They are not for `by_value`.
    device, threads :
        As for `label`.
    by_value : bool, optional
        Whether the holes of each value are filled, with the value itself.
    background : number or None, optional
        With `by_value`, the value that has no holes, and that is filled. With
        None, all values have holes.
    overwrite : bool, optional
        With `by_value`, whether elements of other values inside a hole are
        overwritten, too. By default, they stay.
    spacing : number, sequence of numbers or "image", optional
        As for `remove_small`; it is for `max_size`.
    out : like image, optional
        The result is written to this image of the same type. It may be `image`.

    Returns
    -------
    filled : like image
        An image of the type of the input.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> image = np.array([[5, 5, 5, 5],
    ...                   [5, 0, 3, 5],
    ...                   [5, 5, 5, 5]])
    >>> ccc.fill_holes(image == 5)
    array([[ True,  True,  True,  True],
           [ True,  True,  True,  True],
           [ True,  True,  True,  True]])
    >>> ccc.fill_holes(image, by_value=True)
    array([[5, 5, 5, 5],
           [5, 5, 3, 5],
           [5, 5, 5, 5]])
    """
    options = Options(
        connectivity, spatial_dims, lower, upper, None, device, threads, _warnings.warn, by_value, background
    )
    if by_value:
        if value is not None:
            raise ValueError("value is for masks: with by_value, each hole gets the value around it")
        if options.has_limits:
            raise ValueError("lower and upper are for masks: with by_value, background chooses what is filled")
        return keep(image, options, Holes(None, max_size, spacing, bool(overwrite)), out)
    if overwrite:
        raise ValueError("overwrite needs by_value=True: a mask has no other values")
    if value is None and options.has_limits:
        raise ValueError("lower and upper need value, which is written to the holes: other elements keep their values")
    return keep(image, options, Holes(1 if value is None else value, max_size, spacing), out)


def keep(image, options, selection, out=None):
    """Do the work of `keep_largest`, `remove_small` and `fill_holes`: write what a selection says."""
    library, image = _images.open_image(image)
    return _memory_of(library).keep(library, image, options, selection, out)


@outside_graphs
def relabel(
    labels,
    *,
    spatial_dims=None,
    order="size",
    min_size=0,
    k=None,
    threads=None,
    out=None,
    return_num=False,
):
    """Renumber the labels of a label image: 1, 2, 3, ... without gaps.

    The labels need not be connected, and may be any integers. 0 is background.

    Parameters
    ----------
    labels : like label
        An image of an integer type.
    spatial_dims : {None, 1, 2, 3}, optional
        As for `label`: each image of a batch has objects and labels of its own.
    order : {"size", "label"}, optional
        "size" gives label 1 to the largest object, as ITK's
        RelabelComponentImageFilter does. Of objects of the same size, the one
        with the lower old label comes first. "label" keeps the order.
    min_size : int, optional
        Objects with fewer elements become background.
    k : int, optional
        The number of largest objects to keep, in each image. The default keeps
        all.
    threads : int, optional
        The number of threads on the CPU, see `set_num_threads`.
    out : like labels, optional
        The result is written to this image of an integer type. It may be
        `labels`.
    return_num : bool, optional
        Whether to return the number of objects, too.

    Returns
    -------
    relabeled : like labels
        An image of the type of the input.
    count : int or numpy.ndarray
        The number of objects, as for `label`. Only returned if `return_num` is
        true.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> ccc.relabel(np.array([7, 0, 2, 2, 0, 2, 9, 9]))
    array([3, 0, 1, 1, 0, 1, 2, 2])
    """
    selection = Selection.of_labels(order, min_size, k)
    options = Options(spatial_dims=spatial_dims, threads=threads)
    library, labels = _images.open_image(labels)
    result, count = _memory_of(library).relabel(library, labels, options, order, selection, out)
    return (result, count) if return_num else result


@outside_graphs
def component_statistics(
    image,
    *,
    connectivity=None,
    spatial_dims=None,
    lower=None,
    upper=None,
    by_value=False,
    background=DEFAULT_BACKGROUND,
    mask=None,
    device=None,
    threads=None,
    spacing=None,
    properties=_table.DEFAULT_PROPERTIES,
):
    """Measure the connected components of an image, without a label image.

    Parameters
    ----------
    image : like label
        The image that `label` would label. Labels need `by_value`: otherwise,
        all elements other than 0 are foreground, so that objects that touch
        become one.
    connectivity, spatial_dims, lower, upper, by_value, background, mask, device, threads :
        As for `label`.
    spacing : number, sequence of numbers or "image", optional
        The distance of elements along each axis of an image. It scales areas
        and centroids. "image" stands for the geometry of an itk or SimpleITK
        image: areas are in the unit of its spacing, and centroids are physical
        points.
    properties : sequence of str, optional
        The properties to compute, named as in
        ``skimage.measure.regionprops_table``:

        - "label": the label that `label` gives to the component
        - "value": the value of its elements, in the type of the image; only
          with `by_value`, and then one of the default properties
        - "num_pixels": the number of elements
        - "area": the length, area or volume
        - "bbox": the box; starts and ends (exclusive) along each axis, in elements
        - "centroid": the mean position
        - "area_bbox": the length, area or volume of the box
        - "extent": area / area_bbox
        - "equivalent_diameter_area": the diameter of a ball of the same area
        - "touches_border": whether the component reaches the border of the image.
          An axis of length 1 has no border

    Returns
    -------
    columns : dict
        A one-dimensional array for each column: ``bbox-0``, ``centroid-1``, ...
        The rows are in the order of the labels. The axes are in the order of
        the array, or x, y, z for itk and SimpleITK images. Without `spacing`,
        areas are numbers of elements and centroids are indices. Columns for
        arrays on a device are on this device. The table of a batch starts with
        ``image-0``, ``image-1``, ...: the indices of the image along the axes
        before those of an image. Labels and places are those in this image.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> columns = ccc.component_statistics(np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]]))
    >>> columns["area"], columns["centroid-1"]
    (array([2., 1.]), array([0.5, 2. ]))

    ``pandas.DataFrame(columns)`` is a table.
    """
    others_are_default = spatial_dims is lower is upper is mask is device is threads is spacing is None
    if others_are_default and by_value is False and background is DEFAULT_BACKGROUND and properties is _table.DEFAULT_PROPERTIES:
        found = _exchange.measure(image, connectivity)
        if found is not None:
            columns, values = found
            _warnings.warn(values)
            return columns
    properties = _table.checked_of_components(properties, by_value)
    options = Options(
        connectivity, spatial_dims, lower, upper, mask, device, threads, _warnings.warn, by_value, background
    )
    library, image = _images.open_image(image)
    call, columns = _memory_of(library).measure(library, image, options, _table.columns_for(properties))
    axes, geometry = _places(library, image, call, spacing)
    arguments = (columns, axes, geometry, properties, call.leading, library.to_double)
    if not library.on_device:
        return library.columns(image, _table.make_table(*arguments))
    with library.on_device_of(image):
        return library.run(_table.make_table, *arguments)


@outside_graphs
def label_statistics(
    labels,
    intensities=None,
    *,
    spatial_dims=None,
    background=0,
    device=None,
    threads=None,
    spacing=None,
    properties=_table.DEFAULT_PROPERTIES,
):
    """Measure the labels of a label image.

    The labels are any integers, and need not be connected. Only those that occur
    have a row. `component_statistics` measures connected components instead.

    Parameters
    ----------
    labels : like label
        An image of an integer type.
    intensities : like labels, optional
        A second image of the same shape, whose elements are measured: of bool,
        integers, float32 or float64.
    spatial_dims : {None, 1, 2, 3}, optional
        As for `label`: each image of a batch has labels of its own.
    background : int or None, optional
        The label that is not measured. None measures all. The default is 0.
    device, threads :
        As for `label`.
    spacing : number, sequence of numbers or "image", optional
        As for `component_statistics`.
    properties : sequence of str, optional
        The properties to compute: those of `component_statistics` except
        "value", and

        - "label": the label itself, in the type of the image
        - "first_element": the index of the first element in C index order
        - "covariance": the mean products of the distances from the centroid along
          two axes
        - "intensity_mean", "intensity_min", "intensity_max", "intensity_std",
          "intensity_sum": of the elements of `intensities`, as float64. If one is
          NaN, "intensity_min" and "intensity_max" leave it out, and the others
          are NaN. The standard deviation of one element is 0

    Returns
    -------
    columns : dict
        A one-dimensional array for each column, as for `component_statistics`.
        The rows are in ascending order of the labels, in each image of a batch.

    Examples
    --------
    >>> import numpy as np
    >>> import cuda_connected_components as ccc
    >>> columns = ccc.label_statistics(np.array([[7, 7, 0], [0, 0, -2], [7, 0, -2]]))
    >>> columns["label"], columns["area"]
    (array([-2,  7]), array([2., 3.]))
    """
    others_are_default = intensities is spatial_dims is device is threads is spacing is None
    if others_are_default and type(background) is int and background == 0 and properties is _table.DEFAULT_PROPERTIES:
        columns = _exchange.measure_labels(labels)
        if columns is not None:
            return columns
    properties = _table.checked_of_labels(properties, intensities is not None)
    options = Options(None, spatial_dims, device=device, threads=threads, by_value=True, background=background)
    library, labels = _images.open_image(labels)
    call, columns = tabulate(library, labels, options, _table.columns_for(properties), intensities)
    columns["label"] = columns["value"]
    axes, geometry = _places(library, labels, call, spacing)
    shape = call.shape[-call.axes :]
    strides = [(math.prod(shape[axis + 1 :]), length) for axis, length in enumerate(shape)]
    if library.has_physical_axes:
        strides.reverse()
    table = _table.make_table(columns, axes, geometry, properties, call.leading, _to_double, strides)
    if not library.on_device:
        return library.columns(labels, table, ("label",))
    with library.on_device_of(labels):
        return library.table_from_host(table, call.array)


def tabulate(library, labels, options, wanted, intensities=None):
    """Measure the labels of an image: do the work of `label_statistics`.

    Return the call, and the columns as arrays of NumPy. The rows are in ascending order of the
    labels, in each image of a batch.
    """
    wanted = {*wanted, "values"}
    call, columns = _memory_of(library).tabulate(library, labels, options._replace(whole_values=True), wanted, intensities)
    counts = columns.pop("counts", None)
    order = columns["value"].argsort(kind="stable")
    if counts is not None:
        images = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        order = order[images[order].argsort(kind="stable")]
        columns["image"] = images
    return call, {name: column[order] for name, column in columns.items()}


def _places(library, image, call, spacing):
    """Return the letters of the axes of an image in the columns of a table, and the geometry."""
    # The columns are along the axes of the extension module: x is the last axis in C order.
    axes = "xyz"[: call.axes]
    if not call.transposed and not library.has_physical_axes:
        axes = axes[::-1]
    return axes, _arguments.geometry_of(library, image, spacing, call.axes)


def _to_double(column):
    return column.astype(np.float64)


def _memory_of(library):
    """Return the module that works on the images of a library."""
    return _on_device if library.on_device else _host


def backend_info():
    """Return what the package runs on.

    Returns
    -------
    info : dict
        - "version": the version of the package
        - "cuda_built": whether the package was built with CUDA
        - "cuda_runtime": the version of CUDA that the package was built with,
          for example "12.9"; None without CUDA
        - "cuda_driver": the newest version of CUDA that the NVIDIA driver
          supports; None without a driver, or if the package has no CUDA
        - "cuda_reason": why the GPU cannot be used, and what to do; an empty
          string if it can be used. This starts CUDA, which takes some tenths of
          a second at the first call, but not in a child process whose default
          is the CPU
        - "threads": the default number of threads on the CPU
        - "device_memory_limit": see `set_device_memory_limit`; None without a limit
        - "last_backend": "cuda" or "cpu", for the last call on this thread
        - "last_reason": why the last call did not use the GPU, or an empty string
        - "last_slabs": in how many slabs the last call went through the GPU: 1 for
          a whole image, 0 without a GPU; see `set_device_memory_limit`
        - "held_device_bytes", "held_pinned_bytes": memory that is kept for the
          next calls, see `trim_memory`
    """
    info = {"version": _core.__version__, **_core.describe_backend()}
    is_child = _settings.backend(None) == _core.CHILD_BACKEND
    info["cuda_reason"] = (
        _core.CHILD_REASON if is_child else _core.why_no_device(_core.CURRENT_DEVICE)
    )
    info["threads"] = _settings.threads(None)
    return info


def set_num_threads(n):
    """Set the number of threads on the CPU for calls without `threads`.

    Parameters
    ----------
    n : int or None
        The number of threads. None restores the default: the environment
        variable ``CUDA_CONNECTED_COMPONENTS_THREADS``; else 1 in a worker of
        PyTorch's DataLoader; else ``torch.get_num_threads()`` if torch is
        imported, or the variable ``OMP_NUM_THREADS``, but no more than the
        processors that the process may use by its CPU affinity and by the
        quota of its container. Calls at the same time share the threads.
    """
    _settings.set_threads(n)


def set_device_memory_limit(n):
    """Limit the GPU memory of calls on arrays in host memory.

    An array that needs more memory goes through the GPU in slabs; the results are
    the same. Arrays that live on the GPU, and memory of CUDA itself, have no limit.
    Without a limit, an array goes through the GPU in slabs if the GPU has too little
    memory for the whole.

    Parameters
    ----------
    n : int or None
        The most bytes of GPU memory of each call, with the memory that is kept for
        the next calls. Kept memory above the limit is released at once. None restores
        the default: the environment variable
        ``CUDA_CONNECTED_COMPONENTS_DEVICE_MEMORY_LIMIT``, such as ``1GiB``, which is
        read once; else no limit.
    """
    limit = None if n is None else min(_arguments.integer_of("n", n, 1), 2**64 - 1)
    _core.set_device_memory_limit(limit)


def trim_memory():
    """Release the GPU memory and pinned memory that is kept for the next calls."""
    _core.trim_memory()
