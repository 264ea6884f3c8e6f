#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads mutated files of each format by CudaConnectedComponentsFuzzFiles, and prints what became of them.

    test/files/fuzz.py PROGRAM [MUTANTS_OF_A_FORMAT [FIRST_NUMBER]]

The program is built with AddressSanitizer. Each mutant is read twice. New memory has other bytes in the second run, so pixels
that differ were not read. "abort" is an assertion of a library, for which the tool prints a sentence; "memory" is an allocation
above the limit of 1 GB here. Crashes, hangs and different pixels are errors: their files stay in build/full-check/mutants.
"""

import collections
import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MUTANTS = FOLDER.parent.parent / "build/full-check/mutants"
FORMATS = {
    "TIFF": "*.tif", "PNG": "*.png", "NIfTI": "*.nii*", "NRRD": "*.nrrd", "MetaImage": "*.mha",
    "DICOM": "*.dcm", "MRC": "*.mrc",
}
OPTIONS = (
    "allocator_may_return_null=1:max_allocation_size_mb=1024:detect_leaks=0:handle_abort=0:quarantine_size_mb=16:"
    "max_malloc_fill_size=268435456:malloc_fill_byte="
)


def read(program, seed, count, first):
    """Return the result of each mutant of a seed."""
    results = []
    for fill in (17, 99):
        environment = {**os.environ, "ASAN_OPTIONS": OPTIONS + str(fill)}
        command = [program, str(seed), str(count), str(first), str(MUTANTS)]
        run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        results.append([line.split(maxsplit=1)[1] for line in run.stdout.splitlines()])
    both = zip(*results, strict=True)
    return [a.split()[0] if a == b else f"different ({a}; {b})" for a, b in both]


def main():
    program, *numbers = sys.argv[1:]
    wanted, first = (int(number) for number in (numbers + ["10000", "1"][len(numbers) :]))
    MUTANTS.mkdir(parents=True, exist_ok=True)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, pattern in FORMATS.items():
            seeds = sorted((FOLDER / "data").glob(pattern))
            count = -(-wanted // len(seeds))
            counts = collections.Counter()
            for seed, results in zip(seeds, pool.map(lambda seed: read(program, seed, count, first), seeds)):
                counts.update(result.split()[0] for result in results)
                for number, result in enumerate(results, first):
                    if result.split()[0] in ("crash", "hang", "different"):
                        failed = True
                        print(f"{seed.name} {number}: {result}")
            print(f"{name}: {len(seeds) * count} mutants, {dict(sorted(counts.items()))}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
