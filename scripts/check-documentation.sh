#!/bin/sh
# Checks that the documentation of the public headers is complete: every member, parameter and return value. Fails on
# any warning of doxygen.
#
#   scripts/check-documentation.sh
set -eu

cd "$(dirname "$0")/.."
if ! command -v doxygen > /dev/null; then
  scripts/install-dependencies.sh
fi
doxygen doc/Doxyfile
