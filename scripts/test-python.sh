#!/bin/sh
# Builds the Python package, as a source distribution and as a wheel from it, and tests the wheel in a new environment. Clang
# compiles it, as for a release, but for one GPU architecture and with the libraries of this system. Tests of PyTorch need
# Debian's package python3-torch, because PyPI's needs CUDA's libraries.
#
#   scripts/test-python.sh [arguments of pytest]
set -eu

cd "$(dirname "$0")/.."
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  apt-get install -y --no-install-recommends python3-venv
fi
scripts/install-clang.sh
environment=build/python-environment
wheels=build/python-wheels
rm -rf "$environment" "$wheels"
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --requirement python/tests/requirements.txt
PYTHON="$environment/bin/python" scripts/make-clang-cuda.sh
export CLANG_CUDA="$PWD/build/clang-cuda"
CUDAARCHS="${CUDAARCHS:-90-real}" "$environment/bin/python" -m build --no-isolation --outdir "$wheels" \
  -Ccmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/ClangCuda.cmake" \
  -Ccmake.define.CMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -Ccmake.define.CMAKE_CUDA_FLAGS_RELEASE="-O1 -DNDEBUG" .
"$environment/bin/pip" install --quiet --no-deps "$wheels"/*.whl
"$environment/bin/pip" install --quiet --no-deps --no-build-isolation ./python/itk
export PYTHONDONTWRITEBYTECODE=1
# The tests use one processor, so others run at the same time.
(
  set -e
  "$environment/bin/python" -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning python/itk/tests
  "$environment/bin/python" -m mypy --strict --cache-dir build/mypy python/tests/typed.py
  echo 'cuda_connected_components\._[a-z].*' > build/private-modules.txt
  "$environment/bin/python" -m mypy.stubtest --allowlist build/private-modules.txt cuda_connected_components
) > build/python-others.log 2>&1 &
others=$!
"$environment/bin/python" -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning --durations=5 python/tests "$@"
status=0
wait "$others" || status=$?
cat build/python-others.log
[ "$status" = 0 ]

debian=/usr/bin/python3
version=$("$environment/bin/python" -c 'import sys; print(sys.version_info[:2])')
if "$debian" -c "import sys, torch; sys.exit(sys.version_info[:2] != $version)" 2>/dev/null; then
  # NumPy and PyTorch are Debian's.
  with_torch=build/python-torch-environment
  rm -rf "$with_torch"
  "$debian" -m venv --system-site-packages --without-pip "$with_torch"
  "$environment/bin/pip" --python "$with_torch/bin/python" install --quiet pytest scipy==1.10.1
  "$environment/bin/pip" --python "$with_torch/bin/python" install --quiet --no-deps "$wheels"/*.whl
  "$with_torch/bin/python" -m pytest -q -p no:cacheprovider python/tests/test_torch.py python/tests/test_devices.py
else
  echo "SKIPPED: the tests of PyTorch, because $debian is not Python $version with Debian's package python3-torch"
fi
