#!/bin/sh
# Installs what is needed, builds the tool, and labels a real volume: the T1 image of a head that comes with Debian's
# examples of ITK.
set -eu

cd "$(dirname "$0")/.."
scripts/install-dependencies.sh
cmake --preset ci -DBUILD_TESTING=OFF >build-label-head.log 2>&1 || { cat build-label-head.log; exit 1; }
cmake --build --preset ci --target cuda-connected-components >>build-label-head.log 2>&1 || {
  cat build-label-head.log
  exit 1
}
rm build-label-head.log

image=/usr/share/doc/insighttoolkit5-examples/examples/Data/KmeansTest_T1UCharRaw.nii.gz
echo "cuda-connected-components $image head-labels.nii.gz --otsu --fully-connected"
build/ci/src/tool/cuda-connected-components "$image" head-labels.nii.gz --otsu --fully-connected
echo "labels: $(pwd)/head-labels.nii.gz"
