"""Images in chunks: Dask arrays, compared with the uncut image, SciPy and cc3d."""

import contextlib
import functools
import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import types
import weakref

import cc3d
import numpy as np
import pytest
from conftest import DTYPES, keep_by_loop, label_by_scipy, noise, seeds

import cuda_connected_components as ccc
from cuda_connected_components import _blocks, _core, _images, measure, ndimage

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
ccd = pytest.importorskip("cuda_connected_components.dask")
from dask.utils import key_split  # noqa: E402

is_full_check = "CUDA_CONNECTED_COMPONENTS_ALL_SETTINGS" in os.environ


@pytest.fixture(autouse=True)
def sequential():
    """Run tasks one after the other, unless a test chooses another scheduler."""
    with dask.config.set(scheduler="synchronous"):
        yield


def cut(shape, random, most=4):
    """Return random chunks. Some are empty."""
    chunks = []
    for n in shape:
        places = np.sort(random.integers(0, n + 1, random.integers(0, most)))
        chunks.append(tuple(np.diff([0, *places, n]).tolist()))
    return tuple(chunks)


def in_chunks(image, chunks):
    """Return a Dask array whose chunks are read at each access."""
    return da.from_array(image, chunks=chunks, name=False)


def equal(found, expected):
    """Expect arrays of the same type and elements."""
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def equal_tables(found, expected):
    """Expect equal columns, bit for bit."""
    assert list(found) == list(expected)
    for name, column in expected.items():
        equal(found[name], column)


PROPERTIES = (
    "label",
    "num_pixels",
    "area",
    "bbox",
    "centroid",
    "area_bbox",
    "extent",
    "equivalent_diameter_area",
    "touches_border",
)
PROPERTIES_OF_LABELS = (*PROPERTIES, "first_element", "covariance")
INTENSITIES = ("intensity_mean", "intensity_min", "intensity_max", "intensity_std", "intensity_sum")


def random_case(seed):
    """Return a random image, chunks and parameters."""
    random = np.random.default_rng(seed)
    axes = int(random.integers(1, 4))
    shape = tuple(random.integers(1, (200, 40, 20)[axes - 1], axes).tolist())
    leading = tuple(random.integers(1, 4, random.integers(1, 3)).tolist()) if random.random() < 0.3 else ()
    dtype = DTYPES[random.integers(len(DTYPES))]
    image = noise(
        (*leading, *shape), random.choice([0.15, 0.3, 0.6]), seed, dtype, int(random.integers(1, 4))
    )
    parameters = {"connectivity": int(random.integers(1, axes + 1))}
    if leading:
        parameters["spatial_dims"] = axes
    if random.random() < 0.5:
        parameters["by_value"] = True
        image = np.where(image != 0, image.astype(np.int64) % 3, 0).astype(dtype)
        if np.dtype(dtype).kind == "f":
            image[random.random(image.shape) < 0.05] = np.nan
        if random.random() < 0.3:
            parameters["background"] = None if random.random() < 0.5 else 1
    mask = (random.random(image.shape) < 0.8).astype(np.uint8) if random.random() < 0.3 else None
    if random.random() < 0.2:
        image = image.astype(image.dtype.newbyteorder(">"))
    return image, cut(image.shape, random), parameters, mask, random


@pytest.mark.parametrize("seed", seeds(60))
def test_random_images_equal_the_uncut_image(seed):
    image, chunks, parameters, mask, random = random_case(seed)
    cut_image = in_chunks(image, chunks)
    of_uncut, of_cut = (
        {**parameters, "mask": each} for each in (mask, None if mask is None else in_chunks(mask, chunks))
    )
    expected, count = ccc.label(image, return_num=True, **of_uncut)
    scratch = [None, "memory"][random.integers(2)]
    labels, found = ccd.label(cut_image, scratch=scratch, **of_cut)
    assert labels.chunks == cut_image.chunks
    labels, found = dask.compute(labels, found)
    equal(labels, expected)
    np.testing.assert_array_equal(found, count)

    # Another order: the same components.
    of_blocks, found = dask.compute(
        *ccd.label(cut_image, order="block", dtype=np.uint64, scratch=scratch, **of_cut)
    )
    np.testing.assert_array_equal(found, count)
    shape = (-1, *image.shape[-parameters.get("spatial_dims", image.ndim) :])
    for ours, theirs in zip(of_blocks.reshape(shape), expected.reshape(shape)):
        pairs = np.unique(np.stack([ours.ravel(), theirs.ravel()]), axis=1)
        assert (np.diff(pairs[0].astype(np.int64)) == 1).all() and len(np.unique(pairs[1])) == pairs.shape[1]

    properties = [*PROPERTIES, *(["value"] if parameters.get("by_value") else [])]
    table = ccd.component_statistics(cut_image, properties=properties, spacing=0.7, **of_cut)
    expected_table = ccc.component_statistics(image, properties=properties, spacing=0.7, **of_uncut)
    assert {name: column.dtype for name, column in table.items()} == {
        name: column.dtype for name, column in expected_table.items()
    }
    equal_tables(dask.compute(table)[0], expected_table)

    k, size = int(random.integers(1, 4)), int(random.integers(1, 9))
    across = {"across_values": True} if parameters.get("by_value") and random.random() < 0.5 else {}
    equal(
        ccd.keep_largest(cut_image, k=k, **across, **of_cut).compute(),
        ccc.keep_largest(image, k=k, **across, **of_uncut),
    )
    equal(ccd.remove_small(cut_image, size, **of_cut).compute(), ccc.remove_small(image, size, **of_uncut))
    if parameters.get("by_value"):
        sizes = {1: size, 2: 3}
        equal(
            ccd.remove_small(cut_image, sizes, **of_cut).compute(), ccc.remove_small(image, sizes, **of_uncut)
        )


