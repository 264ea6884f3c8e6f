#!/bin/sh
# Installs the dependencies, builds the tool and labels a real volume: a head from Debian's examples of ITK. The
# foreground is the dark pixels inside the skull, which are the fluid around the brain and in its ventricles. Components
# of less than 1 cm3 are left out.
set -eu

cd "$(dirname "$0")/.."
scripts/install-dependencies.sh
# Builds for the GPU of this machine. Without a GPU, builds PTX only, because that compiles fastest.
architecture=75-virtual
if nvidia-smi >/dev/null 2>&1; then
  architecture=native
fi
{
  cmake --preset release -B build/tool -DCMAKE_CUDA_ARCHITECTURES=$architecture -DBUILD_TESTING=OFF -DCudaConnectedComponents_BUILD_FACTORY=OFF \
    -DCudaConnectedComponents_BUILD_PLUGIN=OFF -DCudaConnectedComponents_BUILD_EXAMPLES=OFF &&
    cmake --build build/tool
} >build-tool.log 2>&1 || {
  cat build-tool.log
  exit 1
}
rm build-tool.log

data=/usr/share/doc/insighttoolkit5-examples/examples/Data
set -- "$data/KmeansTest_T1UCharRaw.nii.gz" head-labels.nii.gz --upper 40 \
  --mask "$data/KmeansTest_T1RawSkullStrip.nii.gz" --min-size 1000mm3 --preview head-preview.png
echo "cuda-connected-components $*"
build/tool/src/tool/cuda-connected-components "$@"
echo "labels: $(pwd)/head-labels.nii.gz"
echo "picture: $(pwd)/head-preview.png"
