"""Tables of components."""

import math

import numpy as np

PROPERTIES = (
    "label",
    "num_pixels",
    "area",
    "bbox",
    "centroid",
    "area_bbox",
    "extent",
    "equivalent_diameter_area",
    "touches_border",
)


def make_table(columns, axes, geometry, properties, leading=()):
    """Return the columns of `properties`. `axes` are the letters of the axes in `columns`.

    `leading` is the shape of the leading axes of a batch. The first columns are
    then the indices of the image along these axes.
    """
    first, origin, spacing, direction = geometry
    counts = columns["num_pixels"]
    size_of_one = math.prod(spacing)
    ndim = len(axes)
    area = counts * size_of_one
    labels = np.arange(1, len(counts) + 1)
    table = {}
    if leading:
        counts_of_images = columns["counts"]
        labels -= np.repeat(np.cumsum(counts_of_images) - counts_of_images, counts_of_images)
        for axis, index in enumerate(np.indices(leading)):
            table[f"image-{axis}"] = np.repeat(index.reshape(-1), counts_of_images)
    box_area = None
    if "minimum_x" in columns:
        starts = [columns[f"minimum_{axis}"] + index for axis, index in zip(axes, first)]
        ends = [columns[f"maximum_{axis}"] + index + 1 for axis, index in zip(axes, first)]
        sides = [end - start for start, end in zip(starts, ends)]
        box_area = np.prod(np.array(sides, np.float64).reshape(ndim, -1), axis=0) * size_of_one
    for name in properties:
        if name == "label":
            table["label"] = labels
        elif name == "num_pixels":
            table["num_pixels"] = counts
        elif name == "area":
            table["area"] = area
        elif name == "bbox":
            table.update({f"bbox-{axis}": column for axis, column in enumerate(starts + ends)})
        elif name == "centroid":
            means = [columns[f"mean_{axis}"] + index for axis, index in zip(axes, first)]
            for axis in range(ndim):
                table[f"centroid-{axis}"] = origin[axis] + sum(
                    direction[axis][other] * spacing[other] * means[other]
                    for other in range(ndim)
                    if direction[axis][other] != 0
                )
        elif name == "area_bbox":
            table["area_bbox"] = box_area
        elif name == "extent":
            table["extent"] = area / box_area
        elif name == "equivalent_diameter_area":
            unit_ball = {1: 1.0, 2: math.pi / 4, 3: math.pi / 6}[ndim]
            table["equivalent_diameter_area"] = (area / unit_ball) ** (1 / ndim)
        else:
            table["touches_border"] = columns["faces"] != 0
    return table
