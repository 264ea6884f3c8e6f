# SPDX-License-Identifier: Apache-2.0
"""Tells ITK's loader which classes CudaConnectedComponentsBridgePython.py has.

The native wheel of the module CudaConnectedComponents may be installed, too. Its classes and
functions have priority: this file leaves out the names that the native wheel has.
"""

from importlib import import_module as _import_module

_FUNCTIONS_OF_CLASSES = {
    "CudaConnectedComponentImageFilter": "cuda_connected_component_image_filter",
    "CudaRelabelComponentImageFilter": "cuda_relabel_component_image_filter",
    "CudaKeepLargestImageFilter": "cuda_keep_largest_image_filter",
}


def _native(file, attribute):
    """Return an attribute of a configuration file of the native wheel, or an empty tuple."""
    try:
        return getattr(_import_module(f"itk.Configuration.{file}"), attribute, ())
    except ImportError:
        return ()


_native_names = {template[0] for template in _native("CudaConnectedComponentsConfig", "templates")}
_native_names.update(_native("CudaConnectedComponents_snake_case", "snake_case_functions"))

_classes = tuple(
    name
    for name, function in _FUNCTIONS_OF_CLASSES.items()
    if not _native_names.intersection((name, function))
)

depends = ("ITKCommon", "ITKBridgeNumPy")
templates = tuple((name, f"itk::{name}", name, True) for name in _classes)
factories = ()
functions = tuple(_FUNCTIONS_OF_CLASSES[name] for name in _classes)
