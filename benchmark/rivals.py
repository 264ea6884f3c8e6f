#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times other libraries, and our Python package, on the same masks.

    rivals.py --side 512 --json rivals.json --note MACHINE IMAGE.nii.gz...

The masks are the upsampled images of the benchmark's protocol `average` with 26 and 6 neighbors, random planes, and
batches of small images: random ones, the 64 parts of the first image at 384^3, and 1000 of its slices. A library runs if it is installed, and is reported as left out otherwise:

- ours, in GPU memory: `cuda_connected_components`, with consecutive labels and the count
- CuPy: `cupyx.scipy.ndimage.label`, in GPU memory and from host to host
- cuCIM: `cucim.skimage.measure.label`
- bkeccl: full connectivity only. `raw` labels are not consecutive; `dense` labels are
- CV-CUDA: face connectivity only, takes a batch in one call. Its labels are not consecutive
- cc3d: from host to host, on one thread

Libraries without batches loop over the images. A time is that of the whole call, with the memory of the result and the
wait for the GPU. For the upsampled images with 26 neighbors, the names in the JSON file are those of the benchmark, so
that `doc/figures/chart.py` can join them. The number of objects shows that the results are the same.
"""

import argparse
import gzip
import importlib.metadata
import json
import pathlib
import time

import numpy as np


def read_nifti(path):
    """Read a volume.

    Parameters
    ----------
    path : str
        A little-endian NIfTI-1 file of uint8, int16, int32 or float32.

    Returns
    -------
    numpy.ndarray
        The stored values, indexed [z, y, x].
    """
    data = gzip.open(path).read()
    shape = np.frombuffer(data, "<i2", 8, 40)
    kind = int(np.frombuffer(data, "<i2", 1, 70)[0])
    offset = int(np.frombuffer(data, "<f4", 1, 108)[0])
    dtype = {2: "<u1", 4: "<i2", 8: "<i4", 16: "<f4"}[kind]
    size = [int(n) for n in shape[1 : shape[0] + 1]]
    return np.frombuffer(data, dtype, int(np.prod(size)), offset).reshape(size[::-1])


def otsu(image, bins=256):
    """Return Otsu's threshold: the upper edge of the best bin."""
    counts, edges = np.histogram(image, bins)
    centers = (edges[:-1] + edges[1:]) / 2
    weight = np.cumsum(counts)
    mean = np.cumsum(counts * centers)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (mean[-1] * weight / weight[-1] - mean) ** 2 / (weight * (weight[-1] - weight))
    return edges[1:][np.nanargmax(between[:-1])]


