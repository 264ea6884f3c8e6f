"""Warnings of values that an image of one foreground seldom has.

The extension module looks at the values where it packs the elements. Functions
that may warn have `warn` as `observe` in their options.
"""

import os
import sys
import warnings

import numpy as np

_FOLDER = os.path.dirname(__file__)


def warn(values):
    """Warn of what is known of the values of an image: a `_core.PixelValues`."""
    if values.has_several_whole:
        _warn(
            "the image has several values other than 0, and components join neighbors of "
            "different values: by_value=True keeps them apart; "
            "lower= and upper=, or passing image != 0, choose one foreground"
        )
    if values.has_nan:
        _warn(
            "the image has NaN, which counts as foreground: NaN is background if lower= or upper= is "
            "given, or replace it first: image[image != image] = 0"
        )


def warn_of_slope(array, limits):
    """Warn if elements miss a whole limit by rounding, as labels that a file stores with a slope.

    Most arrays need only a sample of their elements, which are no labels.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # a decorator would not be thread-safe before NumPy 2
        count = _count_nearly(array, limits)
    if count:
        _warn(
            f"{count} elements are less than 0.001 outside lower or upper, as labels that a file stores "
            "with a slope: pass limits between whole numbers, or round the image"
        )


def _count_nearly(array, limits):
    limits = [(sign, float(limit)) for sign, limit in zip((-1, 1), limits)]
    limits = [(sign, limit) for sign, limit in limits if limit.is_integer()]
    sample = array[tuple(slice(None, None, max(1, n // 100)) for n in array.shape)]
    distance = np.abs(sample - np.round(sample))
    if not limits or np.any(distance >= 0.01) or not np.any(distance):
        return 0
    count = 0
    for part in array:
        beyond = [sign * (part - limit) for sign, limit in limits]
        count += sum(np.count_nonzero((0 < part) & (part < 1e-3)) for part in beyond)
    return count


def _warn(text):
    """Warn at the line that called the package."""
    level, depth, frame = 1, 1, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
        # PyTorch may be between two functions of the package.
        if frame is not None and os.path.dirname(frame.f_code.co_filename) == _FOLDER:
            level = depth
    warnings.warn(text, UserWarning, stacklevel=level + 1)
