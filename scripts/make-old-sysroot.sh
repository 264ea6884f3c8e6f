#!/bin/sh
# Makes a folder with the C and C++ libraries of an old release of Debian, so that programs that are built with it run on
# old systems: clang++ --sysroot=FOLDER. The packages come from the mirror of this machine's apt, which checks them.
#
#   scripts/make-old-sysroot.sh [ARCHITECTURE [FOLDER]]
#
# ARCHITECTURE is amd64 (the default) or arm64. The default folder is build/sysroot-ARCHITECTURE. A folder of this version of
# the script stays as it is. The script needs Debian, or a system whose apt has a mirror of Debian.
set -eu

cd "$(dirname "$0")/.."
release=bullseye # glibc 2.31
architecture="${1:-amd64}"
folder="${2:-build/sysroot-$architecture}"
version=$(cksum < scripts/make-old-sysroot.sh)
[ "$(cat "$folder/version" 2> /dev/null)" != "$version" ] || exit 0
packages="libc6 libc6-dev libcrypt1 libcrypt-dev libgcc-s1 libgcc-10-dev libstdc++6 libstdc++-10-dev linux-libc-dev"

made="$(pwd)/$folder.part"
rm -rf "$made"
mkdir -p "$made/apt/lists/partial" "$made/apt/archives/partial" "$made/root"
mirror=$(scripts/debian-mirror.sh)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] $mirror $release main" > "$made/apt/sources.list"
touch "$made/apt/status"
options="-q=2 -o APT::Architecture=$architecture -o APT::Architectures=$architecture -o Dir::Etc::sourcelist=$made/apt/sources.list
  -o Dir::Etc::sourceparts=- -o Dir::State::lists=$made/apt/lists -o Dir::State::status=$made/apt/status
  -o Dir::Cache=$made/apt -o APT::Sandbox::User= -o Acquire::Languages=none"
apt-get $options update
(cd "$made/apt" && apt-get $options download $packages)
for package in "$made"/apt/*.deb; do
  dpkg-deb -x "$package" "$made/root"
done
# Absolute links would lead out of the folder.
find "$made/root" -type l -lname '/*' | while read -r link; do
  ln -snf --relative "$made/root$(readlink "$link")" "$link"
done
echo "$version" > "$made/root/version"
rm -rf "$folder"
mv -T "$made/root" "$folder"
rm -r "$made"
