# SPDX-License-Identifier: Apache-2.0
"""Times Dask arrays against one uncut call, worker processes against one, and the functions for Dask arrays.

    python benchmark/chunks.py [--edge 2048] [--chunk 512] [--repeat 3] [--workers 1 2 4 8]
    python benchmark/chunks.py --functions

The volumes are smooth blobs of uint8 in host memory, and the labels are uint32 in an array that exists. If there is a GPU, it
labels the chunks. Worker processes of `distributed` use the CPU. Each has 32 chunks of 256 x 256 x 256 voxels, in files in
memory. Times are minima in seconds.

With --functions, a volume of 512 x 512 x 512 voxels in chunks of 128 x 128 x 128 is made chunk by chunk, on two threads of the CPU. Each
function has a process of its own. The processor time and the peak memory are those above what the imports have taken.
"""

import argparse
import functools
import os
import resource
import subprocess
import sys
import tempfile
import time

import dask
import dask.array as da
import distributed
import numpy as np

import cuda_connected_components as ccc
from cuda_connected_components import dask as ccd

SIDE, CHUNKS = 256, (8, 2, 2)  # of worker processes


def blobs(shape, seed=1):
    """Return a volume of smooth blobs: waves whose phases differ from place to place. Its slices repeat after 256."""
    random = np.random.default_rng(seed)
    volume = np.empty(shape, np.uint8)
    axes = [np.arange(n, dtype=np.float32) for n in shape]
    phases = [random.normal(0, 2, n // 32 + 2) for n in shape]
    waves = [
        np.sin(axis / 7 + np.interp(axis / 32, np.arange(len(phase)), phase)).astype(np.float32)
        for axis, phase in zip(axes, phases)
    ]
    plane = waves[1][:, None] * waves[2]
    other = np.sin(axes[1] / 5)[:, None] + np.cos(axes[2] / 6)
    for z, wave in enumerate(waves[0]):
        volume[z] = volume[z - 256] if z >= 256 else wave * plane + 0.2 * np.sin(z / 9) * other > 0.25
    return volume


def best(function, repeat):
    """Return the shortest time of a function."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def against_one_call(arguments):
    """Compare a Dask array with the uncut call."""
    image = blobs((arguments.edge,) * 3)
    labels = np.zeros(image.shape, np.uint32)
    device = "cpu" if ccc.backend_info()["cuda_reason"] else "cuda"
    whole = best(lambda: ccc.label(image, out=labels, device=device), arguments.repeat)
    expected = labels[:: arguments.edge // 8].copy()
    chunked = da.from_array(image, chunks=arguments.chunk, name=False, lock=False)
    for order in ("raster", "block"):
        labels[...] = 0
        lazy = ccd.label(chunked, dtype=np.uint32, order=order, device=device)[0]
        time_of_chunks = best(lambda: da.store(lazy, labels, lock=False), arguments.repeat)
        assert order == "block" or (labels[:: arguments.edge // 8] == expected).all()
        print(
            f"{arguments.edge}^3 in chunks of {arguments.chunk}^3 on {device}, order {order}: {time_of_chunks:.2f} s, "
            f"one call {whole:.2f} s, ratio {time_of_chunks / whole:.2f} (at most 2.0)",
            flush=True,
        )


def name_of(folder, kind, location):
    """Return the name of the file of a chunk. Each chunk has its own file, as in a Zarr store."""
    return f"{folder}/{kind}-{'-'.join(map(str, location))}"


def read(block_info, folder):
    """Read a chunk of the image."""
    info = block_info[None]
    return np.fromfile(name_of(folder, "image", info["chunk-location"]), np.uint8).reshape(info["chunk-shape"])


def write(labels, folder, block_info):
    """Write a chunk of the labels to a file. The first computation makes the file, and later ones write into it."""
    with open(os.open(name_of(folder, "labels", block_info[0]["chunk-location"]), os.O_CREAT | os.O_WRONLY, 0o666), "wb") as file:
        file.write(labels)
    return np.ones((1, 1, 1), bool)


def on_processes(workers, repeat, folder):
    """Return the time of labeling on worker processes, each with as many chunks as another number of workers has."""
    chunks = (CHUNKS[0] * workers, *CHUNKS[1:])
    image = blobs((SIDE, *(SIDE * n for n in CHUNKS[1:])))  # its slices repeat
    for location in np.ndindex(chunks):
        _, y, x = location
        chunk = image[:, SIDE * y : SIDE * (y + 1), SIDE * x : SIDE * (x + 1)]
        chunk.copy().tofile(name_of(folder, "image", location))
    image = da.map_blocks(
        functools.partial(read, folder=folder),
        chunks=tuple((SIDE,) * n for n in chunks),
        dtype=np.uint8,
        meta=np.empty((0, 0, 0), np.uint8),
    )
    labels = ccd.label(image, dtype=np.uint32)[0]
    written = labels.map_blocks(
        write, folder, dtype=bool, chunks=(1, 1, 1), meta=np.empty((0, 0, 0), bool)
    )
    with distributed.Client(n_workers=workers, threads_per_worker=1, memory_limit=None, dashboard_address=None) as client:
        return best(lambda: client.compute(written.all()).result(), repeat + 1)


def make_chunk(block_info):
    """Return a chunk of blobs with specks of noise."""
    (z, _), (y, _), (x, _) = block_info[None]["array-location"]
    side = block_info[None]["chunk-shape"][0]
    waves = [np.sin((np.arange(side) + begin) / 7, dtype=np.float32) for begin in (z, y, x)]
    blobs_of_chunk = waves[0][:, None, None] * waves[1][:, None] * waves[2] > 0.4
    specks = np.random.default_rng([z, y, x]).integers(0, 2**16, (side,) * 3, np.uint16) < 8
    return (blobs_of_chunk | specks).view(np.uint8)


def functions(folder):
    """Return the functions to time by their names."""
    image = da.map_blocks(make_chunk, chunks=((128,) * 4,) * 3, dtype=np.uint8, meta=np.empty((0, 0, 0), np.uint8))

    def discard(array):
        array.map_blocks(lambda chunk: np.ones((1, 1, 1), bool), dtype=bool, chunks=(1, 1, 1)).compute()

    return {
        "make the image": lambda: discard(image),
        "label": lambda: discard(ccd.label(image)[0]),
        'label, order="block"': lambda: discard(ccd.label(image, order="block")[0]),
        'label, scratch="memory"': lambda: discard(ccd.label(image, scratch="memory")[0]),
        "label, a folder as scratch": lambda: discard(ccd.label(image, scratch=folder)[0]),
        "component_statistics": lambda: dask.compute(ccd.component_statistics(image)),
        "keep_largest": lambda: discard(ccd.keep_largest(image)),
        "one uncut call": lambda: ccc.label(image.compute(), device="cpu", threads=2),
    }


def time_function(name):
    """Print the processor time and the peak memory of a function."""
    with tempfile.TemporaryDirectory() as folder, dask.config.set(scheduler="threads", num_workers=2):
        function = functions(folder)[name]
        seconds, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        function()
        seconds, most = time.process_time() - seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"| {name} | {seconds:.1f} s | {(most - peak) / 1024:.0f} MiB |", flush=True)


def main():
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edge", type=int, default=2048)
    parser.add_argument("--chunk", type=int, default=512)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--functions", nargs="?", const="all", help="only these: all, or one of them")
    arguments = parser.parse_args()
    if arguments.functions == "all":
        for name in functions(""):
            subprocess.run([sys.executable, __file__, "--functions", name], check=True)
        return
    if arguments.functions:
        time_function(arguments.functions)
        return
    if arguments.edge:
        against_one_call(arguments)
    os.environ["CUDA_CONNECTED_COMPONENTS_DEVICE"] = "cpu"
    first = None
    for workers in arguments.workers:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            seconds = on_processes(workers, arguments.repeat, folder)
        first = first or seconds
        print(f"processes: {workers}, {seconds:.2f} s, efficiency {first / seconds:.0%} (at least 70 %)", flush=True)


if __name__ == "__main__":
    main()
