#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the speed of the Python package with the speed of other libraries.

    benchmark.py GROUP... [--size 512] [--json results.json] [--note "commit, machine"]

The groups are:

    small   64 x 64 pixels: our functions, and the bare calls of the extension module
    cpu     NumPy arrays and ITK images on the CPU, 2 threads
    order   C order and Fortran order on the CPU, 2 threads, 256 x 256 x 256 voxels
    relabel renumbering of labels by size, all threads
    device  arrays in host memory and in GPU memory, all threads
    keep    the largest component of a mask, all threads

The images are blobs: noise that is smoothed by a Gaussian, with a threshold that leaves 10 %
foreground. Each case runs in a process of its own. Libraries that are not installed are skipped.
`chart.py` draws the results.
"""

import argparse
import copy
import datetime
import functools
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

PACKAGES = """cuda-connected-components numpy scipy scikit-image connected-components-3d simpleitk
itk-segmentation torch cupy-cuda12x cupy-cuda13x cucim-cu12 cucim-cu13 monai""".split()


def make_blobs(size, sigma, density=0.1):
    """Return a mask of size^3 voxels: smoothed noise above a quantile."""
    values = np.random.default_rng(1).standard_normal((size,) * 3, np.float32)
    gaussian = np.exp(-2 * (np.pi * sigma * np.fft.rfftfreq(size)) ** 2).astype(np.float32)
    for axis in range(3):
        for plane in np.moveaxis(values, axis, -1):  # a view
            plane[...] = np.fft.irfft(np.fft.rfft(plane) * gaussian, size)
    return (values > np.quantile(values[::2, ::2, ::2], 1 - density)).astype(np.uint8)


def placed(mask, place):
    """Return an array in a library's memory, and a function that waits for the GPU."""
    if place == "cupy":
        import cupy

        return cupy.asarray(mask), cupy.cuda.Device().synchronize
    if place == "torch":
        import torch

        return torch.from_numpy(mask).cuda(), torch.cuda.synchronize
    if place == "cropped":
        return np.pad(mask, 4).copy("F")[4:-4, 4:-4, 4:-4], lambda: None
    return (np.asfortranarray(mask) if place == "fortran" else mask), lambda: None


# Each of these functions returns a function that does the work to be timed.


def ours(image, full, **options):
    import cuda_connected_components as ccc

    return lambda: ccc.label(image, connectivity=None if full else 1, return_num=True, **options)


def neighbors(image, full):
    return {2: (4, 8), 3: (6, 26)}[image.ndim][full]


def bare_host_call(image, full):
    from cuda_connected_components import _core

    labels = np.empty(image.shape, np.int32)
    settings = _core.Settings()
    settings.connectivity, settings.device = neighbors(image, full), _core.ANY_BACKEND
    return lambda: _core.label_host(image, None, labels, False, settings)


def bare_device_call(image, full):
    import torch
    from cuda_connected_components import _core, _images

    library, labels = _images.library_of(image), torch.empty_like(image, dtype=torch.int32)
    arrays = [library.memory_of(each, image.ndim) for each in (image, labels)]
    settings = _core.Settings()
    settings.connectivity, settings.device = neighbors(image, full), image.device.index
    settings.stream = torch.cuda.current_stream().cuda_stream
    # The tensors stay alive with the function.
    return lambda: (image, _core.label_device(arrays[0], None, arrays[1], settings), labels)


def by_cc3d(image, full):
    import cc3d

    return lambda: cc3d.connected_components(image, connectivity=26 if full else 6, return_N=True)


def by_ndimage(image, full, module="scipy.ndimage"):
    ndimage = importlib.import_module(module)
    structure = ndimage.generate_binary_structure(image.ndim, image.ndim if full else 1)
    return lambda: ndimage.label(image, structure)


def by_skimage(image, full, module="skimage.measure"):
    measure = importlib.import_module(module)
    return lambda: measure.label(image, connectivity=image.ndim if full else 1, return_num=True)


