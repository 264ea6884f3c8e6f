# SPDX-License-Identifier: Apache-2.0
"""Tell ITK's loader which of ITK's modules need the factory of this module.

The loader registers a factory when it loads a module that needs the factory. ITK's list has readers,
writers and Fourier transforms only.
"""

import itkConfig
from itk.support import base

for _module in ("ITKConnectedComponents", "ITKLabelMap"):
    base.needed_factories.setdefault(_module, "ImageFilter")
if itkConfig.DefaultFactoryLoading and not itkConfig.LazyLoading:
    base.load_factories("ImageFilter")  # the modules have been loaded already
