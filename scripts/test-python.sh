#!/bin/bash
# Builds the Python package, as a source distribution and as a wheel from it, and tests the wheel in a new environment.
#
#   scripts/test-python.sh [--full] [arguments of pytest]
#
# With --full, clang compiles the package, as for a release, but for one GPU architecture and with the libraries of this system,
# and all tests run, with all their seeds. Otherwise g++ compiles it without CUDA if scripts/engine-compiled-by-clang.txt says
# that the full check has seen the same sources of the engine; slow tests, the wheel for itk, half of the tests with PyTorch and
# two thirds of the random images of some tests are left out. Tests of PyTorch need Debian's package python3-torch, because
# PyPI's needs CUDA's libraries.
set -euo pipefail

cd "$(dirname "$0")/.."
full=
if [ "${1:-}" = --full ]; then
  full=yes
  shift
fi
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  scripts/install-dependencies.sh python3-venv
fi
environment=build/python-environment
wheels=build/python-wheels
rm -rf "$environment" "$wheels"
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --requirement python/tests/requirements.txt
options=(-Ccmake.define.CMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG")
if [ -z "$full" ] && [ "$(scripts/engine-version.sh)" = "$(cat scripts/engine-compiled-by-clang.txt)" ]; then
  options+=(-Ccmake.define.CudaConnectedComponents_USE_CUDA=OFF)
else
  scripts/install-clang.sh
  PYTHON="$environment/bin/python" scripts/make-clang-cuda.sh
  export CLANG_CUDA="$PWD/build/clang-cuda"
  export CUDAARCHS="${CUDAARCHS:-90-real}"
  options+=(-Ccmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/ClangCuda.cmake"
    -Ccmake.define.CMAKE_CUDA_FLAGS_RELEASE="-O1 -DNDEBUG")
fi
"$environment/bin/python" -m build --no-isolation --outdir "$wheels" "${options[@]}" .
"$environment/bin/pip" install --quiet --no-deps "$wheels"/*.whl
export PYTHONDONTWRITEBYTECODE=1
pytest=("$environment/bin/python" -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning)
if [ -n "$full" ]; then
  "$environment/bin/pip" install --quiet --no-deps --no-build-isolation ./python/itk
  "${pytest[@]}" python/itk/tests
  export CUDA_CONNECTED_COMPONENTS_ALL_SETTINGS=1
  selection=()
  torch=(python/tests/test_torch.py python/tests/test_devices.py)
else
  selection=(-m "not slow")
  torch=(python/tests/test_torch.py)
fi
"$environment/bin/python" -m mypy --strict --cache-dir build/mypy python/tests/typed.py
echo 'cuda_connected_components\._[a-z].*' > build/private-modules.txt
"$environment/bin/python" -m mypy.stubtest --allowlist build/private-modules.txt cuda_connected_components
"${pytest[@]}" -n "$(nproc)" --durations=10 "${selection[@]}" python/tests "$@"

debian=/usr/bin/python3
[ -x "$debian" ] && "$debian" -c 'import torch' 2>/dev/null || scripts/install-dependencies.sh python3-torch ||
  echo "python3-torch cannot be installed"
version=$("$environment/bin/python" -c 'import sys; print(sys.version_info[:2])')
if "$debian" -c "import sys, torch; sys.exit(sys.version_info[:2] != $version)" 2>/dev/null; then
  # NumPy and PyTorch are Debian's.
  with_torch=build/python-torch-environment
  rm -rf "$with_torch"
  "$debian" -m venv --system-site-packages --without-pip "$with_torch"
  "$environment/bin/pip" --python "$with_torch/bin/python" install --quiet pytest scipy==1.10.1
  "$environment/bin/pip" --python "$with_torch/bin/python" install --quiet --no-deps "$wheels"/*.whl
  "$with_torch/bin/python" -m pytest -q -p no:cacheprovider "${torch[@]}"
else
  echo "SKIPPED: the tests of PyTorch, because $debian is not Python $version with Debian's package python3-torch"
fi
