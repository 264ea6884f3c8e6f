# SPDX-License-Identifier: Apache-2.0
"""Installs the Python package that labels, after a question. Nothing is installed when a module is imported."""

import importlib
import importlib.util
import pathlib

import slicer
from packaging.tags import sys_tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

NAME = "cuda-connected-components"
SETTING = "CudaIslands/Wheel"  # the key of the application's setting: a wheel, or a folder with wheels


def is_installed():
    return importlib.util.find_spec(NAME.replace("-", "_")) is not None


def find_wheel(source):
    """Return the newest wheel for this Python and this system: the file `source`, or a file in the folder `source`."""
    # The package is on no index yet, so a package of this name on an index would be somebody else's.
    if not source:
        raise ValueError(f"The Python package {NAME} is not installed. Choose its wheel in the module Islands (GPU).")
    path = pathlib.Path(source)
    tags, wheels = set(sys_tags()), []
    for file in [path] if path.is_file() else path.glob("*.whl"):
        try:
            name, version, build, supported = parse_wheel_filename(file.name)
        except InvalidWheelFilename:
            continue
        if name == NAME and tags & supported:
            wheels.append((version, build, file))
    if not wheels:
        raise ValueError(f"{source} is or has no wheel of {NAME} for this Python and this system.")
    return max(wheels)[2]


def ensure(source):
    """Install the wheel if the package is missing, and if the user agrees."""
    if is_installed():
        return
    wheel = find_wheel(source)
    requirement = f"{NAME} @ {wheel.resolve().as_uri()}"
    try:
        from slicer.packaging import pip_ensure
    except ImportError:  # before Slicer 5.12
        if not slicer.util.confirmOkCancelDisplay(f"Install {wheel.name} into Slicer's Python?", "Islands (GPU)"):
            raise RuntimeError(f"{NAME} was not installed.") from None
        slicer.util.pip_install([requirement])
    else:
        pip_ensure([requirement], requester="Islands (GPU)")
    importlib.invalidate_caches()
