# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per second of a functional hart, with QEMU beside it.

A compute loop (loop.c: hashing, sorting through a function pointer, a sieve) runs on one functional
hart, on one that interprets only, and in QEMU, which like the first translates code to the host's;
turn by turn, in one run. Then Linux boots,
runs a program and powers off on both (on the hart with its devices, from the first instruction to
the last; in QEMU from the start of its process). Given is the median of processor time. Both
machines must compute the right sums, and every run of the hart take the same number of
instructions. Then both run on a node with and without call stacks, turn by turn, Linux with those
of its processes: how much longer that takes, in the same target cycles.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from firesim_software import link, linux
from firesim_software.qemu import run as run_qemu

from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.functional_hart import runner
from regression.support.linux import one_boot
from regression.support.random_programs.machines import SCRIPT
from regression.support.simulate import children_cpu_s

LOOP = Path(__file__).resolve().parent / "loop.c"
RUNS, QUICK_RUNS = 5, 1
MILLION = 1_000_000
GOAL_RATE = 150
"""Million instructions per second."""
GOAL_OF_QEMU = 0.8
"""The loop's rate by that of QEMU."""


@dataclass
class Times:
    """Runs of one program: instructions on the hart, and processor seconds of both machines."""

    counts: set[int] = field(default_factory=set)
    functional: list[float] = field(default_factory=list)
    interpreted: list[float] = field(default_factory=list)
    """Without translation; empty where that was not measured."""
    qemu: list[float] = field(default_factory=list)

    def add(self, ours: tuple[int, float], theirs: float) -> None:
        """Add a turn: (instructions, seconds) of the hart, and seconds of QEMU."""
        self.counts.add(ours[0])
        self.functional.append(ours[1])
        self.qemu.append(theirs)

    def add_interpreted(self, ours: tuple[int, float]) -> None:
        """Add (instructions, seconds) of a hart that translates nothing."""
        self.counts.add(ours[0])
        self.interpreted.append(ours[1])


