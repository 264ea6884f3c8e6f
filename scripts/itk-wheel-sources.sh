#!/bin/sh
# Exports the sources of the wheel itk-cudaconnectedcomponents to a new folder:
#   scripts/itk-wheel-sources.sh FOLDER
# ITK's packaging scripts build the wheel that pyproject.toml describes at the root. In this repository, that is the wheel
# cuda-connected-components. In FOLDER, it is wrapping/pyproject.toml. Uncommitted changes are left out.
set -eu

folder=$(realpath -m "${1:?Usage: scripts/itk-wheel-sources.sh FOLDER}")
cd "$(dirname "$0")/.."
mkdir "$folder"
git archive HEAD | tar -x -C "$folder"
mv "$folder/wrapping/pyproject.toml" "$folder"
