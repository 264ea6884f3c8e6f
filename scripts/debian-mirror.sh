#!/bin/sh
# Prints the address of the mirror of Debian that apt of this machine knows.
#
#   scripts/debian-mirror.sh
set -eu

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Created-By: Packages' | grep -v security | head -n 1)
[ -n "$mirror" ] || {
  echo "apt knows no mirror of Debian: write one to /etc/apt/sources.list, and run apt-get update" >&2
  exit 1
}
echo "$mirror"
