#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times other libraries on the inputs of the benchmark's protocol `average`.

    rivals.py --side 512 --json rivals.json --note MACHINE IMAGE.nii.gz...

Labels the upsampled masks with CuPy (`cupyx.scipy.ndimage.label`) and cc3d
(`connected-components-3d`), each if it is installed. Inputs and the names of
the JSON file are those of the benchmark, so that `plot.py` can join them. The
number of objects shows that the inputs are the same.
"""

import argparse
import gzip
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
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    lower, median, upper = np.percentile(times, [25, 50, 75])
    return {"median": median, "lower quartile": lower, "upper quartile": upper}


def time_cupy(mask, runs):
    """Return times of CuPy by name, and the number of objects."""
    import cupy
    from cupyx.scipy import ndimage

    structure = cupy.ones((3, 3, 3))
    on_device = cupy.asarray(mask)

    def device_to_device():
        result = ndimage.label(on_device, structure)
        cupy.cuda.Device().synchronize()
        return result[1]

    def host_to_host():
        return cupy.asnumpy(ndimage.label(cupy.asarray(mask), structure)[0])

    times = {
        "CuPy " + cupy.__version__ + ", device to device": measure(device_to_device, runs),
        "CuPy " + cupy.__version__ + ", host to host": measure(host_to_host, max(3, runs // 3)),
    }
    return times, int(device_to_device())


def time_cc3d(mask, runs):
    """Return times of cc3d by name, and the number of objects."""
    from importlib.metadata import version

    import cc3d

    name = "cc3d " + version("connected-components-3d") + ", host to host"
    count = cc3d.connected_components(mask, connectivity=26, return_N=True)[1]
    return {name: measure(lambda: cc3d.connected_components(mask, connectivity=26), max(3, runs // 3))}, int(count)


def main():
    """Time all libraries on all images."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("images", nargs="+")
    parser.add_argument("--side", type=int, default=512)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json")
    parser.add_argument("--note", default="")
    options = parser.parse_args()
    cases = []
    for path in options.images:
        image = read_nifti(path)
        mask = upsample((image > otsu(image)).astype(np.uint8), options.side)
        name = pathlib.Path(path).name.split(".")[0] + " upsampled"
        case = {"name": name, "size": [options.side] * 3, "foreground": 100.0 * mask.mean(), "times": {}, "objects": {}}
        for library in (time_cupy, time_cc3d):
            try:
                times, count = library(mask, options.runs)
            except ImportError as error:
                print(f"left out: {error}")
                continue
            case["times"].update(times)
            case["objects"].update({entry: count for entry in times})
        print(name, f"{case['foreground']:.2f} % foreground")
        for entry, measured in case["times"].items():
            print(f"  {entry}: {measured['median']:.2f} ms, {case['objects'][entry]} objects")
        cases.append(case)
    if options.json:
        result = {"note": options.note, "cases": cases}
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