@pytest.mark.parametrize("seed", seeds(30))
def test_tables_and_numbers_of_random_labels(seed):
    image, chunks, parameters, _, random = random_case(seed)
    dtype = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64][random.integers(7)]
    labels = np.where(
        np.isnan(image) | (image == 0), 0, random.integers(-9 if np.iinfo(dtype).min else 0, 90, image.shape)
    )
    labels = labels.astype(np.dtype(dtype).newbyteorder("=>"[seed % 4 == 0]))
    leading = {"spatial_dims": parameters["spatial_dims"]} if "spatial_dims" in parameters else {}
    chunks = labels.shape if seed % 3 == 1 else chunks
    cut_labels = in_chunks(labels, chunks)
    background = [0, None, 7][random.integers(3)]
    for kind in (None, np.int16, np.uint64, np.bool_, np.float32, np.float64):
        properties = PROPERTIES_OF_LABELS if kind is None else (*PROPERTIES_OF_LABELS, *INTENSITIES)
        intensities = (
            None
            if kind is None
            else (random.normal(size=labels.shape) * 2.0 ** random.integers(-20, 9)).astype(
                np.dtype(kind).newbyteorder("=>"[seed % 3 == 0])
            )
        )
        if kind in (np.float32, np.float64) and random.random() < 0.5:
            intensities[random.random(labels.shape) < 0.01] = [np.nan, np.inf][random.integers(2)]
        cut_intensities = None if kind is None else in_chunks(intensities, chunks)
        settings = {"background": background, "properties": properties, **leading}
        found = dask.compute(ccd.label_statistics(cut_labels, cut_intensities, **settings))[0]
        with np.errstate(invalid="ignore"):
            equal_tables(found, ccc.label_statistics(labels, intensities, **settings))

    settings = {
        "order": ["size", "label"][random.integers(2)],
        "min_size": int(random.integers(0, 9)),
        **leading,
    }
    settings["k"] = [None, 1, 5][random.integers(3)]
    expected, count = ccc.relabel(labels, return_num=True, **settings)
    found, number = dask.compute(*ccd.relabel(cut_labels, **settings))
    equal(found, expected)
    np.testing.assert_array_equal(number, count)


def snake(shape, pitch=2):
    """Return one component that winds through an image, and one that winds around it."""
    image = np.zeros(shape, np.uint8)
    image[::pitch] = 1
    for i, row in enumerate(image[1::pitch]):
        row[(slice(-1, None) if i % 2 else slice(1),) * row.ndim] = 1
    return image


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_snakes_through_all_chunks(rank):
    volume = np.repeat(snake((17, 15))[np.newaxis], 9, axis=0)
    volume[1::2] = 0
    volume[1::4, 0, 0] = volume[3::4, -1, -1] = 1
    for image in (volume, np.ascontiguousarray(volume.transpose(2, 1, 0)), 1 - volume):
        for chunks in (4, (1, 15, 15), (9, 3, 5)):
            labels, count = dask.compute(*ccd.label(in_chunks(image, chunks), connectivity=rank))
            equal(labels, ccc.label(image, connectivity=rank))
            np.testing.assert_array_equal(
                labels, cc3d.connected_components(image, connectivity=(6, 18, 26)[rank - 1])
            )
            assert count == labels.max()
    assert int(ccd.label(in_chunks(volume, 4), connectivity=rank)[1]) == 1


@pytest.mark.parametrize("full", [False, True])
def test_labels_are_those_of_scipy(full):
    for shape, chunks in (((40, 41, 42), 13), ((150, 160), (7, 90)), ((1000,), 7)):
        image = noise(shape, 0.3, 3, bool)
        labels, count = dask.compute(*ccd.label(in_chunks(image, chunks), connectivity=None if full else 1))
        expected, number = label_by_scipy(image, full)
        equal(labels, expected)
        assert count == number


def test_pixels_touch_across_faces_edges_and_corners():
    for offset in itertools.product((-1, 0, 1), repeat=3):
        distance = sum(map(abs, offset))
        for rank in (1, 2, 3):
            image = np.zeros((4, 4, 4), np.uint8)
            first = tuple(1 if o > 0 else 2 for o in offset)
            image[first] = image[tuple(i + o for i, o in zip(first, offset))] = 1
            count = ccd.label(in_chunks(image, 2), connectivity=rank)[1]
            assert int(count) == (1 if distance <= rank else 2)


