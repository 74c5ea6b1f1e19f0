# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the case study: bandwidth and gains beside the published ones, stacks, the queue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firesim.report.difference_svg import difference_svg

from regression.published.case_study.measure import LEVELS, Measured
from regression.support.experiment import Experiment
from regression.support.plotting import COLOURS, legend_below, new_figure, save_figure


def draw_steps(experiment: Experiment, rows: Sequence[Measured], label: str) -> Path:
    """Draw table 5.4: the bandwidth of each step, measured and published."""
    cores = sorted({row.cores for row in rows})
    figure, axes = new_figure(2, width=5.2)
    for number, count in enumerate(cores):
        mine = [row for row in rows if row.cores == count]
        known = [row for row in mine if row.step.published_gbps]
        places = range(len(mine))
        axes[0].plot(
            places,
            [row.gbps for row in mine],
            marker="o",
            color=COLOURS[number],
            label=f"{count} core{'s' * (count > 1)}",
        )
        axes[1].plot(
            range(len(known)),
            [(row.step.published_gbps or (0, 0))[count - 1] for row in known],
            marker="o",
            color=COLOURS[number],
            label=f"{count} core{'s' * (count > 1)}",
        )
    names = [row.step.name for row in rows if row.cores == cores[0]]
    for panel, title in ((axes[0], f"measured:\n{label}"), (axes[1], "published:\ntable 5.4")):
        panel.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=8)
        panel.set_xlim(-0.4, len(names) - 0.6)
        panel.set_ylim(bottom=0)
        panel.set_title(title, fontsize=9)
        panel.set_ylabel("TCP bandwidth (Gb/s)")
        panel.legend(loc="upper left", fontsize=8)
    return save_figure(figure, experiment.folder, "steps")


def draw_queue(experiment: Experiment, rows: Sequence[Measured]) -> Path:
    """Draw figure 5.5: how full the sender's queue of send requests is, step by step."""
    figure, axes = new_figure(width=7.0)
    width = 0.8 / len(rows)
    for number, row in enumerate(rows):
        at = [place + width * (number - len(rows) / 2 + 0.5) for place in range(len(LEVELS))]
        shares = [100 * share for share in row.occupancy]
        colour = COLOURS[number % len(COLOURS)]
        axes.bar(at, shares, width=width, color=colour, label=row.step.name)
    axes.set_xticks(range(len(LEVELS)), ["not empty", "≥ 1/4", "≥ 1/2", "≥ 3/4", "full"])
    axes.set_ylabel("share of cycles (%)")
    axes.set_title(f"NIC send requests of the sender, {rows[0].cores} core(s)")
    legend_below(axes)
    return save_figure(figure, experiment.folder, f"send-queue-{rows[0].cores}")


def draw_stacks(experiment: Experiment, rows: Sequence[Measured]) -> list[Path]:
    """Draw a flame graph of each step and node, coloured by what the step changed."""
    written = []
    before = rows[0]
    for row in rows:
        for node, stacks in row.stacks.items():
            title = f"{row.step.name}, {row.cores} core(s), {node} (red: more than the step before)"
            path = experiment.folder / f"flame-{row.folder}-{node}.svg"
            path.write_text(difference_svg(before.stacks[node], stacks, title), encoding="utf-8")
            written.append(path)
        before = row
    return written
