#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the bar chart of the README from results of the benchmark.

    chart.py RESULTS [FOLDER]

RESULTS has average.json (cuda-connected-components-benchmark) and rivals.json
(benchmark/rivals.py), of one machine. Writes field.png to FOLDER, by default
doc/images. Needs matplotlib.
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

IMAGE = "mni152_t1 upsampled"
OURS = "#0072b2"
OTHERS = "#b0b0b0"


def times_of(path):
    """Return the median times of the image in a file of results, by name."""
    for case in json.loads(path.read_text())["cases"]:
        if case["name"] == IMAGE and case["size"] == [512, 512, 512]:
            return {name: time["median"] for name, time in case["times"].items()}
    sys.exit(f"{path} has no {IMAGE} of 512 x 512 x 512 pixels")


def draw(axis, title, bars):
    """Draw horizontal bars of (name, milliseconds, color)."""
    for row, (name, milliseconds, color) in enumerate(bars):
        axis.barh(row, milliseconds, color=color)
        digits = 0 if milliseconds >= 100 else 1 if milliseconds >= 10 else 2
        axis.text(milliseconds, row, f" {milliseconds:.{digits}f}", va="center", fontsize=9)
    axis.set_yticks(range(len(bars)), [name for name, _, _ in bars], fontsize=9)
    axis.set_xlim(0, 1.15 * max(milliseconds for _, milliseconds, _ in bars))
    axis.invert_yaxis()
    axis.set_xlabel("milliseconds")
    axis.set_title(title, fontsize=10, loc="left")
    axis.spines[["top", "right"]].set_visible(False)


def main():
    """Draw the chart."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    results = pathlib.Path(sys.argv[1])
    default = pathlib.Path(__file__).resolve().parents[1] / "images"
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else default
    ours = times_of(results / "average.json")
    rivals = times_of(results / "rivals.json")

    def rival(library, way):
        name = next(name for name in rivals if name.startswith(library) and name.endswith(way))
        return name.split(",")[0], rivals[name]

    cc3d, cc3d_time = rival("cc3d", "host to host")
    cupy, cupy_host = rival("CuPy", "host to host")
    _, cupy_device = rival("CuPy", "device to device")
    host = "host to host, {}, 26, uint8 to uint32"
    figure, axes = plt.subplots(1, 2, figsize=(9, 2.7))
    draw(
        axes[0],
        "From host memory to host memory",
        [
            ("ours, GPU", ours[host.format("CUDA")], OURS),
            ("ours, CPU, 16 threads", ours[host.format("CPU")], OURS),
            (f"{cupy}, GPU", cupy_host, OTHERS),
            ("ITK, CPU, 16 threads", ours["host to host, ITK, 26"], OTHERS),
            (f"{cc3d}, CPU, 1 thread", cc3d_time, OTHERS),
        ],
    )
    draw(
        axes[1],
        "From GPU memory to GPU memory",
        [
            ("ours", ours["Automatic, 26"], OURS),
            ("BUF, labels not ITK's", ours["BUF_IC as in the paper"], OTHERS),
            ("BKE, labels not ITK's", ours["BKE_IC as in the paper"], OTHERS),
            ("BUF, ITK's labels", ours["BUF_IC renumbered"], OTHERS),
            (cupy, cupy_device, OTHERS),
        ],
    )
    figure.suptitle("Head MRI, 512 x 512 x 512 pixels, 26 neighbors, NVIDIA H200", fontsize=10)
    figure.tight_layout()
    figure.savefig(folder / "field.png", dpi=100)


if __name__ == "__main__":
    main()
