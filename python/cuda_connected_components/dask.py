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
import itertools
import math
import operator
import os
import sys

import numpy as np

try:
    import dask.array as da
except ImportError as error:
    raise ImportError("this module needs Dask: pip install 'cuda-connected-components[dask]'") from error
from dask._task_spec import DataNode, GraphNode, Task, TaskRef
from dask.base import clone_key, tokenize
from dask.blockwise import Blockwise, BlockwiseDep, blockwise
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from . import _arguments, _blocks, _images, _table
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
    call = _Call(image, mask, options)
    dtype = np.dtype(
        _arguments.default_label_dtype(call.shape) if dtype is None else _arguments.integer_dtype(dtype)
    )
    work = call.work(by_first_pixel=order == "raster")
    call.start("label", work, dtype, scratch)
    if scratch is None:
        blocks = _label_chunks(call, work)
    else:
        blocks, kept = _keep_labels(call, work, scratch)
    tree = _Tree(call, blocks, work.by_first_pixel)
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
    call = _Call(image, mask, options)
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
    tree = _Tree(call, blocks, work.by_first_pixel)
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
    call = _Call(image, mask, options)
    needs_values = selection.per_value or selection.sizes is not None
    # Of equal components, the one that comes first stays. Without a number of them, any order will do.
    work = call.work(
        by_first_pixel=bool(selection.k), measured=True, columns=("values",) if needs_values else ()
    )
    settings = work.settings(call.dtype)
    selection.apply(settings, _images.library_of(_blocks.NO_LABELS), None, call.axes)
    call.start(name, work, selection)
    blocks = _label_chunks(call, work)
    tree = _Tree(call, blocks, work.by_first_pixel)
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
    call = _Call(image, mask, options)
    finish = call.finish(spacing, properties)
    work = call.work(measured=True, columns=tuple(_table.columns_for(properties)))
    call.start("component-statistics", work, properties, spacing)
    blocks = _label_chunks(call, work)
    tree = _Tree(call, blocks, work.by_first_pixel)
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
    call = _Call(labels, intensities, options, "intensities")
    _arguments.check_integers(_arguments.name_of(call.dtype), _arguments.ADVICE_FOR_LABELS)
    columns = ["values", *_table.columns_for(properties)]
    if call.second is not None:
        columns.append("intensities")
    finish = call.finish(spacing, properties)
    work = call.work(measured=True, columns=tuple(columns))
    call.start("label-statistics", work, properties, spacing)
    tables = _measure_chunks(call, work)
    tree = _Tree(call, tables)
    roots, layer = tree.roots, tree.layer
    if call.second is not None and call.second.dtype.kind == "f":
        roots, layer = _add_floats(call, work, tables, tree)
    function = functools.partial(_blocks.tabulate, work=work, dtype=call.dtype, finish=finish, sorts=True)
    return call.columns(roots, layer, function)


