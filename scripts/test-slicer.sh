#!/bin/bash
# Builds the plug-in for 3D Slicer's Python package slicer_core, and tests and times it there. Tests the tool, too:
#   scripts/test-slicer.sh [arguments of pytest]
# PYTHON is an interpreter; the default is python3. If it lacks one of the packages slicer-core, slicer-core-sdk, SimpleITK,
# ctk-cli and pytest, the script makes an environment in build/slicer and installs them by pip. VOLUME is the size of the larger
# volume of the benchmark; 0 leaves the benchmark out. CMAKE_OPTIONS and JOBS are as in build-slicer-plugin.sh.
#
# CUDA_CONNECTED_COMPONENTS_TOOL is the tool; the default is the tool of the preset ci. The script does not build it: the tool
# needs an ITK of the system, because the ITK of slicer-core-sdk names libraries that are not on every Linux.
#
# The folder build/slicer/logs keeps a log of each run, with date and versions.
set -euo pipefail

root=$(realpath "$(dirname "$0")/..")
python=${PYTHON:-python3}
packages=$root/build/slicer
log=$packages/logs/$(date -u +%Y-%m-%dT%H%M%SZ).log
mkdir -p "$packages/logs"

if ! "$python" -c 'import ctk_cli, numpy, pytest, SimpleITK, slicer_core, slicer_core_sdk' 2> /dev/null; then
  if [ ! -x "$packages/environment/bin/python" ]; then
    "$python" -m venv "$packages/environment"
  fi
  python=$packages/environment/bin/python
  "$python" -m pip install --quiet slicer-core slicer-core-sdk SimpleITK ctk-cli numpy pytest
fi
run() {
  date -u
  echo "module: $(git -C "$root" describe --always --dirty), $("${CXX:-c++}" --version | head -n 1), $("$python" --version)"
  "$python" -m pip list 2> /dev/null | grep -iE '^(slicer|simpleitk|ctk|vtk|numpy|pytest)' || return
  PYTHON=$python "$root/scripts/build-slicer-plugin.sh" | tee "$packages/build.log" || return
  plugin=$(sed -n 's/^plug-in: //p' "$packages/build.log")
  export CUDA_CONNECTED_COMPONENTS_SLICER_PLUGIN=$plugin PYTHONDONTWRITEBYTECODE=1
  export CUDA_CONNECTED_COMPONENTS_TOOL=${CUDA_CONNECTED_COMPONENTS_TOOL:-$root/build/ci/src/tool/cuda-connected-components}
  if [ -x "$CUDA_CONNECTED_COMPONENTS_TOOL" ]; then
    echo "tool: $CUDA_CONNECTED_COMPONENTS_TOOL"
  else
    echo "There is no tool $CUDA_CONNECTED_COMPONENTS_TOOL, so the tests of test_command_line_module.py are skipped."
  fi
  "$python" -m pytest -p no:cacheprovider --durations=5 "$root/test/slicer" "$@" || return
  if [ "${VOLUME:-512}" != 0 ]; then
    "$python" "$root/benchmark/python/islands.py" "$plugin" --sizes 256 "${VOLUME:-512}"
  fi
}
status=0
(run "$@") 2>&1 | tee "$log" || status=$?
echo "log: $log"
exit "$status"
