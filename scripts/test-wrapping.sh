#!/bin/bash
# Wraps this module for Python with the generator of ITK, compiles the result, and loads it:
#   scripts/test-wrapping.sh ITK_SOURCE [BUILD_FOLDER]
# ITK_SOURCE is a source tree of ITK 5.4; it stays as it is. BUILD_FOLDER must be new, empty, or from an earlier run, because
# the script deletes files in it. The default is build/wrapping. ITK wraps all modules that this module depends on, which
# takes about an hour of processor time. So CI does not run this script. castxml, swig, CMake and Ninja come from PyPI.
# CMAKE_OPTIONS adds options for CMake.
set -euo pipefail

usage='Usage: scripts/test-wrapping.sh ITK_SOURCE [BUILD_FOLDER]'
itk=$(realpath "${1:?$usage}")
root=$(realpath "$(dirname "$0")/..")
build=$(realpath -m "${2:-$root/build/wrapping}")
if [ ! -f "$itk/CMake/ITKModuleMacros.cmake" ]; then
  echo "$itk is not a source tree of ITK: it has no CMake/ITKModuleMacros.cmake." >&2
  exit 1
fi

# A folder with this file is a build folder of this script. The script deletes nothing in another folder.
marker=$build/.test-wrapping
if [ ! -e "$marker" ] && [ -e "$build" ] && [ -n "$(ls -A "$build")" ]; then
  echo "$build is not a build folder of this script: give a folder that is new or empty." >&2
  exit 1
fi
case "$itk/" in
  "$build/"*)
    echo "$itk lies in the build folder $build: give another build folder." >&2
    exit 1
    ;;
esac

mkdir -p "$build"
touch "$marker"
python3 -m venv "$build/venv"
"$build/venv/bin/pip" install --quiet 'castxml==0.4.5' 'cmake==3.31.10' 'ninja==1.13.*' 'swig==4.5.1' 'numpy==2.*'
export PATH="$build/venv/bin:$PATH"

# The copy of ITK is a tree of links, so that this module can join it as a remote module does.
rm -rf "$build/itk"
cp -rs "$itk" "$build/itk"
ln -s "$root" "$build/itk/Modules/External/CudaConnectedComponents"

cmake -S "$build/itk" -B "$build/build" -G Ninja \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DBUILD_SHARED_LIBS=ON -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF \
  -DITK_BUILD_DEFAULT_MODULES=OFF -DModule_CudaConnectedComponents=ON -DITK_WRAP_PYTHON=ON \
  -DITK_USE_SYSTEM_CASTXML=ON -DCASTXML_EXECUTABLE="$(command -v castxml)" \
  -DITK_USE_SYSTEM_SWIG=ON -DSWIG_EXECUTABLE="$(command -v swig)" \
  -DITK_WRAP_unsigned_short=OFF \
  ${CMAKE_OPTIONS:-}
cmake --build "$build/build" --target CudaConnectedComponentsPython

# Without the modules of ITK, the module cannot be imported. The loader finds missing symbols.
"$build/venv/bin/python" - "$build/build/Wrapping/Generators/Python/itk/_CudaConnectedComponentsPython.abi3.so" <<'PYTHON'
import ctypes
import os
import sys

module = ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW)
assert module.PyInit__CudaConnectedComponentsPython
print("The wrapping compiles, and all its symbols are defined.")
PYTHON
