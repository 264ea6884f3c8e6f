# Checks that doc/CudaConnectedComponents.remote.cmake names a commit of this history, after which no fault of the library
# was mended.
#
#   cmake -DSOURCE=... -DGIT=... -P RemoteModuleTest.cmake

function(git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(result ${result} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

if(NOT GIT)
  message("Skipped: there is no git")
  return()
endif()
git(rev-parse --show-toplevel --is-shallow-repository)
file(REAL_PATH ${SOURCE} source)
if(NOT result EQUAL 0 OR NOT output STREQUAL "${source}\nfalse")
  message("Skipped: ${SOURCE} has no history")
  return()
endif()

file(STRINGS ${SOURCE}/doc/CudaConnectedComponents.remote.cmake line REGEX "^ *GIT_TAG ")
string(REGEX REPLACE "^ *GIT_TAG +" "" commit "${line}")
git(merge-base --is-ancestor ${commit} HEAD)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "GIT_TAG ${commit} is no commit of this history")
endif()
git(log --format=%h\ %s --grep=^BUG: ${commit}..HEAD -- src include)
if(NOT result EQUAL 0 OR output)
  message(FATAL_ERROR "Faults were mended after GIT_TAG ${commit}, which has to be a later one:\n${output}")
endif()