def by_sitk(image, full):
    import SimpleITK as sitk

    sitk.ProcessObject.SetGlobalDefaultNumberOfThreads(len(os.sched_getaffinity(0)))
    sitk_image = sitk.GetImageFromArray(image)
    return lambda: sitk.ConnectedComponent(sitk_image, full)


def by_itk(image, full):
    import itk

    itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(len(os.sched_getaffinity(0)))
    itk_image = itk.image_from_array(image)
    return lambda: itk.connected_component_image_filter(itk_image, fully_connected=full)


def keep_ours(image, full):
    import cuda_connected_components as ccc

    return lambda: ccc.keep_largest(image, k=1, connectivity=None if full else 1)


def relabel_ours(image, full):
    import cuda_connected_components as ccc

    labels = ccc.label(image, connectivity=None if full else 1)
    return lambda: ccc.relabel(labels, return_num=True)


def keep_monai(image, full):
    from monai.transforms import KeepLargestConnectedComponent

    transform = KeepLargestConnectedComponent(applied_labels=[1], connectivity=3 if full else 1)
    return lambda: transform(copy.deepcopy(image[None]))  # because it changes its input


def keep_cc3d(image, full):
    import cc3d

    return lambda: cc3d.largest_k(image, 1, connectivity=26 if full else 6)


OURS_CPU = ("numpy", functools.partial(ours, device="cpu"))
RIVALS = {"cc3d": ("numpy", by_cc3d), "SciPy": ("numpy", by_ndimage)}
RIVALS["SimpleITK"] = ("numpy", by_sitk)
GROUPS = {
    "small": {
        "ours, NumPy": ("numpy", ours),
        "bare call, host": ("numpy", bare_host_call),
        "ours, PyTorch": ("torch", ours),
        "ours, CuPy": ("cupy", ours),
        "bare call, device": ("torch", bare_device_call),
    },
    "cpu": {
        "ours": OURS_CPU,
        **RIVALS,
        "itk": ("numpy", by_itk),
        "scikit-image": ("numpy", by_skimage),
    },
    "order": {
        "ours, C order": OURS_CPU,
        "ours, Fortran order": ("fortran", OURS_CPU[1]),
        "ours, cropped Fortran": ("cropped", OURS_CPU[1]),
    },
    "relabel": {
        "ours, PyTorch": ("torch", relabel_ours),
        "ours, CuPy": ("cupy", relabel_ours),
        "ours, NumPy": ("numpy", relabel_ours),
    },
    "device": {
        "ours, NumPy": ("numpy", functools.partial(ours, device="cuda")),
        "ours, PyTorch": ("torch", ours),
        "ours, CuPy": ("cupy", ours),
        "ours, CPU": OURS_CPU,
        **RIVALS,
        "cupyx": ("cupy", functools.partial(by_ndimage, module="cupyx.scipy.ndimage")),
        "cuCIM": ("cupy", functools.partial(by_skimage, module="cucim.skimage.measure")),
    },
    "keep": {
        "ours, PyTorch": ("torch", keep_ours),
        "MONAI, PyTorch": ("torch", keep_monai),
        "ours, NumPy": ("numpy", keep_ours),
        "MONAI, NumPy": ("numpy", keep_monai),
        "cc3d": ("numpy", keep_cc3d),
    },
}


def count_of(result, group):
    """Return the number of components, or the number of kept voxels."""
    if isinstance(result, (int, tuple)):
        return int(result if isinstance(result, int) else result[1])
    if hasattr(result, "GetPixelID"):
        import SimpleITK as sitk

        result = sitk.GetArrayFromImage(result)
    return int((result != 0).sum() if group == "keep" else np.asarray(result).max())


