# Installs the package, and builds a consumer and the examples against it, that enable neither the language CUDA nor its
# headers. KIND is "this" for the build at hand, or "other" for a build of the other kind of library, static or shared.
#
#   cmake -DKIND=... -DSOURCE=... -DBINARY=... -DWORK=... -DGENERATOR=... -DSHARED=... -DUSE_CUDA=... -DITK_DIR=...
#         -DITK_LIBRARY_DIR=... -DCUDA_ARCHITECTURES=... -DBUILD_TYPE=... -DFLAGS=... -P InstallTest.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The programs find an ITK in any folder.
set(ENV{LD_LIBRARY_PATH} "${ITK_LIBRARY_DIR}:$ENV{LD_LIBRARY_PATH}")

file(REMOVE_RECURSE ${WORK})
set(binary ${BINARY})
if(KIND STREQUAL other)
  if(NOT DEFINED ENV{CUDA_CONNECTED_COMPONENTS_INSTALL_TESTS})
    message("Skipped: set CUDA_CONNECTED_COMPONENTS_INSTALL_TESTS to build and install the other kind of library")
    return()
  endif()
  set(binary ${WORK}/build)
  set(other ON)
  if(SHARED)
    set(other OFF)
  endif()
  string(REPLACE ";" "\\;" CUDA_ARCHITECTURES "${CUDA_ARCHITECTURES}")
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${binary} -G ${GENERATOR} -DITK_DIR=${ITK_DIR}
    -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS_RELEASE=${FLAGS} -DBUILD_SHARED_LIBS=${other} -DBUILD_TESTING=OFF
    -DCudaConnectedComponents_USE_CUDA=${USE_CUDA} "-DCudaConnectedComponents_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES}"
    -DCudaConnectedComponents_BUILD_FACTORY=OFF -DCudaConnectedComponents_BUILD_PLUGIN=OFF
    -DCudaConnectedComponents_BUILD_TOOL=OFF -DCudaConnectedComponents_BUILD_EXAMPLES=OFF)
  run(${CMAKE_COMMAND} --build ${binary})
endif()

run(${CMAKE_COMMAND} --install ${binary} --prefix ${WORK}/prefix)
# A prefix may be moved.
file(RENAME ${WORK}/prefix ${WORK}/prefix-moved)
# The consumers' ITK names a folder that does not exist, as the packages of 3D Slicer do.
foreach(file ITKConfig.cmake ITKConfigVersion.cmake)
  file(WRITE ${WORK}/itk/${file} "include(${ITK_DIR}/${file})\nlist(APPEND ITK_INCLUDE_DIRS ${WORK}/itk/missing)\n")
endforeach()
foreach(client test/programs/consumer examples)
  get_filename_component(name ${client} NAME)
  run(${CMAKE_COMMAND} -E env --unset=CUDACXX
    ${CMAKE_COMMAND} -S ${SOURCE}/${client} -B ${WORK}/${name} -G ${GENERATOR} -DITK_DIR=${WORK}/itk
    -DCMAKE_PREFIX_PATH=${WORK}/prefix-moved -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
  # Two examples are enough: the build of this project builds all.
  set(targets all)
  if(name STREQUAL examples)
    set(targets KeepLargest LabelVolume)
  endif()
  run(${CMAKE_COMMAND} --build ${WORK}/${name} --target ${targets})
  file(STRINGS ${WORK}/${name}/CMakeCache.txt cuda REGEX "^CMAKE_CUDA_COMPILER")
  if(cuda)
    message(FATAL_ERROR "${client} has enabled CUDA: ${cuda}")
  endif()
endforeach()
run(${WORK}/consumer/consumer)
message(STATUS "${KIND}: ${output}")

# The installed tool finds the plug-in, which is alone in its folder.
if(KIND STREQUAL this AND EXISTS ${BINARY}/src/plugin/itk-plugin AND EXISTS ${WORK}/prefix-moved/bin/cuda-connected-components)
  run(${WORK}/prefix-moved/bin/cuda-connected-components --plugin-path)
  string(STRIP "${output}" folder)
  file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/*)
  string(FIND "${folder}" ${WORK}/prefix-moved/ at)
  if(NOT files STREQUAL "libCudaConnectedComponentsPlugin.so" OR NOT at EQUAL 0)
    message(FATAL_ERROR "The installed plug-in's folder, ${folder}, has ${files}")
  endif()
endif()
