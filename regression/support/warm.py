# SPDX-License-Identifier: BSD-3-Clause
"""A cluster that is saved on the functional blade and goes on in RTL: the frame of warm starts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from regression.support.cluster import Cluster, Config, merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run, simulate

Description = dict[str, Any]

REGION_LIMIT_CYCLES = 128_000_000
"""By when a guest must have said where its region of interest begins."""


class WarmStart:
    """One configuration, described for both engines; everything it leaves is in `folder`."""

    def __init__(self, experiment: Experiment, config: Config, folder: Path) -> None:
        """Build what functional nodes need."""
        self.experiment = experiment
        self.config = config
        self.folder = folder
        self.functional = self._describe("functional")

    @cached_property
    def rtl(self) -> Description:
        """The nodes in RTL; their model is built when this is asked for."""
        return self._describe("rtl")

    def _describe(self, engine: str) -> Description:
        on_engine = merged(self.config, {"simulation": {"engine": engine}})
        return Cluster(self.experiment, on_engine).description(self.folder / engine)

    def whole(self, max_cycles: int) -> Run:
        """Run it on the functional blade, to its end or to `max_cycles`."""
        limited = {**self.functional, "max_cycles": max_cycles}
        return simulate(limited, self.folder / "whole", expect=(0, 1))

    def save(self, cycles: Sequence[int], max_cycles: int = 0) -> Run:
        """Run it on the functional blade again and save it at these cycles.

        It ends behind the last of them, or at `max_cycles`.
        """
        description = {
            **self.functional,
            "snapshots": {"directory": str(self.folder / "snapshots"), "at_cycles": list(cycles)},
            "max_cycles": max_cycles or max(cycles) + 1,
        }
        return simulate(description, self.folder / "saved", expect=(0, 1))

    def go_on(self, cycle: int, max_cycles: int, threads: int) -> Run:
        """Continue in RTL what was saved at `cycle`, to its end or to `max_cycles`."""
        description = {
            **self.rtl,
            "restore": {"snapshot": str(self.folder / "snapshots" / f"cycle-{cycle}")},
            "max_cycles": max_cycles,
            "threads": threads,
        }
        return simulate(description, self.folder / f"rtl-{cycle}-{threads}", expect=(0, 1))


def region_cycle(run: Run) -> int:
    """Return the cycle at which the last of the guests' regions of interest began.

    Raises:
        ExperimentError: none has begun.
    """
    found = [node["statistics"].get("region_start_cycle") for node in run.result["nodes"]]
    begun = [int(cycle) for cycle in found if cycle is not None]
    if not begun:
        raise ExperimentError(
            f"{run.folder}: found no region of interest up to cycle {run.end_cycle:,}, expected a "
            "guest to run firesim-start-roi."
        )
    return max(begun)


def region_in_rtl(
    experiment: Experiment, name: str, config: Config, *, cycles: int, check: bool
) -> Run:
    """Boot on the functional blade; return the RTL run from the region of interest on.

    It has `cycles` after the region's start at most. With `check` it is run with one thread too.

    Raises:
        ExperimentError: a run failed, or one thread gave another token hash.
    """
    warm = WarmStart(experiment, config, experiment.folder / name)
    at = region_cycle(warm.whole(REGION_LIMIT_CYCLES))
    warm.save([at])
    run = warm.go_on(at, at + cycles, experiment.threads)
    if run.result["reason"] not in ("ended", "max_cycles"):
        raise ExperimentError(f"{run.folder}: the run ended with {run.result['reason']}.")
    if check:
        one = warm.go_on(at, at + cycles, 1 if experiment.threads > 1 else 2)
        if one.token_hash != run.token_hash:
            raise ExperimentError(
                f"{one.folder}: token hash {one.token_hash}, expected {run.token_hash}."
            )
        experiment.say(f"{name}: token hash {run.token_hash} with 1 and with more threads")
    return run
