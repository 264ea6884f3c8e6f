# SPDX-License-Identifier: Apache-2.0
"""The plug-in in a running process, and islands by 3D Slicer's vtkITKIslandMath."""

import ctypes
from typing import NamedTuple

import numpy as np
import slicer_core
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import vtkImageData

FILTERS = ("CudaConnectedComponentImageFilter", "CudaRelabelComponentImageFilter")


class Plugin:
    """The functions of itkCudaConnectedComponentsPlugin.h. slicer_core must be imported first, because it brings ITK."""

    def __init__(self, path):
        self.path = path
        self.library = ctypes.CDLL(str(path))

    def _text(self, name):
        function = getattr(self.library, f"itkCudaConnectedComponentsGet{name}")
        function.restype = ctypes.c_char_p
        return function().decode()

    def register(self):
        return self.library.itkCudaConnectedComponentsRegister()

    def unregister(self):
        return self.library.itkCudaConnectedComponentsUnregister()

    def is_registered(self):
        return self.library.itkCudaConnectedComponentsIsRegistered()

    def version(self):
        return self._text("Version")

    def itk_version(self):
        return self._text("ITKVersion")

    def itk_file(self):
        return self._text("ITKFile")

    def error(self):
        return self._text("LastError")


class Islands(NamedTuple):
    """All that vtkITKIslandMath returns."""

    labels: np.ndarray
    count: int
    original_count: int
    scalar_type: int
    extent: tuple
    origin: tuple
    spacing: tuple


def image_of(array, scalar_type, extent_begin=(0, 0, 0), image=None):
    """Copies an array of z, y and x into an image of VTK. scalar_type is VTK's number of a type, such as VTK_CHAR."""
    image = image or vtkImageData()
    begin = np.array(extent_begin)
    end = begin + array.shape[::-1] - 1
    image.SetExtent(*np.stack([begin, end], axis=1).ravel().tolist())
    scalars = vtkDataArray.CreateDataArray(scalar_type)
    scalars.SetNumberOfTuples(array.size)
    if array.size:
        pixels = vtk_to_numpy(scalars)
        pixels[:] = array.ravel().astype(pixels.dtype)
    image.GetPointData().SetScalars(scalars)
    return image


def array_of(image):
    """Copies the scalars of an image of VTK into an array of z, y and x."""
    scalars = image.GetPointData().GetScalars()
    return vtk_to_numpy(scalars).reshape(image.GetDimensions()[::-1]).copy() if scalars else np.zeros((0, 0, 0))


def find_islands(image, progress=None, **settings):
    """Runs vtkITKIslandMath, and calls progress at each event of progress. A setting is MinimumSize=5, for example."""
    islands = slicer_core.vtkITKIslandMath()
    for name, value in settings.items():
        getattr(islands, f"Set{name}")(value)
    if progress:
        islands.AddObserver("ProgressEvent", lambda *_: progress())
    islands.SetInputData(image)
    islands.Update()
    output = islands.GetOutput()
    return Islands(
        array_of(output),
        islands.GetNumberOfIslands(),
        islands.GetOriginalNumberOfIslands(),
        output.GetScalarType(),
        output.GetExtent(),
        output.GetOrigin(),
        output.GetSpacing(),
    )


def expect_same(one, other):
    """Compares results: numbers, texts, arrays, and collections of results."""
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and np.array_equal(one, other)
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for each, corresponding in zip(one, other):
            expect_same(each, corresponding)
    elif isinstance(one, dict):
        assert list(one) == list(other)
        expect_same(list(one.values()), list(other.values()))
    else:
        assert one == other
