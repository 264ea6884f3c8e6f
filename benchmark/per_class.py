# SPDX-License-Identifier: Apache-2.0
"""Times of functions per class against the originals that are installed, in one run on one machine.

    python benchmark/per_class.py [--size 512] [--repeat 5] [--threads 2]

Each line is a ratio: another function's time over ours, or ours over that of a reference. A rival that is not installed is
skipped, and so are tensors without a GPU. The image has regions of 100 classes, with small components of other classes.
"""

import argparse
import importlib
import os
import time

import numpy as np
import scipy.ndimage

import cuda_connected_components as ccc
from cuda_connected_components import ndimage, nnunet, totalsegmentator


def class_map(size, classes, seed=1):
    """Return regions of classes, and speckles of 3 x 3 x 3 elements of other classes."""
    random = np.random.default_rng(seed)
    coarse = -(-size // 16)
    scores = scipy.ndimage.gaussian_filter(random.random((classes + 1, *[coarse] * 3), np.float32), (0, 2, 2, 2))
    image = scores.argmax(axis=0).astype(np.uint8).repeat(16, 0).repeat(16, 1).repeat(16, 2)
    image = image[:size, :size, :size].copy()
    for corner in random.integers(0, size - 3, (size, 3)):
        image[tuple(slice(c, c + 3) for c in corner)] = random.integers(0, classes + 1)
    return image


def best(function, repeat, wait=lambda: None):
    """Return the shortest time of a function, in seconds."""
    times = []
    for _ in range(repeat + 1):  # the first call starts threads and CUDA
        wait()
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def original(name):
    """Return a module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"skipped: {name}: {error}")
        return None


def report(name, ours, other, must, is_reference=False):
    """Print a ratio: the other time over ours, or ours over the other time."""
    ratio = ours / other if is_reference else other / ours
    print(f"{name}: ours {1e3 * ours:.2f} ms, other {1e3 * other:.2f} ms, ratio {ratio:.2f} (must {must})", flush=True)


def fill_by_value(fill, image):
    """Fill the holes of each value in its box."""
    result = image.copy()
    for value, box in enumerate(scipy.ndimage.find_objects(image), 1):
        if box is not None:
            filled = fill(image[box] == value)
            result[box][filled] = value
    return result


def host(arguments):
    """Compare with functions for NumPy."""
    size, repeat = arguments.size, arguments.repeat
    image = class_map(size, 100)

    module = original("nnunetv2.postprocessing.remove_connected_components")
    if module is not None:
        few = class_map(size, 10)
        ours = best(lambda: nnunet.remove_all_but_largest_component_from_segmentation(few, list(range(1, 11))), repeat)
        theirs = best(
            lambda: module.remove_all_but_largest_component_from_segmentation(few, list(range(1, 11))), 1
        )
        report("nnU-Net's function, 10 labels", ours, theirs, "20 x")

    module = original("totalsegmentator.postprocessing")
    if module is not None:
        small = class_map(256, 104)
        names = {label: str(label) for label in range(1, 105)}
        rois = list(names.values())
        for function in ("keep_largest_blob_multilabel", "remove_small_blobs_multilabel"):
            theirs = best(lambda: getattr(module, function)(small.copy(), names, rois, quiet=True), 1)
            ours = best(lambda: getattr(totalsegmentator, function)(small.copy(), names, rois), repeat)
            report(f"TotalSegmentator's {function}", ours, theirs, "50 x")
            ccc.set_num_threads(arguments.threads)
            os.environ["CUDA_CONNECTED_COMPONENTS_DEVICE"] = "cpu"
            ours = best(lambda: getattr(totalsegmentator, function)(small.copy(), names, rois), repeat)
            report(f"the same on {arguments.threads} threads", ours, theirs, "15 x")
            del os.environ["CUDA_CONNECTED_COMPONENTS_DEVICE"]
            ccc.set_num_threads(None)

    ours = best(lambda: ccc.fill_holes(image, by_value=True), repeat)
    module = original("fastmorph")
    if module is not None:
        report("fastmorph.fill_holes_v2", ours, best(lambda: module.fill_holes_v2(image), 1), "10 x")
    module = original("fill_voids")
    if module is not None:
        report("fill-voids in boxes", ours, best(lambda: fill_by_value(module.fill, image), 1), "10 x")

    mask = image % 2 != 0
    part = mask[: min(size, 128), : min(size, 128), : min(size, 128)].copy()  # SciPy takes minutes for the image
    theirs = best(lambda: scipy.ndimage.binary_fill_holes(part), 1) * mask.size / part.size
    report("scipy.ndimage.binary_fill_holes, from a part", best(lambda: ndimage.binary_fill_holes(mask), repeat), theirs, "100 x")


def device(arguments):
    """Compare on a GPU."""
    torch = original("torch")
    if torch is None or not torch.cuda.is_available():
        print("skipped: there is no GPU for PyTorch")
        return
    repeat, wait = arguments.repeat, torch.cuda.synchronize
    host_image = class_map(arguments.size, 100)
    image = torch.from_numpy(host_image).cuda()
    binary = best(lambda: ccc.keep_largest(image != 0), repeat, wait)
    report("keep the largest of each class over binary", best(lambda: ccc.keep_largest(image, by_value=True), repeat, wait), binary, "3 x", True)
    labels = torch.from_numpy(class_map(arguments.size, 250).astype(np.int32)).cuda()
    labels += 250 * (torch.arange(arguments.size, device="cuda", dtype=torch.int32) * 4 // arguments.size)[:, None, None] * (labels != 0)
    read = best(lambda: labels.max(), repeat, wait)
    ours = best(lambda: ccc.label_statistics(labels), repeat, wait)
    report("label_statistics of 1,000 labels over a read of the image", ours, read, "4 x", True)
    cupy, module = original("cupy"), original("cucim.skimage.measure")
    if cupy is not None and module is not None:
        array = cupy.asarray(labels)
        properties = ("label", "area", "bbox", "centroid")
        theirs = best(lambda: module.regionprops_table(array, properties=properties), 1, wait)
        report("cuCIM's regionprops_table", best(lambda: ccc.label_statistics(array), repeat, wait), theirs, "20 x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parsed = parser.parse_args()
    print(ccc.backend_info())
    device(parsed)
    host(parsed)
