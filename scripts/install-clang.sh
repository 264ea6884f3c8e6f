#!/bin/sh
# Installs clang 19, its linker and unzip, which the builds by clang need, unless they are installed. For Debian 12 and later.
set -eu

exec "$(dirname "$0")/install-dependencies.sh" clang-19 lld-19 unzip
