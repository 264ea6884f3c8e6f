"""The table that the command for Zarr writes."""

import csv
import math
import os
from typing import Any, NamedTuple

import numpy as np


def check_table(arguments):
    """Raise an exception if a file has the name of the table, or remove it if the user says so."""
    if arguments.statistics is None or not os.path.exists(arguments.statistics):
        return
    if not arguments.overwrite:
        raise ValueError(f"{arguments.statistics} exists: choose another name, or --overwrite")
    os.remove(arguments.statistics)


class _Column(NamedTuple):
    """A column of the table that is written."""

    values: Any
    unit: str | None = None


def named_columns(table, source, settings, arguments):
    """Return the columns of the table: with the names of the axes and with physical units, for OME-Zarr."""
    table = {name: np.asarray(column) for name, column in table.items()}
    if source.image is None:
        return {name: _Column(column) for name, column in table.items()}
    image, dims = source.image, settings.spatial_dims
    spacing, origin = (values[-dims:] for values in image.geometry())
    space = image.axes[-dims:]
    units = [axis.get("unit") for axis in space]
    columns = {}
    for name, column in table.items():
        if name.startswith("image-"):
            axis = image.axes[int(name[6:])]
            picked = getattr(arguments, axis["type"])
            columns[axis["name"]] = _Column(column if picked is None else column + picked)
            continue
        columns[name] = _Column(column)
        if name == "num_pixels":
            unit = f"{units[0]}^{dims}" if units[0] and len(set(units)) == 1 else None
            columns["area"] = _Column(column * math.prod(spacing), unit)
    for axis, (step, first, unit) in enumerate(zip(spacing, origin, units, strict=True)):
        columns[f"position-{space[axis]['name']}"] = _Column(table[f"centroid-{axis}"] * step + first, unit)
    return columns


def save(path, columns):
    """Write a table, so that it exists only when it is complete."""
    partial = f"{path}.partial"
    if path.endswith(".parquet"):
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]

        arrays = {name: pyarrow.array(column.values) for name, column in columns.items()}
        fields = [
            pyarrow.field(
                name, array.type, metadata={"unit": columns[name].unit} if columns[name].unit else None
            )
            for name, array in arrays.items()
        ]
        pyarrow.parquet.write_table(
            pyarrow.table(list(arrays.values()), schema=pyarrow.schema(fields)), partial
        )
    else:
        with open(partial, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            rows = len(next(iter(columns.values())).values)
            for start in range(0, rows, 2**16):
                writer.writerows(
                    zip(*(c.values[start : start + 2**16].tolist() for c in columns.values()), strict=True)
                )
    os.replace(partial, path)
