# SPDX-License-Identifier: BSD-3-Clause
"""Thousands of Linux nodes on four hosts, clones of one, each pinging 16 others over a fat tree.

The hosts are namespaces of this computer, each with its own sshd and disk. One functional node
boots Linux and is saved at its shell's prompt. It is cloned into a fat tree, over the farm, and
each clone powers off when it has pinged 16 others and all who ping it have done so. A small fat
tree has the hash of one process; so has one of 1,024 nodes. Then the largest one is run, of 4,394
nodes. Memory is what all simulators take at the same time, pages that they share counted once.

What was measured also says what 65,536 nodes on 64 hosts would take (`on_paper`).
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from firesim.config.loaded import Loaded
from firesim.topology.describe import Restart
from firesim.topology.plan import Plan

from regression.support.clones import BOOTED_CYCLE, PEERS, Reached, booted, clones_config, reached
from regression.support.cluster import Cluster, merged
from regression.support.experiment import Experiment, NotHereError, Verdict, experiment_named
from regression.support.hosts.bed import TestHost, test_bed, why_not
from regression.support.hosts.lab import farm_file, whole_run
from regression.support.simulate import Run

HOSTS = 4
TREES = {16: "fat_tree_4ary", 1024: "fat_tree_16ary", 4394: "fat_tree_26ary"}
SMALL, MIDDLE, LARGE = TREES
CLOCK_HZ = 3.2e9
AIM_MIB = 6.0
"""Of memory a node, at most."""
SAMPLE_S = 1.0
DISK_MIB = 4096
STEPS_A_MS = CLOCK_HZ / 1e3 / (6_400 // 3)
"""Messages that two processes send each other in a millisecond of target time."""


@dataclass
class Memory:
    """The most memory that all simulators of this computer took at the same time."""

    peak_bytes: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        """Look again and again, until `over`."""
        while not self.over.wait(SAMPLE_S):
            self.peak_bytes = max(self.peak_bytes, sum(_proportional_bytes()))


def _proportional_bytes() -> Iterator[int]:
    """Yield what each simulator takes; a page that n processes share counts 1/n for each."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_text().strip() != "firesim-sim":
                continue
            lines = (folder / "smaps_rollup").read_text().splitlines()
        except OSError:
            continue  # It has ended.
        yield next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


@contextmanager
def _measured() -> Iterator[Memory]:
    memory = Memory()
    thread = threading.Thread(target=memory.watch)
    thread.start()
    try:
        yield memory
    finally:
        memory.over.set()
        thread.join()


@dataclass(frozen=True)
class Scale:
    """A run of the given number of clones."""

    nodes: int
    hosts: int
    """0: one process without any host."""
    run: Run
    said: Reached

    @property
    def target_ms(self) -> float:
        """Target time from the snapshot to the end."""
        return (self.run.end_cycle - BOOTED_CYCLE) / CLOCK_HZ * 1e3

    @property
    def mib_a_node(self) -> float:
        """Memory of all simulators for each node."""
        return self.run.peak_bytes / 2**20 / self.nodes

    @property
    def whole(self) -> bool:
        """Whether every pair was reached, and all nodes passed."""
        return self.run.exit_status == 0 and self.said.reached == self.said.pairs


def scaled(experiment: Experiment, snapshot: Path, nodes: int, hosts: Sequence[TestHost]) -> Scale:
    """Run the given number of clones to their power-off, on hosts or with none in one process."""
    few = nodes == SMALL
    command = "pings neighbours=known" + ("" if few else f" peers={PEERS}")
    config = clones_config(TREES[nodes], command)
    if hosts:
        farm = str(farm_file(experiment.folder, hosts))
        config = merged(config, {"placement": {"run_farm": farm}})
    loaded: Loaded = Cluster(experiment, config).loaded

    def restart(plan: Plan) -> Restart:
        return Restart(snapshot, BOOTED_CYCLE, {node.name: "node0" for node in plan.nodes})

    folder = experiment.folder / f"clones-{nodes}-on-{len(hosts)}"
    with _measured() as memory:
        outcome = whole_run(loaded, folder, restart)
    result = outcome.result
    run = Run(
        outcome.folder,
        result,
        outcome.exit_status,
        float(result["wall_s"]),
        float(result["cpu_s"]),
        memory.peak_bytes,
    )
    experiment.say(f"{nodes:,} nodes on {len(hosts) or 'no'} hosts: {run.process_wall_s:.1f} s")
    return Scale(nodes, len(hosts), run, reached(run))