def test_of_equal_components_the_first_one_stays():
    image = np.zeros((8, 12), np.uint8)
    image[1:3, 9:11] = image[0:2, 5:7] = image[5:7, 0:2] = image[0:2, 1:3] = 3
    for chunks in ((3, 4), (8, 5), (1, 1)):
        for k in (1, 2, 3):
            kept = ccd.keep_largest(in_chunks(image, chunks), k=k).compute()
            equal(kept, keep_by_loop(image, True, k=k))


@pytest.mark.parametrize("dtype", DTYPES)
def test_types(dtype):
    image = noise((9, 10, 11), 0.3, 4, dtype)
    for chunks in (image.shape, 4):
        cut_image = in_chunks(image, chunks)
        equal(ccd.label(cut_image)[0].compute(), ccc.label(image != 0))
        equal(ccd.keep_largest(cut_image).compute(), ccc.keep_largest(image))
    swapped = image.astype(image.dtype.newbyteorder())
    equal(ccd.label(in_chunks(swapped, 4))[0].compute(), ccc.label(image != 0))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64])
def test_types_of_labels(dtype):
    image = noise((30, 30), 0.2, 1)
    image[:, 22:] = 0
    expected = ccc.label(image, connectivity=1, dtype=np.int64)
    assert 50 < expected.max() < 127
    for scratch in (None, "memory"):
        labels, _ = ccd.label(in_chunks(image, 7), connectivity=1, dtype=dtype, scratch=scratch)
        assert labels.dtype == dtype
        equal(labels.compute(), expected.astype(dtype))


def test_types_of_labels_of_large_images():
    image = da.zeros((2048, 2048, 512), chunks=512, dtype=np.uint8)
    assert ccd.label(image)[0].dtype == np.int64
    assert ccd.label(image[1:])[0].dtype == ccd.label(image, spatial_dims=2)[0].dtype == np.int32


def test_too_narrow_types_are_refused():
    image = np.zeros((40, 40), np.uint8)
    image[::2, ::2] = 1
    with pytest.raises(ccc.LabelOverflowError, match=r"\(400\) greater than maximum .* \(127\)"):
        ccd.label(in_chunks(image, 7), dtype=np.int8)[0].compute()
    labels = np.arange(-128, 128).astype(np.int8).reshape(16, 16)
    with pytest.raises(ccc.LabelOverflowError, match=r"\(255\)"):
        ccd.relabel(in_chunks(labels, 5))[0].compute()


def test_chunks_of_one_pixel_and_of_none():
    image = noise((4, 5, 6), 0.4, 8)
    for chunks in (1, ((0, 4), (5, 0, 0), (0, 3, 0, 3)), (4, 5, 6)):
        labels, count = dask.compute(*ccd.label(in_chunks(image, chunks), connectivity=1))
        equal(labels, ccc.label(image, connectivity=1))
    for shape, leading in (
        ((0,), {}),
        ((3, 0, 4), {}),
        ((0, 3, 4), {"spatial_dims": 2}),
        ((2, 0, 4), {"spatial_dims": 2}),
    ):
        image = np.zeros(shape, np.uint8)
        cut_image = in_chunks(image, 2)
        labels, count = dask.compute(*ccd.label(cut_image, **leading))
        expected, number = ccc.label(image, return_num=True, **leading)
        equal(labels, expected)
        np.testing.assert_array_equal(count, number)
        equal(ccd.keep_largest(cut_image, **leading).compute(), image)
        equal(ccd.relabel(cut_image, **leading)[0].compute(), image)
        equal_tables(
            dask.compute(ccd.component_statistics(cut_image, **leading))[0],
            ccc.component_statistics(image, **leading),
        )


class Chunks:
    """Makes the chunks of an image, and counts them."""

    def __init__(self, image):
        self.image, self.made, self.alive, self.most_alive = image, 0, 0, 0
        self.lock = threading.Lock()

    def cut(self, chunks):
        def make(block_info=None):
            place = block_info[None]["array-location"]
            chunk = self.image[tuple(slice(*each) for each in place)].copy()
            with self.lock:
                self.made += 1
                self.alive += 1
                self.most_alive = max(self.alive, self.most_alive)
            weakref.finalize(chunk, self.forget)
            return chunk

        chunks = da.core.normalize_chunks(chunks, self.image.shape)
        return da.map_blocks(make, chunks=chunks, dtype=self.image.dtype, meta=self.image[:0, :0, :0])

    def forget(self):
        with self.lock:
            self.alive -= 1


class Nowhere:
    """An output that forgets what is written."""

    def __setitem__(self, place, values):
        pass


