"""The command that labels Zarr arrays and OME-Zarr images."""

import csv
import errno
import functools
import itertools
import json
import os
import pathlib
import random
import re
import runpy
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import keep_by_loop, label_by_scipy, noise, seeds

zarr = pytest.importorskip("zarr", minversion="3.1.6")
pytest.importorskip("dask.array")

import cuda_connected_components as ccc
from cuda_connected_components import _ome_zarr, _progress, _zarr_input, _zarr_output, _zarr_store
from cuda_connected_components import zarr as command

PROPERTIES = ("label", "num_pixels", "bbox", "centroid")


@pytest.fixture(autouse=True)
def small_blocks(tmp_path, monkeypatch):
    """Make tasks of few elements, and work in an empty folder."""
    monkeypatch.setattr(_zarr_input, "_MOST_ELEMENTS", 2000)
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    """Run the command, and expect that it succeeds."""
    assert command.main(["label", *map(str, arguments), "--threads", "2"]) == 0


def fail(capsys, *arguments):
    """Run the command, and return its error."""
    capsys.readouterr()
    assert command.main(["label", *map(str, arguments), "--threads", "2"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1
    return error


def opened(path):
    """Return an array or group for reading."""
    return zarr.open(str(path), mode="r")


def is_complete(path):
    """Return whether there is an array or group of Zarr, as the library sees it."""
    return _zarr_store.open_node(str(path)) is not None


def make_array(path, image, chunks, zarr_format=3, shards=None, **options):
    """Write an array."""
    array = zarr.create_array(
        path,
        shape=image.shape,
        dtype=image.dtype,
        chunks=chunks,
        shards=shards,
        zarr_format=zarr_format,
        **options,
    )
    array[...] = image
    return array


def make_image(path, image, version, axes, scales, chunks, translations=None, shards=None, **attributes):
    """Write an OME-Zarr image. `scales` are the scales of the levels; each next one has half of the size in space."""
    zarr_format = _ome_zarr.VERSIONS[version]
    datasets = []
    for number, scale in enumerate(scales):
        transformations = [{"type": "scale", "scale": scale}]
        if translations:
            transformations.append({"type": "translation", "translation": translations[number]})
        datasets.append({"path": f"s{number}", "coordinateTransformations": transformations})
    types = {"t": "time", "c": "channel"}
    units = {"t": {"unit": "second"}, "c": {}}
    described = [
        {"name": name, "type": types.get(name, "space"), **units.get(name, {"unit": "micrometer"})}
        for name in axes
    ]
    multiscale = {"axes": described, "datasets": datasets, "name": "test", **attributes}
    if version == "0.4":
        metadata = {"multiscales": [{**multiscale, "version": version}]}
    else:
        metadata = {"ome": {"version": version, "multiscales": [multiscale]}}
    group = zarr.create_group(path, zarr_format=zarr_format, attributes=metadata)
    options = (
        {"chunk_key_encoding": {"name": "v2", "separator": "/"}}
        if zarr_format == 2
        else {"dimension_names": axes}
    )
    for number in range(len(scales)):
        part = tuple(slice(None, None, 1 if name in types else 2**number) for name in axes)
        make_array(f"{path}/s{number}", image[part], chunks, zarr_format, shards, **options)
    return group


def read_table(path):
    """Return the columns of a table."""
    if str(path).endswith(".parquet"):
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path).to_pydict()
    with open(path, newline="") as file:
        names, *rows = csv.reader(file)
    return {name: [float(row[i]) for row in rows] for i, name in enumerate(names)}


def expect_table(found, image, **options):
    """Compare a table with that of the package for the whole image."""
    if options.get("by_value"):
        options["properties"] = ("label", "value", *PROPERTIES[1:])
    expected = ccc.component_statistics(image, **{"properties": PROPERTIES, **options})
    for name, column in expected.items():
        np.testing.assert_array_equal(found[name], column, err_msg=name)


LAYOUTS = {"2": (2, None), "3": (3, None), "shards": (3, (12, 8, 16))}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("full", [False, True])
def test_labels_and_table(layout, full):
    zarr_format, shards = LAYOUTS[layout]
    image = noise((30, 25, 37), 0.25, 1)
    array = make_array("image.zarr", image, (6, 4, 8), zarr_format, shards)
    run("image.zarr", "labels.zarr", "--connectivity", 26 if full else 6, "--statistics", "table.csv")
    labels = opened("labels.zarr")
    expected, _ = label_by_scipy(image, full)
    np.testing.assert_array_equal(labels[...], expected)
    assert (labels.dtype, labels.chunks, labels.shards) == (np.int32, array.chunks, array.shards)
    assert (labels.metadata.zarr_format, labels.fill_value) == (zarr_format, 0)
    expect_table(read_table("table.csv"), image, connectivity=3 if full else 1)
    names = {name for _, _, files in os.walk("labels.zarr") for name in files}
    assert _zarr_store.JOURNAL not in names


@pytest.mark.parametrize("seed", seeds(12))
def test_random_layouts(seed):
    generator = random.Random(seed)
    shape = tuple(generator.randint(1, 40) for _ in range(generator.randint(1, 3)))
    chunks = tuple(generator.randint(1, n + 3) for n in shape)
    shards = generator.choice([None, tuple(n * generator.randint(1, 3) for n in chunks)])
    print(f"seed {seed}: {shape}, chunks {chunks}, shards {shards}")
    image = noise(shape, 0.4, seed, generator.choice([bool, np.int16, np.uint64, np.float32]))
    make_array("image.zarr", image, chunks, shards=shards)
    minimum = generator.choice([0, 3])
    run("image.zarr", "labels.zarr", "--min-size", minimum, "--statistics", "table.csv")
    kept = keep_by_loop(image, True, minimum)
    np.testing.assert_array_equal(opened("labels.zarr")[...], label_by_scipy(kept, True)[0])
    expect_table(read_table("table.csv"), kept)


def test_selections():
    image = noise((30, 25, 37), 0.3, 2, granularity=2) % 4
    image[5:9, 6:12, 7:30] = 3
    mask = noise(image.shape, 0.8, 3)
    make_array("image.zarr", image, (11, 10, 9))
    make_array("mask.zarr", mask, (30, 5, 37))
    run("image.zarr", "largest.zarr", "--keep-largest", 2, "--dtype", "uint16")
    largest = opened("largest.zarr")
    assert largest.dtype == np.uint16
    np.testing.assert_array_equal(largest[...], label_by_scipy(keep_by_loop(image, True, k=2), True)[0])
    run(
        "image.zarr",
        "values.zarr",
        "--by-value",
        "--connectivity",
        18,
        "--mask",
        "mask.zarr",
        "--statistics",
        "t.csv",
    )
    options = {"by_value": True, "connectivity": 18, "mask": mask}
    np.testing.assert_array_equal(opened("values.zarr")[...], ccc.label(image, **options))
    expect_table(read_table("t.csv"), image, **options)
    run("image.zarr", "none.zarr", "--by-value", "--background", "none", "--min-size", 4, "--keep-largest", 1)
    labels = ccc.label(image, by_value=True, background=None)
    sizes = np.bincount(labels.ravel())
    values = {label: value for label, value in zip(labels.ravel().tolist(), image.ravel().tolist())}
    largest = {
        max((label for label in values if values[label] == value), key=lambda n: (sizes[n], -n))
        for value in range(4)
    }
    kept = [label for label in sorted(largest) if sizes[label] >= 4]
    expected = sum((rank + 1) * (labels == label) for rank, label in enumerate(kept))
    np.testing.assert_array_equal(opened("none.zarr")[...], expected)


def test_order_of_blocks():
    image = noise((30, 25, 37), 0.25, 1)
    make_array("image.zarr", image, (6, 10, 20))
    run("image.zarr", "labels.zarr", "--order", "block", "--statistics", "table.csv")
    labels, table = opened("labels.zarr")[...], read_table("table.csv")
    expected, count = label_by_scipy(image, True)
    pairs = np.unique(np.stack([labels[image > 0], expected[image > 0]]), axis=1)
    assert pairs.shape[1] == count and set(pairs[0]) == set(range(1, count + 1))
    assert not (labels == expected).all()
    np.testing.assert_array_equal(table["label"], np.arange(1, count + 1))
    np.testing.assert_array_equal(table["num_pixels"], np.bincount(labels.ravel())[1:])


def test_chunks_that_are_not_stored():
    array = zarr.create_array("image.zarr", shape=(40, 30), chunks=(8, 8), dtype="u1", fill_value=1)
    array[8:16] = 0  # the chunks above and below are not stored, and are foreground
    assert len(os.listdir("image.zarr/c")) == 1
    run("image.zarr", "labels.zarr")
    labels = opened("labels.zarr")
    np.testing.assert_array_equal(labels[...], label_by_scipy(array[...], True)[0])
    assert "1" not in os.listdir("labels.zarr/c")


@pytest.mark.parametrize("shape", [(0,), (0, 5, 6), (4, 5, 0)])
def test_no_elements(shape):
    zarr.create_array("image.zarr", shape=shape, chunks=tuple(max(1, n) for n in shape), dtype="u1")
    run("image.zarr", "labels.zarr", "--statistics", "table.csv")
    assert opened("labels.zarr").shape == shape
    assert not read_table("table.csv")["label"]


def test_batch():
    image = noise((3, 2, 20, 15), 0.5, 4)
    make_array("image.zarr", image, (2, 1, 7, 15))
    run("image.zarr", "labels.zarr", "--spatial-dims", 2, "--statistics", "table.csv")
    np.testing.assert_array_equal(opened("labels.zarr")[...], ccc.label(image, spatial_dims=2))
    expect_table(read_table("table.csv"), image, spatial_dims=2)


def validated(path, version):
    """Return the group of labels, after a check of its metadata by ome-zarr-models."""
    group = opened(path)
    models = pytest.importorskip("ome_zarr_models")
    model = {"0.4": models.v04, "0.5": models.v05}[version]
    model.ImageLabel.from_zarr(group)
    return group


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_image(version):
    image = noise((2, 2, 13, 30, 26), 0.3, 5, granularity=1)
    scales = [[2.0, 1.0, 3.0, 0.5, 0.5], [2.0, 1.0, 6.0, 1.0, 1.0], [2.0, 1.0, 12.0, 2.0, 2.0]]
    shards = (1, 1, 8, 16, 16) if version == "0.5" else None
    make_image("image.zarr", image, version, "tczyx", scales, (1, 1, 4, 8, 8), shards=shards)
    run("image.zarr", "image.zarr", "--name", "blobs", "--min-size", 3, "--statistics", "table.parquet")
    model = validated("image.zarr/labels/blobs", version)
    expected = np.array(
        [[label_by_scipy(keep_by_loop(volume, True, 3), True)[0] for volume in time] for time in image]
    )
    for number in range(3):
        labels, original = model[f"s{number}"], opened(f"image.zarr/s{number}")
        np.testing.assert_array_equal(labels[...], expected[..., :: 2**number, :: 2**number, :: 2**number])
        assert (labels.chunks, labels.shards, labels.shape) == (
            original.chunks,
            original.shards,
            original.shape,
        )
    metadata = _ome_zarr.metadata_of(dict(model.attrs))
    original = _ome_zarr.metadata_of(dict(opened("image.zarr").attrs))
    assert metadata["image-label"]["source"]["image"] == "../../"
    for key in ("axes", "datasets"):
        assert metadata["multiscales"][0][key] == original["multiscales"][0][key]
    listed = _ome_zarr.metadata_of(dict(opened("image.zarr/labels").attrs))
    assert listed["labels"] == ["blobs"]

    table = read_table("table.parquet")
    kept = ccc.remove_small(image, 3, spatial_dims=3)
    columns = ccc.component_statistics(kept, spatial_dims=3, properties=PROPERTIES)
    physical = ccc.component_statistics(kept, spatial_dims=3, spacing=(3.0, 0.5, 0.5))
    np.testing.assert_array_equal(table["t"], columns.pop("image-0"))
    np.testing.assert_array_equal(table["c"], columns.pop("image-1"))
    for name, column in columns.items():
        np.testing.assert_array_equal(table[name], column)
    np.testing.assert_allclose(table["area"], physical["area"])
    for axis, name in enumerate("zyx"):
        np.testing.assert_allclose(table[f"position-{name}"], physical[f"centroid-{axis}"])


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_one_time_and_channel(version):
    image = noise((3, 2, 8, 20, 26), 0.3, 6)
    scales = [[2.0, 1.0, 3.0, 0.5, 0.5], [2.0, 1.0, 6.0, 1.0, 1.0]]
    translations = [[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.5, 0.25, 0.25]]
    common = [{"type": "scale", "scale": [1.0, 1.0, 2.0, 2.0, 2.0]}]
    make_image(
        "image.zarr",
        image,
        version,
        "tczyx",
        scales,
        (1, 2, 4, 8, 8),
        translations,
        coordinateTransformations=common,
    )
    run("image.zarr", "new.zarr", "--time", 2, "--channel", 1, "--level", 1, "--statistics", "table.parquet")
    model = validated("new.zarr/labels/components", version)
    expected, _ = label_by_scipy(image[2, 1, ::2, ::2, ::2], True)
    np.testing.assert_array_equal(model["s1"][0, 0], expected)
    assert list(model) == ["s1"] and model["s1"].shape == (1, 1, *expected.shape)
    metadata = _ome_zarr.metadata_of(dict(model.attrs))
    (dataset,) = metadata["multiscales"][0]["datasets"]
    assert dataset["coordinateTransformations"] == [
        {"type": "scale", "scale": scales[1]},
        {"type": "translation", "translation": [4.0, 0.0, 1.5, 0.25, 0.25]},
    ]
    assert metadata["multiscales"][0]["coordinateTransformations"] == common
    assert os.path.realpath(
        f"new.zarr/labels/components/{metadata['image-label']['source']['image']}"
    ) == os.path.realpath("image.zarr")
    table = read_table("table.parquet")
    physical = ccc.component_statistics(expected, by_value=True, spacing=(12.0, 2.0, 2.0))
    assert set(table["t"]) == {2} and set(table["c"]) == {1}
    np.testing.assert_allclose(table["position-z"], physical["centroid-0"] + 3.0)
    np.testing.assert_allclose(table["area"], physical["area"])


@pytest.mark.parametrize("seed", seeds(6))
def test_nearest(seed):
    generator = np.random.default_rng(seed)
    fine, coarse = (
        _ome_zarr.Level("", generator.uniform(low, high, 1), generator.uniform(-1, 1, 1))
        for low, high in ((1, 2), (2, 7))
    )
    found = _ome_zarr.nearest(coarse, fine, 0, 3, 40, 60)
    distances = np.abs(
        (np.arange(3, 40) * coarse.scale + coarse.translation)[:, None]
        - (np.arange(60) * fine.scale + fine.translation)
    )
    np.testing.assert_array_equal(found, distances.argmin(axis=1))


class Killed(BaseException):
    """Stands for the end of the process."""


def count_down(monkeypatch, steps, end):
    """Call `end` in the step of this number. Steps are writes of blocks, of metadata and of journals, and the table."""
    left = itertools.count()

    def counted(function):
        @functools.wraps(function)
        def call(*arguments, **keywords):
            if next(left) == steps:
                end()
            return function(*arguments, **keywords)

        return call

    for module, name in (
        (_zarr_output, "_write"),
        (_zarr_output, "_reduce"),
        (_zarr_output, "save"),
        (_zarr_store, "write"),
    ):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))
    monkeypatch.setattr(_zarr_store.Journal, "seconds", 0)
    return left


