# Runs the examples on a volume of 3 objects. PROGRAM labels, LARGEST keeps the largest object.
#
#   cmake -DPROGRAM=... -DLARGEST=... -DWORK=... -P ExampleTest.cmake

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/volume.mha "ObjectType = Image
NDims = 3
BinaryData = False
DimSize = 4 3 2
ElementSpacing = 1 1 1
ElementType = MET_SHORT
ElementDataFile = LOCAL
")
file(APPEND ${WORK}/volume.mha "90 0 0 70  0 0 0 0  60 0 0 10\n0 80 0 0  0 0 0 0  0 0 0 20\n")
execute_process(COMMAND ${PROGRAM} ${WORK}/volume.mha 50 ${WORK}/labels.nrrd RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "^3 objects, labeled by ")
  message(FATAL_ERROR "${result}: ${output}")
endif()
if(NOT EXISTS ${WORK}/labels.nrrd)
  message(FATAL_ERROR "no labels were written")
endif()
execute_process(COMMAND ${LARGEST} ${WORK}/volume.mha 15 ${WORK}/mask.nrrd RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "^largest object by ")
  message(FATAL_ERROR "${result}: ${output}")
endif()
execute_process(COMMAND ${PROGRAM} ${WORK}/mask.nrrd 1 ${WORK}/labels.nrrd OUTPUT_VARIABLE output)
if(NOT output MATCHES "^1 objects, labeled by ")
  message(FATAL_ERROR "the mask of the largest object has ${output}")
endif()
execute_process(COMMAND ${PROGRAM} ${WORK}/nothing.mha 50 ${WORK}/labels.nrrd RESULT_VARIABLE result ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "a file that does not exist was labeled")
endif()
