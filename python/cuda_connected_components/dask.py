"""Connected components of Dask arrays, which may be larger than the memory.

The labels are those of the whole image, for any chunks. Nothing is computed before the results are asked for.

>>> import dask.array as da
>>> from cuda_connected_components import dask as ccd
>>> image = da.from_array([[1, 0, 0, 1], [0, 1, 0, 1]], chunks=2)
>>> labels, count = ccd.label(image)
>>> labels.compute()
array([[1, 0, 0, 2],
       [0, 1, 0, 2]], dtype=int32)
>>> int(count)
2
"""

import functools
import operator
import os

import numpy as np

from . import _arguments, _blocks, _images, _table
from ._dask_graph import Call, Task, TaskRef, Tree
from ._options import DEFAULT_BACKGROUND, Options, Selection

__all__ = ["component_statistics", "keep_largest", "label", "label_statistics", "relabel", "remove_small"]


def label(
    image,
    *,
    connectivity=None,
    mask=None,
    by_value=False,
    background=DEFAULT_BACKGROUND,
    spatial_dims=None,
    dtype=None,
    order="raster",
    device=None,
    scratch=None,
):
    """Label the connected components of a Dask array.

    By default, each chunk is labeled twice: before and after the components of all chunks are joined. So
    the chunks of the image are computed twice, and no labels are kept meanwhile. See `scratch`.

    Parameters
    ----------
    image : dask.array.Array or xarray.DataArray
        The image, with chunks of NumPy or CuPy of known sizes. For its types and the other parameters, see
        `cuda_connected_components.label`.
    mask : like image, or numpy.ndarray, optional
        Pixels that are 0 in the mask are background. A Dask array has the chunks of the image.
    connectivity, by_value, background, spatial_dims :
        As for `cuda_connected_components.label`.
    dtype : dtype, optional
        The integer type of the labels. The default is int32, and int64 if an image has 2**31 elements or
        more.
    order : {"raster", "block"}, optional
        "raster" gives the labels of the whole image, for any chunks. "block" numbers the components chunk
        by chunk, in an order that depends on the chunks. It needs less memory, and less traffic: see the
        page.
    device : {None, "cpu", "cuda", "cuda:N"}, optional
        Where chunks are labeled. The default is the CPU, and the GPU for chunks of CuPy. The environment
        variable ``CUDA_CONNECTED_COMPONENTS_DEVICE`` changes the default. "cuda" gives the chunks to all
        GPUs of the worker in turns, by their numbers. A worker process has up to three chunks at a
        time on a GPU.
    scratch : {None, "memory"} or path, optional
        Where the labels of the chunks are kept, so that each chunk of the image is computed and labeled
        once. "memory" keeps them in the memory of the workers, and a path in files of a folder that all
        workers see. The caller deletes them.

    Returns
    -------
    labels : like image
        The labels 1, 2, 3, ...: an array with the chunks of the image, or a DataArray.
    count : dask.array.Array
        The number of components: an array without axes. For a batch, an array with the shape of the axes
        before those of an image.

    Raises
    ------
    LabelOverflowError
        There are more components than the type of the labels can count.
    TypeError, ValueError, CudaError
        As for `cuda_connected_components.label`. Computations raise `CudaError` if the GPU was asked for
        and fails.
    """
    options = Options(connectivity, spatial_dims, device=device, by_value=by_value, background=background)
    if order not in ("raster", "block"):
        raise ValueError(f'order must be "raster" or "block", not {order!r}')
    call = Call(image, mask, options)
    dtype = np.dtype(
        _arguments.default_label_dtype(call.shape) if dtype is None else _arguments.integer_dtype(dtype)
    )
    work = call.work(by_first_pixel=order == "raster")
    call.start("label", work, dtype, scratch)
    if scratch is None:
        blocks = _label_chunks(call, work)
    else:
        blocks, kept = _keep_labels(call, work, scratch)
    tree = Tree(call, blocks, work.by_first_pixel)
    count = tree.counts()
    labels_of_images = functools.partial(_blocks.labels_of_images, dtype=dtype)
    of_chunks, ends = tree.down("compose-labels", labels_of_images, _blocks.compose_labels)
    if scratch is None:
        function = functools.partial(_blocks.relabel_chunk, work=work, dtype=dtype)
        labels = call.blockwise("relabel-chunk", function, call.pixels_after(ends, blocks, of_chunks))
    else:
        function = functools.partial(_blocks.relabel_kept, work=work, dtype=dtype)
        labels = call.blockwise("relabel-chunk", function, [kept, of_chunks])
    return call.result(labels, dtype, are_labels=True), count


