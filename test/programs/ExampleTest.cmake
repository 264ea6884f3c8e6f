# Runs the examples on small volumes.
#
#   cmake -DEXAMPLES=FOLDER -DHAS_FACTORY=... -DWORK=... -P ExampleTest.cmake

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# Runs an example, and checks that its output matches a regular expression.
function(expect_output expected example)
  execute_process(COMMAND ${EXAMPLES}/${example} ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR NOT output MATCHES "${expected}")
    message(SEND_ERROR "${example}: ${result}: ${output}\nexpected: ${expected}")
  endif()
endfunction()

# Checks the bytes of an image without compression: the last bytes of its file.
function(expect_pixels file expected)
  string(LENGTH "${expected}" digits)
  math(EXPR count "${digits} / 2")
  file(SIZE ${file} size)
  math(EXPR offset "${size} - ${count}")
  file(READ ${file} pixels OFFSET ${offset} HEX)
  if(NOT pixels STREQUAL expected)
    message(SEND_ERROR "${file} has the pixels ${pixels}, expected: ${expected}")
  endif()
endfunction()

set(header "ObjectType = Image
NDims = 3
BinaryData = False
ElementSpacing = 1 1 2
")
set(shorts "${header}ElementType = MET_SHORT\n")
set(bytes "${header}ElementType = MET_UCHAR\n")

# Four pixels of at least 50. Two of them share an edge, so there are three objects.
file(WRITE ${WORK}/volume.mha "${shorts}DimSize = 4 3 2\nElementDataFile = LOCAL\n")
file(APPEND ${WORK}/volume.mha "90 0 0 70  0 0 0 0  60 0 0 10\n0 80 0 0  0 0 0 0  0 0 0 20\n")
expect_output("^3 objects, labeled by " LabelVolume ${WORK}/volume.mha 50 ${WORK}/labels.nrrd)
if(NOT EXISTS ${WORK}/labels.nrrd)
  message(SEND_ERROR "no labels were written")
endif()
execute_process(COMMAND ${EXAMPLES}/LabelVolume ${WORK}/nothing.mha 50 ${WORK}/labels.nrrd
  RESULT_VARIABLE result ERROR_QUIET)
if(result EQUAL 0)
  message(SEND_ERROR "a file that does not exist was labeled")
endif()

# A shell of 5 x 5 x 5 pixels whose inside of 3 x 3 x 3 pixels is hollow, and beside it a box of 2 x 5 x 5 pixels.
# NIfTI does not compress files with the ending .nii.
set(lid "40 40 40 40 40 0 30 30\n")
set(wall "40 0 0 0 40 0 30 30\n")
string(REPEAT "${lid}" 5 slice)
set(hollow "${lid}${wall}${wall}${wall}${lid}")
file(WRITE ${WORK}/shell.mha "${shorts}DimSize = 8 5 5\nElementDataFile = LOCAL\n")
file(APPEND ${WORK}/shell.mha "${slice}${hollow}${hollow}${hollow}${slice}")
expect_output("^largest object by " KeepLargest ${WORK}/shell.mha 25 ${WORK}/mask.nii)
string(REPEAT "0101010101000000" 25 expected)
expect_pixels(${WORK}/mask.nii ${expected})

# The voxels have 2 mm^3. The shell has 98 voxels of 40, the box has 50 voxels of 30.
expect_output("^label 1: 196 mm.3 at .2, 2, 4. mm, mean 40\nlabel 2: 100 mm.3 at .6.5, 2, 4. mm, mean 30\n$"
  MeasureIntensities ${WORK}/shell.mha 25)

# Old labels 9 and 7 of 1 voxel, 5 of 2 voxels, 3 of 3 voxels.
file(WRITE ${WORK}/old.mha "${shorts}DimSize = 4 2 1\nElementDataFile = LOCAL\n9 5 5 0  7 3 3 3\n")
expect_output("^2 of 4 objects\nlabel 1: 6 mm.3\nlabel 2: 4 mm.3\n$" RelabelVolume ${WORK}/old.mha 2 ${WORK}/new.nii)
expect_pixels(${WORK}/new.nii "0000000002000000020000000000000000000000010000000100000001000000")

# An object of 4 voxels in a row along x, and an object of 1 voxel.
file(WRITE ${WORK}/row.mha "${bytes}DimSize = 6 3 1\nElementDataFile = LOCAL\n1 1 1 1 0 0  2 0 0 0 0 0  0 0 0 0 0 1\n")
expect_output("^label 1: diameter 3 mm, surface [0-9.]+ mm.2\nlabel 2: diameter 0 mm, .*\n2 objects by "
  MeasureDiameters ${WORK}/row.mha)

expect_output("^small objects removed by " RemoveSmallObjects ${WORK}/row.mha 2 ${WORK}/opened.nii)
expect_pixels(${WORK}/opened.nii "010101010000020000000000000000000000")

# An object in a corner, and an object in the center that touches no border. They are not connected.
file(WRITE ${WORK}/center.mha "${bytes}DimSize = 5 5 5\nElementDataFile = LOCAL\n")
string(REPEAT "0 " 61 zeros)
file(APPEND ${WORK}/center.mha "1 ${zeros}1 ${zeros}0\n")
expect_output("^objects at the border kept by " KeepBorderObjects ${WORK}/center.mha ${WORK}/border.nii)
string(REPEAT "00" 124 zeros)
expect_pixels(${WORK}/border.nii "01${zeros}")

expect_output("^label 3: 6 mm.3, surface [0-9.]+ mm.2\nlabel 5: 4 mm.3, .*\nlabel 7: 2 mm.3, .*\nlabel 9: 2 mm.3, [^\n]*\n$"
  MeasureLabels ${WORK}/old.mha)

if(HAS_FACTORY)
  expect_output("^largest object by CudaBinaryShapeKeepNObjectsImageFilter\n$"
    ReplaceFilters ${WORK}/row.mha ${WORK}/largest.nii)
  expect_pixels(${WORK}/largest.nii "010101010000020000000000000000000000")
endif()

# Two objects of 3 x 1 x 1 voxels with 100 and 90, and a bridge of 60 between them.
file(WRITE ${WORK}/bridge.mha "${shorts}DimSize = 9 1 1\nElementDataFile = LOCAL\n0 100 100 100 60 90 90 90 0\n")
expect_output("^region from 20 by " GrowRegion ${WORK}/bridge.mha 20 1,0,0 ${WORK}/grown.nii)
expect_pixels(${WORK}/grown.nii "000101010101010100")
expect_output("^region from 6[1-9] by " GrowRegion ${WORK}/bridge.mha 20 1,0,0 ${WORK}/grown.nii 6,0,0)
expect_pixels(${WORK}/grown.nii "000101010000000000")
foreach(arguments IN ITEMS "20;1,0" "70000;1,0,0" "20abc;1,0,0")
  execute_process(COMMAND ${EXAMPLES}/GrowRegion ${WORK}/bridge.mha ${arguments} ${WORK}/grown.nii
    RESULT_VARIABLE result ERROR_QUIET)
  if(result EQUAL 0)
    message(SEND_ERROR "GrowRegion took the value and the seed ${arguments}")
  endif()
endforeach()
expect_output("^2 objects from [67][0-9]\n6 mm.3\n6 mm.3\n$" CountObjects ${WORK}/bridge.mha 2)

expect_output("^1500 pixels from x 4 to 43\n$" FillSmallHoles)
