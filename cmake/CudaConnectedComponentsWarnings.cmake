# Warnings in our own code, as errors where CudaConnectedComponents_WARNINGS_AS_ERRORS asks for it.

option(CudaConnectedComponents_WARNINGS_AS_ERRORS "Treat warnings in our own code as errors" OFF)

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
    # What nvcc generates for the host does not keep to -Wextra.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall>)
    if(CudaConnectedComponents_WARNINGS_AS_ERRORS)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
    endif()
  endif()
endfunction()
