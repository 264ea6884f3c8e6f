#!/bin/sh
# Tests a wheel of scripts/build-wheel.sh in another release of Debian, or for another processor by qemu's emulation.
#
#   scripts/test-wheel.sh WHEEL SUITE [ARCHITECTURE]
#
# SUITE is a release: bullseye (Debian 11), bookworm (12), trixie (13). ARCHITECTURE is amd64 (the default) or arm64. The
# release is unpacked into build/debian-SUITE-ARCHITECTURE; a folder that exists stays as it is. If its Python is too old for
# the wheel, Python is compiled there from a later release's source. pip of PYTHON, by default python3, downloads the packages
# that the tests need. The script needs Debian and root, and installs debootstrap; for arm64 also qemu-user-static, which it
# registers with the kernel.
set -eu

wheel=$(realpath -e "${1:?the WHEEL is missing}")
suite="${2:?the SUITE is missing}"
cd "$(dirname "$0")/.."
architecture="${3:-amd64}"
root="build/debian-$suite-$architecture"
packages=debootstrap
[ "$architecture" = "$(dpkg --print-architecture)" ] || packages="$packages qemu-user-static"
# shellcheck disable=SC2086 # a list of packages
scripts/install-dependencies.sh $packages
formats=/proc/sys/fs/binfmt_misc
if [ "$packages" != debootstrap ] && [ ! -e $formats/qemu-aarch64 ]; then
  [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats
  cat /usr/lib/binfmt.d/qemu-aarch64.conf > $formats/register
fi

# The tag of the wheel says which Python serves: cp311-cp311, or cp312-abi3 for 3.12 and later.
case "$wheel" in
  *-cp311-cp311-*) version=3.11 source=bookworm ;;
  *-cp312-abi3-*) version=3.13 source=trixie ;;
  *) echo "$wheel: no release of Debian has the Python of this wheel" >&2; exit 1 ;;
esac
mirror=$(scripts/debian-mirror.sh)
inside() { # runs a command in the release, with /proc and shared memory
  unshare --mount sh -euc 'mount -t proc proc "$1/proc"; mount -t tmpfs tmpfs "$1/dev/shm"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$@"' \
    sh "$root" "$@"
}
if [ ! -d "$root" ]; then
  rm -rf --one-file-system "$root.part"
  debootstrap --variant=minbase --arch="$architecture" --include=python3-venv "$suite" "$root.part" "$mirror"
  mv "$root.part" "$root"
fi
python=/usr/bin/python$version
if [ ! -e "$root$python" ]; then
  python=/usr/local/bin/python$version
fi
if [ ! -e "$root$python" ]; then
  echo "deb-src $mirror $source main" > "$root/etc/apt/sources.list.d/source.list"
  inside sh -euc "apt-get update
    apt-get install -y --no-install-recommends dpkg-dev gcc libbz2-dev libffi-dev liblzma-dev make zlib1g-dev
    cd /tmp
    apt-get source --download-only python$version
    tar -xf python${version}_*.orig.tar.?z
    cd Python-$version*
    ./configure --quiet --disable-test-modules
    make --silent altinstall"
fi

# Emulation is slow: there, the tests have the packages that they cannot do without, and one process.
requirements=build/test-wheel-requirements.txt
arguments=
if [ "$packages" = debootstrap ]; then
  cp python/tests/requirements.txt $requirements
else
  grep -E '^(hypothesis|numpy|pytest|scipy)=' python/tests/requirements.txt > $requirements
  arguments="--ignore=python/tests/test_process.py"
fi
machine=$(inside uname -m)
rm -rf "$root/test"
mkdir -p "$root/test/packages"
"${PYTHON:-python3}" -m pip download --quiet --only-binary :all: --python-version $version --dest "$root/test/packages" \
  --platform "manylinux_2_28_$machine" --platform "manylinux_2_27_$machine" --platform "manylinux2014_$machine" -r $requirements
cp -r "$wheel" $requirements pyproject.toml README.md doc examples python "$root/test"
inside sh -euc "cd /test && $python -m venv environment
  environment/bin/pip install --quiet --no-compile --no-index --find-links packages -r ${requirements#build/} ./*.whl
  . /etc/os-release && echo \"\$PRETTY_NAME, \$(uname -m), \$(ldd --version | head -n 1), \$($python --version)\"
  environment/bin/python -c 'import cuda_connected_components as ccc; print(ccc.backend_info())'
  environment/bin/python -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning -rs --durations=5 $arguments"
