#!/bin/bash
# Builds the library and the plug-in for the ITK of 3D Slicer's Python packages, and packs them for all systems where Slicer
# runs: clang compiles them with CUDA 12.9 and with the libraries of Debian 11.
#   scripts/build-slicer-plugin.sh [SITE_PACKAGES]
# SITE_PACKAGES is the folder of the packages slicer_core and slicer_core_sdk, which must have one version. By default, it is
# the folder where the interpreter PYTHON (default: python3) finds slicer_core_sdk. The plug-in replaces the same types as
# any plug-in, and these include all types that Slicer creates.
#
# The pack is an archive, and its content, in build/slicer. The script prints the libraries that the plug-in needs. It fails if
# one library of ITK is not Slicer's, because a second ITK in the process has factories of its own, or if Slicer's libraries
# load on older systems than the plug-in. CMAKE_OPTIONS adds options for CMake; JOBS is the number of compilers at a time. The
# script needs Debian 12 or later on x86-64, and installs clang 19.
set -euo pipefail

root=$(realpath "$(dirname "$0")/..")
python=${PYTHON:-python3}
site=${1:-$("$python" -c 'import importlib.util as u; s = u.find_spec("slicer_core_sdk")
print(s.submodule_search_locations[0] + "/.." if s else "")')}
sdk=$site/slicer_core_sdk/content/third_party
libraries=$site/slicer_core/third_party.libs
for folder in "$sdk" "$libraries"; do
  if [ ! -d "$folder" ]; then
    echo "There is no folder $folder. Install the packages slicer-core and slicer-core-sdk, or name their folder." >&2
    exit 1
  fi
done
site=$(realpath "$site")
sdk=$(realpath "$sdk")
libraries=$(realpath "$libraries")

# Prints the version of a package.
version() {
  find "$site" -maxdepth 1 -name "$1-*.dist-info" | sed "s/.*$1-\(.*\)\.dist-info/\1/"
}
slicer=$(version slicer_core)
if [ "$slicer" != "$(version slicer_core_sdk)" ]; then
  echo "slicer_core is $slicer, but slicer_core_sdk is $(version slicer_core_sdk): install one version of both." >&2
  exit 1
fi

# ITK may have the strings of C++ before C++11 (_GLIBCXX_USE_CXX11_ABI=0), and the plug-in must have the same.
common=$(find "$libraries" -name 'libITKCommon-*.so*')
abi=0
if nm --dynamic "$common" | grep __cxx11 > /dev/null; then # not grep -q, which would end nm by SIGPIPE
  abi=1
fi
"$root/scripts/install-clang.sh"
"$root/scripts/make-clang-cuda.sh"
"$root/scripts/make-old-sysroot.sh"
export CLANG_SYSROOT=$root/build/sysroot-amd64
export CXXFLAGS="-D_GLIBCXX_USE_CXX11_ABI=$abi -include $root/cmake/OldSystems.h"
export CUDAFLAGS="-D_GLIBCXX_USE_CXX11_ABI=$abi"
build=$root/build/slicer/build
# The package file of ITKVtkGlue looks for VTK, which the plug-in does not need.
# shellcheck disable=SC2086 # CMAKE_OPTIONS is a list
cmake --fresh -S "$root" --preset plugin -B "$build" -DCPACK_SYSTEM_NAME="slicer$slicer" \
  -DITK_DIR="$(find "$sdk/lib/cmake" -maxdepth 1 -name 'ITK-*')" -DCMAKE_PREFIX_PATH="$sdk" -DITKVtkGlue_LOADED=1 \
  ${CMAKE_OPTIONS:-}
cmake --build "$build" -j "${JOBS:-$(nproc)}"

rm -rf "$root"/build/slicer/CudaConnectedComponents-*
cpack --config "$build/CPackConfig.cmake" -B "$root/build/slicer"
archive=$(find "$root/build/slicer" -maxdepth 1 -name '*.tar.gz')
pack=${archive%.tar.gz}
tar -C "$root/build/slicer" -xzf "$archive"
cat "$pack/REQUIREMENTS.txt"

plugin=$pack/lib/CudaConnectedComponents/itk-plugin/libCudaConnectedComponentsPlugin.so
if readelf --dynamic "$plugin" | grep -E 'RPATH|RUNPATH'; then
  echo "The plug-in must find ITK in the process, and must not name a folder of its own." >&2
  exit 1
fi
echo "ITK $(strings "$common" | sed -n 's/^itk version //p' | head -n 1), _GLIBCXX_USE_CXX11_ABI=$abi. The plug-in needs:"
others=
while read -r library arrow path; do
  case $library in
    libITK* | libitk*)
      echo "  $library $arrow $path"
      case $path in
        "$libraries"/*) ;;
        *) others="$others $library" ;;
      esac
      ;;
    *) echo "  $library, of the system" ;;
  esac
done < <(LD_LIBRARY_PATH=$libraries ldd "$plugin" | sed 's/ (0x[0-9a-f]*)//')
if [ -n "$others" ]; then
  echo "These libraries are not in $libraries:$others" >&2
  exit 1
fi

# Prints the newest symbols of a library that binaries need.
newest() {
  library=$1
  shift
  readelf --version-info --wide "$@" | grep -o "${library}_[0-9.]*" | sort --version-sort | tail -n 1
}
for library in GLIBC GLIBCXX CXXABI; do
  ours=$(newest $library "$plugin" "$pack"/lib/libCudaConnectedComponents.so)
  theirs=$(newest $library "$libraries"/*.so*)
  echo "needs $ours, and Slicer's libraries need $theirs"
  if [ "$(printf '%s\n' "$ours" "$theirs" | sort --version-sort | tail -n 1)" != "$theirs" ]; then
    echo "The plug-in does not load on all systems where Slicer does: it must not need $ours." >&2
    exit 1
  fi
done
echo "plug-in: $plugin"
echo "archive: $pack.tar.gz"
