# Defines cuda_connected_components_warnings(target), which turns on compiler warnings for a target of this project.

option(CudaConnectedComponents_WARNINGS_AS_ERRORS "Treat warnings in the code of this project as errors" OFF)

function(cuda_connected_components_warnings target)
  if(MSVC)
    return()
  endif()
  set(flags -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
  if(CudaConnectedComponents_WARNINGS_AS_ERRORS)
    list(APPEND flags -Werror)
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${flags}>)
  if(CudaConnectedComponents_USE_CUDA)
    # No -Wextra, because the host code that nvcc generates causes warnings with it.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-Wall>)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-Wall>)
    if(CudaConnectedComponents_WARNINGS_AS_ERRORS)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Werror=all-warnings>)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-Werror>)
    endif()
  endif()
endfunction()
