#!/usr/bin/env python3
"""Checks that a wheel runs on the systems and with the drivers that doc/python.md promises.

Lists the kernels, their compression and the version of glibc, and fails if one is wrong. A fat
binary holds the kernels of one CUDA source file. The script needs the package pyelftools.
"""

import argparse
import io
import re
import struct
import sys
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile

NEWEST_GLIBC = (2, 24)  # the tag manylinux_2_24
PTX_VERSION = "8.0"  # drivers of CUDA 12.0
LARGEST_SIZE = 20_000_000  # bytes

FAT_BINARY_MAGIC = 0xBA55ED50
COMPRESSIONS = {0x2000: "LZ4", 0x8000: "zstd"}
ARCHITECTURE_SPECIFIC = 0x100000


def expected_images(text):
    """Return what a list in CMake's format asks for, such as {("machine code", "9.0")}."""
    images = set()
    for entry in filter(None, text.split(";")):
        match = re.fullmatch(r"(\d+)(\d)(a?)(?:-(real|virtual))?", entry)
        if not match:
            raise argparse.ArgumentTypeError(
                f"'{entry}' is not an architecture such as 90, 90-real or 90-virtual"
            )
        major, minor, suffix, kind = match.groups()
        if kind != "virtual":
            images.add(("machine code", f"{major}.{minor}{suffix}"))
        if kind != "real":
            images.add(("PTX", f"{major}.{minor}{suffix}"))
    return images


def fat_binaries(data):
    """Yield the images of each fat binary: (kind, architecture, version of PTX, compression)."""
    position = 0
    while position + 16 <= len(data):
        magic, _, header_size, size = struct.unpack_from("<IHHQ", data, position)
        if magic != FAT_BINARY_MAGIC:
            position += 4  # the gap before the next fat binary
            continue
        images = []
        entry = position + header_size
        position = entry + size
        if position > len(data):
            raise ValueError(f"a fat binary of {size} bytes is longer than the section .nv_fatbin")
        while entry < position:
            kind, _, header_size, size = struct.unpack_from("<HHIQ", data, entry)
            if header_size < 64 or entry + header_size + size > position:
                raise ValueError(f"an image of {size} bytes does not fit in its fat binary")
            minor, major, architecture = struct.unpack_from("<HHI", data, entry + 24)
            (flags,) = struct.unpack_from("<Q", data, entry + 40)
            suffix = "a" if flags & ARCHITECTURE_SPECIFIC else ""
            images.append(
                (
                    {1: "PTX", 2: "machine code"}.get(kind, f"an image of unknown kind {kind}"),
                    f"{architecture // 10}.{architecture % 10}{suffix}",
                    f"{major}.{minor}" if kind == 1 else None,
                    next((name for flag, name in COMPRESSIONS.items() if flags & flag), None),
                )
            )
            entry += header_size + size
        yield images


def newest_glibc(elf):
    """Return the newest version of glibc whose symbols a file needs, such as (2, 18)."""
    section = elf.get_section_by_name(".gnu.version_r")
    versions = section.iter_versions() if section else []
    names = [symbol.name for _, symbols in versions for symbol in symbols]
    numbers = [name[6:].split(".") for name in names if re.fullmatch(r"GLIBC_[\d.]+", name)]
    return max((tuple(map(int, number)) for number in numbers), default=(0,))


def check_fat_binary(name, images, expected):
    """Print the images of a fat binary. Return sentences on what is wrong."""
    print(f"  {name}:")
    for kind, architecture, ptx, compression in images:
        version = f" in version {ptx}" if ptx else ""
        print(f"    {kind} for {architecture}{version}, {compression or 'not'} compressed")

    errors = []
    found = {(kind, architecture) for kind, architecture, _, _ in images}
    for verb, wrong in (("lacks", expected - found), ("must not have", found - expected)):
        if wrong:
            names = ", ".join(f"{kind} for {architecture}" for kind, architecture in sorted(wrong))
            errors.append(f"{name} {verb} {names}.")
    reason = "for drivers of CUDA 12.0"
    for version in sorted({ptx for _, _, ptx, _ in images if ptx not in (None, PTX_VERSION)}):
        errors.append(f"{name} has PTX in version {version}. It must be {PTX_VERSION}, {reason}.")
    for compression in sorted({image[3] for image in images if image[3]}):
        errors.append(f"{name} has {compression} compression. It must have none, {reason}.")
    return errors


def check_module(name, elf, expected):
    """Print what a compiled module contains. Return sentences on what is wrong."""
    errors = []
    needed, limit = (".".join(map(str, version)) for version in (newest_glibc(elf), NEWEST_GLIBC))
    print(f"{name}: {elf.get_machine_arch()}, needs glibc {needed}")
    if newest_glibc(elf) > NEWEST_GLIBC:
        errors.append(f"{name} needs glibc {needed}. It must need {limit} or older.")
    section = elf.get_section_by_name(".nv_fatbin")
    binaries = list(fat_binaries(section.data())) if section else []
    if expected and not binaries:
        errors.append(f"{name} has no kernels: it was built without CUDA.")
    for number, images in enumerate(binaries, 1):
        errors += check_fat_binary(f"Fat binary {number}", images, expected)
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument(
        "--architectures",
        type=expected_images,
        default="70-real;75-real;80-real;86-real;90",
        metavar="LIST",
        help="what each fat binary must have, in the format of CMAKE_CUDA_ARCHITECTURES; "
        "'' for a wheel without CUDA (default: %(default)s)",
    )
    arguments = parser.parse_args()

    errors = []
    with zipfile.ZipFile(arguments.wheel) as wheel:
        modules = [name for name in wheel.namelist() if re.search(r"\.so(\.|$)", name)]
        if not modules:
            errors.append("The wheel has no compiled module.")
        for name in modules:
            elf = ELFFile(io.BytesIO(wheel.read(name)))
            errors += check_module(name, elf, arguments.architectures)
    size = arguments.wheel.stat().st_size
    print(f"{arguments.wheel.name}: {size / 1e6:.1f} MB")
    if size >= LARGEST_SIZE:
        errors.append(f"The wheel has {size} bytes. It must have fewer than {LARGEST_SIZE}.")
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
