# SPDX-License-Identifier: Apache-2.0
"""Times of functions per class against the originals that are installed, in one run on one machine.

    python benchmark/per_class.py [--size 512] [--repeat 5] [--threads 2] [--rows TEXT]

Each line is a ratio: another function's time over ours, or ours over that of a reference. A rival that is not installed is
skipped, and so are tensors without a GPU. The image has regions of 100 classes, with small components of other classes.
"""

import argparse
import functools
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


class Rows:
    """The rows of the output whose names contain a text. Others are not timed."""

    def __init__(self, arguments, wait=lambda: None):
        self.text, self.repeat, self.wait = arguments.rows, arguments.repeat, wait

    def time(self, function, repeat=None):
        """Return a function that returns the shortest time of another one, which it measures once."""
        return functools.cache(lambda: best(function, repeat or self.repeat, self.wait))

    def report(self, name, ours, other, must, is_reference=False):
        """Print a ratio of two results of time(): the other time over ours, or ours over that of a reference."""
        if self.text in name:
            ratio = ours() / other() if is_reference else other() / ours()
            print(f"{name}: ours {1e3 * ours():.2f} ms, other {1e3 * other():.2f} ms, ratio {ratio:.2f} (must {must})", flush=True)


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
    rows, size = Rows(arguments), arguments.size
    image = class_map(size, 100)

    module = original("nnunetv2.postprocessing.remove_connected_components")
    if module is not None:
        few, labels = class_map(size, 10), list(range(1, 11))
        ours = rows.time(lambda: nnunet.remove_all_but_largest_component_from_segmentation(few, labels))
        theirs = rows.time(lambda: module.remove_all_but_largest_component_from_segmentation(few, labels), 1)
        rows.report("nnU-Net's function, 10 labels", ours, theirs, "20 x")

    module = original("totalsegmentator.postprocessing")
    if module is not None:
        small = class_map(256, 104)
        names = {label: str(label) for label in range(1, 105)}
        rois = list(names.values())

        def on_threads(function):
            ccc.set_num_threads(arguments.threads)
            os.environ["CUDA_CONNECTED_COMPONENTS_DEVICE"] = "cpu"
            try:
                return best(function, arguments.repeat)
            finally:
                del os.environ["CUDA_CONNECTED_COMPONENTS_DEVICE"]
                ccc.set_num_threads(None)

        for name in ("keep_largest_blob_multilabel", "remove_small_blobs_multilabel"):
            call = functools.partial(lambda function: function(small.copy(), names, rois), getattr(totalsegmentator, name))
            theirs = rows.time(functools.partial(lambda f: f(small.copy(), names, rois, quiet=True), getattr(module, name)), 1)
            rows.report(f"TotalSegmentator's {name}", rows.time(call), theirs, "50 x")
            ours = functools.cache(functools.partial(on_threads, call))
            rows.report(f"TotalSegmentator's {name} on {arguments.threads} threads", ours, theirs, "15 x")

    ours = rows.time(lambda: ccc.fill_holes(image, by_value=True))
    module = original("fastmorph")
    if module is not None:
        rows.report("fill holes: fastmorph.fill_holes_v2", ours, rows.time(lambda: module.fill_holes_v2(image), 1), "10 x")
    fill = original("fill_voids")
    if fill is not None:
        rows.report("fill holes: fill-voids in boxes", ours, rows.time(lambda: fill_by_value(fill.fill, image), 1), "10 x")

    mask = image % 2 != 0
    part = mask[: min(size, 128), : min(size, 128), : min(size, 128)].copy()  # SciPy takes minutes for the image
    of_part = rows.time(lambda: scipy.ndimage.binary_fill_holes(part), 1)
    ours = rows.time(lambda: ndimage.binary_fill_holes(mask))
    rows.report("fill holes: SciPy, from a part", ours, lambda: of_part() * mask.size / part.size, "100 x")


def device(arguments):
    """Compare on a GPU."""
    torch = original("torch")
    if torch is None or not torch.cuda.is_available():
        print("skipped: there is no GPU for PyTorch")
        return
    rows, size = Rows(arguments, torch.cuda.synchronize), arguments.size
    image = torch.from_numpy(class_map(size, 100)).cuda()
    binary = rows.time(lambda: ccc.keep_largest(image != 0))
    ours = rows.time(lambda: ccc.keep_largest(image, by_value=True))
    rows.report("keep the largest of each class over binary", ours, binary, "3 x", True)
    labels = torch.from_numpy(class_map(size, 250).astype(np.int32)).cuda()
    quarters = torch.arange(size, device="cuda", dtype=torch.int32) * 4 // size
    labels += 250 * quarters[:, None, None] * (labels != 0)
    read = rows.time(lambda: labels.max())
    statistics = rows.time(lambda: ccc.label_statistics(labels))
    rows.report("label_statistics of 1,000 labels over a read of the image", statistics, read, "4 x", True)
    # What the call costs apart from its work on pixels, and how long it takes by runs, as in batches.
    rows.report("label_statistics of two slices", rows.time(lambda: ccc.label_statistics(labels[:2])), read, "-", True)
    halves = labels.reshape(2, size // 2, size, size)
    by_runs = rows.time(lambda: ccc.label_statistics(halves, spatial_dims=3))
    rows.report("label_statistics of two halves, by runs", by_runs, read, "-", True)
    cupy, module = original("cupy"), original("cucim.skimage.measure")
    if cupy is not None and module is not None:
        array = cupy.asarray(labels)
        properties = ("label", "area", "bbox", "centroid")
        theirs = rows.time(lambda: module.regionprops_table(array, properties=properties), 1)
        rows.report("cuCIM's regionprops_table", rows.time(lambda: ccc.label_statistics(array)), theirs, "20 x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rows", default="", help="time only the rows whose names contain this text")
    parsed = parser.parse_args()
    print(ccc.backend_info())
    device(parsed)
    host(parsed)
