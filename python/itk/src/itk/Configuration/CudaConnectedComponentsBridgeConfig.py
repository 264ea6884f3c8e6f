# SPDX-License-Identifier: Apache-2.0
"""Tells ITK's loader of CudaConnectedComponentsBridgePython.py, which has no classes."""

depends = ("ITKCommon", "ITKBridgeNumPy")
templates = ()
factories = ()
