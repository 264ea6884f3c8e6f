#!/bin/sh
# Checks that other compilers than GCC on Linux compile the library, without CUDA:
# - the installed headers have no names that only some compilers or systems know;
# - the engine, which needs no ITK, with MinGW for Windows;
# - the engine, the Python module, and the filters for some types of images, with clang and libc++.
#
#   scripts/check-portability.sh
#
# A check whose compiler is missing prints SKIPPED. On Debian, these packages have the compilers:
# g++-mingw-w64-x86-64-posix, clang, libc++-dev and libc++abi-dev. The builds are in build/portability. The first run takes
# about 4 minutes of processor time.
set -eu

cd "$(dirname "$0")/.."
build=build/portability
warnings=-DCudaConnectedComponents_WARNINGS_AS_ERRORS=ON

echo "Installed headers"
if git grep -nE '__int128|dlfcn\.h|__attribute__|__builtin_|__atomic_|<unistd\.h>|<sys/|<bits/' include; then
  echo "These names do not belong in installed headers." >&2
  exit 1
fi

if command -v x86_64-w64-mingw32-g++-posix > /dev/null; then
  for shared in OFF ON; do
    echo "Engine with MinGW, BUILD_SHARED_LIBS=$shared"
    cmake -S scripts/portability -B "$build/mingw-$shared" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=$shared \
      -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix \
      -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix "$warnings" > /dev/null
    cmake --build "$build/mingw-$shared"
  done
else
  echo "SKIPPED: x86_64-w64-mingw32-g++-posix is not installed."
fi

if echo '#include <vector>' | clang++ -stdlib=libc++ -fsyntax-only -x c++ - 2> /dev/null; then
  echo "Engine with clang and libc++"
  cmake -S scripts/portability -B "$build/clang-engine" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-stdlib=libc++ "$warnings" > /dev/null
  cmake --build "$build/clang-engine"
  "$build/clang-engine/CountComponents"

  python=$PWD/build/python-environment/bin/python
  if [ -x "$python" ]; then
    echo "Python module with clang and libc++"
    cmake -S python -B "$build/clang-python" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" \
      -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-stdlib=libc++ "$warnings" \
      -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" \
      -DCudaConnectedComponents_USE_CUDA=OFF > /dev/null
    set --
    for source in python/src/*.cxx; do
      set -- "$@" CMakeFiles/_core.dir/src/"$(basename "$source")".o
    done
    cmake --build "$build/clang-python" --target "$@"
  else
    echo "SKIPPED: the Python module. scripts/test-python.sh makes the environment that it needs."
  fi

  # ITK's libraries have another standard library, so no program is linked. Debian's ITK 5.2 accepts only GCC: its header that
  # detects the compiler is included first, with the list of the features of GCC 10 for clang.
  echo "Library and filters with clang and libc++"
  flags=-stdlib=libc++
  detection=$(ls /usr/include/ITK-*/itk_compiler_detection.h 2> /dev/null | head -n 1)
  if [ -n "$detection" ] && grep -q 'error Unsupported compiler' "$detection"; then
    sed 's|error Unsupported compiler|include "compilers/ITK_COMPILER_INFO_GNU_CXX.h"|' "$detection" > "$build/detection.h"
    flags="$flags -fgnuc-version=10.2.0 -isystem $(dirname "$detection") -include $PWD/$build/detection.h"
  fi
  cmake -S . -B "$build/clang" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" \
    -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ "-DCMAKE_CXX_FLAGS=$flags" "$warnings" \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCudaConnectedComponents_USE_CUDA=OFF \
    -DCudaConnectedComponents_BUILD_PLUGIN=OFF -DCudaConnectedComponents_BUILD_TOOL=OFF > /dev/null
  objects=src/CMakeFiles/CudaConnectedComponents.dir
  set -- $objects/Overrides0.cxx.o $objects/LabelMapOverrides0.cxx.o
  for source in src/filters/*.cxx; do
    set -- "$@" $objects/filters/"$(basename "$source")".o
  done
  cmake --build "$build/clang" --target "$@" \
    examples/CMakeFiles/LabelVolume.dir/LabelVolume.cxx.o examples/CMakeFiles/KeepLargest.dir/KeepLargest.cxx.o
else
  echo "SKIPPED: clang++ with libc++ is not installed."
fi
