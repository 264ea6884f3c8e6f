#!/bin/sh
# Prints a checksum of the files that the Python package compiles or, with `tests`, also of those that AddressSanitizer's tests compile.
# Equal checksums mean equal compiled code.
#
#   scripts/engine-version.sh [tests]
set -eu

cd "$(dirname "$0")/.."
[ "${1:-}" != tests ] || set -- src/filters test CMakeLists.txt CMakePresets.json scripts/build-and-test.sh
git ls-files cmake include python/CMakeLists.txt python/src src/CMakeLists.txt src/itkCuda\* src/algorithms src/engine src/executors src/primitives "$@" |
  xargs cat | sha256sum | cut -c1-64
