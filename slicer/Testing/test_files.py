# SPDX-License-Identifier: Apache-2.0
"""The wheel that is installed, and the files of the extension."""

import json
import pathlib
import sys

import pytest
from CudaIslandsLib import package

ROOT = pathlib.Path(__file__).parents[1]
PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"


def test_find_wheel(tmp_path):
    for version, tags in (
        ("0.9.0", f"{PYTHON}-{PYTHON}-linux_x86_64"),
        ("0.10.0", f"{PYTHON}-{PYTHON}-linux_x86_64"),
        ("0.2.0", "cp310-abi3-linux_x86_64"),
        ("1.0.0", "cp399-cp399-linux_x86_64"),
        ("1.0.0", f"{PYTHON}-{PYTHON}-win_amd64"),
    ):
        (tmp_path / f"cuda_connected_components-{version}-{tags}.whl").touch()
    (tmp_path / "numpy-9.0.0-py3-none-any.whl").touch()
    (tmp_path / "no wheel.whl").touch()
    newest = tmp_path / f"cuda_connected_components-0.10.0-{PYTHON}-{PYTHON}-linux_x86_64.whl"
    assert package.find_wheel(str(tmp_path)) == newest
    assert package.find_wheel(newest) == newest
    for wrong in (tmp_path / "numpy-9.0.0-py3-none-any.whl", tmp_path / "nothing", tmp_path / "no wheel.whl"):
        with pytest.raises(ValueError, match="has no wheel of cuda-connected-components for this Python"):
            package.find_wheel(wrong)
    with pytest.raises(ValueError, match="Choose its wheel in the module"):
        package.find_wheel("")


def test_nothing_is_installed_again():
    package.ensure("/nowhere")


def test_files_are_listed():
    """The extension's package has all files. The files that need Qt are compiled, but not run."""
    listed = (ROOT / "CudaIslands/CMakeLists.txt").read_text()
    for file in (ROOT / "CudaIslands").rglob("*.py"):
        assert file.relative_to(ROOT / "CudaIslands").as_posix() in listed
        compile(file.read_text(), file, "exec")
    entry = json.loads((ROOT / "CudaConnectedComponents.json").read_text())
    project = (ROOT / "CMakeLists.txt").read_text()
    assert entry["tier"] == 1 and entry["scm_url"].removesuffix(".git") in project
    assert (ROOT / "LICENSE.txt").exists() and (ROOT / "images/split.png").exists()
