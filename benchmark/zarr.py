#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times labeling from Zarr to Zarr: our command, dask-image and tilewise-ccl, on the same volume of blobs.

    zarr.py --size 1024 --chunk 256 --threads 2 --rounds 3 --folder FOLDER --json zarr.json --note MACHINE

The volume is uint8, made chunk by chunk: blobs over several chunks, and specks. Each library reads it from an array of
Zarr 3, and writes labels of the same chunks under full connectivity. It runs in a process of its own, if it is installed. The
time begins after the imports, and ends when all labels are written. The peak memory is that of the process, and without what
the imports have taken; the processes of ours are added. The libraries take turns in each round. Each time is the lowest of all
rounds, and each memory the highest. All libraries must find the same number of components. With --check, our labels must be
SciPy's, which takes the memory of the whole volume.
"""

import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import numpy as np

# As a script, this folder comes first in sys.path: this file would be the module zarr.
sys.path = [
    path
    for path in sys.path
    if not path or pathlib.Path(path).resolve() != pathlib.Path(__file__).resolve().parent
]


def make_volume(path, size, chunk, specks, seed=1):
    """Write the volume, chunk by chunk."""
    import zarr

    step = 16
    nodes = np.random.default_rng(seed).random((size // step + 2,) * 3, np.float32)
    array = zarr.create_array(path, shape=(size,) * 3, chunks=(chunk,) * 3, dtype="u1", overwrite=True)
    number = -(-size // chunk)
    for index in np.ndindex((number,) * 3):
        values = nodes
        for axis, i in enumerate(index):
            places = np.arange(i * chunk, min(size, (i + 1) * chunk), dtype=np.float32) / step
            low = places.astype(int)
            shape = tuple(-1 if a == axis else 1 for a in range(3))
            part = (places - low).reshape(shape)
            values = values.take(low, axis) * (1 - part) + values.take(low + 1, axis) * part
        is_speck = np.random.default_rng((seed, *index)).random(values.shape, np.float32) < specks
        array.blocks[index] = (values > 0.6) | is_speck


def by_ours(source, target, threads, chunk):
    """Label by our command, with threads."""
    return _command(source, target, "--threads", threads)


def by_our_processes(source, target, threads, chunk):
    """Label by our command, with processes."""
    return _command(source, target, "--workers", threads)


def _command(source, target, *workers):
    import contextlib
    import io

    from cuda_connected_components import zarr as command

    def label():
        with contextlib.redirect_stdout(io.StringIO()) as output:
            status = command.main(["label", source, target, "--connectivity", "26", *map(str, workers)])
        if status:
            raise RuntimeError("our command failed")
        return int(output.getvalue().split()[-1])

    return label


def by_dask_image(source, target, threads, chunk):
    """Label by dask_image.ndmeasure."""
    import dask
    import dask.array as da
    from dask_image import ndmeasure

    def label():
        labels, count = ndmeasure.label(da.from_zarr(source), np.ones((3, 3, 3)))
        with dask.config.set(scheduler="threads", num_workers=threads):
            written = labels.rechunk(chunk).to_zarr(target, compute=False)
            return int(dask.compute(written, count)[1])

    return label


def by_tilewise(source, target, threads, chunk):
    """Label by tilewise_ccl, with its own defaults: SciPy in each tile, and tiles that are chunks."""
    import dask
    import dask.array as da
    import tilewise_ccl

    def label():
        labels, facts = tilewise_ccl.label_array(
            da.from_zarr(source), connectivity=3, max_threads=threads, diagnostics=True
        )
        with dask.config.set(scheduler="threads", num_workers=threads):
            labels.to_zarr(target)
        return facts["n_final_objects"]

    return label


def by_tilewise_dyna(source, target, threads, chunk):
    """Label by tilewise_ccl without Dask."""
    import tilewise_ccl
    from dyna_zarr.io import io

    def label():
        image = io.read(source)
        labels, facts = tilewise_ccl.label_array(image, connectivity=3, max_threads=threads, diagnostics=True)
        io.write(labels, target, chunks=(chunk,) * 3, max_threads=threads, overwrite=True)
        return facts["n_final_objects"]

    return label


LIBRARIES = {
    "ours": by_ours,
    "ours, processes": by_our_processes,
    "dask_image": by_dask_image,
    "tilewise-ccl": by_tilewise,
    "tilewise-ccl, dyna-zarr": by_tilewise_dyna,
}


def peak():
    """Return the peak memory of this process in MiB. Unlike that of getrusage, it begins with this program."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def run_one(name, source, target, threads, chunk):
    """Run a library in this process, and print what it took."""
    try:
        label = LIBRARIES[name](source, target, threads, chunk)
    except ImportError as error:
        print(json.dumps({"missing": error.name}))
        return
    before = peak()
    begin = time.perf_counter()
    count = label()
    seconds = time.perf_counter() - begin
    children = (
        threads * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 if "processes" in name else 0
    )
    print(json.dumps({"seconds": seconds, "peak": peak() + children, "before": before, "count": count}))


