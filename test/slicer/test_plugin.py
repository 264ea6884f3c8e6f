# SPDX-License-Identifier: Apache-2.0
"""The functions of C of the plug-in, in processes with Slicer's ITK."""

import ctypes.util
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
import SimpleITK as sitk
from vtkmodules import vtkCommonCore as vtk

from support import FILTERS, Plugin, expect_same, find_islands, image_of


def loaded(name):
    """The files of this process whose names contain a text."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "/" in line}
    return [path for path in paths if name in pathlib.Path(path).name]


@pytest.fixture
def image(random):
    return image_of(random.random((41, 37, 53)) < 0.3, vtk.VTK_INT)


def test_one_itk(plugin):
    assert plugin.register() == 1
    (common,) = loaded("libITKCommon")
    assert pathlib.Path(plugin.itk_file()).resolve() == pathlib.Path(common).resolve()
    assert "slicer_core" in common
    assert plugin.itk_version().startswith("itk version ")
    assert plugin.version().count(".") == 2


def test_registering_starts_no_cuda(plugin_path, run_script):
    """In a process of its own, because other tests can start CUDA."""
    if ctypes.util.find_library("cuda") is None:
        pytest.skip("there is no driver of CUDA")
    if b"libcuda.so" not in plugin_path.read_bytes():
        pytest.skip("the plug-in was built for the CPU only")
    script = "import support\nassert support.Plugin(PLUGIN).register() == 1\n"
    run = run_script(script + "print('libcuda.so' in open('/proc/self/maps').read())")
    assert (run.returncode, run.stdout) == (0, "False\n"), run.stderr


def test_registered_twice(plugin, image, verbose):
    assert plugin.is_registered() == 0
    before = find_islands(image)
    for _ in range(2):
        assert plugin.register() == 1 and plugin.is_registered() == 1
    expect_same(find_islands(image), before)
    assert len(verbose()) == 2
    for _ in range(2):
        assert plugin.unregister() == 1 and plugin.is_registered() == 0
    find_islands(image)
    assert verbose() == []
    assert plugin.register() == 1
    find_islands(image)
    assert len(verbose()) == 2


def test_loaded_twice(plugin, image, verbose, tmp_path):
    """The same file is loaded once. A copy is another library, but registers no second factory."""
    copy = Plugin(shutil.copy(plugin.path, tmp_path))
    for other in (Plugin(plugin.path), copy):
        assert plugin.register() == 1
        assert other.is_registered() == 1 and other.register() == 1
        find_islands(image)
        assert len(verbose()) == 2
        assert other.unregister() == 1
        assert plugin.is_registered() == 0


def test_taken_back_while_a_filter_works(plugin, image, verbose):
    before = find_islands(image)
    for change in (plugin.unregister, plugin.register):
        assert plugin.register() == 1
        calls = []
        # The first progress comes before the filters are created.
        expect_same(find_islands(image, progress=lambda: calls.append(change() if calls else 1)), before)
        assert len(calls) > 1 and set(calls) == {1}
        assert len(verbose()) == 2
    assert plugin.unregister() == 1
    calls = []
    expect_same(find_islands(image, progress=lambda: calls.append(plugin.register() if calls else 1)), before)
    assert len(calls) > 1 and verbose() == []


def test_turned_off_by_the_environment(plugin, image, verbose, monkeypatch):
    monkeypatch.setenv("ITK_CUDA_CONNECTED_COMPONENTS", "0")
    assert plugin.register() == 0
    assert plugin.error() == "the environment variable ITK_CUDA_CONNECTED_COMPONENTS is 0"
    assert plugin.is_registered() == 0 and plugin.error() == ""
    monkeypatch.delenv("ITK_CUDA_CONNECTED_COMPONENTS")
    monkeypatch.setenv("ITK_CUDA_CONNECTED_COMPONENTS_DISABLE", "RelabelComponentImageFilter")
    assert plugin.register() == 1
    find_islands(image)
    (line,) = verbose()
    assert FILTERS[0] in line


def test_simpleitk_in_the_same_process(plugin, image, random, verbose):
    """SimpleITK has an ITK of its own, which nothing replaces."""
    volume = sitk.GetImageFromArray((random.random((41, 37, 53)) < 0.3).astype(np.uint8))

    def run():
        labels = sitk.ConnectedComponent(volume)
        sorted_labels = sitk.RelabelComponent(labels, 3)
        filled = sitk.BinaryFillhole(volume)
        return [sitk.GetArrayFromImage(each) for each in (labels, sorted_labels, filled)]

    before = run()
    islands = find_islands(image)
    verbose()
    assert plugin.register() == 1
    for _ in range(2):
        expect_same(run(), before)
        assert verbose() == []
        expect_same(find_islands(image), islands)
        assert len(verbose()) == 2


ISLANDS = """
import numpy as np, support
image = support.image_of(np.ones((30, 30, 30), np.int8), 6)
def islands():
    assert support.find_islands(image).count == 1
"""


@pytest.mark.parametrize(
    "script, updates",
    [
        ("plugin.register(); islands()", 1),
        ("plugin.register(); islands(); plugin.unregister(); islands()", 1),
        ("islands(); plugin.register()", 0),
        ("plugin.register(); import _ctypes; _ctypes.dlclose(plugin.library._handle); islands()", 1),
        ("plugin.register(); import threading; threading.Thread(target=islands).start()", 1),
    ],
)
def test_end_of_the_process(script, updates, run_script):
    run = run_script(f"{ISLANDS}plugin = support.Plugin(PLUGIN)\n{script}", ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE="1")
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("CudaConnectedComponents: ") == 2 * updates, run.stderr


@pytest.mark.parametrize("first", ["islands()", "plugin.register()"])
def test_beside_the_folder_of_plugins(first, run_script, plugin_path):
    """ITK_AUTOLOAD_PATH names the folder of the plug-in."""
    script = f"""{ISLANDS}
plugin = support.Plugin(PLUGIN)
{first}
assert plugin.is_registered() == 1 and plugin.register() == 1
islands()
assert plugin.unregister() == 1 and plugin.is_registered() == 0
islands()
assert plugin.register() == 1
islands()
"""
    variables = {"ITK_AUTOLOAD_PATH": str(plugin_path.parent), "ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE": "1"}
    run = run_script(script, **variables)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("CudaConnectedComponents: ") == (6 if first == "islands()" else 4), run.stderr


def test_without_slicer(plugin_path):
    """Without Slicer's ITK in the process, the plug-in does not load."""
    script = f"import ctypes\ntry:\n  ctypes.CDLL({str(plugin_path)!r})\nexcept OSError as error:\n  print(error)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0 and "libITK" in run.stdout, run
