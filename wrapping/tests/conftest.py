# SPDX-License-Identifier: Apache-2.0
"""Images for the tests. ITK's own filters are the oracle."""

import os
import random

import itk
import numpy as np
import pytest


@pytest.fixture
def rng():
    seed = int(os.environ.get("SEED", random.randrange(2**32)))
    print(f"SEED={seed}")  # pytest shows it if the test fails
    return np.random.default_rng(seed)


def blobs(rng, shape, density=0.25):
    """Return a random mask of blocks of pixels."""
    step = 6 if len(shape) < 4 else 3
    mask = rng.random([-(-n // step) for n in shape]) < density
    for axis, n in enumerate(shape):
        mask = np.repeat(mask, step, axis=axis).take(range(n), axis=axis)
    return mask


def image_of(array, image_type=None):
    """Return an ITK image that owns its pixels, with an unusual geometry. A vector pixel has equal components."""
    if image_type is None:
        pixel_types = (itk.UC, itk.SS, itk.US, itk.UL, itk.F)
        image_type = itk.Image[next(t for t in pixel_types if np.dtype(t.dtype) == array.dtype), array.ndim]
    image = image_type.New()
    image.SetRegions([int(n) for n in array.shape[::-1]])
    image.Allocate()
    image.SetSpacing([0.5, 0.75, 2.5, 4.0][: array.ndim])
    image.SetOrigin([1.5, -20.0, 300.0, 0.0][: array.ndim])
    view = itk.array_view_from_image(image)
    view[...] = array if view.ndim == array.ndim else array[..., np.newaxis]
    return image


def shape_of(image_type):
    """Return a shape for images of a type. The image is too large to be a small image of the module."""
    return {2: (170, 130), 3: (34, 28, 25), 4: (15, 14, 12, 8)}[itk.template(image_type)[1][1]]


def assert_same(image, expected):
    """Check that two images are equal: the types, the geometries and all pixels."""
    assert type(image) is type(expected)
    assert list(image.GetSpacing()) == list(expected.GetSpacing())
    assert list(image.GetOrigin()) == list(expected.GetOrigin())
    np.testing.assert_array_equal(itk.array_view_from_image(image), itk.array_view_from_image(expected))


def updated(template, image, **settings):
    """Return a filter after its update."""
    process = template.New(image, **settings)
    process.Update()
    return process


@pytest.fixture
def mask(rng):
    """A volume of 0 and 1."""
    return image_of(blobs(rng, (34, 28, 25)).astype(np.uint8))
