# SPDX-License-Identifier: Apache-2.0
"""ITK's loader finds the functions. These tests guard against changes of the loader."""

import importlib.metadata
import os
import pickle
import subprocess
import sys

import itk
import pytest

FUNCTIONS = (
    "cuda_connected_component_image_filter",
    "cuda_relabel_component_image_filter",
    "cuda_keep_largest_image_filter",
)
DISTRIBUTION = "cuda-connected-components-itk"

LABEL = """
import numpy
array = numpy.eye(3, dtype=numpy.uint8)
assert itk.cuda_connected_component_image_filter(array).max() == 3
assert itk.cuda_connected_component_image_filter(array, fully_connected=True).max() == 1
image = itk.image_from_array(array)
assert isinstance(itk.cuda_connected_component_image_filter(image), itk.Image[itk.UL, 2])
"""


def run(script, lazy_loading="ON"):
    """Run a script in a new process, without messages on standard error."""
    process = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "ITK_PYTHON_LAZYLOADING": lazy_loading},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    return process.stdout


def test_names_are_in_dir():
    assert set(FUNCTIONS) <= set(dir(itk))
    assert set(FUNCTIONS) <= set(dir(itk.CudaConnectedComponentsBridge))


def test_functions():
    for name in FUNCTIONS:
        function = getattr(itk, name)
        assert "Parameters\n" in function.__doc__
        assert getattr(itk.CudaConnectedComponentsBridge, name) is function
        assert pickle.loads(pickle.dumps(function)) is function


def test_no_class_has_the_name_of_a_filter():
    """A class that is no process object would break pipelines: its output is not updated."""
    getattr(itk, FUNCTIONS[0])
    assert not [name for name in dir(itk.CudaConnectedComponentsBridge) if name.endswith("Filter")]


@pytest.mark.parametrize("lazy_loading", ["ON", "OFF"])
def test_new_process(lazy_loading):
    """The package is missing while itk is imported: only calls need it."""
    script = f"""
import sys
sys.modules["cuda_connected_components"] = None
import itk
assert set({FUNCTIONS!r}) <= set(dir(itk))
for name in {FUNCTIONS!r}:
    getattr(itk, name)
try:
    itk.cuda_connected_component_image_filter(None)
except ImportError:
    del sys.modules["cuda_connected_components"]
else:
    sys.exit("no ImportError")
"""
    run(script + LABEL, lazy_loading)


def test_imports_do_not_reach_the_namespace_of_itk():
    script = (
        "import itk; before = set(dir(itk)); itk.CudaConnectedComponentsBridge.{0}; itk.{0}\n"
        "print(*(set(dir(itk)) - before))"
    )
    added = run(script.format(FUNCTIONS[0])).split()
    # ITK's loader adds the dictionary `swig` with each module.
    assert set(added) <= {"swig"} | {f"{name}_init_docstring" for name in FUNCTIONS} | _of_itk()


def _of_itk():
    """Return the names that the modules of itk add, on which this module depends."""
    script = (
        "import itk; before = set(dir(itk)); itk.Image; itk.PyBuffer\n"
        "print(*(set(dir(itk)) - before))"
    )
    return set(run(script).split())


def test_files_are_not_files_of_the_native_wheel():
    files = {str(file) for file in importlib.metadata.files(DISTRIBUTION)}
    files = {file for file in files if file.startswith("itk/") and file.endswith(".py")}
    assert files == {
        "itk/Configuration/CudaConnectedComponentsBridgeConfig.py",
        "itk/Configuration/CudaConnectedComponentsBridge_snake_case.py",
        "itk/CudaConnectedComponentsBridgePython.py",
    }


# Stands for the files of a native wheel that has the first function only.
NATIVE_WHEEL = """
import sys, types
names = types.ModuleType("CudaConnectedComponents_snake_case")
names.snake_case_functions = ("cuda_connected_component_image_filter",)
sys.modules["itk.Configuration." + names.__name__] = names
import itk
"""


def test_steps_aside_for_the_native_wheel():
    script = (
        f"print(*[name for name in {FUNCTIONS!r} if name in dir(itk)])\n"
        f"print(*[name for name in {FUNCTIONS!r} if name in dir(itk.CudaConnectedComponentsBridge)])"
    )
    expected = " ".join(FUNCTIONS[1:])
    assert run(NATIVE_WHEEL + script).split("\n")[:2] == [expected, expected]