def test_second_labels_of_a_consolidated_image(monkeypatch):
    image = noise((20, 26), 0.4, 7)
    make_image("image.zarr", image, "0.4", "yx", [[1.0, 1.0]], (8, 8))
    zarr.consolidate_metadata("image.zarr")
    for name, connectivity in (("faces", 4), ("full", 8), ("faces", 8)):
        run("image.zarr", "image.zarr", "--name", name, "--connectivity", connectivity, "--overwrite")
    group = zarr.open_consolidated("image.zarr", mode="r")
    assert group["labels"].attrs["labels"] == ["full", "faces"]
    np.testing.assert_array_equal(group["labels/faces/s0"][...], label_by_scipy(image, True)[0])

    def end():
        raise Killed

    with monkeypatch.context() as patch:
        count_down(patch, 2, end)
        with pytest.raises(Killed):
            run("image.zarr", "image.zarr", "--name", "full", "--overwrite")
    group = zarr.open_consolidated("image.zarr", mode="r")
    assert group["labels"].attrs["labels"] == ["faces"] and list(group["labels"]) == ["faces"]


COMMAND = ("image.zarr", "image.zarr", "--statistics", "table.csv")


def make_image_to_kill():
    image = noise((18, 20, 22), 0.2, 8)
    image[:6] = 0  # chunks of labels that are not stored
    make_image("image.zarr", image, "0.5", "zyx", [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], (6, 8, 8))
    return label_by_scipy(image, True)[0], image


