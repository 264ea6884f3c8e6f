"""Labels Zarr arrays and OME-Zarr images that are larger than memory: a command.

::

    python -m cuda_connected_components.zarr label IN OUT --connectivity 26 --min-size 50 --statistics table.parquet

``--help`` lists the options. The extra ``zarr`` installs what the command needs.
"""

import argparse
import contextlib
import errno
import os
import pathlib
import posixpath
import sys
import tempfile
from concurrent.futures import BrokenExecutor
from typing import NamedTuple

import numpy as np

try:
    import dask

    from . import _zarr_store
    from . import dask as lazy
    from ._progress import Progress
    from ._zarr_input import open_mask, open_source, picked_part, read_part
    from ._zarr_output import Output
    from ._zarr_table import check_table, named_columns, save
except ImportError as error:
    raise ImportError(
        "Dask 2025.1 and Zarr 3.1.6 or later are needed: pip install 'cuda-connected-components[zarr]'"
    ) from error

from . import LabelOverflowError, _settings
from ._options import Selection

__all__ = ["main"]

_PROPERTIES = ("num_pixels", "bbox", "centroid")


class Settings(NamedTuple):
    """The options of the command that say what is computed."""

    connectivity: int | None
    spatial_dims: int
    by_value: bool
    background: float | int | None
    min_size: float
    keep_largest: int | None
    order: str
    dtype: str | None


