#!/bin/bash
# Runs the checks that take too long for each change, in parts. Run a part after a change of what it checks, and all parts before
# a release:
#   scripts/full-check.sh [PART...]
# The default is all parts:
#   types        all overrides, typed tests with all their types, the benchmark's build, the generated decision trees
#   address      all C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer
#   ci-address   the C++ tests of few types with AddressSanitizer, which .ci/run then leaves out until a tested file changes
#   thread       tests of the labeling and of the analysis with ThreadSanitizer
#   python       the package compiled by clang as for a release, all its tests, the wheel for itk
#   install      the installation of the other kind of library, static or shared
#   portability  other compilers
#   itk          a build tree of ITK, which the environment variable ITK_BUILD_TREE names
#   slicer       3D Slicer's Python package, and all tests of the extension
#   files        the tool reads the pixels that the libraries of the formats read, and 10,000 mutated files of each format
#                without a crash; the environment variable MUTANTS is another number
# The folder build/full-check/ keeps a log of each part. The script prints the seconds and the result of each part.
set -uo pipefail

cd "$(dirname "$0")/.."
logs=build/full-check
mkdir -p "$logs"

types() {
  scripts/make-decision-trees.py --check && scripts/build-and-test.sh ci-all
}
address() {
  scripts/build-and-test.sh address
}
ci-address() {
  scripts/build-and-test.sh ci-address &&
    scripts/engine-version.sh tests > scripts/code-run-by-address-sanitizer.txt
}
thread() {
  scripts/build-and-test.sh thread && scripts/engine-version.sh > scripts/engine-run-by-thread-sanitizer.txt
}
python() {
  scripts/test-python.sh --full && scripts/engine-version.sh > scripts/engine-compiled-by-clang.txt
}
install() {
  scripts/install-dependencies.sh && cmake --preset ci -DBUILD_TESTING=ON && cmake --build --preset ci &&
    CUDA_CONNECTED_COMPONENTS_INSTALL_TESTS=1 ctest --preset ci --no-tests=error -R '^Install'
}
portability() {
  scripts/install-dependencies.sh g++-mingw-w64-x86-64-posix clang libc++-dev libc++abi-dev && scripts/check-portability.sh
}
itk() {
  if [ -z "${ITK_BUILD_TREE:-}" ]; then
    echo 'SKIPPED: ITK_BUILD_TREE names no build tree of ITK'
    return
  fi
  scripts/test-itk.sh "$ITK_BUILD_TREE"
}
slicer() {
  VOLUME=0 scripts/test-slicer.sh && # without the benchmark, which has goals of speed
    scripts/test-slicer-extension.sh --full
}

files() {
  local environment=$logs/files-environment sanitized=$logs/files-address
  scripts/install-dependencies.sh && cmake --preset ci && cmake --build --preset ci --target cuda-connected-components &&
    python3 -m venv "$environment" && "$environment/bin/pip" install --quiet --requirement test/files/requirements.txt &&
    CUDA_CONNECTED_COMPONENTS_TOOL="$PWD/build/ci/src/tool/cuda-connected-components" PYTHONDONTWRITEBYTECODE=1 \
      "$environment/bin/python" -m pytest -q -p no:cacheprovider test/files &&
    cmake --preset address -B "$sanitized" -DCudaConnectedComponents_BUILD_TOOL=ON &&
    cmake --build "$sanitized" --target CudaConnectedComponentsFuzzFiles &&
    test/files/fuzz.py "$sanitized/src/tool/CudaConnectedComponentsFuzzFiles" "${MUTANTS:-10000}"
}

parts=("$@")
[ $# -gt 0 ] || parts=(types address ci-address thread python install portability itk slicer files)
failed=
for part in "${parts[@]}"; do
  case $part in
    types | address | ci-address | thread | python | install | portability | itk | slicer | files) ;;
    *) echo "$part is not a part: see the head of scripts/full-check.sh" >&2 && exit 1 ;;
  esac
  begin=$SECONDS
  log=$logs/$part.log
  { date -u && git describe --always --dirty && "$part"; } > "$log" 2>&1
  result=$?
  if [ "$result" = 0 ]; then
    word=passed
    ! grep -q '^SKIPPED' "$log" || word="passed, with skipped checks"
  else
    word=FAILED
    failed=yes
    tail -40 "$log" >&2
  fi
  echo "$part: $word, $((SECONDS - begin)) seconds, $log"
done
[ -z "$failed" ]
