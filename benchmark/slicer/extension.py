#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the operations of slicer/ and Slicer's own effect Islands on a segmentation, in turns, in a process with slicer_core.

    extension.py [--size 512] [--threads 2] [--runs 5] [--segments 100] [--write] [--operations NAME...]

The segment is the blobs of benchmark.py with 10 % foreground. The minimum size leaves `--segments` islands. Each time is the
best of the runs, and has parts: what computes the images to write; what reads the selected segment and saves the state for
undo, which is the same for both; and with --write, in one run, what writes the images to the segmentation. The script then also
compares the segmentations. Without --write, nothing is written. It prints the seconds as JSON.
"""

import argparse
import json
import os
import pathlib
import platform
import sys
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--size", type=int, default=512)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--segments", type=int, default=100)
parser.add_argument("--write", action="store_true")
parser.add_argument("--operations", nargs="+", default=["keep largest", "remove small", "split"])
arguments = parser.parse_args()
os.environ["ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS"] = str(arguments.threads)

root = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(root / folder) for folder in ("slicer/CudaIslands", "slicer/Testing", "benchmark/python")]
import cuda_connected_components as ccc  # noqa: E402
import numpy as np  # noqa: E402
from benchmark import make_blobs  # noqa: E402
from CudaIslandsLib import islands  # noqa: E402
from scenes import Scene, oriented, slicers_islands  # noqa: E402
from vtkmodules.vtkCommonCore import vtkLogger, vtkMultiThreader, vtkSMPTools  # noqa: E402

vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)  # Slicer reports each segmentation without a reference geometry
ccc.set_num_threads(arguments.threads)
vtkMultiThreader.SetGlobalDefaultNumberOfThreads(arguments.threads)
vtkSMPTools.Initialize(arguments.threads)


class TimedEditor:
    """A Segment Editor's logic that measures its own functions, and writes nothing if `writes` is false."""

    def __init__(self, editor, writes):
        self.editor = editor
        self.writes = writes
        self.read = self.wrote = 0.0

    def __getattr__(self, name):
        function = getattr(self.editor, name)
        part = {"UpdateSelectedSegmentLabelmap": "read", "SaveStateForUndo": "read", "ModifySegmentByLabelmap": "wrote"}.get(
            name
        )

        def timed(*values):
            begin = time.perf_counter()
            result = function(*values) if part == "read" or self.writes else None
            setattr(self, part, getattr(self, part) + time.perf_counter() - begin)
            return result

        return timed if part else function


def run(mask, function, writes=False):
    """Returns the seconds of computing, reading and writing, and the scene."""
    scene = Scene(np.random.default_rng(0), [oriented(mask)], volume=False)
    scene.editor = TimedEditor(scene.editor, writes)
    begin = time.perf_counter()
    function(scene)
    total = time.perf_counter() - begin
    return (total - scene.editor.read - scene.editor.wrote, scene.editor.read, scene.editor.wrote), scene


def ours(operation, *values):
    return lambda scene: operation(islands.SegmentTarget(scene.editor), *values)


mask = make_blobs(arguments.size, 3).astype(np.uint8)
sizes = np.sort(ccc.component_statistics(mask, connectivity=1, properties=("num_pixels",))["num_pixels"])
minimum = int(sizes[-arguments.segments])
CASES = {
    "keep largest": (ours(islands.keep_largest, 1000), lambda scene: slicers_islands(scene, 1000, most=1)),
    "remove small": (ours(islands.remove_small, minimum), lambda scene: slicers_islands(scene, minimum, split=False)),
    "split": (ours(islands.split, minimum), lambda scene: slicers_islands(scene, minimum)),
}
result = {"date": time.strftime("%Y-%m-%d"), "size": arguments.size, "threads": arguments.threads, "runs": arguments.runs}
result["islands"], result["segments"] = len(sizes), int((sizes >= minimum).sum())
result["processor"] = next((line[13:].strip() for line in open("/proc/cpuinfo") if "model name" in line), platform.machine())
for name in arguments.operations:
    extension, slicers = CASES[name]
    computed, read, wrote = {}, {}, {}
    for side, function in (("extension", extension), ("slicer", slicers)) * arguments.runs:
        seconds = run(mask, function)[0]
        computed[side] = min(computed.get(side, np.inf), seconds[0])
        read[side] = min(read.get(side, np.inf), seconds[1])
    if arguments.write:
        (_, _, wrote["extension"]), one = run(mask, extension, True)
        (_, _, wrote["slicer"]), other = run(mask, slicers, True)
        assert one.segmentation.GetNumberOfSegments() == other.segmentation.GetNumberOfSegments()
        for number in range(one.segmentation.GetNumberOfSegments()):
            places = [each.places(each.segmentation.GetNthSegmentID(number)) for each in (one, other)]
            assert np.array_equal(*places), f"segment {number} differs"
    result[name] = {"computed": computed, "read": read, "written": wrote, "ratio": computed["slicer"] / computed["extension"]}
print(json.dumps(result, indent=1))
print(islands.backend())