def upsample(mask, side):
    """Return the nearest-neighbor upsampling to side^3, as the benchmark does."""
    for axis in range(3):
        mask = np.take(mask, np.arange(side) * mask.shape[axis] // side, axis)
    return np.ascontiguousarray(mask)


def measure(run, runs):
    """Return median and quartiles of the time of run() in milliseconds."""
    run()
    run()
    times = []
    for _ in range(runs):
        wait()
        start = time.perf_counter()
        result = run()
        wait()
        times.append((time.perf_counter() - start) * 1e3)
        del result  # not timed: to free host memory takes long
    lower, median, upper = np.percentile(times, [25, 50, 75])
    return {"median": median, "lower quartile": lower, "upper quartile": upper}


def version(*distributions):
    """Return the version of the first distribution that is installed."""
    for distribution in distributions:
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            pass
    return "of unknown version"


def neighbors_of(batch, full):
    """Return the number of neighbors in the images of a batch."""
    planes = batch.ndim == 3
    return (8 if planes else 26) if full else (4 if planes else 6)


# Each of these functions takes a batch, a NumPy array whose first axis is the image, and returns functions by name. A
# function labels all images, and returns a list of their labels and counts. A count that the library does not tell is
# None.


def by_ours(batch, full):
    import cuda_connected_components as ccc
    import cupy

    images = cupy.asarray(batch)
    options = {"connectivity": neighbors_of(batch, full), "spatial_dims": batch.ndim - 1}

    def run():
        labels, counts = ccc.label(images, return_num=True, **options)
        return list(zip(labels, counts))

    return {f"ours {ccc.__version__}, device to device": run}


def by_cupy(batch, full):
    import cupy
    from cupyx.scipy import ndimage

    images = list(cupy.asarray(batch))
    structure = ndimage.generate_binary_structure(batch.ndim - 1, batch.ndim - 1 if full else 1)

    def host_to_host():
        results = [ndimage.label(cupy.asarray(image), structure) for image in batch]
        return [(cupy.asnumpy(labels), count) for labels, count in results]

    name = f"CuPy {cupy.__version__}"
    return {
        f"{name}, device to device": lambda: [ndimage.label(image, structure) for image in images],
        f"{name}, host to host": host_to_host,
    }


def by_cucim(batch, full):
    import cupy
    from cucim.skimage import measure as cucim_measure

    images = list(cupy.asarray(batch))
    connectivity = batch.ndim - 1 if full else 1

    def run():
        return [cucim_measure.label(image, connectivity=connectivity, return_num=True) for image in images]

    return {f"cuCIM {version('cucim-cu13', 'cucim-cu12')}, device to device": run}


def by_bkeccl(batch, full):
    import bkeccl
    import cupy

    if not full:
        raise NotImplementedError("has full connectivity only")
    images = list(cupy.asarray(batch))
    dimensionality = f"{batch.ndim - 1}D"

    def raw():
        return [(bkeccl.ccl(image, dimensionality=dimensionality, output_mode="raw"), None) for image in images]

    def dense():
        return [bkeccl.ccl(image, dimensionality=dimensionality) for image in images]

    name = f"bkeccl {bkeccl.__version__}"
    return {f"{name} raw, device to device": raw, f"{name} dense, device to device": dense}


def by_cvcuda(batch, full):
    import cupy
    import cvcuda

    if full:
        raise NotImplementedError("has face connectivity only")
    is_volume = batch.ndim == 4
    images = cvcuda.as_tensor(cupy.asarray(batch), "NDHW" if is_volume else "NHW")
    background = cvcuda.as_tensor(cupy.zeros(len(batch), batch.dtype), "N")
    connectivity = cvcuda.CONNECTIVITY_6_3D if is_volume else cvcuda.CONNECTIVITY_4_2D

    def run():
        labels, _, _ = cvcuda.label(images, connectivity, bg_label=background)
        return [(image, None) for image in cupy.asarray(labels.cuda())]

    return {f"CV-CUDA {version('cvcuda-cu13', 'cvcuda-cu12')}, device to device": run}


def by_cc3d(batch, full):
    import cc3d

    neighbors = neighbors_of(batch, full)

    def run():
        return [cc3d.connected_components(image, connectivity=neighbors, return_N=True) for image in batch]

    return {f"cc3d {version('connected-components-3d')}, host to host": run}


LIBRARIES = {
    "ours": by_ours,
    "CuPy": by_cupy,
    "cuCIM": by_cucim,
    "bkeccl": by_bkeccl,
    "CV-CUDA": by_cvcuda,
    "cc3d": by_cc3d,
}


def wait():
    """Wait for the work of the GPU, if there is one."""
    try:
        import cupy
    except ImportError:
        return
    cupy.cuda.Device().synchronize()


def count_objects(results, batch):
    """Return the number of objects in all images of a batch."""
    total = 0
    for (labels, count), image in zip(results, batch):
        if count is None:
            import cupy

            count = cupy.unique(labels[cupy.asarray(image) != 0]).size
        total += int(count)
    return total


def cases(options):
    """Yield the name, the batch and the connectivity of each case."""
    for path in options.images:
        image = read_nifti(path)
        batch = upsample((image > otsu(image)).astype(np.uint8), options.side)[np.newaxis]
        name = pathlib.Path(path).name.split(".")[0] + " upsampled"
        yield name, batch, True
        yield name + ", 6 neighbors", batch, False
    if options.images:
        image = read_nifti(options.images[0])
        volume = upsample((image > otsu(image)).astype(np.uint8), 384)
        parts = volume.reshape(4, 96, 4, 96, 4, 96).transpose(0, 2, 4, 1, 3, 5).reshape(64, 96, 96, 96)
        # From the middle of the slices along each axis.
        slices = np.concatenate([np.moveaxis(volume, axis, 0)[:, 64:320, 64:320] for axis in range(3)])[:1000]
        name = pathlib.Path(options.images[0]).name.split(".")[0]
        for full in (True, False):
            yield f"64 parts of {name}, {26 if full else 6} neighbors", np.ascontiguousarray(parts), full
            yield f"1000 slices of {name}, {8 if full else 4} neighbors", np.ascontiguousarray(slices), full
    random = np.random.default_rng(1)

    def noise(shape, density):
        return (random.random(shape, np.float32) < density).astype(np.uint8)

    for side, density in ((512, 0.5), (2048, 0.1), (2048, 0.5)):
        batch = noise((1, side, side), density)
        name = f"random {side} x {side}, {density:.0%}"
        yield name + ", 8 neighbors", batch, True
        yield name + ", 4 neighbors", batch, False
    for name, shape in (("64 random volumes", (64, 96, 96, 96)), ("1000 random planes", (1000, 256, 256))):
        batch = noise(shape, 0.3)
        name = f"{name} of {' x '.join(map(str, shape[1:]))}, 30%"
        for full in (True, False):
            yield f"{name}, {neighbors_of(batch, full)} neighbors", batch, full


def main():
    """Time all libraries on all masks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("images", nargs="*", metavar="IMAGE")
    parser.add_argument("--side", type=int, default=512)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json")
    parser.add_argument("--note", default="")
    options = parser.parse_args()
    results = []
    for name, batch, full in cases(options):
        size = list(batch.shape[:0:-1])
        case = {"name": name, "size": size, "foreground": 100.0 * batch.mean(), "times": {}, "objects": {}}
        if len(batch) > 1:
            case["images"] = len(batch)
        print(name, f"{case['foreground']:.2f} % foreground")
        for library, prepare in LIBRARIES.items():
            try:
                for entry, run in prepare(batch, full).items():
                    runs = options.runs if entry.endswith("device to device") else max(3, options.runs // 3)
                    measured, count = measure(run, runs), count_objects(run(), batch)
                    case["times"][entry], case["objects"][entry] = measured, count
                    print(f"  {entry}: {measured['median']:.3f} ms, {count} objects", flush=True)
            except Exception as error:  # A library that fails must not stop the others.
                print(f"  {library}: left out: {type(error).__name__}: {error}")
        if len(set(case["objects"].values())) > 1:
            print("  The numbers of objects differ.")
        results.append(case)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"note": options.note, "cases": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