def check(source, target):
    """Compare labels with SciPy's."""
    import scipy.ndimage
    import zarr

    expected, _ = scipy.ndimage.label(zarr.open_array(source, mode="r")[...], np.ones((3, 3, 3)))
    found = zarr.open_array(target, mode="r")
    for index in np.ndindex(tuple(-(-n // c) for n, c in zip(found.shape, found.chunks))):
        part = tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, found.chunks))
        if not np.array_equal(found[part], expected[part]):
            sys.exit(f"WRONG LABELS in chunk {index}")
    print("our labels are SciPy's")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--chunk", type=int, default=128)
    parser.add_argument("--specks", type=float, default=0.002, help="the density of components of one pixel")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/benchmark-zarr"))
    parser.add_argument("--only", nargs="*", choices=LIBRARIES, default=list(LIBRARIES))
    parser.add_argument("--timeout", type=float, default=3600, help="seconds of a run")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--note", default="", help="the machine")
    parser.add_argument("--run", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        name, source, target, threads, chunk = options.run
        run_one(name, source, target, int(threads), int(chunk))
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    source = options.folder / f"blobs-{options.size}-{options.chunk}-{options.specks}.zarr"
    if not source.exists():
        partial = options.folder / "unfinished.zarr"
        make_volume(str(partial), options.size, options.chunk, options.specks)
        partial.rename(source)
    results = {}
    names = list(options.only)
    for _ in range(options.rounds):
        for name in list(names):
            target = options.folder / "labels.zarr"
            shutil.rmtree(target, ignore_errors=True)
            arguments = [name, str(source), str(target), str(options.threads), str(options.chunk)]
            command = [sys.executable, __file__, "--run", *arguments]
            try:
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=options.timeout)
            except subprocess.TimeoutExpired:
                print(f"{name}: not done in {options.timeout:.0f} s")
                names.remove(name)
                continue
            if done.returncode:
                print(f"{name}: failed with status {done.returncode}")
                names.remove(name)
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            if "missing" in found:
                print(f"{name}: skipped, because {found['missing']} is not installed")
                names.remove(name)
                continue
            if options.check and name == "ours":
                check(str(source), str(target))
                options.check = False
            best = results.setdefault(name, found)
            best["seconds"] = min(best["seconds"], found["seconds"])
            for key in ("peak", "before"):
                best[key] = max(best[key], found[key])
    shutil.rmtree(options.folder / "labels.zarr", ignore_errors=True)
    counts = {found["count"] for found in results.values()}
    if len(counts) != 1:
        sys.exit(
            f"DIFFERENT NUMBERS of components: { {name: found['count'] for name, found in results.items()} }"
        )
    print(
        f"{options.size}^3 in chunks of {options.chunk}^3, {options.threads} threads, {counts.pop()} components"
    )
    ours = results.get("ours", next(iter(results.values())))
    for name, found in results.items():
        print(
            f"{name:24} {found['seconds']:8.2f} s, {found['seconds'] / ours['seconds']:6.2f} times ours; "
            f"{found['peak']:7.0f} MiB, {found['peak'] / ours['peak']:5.2f} times ours; "
            f"{found['peak'] - found['before']:7.0f} MiB without the imports"
        )
    if options.json:
        facts = {
            "size": options.size,
            "chunk": options.chunk,
            "threads": options.threads,
            "note": options.note,
        }
        options.json.write_text(json.dumps({**facts, "results": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