def _link(folder: Path, name: str, macros: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return link([LOOP], SCRIPT, folder / name, macros)


def functional_run(binary: Path, elf: Path, *options: str) -> tuple[int, float]:
    """Run the loop on a functional hart; return its instructions and processor seconds.

    Raises:
        ExperimentError: the loop failed.
    """
    command = [str(binary), "--time", *options, str(elf)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise ExperimentError(f"{' '.join(command)}: exit status {done.returncode}. {done.stderr}")
    found = json.loads(done.stderr)
    return int(found["instructions"]), float(found["seconds"])


def qemu_run(elf: Path) -> float:
    """Run the loop in QEMU; return its processor seconds.

    Raises:
        ExperimentError: the loop failed.
    """
    before_s = children_cpu_s()
    done = run_qemu(elf, timeout_s=600)
    spent_s = children_cpu_s() - before_s
    if done.exit_code != 0:
        raise ExperimentError(f"{elf}: the loop failed in QEMU with {done.exit_code}.")
    return spent_s


def measure_loop(experiment: Experiment) -> Times:
    """Run the compute loop on both machines, turn by turn."""
    binary = runner()
    ours = _link(experiment.folder, "loop.elf", [])
    theirs = _link(experiment.folder, "loop-qemu.elf", ["FIRESIM_QEMU_VIRT"])
    found = Times()
    for _ in range(_runs(experiment)):
        found.add(functional_run(binary, ours), qemu_run(theirs))
        found.add_interpreted(functional_run(binary, ours, "--translate-after", "-1"))
    return found


def measure_linux(experiment: Experiment) -> Times:
    """Boot Linux and power off on both machines, turn by turn."""
    over = {"simulation": {"threads": 1}}
    config = one_boot("functional", "rocket-1", 64, over)
    found = Times()
    for index in range(_runs(experiment)):
        run = run_cluster(experiment, f"linux-{index}", config)
        node = run.result["nodes"][0]
        before_s = children_cpu_s()
        _, code = linux.boot("linux-hello")
        spent_s = children_cpu_s() - before_s
        if node["exit_code"] != 0 or code != 0:
            raise ExperimentError("linux-hello did not power off as it should.")
        found.add((int(node["statistics"]["instructions"]), float(run.result["cpu_s"])), spent_s)
    return found


@dataclass(frozen=True)
class Traced:
    """Processor seconds of runs of one program without call stacks and with them, alternately."""

    plain: list[float]
    traced: list[float]
    same: bool
    """Whether all of them ended in the same cycle with the same hash."""

    @property
    def ratio(self) -> float:
        """How many times as long it takes with call stacks."""
        return statistics.median(self.traced) / statistics.median(self.plain)


def measure_traced(experiment: Experiment) -> dict[str, Traced]:
    """Run the loop and Linux on a functional node without and with call stacks, alternately."""
    loop = {
        "system": {"topology": "rack_1"},
        "workload": {"node": {"elf": str(_link(experiment.folder, "loop.elf", []))}},
        "simulation": {"engine": "functional", "threads": 1},
    }
    linux_boot = one_boot("functional", "rocket-1", 64, {"simulation": {"threads": 1}})
    return {
        "compute loop": _in_turns(experiment, "loop", loop, {}),
        "Linux boot": _in_turns(experiment, "boot", linux_boot, {"processes": True}),
    }


def _in_turns(experiment: Experiment, name: str, config: Config, more: Config) -> Traced:
    tracing = {"tracing": {"enabled": True, "outputs": ["folded"], **more}}
    with_stacks = merged(config, {"simulation": tracing})
    plain: list[float] = []
    traced: list[float] = []
    seen = set()
    for index in range(_runs(experiment)):
        for seconds, kind, what in (
            (plain, config, "plain"),
            (traced, with_stacks, "traced"),
        ):
            run = run_cluster(experiment, f"{name}-{what}-{index}", kind)
            seconds.append(float(run.result["cpu_s"]))
            seen.add((run.token_hash, run.end_cycle))
    return Traced(plain, traced, len(seen) == 1)


def _runs(experiment: Experiment) -> int:
    return QUICK_RUNS if experiment.quick else RUNS


def show_traced(experiment: Experiment, measured: dict[str, Traced]) -> None:
    """Print and keep what call stacks cost."""
    rows = []
    for name, one in measured.items():
        without, with_stacks = (statistics.median(each) for each in (one.plain, one.traced))
        rows.append([name, f"{without:.3f}", f"{with_stacks:.3f}", f"{one.ratio:.2f}"])
        experiment.keep(**{f"{name}, stacks": {"plain_s": one.plain, "traced_s": one.traced}})
    columns = ["", "without (median, CPU s)", "with (median, CPU s)", "times"]
    experiment.table("Call stacks of a functional node", columns, rows)


def _arguments(_: argparse.ArgumentParser) -> None:
    pass


@experiment_named("functional-speed", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when the results are right and the hart is fast enough."""
    measured = {
        "compute loop": measure_loop(experiment),
        "Linux boot": measure_linux(experiment),
    }
    rows, figures, slowest, of_qemu, counts = [], [], float("inf"), 0.0, []
    for name, times in measured.items():
        rates = []
        for machine, seconds in (
            ("functional hart", times.functional),
            ("QEMU", times.qemu),
            ("functional hart, interpreted", times.interpreted),
        ):
            if not seconds:
                continue
            middle = statistics.median(seconds)
            rates.append(max(times.counts) / MILLION / middle)
            rows.append(
                [name, machine, f"{middle:.3f}", f"{min(seconds):.3f}", f"{rates[-1]:,.0f}"]
            )
        slowest = min(slowest, rates[0])
        if times.interpreted:
            of_qemu = rates[0] / rates[1]
        counts.append(len(times.counts))
        figures.append(f"{name} {rates[0]:,.0f} (QEMU {rates[1]:,.0f})")
        kept = {"functional_s": times.functional, "qemu_s": times.qemu}
        experiment.keep(**{name: {**kept, "interpreted_s": times.interpreted}})
    columns = ["", "machine", "median (CPU s)", "least (CPU s)", "million instr./s"]
    experiment.table("One core", columns, rows)
    stacks = measure_traced(experiment)
    show_traced(experiment, stacks)
    ratios = ", ".join(f"{one.ratio:.2f}" for one in stacks.values())
    figure = (
        f"{', '.join(figures)} million instructions/s of processor time, with call stacks {ratios} "
        "times as long,"
    )
    same = max(counts) == 1 and all(one.same for one in stacks.values())
    goal = f"{GOAL_RATE} on both, the loop at {GOAL_OF_QEMU} of QEMU's rate"
    if not same:
        goal = "one number of instructions, one hash"
    fast = slowest >= GOAL_RATE and of_qemu >= GOAL_OF_QEMU
    return Verdict(same and fast, figure, goal, timed_only=same)
