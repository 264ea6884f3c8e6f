#!/bin/sh
# Makes a folder with the parts of CUDA 12.9 that clang needs as a CUDA compiler, from packages of Python's index. Code of
# this compiler runs with drivers of CUDA 12.0 and later. cmake/ClangCuda.cmake is the toolchain file for it.
#
#   scripts/make-clang-cuda.sh [ARCHITECTURE [FOLDER]]
#
# ARCHITECTURE is that of the programs, amd64 or arm64; the default is this machine's. The default folder is build/clang-cuda;
# with another architecture than this machine's, build/clang-cuda-ARCHITECTURE. A folder of this version of the script stays as
# it is. The script needs Debian, pip and unzip.
set -eu

cd "$(dirname "$0")/.."
machine=$(dpkg --print-architecture)
architecture="${1:-$machine}"
folder=build/clang-cuda
[ "$architecture" = "$machine" ] || folder="$folder-$architecture"
folder="${2:-$folder}"
version=$(cksum < scripts/make-clang-cuda.sh)
[ "$(cat "$folder/version" 2> /dev/null)" != "$version" ] || exit 0
# Packages of programs for this machine, and of libraries for the architecture.
packages="nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-cccl-cu12==12.9.27"
libraries="nvidia-cuda-runtime-cu12==12.9.79"
case "$architecture" in
  amd64) platform=manylinux2014_x86_64 ;;
  arm64) platform=manylinux2014_aarch64 ;;
  *) echo "$architecture: the architecture must be amd64 or arm64" >&2; exit 1 ;;
esac
# CUDA 12 has no package with fatbinary.
packages="$packages nvidia-cuda-nvcc==13.0.88"

made="$folder.part"
rm -rf "$made"
mkdir -p "$made/packages" "$made/bin" "$made/include" "$made/lib64" "$made/nvvm"
download="${PYTHON:-python3} -m pip download --quiet --no-deps --only-binary :all: --dest $made/packages"
$download $packages
$download --platform "$platform" $libraries
for package in "$made"/packages/*.whl; do
  unzip -qo "$package" -d "$made/packages"
done
from="$made/packages/nvidia"
cp -r "$from"/cuda_runtime/include/. "$from"/cuda_cccl/include/. "$from"/cuda_nvcc/include/. "$made/include"
cp "$from"/cuda_runtime/lib/libcudart_static.a "$from"/cuda_runtime/lib/libcudadevrt.a "$made/lib64"
# CMake looks for the shared library even if nothing is linked with it.
cp "$from"/cuda_runtime/lib/libcudart.so.12 "$made/lib64/libcudart.so"
cp -r "$from"/cuda_nvcc/nvvm/libdevice "$made/nvvm"
cp "$from"/cuda_nvcc/bin/ptxas "$made/bin"
cp "$from"/cu13/bin/fatbinary "$made/bin/fatbinary-13"
mkdir "$made/licenses"
cp "$made"/packages/nvidia_cuda_runtime*.dist-info/License.txt "$made/licenses/CUDA.txt" 2>/dev/null ||
  cp "$made"/packages/nvidia_cuda_runtime*.dist-info/licenses/License.txt "$made/licenses/CUDA.txt"
rm -r "$made/packages"

# Clang includes this header of cuRAND, which this project does not use.
touch "$made/include/curand_mtgp32_kernel.h"

# Clang calls fatbinary with the arguments of CUDA 12, and CUDA 13's takes others. Compression is off, because drivers before
# CUDA 12.4 cannot read CUDA 13's.
cat > "$made/bin/fatbinary" << 'EOF'
#!/bin/sh
set -eu
for argument in "$@"; do
  shift
  case "$argument" in
    --image=profile=sm_*) kind=elf specification=${argument#--image=profile=sm_} ;;
    --image=profile=compute_*) kind=ptx specification=${argument#--image=profile=compute_} ;;
    *) set -- "$@" "$argument"; continue ;;
  esac
  set -- "$@" "--image3=kind=$kind,sm=${specification%%,*},file=${specification#*,file=}"
done
exec "$(dirname "$0")/fatbinary-13" --compress=false "$@"
EOF

# CMake asks nvcc for the place and the version of the toolkit, and compiles nothing with it.
cat > "$made/bin/nvcc" << 'EOF'
#!/bin/sh
echo "#\$ TOP=$(cd "$(dirname "$0")/.." && pwd)" >&2
echo 'nvcc: NVIDIA (R) Cuda compiler driver'
echo 'Cuda compilation tools, release 12.9, V12.9.86'
EOF
chmod +x "$made"/bin/*
echo "$version" > "$made/version"
rm -rf "$folder"
mv -T "$made" "$folder"
