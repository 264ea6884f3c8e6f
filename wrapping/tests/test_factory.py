# SPDX-License-Identifier: Apache-2.0
"""The factory, which ITK's loader registers. Each test runs in a process of its own."""

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
]
# Prints the class that New() creates, and the sum of the pixels of its output. The program does not name the module.
PROGRAM = """
import sys
import itk
import numpy as np

name = sys.argv[1]
array = (np.random.default_rng(1).random((40, 30, 20)) < 0.3).astype(np.uint8)
if name in ("RelabelComponentImageFilter", "LabelImageToLabelMapFilter"):
    array *= np.random.default_rng(2).integers(1, 9, array.shape, np.uint8)  # labels
image = itk.image_from_array(array)
process = getattr(itk, name).New(image)
for setting in ("SetForegroundValue", "SetInputForegroundValue", "SetNumberOfObjects", "SetLambda"):
    getattr(process, setting, lambda value: None)(1)
process.Update()
output = process.GetOutput()
if name.endswith("ToLabelMapFilter"):
    print(process.GetNameOfClass(), len(output))
else:
    weights = np.arange(array.size).reshape(array.shape)
    print(process.GetNameOfClass(), int((itk.array_from_image(output) * weights).sum()))
"""


def run(name, **environment):
    """Return the name of the class that was created, and a number that depends on the output."""
    inherited = {key: value for key, value in os.environ.items() if key != "ITK_CUDA_CONNECTED_COMPONENTS"}
    output = subprocess.run(
        [sys.executable, "-c", PROGRAM, name],
        env={**inherited, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    created, number = output.split()
    return created, int(number)


@pytest.mark.parametrize("name", CLASSES)
def test_itks_filter_is_replaced_on_import(name):
    itks, expected = run(name, ITK_CUDA_CONNECTED_COMPONENTS="0")
    assert itks == name
    assert expected > 0
    assert run(name) == ("Cuda" + name, expected)


@pytest.mark.parametrize("name", CLASSES[:1])
def test_the_factory_can_be_switched_off(name):
    assert run(name, ITK_PYTHON_DEFAULTFACTORYLOADING="False")[0] == name
    assert run(name, ITK_CUDA_CONNECTED_COMPONENTS_DISABLE=name)[0] == name


@pytest.mark.parametrize("name", CLASSES[:1])
def test_without_lazy_loading(name):
    assert run(name, ITK_PYTHON_LAZYLOADING="False")[0] == "Cuda" + name
