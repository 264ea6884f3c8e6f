# SPDX-License-Identifier: Apache-2.0
"""Tests of the plug-in and of the tool in 3D Slicer's Python package slicer_core. scripts/test-slicer.sh runs them.

Each test of the plug-in runs Slicer's code without and with the plug-in, in one process. The results must be equal, and the
plug-in must have done the work. CUDA_CONNECTED_COMPONENTS_TEST_SEED repeats the random volumes of a run.
"""

import os
import pathlib
import subprocess
import sys
import time
import zlib

import pytest

try:
    import numpy as np
    import SimpleITK  # noqa: F401
    import support
except ImportError as error:
    MISSING = str(error)
else:
    MISSING = ""

SEED = int(os.environ.get("CUDA_CONNECTED_COMPONENTS_TEST_SEED", time.time_ns() % 2**32))


def pytest_report_header():
    return f"CUDA_CONNECTED_COMPONENTS_TEST_SEED={SEED}" + (f"\nAll tests are skipped: {MISSING}" if MISSING else "")


def pytest_collect_file():
    # importorskip() would end pytest here, because it works in files of tests only.
    if MISSING:
        pytest.skip(MISSING)


@pytest.fixture
def random(request):
    """A generator of random numbers for this test."""
    return np.random.default_rng([SEED, zlib.crc32(request.node.nodeid.encode())])


@pytest.fixture(scope="session")
def plugin_path():
    path = os.environ.get("CUDA_CONNECTED_COMPONENTS_SLICER_PLUGIN")
    if not path:
        pytest.skip("CUDA_CONNECTED_COMPONENTS_SLICER_PLUGIN does not name the plug-in")
    return pathlib.Path(path)


@pytest.fixture
def plugin(plugin_path):
    """The plug-in, not registered."""
    plugin = support.Plugin(plugin_path)
    assert plugin.unregister() == 1
    yield plugin
    assert plugin.unregister() == 1


@pytest.fixture
def verbose(monkeypatch, capfd):
    """Returns a function that returns the lines of our filters since its last call."""
    monkeypatch.setenv("ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE", "1")

    def lines():
        return [line for line in capfd.readouterr().err.splitlines() if line.startswith("CudaConnectedComponents: ")]

    return lines


@pytest.fixture
def both(plugin, verbose):
    """Calls a function without and with the plug-in, compares its results, and returns the result. The filters must have
    worked with the plug-in, and only then."""

    def call(function, filters=support.FILTERS):
        verbose()
        before = function()
        assert verbose() == []
        assert plugin.register() == 1, plugin.error()
        after = function()
        lines = verbose()
        assert plugin.unregister() == 1
        for name in filters:
            assert any(f": {name}, " in line for line in lines), lines
        support.expect_same(after, before)
        return before

    return call


@pytest.fixture
def run_script(plugin_path, tmp_path):
    """Runs a script in a process of its own, and returns the finished process. The script may name PLUGIN and use support."""

    def run(script, **environment):
        file = tmp_path / "script.py"
        file.write_text(f"PLUGIN = {str(plugin_path)!r}\n{script}")
        folder = str(pathlib.Path(__file__).parent)
        return subprocess.run(
            [sys.executable, str(file)],
            env={**os.environ, "PYTHONPATH": folder, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run