def _add_floats(call, work, tables, tree):
    """Add the floating-point intensities of labels, whose ranges are known. Return the tables, and their layer."""
    ranges = tree.rows_for_chunks("ranges", _blocks.RANGES, tree.roots, tree.layer)
    function = functools.partial(_blocks.measure_floats_of_chunk, work=work)
    sums = _Tree(
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
    call = _Call(labels, None, Options(None, spatial_dims, by_value=True, whole_values=True))
    _arguments.check_integers(_arguments.name_of(call.dtype), _arguments.ADVICE_FOR_LABELS)
    work = call.work(measured=True, columns=("values",))
    call.start("relabel", work, order, selection)
    tables = _measure_chunks(call, work)
    tree = _Tree(call, tables)
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


class _Places(BlockwiseDep):
    """The places of chunks: their numbers, and the indices of their first pixels in an image."""

    produces_tasks = False

    def __init__(self, chunks, axes):
        self.numblocks = tuple(map(len, chunks))
        self.starts = tuple(
            tuple(itertools.accumulate(lengths[:-1], initial=0)) for lengths in chunks[-axes:]
        )

    def __getitem__(self, index):
        number = 0
        for i, n in zip(index, self.numblocks):
            number = number * n + i
        origin = tuple(starts[i] for starts, i in zip(self.starts, index[-len(self.starts) :]))
        return DataNode(None, (number, origin))  # as Dask would make it, by a slower function

    def __dask_tokenize__(self):
        return type(self).__name__, self.numblocks, self.starts


class _Call:
    """A call for an image and a second one, a mask or intensities: their chunks, and the graph of the call."""

    def __init__(self, image, second, options, name_of_second="mask"):
        self.original, self.options = image, options
        self.image = _array_of(image, "the image")
        self.second = None
        if second is not None:
            self.second = self._second(second, name_of_second)
        self.axes = _arguments.spatial_axes(self.image.shape, options.spatial_dims)
        self.shape, self.dtype = self.image.shape[-self.axes :], self.image.dtype.newbyteorder("=")
        _images.checked(np.empty(0, self.dtype))
        self.numblocks = self.image.numblocks
        self.places = _Places(self.image.chunks, self.axes)
        graph = HighLevelGraph.merge(*(each.dask for each in (self.image, self.second) if each is not None))
        self.layers, self.dependencies = dict(graph.layers), dict(graph.dependencies)
        if options.device is not None:
            _arguments.backend_of(options.device, "device")  # checks it
        self.work().settings(self.dtype)  # checks the other options

    def _second(self, second, name):
        """Return the array of a mask or of intensities."""
        if _is_data_array(second) and _is_data_array(self.original):
            _images.library_of(self.original).check_mask(
                self.original, second, _images.library_of(second), name
            )
        array = second.data if _is_data_array(second) else second
        if isinstance(array, np.ndarray) and array.shape == self.image.shape:
            second = da.from_array(array, chunks=self.image.chunks)
        second = _array_of(second, name)
        if name == "mask":
            axes = _arguments.spatial_axes(self.image.shape, self.options.spatial_dims)
            _arguments.check_mask_shape(second.shape, self.image.shape, axes)
        else:
            _arguments.check_intensities(_arguments.name_of(second.dtype), second.shape, self.image.shape)
        if second.chunks != self.image.chunks:
            raise ValueError(f"{name} has other chunks than the image: pass {name}.rechunk(image.chunks)")
        _images.checked(np.empty(0, second.dtype))
        return second

    def work(self, **settings):
        """Return what the tasks share."""
        return _blocks.Work(self.options, self.shape, **settings)

    def start(self, *arguments):
        """Set the token of the names of tasks, by the arguments of the call."""
        self.token = tokenize(self.image.name, None if self.second is None else self.second.name, *arguments)

    def add(self, name, layer, dependencies):
        """Add a layer to the graph."""
        self.layers[name] = layer if not isinstance(layer, dict) else MaterializedLayer(layer)
        self.dependencies[name] = set(dependencies)

    def graph(self):
        """Return the graph so far."""
        return HighLevelGraph(dict(self.layers), dict(self.dependencies))

    def pixels(self):
        """Return the inputs of a task for each chunk: its pixels, its place, and the pixels of the second image."""
        return [self.image.name, self.places, *([] if self.second is None else [self.second.name])]

    def pixels_after(self, keys, first_pass, *layers):
        """Return the inputs of a second task for each chunk, whose pixels are computed again after other tasks.

        `first_pass` is the layer of the first tasks. The keys of the other tasks are in the last of `layers`,
        or in one that it depends on. The results of `layers` come between the place and the pixels of the
        second image.
        """
        after, places = f"wait-{self.token}", f"place-{self.token}"
        # Their results may be large, so they do not meet in one task.
        tasks = {
            (f"end-{self.token}", i): Task((f"end-{self.token}", i), _blocks.nothing, TaskRef(key))
            for i, key in enumerate(keys)
        }
        tasks[after] = Task(after, _blocks.nothing, *map(TaskRef, tasks))
        self.add(after, tasks, self.dependencies[layers[-1]] | {layers[-1]})
        # `distributed` runs a task on a worker that has one of its inputs, and few workers have what comes down the
        # tree. So the place of a chunk comes from the worker of the first pass.
        tasks = {
            (places, *index): Task(
                (places, *index), _blocks.first, self.places[index], TaskRef((first_pass, *index))
            )
            for index in np.ndindex(self.numblocks)
        }
        self.add(places, tasks, {first_pass})
        first, *second = (self._again(each, after) for each in (self.image, self.second) if each is not None)
        return [first, places, *layers, *second]

    def _again(self, image, after):
        """Add the layers that compute an image again after a task. Return the name of the last one.

        Dask's `bind` does the same, but it leaves references to keys in its new kind of tasks as they are.
        """
        graph = image.dask
        keys = graph.get_all_external_keys()
        layers = list(image.__dask_layers__())
        for name in layers:  # grows
            layers += sorted(graph.dependencies[name].difference(layers))
            layer = graph.layers[name]
            if isinstance(layer, Blockwise):
                again, _ = layer.clone(keys, self.token, after)
            else:
                legacy = {key: task for key, task in layer.items() if not isinstance(task, GraphNode)}
                again = dict(MaterializedLayer(legacy).clone(keys, self.token, after)[0])
                for key, task in layer.items():
                    if isinstance(task, GraphNode):
                        new_key = clone_key(key, self.token)
                        references = {each: clone_key(each, self.token) for each in task.dependencies}
                        if references:
                            again[new_key] = task.substitute(references, key=new_key)
                        else:
                            again[new_key] = Task(new_key, _blocks.first, task, TaskRef(after))
            dependencies = {clone_key(each, self.token) for each in graph.dependencies[name]}
            self.add(clone_key(name, self.token), again, dependencies | {after})
        return clone_key(image.name, self.token)

    def blockwise(self, prefix, function, inputs):
        """Add a task for each chunk. An input is the name of a layer or the places. Return the name of the layer."""
        name = f"{prefix}-{self.token}"
        indices = tuple(range(len(self.numblocks)))
        names = {each for each in inputs if isinstance(each, str)}
        pairs = itertools.chain.from_iterable((each, indices) for each in inputs)
        self.add(
            name,
            blockwise(function, name, indices, *pairs, numblocks=dict.fromkeys(names, self.numblocks)),
            names,
        )
        return name

    def result(self, name, dtype, are_labels):
        """Return an array of the layer, in the library of the image."""
        meta = da.utils.meta_from_array(self.image._meta, dtype=dtype)
        array = da.Array(self.graph(), name, self.image.chunks, meta=meta)
        if not _is_data_array(self.original):
            return array
        return _images.library_of(self.original).like(self.original, array, are_labels)

    def finish(self, spacing, properties):
        """Return the function that makes the columns for users."""
        geometry = _arguments.geometry_of(_images.library_of(_blocks.NO_LABELS), None, spacing, self.axes)
        return functools.partial(
            _table.make_table,
            axes="xyz"[: self.axes][::-1],
            geometry=geometry,
            properties=properties,
            leading=self.image.shape[: -self.axes],
            to_double=_blocks.to_double,
            strides=[(math.prod(self.shape[axis + 1 :]), length) for axis, length in enumerate(self.shape)],
        )

    def columns(self, roots, layer, function):
        """Return the columns that a function makes of the tables or blocks of all images."""
        shape = self.image.shape[: -self.axes]
        indices = np.arange(math.prod(shape)).reshape(shape)
        starts = [np.cumsum((0, *lengths)) for lengths in self.image.chunks[: -self.axes]]
        of_chunks = (
            indices[tuple(slice(start[i], start[i + 1]) for start, i in zip(starts, lead))].ravel()
            for lead in roots
        )
        order = np.argsort(np.concatenate([*of_chunks])).tolist()
        table = f"make-table-{self.token}"
        task = Task(table, functools.partial(function, order=order), *map(TaskRef, roots.values()))
        self.add(table, {table: task}, {layer})
        columns = {}
        for name, column in function(order=[]).items():
            key = f"{name}-{self.token}"
            tasks = MaterializedLayer({(key, 0): Task((key, 0), operator.getitem, TaskRef(table), name)})
            graph = HighLevelGraph({**self.layers, key: tasks}, {**self.dependencies, key: {table}})
            columns[name] = da.Array(graph, key, ((math.nan,),), dtype=column.dtype)
        return columns


def _array_of(image, name):
    """Return the Dask array of an image."""
    array = image.data if _is_data_array(image) else image
    if not isinstance(array, da.Array):
        raise TypeError(
            f"{name} must be a Dask array, or a DataArray with one, not {type(array).__name__}: "
            "use cuda_connected_components for arrays in memory, or pass dask.array.from_array(image)"
        )
    if type(array).__module__.startswith("dask.array._array_expr"):
        raise TypeError(
            "Dask arrays with query planning are not supported: set Dask's array.query-planning to False first"
        )
    if any(math.isnan(n) for lengths in array.chunks for n in lengths):
        raise ValueError(f"{name} has chunks of unknown sizes: call its compute_chunk_sizes() first")
    return array


def _is_data_array(image):
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(image, xarray.DataArray)


class _Tree:
    """What is merged of the chunks of images, in steps of up to 9 neighbors: blocks, or tables of labels."""

    def __init__(self, call, leaves, by_first_pixel=None):
        """Merge blocks in an order of their labels, or tables if it is None. `leaves` is the layer of the chunks."""
        self.call, self.leaves, self.token = call, leaves, tokenize(leaves)
        self.leads = list(np.ndindex(call.numblocks[: -call.axes]))
        grid = call.numblocks[-call.axes :]
        self.levels = [(grid, None)]  # the numbers of blocks along the axes, and of children along them
        # Tables are merged at least once: then their rows are in the order of the labels.
        while max(grid) > 1 or (by_first_pixel is None and len(self.levels) == 1):
            most = {0: 1, 1: 8, 2: 3, 3: 2}[sum(n > 1 for n in grid)]
            factors = tuple(min(n, most) for n in grid)
            grid = tuple(-(-n // factor) for n, factor in zip(grid, factors))
            self.levels.append((grid, factors))
        self.layer = leaves
        if len(self.levels) > 1:
            self.layer = f"merge-{self.token}"
            add = (
                self._add_tables
                if by_first_pixel is None
                else functools.partial(self._add_blocks, by_first_pixel)
            )
            tasks = {}
            for lead in self.leads:
                for level in range(1, len(self.levels)):
                    for node in np.ndindex(self.levels[level][0]):
                        children = [
                            TaskRef(self._key(level - 1, lead, child))
                            for child in self._children(level, node)
                        ]
                        add(tasks, (level, *lead, *node), children)
            call.add(self.layer, tasks, {leaves})
        self.roots = {lead: self._key(len(self.levels) - 1, lead, (0,) * call.axes) for lead in self.leads}

    def _key(self, level, lead, node):
        """Return the key of a block or of tables."""
        return (f"merged-{self.token}", level, *lead, *node) if level else (self.leaves, *lead, *node)

    def _children(self, level, node):
        """Return the nodes of the level below that are merged to a node."""
        below, factors = self.levels[level - 1][0], self.levels[level][1]
        return itertools.product(
            *(range(i * factor, min((i + 1) * factor, n)) for i, factor, n in zip(node, factors, below))
        )

    def _add_blocks(self, by_first_pixel, tasks, index, children):
        """Add the tasks that merge blocks."""
        join, merge, block, labels = (
            (f"{name}-{self.token}", *index)
            for name in ("join-faces", "merge-blocks", "merged", "labels-in-merged")
        )
        tasks[join] = Task(join, _blocks.join_faces, *children)
        tasks[merge] = Task(merge, _blocks.merge_blocks, by_first_pixel, TaskRef(join), *children)
        tasks[block] = Task(block, operator.getitem, TaskRef(merge), 0)
        tasks[labels] = Task(labels, operator.getitem, TaskRef(merge), 1)

    def _add_tables(self, tasks, index, children):
        """Add the task that merges tables."""
        key = (f"merged-{self.token}", *index)
        tasks[key] = Task(key, _blocks.merge_tables, *children)

    def of_images(self, prefix, function):
        """Add a task for the images of each chunk along the leading axes. Return their keys, and the layer."""
        layer = f"{prefix}-{self.token}"
        keys = {lead: (layer, *lead) for lead in self.leads}
        self.call.add(
            layer,
            {key: Task(key, function, TaskRef(self.roots[lead])) for lead, key in keys.items()},
            {self.layer},
        )
        return keys, layer

    def counts(self, roots=None, layer=None):
        """Return the number of components of each image as an array."""
        name = f"count-{self.token}"
        chunks = self.call.image.chunks[: -self.call.axes]
        tasks = {}
        for lead, root in (roots or self.roots).items():
            shape = tuple(lengths[i] for lengths, i in zip(chunks, lead))
            tasks[(name, *lead)] = Task((name, *lead), _blocks.count_components, TaskRef(root), shape)
        self.call.add(name, tasks, {layer or self.layer})
        return da.Array(self.call.graph(), name, chunks, dtype=np.int64)

    def down(self, prefix, begin, divide, roots=None, layer_of_roots=None):
        """Add the tasks that take something down to the chunks. Return the layer with what each chunk gets.

        `begin` makes it of the blocks of whole images, or of other results for them. `divide` makes that of
        children of their labels and that of their parent. Also return the keys of the last tasks that divide,
        for `pixels_after`: chunks that do not wait for them would be in memory before their labels come down.
        """
        layer, part = (f"{prefix}-{name}-{self.token}" for name in ("of-chunk", "of-block"))

        def key_of(level, lead, node):
            return (part, level, *lead, *node) if level else (layer, *lead, *node)

        top, tasks, ends = len(self.levels) - 1, {}, []
        for lead, root in (roots or self.roots).items():
            key = key_of(top, lead, (0,) * self.call.axes)
            tasks[key] = Task(key, begin, TaskRef(root))
            ends += [key] if top == 0 else []
            for level in range(top, 0, -1):
                for node in np.ndindex(self.levels[level][0]):
                    labels = TaskRef((f"labels-in-merged-{self.token}", level, *lead, *node))
                    divided = (f"{prefix}-{self.token}", level, *lead, *node)
                    tasks[divided] = Task(divided, divide, labels, TaskRef(key_of(level, lead, node)))
                    ends += [divided] if level == 1 else []
                    for position, child in enumerate(self._children(level, node)):
                        key = key_of(level - 1, lead, child)
                        tasks[key] = Task(key, operator.getitem, TaskRef(divided), position)
        self.call.add(layer, tasks, {self.layer, layer_of_roots or self.layer})
        return layer, ends

    def rows_for_chunks(self, prefix, names, roots, layer_of_roots):
        """Add the tasks that take columns of the tables of `roots` down to the chunks. Return the layer.

        Each block gets the rows of its own labels from its parent, so no task but the first ones has the whole table.
        """
        layer, part = (f"{prefix}-{name}-{self.token}" for name in ("of-chunk", "of-block"))
        pick = functools.partial(_blocks.rows_of_labels, names=names)
        top, tasks = len(self.levels) - 1, {}
        for lead, root in roots.items():
            parents = {(0,) * self.call.axes: root}
            for level in range(max(top, 1), 0, -1):
                children = {}
                for node, parent in parents.items():
                    for child in self._children(level, node) if top else [node]:
                        key = (part, level - 1, *lead, *child) if level > 1 else (layer, *lead, *child)
                        tasks[key] = Task(key, pick, TaskRef(self._key(level - 1, lead, child)), TaskRef(parent))
                        children[child] = key
                parents = children
        self.call.add(layer, tasks, {self.layer, self.leaves, layer_of_roots})
        return layer
