# A toolchain file: clang compiles CUDA with the folder that scripts/make-clang-cuda.sh makes. Code of this compiler runs with
# drivers of CUDA 12.0 and later, and nvcc 13's with drivers of CUDA 13. Environment variables:
#
# CLANG_CUDA     the folder; the default is build/clang-cuda
# CLANG_SYSROOT  a folder of scripts/make-old-sysroot.sh, for libraries that run on old systems; the default is this system.
#                The folder of another processor makes this a cross compiler

if(DEFINED ENV{CLANG_CUDA})
  set(clang_cuda $ENV{CLANG_CUDA})
else()
  get_filename_component(clang_cuda ${CMAKE_CURRENT_LIST_DIR}/../build/clang-cuda ABSOLUTE)
endif()
if(NOT EXISTS ${clang_cuda}/bin/nvcc)
  message(FATAL_ERROR "There is no CUDA for clang in ${clang_cuda}. Run scripts/make-clang-cuda.sh, or set CLANG_CUDA.")
endif()
set(CMAKE_CUDA_COMPILER clang++-19)
set(CUDAToolkit_ROOT ${clang_cuda})
# Drivers of CUDA 12.0 read PTX up to version 8.0. Clang 19 does not know CUDA 12.9, but compiles with it.
# -isystem: another CUDA may have its headers in /usr/local/include, which clang searches before the folder of --cuda-path.
set(CMAKE_CUDA_FLAGS_INIT
    "--cuda-path=${clang_cuda} -isystem ${clang_cuda}/include --cuda-feature=+ptx80 -Wno-unknown-cuda-version")
# Clang's limits leave calls in kernels, whose parameters are then copied to local memory: labeling takes twice as long.
foreach(limit inline-threshold inlinehint-threshold locally-hot-callsite-threshold)
  string(APPEND CMAKE_CUDA_FLAGS_INIT " -Xarch_device -mllvm=-${limit}=10000")
endforeach()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  # Machine code for Volta to Hopper, and PTX for later ones, which clang 19 does not know.
  set(CMAKE_CUDA_ARCHITECTURES 70-real 75-real 80-real 86-real 90)
endif()

if(DEFINED ENV{CLANG_SYSROOT})
  set(CMAKE_C_COMPILER clang-19)
  set(CMAKE_CXX_COMPILER clang++-19)
  set(CMAKE_SYSROOT $ENV{CLANG_SYSROOT})
  foreach(processor x86_64 aarch64)
    if(EXISTS ${CMAKE_SYSROOT}/usr/lib/${processor}-linux-gnu AND NOT processor STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
      set(CMAKE_SYSTEM_NAME Linux)
      set(CMAKE_SYSTEM_PROCESSOR ${processor})
      foreach(language C CXX CUDA)
        set(CMAKE_${language}_COMPILER_TARGET ${processor}-linux-gnu)
      endforeach()
      # The linker of this system knows this system's processor only.
      foreach(kind EXE MODULE SHARED)
        set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld-19)
      endforeach()
    endif()
  endforeach()
  # Python and the tools are those of this system.
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE NEVER)
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
  set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)
endif()
