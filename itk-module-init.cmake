# ITK includes this file before it configures the module, in the scope of the whole project. The CUDA language can be
# enabled only there.
include(${CMAKE_CURRENT_LIST_DIR}/cmake/CudaConnectedComponentsCuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cmake/CudaConnectedComponentsWarnings.cmake)
