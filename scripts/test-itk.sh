#!/bin/bash
# Builds and tests this module against a build tree of ITK:
#   scripts/test-itk.sh BUILD_TREE [WAY...]
# WAY is standalone, external or remote; the default is all three. The C++ tests run in each way. If the build tree is wrapped
# for Python, the external module is wrapped, too, and its Python tests run.
#
# BUILD_TREE needs the modules that itk-module.cmake lists, and for the external way ITKGoogleTest: doc/build.md has the
# commands. The standalone way takes the system's GoogleTest, and tests the tool and the examples if BUILD_TREE has their
# formats of images.
#
# The script fetches nothing of ITK, and does not build in BUILD_TREE. But ITK's own rules for an external module write the
# module's files into BUILD_TREE, beside those of ITK's modules. The remote module is built in a copy of ITK's source tree,
# made of links, so it compiles the modules of ITK that it needs again.
#
# The folder build/itk-VERSION keeps the builds, and in logs/ a log of each run, with date and versions. CMAKE_OPTIONS adds
# options for CMake, and CTEST_OPTIONS for ctest; JOBS is the number of compilers and of tests at a time. CUDA code is compiled
# for the GPU of this machine, or for 7.5 if it has none.
set -euo pipefail

usage='Usage: scripts/test-itk.sh BUILD_TREE [standalone|external|remote]...'
tree=$(realpath "${1:?$usage}")
shift
root=$(realpath "$(dirname "$0")/..")
if [ ! -f "$tree/ITKConfig.cmake" ] || [ ! -f "$tree/CMakeCache.txt" ]; then
  echo "$tree is not a build tree of ITK: it lacks ITKConfig.cmake or CMakeCache.txt." >&2
  exit 1
fi
ways=("$@")
[ $# -gt 0 ] || ways=(standalone external remote)

# Prints a variable of the cache of the build tree.
cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$tree/CMakeCache.txt"
}
# Tells whether the build tree has a module.
has_module() {
  compgen -G "$tree/lib/cmake/*/Modules/$1.cmake" > /dev/null
}

itk_source=$(cached CMAKE_HOME_DIRECTORY)
cmake=$(cached CMAKE_COMMAND)
version=$(cached CMAKE_PROJECT_VERSION)
wrapped=
[ "$(cached ITK_WRAP_PYTHON)" != ON ] || wrapped=yes
builds=$root/build/itk-$version
date=$(date -u +%Y-%m-%dT%H%M%SZ)
jobs=${JOBS:-$(nproc)}
architectures=75-real
if command -v nvidia-smi > /dev/null && nvidia-smi -L > /dev/null; then
  architectures=native
fi
mkdir -p "$builds/logs"

# Configures and builds a folder: build FOLDER TARGET OPTIONS...
build() {
  local folder=$1 target=$2
  shift 2
  # The flags of the preset ci, because the tests spend their time in the compiler.
  # shellcheck disable=SC2086 # CMAKE_OPTIONS is a list
  "$cmake" -B "$folder" -G "$(cached CMAKE_GENERATOR)" -DCMAKE_MAKE_PROGRAM="$(cached CMAKE_MAKE_PROGRAM)" \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" \
    -DCMAKE_CUDA_FLAGS_RELEASE="-O0 -DNDEBUG" -DCudaConnectedComponents_CUDA_ARCHITECTURES=$architectures \
    "$@" ${CMAKE_OPTIONS:-} &&
    "$cmake" --build "$folder" -j "$jobs" --target "$target"
}
# Runs the tests of a folder: run_tests FOLDER OPTIONS...
run_tests() {
  local folder=$1
  shift
  # shellcheck disable=SC2086 # CTEST_OPTIONS is a list
  "$(dirname "$cmake")/ctest" --test-dir "$folder" --no-tests=error --output-on-failure -j "$jobs" "$@" ${CTEST_OPTIONS:-}
}

