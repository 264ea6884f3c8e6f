# Read before the module is configured, in the scope of the whole project: languages can be enabled nowhere else.
include(${CMAKE_CURRENT_LIST_DIR}/cmake/CudaConnectedComponentsCuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cmake/CudaConnectedComponentsWarnings.cmake)
