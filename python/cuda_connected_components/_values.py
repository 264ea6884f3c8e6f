"""Warnings of values that an image of one foreground seldom has.

The extension module looks at the values where it packs the elements. Functions
that may warn pass `warn` as `observe` to those that do the work.
"""

import os
import sys
import warnings

_FOLDER = os.path.dirname(__file__)


def are_wanted(observe, limits, mask, dtype):
    """Return whether to look at the values of an image. `dtype` is the name of its type."""
    return observe is not None and limits == (None, None) and mask is None and dtype != "bool"


def warn(values):
    """Warn of what is known of the values of an image: a `_core.PixelValues`."""
    if values.has_several_whole:
        _warn(
            "the image has several values other than 0, and components join neighbors of "
            "different values: choose the values by lower= and upper=, or pass image != 0"
        )
    if values.has_nan:
        _warn(
            "the image has NaN, which counts as foreground: NaN is background if lower= or upper= is "
            "given, or replace it first: image[image != image] = 0"
        )


def _warn(text):
    """Warn at the line that called the package."""
    level, depth, frame = 1, 1, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
        # PyTorch may be between two functions of the package.
        if frame is not None and os.path.dirname(frame.f_code.co_filename) == _FOLDER:
            level = depth
    warnings.warn(text, UserWarning, stacklevel=level + 1)