def test_nothing_is_computed_early_and_no_chunk_is_kept():
    chunks = Chunks(noise((32, 32, 32), 0.2, 7))
    image = chunks.cut(8)
    numbers = {}
    results = {
        "count": ccd.label(image)[1],
        "labels": ccd.label(image)[0],
        "scratch": ccd.label(image, scratch="memory")[0],
        "table": ccd.component_statistics(image)["area"],
        "largest": ccd.keep_largest(image),
        "measured": ccd.label_statistics(image)["area"],
        "measured twice": ccd.label_statistics(image, image.astype(np.float32), properties="intensity_sum")[
            "intensity_sum"
        ],
        "relabeled": ccd.relabel(image)[0],
    }
    assert chunks.made == 0
    with dask.config.set(scheduler="threads", num_workers=2):
        for name, result in results.items():
            chunks.made = 0
            if result.ndim == 3:
                da.store(result, Nowhere(), lock=False)
            else:
                result.compute()
            numbers[name] = chunks.made
            assert chunks.alive == 0
    twice = ("labels", "largest", "measured twice", "relabeled")
    assert numbers == {name: 128 if name in twice else 64 for name in results}
    assert chunks.most_alive <= 4


@pytest.mark.parametrize("layers", ["rechunk", "overlap", "sliced", "concatenated", "legacy", "persisted"])
def test_all_layers_of_an_image_are_computed_again(layers):
    pixels = noise((32, 32, 32), 0.2, 7)
    chunks = Chunks(pixels)
    image = chunks.cut(8)
    if layers == "rechunk":
        image = image.rechunk(16)
    elif layers == "overlap":
        image = da.overlap.trim_overlap(da.overlap.overlap(image, 1, "none"), 1, "none")
    elif layers == "sliced":
        image, pixels = image[3:, ::2, ::-1], pixels[3:, ::2, ::-1]
    elif layers == "concatenated":
        image = da.concatenate([image[:16], image[16:]])
    elif layers == "legacy":
        tasks = {("image", *index): (np.array, (image.name, *index)) for index in np.ndindex(image.numblocks)}
        graph = dask.highlevelgraph.HighLevelGraph.from_collections("image", tasks, [image])
        image = da.Array(graph, "image", image.chunks, meta=image._meta)
    else:
        image = image.persist()
        chunks.most_alive = 0
    target = np.empty(image.shape, np.int32)
    with dask.config.set(scheduler="threads", num_workers=2):
        da.store(ccd.label(image)[0], target, lock=False)
        equal(target, ccc.label(pixels))
        assert chunks.made == (64 if layers == "persisted" else 128)
        if layers != "overlap":  # Dask's own graph has many chunks in memory
            assert chunks.most_alive <= 20
        equal(ccd.keep_largest(image).compute(), ccc.keep_largest(pixels))
        sums = ccd.label_statistics(image, image.astype(np.float32), properties="intensity_sum")[
            "intensity_sum"
        ]
        equal(sums.compute(), np.bincount(pixels.ravel(), pixels.ravel())[np.unique(pixels)][1:])


def test_size_of_the_graph():
    image = da.zeros((20, 20, 20), chunks=4, dtype=np.uint8)
    second = da.ones_like(image, dtype=np.float32)
    results = {
        "label": ccd.label(image)[0],
        "label in order of blocks": ccd.label(image, order="block", mask=second)[0],
        "label with scratch": ccd.label(image, scratch="memory")[0],
        "component_statistics": ccd.component_statistics(image)["area"],
        "keep_largest": ccd.keep_largest(image),
        "label_statistics": ccd.label_statistics(image, second, properties="intensity_std")["intensity_std"],
        "relabel": ccd.relabel(image)[0],
        "label slices": ccd.label(image, spatial_dims=2)[0],
    }
    for name, result in results.items():
        (optimized,) = dask.optimize(result)
        tasks = dict(optimized.dask)
        per_chunk = len(tasks) / image.npartitions
        print(f"{name}: {per_chunk:.2f} tasks per chunk")
        assert per_chunk <= 12
        assert result.ndim != 3 or result.chunks == image.chunks
        for task in tasks.values():
            pickle.loads(pickle.dumps(task))
        names = {key_split(key) for key in tasks}
        if name == "label":
            assert {"label-chunk", "join-faces", "merge-blocks", "compose-labels", "relabel-chunk"} <= names


def test_second_tasks_can_run_where_the_first_ones_ran():
    image = da.zeros((9, 12), chunks=3, dtype=np.uint8)
    second = da.ones_like(image, dtype=np.float32)
    for result, first_name, second_name in (
        (ccd.label(image)[0], "label-chunk", "relabel-chunk"),
        (ccd.keep_largest(image, mask=second), "label-chunk", "keep-chunk"),
        (ccd.relabel(image)[0], "measure-chunk", "relabel-chunk"),
        (ccd.label(da.from_array(np.zeros((9, 12)), chunks=3))[0], "array-label-chunk", "relabel-chunk"),
        (ccd.label(da.zeros((9, 14), chunks=(3, (4, 4, 3, 3)))[:, 2:])[0], "getitem", "relabel-chunk"),
    ):
        tasks = dict(dask.optimize(result)[0].dask)
        found = {key[1:]: task for key, task in tasks.items() if key_split(key) == second_name}
        assert len(found) == image.npartitions
        for index, task in found.items():
            (place,) = (key for key in task.dependencies if key_split(key) == "place")
            (first,) = tasks[place].dependencies
            assert place[1:] == index and first[1:] == index
            made = getattr(tasks[first], "target", first)  # by one task with the pixels
            assert key_split(made) == first_name


