#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Label the fluid in and around a brain, tabulate the components and draw them.

    label_head.py [--image IMAGE] [--mask MASK] [--upper 40] [--output head.png]

The default is the head MRI of Debian's package insighttoolkit5-examples. The fluid is the dark
voxels inside the brain mask. Needs SimpleITK, pandas and matplotlib.
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import SimpleITK as sitk

import cuda_connected_components as ccc

DATA = "/usr/share/doc/insighttoolkit5-examples/examples/Data/KmeansTest_"
# Colors of Okabe and Ito that color-blind readers can tell apart: 5 components, and all others.
COLORS = ["#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00", "#F0E442"]


def draw(image, labels, table, path):
    """Draw three slices through the largest component, and a histogram of the volumes."""
    values, ranks = sitk.GetArrayViewFromImage(image), sitk.GetArrayViewFromImage(labels)
    window = dict(vmin=np.percentile(values, 50), vmax=np.percentile(values, 99.5))
    head = np.nonzero(values > window["vmax"] / 2)
    box = tuple(slice(indices.min(), indices.max() + 1) for indices in head)
    values, ranks = values[box], ranks[box]
    z, y, x = (int(np.median(indices)) for indices in np.nonzero(ranks == 1))
    planes = {"axial": np.s_[z], "coronal": np.s_[:, y], "sagittal": np.s_[:, :, x]}
    width, height, depth = image.GetSpacing()
    aspects = [height / width, depth / width, depth / height]
    colors = matplotlib.colors.ListedColormap(COLORS)

    figure, axes = plt.subplots(1, 4, figsize=(13, 3.4), layout="constrained")
    for axis, (name, plane), aspect in zip(axes, planes.items(), aspects):
        options = dict(aspect=aspect, origin="upper" if name == "axial" else "lower")
        axis.imshow(values[plane], "gray", **window, **options)
        shown = np.ma.masked_equal(np.minimum(ranks[plane], len(COLORS)), 0)
        axis.imshow(shown, colors, vmin=1, vmax=len(COLORS), interpolation="nearest", **options)
        axis.set(title=name, xticks=[], yticks=[], facecolor="black", adjustable="datalim")
    names = [f"{volume:,.0f} mm³" for volume in table["area"][: len(COLORS) - 1]] + ["all others"]
    patches = [matplotlib.patches.Patch(facecolor=color) for color in COLORS]
    axes[3].legend(patches, names, title="largest components", frameon=False)
    bins = table["area"].min() * 2.0 ** np.arange(12)
    axes[3].hist(table["area"], bins, color="0.6", edgecolor="white")
    axes[3].set(xscale="log", yscale="log", xlabel="volume in mm³", ylabel="components")
    axes[3].set_title(f"{len(table):,} components")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--image", default=DATA + "T1UCharRaw.nii.gz")
    parser.add_argument("--mask", default=DATA + "T1RawSkullStrip.nii.gz")
    parser.add_argument("--upper", type=float, default=40, help="highest value of fluid")
    parser.add_argument("--output", default="head.png", help="the picture")
    arguments = parser.parse_args()

    image = sitk.DICOMOrient(sitk.ReadImage(arguments.image), "LPS")  # left, posterior, superior
    mask = sitk.DICOMOrient(sitk.ReadImage(arguments.mask), "LPS")
    where = {"connectivity": 6, "upper": arguments.upper, "mask": mask}
    labels = ccc.relabel(ccc.label(image, **where))  # label 1 is the largest component
    table = pd.DataFrame(ccc.component_statistics(image, spacing="image", **where))
    table = table.sort_values("area", ascending=False, kind="stable", ignore_index=True)
    table["label"] = table.index + 1  # the labels of relabel()
    columns = ["label", "area", "centroid-0", "centroid-1", "centroid-2"]
    print(table[columns].head().round(1).to_string(index=False))
    draw(image, labels, table, arguments.output)


if __name__ == "__main__":
    main()
