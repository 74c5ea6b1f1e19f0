# SPDX-License-Identifier: BSD-3-Clause
"""Small loads of a service by units that have one hash, however they are run."""

from __future__ import annotations

from dataclasses import dataclass

from regression.support.cluster import Config
from regression.support.experiment import Experiment
from regression.support.hyperscale import BLADES, UNIT_STEPS, Load, recipe, served
from regression.support.simulate import Run
from regression.support.snapshots import equal_from_snapshots
from regression.support.ways import run_ways, stalled_metasim

FAR_CYCLES = 2_000
"""Of each way to memory, where a snapshot is to meet a unit in mid-operation."""


@dataclass(frozen=True)
class Small:
    """A load by all units that has one hash, however it is run."""

    load: Load
    token_hash: str
    engines: bool = True
    """Whether Verilator and metasimulation run it, too, in full form."""

    @property
    def blade(self) -> str:
        """The server's."""
        return BLADES[self.load.cores]


SMALL = {
    "one core": Small(Load(requests=3, items=6, messages=1, spoil=3), "c339291c34de1162"),
    "two cores": Small(
        Load(requests=6, items=6, messages=2, spoil=3, cores=2), "e95a7061834c71e4", engines=False
    ),
}


def _one_hash(experiment: Experiment, name: str, small: Small) -> tuple[int, int]:
    """Return how many runs of a small load had its hash, and how many there were."""

    def config(**simulation: object) -> Config:
        return recipe(UNIT_STEPS, small.load, 0, small.blade, **simulation)

    with_metasim = small.engines and not experiment.quick
    more = {"metasim": stalled_metasim(experiment)} if with_metasim else {}
    prefix = f"{name.replace(' ', '-')}-"
    runs = run_ways(experiment, config, more, prefix, verilator=small.engines)
    for run in runs.values():
        served(run, small.load)
    return sum(run.token_hash == small.token_hash for run in runs.values()), len(runs)


def _went_on(experiment: Experiment, name: str, small: Small, count: int) -> int:
    """Return how many runs from snapshots, while requests are served, equal one never stopped."""

    def serving(whole: Run) -> range:
        """Return the cycles in which requests are served: a little after them the run ends."""
        return range(whole.end_cycle - served(whole, small.load).span_cycles, whole.end_cycle)

    config = recipe(UNIT_STEPS, small.load, FAR_CYCLES, small.blade, threads=1)
    return equal_from_snapshots(
        experiment, config, count, serving, f"snapshots-{name.replace(' ', '-')}"
    )


def same(experiment: Experiment, name: str) -> dict[str, bool]:
    """Return whether a load of SMALL has its hash in all ways, and goes on from snapshots."""
    small = SMALL[name]
    count = 1 if experiment.quick else 8
    good, ways = _one_hash(experiment, name, small)
    return {
        f"{name}: hash {small.token_hash} in all {ways} ways": good == ways,
        f"{name}: runs from {count} snapshots end alike": _went_on(experiment, name, small, count)
        == count,
    }
