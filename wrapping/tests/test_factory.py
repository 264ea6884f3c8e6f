# SPDX-License-Identifier: Apache-2.0
"""The factory, which replaces ITK's filters after one call. Each test runs in a process of its own."""

import importlib
import os
import subprocess
import sys

import pytest

CLASSES = [
    "ConnectedComponentImageFilter",
    "RelabelComponentImageFilter",
    "BinaryImageToLabelMapFilter",
    "BinaryFillholeImageFilter",
    "BinaryShapeKeepNObjectsImageFilter",
    "BinaryShapeOpeningImageFilter",
    "BinaryGrindPeakImageFilter",
    "LabelImageToLabelMapFilter",
    "ConnectedThresholdImageFilter",
    "IsolatedConnectedImageFilter",
    "ThresholdMaximumConnectedComponentsImageFilter",
]
# Prints the class that New() creates, and the sum of the pixels of its output.
PROGRAM = """
import sys
import itk
import numpy as np

itk.CudaConnectedComponentImageFilter  # loads the module
name = sys.argv[1]
if "register" in sys.argv:
    itk.CudaConnectedComponentsFactory.RegisterOneFactory()
array = (np.random.default_rng(1).random((40, 30, 20)) < 0.3).astype(np.uint8)
if name in ("RelabelComponentImageFilter", "LabelImageToLabelMapFilter"):
    array *= np.random.default_rng(2).integers(1, 9, array.shape, np.uint8)  # labels
image = itk.image_from_array(array)
process = getattr(itk, name).New(image)
for setting in ("SetForegroundValue", "SetInputForegroundValue", "SetNumberOfObjects", "SetLambda"):
    getattr(process, setting, lambda value: None)(1)
for setting, seed in (("AddSeed", [3, 4, 5]), ("AddSeed1", [3, 4, 5]), ("AddSeed2", [16, 24, 35])):
    getattr(process, setting, lambda value: None)(seed)
process.Update()
output = process.GetOutput()
if name.endswith("ToLabelMapFilter"):
    print(process.GetNameOfClass(), len(output))
else:
    weights = np.arange(array.size).reshape(array.shape)
    print(process.GetNameOfClass(), int((itk.array_from_image(output) * weights).sum()))
"""


def run(name, *arguments, **environment):
    """Return the name of the class that was created, and a number that depends on the output."""
    output = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, *arguments],
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    created, number = output.split()
    return created, int(number)


@pytest.mark.parametrize("name", CLASSES)
def test_one_call_replaces_itks_filter(name):
    created, expected = run(name)
    assert created == name
    assert expected > 0
    assert run(name, "register") == ("Cuda" + name, expected)


@pytest.mark.parametrize("name", CLASSES[:1])
def test_without_lazy_loading(name):
    assert run(name, ITK_PYTHON_LAZYLOADING="False")[0] == name
    assert run(name, "register", ITK_PYTHON_LAZYLOADING="False")[0] == "Cuda" + name


@pytest.mark.parametrize("name", CLASSES[:1])
def test_the_environment_switches_the_factory_off(name):
    assert run(name, "register", ITK_CUDA_CONNECTED_COMPONENTS="0")[0] == name
    assert run(name, "register", ITK_CUDA_CONNECTED_COMPONENTS_DISABLE=name)[0] == name


def test_itks_loader_knows_no_factory():
    assert importlib.import_module("itk.Configuration.CudaConnectedComponentsConfig").factories == ()
