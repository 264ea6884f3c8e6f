# SPDX-License-Identifier: Apache-2.0
"""What the figures and tables of plot.py and plot_survey.py share."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def shape(case):
    return " x ".join(str(n) for n in case["size"] if n > 1)


def median(case, name):
    time = case["times"].get(name)
    return time["median"] if time else None


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def spread(positions, gap):
    """Moves texts apart that would overlap. Returns positions with a distance of at least `gap` from each other.

    The order stays. Texts that overlap form a group, whose middle stays, too.
    """
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    groups = []  # [first position, indices]
    for i in order:
        groups.append([positions[i], [i]])
        while len(groups) > 1 and groups[-2][0] + gap * len(groups[-2][1]) > groups[-1][0]:
            _, members = groups.pop()
            members = groups[-1][1] + members
            middle = sum(positions[member] for member in members) / len(members)
            groups[-1] = [middle - gap * (len(members) - 1) / 2, members]
    result = list(positions)
    for first, members in groups:
        for place, member in enumerate(members):
            result[member] = first + gap * place
    return result


def save(figure, path, right=1.0, bottom=0.0):
    """Saves a figure. `right` and `bottom` are the ends of the axes, as shares of the width and the height."""
    figure.tight_layout(rect=(0, bottom, right, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)