def on_paper(
    scale: Scale, nodes: int, hosts: int, cores: int, round_trip_us: float
) -> list[object]:
    """Return a row: what `nodes` nodes would take on `hosts` hosts, by the constants of a run.

    A millisecond of target time takes what the nodes of a host need on its cores, or what the
    rounds of messages need that it consists of, whichever is longer; three are under way at once.
    """
    cpu_s = scale.run.process_cpu_s / scale.nodes / scale.target_ms
    here = nodes / hosts
    compute_s = here * cpu_s / cores
    rounds_s = STEPS_A_MS * round_trip_us / 2 / 1e6
    return [
        f"{nodes:,} on {hosts} of {cores} cores",
        f"{here * scale.mib_a_node / 1024:.1f}",
        f"{compute_s:.2f}",
        f"{rounds_s:.2f}",
        f"{max(compute_s, rounds_s):.2f}",
    ]


def _arguments(parser: argparse.ArgumentParser) -> None:
    largest = f"nodes of the largest fat tree: {', '.join(map(str, TREES))} (default: {LARGE})"
    parser.add_argument("--nodes", type=int, default=LARGE, choices=tuple(TREES), help=largest)


@experiment_named("scale-hosts", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every pair is reached, the hash is that of one process, and the memory small."""
    if reason := why_not():
        raise NotHereError(reason)
    snapshot, _ = booted(experiment)
    largest = SMALL if experiment.quick else experiment.arguments.nodes
    rows: list[Scale] = []
    with test_bed(2 if experiment.quick else HOSTS, disk_mib=DISK_MIB) as hosts:
        for nodes in [size for size in TREES if size <= largest]:
            if nodes != LARGE:
                rows.append(scaled(experiment, snapshot, nodes, []))
            rows.append(scaled(experiment, snapshot, nodes, hosts))
    hashes = {nodes: {row.run.token_hash for row in rows if row.nodes == nodes} for nodes in TREES}
    same = all(len(found) <= 1 for found in hashes.values())
    _report(experiment, rows)
    last = rows[-1]
    small = last.mib_a_node <= AIM_MIB or experiment.quick
    return Verdict(
        same and small and all(row.whole for row in rows),
        f"{last.nodes:,} nodes on {last.hosts} hosts, {last.said.reached:,} of "
        f"{last.said.pairs:,} pairs, {last.mib_a_node:.1f} MiB a node, hashes "
        f"{'as in one process' if same else 'differ'},",
        f"all pairs, the hash of one process, {AIM_MIB:g} MiB",
    )


def _report(experiment: Experiment, rows: Sequence[Scale]) -> None:
    experiment.table(
        "Clones of one Linux node in a fat tree",
        [
            "nodes",
            "hosts",
            "pairs reached",
            "target time (ms)",
            "wall (s)",
            "processor (s)",
            "memory a node (MiB)",
            "token hash",
        ],
        [
            [
                f"{row.nodes:,}",
                row.hosts or "none",
                f"{row.said.reached:,} of {row.said.pairs:,}",
                f"{row.target_ms:.1f}",
                f"{row.run.process_wall_s:.1f}",
                f"{row.run.process_cpu_s:.1f}",
                f"{row.mib_a_node:.1f}",
                row.run.token_hash,
            ]
            for row in rows
        ],
    )
    paper = [
        on_paper(rows[-1], nodes, hosts, cores, trip_us)
        for nodes, hosts, cores, trip_us in ((4_394, 4, 2, 60.0), (65_536, 64, 16, 60.0))
    ]
    experiment.table(
        "On paper, a millisecond of target time, messages of 60 us to and fro",
        ["nodes", "memory a host (GiB)", "compute (s)", "messages (s)", "together (s)"],
        paper,
    )
    experiment.keep(
        runs=[
            {
                "nodes": row.nodes,
                "hosts": row.hosts,
                "reached": row.said.reached,
                "pairs": row.said.pairs,
                "wall_s": row.run.process_wall_s,
                "cpu_s": row.run.process_cpu_s,
                "peak_bytes": row.run.peak_bytes,
                "token_hash": row.run.token_hash,
            }
            for row in rows
        ],
        on_paper=paper,
    )
