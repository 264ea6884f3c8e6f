#!/bin/sh
# Installs what is needed, builds everything and runs the tests. With CUDA where there is a compiler for it; tests that
# need a GPU say so where there is none. The build is for testing: it is compiled quickly, and runs slowly.
#
#   scripts/build-and-test.sh [PRESET]     ci (the default), ci-address, ci-thread or developer: see CMakePresets.json
set -eu

cd "$(dirname "$0")/.."
preset="${1:-ci}"
scripts/install-dependencies.sh
cmake --preset "$preset" -DBUILD_TESTING=ON
cmake --build --preset "$preset"
ctest --preset "$preset" --no-tests=error -j "$(nproc)"
