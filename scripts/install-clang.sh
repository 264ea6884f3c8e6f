#!/bin/sh
# Installs clang 19, its linker and unzip, which the builds by clang need, unless they are installed. For Debian 12 and later.
set -eu

missing=""
for package in clang-19 lld-19 unzip; do
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
