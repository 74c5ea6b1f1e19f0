# SPDX-License-Identifier: BSD-3-Clause
"""Same inputs, same cycles: one token hash, however and with whatever observers a cluster is run.

Two Rocket nodes ping and then stream. The run is repeated with 1 and 2 threads, with batches of
1, 7, 64 and link-latency cycles and of seeded random sizes, with captures and profiling on and
off. Every run must give one token hash and one end cycle. Then the memory timing is changed: now
the hash must differ, which shows that the hash can.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from typing import Any

from regression.support.cluster import merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.simulate import Run

LATENCY_CYCLES = 640

OBSERVED: dict[str, Any] = {
    "captures": True,
    "throughput_interval_cycles": 1000,
    "tracing": {"enabled": True},
    "autocounter": {"enabled": True, "interval_cycles": 1000},
}
"""Everything that looks and must not touch."""

UNOBSERVED: dict[str, Any] = {"captures": False, "throughput_interval_cycles": 0}


@dataclass(frozen=True)
class Variant:
    """One way to run the same simulation."""

    name: str
    simulation: dict[str, Any]


def base_config(bytes_streamed: int) -> dict[str, Any]:
    """Return two nodes of which the first pings and then streams to the second."""
    return {
        "system": {"topology": "two_nodes", "link": {"latency_cycles": LATENCY_CYCLES}},
        "workload": {
            "node": {"program": "quickstart"},
            "nodes": {
                "node0": {
                    "args": [
                        "role=client",
                        "peer=${node1.mac}",
                        "count=2",
                        f"bytes={bytes_streamed}",
                        "size=2048",
                    ]
                },
                "node1": {"args": ["role=server"]},
            },
        },
        "simulation": dict(UNOBSERVED),
    }


def variants(seed: int, quick: bool) -> list[Variant]:
    """Return the ten or more runs; a quick experiment makes the same ten, on less traffic."""
    random_seeds = random.Random(seed)
    made = [
        Variant(
            f"threads {threads}, batch {batch or 'automatic'}",
            {"threads": threads, "batch_cycles": batch},
        )
        for threads, batch in ((1, 0), (2, 0), (1, 1), (2, 7), (1, 64), (2, LATENCY_CYCLES))
    ]
    made.append(Variant("RTL by Verilator", {"rtl_engine": "verilator"}))
    for threads in (1, 2):
        batch_seed = random_seeds.getrandbits(62) | 1
        name = f"threads {threads}, random batches, seed {batch_seed}"
        made.append(Variant(name, {"threads": threads, "random_batch_seed": batch_seed}))
    made.append(Variant("threads 1, captures and profiling", {"threads": 1, **OBSERVED}))
    batch_seed = random_seeds.getrandbits(62) | 1
    observed = {"threads": 2, "random_batch_seed": batch_seed, **OBSERVED}
    made.append(Variant(f"threads 2, captures and profiling, seed {batch_seed}", observed))
    if not quick:
        for threads, batch in ((2, 1), (1, 7), (2, 64), (2, 0)):
            made.append(
                Variant(
                    f"threads {threads}, batch {batch or 'automatic'}, captures and profiling",
                    {"threads": threads, "batch_cycles": batch, **OBSERVED},
                )
            )
    return made


def _row(name: str, run: Run) -> list[str]:
    return [name, run.token_hash, f"{run.end_cycle:,}", f"{run.wall_s:.1f}"]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bytes", type=int, default=0, help="bytes streamed after the pings")


@experiment_named("determinism", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when the hash depends on the target alone."""
    size: int = experiment.arguments.bytes or (16_384 if experiment.quick else 131_072)
    config = base_config(size)
    columns = ["run", "token hash (measured)", "end cycle (measured)", "wall (s)"]
    rows, seen = [], set()
    runs = variants(experiment.seed, experiment.quick)
    for index, variant in enumerate(runs):
        changed = merged(config, {"simulation": variant.simulation})
        run = run_cluster(experiment, f"run-{index:02d}", changed)
        rows.append(_row(variant.name, run))
        seen.add((run.token_hash, run.end_cycle))
    experiment.table("One simulation, many ways", columns, rows)

    timings: dict[str, dict[str, Any]] = {
        "fixed latency, 40 cycles": {"model": "fixed", "latency_cycles": 40},
        "fixed latency, 41 cycles": {"model": "fixed", "latency_cycles": 41},
        "DDR3, FR-FCFS": {"model": "fr_fcfs"},
    }
    other_rows, others = [], set()
    for index, (name, timing) in enumerate(timings.items()):
        changed = merged(config, {"system": {"node": {"memory": {"timing": timing}}}})
        run = run_cluster(experiment, f"timing-{index}", changed)
        other_rows.append(_row(name, run))
        others.add(run.token_hash)
    experiment.table("Memory timings that must differ", columns, other_rows)

    experiment.keep(runs=len(runs), distinct=len(seen), timings=len(timings), differ=len(others))
    figure = (
        f"{len(runs)} runs gave {len(seen)} token hash, "
        f"{len(timings)} memory timings gave {len(others)},"
    )
    holds = len(seen) == 1 and len(others) == len(timings)
    return Verdict(holds, figure, f"1 hash and {len(timings)} hashes")
