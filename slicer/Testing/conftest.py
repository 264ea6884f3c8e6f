# SPDX-License-Identifier: Apache-2.0
"""Tests of the extension's logic in Slicer's Python package slicer_core, which has no Qt.

CUDA_CONNECTED_COMPONENTS_TEST_SEED repeats the random volumes of a run. CUDA_CONNECTED_COMPONENTS_ALL_SETTINGS runs all
combinations of scenes and settings instead of a sample.
"""

import os
import pathlib
import sys
import time
import zlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "CudaIslands"))
try:
    import cuda_connected_components  # noqa: F401
    import numpy as np
    import slicer_core  # noqa: F401
except ImportError as error:
    MISSING = str(error)
else:
    MISSING = ""

SEED = int(os.environ.get("CUDA_CONNECTED_COMPONENTS_TEST_SEED", time.time_ns() % 2**32))


def pytest_report_header():
    return f"CUDA_CONNECTED_COMPONENTS_TEST_SEED={SEED}" + (f"\nSKIPPED: all tests, because: {MISSING}" if MISSING else "")


def pytest_collect_file():
    if MISSING:
        pytest.skip(MISSING)


@pytest.fixture
def random(request):
    """A generator of random numbers for this test."""
    return np.random.default_rng([SEED, zlib.crc32(request.node.nodeid.encode())])
