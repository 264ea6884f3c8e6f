# Runs the examples on small volumes. PROGRAM labels, LARGEST keeps the largest object and fills its holes.
#
#   cmake -DPROGRAM=... -DLARGEST=... -DWORK=... -P ExampleTest.cmake

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(header "ObjectType = Image
NDims = 3
BinaryData = False
ElementSpacing = 1 1 1
ElementType = MET_SHORT
")
file(WRITE ${WORK}/volume.mha "${header}DimSize = 4 3 2\nElementDataFile = LOCAL\n")
file(APPEND ${WORK}/volume.mha "90 0 0 70  0 0 0 0  60 0 0 10\n0 80 0 0  0 0 0 0  0 0 0 20\n")
execute_process(COMMAND ${PROGRAM} ${WORK}/volume.mha 50 ${WORK}/labels.nrrd RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "^3 objects, labeled by ")
  message(FATAL_ERROR "${result}: ${output}")
endif()
if(NOT EXISTS ${WORK}/labels.nrrd)
  message(FATAL_ERROR "no labels were written")
endif()

# A shell of 5 x 5 x 5 pixels whose inside of 3 x 3 x 3 pixels is hollow, and beside it a box of 2 x 5 x 5 pixels.
set(lid "40 40 40 40 40 0 30 30\n")
set(wall "40 0 0 0 40 0 30 30\n")
string(REPEAT "${lid}" 5 slice)
set(hollow "${lid}${wall}${wall}${wall}${lid}")
file(WRITE ${WORK}/shell.mha "${header}DimSize = 8 5 5\nElementDataFile = LOCAL\n")
file(APPEND ${WORK}/shell.mha "${slice}${hollow}${hollow}${hollow}${slice}")
# NIfTI does not compress files with this ending. The file ends with one byte for each of the 200 pixels.
execute_process(COMMAND ${LARGEST} ${WORK}/shell.mha 25 ${WORK}/mask.nii RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "^largest object by ")
  message(FATAL_ERROR "${result}: ${output}")
endif()
file(SIZE ${WORK}/mask.nii size)
math(EXPR offset "${size} - 200")
file(READ ${WORK}/mask.nii pixels OFFSET ${offset} HEX)
string(REPEAT "0101010101000000" 25 expected)
if(NOT pixels STREQUAL expected)
  string(REGEX MATCHALL "01" ones "${pixels}")
  list(LENGTH ones count)
  message(FATAL_ERROR "the largest object without holes has ${count} pixels instead of 125, or other pixels: ${pixels}")
endif()
execute_process(COMMAND ${PROGRAM} ${WORK}/nothing.mha 50 ${WORK}/labels.nrrd RESULT_VARIABLE result ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "a file that does not exist was labeled")
endif()
