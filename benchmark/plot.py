#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tables (Markdown) and figures (PNG) from the results (JSON) of the benchmark. Needs matplotlib.

    plot.py RESULTS [FIGURES]

RESULTS is a folder with one or more of average.json, analysis.json, random.json, size.json and patterns.json, and of
results of the command survey, whose names start with "survey". Results of several runs of the survey are drawn as one.
Writes RESULTS/tables.md, and the figures to the folder FIGURES (default: RESULTS).
"""

import json
import pathlib
import re
import sys

from plot_support import median, plt, save, shape, table
from plot_survey import Survey

PAPER = {"BUF_IC as in the paper": "BUF", "BKE_IC as in the paper": "BKE"}
COLORS = {"BUF": "tab:blue", "BKE": "tab:orange", "ours": "tab:green", "ours, face": "tab:olive", "floor": "tab:gray"}
# "expand" is the name of "write labels" in older results.
STAGES = {"pack": "tab:blue", "label": "tab:orange", "write labels": "tab:green", "expand": "tab:green"}


def name_of(case):
    """Returns the name of a case without its size."""
    words = case["name"].split(" ")
    return " ".join(word for word in words if word != "upsampled" and not re.fullmatch(r"\d+(x\d+)+", word))


def title(case):
    name = name_of(case)
    side = case["size"][0]
    return name + (f" {side}" + ("³" if case["size"][2] > 1 else "²") if case["size"][1] == side else "")


def automatic(case, face=False):
    """Returns the median time of Automatic with full or face connectivity."""
    plane = case["size"][2] == 1
    return median(case, "Automatic, " + (("4" if plane else "6") if face else ("8" if plane else "26")))


def ratio(value, floor):
    return "" if value is None else f"{value / floor:.2f}"


def device_table(cases):
    header = ["input", "size", "floor, ms", "BUF_IC", "BKE_IC", "BUF_IC renumbered", "BKE_IC renumbered"]
    header += ["ours, full", "quartiles", "ours, face", "ours, full, ms", "with allocation, ms"]
    rows = []
    for case in cases:
        floor = median(case, "floor")
        plane = case["size"][2] == 1
        full = case["times"]["Automatic, " + ("8" if plane else "26")]
        allocated = median(case, "Automatic with allocation, " + ("8" if plane else "26"))
        rows.append(
            [name_of(case), shape(case), f"{floor:.4f}"]
            + [ratio(median(case, name), floor) for name in PAPER]
            + [ratio(median(case, name), floor) for name in ("BUF_IC renumbered", "BKE_IC renumbered")]
            + [ratio(full["median"], floor)]
            + [f"{full['lower quartile'] / floor:.2f} .. {full['upper quartile'] / floor:.2f}"]
            + [ratio(automatic(case, True), floor), f"{full['median']:.4f}"]
            + ["" if allocated is None else f"{allocated:.4f}"]
        )
    return table(header, rows)


def host_table(cases):
    header = ["input", "size", "connectivity", "types", "write floor", "ITK", "CUDA", "quartiles", "x floor", "CPU"]
    header += ["ITK / CUDA", "ITK / CPU"]
    rows = []
    for case in cases:
        for name, time in case["times"].items():
            if not name.startswith("host to host, CUDA"):
                continue
            _, _, neighbors, types = name.split(", ")
            floor = median(case, f"writing {2 if types.endswith('16') else 4} bytes per pixel")
            itk = median(case, f"host to host, ITK, {neighbors}")
            cpu = median(case, name.replace("CUDA", "CPU"))
            rows.append(
                [name_of(case), shape(case), neighbors, types]
                + [f"{value:.2f}" for value in (floor, itk, time["median"])]
                + [f"{time['lower quartile']:.2f} .. {time['upper quartile']:.2f}"]
                + [f"{value:.2f}" for value in (time["median"] / floor, cpu)]
                + [f"{itk / time['median']:.1f}", f"{itk / cpu:.1f}"]
            )
    return table(header, rows)


def step_tables(cases):
    parts = []
    for case in cases:
        for name, steps in case.get("steps", {}).items():
            if name.startswith("host to host"):
                continue
            rows = [[step["step"], f"{step['median'] * 1e3:.1f}"] for step in steps]
            parts.append(f"\n{case['name']}, {name}, microseconds:\n\n" + table(["step", "median"], rows))
    return "".join(parts)


def analysis_tables(cases):
    """Return tables of the time of tables and selections, as Markdown.

    The device's times are multiples of the time of the labels alone.
    """
    rows = []
    for case in cases:
        for face in (False, True):
            neighbors = ("4" if case["size"][2] == 1 else "6") if face else ("8" if case["size"][2] == 1 else "26")
            labels = median(case, f"labels, {neighbors}")
            if labels is None:
                continue
            both = median(case, f"labels and table, {neighbors}")
            alone = median(case, f"table without labels, {neighbors}")
            rows.append([title(case), neighbors, f"{labels:.3f}", f"{both / labels:.2f}", f"{alone / labels:.2f}"])
    tables = [table(["image", "neighbors", "labels, ms", "labels and table", "table alone"], rows)]

    names = ["CUDA, {}, labels", "CUDA, {}, sorted labels", "CUDA, {}, table", "CPU, {}, sorted labels",
             "CPU, {}, table", "CPU, {}, relabel", "ITK, {}, sorted labels", "ITK, {}, relabel"]
    rows = []
    for case in cases:
        for neighbors in ("26", "6", "8", "4"):
            times = [median(case, "host to host, " + name.format(neighbors)) for name in names]
            if times[0] is not None:
                rows.append([title(case), neighbors] + [f"{time:.1f}" for time in times])
    header = ["image", "neighbors"] + [name.replace(", {},", ",") for name in names]
    tables.append(table(header, rows))
    return "\n\n".join(tables)


def draw_steps(cases, path):
    """Draws a stacked bar of the steps on the device, for each algorithm and large volume."""
    chosen = [case for case in cases if any(not name.startswith("host") for name in case.get("steps", {}))]
    chosen = [case for case in chosen if case["size"][2] > 1 and case["size"][0] >= 500]
    if not chosen:
        return
    # Each group lists parts of the names of its kernel functors. KeepSums, RecordRuns, RunNumbering, Renumbering and
    # RunExpansion are names of older results. StorePrefix also ranks first pixels, but takes little time there.
    groups = [
        ("allocation", ("allocation",)),
        (
            "packing, counting",
            ("Foreground", "RunUnionFind::StartsInWord", "RunUnionFind::StoreRuns", "StorePrefix")
            + ("RunUnionFind::RecordRuns", "KeepSums"),
        ),
        ("linking", ("Initialization", "InitializationByRun", "InitializationByWord")),
        ("compression", ("Compression",)),
        ("union", ("Reduction", "Merge")),
        ("ranking", ("Ranking", "RunUnionFind::Labeling", "Fill", "RunNumbering", "Renumbering")),
        ("label write-out", ("RunLabelWriteOut", "FinalLabeling", "WriteLabels", "RunExpansion")),
    ]

    def group(step):
        if "WriteLabels" in step or "Expansion" in step:
            return "label write-out"
        for name, parts in groups:
            if any(part in step for part in parts):
                return "compression" if "Compression" in step else name
        return "other"

    names = [name for name, _ in groups] + ["other"]
    figure, axes = plt.subplots(1, len(chosen), figsize=(3.2 * len(chosen), 4), sharey=True, squeeze=False)
    for axis, case in zip(axes[0], chosen):
        axis.use_sticky_edges = False  # a bar of height 0 would leave no margin above the bars
        algorithms = [name for name in case["steps"] if not name.startswith("host")]
        bottoms = [0.0] * len(algorithms)
        for color, name in zip(plt.cm.tab10.colors, names):
            heights = [
                sum(step["median"] for step in case["steps"][algorithm] if group(step["step"]) == name)
                for algorithm in algorithms
            ]
            axis.bar(range(len(algorithms)), heights, bottom=bottoms, color=color, label=name)
            bottoms = [bottom + height for bottom, height in zip(bottoms, heights)]
        labels = [algorithm.replace("_IC renumbered", "").replace("runs", "ours") for algorithm in algorithms]
        axis.set_xticks(range(len(algorithms)), labels, rotation=30, ha="right")
        axis.axhline(median(case, "floor"), color="black", linestyle=":", linewidth=1)
        axis.set_title(title(case), fontsize=10)
    axes[0][0].set_ylabel("ms, dotted: floor")
    axes[0][0].set_ylim(bottom=0)
    axes[0][-1].legend(fontsize=8)
    save(figure, path)


def draw_random(cases, parameter, fixed, path, label):
    """Draws the ratio to the floor over density or granularity, for a plane and a volume. The other one is fixed."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for axis, depth in zip(axes, (False, True)):
        chosen = [
            case
            for case in cases
            if (case["size"][2] > 1) == depth and all(case["parameters"][key] == value for key, value in fixed.items())
        ]
        chosen.sort(key=lambda case: case["parameters"][parameter])
        if not chosen:
            return
        at = [case["parameters"][parameter] for case in chosen]
        floors = [median(case, "floor") for case in chosen]
        for name, short in PAPER.items():
            ratios = [median(case, name) / floor for case, floor in zip(chosen, floors)]
            axis.plot(at, ratios, "o--", markersize=3, color=COLORS[short], label=short + ", labels not consecutive")
        for face, short in ((False, "ours"), (True, "ours, face")):
            ratios = [automatic(case, face) / floor for case, floor in zip(chosen, floors)]
            axis.plot(at, ratios, "o-", markersize=3, color=COLORS[short], label=short)
        constant = ", ".join(f"{key} {value}" for key, value in fixed.items())
        axis.set_title(f"random {shape(chosen[0])}, {constant}", fontsize=10)
        axis.set_xlabel(label)
        axis.set_ylim(bottom=0)
    axes[0].set_ylabel("time / floor")
    axes[0].legend(fontsize=8)
    save(figure, path)


