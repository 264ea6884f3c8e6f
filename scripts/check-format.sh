#!/bin/sh
# Checks that the code has ITK's format, with the version of clang-format that ITK uses, and that the names of test suites
# begin with the name of the module. Installs clang-format in build/ at the first call.
#
#   scripts/check-format.sh [--fix]     with --fix, formats the files instead
set -eu

cd "$(dirname "$0")/.."
version=19.1.7
environment=build/clang-format-$version
if [ ! -x "$environment/bin/clang-format" ]; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet "clang-format==$version"
fi
if git grep -nE '^ *(TYPED_)?TEST(_[FP]|_SUITE)?\(' test | grep -v '(CudaConnectedComponents'; then
  echo "The name of a test suite must begin with CudaConnectedComponents." >&2
  exit 1
fi
files=$(git ls-files '*.h' '*.hxx' '*.cxx' '*.cu' '*.cuh')
if [ "${1:-}" = --fix ]; then
  # shellcheck disable=SC2086 # a list of files
  "$environment/bin/clang-format" -i $files
else
  # shellcheck disable=SC2086
  "$environment/bin/clang-format" --dry-run -Werror $files
fi
