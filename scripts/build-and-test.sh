#!/bin/sh
# Installs the dependencies, builds a preset and runs its tests. The build uses CUDA if a CUDA compiler is found. Tests
# that need a GPU are skipped if there is none. The ci presets compile quickly, but their programs run slowly.
# scripts/test-python.sh builds and tests the Python package.
#
#   scripts/build-and-test.sh [PRESET]
#
# PRESET is ci (the default), ci-all, ci-address, ci-thread, address, thread or developer, see CMakePresets.json.
set -eu

cd "$(dirname "$0")/.."
preset="${1:-ci}"
scripts/install-dependencies.sh
cmake --preset "$preset" -DBUILD_TESTING=ON
cmake --build --preset "$preset" -j "$(nproc)"
ctest --preset "$preset" --no-tests=error -j "$(nproc)"
