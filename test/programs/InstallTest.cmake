# Installs this build, and another one with the other kind of library, and builds and runs a consumer of each that enables
# neither the language CUDA nor its headers.
#
#   cmake -DSOURCE=... -DBINARY=... -DWORK=... -DGENERATOR=... -DSHARED=... -DUSE_CUDA=... -DCUDA_ARCHITECTURES=...
#         -DBUILD_TYPE=... -P InstallTest.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(SHARED)
  set(other OFF)
else()
  set(other ON)
endif()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/other -G ${GENERATOR}
  -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DBUILD_SHARED_LIBS=${other} -DBUILD_TESTING=OFF
  -DCudaConnectedComponents_USE_CUDA=${USE_CUDA} -DCMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES}
  -DCudaConnectedComponents_BUILD_FACTORY=OFF -DCudaConnectedComponents_BUILD_PLUGIN=OFF
  -DCudaConnectedComponents_BUILD_TOOL=OFF -DCudaConnectedComponents_BUILD_EXAMPLES=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/other)

foreach(kind this other)
  set(prefix ${WORK}/prefix-${kind})
  if(kind STREQUAL this)
    set(binary ${BINARY})
  else()
    set(binary ${WORK}/other)
  endif()
  run(${CMAKE_COMMAND} --install ${binary} --prefix ${prefix})
  # A prefix may be moved.
  file(RENAME ${prefix} ${prefix}-moved)
  run(${CMAKE_COMMAND} -E env --unset=CUDACXX
    ${CMAKE_COMMAND} -S ${SOURCE}/test/programs/consumer -B ${WORK}/consumer-${kind} -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${prefix}-moved -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
  run(${CMAKE_COMMAND} --build ${WORK}/consumer-${kind})
  file(STRINGS ${WORK}/consumer-${kind}/CMakeCache.txt cuda REGEX "^CMAKE_CUDA_COMPILER")
  if(cuda)
    message(FATAL_ERROR "The consumer has enabled CUDA: ${cuda}")
  endif()
  run(${WORK}/consumer-${kind}/consumer)
  set(consumer "${output}")
  # The installed tool finds the plug-in, which is alone in its folder.
  if(kind STREQUAL this AND EXISTS ${BINARY}/src/plugin/itk-plugin)
    run(${prefix}-moved/bin/cuda-connected-components --plugin-path)
    string(STRIP "${output}" folder)
    file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/*)
    string(FIND "${folder}" ${prefix}-moved/ at)
    if(NOT files STREQUAL "libCudaConnectedComponentsPlugin.so" OR NOT at EQUAL 0)
      message(FATAL_ERROR "The installed plug-in's folder, ${folder}, has ${files}")
    endif()
  endif()
  message(STATUS "${kind}: ${consumer}")
endforeach()
