#!/bin/sh
# Builds the Python package, as a source distribution and as a wheel from it, and tests the wheel in a new environment.
# The wheel has code for one GPU architecture if a CUDA compiler is found, and no CUDA otherwise.
#
#   scripts/test-python.sh [arguments of pytest]
set -eu

cd "$(dirname "$0")/.."
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  apt-get install -y --no-install-recommends python3-venv
fi
environment=build/python-environment
wheels=build/python-wheels
rm -rf "$environment" "$wheels"
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --requirement python/tests/requirements.txt
CUDAARCHS="${CUDAARCHS:-90-real}" "$environment/bin/python" -m build --no-isolation --outdir "$wheels" \
  -Ccmake.define.CMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -Ccmake.define.CMAKE_CUDA_FLAGS_RELEASE="-O1 -DNDEBUG" .
"$environment/bin/pip" install --quiet --no-deps "$wheels"/*.whl
"$environment/bin/pip" install --quiet --no-deps --no-build-isolation ./python/itk
export PYTHONDONTWRITEBYTECODE=1
"$environment/bin/python" -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning --durations=5 python/tests "$@"
"$environment/bin/python" -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning python/itk/tests
