#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tables (Markdown) and figures (PNG) from the results (JSON) of the benchmark. Needs matplotlib.

    plot.py RESULTS [FIGURES]

RESULTS is a folder with one or more of average.json, analysis.json, random.json, size.json and patterns.json, and of
results of the command survey, whose names start with "survey". Results of several runs of the survey are drawn as one.
Writes RESULTS/tables.md, and the figures to the folder FIGURES (default: RESULTS).
"""

import json
import math
import pathlib
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

PAPER = {"BUF_IC as in the paper": "BUF", "BKE_IC as in the paper": "BKE"}
COLORS = {"BUF": "tab:blue", "BKE": "tab:orange", "ours": "tab:green", "ours, face": "tab:olive", "floor": "tab:gray"}
# "expand" is the name of "write labels" in older results.
STAGES = {"pack": "tab:blue", "label": "tab:orange", "write labels": "tab:green", "expand": "tab:green"}


def shape(case):
    return " x ".join(str(n) for n in case["size"] if n > 1)


def name_of(case):
    """Returns the name of a case without its size."""
    words = case["name"].split(" ")
    return " ".join(word for word in words if word != "upsampled" and not re.fullmatch(r"\d+(x\d+)+", word))


def title(case):
    name = name_of(case)
    side = case["size"][0]
    return name + (f" {side}" + ("³" if case["size"][2] > 1 else "²") if case["size"][1] == side else "")


def median(case, name):
    time = case["times"].get(name)
    return time["median"] if time else None


def automatic(case, face=False):
    """Returns the median time of Automatic with full or face connectivity."""
    plane = case["size"][2] == 1
    return median(case, "Automatic, " + (("4" if plane else "6") if face else ("8" if plane else "26")))


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


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


class Survey:
    """The results of the command survey.

    A curve is the name of a time without its connectivity, such as "UF" or "UF renumbered". "floor" is the unit of most
    figures: see the first line of tables.md.
    """

    CONNECTIVITIES = ("8", "4", "26", "6")
    OURS = "ours"
    # The ways to measure components, and the labels with which each is compared.
    LABELS_OF = {
        "LE early": "LE ordinary",
        "LE late": "LE ordinary",
        "TM early": "TM ordinary",
        "TM late": "TM ordinary",
        "FLSL features": "FLSL",
        "FLSL+CD features": "FLSL",
        "HA features": "HA",
        "ours, labels and table": "ours",
        "ours, table": "ours",
    }
    # Each group lists parts of the names of its kernel functors. The first group that fits gets a step.
    STEPS = {
        "ITK's labels": "Ranking:: Renumbering:: StorePrefix RunUnionFind::Labeling",
        "wait for the host": "ChangeFlag",
        "write-out": "FinalLabeling WriteLabels UpdateLabels ::Labeling Relabel WriteOut",
        "compression": "Compress Compression TransitiveClosure",
        "initialization": "Init LabelPixelsByIndex Prelabel FindRuns RelativeLabeling Foreground Starts StoreRuns",
        "tiles in shared memory": "LocalMerge LocalLabeling LabelTiles TileLabeling StripLabeling LocalNeighbor",
        "union, propagation": "Merge Scan Propagate Reduction Unif Border Global Sweep Selection Extend",
    }

    def __init__(self, results):
        """Joins the results of several runs."""
        self.cases = [case for result in results for case in result["cases"]]
        self.algorithms = results[0]["algorithms"]  # in the order of their years
        self.years = {algorithm["name"]: algorithm["year"] for algorithm in self.algorithms}
        self.authors = {algorithm["name"]: algorithm["authors"] for algorithm in self.algorithms}
        self.machine = "; ".join(dict.fromkeys(", ".join((r["device"], r["note"], r["date"])) for r in results))

    def names(self):
        return [algorithm["name"] for algorithm in self.algorithms] + [self.OURS]

    def select(self, test, connectivity):
        """Returns the cases of a test in planes or volumes."""
        is_plane = connectivity in ("8", "4")
        return [c for c in self.cases if c["parameters"]["test"] == test and (c["size"][2] == 1) == is_plane]

    @staticmethod
    def ratio(case, curve, connectivity):
        """Returns a time as a multiple of the floor. Returns None if it was not measured."""
        time = median(case, f"{curve}, {connectivity}")
        return None if time is None else time / median(case, "floor")

    def mean(self, cases, curve, connectivity):
        """Returns the geometric mean of the multiples of the floor, and the number of images."""
        ratios = [self.ratio(case, curve, connectivity) for case in cases]
        ratios = [value for value in ratios if value]
        if not ratios:
            return None, 0
        return math.exp(sum(math.log(value) for value in ratios) / len(ratios)), len(ratios)

    def renumbered(self, name):
        return name if name == self.OURS else name + " renumbered"

    def style(self, name):
        """Returns the style of an algorithm's curve."""
        if name == self.OURS:
            return {"color": "black", "linewidth": 2.2, "linestyle": "-"}
        index = self.names().index(name)
        dashes = ("-", "--", ":")[index // 10 % 3]
        return {"color": plt.cm.tab10.colors[index % 10], "linewidth": 1.1, "linestyle": dashes}

    def means(self, connectivity):
        """Returns (name, mean, mean with ITK's labels, images) of the test average.

        The fastest comes first. Algorithms that were skipped on some images come last: their means are over easier
        images.
        """
        cases = self.select("average", connectivity)
        rows = []
        for name in self.names():
            mean, images = self.mean(cases, name, connectivity)
            if mean is not None:
                consecutive, _ = self.mean(cases, self.renumbered(name), connectivity)
                rows.append((name, mean, consecutive, images))
        return sorted(rows, key=lambda row: (row[3] < len(cases), row[1])), len(cases)

    def tables(self):
        text = f"\n## survey\n\n{self.machine}\n"
        for connectivity in self.CONNECTIVITIES:
            rows, count = self.means(connectivity)
            if not rows:
                continue
            text += f"\nTest average, {connectivity} neighbors, {count} images, geometric means:\n\n"
            header = ["algorithm", "authors", "year", "labels", "with ITK's labels", "images"]
            text += table(
                header,
                [
                    [name, self.authors.get(name, ""), str(self.years.get(name, "")), f"{mean:.2f}"]
                    + ["" if consecutive is None else f"{consecutive:.2f}", str(images)]
                    for name, mean, consecutive, images in rows
                ],
            )
        for connectivity in ("8", "4"):
            rows = self.properties(connectivity)
            families = sorted({family for _, means in rows for family in means})
            if rows:
                text += f"\nRidges, {connectivity} neighbors, milliseconds, mean of each family:\n\n"
                body = [
                    [name] + [f"{means[family]:.4f}" if family in means else "" for family in families]
                    for name, means in rows
                ]
                text += table(["way"] + families, body)
        skipped = {}
        for case in self.cases:
            for name, reason in case.get("skipped", {}).items():
                if " renumbered" not in name:
                    skipped.setdefault((case["parameters"]["test"], name, reason), []).append(case["name"])
        if skipped:
            rows = [[*key, str(len(images)), images[0]] for key, images in skipped.items()]
            text += "\nSkipped:\n\n" + table(["test", "algorithm", "reason", "images", "first image"], rows)
        wrong = [(case["name"], name) for case in self.cases for name in case.get("wrong", [])]
        if wrong:
            text += "\nWRONG LABELS:\n\n" + table(["image", "algorithm"], wrong)
        return text

    def properties(self, connectivity):
        """Returns the mean time in milliseconds of each way to measure components, for each family of ridges."""
        cases = self.select("ridges", connectivity)
        ways = dict.fromkeys(name for pair in self.LABELS_OF.items() for name in reversed(pair))
        rows = []
        for way in ways:
            means = {}
            for family in {case["parameters"]["family"] for case in cases}:
                members = [case for case in cases if case["parameters"]["family"] == family]
                times = [median(case, f"{way}, {connectivity}") for case in members]
                if times and None not in times:
                    means[family] = sum(times) / len(times)
            if means:
                rows.append((way, means))
        return rows

    def draw(self, pictures):
        """Draws all figures for which there are results."""
        self.draw_average(pictures / "survey-average.png")
        self.draw_steps(pictures / "survey-steps.png")
        for test, parameter, label in (
            ("density", "density", "density, %"),
            ("granularity", "granularity", "granularity"),
            ("size", "pixels", "pixels"),
        ):
            self.draw_curves(test, parameter, label, pictures / f"survey-{test}.png")
        self.draw_timeline(pictures / "survey-timeline.png")
        self.draw_properties(pictures / "survey-properties.png")

    def draw_average(self, path):
        """Draws two bars for each algorithm: labels as in the paper, and ITK's labels."""
        panels = [(connectivity, *self.means(connectivity)) for connectivity in self.CONNECTIVITIES]
        panels = [panel for panel in panels if panel[1]]
        if not panels:
            return
        height = 0.26 * max(len(rows) for _, rows, _ in panels[:2]) + 1
        figure, axes = plt.subplots(1, len(panels), figsize=(4.2 * len(panels), height), squeeze=False)
        for axis, (connectivity, rows, count) in zip(axes[0], panels):
            for row, (name, mean, consecutive, images) in enumerate(rows):
                is_ours = name == self.OURS
                hatch = "" if images == count else "////"
                color = "black" if is_ours else "tab:blue"
                axis.barh(row, mean, color=color, height=-0.4, align="edge", hatch=hatch)
                label = f" {mean:.1f}"
                if consecutive is not None and not is_ours:
                    axis.barh(row, consecutive, color="tab:orange", height=0.4, align="edge", hatch=hatch)
                    label += f", {consecutive:.1f}"
                if images < count:
                    label += f" ({images} of {count})"
                axis.text(max(mean, consecutive or 0), row, label, va="center", fontsize=7)
            axis.set_yticks(range(len(rows)), [row[0] for row in rows], fontsize=8)
            axis.set_ylim(-0.7, height / 0.26 - 3)
            axis.invert_yaxis()
            axis.set_xscale("log")
            axis.set_xlim(1, 8 * max(max(row[1], row[2] or 0) for row in rows))
            axis.set_xlabel("time / floor")
            axis.set_title(f"{connectivity} neighbors, {count} images", fontsize=10)
            axis.spines[["top", "right"]].set_visible(False)
        colors = {"labels as in the paper": "tab:blue", "ITK's labels": "tab:orange", "ours, ITK's labels": "black"}
        bars = [plt.Rectangle((0, 0), 1, 1, color=color) for color in colors.values()]
        axes[0][-1].legend(bars, list(colors), fontsize=8, loc="lower right")
        save(figure, path)

    def group(self, step):
        for name, parts in self.STEPS.items():
            if any(part in step for part in parts.split()):
                return name
        return "other"

    def draw_steps(self, path):
        """Draws a stacked bar for each algorithm: the mean of each group of steps over the images."""
        groups = list(reversed(self.STEPS)) + ["other"]
        panels = []
        for connectivity in ("8", "26"):
            rows = []
            cases = self.select("average", connectivity)
            for name in self.names():
                key = f"{name}, {connectivity}"
                measured = [case for case in cases if key in case.get("steps", {})]
                if measured and len(measured) == len(cases):
                    sums = dict.fromkeys(groups, 0.0)
                    for case in measured:
                        for step in case["steps"][key]:
                            group = self.group(step["step"])
                            sums[group] += step["median"] / median(case, "floor") / len(cases)
                    rows.append((name, sums))
            if rows:
                panels.append((connectivity, sorted(rows, key=lambda row: sum(row[1].values()))))
        if not panels:
            return
        height = 0.25 * max(len(rows) for _, rows in panels) + 1.4
        figure, axes = plt.subplots(1, len(panels), figsize=(6.2 * len(panels), height), squeeze=False)
        for axis, (connectivity, rows) in zip(axes[0], panels):
            totals = [sum(sums.values()) for _, sums in rows]
            limit = 4 * totals[len(totals) // 2]
            for color, group in zip(plt.cm.tab10.colors, groups):
                lefts = [sum(sums[before] for before in groups[: groups.index(group)]) for _, sums in rows]
                axis.barh(range(len(rows)), [sums[group] for _, sums in rows], left=lefts, color=color, label=group)
            for row, total in enumerate(totals):
                box = {"facecolor": "white", "edgecolor": "none", "pad": 1} if total > limit else None
                axis.text(min(total, limit), row, f" {total:.1f}", va="center", fontsize=7, bbox=box)
            axis.set_xlim(0, 1.12 * min(limit, max(totals)))
            axis.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
            axis.invert_yaxis()
            axis.set_xlabel("time / floor, mean of the images; long bars are cut")
            axis.set_title(f"{connectivity} neighbors", fontsize=10)
        axes[0][0].legend(fontsize=8, loc="upper right")
        save(figure, path)

    def draw_curves(self, test, parameter, label, path):
        """Draws a curve for each algorithm and connectivity. Times over numbers of pixels are in milliseconds."""
        panels = [connectivity for connectivity in self.CONNECTIVITIES if self.select(test, connectivity)]
        if not panels:
            return
        is_size = parameter == "pixels"
        figure, axes = plt.subplots(1, len(panels), figsize=(3.7 * len(panels) + 1.6, 4.6), squeeze=False)
        handles = {}
        for axis, connectivity in zip(axes[0], panels):
            cases = sorted(self.select(test, connectivity), key=lambda case: case["parameters"][parameter])
            for name in self.names():
                points = []
                for case in cases:
                    time = median(case, f"{name}, {connectivity}")
                    if time is not None:
                        scale = 1.0 if is_size else median(case, "floor")
                        points.append((case["parameters"][parameter], time / scale))
                if points:
                    x, y = zip(*points)
                    handles[name] = axis.plot(x, y, marker=".", markersize=3, **self.style(name))[0]
            if is_size:
                axis.set_xscale("log")
                floors = [median(case, "floor") for case in cases]
                x = [case["parameters"][parameter] for case in cases]
                handles["floor"] = axis.plot(x, floors, color="tab:gray", linewidth=3, alpha=0.4)[0]
            axis.set_yscale("log")
            axis.set_xlabel(label)
            size = "" if is_size else f", {shape(cases[0])}"
            axis.set_title(f"{connectivity} neighbors{size}", fontsize=9)
        axes[0][0].set_ylabel("ms" if is_size else "time / floor")
        names = [name for name in self.names() + ["floor"] if name in handles]
        figure.legend([handles[name] for name in names], names, fontsize=7, loc="center right")
        save(figure, path, right=1 - 1.3 / (3.7 * len(panels) + 1.6))

    def draw_timeline(self, path):
        """Draws speed over the year of publication, for full connectivity."""
        panels = [(connectivity, *self.means(connectivity)) for connectivity in ("8", "26")]
        panels = [panel for panel in panels if panel[1]]
        if not panels:
            return
        figure, axes = plt.subplots(1, len(panels), figsize=(5.6 * len(panels), 4.2), squeeze=False)
        for axis, (connectivity, rows, count) in zip(axes[0], panels):
            speeds = {name: 100.0 / mean for name, mean, _, _ in rows}
            axis.set_yscale("log")
            axis.set_ylim(0.7 * min(speeds.values()), 1.5 * max(speeds.values()))
            axis.yaxis.set_major_formatter("{x:g}")
            axis.yaxis.set_minor_formatter("")
            axis.axhline(speeds[self.OURS], color="black", linestyle="--", linewidth=1)
            axis.text(2022.7, speeds[self.OURS], "ours, with ITK's labels", fontsize=8, ha="right", va="bottom")
            record = 0.0
            records = []
            for year in sorted(set(self.years[name] for name in speeds if name != self.OURS)):
                names = [row[0] for row in rows if self.years.get(row[0]) == year]  # the fastest first
                complete = [row[0] for row in rows if row[0] in names and row[3] == count]
                record = max([record] + [speeds[name] for name in complete])
                records.append((year, record))
                last = math.inf
                for name in names:
                    style = "full" if name in complete else "none"
                    axis.plot(year, speeds[name], "o", color="tab:blue", markersize=4, fillstyle=style)
                    # A text takes 4 % of the height of the axes, on a logarithmic scale.
                    bottom, top = (math.log(limit) for limit in axis.get_ylim())
                    at = min((math.log(speeds[name]) - bottom) / (top - bottom), last - 0.04)
                    y = math.exp(bottom + at * (top - bottom))
                    axis.text(year + 0.15, y, name, fontsize=7, va="center")
                    last = at
            axis.step(*zip(*records), where="post", color="tab:blue", alpha=0.3)
            axis.set_xlim(2009.5, max(self.years.values()) + 1.8)
            axis.set_xlabel("year of the first publication, for any number of neighbors")
            axis.set_ylabel("speed, % of the floor")
            axis.set_title(f"{connectivity} neighbors, {count} images", fontsize=10)
        save(figure, path)

    def draw_properties(self, path):
        """Draws the time of each way to measure components, and its multiple of the time of the labels alone."""
        rows = self.properties("8")
        if not rows:
            return
        families = sorted({family for _, means in rows for family in means})
        means = dict(rows)
        figure, axes = plt.subplots(1, 2, figsize=(12, 4.6))
        width = 0.85 / len(rows)
        for index, (name, by_family) in enumerate(rows):
            x = [families.index(family) + (index - len(rows) / 2) * width for family in by_family]
            color = plt.cm.tab20.colors[index % 20]
            axes[0].bar(x, list(by_family.values()), width=width, align="edge", color=color, label=name)
        axes[0].set_xticks(range(len(families)), families, rotation=20, fontsize=8)
        axes[0].set_yscale("log")
        axes[0].set_ylabel("ms, mean of the family")
        size = shape(self.select("ridges", "8")[0])
        axes[0].set_title(f"ridge patterns, {size}, 8 neighbors", fontsize=10)
        figure.legend(fontsize=7, ncols=7, loc="lower center")
        pairs = [(way, labels) for way, labels in self.LABELS_OF.items() if way in means and labels in means]
        for row, (way, labels) in enumerate(pairs):
            ratios = [means[way][family] / means[labels][family] for family in means[way] if family in means[labels]]
            if ratios:
                axes[1].barh(row, sum(ratios) / len(ratios), color="black" if way.startswith("ours") else "tab:blue")
                axes[1].plot(ratios, [row] * len(ratios), "o", color="tab:orange", markersize=3)
        axes[1].axvline(1.0, color="tab:gray", linestyle=":")
        axes[1].set_yticks(range(len(pairs)), [f"{way} / {labels}" for way, labels in pairs], fontsize=8)
        axes[1].invert_yaxis()
        axes[1].set_xlabel("time / time of the labels alone; dots: families")
        save(figure, path, bottom=0.09)


def save(figure, path, right=1.0, bottom=0.0):
    """Saves a figure. `right` and `bottom` are the ends of the axes, as shares of the width and the height."""
    figure.tight_layout(rect=(0, bottom, right, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)


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
