"""Tables of components."""

import functools
import math
import operator

PROPERTIES = (
    "label",
    "value",
    "num_pixels",
    "area",
    "bbox",
    "centroid",
    "area_bbox",
    "extent",
    "equivalent_diameter_area",
    "touches_border",
)

DEFAULT_PROPERTIES = ("label", "area", "bbox", "centroid")


def make_table(columns, axes, geometry, properties, leading, to_double):
    """Return the columns of `properties`. `axes` are the letters of the axes in `columns`.

    `leading` is the shape of the leading axes of a batch. The first columns are
    then the indices of the image along these axes. Columns are arrays of NumPy,
    CuPy or PyTorch, which `to_double` converts to float64.
    """
    first, origin, spacing, direction = geometry
    size_of_one = math.prod(spacing)
    ndim = len(axes)
    table = {}
    if leading:
        image = columns["image"]
        for axis, length in enumerate(leading):
            following = math.prod(leading[axis + 1 :])
            table[f"image-{axis}"] = image // following % length
    if "start_x" in columns:
        starts, ends = (
            [_sum(columns[f"{end}_{axis}"], index) for axis, index in zip(axes, first)]
            for end in ("start", "end")
        )

    def area():
        return _product(to_double(columns["num_pixels"]), size_of_one)

    def box_area():
        sides = (to_double(end - start) for start, end in zip(starts, ends))
        return _product(functools.reduce(operator.mul, sides), size_of_one)

    for name in properties:
        if name in ("label", "value", "num_pixels"):
            table[name] = columns[name]
        elif name == "area":
            table["area"] = area()
        elif name == "bbox":
            table.update({f"bbox-{axis}": column for axis, column in enumerate(starts + ends)})
        elif name == "centroid":
            means = [_sum(columns[f"mean_{axis}"], index) for axis, index in zip(axes, first)]
            for axis in range(ndim):
                terms = (
                    _product(means[other], direction[axis][other] * spacing[other])
                    for other in range(ndim)
                    if direction[axis][other] != 0
                )
                table[f"centroid-{axis}"] = _sum(functools.reduce(operator.add, terms), origin[axis])
        elif name == "area_bbox":
            table["area_bbox"] = box_area()
        elif name == "extent":
            table["extent"] = area() / box_area()
        elif name == "equivalent_diameter_area":
            unit_ball = {1: 1.0, 2: math.pi / 4, 3: math.pi / 6}[ndim]
            table["equivalent_diameter_area"] = (area() / unit_ball) ** (1 / ndim)
        else:
            table["touches_border"] = columns["faces"] != 0
    return table


def _sum(column, number):
    """Return column + number. On a device, each operation takes some microseconds."""
    return column if number == 0 else column + number


def _product(column, number):
    """Return column * number."""
    return column if number == 1 else column * number
