# Defines the options CudaConnectedComponents_USE_CUDA and CudaConnectedComponents_CUDA_ARCHITECTURES, and enables CUDA.
#
# In ITK's source tree, this file runs in the scope of all modules. So it leaves CMake's variables as they were. The properties
# of our targets say how CUDA code is compiled: CudaConnectedComponentsProperties.cmake.

include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  set(_cuda_found ON)
else()
  set(_cuda_found OFF)
endif()
option(CudaConnectedComponents_USE_CUDA "Label on NVIDIA GPUs; OFF builds the same classes for the CPU only"
       ${_cuda_found})
set(CudaConnectedComponents_CUDA_ARCHITECTURES "" CACHE STRING
    "GPUs to compile for. If empty: CMAKE_CUDA_ARCHITECTURES if it is set and this is not ITK's source tree, else all-major")

if(CudaConnectedComponents_USE_CUDA)
  set(_architectures_are_set OFF)
  if(DEFINED CMAKE_CUDA_ARCHITECTURES OR DEFINED ENV{CUDAARCHS})
    set(_architectures_are_set ON)
  endif()
  enable_language(CUDA)
  if(NOT CudaConnectedComponents_CUDA_ARCHITECTURES)
    # In ITK's source tree, another module may have set CMAKE_CUDA_ARCHITECTURES for its own code.
    if(_architectures_are_set AND NOT ITK_SOURCE_DIR)
      set(CudaConnectedComponents_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
    else()
      # Machine code for every major architecture that the compiler knows (CUDA 13: from 7.5 on), and PTX for later ones.
      set(CudaConnectedComponents_CUDA_ARCHITECTURES all-major)
    endif()
  endif()
  if(NOT _architectures_are_set)
    # The compiler's default, which enable_language() has set. A module that comes later has a default of its own.
    unset(CMAKE_CUDA_ARCHITECTURES CACHE)
  endif()
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.5)
    message(WARNING "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is too old: CudaConnectedComponents needs CUDA 12.5 or later, so it "
      "is built without CUDA and labels on the CPU only. CMAKE_CUDA_COMPILER selects another nvcc; "
      "CudaConnectedComponents_USE_CUDA=OFF turns this warning off.")
    set(CudaConnectedComponents_USE_CUDA OFF)
  else()
    find_package(CUDAToolkit REQUIRED)
  endif()
  if(CudaConnectedComponents_CUDA_ARCHITECTURES STREQUAL "all-major" AND CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA"
     AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    # The kernels need compute capability 7.0, and CUDA 12 also knows 5.0 and 6.0.
    set(CudaConnectedComponents_CUDA_ARCHITECTURES 70-real 80-real 90)
  endif()
endif()
