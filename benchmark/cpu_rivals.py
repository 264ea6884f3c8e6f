#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times labeling without a GPU: our Python package and other libraries, on the same masks.

    cpu_rivals.py --rounds 15 --json cpu.json --note MACHINE IMAGE.nii.gz...

The masks are the images above Otsu's threshold, the first image with noise, upsampled images, and planes: random ones, grains and
blobs. Our package labels with one thread and with two; ITK has two threads; cc3d, OpenCV and kornia-rs have one. A library runs if
it is installed. The libraries take turns in each round, so that all of them meet the same load of the machine. Two times are
reported, each the lowest of all rounds: the elapsed time, and for one thread the processor time, which other programs on the
machine change less. A time includes the memory of the result.
"""

import argparse
import json
import pathlib
import time

import numpy as np

from rivals import neighbors_of, otsu, read_nifti, upsample


def by_ours(threads):
    """Return a function that makes a labeler with a number of threads."""

    def prepare(mask, neighbors):
        import cuda_connected_components as ccc

        return lambda: ccc.label(mask, connectivity=neighbors, device="cpu", threads=threads)

    return prepare


def by_cc3d(mask, neighbors):
    import cc3d

    return lambda: cc3d.connected_components(mask, connectivity=neighbors, binary_image=True)


def by_opencv(mask, neighbors):
    import cv2

    if mask.ndim != 2:
        return None
    cv2.setNumThreads(1)
    return lambda: cv2.connectedComponents(mask, connectivity=neighbors)[1]


def by_kornia(mask, neighbors):
    from kornia_rs import imgproc

    if mask.ndim != 2:
        return None
    image = mask[..., np.newaxis]
    return lambda: imgproc.connected_components(image, connectivity=neighbors)


def by_itk(mask, neighbors):
    import SimpleITK

    SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(2)
    image = SimpleITK.GetImageFromArray(mask)
    return lambda: SimpleITK.ConnectedComponent(image, neighbors in (8, 26))


LIBRARIES = {
    "ours, 1 thread": by_ours(1),
    "ours, 2 threads": by_ours(2),
    "cc3d": by_cc3d,
    "OpenCV": by_opencv,
    "kornia-rs": by_kornia,
    "ITK by SimpleITK, 2 threads": by_itk,
}


def masks(options):
    """Yield the name of each mask and the mask."""
    random = np.random.default_rng(1)
    for number, path in enumerate(options.images):
        image = read_nifti(path)
        name = pathlib.Path(path).name.split(".")[0]
        threshold = otsu(image)
        mask = (image > threshold).astype(np.uint8)
        yield name, mask
        if number == 0:
            spread = 0.13 * float(image.max())
            yield f"{name}, noisy", (image + random.normal(0, spread, image.shape) > threshold).astype(np.uint8)
            yield f"{name}, 384^3", upsample(mask, 384)
        elif image.shape[0] == 120:
            yield f"{name}, 512^3", upsample(mask, 512)
    for density in (0.5, 0.1):
        yield f"random 2048^2, {density:.0%}", (random.random((2048, 2048), np.float32) < density).astype(np.uint8)
    grains = (random.random((512, 512)) < 0.4).astype(np.uint8)
    yield "grains 4096^2, 40 %, g 8", np.kron(grains, np.ones((8, 8), np.uint8))
    y, x = np.mgrid[:1080, :1920]
    blobs = np.zeros((1080, 1920), np.uint8)
    for _ in range(300):
        radius = random.integers(5, 50)
        blobs |= (x - random.integers(0, 1920)) ** 2 + (y - random.integers(0, 1080)) ** 2 < radius**2
    yield "blobs 1920 x 1080", blobs


def measure(runs, rounds):
    """Return the lowest elapsed time and the lowest processor time of each function, in milliseconds."""
    times = {name: [np.inf, np.inf] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start, cpu = time.perf_counter(), time.thread_time()
            result = run()
            spent = time.perf_counter() - start, time.thread_time() - cpu
            del result  # not timed: to free host memory takes long
            times[name] = [min(old, 1e3 * new) for old, new in zip(times[name], spent)]
    return {name: {"elapsed": wall, "processor": cpu} for name, (wall, cpu) in times.items()}


def main():
    """Time all libraries on all masks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("images", nargs="*", metavar="IMAGE")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json")
    parser.add_argument("--note", default="")
    options = parser.parse_args()
    results = []
    for name, mask in masks(options):
        for full in (False, True):
            neighbors = neighbors_of(mask[np.newaxis], full)
            runs = {}
            for library, prepare in LIBRARIES.items():
                try:
                    if run := prepare(mask, neighbors):
                        run()
                        runs[library] = run
                except ImportError as error:
                    print(f"{library} is left out: {error}")
            times = measure(runs, options.rounds)
            foreground = 100 * float(mask.mean())
            results.append({"name": name, "neighbors": neighbors, "foreground": foreground, "times": times})
            text = "; ".join(f"{each} {t['elapsed']:.1f} ({t['processor']:.1f})" for each, t in times.items())
            print(f"{name}, {neighbors} neighbors: {text}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"note": options.note, "cases": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