def test_chunks_of_another_type_than_their_array():
    image = da.from_array(np.array([[1, 257, 0]]), chunks=2)
    wrong = image.map_blocks(lambda chunk: chunk, dtype=np.uint8)
    for make in (
        lambda: ccd.label_statistics(wrong)["label"],
        lambda: ccd.component_statistics(wrong, by_value=True)["value"],
        lambda: ccd.relabel(wrong)[0],
    ):
        with pytest.raises(TypeError, match="a chunk has the type int64, and its array the type uint8"):
            make().compute()
    equal(ccd.label(wrong)[0].compute(), np.array([[1, 1, 0]], np.int32))


def test_annotations_of_the_image_are_those_of_its_second_computation():
    with dask.annotate(resources={"GPU": 1}):
        image = da.concatenate([da.from_delayed(dask.delayed(np.zeros)(4), (4,), float) for _ in range(2)])
    layers = ccd.label(image)[0].dask.layers
    annotated = [name for name, layer in layers.items() if layer.annotations]
    assert len(annotated) == 2 * sum(bool(layer.annotations) for layer in image.dask.layers.values()) > 0


def test_each_chunk_gets_a_small_table():
    image = np.zeros((32, 32, 32), np.uint8)
    image[::2, ::2, ::2] = 1
    border, interior = 4**3 - 3**3, 3**3  # components of a chunk
    for order, numbers in (("raster", 2 * border + interior), ("block", 2 * border)):
        labels = ccd.label(in_chunks(image, 8), order=order)[0]
        (name,) = (name for name in labels.dask.layers if name.startswith("compose-labels-of-chunk"))
        table = dask.get(dict(labels.dask), (name, 1, 2, 1))[0]
        assert sum(column.size for column in table.values() if isinstance(column, np.ndarray)) == numbers
    labels = in_chunks(np.arange(1, 32**3 + 1).reshape(32, 32, 32), 8)
    sums = ccd.label_statistics(labels, labels.astype(np.float32), properties="intensity_sum")["intensity_sum"]
    for array, prefix, columns in ((ccd.relabel(labels)[0], "new-labels", 2), (sums, "ranges", 4)):
        (name,) = (name for name in array.dask.layers if name.startswith(f"{prefix}-of-chunk"))
        table = dask.get(dict(array.dask), (name, 1, 2, 1))[0]
        assert [column.size for column in table.values() if isinstance(column, np.ndarray)] == [8**3] * columns


def test_names_are_deterministic():
    image = da.from_array(np.eye(8), chunks=4)
    functions = [
        functools.partial(ccd.label, image),
        functools.partial(ccd.label, image, order="block"),
        functools.partial(ccd.label, image, connectivity=1),
        functools.partial(ccd.label, image, mask=np.ones((8, 8))),
        functools.partial(ccd.label, image, dtype=np.uint8),
        functools.partial(ccd.label, image, scratch="memory"),
        functools.partial(ccd.label, image, spatial_dims=1),
        functools.partial(ccd.label, image, by_value=True),
        functools.partial(ccd.label, image, by_value=True, background=1),
        functools.partial(ccd.label, image, device="cuda"),
    ]
    names = [function()[0].name for function in functions]
    assert names == [function()[0].name for function in functions]
    assert len(set(names)) == len(names)
    labels, again = ccd.label(image)[0], ccd.label(image)[0]
    assert set(labels.dask) == set(again.dask)
    assert (
        ccd.keep_largest(image).name != ccd.keep_largest(image, k=2).name != ccd.remove_small(image, 2).name
    )


def test_values_that_change_are_an_error():
    random = np.random.default_rng(5)

    def make(block_info=None):
        return (random.random((20, 20)) < 0.2).astype(np.uint8)

    image = da.map_blocks(make, chunks=((20, 20), (20, 20)), dtype=np.uint8, meta=np.empty((0, 0), np.uint8))
    with pytest.raises(RuntimeError, match="values change from one computation to the next"):
        ccd.label(image)[0].compute()
    labels, count = dask.compute(*ccd.label(image, scratch="memory"))
    assert labels.max() == count
    image = image.persist()
    labels, kept = dask.compute(ccd.label(image)[0], image)
    equal(labels, ccc.label(kept))


def test_labels_are_kept_in_files(tmp_path):
    image = noise((20, 20, 20), 0.2, 2)
    chunks = Chunks(image)
    for _ in range(2):
        equal(ccd.label(chunks.cut(7), scratch=tmp_path / "labels")[0].compute(), ccc.label(image))
    files = [path for path in (tmp_path / "labels").rglob("*") if path.is_file()]
    assert len(files) in (27, 54) and {path.suffix for path in files} == {".npy"}


