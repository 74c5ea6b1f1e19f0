# SPDX-License-Identifier: BSD-3-Clause
"""What one NIC sends: a bare-metal program streams to another node, which checks every byte.

Two Rocket nodes on a top-of-rack switch with 2 us, 200 Gb/s links. The published NIC drives
100 Gb/s bare-metal, and over 150 Gb/s in its later form: the comparison claims the absolute value.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from firesim.report.console import Record, records

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.plotting import PUBLISHED, legend_below, new_figure, save_figure

GOAL_GBPS = 100.0
PUBLISHED_LATER_GBPS = 150.0
LINK_GBPS = 204.8
CLOCK_HZ = 3.2e9
FRAME_BYTES = (1_536, 9_216)
"""Frames as they are on the wire: a multiple of 8."""


def bandwidth_config(size: int, frame_bytes: int) -> dict[str, Any]:
    """Return two nodes of which the first streams `size` bytes in frames of `frame_bytes`."""
    return {
        "system": {"topology": "two_nodes"},
        "workload": {
            "node": {"program": "bandwidth"},
            "nodes": {
                "node0": {
                    "args": [
                        "role=sender",
                        "peer=${node1.mac}",
                        f"bytes={size}",
                        f"size={frame_bytes}",
                    ]
                },
                "node1": {"args": ["role=receiver"]},
            },
        },
        "simulation": {"throughput_interval_cycles": 1000},
    }


def console_record(console: str, kind: str, node: str) -> Record:
    """Return the measurement line of one kind that a program printed.

    Raises:
        ExperimentError: there is none.
    """
    for record in records(console):
        if record.kind == kind:
            return record
    raise ExperimentError(f"{node}: found no line `{kind} …` on its console.")


@dataclass(frozen=True)
class Stream:
    """One stream, as its receiver saw it: from the first frame to the last."""

    frame_bytes: int
    frames: float
    cycles: float
    errors: float
    drops: float

    @property
    def gbps(self) -> float:
        """Bandwidth in Gb/s; the first frame only starts the receiver's clock."""
        return (self.frames - 1) * self.frame_bytes * 8 * CLOCK_HZ / self.cycles / 1e9


def stream(experiment: Experiment, size: int, frame_bytes: int) -> Stream:
    """Run one stream and return what its receiver measured and checked."""
    run = run_cluster(experiment, f"frame-{frame_bytes}", bandwidth_config(size, frame_bytes))
    line = console_record(run.console("node1"), "received", "node1")
    values = [line.number(key) for key in ("frames", "cycles", "errors", "drops")]
    numbers = [value for value in values if value is not None]
    if len(numbers) != len(values):
        raise ExperimentError(f"node1: its line lacks frames, cycles, errors or drops: {line}.")
    return Stream(frame_bytes, *numbers)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bytes", type=int, default=0, help="bytes sent in each run")


@experiment_named("nic-bandwidth", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when one NIC sends at least 100 Gb/s of verified data."""
    size: int = experiment.arguments.bytes or (262_144 if experiment.quick else 2_097_152)
    streams = [stream(experiment, size, frame_bytes) for frame_bytes in FRAME_BYTES]
    rows, best = [], 0.0
    for made in streams:
        whole = made.frames * made.frame_bytes >= size
        verified = whole and made.errors == 0 and made.drops == 0
        best = max(best, made.gbps if verified else 0.0)
        rows.append(
            [
                f"{made.frame_bytes:,}",
                f"{made.frames * made.frame_bytes:,.0f}",
                f"{made.cycles:,.0f}",
                f"{made.gbps:.1f}",
                f"{made.gbps / LINK_GBPS:.0%}",
                "every word"
                if verified
                else f"{made.errors:,.0f} wrong, {made.drops:,.0f} dropped",
                f"{GOAL_GBPS:.0f}, later over {PUBLISHED_LATER_GBPS:.0f}",
            ]
        )
    experiment.table(
        "One NIC sends",
        [
            "frame (bytes, configured)",
            "received (bytes, measured)",
            "time (cycles, measured)",
            "bandwidth (Gb/s, measured)",
            "of the link",
            "verified",
            "published (Gb/s)",
        ],
        rows,
    )
    figure, axes = new_figure(width=5.2)
    names = [f"{made.frame_bytes:,}" for made in streams]
    axes.bar(names, [made.gbps for made in streams], width=0.5, label="measured, Rocket RTL")
    axes.axhline(GOAL_GBPS, **PUBLISHED, label="published: 100 Gb/s")
    axes.axhline(LINK_GBPS, color="#9333ea", linewidth=1, label="link: 204.8 Gb/s (configured)")
    axes.set_xlabel("frame (bytes)")
    axes.set_ylabel("bandwidth (Gb/s)")
    axes.set_title("One NIC, bare-metal, node to node")
    legend_below(axes, columns=2)
    experiment.note_file(save_figure(figure, experiment.folder, "nic-bandwidth"))
    experiment.keep(gbps={made.frame_bytes: made.gbps for made in streams}, best_gbps=best)
    return Verdict(best >= GOAL_GBPS, f"{best:.1f} Gb/s verified", f"{GOAL_GBPS:.0f} Gb/s")