def expect_all(expected, image):
    np.testing.assert_array_equal(opened("image.zarr/labels/components/s0")[...], expected)
    np.testing.assert_array_equal(opened("image.zarr/labels/components/s1")[...], expected[::2, ::2, ::2])
    expect_table(read_table("table.csv"), image)
    assert dict(opened("image.zarr/labels").attrs)["ome"]["labels"] == ["components"]
    assert not os.path.exists(f"image.zarr/labels/components/{_zarr_store.JOURNAL}")


def expect_incomplete(expected, image):
    """Check that what is there of a result looks complete only if it is."""
    if os.path.exists("table.csv"):
        expect_table(read_table("table.csv"), image)
    for number, level in enumerate((expected, expected[::2, ::2, ::2])):
        if is_complete(f"image.zarr/labels/components/s{number}"):
            np.testing.assert_array_equal(opened(f"image.zarr/labels/components/s{number}")[...], level)
    if is_complete("image.zarr/labels/components"):
        assert all(is_complete(f"image.zarr/labels/components/s{number}") for number in (0, 1))
    if is_complete("image.zarr/labels"):
        assert is_complete("image.zarr/labels/components")


@pytest.mark.parametrize("seed", [-1, -2, -3, -4, -5, *seeds(12)])
def test_end_in_any_step(seed, monkeypatch, capsys):
    expected, image = make_image_to_kill()
    with monkeypatch.context() as patch:
        steps = count_down(patch, -1, None)
        run(*COMMAND)
        steps = next(steps)
    expect_all(expected, image)
    # The last steps write the metadata. Before the first one, there is nothing.
    step = steps + seed if seed < 0 else random.Random(seed).randrange(1, steps)
    print(f"seed {seed}: step {step} of {steps}")
    shutil.rmtree("image.zarr/labels")
    os.remove("table.csv")

    def end():
        raise Killed

    with monkeypatch.context() as patch:
        count_down(patch, step, end)
        with pytest.raises(Killed):
            command.main(["label", *COMMAND, "--threads", "2"])
    expect_incomplete(expected, image)
    error = fail(capsys, *COMMAND, "--min-size", 2)
    assert "other settings (min_size: 0, now 2)" in error
    run(*COMMAND)
    expect_all(expected, image)


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import pytest
import test_zarr
test_zarr._zarr_input._MOST_ELEMENTS = 2000
test_zarr.count_down(pytest.MonkeyPatch(), int(sys.argv[2]), lambda: os.kill(os.getpid(), signal.SIGKILL))
test_zarr.run(*test_zarr.COMMAND)
"""


def test_killed_process(capsys):
    expected, image = make_image_to_kill()
    seed = random.randrange(2**32)
    step = random.Random(seed).randrange(2, 30)
    print(f"seed {seed}: step {step}")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, os.path.dirname(__file__), str(step)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    expect_incomplete(expected, image)
    assert not is_complete("image.zarr/labels/components")
    run(*COMMAND)
    assert "going on" in capsys.readouterr().err
    expect_all(expected, image)


def test_blocks_that_are_there_are_not_written_again(monkeypatch):
    image = noise((30, 25, 37), 0.25, 1)
    make_array("image.zarr", image, (6, 4, 8))

    def end():
        raise Killed

    with monkeypatch.context() as patch:
        count_down(patch, 20, end)
        with pytest.raises(Killed):
            command.main(["label", "image.zarr", "labels.zarr", "--threads", "1"])
    bits = json.loads((_zarr_store.read(_zarr_store.open_store("labels.zarr", True), _zarr_store.JOURNAL)))[
        "done"
    ]["0"]
    done = sum(int(digit, 16).bit_count() for digit in bits[1])
    total = int(np.prod(bits[0]))
    assert 0 < done < total
    partial = pathlib.Path("labels.zarr/c/0.1234.partial")  # as a killed process leaves it
    partial.touch()
    written = []
    write = _zarr_output._write

    @functools.wraps(write)
    def noted(*arguments, **keywords):
        written.append(keywords["block_id"])
        return write(*arguments, **keywords)

    monkeypatch.setattr(_zarr_output, "_write", noted)
    run("image.zarr", "labels.zarr")
    assert len(set(written)) == len(written) == total - done
    assert not partial.exists()
    np.testing.assert_array_equal(opened("labels.zarr")[...], label_by_scipy(image, True)[0])


def test_full_disk(monkeypatch, capsys):
    image = noise((30, 25, 37), 0.25, 1)
    make_array("image.zarr", image, (6, 4, 8))

    def end():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        count_down(patch, 9, end)
        assert "no space is left: free some, and run the same command again" in fail(
            capsys, "image.zarr", "labels.zarr"
        )
    assert not is_complete("labels.zarr")
    run("image.zarr", "labels.zarr")
    np.testing.assert_array_equal(opened("labels.zarr")[...], label_by_scipy(image, True)[0])


def test_table_that_exists(capsys):
    image = noise((8, 9), 0.5, 1)
    make_array("image.zarr", image, (4, 4))
    command_line = ("image.zarr", "labels.zarr", "--statistics", "table.csv")
    pathlib.Path("table.csv").write_text("of another program")
    for _ in range(2):
        assert "table.csv exists: choose another name, or --overwrite" in fail(capsys, *command_line)
    assert sorted(os.listdir()) == ["image.zarr", "table.csv"]
    assert pathlib.Path("table.csv").read_text() == "of another program"
    run(*command_line, "--overwrite")
    expect_table(read_table("table.csv"), image)


def test_table_alone(monkeypatch, capsys):
    image = noise((30, 25, 37), 0.25, 1, np.int16) % 3
    make_array("image.zarr", image, (6, 4, 8))
    run("image.zarr", "--no-labels", "--by-value", "--statistics", "table.parquet")
    expect_table(read_table("table.parquet"), image, by_value=True)
    assert sorted(os.listdir()) == ["image.zarr", "table.parquet"]
    assert "table.parquet exists" in fail(
        capsys, "image.zarr", "--no-labels", "--statistics", "table.parquet"
    )
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *names: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run("image.zarr", "--no-labels", "--statistics", "table.csv")
    assert not os.path.exists("table.csv")
    run("image.zarr", "--no-labels", "--statistics", "table.parquet", "--overwrite")
    expect_table(read_table("table.parquet"), image)


@pytest.mark.slow
def test_processes():
    image = noise((30, 25, 37), 0.25, 1)
    make_array("image.zarr", image, (6, 4, 8))
    assert command.main(["label", "image.zarr", "labels.zarr", "--workers", "2"]) == 0
    np.testing.assert_array_equal(opened("labels.zarr")[...], label_by_scipy(image, True)[0])


def test_labels_that_others_add_meanwhile(monkeypatch):
    make_image("image.zarr", noise((8, 9), 0.5, 1), "0.5", "yx", [[1.0, 1.0]], (4, 4))
    save = _zarr_output.save

    def save_after_others(*arguments):
        if not os.path.exists("image.zarr/labels/other"):
            run("image.zarr", "image.zarr", "--name", "other")
        save(*arguments)

    monkeypatch.setattr(_zarr_output, "save", save_after_others)
    run("image.zarr", "image.zarr", "--name", "mine", "--statistics", "table.csv")
    assert opened("image.zarr/labels").attrs["ome"]["labels"] == ["other", "mine"]


def test_another_table_of_an_unfinished_result(monkeypatch, capsys):
    make_array("image.zarr", noise((30, 37), 0.4, 1), (6, 20))
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(_zarr_store.UnfinishedStore, "finish", lambda self: 1 / 0)
        run("image.zarr", "labels.zarr", "--statistics", "table.csv")
    open("other.csv", "w").close()
    assert "statistics: " in fail(capsys, "image.zarr", "labels.zarr", "--statistics", "other.csv")


def test_two_runs(monkeypatch, capsys):
    make_array("image.zarr", noise((30, 37), 0.4, 1), (6, 20))
    save = _zarr_output.save

    def save_after_another_run(*arguments):
        monkeypatch.setattr(_zarr_output, "save", save)
        with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
            patch.setattr(_zarr_store.UnfinishedStore, "finish", lambda self: 1 / 0)
            run("image.zarr", "labels.zarr", "--overwrite", "--connectivity", 4)
        save(*arguments)

    monkeypatch.setattr(_zarr_output, "save", save_after_another_run)
    assert "another run" in fail(capsys, "image.zarr", "labels.zarr", "--statistics", "table.csv")
    assert not is_complete("labels.zarr")
    with open("labels.zarr/unfinished.json", "w") as file:
        file.write("{")
    assert "unfinished.json is damaged" in fail(capsys, "image.zarr", "labels.zarr")


def test_what_a_result_depends_on_has_one_name_in_each_folder(monkeypatch, capsys):
    image = noise((30, 25, 37), 0.5, 1)
    make_array("image.zarr", image, (6, 4, 8))
    masks = []
    for number, folder in enumerate("ab"):
        os.mkdir(folder)
        masks.append(noise(image.shape, 0.5, 2 + number))
        make_array(f"{folder}/mask.zarr", masks[-1], (6, 4, 8))
    command_line = ("../image.zarr", "../labels.zarr", "--mask", "mask.zarr")

    def end():
        raise Killed

    monkeypatch.chdir("a")
    with monkeypatch.context() as patch:
        count_down(patch, 20, end)
        with pytest.raises(Killed):
            command.main(["label", *command_line, "--threads", "1"])
    monkeypatch.chdir("../b")
    assert "other settings (mask: " in fail(capsys, *command_line)
    monkeypatch.chdir("..")
    run("image.zarr", "labels.zarr", "--mask", "a/mask.zarr")
    np.testing.assert_array_equal(opened("labels.zarr")[...], label_by_scipy(image * (masks[0] != 0), True)[0])


def test_overwrite_that_cannot_be_done(monkeypatch, capsys):
    image = noise((8, 9), 0.5, 1)
    make_array("image.zarr", image, (4, 4))
    run("image.zarr", "real.zarr")
    os.symlink("real.zarr", "link.zarr")
    assert "is a symbolic link" in fail(capsys, "image.zarr", "link.zarr", "--overwrite")
    assert is_complete("real.zarr")
    assert "is in what is written" in fail(
        capsys, "image.zarr", "real.zarr", "--overwrite", "--statistics", "real.zarr/c/table.csv"
    )
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(_zarr_store, "remove", lambda *arguments: 1 / 0)
        run("image.zarr", "real.zarr", "--overwrite")
    assert "were being removed" in fail(capsys, "image.zarr", "real.zarr")
    run("image.zarr", "real.zarr", "--overwrite")
    np.testing.assert_array_equal(opened("real.zarr")[...], label_by_scipy(image, True)[0])


def test_names_of_axes_for_xarray():
    array = make_array("image.zarr", noise((8, 9), 0.5, 1), (4, 4), 2)
    array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    run("image.zarr", "labels.zarr")
    assert dict(opened("labels.zarr").attrs) == {"_ARRAY_DIMENSIONS": ["y", "x"]}


def test_labels_that_do_not_fit_an_image(capsys):
    image = noise((4, 8, 10), 0.5, 1)
    make_image("image.zarr", image, "0.5", "tyx", [[1.0, 1.0, 1.0]], (1, 4, 4))
    make_image("other.zarr", image[0], "0.5", "yx", [[1.0, 1.0]], (4, 4))
    make_image("times.zarr", image, "0.5", "zyx", [[1.0] * 3, [2.0] * 3], (1, 4, 4))
    metadata = dict(zarr.open_group("times.zarr").attrs)
    metadata["ome"]["multiscales"][0]["axes"][0]["type"] = "time"
    zarr.open_group("times.zarr").attrs.put(metadata)
    assert "is another image than image.zarr" in fail(capsys, "image.zarr", "other.zarr")
    assert "fewer times or channels" in fail(capsys, "times.zarr", "labels.zarr")


def test_masks_of_a_part():
    image = noise((2, 8, 10), 0.5, 1)
    make_image("image.zarr", image, "0.5", "cyx", [[1.0, 1.0, 1.0]], (1, 4, 4))
    run("image.zarr", "image.zarr", "--channel", 1, "--name", "first", "--keep-largest", 2)
    run("image.zarr", "image.zarr", "--channel", 1, "--mask", "image.zarr/labels/first", "--name", "second")
    kept = opened("image.zarr/labels/first/s0")[0]
    assert kept.max() == 2
    np.testing.assert_array_equal(opened("image.zarr/labels/second/s0")[0], label_by_scipy(kept, True)[0])
    make_array("array.zarr", image, (1, 4, 4))
    mask = noise((8, 10), 0.7, 2)
    make_array("mask.zarr", mask, (4, 4))
    run("array.zarr", "labels.zarr", "--spatial-dims", 2, "--mask", "mask.zarr")
    for labels, plane in zip(opened("labels.zarr")[...], image):
        np.testing.assert_array_equal(labels, label_by_scipy(plane * (mask != 0), True)[0])


def test_labels_of_a_level_are_a_mask_of_this_level():
    make_image("image.zarr", noise((16, 20), 0.5, 1), "0.5", "yx", [[1.0] * 2, [2.0] * 2], (4, 4))
    run("image.zarr", "image.zarr", "--level", 1, "--name", "first", "--keep-largest", 2)
    run("image.zarr", "image.zarr", "--level", 1, "--mask", "image.zarr/labels/first", "--name", "second")
    kept = opened("image.zarr/labels/first/s1")[...]
    assert kept.shape == (8, 10)
    np.testing.assert_array_equal(opened("image.zarr/labels/second/s1")[...], label_by_scipy(kept, True)[0])


def test_a_mask_of_all_times_and_channels():
    image, mask = noise((2, 3, 8, 9), 0.5, 1), noise((2, 3, 8, 9), 0.5, 2)
    make_image("image.zarr", image, "0.4", "tcyx", [[1.0] * 4], (1, 1, 4, 4))
    make_array("mask.zarr", mask, (1, 1, 4, 4))
    run("image.zarr", "out.zarr", "--mask", "mask.zarr", "--time", 1, "--channel", 2)
    expected = label_by_scipy(np.where(mask == 0, 0, image)[1, 2], True)[0]
    np.testing.assert_array_equal(opened("out.zarr/labels/components/s0")[...].squeeze(), expected)


def test_urls(capsys):
    image = noise((30, 37), 0.4, 1)
    make_array("memory://image.zarr", image, (6, 20))
    run("memory://image.zarr", "memory://labels.zarr")
    np.testing.assert_array_equal(opened("memory://labels.zarr")[...], label_by_scipy(image, True)[0])
    assert "memory://labels.zarr exists" in fail(capsys, "memory://image.zarr", "memory://labels.zarr")
    run("memory://image.zarr", "memory://labels.zarr", "--overwrite")


@pytest.mark.parametrize("scratch", ["memory", "folder"])
def test_scratch(scratch):
    image = noise((30, 25, 37), 0.25, 1)
    make_array("image.zarr", image, (6, 10, 20))
    os.mkdir("folder")
    run("image.zarr", "labels.zarr", "--scratch", scratch)
    run("image.zarr", "large.zarr", "--scratch", scratch, "--min-size", 3)
    np.testing.assert_array_equal(opened("labels.zarr")[...], label_by_scipy(image, True)[0])
    kept = keep_by_loop(image, True, 3)
    np.testing.assert_array_equal(opened("large.zarr")[...], label_by_scipy(kept, True)[0])
    assert not os.listdir("folder")


def test_progress(monkeypatch, capsys):
    make_array("image.zarr", noise((30, 25, 37), 0.25, 1), (6, 10, 20))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(_progress.Progress, "seconds", 0)
    run("image.zarr", "labels.zarr")
    lines = capsys.readouterr().err.split("\r")
    assert re.fullmatch(r"labeling:  50%, 0 s, about \d s left\033\[K", lines[len(lines) // 2])
    assert lines[-1] == "\033[K"


def test_example(tmp_path, monkeypatch):
    example = pathlib.Path(__file__).parents[2] / "examples" / "python" / "label_lightsheet.py"
    if not example.exists():
        pytest.skip("the source distribution has no examples")
    monkeypatch.setattr(sys, "argv", [str(example), "--planes", "16", "--size", "256"])
    runpy.run_path(str(example), run_name="__main__")
    mask, labels = (
        opened("lightsheet-mask.zarr/0")[...],
        validated("lightsheet.zarr/labels/nuclei", "0.5")["0"],
    )
    np.testing.assert_array_equal(labels[...], label_by_scipy(keep_by_loop(mask, True, 50), True)[0])


def test_errors(capsys):
    image = noise((8, 9), 0.5, 1)
    make_array("image.zarr", image, (4, 4))
    make_array("complex.zarr", image.astype(complex), (4, 4))
    make_array("same.zarr", image, (4, 4))
    make_array("wide.zarr", noise((8, 10), 0.5, 1), (4, 4))
    make_image("ome.zarr", image, "0.5", "yx", [[1.0, 1.0]], (4, 4))
    make_image("old.zarr", image, "0.4", "yx", [[1.0, 1.0]], (4, 4))
    group = zarr.open_group("old.zarr", mode="r+")
    original = dict(group.attrs)
    os.mkdir("full")
    open("full/file", "w").close()
    open("mine.csv", "w").close()

    def change(**changes):
        group.attrs.put({"multiscales": [{**original["multiscales"][0], **changes}]})

    for arguments, sentence in (
        (["missing.zarr", "out"], "missing.zarr is neither an array nor a group of Zarr"),
        (["full/file", "out"], "full/file is a file"),
        (["complex.zarr", "out"], "the type complex128"),
        (["image.zarr", "image.zarr"], "IN image.zarr is what is written"),
        (["image.zarr", pathlib.Path("image.zarr").absolute().as_uri(), "--overwrite"], "IN image.zarr is what"),
        (["ome.zarr/s0", "ome.zarr", "--overwrite"], "IN ome.zarr/s0 is what is written, ome.zarr, or in it"),
        (["image.zarr", "same.zarr", "--mask", "same.zarr", "--overwrite"], "--mask same.zarr is what is written"),
        (["image.zarr"], "OUT is missing"),
        (["image.zarr", "ome.zarr"], "ome.zarr exists: choose another name, or --overwrite"),
        (["image.zarr", "full"], "full exists, and is neither an array nor a group"),
        (["image.zarr", "full", "--overwrite"], "full exists, and is neither an array nor a group"),
        (["ome.zarr", "full"], "full exists, and is no group of Zarr"),
        (["ome.zarr", "image.zarr"], "image.zarr is an array"),
        (["ome.zarr", "old.zarr"], "old.zarr has Zarr 2, and ome.zarr Zarr 3"),
        (["ome.zarr", "out", "--level", 1], "--level 1 does not exist: ome.zarr has the levels 0 to 0"),
        (["ome.zarr", "out", "--time", 0], "ome.zarr has no axis of the type time"),
        (["ome.zarr", "out", "--spatial-dims", 2], "--spatial-dims is for arrays"),
        (["ome.zarr", "out", "--name", "a/b"], "--name 'a/b'"),
        (["ome.zarr", "out", "--name", "zarr.json"], "--name 'zarr.json'"),
        (["image.zarr", "out", "--spatial-dims", 0], "--spatial-dims must be at least 1, not 0"),
        (["image.zarr", "out", "--time", 0], "--time is for images of OME-Zarr"),
        (["image.zarr", "out", "--statistics", "mine.csv"], "mine.csv exists"),
        (["image.zarr", "--no-labels", "--statistics", "mine.csv"], "mine.csv exists"),
        (["image.zarr", "out", "--dtype", "float32"], "--dtype float32 is no type of integers"),
        (["image.zarr", "out", "--dtype", "foo"], "--dtype foo is no type of integers"),
        (["image.zarr", "out", "--connectivity", 7], "connectivity=7 is not possible"),
        (["image.zarr", "out", "--background", 1], "--background 1 needs --by-value"),
        (["image.zarr", "out", "--min-size", -1], "--min-size must be at least 0, not -1"),
        (["image.zarr", "out", "--keep-largest", 0], "--keep-largest must be at least 1, not 0"),
        (
            ["image.zarr", "out", "--mask", "wide.zarr"],
            "the mask wide.zarr has the shape (8, 10), and the image (8, 9)",
        ),
        (["image.zarr", "out", "--mask", "full"], "--mask full is neither"),
        (["image.zarr", "out", "--statistics", "t.txt"], "*.parquet and *.csv are supported"),
        (
            ["image.zarr", "out", "--statistics", "no/t.csv"],
            "the folder of the table no/t.csv does not exist",
        ),
        (["image.zarr", "out", "--scratch", "no"], "the folder --scratch no does not exist"),
        (["image.zarr", "out", "--no-labels"], "leave out out"),
        (["image.zarr", "--no-labels"], "name it with --statistics"),
    ):
        assert sentence in fail(capsys, *arguments)
        assert not os.path.exists("out"), arguments
    for changes, sentence in (
        ({"version": "0.3"}, "has version 0.3 of OME-Zarr"),
        ({"axes": [{"name": "angle", "type": "angle"}, {"name": "x", "type": "space"}]}, "'angle'"),
        ({"axes": [{"name": "y", "type": "space"}, {"name": "c", "type": "channel"}]}, "must come last"),
        ({"datasets": [{"path": "s0"}]}, "each level must have a scale"),
        ({"datasets": [{**original["multiscales"][0]["datasets"][0], "path": "s9"}]}, "has no array s9"),
        ({"datasets": []}, "has no levels"),
        ({"axes": ["y", "x"]}, "metadata of OME-Zarr that are not valid"),
        ({"axes": None}, "metadata of OME-Zarr that are not valid"),
        ({"datasets": 2 * original["multiscales"][0]["datasets"]}, "has the shape"),
    ):
        if "shape" in sentence:
            make_array("old.zarr/s1", image[::2, ::2], (4, 4), 2)
            changes["datasets"][1] = {**changes["datasets"][1], "path": "s1"}
        change(**changes)
        assert sentence in fail(capsys, "old.zarr", "out")
    group.attrs.put({"plate": {}})
    assert "is a plate or a well" in fail(capsys, "old.zarr", "out")
    group.attrs.put({})
    assert "name an array in it" in fail(capsys, "old.zarr", "out")


def test_too_many_components(capsys):
    make_array("image.zarr", np.eye(600, dtype=np.uint8)[::2], (40, 40))
    error = fail(capsys, "image.zarr", "labels.zarr", "--dtype", "uint8")
    assert "300" in error or "uint8" in error
    assert not is_complete("labels.zarr")
