#!/bin/sh
# Installs packages of Debian, unless they are installed. For Debian 12. It may also work on Ubuntu 24.04, but has not been
# tested there.
#
#   scripts/install-dependencies.sh [PACKAGE...]
#
# The default is the packages that the build and the tests need.
set -eu

packages="g++ cmake ninja-build libinsighttoolkit5-dev libcli11-dev nlohmann-json3-dev libgtest-dev libpng-dev libtiff-dev"
packages="$packages zlib1g-dev insighttoolkit5-examples plastimatch doxygen"
packages="${*:-$packages}"

missing=""
for package in $packages; do
  if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "install ok installed"; then
    missing="$missing $package"
  fi
done
if [ -z "$missing" ]; then
  exit 0
fi

as_root=""
if [ "$(id -u)" != 0 ]; then
  as_root="sudo"
fi
$as_root apt-get update
# shellcheck disable=SC2086 # a list of packages
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends $missing
