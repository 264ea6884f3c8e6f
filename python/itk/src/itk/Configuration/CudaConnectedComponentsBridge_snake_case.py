# SPDX-License-Identifier: Apache-2.0
"""Tells ITK's loader which functions CudaConnectedComponentsBridgePython.py has."""

from itk.Configuration.CudaConnectedComponentsBridgeConfig import functions as snake_case_functions
