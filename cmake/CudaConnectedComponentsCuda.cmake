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
    # Machine code for every major architecture (from 7.5 on, by CUDA 13), and PTX of the newest for those to come.
    set(CMAKE_CUDA_ARCHITECTURES all-major CACHE STRING "CUDA architectures to build for")
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.5)
    message(FATAL_ERROR "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is too old: 12.5 is the first that has all functions that are "
      "called. Set CudaConnectedComponents_USE_CUDA=OFF to build for the CPU only.")
  endif()
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  find_package(CUDAToolkit REQUIRED)
endif()
