# SPDX-License-Identifier: BSD-3-Clause
"""Runs one target in the ways that must not change its token hash."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment
from regression.support.simulate import Run


def stalled_metasim(experiment: Experiment) -> Config:
    """Return the way that is metasimulated, with a host that stalls at random."""
    stalled = {"stall_seed": experiment.seed | 1, "stall_rate": 32}
    return {"engine": "metasim", "metasim": stalled}


def run_ways(
    experiment: Experiment,
    recipe: Callable[..., Config],
    more: Mapping[str, Config] | None = None,
    prefix: str = "",
    verilator: bool = True,
) -> dict[str, Run]:
    """Return runs by the way: one thread, random batches, in full form Verilator, and `more`.

    With `verilator` false, not even in full form Verilator, whose model of a blade takes minutes.
    `recipe` makes the configuration, with keys of its section `simulation` as arguments. Names of
    folders begin with `prefix`.
    """
    ways: dict[str, Config] = {
        "one-thread": {"threads": 1},
        "random-batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
        **(more or {}),
    }
    if verilator and not experiment.quick:
        ways["verilator"] = {"rtl_engine": "verilator"}
    runs = {
        name: run_cluster(experiment, prefix + name, recipe(**way)) for name, way in ways.items()
    }
    rows = [[prefix + name, run.token_hash, run.end_cycle] for name, run in runs.items()]
    experiment.table("One hash", ["way to run", "token hash", "end cycle"], rows)
    return runs