def test_refused_arguments():
    numbers = noise((8, 8), 0.5, 1)
    image = in_chunks(numbers, 4)
    for arguments, error, message in [
        ((numbers,), TypeError, "must be a Dask array"),
        ((image[image > 0],), ValueError, "unknown sizes"),
        ((image.astype(complex),), TypeError, "not supported"),
        ((image[0, 0],), ValueError, "1, 2 or 3 dimensions"),
        ((da.stack([da.stack([image] * 2)] * 2),), ValueError, "spatial_dims"),
    ]:
        with pytest.raises(error, match=message):
            ccd.label(*arguments)
    for settings, error, message in [
        ({"mask": image.rechunk(2)}, ValueError, "mask has other chunks"),
        ({"mask": image[:, :4]}, ValueError, "mask has the shape"),
        ({"mask": 1}, TypeError, "mask must be a Dask array"),
        ({"connectivity": 6}, ValueError, "connectivity=6"),
        ({"background": 1}, ValueError, "by_value"),
        ({"by_value": True, "background": 0.5}, ValueError, "background=0.5"),
        ({"order": "size"}, ValueError, '"raster" or "block"'),
        ({"dtype": float}, TypeError, "labels are integers"),
        ({"device": "gpu"}, ValueError, "device must be"),
        ({"spatial_dims": 3}, ValueError, "spatial_dims=3"),
    ]:
        with pytest.raises(error, match=message):
            ccd.label(image, **settings)
    with pytest.raises(ValueError, match="across_values"):
        ccd.keep_largest(image, across_values=True)
    with pytest.raises(ValueError, match="k must be"):
        ccd.keep_largest(image, k=0)
    with pytest.raises(ValueError, match="needs by_value"):
        ccd.remove_small(image, {1: 2})
    with pytest.raises(ValueError, match="is not a property"):
        ccd.component_statistics(image, properties=["volume"])
    with pytest.raises(ValueError, match="needs by_value"):
        ccd.component_statistics(image, properties=["value"])
    with pytest.raises(TypeError, match="labels are integers"):
        ccd.label_statistics(image.astype(float))
    with pytest.raises(ValueError, match="intensities"):
        ccd.label_statistics(image, properties=["intensity_mean"])
    with pytest.raises(ValueError, match="intensities have the shape"):
        ccd.label_statistics(image, image[:, :4], properties=["intensity_mean"])
    with pytest.raises(ValueError, match="order must be"):
        ccd.relabel(image, order="value")


def test_masks_of_numpy_and_places_of_data_arrays():
    xarray = pytest.importorskip("xarray")
    numbers = noise((10, 12), 0.4, 3)
    mask = noise((10, 12), 0.7, 4)
    image = xarray.DataArray(
        in_chunks(numbers, 5),
        dims=("y", "x"),
        coords={"y": np.arange(10.0)},
        attrs={"units": "HU", "site": "A"},
    )
    labels, count = ccd.label(image, mask=mask)
    assert labels.dims == image.dims and labels.attrs == {"site": "A"} and labels.chunks == image.chunks
    assert labels.coords["y"].equals(image.coords["y"])
    equal(labels.values, ccc.label(numbers, mask=mask))
    assert int(count) == labels.values.max()
    kept = ccd.keep_largest(image)
    assert kept.attrs == image.attrs
    equal(kept.values, ccc.keep_largest(numbers))
    of_image = xarray.DataArray(in_chunks(mask, 5), dims=("y", "x"), coords={"y": np.arange(10.0)})
    equal(ccd.label(image, mask=of_image)[0].values, labels.values)
    equal(ccd.label(image, mask=of_image.compute())[0].values, labels.values)
    with pytest.raises(ValueError, match="other coordinates 'y'"):
        ccd.label(image, mask=of_image.assign_coords(y=np.arange(1.0, 11.0)))
    equal_tables(dask.compute(ccd.component_statistics(image))[0], ccc.component_statistics(numbers))


class FakeDevices:
    """The functions of the extension module for chunks, on the CPU. Records the devices and the threads."""

    def __init__(self, monkeypatch, count=1):
        self.devices, self.at_work, self.lock, self.most = [], [], threading.Lock(), 0
        monkeypatch.setattr(_blocks, "device_count", lambda: count)
        ccc.set_num_threads(5)
        for name in ("label_block", "label_block_again", "measure_values_of_block"):
            monkeypatch.setattr(_core, name, functools.partial(self.call, getattr(_core, name)))

    def call(self, function, *arguments):
        settings = arguments[-1]
        device = settings.device
        assert settings.threads == (1 if device == _core.HOST_BACKEND else 5)
        with self.lock:
            self.devices.append(device)
            self.at_work.append(device)
            if device != _core.HOST_BACKEND:
                self.most = max(self.most, self.at_work.count(device))
        time.sleep(0.002)
        settings.device = _core.HOST_BACKEND
        try:
            return function(*arguments)
        finally:
            with self.lock:
                self.at_work.remove(device)