def label_and_measure(
    image,
    selection,
    properties,
    *,
    connectivity=None,
    mask=None,
    by_value=False,
    background=DEFAULT_BACKGROUND,
    spatial_dims=None,
    dtype=None,
    order="raster",
    device=None,
    scratch=None,
):
    """Label and measure the components that a selection keeps, for the command of `zarr.py`.

    All of it takes the two passes of `label`. Return the labels, their number as in `label`, and the columns
    of the table as in `component_statistics`.
    """
    options = Options(connectivity, spatial_dims, device=device, by_value=by_value, background=background)
    call = Call(image, mask, options)
    dtype = np.dtype(
        _arguments.default_label_dtype(call.shape) if dtype is None else _arguments.integer_dtype(dtype)
    )
    finish = call.finish(None, properties)
    columns = (
        *_table.columns_for(properties),
        *(["values"] if selection.per_value and "value" not in properties else []),
    )
    # Of equal components, the one that comes first stays.
    work = call.work(by_first_pixel=order == "raster" or bool(selection.k), measured=True, columns=columns)
    call.start("label-and-measure", work, selection, properties, dtype, scratch)
    if scratch is None:
        blocks = _label_chunks(call, work)
    else:
        blocks, kept = _keep_labels(call, work, scratch)
    tree = Tree(call, blocks, work.by_first_pixel)
    select = functools.partial(
        _blocks.number_selected, work=work, dtype=call.dtype, selection=selection, label_dtype=dtype
    )
    selected, layer = tree.of_images("select-components", select)
    count = tree.counts(selected, layer)
    table = call.columns(
        selected, layer, functools.partial(_blocks.tabulate, work=work, dtype=call.dtype, finish=finish)
    )
    of_chunks, ends = tree.down(
        "new-labels", _blocks.new_labels_of_selected, _blocks.selected_of_children, selected, layer
    )
    if scratch is None:
        function = functools.partial(_blocks.renumber_chunk, work=work, dtype=dtype)
        labels = call.blockwise("relabel-chunk", function, call.pixels_after(ends, blocks, of_chunks))
    else:
        function = functools.partial(_blocks.renumber_kept, work=work, dtype=dtype)
        labels = call.blockwise("relabel-chunk", function, [kept, of_chunks])
    return call.result(labels, dtype, are_labels=True), count, table


def keep_largest(
    image,
    *,
    k=1,
    connectivity=None,
    mask=None,
    by_value=False,
    across_values=False,
    background=DEFAULT_BACKGROUND,
    spatial_dims=None,
    device=None,
):
    """Keep the largest components of a Dask array, and set all other elements to 0.

    The parameters and the result are those of `cuda_connected_components.keep_largest`, for arrays as in
    `label`. There is no image of labels: each chunk is labeled twice, and the sizes of the components are
    added up in between.
    """
    k = _arguments.integer_of("k", k, 1)
    selection = Selection.of_largest(k, by_value, across_values)
    options = Options(connectivity, spatial_dims, device=device, by_value=by_value, background=background)
    return _keep("keep-largest", image, mask, options, selection)


