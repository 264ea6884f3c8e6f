#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes an OME-Zarr image like those of light-sheet microscopes, and labels its nuclei with the command for Zarr.

    label_lightsheet.py [--planes 96] [--size 512] [--folder .] [--picture lightsheet.png]

The image has planes of nuclei and a pyramid. It is written in shards of 8 planes, and labeled shard by shard, so it may be larger than
the memory. Files of an earlier run are replaced. `lightsheet.zarr` is the image, with the labels in `labels/nuclei`; `lightsheet-mask.zarr` is
what a segmentation gave, and `nuclei.csv` the table.
"""

import argparse
import itertools
import pathlib
import sys

import numpy as np
import zarr

import cuda_connected_components.zarr

SPACING = (2.0, 0.5, 0.5)  # of planes, rows and columns in micrometers


def planes_of_nuclei(planes, size, seed=1):
    """Yield planes of an image of nuclei, which are ellipsoids."""
    generator = np.random.default_rng(seed)
    count = planes * size * size // 20000
    centers = generator.uniform((0, 0, 0), (planes, size, size), (count, 3)) * SPACING
    radii = generator.uniform(4, 8, count)  # micrometers
    for z in range(planes):
        plane = np.zeros((size, size))
        heights = np.abs(z * SPACING[0] - centers[:, 0])
        for (_, y, x), radius, height in zip(centers, radii, heights):
            if height < radius:
                low = [max(0, int((c - radius) / s)) for c, s in zip((y, x), SPACING[1:])]
                high = [int((c + radius) / s) + 2 for c, s in zip((y, x), SPACING[1:])]
                part = plane[low[0] : high[0], low[1] : high[1]]
                rows, columns = np.ogrid[: part.shape[0], : part.shape[1]]
                distances = (
                    height**2
                    + ((rows + low[0]) * SPACING[1] - y) ** 2
                    + ((columns + low[1]) * SPACING[2] - x) ** 2
                )
                np.maximum(part, 1 - distances / radius**2, out=part)
        yield (100 + 600 * plane + generator.normal(0, 15, plane.shape)).clip(1).astype(np.uint16)


def create(path, planes, size, dtype, levels=3):
    """Create an image of OME-Zarr 0.5. Return its levels."""
    datasets = [
        {
            "path": str(level),
            "coordinateTransformations": [
                {"type": "scale", "scale": [SPACING[0], *(s * 2**level for s in SPACING[1:])]}
            ],
        }
        for level in range(levels)
    ]
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "zyx"]
    metadata = {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets, "name": "light sheet"}]}
    group = zarr.create_group(str(path), attributes={"ome": metadata}, overwrite=True)
    return [
        group.create_array(
            str(level),
            shape=(planes, -(-size // 2**level), -(-size // 2**level)),
            chunks=(1, 256, 256),
            shards=(8, 512, 512),
            dtype=dtype,
            dimension_names="zyx",
        )
        for level in range(levels)
    ]


def make(folder, planes, size):
    """Make the image and its mask. Return their names."""
    image, mask = (folder / name for name in ("lightsheet.zarr", "lightsheet-mask.zarr"))
    images, masks = create(image, planes, size, "uint16"), create(mask, planes, size, "uint8")
    sheets = planes_of_nuclei(planes, size)
    depth = images[0].shards[0]
    for start in range(0, planes, depth):  # whole shards
        slab = np.stack(list(itertools.islice(sheets, depth)))
        for level, (of_image, of_mask) in enumerate(zip(images, masks)):
            part = slab[:, :: 2**level, :: 2**level]
            of_image[start : start + depth] = part
            of_mask[start : start + depth] = part > 200  # the segmentation
    return image, mask


def draw(image, path):
    """Draw a plane, and the labels over it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import colors, pyplot

    group = zarr.open_group(str(image), mode="r")
    middle = group["0"].shape[0] // 2
    plane, labels = group["0"][middle], group["labels/nuclei/0"][middle]
    hues = np.random.default_rng(0).permutation(1024) / 1024
    figure, axes = pyplot.subplots(1, 2, figsize=(8, 4), dpi=90)
    for axis in axes:
        axis.imshow(plane, cmap="gray", vmin=50, vmax=700)
        axis.axis("off")
    colored = colors.hsv_to_rgb(np.stack([hues[labels % 1024], *[np.full(labels.shape, 0.9)] * 2], axis=-1))
    axes[1].imshow(np.dstack([colored, 0.6 * (labels > 0)]))
    figure.tight_layout(pad=0.3)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=int, default=96)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path())
    parser.add_argument("--picture", type=pathlib.Path)
    options = parser.parse_args()
    image, mask = make(options.folder, options.planes, options.size)
    arguments = ["label", str(image), str(image), "--name", "nuclei", "--mask", str(mask), "--min-size", "50"]
    status = cuda_connected_components.zarr.main(
        [*arguments, "--statistics", str(options.folder / "nuclei.csv"), "--overwrite"]
    )
    if status:
        sys.exit(status)
    if options.picture:
        draw(image, options.picture)


if __name__ == "__main__":
    main()
