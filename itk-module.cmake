get_filename_component(MY_CURRENT_DIR "${CMAKE_CURRENT_LIST_FILE}" PATH)
file(READ "${MY_CURRENT_DIR}/README.md" DOCUMENTATION)

itk_module(CudaConnectedComponents
  DEPENDS
    ITKCommon
    ITKConnectedComponents
    ITKImageIntensity
  TEST_DEPENDS
    ITKTestKernel
    ITKGoogleTest
    ITKImageAdaptors
    ITKThresholding
  DESCRIPTION "${DOCUMENTATION}"
  EXCLUDE_FROM_DEFAULT
  ENABLE_SHARED
)
