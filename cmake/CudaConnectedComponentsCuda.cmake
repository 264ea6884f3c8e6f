# CudaConnectedComponents_USE_CUDA, the CUDA language, and the architectures to build for.

include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  set(_cuda_found ON)
else()
  set(_cuda_found OFF)
endif()
option(CudaConnectedComponents_USE_CUDA "Label on NVIDIA GPUs; OFF builds the same classes for the CPU only"
       ${_cuda_found})

if(CudaConnectedComponents_USE_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    # Machine code for every major architecture, and PTX of the newest for those to come.
    set(CMAKE_CUDA_ARCHITECTURES all-major CACHE STRING "CUDA architectures to build for")
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  find_package(CUDAToolkit REQUIRED)
endif()