def test_chunks_go_to_devices_by_their_number(monkeypatch):
    image = noise((16, 16), 0.4, 3)
    fake = FakeDevices(monkeypatch, 3)
    with dask.config.set(scheduler="threads", num_workers=6):
        for device, expected in (
            ("cuda", {0, 1, 2}),
            ("cuda:1", {1}),
            ("cpu", {_core.HOST_BACKEND}),
            (None, {_core.HOST_BACKEND}),
        ):
            fake.devices.clear()
            labels = ccd.label(in_chunks(image, 4), device=device)[0].compute()
            equal(labels, ccc.label(image, device="cpu", threads=1))
            assert set(fake.devices) == expected and len(fake.devices) == 32
        assert 0 < fake.most <= _blocks.TASKS_OF_GPU
    fake.devices.clear()
    ccd.label(in_chunks(image, 4), device="cuda")[1].compute()
    assert sorted(fake.devices) == sorted(i % 3 for i in range(16))
    monkeypatch.setenv("CUDA_CONNECTED_COMPONENTS_DEVICE", "cuda:2")
    fake.devices.clear()
    ccd.label(in_chunks(image, 8))[0].compute()
    assert set(fake.devices) == {2}


@pytest.mark.skipif(not ccc.backend_info()["cuda_reason"], reason="there is a GPU")
def test_without_a_gpu():
    image = in_chunks(noise((16, 16), 0.4, 3), 8)
    with pytest.raises(ccc.CudaError, match="CUDA"):
        ccd.label(image, device="cuda")[0].compute()
    with pytest.raises(ccc.CudaError, match="CUDA"):
        dask.compute(ccd.label_statistics(image, device="cuda:1"))


@pytest.mark.skipif(bool(ccc.backend_info()["cuda_reason"]), reason="there is no GPU")
@pytest.mark.parametrize("seed", range(8))
def test_a_gpu_gives_the_same(seed):
    image, chunks, parameters, mask, _ = random_case(seed)
    cut_image, labels = in_chunks(image, chunks), in_chunks((image != 0).astype(np.int32), chunks)
    if mask is not None:
        parameters["mask"] = in_chunks(mask, chunks)
    with dask.config.set(scheduler="threads", num_workers=4):
        results = [
            dask.compute(
                *ccd.label(cut_image, device=device, **parameters),
                ccd.component_statistics(cut_image, device=device, properties=PROPERTIES, **parameters),
                ccd.keep_largest(cut_image, device=device, **parameters),
                ccd.relabel(labels, spatial_dims=parameters.get("spatial_dims"))[0],
            )
            for device in ("cuda", "cpu")
        ]
    for found, expected in zip(*results):
        equal_tables(found, expected) if isinstance(found, dict) else np.testing.assert_array_equal(
            found, expected
        )


@pytest.mark.parametrize("seed", range(3))
def test_real_chunks_of_cupy(seed):
    cupy = pytest.importorskip("cupy")
    numbers = noise((30, 31, 32), 0.3, seed)
    image = da.from_array(cupy.asarray(numbers), chunks=13, asarray=False)
    labels, count = ccd.label(image)
    assert isinstance(labels._meta, cupy.ndarray)
    labels, count = dask.compute(labels, count)
    assert isinstance(labels, cupy.ndarray)
    equal(labels.get(), label_by_scipy(numbers, True)[0])
    equal(ccd.keep_largest(image).compute().get(), ccc.keep_largest(numbers))


class DeviceArray(np.ndarray):
    """An array that stands for one of CuPy."""

    def get(self):
        return np.array(self)


class FakeCupy:
    """The library of DeviceArray."""

    on_device = True
    xp = types.SimpleNamespace(asarray=lambda array: array.view(DeviceArray))

    def device_of(self, image):
        return 1

    def on_device_of(self, image):
        return contextlib.nullcontext()


def test_chunks_of_cupy(monkeypatch):
    library_of = _images.library_of
    monkeypatch.setattr(
        _images,
        "library_of",
        lambda image: FakeCupy() if isinstance(image, DeviceArray) else library_of(image),
    )
    fake = FakeDevices(monkeypatch)
    numbers = noise((9, 9), 0.4, 3)
    image = da.from_array(numbers.view(DeviceArray), chunks=4, asarray=False)
    assert isinstance(image._meta, DeviceArray)
    for scratch in (None, "memory"):
        labels, _ = ccd.label(image, scratch=scratch)
        assert isinstance(labels._meta, DeviceArray) and labels.dtype == np.int32
        chunks = [chunk.compute() for chunk in labels.blocks.ravel()]
        assert all(isinstance(chunk, DeviceArray) for chunk in chunks)
        assert set(fake.devices) == {1}
        equal(np.asarray(labels.compute()), label_by_scipy(numbers, True)[0])
    kept = ccd.keep_largest(image)
    assert isinstance(kept._meta, DeviceArray) and isinstance(kept.blocks[0, 0].compute(), DeviceArray)


