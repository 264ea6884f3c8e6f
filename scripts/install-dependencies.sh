#!/bin/sh
# Installs what building and testing need, on Debian 12 (and, untested, Ubuntu 24.04), unless it is there.
set -eu

packages="g++ cmake ninja-build libinsighttoolkit5-dev libcli11-dev nlohmann-json3-dev libgtest-dev libtiff-dev zlib1g-dev"
packages="$packages insighttoolkit5-examples plastimatch"

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
# shellcheck disable=SC2086 # a list of words
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends $missing
