"""The graphs of calls for Dask arrays. `dask.py` has the calls, and `_blocks.py` the tasks."""

import functools
import itertools
import math
import operator
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


class Places(BlockwiseDep):
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


class _Place(Task):
    """A task that returns the place of a chunk after the first task on the chunk."""

    __slots__ = ()
    # Dask would try to make one task of this one and the first one, and then load the chunk by a task of its own.
    block_fusion = True


class Call:
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
        self.places = Places(self.image.chunks, self.axes)
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
        return _blocks.Work(self.options, self.shape, self.dtype, **settings)

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
        after, places = f"wait-{self.token}", self.places
        # Their results may be large, so they do not meet in one task.
        tasks = {
            (f"end-{self.token}", i): Task((f"end-{self.token}", i), _blocks.nothing, TaskRef(key))
            for i, key in enumerate(keys)
        }
        tasks[after] = Task(after, _blocks.nothing, *map(TaskRef, tasks))
        self.add(after, tasks, self.dependencies[layers[-1]] | {layers[-1]})
        # `distributed` runs a task on a worker that has one of its inputs, and few workers have what comes down the
        # tree. So the place of a chunk comes from the worker of the first pass, unless another input does.
        if first_pass not in layers:
            places = f"place-{self.token}"
            tasks = {
                (places, *index): _Place(
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
                again = MaterializedLayer(again, layer.annotations)
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


class Tree:
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
