#!/bin/bash
# Tests the logic of the extension in slicer/ in 3D Slicer's Python package slicer_core, which has no Qt:
#
#   scripts/test-slicer-extension.sh [--full] [arguments of pytest]
#
# With --full, all combinations of scenes and settings are tested instead of a sample. The wheel of the package is that of
# scripts/test-python.sh, which must run first. PYTHON is an interpreter of 3D Slicer's Python, 3.11; the default is python3. The
# environment in build/slicer is kept for the next run.
set -euo pipefail

cd "$(dirname "$0")/.."
if [ "${1:-}" = --full ]; then
  shift
  export CUDA_CONNECTED_COMPONENTS_ALL_SETTINGS=1
fi
environment=build/slicer/extension-environment
[ -x "$environment/bin/python" ] || "${PYTHON:-python3}" -m venv "$environment"
if ! "$environment/bin/pip" install --quiet --disable-pip-version-check numpy pytest ||
  ! "$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps slicer-core==5.13.31053.0 vtk==9.6.2 ||
  ! "$environment/bin/python" -c 'import slicer_core'; then
  echo "SKIPPED: the tests of the extension for 3D Slicer, because $("$environment/bin/python" -V) cannot have slicer-core"
  exit
fi
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall build/python-wheels/*.whl
PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -m pytest -q -rs -p no:cacheprovider slicer/Testing "$@"
