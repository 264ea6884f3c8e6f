#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the results of benchmark.py as bar charts. Needs matplotlib.

    chart.py results.json chart.png
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

TITLES = {
    "small": "One call, {size} x {size} pixels",
    "cpu": "CPU, {threads} threads, {size}³ voxels, {neighbors} neighbors",
    "order": "Order in memory, CPU, {threads} threads, {size}³ voxels",
    "device": "GPU machine, {size}³ voxels, {neighbors} neighbors",
    "keep": "Largest component, {size}³ voxels",
}


def draw(axis, group, rows):
    """Draw a group of results: one bar for each library, the fastest at the top."""
    rows = sorted(rows, key=lambda row: -row["median"])
    scale, unit = (1e3, "µs") if group == "small" else (1, "ms")
    times = [row["median"] * scale for row in rows]
    names = [row["case"] for row in rows]
    colors = ["#0072B2" if name.startswith("ours") else "0.7" for name in names]
    numbers = [f"{time:,.0f}" if time >= 100 else f"{time:.3g}" for time in times]
    axis.bar_label(axis.barh(names, times, color=colors), numbers, padding=3)
    axis.set_title(TITLES[group].format(**rows[0]), fontsize="medium")
    axis.set_xlabel(unit)
    axis.margins(x=0.12)
    axis.spines[["top", "right"]].set_visible(False)


def main():
    document = json.loads(pathlib.Path(sys.argv[1]).read_text())
    groups = {}
    for row in filter(lambda row: "median" in row, document["results"]):
        groups.setdefault(row["group"], []).append(row)
    heights = [len(rows) + 2.5 for rows in groups.values()]
    figure, axes = plt.subplots(len(groups), figsize=(8, 0.32 * sum(heights)), squeeze=False,
                                height_ratios=heights, layout="constrained")
    for axis, group in zip(axes[:, 0], groups):
        draw(axis, group, groups[group])
    machine = document["machine"]
    figure.supxlabel(f"{machine['processor']}; GPU: {machine['GPU, driver']}", fontsize="small")
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
