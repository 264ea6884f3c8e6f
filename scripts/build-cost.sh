#!/bin/bash
# Prints what the project costs to build: CPU seconds of a Release build with tests for one GPU architecture, the size of
# the library, the compile time of a program with one filter, and the numbers of lines, overrides and tests. The floor is
# a library with the same engine and the same overrides, whose filters are empty subclasses of ITK's.
#
#   scripts/build-cost.sh [FOLDER]
#
# FOLDER gets the builds, and must not exist; the default is a temporary folder, which is deleted at the end. The whole
# takes about 40 minutes on two idle cores.
set -euo pipefail

cd "$(dirname "$0")/.."
scripts/install-dependencies.sh
if [ $# -gt 0 ]; then
  folder=$1
  mkdir "$folder"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=90-real -DBUILD_SHARED_LIBS=ON)

# Prints the user and system seconds of a command, and hides its output.
cpu_seconds() {
  local TIMEFORMAT='%U %S'
  { time "$@" >"$folder/log" 2>&1 || { tail -50 "$folder/log" >&2; exit 1; }; } 2>&1 | awk '{ printf "%.1f", $1 + $2 }'
}

# Prints the size of a library in bytes, without symbols.
stripped_size() {
  strip -o "$folder/stripped" "$1"
  stat -c %s "$folder/stripped"
}

echo "processor: $(grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) cores"
echo "commit: $(git rev-parse --short HEAD)"

mkdir "$folder/source" "$folder/floor"
git archive HEAD | tar -x -C "$folder/source"
git archive HEAD | tar -x -C "$folder/floor"
for filter in ConnectedComponent RelabelComponent BinaryImageToLabelMap BinaryFillhole BinaryGrindPeak \
  BinaryShapeKeepNObjects BinaryShapeOpening LabelImageToLabelMap ConnectedThreshold IsolatedConnected \
  ThresholdMaximumConnectedComponents; do
  header=$folder/floor/include/itkCuda$filter
  case $filter in
    *ToLabelMap) header=${header}Filter ;;
    *) header=${header}ImageFilter ;;
  esac
  cp scripts/build-cost/EmptyFilters.h "$header.h"
  rm "$header.hxx"
done

cmake -S "$folder/floor" -B "$folder/floor/build" "${options[@]}" -DBUILD_TESTING=OFF >"$folder/log"
floor_seconds=$(cpu_seconds cmake --build "$folder/floor/build" --target CudaConnectedComponents)
floor_size=$(stripped_size "$folder/floor/build/src/libCudaConnectedComponents.so")
echo "floor: library with empty filters: $floor_seconds CPU seconds, $floor_size bytes"

cmake -S "$folder/source" -B "$folder/build" "${options[@]}" -DBUILD_TESTING=ON >"$folder/log"
library_seconds=$(cpu_seconds cmake --build "$folder/build" --target CudaConnectedComponents)
size=$(stripped_size "$folder/build/src/libCudaConnectedComponents.so")
echo "library: $library_seconds CPU seconds, $size bytes, $(awk "BEGIN { printf \"%.2f\", $size / $floor_size }") x the floor"
rest_seconds=$(cpu_seconds cmake --build "$folder/build")
echo "whole build with tests: $(awk "BEGIN { print $library_seconds + $rest_seconds }") CPU seconds"

includes=(-I "$folder/source/include" -I "$folder/build/src/include"
  $(grep -o '\-isystem [^ ]*ITK[^ ]*' "$folder/build/build.ninja" | sort -u))
for way in OURS USE_ITK; do
  seconds=$(cpu_seconds g++ -std=c++17 -O3 "-D$way" "${includes[@]}" -c scripts/build-cost/OneFilter.cxx -o "$folder/one.o")
  [ "$way" = OURS ] && ours=$seconds
done
echo "program with one filter: $ours CPU seconds, $seconds with ITK's: $(awk "BEGIN { printf \"%.2f\", $ours / $seconds }") x"

echo "lines of include, src/filters and src/tool: $(git ls-files include src/filters src/tool | xargs cat | wc -l)"
echo "lines of src, include, test and python: $(git ls-files src include test python | xargs cat | wc -l)"
echo "overrides: $("$folder/build/test/CudaConnectedComponentsFactoryGTestDriver" --gtest_filter='*OverridesTheDocumentedTypes' |
  grep -o '[0-9]* overrides' | head -1)"
echo "tests: $(cd "$folder/build" && ctest -N | tail -1)"