def test_dask_image():
    from cuda_connected_components import dask_image

    image = noise((20, 21, 22), 0.3, 5)
    for array in (image, in_chunks(image, 8)):
        labels, count = dask.compute(*dask_image.label(array))
        equal(labels, label_by_scipy(image, False)[0])
        labels, count = dask.compute(*dask_image.label(array, np.ones((3, 3, 3))))
        equal(labels, label_by_scipy(image, True)[0])
        assert count == labels.max()
    with pytest.raises(NotImplementedError, match="wrap_axes"):
        dask_image.label(image, wrap_axes=(0,))
    with pytest.raises(NotImplementedError, match="dask_image.ndmeasure.label for other structures"):
        dask_image.label(image[0], [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    with pytest.raises(NotImplementedError, match="1 to 3 dimensions"):
        dask_image.label(image[np.newaxis])


def make_chunk(seconds, block_info=None):
    """Return a chunk of a random image, whatever the process."""
    place = block_info[None]["array-location"]
    time.sleep(seconds)
    index = np.ix_(*(np.arange(*each) for each in place))
    number = index[0] * 1000003 + index[1] * 10007 + index[2] * 101
    return (np.sin(number * 12.9898) * 43758.5453 % 1 < 0.3).astype(np.uint8)


def image_of_processes(seconds=0.0):
    """Return an image that workers make, and its pixels."""
    chunks = ((10, 10, 10), (10, 20), (15, 15))
    image = da.map_blocks(
        make_chunk,
        seconds,
        chunks=chunks,
        dtype=np.uint8,
        meta=np.empty((0, 0, 0), np.uint8),
        name=f"image-{seconds}",
    )
    return image, make_chunk(0, {None: {"array-location": [(0, 30)] * 3}})


@pytest.fixture
def modules(monkeypatch):
    """Let processes import this module."""
    folder = os.path.dirname(__file__)
    monkeypatch.syspath_prepend(folder)
    path = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", folder if path is None else f"{folder}{os.pathsep}{path}")


def test_processes(modules):
    image, pixels = image_of_processes()
    with dask.config.set(scheduler="processes", num_workers=2):
        labels, count, table, kept = dask.compute(
            *ccd.label(image), ccd.component_statistics(image), ccd.keep_largest(image, connectivity=1)
        )
    equal(labels, ccc.label(pixels))
    assert count == labels.max()
    equal_tables(table, ccc.component_statistics(pixels))
    equal(kept, ccc.keep_largest(pixels, connectivity=1))


@pytest.mark.skipif(not is_full_check, reason="a part of the full check")
@pytest.mark.parametrize("scratch", [None, "memory", "folder"])
def test_workers_of_distributed(modules, tmp_path, scratch):
    distributed = pytest.importorskip("distributed")
    scratch = tmp_path if scratch == "folder" else scratch
    image, pixels = image_of_processes()
    with distributed.LocalCluster(3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster), dask.config.set(scheduler=None):
            labels, count = dask.compute(*ccd.label(image, scratch=scratch))
            equal(labels, ccc.label(pixels))
            of_persisted, table = dask.compute(ccd.label(image.persist())[0], ccd.component_statistics(image))
            equal(of_persisted, labels)
            equal_tables(table, ccc.component_statistics(pixels))
            with pytest.raises(ccc.LabelOverflowError):
                ccd.label(image, connectivity=1, dtype=np.int8)[0].compute()


@pytest.mark.skipif(not is_full_check, reason="a part of the full check")
@pytest.mark.parametrize("has_nanny", [True, False])
def test_a_worker_is_killed(modules, has_nanny):
    distributed = pytest.importorskip("distributed")
    image, pixels = image_of_processes(0.5)
    with distributed.LocalCluster(0, dashboard_address=None) as cluster, contextlib.ExitStack() as stack:
        command = [
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            cluster.scheduler_address,
            "--nthreads",
            "1",
        ]
        command += ["--no-dashboard", *([] if has_nanny else ["--no-nanny"])]
        workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(3)]
        for worker in workers:
            stack.callback(worker.terminate)
        client = stack.enter_context(distributed.Client(cluster))
        client.wait_for_workers(3)
        processes = list(client.run(os.getpid).values())
        for seconds in (1.5, 5.0):  # in the first pass, and in the second one
            with dask.config.set(scheduler=None):
                futures = client.compute(list(ccd.label(image, connectivity=1 if seconds > 2 else None)))
            time.sleep(seconds)
            os.kill(processes.pop(), signal.SIGKILL)
            labels, count = client.gather(futures)
            equal(labels, ccc.label(pixels, connectivity=1 if seconds > 2 else None))
            assert count == labels.max()
        if has_nanny:
            client.wait_for_workers(3)


def test_drop_ins_do_not_compute():
    image = da.from_array(np.ones((4, 5), np.uint8), chunks=2)
    for function in (ccc.label, measure.label, ndimage.label, ndimage.binary_fill_holes):
        with pytest.raises(TypeError, match=r"cuda_connected_components.dask, or pass image.compute\(\)"):
            function(image)
