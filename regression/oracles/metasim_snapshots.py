# SPDX-License-Identifier: BSD-3-Clause
"""Part of `metasim-exact`: snapshots of metasimulated nodes go on in RTL, and the other way round.

Each snapshot is gone on from in both engines, with random stalls in the metasimulation, and with
waves and peeks of one node. All of these runs must end as the run that was never stopped, and leave
the same files.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from firesim.topology.describe import Restart

from regression.support.cluster import Cluster, Config, merged
from regression.support.experiment import Experiment
from regression.support.simulate import Run, simulate
from regression.support.snapshots import saved_folders

ENGINES = ("rtl", "metasim")
FILES = (
    "node0/uart.log", "node0/counters.csv", "node0/trace/hart0.folded", "node0/memory.json",
    "node1/uart.log", "node1/counters.csv", "node1/trace/hart0.folded", "node1/memory.json",
    "node0/waves.fst", "node0/peeks.csv",
    "tor0/capture.pcapng", "tor0/ports.json", "tor0/throughput.csv",
)  # fmt: skip
CYCLES = 3
WAVES_AFTER, WAVES_CYCLES = 500, 200
LATE = 0.85
"""With --quick a metasimulation only goes on from the last part of the run."""
PEEKED = (
    "soc.system.tile.core.csr.reg_mtvec",
    "soc.system.tile.core.mem_ext.Memory[30]",
    "soc.system.tile.frontend.s2_pc",
    "soc.system.tile.auto_trace_out_0_iaddr",
)


def random_cycles(experiment: Experiment, end_cycle: int) -> list[int]:
    """Return where the runs are saved, in order."""
    rng = random.Random(experiment.seed)
    latest = end_cycle - 2 * (WAVES_AFTER + WAVES_CYCLES)
    first = int(end_cycle * LATE) if experiment.quick else 1
    return sorted(rng.sample(range(first, latest), 1 if experiment.quick else CYCLES))


def saving(cycles: list[int]) -> Config:
    """Return the settings of a run that is saved there."""
    return {"simulation": {"snapshots": {"at_cycles": cycles}}}


def _goes_on(experiment: Experiment, config: Config, snapshot: Path, engine: str, name: str) -> Run:
    """Go on from a snapshot in an engine, to the end."""
    cycle = int(snapshot.name.rpartition("-")[2])
    start = cycle + WAVES_AFTER
    seen: dict[str, Any] = {
        "engine": engine,
        "metasim": {"stall_rate": 32, "stall_seed": experiment.seed},
        "waves": [{"node": "node0", "start_cycle": start, "end_cycle": start + WAVES_CYCLES}],
        "peeks": [{"node": "node0", "cycles": [cycle, start + 7], "signals": list(PEEKED)}],
    }
    cluster = Cluster(experiment, merged(config, {"simulation": seen}))
    folder = experiment.folder / name
    return simulate(cluster.description(folder, Restart(snapshot, cycle)), folder)


def _wrong(run: Run, whole: Run, first: Run) -> list[str]:
    """Return what differs from the whole run, and from the first that went on from that cycle."""
    found = []
    if (run.token_hash, run.end_cycle) != (whole.token_hash, whole.end_cycle):
        found.append("the token hash")
    for node in ("node0", "node1"):
        if not whole.console(node).endswith(run.console(node)):
            found.append(f"{node}/uart.log")
    return found + [
        name
        for name in FILES
        if (run.folder / name).read_bytes() != (first.folder / name).read_bytes()
    ]


def go_on(
    experiment: Experiment, config: Config, whole: Run, saved: dict[str, Run]
) -> tuple[int, list[str]]:
    """Go on from each snapshot of the saved runs, by engine; return how many did, what differs."""
    rows: list[list[str]] = []
    firsts: dict[str, Run] = {}
    differing = []
    for before, run in saved.items():
        for snapshot in saved_folders(run.folder):
            for engine in ENGINES:
                name = f"{snapshot.name}-{before}-{engine}"
                again = _goes_on(experiment, config, snapshot, engine, name)
                wrong = _wrong(again, whole, firsts.setdefault(snapshot.name, again))
                cycle = snapshot.name.rpartition("-")[2]
                rows.append([before, f"{int(cycle):,}", engine, again.token_hash,
                             ", ".join(wrong) or "nothing"])  # fmt: skip
                differing += [f"{before} to {engine} at {cycle}: {what}" for what in wrong]
    columns = ["saved in", "at cycle", "went on in", "token hash", "differs"]
    experiment.table("Snapshots that went on in the other engine", columns, rows)
    return len(rows), differing
