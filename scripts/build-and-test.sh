#!/bin/sh
# Installs what is needed, builds everything and runs the tests. With CUDA where there is a compiler for it; tests that
# need a GPU say so where there is none.
#
#   scripts/build-and-test.sh [PRESET]     ci (the default), ci-cpu or developer: see CMakePresets.json
set -eu

cd "$(dirname "$0")/.."
preset="${1:-ci}"
scripts/install-dependencies.sh
cmake --preset "$preset" -DBUILD_TESTING=ON
cmake --build --preset "$preset"
ctest --preset "$preset" --no-tests=error