def work(group, case, path, full, runs):
    """Time a case, and print the result as a line of JSON. Runs in a process of its own."""
    try:
        place, make = GROUPS[group][case]
        image, wait = placed(np.load(path), place)
        run = make(image, full)
        count = count_of(run(), group)
        calls = 1000 if group == "small" else 1
        times = []
        for _ in range(runs + 1):
            wait()
            start = time.perf_counter()
            for _ in range(calls):
                output = run()
            wait()
            times.append((time.perf_counter() - start) * 1e3 / calls)
            del output  # not timed: to free gigabytes takes long
        lower, median, upper = np.percentile(times[1:], [25, 50, 75])
        result = {"median": median, "quartiles": [lower, upper], "count": count}
    except Exception as error:  # A missing library or GPU must not stop the other cases.
        result = {"skipped": f"{type(error).__name__}: {error}".splitlines()[0]}
    print(json.dumps(result))


def run_group(group, arguments, folder):
    """Time all cases of a group, print a table, and return the results."""
    is_small = group == "small"
    size = 64 if is_small else arguments.size or (256 if group == "order" else 512)
    path = folder / f"{size}-{is_small}.npy"
    if not path.exists():
        np.save(path, make_blobs(size, arguments.sigma)[size // 2 if is_small else slice(None)])
    threads = arguments.threads or (2 if group in ("cpu", "order") else None)
    processors = sorted(os.sched_getaffinity(0))[:threads]
    neighbors = (8 if is_small else 26) if arguments.full else (4 if is_small else 6)
    head = {"group": group, "size": size, "neighbors": neighbors, "threads": len(processors)}
    print("\n" + ", ".join(f"{name}: {value}" for name, value in head.items()))
    print(f"{'':22}{'median, ms':>12}{'quartiles, ms':>22}{'of first':>10}{'count':>10}")
    results, first = [], None
    for case in GROUPS[group]:
        command = [sys.executable, __file__, "--work", group, case, str(path)]
        command += [str(int(arguments.full)), str(arguments.runs)]
        child = subprocess.run(command, capture_output=True, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, processors))
        result = {"skipped": f"exit status {child.returncode}: {child.stderr[-200:]}"}
        if child.returncode == 0:
            result = json.loads(child.stdout.splitlines()[-1])
        results.append({**head, "case": case, **result})
        if "skipped" in result:
            print(f"{case:22}skipped: {result['skipped'][:100]}", flush=True)
            continue
        median, first = result["median"], first or result["median"]
        quartiles = " .. ".join(f"{value:.4g}" for value in result["quartiles"])
        print(f"{case:22}{median:12.4g}{quartiles:>22}{median / first:10.2f}{result['count']:10}",
              flush=True)
    return results


def describe_machine():
    """Return the processor, the GPU with its driver, and the versions of the packages."""
    model = re.search("model name.*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    query = "nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null"
    installed = importlib.metadata.distributions()
    packages = {package.name.lower(): package.version for package in installed}
    return {
        "processor": model[1] if model else platform.processor(),
        "processors": len(os.sched_getaffinity(0)),
        "GPU, driver": subprocess.getoutput(query) or "none",
        "python": platform.python_version(),
        "packages": {name: packages[name] for name in PACKAGES if name in packages},
    }


def main():
    if sys.argv[1:2] == ["--work"]:
        group, case, path, full, runs = sys.argv[2:]
        return work(group, case, path, full == "1", int(runs))
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="+", choices=GROUPS, metavar="GROUP")
    parser.add_argument("--size", type=int, help="voxels along each side of a volume")
    parser.add_argument("--sigma", type=float, default=3, help="of the Gaussian, in voxels")
    parser.add_argument("--face", dest="full", action="store_false", help="not full connectivity")
    parser.add_argument("--threads", type=int, help="processors that each library may use")
    parser.add_argument("--runs", type=int, default=9, help="number of timed runs")
    parser.add_argument("--json", default="results.json", help="file for the results")
    parser.add_argument("--note", default="", help="commit and remarks, for the file")
    arguments = parser.parse_args()

    document = {"date": datetime.date.today().isoformat(), "note": arguments.note,
                "machine": describe_machine(), "sigma": arguments.sigma, "runs": arguments.runs,
                "results": []}
    with tempfile.TemporaryDirectory() as folder:
        for group in arguments.groups:
            document["results"] += run_group(group, arguments, pathlib.Path(folder))
            pathlib.Path(arguments.json).write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