def remove_small(
    image,
    min_size,
    *,
    connectivity=None,
    mask=None,
    by_value=False,
    background=DEFAULT_BACKGROUND,
    spatial_dims=None,
    device=None,
    spacing=None,
):
    """Set the components of a Dask array that are smaller than a size to 0.

    The parameters and the result are those of `cuda_connected_components.remove_small`, for arrays as in
    `label`. There is no image of labels: each chunk is labeled twice, and the sizes of the components are
    added up in between.
    """
    options = Options(connectivity, spatial_dims, device=device, by_value=by_value, background=background)
    return _keep("remove-small", image, mask, options, Selection.of_sizes(min_size, by_value, spacing))


def _keep(name, image, mask, options, selection):
    """Do the work of `keep_largest` and `remove_small`."""
    call = Call(image, mask, options)
    needs_values = selection.per_value or selection.sizes is not None
    # Of equal components, the one that comes first stays. Without a number of them, any order will do.
    work = call.work(
        by_first_pixel=bool(selection.k), measured=True, columns=("values",) if needs_values else ()
    )
    settings = work.settings(call.dtype)
    selection.apply(settings, _images.library_of(_blocks.NO_LABELS), None, call.axes)
    call.start(name, work, selection)
    blocks = _label_chunks(call, work)
    tree = Tree(call, blocks, work.by_first_pixel)
    select = functools.partial(_blocks.select_components, work=work, dtype=call.dtype, selection=selection)
    of_chunks, ends = tree.down("select-components", select, _blocks.selected_of_children)
    background = settings.background[0] if settings.background else 0
    function = functools.partial(_blocks.keep_chunk, work=work, background=background)
    kept = call.blockwise("keep-chunk", function, call.pixels_after(ends, blocks, of_chunks))
    return call.result(kept, call.image.dtype, are_labels=False)


def component_statistics(
    image,
    *,
    connectivity=None,
    mask=None,
    by_value=False,
    background=DEFAULT_BACKGROUND,
    spatial_dims=None,
    device=None,
    spacing=None,
    properties=_table.DEFAULT_PROPERTIES,
):
    """Measure the connected components of a Dask array. Each chunk is computed once, and there is no image of labels.

    The parameters are those of `cuda_connected_components.component_statistics`, for arrays as in `label`.

    Returns
    -------
    columns : dict
        Its columns, as Dask arrays of one chunk of unknown size. ``dask.compute(columns)[0]`` has arrays of
        NumPy.
    """
    properties = _table.checked_of_components(properties, by_value)
    options = Options(connectivity, spatial_dims, device=device, by_value=by_value, background=background)
    call = Call(image, mask, options)
    finish = call.finish(spacing, properties)
    work = call.work(measured=True, columns=tuple(_table.columns_for(properties)))
    call.start("component-statistics", work, properties, spacing)
    blocks = _label_chunks(call, work)
    tree = Tree(call, blocks, work.by_first_pixel)
    function = functools.partial(_blocks.tabulate, work=work, dtype=call.dtype, finish=finish)
    return call.columns(tree.roots, tree.layer, function)


def label_statistics(
    labels,
    intensities=None,
    *,
    spatial_dims=None,
    background=0,
    device=None,
    spacing=None,
    properties=_table.DEFAULT_PROPERTIES,
):
    """Measure the labels of a Dask array of labels.

    The parameters are those of `cuda_connected_components.label_statistics`. Both arrays have the same
    chunks. Those of floating-point intensities are computed twice.

    Returns
    -------
    columns : dict
        Its columns, as for `component_statistics`.
    """
    properties = _table.checked_of_labels(properties, intensities is not None)
    options = Options(
        None, spatial_dims, device=device, by_value=True, background=background, whole_values=True
    )
    call = Call(labels, intensities, options, "intensities")
    _arguments.check_integers(_arguments.name_of(call.dtype), _arguments.ADVICE_FOR_LABELS)
    columns = ["values", *_table.columns_for(properties)]
    if call.second is not None:
        columns.append("intensities")
    finish = call.finish(spacing, properties)
    work = call.work(measured=True, columns=tuple(columns))
    call.start("label-statistics", work, properties, spacing)
    tables = _measure_chunks(call, work)
    tree = Tree(call, tables)
    roots, layer = tree.roots, tree.layer
    if call.second is not None and call.second.dtype.kind == "f":
        roots, layer = _add_floats(call, work, tables, tree)
    function = functools.partial(_blocks.tabulate, work=work, dtype=call.dtype, finish=finish, sorts=True)
    return call.columns(roots, layer, function)


