#!/bin/sh
# Prints a checksum of the files that the Python package compiles, and of other paths. Equal checksums mean equal compiled code.
#
#   scripts/engine-version.sh [PATH...]
set -eu

cd "$(dirname "$0")/.."
git ls-files cmake include python/CMakeLists.txt python/src src/CMakeLists.txt src/itkCuda\* src/algorithms src/engine src/executors src/primitives "$@" |
  xargs cat | sha256sum | cut -c1-64
