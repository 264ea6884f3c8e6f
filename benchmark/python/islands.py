#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times 3D Slicer's vtkITKIslandMath without and with the plug-in, in turns, in one process with slicer_core.

    islands.py PLUGIN [--sizes 256 512] [--threads 2] [--runs 7]

The volumes are the blobs of benchmark.py with 10 % foreground, as unsigned int, which is the type in Slicer's effect
Islands. The times are medians. The script fails if the results differ, if our filters did not work with the plug-in in the run
that warms up, or if a goal is missed: three times as fast, and 5 ms to register.
"""

import argparse
import ctypes
import os
import platform
import statistics
import sys
import tempfile
import time

FILTERS = {"CudaConnectedComponentImageFilter", "CudaRelabelComponentImageFilter"}
GOAL_RATIO = 3.0
GOAL_REGISTER_MS = 5.0


def milliseconds(function):
    begin = time.perf_counter()
    result = function()
    return (time.perf_counter() - begin) * 1000.0, result


def with_filters(function):
    """Calls a function. Returns its result, and the names of our filters that worked. They print lines on standard error."""
    variable = "ITK_CUDA_CONNECTED_COMPONENTS_VERBOSE"
    stderr = os.dup(2)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), 2)
        os.environ[variable] = "1"
        try:
            result = function()
        finally:
            del os.environ[variable]
            os.dup2(stderr, 2)
            os.close(stderr)
        file.seek(0)
        lines = [line.split(": ")[1] for line in file if line.startswith("CudaConnectedComponents: ")]
    return result, {line.split(",")[0] for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin")
    parser.add_argument("--sizes", type=int, nargs="+", default=[256, 512])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    os.environ["ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS"] = str(arguments.threads)

    import numpy as np
    import slicer_core
    from benchmark import make_blobs
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import vtkImageData

    def islands(image):
        filter_ = slicer_core.vtkITKIslandMath()
        filter_.SetInputData(image)
        filter_.Update()
        return filter_

    load, plugin = milliseconds(lambda: ctypes.CDLL(arguments.plugin))
    first, registered = milliseconds(plugin.itkCudaConnectedComponentsRegister)
    again = []
    for _ in range(arguments.runs):
        plugin.itkCudaConnectedComponentsUnregister()
        again.append(milliseconds(plugin.itkCudaConnectedComponentsRegister)[0])
    plugin.itkCudaConnectedComponentsUnregister()
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line), platform.machine())
    print(f"{time.strftime('%Y-%m-%d')}, {cpu}, {arguments.threads} threads, medians of {arguments.runs} runs")
    print(f"load {load:.1f} ms, register {first:.1f} ms, register again {statistics.median(again):.1f} ms")
    missed = not registered or first > GOAL_REGISTER_MS

    for size in arguments.sizes:
        volume = make_blobs(size, 3).astype(np.uint32)
        image = vtkImageData()
        image.SetDimensions(size, size, size)
        image.GetPointData().SetScalars(numpy_to_vtk(volume.ravel()))
        times = {False: [], True: []}
        outputs = {}
        for run in range(arguments.runs + 1):
            for with_plugin in (False, True):
                change = "Register" if with_plugin else "Unregister"
                assert getattr(plugin, f"itkCudaConnectedComponents{change}")() == 1
                if run == 0:  # warms up
                    result, filters = with_filters(lambda: islands(image))
                    if filters != (FILTERS if with_plugin else set()):
                        sys.exit(f"{'With' if with_plugin else 'Without'} the plug-in, our filters were: {sorted(filters)}.")
                    outputs[with_plugin] = vtk_to_numpy(result.GetOutput().GetPointData().GetScalars()).copy()
                    count = result.GetNumberOfIslands()
                else:
                    duration, result = milliseconds(lambda: islands(image))
                    times[with_plugin].append(duration)
                del result
        if not np.array_equal(outputs[False], outputs[True]):
            sys.exit("The results differ.")
        outputs.clear()
        without, with_ = statistics.median(times[False]), statistics.median(times[True])
        missed = missed or without < GOAL_RATIO * with_
        print(
            f"{size} x {size} x {size}, {100 * volume.mean():.0f} % foreground, {count} islands: "
            f"without {without:.0f} ms, with {with_:.0f} ms, {without / with_:.1f} times as fast"
        )
    plugin.itkCudaConnectedComponentsUnregister()
    if missed:
        sys.exit(f"A goal was missed: {GOAL_RATIO:.0f} times as fast, {GOAL_REGISTER_MS:.0f} ms to register.")


if __name__ == "__main__":
    main()
