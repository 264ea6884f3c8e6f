"""Tables of components."""

import functools
import math
import operator
from collections.abc import Iterable

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

_INTENSITIES = ("intensity_mean", "intensity_min", "intensity_max", "intensity_std", "intensity_sum")
PROPERTIES_OF_LABELS = (
    *(name for name in PROPERTIES if name != "value"),
    "first_element",
    "covariance",
    *_INTENSITIES,
)

_PROPERTIES_OF_COLUMNS = {
    "boxes": {"bbox", "area_bbox", "extent"},
    "means": {"centroid"},
    "faces": {"touches_border"},
    "values": {"value"},
    "firsts": {"first_element"},
    "covariances": {"covariance"},
}


def checked(properties, known):
    """Return the properties that a user names. Raises an exception for others than the known ones."""
    if not isinstance(properties, Iterable):
        raise TypeError(f"properties must be a sequence of names, not {properties!r}")
    properties = (properties,) if isinstance(properties, str) else tuple(properties)
    for name in properties:
        if name not in known:
            raise ValueError(f"{name!r} is not a property; there are {', '.join(known)}")
    return properties


def checked_of_components(properties, by_value):
    """Return the properties of components that a user names, or the default ones."""
    if by_value and properties is DEFAULT_PROPERTIES:
        properties = ("label", "value", *properties[1:])
    properties = checked(properties, PROPERTIES)
    if "value" in properties and not by_value:
        raise ValueError("the property 'value' needs by_value=True: other components have no single value")
    return properties


def checked_of_labels(properties, has_intensities):
    """Return the properties of labels that a user names."""
    properties = checked(properties, PROPERTIES_OF_LABELS)
    if not has_intensities and any(name.startswith("intensity_") for name in properties):
        raise ValueError("properties of intensities need the second image: pass intensities=")
    return properties


def columns_for(properties):
    """Return the names of the settings for the columns that properties follow from."""
    return [name for name, needs in _PROPERTIES_OF_COLUMNS.items() if not needs.isdisjoint(properties)]


def make_table(columns, axes, geometry, properties, leading, to_double, strides=()):
    """Return the columns of `properties`. `axes` are the letters of the axes in `columns`.

    `strides` are the distances of elements along the axes in C order, and the lengths of the axes: for
    the index of the first element.

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
            index = image if following == 1 else image // following
            table[f"image-{axis}"] = index if axis == 0 else index % length
    if "start_x" in columns:
        starts, ends = (
            [_sum(columns[f"{end}_{axis}"], index) for axis, index in zip(axes, first)]
            for end in ("start", "end")
        )

    def area():
        pixels = columns["area"] if "area" in columns else to_double(columns["num_pixels"])
        return _product(pixels, size_of_one)

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
        elif name == "touches_border":
            table["touches_border"] = columns["faces"] != 0
        elif name == "first_element":
            for axis, (stride, length) in enumerate(strides):
                table[f"first_element-{axis}"] = _sum(columns["first"] // stride % length, first[axis])
        elif name == "covariance":
            table.update(_covariances(columns, axes, geometry))
        else:
            table[name] = _intensity(columns, name, to_double)
    return table


def _covariances(columns, axes, geometry):
    """Return the columns of the covariances of positions."""
    scaled = [[geometry.direction[row][axis] * geometry.spacing[axis] for axis in range(len(axes))] for row in range(len(axes))]
    table = {}
    for a, row in enumerate(scaled):
        for b, other in enumerate(scaled):
            terms = (
                columns["covariance_" + "".join(sorted(axes[i] + axes[j]))] * (row[i] * other[j])
                for i in range(len(axes))
                for j in range(len(axes))
                if row[i] * other[j] != 0
            )
            table[f"covariance-{a}-{b}"] = functools.reduce(operator.add, terms)
    return table


def _intensity(columns, name, to_double):
    """Return a column of intensities."""
    count = to_double(columns["num_pixels"])
    if name == "intensity_mean":
        return columns["intensity_sum"] / count
    if name == "intensity_std":  # with the divisor n, as scikit-image's
        return (columns["intensity_variance"] * (count - 1) / count) ** 0.5
    return columns[name]


def _sum(column, number):
    """Return column + number. On a device, each operation takes some microseconds."""
    return column if number == 0 else column + number


def _product(column, number):
    """Return column * number."""
    return column if number == 1 else column * number
