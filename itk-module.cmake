# The modules of ITK that this module and its tests need, in all three ways to build it.
set(cuda_connected_components_depends ITKCommon ITKConnectedComponents ITKImageIntensity ITKLabelMap)
set(cuda_connected_components_test_depends ITKImageAdaptors ITKImageStatistics ITKIOMeta ITKIONIFTI ITKThresholding)

# An installed ITK does not have the command itk_module().
if(COMMAND itk_module)
  itk_module(CudaConnectedComponents
    DEPENDS
      ${cuda_connected_components_depends}
    TEST_DEPENDS
      ${cuda_connected_components_test_depends}
      ITKGoogleTest
    DESCRIPTION
      "Connected components on NVIDIA GPUs, with the labels of ConnectedComponentImageFilter."
    EXCLUDE_FROM_DEFAULT
    ENABLE_SHARED)
endif()
