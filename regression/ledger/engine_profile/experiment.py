# SPDX-License-Identifier: BSD-3-Clause
"""Instructions, cache misses and mispredicted branches per target cycle, of both RTL engines.

One blade, one thread, all devices, under valgrind's cachegrind, which needs no counters of the
processor; both engines are compiled for x86-64-v3, which is what valgrind knows. Windows of target
cycles are counted, spread evenly over the programs of engine-speed. The simulation is saved before
each and restored for a short and for a long run, whose difference is free of start-up. What a run
leaves must be the same without valgrind and on both engines. --quick counts one window of two
programs on the generated engine alone, and is skipped where the simulator would have to be compiled
once more for it (processors with AVX-512): that takes minutes.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim.build.model import blade_model
from firesim.build.other_processor import model_for
from firesim.build.simulator import PORTABLE, native_keeps_to_valgrind, simulator

from regression.ledger.engine_profile import cachegrind
from regression.ledger.engine_profile.cachegrind import Counts, Group, Profile
from regression.ledger.engine_speed.experiment import BLADE, LIMITS, workloads
from regression.support.cluster import Cluster
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    NotHereError,
    Verdict,
    experiment_named,
)
from regression.support.one_blade import ENGINES, one_blade
from regression.support.simulate import Run, simulate
from regression.support.snapshots import NO_SNAPSHOTS, saved_folders

WINDOWS, QUICK_WINDOWS = 5, 1
QUICK_PROGRAMS = ("counters", "stream")
CYCLES, QUICK_CYCLES = 10_000, 4_000
"""Target cycles of a window."""
SETTLING_CYCLES, QUICK_SETTLING_CYCLES = 2_000, 1_000
"""Run before a window is counted: the simulated caches fill and the predictor learns in them."""
MODULES = (
    Group("core (pipeline)", r"_in_soc_system_tile_core(?!_csr|_div)"),
    Group("core: CSRs, division", r"_in_soc_system_tile_core"),
    Group("frontend: fetch queue, I-cache, branch prediction, TLB", r"_in_soc_system_tile_front"),
    Group("data cache, page table walker, FPU", r"_in_soc_system_tile_(dcache|ptw|fpu)"),
    Group("coherence, buses, memory port", r"_in_soc_|_in_uart"),
    Group("NIC, DMA, block device", r"_in_(nic|dma|block_device)"),
    Group("output ports", r"_in_top"),
    Group("asking which zones must run", r"\bmodel::(cycle|input_changes)"),
)
"""Functions of the generated engine, by the module they are named after (step `names`)."""
REST = "firesim-sim: bridges, scheduler; C library"
MOST_REST_PERCENT = 25
"""Of a program's instructions: more means that functions are no longer named after modules."""
SHARED = ("instructions", "mispredicted")
"""The events whose shares of each module are reported."""


@dataclass(frozen=True)
class Seen:
    """What a simulation left; the hash alone says little of a program that sends nothing."""

    token_hash: str
    counters: str
    console: str
    memory: str


def _seen(run: Run) -> Seen:
    files = ("counters.csv", "uart.log", "memory.json")
    return Seen(run.token_hash, *((run.folder / "node0" / name).read_text() for name in files))


