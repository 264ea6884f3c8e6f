# Configures a project that imitates ITK's source tree: it has this module and another module with CUDA code, as ITKCudaCommon.
# Neither may change how the other is compiled. The last configurations are those of compilers that this module cannot use.
#
#   cmake -DSOURCE=... -DWORK=... -DGENERATOR=... -DNVCC=... -P ModuleScopeTest.cmake

if(NOT NVCC)
  message("Skipped: the CUDA compiler of this build is not nvcc")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
unset(ENV{CUDAARCHS})

# ITKCudaCommon's default is 5.2, which nvcc 13 does not compile. So this nvcc compiles for 7.5 instead.
file(WRITE ${WORK}/nvcc "#!/bin/bash\nexec '${NVCC}' \"\${@//_52/_75}\"\n")
file(CHMOD ${WORK}/nvcc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
file(WRITE ${WORK}/other/other.cu "int main() { return 0; }\n")
file(WRITE ${WORK}/other/CMakeLists.txt "add_executable(other other.cu)\n")
file(WRITE ${WORK}/other/init.cmake [[
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 52 CACHE STRING "")
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 14)
]])
file(WRITE ${WORK}/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.16.3...3.29)
project(ImitatedITK C CXX)
set(CudaConnectedComponents_SOURCE_DIR ${SOURCE})
set(CudaConnectedComponents_AS_ITK_MODULE ON)
add_library(GTest::GTest INTERFACE IMPORTED)
add_library(GTest::Main INTERFACE IMPORTED)
macro(itk_module_impl)
  add_subdirectory(src)
endmacro()
macro(itk_module_add_library)
  add_library(${ARGN})
endmacro()
macro(itk_module_test)
endmacro()
function(CreateGoogleTestDriver name libraries sources)
  add_executable(${name}GTestDriver ${sources})
  target_link_libraries(${name}GTestDriver ${libraries})
endfunction()
foreach(module IN LISTS MODULES)
  if(module STREQUAL "other")
    include(other/init.cmake)
    add_subdirectory(other)
  else()
    if(NOT OWN_SCOPE)
      set(ITK_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
    include(${SOURCE}/itk-module-init.cmake)
    set(ITK_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    add_subdirectory(${SOURCE} module)
    add_subdirectory(${SOURCE}/test test)
  endif()
endforeach()
]])

# configure(name OPTIONS...): configures the folder `name`. The variables `result` and `output` have the results.
function(configure name)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/${name} -G ${GENERATOR} -DSOURCE=${SOURCE} -DCMAKE_CUDA_COMPILER=${WORK}/nvcc
      -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CUDA_FLAGS_RELEASE=-O0 -DNDEBUG" ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(result ${result} PARENT_SCOPE)
  # CMake breaks the lines of messages.
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

# expect_commands(name ours|other MINIMUM EXPECTED...): at least MINIMUM files of CUDA code of the module are compiled with
# commands that have all expressions.
function(expect_commands name module minimum)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name}: ${output}")
  endif()
  file(READ ${WORK}/${name}/compile_commands.json json)
  string(JSON length LENGTH "${json}")
  math(EXPR last "${length} - 1")
  set(count 0)
  foreach(i RANGE ${last})
    string(JSON file GET "${json}" ${i} file)
    string(JSON command GET "${json}" ${i} command)
    set(owner ours)
    if(file MATCHES "other[.]cu$")
      set(owner other)
    endif()
    if(file MATCHES "[.]cu$" AND owner STREQUAL module)
      math(EXPR count "${count} + 1")
      foreach(expected IN LISTS ARGN)
        if(NOT command MATCHES "${expected}")
          message(FATAL_ERROR "${name}: no ${expected} in ${command}")
        endif()
      endforeach()
    endif()
  endforeach()
  if(count LESS minimum OR (minimum EQUAL 0 AND count GREATER 0))
    message(FATAL_ERROR "${name}: ${count} files of CUDA code")
  endif()
endfunction()

set(our_flags -std=[^ ]*17 --Ofast-compile=max)
set(all_major "-arch=all-major|compute_80.*compute_90.*sm_90")
set(other_flags "-O0 -DNDEBUG [^=]*=arch=compute_52,code=.compute_52,sm_52. -std=[^ ]*14 -x cu")

configure(ours-first "-DMODULES=ours\;other")
expect_commands(ours-first ours 8 ${our_flags} ${all_major})
expect_commands(ours-first other 1 ${other_flags})
configure(ours-first) # again, with the cache
expect_commands(ours-first ours 8 ${our_flags} ${all_major})
expect_commands(ours-first other 1 ${other_flags})

configure(other-first "-DMODULES=other\;ours")
expect_commands(other-first ours 8 ${our_flags} ${all_major})
expect_commands(other-first other 1 ${other_flags})
configure(other-first -DCudaConnectedComponents_CUDA_ARCHITECTURES=87-real)
expect_commands(other-first ours 8 ${our_flags} "arch=compute_87,code=.sm_87. ")
expect_commands(other-first other 1 ${other_flags})

# Outside ITK's source tree, there are no other modules.
configure(own -DMODULES=ours -DOWN_SCOPE=ON -DCMAKE_CUDA_ARCHITECTURES=86-real)
expect_commands(own ours 8 ${our_flags} "arch=compute_86,code=.sm_86. ")
configure(own -DCMAKE_CUDA_ARCHITECTURES=87-real)
expect_commands(own ours 8 ${our_flags} "arch=compute_87,code=.sm_87. ")

# An nvcc that is too old: CMake keeps the version in a file.
file(GLOB compiler ${WORK}/ours-first/CMakeFiles/*/CMakeCUDACompiler.cmake)
file(APPEND ${compiler} "set(CMAKE_CUDA_COMPILER_VERSION 12.4)\n")
configure(ours-first)
expect_commands(ours-first ours 0)
expect_commands(ours-first other 1 ${other_flags})
if(NOT output MATCHES "CMake Warning.*CUDA 12.4 is too old.*built without CUDA")
  message(FATAL_ERROR "no warning of an old nvcc: ${output}")
endif()

# A compiler without integers of 128 bits.
configure(narrow -DMODULES=ours -DCMAKE_CXX_FLAGS=-D__int128=Missing)
if(result EQUAL 0 OR NOT output MATCHES "GNU cannot compile CudaConnectedComponents: .*integers of 128 bits")
  message(FATAL_ERROR "no message of a compiler without integers of 128 bits: ${result}, ${output}")
endif()
