"""Times labeling by value and 18 neighbors, against masks and other libraries.

Run on a machine with a GPU: ``python benchmark/values.py VOLUMES.npz [--json FILE]``.
VOLUMES.npz has ``mni``, the packed bits of a mask of the head, its shape
``mni_shape``, and ``conn``, a volume of classes whose rows are differenced by
exclusive or. Libraries that are missing are left out. All times are minima in
milliseconds, of one process.
"""

import argparse
import json
import time

import numpy as np
import torch

import cuda_connected_components as ccc

ROUNDS = 12


def time_on_device(work, rounds=ROUNDS):
    """Return the least time of a call that waits for the device."""
    for _ in range(3):
        work()
    best = float("inf")
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - begin)
    return 1e3 * best


def time_on_host(work, rounds=3):
    """Return the least time of a call on arrays in host memory."""
    work()
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return 1e3 * best


def head_at_512(volumes):
    """Return the mask of the head at 512^3, by its nearest voxels."""
    shape = tuple(volumes["mni_shape"])
    mask = np.unpackbits(volumes["mni"])[: np.prod(shape)].reshape(shape)
    for axis in range(3):
        mask = np.take(mask, np.arange(512) * shape[axis] // 512, axis)
    return torch.from_numpy(np.ascontiguousarray(mask)).cuda()


def regions_of(mask, count, seed):
    """Return the number of the nearest of `count` random points for each voxel of a mask, from 1."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    points = torch.rand(count, 3, generator=generator, device="cuda") * 512
    axis = torch.arange(512, device="cuda", dtype=torch.float32)
    regions = torch.empty(mask.shape, dtype=torch.uint8, device="cuda")
    for z in range(512):
        distance = (
            (points[:, 0, None, None] - z) ** 2
            + (points[:, 1, None, None] - axis[:, None]) ** 2
            + (points[:, 2, None, None] - axis) ** 2
        )
        regions[z] = distance.argmin(0).to(torch.uint8) + 1
    return regions * mask


def cubes_of(mask, side):
    """Return two images with the same borders: cubes with 1000 numbers, and cubes with 8."""
    at = torch.arange(512, device="cuda") // side
    z, y, x = at[:, None, None], at[None, :, None], at[None, None, :]
    many = (x + 10 * (y + 10 * z)) + 1
    few = x % 2 + 2 * (y % 2) + 4 * (z % 2) + 1
    return (many * mask).to(torch.int16), (few * mask).to(torch.int16)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("volumes")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    volumes = np.load(arguments.volumes)
    results = {}

    def note(name, milliseconds):
        results[name] = milliseconds
        print(f"{name:60s} {milliseconds:9.3f}", flush=True)

    mask = head_at_512(volumes)
    classes = regions_of(mask, 100, 1)
    many, few = cubes_of(mask, 52)
    for n in (6, 18, 26):
        note(f"mask, {n}", time_on_device(lambda: ccc.label(mask, connectivity=n)))
        note(
            f"100 classes, {n}",
            time_on_device(lambda: ccc.label(classes, connectivity=n, by_value=True)),
        )
    note("1000 values, 26", time_on_device(lambda: ccc.label(many, by_value=True)))
    note("8 values, same borders, 26", time_on_device(lambda: ccc.label(few, by_value=True)))
    note("table of classes", time_on_device(lambda: ccc.component_statistics(classes, by_value=True)))
    note("table of the mask", time_on_device(lambda: ccc.component_statistics(mask)))

    row = np.bitwise_xor.accumulate(volumes["conn"], axis=2)
    connectome = {name: row.astype(name) for name in ("uint32", "uint64")}
    for name, image in connectome.items():
        tensor = torch.from_numpy(image).cuda()
        note(f"connectome {name}, device", time_on_device(lambda: ccc.label(tensor, by_value=True)))
        note(f"connectome {name}, NumPy", time_on_host(lambda: ccc.label(image, by_value=True)))
        del tensor
    host_classes = classes.cpu().numpy()
    note("100 classes, NumPy", time_on_host(lambda: ccc.label(host_classes, by_value=True)))
    for threads in (1, 2, 16):
        for name, image in (("100 classes", host_classes), ("connectome uint32", connectome["uint32"])):
            note(
                f"{name}, CPU, {threads} threads",
                time_on_host(lambda: ccc.label(image, by_value=True, device="cpu", threads=threads)),
            )

    try:
        import cc3d
    except ImportError as error:
        print("cc3d:", error)
    else:
        for name, image in (("100 classes", host_classes), ("connectome uint32", connectome["uint32"])):
            note(f"{name}, cc3d", time_on_host(lambda: cc3d.connected_components(image), 2))
            count = cc3d.connected_components(image, return_N=True)[1]
            assert count == ccc.label(image, by_value=True, return_num=True)[1]
    try:
        import colorcc
    except ImportError as error:
        print("colorcc:", error)
    else:
        torch.manual_seed(2)
        for name, side in (("noise", 1), ("tiles of 16", 16)):
            tiles = torch.randint(0, 4, (5300 // side + 1, 5300 // side + 1), device="cuda")
            plane = tiles.repeat_interleave(side, 0).repeat_interleave(side, 1)[:5300, :5300]
            colors = torch.stack([plane * 60, plane * 3, plane + 9], 2).to(torch.uint8).contiguous()
            packed = (plane * 60 + plane * 3 * 256 + (plane + 9) * 65536).to(torch.int32)
            note(f"colors, {name}, colorcc", time_on_device(lambda: colorcc.label(colors)))
            note(
                f"colors, {name}",
                time_on_device(lambda: ccc.label(packed, by_value=True, background=None)),
            )
            expected = colorcc.label(colors)[0]
            assert bool((ccc.label(packed, by_value=True, background=None) == expected).all())
    try:
        import cupy
        from cucim.skimage.measure import _label_kernels
    except Exception as error:  # a missing library of it
        print("cuCIM:", error)
    else:
        array = cupy.asarray(classes)

        def label_by_cucim():
            labels = cupy.empty(array.shape, cupy.int32)
            _label_kernels._label(
                array, np.ones((3, 3, 3), bool), labels, greyscale_mode=True
            )

        note("100 classes, cuCIM", time_on_device(label_by_cucim, 3))
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
