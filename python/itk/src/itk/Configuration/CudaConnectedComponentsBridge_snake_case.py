# SPDX-License-Identifier: Apache-2.0
"""Tells ITK's loader which functions CudaConnectedComponentsBridgePython.py has.

The native wheel of the module CudaConnectedComponents may be installed, too. Its functions have
priority: this file leaves out the names that the native wheel has.
"""

try:
    from itk.Configuration.CudaConnectedComponents_snake_case import snake_case_functions as _native
except ImportError:
    _native = ()

snake_case_functions = tuple(
    name
    for name in (
        "cuda_connected_component_image_filter",
        "cuda_relabel_component_image_filter",
        "cuda_keep_largest_image_filter",
    )
    if name not in _native
)
