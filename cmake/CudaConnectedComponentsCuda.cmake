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

# CMAKE_CUDA_ARCHITECTURES is for the code of others in ITK's source tree, and in a project that has enabled CUDA before this
# one. It may then be a default of CMake or of another module.
get_property(_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
set(_architectures)
set(_is_for_others OFF)
if(ITK_SOURCE_DIR OR "CUDA" IN_LIST _languages)
  set(_architectures "$ENV{CUDAARCHS}")
  set(_is_for_others ON)
endif()
set(CudaConnectedComponents_CUDA_ARCHITECTURES "${_architectures}" CACHE STRING
    "GPUs to compile for. If empty: CMAKE_CUDA_ARCHITECTURES if it is set and is for this project only, else all-major")

if(CudaConnectedComponents_USE_CUDA)
  # CMake's default stays in the cache, because a module that comes later may need it. This text tells it from a user's value.
  set(_default "CudaConnectedComponents does not take CMake's default, ")
  get_property(_help CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
  set(_architectures_are_set OFF)
  if(DEFINED CMAKE_CUDA_ARCHITECTURES)
    if(NOT _help STREQUAL "${_default}${CMAKE_CUDA_ARCHITECTURES}")
      set(_architectures_are_set ON)
    endif()
  elseif(NOT "$ENV{CUDAARCHS}" STREQUAL "")
    set(_architectures_are_set ON)
  endif()
  enable_language(CUDA)
  if(NOT _architectures_are_set AND DEFINED CACHE{CMAKE_CUDA_ARCHITECTURES})
    set_property(CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING "${_default}${CMAKE_CUDA_ARCHITECTURES}")
  endif()
  if(NOT CudaConnectedComponents_CUDA_ARCHITECTURES)
    if(_architectures_are_set AND NOT _is_for_others)
      set(CudaConnectedComponents_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
    else()
      # Machine code for every major architecture that the compiler knows (CUDA 13: from 7.5 on), and PTX for later ones.
      set(CudaConnectedComponents_CUDA_ARCHITECTURES all-major)
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.5)
    set(_too_old "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is too old: CudaConnectedComponents needs CUDA 12.5 or later")
    set(_remedy "CMAKE_CUDA_COMPILER selects another nvcc")
    if(NOT ITK_SOURCE_DIR)
      message(FATAL_ERROR "${_too_old}. ${_remedy}; CudaConnectedComponents_USE_CUDA=OFF builds for the CPU only.")
    endif()
    message(WARNING "${_too_old}, so it is built without CUDA and labels on the CPU only. ${_remedy}; "
      "CudaConnectedComponents_USE_CUDA=OFF turns this warning off.")
    set(CudaConnectedComponents_USE_CUDA OFF)
  else()
    find_package(CUDAToolkit REQUIRED)
  endif()
  if(CudaConnectedComponents_CUDA_ARCHITECTURES STREQUAL "all-major"
     AND (CMAKE_CUDA_COMPILER_ID STREQUAL "Clang" OR CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13))
    # The kernels need compute capability 7.0, and CUDA 12 also knows 5.0 and 6.0.
    set(CudaConnectedComponents_CUDA_ARCHITECTURES 70-real 80-real 90)
  endif()
endif()
if(CudaConnectedComponents_USE_CUDA)
  message(STATUS "CudaConnectedComponents: compiling for the CUDA architectures ${CudaConnectedComponents_CUDA_ARCHITECTURES}")
endif()
