# The modules of ITK that this module and its tests need, in all three ways to build it.
set(cuda_connected_components_depends ITKCommon ITKConnectedComponents ITKImageIntensity ITKLabelMap ITKRegionGrowing
  ITKThresholding)
set(cuda_connected_components_test_depends ITKImageAdaptors ITKImageStatistics ITKIOMeta ITKIONIFTI)

# An installed ITK does not have the command itk_module(). In ITK's class documentation, the description becomes the page
# of the module, which lists the classes of the group CudaConnectedComponents.
if(COMMAND itk_module)
  itk_module(CudaConnectedComponents
    DEPENDS
      ${cuda_connected_components_depends}
    TEST_DEPENDS
      ${cuda_connected_components_test_depends}
      ITKGoogleTest
    DESCRIPTION
      "Filters that label, select and measure connected components and grow regions on NVIDIA GPUs and on the CPU, with the
results of ConnectedComponentImageFilter, RelabelComponentImageFilter, ConnectedThresholdImageFilter and the filters of masks
in ITKLabelMap."
    EXCLUDE_FROM_DEFAULT
    ENABLE_SHARED)
endif()
