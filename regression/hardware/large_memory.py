# SPDX-License-Identifier: BSD-3-Clause
"""A node with 16 GiB, functional and in RTL: every part of its memory is reached.

A program writes the last word of each 256 MiB and reads them all back, so that words of one set of
any cache go to memory and come back; a sector goes to the disk from the last bytes of memory, and
back. Both engines print the same line, and the host's memory is taken as it is touched. --quick
leaves out the RTL, whose model takes minutes to compile.
"""

from __future__ import annotations

from typing import Any

from regression.support.cluster import merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.one_blade import one_blade

BLADE = "rocket-1-16gib"
GIB = 16
LINE = "reach words=64 last=47ffffff8 errors=0"
WORKLOAD = {
    "node": {"program": "reach", "args": [f"bytes={GIB << 30}"], "disk_sectors": 64},
}


def _console(experiment: Experiment, engine: str) -> str:
    more: dict[str, Any] = {
        "system": {"node": {"memory": {"size_mib": GIB << 10}}},
        "simulation": {"engine": engine},
    }
    config = merged(one_blade(BLADE, WORKLOAD, {}), more)
    return run_cluster(experiment, f"reach-{engine}", config).console("node0").strip()


@experiment_named("large-memory")
def run(experiment: Experiment) -> Verdict:
    """Hold when the program finds all words on each engine."""
    engines = ["functional"] if experiment.quick else ["functional", "rtl"]
    found = {engine: _console(experiment, engine) for engine in engines}
    rows = [[engine, text] for engine, text in found.items()]
    experiment.table("What the program found", ["engine", "console"], rows)
    right = [engine for engine, text in found.items() if text == LINE]
    experiment.keep(engines=len(engines), right=len(right))
    figure = f"{len(right)} of {len(engines)} engines reach all of {GIB} GiB"
    return Verdict(right == engines, figure, "both engines, without an error")
