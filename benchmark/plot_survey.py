# SPDX-License-Identifier: Apache-2.0
"""Makes the tables and figures of the command survey. plot.py calls it."""

import math

from plot_support import median, plt, save, shape, spread, table


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
        """Draws a curve for each algorithm and connectivity: all of them above, and the fast ones below.

        Times over numbers of pixels are in milliseconds, with 32 bits per label.
        """
        panels = [connectivity for connectivity in self.CONNECTIVITIES if self.select(test, connectivity)]
        if not panels:
            return
        is_size = parameter == "pixels"
        width = 3.7 * len(panels) + 1.6
        figure, axes = plt.subplots(2, len(panels), figsize=(width, 9.2), squeeze=False, sharex="col")
        handles = {}
        for (above, below), connectivity in zip(axes.T, panels):
            cases = sorted(self.select(test, connectivity), key=lambda case: case["parameters"][parameter])
            curves = {}
            for name in self.names():
                points = []
                for case in cases:
                    time = median(case, f"{name}, {connectivity}")
                    if time is not None:
                        scale = 1.0 if is_size else median(case, "floor")
                        points.append((case["parameters"][parameter], time / scale))
                if points:
                    curves[name] = points
                    for axis in (above, below):
                        handles[name] = axis.plot(*zip(*points), marker=".", markersize=3, **self.style(name))[0]
            if is_size:
                floors = [(case["parameters"][parameter], median(case, "floor")) for case in cases]
                for axis in (above, below):
                    axis.set_xscale("log")
                    handles["floor"] = axis.plot(*zip(*floors), color="tab:gray", linewidth=3, alpha=0.4)[0]
            else:
                below.set_xticks([case["parameters"][parameter] for case in cases][:: 1 if len(cases) < 9 else 2])
            above.set_yscale("log")
            self.close_up(below, curves)
            below.set_xlabel(label)
            size = "" if is_size else f", {shape(cases[0])}"
            above.set_title(f"{connectivity} neighbors{size}", fontsize=9)
        for axis, what in zip(axes[:, 0], ("all algorithms", "the fast algorithms")):
            axis.set_ylabel(("ms, " if is_size else "time / floor, ") + what)
        names = [name for name in self.names() + ["floor"] if name in handles]
        figure.legend([handles[name] for name in names], names, fontsize=7, loc="center right")
        save(figure, path, right=1 - 1.3 / width)

    def close_up(self, axis, curves):
        """Limits the axis to the fast curves, and writes their names at their ends."""
        at_x = {}
        for points in curves.values():
            for x, y in points:
                at_x.setdefault(x, []).append(y)
        fastest = [min(values) for values in at_x.values()]
        low, high = (math.log(limit) for limit in (0.85 * min(fastest), 2.5 * max(fastest)))
        last = max(at_x)
        ends = {name: math.log(points[-1][1]) for name, points in curves.items() if points[-1][0] == last}
        ends = {name: (y - low) / (high - low) for name, y in ends.items() if y < high}
        for name, y in zip(ends, spread(list(ends.values()), 0.028)):
            style = self.style(name)
            axis.annotate(
                name,
                xy=(1.0, y),
                xytext=(3, 0),
                xycoords="axes fraction",
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=style["color"],
                annotation_clip=False,
            )
        axis.set_yscale("log")
        axis.set_ylim(math.exp(low), math.exp(high))
        axis.yaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_minor_formatter("{x:g}" if high - low < math.log(12) else "")
        axis.tick_params(axis="y", which="minor", labelsize=7)
        axis.set_xlim(min(at_x), last)

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
            axis.set_ylim(0.7 * min(speeds.values()), 3 * max(speeds.values()))
            axis.yaxis.set_major_formatter("{x:g}")
            axis.yaxis.set_minor_formatter("")
            axis.axhline(speeds[self.OURS], color="black", linestyle="--", linewidth=1)
            bottom, top = (math.log(limit) for limit in axis.get_ylim())
            last_year = max(self.years.values()) + 1.8
            axis.text(last_year, speeds[self.OURS], " ours", fontsize=7, va="center")
            record = 0.0
            records = []
            for year in sorted(set(self.years[name] for name in speeds if name != self.OURS)):
                names = [row[0] for row in rows if self.years.get(row[0]) == year]  # the fastest first
                complete = [row[0] for row in rows if row[0] in names and row[3] == count]
                record = max([record] + [speeds[name] for name in complete])
                records.append((year, record))
                heights = [(math.log(speeds[name]) - bottom) / (top - bottom) for name in names]
                for name, height in zip(names, spread(heights, 0.037)):
                    style = "full" if name in complete else "none"
                    y = math.exp(bottom + height * (top - bottom))
                    axis.plot([year, year + 0.3], [speeds[name], y], color="tab:gray", linewidth=0.5)
                    axis.plot(year, speeds[name], "o", color="tab:blue", markersize=4, fillstyle=style)
                    axis.text(year + 0.35, y, name, fontsize=7, va="center")
            axis.step(*zip(*records), where="post", color="tab:blue", alpha=0.3)
            axis.set_xlim(2009.5, last_year)
            axis.set_xlabel("year of the first publication, for any number of neighbors")
            axis.set_ylabel("speed, % of the floor")
            axis.set_title(f"{connectivity} neighbors, {count} images; ours has ITK's labels", fontsize=10)
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
