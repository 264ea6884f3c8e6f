#!/bin/bash
# On a machine with a GPU: runs the tests, compute-sanitizer over their small cases, and the benchmark, and leaves what
# they print in a folder, for benchmark/results/.
#
#   scripts/gpu-evidence.sh BUILD RESULTS COMMIT [IMAGES...]
#
# BUILD is a build tree, or any folder that has its programs. Parts can be chosen with PARTS="tests sanitizer average
# random size patterns"; the last four are protocols of the benchmark. TESTS and TOOLS choose programs of the tests and
# tools of compute-sanitizer. Where CUDA_CONNECTED_COMPONENTS_TEST_GPU names a smaller GPU to imitate, files carry its name,
# and very large images are left out.
set -u

build="$1"
results="$2"
commit="$3"
shift 3
parts="${PARTS:-tests sanitizer average random size patterns}"
tools="${TOOLS:-memcheck initcheck synccheck racecheck}"
tests="${TESTS:-PrimitivesGTest LabelingGTest itkCudaConnectedComponentLabelerGTest \
  itkCudaConnectedComponentLabelerDeviceGTest itkCudaConnectedComponentImageFilterGTest \
  itkCudaConnectedComponentImageFilterFactoryGTest itkCudaConnectedComponentImageFilterProcessGTest RealImagesGTest \
  ToolGTest PluginGTest LargeGTest}"
profile="${CUDA_CONNECTED_COMPONENTS_TEST_GPU:-}"
suffix="${profile:+-$profile}"
mkdir -p "$results"

program() {
  realpath "$(find "$build" -name "$1" -type f -perm -u+x | head -n 1)"
}
folder() {
  dirname "$(realpath "$(find "$build" -name "$1" -type f | head -n 1)")"
}
machine="$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1), $(nproc) CPUs, $(date -u +%F), commit $commit${profile:+, limited to $profile}"
export CUDA_CONNECTED_COMPONENTS_TOOL="$(program cuda-connected-components)"
export CUDA_CONNECTED_COMPONENTS_PLUGIN="$(folder libCudaConnectedComponentsPlugin.so)"
export CUDA_CONNECTED_COMPONENTS_MISFIT_PLUGIN="$(folder libMisfitPlugin.so)"
export CUDA_CONNECTED_COMPONENTS_PLUGIN_CLIENT="$(program PluginClient)"
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
        "$(program "$test")" --gtest_brief=0 2>&1 | grep -vE '^\[ RUN|^$|^Running main|^\[---' >>"$file"
        [ "${PIPESTATUS[0]}" = 0 ] || status=1
      done
      unset CUDA_CONNECTED_COMPONENTS_LARGE_TESTS
      grep -E '==|PASSED|FAILED|SKIPPED' "$file"
      ;;
    sanitizer)
      file="$results/sanitizer$suffix.txt"
      echo "$machine" >"$file"
      # Without the labeler's tests that exhaust memory or hand CUDA a wrong pointer, which mean to see errors, and without the
      # one that looks at all memory of the device, of which the sanitizer takes some.
      labeler='-Labeler.SaysHowMuchMemoryIsMissing:Labeler.RefusesHostMemoryForDeviceMemory:*ForgetsTheMemory*'
      labeling='*EveryVolumeUpTo6/DeviceToDevice:*EveryPlaneUpTo17/HostToHost:*SampleOf*/DeviceToDevice'
      labeling="$labeling:*SampleOf*/HostToHost:*Shapes/DeviceToDevice:*Shapes/HostToHost:*TwiceTheSame/DeviceToDevice"
      for tool in $tools; do
        for test in LabelingGTest itkCudaConnectedComponentLabelerDeviceGTest itkCudaConnectedComponentImageFilterGTest; do
          case "$tool $test" in
            "racecheck LabelingGTest") filter='*SampleOf*/DeviceToDevice' ;; # a hundred times slower
            "racecheck itkCudaConnectedComponentLabelerDeviceGTest") filter='LabelerOutput/2.*' ;;
            "racecheck "*) filter='Filter.EveryAlgorithm:Filter.ImagesOfManySizes' ;;
            *" LabelingGTest") filter="$labeling" ;;
            # Where many threads take memory from one pool, initcheck loses sight of what they have written, and reports
            # reads of it, or crashes, of any program; memcheck and synccheck do not.
            "initcheck itkCudaConnectedComponentLabelerDeviceGTest") filter="$labeler:Labeler.ManyThreadsAtOnce" ;;
            *" itkCudaConnectedComponentLabelerDeviceGTest") filter="$labeler" ;;
            *) filter='-*OfTheInput/Cpu*' ;;
          esac
          echo "== $tool $test --gtest_filter=$filter" | tee -a "$file"
          compute-sanitizer --tool "$tool" --error-exitcode 99 "$(program "$test")" --gtest_filter="$filter" 2>&1 |
            grep -vE '^\[ RUN|^\[       OK|^$|^Running main|^\[---' >>"$file"
          [ "${PIPESTATUS[0]}" = 0 ] || status=1
        done
      done
      grep -E '^==|SUMMARY|PASSED|FAILED' "$file"
      ;;
    average | random | size | patterns)
      case "$part" in
        average) arguments=("$@" --upsample 512 --generated --steps --host-runs 15) ;;
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