def main(argv=None):
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments. The default is those of the process.

    Returns
    -------
    status : int
        0; 2 after an error, which is printed to stderr; 130 after an interruption.
    """
    arguments = _parser().parse_args(argv)
    try:
        with _scratch(arguments) as arguments.scratch:
            _label(arguments)
    except KeyboardInterrupt:
        print(f"interrupted: {_how_to_go_on(arguments)}", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            print(f"error: no space is left: free some, and {_how_to_go_on(arguments)}", file=sys.stderr)
        else:
            print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenExecutor:
        print(
            "error: a process of --workers was ended, perhaps because the memory was full: choose fewer, and "
            f"{_how_to_go_on(arguments)}",
            file=sys.stderr,
        )
        return 2
    except (ValueError, TypeError, RuntimeError, MemoryError, ImportError, LabelOverflowError) as error:
        print(f"error: {error or type(error).__name__}", file=sys.stderr)
        return 2
    except Exception as error:  # each kind of URL has exceptions of its own
        if not any("://" in (path or "") for path in (arguments.input, arguments.output, arguments.mask)):
            raise
        print(f"error: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0


def _scratch(arguments):
    """Return a context with the scratch for `label`: a new folder in that of the user is removed at the end."""
    if arguments.scratch in (None, "memory"):
        return contextlib.nullcontext(arguments.scratch)
    if not os.path.isdir(arguments.scratch):
        raise ValueError(f"the folder --scratch {arguments.scratch} does not exist: make it first")
    return tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="labels-")


def _how_to_go_on(arguments):
    if arguments.no_labels:
        return "run the same command again"
    without = ", without --overwrite" if arguments.overwrite else ""
    return f"run the same command again{without}: it goes on with what is written"


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m cuda_connected_components.zarr", description=__doc__.splitlines()[0]
    )
    command = parser.add_subparsers(dest="command", required=True).add_parser(
        "label",
        help="label the connected components of an image",
        description="Labels the connected components of a Zarr array or an OME-Zarr image. The labels are those of the "
        "whole image, whatever its chunks are. Each time and channel is labeled alone.",
    )
    add = command.add_argument
    add(
        "input",
        metavar="IN",
        help="an array of Zarr 2 or 3, or an image of OME-Zarr 0.4 or 0.5: a folder or URL",
    )
    add(
        "output",
        metavar="OUT",
        nargs="?",
        help="a new array for the labels of an array; the labels of an image go to OUT/labels/NAME, and OUT may be IN",
    )
    add(
        "--name",
        default="components",
        help="the name of the labels of an OME-Zarr image (default: %(default)s)",
    )
    add(
        "--connectivity",
        type=int,
        metavar="N",
        help="number of neighbors: 4, 8, 6, 18 or 26 (default: 8 or 26)",
    )
    add("--by-value", action="store_true", help="label regions of equal value")
    add(
        "--background",
        type=_number,
        default=0,
        metavar="VALUE",
        help="with --by-value: its value, or none (default: 0)",
    )
    add("--mask", metavar="PATH", help="an array: elements that are 0 in it are background")
    add("--min-size", type=int, default=0, metavar="N", help="leave out components with fewer elements")
    add(
        "--keep-largest",
        type=int,
        metavar="K",
        help="keep the K largest components only, with --by-value of each value",
    )
    add(
        "--order",
        choices=("raster", "block"),
        default="raster",
        help="the order of the labels (default: %(default)s)",
    )
    add("--dtype", help="the type of the labels (default: int32, or int64 from 2^31 elements on)")
    add("--statistics", metavar="TABLE", help="write the table of the components: *.parquet or *.csv")
    add("--no-labels", action="store_true", help="write the table only; without OUT")
    add(
        "--level",
        type=int,
        default=0,
        metavar="N",
        help="the level of the pyramid to label (default: 0, the finest)",
    )
    add("--time", type=int, metavar="N", help="label one time only")
    add("--channel", type=int, metavar="N", help="label one channel only")
    add(
        "--spatial-dims",
        type=int,
        metavar="N",
        help="for an array: its last N axes are those of an image (default: all)",
    )
    add("--overwrite", action="store_true", help="remove the labels and TABLE first if they exist; never IN")
    add("--device", help='"cpu", "cuda" or "cuda:N" (default: cpu)')
    add(
        "--scratch",
        metavar="PATH",
        help="keep labels of blocks in this folder between the two passes, or in memory: memory",
    )
    workers = command.add_mutually_exclusive_group()
    workers.add_argument("--workers", type=int, metavar="N", help="the number of processes")
    workers.add_argument(
        "--threads", type=int, metavar="N", help="the number of threads (default: one for each processor)"
    )
    return parser


def _number(text):
    """Return a number of the command line, or None for "none"."""
    if text == "none":
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def _label(arguments):
    """Do the work of the command."""
    _check(arguments)
    source = open_source(arguments)
    picked = picked_part(source, arguments)
    image = read_part(source.levels[0], source, picked)
    mask = None if arguments.mask is None else open_mask(arguments, image, source, picked)
    if arguments.time is not None:
        # Labels of one channel are for all channels. Those of one time are for this time.
        source = source._replace(image=source.image.part(0, source.image.axis_of("time"), arguments.time))
    settings = Settings(
        arguments.connectivity,
        source.image.spatial_dims if source.image else arguments.spatial_dims or image.ndim,
        arguments.by_value,
        arguments.background,
        arguments.min_size,
        arguments.keep_largest,
        arguments.order,
        arguments.dtype,
    )
    labels, count, table = _components(image, mask, settings, arguments)
    if arguments.no_labels:
        check_table(arguments)
        output = None
    else:
        output = Output(arguments, source, settings, image, labels.dtype)
    workers = (
        {"scheduler": "processes", "num_workers": arguments.workers}
        if arguments.workers
        else {
            "scheduler": "threads",
            "num_workers": arguments.threads or _settings.threads(None),
        }
    )
    if output is None:
        with Progress("measuring"):
            count, table = dask.compute(count, table, **workers)
        save(arguments.statistics, named_columns(table, source, settings, arguments))
    else:
        count = output.write(labels, count, table, source, settings, arguments, workers)
    print(f"components: {np.sum(count)}")


def _check(arguments):
    """Raise an exception for options that do not fit each other. The image is not read yet."""
    if arguments.no_labels:
        if arguments.output is not None:
            raise ValueError(f"--no-labels writes no labels: leave out {arguments.output}")
        if arguments.statistics is None:
            raise ValueError("--no-labels writes the table only: name it with --statistics")
    elif arguments.output is None:
        raise ValueError(
            "OUT is missing: name the labels, or --no-labels with --statistics for the table only"
        )
    if arguments.statistics:
        path = pathlib.Path(arguments.statistics)
        if path.suffix not in (".parquet", ".csv"):
            raise ValueError(f"the table is {path}, and *.parquet and *.csv are supported")
        if not path.absolute().parent.is_dir():
            raise ValueError(f"the folder of the table {path} does not exist: make it first")
        if not os.access(path.absolute().parent, os.W_OK):
            raise ValueError(f"the folder of the table {path} cannot be written: choose another one")
        if path.suffix == ".parquet":
            try:
                import pyarrow.parquet  # noqa: F401
            except ImportError:
                raise ValueError(
                    f"{path} needs pyarrow: install it, or name the table {path.stem}.csv"
                ) from None
    if arguments.dtype is not None:
        try:
            dtype = np.dtype(arguments.dtype)
        except TypeError:
            dtype = None
        if dtype is None or dtype.kind not in "iu" or not dtype.isnative:
            raise ValueError(
                f"--dtype {arguments.dtype} is no type of integers: choose int32 or uint32, for example"
            )
    least_numbers = {"min_size": 0, "keep_largest": 1, "level": 0, "spatial_dims": 1, "workers": 1, "threads": 1}
    for name, least in least_numbers.items():
        value = getattr(arguments, name)
        if value is not None and value < least:
            raise ValueError(f"--{name.replace('_', '-')} must be at least {least}, not {value}")
    if (arguments.keep_largest or 0) >= 2**63:
        raise ValueError(f"--keep-largest {arguments.keep_largest} is too large: leave it out to keep all")
    if not arguments.by_value and arguments.background != 0:
        raise ValueError(
            f"--background {arguments.background} needs --by-value: otherwise, the background is 0"
        )
    is_name = arguments.name == posixpath.basename(arguments.name) and arguments.name.strip(".")
    if not is_name or _zarr_store.is_taken(arguments.name):
        raise ValueError(f"--name {arguments.name!r} is not a name of labels: use letters and digits")


def _components(image, mask, settings, arguments):
    """Return the labels, their number and the table. Nothing is computed yet."""
    options = {
        "connectivity": settings.connectivity,
        "by_value": settings.by_value,
        "spatial_dims": settings.spatial_dims,
        "mask": mask,
        "device": arguments.device,
    }
    if settings.by_value:
        options["background"] = settings.background
    dtype = "int64" if arguments.no_labels else settings.dtype
    options.update(order=settings.order, dtype=dtype, scratch=arguments.scratch)
    if settings.min_size <= 1 and settings.keep_largest is None and not arguments.statistics:
        return *lazy.label(image, **options), None
    selection = Selection(settings.keep_largest or 0, settings.min_size, per_value=settings.by_value)
    properties = ("label", "value", *_PROPERTIES) if settings.by_value else ("label", *_PROPERTIES)
    labels, count, table = lazy.label_and_measure(image, selection, properties, **options)
    return labels, count, table if arguments.statistics else None


if __name__ == "__main__":
    sys.exit(main())
