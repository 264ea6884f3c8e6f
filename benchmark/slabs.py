"""Times images that go through a GPU in slabs, against the whole image and the CPU.

Run on a machine with a GPU: ``python benchmark/slabs.py VOLUMES.npz [--edge 2048]``.
VOLUMES.npz has ``mni``, the packed bits of a mask of the head, and its shape
``mni_shape``. Images are uint8, labels uint32, both in host memory that has been
used before. Times are minima in seconds. "peak" is the most GPU memory that the
call took, sampled each millisecond.
"""

import argparse
import itertools
import threading
import time

import numpy as np
import torch

import cuda_connected_components as ccc

MIB = 2**20


def blobs(edge):
    """Return a volume of smooth blobs: noise of 1/16 of the edge, interpolated."""
    generator = torch.Generator(device="cuda").manual_seed(1)
    noise = torch.randn((1, 1) + (edge // 16 + 2,) * 3, generator=generator, device="cuda")
    volume = np.empty((edge,) * 3, np.uint8)
    for z in range(0, edge, 16):
        part = noise[:, :, z // 16 : z // 16 + 3]
        slices = torch.nn.functional.interpolate(
            part, size=(48, edge + 32, edge + 32), mode="trilinear"
        )[0, 0, 16:32, 16:-16, 16:-16]
        volume[z : z + 16] = (slices > 0.3).to(torch.uint8).cpu().numpy()
    return volume


def head(volumes, edge):
    """Return the mask of the head, by its nearest voxels."""
    shape = tuple(volumes["mni_shape"])
    mask = np.unpackbits(volumes["mni"])[: np.prod(shape)].reshape(shape)
    for axis in range(3):
        mask = np.take(mask, np.arange(edge) * shape[axis] // edge, axis)
    return np.ascontiguousarray(mask)


class Peak(threading.Thread):
    """Samples the memory of the GPU that is in use, above that at the start."""

    def __init__(self):
        super().__init__(daemon=True)
        ccc.trim_memory()
        self.first = self.used = torch.cuda.mem_get_info()[0]
        self.is_done = False
        self.start()

    def run(self):
        while not self.is_done:
            self.used = min(self.used, torch.cuda.mem_get_info()[0])
            time.sleep(0.001)

    def stop(self):
        """Return the peak in bytes."""
        self.is_done = True
        self.join()
        return self.first - self.used


def measure(image, labels, rounds, connectivity, limit, **options):
    """Return the least time, the number of slabs, the peak and the number of components."""
    ccc.set_device_memory_limit(limit)
    times = []
    peak = Peak()
    for _ in range(rounds):
        begin = time.perf_counter()
        count = ccc.label(
            image, connectivity=connectivity, out=labels, return_num=True, **options
        )[1]
        times.append(time.perf_counter() - begin)
    return min(times), ccc.backend_info()["last_slabs"], peak.stop(), count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("volumes")
    parser.add_argument("--edge", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    volumes = np.load(arguments.volumes)
    edge = arguments.edge
    print(torch.cuda.get_device_name(), ccc.backend_info())
    ccc.label(np.ones((64, 64, 64), np.uint8), device="cuda")  # starts CUDA
    names = {"blobs": lambda: blobs(edge), "head": lambda: head(volumes, edge)}
    labels = np.zeros((edge,) * 3, np.uint32)
    for name, connectivity in itertools.product(names, (6, 26)):
        image = names[name]()
        print(f"{name} {edge}^3, {connectivity} neighbors")
        runs = {
            "whole": {"limit": None, "device": "cuda"},
            "1 GiB": {"limit": 1024 * MIB, "device": "cuda"},
            "256 MiB": {"limit": 256 * MIB, "device": "cuda"},
            "CPU, all threads": {"limit": None, "device": "cpu"},
            "CPU, 2 threads": {"limit": None, "device": "cpu", "threads": 2},
        }
        whole = None
        for run, options in runs.items():
            rounds = 1 if options.get("threads") else arguments.rounds
            seconds, slabs, peak, count = measure(image, labels, rounds, connectivity, **options)
            checksum = int(labels[::37].astype(np.uint64).sum())
            whole = whole or (seconds, count, checksum)
            assert (count, checksum) == whole[1:], "the labels differ"
            print(
                f"  {run}: {seconds:.3f} s, over the whole {seconds / whole[0]:.2f}, {slabs} slabs, "
                f"peak {peak / MIB:.0f} MiB, {count} components",
                flush=True,
            )


if __name__ == "__main__":
    main()
