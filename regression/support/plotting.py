# SPDX-License-Identifier: BSD-3-Clause
"""Plots of the experiments: one look, each saved as PNG and as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from cycler import cycler

matplotlib.use("Agg")  # no display is needed or used

from matplotlib import pyplot

COLOURS = ("#2563eb", "#ea580c", "#0d9488", "#9333ea", "#ca8a04", "#64748b")
PUBLISHED = {"color": "#64748b", "linestyle": (0, (4, 3)), "linewidth": 1.4}
"""How a published curve is drawn beside a measured one."""

_STYLE: Any = {
    "figure.dpi": 120,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e2e5ea",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.edgecolor": "#8a93a0",
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.prop_cycle": cycler(color=COLOURS),
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "firesim",  # the same plot is the same file
}
pyplot.rcParams.update(_STYLE)


def new_figure(columns: int = 1, *, width: float = 6.4, height: float = 3.9) -> tuple[Any, Any]:
    """Return (figure, axes); with several columns, axes is an array. Sizes are in inches."""
    figure, axes = pyplot.subplots(
        1, columns, figsize=(width * columns, height), layout="constrained"
    )
    return figure, axes


def legend_below(axes: Any, columns: int = 3) -> None:
    """Put the legend under the axes, where it hides no data."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=columns, fontsize=8)


def save_figure(figure: Any, folder: Path, name: str) -> Path:
    """Write `NAME.svg` and `NAME.png` into `folder`, close the figure, return the PNG's path."""
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.png", dpi=160)
    pyplot.close(figure)
    return folder / f"{name}.png"
