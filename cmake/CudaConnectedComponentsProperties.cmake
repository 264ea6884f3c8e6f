# Defines cuda_connected_components_properties(target), which says how a target of this project is compiled: the warnings, and
# for CUDA code the architectures, the standard and the runtime.

option(CudaConnectedComponents_WARNINGS_AS_ERRORS "Treat warnings in the code of this project as errors" OFF)

function(cuda_connected_components_properties target)
  if(NOT MSVC) # clang-cl has the options of Visual C++
    set(flags -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
    if(CudaConnectedComponents_WARNINGS_AS_ERRORS)
      list(APPEND flags -Werror)
    endif()
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${flags}>)
    # No -Wextra, because the host code that nvcc generates causes warnings with it.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-Wall>)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-Wall>)
    if(CudaConnectedComponents_WARNINGS_AS_ERRORS)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Werror=all-warnings>)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-Werror>)
    endif()
  endif()
  if(NOT CudaConnectedComponents_USE_CUDA)
    return()
  endif()
  # Also for targets without CUDA code, because those that link CUDA code link the runtime.
  set_target_properties(${target} PROPERTIES
    CUDA_ARCHITECTURES "${CudaConnectedComponents_CUDA_ARCHITECTURES}"
    CUDA_STANDARD 17
    CUDA_STANDARD_REQUIRED ON
    CUDA_RUNTIME_LIBRARY Static
    CUDA_SEPARABLE_COMPILATION OFF)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9
     AND CMAKE_CUDA_FLAGS_RELEASE MATCHES "-O0")
    # The option -O0 of nvcc is for host code only. This option is for device code, and halves the time to compile it.
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:Release>>:--Ofast-compile=max>)
  endif()
endfunction()
