#!/bin/bash
# Runs the tests, compute-sanitizer and the benchmark on a machine with a GPU. Writes their output to a folder, for
# benchmark/results/.
#
#   scripts/gpu-evidence.sh BUILD RESULTS COMMIT [IMAGES...]
#
# Arguments:
#   BUILD     a build tree, or a folder with its programs
#   RESULTS   the folder for the output
#   COMMIT    the commit of the build; a text for the output
#   IMAGES    the images for the benchmark
#
# Environment variables, all optional:
#   PARTS     some of "tests sanitizer average analysis random size patterns"; the last five are protocols of the benchmark
#   TESTS     the test programs of the part "tests": Tool is CudaConnectedComponentsToolGTestDriver
#   TOOLS     the tools of compute-sanitizer
#   CUDA_CONNECTED_COMPONENTS_TEST_GPU
#             the name of a smaller GPU; the library then uses only the capabilities of that GPU. File names end with
#             the name, and the tests with very large images do not run.
set -u

build="$1"
results="$2"
commit="$3"
shift 3
parts="${PARTS:-tests sanitizer average analysis random size patterns}"
tools="${TOOLS:-memcheck initcheck synccheck racecheck}"
tests="${TESTS:-Primitives Labeling Gallery Analysis Intensities Mask MaskFilters LabelMapFilter Labeler LabelerDevice ImageFilter Factory \
  Process RelabelFilter RealImages Tool Plugin Large}"
profile="${CUDA_CONNECTED_COMPONENTS_TEST_GPU:-}"
suffix="${profile:+-$profile}"
mkdir -p "$results"

program() {
  realpath "$(find "$build" -name "$1" -type f -perm -u+x | head -n 1)"
}
test_program() {
  program "CudaConnectedComponents$1GTestDriver"
}
folder() {
  dirname "$(realpath "$(find "$build" -name "$1" -type f | head -n 1)")"
}
machine="$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1), $(nproc) CPUs, $(date -u +%F), commit $commit${profile:+, limited to $profile}"
export CUDA_CONNECTED_COMPONENTS_TOOL="$(program cuda-connected-components)"
export CUDA_CONNECTED_COMPONENTS_PLUGIN="$(folder libCudaConnectedComponentsPlugin.so)"
export CUDA_CONNECTED_COMPONENTS_MISFIT_PLUGIN="$(folder libMisfitPlugin.so)"
export CUDA_CONNECTED_COMPONENTS_PLUGIN_CLIENT="$(program PluginClient)"
export CUDA_CONNECTED_COMPONENTS_LABEL_MAP_CLIENT="$(program LabelMapClient)"
status=0

for part in $parts; do
  case "$part" in
    tests)
      file="$results/tests$suffix.txt"
      echo "$machine" >"$file"
      if [ -z "$profile" ]; then
        export CUDA_CONNECTED_COMPONENTS_LARGE_TESTS=1
      fi
      for test in $tests; do
        echo "== $test" | tee -a "$file"
        "$(test_program "$test")" --gtest_brief=0 2>&1 | grep -vE '^\[ RUN|^$|^Running main|^\[---' >>"$file"
        [ "${PIPESTATUS[0]}" = 0 ] || status=1
      done
      unset CUDA_CONNECTED_COMPONENTS_LARGE_TESTS
      grep -E '==|PASSED|FAILED|SKIPPED' "$file"
      ;;
    sanitizer)
      file="$results/sanitizer$suffix.txt"
      echo "$machine" >"$file"
      # Leaves out tests of the labeler that cause CUDA errors on purpose: they exhaust memory or pass wrong pointers.
      # Also leaves out a test that measures the free memory of the device, because the sanitizer uses some of it.
      labeler='-*.SaysHowMuchMemoryIsMissing:*.RefusesHostMemoryForDeviceMemory:*ForgetsTheMemory*'
      labeling='*EveryVolumeUpTo6/DeviceToDevice:*EveryPlaneUpTo17/HostToHost:*SampleOf*/DeviceToDevice'
      labeling="$labeling:*SampleOf*/HostToHost:*Shapes/DeviceToDevice:*Shapes/HostToHost:*TwiceTheSame/DeviceToDevice"
      analysis='*EveryVolumeUpTo4/DeviceToDevice:*Background*/*ToDevice:*Background*/*ToHost:*Selections*/*ToDevice'
      analysis="$analysis:*RowGroups/DeviceToDevice:*EveryAlgorithm*/*ToDevice:*EveryAlgorithm*/*ToHost"
      for tool in $tools; do
        for test in Labeling Gallery Analysis LabelerDevice ImageFilter; do
          case "$tool $test" in
            "racecheck Labeling") filter='*SampleOf*/DeviceToDevice' ;; # racecheck is 100 times slower
            *" Gallery") filter='*EveryTenthDensity/Device' ;;
            "racecheck Analysis") filter='*Background*/*ToDevice:*Selections*/*ToDevice:*EveryAlgorithm*/*ToDevice' ;;
            "racecheck LabelerDevice") filter='*LabelerOutput/2.*' ;;
            "racecheck "*) filter='*Filter.EveryAlgorithm:*Filter.ImagesOfManySizes' ;;
            *" Labeling") filter="$labeling" ;;
            *" Analysis") filter="$analysis" ;;
            # If many threads use one memory pool, initcheck reports false errors or crashes, in any program. The other
            # tools do not.
            "initcheck LabelerDevice") filter="$labeler:*.ManyThreadsAtOnce" ;;
            *" LabelerDevice") filter="$labeler" ;;
            *) filter='-*OfTheInput/Cpu*' ;;
          esac
          echo "== $tool $test --gtest_filter=$filter" | tee -a "$file"
          compute-sanitizer --tool "$tool" --error-exitcode 99 "$(test_program "$test")" --gtest_filter="$filter" 2>&1 |
            grep -vE '^\[ RUN|^\[       OK|^$|^Running main|^\[---' >>"$file"
          [ "${PIPESTATUS[0]}" = 0 ] || status=1
        done
      done
      grep -E '^==|SUMMARY|PASSED|FAILED' "$file"
      ;;
    average | analysis | random | size | patterns)
      case "$part" in
        average) arguments=("$@" --upsample 512 --generated --steps --host-runs 15) ;;
        analysis) arguments=("$@" --upsample 512 --generated --steps --host-runs 7) ;;
        random) arguments=(--densities 10 30 50 70 90 --granularities 1 2 4 8 16) ;;
        size) arguments=("$1" --full-only --sides 10 22 46 100 215 464 1000 1626) ;;
        patterns) arguments=(--full-only) ;;
      esac
      "$(program cuda-connected-components-benchmark)" "$part" "${arguments[@]}" --note "$machine" \
        --json "$results/$part.json" >"$results/$part.txt" 2>&1 || status=1
      grep -c 'as ITK' "$results/$part.txt"
      grep 'WRONG' "$results/$part.txt"
      ;;
  esac
done
exit $status