class Program:
    """One program on one blade, ready to run on either engine."""

    def __init__(self, experiment: Experiment, name: str, workload: dict[str, Any]) -> None:
        """Check the configuration and build what it needs."""
        quick = experiment.quick
        self.folder = experiment.folder / name
        self.windows = QUICK_WINDOWS if quick else WINDOWS
        self.cycles = QUICK_CYCLES if quick else CYCLES
        self._settling = QUICK_SETTLING_CYCLES if quick else SETTLING_CYCLES
        watched = {"max_cycles": LIMITS.get(name, 0), "autocounter": {"enabled": True}}
        config = one_blade(BLADE, workload, watched)
        self._description = Cluster(experiment, config).description(self.folder)
        self._binary = simulator() if native_keeps_to_valgrind() else simulator(PORTABLE)

    def length(self, model: Path) -> int:
        """Return the cycles until the blade ends; the links go on for longer."""
        return self._run(model, self.folder / "whole", {}).node_cycles

    def profile(self, model: Path, folder: Path, length: int) -> tuple[Profile, list[Seen]]:
        """Count all windows on a model; return the sums, and what was seen at the end of each.

        Raises:
            ExperimentError: a run ended early, or valgrind changed what it does.
        """
        step = length // self.windows
        starts = [step // 2 + step * index for index in range(self.windows)]
        whole = self._run(
            model, folder / "whole", {"snapshots": {**NO_SNAPSHOTS, "at_cycles": starts}}
        )
        profile: Profile = {}
        seen = []
        for start, snapshot in zip(starts, saved_folders(whole.folder), strict=True):
            window, ends = self._window(model, folder / str(start), start, snapshot)
            profile = cachegrind.summed(profile, window)
            seen.append(ends)
        shutil.rmtree(whole.folder / "snapshots")
        return profile, seen

    def _window(
        self, model: Path, folder: Path, start: int, snapshot: Path
    ) -> tuple[Profile, Seen]:
        restored = {"snapshots": NO_SNAPSHOTS, "restore": {"snapshot": str(snapshot)}}
        settled = start + self._settling
        profiles, seen = [], []
        for name, end in (("short", settled), ("long", settled + self.cycles)):
            file = folder / f"{name}.cachegrind"
            limited = {**restored, "max_cycles": end}
            counted = self._run(model, folder / name, limited, cachegrind.command(file))
            plain = self._run(model, folder / f"{name}-plain", limited)
            seen = [_seen(counted), _seen(plain)]
            if seen[0] != seen[1]:
                raise ExperimentError(f"{folder}: {name} is another run under valgrind.")
            if counted.node_cycles != end:
                raise ExperimentError(f"{folder}: {name} ended before cycle {end}.")
            profiles.append(cachegrind.read(file))
        return cachegrind.between(*profiles), seen[0]

    def _run(
        self, model: Path, folder: Path, more: dict[str, Any], wrapper: Sequence[str] = ()
    ) -> Run:
        for node in self._description["nodes"]:
            node["model"] = str(model / "model.so")
        description = {**self._description, **more}
        expect = (0, 1) if description["max_cycles"] else (0,)
        return simulate(description, folder, binary=self._binary, wrapper=wrapper, expect=expect)


def _shown(events: float, digits: int = 0) -> str:
    # Differences of a few events in all may be below zero.
    return f"{max(events, 0):,.{digits}f}"


def _row(program: str, engine: str, one: Counts) -> list[str]:
    return [
        program,
        engine,
        _shown(one.instructions),
        _shown(one.i1_misses),
        _shown(one.d1_misses, 2),
        _shown(one.last_level_misses, 2),
        _shown(one.branches),
        _shown(one.mispredicted),
    ]


@experiment_named("engine-profile", needs_program="valgrind")
def run(experiment: Experiment) -> Verdict:
    """Hold when all runs agree and the generated engine does less."""
    cachegrind.require_valgrind()
    if experiment.quick and not native_keeps_to_valgrind():
        raise NotHereError("valgrind knows no AVX-512, and another simulator takes minutes")
    engines = ("generated",) if experiment.quick else ENGINES
    models = {engine: model_for(blade_model(BLADE, engine), PORTABLE) for engine in engines}
    rows, ratios, shares = [], {}, {}
    for name, workload in workloads(experiment).items():
        if experiment.quick and name not in QUICK_PROGRAMS:
            continue
        program = Program(experiment, name, workload)
        length = program.length(models["generated"])
        found, seen = {}, []
        for engine, model in models.items():
            found[engine], ends = program.profile(model, program.folder / engine, length)
            seen.append(ends)
        if seen[0] != seen[-1]:
            raise ExperimentError(f"{program.folder}: the engines differ.")
        cycles = program.windows * program.cycles
        each = {
            engine: cachegrind.total(profile.values()).per(cycles)
            for engine, profile in found.items()
        }
        rows += [_row(name, engine, one) for engine, one in each.items()]
        if not experiment.quick:
            theirs, ours = (each[engine].instructions for engine in ENGINES)
            ratios[name] = theirs / ours
        shares[name] = _shares(found["generated"])
        experiment.keep(**{name: {engine: vars(one) for engine, one in each.items()}})
    _tables(experiment, rows, shares)
    experiment.keep(ratios=ratios, percent_by_module=shares)
    if experiment.quick:
        rest = max(one["instructions"][REST] for one in shares.values())
        figure = f"{len(shares)} programs the same, {rest:.0f} % of instructions in no module,"
        return Verdict(rest < MOST_REST_PERCENT, figure, f"less than {MOST_REST_PERCENT} %")
    figure = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    return Verdict(
        min(ratios.values()) > 1,
        f"runs equal; instructions that Verilator executes for each of ours: {figure},",
        "more than one on every program",
    )


def _shares(profile: Profile) -> dict[str, dict[str, float]]:
    """Return, for each event of SHARED, the percent of it that each module has."""
    whole = vars(cachegrind.total(profile.values()))
    groups = cachegrind.by_group(profile, MODULES, REST)
    return {
        event: {group: 100 * vars(one)[event] / whole[event] for group, one in groups.items()}
        for event in SHARED
    }


def _tables(
    experiment: Experiment,
    rows: list[list[str]],
    shares: dict[str, dict[str, dict[str, float]]],
) -> None:
    experiment.table(
        f"One {BLADE} blade, events per target cycle ({cachegrind.CACHES_IN_WORDS})",
        [
            "program",
            "engine",
            "instructions",
            "I1 misses",
            "D1 misses",
            "L2 misses",
            "branches",
            "mispredicted",
        ],
        rows,
    )
    for event in SHARED:
        experiment.table(
            f"The generated engine by module, percent of {event}",
            ["module", *shares],
            [
                [group, *(_shown(one[event][group], 1) for one in shares.values())]
                for group in [*(group.name for group in MODULES), REST]
            ],
        )