# The ways. They write the log.
standalone() {
  local programs=OFF
  if has_module ITKIOMRC && has_module ITKIOVTK; then
    programs=ON # the tool reads these formats
  fi
  build "$builds/standalone" all -S "$root" -DITK_DIR="$tree" -DCudaConnectedComponents_AS_ITK_MODULE=OFF \
    -DCudaConnectedComponents_BUILD_TOOL=$programs -DCudaConnectedComponents_BUILD_EXAMPLES=$programs &&
    run_tests "$builds/standalone"
}
external() {
  local wrapping=()
  if [ -n "$wrapped" ]; then
    wrapping=(-DITK_USE_SYSTEM_CASTXML=ON "-DCASTXML_EXECUTABLE=$(cached CASTXML_EXECUTABLE)" -DITK_USE_SYSTEM_SWIG=ON
      "-DSWIG_EXECUTABLE=$(cached SWIG_EXECUTABLE)" "-DPython3_EXECUTABLE=$python")
  fi
  build "$builds/external" all -S "$root" -DITK_DIR="$tree" -DCudaConnectedComponents_AS_ITK_MODULE=ON \
    "${no_downloads[@]}" "${wrapping[@]}" && run_tests "$builds/external" &&
    { [ -z "$wrapped" ] || test_wrapping; }
}
test_wrapping() {
  local interpreter=$python
  if ! "$interpreter" -c 'import numpy, pytest'; then
    "$python" -m venv "$builds/venv" && "$builds/venv/bin/pip" install --quiet numpy pytest || return
    interpreter=$builds/venv/bin/python
  fi
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tree/Wrapping/Generators/Python "$interpreter" -m pytest -q -p no:cacheprovider --durations=5 \
    "$root/wrapping/tests"
}
remote() {
  if [ ! -f "$itk_source/CMake/ITKModuleMacros.cmake" ]; then
    echo "SKIPPED: the source tree of the build tree, $itk_source, does not exist"
    return
  fi
  rm -rf "$builds/remote-source"
  cp -rs "$itk_source" "$builds/remote-source"
  # Not a link to the whole folder, because ITK searches it for modules, and build/ has copies of ITK.
  local module=$builds/remote-source/Modules/External/CudaConnectedComponents entry
  mkdir "$module"
  for entry in "$root"/*; do
    [ "$entry" = "$root/build" ] || ln -s "$entry" "$module"
  done
  # The other tests are those of ITK, which are not built.
  build "$builds/remote" CudaConnectedComponents-all -S "$builds/remote-source" -DBUILD_SHARED_LIBS="$(cached BUILD_SHARED_LIBS)" \
    -DBUILD_EXAMPLES=OFF -DITK_BUILD_DEFAULT_MODULES=OFF -DITKGroup_Core=OFF -DModule_CudaConnectedComponents=ON \
    "${no_downloads[@]}" && run_tests "$builds/remote" -R CudaConnectedComponents
}

# ITK's checks of style fetch their programs.
no_downloads=(-DITK_USE_KWSTYLE=OFF -DITK_USE_CLANGFORMAT=OFF -DITK_FORBID_DOWNLOADS=ON)
python=$(cached Python3_EXECUTABLE)
[ -n "$python" ] || python=$(cached _Python3_EXECUTABLE)
failed=
for way in "${ways[@]}"; do
  case $way in
    standalone | external | remote) ;;
    *) echo "$usage" >&2 && exit 1 ;;
  esac
  log=$builds/logs/$date-$way.log
  {
    echo "$date: $way, ITK $version, $("$cmake" --version | sed -n 1p), $("${CXX:-c++}" --version | sed -n 1p)"
    echo "module: $(git -C "$root" describe --always --dirty), build tree: wrapped for Python: ${wrapped:-no}"
    if [ -n "$wrapped" ]; then
      "$python" --version
      "$(cached SWIG_EXECUTABLE)" -version | grep Version
      "$(cached CASTXML_EXECUTABLE)" --version | sed -n 1p
    fi
  } > "$log" 2>&1
  if "$way" >> "$log" 2>&1; then
    result=passed
  else
    result=FAILED
    failed=yes
    tail -40 "$log" >&2
  fi
  echo "$way: $result, $(grep -c 'warning: ' "$log" || true) warnings, $(grep -E '^[0-9]+% tests passed|^[0-9]+ passed' "$log" |
    tr '\n' ';') $log"
done
[ -z "$failed" ]
