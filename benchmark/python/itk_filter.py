#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure what Python adds to the time of the wrapped filter, itk.CudaConnectedComponentImageFilter.

    PYTHONPATH=ITK_BUILD/Wrapping/Generators/Python itk_filter.py [--size 256] [--threads 2] [--runs 31]

The mask is the mask of benchmark.py: blobs of 10 % foreground. The time in Python is the time of Update(). The time
in C++ is the time of the same update that the filter itself prints, in steps of 0.1 ms. The numbers are medians of all
runs but the first.
"""

import argparse
import os
import re
import statistics
import tempfile
import time

os.environ["ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE"] = "1"

import itk  # noqa: E402
from benchmark import make_blobs  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=31)
    arguments = parser.parse_args()

    itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(arguments.threads)
    image = itk.image_from_array(make_blobs(arguments.size, 3))
    labeling = itk.CudaConnectedComponentImageFilter.New(image, NumberOfWorkUnits=arguments.threads)
    milliseconds = []
    with tempfile.TemporaryFile() as lines:
        standard_error = os.dup(2)
        os.dup2(lines.fileno(), 2)
        try:
            for _ in range(arguments.runs + 1):
                labeling.Modified()
                start = time.perf_counter()
                labeling.Update()
                milliseconds.append((time.perf_counter() - start) * 1e3)
        finally:
            os.dup2(standard_error, 2)
        lines.seek(0)
        line = lines.read().decode()
    inside = [float(number) for number in re.findall(r", ([0-9.]+) ms$", line, re.MULTILINE)]
    assert len(inside) == len(milliseconds)
    print(line.splitlines()[0])
    print(f"{labeling.GetObjectCount()} objects, {arguments.threads} threads, {arguments.runs} runs")
    print(f"Python: {statistics.median(milliseconds[1:]):.2f} ms")
    print(f"C++:    {statistics.median(inside[1:]):.2f} ms")
    added = [outer - inner for outer, inner in zip(milliseconds[1:], inside[1:])]
    print(f"added by Python: {statistics.median(added):.2f} ms")


main()
