# SPDX-License-Identifier: BSD-3-Clause
"""TCP bandwidth of Linux over the network and over loopback, with 1 and 2 cores: table 5.1.

Two functional nodes with 200 Gb/s, 2 us links; nuttcp sends from the one to the other, then to
itself. It stands for the iperf3 of the published experiment, which spends a billion instructions on
waiting. Then the same with 9,000-byte frames, which the published table 5.4 has as its last step.
With `--engine rtl` the nodes are saved before the first stream and go on in RTL (warm start), with
less data. What is compared is the shape: core, kernel and drivers differ from the published ones.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from regression.support.cluster import merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.linux import (
    LABELS,
    Stream,
    add_engine,
    check_one_thread,
    linux_config,
    streams,
)
from regression.support.plotting import COLOURS, legend_below, new_figure, save_figure
from regression.support.warm import region_in_rtl

PUBLISHED_GBPS = {1: (1.67, 4.80), 2: (2.12, 3.01)}
"""Table 5.1, Linux 5.3, by cores: networked and loopback."""
USUAL_MTU, JUMBO_MTU = 1_500, 9_000
RTL_LIMIT_CYCLES = 400_000_000
REGION = "usleep 5000; firesim-start-roi; "
"""Before the sender's job in RTL: by then the receiver listens."""


@dataclass(frozen=True)
class Row:
    """Both streams of one machine."""

    cores: int
    mtu_bytes: int
    networked: Stream
    loopback: Stream
    token_hash: str


def measure(experiment: Experiment, cores: int, mtu_bytes: int, megabytes: int) -> Row:
    """Run both streams on nodes of `cores` cores."""
    job = f"MTU={mtu_bytes} BYTES={megabytes}m exec sh /etc/firesim/command"
    config = linux_config(
        "two_nodes",
        "linux-nuttcp",
        {
            "system": {"node": {"blade": f"rocket-{cores}"}},
            "workload": {"node": {"command": job}},
        },
    )
    name = f"cores-{cores}-mtu-{mtu_bytes}"
    if experiment.arguments.engine == "rtl":
        region = {"workload": {"nodes": {"node1": {"command": REGION + job}}}}
        run = region_in_rtl(
            experiment, name, merged(config, region), cycles=RTL_LIMIT_CYCLES, check=False
        )
    else:
        run = run_cluster(experiment, name, config)
        if (cores, mtu_bytes) == (2, USUAL_MTU):
            check_one_thread(experiment, name, config, run)
    networked, loopback = streams(run.console("node1"), "node1", 2)
    return Row(cores, mtu_bytes, networked, loopback, run.token_hash)


def _plot(experiment: Experiment, rows: list[Row]) -> Path:
    figure, axes = new_figure(2, width=4.4)
    places = range(len(rows))
    names = [f"{row.cores} core{'s' * (row.cores > 1)}" for row in rows]
    kinds = ("networked", "loopback")
    measured = [
        [row.networked.mbps / 1e3 for row in rows],
        [row.loopback.mbps / 1e3 for row in rows],
    ]
    published = [[PUBLISHED_GBPS[row.cores][kind] for row in rows] for kind in (0, 1)]
    panels = (
        (axes[0], f"measured:\n{LABELS[experiment.arguments.engine]}", measured),
        (axes[1], "published:\ntable 5.1, Linux 5.3", published),
    )
    for panel, title, values in panels:
        for kind, name in enumerate(kinds):
            at = [place + 0.4 * kind - 0.2 for place in places]
            panel.bar(at, values[kind], width=0.38, color=COLOURS[kind], label=name)
        panel.set_xticks(list(places), names)
        panel.set_title(title, fontsize=9)
        panel.set_ylabel("TCP bandwidth (Gb/s)")
        legend_below(panel, columns=2)
    figure.suptitle("TCP bandwidth of Linux (compare the shape)", fontsize=11, weight="bold")
    return save_figure(figure, experiment.folder, "iperf")


def _table(experiment: Experiment, rows: list[Row]) -> None:
    shown = []
    for row in rows:
        there = PUBLISHED_GBPS[row.cores]
        known = [f"{there[0]:.2f}", f"{there[1]:.2f}", f"{there[1] / there[0]:.2f}"]
        shown.append(
            [
                f"{row.cores} / {row.mtu_bytes:,}",
                f"{row.networked.mbps / 1e3:.2f}",
                str(row.networked.retransmissions),
                f"{row.loopback.mbps / 1e3:.2f}",
                f"{row.loopback.mbps / row.networked.mbps:.2f}",
                *(known if row.mtu_bytes == USUAL_MTU else ("", "", "")),
            ]
        )
    experiment.table(
        f"TCP bandwidth ({LABELS[experiment.arguments.engine]})",
        [
            "cores / MTU (bytes)",
            "networked (Gb/s, measured)",
            "retransmitted (segments)",
            "loopback (Gb/s, measured)",
            "ratio",
            "networked (Gb/s, published)",
            "loopback (Gb/s, published)",
            "ratio (published)",
        ],
        shown,
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--megabytes", type=int, default=0, help="MiB sent in each stream")
    add_engine(parser)


@experiment_named("iperf", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when all arrives and loopback is faster, as published."""
    engine: str = experiment.arguments.engine
    small = experiment.quick or engine == "rtl"
    megabytes: int = experiment.arguments.megabytes or (
        1 if engine == "rtl" else 2 if small else 16
    )
    cores = (1,) if experiment.quick and engine == "rtl" else tuple(PUBLISHED_GBPS)
    usual = [measure(experiment, number, USUAL_MTU, megabytes) for number in cores]
    jumbo = [] if small else [measure(experiment, 1, JUMBO_MTU, megabytes)]
    rows = [*usual, *jumbo]
    _table(experiment, rows)
    if engine == "functional":
        experiment.say(
            "Published, loopback falls from 1 core to 2. The functional engine has no caches: "
            "sharing data between cores costs nothing here, which may hide that."
        )
    experiment.note_file(_plot(experiment, usual))
    whole = all(
        stream.megabytes == megabytes for row in rows for stream in (row.networked, row.loopback)
    )
    ratios = [row.loopback.mbps / row.networked.mbps for row in usual]
    # The shape: what crosses the network is slower than what does not.
    holds = whole and all(ratio > 1 for ratio in ratios)
    experiment.keep(
        rows=[
            {
                "cores": row.cores,
                "mtu_bytes": row.mtu_bytes,
                "networked_mbps": row.networked.mbps,
                "loopback_mbps": row.loopback.mbps,
                "token_hash": row.token_hash,
            }
            for row in rows
        ]
    )
    one = usual[0]
    return Verdict(
        holds,
        f"1 core: {one.networked.mbps / 1e3:.2f} Gb/s networked, {one.loopback.mbps / 1e3:.2f} "
        f"loopback, ratio {ratios[0]:.1f} (published 2.9), {engine} engine,",
        "every byte, and loopback faster than the network",
    )