def draw_size(cases, path):
    """Draws the times over the number of pixels."""
    figure, axis = plt.subplots(figsize=(5.5, 3.8))
    pixels = [case["size"][0] * case["size"][1] * case["size"][2] for case in cases]
    for name, short in PAPER.items():
        axis.plot(pixels, [median(case, name) for case in cases], "o--", markersize=3, color=COLORS[short], label=short)
    axis.plot(pixels, [automatic(case) for case in cases], "o-", markersize=3, color=COLORS["ours"], label="ours")
    axis.plot(pixels, [median(case, "floor") for case in cases], ":", color=COLORS["floor"], label="floor")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("pixels")
    axis.set_ylabel("ms")
    axis.set_title(f"{cases[0]['parameters']['image']} in cubes, device to device", fontsize=10)
    axis.legend(fontsize=8)
    save(figure, path)


def draw_host(cases, path):
    """Draws a stacked bar of the stages from host to host, for each large volume, backend and output type."""
    chosen = [case for case in cases if case["size"][0] >= 500 and case["size"][2] > 1]
    if not chosen or not any(name.startswith("host to host") for name in chosen[0].get("steps", {})):
        return
    bars = []
    for case in chosen:
        for backend in ("CUDA", "CPU"):
            for types in ("uint8 to uint32", "uint8 to uint16"):
                name = f"host to host, {backend}, 26, {types}"
                if name in case["steps"]:
                    floor = median(case, f"writing {2 if types.endswith('16') else 4} bytes per pixel")
                    label = f"{title(case)}, {backend}, {types.split(' ')[2]}"
                    bars.append((label, case["steps"][name], floor))
    figure, axis = plt.subplots(figsize=(7, 0.28 * len(bars) + 1))
    for row, (_, steps, floor) in enumerate(bars):
        left = 0.0
        for step in steps:
            axis.barh(row, step["median"], left=left, color=STAGES[step["step"]], label=step["step"] if row == 0 else None)
            left += step["median"]
        axis.plot([floor, floor], [row - 0.4, row + 0.4], color="black", linewidth=1.5)
    axis.set_yticks(range(len(bars)), [label for label, _, _ in bars], fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel("ms from host to host; black: the floor of writing the output")
    axis.legend(fontsize=8, loc="upper right", ncols=3, bbox_to_anchor=(1.0, 1.08))
    save(figure, path)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    results = pathlib.Path(sys.argv[1])
    pictures = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else sys.argv[1])
    loaded = {path.stem: json.loads(path.read_text()) for path in sorted(results.glob("*.json"))}
    loaded.pop("rivals", None)  # see doc/figures/chart.py
    if not loaded:
        sys.exit(f"{results} has no results: run the benchmark with --json {results}/average.json, and so on")
    pictures.mkdir(parents=True, exist_ok=True)
    text = "Device to device: multiples of the floor, a kernel that reads 1 byte and writes 4 bytes per pixel; medians.\n"
    surveys = [result for result in loaded.values() if result.get("protocol") == "survey"]
    loaded = {name: result for name, result in loaded.items() if result.get("protocol") != "survey"}
    if surveys:
        survey = Survey(surveys)
        text += survey.tables()
        survey.draw(pictures)
    for protocol, result in loaded.items():
        cases = result["cases"]
        text += f"\n## {protocol}\n\n{result['device']}; {result['note']}\n\n"
        if protocol == "analysis":
            text += analysis_tables(cases) + step_tables(cases)
            continue
        text += device_table(cases)
        host = [case for case in cases if any(name.startswith("host to host") for name in case["times"])]
        if any("host to host, ITK, 26" in case["times"] or "host to host, ITK, 8" in case["times"] for case in host):
            text += "\nHost to host, milliseconds:\n\n" + host_table(host)
        text += step_tables(cases)
        if protocol == "average":
            draw_steps(cases, pictures / "steps.png")
            draw_host(cases, pictures / "host.png")
        elif protocol == "random":
            draw_random(cases, "density", {"granularity": 1}, pictures / "density.png", "density, %")
            draw_random(cases, "granularity", {"density": 50}, pictures / "granularity.png", "granularity")
        elif protocol == "size":
            draw_size(cases, pictures / "size.png")
    (results / "tables.md").write_text(text)


if __name__ == "__main__":
    main()
