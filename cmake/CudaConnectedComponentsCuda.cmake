# Defines the option CudaConnectedComponents_USE_CUDA. If it is ON, enables CUDA and sets the default architectures.

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
    # Machine code for every major architecture that the compiler knows (CUDA 13: from 7.5 on), and PTX for later ones.
    set(CMAKE_CUDA_ARCHITECTURES all-major CACHE STRING "CUDA architectures to build for")
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_ARCHITECTURES STREQUAL "all-major" AND CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA"
     AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    # The kernels need compute capability 7.0, and CUDA 12 also knows 5.0 and 6.0.
    set(CMAKE_CUDA_ARCHITECTURES 70-real 80-real 90)
  endif()
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.5)
    message(FATAL_ERROR "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is too old: this project needs CUDA 12.5 or later. "
      "Set CudaConnectedComponents_USE_CUDA=OFF to build without CUDA.")
  endif()
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9
     AND CMAKE_CUDA_FLAGS_RELEASE MATCHES "-O0")
    # The option -O0 of nvcc is for host code only. This option is for device code, and halves the time to compile it.
    string(APPEND CMAKE_CUDA_FLAGS_RELEASE " --Ofast-compile=max")
  endif()
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  find_package(CUDAToolkit REQUIRED)
endif()