def _add_floats(call, work, tables, tree):
    """Add the floating-point intensities of labels, whose ranges are known. Return the tables, and their layer."""
    ranges = tree.rows_for_chunks("ranges", _blocks.RANGES, tree.roots, tree.layer)
    function = functools.partial(_blocks.measure_floats_of_chunk, work=work)
    sums = Tree(
        call,
        call.blockwise("measure-floats", function, call.pixels_after(tree.roots.values(), tables, tables, ranges)),
    )
    layer = f"finish-intensities-{call.token}"
    keys = {lead: (layer, *lead) for lead in tree.leads}
    tasks = {
        key: Task(key, _blocks.finish_intensities, TaskRef(sums.roots[lead]), TaskRef(tree.roots[lead]))
        for lead, key in keys.items()
    }
    call.add(layer, tasks, {sums.layer, tree.layer})
    return keys, layer


def relabel(labels, *, spatial_dims=None, order="size", min_size=0, k=None):
    """Renumber the labels of a Dask array of labels: 1, 2, 3, ... without gaps.

    The parameters and the result are those of `cuda_connected_components.relabel` with ``return_num=True``:
    the labels, with the type of the input, and their number as in `label`. The chunks are computed twice.
    """
    selection = Selection.of_labels(order, min_size, k)
    call = Call(labels, None, Options(None, spatial_dims, by_value=True, whole_values=True))
    _arguments.check_integers(_arguments.name_of(call.dtype), _arguments.ADVICE_FOR_LABELS)
    work = call.work(measured=True, columns=("values",))
    call.start("relabel", work, order, selection)
    tables = _measure_chunks(call, work)
    tree = Tree(call, tables)
    function = functools.partial(
        _blocks.new_labels_of_images, dtype=call.dtype, order=order, selection=selection
    )
    new, layer = tree.of_images("new-labels", function)
    count = tree.counts(new, layer)
    of_chunks = tree.rows_for_chunks("new-labels", ("new",), new, layer)
    dtype = call.image.dtype
    function = functools.partial(_blocks.renumber_labels_of_chunk, work=work, dtype=dtype)
    result = call.blockwise("relabel-chunk", function, call.pixels_after(new.values(), tables, of_chunks))
    return call.result(result, dtype, are_labels=True), count


def _label_chunks(call, work, **settings):
    """Label each chunk alone. Return the layer of the blocks."""
    function = functools.partial(_blocks.label_chunk, work=work, **settings)
    return call.blockwise("label-chunk", function, call.pixels())


def _measure_chunks(call, work):
    """Measure the labels of each chunk. Return the layer of the tables."""
    return call.blockwise("measure-chunk", functools.partial(_blocks.measure_chunk, work=work), call.pixels())


def _keep_labels(call, work, scratch):
    """Label each chunk alone, and keep its labels. Return the layers of the blocks and of the labels."""
    folder = None
    if scratch != "memory":
        folder = os.path.join(os.path.abspath(os.fspath(scratch)), call.token)
    pairs = _label_chunks(call, work, folder=folder, keeps_labels=True)
    return (
        call.blockwise("block-of-chunk", operator.itemgetter(0), [pairs]),
        call.blockwise("labels-of-chunk", operator.itemgetter(1), [pairs]),
    )
