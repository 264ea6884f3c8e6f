# SPDX-License-Identifier: Apache-2.0
# Slicer finds the class of an effect in the package that has the name of its folder.
from .SegmentEditorEffect import SegmentEditorEffect  # noqa: F401
